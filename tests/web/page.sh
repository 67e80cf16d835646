#!/bin/sh
# The page without a browser: what commands say in it, what is seen in it, what it asks of a browser, how large it is; and
# that it is made the same each time.
set -u
failed=0
say() { # STATUS WHAT
    if [ "$1" = 0 ]; then echo "ok page: $2"; else echo "not ok page: $2" && failed=1; fi
}
html=$BUILD/ringsim.html suites=$BUILD/page/suites.wasm
if [ ! -s "$html" ] || [ ! -s "$suites" ]; then
    echo "ok page # skip: no wasm toolchain (tests/tools/need page gets it)"
    exit 0
fi

n=$(wc -c <"$html") packed=$(gzip -9 <"$html" | wc -c)
[ "$n" -le 1350000 ] && [ "$packed" -le 975000 ]
say $? "$n bytes, $packed gzipped: at most 1,350,000 and 975,000"
cp "$html" "$SCRATCH/before.html"
tests/tools/pack-page "$BUILD" && cmp -s "$html" "$SCRATCH/before.html"
say $? "packed again it has the same bytes"
sed '1,/<\/style>/!d' "$html" | grep -q "default-src 'none'; script-src 'sha256-[^']*' 'wasm-unsafe-eval'; style-src 'sha256-[^']*'; img-src data:; base-uri 'none'"
say $? "its policy lets its own script run, and nothing else load"
! sed '/^<script>.use strict/,$d' "$html" | grep -oE '(src|href|action)="[^"]*"|@import|url\(' | grep -v 'href="data:,"' &&
    ! grep -nE '\b(fetch|eval|import|Function|XMLHttpRequest|WebSocket|EventSource|sendBeacon)\(' viz/web/*.js
say $? "it loads no other file, and asks no network"
for list in "$BUILD/page/ringsim.wasm" viz/web/imports; do [ -s "$list" ] || exit 1; done
LC_ALL=C sort -c viz/web/imports
say $? "viz/web/imports is sorted"

if ! command -v node >/dev/null 2>&1; then
    echo "ok page in node # skip: no node (nodejs)"
    exit $failed
fi
node --no-warnings tests/web/suites.mjs "$suites"
say $? "the suites of what is seen pass in WebAssembly"
node --no-warnings tests/web/links.mjs "$html" || failed=1
node --no-warnings tests/web/work.mjs "$html" || failed=1

# --export FILE.html: the same run, story or lesson, with the files that it names.
exports() { # TITLE WORDS...
    title=$1
    shift
    (cd "$SCRATCH" && "$RINGSIM" "$@" --export out.html >out 2>&1)
    [ "$(node --no-warnings tests/web/exported.mjs "$SCRATCH/out.html")" = "$title" ]
    say $? "--export FILE.html of $*: $title"
}
printf 'src,dst,alpha,bandwidth\n2,3,50us,2GB/s\n' >"$SCRATCH/my links <1>.csv"
printf 'ringsim-machine 1\ngpus 2\nlink gpu0 gpu1 bandwidth 5GB/s\n' >"$SCRATCH/two.machine"
(cd "$SCRATCH" && "$RINGSIM" --gpus 4 --view none --save four.sched)
exports 'ring, 4 GPUs - step 2 of 0..5, done, GPU 0' --gpus 4 --links 'my links <1>.csv' --at 2 --view text
exports 'file, 4 GPUs - step 1 of 0..5, done, GPU 0' --algo=four.sched --at 1
exports 'ring, 2 GPUs - start, rank 0' --machine two.machine --step
exports 'Who sees which sample - step 1 of 0..3, done, GPU 0' sampler --gpus 3 --at 1
exports 'lesson 5, start' lesson 5
(cd "$SCRATCH" && "$RINGSIM" grade 11 --dump jobs --seed 17 >/dev/null)
exports 'Where the job stands - start, GPU 0' hang jobs/job1
exports 'Where the job stands - step 2 of 0..5, done, GPU 0' hang "$SCRATCH/jobs/job1" --at 2
# Dumps of 64 ranks, 13 MB: they are packed, if zlib is there.
if grep -q '^HAVE_ZLIB := 1' "$BUILD/config.mk"; then
    (cd "$SCRATCH" && "$RINGSIM" --gpus 64 --channels 8 --kill 3@100 --dump many --view none)
    exports 'Where the job stands - start, GPU 0' hang many
    [ "$(wc -c <"$SCRATCH/out.html")" -lt 8000000 ] && grep -q '^many/ringsim_trace_rank_63 gzip ' "$SCRATCH/out.html"
    say $? "a folder of 64 ranks' dumps goes into a page, packed"
fi
rm -f "$SCRATCH/out.html"
"$RINGSIM" --gpus 4 --at 99 --export "$SCRATCH/out.html" >/dev/null 2>&1
[ $? = 2 ] && [ ! -e "$SCRATCH/out.html" ]
say $? "what cannot be shown is not exported: exit 2, nothing written"

# What commands read lies in a folder; what documents' commands write, in another.
. tests/tools/said
. tests/tools/baseline-commands
mkdir "$SCRATCH/inputs" "$SCRATCH/written" "$SCRATCH/documented"
top=$(pwd)
(
    LC_ALL=C.UTF-8 RINGSIM_LESSONS=$top/lessons
    export LC_ALL RINGSIM_LESSONS
    cd "$SCRATCH/inputs" && cp "$top"/tests/data/topologies/*.topo . && write_inputs "$RINGSIM"
) >/dev/null 2>&1
{
    sed -n 's/^\$ //p' tests/golden/said/*.txt
    add() { shift && while IFS= read -r line; do for ending in "$@"; do printf '%s\n' "$line$ending"; done; done; }
    list_commands
} >"$SCRATCH/listed"
for document in README.md lessons/[0-9]*/en.md; do
    n=$((n + 1))
    mkdir "$SCRATCH/documented/$n"
    tests/tools/run-readme --commands "$SCRATCH/documented/$n" "$document"
done
cp lessons/[0-9]*/*.trace lessons/[0-9]*/*.sched "$SCRATCH/written" 2>/dev/null
node --no-warnings tests/web/commands.mjs "$html" "$SCRATCH/listed" "$SCRATCH/inputs" "$SCRATCH/documented" "$SCRATCH/written" || failed=1
exit $failed
