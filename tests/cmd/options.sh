#!/bin/sh
# options.sh: every option that a command takes makes a difference, in what it says or writes, or is refused.
#
#     walk COMMAND WORDS...     what an option is compared with; its lines are
#     [MORE WORDS ::] OPTION [VALUE]
#     except COMMAND OPTION...  what cannot be seen here, with a reason
#
# An option of `help COMMAND` that stands in none of them fails.
. tests/tools/command-test
XDG_DATA_HOME=$SCRATCH/data HOME=$SCRATCH TERM=dumb
export XDG_DATA_HOME HOME TERM
lessons=$OLDPWD/lessons page=$OLDPWD/cli/man/page
: >tried
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
walk() { # COMMAND WORDS...
    command=$1 none='' last='' memory=
    shift
    while read -r line; do
        case $line in '' | '#'*) continue ;; esac
        more='' option=$line
        case $line in *' :: '*) more=${line%% :: *} option=${line#* :: } ;; esac
        if [ -z "$none" ] || [ "$more" != "$last" ]; then
            # Words hold no spaces.
            # shellcheck disable=SC2086
            said $command "$@" $more
            none=$sum last=$more without=$status
        fi
        case "$without $line" in
        3*) ;; # this build lacks something, and says so
        *--lang*) [ -n "$chinese" ] || without=3 ;;
        esac
        printf '%s %s\n' "$command" "${option%% *}" >>tried
        if [ "$without" = 3 ]; then
            echo "ok $command $* $line: makes a difference # skip: not in this build"
            continue
        fi
        # shellcheck disable=SC2086
        said $command "$@" $more $option
        case $status$option in 3--export*)
            echo "ok $command $* $line: makes a difference # skip: no pictures in this build"
            continue
            ;;
        esac
        [ "$sum" != "$none" ] && [ "$without" -lt 2 ] && [ "$status" -lt 2 ]
        report $? "$command $* $line: makes a difference ($without, $status)"
        [ "$status" -lt 2 ] || sed 's/^/    /' err
    done
}
except() { # COMMAND OPTION...
    command=$1
    shift
    for option in "$@"; do printf '%s %s\n' "$command" "$option" >>tried; done
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
    echo 0123456789abcdef >secret && chmod 600 secret
    echo '{"entries":[]}' >rank_0.json
) >log 2>&1
[ -s here/a.trace ] && [ -s here/two.trace ]
report $? "recordings to look at"
given=" $(ls here | tr '\n' ' ')"

walk run -n 4 --count 16 --view none --json --transfers <<'END'
--collective all-gather
--collective broadcast :: --root 2
--collective broadcast :: --chunks 3
--channels 2
--gpus 8 --algo two-level :: --gpus-per-node 2
--gpus 3
--algo tree
--order nccl
--count 17
--values none
--dtype i64
--op max
--data index
--data random :: --seed 1
--input zeros
--output results
--alpha 1us
--bandwidth 1GB/s
--reduce-rate 1GB/s
--algo naive --reduce-rate 1GB/s :: --protocol eager
--links links.csv
--machine dgx-h100
--machine dgx-h100:2 :: --place cyclic
--machine dgx-h100 :: --cut gpu0:nvsw
--slow-link 1:3
--late 1:9us
--straggler 1:9us
--kill 1@2
--flip 1@2
--reduce-rate 1GB/s :: --slow-reduce 1:3
--down 1@2:9us
--check never
--trace x.trace
--save x.sched
--export x.png
--export x.png :: --sheet
--export x.png --show matrix :: --at 2
--export x.png --show matrix --at 2 :: --moment underway
--export x.png :: --theme dark
--export x.png :: --scale 2
--export x.png :: --size 800x600
--export x.png :: --bare
--export x.pdf :: --slides
--export x.png :: --show cost
--export x.png :: --compare tree
END
walk run -n 4 --view none --json <<'END'
--bytes 128
END
walk run -n 4 --view none <<'END'
--json
--help
--version
END
walk run -n 4 --count 16 --view none --json <<'END'
--transfers
END
walk run -n 4 --count 16 --view text --at 1 <<'END'
--view none
--lang zh_CN
END

