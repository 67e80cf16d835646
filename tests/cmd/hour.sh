#!/bin/sh
# hour.sh: the first hour on a GPU, a few checks of each call, on the EMULATED device: the hour works, sees
# what is wrong, keeps to its time; its report becomes the docs/verify's table. Nothing about a GPU follows.
top=$PWD
. tests/tools/command-test

hour=$SCRATCH/first-hour
if [ ! -x "$BUILD/device/try_stop" ]; then
    echo "ok the first hour on the emulated device # skip: no C++ compiler to build it"
    exit 0
fi
mkdir "$hour" || exit 1
for part in ringsim libnccl.so.2 bench_4 gpu_facts try_stop; do ln -s "$BUILD/device/$part" "$hour/$part"; done
rm "$hour/ringsim" # whose own path tells its processes
cp "$BUILD/device/ringsim" "$hour/ringsim"
cp "$top/tests/hour/hour" "$hour/hour"
unset RANK WORLD_SIZE LOCAL_RANK MASTER_ADDR MASTER_PORT RINGSIM_NCCL EMU_FAIL EMU_DEVICES HOUR_REPORT HOUR_SECONDS HOUR_ONLY

run() { # STATUS CALL ASSIGNMENT...
    status=$1 call=$2
    shift 2
    env "$@" sh "$hour/hour" "$call" quick >out 2>err </dev/null
    got=$?
    [ $got = "$status" ]
    report $? "call $call, exit $status: $*"
    [ $got = "$status" ] || tail -n 20 out err
}
holds() { # PATTERN WHAT
    grep -qE "$1" "$hour/report.txt"
    report $? "the report: $2"
}
run 0 1 'HOUR_ONLY=two ranks|flipped|flags|left a kernel|4: (reduce|all-|broadcast)'
holds '^hour	1$' 'begins with its format'
holds '^gpu	emulated	yes$' 'says that this is no GPU'
[ "$(grep -c '^check	1	right	' "$hour/report.txt")" -ge 12 ]
report $? 'the report: a line for each kernel and for each way to stop'
holds '^check	1	right	[0-9]+	kernel 4: all-to-all	# cuda kernel 4: right: 8 runs' 'all collectives'
holds '^check	1	right	[0-9]+	flags that never come: leave	left 8 blocks' 'blocks that were left'
run 0 2 'HOUR_ONLY=bench, 4 loads'
holds '^bench	2	4	2	0.0625	in-place	4	' 'rows of the bench' # larger ones where the machine has time
[ "$(grep -c '^bench	2	4	2	0.0625	in-place	5-\(early\|ahead\|two\|quarters\|all\)	' "$hour/report.txt")" = 5 ]
report $? 'kernel 5 with each change alone, and with all'
run 0 3 'PATH=/usr/bin:/bin'
holds '^check	3	left-out	0	memcheck: kernel 4	no compute-sanitizer$' 'what is not here is left out'
run 0 4 'HOUR_ONLY=2 ranks$|2 ranks, reduce|launched: two|cancelled'
holds '^check	4	right	[0-9]+	NCCL, 2 ranks	' 'ranks of the (fake) NCCL'
holds '^check	4	right	[0-9]+	NCCL, 2 ranks, reduce-scatter	' 'and of its other collectives'
cp "$hour/report.txt" good.txt

# What is wrong is seen, told and survived; what has no time is said.
run 1 1 'HOUR_ONLY=kernel 2: two|flags.*stop' 'EMU_FAIL=kernel:1=700'
holds '^check	1	wrong	[0-9]+	kernel 2: two ranks, four elements	exit' 'a kernel that fails is wrong'
holds '^check	1	wrong	[0-9]+	the GPU still answers	' 'and where the GPU answers no more the call ends'
run 1 1 'HOUR_ONLY=two ranks' 'EMU_FAIL=cudaMemcpyAsync:2'
run 0 1 'HOUR_ONLY=two ranks' HOUR_SECONDS=5
holds '^check	1	left-out	0	kernel 1: two ranks, four elements	no time left$' 'what has no time is left out'
run 0 7 'HOUR_ONLY=GPU|several'
holds '^check	7	left-out	0	several GPUs	1 GPU here$' 'one GPU is not several'
run 0 7 'HOUR_ONLY=kernel 4: (one-shot|all-to-all)|flipped|side' EMU_DEVICES=3
holds '^peers	7	 *size  cuda kernel 4 ring .*own$' 'ring, one-shot, two-shot and NCCL side by side'
[ "$(grep -c '^check	7	right	' "$hour/report.txt")" = 4 ]
report $? 'the report: several GPUs'
holds '^gpu	GPUs	3$' 'how many they are'
# One command runs some of each call, and one report without the host's name has them all.
HOUR_REPORT=$SCRATCH/short.txt HOUR_ONLY='kernel 2: two|a trace|bench, 4|machine code|NCCL, 2 ranks$|LL, channels 1, 4 ranks, all-reduce|kernel 6: ring|side' EMU_DEVICES=2 EMU_NCCL_VERSION=23007 sh "$hour/hour" short quick >out 2>err </dev/null
[ $? = 1 ] && [ "$(cut -f 1,2 short.txt | grep -c '^end	[1-7]$')" = 7 ]
report $? 'one command makes all calls'
grep -q "\b$(uname -n)\b" short.txt || grep -qF "$hour" short.txt
[ $? = 1 ]
report $? 'no name of the host, no path'
run 3 1 EMU_DEVICES=0
grep -q '^no GPU answers: ' err
report $? 'without a GPU one line says so'
# The fake adds from the last rank to the first: the tree of one node. What is not so is seen, with all that mends a rule.
run 0 6 'HOUR_ONLY=Tree, LL, channels 1, 4 ranks' EMU_NCCL_VERSION=23007
holds '^bits	6	same	2.30.7	all-reduce	Tree	LL	4	4	1	24	' "NCCL's bits"
run 1 6 'HOUR_ONLY=Ring, LL, channels 1, 4 ranks' EMU_NCCL_VERSION=23007
holds '^bits	6	others	2.30.7	all-reduce	Ring	LL	4	4	1	24	; first: f16 sum, .* gives it$' 'and others'
holds '^why	6	bits: Ring, LL, .*	size:1000, type:float out_of_place predicted:.*,like:.*in_place ' 'each row of them'
sh "$hour/hour" 8 >out 2>err
[ $? = 2 ] && grep -q 'usage: hour ' err
report $? 'a call that there is not: usage, exit 2'

