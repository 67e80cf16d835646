#!/bin/sh
# The proof of the rooms can fail: each rule is broken once, in a small tree of its own, and must be
# named. The same tree, unbroken, passes.
set -u
tools=$(pwd)/tests/tools
cd "$SCRATCH" || exit 1
failed=0

mkdir -p clean/sim clean/viz/scene clean/viz/canvas clean/gpu/cuda clean/cli clean/assets
cd clean || exit 1
echo 'int rs_one(void);' >sim/ringsim.h
printf '#include "ringsim.h"\n#include <math.h>\nint rs_one(void) { return 1; }\n' >sim/one.c
printf 'static int two(void) { return 2; }\nint (*const rs_table[])(void) = {two};\n' >sim/two.c
echo 'int rv_one(void);' >viz/ringsim_viz.h
printf '#include "ringsim.h"\nint rv_one(void) { return rs_one(); }\n' >viz/one.c
echo 'int rv_scene(int);' >viz/scene/scene.h
printf '#include "scene.h"\n#include "ringsim_viz.h"\nint rv_scene(int i) { return i + rv_one(); }\n' >viz/scene/one.c
printf '#include "scene.h"\nint rv_paint(void) { return rv_scene(1); }\n' >viz/canvas/one.c
printf '#include "ringsim.h"\nint rg_one(void) { return rs_one(); }\n' >gpu/one.c
printf '#include "ringsim_viz.h"\nint main(void) { return rv_one(); }\n' >cli/main.c
compile() { # SOURCE
    mkdir -p "build/${1%/*}"
    "${CC:-cc}" -fPIE -w -Isim -Iviz -Iviz/scene -c "$1" -o "build/${1%.c}.o" || exit 1
}
for source in */*.c */*/*.c; do compile "$source"; done
cd .. || exit 1

if (cd clean && "$tools/check-rooms" build) >proof.log; then
    echo "ok a tree that keeps the rules passes"
else
    echo "not ok a tree that keeps the rules passes"
    cat proof.log
    failed=1
fi

# Breaks one rule with the file on stdin; the offender's name must be in the report.
breaks() { # FILE OFFENDER WHAT
    rm -rf tree
    cp -R clean tree
    cat >"tree/$1"
    if (cd tree && compile "$1" && "$tools/check-rooms" build) >proof.log ||
        ! grep -qF -- "$2" proof.log; then
        echo "not ok $3"
        sed 's/^/    /' proof.log
        failed=1
    else
        echo "ok $3"
    fi
}

echo '#include <time.h>' | breaks sim/one.c '<time.h>' "sim/ may not include a clock"
echo '#include "../cli/main.c"' | breaks sim/two.c '../cli/main.c' "sim/ may not include cli/"
echo 'char *getenv(); char *rs_f() { return getenv("X"); }' |
    breaks sim/one.c getenv "sim/ may not read the environment"
echo 'int printf(); int rs_f() { return printf("x"); }' |
    breaks sim/one.c 'sim/one.o p' "sim/ may not print"
echo 'static int calls; int rs_f() { return ++calls; }' |
    breaks sim/one.c calls "sim/ may not count in a static variable"
echo 'int rs_state = 3;' | breaks sim/one.c rs_state "sim/ may not have a global variable"
echo 'static _Thread_local int deep; int rs_f() { return ++deep; }' |
    breaks sim/one.c deep "sim/ may not have a variable a thread"
echo 'int helper() { return 1; }' | breaks sim/one.c helper "a shared name in sim/ is rs_..."
printf '#if 0\n#include "ringsim_gpu.h"\n#endif\nint rv_f;' |
    breaks viz/one.c ringsim_gpu.h "viz/ may not include gpu/"
echo 'int rg_one(); int rv_one() { return rg_one(); }' |
    breaks viz/one.c rg_one "viz/ may not call gpu/"
echo 'void exit(); void rv_f() { exit(1); }' | breaks viz/one.c exit "viz/ may not end the process"
printf '#if 0\n#include <cairo.h>\n#endif\n' |
    breaks viz/scene/one.c '<cairo.h>' "viz/scene/ may not include a painter"
printf '#if 0\n#include <SDL.h>\n#endif\n' |
    breaks viz/canvas/one.c '<SDL.h>' "viz/canvas/ may not include SDL"
echo 'long time(); long rv_f() { return time(0); }' |
    breaks viz/scene/one.c time "viz/scene/ may not ask the time"
echo 'int rv_paint(); int rv_f() { return rv_paint(); }' |
    breaks viz/scene/one.c rv_paint "viz/scene/ may not call viz/canvas/"
echo 'int rv_paint(); int rv_one() { return rv_paint(); }' |
    breaks viz/one.c rv_paint "the program may not call the module"
echo 'int SDL_Init(); int rv_f() { return SDL_Init(0); }' |
    breaks viz/canvas/one.c SDL_Init "viz/canvas/ may not call SDL"
echo 'static int calls; int rv_f() { return ++calls; }' |
    breaks viz/scene/one.c calls "viz/scene/ may not count in a static variable"
printf '#if 0\n#include <cuda_runtime_api.h>\n#endif\n' |
    breaks gpu/one.c '<cuda_runtime_api.h>' "gpu/ may not include CUDA outside gpu/cuda/ and gpu/nccl/"
printf '#if 0\n#include <nccl.h>\n#endif\n' |
    breaks gpu/cuda/one.c '<nccl.h>' "gpu/cuda/ may not include NCCL"
printf '#if 0\n#include <cuda_fp16.h>\n#endif\n' |
    breaks gpu/cuda/one.c '<cuda_fp16.h>' "gpu/cuda/ may not include more of CUDA than its runtime"
printf '#if 0\n#include "emulator.h"\n#endif\n' |
    breaks gpu/cuda/one.c 'emulator.h' "gpu/cuda/ may not know the tests' emulated device"
printf '#if 0\n#include <SDL2/SDL.h>\n#endif\n' | breaks cli/main.c SDL.h "cli/ may not draw by itself"
program() { # SOURCE_LINE LINKED_WITH: a program that must not be
    rm -rf tree
    cp -R clean tree
    echo "$1 int main(void) { return 0; }" >tree/main.c
    "${CC:-cc}" tree/main.c $2 -o tree/ringsim 2>/dev/null
}
program 'int emu_now;' ''
if (cd tree && "$tools/check-rooms" build) >proof.log || ! grep -qF emu_now proof.log; then
    echo "not ok the program may not hold the emulated device" && failed=1
else
    echo "ok the program may not hold the emulated device"
fi
if program '' '-Wl,--no-as-needed -lstdc++'; then
    if (cd tree && "$tools/check-rooms" build) >proof.log || ! grep -qF 'libstdc++' proof.log; then
        echo "not ok the program may not need a C++ library" && failed=1
    else
        echo "ok the program may not need a C++ library"
    fi
else
    echo "ok the program may not need a C++ library # skip: there is none"
fi
exit $failed
