#!/bin/sh
# hang.sh: a job's dumps in a folder: the verdict's sentence, who waits, JSON, the exit status, files that are none.
. tests/tools/command-test

# Writes a dump in JSON: the calls are words SHAPE:LINE:STATE.
dump() { # FILE RANKS CALL...
    file=$1 ranks=$2 i=0 comma=
    shift 2
    {
        printf '{"version":"2.4","pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[%s]"}},"entries":[' "$ranks"
        for call in "$@"; do
            i=$((i + 1))
            shape=${call%%:*} rest=${call#*:}
            printf '%s{"record_id":%d,"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":%d,' "$comma" $((i - 1)) $i
            printf '"p2p_seq_id":0,"profiling_name":"nccl:all_reduce","input_sizes":[[%s]],"output_sizes":[[%s]],' "$shape" "$shape"
            printf '"input_dtypes":["Float"],"output_dtypes":["Float"],"state":"%s","is_p2p":false,' "${rest#*:}"
            printf '"frames":[{"name":"all_reduce","filename":"/lib/torch/distributed/c10d.py","line":9},'
            printf '{"name":"main","filename":"demo.py","line":%s}]}' "${rest%%:*}"
            comma=,
        done
        printf ']}'
    } >"$file"
}
common='3,4:10:completed 3,4:11:completed 3,4:12:completed'
# The tutorial of PyTorch's flight recorder: rank 0 calls once more.
mkdir two eight
# shellcheck disable=SC2086
for r in 0 1 2 3 4 5 6 7; do
    more=
    [ $r != 0 ] || more=4,5:14:scheduled
    dump eight/trace_$r 0,1,2,3,4,5,6,7 $common $more
    [ $r -gt 1 ] || dump two/trace_rank_$r.json 0,1 $common $more
done
wants 1 'undecided: rank 0 called all_reduce at demo.py:14, call 4 of group 0 (default_pg), and rank' hang two
wants 1 '"verdict":"undecided","culprits":[{"rank":0,"group":"0","seq":4,"call":"all_reduce","where":"demo.py:14"},{"rank":1,' \
    hang two --json
wants 1 '{"rank":0,"group":"0","seq":4,"call":"all_reduce","for":[1]}' hang --json two/trace_rank_0.json two/trace_rank_1.json
wants 1 'rank 0 made one call too many: all_reduce at demo.py:14' hang eight
wants 1 '"verdict":"extra-call"' hang --json 'eight/trace_?'
rm eight/trace_0
dump eight/trace_0 0,1,2,3,4,5,6,7 3,4:10:completed 3,4:12:completed 4,5:14:scheduled
for r in 1 2 3 4 5 6 7; do
    # shellcheck disable=SC2086
    dump eight/trace_$r 0,1,2,3,4,5,6,7 $common 4,5:14:scheduled
done
wants 1 'rank 0 left out all_reduce at demo.py:11, call 2 of group 0 (default_pg); 7 of its 8 ranks made it' hang eight
wants 1 'rank 0  demo.py:10 *  left out !' hang eight --step --view text
wants 1 'x─ ─ ─ ─ ─ ─  waits for' hang eight --at 4 --view text
"$ringsim" hang eight --view none --export stands.png --at 2
drawn=$?
if [ $drawn = 3 ]; then
    echo "ok the standstill is a picture # skip: no pictures in this build"
else
    [ $drawn = 1 ] && [ -s stands.png ]
    report $? "the standstill is a picture"
fi
"$ringsim" hang eight --export end.svg >out 2>&1
"$ringsim" hang eight --export first.svg --at 0 >out 2>&1
"$ringsim" hang eight --export last.svg --at 4 >out 2>&1
cmp -s end.svg last.svg && ! cmp -s end.svg first.svg
report $? "one picture is that of the end, unless a step is asked for"
head -c 700 eight/trace_3 >cut && mv cut eight/trace_3
wants 1 'rank 0 left out all_reduce at demo.py:11' hang eight
rm eight/trace_0 eight/trace_3
wants 1 '"verdict":"silent-rank","culprits":[{"rank":0,' hang --json eight
# shellcheck disable=SC2086
dump two/trace_rank_0.json 0,1 $common
wants 0 'no hang' hang two

echo nonsense >two/trace_9
printf '\200\002cos\nsystem\n(S"true"\ntR.' >two/trace_8
ln -s trace_rank_0.json two/trace_7 && mkfifo two/trace_6
"$ringsim" hang two >out 2>err
[ $? -eq 0 ] && grep -q 'no hang' out && [ "$(wc -l <err)" -eq 4 ] && grep -q 'trace_8: byte 2: GLOBAL' err
report $? "files that are no dumps have a line each, and the rest is used"
if "$ringsim" doctor | grep -qE '^  gettext +yes'; then
    "$ringsim" hang two --lang zh_CN >out 2>err
    grep -q 'trace_8：第 2 字节：GLOBAL：它指名一个函数，不予读取' err && grep -q '这不是飞行记录器的转储' err
    report $? "in the reader's language, too"
fi
# Whatever stands first in a pickle: where it is, by its name in Python, and why it is not read; the same in the reader's language.
mkdir first
for code in $(seq 0 255); do
    # shellcheck disable=SC2059
    printf "\\200\\002\\$(printf %03o "$code")" >"first/trace_$code"
done
"$ringsim" hang first >out 2>err
[ $? = 2 ] && [ "$(wc -l <err)" = 257 ] &&
    python3 -c "import pickletools
for op in pickletools.opcodes: print(ord(op.code), op.name)" | sort >names &&
    sed -n 's|^ringsim: first/trace_\([0-9]*\): byte 2: \([A-Z0-9_]*\): .*|\1 \2|p' err | sort >told &&
    [ "$(wc -l <told)" -gt 20 ] && [ -z "$(comm -13 names told)" ]
report $? "an opcode that is not read has its name in Python"
if "$ringsim" doctor | grep -qE '^  gettext +yes'; then
    sed 's/: byte \([0-9]*\): \([^:]*\): /：第 \1 字节：\2：/; s/an opcode that no flight recorder writes/飞行记录器不会写的操作码/
        s/no opcode of a flight recorder/不是飞行记录器的操作码/' err | grep '操作码$' >want
    "$ringsim" hang first --lang zh_CN 2>&1 | grep '操作码$' | cmp -s - want && [ "$(wc -l <want)" -gt 150 ]
    report $? "and the same place and name in the reader's language"
fi
# Where no recorder ran: torch's watchdog, and what NCCL says of INIT and COLL.
for r in 0 1; do
    echo "[rank$r]:[E626 16:48:25.44 ProcessGroupNCCL.cpp:632] [Rank $r] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=120049, OpType=ALLREDUCE, NumelIn=4, NumelOut=4, Timeout(ms)=600000) ran for 600029 milliseconds before timing out."
done >watchdog.log
status='failure detected by watchdog PG status: last enqueued work'
echo "[rank2]:[E626] [PG ID 0 PG GUID 0(default_pg) Rank 2]  $status: 120048, last completed work: 120048" >>watchdog.log
wants 1 'rank 2 has not come to all_reduce, call 120049 of group 0 (default_pg)' hang watchdog.log
sed '/enqueued/d; s/ank1/ank3/; s/Rank 1/Rank 3/' watchdog.log >gap.log
wants 1 '"verdict":"undecided","culprits":[{"rank":1,' hang --json gap.log
# Ray prints one of lines that are alike: the others may be those of ranks of which none is here. By itself that is no job's.
sed '$s/$/ [repeated 3x across cluster]/' gap.log >ray.log
wants 1 'ray.log:2: Ray left out such lines of other ranks: RAY_DEDUP_LOGS=0 prints them all' hang ray.log
wants 1 '"what":"hidden","file":"ray.log","line":2' hang --json ray.log
echo '(raylet) a worker died [repeated 2x across cluster]' >worker.log
wants 2 'tells of no call' hang worker.log
sed 's/.*/{"@timestamp":"2026-11-30","@message":"&"}/' watchdog.log >json.log
wants 1 'rank 2 has not come to all_reduce, call 120049 of group 0 (default_pg)' hang json.log
coll() { # ROOT_OF_RANK_1 CALLS_OF_RANK_2
    for r in 0 1 2; do
        echo "0: node0:1$r:2$r [$r] NCCL INFO ncclCommInitRank comm 0x5f$r rank $r nranks 3 cudaDev $r commId 0xab - Init COMPLETE"
    done
    for i in 1 2 3; do
        for r in 0 1 2; do
            root=0
            [ $r != 1 ] || [ $i != 2 ] || root=$1
            [ $r = 2 ] && [ $i -gt "$2" ] ||
                echo "0: node0:1$r:2$r [$r] NCCL INFO Broadcast: opCount $i sendbuff 0x7 recvbuff 0x7 count ${i}0 datatype 7 op 0 root $root comm 0x5f$r [nranks=3] stream 0x1"
        done
    done
}
coll 0 2 >coll.log
wants 1 'rank 2 has not come to Broadcast, call 3 of group 0xab' hang coll.log
coll 2 3 >coll.log
wants 1 'rank 1 differs in the root: its call 2 of group 0xab' hang coll.log
# All but one of very many ranks are silent: a part of the job. Each is named once, in no time.
{
    echo 'node0:1:2 [0] NCCL INFO ncclCommInitRank comm 0x5f rank 0 nranks 131072 cudaDev 0 commId 0xab - Init COMPLETE'
    echo 'node0:1:2 [0] NCCL INFO AllReduce: opCount 1 count 8 datatype 7 op 0 root 0 comm 0x5f [nranks=131072] stream 0x1'
} >many.log
wants 1 '"verdict":"undecided"' hang --json many.log
tar -cf eight.tar eight
wants 1 '"verdict":"silent-rank","culprits":[{"rank":0,' hang --json eight.tar
tar -cf one.tar two/trace_rank_0.json && head -c 1200 one.tar >cut.tar
wants 1 'what is here ends too early' hang cut.tar
wants 1 'cut.tar: the archive ends too early: files may be missing' hang cut.tar
# Ranks whose dumps may be in the missing part are candidates, and accused of nothing.
n=$(tar -tvf eight.tar | awk '/trace/ { n += 512 + int(($3 + 511) / 512) * 512 } NR == 5 { print n + 512; exit }')
head -c "$n" eight.tar >half.tar
wants 1 '"verdict":"undecided"' hang --json half.tar
wants 1 'and their dumps may be in the part of an archive that is missing' hang half.tar
# A gzip: of each file, of an archive, of files in an archive.
printf '\037\213\010' >trace_1.gz
if "$ringsim" hang trace_1.gz 2>&1 | grep -q gunzip; then
    wants 2 'trace_1.gz is compressed: unpack it with gunzip' hang trace_1.gz
    echo "ok dumps in a gzip # skip: this build has no zlib"
elif ! command -v gzip >log; then
    echo "ok dumps in a gzip # skip: no gzip is here"
else
    wants 2 'trace_1.gz: it ends before anything is in it' hang trace_1.gz
    same() { # OPERAND WHAT
        "$ringsim" hang "$1" >out 2>err
        [ $? = 1 ] && cmp -s out plain && cmp -s err plain_err
        report $? "the same words of $2"
    }
    mkdir packed
    "$ringsim" hang eight >plain 2>plain_err
    for f in eight/*; do gzip -c "$f" >"packed/${f#*/}.gz"; done
    same packed 'a folder, each file in a gzip'
    gzip -c eight.tar >eight.tar.gz && same eight.tar.gz 'an archive in a gzip'
    cp eight.tar.gz eight.tgz && same eight.tgz 'a .tgz'
    tar -cf twice.tar packed && same twice.tar 'an archive of gzips'
    gzip twice.tar && same twice.tar.gz 'an archive of gzips, in a gzip'
    { head -c 900 eight.tar | gzip; tail -c +901 eight.tar | gzip; } >members.tgz && same members.tgz 'a gzip of several members'
    { cat eight.tgz; echo garbage; } >more.tgz && same more.tgz 'a gzip with garbage behind it'
    mkdir archive && cp eight.tgz archive && same archive 'a folder with an archive in a gzip'
    size=$(wc -c <packed/trace_2.gz)
    head -c $((size - 30)) packed/trace_2.gz >cut_2.gz
    head -c $((size - 5)) packed/trace_2.gz >end_2.gz
    wants 1 '"files":1' hang --json cut_2.gz
    wants 1 '"files":1' hang --json end_2.gz
    { head -c $((size - 8)) packed/trace_2.gz; printf 12345678; } >bad_2.gz
    wants 2 "bad_2.gz is damaged: gzip's check fails at byte" hang bad_2.gz
    gzip -c packed/trace_2.gz | gzip >thrice_2.gz
    wants 2 'thrice_2.gz is compressed more than once' hang thrice_2.gz
    { yes 'nothing to be told' | head -n 1500000; cat coll.log; } >long.log
    "$ringsim" hang long.log >plain 2>plain_err
    gzip -1 <long.log >long.log.gz && same long.log.gz 'a long log'
    "$ringsim" hang eight >plain 2>plain_err
    head -c $(($(wc -c <eight.tgz) * 9 / 10)) eight.tgz >cut.tgz
    wants 1 'cut.tgz: the archive ends too early: files may be missing' hang cut.tgz
    # One that cannot be read leaves the others, in a folder as in an archive, and is named.
    cp -r packed cut && head -c 20 packed/trace_2.gz >cut/trace_2.gz && tar -cf cut.tar cut
    for from in cut cut.tar; do
        "$ringsim" hang $from --json >out 2>err
        [ $? = 1 ] && grep -q "\"files\":$(($(ls packed | wc -l) - 1))," out && grep -q 'trace_2.gz: it ends before anything is in it' err
        report $? "$from without one file, which is named"
    done
    # 4 GiB of zeros: 256 members of 16 MiB.
    head -c 16777216 /dev/zero | gzip >bomb_9.gz
    for i in 1 2 3 4 5 6 7 8; do cat bomb_9.gz bomb_9.gz >larger && mv larger bomb_9.gz; done
    cp bomb_9.gz packed
    "$ringsim" hang packed >out 2>err
    [ $? = 1 ] && cmp -s out plain && [ "$(cat err)" = 'ringsim: packed/bomb_9.gz unpacks to more than 1073741824 bytes' ]
    report $? "4 GiB of zeros in a gzip have a line, and the rest is used"
    wants 2 'bomb_9.gz unpacks to more than 1073741824 bytes' hang bomb_9.gz
