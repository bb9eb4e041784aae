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

# Agents that have no router and no listener; all share a state directory.
sed 's/"router"/"bmp": {"enabled": false}, "syslog": {"enabled": false}, "router"/
	s/198.51.100.1/127.0.0.1/; s/"known-hosts"/"port": 1, "known-hosts"/' profiles/minimal.json > "$work/live.json"
: > "$work/known_hosts"
mkdir "$work/state"
start() { # SOCKET, in the background; then it answers
	"$autofbfd" -f "$work/live.json" --socket "$work/$1" --state-dir "$work/state" > "$work/$1.log" 2>&1 &
	agent=$!
	trap 'kill -9 $agent 2> /dev/null; rm -rf "$work"' EXIT
	i=0
	until "$autofbf" --socket "$work/$1" status > "$work/out" 2> "$work/err" || [ $i = 200 ]; do
		i=$((i + 1))
		sleep 0.05
	done
	[ $i -lt 200 ]
}
refused() { # what a second one says
	timeout 20 "$autofbfd" -f "$work/live.json" --socket "$work/second" --state-dir "$work/state" > "$work/out" 2> "$work/err"
	[ $? = 1 ] && says "$work/state/lock: process $agent, most likely another agent, has locked it; stop it, or use --state-dir" &&
		[ ! -e "$work/second" ]
}
start first && refused && "$autofbf" --socket "$work/first" status > "$work/out" 2> "$work/err"
result "a second agent with the same state directory does not start, and says who has it"
kill -9 $agent
wait $agent 2> /dev/null
start third
result "after a kill -9 nothing is locked"

(
	sed -n 's/.*"\(AUTOFBF_[A-Z_]*\)" },$/\1/p' agent/agent_record.c > "$work/ids"
	[ -s "$work/ids" ] || exit 1
	while read -r id; do
		grep -qx "\.It Li $id" tools/man/autofbfd.8 || { echo "autofbfd.8 lacks $id" > "$work/err"; exit 1; }
	done < "$work/ids"
)
result "the manual has the id of every kind of log line"

exit $failed
