#!/bin/sh
# options.sh: every option that a command takes makes a difference, in what it says or writes, or is refused.
#
#     bases       COMMAND [OPTION...]: WORDS   what options, or only these, are compared with: the first in which they show
#     hints       [COMMAND] --OPTION [VALUE] [:: WORDS]   what its argument's form does not tell, and beside what it shows
#     except      COMMAND OPTION...   what cannot be seen here, with a reason
#
# The options are those of `--help table`: a new one is tried with the words or the form of its argument.
. tests/tools/command-test
XDG_DATA_HOME=$SCRATCH/data HOME=$SCRATCH TERM=dumb
export XDG_DATA_HOME HOME TERM
lessons=$OLDPWD/lessons page=$OLDPWD/cli/man/page
: >excepted
chinese=$("$ringsim" doctor | grep '^  gettext  *yes')
# What a call says and writes, as one number; of a walk the same words are run once.
said() { # WORDS...
    case $memory in *"|$*: "*)
        sum=${memory#*"|$*: "} && sum=${sum%%|*} && status=${sum##* }
        return
        ;;
    esac
    cd here || exit 1
    "$ringsim" "$@" >../out 2>../err </dev/null
    status=$? new=
    for name in *; do
        case $given in *" $name "*) ;; *) new="$new $name" ;; esac
    done
    case $1 in verify) # what it says of its words and of clocks
        sed -i 's/"args":\[[^]]*\]//; s/"[a-z]*_time":"[^"]*"//g; s/"time":[0-9.]*,"alg_bw":[0-9.]*,"bus_bw":[0-9.]*//g
             s/"bandwidth":[0-9.]*//' ../out ;;
    esac
    # Names hold no spaces.
    # shellcheck disable=SC2086
    sum="$( (cat -- ../out ../err $new; echo "$new") 2>/dev/null | cksum) $status"
    memory="$memory|$*: $sum"
    # shellcheck disable=SC2086
    [ -z "$new" ] || rm -rf -- $new
    cd ..
}
# The values to try where no hint names one: words but the first, which often is the default, or by the form.
values() { # ARGUMENT HELP
    case $1 in
    '' | NONE) echo '' ;;
    FILE.*) echo "x.$(echo "${1#FILE.}" | sed 's/|.*//')" ;;
    FILE | FOLDER) echo x.out ;;
    TIME | RANK:TIME | SRC@STEP:TIME) echo "$1" | sed 's/[A-Z]*@STEP/1@2/; s/RANK/1/; s/TIME/9us/' ;;
    RANK@STEP) echo 1@2 ;;
    *:FACTOR) echo 1:3 ;;
    RATE) echo 1GB/s 1kB/s ;;
    SIZE) echo 128 1MiB ;;
    WxH) echo 800x600 ;;
    X | FACTOR) echo 2 ;;
    P) echo 0.7 ;;
    [A-Z]) echo 3 1 11 ;;
    *[a-z]*) echo "$1" | tr '|' '\n' | grep -x '[a-z0-9_-]*' | sed -e '1{h;d;}' -e \$G | tr '\n' ' ' ;;
    *) echo "$2" | tr -c 'a-z0-9_-' '\n' | grep -x '[a-z][a-z0-9-]*' | tr '\n' ' ' ;;
    esac
}
# Looks for a base of the command in which the option makes a difference.
try() { # COMMAND OPTION ARGUMENT HELP
    hint=$(sed -n "s/^$1 $2\( \|\$\)//p" hints)
    [ -n "$hint" ] || hint=$(sed -n "s/^$2\( \|\$\)/ /p" hints)
    beside='' given_value=$hint
    case " $hint" in *' :: '*) beside=${hint#*:: } given_value=${hint%%:: *} ;; esac
    case $given_value in *[!\ ]*) ;; *) given_value=$(values "${3:-NONE}" "$4") ;; esac
    # Words hold no spaces.
    # shellcheck disable=SC2086
    set -- "$1" "$2" $given_value
    command=$1 option=$2 lacks=''
    shift 2
    [ $# -gt 0 ] || set -- ''
    while read -r base; do
        base=${base#:}
        # shellcheck disable=SC2086
        said $command $base $beside
        none=$sum without=$status
        case "$without $option" in *' --lang') [ -n "$chinese" ] || without=3 ;; esac
        [ "$without" != 3 ] || lacks=1
        [ "$without" -lt 2 ] || continue
        for value in "$@"; do
            # shellcheck disable=SC2086
            said $command $base $beside $option $value
            case $status$option in 3--export) lacks=1 ;; esac
            if [ "$sum" != "$none" ] && [ "$status" -lt 2 ]; then
                echo "ok $command $base $beside $option $value: makes a difference"
                return
            fi
        done
    done <<END
