# explain.sh: NCCL's logs, graphs, tuner files and nccl-tests' tables, explained from the command line.
top=$PWD
. tests/tools/command-test
cp "$top/tests/data/nccl-logs/two-nodes.log" log

holds() { grep -qF -- "$1" "$2"; }

"$ringsim" explain log >out 2>err && [ ! -s err ]
report $? "a log with warnings is good"
holds "NCCL 2.29.7, 16 ranks on 2 nodes" out && holds "ring 1: 0 9 10 11 12 13 14 15 8 1 2 3 4 5 6 7" out
report $? "ranks, nodes and a ring, from mixed and torn lines"
holds "210 of its 210 numbers" out
report $? "the table comes out digit for digit"
holds "AllReduce     from 1.02 kB Tree LL, from 4.19 MB NVLSTree Simple; 4 of 4 sizes as the model chooses" out
report $? "what the calls took, and that the model takes the same"
holds "line 98, warning: 28 connections inside a node go through host memory" out
report $? "a finding names its line"
"$ringsim" explain log --why 64MiB >out && holds "NCCL takes NVLSTree Simple" out && holds "Tree LL128" out
report $? "--why has every way"
sed '2s/NCCL_P2P_DISABLE/NCCL_PROTO/; 2s/to 1/to ^LL/' log >without && "$ringsim" explain without --why 64MiB >out &&
    [ "$(sed -n 's/^  \(.*[^ ]\)  *off: /\1: /p' out | paste -s -d , -)" = 'Tree LL: NCCL_PROTO leaves it out,Ring LL: NCCL_PROTO leaves it out' ]
report $? "--why says what is off, and by what"
"$ringsim" explain log --why 64MiB --collective all-gather >out && holds "AllGather" out && ! holds "NVLSTree" out
report $? "--why of another collective"

# The numbers of the table itself, in JSON, beside those that are computed.
"$ringsim" explain log --json >json &&
    python3 -c '
import json
f = json.load(open("json"))["files"][0]
assert f["kind"] == "nccl-log" and f["nccl"] == "2.29.7" and len(f["rings"]) == 2 and len(f["rings"][0]) == 16
assert len(f["tuning"]) == 105
for cell in f["tuning"]:
    for key in ("latency_us", "bandwidth_GBps"):
        assert abs(cell[key] - cell["computed_" + key]) <= 0.0501, cell
assert any(x["line"] == 98 and x["level"] == "warning" for x in f["findings"])
'
report $? "JSON: the table, rings, findings"
# What is not known is null and no key less: a log without its version has nothing to compute from.
sed '/NCCL version/d' log >unversioned
"$ringsim" explain unversioned --json >json.unversioned
python3 -c '
import json
known, unknown = (json.load(open(name))["files"][0] for name in ("json", "json.unversioned"))
assert all(list(cell) == list(known["tuning"][0]) for f in (known, unknown) for cell in f["tuning"])
assert len(unknown["tuning"]) == 105 and all(cell["computed_latency_us"] is None for cell in unknown["tuning"])
'
report $? "JSON: what cannot be computed is null, and no key less"

"$ringsim" explain log --tuner tuner.csv >/dev/null && "$ringsim" explain tuner.csv >out && holds "rules; the first" out
report $? "a tuner file that is written is read without an error"
grep -q '^allreduce,0,.*,tree,ll,-1,2,16$' tuner.csv
report $? "and says the choice"
sed 's/^reducescatter,0,.*/reducescatter,0,4096,tree,simple,-1,-1,-1/' tuner.csv >bad.csv
"$ringsim" explain bad.csv >out
[ $? = 1 ] && holds "ReduceScatter has no Tree with Simple" out
report $? "a rule without effect is an error: exit 1"
printf 'allreduce,0,-1,ring,simple,4,-1,-1\nallreduce,0,4096,tree,ll,4,-1,-1\nallreduce,9,1,ring,ll,0,1\n' >lint.csv
"$ringsim" explain lint.csv >out
[ $? = 1 ] && holds "line 2, warning: line 1 comes first" out && holds "line 3, error: a line has 8 fields" out
report $? "rules that are hidden, lines that are too short"

# What is chosen as a shell's lines, read back by the rules of a log's ENV lines: no error, no warning.
"$ringsim" explain log --tuner tuner.csv --env env.sh >/dev/null && "$ringsim" explain env.sh >out &&
    holds "3 settings" out && ! grep -Eq 'warning|error' out && sh -c '. ./env.sh && [ "$NCCL_TUNER_CONFIG_FILE" = tuner.csv ]'
report $? "an environment that is written is read without a finding, and by a shell"
grep -q "^export NCCL_ALGO='Broadcast:Ring;.*;AllReduce:Tree,NVLSTree'" env.sh && ! grep -q '^export NCCL_PROTO' env.sh
report $? "it names the algorithms, and no protocol where LL128 is among them"
"$ringsim" explain log --tuner - --env bare.sh >rules && grep -q '^allreduce,' rules && ! grep -q TUNER bare.sh
report $? "rules that go to standard output are no file that it could name"
sed '/LL128 |/!s/2\.29\.7/2.23.4/' log >old && "$ringsim" explain old --env - >out && grep -q "^export NCCL_ALGO='[A-Za-z,]*'" out
report $? "before 2.24 there is one list for all functions"
printf '# conf\nNCCL_PROTO="AllGather:^LL"\r\nexport NCCL_ALGO=ring;rings\n  NCCL_P2P_DISABLE=1\nNCCL_IB=\nother=1\n' >bad.sh
"$ringsim" explain bad.sh >out
[ $? = 1 ] && holds "line 2, warning: NCCL_PROTO=AllGather:^LL forces LL128" out && holds "line 3, error: NCCL_ALGO: only" out &&
    holds "line 4, note: NCCL_P2P_DISABLE=1 switches" out && holds "4 settings" out
report $? "settings of a file are judged as a log's"
wants 2 "a path without quotes" explain log --tuner "it's.csv" --env env.sh
wants 2 "only one output" explain log --tuner - --env -
wants 2 "only one output" explain log --json --tuner -

rm -f tuner.csv env.sh
wants 2 "gpus 16" explain log --step --view text --machine "$top/assets/machines/line.machine" --tuner tuner.csv --env env.sh
[ ! -e tuner.csv ] && [ ! -e env.sh ]
report $? "what is refused writes nothing"
"$ringsim" explain log --step --view text --tuner tuner.csv --env env.sh >out && [ -s tuner.csv ] && [ -s env.sh ] && holds "Step 1" out
report $? "what is shown and written is both"

"$ringsim" explain log --save ring.sched >/dev/null && "$ringsim" check ring.sched >out && holds "sound" out
report $? "a ring is saved as a sound schedule"

grep -q 'channel 1' ring.sched
report $? "with both of its rings, each its own channel"

