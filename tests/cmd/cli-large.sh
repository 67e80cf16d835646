#!/bin/sh
# cli-large.sh: large runs: JSON of 131,072 ranks, Ctrl-C, and the language that does not change data.
. tests/tools/command-test

$ringsim --gpus 131072 --algo tree --values none --check never --json >out
[ $? -eq 0 ] && [ "$(tr -cd , <out | wc -c)" -gt 131072 ] && tail -c 3 out | grep -q '}'
report $? "the JSON of 131,072 ranks is whole"
grep -q '"values":"none".*"correct":null' out
report $? "and says what was not done"

# A run that takes long enough to be interrupted: the sets of 4096 ranks.
interrupt() { # SIGNAL STATUS
    timeout --preserve-status -s "$1" 1 \
        "$ringsim" --gpus 4096 --check always --values none --json --export half.svg >out 2>err
    [ $? -eq "$2" ] && [ ! -s out ] && [ ! -e half.svg ] && ! ls -a | grep -q 'tmp-'
    report $? "SIG$1 ends a long run with $2 and leaves nothing behind"
}
if timeout --preserve-status -s INT 1 true 2>/dev/null; then
    interrupt INT 130
    interrupt TERM 143
else
    echo "ok signals end a long run # skip: no timeout command that sends one"
fi

LC_ALL=de_DE.UTF-8 LANG=zh_CN.UTF-8 $ringsim --count 5 --json >a && LC_ALL=C $ringsim --count 5 --json >b && cmp -s a b
report $? "the locale changes no byte of the JSON"
$ringsim --lang zh_CN --count 5 --json 2>err >a
case $? in
0) cmp -s a b; report $? "nor does the language" ;;
3) echo "ok nor does the language # skip: no Chinese catalogue in this build" ;;
*) report 1 "nor does the language" ;;
esac
exit $failed
