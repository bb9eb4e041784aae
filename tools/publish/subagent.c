/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * net-snmp as it can be kept in hand: no configuration files, no MIB files, no persistent state, no
 * SIGALRM, no retries, a third of a second for every synchronous exchange (keepalived's guards),
 * and a ping of the master every few seconds, which is also how often an absent one is looked for.
 *
 * The bridge asks net-snmp after every step which descriptors and timeout it waits for, and lets
 * libevent do the waiting. net-snmp's globals are the reason why there is one subagent in a
 * process; our own pointers travel through its argument pointers.
 *
 * One guard is not net-snmp's: its socket blocks in connect(2) once the queue of a master that
 * hangs is full, as our own tries fill it and those of other subagents do. While it may connect, an
 * interval timer interrupts whatever lasts.
 */
#include "subagent.h"

#include <errno.h>
#include <event2/event.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <net-snmp/net-snmp-config.h>

#include <net-snmp/net-snmp-includes.h>

#include <net-snmp/agent/agent_callbacks.h>
#include <net-snmp/agent/net-snmp-agent-includes.h>

#include "log.h"
#include "mib.h"

enum {
	PING_SECONDS = 5,
	PATIENCE_US = ONE_SEC / 3,
	LEAST_WAIT_US = 10000, /* the loop never spins, whatever net-snmp says */
	SOCKETS_MOST = 8,
};

struct subagent {
	struct event_base *base; /* borrowed */
	struct subagent_events events;
	char *socket;                        /* owned; where the master is */
	struct event *sockets[SOCKETS_MOST]; /* owned; NULL: free */
	struct event *timer;                 /* owned */
	bool has_master;
	int master_fd;     /* net-snmp's; while has_master */
	int absent_reason; /* errno that was told last; 0: none since the master was there */
};

/* ---- what may block ------------------------------------------------------------------------ */

static void
on_tick(int signal)
{
}

/* Without SA_RESTART, so that connect(2) ends with EINTR; again and again, because the first may
 * come just before it. What net-snmp waits for otherwise goes on after EINTR, in its own time. */
static void
set_ticks(suseconds_t us)
{
	const struct sigaction action = { .sa_handler = on_tick };
	const struct itimerval ticks = { { 0, us }, { 0, us } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &ticks, NULL);
}

/* errno of a connection of our own, for net-snmp does not say why it has none. */
static int
find_absent_reason(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, error = 0;

	if (strncmp(path, "unix:", 5) == 0)
		path += 5;
	if (path[0] != '/')
		return ETIMEDOUT;
	if (strlen(path) >= sizeof(address.sun_path))
		return ENAMETOOLONG;
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		error = errno;
	if (fd >= 0)
		close(fd);
	return error == 0 || error == EAGAIN ? ETIMEDOUT : error;
}

/* Each reason once, until there is a master. */
static void
tell_absent_reason(struct subagent *subagent)
{
	int reason = subagent->has_master ? 0 : find_absent_reason(subagent->socket);

	if (reason != 0 && reason != subagent->absent_reason)
		log_warn("snmp",
		    "%s: no master agent: %s; it is looked for every %d s; snmpd.conf must say "
		    "'master agentx', this agentXSocket, and agentXPerms that let us in",
		    subagent->socket, strerror(reason), PING_SECONDS);
	subagent->absent_reason = reason;
}

/* ---- the bridge ---------------------------------------------------------------------------- */

static void follow(struct subagent *subagent);

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	snmp_read(&set);
	netsnmp_check_outstanding_agent_requests();
	follow(arg);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	snmp_timeout();
	set_ticks(PATIENCE_US);
	run_alarms();
	set_ticks(0);
	netsnmp_check_outstanding_agent_requests();
	tell_absent_reason(arg);
	follow(arg);
}

/* All of them anew: within one step net-snmp closes a descriptor and opens another of the same
 * number, and what libevent remembers of it is then no longer so in the kernel. */
