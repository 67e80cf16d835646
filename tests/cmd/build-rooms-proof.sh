#!/bin/sh
# The proof of the rooms can fail: a small tree keeps the rules and passes; then each rule is broken once,
# all in one tree, and each fault must be named beneath its own rule.
set -u
tools=$(pwd)/tests/tools
cd "$SCRATCH" || exit 1
failed=0

mkdir -p tree/sim tree/nccl tree/viz/scene tree/viz/story tree/viz/canvas tree/gpu/cuda tree/cli tree/assets tree/tests/many
cd tree || exit 1
echo 'int rs_one(void);' >sim/ringsim.h
printf '#include "ringsim.h"\n#include <math.h>\nint rs_one(void) { return 1; }\n' >sim/one.c
printf 'static int two(void) { return 2; }\nint (*const rs_table[])(void) = {two};\n' >sim/two.c
echo 'int rn_one(void);' >nccl/ringsim_nccl.h
printf '#include "config.h"\n#include "ringsim.h"\n#ifdef HAVE_EXPAT\nint XML_Parse();\n#endif\nint rn_one(void) { return rs_one() + XML_Parse(); }\n' >nccl/log.c
printf '#include "ringsim_nccl.h"\nint rv_story(void) { return rn_one(); }\n' >viz/story/tale.c
printf 'typedef struct rv_state rv_state;\nint rv_one(void);\n' >viz/ringsim_viz.h
printf '#include "ringsim.h"\n#include "ringsim_viz.h"\nstruct rv_state { int i; };\nint rv_one(void) { return rs_one(); }\n' >viz/view.c
echo 'int rv_scene(int);' >viz/scene/scene.h
printf '#include "scene.h"\n#include "ringsim_viz.h"\nint rv_scene(int i) { return i + rv_one(); }\n' >viz/scene/scene.c
printf '#include "scene.h"\nint rv_paint(void) { return rv_scene(1); }\n' >viz/canvas/paint.c
printf '#include "ringsim.h"\nint rg_one(void) { return rs_one(); }\n' >gpu/job.c
printf '#include <expat.h>\n' >cli/xml.h
printf '/* HAVE_ZLIB */\n#include "config.h"\n#include "xml.h"\n#ifdef HAVE_EXPAT\n#endif\n' >cli/reads.c
printf '#include <cairo.h>\n' >viz/canvas/canvas.h
printf '#include "canvas.h"\n' >tests/shades.c
printf '#include "ringsim_viz.h"\nint main(void) { return rv_one(); }\n' >cli/main.c
printf '# budget\nsim 99\nnccl 9\nviz 99\ngpu 9\ncli 99\ntests 9\n' >tests/budget
for i in $(seq 31); do : >"tests/many/$i"; done
{ printf '/*\n' && seq 400 && printf '*/\n'; } >cli/long.h
compile() { # SOURCE...
    for source in "$@"; do
        mkdir -p "build/${source%/*}"
        "${CC:-cc}" -fPIE -w -I. -Isim -Inccl -Iviz -Iviz/scene -c "$source" -o "build/${source%.c}.o" || exit 1
    done
}
echo '#define HAVE_EXPAT 1' >config.h
compile $(find sim nccl viz gpu cli -name '*.c' | sed 's/^\.\///')

if "$tools/check-rooms" build >../clean.log; then
    echo "ok a tree that keeps the rules passes"
else
    echo "not ok a tree that keeps the rules passes"
    cat ../clean.log
    failed=1
fi

for hint in 'tests/many: 31 files' 'cli/long.h: 402 lines'; do
    if grep -qxF "    $hint" ../clean.log; then
        echo "ok no fault, but told: $hint"
    else
        echo "not ok no fault, but told: $hint"
        failed=1
    fi
done

# Notes a fault; its file is what stands on stdin.
breaks() { # FILE RULE OFFENDER WHAT: the rule (some words of it) must name the offender
    mkdir -p "${1%/*}"
    cat >"$1"
    case $1 in *.c) compile "$1" ;; esac
    printf '%s\t%s\t%s\n' "$2" "$3" "$4" >>../faults
}

