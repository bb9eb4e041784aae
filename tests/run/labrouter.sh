#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# labrouter by itself: ncclient (Debian's, junos handler) and raw clients against it, its control
# socket, BMP and syslog. One "ok"/"not ok" line a case. BUILD: where the programs are.
set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
case ${BUILD:-build/release} in
/*) router=$BUILD/labrouter ;;
*) router=$top/${BUILD:-build/release}/labrouter ;;
esac
cd "$top" || exit 1

if [ ! -x /usr/bin/python3 ] || ! /usr/bin/python3 -c 'import ncclient, paramiko' 2>/dev/null; then
	echo "ok labrouter # SKIP python3-ncclient is not installed"
	exit 0
fi

dir=$(mktemp -d) || exit 1
pid=
# shellcheck disable=SC2317 # called by trap
clean_up() {
	[ -z "$pid" ] || kill "$pid" 2>/dev/null
	[ -z "$pid" ] || wait "$pid" 2>/dev/null
	rm -rf "$dir"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

free_port() {
	/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

ssh-keygen -q -t ed25519 -N '' -f "$dir/host" && ssh-keygen -q -t ed25519 -N '' -f "$dir/host2" &&
	ssh-keygen -q -t rsa -b 2048 -N '' -f "$dir/user" && ssh-keygen -q -t ed25519 -N '' -f "$dir/stranger" || exit 1
cp "$dir/user.pub" "$dir/authorized_keys"

rc=0
for variant in eom chunked; do
	mkdir "$dir/$variant"
	mkfifo "$dir/$variant/ready"
	option="--syslog-format bsd"
	[ $variant = eom ] || option="--base-1.1 --syslog-format structured"
	bmp=$(free_port) syslog=$(free_port)
	# shellcheck disable=SC2086 # option is words
	"$router" --config tests/fixtures/labrouter/static.xml --listen 127.0.0.1:0 --host-key "$dir/host" \
		--authorized-keys "$dir/authorized_keys" --password lab --control "$dir/$variant/ctl" \
		--journal "$dir/$variant/journal" --transcript "$dir/$variant/transcript" --simulate $option \
		--bmp "127.0.0.1:$bmp" --syslog "127.0.0.1:$syslog" --bmp-repeat 200 \
		> "$dir/$variant/ready" 2> "$dir/$variant/log" &
	pid=$!
	read -r line < "$dir/$variant/ready" || line=
	port=${line##* }
	case $line in
	*ready*) echo "ok $variant: started" ;;
	*)
		echo "not ok $variant: started: $(cat "$dir/$variant/log")"
		exit 1
		;;
	esac
	/usr/bin/python3 tests/run/labrouter_client.py "$variant" "$router" "$dir" "$port" "$bmp" "$syslog" || rc=1
	kill "$pid"
	if wait "$pid"; then
		echo "ok $variant: clean end on SIGTERM"
	else
		echo "not ok $variant: clean end on SIGTERM"
		cat "$dir/$variant/log"
		rc=1
	fi
	pid=
	if [ -e "$dir/$variant/ctl" ]; then
		echo "not ok $variant: control socket removed"
		rc=1
	fi
done
exit $rc
