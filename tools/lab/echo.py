#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What a server sees of a subscriber: an echo of the source address and port, and its questioner.

    echo.py serve PORT ADDRESS...           answers every datagram with its source, until SIGTERM
    echo.py ask SERVER PORT < SUBSCRIBERS   a line "SUBSCRIBER PORT" each: prints "SUBSCRIBER PORT
                                            ADDRESS PORT" of those that were answered

Port 0 is any. Unanswered questions are repeated for two seconds.
"""
import select
import socket
import sys
import time

PATIENCE, REPEAT = 2.0, 0.5


def open_socket(address, port):
    one = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM)
    one.bind((address, port))
    return one


def serve(port, addresses):
    sockets = [open_socket(address, port) for address in addresses]
    print("echo: serving", flush=True)
    while True:
        for one in select.select(sockets, [], [])[0]:
            _, source = one.recvfrom(64)
            one.sendto(("%s %d" % source[:2]).encode(), source)


def ask(server, port, lines):
    waiting = {open_socket(address, int(own)): address for address, own in map(str.split, lines)}
    end, again = time.monotonic() + PATIENCE, 0
    while waiting and time.monotonic() < end:
        if time.monotonic() >= again:
            for one in waiting:
                one.sendto(b"?", (server, port))
            again = time.monotonic() + REPEAT
        for one in select.select(list(waiting), [], [], REPEAT / 10)[0]:
            print("%s %d %s" % (waiting.pop(one), one.getsockname()[1], one.recv(64).decode()))


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(int(sys.argv[2]), sys.argv[3:])
    else:
        ask(sys.argv[2], int(sys.argv[3]), sys.stdin)