$(awk -v command="$command" -v option="$option" '{ n = index($0, ":"); whose = " " substr($0, 1, n - 1) " " }
        whose == " " command " " || (index(whose, " " command " ") == 1 && index(whose, " " option " ")) { print substr($0, n) }' bases)
END
    if [ -n "$lacks" ]; then
        echo "ok $command $option: makes a difference # skip: not in this build"
    else
        report 1 "$command $option: makes a difference (tried: $*, beside: $beside)"
    fi
}
except() { # COMMAND OPTION...
    command=$1
    shift
    for option in "$@"; do printf '%s %s\n' "$command" "$option" >>excepted; done
}

mkdir here
(
    cd here || exit 1
    "$ringsim" -n 4 --bytes 64KiB --trace a.trace --save a.sched
    "$ringsim" -n 4 --count 8 --trace two.trace && "$ringsim" -n 4 --count 16 --trace more.trace &&
        sed 1,3d more.trace >>two.trace
    printf 'src,dst,alpha,bandwidth\n0,1,9us,1GB/s\n' >links.csv
    head -c 256 /dev/zero >zeros
    cp "$lessons/06-all-gather/example.c" "$lessons/06-all-gather/fill.c" .
    cp "$lessons/06-all-gather/wrong/starts-with-mine.c" wrong.c
    cp "$lessons/07-bandwidth-latency/wrong/bytes-are-seconds.c" seven.c
    cp "$lessons/../tests/data/nccl-logs/two-nodes.log" nccl.log
    printf '# nThread 1 nGpus 16 minBytes 8\n#\n  8388608 2097152 float sum -1 120.0 69.9 131.1 0 120.0 69.9 131.1 0\n' >table.txt
    echo '<graphs version="1"><graph id="0" pattern="4" crossnic="0" nchannels="1" speedintra="6" speedinter="6" latencyinter="0" typeintra="SYS" typeinter="SYS" samechannels="1"><channel>'"$(for i in 0 1 2 3 4 5 6 7; do printf '<gpu dev="%d"/>' $i; done)"'</channel></graph></graphs>' >graph.xml
    printf 'ann\nfill\n' >names
    echo 0123456789abcdef >secret && chmod 600 secret
    echo '{"entries":[]}' >rank_0.json
) >log 2>&1
[ -s here/a.trace ] && [ -s here/two.trace ]
report $? "recordings to look at"
given=" $(ls here | tr '\n' ' ')"

