/* SPDX-License-Identifier: BSD-3-Clause */
/* autofbf router-config and version: what needs no agent. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

#include "error.h"
#include "output.h"
#include "profile_yang.h"
#include "router_config.h"

int
command_router_config(const struct arguments *arguments)
{
	const char *format = arguments->format ? arguments->format : "";
	bool is_xml = strcmp(format, "xml") == 0;
	struct profile *profile = NULL;
	struct error err;
	int code = EXIT_DONE;

	if (!arguments->profile || (!is_xml && strcmp(format, "set") != 0))
		return complain(
		    EXIT_USAGE, "usage: autofbf router-config --profile FILE --format xml|set");
	if (arguments->json)
		return complain(EXIT_USAGE, "router-config has no JSON: --format xml or set");
	if (profile_load(arguments->profile, arguments->yang_dir, &profile, &err) < 0)
		return complain(EXIT_USAGE, "%s", err.text);
	if (router_config_print(profile, is_xml, stdout, &err) < 0)
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
