#!/bin/sh
# lessons.sh: every command of every lesson, in both languages, prints what the lesson says; what the teacher's
# keys tell to type can be typed.
set -u
skip= why=
# Notes that commands of a pattern cannot run here.
without() { # PATTERN REASON
    skip="${skip:+$skip|}$1"
    why="${why:+$why, }$2"
}
doctor=$("$RINGSIM" doctor </dev/null) || {
    echo "not ok the doctor says what can run here"
    exit 1
}
has() { printf '%s\n' "$doctor" | grep -qE "^  $1 +yes"; }
[ -x /usr/bin/cc ] && has exercises || without 'ringsim grade [0-9]+ [a-z]|ringsim .*--algo [a-z_]*\.c' 'no compiler, or no sandbox'
has MPI || without 'verify.*--on [a-z,]*mpi' 'no MPI'
has gettext || without . 'no gettext'
failed=0
# The keys' commands stand in their sentences; test_teacher.c sees to it that both languages have the same.
mkdir -p "$SCRATCH/keys"
cp lessons/*/scene-*.sched "$SCRATCH/keys/"
for key in lessons/[0-9][0-9]-*/key.en.md; do
    tr '\n' ' ' <"$key" | grep -o '`ringsim [^`]*`' | tr -d '`'
done | sort -u >"$SCRATCH/commands"
while read -r _ words; do
    (cd "$SCRATCH/keys" && eval "\"\$RINGSIM\" $words" >out 2>&1 </dev/null)
    case $? in
    0) echo "ok a key: ringsim $words" ;;
    3) echo "ok a key: ringsim $words # skip: $(head -n 1 "$SCRATCH/keys/out")" ;;
    *)
        failed=1
        echo "not ok a key: ringsim $words"
        sed 's/^/    /' "$SCRATCH/keys/out"
        ;;
    esac
done <"$SCRATCH/commands"
# Where a block says how its command is looked at, there is such a place.
grep -h -A 1 '^```console ' lessons/[0-9][0-9]-*/en.md | sed -n 's/^```console *//p; s/ |.*//; s/ --json//; s/ --transfers//; s/^\$ ringsim//p' |
    paste - - | sort -u >"$SCRATCH/looks"
while IFS='	' read -r look words; do
    (cd "$SCRATCH/keys" && eval "\"\$RINGSIM\" $words $look --view none" >out 2>&1 </dev/null)
    good=$(($? > 1))
    [ $good = 0 ] || failed=1
    echo "$([ $good = 0 ] || echo 'not ')ok a scene: ringsim$words $look"
done <"$SCRATCH/looks"
RUN_README_SKIP=$skip RUN_README_WHY=$why
export RUN_README_SKIP RUN_README_WHY
tests/tools/run-readme lessons/[0-9][0-9]-*/zh_CN.md >"$SCRATCH/zh_CN" &
tests/tools/run-readme lessons/[0-9][0-9]-*/en.md || failed=1
wait $! || failed=1
cat "$SCRATCH/zh_CN"
exit $failed