# What was found is drawn: rings, trees, a machine; walked through, as a picture, as a page.
"$ringsim" explain log --at 1 --view text >out && holds "Step 1 of 0..29" out && ! holds "nccl-log" out
report $? "the rings are walked through"
"$ringsim" explain log --draw trees --at 2 --view text >out && holds "Step 2 of 0..32" out
report $? "the trees, too"
"$ringsim" explain log --draw trees --save tree.sched >/dev/null && "$ringsim" check tree.sched >out && holds "sound" out
report $? "trees make a sound schedule"
"$ringsim" explain log --machine dgx-h100:2 --at 1 --view text >out && holds "node0.nic0" out
report $? "rings on the wires of a machine"
if "$ringsim" doctor | grep -qE '^  SDL2.* +yes'; then
    "$ringsim" explain log --export rings.svg >out && holds "16 ranks on 2 nodes" out && grep -q '<svg' rings.svg
    report $? "a picture of the rings, and the words beside it"
    "$ringsim" explain "$top/tests/data/topologies/dgx-h100.topo" --export box.svg >out && grep -q '<svg' box.svg
    report $? "a picture of the matrix's machine"
    "$ringsim" explain log "$top/tests/data/topologies/dgx-h100.topo" --draw machine --export - 2>err | grep -q '<title>Machine'
    report $? "or of the machine beside a log, on standard output"
    "$ringsim" explain log --export rings.png --draw trees --at 3 --view text >out && [ -s rings.png ] && holds "Step 3" out
    report $? "a walk and a picture"
else
    echo "ok pictures # skip: this build draws none"
fi
"$ringsim" explain "$top/tests/data/topologies/dgx-h100.topo" --at 2 --view text >out && holds "Step 2 of 0..13" out
report $? "the ring on a matrix's machine"
printf 'h1:9:9 [0] NCCL INFO NCCL version 2.28.9+cuda12.9\n' >short
wants 2 "nothing here can be drawn" explain short --step
wants 2 "no machine can be drawn" explain log --draw machine --step --view text
wants 2 "choose one" explain log --json --export x.svg
denies 2 '--export box.html: a machine stands still; write FILE.png, svg or pdf' explain "$top/tests/data/topologies/dgx-h100.topo" --draw machine --export box.html
"$ringsim" explain log --export rings.html >out 2>err
case $? in
0) grep -q -- '--algo nccl.sched' rings.html && grep -q '>nccl.sched ' rings.html && report 0 "a page of the rings" || report 1 "a page of the rings" ;;
3) holds "make page" err && echo "ok a page of the rings # skip: no page was built" || report 1 "a page of the rings" ;;
*) report 1 "a page of the rings" ;;
esac
if [ -s rings.html ]; then
    "$ringsim" explain log --machine dgx-h100:2 --export wires.html >out && grep -q -- '--algo nccl.sched --machine dgx-h100:2<' wires.html
    report $? "a page of the rings on a machine"
fi

cat >graph.xml <<'XML'
<graphs version="1">
  <graph id="0" pattern="4" crossnic="0" nchannels="2" speedintra="12" speedinter="12" typeintra="SYS" typeinter="PIX" samechannels="0">
    <channel> <net dev="0"/> <gpu dev="0" rank="0"/> <gpu dev="1" rank="1"/> <net dev="1"/> </channel>
  </graph>
</graphs>
XML
"$ringsim" explain graph.xml >out 2>err
case $? in
1) holds "nchannels says 2, and there are 1" out && holds "ring 0: 0 1" out && report 0 "a graph's XML, linted" ;;
3) echo "ok a graph's XML # skip: this build has no expat" ;;
*) report 1 "a graph's XML, linted" ;;
esac

# A process that takes twice as long as the others, and one iteration that all took long in.
python3 - >slow.json <<'PY'
import json
times = [[100 + (i * 7 + p * 3) % 5 + (100 if p == 2 else 0) for i in range(20)] for p in range(8)]
json.dump({"version": 3, "config": {}, "results": [{"size": 1048576, "count": 262144, "type": "float", "redop": "sum", "root": "-1",
  "out_of_place": {"time": 200, "alg_bw": 5.24, "bus_bw": 9.17, "nwrong": "0"}, "in_place": None,
  "out_of_place_per_iter": {"per_process_max_times_us": times}}]}, __import__("sys").stdout)
PY
"$ringsim" explain slow.json >out 2>err && holds "process 2 is the slowest" out && holds "20 of 20 iterations" out
report $? "the straggler of eight processes"
# Who keeps the others waiting, one iteration that all took long in, nobody at all: the words, and the same as data.
straggler() { # WORDS PROCESS RATIO ITERATION HOW: a list of 8 lists of 20 times
    python3 - "$5" >odd.json <<'PY'
import json, sys
times = eval(sys.argv[1])
json.dump({"version": 3, "config": {}, "results": [{"size": 1048576, "count": 262144, "type": "float", "redop": "sum", "root": "-1",
  "out_of_place": {"time": 200, "alg_bw": 5.24, "bus_bw": 9.17, "nwrong": "0"}, "in_place": None,
  "out_of_place_per_iter": {"per_process_max_times_us": times}}]}, sys.stdout)
PY
    "$ringsim" explain odd.json >out && tail -n +3 out >odd && printf '%b' "$1" | cmp -s - odd
    report $? "${1%%\\n*}"
    "$ringsim" explain odd.json --json | python3 -c '
import json, sys
of = json.load(sys.stdin)["files"][0]["straggler"]
want = dict(zip(("process", "iteration"), (int(x) if int(x) >= 0 else None for x in (sys.argv[1], sys.argv[3]))), processes=8, iterations=20)
ratio = of.pop("ratio")
assert of == want and abs(ratio - float(sys.argv[2])) < 1e-9, (of, ratio)' "$2" "$3" "$4"
    report $? "the same as data"
}
straggler '8 processes over 20 iterations: none stands out\n' -1 1 -1 '[[100] * 20] * 8'
straggler '8 processes over 20 iterations: none stands out\niteration 7 took 160.0 us, the median one 100.0 us\n' -1 1 7 \
    '[[100] * 7 + [160] + [100] * 12] * 8'
straggler 'process 3 keeps the others waiting: its median is 0.25 times theirs at 1.05 MB, and it is the first in 18 of 20 iterations\n' 3 0.25 -1 \
    '[[25] * 18 + [100] * 2 if p == 3 else [100] * 20 for p in range(8)]'
straggler "process 0 is the slowest: its median is 3.00 times the others' at 1.05 MB, and it is the last in 20 of 20 iterations\niteration 19 took 900.0 us, the median one 300.0 us\n" 0 3 19 \
    '[[300] * 19 + [900] if p == 0 else [100] * 20 for p in range(8)]'

cat >table.txt <<'TXT'
# nThread 1 nGpus 8 minBytes 1048576 maxBytes 1073741824 step: 32(factor)
#       size         count      type   redop    root     time   algbw   busbw  wrong     time   algbw   busbw  wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
  1073741824     268435456     float     sum      -1   8200.0  130.94  229.15      0   8210.0  130.78  228.87      0
TXT
"$ringsim" explain table.txt --machine dgx-h100 >out && holds "busbw 229.2 GB/s at 1.07 GB, expected 441.5 (52 %), limited by gpu0 -> nvsw" out &&
    holds "switches add" out && holds "At 1.07 GB it takes 1.9 times as long as expected" out && grep -q '^ *1073741824 .* NVLS Simple ' out
