#!/bin/sh
# limits.sh: too little memory, a full disk, what a killed run has left, names that are long.
. tests/tools/command-test

# One line and the status, whatever the limit; nothing is left. `within LIMIT-OF-ulimit STATUS TEXT WORDS...`
within() {
    limit=$1 wanted=$2 says=$3
    shift 3
    # shellcheck disable=SC3045,SC2086
    (ulimit $limit && exec "$ringsim" "$@" >out 2>err </dev/null) 2>shell
    got=$?
    [ $got = "$wanted" ] && grep -qF -e "$says" err && [ "$(wc -l <err)" -eq 1 ] && ! ls -A | grep -q tmp-
    good=$?
    [ $good = 0 ] || { echo "    exit $got"; sed 's/^/    /' err; }
    report $good "ulimit $limit, exit $wanted: ringsim $* says: $says"
}
sanitized=$(grep -c __asan_init "$ringsim")
# shellcheck disable=SC3045
if [ "$sanitized" -gt 0 ] || ! (ulimit -v 1000000) 2>/dev/null; then
    echo "ok memory is bounded # skip: no ulimit -v here, or a sanitizer that needs all addresses"
else
    within "-v 4000000" 3 "take smaller sizes or fewer ranks" verify --on mpi -n 1024
    # All ranks' arrays are 0.54 GB; the reference holds a window of them.
    (ulimit -v 460000 && exec "$ringsim" verify --on cpu -n 64 -b 8MiB --dtype i64 -w 0 --iters 1 >out 2>err </dev/null)
    [ $? = 0 ] && grep -q '^# cpu: right' out
    report $? "the reference needs less memory than the arrays"
    within "-v 2000000" 3 "the training takes 3." train --model mlp --hidden 4096,4096,4096
    within "-v 2000000" 3 "--values none" run -n 64 --bytes 100MB --values all
    if "$ringsim" run -n 3 --count 3 --view none --export whole.png >out 2>&1; then
        for kind in png svg pdf; do
            "$ringsim" run -n 3 --count 3 --view none --export whole.$kind >out 2>&1
            # More memory than was enough three times is enough; what is drawn is the same in all, so PNG goes in the smaller steps.
            kib=15000 bad='' n_three=0 n_right=0 step=46000
            [ $kind != png ] || step=23000
            while [ $n_right -lt 3 ] && [ $kib -lt 700000 ]; do
                rm -f a.$kind
                (ulimit -v $kib && exec "$ringsim" run -n 3 --count 3 --view none --export a.$kind >out 2>err) 2>shell
                got=$?
                if [ $got = 3 ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -e a.$kind ]; then
                    n_three=$((n_three + 1))
                elif [ $got = 0 ] && [ ! -s err ] && cmp -s a.$kind whole.$kind; then
                    n_right=$((n_right + 1))
                else
                    bad="$bad $kib:$got"
                fi
                kib=$((kib + step))
            done
            [ -z "$bad" ] && [ $n_three -gt 0 ] && [ $n_right -gt 0 ]
            report $? "a $kind is right or refused in one line, whatever ulimit -v ($n_three refused, $n_right right$bad)"
        done
        rm -f a.* whole.*
    fi
fi
if "$ringsim" run -n 2 --count 2 --view none --size 320x240 --speed 16 --export a.gif >out 2>&1; then
    rm -f a.gif
    within "-f 8" 3 "File too large" run -n 3 --count 3 --view none --export half.mp4
    [ ! -e half.mp4 ]
    report $? "and leaves no film"
fi

# What a killed run has left goes when the next writes there; what somebody holds, or a young one, stays.
echo old >.ringsim-tmp-aaaaaa
echo held >.ringsim-tmp-bbbbbb
echo other >.ringsim-tmp-cc
touch -d '1 minute ago' .ringsim-tmp-*
echo young >.ringsim-tmp-dddddd
if command -v flock >found; then
    flock .ringsim-tmp-bbbbbb "$ringsim" -n 3 --view none --save a.sched >out 2>err
    [ -e .ringsim-tmp-bbbbbb ]
    report $? "a file that another run holds stays"
else
    "$ringsim" -n 3 --view none --save a.sched >out 2>err
fi
[ -s a.sched ] && [ ! -e .ringsim-tmp-aaaaaa ] && [ -e .ringsim-tmp-cc ] && [ -e .ringsim-tmp-dddddd ]
report $? "what a killed run has left is removed, a young file and another name are not"
rm -f .ringsim-tmp-*

# The reason is there, however long the name.
long=$(printf '%0230d' 7)
deep=$long/$long/$long/$long
names_reason() { # TEXT WORDS...
    says=$1
    shift
    "$ringsim" "$@" >out 2>err </dev/null
    [ $? -eq 2 ] && grep -qF -e "$says" err && [ "$(wc -l <err)" -eq 1 ]
    report $? "$1 with a name of $(echo "$*" | wc -c) bytes says: $says"
}
printf 'ringsim-schedule 1\nranks 0\n' >"$long.sched"
names_reason "No such file or directory" check "$deep/a.sched"
names_reason "No such file or directory" run --view none --save "$deep/a.sched"
names_reason "No such file or directory" fit "$deep.trace"
names_reason "No such file or directory" view "$deep.trace"
names_reason "No such file or directory" train --model "$deep.lay"
names_reason "No such file or directory" run --links "$deep.csv"
names_reason "File name too long" run --view none --save "$long$long.sched"
names_reason "line 2, column 7" check "$long.sched"

# Times that would silently be none.
wants 2 "'0.4ps' is no whole number of picoseconds" --alpha 0.4ps
wants 2 "'2.5ps' is no whole number of picoseconds" --alpha 2.5ps
wants 2 "'1e-14' is no whole number of picoseconds" --straggler 1:1e-14
wants 2 "kB/s MB/s GB/s TB/s PB/s" --bandwidth 1QB/s
wants 0 '"bandwidth_Bps":1000000000000000' --bandwidth 1PB/s --json
wants 0 '"alpha_ps":1,' --alpha 1ps --json
wants 0 '"alpha_ps":0,' --alpha 0us --json

# A program alone blames no option that nobody gave.
mkdir alone
cp "$ringsim" alone/ringsim
if env -u RINGSIM_ASSETS alone/ringsim train >out 2>err; then
    echo "ok a copied program finds no model # skip: it is installed on this machine"
else
    [ $? -eq 3 ] && grep -q '^ringsim: resnet50.lay' err && ! grep -q -e '--model resnet50' err && [ "$(wc -l <err)" -eq 1 ]
    report $? "a copied program says that the model does not lie beside it"
fi
exit $failed
