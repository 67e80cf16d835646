#!/bin/sh
# estimate.sh: `ringsim estimate`: the table, CSV, JSON; NCCL's settings; measured tables; what is wrong is one line.
top=$PWD
. tests/tools/command-test
json() { python3 -c "import json,sys; d=json.load(sys.stdin); $1"; }

$ringsim estimate --machine dgx-h100:2 --json >out && json '
assert d["schema"] == "ringsim.estimate/1" and d["gpus"] == 16 and d["nodes"] == 2 and d["nccl"] == "2.28.9"
assert [r["bytes"] for r in d["rows"]] == [8 << i for i in range(31)]
for r in d["rows"]:
    assert abs(r["busbw_GBps"] - r["algbw_GBps"] * 30 / 16) <= 0.002
    assert abs(r["algbw_GBps"] - r["bytes"] / r["simulated_us"] / 1e3) <= 0.001
    assert r["simulated_us"] >= r["in_switch_bound_us"] - 0.001 and r["measured_us"] is None
    assert r["algorithm"] in ("Ring", "Tree", "NVLS", "NVLSTree") and r["protocol"] in ("LL", "LL128", "Simple")
assert d["error"] is None' <out
report $? "JSON: sizes, rates, bounds"
$ringsim estimate --machine dgx-h100:2 --json >again && cmp -s out again
report $? "the same bytes twice"
for m in dgx-h100:8 hgx-a100 dgx1-v100 gh200x4:4 b200 rtx4090-host rtx2080ti; do
    $ringsim estimate --machine $m --csv >csv && [ "$(wc -l <csv)" = 32 ]
    report $? "$m has 31 rows"
done
timeout 120 $ringsim estimate --machine dgx-h100:8 >/dev/null # a fraction of a second where nothing else runs
report $? "64 GPUs from 8 B to 8 GiB"

$ringsim estimate --machine dgx-h100 -b 64M -e 1G -f 4 --nccl-algo Ring --nccl-proto Simple --csv >csv
[ "$(tail -n +2 csv | cut -d, -f2,3 | sort -u)" = Ring,Simple ] && [ "$(wc -l <csv)" = 4 ]
report $? "NCCL_ALGO and NCCL_PROTO are obeyed"
for c in all-gather reduce-scatter broadcast reduce; do
    $ringsim estimate --machine dgx-h100 --collective $c -b 1M -e 1G --json | json "
assert d['collective'] == '$c' and all(r['simulated_us'] > 0 for r in d['rows'])"
    report $? "$c is estimated"
done
$ringsim estimate --machine dgx-h100 -b 8 -e 8 --launch threads --csv | tail -n 1 | cut -d, -f6 >threads
$ringsim estimate --machine dgx-h100 -b 8 -e 8 --csv | tail -n 1 | cut -d, -f6 >processes
python3 -c 'import sys; sys.exit(not float(open("threads").read()) > 2 * float(open("processes").read()))'
report $? "one thread that launches eight GPUs is slower"


# The tuner's time below the bound is said, in the table and in JSON, and where there is none nothing is.
wants 0 "tuner's time is below the bound of the wires: 3;" estimate --machine b200:2 -b 8 -e 8G
"$ringsim" estimate --machine b200:2 -b 8 -e 8G --lang zh_CN >out && grep -q "低于链路下界.*3" out
report $? "and in Chinese"
# NVLS adds in the switch: its bound is another, and holds for what is simulated, too.
"$ringsim" estimate --machine dgx-h100 -b 4G -e 4G >out && awk '$1 == 4294967296 { found = $9 == "NVLS" && $6 >= $13 } END { exit !found }' out
report $? "no time is below its bound"
"$ringsim" estimate --machine dgx-h100 -b 8 -e 1K >out && ! grep -q "below the bound" out
report $? "no word where no time is below"
for m in dgx-h100 b200:2; do
    "$ringsim" estimate --machine $m --json | json "
assert d['tuner_below_bound'] == sum(
    r['tuner_us'] < r['in_switch_bound_us' if r['algorithm'].startswith('NVLS') else 'bound_us'] for r in d['rows'])"
    report $? "$m: JSON counts them"