report $? "a table is judged by a machine: expected, bound, wire, why"
"$ringsim" explain table.txt --machine dgx-h100 --nccl-algo Ring --nccl-proto Simple >ring && grep -q '^ *1073741824 .* Ring Simple ' ring
report $? "as what NCCL may take"
wants 2 '--collective is of --why' explain table.txt --machine dgx-h100 --collective broadcast
wants 2 'add --machine' explain log --nccl-algo Ring --why 1MiB
sed '/algbw/d; /(us)/d' table.txt >headless.txt
wants 0 'busbw 229.2 GB/s at 1.07 GB' explain headless.txt
"$ringsim" explain table.txt --machine dgx-h100 --json | python3 -c '
import json, sys
row, = json.load(sys.stdin)["files"][0]["judged"]
assert row["bottleneck"] == "gpu0 -> nvsw" and row["measured_us"] == 8200 and 4000 < row["expected_us"] < 4500, row'
report $? "the same as JSON"
"$ringsim" estimate --machine dgx-h100 --measured table.txt >out && holds "# below what it should reach: 1.07 GB (52 %); ringsim explain TABLE" out
report $? "estimate names the sizes at which a machine is below it"
judged() { # TIME_US PATTERN: 16 GPUs on two nodes, 1 GiB
    sed "s/nGpus 8/nGpus 16/; s/^ *1073741824 .*/  1073741824     268435456     float     sum      -1   $1/" table.txt |
        awk -v us="$1" '/^ *1073741824/ { $0 = $0 sprintf(" %.2f %.2f 0", 1073741.824 / us, 1073741.824 / us * 1.875) } { print }' >two.txt
    "$ringsim" explain two.txt --machine dgx-h100:2 >out && holds "$2" out
    report $? "two nodes, $1 us: $2"
}
judged 575200 "the network is not used as such"
judged 21900 "one NIC of a node carries all"
judged 5900 "half of the NICs carry all"
judged 4400 "that is what such a machine gives"
judged 3000 "more than expected"
# A thread that launches on all GPUs of a node: its small rows are the host's.
"$ringsim" estimate --machine dgx-h100 --launch threads -b 8 -e 1G --csv >threads.csv
for form in "1 nGpus 8" "8 nGpus 1"; do
    awk -F, -v form="$form" 'NR == 1 { print "# nThread " form " minBytes 8" }
        NR > 1 { rates = sprintf("%.2f %.2f %.2f 0", $6, $1 / $6 / 1000, $1 / $6 / 1000 * 1.75); printf "%d %d float sum -1 %s %s\n", $1, $1 / 4, rates, rates }' threads.csv >form.txt
    "$ringsim" explain form.txt --machine dgx-h100 >"${form% *}"
done
holds "that is what such a machine gives" "1 nGpus" && ! holds ", that is what such" "1 nGpus" && holds "From 8 B to" "8 nGpus"
report $? "the head says how many GPUs one thread launches on"
wants 2 "the machine dgx-h100:2 has 16" explain table.txt --machine dgx-h100:2
# What people paste first: an exception of PyTorch's own.
echo '[rank0]: RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one.' >unused.txt
wants 0 "PyTorch says: Expected to have finished reduction" explain unused.txt
also "find_unused_parameters=True"
echo 'torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. port: 29500, name: EADDRINUSE' >port.txt
wants 0 "MASTER_PORT is taken" explain port.txt
printf 'Traceback (most recent call last):\n  File "t.py", line 3, in <module>\nValueError: something else\n' >other.txt
wants 1 "ended by ValueError" explain other.txt
# A table made as a cause would have it, 6 % up and down, is traced to that cause; alike ones stand beside it.
traced() { # GPUS MACHINE LIKELY ESTIMATE'S WORDS...
    gpus=$1 machine=$2 likely=$3
    shift 3
    "$ringsim" estimate "$@" -b 1K -e 1G --csv | awk -F, -v n="$gpus" '
        NR == 1 { printf "# nThread %d nGpus 1 minBytes 8 maxBytes 8 step: 2(factor)\n", n }
        NR > 1 {
            us = $6 * (1 + 0.06 * sin(7 * NR)); rates = sprintf("%.2f %.2f %.2f 0", us, $1 / us / 1000, $1 / us / 1000 * 2 * (n - 1) / n)
            printf "%d %d float sum -1 %s %s\n", $1, $1 / 4, rates, rates
        }' >made.txt
    "$ringsim" explain made.txt --machine "$machine" --json |
        python3 -c 'import json, sys; likely = json.load(sys.stdin)["files"][0]["likely"]; assert ",".join(likely) == sys.argv[1], likely' "$likely"
    report $? "$machine: ${likely:-nothing is wrong}"
}
box=box:2,gpus=8,port=370.8GB/s,nvls
traced 16 dgx-h100:2 "" --machine dgx-h100:2
traced 16 dgx-h100:2 one-nic --machine $box,nics=1x50GB/s --like dgx-h100 --fabric infiniband
traced 16 dgx-h100:2 half-nics --machine $box,nics=8x25GB/s --like dgx-h100 --fabric infiniband
traced 16 dgx-h100:2 no-nvls,ring-only --machine dgx-h100:2 --nccl-algo ^NVLS,NVLSTree
traced 16 dgx-h100:2 ll-only --machine dgx-h100:2 --nccl-proto LL
traced 16 dgx-h100:2 simple-only --machine dgx-h100:2 --nccl-proto Simple
traced 16 dgx-h100:2 sockets --machine $box,nics=1x3GB/s,nic-latency=8us --like dgx-h100
traced 8 dgx-h100 "" --machine dgx-h100
traced 8 dgx-h100 ll-only --machine dgx-h100 --nccl-proto LL
traced 8 hgx-a100 host-memory --machine rtx4090-host
traced 8 hgx-a100 ll128-only --machine hgx-a100 --nccl-proto LL128
# Published tables of healthy machines, and one that went over sockets.
for row in "alps_gh200_2n_x4_slingshot_nccl2.23.4 8 gh200x4:2" "h100sxm_2n_x8_nebius_ib_dstack 16 dgx-h100:2" \
    "b200_2n_x8_lambda_ib_dstack 16 b200:2" "a100sxm_2n_x8_azure_ndv4_ibhdr 16 hgx-a100:2" "aws_p5_h100_1n_x8_batch 8 dgx-h100" \
    "polaris_a100_2n_x4_tcp_nccl2.18 8 box:2,gpus=4,port=240GB/s,nics=2x25GB/s --like hgx-a100 --fabric slingshot sockets"; do
    set -- $row
    file=$1 n=$2 machine=$3
    shift 3
    likely=
    case $* in *sockets) likely=sockets ;; esac
    awk -F, -v n="$n" 'NR == 1 { printf "# nThread %d nGpus 1 minBytes 8 maxBytes 8 step: 2(factor)\n", n }
        NR > 1 { rates = sprintf("%.2f %.2f %.2f 0", $2, $1 / $2 / 1000, $1 / $2 / 1000 * 2 * (n - 1) / n); printf "%d %d float sum -1 %s %s\n", $1, $1 / 4, rates, rates }' \
        "$top/tests/data/nccl-tables/$file.csv" >published.txt
    "$ringsim" explain published.txt --machine "$machine" ${*%sockets} >out
    if [ -n "$likely" ]; then holds "the network is not used as such" out; else holds "that is what such a machine gives" out; fi
    report $? "$file: ${likely:-healthy}"
