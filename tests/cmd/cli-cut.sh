#!/bin/sh
# cli-cut.sh: lists that may be long are told whole up to a number, and cut above it: what is shown then, and how many are
# not, for numbers on both sides of each.
. tests/tools/command-test
bad=''
same() { # NAME: the lines in `shown` are those in `want`
    cmp -s want shown || { bad="$bad $1"; diff want shown | head -n 6; }
}
ends() { # NAME
    [ -z "$bad" ]
    report $? "$1$bad"
    bad=''
}
# The numbers from 0 on below N; of more than MOST the first HEAD and the last MOST - HEAD, a gap between them.
cut() { # N MOST HEAD
    if [ "$1" -le "$2" ]; then seq 0 $(($1 - 1)); else
        seq 0 $(($3 - 1))
        echo ...
        seq $(($1 - $2 + $3)) $(($1 - 1))
    fi
}
numbers() { sed -n "s/^$1 *\\([0-9][0-9]*\\)\\( .*\\)*\$/\\1/p; s/^ *\\(\\.\\.\\.\\)\$/\\1/p"; }

# ---------------------------------------------------------------- a job's start
for processes in 1 2 23 24 25 26 40; do
    "$ringsim" launch --nodes 1 --gpus-per-node $processes --gpus-per-proc 1 >out
    sed -n '/^The processes/,/^$/p' out | numbers process >shown
    cut $processes 16 12 >want
    same $processes
done
ends "launch: 16 processes, of more the first 12 and the last 4"
for nodes in 1 2 3 4 5 6 9; do
    "$ringsim" launch --nodes $nodes --gpus-per-node 1 --gpus-per-proc 1 >out
    sed -n 's/^node\([0-9]*\)\$ .*--node-rank \([0-9]*\) .*/\1 \2/p; s/^node\([0-9]*\)\$ .*/\1 \1/p; /^  0  /q; s/^\.\.\.$/&/p' out |
        awk '$1 == "..." { print; next } $1 != $2 { print "other" } { print $1 }' >shown
    cut $nodes 4 3 >want
    same $nodes
done
ends "launch: four nodes' commands, of more the first three and the last"
for processes in 2 30 31 32 33 34 35 36 50; do
    "$ringsim" launch --nodes 1 --gpus-per-node $processes --gpus-per-proc 1 >out
    sed -n '/^  0  /,$p' out | numbers ' \{0,2\}' >shown
    last=$(sed -n '$p' shown)
    cut "$last" 39 30 >want && echo "$last" >>want
    same $processes
done
ends "launch: 40 moments, of more the first 30 and the last 10"

# ---------------------------------------------------------------- words
for gpus in 1 15 16 17 18 30; do
    "$ringsim" mapreduce --gpus $gpus --text "a b c" >out
    sed -n '/^The pairs/,/^$/p' out | numbers GPU >shown
    cut $gpus 16 12 >want
    same $gpus
    awk 'BEGIN { for (i = 0; i < 90; i++) printf "w%d ", i }' >text
    "$ringsim" mapreduce --gpus $gpus --text text >out
    sed -n '/^What every GPU does/,/^$/p' out | numbers GPU >shown
    same $gpus-sums
done
ends "mapreduce: 16 GPUs, of more the first 12 and the last 4"
for gpus in 2 7 8 9; do
    "$ringsim" mapreduce --gpus $gpus --text "a b c" | grep '^  chunk 0 is then on' >shown
    awk -v n=$gpus 'BEGIN { if (n > 8) exit; printf "  chunk 0 is then on GPU 1"; for (c = 1; c < n; c++) printf ", %d on %d", c, (c + 1) % n; print "" }' >want
    awk -F, 'NF { print NF }' want >n && awk -F, 'NF { print NF }' shown | cmp -s - n || bad="$bad $gpus"
done
ends "mapreduce: of up to eight GPUs it is told who has which chunk then"
for words in 15 59 60 61 62; do
    "$ringsim" mapreduce --gpus 2 --text "$(seq 1 $words | tr '\n' ' ')" >out
    [ $words -gt 60 ] || grep -q '^The pairs' out || bad="$bad $words"
    [ $words -le 60 ] || ! grep -q '^The pairs' out || bad="$bad $words"
