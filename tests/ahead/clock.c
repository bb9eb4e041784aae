/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A clock that can be put forward: linked into an agent and a lab router that are otherwise those
 * of every day, it takes the place of the C library's clock_gettime, also for libevent. All
 * processes that map the file AUTOFBF_CLOCK_AHEAD (seconds, one int64_t) jump at the same moment,
 * so a test need not wait for what takes the agent a quarter of an hour.
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *seconds_ahead; /* mapped to the end; NULL: not yet */

static void __attribute__((constructor)) map_seconds(void)
{
	const char *path = getenv("AUTOFBF_CLOCK_AHEAD");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *page = mmap(NULL, sizeof(*seconds_ahead), PROT_READ, MAP_SHARED, fd, 0);

	if (page == MAP_FAILED)
		err(2, "AUTOFBF_CLOCK_AHEAD=%s", path ? path : "");
	close(fd);
	seconds_ahead = page;
}

int
clock_gettime(clockid_t id, struct timespec *ret_now)
{
	long rc = syscall(SYS_clock_gettime, id, ret_now);

	if (rc == 0 && seconds_ahead && id != CLOCK_PROCESS_CPUTIME_ID &&
	    id != CLOCK_THREAD_CPUTIME_ID)
		ret_now->tv_sec += (time_t)*seconds_ahead;
	return (int)rc;
}