walk check a.sched <<'END'
--lang zh_CN
--json
--help
--version
END
walk view two.trace --view none --json <<'END'
--count 8
END
walk view a.trace --view none --json --transfers <<'END'
--trace x.json
--save x.sched
--export x.png
--export x.png :: --sheet
--export x.png --show matrix :: --at 2
--export x.png --show matrix --at 2 :: --moment underway
--export x.png :: --theme dark
--export x.png :: --scale 2
--export x.png :: --size 800x600
--export x.png :: --bare
--export x.pdf :: --slides
--export x.png :: --show cost
END
walk view a.trace --view text --at 1 <<'END'
--view none
--lang zh_CN
--help
--version
END
walk view a.trace --view none <<'END'
--json
END
walk view a.trace --view none --json <<'END'
--transfers
END
walk compare -n 2,4 --count 16 --json <<'END'
--collective all-gather
--collective broadcast :: --root 1
--collective broadcast :: --chunks 3
--channels 2
END
walk compare -n 2,4 --count 16 --algo ring,tree --json <<'END'
--gpus 8 --algo two-level :: --gpus-per-node 2
--gpus 3
--algo naive
--algo ring --links links.csv --count 18 :: --order nccl
--count 17
--dtype i64
--alpha 1us
--bandwidth 1GB/s
--reduce-rate 1GB/s
--algo naive --reduce-rate 1GB/s :: --protocol eager
--links links.csv
--machine dgx-h100
--machine dgx-h100:2 :: --place cyclic
--machine dgx-h100 :: --cut gpu0:nvsw
END
walk compare -n 2,4 --count 16 --algo ring,tree <<'END'
--json
--lang zh_CN
--csv
--help
--version
END
walk compare -n 2,4 --algo ring,tree <<'END'
--bytes 1KiB
--bytes 1KiB..1MiB :: --plot
--bytes 1KiB,1MiB :: --export x.csv
END
walk compare -n 4 --bytes 1KiB,1MiB --algo ring,tree <<'END'
--export x.png
--export x.png :: --theme dark
--export x.png :: --scale 2
--export x.png :: --size 800x600
--view text
--view text :: --at 1
END
walk fit a.trace <<'END'
--links x.csv
--lang zh_CN
--json
--help
--version
END
walk sampler --json --shuffle <<'END'
--gpus 3
--seed 1
--dataset 11
--epoch 1
--epochs 2
--epochs 2 :: --forget-epoch
--drop-last
--batch 2
--total-batch 4
--export x.png
--export x.png :: --at 1
--export x.png :: --theme dark
--export x.png :: --scale 2
--export x.png :: --size 800x600
--export x.png :: --bare
--export x.png --at 1 :: --moment underway
--export x.pdf :: --slides
END
walk sampler <<'END'
--shuffle
--json
--view none
--lang zh_CN
--help
--version
END
walk gil --iters 0 --json -n 2 --cores 4 --python-share 0.4 <<'END'
--gpus 3
--iters 1
--python-share 0.7
--work 50ms
--slices 5
--cores 1
--export x.png
--export x.png :: --at 1
--export x.png :: --theme dark
--export x.png :: --scale 2
--export x.png :: --size 800x600
--export x.png :: --bare
--export x.png --at 1 :: --moment underway
--export x.pdf :: --slides
END
walk gil --iters 0 -n 2 <<'END'
--json
--view none
--lang zh_CN
--help
--version
END
walk train -n 2 --model linreg --dataset 40 --epochs 2 --json --transfers <<'END'
--gpus 3
--algo tree
--gpus 5 :: --order nccl
--seed 1
--alpha 1us
--bandwidth 1MB/s
--reduce-rate 1MB/s
--algo naive --gpus 4 --reduce-rate 1MB/s :: --protocol eager
--links links.csv
--slow-link 1:3
--straggler 1:9us
--reduce-rate 1MB/s :: --slow-reduce 1:3
--check never
--dataset 41
--shuffle
--epochs 3
--shuffle :: --forget-epoch
--dataset 41 :: --drop-last
--batch 8
--python-share 50%
--mode dp
--model mlp
--model mlp :: --hidden 8
--lr 0.01
--batch 3,1 :: --mean ranks
--no-broadcast
--flops 1GFLOP/s
--slow-gpu 1:3
--model mlp :: --bucket-mb 0.001
--model mlp :: --no-overlap
--accumulate 2
--optimizer adam
--mode zero3
--model mlp --mode zero3 --bucket-mb 0.01 :: --prefetch off
--mode hsdp --gpus 4 --gpus-per-node 4 :: --gpus-per-node 2
--machine dgx-h100
--machine dgx-h100:2 --gpus 2 :: --place cyclic
--machine dgx-h100 :: --cut gpu0:nvsw
--export x.png
--export x.png :: --at 1
--export x.png :: --theme dark
--export x.png :: --scale 2
--export x.png :: --size 800x600
--export x.png :: --bare
--export x.png --at 1 :: --moment underway
--export x.pdf :: --slides
END
walk train -n 2 --model linreg --dataset 40 <<'END'
--json
--view none
--lang zh_CN
--help
--version
END
walk train -n 2 --model linreg --dataset 40 --json <<'END'
--transfers
END
walk train -n 1,2 <<'END'
--csv
END
walk mapreduce --json --text a_b,a_c,d <<'END'
--gpus 3
--gpus 4 :: --order nccl
--op count
--output x.tsv
--alpha 1us
--bandwidth 1GB/s
--reduce-rate 1kB/s
--reduce-rate 1kB/s --gpus 4 :: --protocol eager
--links links.csv
--text links.csv
--combine
--map-rate 1kB/s
--export x.png
--export x.png :: --at 1
--export x.png :: --theme dark
--export x.png :: --scale 2
--export x.png :: --size 800x600
--export x.png :: --bare
--export x.png --at 1 :: --moment underway
--export x.pdf :: --slides
END
walk mapreduce --text a.sched <<'END'
--json
--view none
--top 2
--lang zh_CN
--help
--version
END
walk launch --json <<'END'
--nodes 3
--gpus-per-node 2
--gpus-per-proc 1
--with srun
--init tcp
--mistake rank-twice
--export x.png
--export x.png :: --at 1
--export x.png :: --theme dark
--export x.png :: --scale 2
--export x.png :: --size 800x600
--export x.png :: --bare
--export x.png --at 1 :: --moment underway
--export x.pdf :: --slides
END
walk launch <<'END'
--json
--view none
--lang zh_CN
--help
--version
END
walk verify --on cpu -n 3 --iters 1 --json <<'END'
--count 9
--bytes 64
--minbytes 64
--minbytes 64 :: --maxbytes 256
--minbytes 64 --maxbytes 256 :: --stepfactor 4
END
walk verify --on cpu -n 3 --count 8 --iters 1 --json <<'END'
--gpus 12 --algo two-level :: --gpus-per-node 3
--gpus 2
--algo tree
--order nccl
--dtype f64
--op max
--data index
--seed 1
--special nan
--warmup 2
--iters 2
--iters 3 :: --check every
--flip 1@2
END
walk verify --on cpu -n 3 --count 48 --iters 1 --json <<'END'
--collective broadcast
--collective broadcast :: --root 1
--collective broadcast :: --chunks 4
--channels 2
END
walk verify --on cpu -n 2 --count 8 --iters 1 <<'END'
--json
--lang zh_CN
--help
--version
END
walk grade 06 example.c <<'END'
--student ann
--student ann :: --secret-file secret
--format junit
--lang zh_CN
--help
--version
END
walk grade 07 seven.c <<'END'
--seed 1
END
walk grade 06 fill.c <<'END'
--rung whole
--rung-points 50,50,50
END
walk grade 06 wrong.c <<'END'
--interpret
--save x.sched
END
walk lesson 5 <<'END'
--class
--gift x.gift
--reset
--lang zh_CN
--json
--export x.png
--export x.png :: --at 2
--export x.png :: --theme dark
--export x.png :: --scale 2
--export x.png :: --size 800x600
--export x.png :: --bare
--help
--version
END
walk lesson 5 --json <<'END'
--key
END
walk doctor <<'END'
--lang zh_CN
--help
--version
END
walk run -n 3 --kill 2@1 <<'END'
--dump dumps
END
walk estimate --machine dgx-h100:2 <<'END'
--collective all-gather
--minbytes 1M
--maxbytes 1M
--stepfactor 4
--nccl 2.19
--launch threads
--nccl-algo Ring
--nccl-proto LL
--rate 2
--latency 3
--measured table.txt
--graphs graph.xml
--lang zh_CN
--json
--csv
--help
--version
END
walk explain nccl.log <<'END'
--why 64MiB
--why 64MiB :: --collective all-gather
--tuner tuner.csv
--env env.sh
--save ring.sched
--save ring.sched :: --draw trees
--view text
--view text :: --at 3
--export x.png
--export x.png :: --theme dark
--export x.png :: --scale 2
--export x.png :: --size 800x600
--lang zh_CN
--json
--help
--version
END
walk hang rank_0.json <<'END'
--lang zh_CN
--json
--view none
--at 0
--export x.png
--export x.png :: --at 0
--export x.png :: --theme dark
--export x.png :: --scale 2
--export x.png :: --size 800x600
--export x.png :: --bare
--export x.png --at 0 :: --moment underway
--export x.pdf :: --slides
--help
--version
END
"$ringsim" list --lang en >out
for pair in 'algorithms:ring' 'types:bf16' 'operations:prod' 'machines:dgx-h100' 'labs:05' 'commands:compare'; do
    awk -v title="${pair%:*}" -v name="${pair#*:}" '/^[a-z]/ { here = $1 == title } here && !/^[a-z]/ {
        for (i = 1; i <= NF; i++) if ($i == name || $i == name ",") found = 1 } END { exit !found }' out
    report $? "list: ${pair#*:} stands under ${pair%:*}"
