#!/bin/sh
# What commands say, write and answer is what they said: their text, their JSON, CSV and files, each refusal. The
# commands are those of tools/baseline-commands that every machine answers alike; of each there is one line,
# number, exit status and command.
#
# Golden: tests/golden/sums/commands.txt. RINGSIM_UPDATE=1 writes it anew; tools/baseline shows what a command
# says otherwise than before.
top=$(pwd)
. tests/tools/baseline-commands
. tests/tools/command-test

# Left out: what needs a compiler, a module or another language; what tells this machine's memory or its own path;
# what takes long.
add() { # GROUP ENDING...
    shift
    while IFS= read -r line; do
        for ending in "$@"; do
            case $line$ending in
            *zh_CN* | *nonexistent*) ;;
            *--interpret*) printf '%s\n' "$line$ending" ;;
            *.c | *.c\ * | *zh_CN* | *submissions* | *--view\ window* | *--gpus\ 131072* | *--gpus\ 20000* | *doctor* | \
                *ringsim\ list* | *nonexistent* | *--export* | *--view\ terminal* | *seq\ * | *yes\ * | *--lang* | *zh_*) ;;
            *) printf '%s\n' "$line$ending" ;;
            esac
        done
    done
}
bin=$SCRATCH/bin
mkdir "$bin" inputs
ln -s "$ringsim" "$bin/ringsim"
PATH=$bin:$PATH TERM=dumb NO_COLOR=1 HOME=$SCRATCH RINGSIM_LESSONS=$top/lessons
export PATH TERM NO_COLOR HOME RINGSIM_LESSONS
unset COLUMNS LINES
cd inputs || exit 1
ln -s "$top/lessons" lessons
cp "$top"/tests/data/topologies/* "$top"/tests/data/nccl-logs/* "$top"/lessons/20-reading-nccl/*.log .
write_inputs ringsim >/dev/null 2>&1
{ list_help && list_runs && list_tools && list_stories && list_machines && list_sizes && list_corners && list_nccl && list_hangs && list_interpreted && list_refusals; } >../commands
mkdir ../said
LC_ALL=C.UTF-8 n=1000
while IFS= read -r command <&3; do
    n=$((n + 1))
    (eval "$command") >../said/$n 2>&1 </dev/null
    status=$?
    case $command in
    *verify*) sed -E -i "$verify_measures" ../said/$n ;;
    *grade*) sed -E -i "$grade_measures" ../said/$n ;;
    esac
    printf '%s %s\n' $status "$command"
done 3<../commands >../statuses
LC_ALL=C
(cd ../said && cksum -- *) | cut -d ' ' -f 1 | paste -d ' ' - ../statuses >../now
cksum ./*.* >>../now # what they wrote
golden=$top/tests/golden/sums/commands.txt
[ -z "${RINGSIM_UPDATE:-}" ] || cp ../now "$golden"
diff "$golden" ../now >../differ
report $? "$(wc -l <../now) commands and files say what they said"
sed 's/^/    /' ../differ | head -n 20
exit $failed
