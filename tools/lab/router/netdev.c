/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * /proc/self/net/dev is the namespace's own and has 64-bit counters: "  ei1: BYTES PACKETS ERRS
 * DROP FIFO FRAME COMPRESSED MULTICAST BYTES PACKETS ...", received first. The kernel counts whole
 * frames, a Junos logical interface counts what is in them; the difference is the Ethernet header
 * of 14 bytes.
 */
#include "netdev.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ETHERNET_HEADER = 14, LINE_SIZE = 512 };

static uint64_t
without_headers(uint64_t bytes, uint64_t packets)
{
	return bytes > packets * ETHERNET_HEADER ? bytes - packets * ETHERNET_HEADER : 0;
}

static bool
parse_line(const char *line, struct netdev *ret_device)
{
	struct netdev device = { 0 };

	if (sscanf(line,
	        " %31[^: \t]: %" SCNu64 " %" SCNu64 " %*u %*u %*u %*u %*u %*u %" SCNu64 " %" SCNu64,
	        device.name, &device.in_bytes, &device.in_packets, &device.out_bytes,
	        &device.out_packets) != 5 ||
	    strcmp(device.name, "lo") == 0)
		return false;
	device.in_bytes = without_headers(device.in_bytes, device.in_packets);
	device.out_bytes = without_headers(device.out_bytes, device.out_packets);
	*ret_device = device;
	return true;
}

struct netdev *
netdev_parse(FILE *in, size_t *ret_count)
{
	struct netdev *devices = NULL, device;
	char line[LINE_SIZE];
	size_t count = 0;

	while (fgets(line, sizeof(line), in))
		if (parse_line(line, &device)) {
			devices = xreallocarray(devices, count + 1, sizeof(*devices));
			devices[count++] = device;
		}
	*ret_count = count;
	return devices;
}

int
netdev_read(struct netdev **ret_devices, size_t *ret_count, struct error *err)
{
	FILE *in = fopen("/proc/self/net/dev", "re");

	if (!in)
		return error_set(err, -errno, "/proc/self/net/dev: %s", strerror(errno));
	*ret_devices = netdev_parse(in, ret_count);
	(void)fclose(in);
	return 0;
}
