#!/bin/sh
# fit.sh: from recorded runs to the links' latency and bandwidth, and back into a simulation.
. tests/tools/command-test
json() { $ringsim fit "$@" --json; } # the object on one line
value() { sed -n "s/.*\"$1\":\([^,}]*\).*/\1/p"; }

$ringsim --slow-link 3:4 --bytes 100MB --view none --trace large.trace &&
    $ringsim --slow-link 3:4 --bytes 100kB --view none --trace small.trace
report $? "runs with a slow link are recorded"
head -n 3 large.trace >head && printf 'ringsim-trace 1\nsimulated ringsim %s\nranks 5\n' \
    "$($ringsim --version | cut -d ' ' -f 2)" | cmp -s - head
report $? "a .trace says what it is of"

$ringsim fit large.trace small.trace >both.out
grep -q '^3 -> 4 .*20 us .*5 GB/s .* 4  <--$' both.out && tail -n 3 both.out | tr '\n' ' ' |
    grep -q 'slowest link is 3 -> 4: .* 25 % .*bandwidth-bound.* 32.16 ms .* 8.04 ms if .*recorded: 32.16 ms'
report $? "the slow link, its factor, what is to blame and the time without it are told"
$ringsim fit large.trace >one.out
grep -q '^3 -> 4 .* 4  <--$' one.out && tr '\n' ' ' <one.out | grep -q 'one size of message only .* cannot be told apart'
report $? "with one size it is named, and what cannot be told is said"
json large.trace small.trace >a.json && json large.trace small.trace | cmp -s - a.json &&
    grep -q '"verdict":{"src":3,"dst":4,"stands_out":true,"share":4,"bytes":20000000,"bound":"bandwidth"}' a.json
report $? "the same as JSON, byte for byte the same again"

# Noise of +-3 % on every span, seeded.
for file in large small; do
    awk 'BEGIN { srand(5) }
        NF == 9 && /^[0-9]/ { $8 = $9 = sprintf("%.0f", $7 + ($8 - $7) * (1 + (2 * rand() - 1) * 0.03)) }
        { print }' $file.trace >noisy-$file.trace
done
json noisy-large.trace noisy-small.trace >noisy.json
awk -v share="$(sed -n 's/.*"verdict":{"src":3,"dst":4,"stands_out":true,"share":\([^,}]*\).*/\1/p' noisy.json)" \
    'BEGIN { exit !(share > 3.8 && share < 4.2) }'
report $? "under noise the link is named and its factor found within 5 %"

$ringsim fit large.trace small.trace --links links.csv >links.out && cmp -s links.out both.out &&
    [ "$($ringsim --links links.csv --json | value makespan_ps)" = "$(value recorded_ps <a.json)" ]
report $? "the links that were found make the same run again"
$ringsim fit large.trace --links - | sed -n '3,4p' >csv.out && [ "$(head -n 1 csv.out)" = src,dst,alpha,bandwidth ]
report $? "--links - prints the table alone"
cat large.trace >double.trace && sed -n '4,$p' small.trace >>double.trace
json double.trace >double.json && [ "$(cut -d '[' -f 3- double.json)" = "$(cut -d '[' -f 3- a.json)" ]
report $? "several runs may stand in one file"
$ringsim --dtype f64 --count 10 --view none --trace wide.trace && $ringsim --dtype i8 --count 50 --view none --trace narrow.trace
cat narrow.trace >mixed.trace && sed -n '4,$p' wide.trace >>mixed.trace
[ "$(json mixed.trace | value recorded_ps)" = 40006400 ] && [ "$($ringsim view mixed.trace --json | value count)" = 10 ]
report $? "the largest run is the one with the most bytes, not elements; for view, too"
# A link 2 % slower than the others: beyond doubt where nothing is noisy, and still not worth a word.
for bytes in 100MB 100kB; do $ringsim --slow-link 3:1.02 --bytes $bytes --view none --trace near-$bytes.trace; done
json near-100MB.trace near-100kB.trace | grep -q '"verdict":{"src":3,"dst":4,"stands_out":false,"share":1.02,'
report $? "a link hardly slower than the others does not stand out"