# ---------------------------------------------------------------- the report becomes a table
cp "$top/docs/verify.md" "$top/docs/verify.zh_CN.md" .
printf '%s\n' '/* gpu-report */' 'an old row' '/* /gpu-report */' >kept.c
cp kept.c shown.c
turn() { # STATUS REPORT ASSIGNMENT...
    status=$1 file=$2
    shift 2
    env FILES='verify.md verify.zh_CN.md' SHOWN=shown.c "$@" sh "$top/tests/hour/gpu-report" "$file" >out 2>err
    [ $? = "$status" ]
    report $? "gpu-report, exit $status: $file $*"
}
turn 2 good.txt
cmp -s verify.md "$top/docs/verify.md" && grep -q 'not of a GPU' err
report $? 'a report of the emulated device is no report of a GPU: nothing is written'
turn 0 good.txt DEVICE=emulated
for file in verify.md verify.zh_CN.md; do
    sed -n '/^<!-- gpu-report -->$/,/^<!-- .gpu-report -->$/p' $file >table
    grep -q 'emulated device (no GPU)' table && [ "$(grep -c '^| [1-9], ' table)" -ge 4 ] && ! grep -q 'Not yet run\|尚未' table
    report $? "$file: a table in place of what was there"
    sed '/^<!-- gpu-report -->$/,/^<!-- .gpu-report -->$/d' $file >rest
    sed '/^<!-- gpu-report -->$/,/^<!-- .gpu-report -->$/d' "$top/docs/$file" | cmp -s - rest
    report $? "$file: nothing else changes"
done
turn 0 short.txt DEVICE=emulated
grep -q '^[*][*]On 2 emulated devices, no GPUs[*][*]: ' verify.md && grep -q '^- kernels over peer memory: 2 of 2 checks right; NCCL with .*: 1 of 1$' verify.md && grep -q '^ *8192 .* a .* a .* a' verify.md
report $? 'a report of several GPUs says how many'
turn 0 good.txt DEVICE=emulated
cp verify.md once.md
turn 0 good.txt DEVICE=emulated
cmp -s verify.md once.md
report $? 'the same report twice: the same bytes'
sed 's/^gpu	emulated	yes$/gpu	emulated	no/' "$hour/report.txt" >bad.txt
turn 0 bad.txt
grep -q '^- wrong: kernel 2: two ranks' verify.md && grep -q '^- 错误：kernel 2: two ranks' verify.zh_CN.md
report $? 'what was wrong stands above the table'
# Each field of the benches' rows is a number of its own: which of them the table shows is seen.
awk 'BEGIN { OFS = "\t"
    print "hour", 1
    for (n = 2; n <= 4; n *= 2) for (mib = 1; mib <= 4 * (n < 4 ? 4 : 1); mib *= 4) for (k = 1; k <= 3; k++)
        print "bench", 2, 4, n, mib, "in-place", k, n * mib + 100 * k + 9000, n * mib + 1000 - 100 * k, 7001, 7002, 7003, 10 * n + mib + k, 7004
    print "bench", 2, 4, 4, 4, "avg", 2, 9000, 1, 7001, 7002, 7003, 7005, 7004
    print "bench", 2, 4, 4, 4, "avg", 3, 9000, 2, 7001, 7002, 7003, 7006, 7004
    print "check", 4, "left-out", 0, "this one", "no time left" }' >made.txt
