#!/bin/sh
# machine.sh: `ringsim machine`: presets, files, boxes; what is saved is read again; what is wrong is one line.
top=$PWD
. tests/tools/command-test
json() { python3 -c "import json,sys; d=json.load(sys.stdin); $1" 2>/dev/null; }

presets=$(cd "$top/assets/machines" && ls | sed 's/\.machine$//')
for m in $presets; do
    $ringsim machine "$m" >words 2>errors && [ ! -s errors ] && head -n 1 words | grep -q "machine $m: GPUs [1-9]"
    report $? "the preset $m is described"
    $ringsim machine "$m" --save "$m.machine" >/dev/null &&
        $ringsim machine "$m.machine" --save - >again && cmp -s "$m.machine" again
    report $? "$m, saved, is read and saved alike"
    $ringsim list --lang en | grep -qw -- "$m"
    report $? "list names $m"
done
! grep -L '^#.*\(Latencies\|No real machine\)' "$top"/assets/machines/*.machine | grep -q .
report $? "every preset says where its numbers come from"

for m in dgx-h100 dgx-h200 hgx-a100 dgx1-v100 gh200x4 b200; do
    $ringsim machine $m:3 --json | json '
g = d["gpus"] // 3
assert d["schema"] == "ringsim.machine/1" and d["nodes"] == 3 and d["name"].endswith(":3")
way = {(r["src"], r["dst"]): [d["links"][i] for i in r["links"]] for r in d["routes"]}
assert len(way) == 3 * g * (3 * g - 1)
for (a, b), links in way.items():
    kinds = {l["kind"] for l in links}
    assert ("net" in kinds) == (a // g != b // g)
    assert links[0]["from"] == "gpu%d" % a or links[0]["to"] == "gpu%d" % a
assert sum(l["kind"] == "net" and l["from"].startswith("node2.") for l in d["links"]) in (4, 8)'
    report $? "$m:3 is three nodes, and only between them the network carries"
done

# A box: GPU i has NIC i k / g, or with more NICs than GPUs those j with j g / k = i.
for box in 8,8 8,4 8,1 4,8 3,2 2,3 1,5 6,4; do
    g=${box%,*} k=${box#*,}
    $ringsim machine "box:2,gpus=$g,port=100GB/s,nics=${k}x25GB/s,latency=300ns,nic-latency=1us" --json >box.json
    json "
g, k = $g, $k
has = {(l['from'], l['to']) for l in d['links'] if l['kind'] == 'pcie'}
want = {('gpu%d' % (n * g + i), 'node%d.nic%d' % (n, j)) for n in (0, 1) for i in range(g) for j in range(k)
        if (k <= g and i * k // g == j) or (k > g and j * g // k == i)}
assert has == want and d['nodes'] == 2 and d['gpus'] == 2 * g
assert all(l['bandwidth_Bps'] == 10**11 for l in d['links'] if l['kind'] == 'pcie')
assert {(l['from'], l['to'], l['alpha_ps'], l['bandwidth_Bps']) for l in d['links'] if l['kind'] == 'net'} == \\
    {('node%d.nic%d' % (n, j), 'fabric', 10**6, 25 * 10**9) for n in (0, 1) for j in range(k)}
assert all(l['to'].endswith('.sw') and l['alpha_ps'] == 300000 for l in d['links'] if l['kind'] == 'nvlink')" <box.json
    report $? "a box of $g GPUs and $k NICs a node"
done
$ringsim machine box:1,gpus=8,port=10GB/s | grep -q 'GPUs 8, nodes 1,'
report $? "one box needs no NIC"

# Twelve kinds of way from gpu0 are shown, each with an end; who lies beyond is counted.
many() {
    echo "ringsim-machine 1"; echo "gpus $1"; echo "switch s"
    for i in $(seq 0 $(($1 - 1 - $2))); do echo "link gpu$i s bandwidth 1GB/s latency ${i}us"; done
}
many 13 0 >a.machine && $ringsim machine a.machine >out && ! grep -q 'still\|no way' out && [ "$(grep -c '^gpu0 to' out)" = 12 ]
report $? "twelve kinds of way"
many 15 1 >a.machine && $ringsim machine a.machine >out && grep -q '^gpu0 to 1 more GPU, another way still$' out &&
    grep -q '^no way leads from gpu0 to 1 other GPU$' out
report $? "a thirteenth is counted, and who cannot be reached"
many 17 2 >a.machine && $ringsim machine a.machine >out && grep -q '^gpu0 to 2 more GPUs, other ways still$' out &&
    grep -q '^no way leads from gpu0 to 2 other GPUs$' out
report $? "of several, as many"

# Bounds: the nodes' NICs for what goes between them, as facts about such machines have it.
$ringsim machine gh200x4:8 --bytes 1GB --json | json '
b = d["bounds"]
assert b["all-reduce"]["time_ps"] == 17500000000 and len(b["all-reduce"]["blocks"]) == 8
assert sorted(sum(b["all-reduce"]["blocks"], [])) == list(range(32))
assert b["broadcast"]["time_ps"] == 10000000000 and abs(b["broadcast"]["busbw_GBps"] - 100) < 1e-9
assert set(b) == {"all-reduce", "reduce-scatter", "all-gather", "broadcast", "reduce", "all-to-all"}
assert all(x["in_switch_time_ps"] is None for x in b.values())'
report $? "8 GH200 nodes: 2(G-1)K over what leaves them"
$ringsim machine dgx-h100 --json | json '
b = d["bounds"]["all-reduce"]
assert abs(b["busbw_GBps"] - 450) < 1e-5 and b["blocks"] == [[i] for i in range(8)] and 0 < b["in_switch_time_ps"] < b["time_ps"]'
report $? "a node of H100: 450 GB/s, more where the switches add"
printf 'ringsim-machine 1\ngpus 3\nlink gpu0 gpu1 bandwidth 1GB/s\n' >apart.machine
$ringsim machine apart.machine --json | json 'assert d["bounds"]["reduce"]["time_ps"] is None and d["bounds"]["reduce"]["busbw_GBps"] is None' &&
    $ringsim machine apart.machine | grep -q 'some cannot be reached'
report $? "GPUs that cannot be reached have no bound"

refuses() { # WHAT TEXT
    $ringsim machine "$1" >out 2>errors
    [ $? -eq 2 ] && [ ! -s out ] && [ "$(wc -l <errors)" -eq 1 ] && grep -qF -- "$2" errors
    report $? "refused: $1"
}
# What bounds an exchange over a slow wire is what leaves the GPUs of one side: all of them, in runs.
runs() { # BIT MASK: the GPUs of six whose bit is so, 0-1,4
    awk -v bit="$1" -v mask="$2" 'BEGIN {
        for (i = 0; i <= 6; i++) {
            in_it = i < 6 && int(mask / 2 ^ i) % 2 == bit
            if (in_it && !open) { first = i; open = 1 }
            if (!in_it && open) { list = list (list == "" ? "" : ",") first (i - 1 > first ? "-" i - 1 : ""); open = 0 }
        }
        print list }'
}
bad=0
for mask in 3 5 9 12 21 27 33 37 45 46 51; do
    awk -v mask=$mask 'BEGIN {
        print "ringsim-machine 1\ngpus 6\nswitch a b\nlink a b bandwidth 2GB/s"
        for (i = 0; i < 6; i++) print "link gpu" i, int(mask / 2 ^ i) % 2 ? "a" : "b", "bandwidth 100GB/s"
    }' >sides.machine
    $ringsim machine sides.machine >out
    sed -n 's/^  all-to-all .* below [ab]: GPU //p' out >list
    [ "$(cat list)" = "$(runs 1 $mask)" ] || [ "$(cat list)" = "$(runs 0 $mask)" ] || bad=1
done
report $bad "the GPUs of one side are named, in runs"
# A list that is too long for its line ends where the next run might not fit.
for n in 62 64 66; do
    awk -v n=$n 'BEGIN {
        print "ringsim-machine 1\ngpus " n "\nswitch a b\nlink a b bandwidth 1GB/s"
        for (i = 0; i < n; i++) print "link gpu" i, i % 2 ? "b" : "a", "bandwidth 100GB/s"
    }' >comb.machine
    $ringsim machine comb.machine | sed -n 's/^  all-to-all .* below [ab]: GPU //p' >list
    for first in 0 1; do
        awk -v n=$n -v first=$first 'BEGIN {
            for (i = first; i < n; i += 2) {
                if (length(list) + 32 >= 120) { list = list ",..."; break }
                list = list (list == "" ? "" : ",") i
            }
            print list }'
    done | grep -qxF -f list
    report $? "of $n GPUs every other one lies on a side"
done
refuses dgx-h10 "did you mean 'dgx-h100'?"
refuses nosuchthing "there is no such machine"
refuses nosuch.machine "No such file"
refuses dgx-h100:0 "1..131072"
refuses dgx-h100:131072 "at most 131072"
refuses line:2 "no switch named 'fabric'"
refuses box: "box:2,gpus=8,port="
for lacking in box:2,port=1GB/s,nics=1x1GB/s box:2,gpus=2,nics=1x1GB/s box:1,gpus=2 box:1,port=1GB/s box:1; do
    refuses $lacking "a box has nodes, gpus and port"
done
refuses box:2,gpus=8,port=1GB/s "need NICs"
refuses box:2,gpus=8,port=0,nics=1GB/s "too small"
refuses box:2,gpus=8,port=-1,nics=1GB/s "no rate"
refuses box:2,gpus=8,port=1e30GB/s,nics=1GB/s "too large"
refuses box:2,gpus=8,port=1B/s,nics=1GB/s "1 kB/s to 10 PB/s"
refuses box:2,gpus=8,prot=1GB/s "did you mean 'port'?"
refuses box:40000,gpus=8,port=1GB/s,nics=8x1GB/s "at most 131072"
printf 'ringsim-machine 1\ngpus 2\nlink gpu0 gpu2 bandwidth 1GB/s\n' >bad.machine
refuses bad.machine "bad.machine: line 3, column 11: there is no device gpu2"
awk 'BEGIN { print "ringsim-machine 1\ngpus 2"; for (i = 0; i < 1000000; i++) print "link gpu0 gpu1 bandwidth 1GB/s" }' >million.machine
refuses million.machine "too many links: at most 500000"
$ringsim machine >out 2>errors
[ $? -eq 2 ] && grep -q 'name one machine' errors
report $? "machine without a machine"

# A large one: no more than a second, but for a busy computer.
timeout 120 sh -c "$ringsim machine dgx-h100:2048 --save large.machine && $ringsim machine large.machine" >out 2>&1 &&
    grep -q 'GPUs 16384, nodes 2048' out
report $? "16,384 GPUs are saved and read again"
exit $failed