fi
echo 'There are some potential root causes. (1) The process is killed by SIGKILL by OOM killer' >causes
wants 2 'tells of no call' hang causes
# NCCL's RAS counts what was launched, by kind.
{
    printf '{"nccl_version":"2.28.7","communicators":[{"hash":"0xab","size":4,"ranks":['
    for r in 0 1 2 3; do
        n=6650
        [ $r != 2 ] || n=6649
        printf '{"rank":%d,"host":"a","pid":1%d,"cuda_dev":%d,"collective_counts":{"Broadcast":1,"AllReduce":%d}}' $r $r $r $n
        [ $r = 3 ] || printf ,
    done
    printf ']}]}'
} >ras.json
wants 1 'rank 2 has not come to AllReduce, call 6650 of group 0xab AllReduce' hang ras.json
# Blanks and empty lines before a text change nothing.
for text in watchdog.log coll.log ras.json; do
    { printf '\n \t\r\n  ' && cat $text; } >later && "$ringsim" hang later --json 2>err | sed 's/"line":[0-9]*//' >out
    "$ringsim" hang $text --json 2>err | sed "s/$text/later/g; s/\"line\":[0-9]*//" >plain
    [ -s out ] && cmp -s out plain
    report $? "$text behind blanks"
done
sed 's/,{"rank":3.*}}/ /' ras.json | sed 's/6649/6650/' >ras_gone.json
wants 1 '"verdict":"silent-rank","culprits":[{"rank":3,' hang --json ras_gone.json
# Of one communicator: calls that differ.
sed 's/"Broadcast":1,"AllReduce":6649/"Broadcast":2,"AllReduce":6649/' ras.json >ras_kinds.json
wants 1 'ranks 0 and 2 disagree in group 0xab AllReduce: rank 0 called AllReduce (number 6650), rank 2 called Broadcast (number 2)' hang --json ras_kinds.json
# The same as text, as ncclras prints it: it lists those that few agree with.
{
    printf 'Job summary\n===========\n\nCommunicators... (0.00s)\n=============\n\n'
    printf 'Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors\n'
    printf '    #  in group  per comm  per node  per comm  in group\n'
    printf '    0         1         2         4         8         8   RUNNING  MISMATCH\n\nErrors\n======\n\n'
    printf 'Warnings\n========\n\n#0-0 (27a079b828ff1a75) MISMATCH\n'
    printf '  Communicator ranks have different AllReduce operation counts\n'
    printf '  7 ranks have launched up to operation 64\n'
    printf '  Rank 7 has launched up to operation 60 -- GPU 3 managed by process 17 on node 10.0.0.2\n\n'
} >ras.txt
wants 1 'rank 7 has not come to AllReduce, call 64 of group 0x27a079b828ff1a75 AllReduce' hang ras.txt
sed 's/operation 60/operation 66/' ras.txt >ras_ahead.txt
wants 1 'undecided: rank 7 is ahead, in AllReduce, call 66' hang ras_ahead.txt
{ echo 'NCCL version 2.26.2 compiled with CUDA 12.6'; cat ras.txt; } >ras_version.txt
wants 1 'rank 7 has not come to AllReduce, call 64 of group 0x27a079b828ff1a75 AllReduce' explain ras_version.txt
sed '/Rank 7/d;s/7 ranks/4 ranks/' ras.txt | sed 'p;s/  4 ranks.*64/  4 ranks have launched up to operation 63/' >ras_hidden.txt
wants 2 'it does not list which ranks are behind' hang ras_hidden.txt
# What a recorder kept is worth more than lines of a log, whichever comes first; of two dumps the first is used.
mkdir both
# shellcheck disable=SC2086
for r in 0 1; do dump both/b_$r 0,1 $common; done
sed 's/120049/7/' watchdog.log | sed '/ank2/d' >both/a.log
cp both/a.log both/c.log
for order in both 'both/b_0 both/b_1 both/a.log' 'both/a.log both/b_1 both/b_0'; do
    # shellcheck disable=SC2086
    wants 1 'undecided: a wait was given up (both/a.log:1: collective operation timeout' hang $order