done
# Another collective's, and one among NCCL's own lines.
sed 's/ 130.94  229.15 / 130.94  114.57 /; s/ 130.78  228.87 / 130.78  114.43 /' table.txt >gather.txt
"$ringsim" explain gather.txt --machine dgx-h100 >out 2>err && [ ! -s err ] && holds "busbw 114.6 GB/s at 1.07 GB, the best" out && holds "is 0.875 times algbw, as all-gather" out
report $? "a table of another collective is read; of which, no line says"
{ echo "# nccl-tests version 2.20.0 nccl-headers=23102 nccl-library=23102"; echo "# Collective test starting: reduce_scatter_perf"; cat gather.txt; } >named.txt
"$ringsim" explain named.txt >out 2>err && holds "the best of reduce_scatter_perf" out && holds "NCCL 2.31.2 (line 1)" out
report $? "its name and NCCL's version are those that it says"
printf '%s\n' "a launcher's words" "  1048576 65536 float none -1 52.94 19.81 14.85 0 53.47 19.61 14.71 N/A" \
    "  2097152 131072 float none -1 172.12 12.18 9.14 0 380.45 5.51 4.13 N/A" "  4194304 262144 float none -1 952.12 4.41 3.30 0 980.45 4.28 3.21 N/A" >rows.txt
wants 0 "busbw falls from 9.1 GB/s at 2.10 MB to 3.3 at 4.19 MB" explain rows.txt
printf '%s\n' "8 2 float sum -1 8.0 0.00 0.00 0 8.0 0.00 0.00 0" "1024 256 float sum -1 9.0 0.11 0.20 0 9.1 0.11 0.20 0" >tiny.txt
wants 0 "no size above 1.02 kB: such rows tell of latency" explain tiny.txt
echo "collective,size_bytes,algorithm,protocol,channels" >costs.csv
wants 2 "costs.csv: measurements, not a tuner's rules" explain costs.csv
{
    head -n 2 table.txt
    echo "h:1:1 [0] NCCL INFO NCCL version 2.28.9+cuda12.9"
    tail -n 1 table.txt
} >mixed.log
"$ringsim" explain mixed.log --machine dgx-h100 >out && holds "mixed.log: nccl-log" out && holds "busbw 229.2 GB/s at 1.07 GB, expected" out
report $? "a table among NCCL's lines is judged"
sed 's/^/[1,0]<stdout>:/' table.txt >tagged.txt && sed 's/^/Thu Jul 18 15:41:05 2024<stdout>:/' table.txt >stamped.txt && sed 's/^/ 0: /' table.txt >labelled.txt
for t in tagged stamped labelled; do wants 0 "busbw 229.2 GB/s at 1.07 GB, the best of 8 GPUs" explain $t.txt; done
sed '$d' mixed.log >ended.log
wants 0 "line 2, warning: nccl-tests' table begins here, and has no row that can be used: the run or" explain ended.log
echo '# Avg bus bandwidth    : 1.2' >>ended.log
"$ringsim" explain ended.log | tr '\n' ' ' | tr -s ' ' >out && holds "has no row that can be used, but the run came to its end (line 4)" out && ! holds "ended before" out
report $? "a run whose end is there did not end before"
{
    sed -n 2,3p table.txt
    echo "  1073741824     268435456     float     sum      -1h:1:1 [0] NCCL INFO AllReduce: opCount 0"
    echo "   8200.0  130.94  229.15      0h:1:1 [0] NCCL INFO AllReduce: opCount 1"
    echo "   8210.0  130.78  228.87      3"
} >pieces.log
"$ringsim" explain pieces.log >out
[ $? = 1 ] && holds "busbw 229.2 GB/s at 1.07 GB, the best of 8 GPUs" out && holds "1.07 GB (line 5: 0 out of place, 3 in place)" out
report $? "rows that NCCL's own lines cut are put together"

# Wrong results come before all else, whichever column, collective, prefix or form says so; N/A and old errors are none.
wrong() { # FILE PATTERN
    "$ringsim" explain "$1" >out
    [ $? = 1 ] && sed -n 2p out | grep -q "^line [0-9]*, error: wrong results" && tr '\n' ' ' <out | tr -s ' ' | grep -q "$2" &&
        "$ringsim" explain --json "$1" | python3 -c '
import json, sys
found = json.load(sys.stdin)["files"][0]["findings"][0]
assert found["level"] == "error" and found["text"].startswith("wrong results"), found'
    report $? "wrong results: $1"
}
sed 's/ 229.15      0 / 229.15      8 /' table.txt >wrong-out.txt
sed 's/ 228.87      0$/ 228.87  1e+06/' table.txt >wrong-in.txt
sed 's/ 114.57      0 / 114.57      2 /; s/ 0$/ N\/A/' gather.txt >wrong-gather.txt
sed 's/^/pod-1 worker | /' wrong-out.txt >wrong-prefix.txt
{ cat table.txt && echo '# Out of bounds values : 50 FAILED'; } >wrong-bounds.txt
{ head -n 3 wrong-bounds.txt && echo 'h:1:1 [0] NCCL INFO NCCL version 2.28.9+cuda12.9' && tail -n 1 wrong-bounds.txt; } >wrong.log
wrong wrong-out.txt 'wrong results: 1.07 GB (line 4: 8 out of place, 0 in place)'
wrong wrong-in.txt '(line 4: 0 out of place, 1000000 in place)'
wrong wrong-gather.txt 'line 4: 2 out of place'
wrong wrong-prefix.txt 'line 4: 8 out of place'
wrong wrong-bounds.txt 'Out of bounds values : 50 FAILED.*NCCL_P2P_DISABLE=1'
wrong wrong.log 'Out of bounds values : 50 FAILED'
body='{"time": 8200.0, "alg_bw": 130.94, "bus_bw": 229.15, "nwrong":'
echo "{\"results\": [{\"size\": 1073741824, \"out_of_place\": $body 0}, \"in_place\": $body 7}}]}" >wrong.json
wrong wrong.json '0 out of place, 7 in place'
sed 's/  wrong/  error/g; s/ 229.15      0 / 229.15  2e+00 /' table.txt >old.txt && sed 's/ 0 / N\/A /; s/ 0$/ N\/A/' table.txt >na.txt
sed 's/^  1073741824/           0/' table.txt >no-size.txt
sed 's/ 229.15      0 .*/ 229.15      0xa1-node:1:1 [0] NCCL INFO x/' table.txt >host.log
for t in old.txt na.txt table.txt no-size.txt host.log; do
    "$ringsim" explain $t >out 2>&1
    [ $? != 1 ] && ! holds wrong out
    report $? "nothing wrong in $t"
done
"$ringsim" explain wrong-out.txt --machine dgx-h100 | grep -q 'its results are wrong: no figure counts'
report $? "and no machine judges them right"

