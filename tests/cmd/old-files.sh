#!/bin/sh
# old-files.sh: what 0.2.0 wrote is read as it was then: schedules, traces, a machine, dumps of a flight recorder, progress.
# (tests/data/0.2.0; a dump there is octal numbers, as printf takes them)
old=$PWD/tests/data/0.2.0
. tests/tools/command-test

says() { # TEXT WORDS...
    text=$1
    shift
    "$ringsim" "$@" 2>&1 | grep -qF -- "$text"
    report $? "$* says: $text"
}
for name in ring tree; do says 'sound: at the end every GPU holds every contribution exactly once' check "$old/$name.sched"; done
says "sound: at the end every GPU holds the root's data" check "$old/broadcast.sched"
says '"makespan_ps":22590000000' view "$old/slow.trace" --json
says 'simulated: 22.59 ms with these links' fit "$old/slow.trace"
says '"killed":[2]' view "$old/dead.trace" --json
says 'GPUs 16, nodes 2, switches and other devices 19, links 48' machine "$old/two.machine"
says '"makespan_ps":7581001280' --machine "$old/two.machine" --json

mkdir dumps
for rank in 0 1 3; do
    # shellcheck disable=SC2059
    while read -r line; do printf "$line"; done <"$old/rank_$rank.octal" >dumps/ringsim_trace_rank_$rank
done
says 'rank 2 has no dump, and is waited for in send at ring:3, call 7 of group 0 (default_pg)' hang dumps

XDG_DATA_HOME=$PWD/home
export XDG_DATA_HOME
mkdir -p home/ringsim
cp "$old/progress" "$XDG_DATA_HOME/ringsim/progress"
says "the prediction's answer" lesson
cmp -s "$old/progress" "$XDG_DATA_HOME/ringsim/progress"
report $? "and what is only read stays as it is"
exit $failed