done
wants 0 unchecked estimate --machine dgx-h100 --nccl 2.35.1 -e 64
wants 1 "--strict" estimate --machine dgx-h100 --nccl 2.35.1 --strict
wants 2 "estimate needs a machine" estimate
denies 2 "'table': estimate takes options only; see ringsim --help" estimate table --machine dgx-h100
denies 2 "only one output can go to standard output" estimate --machine dgx-h100 --json --csv
wants 2 "2.18 on" estimate --machine dgx-h100 --nccl 2.4
wants 2 "nccl-algo" estimate --machine dgx-h100 --nccl-algo Rong
wants 2 "no algorithm to choose for all-to-all" estimate --machine dgx-h100 --collective all-to-all
wants 2 "from one byte" estimate --machine dgx-h100 -b 1M -e 8
wants 2 "nothing is left" estimate --machine dgx-h100 --nccl-algo PAT
wants 2 "--like" estimate --machine dgx-h100 --like star
wants 0 "a guess from the bandwidth of a port" estimate --machine box:1,gpus=8,port=240GB/s -e 64
wants 0 "constants are unknown" estimate --machine box:2,gpus=8,port=240GB/s,nics=8x25GB/s -e 64
wants 0 "how near: not known" estimate --machine gb200-nvl72:2 -e 64

# A table of four GPUs: the error row by row and summed up.
{
    echo "# nThread 1 nGpus 4 minBytes 1048576 maxBytes 4194304 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0"
    echo "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong"
    echo "     1048576        262144     float     sum      -1    27.03   38.79   58.18      0    27.00   38.83   58.25      0"
    echo "     2097152        524288     float     sum      -1    31.27   67.06  100.59      0    31.30   67.00  100.50      0"
    echo "     4194304       1048576     float     sum      -1    43.41   96.63  144.94      0    43.40   96.64  144.96      0"
} >table
$ringsim estimate --machine box:1,gpus=4,port=370.8GB/s --launch threads --measured table --json >out && json '
rows = d["rows"]
assert [r["measured_us"] for r in rows] == [27.03, 31.27, 43.41]
off = [abs(r["simulated_us"] / r["measured_us"] - 1) for r in rows]
large, small = d["error"]["large"], d["error"]["small"]
assert large["rows"] == 2 and small["rows"] == 1
assert abs(large["mean"] - sum(off[1:]) / 2) < 1e-4 and abs(large["worst"] - max(off[1:])) < 1e-4
assert abs(small["geomean"] - max(off[0], 0.001)) < 1e-4' <out
report $? "a measured table: its rows, and the errors summed up"
wants 0 "error of 2 rows from 2 MiB on" estimate --machine box:1,gpus=4,port=370.8GB/s --measured table
wants 2 "is of 4 GPUs, the machine has 8" estimate --machine dgx-h100 --measured table
wants 2 "no row between" estimate --machine box:1,gpus=4,port=370.8GB/s --measured table -b 1G
# Tables of other collectives are read, too, and taken for no other's.
{
    echo "# Collective test starting: all_gather_perf"
    head -n 2 table
    echo "  1073741824     268435456     float    none      -1  4000.00  268.44  201.33      0"
} >gather
wants 2 "is of all_gather; add --collective all-gather" estimate --machine box:1,gpus=4,port=370.8GB/s --measured gather
wants 0 "error of 1 rows from 2 MiB on" estimate --machine box:1,gpus=4,port=370.8GB/s --measured gather --collective all-gather
wants 2 "is of all_gather; add --collective all-gather" estimate --machine box:1,gpus=4,port=370.8GB/s --measured gather --collective broadcast

