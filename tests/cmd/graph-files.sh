#!/bin/sh
# graph-files.sh: NCCL's graph dumps and tuner files as explain reads them: how much is shown, and what in them is an error.
. tests/tools/command-test
if "$ringsim" doctor | grep -qE '^  expat +no'; then
    echo "ok graph dumps # skip: this build has no expat"
    exit 0
fi

# Of a long ring the first ranks are shown.
for n in 23 24 25; do
    printf '<graphs version="1"><graph id="0" pattern="4" nchannels="1" speedintra="12" speedinter="12" typeintra="SYS" typeinter="PIX" latencyinter="0"><channel>%s</channel></graph></graphs>\n' \
        "$(seq $n | awk '{ printf "<gpu dev=\"%x\" rank=\"%d\"/>", $1 - 1, $1 - 1 }')" >long.xml
    "$ringsim" explain long.xml >out
    [ "$(sed -n 's/^  ring 0: //p' out)" = "$(seq 0 $((n < 24 ? n - 1 : 23)) | paste -s -d ' ')$([ $n -le 24 ] || echo ' ...')" ]
    report $? "a ring of $n ranks"
done
# What a dump may not be: each is an error with its line. A ring is changed by sed.
spoilt() { # LINES SED...
    says=$1
    shift
    sed "$@" whole.xml >spoilt.xml
    "$ringsim" explain spoilt.xml >out 2>err
    [ $? = 1 ] && [ ! -s err ] && [ "$(sed -n 's/^line \([0-9]*\), error: /\1: /p' out)" = "$says" ]
    report $? "spoilt by $*: $says"
}
cat >whole.xml <<'XML'
<graphs version="1">
  <graph id="0" pattern="4" nchannels="1" speedintra="12" speedinter="24" typeintra="NVL" typeinter="PIX" latencyinter="0">
    <channel>
      <gpu dev="0" rank="0"/> <gpu dev="1" rank="1"/>
    </channel>
  </graph>
</graphs>
XML
"$ringsim" explain whole.xml >out && ! grep -q error out && grep -qF "graph 0       1 channel of 12 GB/s inside a node, 24 between; paths NVL, PIX" out
report $? "a whole dump"
{ echo 'I see below'; sed '1d;$d' whole.xml; echo 'two ranks'; } >part.md
"$ringsim" explain part.md >out 2>err && [ ! -s err ] && [ "$(sed -n 2p out)" = "line 2, warning: <graph> without <graphs> around it: a part of a file, read as if it were all of" ] &&
    grep -qx '  ring 0: 0 1' out
report $? "a part of a dump"
printf '<pci busid="0000:b8:00.0">\n</pci>\n</pci>\n' >middle.xml
"$ringsim" explain middle.xml >out
[ $? = 1 ] && grep -q '^line 3, error: column 3: what ends here began before this part' out
report $? "a part that ends what began before it"
head -4 whole.xml | sed '4s/ *<gpu.*/      <gpu d/' >cut.xml
"$ringsim" explain cut.xml >out
[ $? = 1 ] && [ "$(grep -c error out)" = 1 ] && grep -q '^line 4, error: column 7: the file was cut here, within <channel>' out
report $? "a dump that was cut within a channel is only the cut"
for side in intra inter; do
    for speed in fast '' 0 -1 nan 1000001 12x; do
        spoilt "2: speed$side: a bandwidth in GB/s" "s/speed$side=\"[0-9]*\"/speed$side=\"$speed\"/"
    done
    spoilt "2: speed$side: a bandwidth in GB/s" "s/speed$side=\"[0-9]*\"//"
    for type in NVX '' nvlink; do
        spoilt "2: type$side: a kind of path such as NVL, PIX or SYS" "s/type$side=\"[A-Z]*\"/type$side=\"$type\"/"
    done
    spoilt "2: type$side: a kind of path such as NVL, PIX or SYS" "s/type$side=\"[A-Z]*\"//"
done
# Whole numbers, each with its most: one of another form, below 0 or above it is refused, in its line.
number() { # LINE OF NAME MOST NEEDED
    for value in -1 $(($4 + 1)) x '' 1x 0x g; do
        sed "$1s/ $3=\"[^\"]*\"//; $1s/<$2 /<$2 $3=\"$value\" /" whole.xml >spoilt.xml
        says="$3=\"$value\" is no number from 0 to $4"
        [ $3 != dev ] || says="dev=\"$value\" is none of 0 to fff"
        "$ringsim" explain spoilt.xml >out
        [ $? = 1 ] && grep -qxF "line $1, error: $2: $says" out
        report $? "$3=\"$value\""
    done
    sed "$1s/ $3=\"[^\"]*\"//" whole.xml >spoilt.xml
    "$ringsim" explain spoilt.xml >out
    [ "$(grep -cxF "line $1, error: $2: $3 is missing" out)" = "$5" ]
    report $? "without $3"
    for value in 0 $4; do
        sed "$1s/ $3=\"[^\"]*\"//; $1s/<$2 /<$2 $3=\"$([ $3 = dev ] && printf %x "$value" || echo "$value")\" /" whole.xml >spoilt.xml
        "$ringsim" explain spoilt.xml >out
        ! grep -q 'is no' out
        report $? "$3=\"$value\""
    done
}
number 2 graph id 31 1
number 2 graph pattern 6 1
number 2 graph nchannels 64 1
number 2 graph samechannels 1 0
mv whole.xml two.xml && sed '4s/ <gpu dev="1".*//' two.xml >whole.xml
number 4 gpu dev 4095 1
number 4 gpu rank 1048576 0
mv two.xml whole.xml
spoilt '2: nchannels says 10, and there are 1' '2s/nchannels="1"/nchannels="10"/'
spoilt '3: a channel without GPUs' 4d
spoilt '4: GPU 0 is in this channel twice' '4s/rank="1"/rank="0"/'
spoilt '1: no <graph> in it' 2,6d
spoilt '1: <!DOCTYPE: no document type and no entities are read; remove it' '1s/^/<!DOCTYPE graphs>/'
{ cat whole.xml && printf '<!--' && head -c $((16777216 - 7 - $(wc -c <whole.xml))) /dev/zero | tr '\0' x && printf '%s' '-->'; } >large.xml
"$ringsim" explain large.xml >out 2>err && grep -qxF "  ring 0: 0 1" out
report $? "a dump of 16 MiB"
echo >>large.xml
denies 2 'large.xml: more than 16 MiB: no graph is so large' explain large.xml
rm -f large.xml

# A tuner file has 100000 lines at the most; the last may end in a newline or not.
{ echo 'allreduce,0,-1,ring,simple,-1,-1,-1' && yes '# nothing' | head -n 99998 && printf '# the last'; } >most.csv
wants 0 '1 rules; the first that fits wins' explain most.csv
echo >>most.csv
denies 2 'most.csv: more than 100000 lines' explain most.csv
exit $failed
