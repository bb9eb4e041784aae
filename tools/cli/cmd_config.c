/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * autofbf router-config and version: what needs no agent. A configuration is text of its own; in
 * JSON it is one string beside its format, so that --json holds for every command.
 */
#define _GNU_SOURCE /* open_memstream */
#include "cli.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "profile_yang.h"
#include "router_config.h"

/* {"format":"xml","configuration":"..."} */
static void
print_wrapped(const char *format, const char *text)
{
	struct json_object *object = json_object_new_object();

	json_object_object_add(object, "format", json_object_new_string(format));
	json_object_object_add(object, "configuration", json_object_new_string(text));
	puts(json_object_to_json_string_ext(
	    object, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}

static int
print_config(const struct arguments *arguments, const struct profile *profile, struct error *err)
{
	bool is_xml = strcmp(arguments->format, "xml") == 0;
	char *text = NULL;
	size_t size;
	FILE *out;
	int rc;

	if (!arguments->json)
		return router_config_print(profile, is_xml, stdout, err);
	out = open_memstream(&text, &size);
	if (!out)
		return error_set(err, -errno, "%s", strerror(errno));
	rc = router_config_print(profile, is_xml, out, err);
	fclose(out);
	if (rc == 0)
		print_wrapped(arguments->format, text);
	free(text);
	return rc;
}

int
command_router_config(const struct arguments *arguments)
{
	const char *format = arguments->format ? arguments->format : "";
	struct profile *profile = NULL;
	struct error err;
	int code = EXIT_DONE;

	if (!arguments->profile || (strcmp(format, "xml") != 0 && strcmp(format, "set") != 0))
		return complain(
		    EXIT_USAGE, "usage: autofbf router-config --profile FILE --format xml|set");
	if (profile_load(arguments->profile, arguments->yang_dir, &profile, &err) < 0)
		return complain(EXIT_USAGE, "%s", err.text);
	if (print_config(arguments, profile, &err) < 0)
		code = complain(EXIT_REFUSED, "%s", err.text);
	profile_free(profile);
	return code;
}

int
command_version(const struct arguments *arguments)
{
	if (arguments->json)
		printf("{\"version\":\"%s\"}\n", AUTOFBF_VERSION);
	else
		printf("autofbf %s\n", AUTOFBF_VERSION);
	return EXIT_DONE;
}
