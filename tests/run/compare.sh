#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# autofbf compare on files: what it says, against golden files, and every kind of input that is refused.
# UPDATE_OK=1: renew tests/fixtures/compare/*.ok. BUILD: where the programs are.
set -u

cd "$(dirname "$0")/../.." || exit 1
. tests/run/cases
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp profiles/four-dual-stack.json profiles/weights-and-epochs.json "$work"
cd "$work" || exit 1

golden() { # NAME: standard output and standard error
	ok=$top/tests/fixtures/compare/$1.ok
	cat out err > both
	[ -z "${UPDATE_OK:-}" ] || cp both "$ok"
	diff -u "$ok" both >> err
}

layout() { # NAME HOSTNAME ARGUMENT...: as the router HOSTNAME would say it
	name=$1 host=$2
	shift 2
	"$autofbf" layout --profile four-dual-stack.json --json "$@" |
		sed "1s/^{/{\"hostname\":\"$host\",\"now\":\"2026-11-30T03:04:05.000000Z\",/" > "$name.json"
}

layout north NORTH
layout south SOUTH
layout down SOUTH --down fbf-02
layout late SOUTH --down fbf-02
sed -i '1s/03:04:05/03:09:17/' late.json
"$autofbf" profile reweight four-dual-stack.json fbf-03 2 --yes > /dev/null
layout epoch SOUTH

run 0 compare north.json south.json && golden agree; result "two that agree"
run 4 compare north.json down.json && golden down; result "one element down on one"
run 4 compare north.json late.json && golden late; result "... and asked later"
run 4 compare epoch.json north.json && golden epoch; result "another epoch"
run 4 compare --all down.json epoch.json && [ "$(grep -c '^10\.' out)" -gt 20 ]; result "all ranges"
run 4 compare --json north.json down.json && golden json; result "as JSON"

sed '1s/"algorithm":1/"algorithm":2/' south.json > rules.json
run 0 compare north.json rules.json && golden rules; result "other rules, the same layout"
sed '1s/"algorithm":1/"algorithm":2/' down.json > rules.json
run 4 compare north.json rules.json && golden rules-differ; result "other rules, another layout"
sed 's/"id":"cgn"/"id":"premium"/' south.json > group.json
run 4 compare north.json group.json && golden group; result "another group"

head -c 3000 north.json > cut.json
sed '0,/"element":"fbf-01"/s//"element":"fbf-03"/' north.json > edited.json
sed '0,/10\.64\.0\.64/s//10.64.0.0/' north.json > twice.json
sed '0,/"element":"fbf-01"/s//"element":"fbf-09"/' north.json > stranger.json
sed '0,/,"standby":"[^"]*"/s///' north.json > less.json
printf '[]' > list.json
printf '{"groups":[{"id":"../..","families":[]}]}' > name.json
: > empty.json
for bad in cut edited twice stranger less list name empty nowhere four-dual-stack; do
	run 2 compare north.json $bad.json
	code=$?
	cat err >> refusals
	[ $code = 0 ]; result "refused: $bad"
done
cp refusals out; : > err
golden refusals; result "each refusal names the file and the fault"
run 2 compare north.json; result "one file is no comparison"
run 2 compare - -; result "standard input is one file"
exit $failed