# Processes that measure each for itself; runs one after the other, broken off or whole, are none.
head='# nThread 1 nGpus 1 minBytes 8 maxBytes 8 step: 2(factor)'
row='  1310720000     327680000     float     sum   3308.4  396.18    0.00  0e+00     3309.4  396.06    0.00  0e+00'
end='# Avg bus bandwidth    : 0'
rank() { printf '#   Rank  0 Pid  %d on node-%d device  0 [0x00] X\n' "$1" "$1"; }
alone() { # 1 OR 0, LINES, each printed
    wanted=$1
    shift
    printf '%s\n' "$@" >alone.txt
    "$ringsim" explain alone.txt >out
    [ "$(sed -n 2p out | grep -c 'warning: 2 processes at one time .*without')" = "$wanted" ]
    report $? "processes that call themselves rank 0: $wanted of $*" | cut -c1-150
}
alone 1 "$head" "$head" "$(rank 1)" "$(rank 2)" "$row" "$row" "$end"
alone 1 "$head" "$(rank 1)" "$row" "$head" "$(rank 2)" "$row" "$end" "$end"
alone 0 "$head" "$(rank 1)" "$row" "$end" "$head" "$(rank 2)" "$row" "$end"
alone 0 "$head" "$(rank 1)" "$head" "$(rank 2)" "$row" "$end"
alone 0 "$head" "$(rank 1)" '#   Rank  1 Pid  2 on node-2 device  0 [0x00] X' "$(rank 3)" "$row" "$end"
alone 0 "$head" "$(rank 1)" "$row" "$end"
wants 0 "line 3, warning: 2 times, and busbw is 0, as one GPU" explain alone.txt
printf '%s\n' '       8     2     float     sum      -1    12.0    0.00    0.00      0' | sed '1i # algbw' >tiny.txt
wants 0 "line 2, warning: 1 times, and busbw is 0 or the GPUs are not counted: what is missing" explain tiny.txt
printf '%s\n' ' 17179869184 4294967296 float sum -1 921730 18.64 36.99 0' | sed '1i # algbw' >many.txt # 103 to 161
wants 0 "busbw 37.0 GB/s (algbw 18.6) at 17.18 GB, the best; no line counts the GPUs" explain many.txt
printf '%s\n' 'GPU0 GPU1' 'GPU0 X SYS' 'GPU1 SYS X' 'NCCL version 2.10.X' ' Link 0: 26.562 GB/s' >beside.txt
"$ringsim" explain beside.txt >out && holds "a box of 2 GPUs" out && holds "nvlink -s: the rate" out
report $? "a matrix is told beside a word of NCCL and another program's lines"
printf '%s\n' '$ ./build/all_reduce_perf -g 2' '# nThread 1 nGpus 2 minBytes 8' '#' >begun.txt
wants 0 "line 2, warning: a run of nccl-tests begins here, and no row that can be used follows" explain begun.txt
echo "missing in stdout.txt: '# Out of bounds values', '# Avg bus bandwidth'" >spoken.txt
wants 2 "a text in which nothing is known" explain spoken.txt
echo hello >hello.txt
wants 2 "hello.txt: a text in which nothing is known. Read are" explain hello.txt
# Other programs' errors are no collective's: quoted, the one that ends a program before others; what only speaks of errors is refused.
for line in 'requests.exceptions.ReadTimeout: HTTPSConnectionPool: Read timed out. (read timeout=10)' 'ValueError' \
    'ssh: connect to host gpu-1 port 22: Connection timed out' 'redis: (104, Connection reset by peer): timed out'; do
    { echo 'srun: error: a later one'; echo "[ERROR] $line"; } >web.txt
    wants 0 "line 2, warning: an error whose cause is not known here, in its own words: [ERROR]" explain web.txt
done
wants 0 '"kind":"unknown"' explain --json web.txt
printf '%s\n' 'it has no error: none' 'print("error: x")' 'I get an error when I run it' \
    'INFO loader: it could not be found, another one is taken' >web.txt
wants 2 "a text in which nothing is known" explain web.txt
# What other programs say of a job's end, and what they print: by name, with a next step.
says() { printf '%s\n' "$2" >pasted && wants "$1" "$3" explain pasted; }
says 0 '[1.5] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.' 'no longer on the PCIe bus'
says 0 'srun: error: node3: task 7: Exited with exit code 137' 'killed from outside'
says 0 'jaxlib.XlaRuntimeError: INTERNAL: NCCL operation f() failed: unhandled cuda error. log entry (may be unrelated) '"'Cuda failure ‘out of memory’" 'no memory of the GPU'
says 0 '<p>so:</p><pre><code>h:1:2 [0] a.cc:1 NCCL WARN Duplicate GPU detected : rank 1<br>bye' 'two ranks take one GPU'
says 0 '[10:23 AM] Ann Lee: h:1:2 [0] a.cc:1 NCCL WARN Cuda failure 3 ‘initialization error’' 'are forked'
says 0 '#bytes RDMA_Write BW Test' 'perftest (ib_write_bw'
# What such an output shows is said: ports that are down, GPUs that may not map each other's memory.
peers() { printf ' \tGPU0\tGPU1\tGPU2\n GPU0\tX\tOK\t%s\n GPU1\tOK\tX\tOK\n GPU2\t%s\tOK\tX\n' "$1" "$2"; }
says 0 "$(peers OK OK)" 'every pair is OK'
for word in NS CNS GNS TNS DR U; do
    for pair in "$word $word" "OK $word" "$word OK"; do
        says 0 "$(peers $pair)" "GPU0-GPU2 ($word)"
        ! grep -q 'GPU0-GPU1\|GPU2 .*GPU2' out
        report $? "and no other pair, and it once: $pair"
    done
done
port() { printf "Infiniband device '%s' port 1 status:\n\tdefault gid:\t fe80:0000:0000:0000:58a2:e103:0022:ce5c\n\tstate:\t\t %s\n\tphys state:\t 3: Disabled\n" "$1" "$2"; }
says 0 "$(port mlx5_11 '1: DOWN' && port mlx5_1 '2: INIT' && port mlx5_2 '4: ACTIVE')" 'mlx5_11, mlx5_1'
says 0 "$(port mlx5_11 '4: ACTIVE')" 'state is to be ACTIVE'
says 0 "CA 'mlx5_7'
	Port 1:
		State: Down
ibpanic: [1] main: stat of IB device 'mlx5_8' failed: No such file or directory" 'mlx5_7, mlx5_8'
says 0 'mlx5_0   port  1  ==>  ibp26s0        (Down)' 'ibdev2netdev: which network'
says 0 'NVRM: Xid (PCI:0000:3b:00): 68, pid=1, NVDEC0' 'this Xid has no row here'
says 0 '(raylet) A worker died or was killed while executing a task by an unexpected system error.' 'ended without a word'
says 0 '[W socket.cpp:601] [c10d] The client socket has failed to connect to [n]:29500 (errno: 110).' 'not all processes have come'
says 0 'Ann Lee: Call to recv from 10.0.0.2<1> failed : Connection reset by peer' 'an echo, the process'
says 0 'tensorflow.UnknownError: ncclCommInitRank failed: unhandled system error' 'that is a class'
says 2 '' 'nothing is in it'
# What a kernel says of a GPU is no matrix; a tag that is spoken of is no program of MSCCL's; a line in quotes is a line.
says 0 '[   84.7] NVRM:     -2    73   SET_REGISTRY    0 0x0 1095ms
[   84.8] NVRM: GPU6 RPC event history (CPU <- GSP):
[   84.9] NVRM:      0    4124 GSP_LOCKDOWN_NOTICE            0 0x0' 'by which the driver speaks to it'
says 2 'GPU0 health check FAILED
GPU0   ok     down    0' 'nothing is known'
says 0 'h:1:2 [0] graph/xml.h:82 NCCL WARN Attribute ngpus of node algo not found
by sccl: `<algo name="a" proto="Simple" nchannels="2">`' 'line 1, warning: NCCL warns: Attribute ngpus'
says 0 '"srun: error: c002: task 0: Killed' 'slurm says: srun: error: c002'
# NVLinks that are down, GPUs of AMD's that only PCIe joins, ACS.
says 0 'GPU 2: a
	 Link 0: 25.781 GB/s