done
walk list <<'END'
--lang zh_CN
--json
--help
--version
END
walk machine dgx-h100 --json <<'END'
--bytes 1kB
END
walk machine dgx-h100 <<'END'
--save x.machine
--export x.png
--export x.png :: --theme dark
--export x.png :: --scale 2
--export x.png :: --size 800x600
--lang zh_CN
--json
--help
--version
END
# A window, a terminal, a film: window.sh, window-session.sh, term-walk.sh, lesson.sh, film.sh, story.sh.
for command in run view compare train sampler mapreduce launch gil hang; do
    except $command --step --speed --reduced-motion
done
except run --predict
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
except compare --engine --bare
except grade --jobs --sandbox
# Other machines and backends: verify-mpi.sh, device-nccl.sh, launch.sh; how long to wait: verify-mpi.sh.
except verify --dump --on --timeout --init --hostfile --kernel --sandbox --trace
# NCCL's logs and learners' programs: fit.sh, learner.sh.
except fit --gpus --protocol
# A machine calibrated by a table, and what it is like: estimate.sh, fit.sh; a table judged by a machine: explain.sh.
except fit --machine --nccl --launch --nccl-algo --nccl-proto --like --fabric
except estimate --machine --like --fabric --strict
except explain --machine --step --reduced-motion --nccl --launch --nccl-algo --nccl-proto --like --fabric
except check --gpus
"$ringsim" --help table >table
awk -F '\t' '$1 == "option" { print $2, $4 }' table >options
grep -vxFf tried options >forgotten
[ -s options ] && [ ! -s forgotten ]
report $? "every option was tried: $(tr '\n' ' ' <forgotten)"
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