# What nccl-tests prints: 4 GPUs, alpha 4 us, B 50 GB/s.
awk 'BEGIN {
    for (r = 0; r < 4; r++) print "#  Rank  " r " Group  0 Pid 1 on node1 device " r " [0000:00:00] GPU"
    for (size = 1024; size <= 268435456; size *= 4) {
        us = 6 * (4 + size / 4 / 50e3)
        half = sprintf("%.2f %.2f %.2f 0", us, size / us / 1000, size / us / 1000 * 1.5)
        print size, size / 4, "float", "sum", "-1", half, half
    }
}' >nccl.txt
$ringsim fit nccl.txt --links ring.csv >nccl.out && tr '\n' ' ' <nccl.out |
    grep -q 'alpha 4 us, B 50 GB/s on every link of a ring over 4 GPUs.*links cannot be told apart'
report $? "a log of nccl-tests gives one alpha and B, and says that links cannot be told apart"
[ "$(wc -l <ring.csv)" -eq 6 ] && $ringsim --gpus 4 --links ring.csv --bytes 1MiB --json >ring.json
report $? "its links are a ring that --links reads"
json nccl.txt | grep -q '"source":"nccl-tests","gpus":4,.*"links":null,"verdict":null'
report $? "its JSON names no link"

refused() { # STATUS PATTERN NAME OPTIONS...
    status=$1 pattern=$2 name=$3
    shift 3
    $ringsim fit "$@" >r.out 2>r.err
    [ $? -eq "$status" ] && [ ! -s r.out ] && [ "$(wc -l <r.err)" -eq 1 ] && grep -q -e "$pattern" r.err
    report $? "$name"
}
# Times of one size fit a bandwidth alone; of one GPU, or of how many nobody knows, none.
tail -n 1 nccl.txt >size.txt
rate=$(awk '{ printf "%.0f", 6 / 4 * $1 / $6 * 1e6 }' size.txt)
$ringsim fit size.txt --links size.csv >size.out && tr '\n' ' ' <size.out | grep -q 'one size only, so alpha and B cannot be told apart: B 4.* GB/s on every link of a ring over 4 GPUs if alpha is 0; a log'
report $? "a log of one size gives B as if alpha were 0"
awk -F , -v rate="$rate" '
    NR == 2 { bad += $0 !~ /^# one size of message only/ }
    NR > 3 { bad += $1 != NR - 4 || $2 != (NR - 3) % 4 || $3 != "0.000ns" || $4 < rate - 1 || $4 > rate + 1 }
    END { exit bad > 0 || NR != 7 }' size.csv
report $? "and so do its links"
row() { printf '%s %s float sum -1 %s %s 0 %s %s 0\n' "$1" $(($1 / 4)) "$2" "$3" "$2" "$3"; }
{ row 1048576 100.00 '10.49 0.00'; row 4194304 400.00 '10.49 0.00'; } >one.txt
denies 2 'one.txt: one GPU has no links to fit' fit one.txt --links none.csv
{ row 8 10.00 '0.00 0.00'; row 16 11.00 '0.00 0.00'; } >slow.txt
denies 2 'slow.txt does not say how many GPUs there were; add --gpus N' fit slow.txt --links none.csv
wants 0 'alpha 1.50 us, B 12 MB/s on every link of a ring over 4 GPUs' fit slow.txt --gpus 4
use='fit reads .trace files, or one log of nccl-tests: ringsim fit FILE.trace'
denies 2 "$use" fit --links none.csv
# shellcheck disable=SC2046
denies 2 'nowhere: No such file or directory' fit $(yes nowhere | head -n 256)
# shellcheck disable=SC2046
denies 2 "$use" fit $(yes nowhere | head -n 257)
# JSON of nccl-tests, with one thing in it otherwise: why its row cannot be used.
result() { # SED: the first of two results is changed
    for i in 1 2; do
        echo '{"size":1048576,"count":262144,"type":"float","redop":"sum","root":"-1","out_of_place":{"time":200,"alg_bw":5.24,"bus_bw":7.86},"in_place":null}'
    done | sed "1{$1}; 1s/\$/,/" | tr -d '\n' | sed 's/^/{"version":3,"config":{},"results":[/; s/$/]}/' >result.json
}
result ''
wants 0 'nccl-tests, GPUs 4, times 2, sizes 1.05 MB' fit result.json
while IFS='|' read -r change why; do
    result "$change"
    wants 0 "nccl-tests, GPUs 4, times 1, sizes 1.05 MB" fit result.json
    sed 's/,{"size".*/]}/' result.json >single.json
    denies 2 "single.json: no row of this output of nccl-tests can be used; result 1: $why" fit single.json
done <<'END'
s/5.24/5.40/|size / time is not the algbw beside it
s/"time":200/"time":0/|size / time is not the algbw beside it
s/"time":200/"time":"200"/|size / time is not the algbw beside it
s/"size":1048576/"size":-1/|size, count and type do not stand at its start
s/"size":1048576/"size":"1048576"/|size, count and type do not stand at its start
s/{"time.*}/7/; s/7$/7,"in_place":null}/|it is cut short
END
result 's/"time":200/"cpu_time":200/'
wants 0 'nccl-tests, GPUs 4, times 2, sizes 1.05 MB' fit result.json
cp large.trace copy.trace
for n in 1 8 9; do # of how many files the heading names eight
    # shellcheck disable=SC2046
    $ringsim fit $(yes copy.trace | head -n $n) >copies.out
    names=$(yes copy.trace | head -n $((n < 8 ? n : 8)) | paste -s -d , | sed 's/,/, /g')
    [ $n -lt 9 ] || names="$names, ..."
    head -n 1 copies.out | grep -qF "$names: simulated (ringsim" && head -n 1 copies.out | grep -q "runs $n,"
    report $? "$n files are named in the heading, eight at the most"
done
echo 'ringsim-trace 1
measured
ranks x' >broken.trace
$ringsim --gpus 3 --view none --trace three.trace
$ringsim --gpus 1 --view none --trace alone.trace
# Two rows that a line meets but for a rounding.
row() { printf '%s float sum -1 %s %s 0 %s %s 0\n' "$1" "$2" "$3" "$2" "$3"; }
{ row '1048576 262144' 150.3 '7.0 12.2' && row '67108864 16777216' 510.7 '131 229'; } >exact.log
[ "$($ringsim fit exact.log --gpus 8 | grep -c '+0.0 %$')" = 2 ]
report $? "nothing is off by -0.0 %"
made=$($ringsim --gpus 5 --algo halving --count 1000 --straggler 1:1ms --trace h.trace --json | value makespan_ps)
for told in "$(json h.trace | value recorded_ps)" "$($ringsim view h.trace --json | value makespan_ps)"; do
    [ "$told" = "$made" ]
    report $? "a run ends when its straggler does, also in its record"
done
refused 2 'fit reads' "without a file the use is told"
refused 2 'nowhere.trace' "a file that is not there is named" nowhere.trace
refused 2 'broken.trace: line 3, column 7' "a broken file is named with line and column" broken.trace
refused 2 'neither a .trace' "what is neither trace nor log is refused" links.csv
refused 2 'one group' "files of different groups are refused" large.trace three.trace
refused 2 'alone' "a log among traces is refused" large.trace nccl.txt
refused 2 'nothing was sent' "a run without messages has no links" alone.trace
refused 2 'standard output' "two outputs cannot share standard output" large.trace --json --links -
refused 2 'no option of fit' "options of others are refused" large.trace --theme dark
exit $failed