GPU 13: b
	 Link 3: <inactive>
	 Link 12: <inactive>' 'inactive: GPU 13 link 3, GPU 13 link 12'
says 0 'GPU 2: NVIDIA B200 (UUID: x)
NVML: Unable to retrieve NVLink information as all links are inActive' 'inactive: GPU 2'
says 0 'Link 0: 53.1 GB/s' 'the rate of each link'
says 0 'Link 3: Remote Device 00000000:08:00.0: Link 51' 'the rate of each link'
says 0 '=== Link Type between two GPUs ===
       GPU0  GPU1  GPU2
GPU0   0     XGMI  PCIE
GPU1   XGMI  0     XGMI
GPU2   PCIE  XGMI  0' 'alone: GPU0-GPU2'
says 0 '=== Link Type between two GPUs ===
GPU0   0     XGMI' 'XGMI or PCIE, and no rate'
says 0 '		ACSCtl: SrcValid+ TransBlk- ReqRedir-' 'has ACS on'
says 0 '**NCCL version 2.4.7+cuda10**' 'NCCL 2.4.7 (line 1)'
says 0 ' 17179869184    8589934592  bfloat16     sum      -1    92222  186.29  372.37      0    91786  187.17  374.14      0
 17179869184    8589934592  bfloat16     sum      -1    91276  188.22  376.23      0    91596  187.56  374.92      0
a:3893168:3901944 [0] NCCL INFO comm 0x564ba32305f0 rank 0 nranks 1840 cudaDev 0 busId 19000 - Destroy COMPLETE' 'busbw 376.2 GB/s'
# What NCCL warns of comes before what is concluded of lines before it; a matrix and a run's end beside a log are told, too.
printf 'h:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0\nh:1:2 [0] NCCL WARN socketProgress: Connection closed by remote peer b<4>\n' >pasted
"$ringsim" explain pasted | sed -n 2p | grep -q '^line 2, warning: NCCL warns'
report $? "a warning before a slow way"
{ cat pasted; echo '# Avg bus bandwidth    : 6.13096'; printf '      GPU0  GPU1\nGPU0   X    NV4\nGPU1  NV4    X\n'; } >both
"$ringsim" explain both >out && holds 'a box of 2 GPUs, 3 links' out && holds 'line 3, note: the end of a run' out
report $? "a log, the end of a run and a matrix"
# Of two launchers' tables the first in time counts; of one time both.
first() { printf 'Root Cause (first observed failure):\n[0]:\n  time      : %s\n  rank      : %s (local_rank: 0)\n  exitcode  : 1 (pid: 9)\n=====\n' "$1" "$2"; }
says 1 "$(first 2023-06-03_22:45:52 0 && first 2023-06-03_22:45:01 4)" 'rank 4 was the first to end'
says 1 "$(first 2023-06-03_22:45:01 4 && first 2023-06-03_22:45:52 0)" 'rank 4 was the first to end'
says 1 "$(first 2023-06-03_22:45:01 4 && first 2023-06-03_22:45:01 0)" 'rank 0, 4 was the first to end'
says 0 'h:1:2 [2] NCCL INFO misc/socket.cc:47 -> 3' 'its own process aborted this connection'
says 0 'h:1:2 [0] NCCL INFO nranks 8
h:1:2 [7] NCCL INFO Channel 00 :    0   1   2   3   4   5   6   7
h:1:2 [0] NCCL INFO Ring 00 : 0[0] -> 1[1] via direct shared memory' 'NCCL ?, 8 ranks'
grep -q '1 ring, 1 of them closed' out && grep -q 'goes through host memory (SHM)' out
report $? "a log of 2.4"
printf '\000\001\002\003' >pasted && wants 2 'bytes of some other kind of file' explain pasted
wants 2 "holds no file" explain "$(mkdir none && echo none)"
printf '| | GPU0 | GPU1 |\n|---|---|---|\n| GPU0 | X | NV4 |\n| GPU1 | NV4 | X |\n' >pasted && wants 0 'a box of 2 GPUs' explain pasted
printf ',GPU0,GPU1,CPU Affinity\nGPU0,X,NV4,0-3\nGPU1,NV4,X,0-3\n' >pasted && wants 0 'a box of 2 GPUs' explain pasted
printf 'GPU0 GPU1\nNIC0 CPU Affinity\nGPU0 X NV4\nPIX 0-3\nGPU1 NV4 X\nSYS 0-3\nNIC0 PIX SYS\nX\n' >pasted && wants 0 'a box of 2 GPUs' explain pasted
# Wrong results come before a hang, an error that ends the run before its rows; two tables are two.
{ echo '# size count type redop root time algbw busbw #wrong'; echo '1048576 262144 float sum -1 40.0 26.21 39.32 7'
  echo '[rank0]:[E ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=8, OpType=ALLREDUCE, NumelIn=9, NumelOut=9, Timeout(ms)=600) ran for 601 milliseconds before timing out.'; } >pasted
"$ringsim" explain pasted | sed -n 2p | grep -q 'line 2, error: wrong results'
report $? "wrong results before a hang"
{ sed 1q pasted; echo '[0] 1048576 262144 float sum -1[0] 40.0 26.21 39.32 0'; echo "n: Test NCCL failure common.cu:9 'internal error'"; } >died
"$ringsim" explain died | sed -n 2p | grep -q 'came to no end, an error stopped it: Test NCCL failure common.cu:9'
report $? "what ended a run before its rows, of which a launcher tagged the pieces"
{ echo './all_reduce_perf -g 4'; sed 1q pasted; echo '1048576 262144 float sum -1 40.0 26.21 39.32 0'; echo './all_gather_perf -g 4'; sed 1q pasted
  echo '1048576 65536 float none -1 40.0 26.21 19.66 0'; } >two
"$ringsim" explain two >out && holds 'busbw 39.3 GB/s at 1.05 MB, the best of all_reduce_perf from line 3 on' out && holds 'busbw 19.7 GB/s at 1.05 MB, the best of all_gather_perf' out
report $? "two tables, each by its collective"
"$ringsim" explain two --json | python3 -c 'import json, sys; assert json.load(sys.stdin)["files"][0]["tables_before"][0]["collective"] == "all_reduce"'
report $? "and in JSON"
{ echo "KeyError: 'labels'"; echo 'ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: 1) local_rank: 0 (pid: 76781) of binary: /usr/bin/python'; } >raised.txt
"$ringsim" explain raised.txt | sed -n 2p | grep -q "^line 1, warning: .* own words: KeyError: 'labels'" && "$ringsim" explain raised.txt | grep -q 'its exception, in'
report $? "an exception that no row knows comes before what follows from it"
says 0 'RuntimeError: ncclCommInitRank failed: unhandled cuda error (run with NCCL_DEBUG=INFO for details)' 'a class, no cause'
says 0 "n1: Test CUDA failure common.cu:941 'system not yet initialized'" 'nvidia-fabricmanager'
{ echo '[rank5]:[E131 17:25:53.3 ProcessGroupNCCL.cpp:616] [Rank 5] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=14217, OpType=ALLGATHER, NumelIn=1, NumelOut=8, Timeout(ms)=600000) ran for 600039 milliseconds before timing out.'
  echo '[1.5] NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.'; } >fallen.log
