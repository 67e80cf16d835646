#!/bin/sh
# doctor.sh: what `ringsim doctor` says of GPUs: with drivers and libraries that are made up, since the
# machine has none.
top=$(pwd)
. tests/tools/command-test

says() { # TEXT NAME
    grep -qF -e "$1" out
    status=$?
    [ $status = 0 ] || sed 's/^/    /' out
    report $status "$2"
}
cc=
for name in cc gcc clang; do command -v $name >/dev/null 2>&1 && cc=$name && break; done
if [ -z "$cc" ]; then
    echo "ok doctor and drivers that are made up # skip: no compiler"
    exit 0
fi
library() { # FILE: of the C text on stdin
    $cc -shared -fPIC -x c - -o "$1" || exit 1
}
doctor() { # FOLDER
    LD_LIBRARY_PATH=$1 "$ringsim" doctor >out 2>err </dev/null && [ ! -s err ]
    report $? "doctor with $1 ends well"
}
mkdir -p empty gpus broken strange
"$ringsim" doctor >out 2>err </dev/null
for row in driver CUDA NCCL MPI; do
    grep -q "^  $row " out
    report $? "doctor has a row for $row"
done
! grep -qiE 'not used yet|does not use the GPU yet|uses it yet' out
report $? "nothing is said to be of no use yet"
says 'colours     no' "there are no colours in a file"
if script -qec true /dev/null </dev/null >out 2>&1; then
    for kind in 'TERM=xterm yes' 'TERM=dumb no' 'TERM=xterm NO_COLOR=1 no'; do
        # shellcheck disable=SC2086
        env -u NO_COLOR ${kind% *} script -qec "'$ringsim' doctor" /dev/null </dev/null >out 2>&1
        says "colours     ${kind##* }" "colours with ${kind% *}: ${kind##* }"
    done
fi

library gpus/libcuda.so.1 <<'END'
#include <string.h>
int cuInit(unsigned flags) { return flags; }
int cuDriverGetVersion(int *v) { *v = 13020; return 0; }
int cuDeviceGetCount(int *n) { *n = 3; return 0; }
int cuDeviceGet(int *d, int i) { *d = i; return 0; }
int cuDeviceGetName(char *name, int n, int d) {
    strncpy(name, d < 2 ? "NVIDIA H200" : "NVIDIA L4", n);
    return 0;
}
END
library gpus/libnccl.so.2 <<'END'
int ncclGetVersion(int *v) { *v = 23007; return 0; }
END
doctor gpus
says 'for CUDA up to 13.2' "the newest CUDA that the driver serves is told"
says 'GPU         yes   2 x NVIDIA H200, NVIDIA L4' "GPUs are counted and named"
says 'NCCL 2.30.7; ' "NCCL's version is told"

library broken/libcuda.so.1 <<'END'
int cuInit(unsigned flags) { return 803; }
int cuDriverGetVersion(int *v) { *v = 12040; return 0; }
int cuDeviceGetCount(int *n) { return 3; }
int cuDeviceGet(int *d, int i) { return 3; }
int cuDeviceGetName(char *name, int n, int d) { return 3; }
END
library broken/libnccl.so.2 <<'END'
int ncclGetVersion(int *v) { *v = 2708; return 0; }
END
doctor broken
says "GPU         no    the driver does not start: CUDA's error 803" "a driver that does not start is told with its number"
says 'NCCL 2.7.8; ' "old NCCLs count their versions another way"

echo 'int nothing;' | library strange/libcuda.so.1
echo 'not a library' >strange/libnccl.so.2
doctor strange
says 'driver      no ' "what is no driver is none"

# ---------------------------------------------------------------- what it says of itself is so
"$ringsim" doctor >out 2>err </dev/null
says_yes() { grep -q "^  $1  *yes" out; }
mkdir home && HOME=$SCRATCH/home XDG_DATA_HOME=$SCRATCH/home "$ringsim" lesson 1 >lesson 2>err </dev/null
can=$?
says_yes md4c
[ $? = $((can != 0)) ]
report $? "md4c is there where a lesson can be read, and only there"
echo '{"results": []}' >log.json
"$ringsim" fit log.json >fit 2>&1 </dev/null
grep -q cJSON fit
lacks=$?
says_yes cJSON
[ $? = $((lacks == 0)) ]
report $? "cJSON is there where fit does not ask for it"
"$ringsim" machine "$top/tests/data/topologies/dgx-h100.xml" >out.xml 2>err </dev/null
can=$?
says_yes expat
[ $? = $((can != 0)) ]
report $? "expat is there where a topology in XML can be read, and only there"
printf '\037\213' >rank_0.gz
"$ringsim" hang rank_0.gz >hang 2>&1 </dev/null
grep -q gunzip hang
lacks=$?
says_yes zlib
[ $? = $((lacks == 0)) ]
report $? "zlib is there where hang does not ask for gunzip"
if command -v ldd >log; then
    ldd "$ringsim" 2>log | grep -q curses
    has=$?
    says_yes ncurses
    [ $? = $has ]
    report $? "ncurses is there where the program has it, and only there"
fi
if script -qec true /dev/null </dev/null >log 2>&1 && command -v timeout >log; then
    bad=
    for size in '97 31' '40 12' '211 5' '1 1'; do
        width=${size% *} height=${size#* }
        TERM=xterm timeout 20 script -qec "stty cols $width rows $height; '$ringsim' doctor" /dev/null </dev/null >screen 2>&1
        grep -qF "TERM=xterm, $width x $height characters" screen || bad="$bad $size"
    done
    [ -z "$bad" ]
    report $? "the terminal's size is told$bad"
fi
exit $failed