cat >bases <<'END'
run: -n 4 --count 16 --view none --json --transfers
run: -n 4 --count 16 --view none --json
run: -n 4 --view none --json
run: -n 4 --count 16 --view none
run: -n 4 --count 16 --view text --at 1
check: a.sched
view: a.trace --view none --json --transfers
view: a.trace --view none --json
view: a.trace --view none
view: two.trace --view none --json
view: a.trace --view text --at 1
compare: -n 2,4 --count 16 --algo ring,tree --json
compare: -n 2,4 --count 16 --algo ring,tree
compare: -n 2,4 --algo ring,tree
compare: -n 4 --bytes 1KiB,1MiB --algo ring,tree
compare: -n 2,4 --count 16 --json
fit: a.trace
sampler: --json --shuffle
sampler:
gil: --iters 0 --json -n 2 --cores 4 --python-share 0.4
gil: --iters 0 -n 2
train: -n 2 --model linreg --dataset 40 --epochs 2 --json --transfers
train: -n 2 --model linreg --dataset 40 --json
train: -n 2 --model linreg --dataset 40
train: -n 1,2
mapreduce: --json --text a_b,a_c,d
mapreduce: --text a.sched
launch: --json
launch:
verify: --on cpu -n 3 --count 8 --iters 1 --json
verify: --on cpu -n 3 --iters 1 --json
verify: --on cpu -n 3 --count 48 --iters 1 --json
verify --json --lang --help --version: --on cpu -n 2 --count 8 --iters 1
grade: 06 example.c
grade: 07 seven.c
grade: 06 fill.c
grade: 06 wrong.c
lesson: 5
lesson: 5 --json
doctor:
list:
estimate: --machine dgx-h100:2
bits: --gpus 4 --compare algo=tree
bits: --bytes 40KiB
explain: nccl.log
hang: rank_0.json
machine: dgx-h100 --json
machine: dgx-h100
END
cat >hints <<'END'
--lang zh_CN
--view none text
--show matrix cost :: --export x.png
--theme dark :: --export x.png
--scale :: --export x.png
--size :: --export x.png
--sheet :: --export x.png
--bare :: --export x.png
--at 1 2 :: --export x.png
--moment underway :: --export x.png --at 1
--follow 1 :: --export x.svg --at 1
run --before -n2 :: --export x.png
--slides :: --export x.pdf
run --at 2 :: --export x.png --show matrix
run --moment underway :: --export x.png --show matrix --at 2
view --at 2 :: --export x.png --show matrix
view --moment underway :: --export x.png --show matrix --at 2
compare --at 1 :: --view text
explain --at 3 :: --view text
hang --at 0
hang --moment underway :: --export x.png --at 0
--root 2 1 :: --collective broadcast
--chunks 3 :: --collective broadcast
--gpus-per-node 2 3 :: --gpus 12 --algo two-level
train --gpus-per-node 2 :: --mode hsdp --gpus 4 --gpus-per-node 4
launch --gpus-per-node 2
launch --gpus-per-proc 1
view --count 8
--algo tree naive
--compare tree :: --export x.png
--order nccl
compare --order nccl :: --algo ring --links links.csv --count 18
train --order nccl :: --gpus 5
mapreduce --order nccl :: --gpus 4
run --seed 1 :: --data random
--seed 1
--input zeros
--protocol eager :: --algo naive --gpus 4 --reduce-rate 1MB/s
mapreduce --protocol eager :: --reduce-rate 1kB/s --gpus 4
--slow-reduce 1:3 :: --reduce-rate 1MB/s
--links links.csv
fit --links x.csv
--machine dgx-h100
--place cyclic :: --machine dgx-h100:2
train --place cyclic :: --machine dgx-h100:2 --gpus 2
--cut gpu0:nvsw :: --machine dgx-h100
--check never
verify --check every :: --iters 3
compare --gpus 3 8
compare --algo naive
compare --count 17
compare --bytes 1KiB
compare --plot :: --bytes 1KiB..1MiB
train --gpus 3
train --epochs 3
train --forget-epoch :: --shuffle
train --drop-last :: --dataset 41
train --batch 8
train --model mlp
train --hidden 8 :: --model mlp
train --lr 0.01
train --mean ranks :: --batch 3,1
train --flops 1GFLOP/s
train --bucket-mb 0.001 :: --model mlp
train --no-overlap :: --model mlp
train --every-batch :: --accumulate 2
train --unused fc1.bias
train --find-unused :: --unused fc1.bias
train --uneven 1:1
train --join :: --uneven 1:1
train --prefetch off :: --model mlp --mode zero3 --bucket-mb 0.01
train --python-share 50%
sampler --forget-epoch :: --epochs 2
sampler --total-batch 4
mapreduce --output x.tsv
mapreduce --text links.csv
verify --count 9
verify --bytes 64
verify --minbytes 64
verify --maxbytes 256 :: --minbytes 64
verify --stepfactor 4 :: --minbytes 64 --maxbytes 256
verify --dtype f64
verify --op max
grade --student ann
grade --secret-file secret :: --student ann
grade --roster names
grade --rung whole
grade --rung-points 50,50,50
estimate --minbytes 1M
estimate --maxbytes 1M
estimate --stepfactor 4
estimate --nccl 2.19
estimate --nccl-algo Ring
estimate --nccl-proto LL
estimate --launch threads
estimate --measured table.txt
estimate --graphs graph.xml
estimate --registered
bits --nccl 2.22.3 :: --channels 8 --bytes 40KiB
bits --compare algo=tree
bits --over tokens=1..9 :: --bytes 40KiB
bits --log nccl.log :: --channels 2
bits --data digits :: --view text
explain --why 64MiB
explain --collective all-gather :: --why 64MiB
explain --draw trees :: --save ring.sched
END
"$ringsim" list --lang en >out
for pair in 'algorithms:ring' 'types:bf16' 'operations:prod' 'machines:dgx-h100' 'labs:05' 'commands:compare'; do
    awk -v title="${pair%:*}" -v name="${pair#*:}" '/^[a-z]/ { here = $1 == title } here && !/^[a-z]/ {
        for (i = 1; i <= NF; i++) if ($i == name || $i == name ",") found = 1 } END { exit !found }' out
    report $? "list: ${pair#*:} stands under ${pair%:*}"
