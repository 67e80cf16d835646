# machine-files.sh: machines from files of other programs: NCCL's topology XML, the text of nvidia-smi topo -m.
top=$PWD
. tests/tools/command-test
cp "$top"/tests/data/topologies/* .

value() { sed -n "s/.*\"$1\":\([^,}]*\).*/\1/p"; }
nothing_said() { [ ! -s err ]; }
printf '<system/>\n' >empty.xml
"$ringsim" machine empty.xml >out 2>err
if [ $? = 3 ]; then
    wants 3 "empty.xml: this build has no expat" machine empty.xml
    echo "ok topologies in XML # skip: this build has no expat"
    xml=
else
    xml=yes
fi

# The same all-reduce on two boxes of a preset and of a file: the wires that bound it are the same.
same_time() { # FILE PRESET OPTIONS...
    file=$1 preset=$2
    shift 2
    [ -n "$xml" ] || [ "${file%.xml*}" = "$file" ] || return 0
    one=$("$ringsim" --machine "$file" --engine flows "$@" --json 2>err | value makespan_ps)
    [ -n "$one" ] && [ "$one" = "$("$ringsim" --machine "$preset" --engine flows "$@" --json | value makespan_ps)" ]
    report $? "$file takes as long as $preset ${*:-}"
}
same_time dgx-h100.xml dgx-h100
same_time hgx-a100.xml hgx-a100 --algo halving
same_time dgx1-v100.xml dgx1-v100
same_time dgx1-v100.xml:2 dgx1-v100:2 --algo two-level
same_time gh200x4.xml:2 gh200x4:2
same_time dgx-h100.topo dgx-h100
same_time dgx1-v100.topo:2 dgx1-v100:2

