#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# autofbf profile: every change as shown and as written, against golden files; the file's mode, owner
# and link; what is refused; the question on a terminal; two files, and a file against a live agent.
# UPDATE_OK=1: renew tests/fixtures/profile-edit/*.ok. BUILD: where the programs are.
set -u

cd "$(dirname "$0")/../.." || exit 1
. tests/run/cases
unset NO_COLOR
work=$(mktemp -d) || exit 1
daemon=
trap '[ -z "$daemon" ] || kill "$daemon" 2> /dev/null; rm -rf "$work"' EXIT
cp profiles/*.json "$work"
cd "$work" || exit 1

golden() { # NAME: standard output
	ok=$top/tests/fixtures/profile-edit/$1.ok
	[ -z "${UPDATE_OK:-}" ] || cp out "$ok"
	diff -u "$ok" out >> err
}

# The dry run is golden and writes nothing; its diff, applied, is what --yes writes; that loads, and
# profile diff finds the same moves between the two.
change() { # NAME PROFILE VERB ARGUMENT...
	name=$1 profile=$2 verb=$3
	shift 3
	cp "$top/profiles/$profile.json" before.json
	cp before.json file.json
	cp before.json patched.json
	{
		run 0 profile "$verb" file.json "$@" --dry-run && golden "$name" &&
			cmp before.json file.json >> err &&
			patch -s patched.json < out >> err 2>&1 &&
			run 0 profile "$verb" file.json "$@" --yes && says "is written" &&
			cmp patched.json file.json >> err &&
			run 0 layout --profile file.json --json &&
			{
				code=4
				grep -q "units move\|units end" "$top/tests/fixtures/profile-edit/$name.ok" || code=0
				run $code profile diff file.json before.json
			} &&
			! says "more than the minimum" 2> err
	}
	result "$name"
}

change add-element four-dual-stack add-element --group cgn --id fbf-05 --ipv4-inside 10.1.5.2 \
	--ipv4-outside 10.2.5.2 --ipv6-inside fd00:1:5::2 --ipv6-outside fd00:2:5::2
change add-element-named weights-and-epochs add-element --group residential --id fbf-07 \
	--name "rack 9" --weight 2 --failed-weight 1 --ipv4-inside 10.1.7.2 --ipv4-outside 10.2.7.2
change add-element-nat cgn-dual-stack add-element --group cgn --id fbf-05 --ipv4-inside 10.1.5.2 \
	--ipv4-outside 10.2.5.2 --nat-pool one=203.0.113.240/29,two=203.0.113.248/29 --nat-kind pba \
	--block-size 512
change remove-element weights-and-epochs remove-element rack-7
change remove-spare weights-and-epochs remove-element fbf-05
change reweight weights-and-epochs reweight fbf-04 5
change drain minimal reweight fw2 0
change replace weights-and-epochs replace fbf-02 fbf-12 --ipv4-inside 10.9.9.9
change replace-in-place minimal replace fw1 fw3 --name new --weight 2
change add-pool weights-and-epochs add-pool 100.65.0.0/20 26 --group cgn
change end-pool weights-and-epochs end-pool 100.64.64.0/20 26

cp "$top/profiles/cgn-dual-stack.json" file.json
nat() { # EXIT TEXT OPTION...: refused, and nothing written
	code=$1 text=$2
	shift 2
	run "$code" profile add-element file.json --group cgn --id fbf-05 --ipv4-inside 10.1.5.2 \
		--ipv4-outside 10.2.5.2 --yes "$@" && says "$text" && cmp -s file.json "$top/profiles/cgn-dual-stack.json"
}
nat 1 "ipv4: has no nat-pool" &&
	nat 2 "ID=PREFIX is wanted" --nat-pool one && nat 2 "ID=PREFIX is wanted" --nat-pool =203.0.113.240/29 &&
	nat 2 "has no --ipv6-outside" --nat-pool one=2001:db8::/64 &&
	nat 2 "there is none" --nat-kind pba && nat 2 "is not a prefix" --nat-pool a=203.0.113.240/29 --host-prefix 10.0.0.1/8 &&
	nat 2 "a number of ports" --nat-pool a=203.0.113.240/29 --block-size 0 &&
	nat 1 "overlaps 203.0.113.224/28" --nat-pool a=203.0.113.232/29 &&
	nat 1 "none covers" --nat-pool a=198.51.100.0/29 &&
	nat 1 "does not cover" --nat-pool a=203.0.113.240/28 --nat-kind deterministic --block-size 252 --host-prefix 10.64.0.0/24
result "a new element's NAT pools: what is refused"

cp "$top/profiles/minimal.json" file.json
run 0 profile reweight file.json fw1 3 --yes --json && python3 - >> err 2>&1 << 'PY'
import json
answer = json.load(open("out"))
assert answer["result"] == "done" and answer["epoch"] == 1 and answer["group"] == "cgn", answer
assert len(answer["profile-id"]) == 64 and "diff" not in answer
family, = answer["moves"]["families"]
assert family["moved"] == family["minimum"] == 256 and family["percent"] == 25, family
assert [(e["id"], e["leave"], e["come"]) for e in family["element"]] == [("fw1", 0, 256), ("fw2", 256, 0)]
PY
result "JSON of a change"
run 0 profile reweight file.json fw2 3 --dry-run --json && python3 - >> err 2>&1 << 'PY'
import json
answer = json.load(open("out"))
assert answer["result"] == "not written" and answer["diff"].startswith("--- file.json\n+++ file.json\n@@"), answer
PY
result "JSON of a dry run has the diff"

cp minimal.json real.json
chmod 640 real.json
[ "$(id -u)" != 0 ] || chown 12:34 real.json
before=$(stat -c '%a %u %g' real.json)
ln -s real.json link.json
run 0 profile reweight link.json fw1 2 --yes && [ -L link.json ] &&
	[ "$(stat -c '%a %u %g' real.json)" = "$before" ] && grep -q '"epoch": 1' real.json &&
	[ -z "$(find . -name 'real.json.*')" ]
result "mode, owner and a link stay, nothing is left over"

# Each is refused with a remedy, and the file is as it was.
refuse() { # NAME EXIT-CODE TEXT VERB ARGUMENT...
	name=$1 want=$2 text=$3
	shift 3
	cp "$top/profiles/weights-and-epochs.json" file.json
	run "$want" profile "$@" && says "$text" && cmp "$top/profiles/weights-and-epochs.json" file.json >> err
	result "refused: $name"
}
refuse "no terminal and no --yes" 2 "say --yes" reweight file.json fbf-01 2
refuse "an unknown element" 2 "no element 'x'" remove-element file.json x
refuse "an unknown group" 2 "no group 'x'" add-pool file.json 10.0.0.0/20 26 --group x --yes
refuse "no group" 2 "--group" add-pool file.json 10.0.0.0/20 26 --yes
refuse "half a family" 2 "go together" add-element file.json --group cgn --id x --ipv4-inside 10.1.9.2 --yes
refuse "no family" 1 "serves no family" add-element file.json --group cgn --id x --yes
refuse "an id that is taken" 1 "choose another" add-element file.json --group cgn --id rack-7 \
	--ipv4-inside 10.1.9.2 --ipv4-outside 10.2.9.2 --yes
refuse "the id of a tombstone" 1 "removed element" replace file.json fbf-01 fbf-06 --yes
refuse "an address that is taken" 1 "10.1.1.2" add-element file.json --group cgn --id x \
	--ipv4-inside 10.1.1.2 --ipv4-outside 10.2.9.2 --yes
refuse "an address of the other family" 1 "is not an IPv4 address" replace file.json fbf-01 x \
	--ipv4-inside fd00::1 --yes
refuse "removed twice" 1 "removed already" remove-element file.json fbf-06 --yes
refuse "the weight it has" 1 "is 3 already" reweight file.json fbf-04 3 --yes
refuse "a weight too large" 2 "0 to 4095" reweight file.json fbf-04 4096 --yes
refuse "a pool that overlaps" 1 "overlaps pool" add-pool file.json 100.64.0.0/20 26 --group cgn --yes
refuse "host bits" 2 "host bits" add-pool file.json 10.0.0.1/20 26 --group cgn --yes
refuse "a pool with other units" 2 "as it was written" end-pool file.json 100.64.0.0/18 27 --yes
refuse "a unit longer than can be" 1 "does not fit" add-pool file.json 10.0.0.0/20 40 --group cgn --yes
refuse "an option of another verb" 2 "does not take --weight" remove-element file.json fbf-01 --weight 1
refuse "a file that is not there" 2 "none.json" remove-element none.json fbf-01 --yes

if [ "$(id -u)" != 0 ]; then
	chmod 555 .
	run 1 profile reweight minimal.json fw1 2 --yes && says "nothing was written"
	code=$?
	chmod 755 .
	[ $code = 0 ]
	result "a directory that takes no file"
fi

# On a terminal it asks, and no is no.
cat > ask.py << 'PY'
import os, pty, sys

answer, command = sys.argv[1].encode(), sys.argv[2:]
pid, fd = pty.fork()
if pid == 0:
    os.execv(command[0], command)
text = b""
try:
    while True:
        part = os.read(fd, 4096)
        if not part:
            break
        text += part
        if b"[y/N] " in text and answer:
            os.write(fd, answer + b"\n")
            answer = b""
except OSError:
    pass
print(text.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
cp "$top/profiles/minimal.json" file.json
python3 ask.py n "$autofbf" profile reweight file.json fw1 3 > out 2> err
[ $? = 1 ] && says "256 of 1024 units move" && says "as it was" && cmp "$top/profiles/minimal.json" file.json >> err
result "on a terminal it shows, asks and takes no"
python3 ask.py y "$autofbf" profile reweight file.json fw1 3 > out 2> err && says "is written" &&
	grep -q '"weight": 3' file.json
result "on a terminal it takes yes"

# Somebody else writes the file while the question stands.
cat > meanwhile.py << 'PY'
import sys
sys.argv = ["ask.py", "y"] + sys.argv[1:]
source = open("ask.py").read().replace("os.write(fd", "open('file.json', 'a').write(chr(10)), os.write(fd")
exec(source)
PY
cp "$top/profiles/minimal.json" file.json
python3 meanwhile.py "$autofbf" profile reweight file.json fw1 3 > out 2> err
[ $? = 1 ] && says "changed by somebody else" && ! grep -q epoch file.json && [ -z "$(find . -name 'file.json.*')" ]
result "a file that changes meanwhile is left alone"

# ---- two profiles

run 0 profile diff minimal.json minimal.json && says "nothing moves"
result "diff: no moves, exit 0"
sed 's/"weight": 2}\]/"weight": 3}]/' weights-and-epochs.json > in-place.json
run 4 profile diff in-place.json weights-and-epochs.json && golden diff-in-place && says "more than the minimum" &&
	says "autofbf profile add-element"
result "diff: an edit in place costs more, and the epoch form is offered"
run 4 profile diff in-place.json weights-and-epochs.json --json && python3 - >> err 2>&1 << 'PY'
import json
answer = json.load(open("out"))
assert answer["moved"] > answer["minimum"] > 0, answer
assert (answer["from"], answer["to"]) == ("weights-and-epochs.json", "in-place.json")
for family in answer["families"]:
    assert sum(e["leave"] for e in family["element"]) == family["moved"]
    assert sum(e["come"] for e in family["element"]) == family["moved"]
PY
result "diff: JSON"
run 2 profile diff minimal.json none.json && says "none.json"
result "diff: a file that is not there"
run 3 profile diff minimal.json --socket none.sock && says "what the agent runs"
result "diff: without another file an agent is needed"

# A live agent that has no router, only a socket.
sed 's/"router"/"bmp": {"enabled": false}, "syslog": {"enabled": false}, "router"/
	s/198.51.100.1/127.0.0.1/; s/"known-hosts"/"port": 1, "known-hosts"/' minimal.json > live.json
mkdir state
: > known_hosts
"$build/autofbfd" -f live.json --socket "$work/sock" --state-dir "$work/state" > log 2>&1 &
daemon=$!
i=0
until [ -S sock ] || [ $i = 200 ]; do
	i=$((i + 1))
	sleep 0.05
done
cp live.json next.json
run 0 profile diff live.json --socket sock && says "nothing moves" && says "from the agent's profile to live.json" &&
	run 0 profile reweight next.json fw1 3 --yes &&
	run 4 profile diff next.json --socket sock && says "256 of 1024 units move"
result "diff: a file against what the agent runs"

exit $failed
