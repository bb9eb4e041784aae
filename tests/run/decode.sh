#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# autofbf-decode: captures in, the expected lines, complaints and exit code out; usage; and every
# capture of real routers that is at hand. Fixtures are named KIND-NAME.in.
# UPDATE_OK=1: renew tests/fixtures/decode/*.ok. BUILD: where the programs are.
set -u

cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
. tests/run/cases
decode=$build/autofbf-decode

show() { # KIND FILE: standard output, then complaints, then the exit code
	"$decode" "$1" "$2" > "$work/stdout" 2> "$work/stderr"
	rc=$?
	cat "$work/stdout" "$work/stderr"
	echo "exit $rc"
}

for input in tests/fixtures/decode/*.in; do
	name=$(basename "$input" .in)
	show "${name%%-*}" "$input" > "$work/have"
	[ -z "${UPDATE_OK:-}" ] || cp "$work/have" "${input%.in}.ok"
	diff -u "${input%.in}.ok" "$work/have" > "$work/out"
	result "$name"
done

# Standard input is as good as a file.
"$decode" syslog - < tests/fixtures/decode/syslog-lines.in > "$work/have" 2>&1 &&
	{ cat "$work/have" && echo "exit 0"; } | diff -u tests/fixtures/decode/syslog-lines.ok - > "$work/out"
result "standard input"

for arguments in "" "bmp" "ospf x" "bmp a b" "--wrong"; do
	# shellcheck disable=SC2086 # words are wanted
	"$decode" $arguments > "$work/stdout" 2> "$work/out"
	[ $? = 2 ] && [ ! -s "$work/stdout" ] && grep -q '^usage: autofbf-decode' "$work/out"
	result "usage error: '$arguments'"
done

"$decode" --help > "$work/out" 2>&1 && grep -q '^usage: autofbf-decode' "$work/out" &&
	"$decode" --version >> "$work/out" 2>&1 && grep -q '^autofbf-decode ' "$work/out"
result "help and version"

"$decode" netconf "$work/no such file" > "$work/out" 2>&1
[ $? = 1 ] && grep -q 'no such file: cannot open: ' "$work/out"
result "no such file"

if [ -w /dev/full ]; then
	"$decode" syslog tests/fixtures/decode/syslog-lines.in > /dev/full 2> "$work/out"
	[ $? = 1 ] && grep -q 'cannot write' "$work/out"
	result "full disk"
fi

# What real routers sent: each gives at least one line, and every line is one JSON object.
samples() { # KIND FILE...
	kind=$1
	shift
	for file in "$@"; do
		[ -f "$file" ] || continue
		"$decode" "$kind" "$file" > "$work/stdout" 2> "$work/out"
		[ -s "$work/stdout" ] && ! grep -v '^{"[a-z]*":.*}$' "$work/stdout" >> "$work/out"
		result "sample $kind $(basename "$file")"
	done
}
samples bmp ../shared/bmp/*.bin
samples syslog ../shared/junos-samples/syslog/* ../shared/junos-samples/napalm-logs/*
samples netconf ../shared/junos-samples/*/*.xml ../shared/junos-samples/*/*.raw

exit $failed