calls="sim/ calls nothing of the outside"
echo '#include <time.h>' | breaks sim/clock.c "sim/ includes only" '<time.h>' "sim/ may not include a clock"
echo '#include "../cli/main.c"' |
    breaks sim/above.c "sim/ includes only" '../cli/main.c' "sim/ may not include cli/"
echo 'char *getenv(); char *rs_asks() { return getenv("X"); }' |
    breaks sim/asks.c "$calls" getenv "sim/ may not read the environment"
echo 'int printf(); int rs_prints() { return printf("x"); }' |
    breaks sim/prints.c "$calls" 'sim/prints.o p' "sim/ may not print"
echo 'static int calls; int rs_counts() { return ++calls; }' |
    breaks sim/counts.c "have no variable" calls "sim/ may not count in a static variable"
echo 'int rs_state = 3;' |
    breaks sim/state.c "have no variable" rs_state "sim/ may not have a global variable"
echo 'static _Thread_local int deep; int rs_dives() { return ++deep; }' |
    breaks sim/dives.c "have no variable" deep "sim/ may not have a variable a thread"
echo 'int helper() { return 1; }' |
    breaks sim/helper.c "every shared name" helper "a shared name in sim/ is rs_..."

echo '#include "ringsim_nccl.h"' | breaks sim/knows.c "sim/ includes only" ringsim_nccl.h "sim/ may not include nccl/"
printf '#if 0\n#include "ringsim_viz.h"\n#endif\n' |
    breaks nccl/looks.c "nccl/ includes sim/'s" ringsim_viz.h "nccl/ may not include viz/"
printf '#if 0\n#include <time.h>\n#endif\n' |
    breaks nccl/hour.c "nccl/ includes sim/'s" '<time.h>' "nccl/ may not include a clock"
echo 'void *fopen(); void *rn_opens() { return fopen("x", "r"); }' |
    breaks nccl/opens.c "nccl/ calls nothing" 'nccl/opens.o fopen' "nccl/ may not open a file"
echo 'static int met; int rn_meets() { return ++met; }' |
    breaks nccl/meets.c "have no variable" met "nccl/ may not count in a static variable"
echo 'int rn_one(); int rg_reads() { return rn_one(); }' |
    breaks gpu/reads.c "knows no nccl/" rn_one "gpu/ may not call nccl/"
echo '#include "ringsim_nccl.h"' | breaks viz/tells.c "viz/ includes of" ringsim_nccl.h "viz/ may not include nccl/ outside its stories"
printf '#if 0\n#include "ringsim_gpu.h"\n#endif\nint rv_gpu;' |
    breaks viz/looks.c "viz/ includes of" ringsim_gpu.h "viz/ may not include gpu/"
echo 'int rg_one(); int rv_runs() { return rg_one(); }' |
    breaks viz/runs.c "never meet" rg_one "viz/ may not call gpu/"
echo 'void exit(); void rv_ends() { exit(1); }' |
    breaks viz/ends.c "ends the process" exit "viz/ may not end the process"
printf '#if 0\n#include <cairo.h>\n#endif\n' |
    breaks viz/scene/cairo.c "include nothing that draws" '<cairo.h>' "viz/scene/ may not include a painter"
printf '#if 0\n#include <SDL.h>\n#endif\n' |
    breaks viz/canvas/sdl.c "paints without SDL" '<SDL.h>' "viz/canvas/ may not include SDL"
scene="viz/scene/, stage/ and panels/"
echo 'long time(); long rv_now() { return time(0); }' |
    breaks viz/scene/now.c "$scene call" 'now.o time' "viz/scene/ may not ask the time"
echo 'int rv_paint(); int rv_paints() { return rv_paint(); }' |
    breaks viz/scene/paints.c "$scene call" rv_paint "viz/scene/ may not call viz/canvas/"
echo 'int rv_paint(); int rv_shows() { return rv_paint(); }' |
    breaks viz/shows.c "calls nothing of the module" shows.o "the program may not call the module"