# Two rows calibrate a machine; the estimate then meets both, and takes the factors back.
head -n 2 table >two
{
    echo "        4096          1024     float     sum      -1    50.00    0.08    0.12      0"
    echo "  1073741824     268435456     float     sum      -1  9000.00  119.30  178.96      0"
} >>two
$ringsim fit --machine box:1,gpus=4,port=370.8GB/s two --json >out && json '
assert d["schema"] == "ringsim.fit/1" and d["rows"] == 2 and 0.3 < d["rate"] < 0.8 and d["latency"] > 2
assert d["before"]["large_geomean"] > 0.3 and d["now"]["large_geomean"] < 0.01 and d["now"]["small_geomean"] < 0.01
print("--rate", d["rate"], "--latency", d["latency"])' <out >factors
report $? "two rows calibrate a machine"
# shellcheck disable=SC2046
$ringsim estimate --machine box:1,gpus=4,port=370.8GB/s $(cat factors) --measured two --json | json '
assert d["error"]["large"]["worst"] < 0.01 and d["error"]["small"]["worst"] < 0.01'
report $? "estimate with these factors meets the rows"
wants 0 "how far off other sizes are they do not tell" fit --machine box:1,gpus=4,port=370.8GB/s two
wants 0 "no row is of 1 KiB or less" fit --machine box:1,gpus=4,port=370.8GB/s two
{ head -n 2 two; echo "  512 128 float sum -1 50.00 0.01 0.02 0 40.00 0.01 0.02 0"; tail -n 1 two; } >three
$ringsim fit --machine box:1,gpus=4,port=370.8GB/s three --json >out && { head -n 2 two; echo "  512 128 float sum -1 40.00 0.01 0.02 0"; tail -n 1 two; } >lesser &&
    $ringsim fit --machine box:1,gpus=4,port=370.8GB/s lesser --json | cmp -s - out
report $? "of a size's two times the lesser counts"
head -n 3 table >one
wants 2 "two rows at least" fit --machine box:1,gpus=4,port=370.8GB/s one
wants 2 "takes no --links" fit --machine dgx-h100 --gpus 4 two
wants 2 "reads one table" fit --machine box:1,gpus=4,port=370.8GB/s

# NVLS Tree joins nodes: its tuner's time by version (2.18 counts each node, 2.28.9 a dearer hop); on one node there is none.
for version in "2.18.5 101.73" "2.19.4 54.28" "2.28.9 69.56"; do
    wants 0 "${version#* }" estimate --machine dgx-h100:3 --nccl ${version% *} --nccl-algo NVLSTree -b 512K -e 512K
done
wants 2 "nothing is left that runs all-reduce" estimate --machine dgx-h100 --nccl-algo NVLSTree

# Graphs from NCCL's own log, and from its dump.
cp "$top/tests/data/nccl-logs/two-nodes.log" log
wants 0 "channels as NCCL found them (log)" estimate --machine dgx-h100:2 -b 1M -e 1M --graphs log
wants 2 "of 16 ranks on 2 nodes; the machine has 8 GPUs on 1" estimate --machine dgx-h100 -b 1M -e 1M --graphs log
cat >graph.xml <<'XML'
<graphs version="1"><graph id="0" pattern="4" crossnic="0" nchannels="1" speedintra="40" speedinter="40" latencyinter="0" typeintra="NVL" typeinter="PIX" samechannels="1"><channel><gpu dev="0" rank="0"/><gpu dev="2" rank="2"/><gpu dev="1" rank="1"/><gpu dev="3" rank="3"/></channel></graph></graphs>
XML
wants 0 "Ring      1 channels of 40 GB/s" estimate --machine gh200x4 -b 1M -e 1M --graphs graph.xml
wants 0 "rings, by GPUs of a node: 0 2 1 3" estimate --machine gh200x4 -b 1M -e 1M --graphs graph.xml
wants 2 "rings of 4 GPUs; a node of the machine has 8" estimate --machine dgx-h100 -b 1M -e 1M --graphs graph.xml
sed 's/id="0"/id="1"/' graph.xml >tree.xml
wants 2 "no graph of rings in it" estimate --machine gh200x4 -b 1M -e 1M --graphs tree.xml

# A dump may have channels of NVLS where no switch adds: what NCCL would take there is told, no time and no wire.
for id in 0 3; do
    echo "<graph id=\"$id\" pattern=\"4\" nchannels=\"16\" speedintra=\"20\" speedinter=\"20\" latencyinter=\"0\" typeintra=\"NVL\" typeinter=\"PIX\">"
    for c in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        echo '<channel><gpu dev="0" rank="0"/><gpu dev="1" rank="1"/><gpu dev="2" rank="2"/><gpu dev="3" rank="3"/></channel>'
    done
    echo '</graph>'
