#!/bin/sh
# grade-submissions.sh: no hostile submission gets a point, breaks anything or is late; every right one gets all.
#
#   - Each wall that this machine has meets the whole zoo: none is the lesser one.
. tests/tools/command-test
zoo=$OLDPWD/tests/submissions

# Runs the hostile ones; each must get 0, for the reason that its first line names.
hostile() { # NAME SECONDS WORDS...
    name=$1 seconds=$2
    shift 2
    start=$(date +%s)
    "$ringsim" grade 05 "$@" --jobs 4 --format csv >zoo.csv 2>err
    status=$?
    took=$(($(date +%s) - start))
    [ $status = 1 ] && [ ! -s err ]
    report $? "$name: the batch ends by itself, exit 1"
    [ $took -lt "$seconds" ]
    report $? "$name: within $seconds s"
    for row in $(sed '1d; s/,.*//' zoo.csv); do
        wants=$(sed -n '1s|^/\* wants: \(.*\) \*/$|\1|p' "$zoo/hostile/$row.c")
        grep "^$row," zoo.csv >line
        grep -q ',05,0,20,' line && [ -n "$wants" ] && grep -qE -e "$wants" line
        good=$?
        [ $good = 0 ] || sed 's/^/    /' line
        report $good "$name: $row gets 0: $wants"
    done
}

for wall in bubblewrap filter; do
    if ! "$ringsim" grade 05 "$zoo/right/seed-order.c" --sandbox $wall --format gradescope >out 2>&1; then
        echo "ok $wall # skip: $(head -n 1 out)"
        continue
    fi
    cp -R "$zoo/hostile" $wall
    if ! grep -q 'own files' out; then
        rm $wall/incbin.c $wall/includes-a-device.c $wall/reads-the-graders-files.c
        echo "ok $wall: what reads files # skip: this kernel has no Landlock"
    fi
    hostile $wall 300 --sandbox $wall $wall
    [ "$(wc -l <zoo.csv)" -gt 30 ]
    report $? "$wall: every one of them is in the list"
done

for lab in 05 06; do
    "$ringsim" grade $lab "$zoo/right" --jobs 2 >out 2>err
    status=$?
    [ $status = 0 ] && grep -q '^\([0-9]*\) of \1 with all points$' out
    good=$?
    [ $good = 0 ] || sed 's/^/    /' out err
    report $good "lab $lab: every convention gets full points"
done
[ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'ringsim-cage-*' -newer zoo.csv 2>/dev/null)" ]
report $? "no scratch folder is left behind"
exit $failed
