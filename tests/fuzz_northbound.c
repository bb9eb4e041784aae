/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages of a local client, complete and unframed, against all operations with an agent of plain
 * values behind them. What comes out must be XML again, whatever went in.
 */
#include <event2/buffer.h>
#include <libxml/parser.h>
#include <libyang/libyang.h>

#include "fake_agent.h"
#include "northbound_rpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_xml(struct evbuffer *out)
{
	int options = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_HUGE;
	size_t size = evbuffer_get_length(out);
	xmlDoc *doc =
	    xmlReadMemory((const char *)evbuffer_pullup(out, -1), (int)size, NULL, NULL, options);

	if (!doc)
		abort();
	xmlFreeDoc(doc);
}

static void
answer(const struct lys_module *module, struct fake_agent *agent, const char *message, size_t size)
{
	struct northbound_operations operations = fake_operations(agent);
	struct northbound_caller caller = { ROLE_ADMINISTER, "fuzz" };
	struct evbuffer *out = evbuffer_new(), *piece = evbuffer_new();
	struct northbound_answer given;
	bool more;

	northbound_rpc_answer(module, &operations, &caller, message, size, out, &given);
	if (given.stream) {
		if (given.stream->is_waiting) /* the router says what the client said */
			fake_answer(agent, 0, message, NULL);
		do {
			more = given.stream->write(given.stream, piece);
			evbuffer_add_buffer(out, piece);
		} while (more);
		evbuffer_add_printf(out, "%s", given.tail);
		given.stream->free(given.stream);
	}
	check_xml(out);
	evbuffer_free(out);
	evbuffer_free(piece);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fake_agent agent;
	static struct ly_ctx *ctx;
	struct error err;
	bool chunked;
	char *text;

	if (!ctx) {
		if (!fake_init(&agent, "profiles/four-dual-stack.json", "yang", &err) ||
		    profile_yang_context("yang", &ctx, &err) < 0)
			fatal("%s", err.text);
		fake_fail_and_split(&agent);
	}
	agent.calls[0] = '\0';
	text = xcalloc(size + 1, 1);
	memcpy(text, data, size);
	(void)netconf_hello_parse(text, size, &chunked, &err); /* only its survival is asked */
	answer(ly_ctx_get_module_implemented(ctx, "autofbf"), &agent, text, size);
	free(text);
	return 0;
}