if [ -n "$xml" ]; then
    "$ringsim" machine dgx-h100.xml:4 --json >out 2>err && nothing_said && [ "$(value gpus <out)" = 32 ] && [ "$(value nodes <out)" = 4 ]
    report $? "FILE.xml:4 is four nodes, and nothing is said"
    "$ringsim" machine dgx-h100.xml --save saved.machine >out 2>err && nothing_said &&
        "$ringsim" machine saved.machine --save - >again && cmp -s saved.machine again
    report $? "saved, it is a .machine"
    mkdir -p folder && cp gh200x4.xml folder/with.any.name
    "$ringsim" machine folder/with.any.name:2 >out 2>err && grep -q 'GPUs 8, nodes 2' out &&
        [ "$(grep -c '^ringsim: folder/with.any.name:[0-9]*: warning: pci: link_' err)" = 2 ] && [ "$(wc -l <err)" = 2 ]
    report $? "what a file is, its content says; warnings go to stderr, a line each"
    "$ringsim" machine - <gh200x4.xml >out 2>err && grep -q 'GPUs 4' out
    report $? "standard input is a file, too"
    "$ringsim" compare --machine dgx1-v100.xml:2 --bytes 1MB --algo ring,two-level >out 2>err && grep -q '^dgx1-v100.xml:2: GPUs 16, nodes 2' out
    report $? "compare takes it"

    sed '6s/dev="0"/dev="1"/' dgx1-v100.xml >twice.xml
    wants 2 "ringsim: twice.xml:13: gpu dev 1 stands in line 5 already" machine twice.xml
    sed '7s/count="1"/count="2"/' dgx1-v100.xml >asymmetric.xml
    wants 0 "asymmetric.xml:15: warning: nvlink: 1 links one way, 2 the other way in line 7" machine asymmetric.xml
    "$ringsim" --machine twice.xml >out 2>err
    [ $? = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ]
    report $? "an error is one line, and nothing else"
    sed '/<nic>/,/<\/nic>/d' dgx1-v100.xml >alone.xml
    wants 2 "alone.xml: without a NIC 2 nodes cannot reach each other" machine alone.xml:2
    wants 0 "GPUs 8, nodes 1" machine alone.xml
    wants 2 "none.xml: No such file" machine none.xml
    wants 2 "FILE.machine or FILE.xml" machine nothing
    # A template's devices are numbered by their bus ids, on each host anew: GPUs of all hosts one behind the other.
    for hosts in 1 2 3; do
        {
            echo '<system version="1">'
            for h in $(seq "$hosts"); do
                echo "<cpu host_hash=\"0x$h\" numaid=\"0\" affinity=\"ff\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"85\">"
                for d in 3 2 1 0; do # the last first; every other one has half of the lanes
                    echo "<pci busid=\"0000:0$d:00.0\" class=\"0x030200\" link_speed=\"16 GT/s\" link_width=\"$((16 >> d % 2))\"/>"
                    [ $d -gt 1 ] || echo "<pci busid=\"0000:1$d:00.0\" class=\"0x020000\" link_speed=\"16 GT/s\" link_width=\"$((8 << d))\"/>"
                done
                echo '</cpu>'
            done
            echo '</system>'
        } >template.xml
        for h in $(seq 0 $((hosts - 1))); do
            host=$([ "$hosts" = 1 ] || echo "host$h.")
            for d in 0 1 2 3; do echo "gpu$((4 * h + d)) ${host}cpu0 $([ $((d % 2)) = 0 ] && echo 31.507GB/s || echo 15.7535GB/s)"; done
            for d in 0 1; do echo "${host}cpu0 ${host}nic$d $([ $d = 0 ] && echo 15.7535GB/s || echo 31.507GB/s)"; done
        done | sort >wanted
        "$ringsim" machine template.xml --save - 2>err | sed -n 's/^link \([^ ]* [^ ]*\) .* raw \([^ ]*\) kind pcie$/\1 \2/p' | sort >got
        cmp -s wanted got && grep -q 'template.xml:1: warning: a template, without <gpu>' err
        report $? "a template of $hosts hosts"
    done
    { sed -n '1,2p' template.xml && grep -m 1 0x030200 template.xml && echo '</cpu></system>'; } >one.xml
    "$ringsim" machine one.xml >out 2>err && grep -q 'GPUs 1, nodes 1' out && grep -q 'one.xml:1: warning: a template, without <gpu>' err
    report $? "a template of one GPU"
    # Billions of laughs: no entity is even read.
    {
        echo '<!DOCTYPE system [<!ENTITY a "ha">'
        for i in b c d e f g h; do echo "<!ENTITY $i \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">"; done
        echo ']><system>&h;</system>'
    } >laughs.xml
    wants 2 "laughs.xml:1: <!DOCTYPE" machine laughs.xml
    echo '<!DOCTYPE system SYSTEM "other.dtd"><system/>' >outside.xml
    wants 2 "outside.xml:1: <!DOCTYPE" machine outside.xml
    # Much of everything: refused at once, or when it has been read.
    head -c 100000000 /dev/zero | tr '\0' 'x' | sed 's/^/<system>/' >large.xml
    wants 2 "large.xml: more than 16 MiB" machine large.xml
    rm large.xml
    awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "<system>" }' >deep.xml
    wants 2 "deep.xml:1: elements in elements: at most 64" machine deep.xml
    awk 'BEGIN { print "<system><cpu numaid=\"0\" arch=\"arm64\">"; for (i = 0; i < 1000000; i++) print "<nic/>"; print "</cpu></system>" }' >many.xml
    wants 2 "many.xml:100000: too many elements: at most 100000" machine many.xml
fi

"$ringsim" machine dgx-h100.topo >out 2>err && [ "$(wc -l <err)" = 1 ] && grep -q '^ringsim: dgx-h100.topo:1: note: no speeds are said; by 18 NVLinks' err
report $? "what a matrix leaves out is assumed in a note"
"$ringsim" machine dgx-h100.topo:16 --json 2>err >out && [ "$(value gpus <out)" = 128 ] && [ "$(value nodes <out)" = 16 ]
report $? "a matrix repeated is several nodes"
sed '3s/NV18/NV17/' dgx-h100.topo >bad.topo
wants 2 "bad.topo:3: row GPU1, column GPU0: NV17, the other way round NV18 (line 2)" --machine bad.topo
head -n 9 dgx-h100.topo >short.topo
wants 0 "short.topo:10: warning: the row of NIC0 is missing here" machine short.topo
head -n 8 dgx-h100.topo >short.topo
wants 2 "short.topo:9: the row of GPU7 is missing here" machine short.topo
echo "GPU0 is fast" >other.txt
wants 2 "other.txt:" machine other.txt
printf 'ringsim-machine 1\ngpus 2\nlink gpu0 gpu1 bandwidth 1GB/s\n' >plain
wants 0 "machine plain: GPUs 2" machine plain
exit $failed
