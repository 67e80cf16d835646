#!/bin/sh
# grade-submissions.sh: no hostile submission gets a point, breaks anything or is late; every right one gets all.
#
#   - Each kind of sandbox that this machine has meets all of them: none is the lesser one.
. tests/tools/command-test
submissions=$OLDPWD/tests/submissions
# The judges are sanitized then: one sandbox is enough, and what comes out of it is what they read.
sanitized=
grep -q __asan_init "$ringsim" && sanitized=1

# Runs the hostile ones; each must get 0, for the reason that its first line names.
hostile() { # NAME SECONDS WORDS...
    name=$1 seconds=$2
    shift 2
    start=$(date +%s)
    "$ringsim" grade 05 "$@" --jobs 4 --format csv >grades.csv 2>err
    status=$?
    took=$(($(date +%s) - start))
    [ $status = 1 ] && [ ! -s err ]
    report $? "$name: the batch ends by itself, exit 1"
    [ $took -lt "$seconds" ]
    report $? "$name: within $seconds s"
    for row in $(sed '1d; s/,.*//' grades.csv); do
        wants=$(sed -n '1s|^/\* wants: \(.*\) \*/$|\1|p' "$submissions/hostile/$row.c")
        grep "^$row," grades.csv >line
        grep -q ',05,0,20,' line && [ -n "$wants" ] && grep -qE -e "$wants" line
        good=$?
        [ $good = 0 ] || sed 's/^/    /' line
        report $good "$name: $row gets 0: $wants"
    done
}

for kind in bubblewrap filter; do
    if ! "$ringsim" grade 05 "$submissions/right/seed-order.c" --sandbox $kind --format gradescope >out 2>&1; then
        echo "ok $kind # skip: $(head -n 1 out)"
        continue
    fi
    cp -R "$submissions/hostile" $kind
    if ! grep -q 'own files' out && ! grep -q landlock /sys/kernel/security/lsm 2>/dev/null; then
        rm $kind/incbin.c $kind/includes-a-device.c $kind/reads-the-graders-files.c
        echo "ok $kind: what reads files # skip: this kernel has no Landlock"
    fi
    hostile $kind 300 --sandbox $kind $kind
    [ "$(wc -l <grades.csv)" -gt 30 ]
    report $? "$kind: every one of them is in the list"
    [ -z "$sanitized" ] || break
done

# What a name may look like: as the driver's file, as Moodle makes them, of many bytes.
cp -R "$submissions/right" right
ten=一二三四五六七八九十
for name in ringsim-driver driver "$ten$ten$ten" \
    "Ann Example_12345_assignsubmission_file_the whole ring, second attempt, with comments"; do
    cp "$submissions/right/seed-order.c" "right/$name.c"
done
for lab in 05 06; do
    "$ringsim" grade $lab right --jobs 8 >out 2>err
    status=$?
    [ $status = 0 ] && grep -q '^\([0-9]*\) of \1 with all points$' out
    good=$?
    [ $good = 0 ] || sed 's/^/    /' out err
    report $good "lab $lab: every convention gets full points"
done
[ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'ringsim-sandbox-*' -newer grades.csv 2>/dev/null)" ]
report $? "no scratch folder is left behind"
exit $failed