done >graphs
{ echo '<graphs version="1">' && cat graphs && echo '</graphs>'; } >nvls.xml
sed '/^ *1048576/s/1048576 /  65536 /; s/ 262144 /  16384 /; s/38.79   58.18/ 2.42    3.64/; s/38.83   58.25/ 2.43    3.64/; /^ *2097152/d' table >wide
nvls() { "$ringsim" estimate --machine box:1,gpus=4,port=370.8GB/s --like dgx-h100 --graphs nvls.xml --measured wide "$@"; }
nvls >out && awk '
    $1 == 65536 { bad += $9 == "NVLS" || $6 !~ /^[0-9.]+$/ || $15 !~ /^[+-][0-9]+\.[0-9]$/ || $16 == "-"; n++ }
    $1 > 65536 { bad += $9 != "NVLS" || $6 != "-" || $7 != "0.00" || $8 != "0.00" || $13 != "-" || $15 != "-" || $16 != "-"; n++ }
    /^# error of/ { rows = rows " " $4 }
    END { exit bad > 0 || n != 2 || rows != " 1" }' out
report $? "of a way that is not simulated there is no time, and no error is summed up"
nvls --csv | awk -F , 'NR > 2 { bad += $2 != "NVLS" || $6 $7 $8 $10 $12 != "" || $9 == "" || $11 == "" } END { exit bad > 0 || NR != 3 }'
report $? "nor in CSV"
nvls --json | json '
small, large = d["rows"]
assert small["simulated_us"] > 0 and small["bottleneck"] is not None
assert large["algorithm"] == "NVLS" and large["measured_us"] > 0 and large["bound_us"] > 0
assert all(large[k] is None for k in ("simulated_us", "algbw_GBps", "busbw_GBps", "in_switch_bound_us", "bottleneck"))
assert d["error"]["large"] is None and d["error"]["small"]["rows"] == 1'
report $? "nor in JSON"

# Where the rings come from: a log of NCCL's, whose source is named, or our own search.
wants 0 "channels as NCCL found them (a public log of NCCL 2.19.3" estimate --machine dgx1-v100 -b 1M -e 1M
wants 0 "rings, by GPUs of a node: 0 3 2 1 5 6 7 4; 0 4 7 6 5 1 2 3" estimate --machine dgx1-v100 -b 1M -e 1M
wants 0 "nccl#1453" estimate --machine dgx-h100:3 -b 1M -e 1M
wants 0 "channels by ringsim's own search, not by NCCL's" estimate --machine gh200x4 -b 1M -e 1M
for m in dgx-h100 gh200x4; do
    "$ringsim" estimate --machine $m -b 1M -e 1M --json | python3 -c '
import json, sys
d = json.load(sys.stdin)
stored = sys.argv[1] == "dgx-h100"
assert d["graphs"] == ("nccl" if stored else "ringsim") and (d["graphs_source"] is None) != stored
assert len(d["rings"]) == 6 and len(d["rings"][0]) == d["gpus"]' $m
    report $? "JSON says whose the rings of $m are"
done
# Machines of today: a rack of 72, many of them, one GPU a node; a switch that adds; what is not NCCL's.
for machine in gb200-nvl72 gb300-nvl72:20 b300:2 h20 h800:2 dgx-a100; do
    wants 0 "gpu0 -> " estimate --machine $machine -b 1K -e 1G
done
for machine in dgx-spark:2 t4:4 l40s:8 box:512,gpus=1,port=24GB/s,nics=1x25GB/s; do wants 0 " -> fabric" estimate --machine $machine -b 64M -e 64M; done
wants 0 "  NVLS  " estimate --machine box:1,gpus=6,port=370.8GB/s,nvls --like dgx-h100 -b 64M -e 64M
wants 2 "'nvls' stands alone" estimate --machine box:1,gpus=6,port=370.8GB/s,nvls=1 -b 64M -e 64M
wants 2 "what RCCL would choose on mi300x is not known here" estimate --machine mi300x
"$ringsim" estimate --machine dgx-h100 --registered -b 1M -e 1M --json | json 'row, = d["rows"]; assert row["registered_kernel"] == "RSxLDMC_AGxSTMC" and row["registered_us"] == 9.332, row'
report $? "NCCL's own model of its kernels for registered buffers"
wants 0 " -  -  " estimate --machine dgx-h100:2 --registered -b 1M -e 1M
"$ringsim" estimate --machine dgx-h100:2 -b 64M -e 64M --json | json 'row, = d["rows"]; low, high = row["range_us"]; assert low < row["simulated_us"] < high < 1.5 * low, row'
report $? "a row has its range"
wants 2 "集合通信至少要两个 GPU" estimate --machine box:1,gpus=1,port=1GB/s --lang zh_CN
exit $failed
