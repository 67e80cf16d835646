#!/bin/sh
# view.sh: recorded runs in the views of a run: text, JSON, pictures; two of them side by side.
. tests/tools/command-test

$ringsim --gpus 5 --bytes 100MB --view none --trace plain.trace --save plain.sched &&
    $ringsim --gpus 5 --bytes 100MB --slow-link 3:4 --view none --trace slow.trace
report $? "two runs are recorded"
sed 's/^simulated.*/measured by hand/' slow.trace >measured.trace
$ringsim view plain.trace >plain.out && head -n 1 plain.out | grep -q '^plain.trace: simulated (ringsim ' &&
    grep -q '^Step 7 of 0..7$' plain.out && grep -q '(whole run 8.04 ms)' plain.out &&
    ! grep -q -e latency -e '20 GB/s' plain.out
report $? "one is told step by step, without costs that nobody measured"
head -n 2 measured.trace | tail -n 1 | grep -q '^measured by hand' &&
    $ringsim view measured.trace | head -n 1 | grep -q '^measured.trace: measured (by hand)$'
report $? "its origin is told"

$ringsim --gpus 5 --bytes 100MB --values none --json --transfers >run.json
$ringsim view plain.trace --json --transfers >view.json
for part in '"bytes_sent":[^]]*]' '"makespan_ps":[0-9]*' '"verdict":{[^}]*}' '"transfers":.*' '"algorithm":"ring","order":"seed"'; do
    [ "$(grep -o "$part" run.json)" = "$(grep -o "$part" view.json)" ] && [ -n "$(grep -o "$part" view.json)" ]
    report $? "the record's JSON is the run's: $part"
done
grep -q '"recording":{"measured":false,"by":"ringsim [^"]*"},"net":null,' view.json &&
    grep -q '"lower_bound_ps":null' view.json
report $? "what a record does not know is null"
$ringsim view plain.trace --view none --save again.sched && cmp -s plain.sched again.sched
report $? "the schedule comes back from the record"
$ringsim view plain.trace --view none --trace again.trace && cmp -s plain.trace again.trace
report $? "a record written again is the same"
$ringsim view plain.trace --view none --trace chrome.json && tail -n 1 chrome.json | grep -q '^]}$'
report $? "a record becomes a Chrome trace"

$ringsim view plain.trace measured.trace >two.out && grep -q '^origin  *simulated  *measured$' two.out &&
    grep -q '^time  *8.04 ms  *32.16 ms  *4$' two.out && grep -q '^3 -> 4  *1.01 ms  *4.02 ms  *4$' two.out &&
    grep -q '^0 -> 1  *1.01 ms  *1.01 ms  *1$' two.out
report $? "two stand side by side, step by step and link by link"
$ringsim view plain.trace measured.trace --json | tr -d '\n' |
    grep -q '^{"schema":"ringsim.view/1".*"measured":false.*"measured":true.*}]}$'
report $? "two are two runs in one JSON object"

$ringsim --gpus 4 --kill 2@3 --count 99 --view none --trace dead.trace
$ringsim view dead.trace >dead.out
[ $? -eq 1 ] && grep -q 'waits in step 3 for GPU 2, which died before step 3' dead.out
report $? "a record of a run that stalled says who waited for whom, and exits 1"
$ringsim --gpus 4 --count 4000 --view none --trace small.trace && $ringsim --gpus 4 --count 8000 --view none --trace larger.trace
cat larger.trace >both.trace && sed -n '4,$p' small.trace >>both.trace
[ "$($ringsim view both.trace --json | grep -o '"count":[0-9]*')" = '"count":8000' ] &&
    [ "$($ringsim view both.trace --count 4000 --json | grep -o '"count":[0-9]*')" = '"count":4000' ]
report $? "of several runs the largest is shown, or the one that is named"

refused() { # STATUS PATTERN NAME OPTIONS...
    status=$1 pattern=$2 name=$3
    shift 3
    $ringsim view "$@" >r.out 2>r.err
    [ $? -eq "$status" ] && [ ! -s r.out ] && [ "$(wc -l <r.err)" -eq 1 ] && grep -q -e "$pattern" r.err
    report $? "$name"
}
refused 2 'one or two' "without a file the use is told"
refused 2 'one or two' "three files are refused" plain.trace plain.trace plain.trace
refused 2 'plain.sched: line 1, column 1' "what is no trace is refused with line and column" plain.sched
refused 2 'no run of so many' "a size that is not there is refused" both.trace --count 5
refused 2 'steps are 0..7' "a step that is not there is refused" plain.trace --at 9
refused 2 'no option of view' "what cannot be changed is no option" plain.trace --alpha 5us
exit $failed
