# bits.sh: ringsim bits: orders, one element, other settings, machines; what is refused.
. tests/tools/command-test

"$ringsim" bits --gpus 4 --bytes 1MiB >out 2>err && grep -q '^ *65536 *65536  ((2+3)+0)+1$' out && grep -q "^predicted from NCCL 2.28's source" out && [ ! -s err ]
report $? "a ring of four has four orders, predicted"
"$ringsim" bits --gpus 4 --element 70000 | grep -q '^element 70000: ((2+3)+0)+1$'
report $? "one element alone"
"$ringsim" bits --gpus 4 --dtype f16 --bytes 800kB --compare algo=tree --compare algo=ring >out
[ $? = 1 ] && grep -q '^algo=tree: another order for 100.0 % .* 35\.[34]. % .* 0.00391' out && grep -q '^algo=ring: the same bits' out
report $? "ring against tree as others have measured it, exit 1"
"$ringsim" bits --gpus 4 --compare algo=ring,proto=simple --compare channels=1 >out
report $? "settings that are the same: exit 0"
"$ringsim" bits --gpus 4 --dtype i32 --compare algo=tree >out && grep -q 'do not round' out
report $? "integers give the same bits in another order"
"$ringsim" bits --gpus 4 --algo nvls --dtype bf16 >out && grep -q 'nccl#2360' out && ! grep -q 'exact sum' out
report $? "what nobody promises is not answered"
"$ringsim" bits --machine dgx-h100:2 --bytes 8KiB --compare bytes=1MiB >out
[ $? = 1 ] && grep -q '16 ranks: NCCL 2.28.9, Tree, LL, channels 2 of' out
report $? "of a machine NCCL's model chooses, and another size moves elements"
"$ringsim" bits --gpus 8 --algo two-level --dtype f16 --json >out && grep -q '"schema":"ringsim.bits/1"' out && grep -q '"algorithm":"two-level"' out
report $? "our own algorithms, as JSON"
"$ringsim" bits --gpus 300 | grep -q '^ *0 *[0-9]*  ((1+2)+3)+...+299+0$'
report $? "a long chain by its ends"
wants 2 "write algo=ring" bits --compare speed=3
wants 2 "ring, tree, nvls" bits --algo rign
wants 2 "ll, ll128, simple" bits --proto fast
wants 2 "elements 0 to 262143" bits --element 262144
wants 2 "no whole number of elements" bits --bytes 1MiB --dtype f64 --compare bytes=9
wants 2 "before 2.22" bits --nccl 2.20.5
wants 2 "says how many ranks" bits --machine dgx-h100 --gpus 4
wants 2 "parts of as many elements" bits --gpus 3 --collective reduce-scatter --bytes 1MiB
exit $failed
