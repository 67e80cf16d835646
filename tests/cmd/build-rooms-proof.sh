#!/bin/sh
# The proof of the rooms can fail: each rule is broken once, in a small tree of its own, and must be
# named. The same tree, unbroken, passes.
set -u
tools=$(pwd)/tests/tools
cd "$SCRATCH" || exit 1
failed=0

# Makes a clean tree, with a file of one room replaced by stdin, and compiles it.
tree() { # FILE
    rm -rf sim viz gpu cli assets build
    mkdir -p sim viz gpu cli assets build/sim build/viz build/gpu build/cli
    echo 'int rs_one(void);' >sim/ringsim.h
    printf '#include "ringsim.h"\n#include <math.h>\nint rs_one(void) { return 1; }\n' >sim/one.c
    printf 'static int two(void) { return 2; }\nint (*const rs_table[])(void) = {two};\n' >sim/two.c
    echo 'int rv_one(void);' >viz/ringsim_viz.h
    printf '#include "ringsim.h"\nint rv_one(void) { return rs_one(); }\n' >viz/one.c
    printf '#include "ringsim.h"\nint rg_one(void) { return rs_one(); }\n' >gpu/one.c
    printf '#include "ringsim_viz.h"\nint main(void) { return rv_one(); }\n' >cli/main.c
    [ "$1" = none ] || cat >"$1"
    for source in sim/*.c viz/*.c gpu/*.c cli/*.c; do
        "${CC:-cc}" -fPIE -w -Isim -Iviz -c "$source" -o "build/${source%.c}.o" || exit 1
    done
}

tree none
if "$tools/check-rooms" build >proof.log; then
    echo "ok a tree that keeps the rules passes"
else
    echo "not ok a tree that keeps the rules passes"
    cat proof.log
    failed=1
fi

# Breaks one rule with the file on stdin; the offender's name must be in the report.
breaks() { # FILE OFFENDER WHAT
    tree "$1"
    if "$tools/check-rooms" build >proof.log || ! grep -qF -- "$2" proof.log; then
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
echo '#include "ringsim_gpu.h"' >viz/none.h
printf '#if 0\n#include "ringsim_gpu.h"\n#endif\nint rv_f;' |
    breaks viz/one.c ringsim_gpu.h "viz/ may not include gpu/"
echo 'int rg_one(); int rv_one() { return rg_one(); }' |
    breaks viz/one.c rg_one "viz/ may not call gpu/"
echo 'void exit(); void rv_f() { exit(1); }' | breaks viz/one.c exit "viz/ may not end the process"
printf '#if 0\n#include <SDL2/SDL.h>\n#endif\n' | breaks cli/main.c SDL.h "cli/ may not draw by itself"
exit $failed