static void
follow_sockets(struct subagent *subagent, const fd_set *set, int count)
{
	size_t used = 0;

	for (size_t i = 0; i < SOCKETS_MOST; i++) {
		if (subagent->sockets[i])
			event_free(subagent->sockets[i]);
		subagent->sockets[i] = NULL;
	}
	for (int fd = 0; fd < count && used < SOCKETS_MOST; fd++) {
		if (!FD_ISSET(fd, set))
			continue;
		subagent->sockets[used] =
		    event_new(subagent->base, fd, EV_READ | EV_PERSIST, on_readable, subagent);
		event_add(subagent->sockets[used++], NULL);
	}
}

static void
follow(struct subagent *subagent)
{
	struct timeval wait = { 0 };
	int count = 0, is_endless = 1;
	fd_set set;

	FD_ZERO(&set);
	snmp_select_info(&count, &set, &wait, &is_endless);
	follow_sockets(subagent, &set, count);
	if (wait.tv_sec == 0 && wait.tv_usec < LEAST_WAIT_US)
		wait.tv_usec = LEAST_WAIT_US;
	if (is_endless)
		evtimer_del(subagent->timer);
	else
		evtimer_add(subagent->timer, &wait);
}

/* ---- answers ------------------------------------------------------------------------------- */

static size_t
copy_oid(const oid *from, size_t size, uint32_t to[MIB_OID_MOST])
{
	size = size < MIB_OID_MOST ? size : MIB_OID_MOST;
	for (size_t i = 0; i < size; i++)
		to[i] = (uint32_t)from[i];
	return size;
}

static size_t
copy_oid_back(const struct mib *mib, const struct mib_instance *instance, oid to[MAX_OID_LEN])
{
	const uint32_t *from = mib_oid(mib, instance);

	for (size_t i = 0; i < instance->oid_size; i++)
		to[i] = from[i];
	return instance->oid_size;
}

static void
set_number(netsnmp_variable_list *var, u_char type, uint64_t number)
{
	struct counter64 big = { .high = number >> 32, .low = number & UINT32_MAX };
	long small = (long)number;

	if (type == ASN_COUNTER64)
		snmp_set_var_typed_value(var, type, (u_char *)&big, sizeof(big));
	else
		snmp_set_var_typed_value(var, type, (u_char *)&small, sizeof(small));
}

static void
set_value(const struct subagent *subagent, const struct mib *mib,
    const struct mib_instance *instance, netsnmp_variable_list *var)
{
	static const u_char types[] = { [MIB_TYPE_INTEGER] = ASN_INTEGER,
		[MIB_TYPE_UNSIGNED] = ASN_GAUGE,
		[MIB_TYPE_COUNTER32] = ASN_COUNTER,
		[MIB_TYPE_COUNTER64] = ASN_COUNTER64,
		[MIB_TYPE_AGE] = ASN_GAUGE };

	if (instance->type == MIB_TYPE_OCTETS)
		snmp_set_var_typed_value(var, ASN_OCTET_STR,
		    (const u_char *)mib_octets(mib, instance), instance->number);
	else if (instance->type == MIB_TYPE_AGE)
		set_number(var, ASN_GAUGE, subagent->events.age(subagent->events.arg, mib));
	else
		set_number(var, types[instance->type], instance->number);
}

static void
answer_get(const struct subagent *subagent, const struct mib *mib, netsnmp_agent_request_info *info,
    netsnmp_request_info *request)
{
	netsnmp_variable_list *var = request->requestvb;
	uint32_t wanted[MIB_OID_MOST];
	size_t size = copy_oid(var->name, var->name_length, wanted);
	const struct mib_instance *instance = mib_get(mib, wanted, size);

	if (instance)
		set_value(subagent, mib, instance, var);
	else
		netsnmp_set_request_error(info, request,
		    mib_has_object(wanted, size) ? SNMP_NOSUCHINSTANCE : SNMP_NOSUCHOBJECT);
}

