#!/bin/sh
# said-device.sh: what verify says of kernels and NCCL is what it said, but for what it measures: on the emulated
# device, with several GPUs, ranks that share one, GPUs that do not reach each other, calls that fail.
#
# Golden: tests/golden/sums/device.txt: of each command a number, its exit status and the command.
# RINGSIM_UPDATE=1 writes it anew, RINGSIM_KEEP=FOLDER keeps what was said.
top=$(pwd)
. tests/tools/baseline-commands
. tests/tools/verify-test
program=$BUILD/device/ringsim
if [ ! -x "$program" ]; then
    echo "ok what verify says of GPUs # skip: the emulated device is not built, for want of a C++ compiler"
    exit 0
fi
list() {
    for kernel in 1 2 3 4 5; do
        echo "--on cuda --kernel $kernel --gpus 4 --count 1000,7 --dtype i32,f16"
        echo "--on cuda --kernel $kernel --gpus 3 --dtype bf16,f64,u8 --op max,avg,prod --count 31 --json"
        echo "--on cuda --kernel $kernel --gpus 4 --algo halving --count 65 --special nan"
        echo "--on cuda --kernel $kernel --gpus 3 --count 33 --flip 1@2"
    done
    for collective in all-reduce reduce-scatter all-gather broadcast reduce all-to-all; do
        echo "--on cuda,nccl --gpus 4 --collective $collective --count 24 --dtype f32,i64"
        echo "--on nccl --gpus 3 --collective $collective --count 27 --dtype bf16 --json"
    done
    for devices in 2 3; do
        echo "EMU_DEVICES=$devices --on cuda,nccl --gpus 3 --count 50 --kernel 3"
        echo "EMU_DEVICES=$devices --on cuda,nccl --gpus 5 --count 50"
        echo "EMU_DEVICES=$devices EMU_PEERS=0 --on cuda,nccl --gpus 2 --count 50"
        echo "EMU_DEVICES=$devices --on cuda --gpus 4 --count 50 --kernel all"
    done
    for fails in cudaSetDevice cudaMalloc cudaHostAlloc cudaStreamCreateWithFlags cudaEventCreateWithFlags \
        cudaGetDeviceProperties; do
        echo "EMU_FAIL=$fails:1 --on cuda,nccl --gpus 2 --count 10"
    done
    for fails in GetUniqueId Send:2:1 Recv:1:0 AllReduce:1:1 GroupEnd:3:0 CommFinalize:1:0; do
        echo "EMU_NCCL_FAIL=nccl$fails --on nccl --gpus 2 --count 10"
    done
    for rank in 0 1 2; do
        echo "EMU_NCCL_FLIP=send:6:$rank --on nccl --gpus 3 --count 10"
        echo "EMU_NCCL_FLIP=reduce:4:$rank --on nccl --gpus 3 --count 10 --json"
    done
    cat <<'END'
EMU_SMS=1 EMU_BLOCKS=1 --on cuda --gpus 2 --count 10 --kernel 4,3
EMU_MEMORY=1 --on cuda,cpu --gpus 4 --bytes 4M
EMU_DRIVER=0 --on cuda,nccl --gpus 2 --count 10
EMU_DRIVER=12040 --on cuda --gpus 2 --count 10
EMU_CAPABILITY=52 --on cuda --gpus 2 --count 10
EMU_DEVICES=0 --on cuda --gpus 2 --count 10
EMU_DEVICES=0 CUDA_VISIBLE_DEVICES=7 --on cuda --gpus 2 --count 10
EMU_COOPERATIVE=0 --on cuda --gpus 2 --count 10
EMU_NCCL_VERSION=21805 --on nccl --gpus 2 --count 10
EMU_NCCL_VERSION=20000 --on nccl --gpus 2 --count 10
RINGSIM_NCCL=/nonexistent/lib --on nccl --gpus 2 --count 10
--on cuda,nccl --gpus 1 --count 5
--on cuda,nccl --gpus 2 --count 0
--on cuda --kernel 6 --gpus 2
--on cuda --kernel 0 --gpus 2
--on nccl --init tcp://nowhere --gpus 2 --count 10
--on cpu,cuda,nccl --gpus 4 --count 1..3 --check every
END
}
list >commands
mkdir said
n=1000
while IFS= read -r command <&3; do
    n=$((n + 1)) given=
    words=$command
    while case $words in [A-Z]*) true ;; *) false ;; esac; do
        given="$given ${words%% *}" words=${words#* }
    done
    # shellcheck disable=SC2086
    env EMU_DRIVER=13000 $given timeout 120 "$program" verify $words --iters 1 --timeout 20s >said/$n 2>&1 </dev/null
    printf '%s %s\n' $? "$command"
    sed -E -i "$verify_measures; s|$program|ringsim|g; s/\\b$(uname -n)\\b/HOST/g; s/[0-9.e-]+ GB.s( .[0-9.]+ x.)?/T/g" said/$n
done 3<commands >statuses
(cd said && cksum -- *) | cut -d ' ' -f 1 | paste -d ' ' - statuses >now
golden=$top/tests/golden/sums/device.txt
[ -z "${RINGSIM_UPDATE:-}" ] || cp now "$golden"
diff "$golden" now >differ
report $? "$(wc -l <now) commands say of GPUs what they said"
sed 's/^/    /' differ | head -n 20
[ -z "${RINGSIM_KEEP:-}" ] || cp -R said "$RINGSIM_KEEP"
exit $failed