done
printf 'Root Cause (first observed failure):\n[0]:\n  rank      : 5 (local_rank: 5)\n  exitcode  : -9 (pid: 7)\n' >killed.log
# Of who left by an exception the picture shows the line.
{
    printf '[rank2]: %s\n' 'Traceback (most recent call last):' '  File "/app/train.py", line 41, in step' 'KeyError: 5'
    for r in 0 1 3; do
        echo "[rank$r]:[E1 x.cpp:1] [PG ID 0 PG GUID 0(default_pg) Rank $r] Exception detected by watchdog at work: 7, last enqueued NCCL work: 7, last completed NCCL work: 6."
    done
} >left.log
wants 1 "rank 5 was killed from outside, most often since its host's memory was full" hang killed.log
wants 1 'rank 2 failed by itself before others waited for it: KeyError: 5, train.py:41 (left.log:3)' hang left.log
wants 1 'rank 2  by line 3 !' hang --step --view text left.log
# shellcheck disable=SC2086
dump both/c_1.json 0,1 3,4:10:completed 3,4:11:scheduled
"$ringsim" hang both >out 2>err
[ $? = 1 ] && [ "$(cat err)" = 'ringsim: both/c_1.json: rank 1 has another dump, which is used' ] && grep -q '^undecided' out
report $? "of two dumps of a rank the first is used, and the second named"
# Made here: a run whose rank dies leaves a dump of each that lives; an earlier run's go.
wants 1 'dumps, a file a rank: ringsim hang made' run --gpus 5 --kill 2@3 --dump made --view text
wants 1 'rank 2 has no dump, and is waited for in send at ring:3, call 7 of group 0 (default_pg)' hang made
wants 1 '4 of 5 ranks have a dump' hang made
wants 1 '"verdict":"silent-rank","culprits":[{"rank":2,' hang --json made
cp -R made short && head -c 1700 made/ringsim_trace_rank_4 >short/ringsim_trace_rank_4
wants 1 '1 dump ends too early' hang short
"$ringsim" --gpus 4 --algo halving --kill 0@0 --kill 3@1 --dump made --view none
[ $? = 1 ] && [ "$(ls made)" = "$(printf 'ringsim_trace_rank_1\nringsim_trace_rank_2')" ]
report $? "dead ranks leave no dump, and those of an earlier run are gone"
wants 1 'undecided: only a part of the job is here, and nothing of rank 0, which is waited for' hang made
"$ringsim" --gpus 4 --dump made --view none
wants 0 'no hang: every call that is in the dumps is over' hang made
"$ringsim" --machine box:2,gpus=2,port=370.8GB/s,nics=1x100Gb/s --channels 2 --kill 3@1 --dump made --view none
wants 1 '"verdict":"silent-rank","culprits":[{"rank":3,' hang --json made
wants 2 'cannot write into made/ringsim_trace_rank_1: Not a directory' run --dump made/ringsim_trace_rank_1
mkdir none
wants 2 'no dump could be read' hang none
wants 2 'No such file' hang nothing_0
# As many files as a job may have; the names of each no longer than a path may be.
# shellcheck disable=SC2046
denies 2 'more than 131072 files' hang $(yes x | head -n 131073)
# shellcheck disable=SC2046
"$ringsim" hang $(yes x | head -n 131072) >out 2>err
[ $? = 2 ] && [ "$(grep -c '^ringsim: x: No such file' err)" = 131072 ] && [ "$(tail -n 1 err)" = 'ringsim: no dump could be read: give a folder with a file for each rank' ]
report $? "as many files as there may be are read"
deep=deep
while [ ${#deep} -lt 4085 ]; do deep=$deep/$(printf '%0199d' 7); done
deep=$(echo "$deep" | cut -c 1-4085)
# shellcheck disable=SC2086
mkdir -p "$deep" && dump whole 0,1 $common && cp whole "$deep/trace_001" && "$ringsim" hang "$deep" >out 2>err; grep -q 'not all ranks have a whole dump' out
report $? "a path as long as a path may be"
deep=deep//${deep#deep/}
denies 2 "$(echo "$deep" | cut -c 1-200): File name too long" hang "$deep"
rm -rf deep
mkdir hollow && tar -cf hollow.tar hollow
wants 2 'ringsim: hollow.tar: an archive without files' hang hollow.tar
# The words of a dump come from outside: what a terminal would obey is not printed, and no word is longer than a line.
mkdir foreign
dump foreign/trace_0 0,1 3,4:10:scheduled
sed -i 's/demo.py/d\\u0007\\u001bm.py/' foreign/trace_0
wants 1 'all_reduce at d??m.py:10, call 1 of group 0' hang foreign
# Ranks that wait in many places: 24 rows, and how many ranks the others are.
mkdir places
for r in $(seq 0 40); do dump "places/trace_$r" "$(seq -s , 0 41)" "3,4:$((100 + (r < 30 ? r : 30))):scheduled"; done
for r in 23 24 25; do
    "$ringsim" hang $(seq 0 $((r - 1)) | sed 's/^/places\/trace_/') >out
    [ "$(grep -c ' demo.py:1[0-9][0-9] ' out)" = $((r < 24 ? r : 24)) ] && [ "$(grep '^and' out)" = "$([ $r -le 24 ] || echo "and $((r - 24)) more waits")" ]
    report $? "waits in $r places"
done
"$ringsim" hang places >out
[ "$(sed -n 's/^and \(.*\) more waits$/\1/p' out)" = $((41 - $(awk '/demo.py:1/ && NF > 4 { n += $1 == "30-40" ? 11 : 1 } END { print n - 1 }' out))) ]
report $? "and of many ranks"
wants 2 'ringsim hang FOLDER' hang
# A rank whose file cannot be read is not silent.
"$ringsim" --gpus 4 --kill 2@3 --view none --dump unread >out 2>&1
echo nothing >unread/ringsim_trace_rank_1
wants 1 'rank 2 has no dump, and is waited for' hang unread
echo nothing >unread/ringsim_trace_rank_2
wants 1 'undecided: ranks 1, 2 are waited for' hang unread
wants 1 '"verdict":"undecided","culprits":[{"rank":' hang unread --json
exit $failed
