#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The command line without an agent: help, usage errors, hung and absent agents, the offline layout
# and router-config. UPDATE_OK=1: renew tests/fixtures/cli/*.ok. BUILD: where the programs are.
set -u

cd "$(dirname "$0")/../.." || exit 1
profile=profiles/four-dual-stack.json
unset NO_COLOR
work=$(mktemp -d) || exit 1
listener=
trap '[ -z "$listener" ] || kill "$listener" 2> /dev/null; rm -rf "$work"' EXIT
. tests/run/cases

if [ -n "${UPDATE_OK:-}" ]; then
	make -s "${build#"$top/"}/tests/test_screen" && "$build/tests/test_screen" > "$work/out" 2>&1 ||
		cat "$work/out"
fi

run 0 --help && says "element offline" && says "exit codes"
result "help lists the commands"

(
	for command in status "element offline" "element online" layout diff "audit now" freeze thaw \
		"path alter" where why events nat "nat plan" sessions log router-config version; do
		# shellcheck disable=SC2086
		run 0 $command --help && says "usage: autofbf $command" || exit 1
	done
)
result "every command has help"

(
	run 0 --help || exit 1
	cp "$work/out" "$work/commands"
	cut -c3-24 "$work/commands" | grep '^[a-z][a-z-]* *[a-z-]* *$' > "$work/names"
	[ "$(grep -c . "$work/names")" -gt 25 ] || exit 1
	while read -r command; do
		# shellcheck disable=SC2086
		run 0 $command --help || exit 1
		cat "$work/out" >> "$work/commands"
	done < "$work/names"
	! awk 'length > 80' "$work/commands" | tee "$work/out" | grep .
)
result "help fits into 80 columns"

run 0 element offline --help && says "force-failed add"
result "help names the predecessor's command"

run 0 element offline --help && says "--force" && says "freezes" && says "goes on sending"
result "help says what --force does"

run 0 version && run 0 version --json && python3 -m json.tool < "$work/out" > /dev/null &&
	run 0 --version && says "$("$autofbf" version)" && run 0 -V && says "$("$autofbf" version)" &&
	run 2 status --version && says "does not take --version"
result "version"

run 2 && says "usage:"
result "no command"
run 2 nonsense && says "no command 'nonsense'"
result "unknown command"
run 2 element && says "no command 'element'" && says "element offline" && says "element online"
result "half a command"
run 0 profile --help && says "profile reweight" && says "profile end-pool" && ! says "element online" &&
	run 2 profile nonsense --help && says "no command 'profile nonsense'"
result "help of half a command"
run 2 element offline --yes && says "usage: autofbf element offline NAME"
result "a name is missing"
run 2 where && run 2 where 10.0.0.1 10.0.0.2
result "too few and too many names"
run 2 status --down x && says "does not take --down"
result "an option of another command"
run 2 status --nonsense
result "unknown option"
run 2 layout --profile profiles/minimal.json --down a,,b && says "empty name" &&
	run 2 layout --profile profiles/minimal.json --down=
result "an empty name in a list"
run 3 status --check --nonsense && run 3 status --nonsense --check && run 3 alarms --check x y && says "usage:" &&
	run 3 kpi --check && run 3 --check && run 0 status --check --help &&
	run 3 --socket "$work/none" status --check && says "no agent" &&
	run 3 --socket "$work/none" --yang-dir "$work" alarms x --check --json && [ ! -s "$work/out" ]
result "an error in a check is not known, not critical"
run 2 events -n 0 && run 2 events -n x && run 2 events -n 12x
result "a number out of range"
run 2 events --kind health,alarms && says "no kind 'alarms'; there are: agent, alarm, capacity"
result "a kind that nobody records"
run 2 freeze && says "--reason" && run 2 freeze --reason ""
result "freeze wants a reason"
run 2 path alter maybe --yes && says "on or off" && run 2 path alter && run 2 path && says "path alter"
result "path alter is on or off"
run 2 path alter on --yes && says "--reason" && run 2 path alter on --reason x && says "--yes"
result "path alter wants a reason and --yes"
run 2 log ssh && run 2 log ssh loud && says "error, warn, info, debug"
result "log wants a level that exists"
run 2 why && run 2 why 10.0.0.1 --force && says "does not take --force"
result "why takes one address"
(
	for command in "element offline x" "element online x" "path alter off" "path alter on --reason x" \
		"profile apply $profile" "profile remove-element $work/profile.json fbf-01"; do
		cp $profile "$work/profile.json"
		# shellcheck disable=SC2086
		run 2 $command && says "there is no terminal to ask on: say --yes" &&
			run 2 $command --json && says "--json asks nothing" && says "say --yes" || exit 1
	done
)
result "what asks wants --yes without a terminal, and with --json"

(
	for command in status sessions diff events "where 10.0.0.1" "why 10.0.0.1" "audit now" layout \
		"element offline x --yes" "freeze --reason x" "path alter off --yes" "log ssh debug" \
		"events --kind health,commit --group x --since 2h -n 3"; do
		# shellcheck disable=SC2086
		run 3 --socket "$work/none" $command && says "no agent at $work/none" &&
			says "--socket" || exit 1
	done
)
result "no agent: exit 3, with place and remedy"