echo 'int SDL_Init(); int rv_begins() { return SDL_Init(0); }' |
    breaks viz/canvas/begins.c "calls neither SDL" SDL_Init "viz/canvas/ may not call SDL"
echo 'static int told; int rv_tells() { return ++told; }' |
    breaks viz/scene/tells.c "$scene have" told "viz/scene/ may not count in a static variable"

cuda="gpu/ knows CUDA in"
printf '#if 0\n#include <cuda_runtime_api.h>\n#endif\n' |
    breaks gpu/device.c "$cuda" 'gpu/device.c' "gpu/ may not include CUDA outside gpu/cuda/ and gpu/nccl/"
printf '#if 0\n#include <nccl.h>\n#endif\n' |
    breaks gpu/cuda/joins.c "$cuda" '<nccl.h>' "gpu/cuda/ may not include NCCL"
printf '#if 0\n#include <cuda_fp16.h>\n#endif\n' |
    breaks gpu/cuda/half.c "$cuda" '<cuda_fp16.h>' "gpu/cuda/ may not include more of CUDA than its runtime"
printf '#if 0\n#include "emulator.h"\n#endif\n' |
    breaks gpu/cuda/emulates.c "emulated device" emulator.h "gpu/cuda/ may not know the tests' emulated device"
printf '#if 0\n#include <mpi.h>\n#endif\n' |
    breaks gpu/sends.c "MPI in gpu/mpi/ only" '<mpi.h>' "gpu/ may not include MPI outside gpu/mpi/"
printf '#if 0\n#include <SDL2/SDL.h>\n#endif\n' |
    breaks cli/draws.c "cli/ includes of" SDL.h "cli/ may not draw by itself"
: | breaks assets/code.c "assets/ holds no code" code.c "assets/ may hold no code"

asks="asks config.h for it"
printf '#if 0\n#include <zlib.h>\n#endif\n' |
    breaks cli/unpacks.c "$asks" 'cli/unpacks.c: includes <zlib.h> without asking HAVE_ZLIB' "a library's header is asked for"
printf '#include "config.h"\n#if HAVE_EXPAT\n#include <zlib.h>\n#endif\n' |
    breaks cli/inflates.c "$asks" 'cli/inflates.c: includes <zlib.h> without asking HAVE_ZLIB' "and by its own name"
printf '#if 0\n#include "xml.h"\n#endif\n' |
    breaks cli/parses.c "$asks" 'cli/parses.c: includes cli/xml.h without asking HAVE_EXPAT' "also where a header of ours includes it"
printf '#if 0\n#include "canvas.h"\n#endif\n' |
    breaks viz/frames.c "$asks" 'viz/frames.c: includes viz/canvas/canvas.h without asking HAVE_SDL' "and outside of its library's folders"
printf '#ifdef HAVE_CUDA\n#endif\n' |
    breaks gpu/finds.c "$asks" 'gpu/finds.c: names HAVE_CUDA without' "who names a macro of config.h includes it"
printf 'const char *rc_version(void) { return RINGSIM_VERSION; }\n' |
    breaks tests/version.c "$asks" 'tests/version.c: names RINGSIM_VERSION without' "tests as well"
printf '#include "config.h"\n/* HAVE_SDL */ char *rv_sdl = "HAVE_SDL";' |
    breaks viz/idle.h "$asks" 'viz/idle.h: includes config.h and names nothing' "who includes config.h names something of it"
echo '#include "config.h"' |
    breaks viz/passes.h "$asks" 'viz/passes.h: passes config.h on' "a header does not pass config.h on"
echo '#include "config.h"' | breaks sim/builds.c "sim/ includes only" config.h "sim/ may not ask config.h"
folders="folders depend on each other"
printf '#include "high/high.h"\n' | breaks viz/low/low.h "$folders" 'viz/low -> viz/high' "a folder may not go round"
printf '#include "low/deep.h"\n' | breaks viz/high/high.h "$folders" 'viz/high -> viz/low' "nor the other one"
echo '/* deep.h */' >viz/low/deep.h
printf '#include "hen.h"\n' |
    breaks gpu/egg.h "headers include each other" 'gpu/hen.h -> gpu/egg.h' "two headers may not include each other"
