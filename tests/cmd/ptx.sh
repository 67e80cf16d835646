#!/bin/sh
# ptx.sh: what nvcc makes of the kernels keeps the order of memory and the bits: flags by acquire and release
# with their scopes, no read-only load, no flush of subnormals, 16 bytes an access. The judge is judged, too.
top=$PWD
. tests/tools/command-test

ptx=$BUILD/gpu/cuda/kernels.ptx
if [ ! -s "$ptx" ]; then
    echo "ok the kernels' PTX # skip: no nvcc here, or a build with sanitizers"
    exit 0
fi
faults() {
    sh "$top/tests/tools/ptx-faults" "$1" >out 2>err
}
faults "$ptx"
report $? "$(grep -c '\.entry' "$ptx") kernels keep order and bits"
head -n 20 out err

# Each of these is a fault, and is called so.
spoil() { # PATTERN WHAT
    sed "$1" "$ptx" >spoilt.ptx
    cmp -s "$ptx" spoilt.ptx && report 1 "$2: the PTX has it"
    faults spoilt.ptx
    [ $? = 1 ] && [ -s out ]
    report $? "is seen: $2"
}
spoil 's/ld\.acquire\.gpu\.global/ld.relaxed.gpu.global/' 'a flag loaded without order'
spoil 's/ld\.acquire\.sys\.global/ld.acquire.gpu.global/' 'a scope too narrow for several GPUs'
spoil 's/st\.release\.gpu\.global/st.global/' 'a flag stored without order'
spoil 's/st\.release\.sys\.global/st.release.cta.global/' 'a scope of one block'
spoil 's/ld\.relaxed\.gpu\.global\.u64/ld.relaxed.gpu.global.v2.u32/' 'a line loaded in two parts'
spoil 's/st\.relaxed\.sys\.global\.u64/st.relaxed.gpu.global.u64/' 'lines for one GPU only'
spoil '/entry.*line_kernel/,/entry.*floor_kernel/s/st\.relaxed\.gpu\.global\.u64/st.release.gpu.global.u32/' 'a flag where a line was'
spoil '/entry.*floor_kernel/,/^}/s/ld\.v4/ld.v2/' 'a floor of 8 bytes an access'
spoil 's/ld\.volatile\.global/ld.global/' 'a load of `stop` that may be done once'
spoil 's/ld\.v4\.u32/ld.global.nc.v4.u32/' 'the read-only cache'
spoil 's/add\.rn\.f32/add.rn.ftz.f32/' 'subnormals flushed'
spoil 's/div\.rn\.f32/div.full.f32/' 'a division that is near enough'
spoil 's/mul\.rn\.f32 *\(.*\);/fma.rn.f32 \1, %f1;/' 'a fused multiply-add'
spoil 's/ld\.v4\.[uf]32/ld.v2.u32/' '8 bytes an access'
spoil 's/bar\.sync.*/mov.u32 %r1, %r1;/' 'no barrier'
spoil '/func.*fold_vectors/,/^}/s/bar\.sync.*/mov.u32 %r1, %r1;/' 'no barrier where a sum waits'
spoil '/func.*copy_vectors/,/^}/s/ld\.v4/ld.acquire.gpu.global.v4/' 'a flag where there is none'
spoil 's/bar\.warp\.sync.*/mov.u32 %r1, %r1;/' 'no barrier of the warp'
spoil '/entry.*whole_kernel.*rs_dtype8E.*rs_op0E/s/whole/other/' 'a kernel that is gone'
exit $failed
