#!/bin/sh
# spoilt.sh: what is said of files in which one place is spoilt: a line left out, said twice, a number that is none, too
# large or below zero, a value that is empty.
#
#   - Each ends in order: an answer, or a refusal, exit status 2, nothing on stdout; each line of it begins with the
#     program's name, the first tells the file, and a line of the file that it names is there.
#   - What is as before is answered as the whole file is.
#   - Golden: tests/golden/spoilt.txt: for each file what was spoilt and what is said: the refusal, or the first line that is
#     another one than of the whole file. RINGSIM_UPDATE=1 writes it anew; look at the difference then.
top=$(pwd)
. tests/tools/said
. tests/tools/command-test
own_program "$ringsim"
mkdir inputs
cd inputs || exit 1
take_inputs ringsim "$top"
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
    # shellcheck disable=SC2086
    ringsim $3 >"$folder/said" 2>&1 </dev/null
    echo "$3:"
    while read -r number what; do
        cp "$(printf '%s/%03d' "$folder" "$number")" "$1"
        # shellcheck disable=SC2086
        timeout 20 ringsim $3 >out 2>err </dev/null
        status=$?
        case $status in
        0 | 1) bad=$([ -s out ] || [ -s err ] || echo says nothing) ;;
        2) bad=$([ ! -s out ] || echo refuses what it shows) ;;
        *) bad="exit $status" ;;
        esac
        cat out err | awk -v file="$1" -v what="$what" -v status=$status -v bad="$bad" '
            FILENAME == file { n_lines++; next }
            FILENAME != "-" { whole[++n] = $0; next }
            { m++ }
            status == 2 && !/^ringsim: ./ { bad = bad " begins a line with another name than the program has" }
            status == 2 && m == 1 {
                text = $0
                if (index($0, file) == 0) bad = bad " does not name the file"
                if (match($0, /(line |:)[0-9]+/) && substr($0, RSTART + (substr($0, RSTART, 1) == ":" ? 1 : 5), RLENGTH - 1) + 0 > n_lines + 1)
                    bad = bad " names a line that is not there"
            }
            status != 2 && text == "" && $0 != whole[m] {
                n_here = split($0, here, ",") # of JSON the place where it differs
                split(whole[m], there, ",")
                for (k = 1; /^{/ && k < n_here && here[k] == there[k];) k++
                text = "> " (/^{/ ? here[k] : $0)
            }
            END {
                if (text == "") text = m < n ? "> nothing, but: " whole[m + 1] : "as before"
                printf "  %s: %.200s\n", what, text
                if (bad != "") printf "not in order: %s: %s\n", what, bad
            }' "$1" "$folder/said" -
    done <"$folder/list"
    cp "$folder/whole" "$1"
}
reads_xml=1
if "$ringsim" check three.xml 2>&1 | grep -q 'this build has no expat'; then
    reads_xml=0
    echo "ok spoilt files in XML # skip: this build has no expat"
fi
{
    try dgx-h100.xml 7 'explain dgx-h100.xml'
    try hgx-a100.xml 5 'explain hgx-a100.xml --json'
    try gh200x4.xml 4 'explain gh200x4.xml'
    try dgx-h100.topo 10 'explain dgx-h100.topo'
    try dgx1-v100.topo 6 'machine dgx1-v100.topo'
    try two-nodes.log 10 'explain two-nodes.log'
    try bad.log 10 'explain bad.log'
    try good.log 6 'explain good.log --json'
    try perf.log 8 'explain perf.log'
    try tuner.csv 4 'explain tuner.csv'
    try graph.xml 6 'explain graph.xml'
    try nccl.txt 5 'fit nccl.txt --json'
    try three.xml 10 'check three.xml'
    try own.machine 7 'machine own.machine'
    try far.machine 4 '--machine far.machine --algo tree --json'
    try ring5.sched 7 'check ring5.sched'
    try small.trace 6 'fit small.trace'
    try run.trace 6 'view run.trace --json'
    try links.csv 4 'compare --gpus 5 --links links.csv'
    try own.lay 4 'train --model own.lay --gpus 2'
} >../now
golden=$top/tests/golden/spoilt.txt
cd ..
! grep '^not in order' now
report $? "each ends in order, and a refusal says where"
[ -z "${RINGSIM_UPDATE:-}" ] || cp now "$golden"
if [ $reads_xml = 1 ]; then cat "$golden"; else awk '/^[^ ]/ { xml = /\.xml/ } !xml' "$golden"; fi | diff -u - now >differ
report $? "what is said of $(grep -c '^  ' now) spoilt files is what was said"
sed '1,2d; s/^/    /' differ | head -n 40
exit $failed