echo '#include "egg.h"' >gpu/hen.h
echo 'int rc_pong(); int rc_ping() { return rc_pong(); }' |
    breaks cli/ping.c "files call each other" 'cli/ping -> cli/pong' "two files may not call each other"
echo 'int rc_ping(); int rc_pong() { return rc_ping(); }' >cli/pong.c
compile cli/pong.c
echo '/* two.c */' | breaks gpu/cuda/two.c "has the base name" 'sim/two.c' "a source may not have another's name"
echo '/* scene.h */' | breaks viz/canvas/scene.h "has the base name" 'viz/scene/scene.h' "nor may a header"
types="define a type of the same name"
printf 'typedef struct card {\n    int i;\n} card;\n' | breaks sim/card.h "$types" 'card: cli/' "a type may not have another's name"
printf 'struct card {\n    long n;\n};\n' >cli/deck.c
echo 'typedef int rs_measure;' | breaks sim/yard.h "$types" 'rs_measure:' "nor may a typedef"
printf 'typedef enum {\n    A\n} rs_measure;\n' >sim/metre.h
gone="names a source that is not there"
echo '/* See one.c, once.c and scene/sc*.c. */' | breaks sim/memory.c "$gone" 'sim/memory.c:1: once.c' "a comment may not name a source that is gone"
echo 'In `card.h`, `sim/deck.c` and `cli/deck.c`.' |
    breaks sim/README.md "$gone" 'sim/README.md:1: sim/deck.c' "nor may a README, nor in another folder"
seq -f 'int rg_%g;' 10 | breaks gpu/lines.c "than its budget" 'gpu: ' "a room may not have more code than its budget"
echo 'int one;' | breaks lessons/one.c "than its budget" 'lessons: 1 lines, and no budget' "nor code without one"
echo 'char *rs_one(void);' |
    breaks sim/ringsim_other.h "compile together" rs_one "public headers may not contradict each other"

# A folder's suite that replaces what others call; one that stands alone may.
mkdir -p build/tests/sim && cp build/sim/one.o build/tests/sim/test_alone.o && : >build/tests/sim/test_alone && chmod +x build/tests/sim/test_alone
echo 'int rs_one(void) { return 2; }' | breaks tests/sim/test_one.c "for its neighbours" 'test_one.o rs_one' "a suite may not replace a function of the program for its neighbours"
echo 'int close(int fd) { return fd; }' | breaks tests/sim/test_two.c "for its neighbours" 'test_two.o close' "nor one of the C library"

# The program: one that holds the emulated device, and needs a C++ library where there is one.
echo 'int emu_now; int main(void) { return 0; }' >../main.c
"${CC:-cc}" ../main.c -Wl,--no-as-needed -lstdc++ -o ringsim 2>/dev/null
cxx=$?
[ $cxx = 0 ] || "${CC:-cc}" ../main.c -o ringsim
: | breaks assets/none "the program needs no" emu_now "the program may not hold the emulated device"
if [ $cxx = 0 ]; then
    : | breaks assets/none "the program needs no" 'libstdc++' "the program may not need a C++ library"
else
    echo "ok the program may not need a C++ library # skip: there is none"
fi

"$tools/check-rooms" build >../broken.log 2>&1 && echo "not ok a broken tree fails" && failed=1
while IFS='	' read -r rule offender what; do
    if awk -v rule="$rule" -v offender="$offender" '
        /^(not )?ok / { inside = /^not ok/ && index($0, rule); next }
        inside && index($0, offender) { found = 1 }
        END { exit !found }' ../broken.log; then
        echo "ok $what"
    else
        echo "not ok $what"
        failed=1
    fi
done <../faults
[ $failed = 0 ] || sed 's/^/    /' ../broken.log
exit $failed