/* Nothing is set past the end: the master goes on with what another subagent has. */
static void
answer_next(const struct subagent *subagent, const struct mib *mib, netsnmp_request_info *request)
{
	netsnmp_variable_list *var = request->requestvb;
	uint32_t after[MIB_OID_MOST];
	size_t size = copy_oid(var->name, var->name_length, after);
	const struct mib_instance *next = mib_next(mib, after, size, request->inclusive);
	oid name[MAX_OID_LEN];

	if (!next)
		return;
	size = copy_oid_back(mib, next, name);
	if (request->range_end_len > 0 &&
	    snmp_oid_compare(name, size, request->range_end, request->range_end_len) >= 0)
		return;
	snmp_set_var_objid(var, name, size);
	set_value(subagent, mib, next, var);
}

static int
on_request(netsnmp_mib_handler *handler, netsnmp_handler_registration *registration,
    netsnmp_agent_request_info *info, netsnmp_request_info *requests)
{
	struct subagent *subagent = registration->my_reg_void;
	bool is_walk = info->mode != MODE_GET;
	const struct mib *mib = subagent->events.mib(subagent->events.arg, is_walk);

	for (netsnmp_request_info *request = requests; request; request = request->next) {
		if (request->processed)
			continue;
		if (is_walk)
			answer_next(subagent, mib, request);
		else
			answer_get(subagent, mib, info, request);
	}
	return SNMP_ERR_NOERROR;
}

/* ---- traps --------------------------------------------------------------------------------- */

static void
add_varbind(const struct subagent *subagent, netsnmp_variable_list **vars, const struct mib *mib,
    const struct mib_instance *instance)
{
	oid name[MAX_OID_LEN];
	size_t size = copy_oid_back(mib, instance, name);
	netsnmp_variable_list *var = snmp_varlist_add_variable(vars, name, size, ASN_NULL, NULL, 0);

	if (!var)
		fatal("out of memory");
	set_value(subagent, mib, instance, var);
}

/* A socket is called writable while three quarters of its room are free: what net-snmp then sends
 * cannot block. */
static bool
takes_more(const struct subagent *subagent)
{
	struct pollfd master = { .fd = subagent->master_fd, .events = POLLOUT };

	return subagent->has_master && poll(&master, 1, 0) > 0;
}

bool
subagent_notify(struct subagent *subagent, uint32_t notification, const struct mib *varbinds)
{
	static const oid trap_oid[] = { 1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0 }; /* snmpTrapOID.0 */
	const oid id[] = { MIB_NOTIFICATIONS, notification };
	netsnmp_variable_list *vars = NULL;

	if (!takes_more(subagent))
		return false;
	snmp_varlist_add_variable(
	    &vars, trap_oid, OID_LENGTH(trap_oid), ASN_OBJECT_ID, (const u_char *)id, sizeof(id));
	for (size_t i = 0; i < mib_count(varbinds); i++)
		add_varbind(subagent, &vars, varbinds, mib_at(varbinds, i));
	send_v2trap(vars);
	snmp_free_varbind(vars);
	follow(subagent);
	return subagent->has_master;
}

/* ---- life ---------------------------------------------------------------------------------- */

static int
on_master_up(int major, int minor, void *server, void *arg)
{
	struct subagent *subagent = arg;

	log_info("snmp", "the master agent is there");
	subagent->has_master = true;
	subagent->master_fd = snmp_sess_transport(snmp_sess_pointer(server))->sock;
	subagent->events.on_master(subagent->events.arg);
	return 0;
}

static int
on_master_down(int major, int minor, void *server, void *arg)
{
	struct subagent *subagent = arg;

	if (subagent->has_master)
		log_warn(
		    "snmp", "the master agent is gone; it is looked for every %d s", PING_SECONDS);
	subagent->has_master = false;
	return 0;
}

/* Without it the session with the master has six seconds for an exchange; net-snmp would then run
 * into its next attempt without ever coming back. */
static int
on_session(int major, int minor, void *server, void *arg)
{
	netsnmp_session *session = server;

	if (session) {
		session->timeout = PATIENCE_US;
		session->retries = 0;
	}
	return 0;
}

static int
on_log_line(int major, int minor, void *server, void *arg)
{
	const struct snmp_log_message *message = server;

	log_debug("snmp", "net-snmp: %.*s", (int)strcspn(message->msg, "\n"), message->msg);
	return 0;
}