done
ends "mapreduce: 60 words are told pair by pair"
for gpus in 3 4 5 6; do
    "$ringsim" mapreduce --gpus $gpus --text "$(seq 1 60 | tr '\n' ' ')" >out
    all=$("$ringsim" mapreduce --gpus $gpus --text "$(seq 1 60 | tr '\n' ' ')" --json | grep -o '"messages":[0-9]*' | head -n 1 | tr -dc 0-9)
    [ -n "$all" ] || all=$(sed -n 's/^messages: \([0-9]*\),.*/\1/p' out)
    sed -n '/^What is sent/,/^$/p' out >part
    n=$(grep -c '^GPU [0-9]* -> GPU' part)
    if [ "$all" -le 16 ]; then [ "$n" = "$all" ] && ! grep -qF ... part; else [ "$n" = 16 ] && grep -q '^\.\.\.$' part; fi || bad="$bad $gpus:$all:$n"
done
ends "mapreduce: 16 messages are told"

# ---------------------------------------------------------------- samples
for gpus in 1 15 16 17 18 40; do
    "$ringsim" sampler --gpus $gpus --dataset 100 | sed -n '/^Who sees what$/,/^$/p' | numbers GPU >shown
    cut $gpus 16 12 >want
    same $gpus
done
ends "sampler: 16 GPUs, of more the first 12 and the last 4"
for n in 1 2 5 6 7 8 19; do
    "$ringsim" sampler --gpus 20 --dataset $((40 + n)) --drop-last | tr '\n' ' ' | sed -n 's/.*the end of the order: \([0-9., ]*\) order.*/\1\n/p' >shown
    awk -v n=$n 'BEGIN { for (i = 0; i < n && i < 6; i++) printf "%s%d", (i ? ", " : ""), 40 + i; print (n > 6 ? ", ..." : "") }' >want
    same dropped-$n
    "$ringsim" sampler --gpus 20 --dataset $((40 - n)) | sed -n 's/^  sample \([0-9]*\): GPU/\1/p; s/^  \.\.\.$/.../p' >shown
    awk -v n=$n 'BEGIN { for (i = 0; i < n && i < 6; i++) print i, i ", " (40 - n + i) % 20; if (n > 6) print "..." }' | sed 's/ \([0-9]*\),/ \1,/' >want
    same repeated-$n
done
ends "sampler: six samples that are dropped or dealt out twice are named"

# ---------------------------------------------------------------- a machine's links and ways
for kinds in 1 2 22 23 24 25 26 40; do
    for each in 1 3; do
        awk -v kinds=$kinds -v each=$each 'BEGIN {
            print "ringsim-machine 1\ngpus", kinds * each, "\nswitch s"
            for (i = 0; i < kinds * each; i++) print "link gpu" i, "s bandwidth 1GB/s latency", 1 + i % kinds "us"
        }' >a.machine
        "$ringsim" machine a.machine | sed -n '/^links$/,/^$/p' | sed -n 's/^ *\([0-9]*\) x .*, \([0-9]*\) us$/\1 \2/p; s/^ *\([0-9]*\) more of other kinds$/\1 more/p' >shown
        awk -v kinds=$kinds -v each=$each 'BEGIN {
            for (i = 1; i <= kinds && i <= 24; i++) print each, i
            if (kinds > 24) print (kinds - 24) * each, "more"
        }' >want
        same $kinds-$each
    done
done
ends "machine: 24 kinds of link, of more how many links"
# Links are of one kind if all that is said of them is the same.
for other in 'bandwidth 2GB/s raw 3GB/s latency 1us' 'bandwidth 1GB/s raw 2GB/s latency 1us' 'bandwidth 1GB/s raw 3GB/s latency 2us' \
    'bandwidth 1GB/s raw 3GB/s latency 1us kind pcie' 'bandwidth 1GB/s raw 3GB/s latency 1us shared'; do
    one='bandwidth 1GB/s raw 3GB/s latency 1us'
    for a in "$one" "$other"; do
        for b in "$one" "$other"; do
            printf 'ringsim-machine 1\ngpus 2\nswitch s\nlink gpu0 s %s\nlink gpu1 s %s\n' "$a" "$b" >a.machine
            n=$("$ringsim" machine a.machine | grep -c '^ *[0-9]* x ')
            if [ "$a" = "$b" ]; then [ "$n" = 1 ]; else [ "$n" = 2 ]; fi || bad="$bad [$a, $b: $n]"
        done
    done