done
# A window, a terminal, a film: window.sh, window-session.sh, term-walk.sh, lesson.sh, film.sh, story.sh.
for command in run view compare train sampler mapreduce launch gil hang bits; do
    except $command --step --speed --reduced-motion
done
except run --predict
# One dump has one rank.
except hang --follow
except view --predict
except lesson --step --view --reduced-motion
except grade --view --show
# Without it something must be handed in: grade-ranks.sh.
except grade --dump
# The same answer in another way is the promise: how many at a time, which wall (interpret.sh), which engine (test_engines).
except run --engine --sandbox
except check --sandbox --interpret
except run --interpret
except verify --interpret
except grade --interpret
except compare --engine --bare
except grade --jobs --sandbox
# Other machines and backends: verify-mpi.sh, device-nccl.sh, launch.sh; how long to wait: verify-mpi.sh.
except verify --dump --on --timeout --init --hostfile --kernel --beside --sandbox --trace
# NCCL's logs and learners' programs: fit.sh, learner.sh.
except fit --gpus --protocol
# A machine calibrated by a table, and what it is like: estimate.sh, fit.sh; a table judged by a machine: explain.sh.
except fit --machine --nccl --launch --nccl-algo --nccl-proto --like --fabric
except estimate --machine --like --fabric --strict
except explain --machine --step --reduced-motion --nccl --launch --nccl-algo --nccl-proto --like --fabric
except check --gpus
"$ringsim" --lang en --help table >table
awk -F '\t' '$1 == "option" { print $2, $4 }' table >options
tab=$(printf '\t')
awk -F '\t' -v OFS="$tab" 'FILENAME == "excepted" { split($0, w, " "); known[w[1], w[2]] = 1; next }
    $1 == "option" && !(($2, $4) in known) { print $2, $4, $5 == "" ? "NONE" : $5, $6 }' excepted table >rest
last='' memory=''
while IFS=$tab read -r command option argument help <&3; do
    [ "$command" = "$last" ] || memory='' last=$command
    try "$command" "$option" "$argument" "$help"
done 3<rest
[ -s rest ] && ! grep -vxFf options excepted
report $? "what is excepted is there"
# The help: what people use in about 20 lines, the rest for --help all.
awk -F '\t' '$1 == "command" { print $2 }' table >commands
while read -r command; do
    "$ringsim" help "$command" >short && "$ringsim" help "$command" --help all >all && "$ringsim" "$command" --help all | cmp -s - all
    report $? "help $command --help all, and $command --help all"
    [ "$(wc -l <short)" -le 30 ] && grep -q -e '--help' short
    report $? "help $command has at most 30 lines"
    [ "$(grep -c '^  \(-., \)\{0,1\}--' all)" = "$(grep -c "^$command " options)" ]
    report $? "help $command --help all has the options of the table"
done <commands
[ -s commands ] && [ "$("$ringsim" help | sed -n 's/^  \([a-z][a-z]*\).*/\1/p')" = "$(cat commands)" ]
report $? "help names every command"
# The manual page has every option and key of the table, and no text of an option that is gone.
"$page" "$ringsim" >page.1 && sed 's/\\-/-/g; s/\\f[BR]//g' page.1 >plain
report $? "the manual page is made"
awk -F '\t' '$1 == "option" { print $4 } $1 == "key" { print $2 }' table | sort -u | while read -r name; do
    grep -qF -e "$name" plain || echo "$name"
done >lacking
[ -s plain ] && [ ! -s lacking ]
report $? "the manual page lacks nothing: $(tr '\n' ' ' <lacking)"
exit $failed