# A socket that listens and says nothing: three seconds, not sixty.
python3 - "$work/hung" > "$work/ready" << 'PY' &
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen(8)
print("ready", flush=True)
time.sleep(60)
PY
listener=$!
until [ -s "$work/ready" ] || ! kill -0 $listener 2> /dev/null; do :; done
timeout 20 "$autofbf" --socket "$work/hung" status > "$work/out" 2> "$work/err"
[ $? = 3 ] && says "does not answer"
result "a hung agent: exit 3"
kill $listener
listener=

(
	for format in xml set; do
		run 0 router-config --profile $profile --format $format && says "fbf-02-ovr-v4" &&
			cp "$work/out" "$work/plain" &&
			run 0 router-config --profile $profile --format $format --json &&
			python3 -c 'import json, sys
text = json.load(sys.stdin)["configuration"]
sys.exit(text != open(sys.argv[1]).read())' "$work/plain" < "$work/out" 2>> "$work/err" || exit 1
	done
)
result "router-config"
(
	for options in "--format xml" "--format set" "--format set --json"; do
		# shellcheck disable=SC2086
		"$autofbf" router-config --profile $profile $options 2> "$work/err" | :
		[ ! -s "$work/err" ] || exit 1
	done
	"$autofbf" router-config --profile $profile --format set > /dev/full 2> "$work/err"
	[ $? = 1 ] && says "could not be written completely"
)
result "router-config: a reader that has seen enough is no error, a full disk is"
run 0 nat plan fbf-03 --profile profiles/cgn-dual-stack.json && says "cover all of these" &&
	run 2 nat plan --profile $profile && says "no group with return-path nat-routes" &&
	run 2 nat plan x --profile $profile && says "no group or element 'x'" && run 3 --socket "$work/none" nat
result "nat plan needs no agent, nat does"
run 2 nat plan gone --profile tests/fixtures/router-config/nat.json && says "element gone is removed"
result "nat plan of a removed element"
run 2 router-config --profile $profile && run 2 router-config --profile $profile --format json &&
	run 2 router-config --format xml
result "router-config wants a profile and a format"
echo '{"autofbf:profile":{"router":{}}}' > "$work/bad.json"
run 2 router-config --profile "$work/bad.json" --format xml && says "bad.json" && [ ! -s "$work/out" ] &&
	run 2 layout --profile "$work/bad.json" && [ ! -s "$work/out" ] &&
	run 2 layout --profile "$work/none.json" && says "none.json"
result "a profile that is wrong: exit 2 and nothing else"

cat > "$work/check.py" << 'PY'
import json, sys

layout, down = json.load(sys.stdin), set(sys.argv[1:])
assert list(layout) == ["algorithm", "profile-id", "groups"]
for group in layout["groups"]:
    assert list(group) == ["id", "name", "families"], list(group)
    assert [f["family"] for f in group["families"]] == ["ipv4", "ipv6"]
    for family in group["families"]:
        keys = ["family", "layout-id", "frozen", "epoch", "split-bits", "elements", "units"]
        assert list(family) == keys, list(family)
        names = [e["id"] for e in family["elements"]]
        assert names == sorted(names)
        assert len(family["layout-id"]) == 64
        assert family["frozen"] == (set(names) <= down)
        for element in family["elements"]:
            assert list(element) == ["id", "name", "configured", "effective", "healthy"]
            assert element["healthy"] == (element["id"] not in down)
            owned = [u for u in family["units"] if u["element"] == element["id"]]
            assert len(owned) == element["effective"]
            assert element["configured"] == 256
            if element["id"] in down:
                assert element["effective"] == 0
            elif len(down) < len(names):
                assert abs(element["effective"] - 1024 / (len(names) - len(down))) < 1
        for unit in family["units"]:
            assert list(unit) == ["prefix", "element", "base-element", "standby"]
            assert unit["element"] not in down
            # A survivor's own units never move.
            if unit["base-element"] not in down:
                assert unit["element"] == unit["base-element"]
PY
check() { # DOWN...
	python3 "$work/check.py" "$@" < "$work/out" 2>> "$work/err"
}
run 0 layout --profile $profile --json && check
result "layout: all well"
run 0 layout --profile $profile --json --down fbf-02 && check fbf-02
result "layout: one down"
run 0 layout --profile $profile --json --down fbf-02,fbf-04 && check fbf-02 fbf-04
result "layout: two down"
run 0 layout --profile $profile --json --down fbf-01,fbf-02,fbf-03,fbf-04 &&
	check fbf-01 fbf-02 fbf-03 fbf-04
result "layout: nobody left"
run 2 layout --profile $profile --down nobody && says "fbf-01"
result "layout: an unknown name lists what exists"
run 0 layout cgn --profile $profile --json && check
result "layout: one group"
run 2 layout nothing --profile $profile && says "cgn"
result "layout: an unknown group lists what exists"
run 0 layout --profile $profile --down fbf-02 && says "group cgn, ipv4:" && says "256 moved"
result "layout: for people"

exit $failed