done
printf 'ringsim-machine 1\ngpus 2\nswitch s t\nlink gpu0 s bandwidth 1GB/s\nlink s t bandwidth 1GB/s\nlink t gpu1 bandwidth 1GB/s\nlink gpu0 gpu1 bandwidth 1GB/s\n' >a.machine
"$ringsim" machine a.machine | sed -n 's/^ *\([0-9]* x  .*[a-zU]\)  *nvlink .*/\1/p' >shown
printf '2 x  GPU to switch\n1 x  switch to switch\n1 x  GPU to GPU\n' >want
same ends
ends "machine: links that differ in anything are two kinds"
# A way of up to ten wires is told whole, of a longer one five devices at each end.
for wires in 1 2 3 9 10 11 12 20; do
    awk -v n=$wires 'BEGIN {
        print "ringsim-machine 1\ngpus 2"
        if (n > 1) { printf "switch"; for (i = 1; i < n; i++) printf " s%d", i; print "" }
        for (i = 0; i < n; i++) print "link", i ? "s" i : "gpu0", i < n - 1 ? "s" i + 1 : "gpu1", "bandwidth 1GB/s latency 1us"
    }' >a.machine
    "$ringsim" machine a.machine | grep -A 1 '^gpu0 to gpu1' >shown
    awk -v n=$wires 'BEGIN {
        print "gpu0 to gpu1: at most 1 GB/s, latency", n, "us"
        printf "  gpu0"
        for (i = 1; i <= n; i++)
            if (n > 10 && i == 6) printf " - ..."
            else if (i <= 5 || i > n - 5) printf " - %s", i < n ? "s" i : "gpu1"
        print ""
    }' >want
    same $wires
done
ends "machine: a way of ten wires, of a longer one both ends"
# Ways are alike if they have as many wires, as long, as wide, of the same worst kind; those alike are counted.
plain='bandwidth 1GB/s latency 1us'
for other in "$plain" 'bandwidth 2GB/s latency 1us' 'bandwidth 1GB/s latency 2us' "$plain kind pcie"; do
    printf 'ringsim-machine 1\ngpus 5\nswitch s\nlink gpu0 s bandwidth 9GB/s\nlink gpu1 s %s\nlink gpu2 s %s\nlink gpu3 s %s\nlink gpu4 s %s\n' \
        "$plain" "$other" "$plain" "$other" >a.machine
    "$ringsim" machine a.machine | sed -n 's/^\(gpu0 to [^:]*\):.*/\1/p' >shown
    if [ "$other" = "$plain" ]; then echo "gpu0 to gpu1 and 3 more alike"; else printf 'gpu0 to gpu1 and 1 more alike\ngpu0 to gpu2 and 1 more alike\n'; fi >want
    same "[$other]"
done
ends "machine: ways that differ in anything are two"

# ---------------------------------------------------------------- rings
for gpus in 2 15 16 17 18; do
    for orders in 1 3 4 5 6; do
        [ "$gpus" -gt 2 ] || [ $orders = 1 ] || continue
        awk -v g=$gpus -v orders=$orders 'BEGIN {
            printf "<graphs version=\"1\"><graph id=\"0\" pattern=\"4\" crossnic=\"0\" nchannels=\"%d\" speedintra=\"20\" speedinter=\"20\" latencyinter=\"0\" typeintra=\"NVL\" typeinter=\"PIX\" samechannels=\"1\">", 2 * orders
            for (c = 0; c < 2 * orders; c++) {
                printf "<channel>"
                for (i = 0; i < g; i++) {
                    k = i > 0 && i <= orders ? (i - 1 + int(c / 2)) % (orders < g - 1 ? orders : g - 1) + 1 : i
                    printf "<gpu dev=\"%d\" rank=\"%d\"/>", k, k
                }
                printf "</channel>"
            }
            print "</graph></graphs>"
        }' >graph.xml
        "$ringsim" estimate --machine box:1,gpus=$gpus,port=200GB/s --graphs graph.xml -b 1M -e 1M | sed -n 's/^# *rings, by GPUs of a node: //p' >shown
        awk -v g=$gpus -v orders=$orders 'BEGIN {
            for (c = 0; c < orders && c < 4; c++) {
                printf "%s", c ? "; " : ""
                for (i = 0; i < g && i < 16; i++) printf "%s%d", (i ? " " : ""), (i > 0 && i <= orders ? (i - 1 + c) % (orders < g - 1 ? orders : g - 1) + 1 : i)
                if (g > 16) printf " ..."
            }
            print (orders > 4 ? "; ..." : "")
        }' >want
        same $gpus-$orders
    done
done
ends "estimate: four orders of rings, sixteen GPUs of each"
exit $failed