"$ringsim" explain fallen.log | sed -n 2p | grep -q '^line 2, warning: NVRM says' && "$ringsim" explain fallen.log | grep -q '^undecided: only a part'
report $? "a cause comes before a hang that is undecided"
printf '%s\n' 'epoch 0' '2026-11-20 10:00:01,123 INFO loss 2.31' >other.log
wants 0 "line 2, note: a program's log, by this line, in which no line is NCCL's" explain other.log
wants 0 '"kind":"unknown"' explain --json other.log
printf '%s\n' 'RuntimeError: NCCL error in: x.cpp:1333, unhandled cuda error, NCCL version 2.21.5' >raised.log
wants 0 '"kind":"error","nccl":"2.21.5"' explain --json raised.log
"$ringsim" explain raised.log >out && holds "raised.log: error" out && holds "NCCL 2.21.5 (line 1)" out && ! holds "how many ranks" out
report $? "an exception alone is an error, no log of NCCL's"
printf '%s\n' '#       size         count      type   redop    root     time   algbw   busbw #wrong' "   134217728      33554432     float     sum      -1h: Test NCCL failure file:303 'remote process exited or there was a network error / '" >died.txt
wants 0 "line 2, warning: NCCL says: remote process exited or there was a network error; another process of" explain died.txt
wants 2 "explain reads" explain
wants 2 "--why, --tuner and --env need" explain graph.xml --why 1M

# A topology has no rings of NCCL's: ringsim searches, and says so.
T=$top/tests/data/topologies
"$ringsim" explain "$T/dgx1-v100.xml" >out && holds "ringsim's own search, not by NCCL's: 6 of 20 GB/s" out && holds "ring 2: 0 3 2 1 5 6 7 4" out
report $? "rings on a topology are marked as our own"
"$ringsim" explain "$T/dgx1-v100.xml" --draw rings --save own.sched 2>err && holds "own search" err && holds "# rings by ringsim's own search" own.sched &&
    "$ringsim" check own.sched | grep -q sound
report $? "they are drawn, too: a sound schedule"
"$ringsim" explain "$T/gh200x4.xml" --json | python3 -c '
import json, sys
f = json.load(sys.stdin)["files"][0]
assert f["rings_by"] == "ringsim" and len(f["rings"]) == 6 and all(sorted(r) == [0, 1, 2, 3] for r in f["rings"])'
report $? "and they are in JSON"

# A log that claims ranks it has no lines of takes no memory for them.
for n in 131072 2147483647; do
    {
        echo "h1:9:9 [0] NCCL INFO NCCL version 2.28.9+cuda12.9"
        echo "h1:9:9 [0] NCCL INFO ncclCommInitRank comm 0x5f rank 0 nranks $n cudaDev 0 nvmlDev 0 busId 1000 commId 0x9 - Init START"
        echo "h1:9:9 [0] NCCL INFO Channel 00/02 : 0 1 2 3"
    } >hollow
    if [ "$(grep -c __asan_init "$ringsim")" -gt 0 ]; then
        "$ringsim" explain hollow >out
        echo "ok $n ranks in three lines # skip: a sanitizer needs all addresses"
    else
        (ulimit -v 200000 && exec timeout 5 "$ringsim" explain hollow >out) && holds "NCCL 2.28.9" out
        report $? "$n ranks in three lines: 200 MB are enough"
    fi
done
holds "or one says more than 131072" out
report $? "more ranks than can be are said to be so"

printf 'h1:9:9 [0] NCCL INFO NCCL_ALGO set by environment to rings.\nh1:9:9 [0] NCCL INFO NCCL version 2.28.9+cuda12.9\n' >bad.log
"$ringsim" explain bad.log >out
[ $? = 1 ] && holds "line 1, error: NCCL_ALGO: there is no rings" out
report $? "a setting that NCCL cannot read is an error"
if "$ringsim" doctor | grep -qE '^  gettext +yes'; then
    "$ringsim" explain bad.log --lang zh_CN >out
    holds "NCCL_ALGO：没有 rings" out
    report $? "in the reader's language"
    wants 2 "日志里没有调优表" explain bad.log --why 1M --lang zh_CN
fi

# What an engineer reads first in a log of a start that does not end.
cat >start.log <<'LOG'
#  Rank  0 Group  0 Pid   4711 on node-a device  0 [0000:0f:00] NVIDIA Tesla T9
[1,0]<stdout>:NCCL version 2.21.5+cuda12.4
[1,0]<stdout>:node-a:4711:4711 [0] NCCL INFO NET/OFI Adding NCCL_PROTO=simple to environment
[1,0]<stdout>:node-a:4711:4711 [0] NCCL INFO NET/IB : Using [0]x0:1/RoCE [1]x1:1/RoCE [RO]; OOB eth0:10.0.0.1<0>
[1,0]<stdout>:node-a:4711:4711 [0] NCCL INFO NET/IB : GPU Direct RDMA Disabled for HCA 0 'x0'
[1,0]<stdout>:node-a:4711:4711 [0] NCCL INFO Using network IB
[1,0]<stdout>:node-a:4711:4720 [0] NCCL INFO ncclCommInitRank comm 0x5 rank 0 nranks 2 cudaDev 0 busId f000 commId 0x9 - Init START
[1,1]<stdout>:node-b:4712:4720 [0] NCCL INFO ncclCommInitRank comm 0x6 rank 1 nranks 2 cudaDev 0 busId f000 commId 0x9 - Init START
[1,0]<stdout>:node-a:4711:4720 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0
[1,1]<stdout>:node-b:4712:4720 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [receive] via NET/IB/0
[1,1]<stdout>:node-b:4712:4720 [0] NCCL INFO socketPollConnect: connect returned Connection refused, retrying (1/34) after sleep for 100 msec
[1,0]<stdout>:node-a:4711:4720 [0] NCCL INFO comm 0x5 rank 0 nranks 2 cudaDev 0 busId f000 - Abort COMPLETE
LOG
"$ringsim" explain start.log >out && holds "NCCL 2.21.5, 2 ranks on 2 nodes (lines 2, 7)" out && holds "GPUs: NVIDIA Tesla T9 (line 1)" out &&
    holds "network IB (line 6)" out && holds "2 NICs: [0]x0:1/RoCE [1]x1:1/RoCE (line 4)" out && ! holds communicators out
report $? "version, nodes, GPUs, network and NICs, behind a launcher's prefix"
holds " 1 connection by NET/IB" out && tr '\n' ' ' <out | tr -s ' ' >flat && holds "(no GDRDMA); line 5 says so" flat &&
    holds "line 3, note: set by the network plugin: NCCL_PROTO=simple" out
report $? "a connection counts once, and why it takes a detour is told"
holds "of the 2 of communicator 0000000000000009: 2." flat && holds "line 11, warning: connecting failed and was tried again, 1 times" out &&
    holds "unknown: 0," out
