#!/bin/sh
# doctor.sh: what `ringsim doctor` says of GPUs: with drivers and libraries that are made up, since the
# machine has none.
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
exit $failed
