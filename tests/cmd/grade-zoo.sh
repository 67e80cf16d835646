#!/bin/sh
# grade-zoo.sh: no hostile submission gets a point, breaks anything or is late; every right one gets all.
#
#   - The wall that `auto` takes meets the whole zoo; the others only those that try to get out.
. tests/tools/command-test
zoo=$OLDPWD/tests/zoo

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

hostile auto 300 "$zoo/hostile"
[ "$(wc -l <zoo.csv)" -gt 30 ]
report $? "every one of them is in the list"
for wall in namespaces filter; do
    if ! "$ringsim" grade 05 "$zoo/right/seed-order.c" --sandbox $wall >out 2>&1; then
        echo "ok $wall # skip: $(head -n 1 out)"
        continue
    fi
    hostile $wall 200 --sandbox $wall "$zoo/hostile/fork-bomb.c" "$zoo/hostile/signals-its-parent.c" \
        "$zoo/hostile/memory-bomb.c" "$zoo/hostile/includes-the-key.c" "$zoo/hostile/sleeps.c" \
        "$zoo/hostile/leaves-its-session.c" "$zoo/hostile/becomes-a-shell.c" \
        "$zoo/hostile/writes-the-results-file.c" "$zoo/hostile/shrugs-off-signals.c" \
        "$zoo/hostile/reaches-the-network.c" "$zoo/hostile/closes-the-pipe.c" \
        "$zoo/hostile/limits-its-parent.c" "$zoo/hostile/has-signals-sent.c"
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
