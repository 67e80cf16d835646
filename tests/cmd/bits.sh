# bits.sh: ringsim bits: orders, one element, other settings, machines; what is refused.
data=$PWD/tests/data/nccl-logs
. tests/tools/command-test
cp "$data/two-nodes.log" two.log
cp "$data/one-h100.log" one.log

"$ringsim" bits --gpus 4 --bytes 1MiB >out 2>err && grep -q '^ *65536 *65536  ((2+3)+0)+1$' out && grep -q "^predicted from NCCL 2.28's source" out && [ ! -s err ] && "$ringsim" bits --gpus 4 --element 70000 | grep -q '^element 70000: ((2+3)+0)+1$'
report $? "a ring of four has four orders, predicted; one element alone"
"$ringsim" bits --gpus 4 --compare algo=ring,proto=simple --compare algo=ring,proto=ll128 --compare channels=1 >out && "$ringsim" bits --gpus 4 --dtype i32 --compare algo=tree >out && grep -q 'it never matters' out && head -n 1 out | grep -q '^the same bits'
report $? "settings that are the same: exit 0; integers give the same bits in another order"
"$ringsim" bits --machine dgx-h100:2 --bytes 8KiB --compare bytes=1MiB >out
[ $? = 1 ] && grep -q '16 ranks: NCCL 2.28.9, Tree, LL, channels 2 of' out
report $? "of a machine NCCL's model chooses, and another size moves elements"
"$ringsim" bits --gpus 8 --algo two-level --dtype f16 --json >out && grep -q '"schema":"ringsim.bits/1"' out && grep -q '"algorithm":"two-level"' out
report $? "our own algorithms, as JSON"
"$ringsim" bits --gpus 300 | grep -q '^ *0 *[0-9]*  ((1+2)+3)+...+299+0$' && "$ringsim" bits --gpus 131072 --bytes 4 --algo tree --json | grep -q "((131070+131071)+131069)+...+1+0" && "$ringsim" bits --gpus 300 --step --view text >out && grep -q '^Ring  ((1+2)+3)+...+299+0: additions 284 to 299 of 299$' out && [ "$(grep -c '^GPU 299 ' out)" -lt 20 ] && "$ringsim" bits --gpus 4 --algo doubling --step --view text | grep -q '^doubling  (3+2)+(1+0)$'
report $? "a long chain by its ends, and walked sixteen additions at a time; ranks that add alike"
"$ringsim" bits --machine dgx-h100:2 --over bytes=8KiB..64MiB >out
[ $? = 1 ] && head -n 1 out | grep -q '^not the same bits' && grep -q '^ *8KiB *[0-9]*B *Tree, LL  *2-16 ' out && grep -q 'NVLSTree, Simple.*not known$' out && grep -q '^  NCCL_ALGO=allreduce:tree$' out && grep -q '^  NCCL_MAX_CTAS=1$' out && grep -q '^ *64MiB .* us <= *[0-9]* %$' out && grep -q '^not promised' out
report $? "sizes go by how NCCL handles them; what keeps the bits, and its cost"
"$ringsim" bits --gpus 4 --algo tree --over bytes=8..1MiB >out && head -n 1 out | grep -q '^the same bits, whatever the data$' && grep -q '^ *8B *1MiB .*  ((2+3)+1)+0$' out
report $? "one chain has one order at every size"
"$ringsim" bits --machine dgx-h100 --dtype bf16 --bytes 16KiB --over tokens=1..4096 --json >out
[ $? = 1 ] && grep -q '"from":16384,"to":[0-9]*,.*"protocol":"ll"' out && grep -q '"algorithm":"NVLS",.*"undefined":"a switch' out && grep -A 1 '"keep":' out | grep -q '^"NCCL_ALGO=allreduce:tree"$' && ! grep -q NCCL_MAX_CTAS out && "$ringsim" bits --machine dgx-h100 --bytes 8KiB --compare bytes=64MiB | grep -q '^  NCCL_ALGO=allreduce:tree$'
report $? "tokens are sizes; a switch that adds is nothing to keep bits by"
"$ringsim" bits --machine dgx-h100:2 --bytes 64MiB --algo tree --compare channels=2 --nccl 2.21.5 >out
[ $? = 1 ] && grep -q '^  NCCL_ALGO=[a-z]*$' out && grep -q '^  NCCL_MAX_CTAS=16$' out && grep -q '^before 2.24' out && "$ringsim" bits --gpus 4 --compare algo=tree --nccl 2.31 | grep -q '^from 2.31 on'
report $? "before 2.24 variables name no function; one size keeps its channels"
{ "$ringsim" bits --over gpus=2,4; "$ringsim" bits -n 4 --over bytes=1048580..1048592; } >out; grep -q '^another number of ranks adds other parts' out && grep -q '^ *4 *4 .*  ((1+2)+3)+0$' out && grep -q '^not known to be the same' out
report $? "numbers of ranks have no bits in common; what is not known is said"
"$ringsim" bits --over gpus=2,4 --op max --json | tr -d '\n' | grep -q '"over":{"same":true,"gpus":.{"ranks":2,"n_orders":1,' && "$ringsim" bits --gpus 3 --collective reduce-scatter --over bytes=1KiB..1MiB | grep -q '^no NCCL_ALGO'
report $? "the largest is the largest; a reduce-scatter has its ring alone"
"$ringsim" bits --log two.log --bytes 4KiB >out && grep -q 'NCCL 2.29.7, Tree, LL, channels 1 of 24$' out && grep -q 'table of line 179 says$' out && grep -q ' 1024  (*14+15)+13)+12)+11)+10)+9)+8)+7)+6)+5)+4)+3)+2)+1)+0$' out &&
    "$ringsim" bits --log two.log --bytes 1MiB --algo tree --channels 2 | grep -q '^ *131072 *131072  (*8+15)+14)+13)+12)+11)+10)+9)+0)+7)+6)+5)+4)+3)+2)+1$'
report $? "a log's trees, channels and table say what is added; the second tree, too"
"$ringsim" bits --log one.log --bytes 4MiB --json | tr -d '\n' | grep -q '"algorithm":"ring",.*"log":"one.log","notes":."algorithm and protocol as line 94 says"'
report $? "what NCCL chose for a size is taken from its line"
"$ringsim" bits --log two.log --channels 2 --compare nccl=2.20.5 --compare nccl=2.31 --json | tr -d '\n' >out
grep -q '"assumed: rings and trees as NCCL 2.29.7 found them"' out && grep -q '"assumed: the rules of 2.30; newer' out
report $? "another version says what of it is assumed"
for v in 2.18.6 2.21.5 2.30.7; do
    "$ringsim" bits --machine dgx-h100:2 --bytes 64MiB --collective reduce-scatter --nccl $v --json | grep -o '"a\?lgorithm":[^}]*ranks' | head -n 1
    "$ringsim" bits --machine dgx-h100:2 --bytes 64MiB --collective reduce-scatter --compare nccl=$v --json | grep -o '"b":{.*' | grep -o '"algorithm":[^}]*ranks'
done | uniq -c | grep -qv ' 2 '
[ $? = 1 ]
report $? "another version chooses as if it had been asked alone"
exit $failed
