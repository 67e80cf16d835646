#!/bin/sh
# spoilt.sh: what is said of files in which one place is spoilt: a line left out, said twice, a number that is none, too
# large or below zero, a value that is empty. Each ends in order: an answer, or a refusal in lines that name the file.
#
# Golden: tests/golden/sums/spoilt.txt, a number, the exit status, the command and what was spoilt. RINGSIM_UPDATE=1
# writes it anew; the differing command, run again on the file that this writes, says what it says now.
top=$(pwd)
. tests/tools/baseline-commands
. tests/tools/command-test
bin=$SCRATCH/bin
mkdir "$bin" inputs
ln -s "$ringsim" "$bin/ringsim"
PATH=$bin:$PATH TERM=dumb NO_COLOR=1 HOME=$SCRATCH
export PATH TERM NO_COLOR HOME
unset COLUMNS LINES
cd inputs || exit 1
ln -s "$top/lessons" lessons
cp "$top"/tests/data/topologies/* "$top"/tests/data/nccl-logs/* "$top"/lessons/20-reading-nccl/*.log .
write_inputs ringsim >/dev/null 2>&1
cat >graph.xml <<'END'
<graphs version="1">
  <graph id="0" pattern="4" crossnic="0" nchannels="2" speedintra="12" speedinter="12" typeintra="SYS" typeinter="PIX" samechannels="0">
    <channel>
      <net dev="0"/>
      <gpu dev="0" rank="0"/>
      <gpu dev="1" rank="1"/>
      <net dev="1"/>
    </channel>
  </graph>
</graphs>
END
cat >three.xml <<'END'
<algo name="ring" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allreduce" inplace="1">
<gpu id="0" i_chunks="2" o_chunks="0" s_chunks="0">
<tb id="0" send="1" recv="1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="rrcs" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="2" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
<gpu id="1" i_chunks="2" o_chunks="0" s_chunks="0">
<tb id="0" send="0" recv="0" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="rrcs" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="2" type="r" srcbuf="i" srcoff="1" dstbuf="i" dstoff="1" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
</algo>
END

# Writes spoilt copies of a file, each named by a number, and a list: number, what was spoilt.
spoil() { # FILE FOLDER MOST_LINES
    awk -v folder="$2" -v most="$3" '
        function write(what, i, by, n, k) {
            name = sprintf("%s/%03d", folder, ++n_files)
            for (k = 1; k <= n_lines; k++) {
                if (k != i) print line[k] >name
                else if (by != "\001") print by >name
                if (k == i && what == "twice") print line[k] >name
            }
            close(name)
            print n_files, "line", i, what >(folder "/list")
        }
        # The line with its k-th number replaced.
        function number(text, k, by, out) {
            out = ""
            while (match(text, /[0-9]+(\.[0-9]+)?/)) {
                if (--k == 0) return out substr(text, 1, RSTART - 1) by substr(text, RSTART + RLENGTH)
                out = out substr(text, 1, RSTART + RLENGTH - 1)
                text = substr(text, RSTART + RLENGTH)
            }
            return ""
        }
        { line[++n_lines] = $0 }
        END {
            step = n_lines > most ? n_lines / most : 1
            for (at = 1; at <= n_lines; at += step) {
                i = int(at)
                if (line[i] == "") continue
                write("left out", i, "\001")
                write("twice", i, line[i])
                n_numbers = gsub(/[0-9]+(\.[0-9]+)?/, "&", line[i])
                for (k = 1; k <= 3 && k <= n_numbers; k++) {
                    which = k == 3 ? n_numbers : k
                    split("0 x7 99999999999999999999 -1 1", by, " ")
                    kind = (i + k) % 5 + 1
                    spoilt = number(line[i], which, by[kind])
                    if (spoilt != line[i]) write("number " which " is " by[kind], i, spoilt)
                }
                empty = line[i]
                if (sub(/"[^"]*"/, "\"\"", empty) && empty != line[i]) write("empty", i, empty)
            }
        }' "$1"
}

# Runs the command on each spoilt copy, which has the file's name for as long.
try() { # FILE MOST_LINES COMMAND
    case $1 in *.xml) [ $reads_xml = 1 ] || return 0 ;; esac
    folder=$SCRATCH/$1.spoilt
    mkdir "$folder"
    spoil "$1" "$folder" "$2"
    cp "$1" "$folder/whole"
    while read -r number what; do
        cp "$(printf '%s/%03d' "$folder" "$number")" "$1"
        # shellcheck disable=SC2086
        timeout 20 "$ringsim" $3 >said 2>&1 </dev/null
        status=$?
        [ $status -le 3 ] || worst="$worst; $3: $what: exit $status"
        [ $status != 2 ] || grep -q '^ringsim: .' said || worst="$worst; $3: $what: no reason"
        printf '%s %s %s: %s\n' "$(cksum <said | cut -d ' ' -f 1)" $status "$3" "$what" >>../now
    done <"$folder/list"
    cp "$folder/whole" "$1"
}
worst="" reads_xml=1
if "$ringsim" check three.xml 2>&1 | grep -q 'this build has no expat'; then
    reads_xml=0
    echo "ok spoilt files in XML # skip: this build has no expat"
fi
try dgx-h100.xml 14 'explain dgx-h100.xml'
try hgx-a100.xml 10 'explain hgx-a100.xml --json'
try gh200x4.xml 8 'explain gh200x4.xml'
try dgx-h100.topo 20 'explain dgx-h100.topo'
try dgx1-v100.topo 12 'machine dgx1-v100.topo'
try two-nodes.log 20 'explain two-nodes.log'
try bad.log 20 'explain bad.log'
try good.log 12 'explain good.log --json'
try perf.log 16 'explain perf.log'
try tuner.csv 8 'explain tuner.csv'
try graph.xml 12 'explain graph.xml'
try nccl.txt 10 'fit nccl.txt --json'
try three.xml 20 'check three.xml'
try own.machine 14 'machine own.machine'
try far.machine 8 '--machine far.machine --algo tree --json'
try ring5.sched 14 'check ring5.sched'
try small.trace 12 'fit small.trace'
try run.trace 12 'view run.trace --json'
try links.csv 4 'compare --gpus 5 --links links.csv'
try own.lay 6 'train --model own.lay --gpus 2'
golden=$top/tests/golden/sums/spoilt.txt
cd ..
[ -z "$worst" ]
report $? "each ends in order${worst:+: $worst}"
[ -z "${RINGSIM_UPDATE:-}" ] || cp now "$golden"
if [ $reads_xml = 1 ]; then cat "$golden"; else grep -v '\.xml' "$golden"; fi | diff - now >differ
report $? "what is said of $(wc -l <now) spoilt files is what was said"
sed 's/^/    /' differ | head -n 20
exit $failed
