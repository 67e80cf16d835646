#!/bin/sh
# Every benchmark that was built with the tests runs to its end, at a size that takes a moment.
top=$(pwd)
. tests/tools/command-test
cd "$top" || exit 1
tables=$SCRATCH/tables
mkdir "$tables"
head -n 3 tests/data/nccl-tables/machines.csv >"$tables/machines.csv"
cp tests/data/nccl-tables/a6000* "$tables"
for bench in "$BUILD"/tests/bench/bench_*; do
    case $bench in *.[do]) continue ;; esac
    name=${bench##*/bench_}
    case $name in
    apply) set -- 1 4 ;;
    events) set -- '' 32 ;;
    fidelity) set -- "$tables" ;;
    flows) set -- 2 ;;
    grade) set -- 1 ;;
    frame) set -- 4 ;;
    gpu) set -- 1 2 1 ;;
    hang) set -- 20 ;;
    train) set -- 100 2 ;;
    wavefront) set -- --small ;;
    *) set -- ;;
    esac
    RINGSIM=$ringsim timeout 120 "$bench" "$@" >"$SCRATCH/told" 2>&1 && [ -s "$SCRATCH/told" ]
    good=$?
    [ $good = 0 ] || tail -n 3 "$SCRATCH/told" | sed 's/^/    /'
    report $good "bench_$name runs to its end"
done

# What a constant is worth: two families of one network, each judged by constants that were fitted on the other.
mkdir "$SCRATCH/two"
data=tests/data/nccl-tables
grep -E '^(table|alps_gh200_2n|polaris_a100_2n_x4_ofi)' "$data/machines.csv" >"$SCRATCH/two/machines.csv"
cp "$data"/alps_gh200_2n* "$data"/polaris_a100_2n_x4_ofi* "$SCRATCH/two"
bench=$BUILD/tests/bench/bench_fidelity
"$bench" "$SCRATCH/two" | sed -n 's/^all *//p' | cut -d'|' -f3 | xargs >"$SCRATCH/others"
"$bench" --gains "$SCRATCH/two" | sed 1d >"$SCRATCH/gains"
without() { sed -n "s/^$1  *//p" "$SCRATCH/gains" | xargs; }
[ -s "$SCRATCH/others" ] && [ "$(without none)" = "$(cat "$SCRATCH/others")" ] && [ "$(without 'efa share')" = "$(without none)" ] &&
    [ "$(without 'slingshot share')" != "$(without none)" ]
report $? "what a constant is worth: none left out is the fit itself, a network's is its own tables'"
exit $failed
