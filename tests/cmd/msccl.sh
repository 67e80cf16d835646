#!/bin/sh
# msccl.sh: MSCCL programs as schedules: a ring as msccl-tools writes it takes what our own ring takes; what is no program,
# or computes something else, is told with its line.
. tests/tools/command-test

# Writes NCCL's ring for $1 GPUs on $2 channels.
ring() {
    awk -v n="$1" -v channels="$2" '
        function step(type, chunk) {
            printf "<step s=\"%d\" type=\"%s\" srcbuf=\"i\" srcoff=\"%d\" dstbuf=\"i\" dstoff=\"%d\" cnt=\"1\" depid=\"-1\" deps=\"-1\" hasdep=\"0\"/>\n",
                at++, type, c * n + chunk % n, c * n + chunk % n
        }
        BEGIN {
            printf "<algo name=\"ring\" proto=\"Simple\" nchannels=\"%d\" nchunksperloop=\"%d\" ngpus=\"%d\" coll=\"allreduce\" inplace=\"1\">\n",
                channels, n * channels, n
            for (g = 0; g < n; g++) {
                printf "<gpu id=\"%d\" i_chunks=\"%d\" o_chunks=\"0\" s_chunks=\"0\">\n", g, n * channels
                for (c = 0; c < channels; c++) {
                    at = 0
                    printf "<tb id=\"%d\" send=\"%d\" recv=\"%d\" chan=\"%d\">\n", c, (g + 1) % n, (g + n - 1) % n, c
                    step("s", g)
                    for (k = 1; k < n; k++) step(k < n - 1 ? "rrs" : "rrcs", g + n - k)
                    for (k = 0; k < n - 2; k++) step("rcs", g + n - k)
                    step("r", g + 2)
                    print "</tb>"
                }
                print "</gpu>"
            }
            print "</algo>"
        }'
}
ring 3 1 >three.xml
ring 8 4 >eight.xml
value() { sed -n "s/.*\"$1\":\([^,}]*\).*/\1/p"; }

if "$ringsim" check three.xml 2>&1 | grep -q 'this build has no expat'; then
    wants 3 'this build has no expat' check three.xml
    echo "ok MSCCL programs # skip: this build has no expat"
    exit $failed
fi
wants 0 'sound' check three.xml
wants 0 'GPUs 8, chunks 32, steps 14, transfers 448' check eight.xml
mine=$("$ringsim" --algo eight.xml --json --values none | value makespan_ps)
[ -n "$mine" ] && [ "$mine" = "$("$ringsim" --gpus 8 --channels 4 --json --values none | value makespan_ps)" ]
report $? "it takes what the ring on four channels takes"
mine=$("$ringsim" --algo eight.xml --machine dgx-h100 --json --values none | value makespan_ps)
[ -n "$mine" ] && [ "$mine" = "$("$ringsim" --machine dgx-h100 --channels 4 --json --values none | value makespan_ps)" ]
report $? "and on a machine"
wants 0 '"correct":true' --algo three.xml --count 1000 --json
wants 0 'cpu: right' verify --on cpu --algo three.xml --count 1000 --iters 1

# Right, and yet no schedule: an all-to-all of two chunks for each GPU.
{
    echo '<algo name="pairs" proto="Simple" nchannels="1" nchunksperloop="4" ngpus="2" coll="alltoall" inplace="0">'
    for g in 0 1; do
        step() { printf '<step s="%d" type="%s" srcbuf="i" srcoff="%d" dstbuf="o" dstoff="%d" cnt="2" depid="-1" deps="-1" hasdep="0"/>\n' "$1" "$2" "$3" "$4"; }
        printf '<gpu id="%d" i_chunks="4" o_chunks="4" s_chunks="0">\n<tb id="0" send="%d" recv="%d" chan="0">\n' $g $((1 - g)) $((1 - g))
        step 0 cpy $((2 * g)) $((2 * g))
        step 1 s $((2 - 2 * g)) $((2 - 2 * g))
        step 2 r $((2 - 2 * g)) $((2 - 2 * g))
        echo '</tb></gpu>'
    done
    echo '</algo>'
} >pairs.xml
wants 0 "sound as a program of MSCCL's" check pairs.xml
also "Not to be shown or timed here: an all-to-all of 4 chunks a GPU"
wants 3 "pairs.xml: an all-to-all of 4 chunks a GPU" --algo pairs.xml --json
wants 0 "a program of MSCCL's, pairs: all-to-all of 2 GPUs" explain pairs.xml
# $1: what is said; $2: the exit status; then sed's words on three.xml.
spoilt() {
    says=$1 code=$2
    shift 2
    sed "$@" three.xml >spoilt.xml
    cmp -s three.xml spoilt.xml && report 1 "nothing is spoilt: $*"
    wants "$code" "$says" check spoilt.xml
    [ "$(wc -l <err)" = 1 ] && [ ! -s out ]
    report $? "in one line, and nothing else"
}
copier='<tb id="1" send="-1" recv="-1" chan="0"><step s="0" type="cpy" srcbuf="i" srcoff="1" dstbuf="i" dstoff="2" cnt="1" depid="-1" deps="-1" hasdep="0"/>'
spoilt 'spoilt.xml: line 5: race' 1 "9i </tb>$copier"
spoilt 'result: at the end GPU' 1 '5s/rrs/rcs/'
spoilt 'pairing: GPU' 1 '4d;5s/s="1"/s="0"/;6s/s="2"/s="1"/;7s/s="3"/s="2"/;8s/s="4"/s="3"/'
spoilt 'deadlock: GPU' 1 '4s/depid="-1" deps="-1"/depid="0" deps="4"/;8s/hasdep="0"/hasdep="1"/'
spoilt 'line 4: deadlock: GPU 0 waits for step 4 of block 0, which tells nobody' 1 '4s/depid="-1" deps="-1"/depid="0" deps="4"/'
spoilt 'line 4: step: hasdep is missing' 2 '4s/ hasdep="0"//'
spoilt 'line 4: bounds: GPU 0, block 0: chunks 7..7 of its i; it has 3' 1 '4s/srcoff="0"/srcoff="7"/'
spoilt 'line 3: bounds: GPU 0, block 0: GPU 9' 1 '3s/send="1"/send="9"/'
spoilt 'line 1: coll="allsum": there are allreduce' 2 '1s/allreduce/allsum/'
spoilt 'line 1: algo: ngpus="1"' 2 '1s/ngpus="3"/ngpus="1"/'
spoilt 'line 4: step s="5" is number 0' 2 '4s/s="0"/s="5"/'
spoilt 'line 4: step: cnt is missing' 2 '4s/cnt="1"//'
spoilt 'line 2: <tb> does not belong here' 2 '2d'
spoilt 'DOCTYPE' 2 '1s/^/<!DOCTYPE algo>/'
spoilt 'the file was cut here, within' 2 '9,$d'
spoilt 'line 1: an all-to-all in place: its output would overwrite what is still to be sent' 2 '1s/allreduce/alltoall/'
spoilt 'line 1: GPU 2 of 3 is missing' 2 -e '20,28d' -e '29s/.*/<\/algo>/'
wants 2 '--gpus 4: three.xml is for 3 ranks' --algo three.xml --gpus 4
sed '4s/srcoff="0"/srcoff="7"/' three.xml >bad.xml
"$ringsim" check bad.xml --lang zh_CN 2>&1 | grep -qF "GPU 0，线程块 0：块 7..7"
report $? "what is wrong is said in the reader's language"
exit $failed
