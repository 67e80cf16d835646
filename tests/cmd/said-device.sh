#!/bin/sh
# said-device.sh: what verify says of kernels and NCCL is what it said, but for what it measures: on the emulated
# device, with several GPUs, ranks that share one, GPUs that do not reach each other, calls that fail.
#
# Golden: tests/golden/device/verify.txt (tools/said). RINGSIM_UPDATE=1 writes it anew.
top=$(pwd)
. tests/tools/said
. tests/tools/verify-test
program=$BUILD/device/ringsim
RINGSIM_NCCL=$BUILD/device/libnccl.so.2
export RINGSIM_NCCL
if [ ! -x "$program" ] || [ ! -e "$RINGSIM_NCCL" ]; then
    echo "ok what verify says of GPUs # skip: the emulated device is not built, for want of a C++ compiler"
    exit 0
fi
own_program "$program"
EMU_DRIVER=13000
export EMU_DRIVER
verify_measures="$verify_measures; s|$program|ringsim|g; s/\\b$(uname -n)\\b/HOST/g; s/[0-9.e-]+ GB.s( .[0-9.]+ x.)?/T/g; s/^(# learnt: ).*/\\1T/"
want_said "$top/tests/golden/device/verify.txt"
exit $failed