static const struct callback {
	int major, minor;
	SNMPCallback *call;
} callbacks[] = {
	{ SNMP_CALLBACK_LIBRARY, SNMP_CALLBACK_SESSION_INIT, on_session },
	{ SNMP_CALLBACK_LIBRARY, SNMP_CALLBACK_LOGGING, on_log_line },
	{ SNMP_CALLBACK_APPLICATION, SNMPD_CALLBACK_INDEX_START, on_master_up },
	{ SNMP_CALLBACK_APPLICATION, SNMPD_CALLBACK_INDEX_STOP, on_master_down },
};

static void
set_guards(const char *agentx_socket)
{
	static const int flags[] = { NETSNMP_DS_LIB_DONT_PERSIST_STATE,
		NETSNMP_DS_LIB_DISABLE_PERSISTENT_LOAD, NETSNMP_DS_LIB_DISABLE_PERSISTENT_SAVE,
		NETSNMP_DS_LIB_DONT_READ_CONFIGS, NETSNMP_DS_LIB_ALARM_DONT_USE_SIG };
	const int app = NETSNMP_DS_APPLICATION_ID;

	setenv("MIBS", "", 1);
	setenv("SNMP_PERSISTENT_DIR", "/dev/null", 1); /* it would make directories */
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, flags[i], 1);
	netsnmp_ds_set_boolean(app, NETSNMP_DS_AGENT_ROLE, 1);
	netsnmp_ds_set_string(app, NETSNMP_DS_AGENT_X_SOCKET, agentx_socket);
}

static int
register_objects(struct subagent *subagent, struct error *err)
{
	static const oid root[] = { MIB_OBJECTS };
	netsnmp_handler_registration *registration = netsnmp_create_handler_registration(
	    "autofbf", on_request, root, OID_LENGTH(root), HANDLER_CAN_RONLY);

	if (registration)
		registration->my_reg_void = subagent;
	if (!registration || netsnmp_register_handler(registration) != MIB_REGISTERED_OK)
		return error_set(err, -EINVAL, "net-snmp does not take our module");
	return 0;
}

int
subagent_new(struct event_base *base, const char *agentx_socket,
    const struct subagent_events *events, struct subagent **ret_subagent, struct error *err)
{
	struct subagent *subagent = xcalloc(1, sizeof(*subagent));
	int rc;

	subagent->base = base;
	subagent->events = *events;
	subagent->socket = xstrdup(agentx_socket);
	subagent->timer = evtimer_new(base, on_timer, subagent);
	set_guards(agentx_socket);
	snmp_disable_log();
	netsnmp_register_loghandler(NETSNMP_LOGHANDLER_CALLBACK, LOG_INFO);
	for (size_t i = 0; i < sizeof(callbacks) / sizeof(callbacks[0]); i++)
		snmp_register_callback(
		    callbacks[i].major, callbacks[i].minor, callbacks[i].call, subagent);
	init_agent("autofbf-publish");
	/* init_agent has set its own default. */
	netsnmp_ds_set_int(
	    NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_AGENTX_PING_INTERVAL, PING_SECONDS);
	rc = register_objects(subagent, err);
	set_ticks(PATIENCE_US);
	init_snmp("autofbf-publish");
	set_ticks(0);
	tell_absent_reason(subagent);
	follow(subagent);
	if (rc < 0) {
		subagent_free(subagent);
		return rc;
	}
	*ret_subagent = subagent;
	return 0;
}

/* Callbacks that are still registered when net-snmp shuts down have their argument freed by it. */
void
subagent_free(struct subagent *subagent)
{
	if (!subagent)
		return;
	for (size_t i = 0; i < sizeof(callbacks) / sizeof(callbacks[0]); i++)
		snmp_unregister_callback(
		    callbacks[i].major, callbacks[i].minor, callbacks[i].call, subagent, 1);
	for (size_t i = 0; i < SOCKETS_MOST; i++)
		if (subagent->sockets[i])
			event_free(subagent->sockets[i]);
	event_free(subagent->timer);
	snmp_shutdown("autofbf-publish");
	free(subagent->socket);
	free(subagent);
}

bool
subagent_has_master(const struct subagent *subagent)
{
	return subagent->has_master;
}