report $? "who does not come to the end, and who does not listen"
"$ringsim" explain start.log --lang zh_CN >out
! "$ringsim" doctor | grep -qE '^  gettext +yes' || holds "2 块网卡" out
report $? "in Chinese"
for last in 1 0; do # over NVLink, or not
    for h in 0 1; do
        echo "h$h:1:1 [0] NCCL INFO comm 0x5$h rank $h nRanks 2 nNodes 1 localRanks 2 localRank $h MNNVL $last"
    done >domain.log
    "$ringsim" explain domain.log >out
    [ "$(grep -c '^NVLink joins 2 hosts (MNNVL): a node is all that it joins$' out)" = $last ]
    report $? "hosts that NVLink joins: $last"
done
printf 'h:1:1 [0] x.cc:9 NCCL WARN Call to ibv_reg_mr failed\nh:1:2 [1] x.cc:9 NCCL WARN Call to ibv_reg_mr failed\n' >warn.log
wants 0 "NCCL warns, 2 times: Call to ibv_reg_mr failed; most likely memory" explain warn.log
"$ringsim" explain start.log --json | python3 -c '
import json, sys
f, = json.load(sys.stdin)["files"]
assert f["network"] == "IB" and f["gpu"] == "NVIDIA Tesla T9" and f["nics"].startswith("[0]x0")
assert f["transports"] == [{"name": "NET/IB", "connections": 1, "line": 9}] and f["settings"][0]["by_plugin"], f'
report $? "the same in JSON"
printf '[1,0]<stdout>:RCCL version 2.20.5+hip6.2 HEAD:45b618a+\n' >rccl.log
wants 0 "this is RCCL" explain rccl.log

# A large log is read line by line: calls of one kind are one sum, and what it takes does not grow with it.
awk 'BEGIN {
    print "h0:1:1 [0] NCCL INFO NCCL version 2.28.9+cuda12.9"
    for (i = 0; i < 120000; i++) {
        printf "h0:1:%d [0] NCCL INFO AllReduce: opCount %x sendbuff 0x7f00 recvbuff 0x7f00 ", i % 8 + 1, i
        printf "count %d datatype 7 op 0 root 0 comm 0x55a0 [nranks=8] stream 0x1\n", 1024 * (i % 3 + 1)
    }
    printf "h0:1:1 [0] NCCL INFO comm 0x5 rank 0 nRanks 8 nNodes 1 localRanks 8 localRank 0 MNNVL 0"
}' >large
"$ringsim" explain large >out && holds "calls that the log's ranks began: 120000, of 3 kinds" out &&
    holds "12.29 kB (3072 float32), 40000 times, from line 4 on" out && holds "8 ranks on 1 node" out && holds "lines: 120002, of use: 120002" out
report $? "calls are added up, in a log that is read in pieces"
cat large | "$ringsim" explain - | sed 1d >piped && sed 1d out | cmp -s - piped
report $? "the same from a pipe"
cat large | "$ringsim" explain /dev/stdin | sed 1d | cmp -s - piped
report $? "and from one that has a name"
cat graph.xml | "$ringsim" explain - | sed 1d >out && "$ringsim" explain graph.xml | sed 1d | cmp -s - out
report $? "a graph from a pipe"
# A real one: NCCL's own table, and graphs that it did not find.
"$ringsim" explain "$top/tests/data/nccl-logs/one-h100.log" >out && holds "210 of its 210 numbers come out of NCCL 2.28.9's model, digit for digit" out &&
    holds "from 4.19 MB Ring Simple; 1 of 1 sizes as the model chooses" out
report $? "the table of a real NCCL is the model's"
"$ringsim" explain "$top/tests/data/nccl-logs/one-h100-graph.xml" >out && holds "graph 3       0 channels of 0 GB/s inside a node" out && ! grep -q 'error' out
report $? "graphs without channels have no speed"
sed 's/nchannels="1" speedintra="1.2"/nchannels="1" speedintra="0"/' "$top/tests/data/nccl-logs/one-h100-graph.xml" >zero.xml
"$ringsim" explain zero.xml >out
holds "line 2, error: speedintra: a bandwidth in GB/s" out
report $? "those that have channels have one"
"$ringsim" explain - </dev/null >out 2>&1
[ $? = 2 ] && [ "$(wc -l <out)" = 1 ]
report $? "an empty one is refused in a line"
head -c 20000000 </dev/zero | tr '\0' 'x' >>large
"$ringsim" explain large >out && holds "lines: 120002, of use: 120002" out
report $? "a line of 20 MB is cut"

# One door: what tells of a hang is said first, whatever it is in; and a table of a run beside it.
line() { printf '[rank%d]:[E626 16:48:25.4 ProcessGroupNCCL.cpp:632] [Rank %d] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=900, OpType=ALLREDUCE, NumelIn=4096, NumelOut=4096, Timeout(ms)=600000) ran for 600000 milliseconds before timing out.\n[rank%d]:[E626 16:48:25.5 ProcessGroupNCCL.cpp:2268] [PG ID 0 PG GUID 0(default_pg) Rank %d]  failure detected by watchdog at work sequence id: 900 PG status: last enqueued work: 902, last completed work: 899\n' "$1" "$1" "$1" "$1"; }
for r in 0 1 2 4 5 6 7; do line $r; done >hung.log
said="no line shows a call of rank 3, which is waited for in all_reduce, call 900"
mkdir -p logs/attempt_0/3 logs/attempt_1/3
line 3 >logs/attempt_0/3/stderr.log
cp hung.log logs/attempt_1/3/stderr.log
for how in hung.log logs "graph.xml hung.log"; do
    # shellcheck disable=SC2086
    "$ringsim" explain $how >out 2>err
    [ $? -eq 1 ] && head -1 out | grep -qF "$said" && [ ! -s err ]
    report $? "explain says first whose hang it is: ${how%% *}"
done
iconv -f utf-8 -t utf-16 hung.log | "$ringsim" explain - >out 2>err
[ $? -eq 1 ] && head -1 out | grep -qF "$said" && [ ! -s err ]
report $? "the same from a pipe, in UTF-16"
{ cat hung.log; echo "[default] Worker group FAILED. 2/3 attempts left; will restart worker group"; echo "step 1 loss 2.1"; } >again.log
wants 1 "started anew (again.log:15), the job tells of no hang; the attempt before: " explain again.log
{ echo "LINES = ["; sed 's/.*/    "&",/' hung.log; echo "]"; } >spoken.py
wants 2 "spoken.py: a text in which nothing is known" explain spoken.py
# An exception beside it comes first where the calls decide nothing, unless it only waited itself.
{ echo "OSError: [Errno 28] No space left on device: 'a.pt'"; line 0; } >full.log
"$ringsim" explain full.log >out
[ $? -eq 1 ] && sed -n 2p out | grep -qF "in its own words: OSError" && grep -qF "undecided: rank 0 is in all_reduce" out
report $? "an exception beside a hang that is undecided"
{ echo "RuntimeError: [x/gloo/y.cc:133] Timed out waiting 1800000ms for recv"; line 0; } >gloo.log
wants 1 "undecided: rank 0 is in all_reduce" explain gloo.log
"$ringsim" explain gloo.log | head -1 | grep -q '^undecided'
report $? "one that waited is told behind it, or not at all"
"$ringsim" explain --json hung.log | grep -qF '"hang":{"ranks":8'
report $? "the same in JSON"
"$ringsim" explain "$top/tests/data/nccl-logs/one-h100.log" | head -1 | grep -q "nccl-log"
report $? "a log of a run that was slow is no hang"

rm -f large
exit "$failed"