turn 0 made.txt
sed -n '/^<!-- gpu-report -->$/,/^<!-- .gpu-report -->$/p' verify.md | grep -E '^([|]|- )' >table
cat >wanted <<'END'
- left out: this one: no time left
| kernel | 1 MiB a rank | 4 MiB a rank |
| --- | --- | --- |
| 1, in-place | 904.0 us, 42 % | 916.0 us, 45 % |
| 2, in-place | 804.0 us, 43 % | 816.0 us, 46 % |
| 3, in-place | 704.0 us, 44 % | 716.0 us, 47 % |
| 3, avg | - | 2.0 us, 7006 % |
END
diff wanted table
report $? 'the table has the largest world, its times and shares, and elsewhere than in place the best kernel'
# Calls of two GPUs, one after another or mixed: each GPU has its own sum and its own table.
awk 'BEGIN { OFS = "\t"; for (call = 1; call <= 4; call++) { gpu = call % 2 ? "ABC" : "XYZ"
    print "hour", 1; print "gpu", "date", "2026-12-0" call " 10:00 UTC"; print "gpu", "name", gpu
    for (k = 1; k < call; k++) print "check", call, "right", 1, "this", ""
    print "bench", call, 4, 2, 1, "in-place", call, 9, 10 * call, 1, 1, 1, call, 1 } }' >two.txt
turn 0 two.txt
sed -n '/^<!-- gpu-report -->$/,/^<!-- .gpu-report -->$/p' verify.md | grep -E '^([|] [0-9]|[*])' >table
cat >wanted <<'END'
**On a GPU**: ABC, driver , CUDA ; 2026-12-03 10:00 UTC. Of 2 checks 2 were right, 0 wrong.
| 1, in-place | 10.0 us, 1 % |
| 3, in-place | 30.0 us, 3 % |
**On a GPU**: XYZ, driver , CUDA ; 2026-12-04 10:00 UTC. Of 4 checks 4 were right, 0 wrong.
| 2, in-place | 20.0 us, 2 % |
| 4, in-place | 40.0 us, 4 % |
END
diff wanted table
report $? 'reports of two GPUs: each has its table'
# Lesson and README say what docs/verify says; the lesson the last of its ladders, with what rung 4 saves.
follows='verify.md lesson.md lesson.zh_CN.md README.md README.zh_CN.md'
for file in README.md README.zh_CN.md docs/verify.md; do cp "$top/$file" .; done
for language in en zh_CN; do cp "$top/lessons/15-on-a-gpu/$language.md" lesson.$language.md; done
mv lesson.en.md lesson.md
FILES=$follows sh "$top/tests/hour/gpu-report" >out 2>err && cmp README.md "$top/README.md" && cmp README.zh_CN.md "$top/README.zh_CN.md" &&
    cmp lesson.md "$top/lessons/15-on-a-gpu/en.md" && cmp lesson.zh_CN.md "$top/lessons/15-on-a-gpu/zh_CN.md"
report $? 'lesson and README have the figures of docs/verify'
FILES=$follows sh "$top/tests/hour/gpu-report" two.txt >out 2>err
grep -q '^XYZ, driver , 2026-12-04; a ring of 2 ranks' lesson.md && grep -q '^| 4 | 40.0 us |$' lesson.md && ! grep -q '30.0 us' lesson.md &&
    grep -q '^| one GPU, all ranks on it | ABC (.*: 2 of 2 checks right); XYZ (.*: 4 of 4 checks right) |$' README.md
report $? 'and of a new report'
# What of NCCL's bits was as predicted becomes rows of the program's table; what was not does not.
cp kept.c shown.c
turn 0 two.txt && cmp -s shown.c kept.c
report $? 'reports without bits leave the table of what was shown'
awk 'BEGIN { OFS = "\t"; print "hour", 1; print "gpu", "date", "2026-12-01 10:00 UTC"; print "gpu", "name", "ABC"
    print "bits", 6, "same", "2.29.7", "all-reduce", "Ring", "LL", 4, 1, 2, 24, ""; print "bits", 6, "same", "2.29.7", "all-reduce", "Ring", "LL", 3, 1, 8, 24, ""
    print "bits", 6, "same", "2.29.7", "all-reduce", "Tree", "LL128", 4, 1, 2, 24, ""; print "bits", 6, "others", "2.29.7", "all-reduce", "Tree", "LL128", 3, 1, 1, 8, "x"
    print "bits", 6, "same", "2.29.7", "reduce-scatter", "Ring", "Simple", 2, 1, 1, 8, "" }' >shows.txt
turn 0 shows.txt
grep -q '^- bits of NCCL 2.29.7, all-reduce, Tree, LL128: 32 runs, others than predicted in 1 settings$' verify.md && grep -q '^- NCCL 2.29.7, all-reduce, Ring, LL 的位：48 次运行，与预测相同$' verify.zh_CN.md
report $? 'and a line for each rule'
printf '%s\n' '/* gpu-report */' '    {22907, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_LL, 4, 1, 8, "ABC", "2026-12-01"},' '/* /gpu-report */' | diff - shown.c
report $? 'a rule without other bits is shown, by more than two ranks'
sed 's/^hour	1$/&\ngpu	emulated	yes/' shows.txt >fake.txt
cp kept.c shown.c
turn 0 fake.txt DEVICE=emulated && cmp -s shown.c kept.c
report $? 'the fake NCCL shows nothing'
echo nothing >other.txt
turn 2 other.txt
turn 2 missing.txt
exit $failed
