#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The daemon's command line: the check of a profile, its exit codes, what it leaves behind when it
# refuses to start, and where it finds its YANG modules. BUILD: where the programs are.
set -u

cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
program=autofbfd
. tests/run/cases
unset AUTOFBF_YANG_DIR
autofbfd=$build/autofbfd

(
	for profile in profiles/*.json; do
		run 0 -n -f "$profile" && [ ! -s "$work/err" ] && cp "$work/out" "$work/print.json" &&
			run 0 -n -f "$work/print.json" && cmp "$work/out" "$work/print.json" 2> "$work/err" || exit 1
	done
)
result "-n prints every example profile, the print reads back as itself"

(
	run 0 --check --profile profiles/minimal.json && ! grep -q hold-down "$work/out"
)
result "-n leaves defaults out"

"$autofbfd" -n -f profiles/minimal.json > /dev/full 2> "$work/err"
[ $? = 1 ] && says "standard output"
result "a print that cannot be written is a failure"

sed 's/"prefix": "10.0.0.0.16"/"prefix": "10.0.0.1\/16"/' profiles/minimal.json > "$work/bad.json"
run 2 -n -f "$work/bad.json" && [ ! -s "$work/out" ] && says "bad.json:6: " && says "/group[cgn]/pool" &&
	says "10.0.0.0/16"
result "a wrong profile: exit 2, file, line, path, and what would be right"

run 2 -f "$work/bad.json" --socket "$work/sock" --state-dir "$work/state" && says "bad.json:6: " &&
	[ ! -e "$work/sock" ] && [ ! -e "$work/state" ]
result "a wrong profile starts nothing"

run 2 -n -f "$work/none.json" && says "none.json"
result "a profile that is not there: exit 2"
run 2 --nonsense && run 2 -n -f profiles/minimal.json more && says "more"
result "usage errors: exit 2"
run 0 --help && run 0 --version
result "help and version"

run 2 -n -f profiles/minimal.json --yang-dir "$work" && says "autofbf.yang"
result "a directory without YANG modules is named"
(AUTOFBF_YANG_DIR=$work run 2 -n -f profiles/minimal.json && says "$work")
result "the environment says where the YANG modules are"

(
	sed -n 's/.*"\(AUTOFBF_[A-Z_]*\)" },$/\1/p' agent/agent_record.c > "$work/ids"
	[ -s "$work/ids" ] || exit 1
	while read -r id; do
		grep -qx "\.It Li $id" tools/man/autofbfd.8 || { echo "autofbfd.8 lacks $id" > "$work/err"; exit 1; }
	done < "$work/ids"
)
result "the manual has the id of every kind of log line"

exit $failed
