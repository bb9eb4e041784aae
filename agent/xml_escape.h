/* SPDX-License-Identifier: BSD-3-Clause */
/* Characters that XML text and quoted attribute values cannot hold as they are (XML 1.0, 2.4). */
#ifndef AUTOFBF_XML_ESCAPE_H
#define AUTOFBF_XML_ESCAPE_H

#include <stddef.h>

/* NULL: stands for itself. */
static inline const char *
xml_escape(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	default:
		return NULL;
	}
}

#endif
