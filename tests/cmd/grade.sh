#!/bin/sh
# grade.sh: labs, points, reports, classes, replays.
. tests/tools/command-test
top=$OLDPWD
lessons=$top/lessons
ring=$top/tests/submissions/right/seed-order.c
up=$lessons/05-scatter-reduce/wrong/counts-up.c

# Who reads the C is not the subject here: mostly the interpreter, which takes a tenth of the time. That a compiler
# gives the same, for every file of every lab, is interpret.sh's.
judge() { "$ringsim" grade "$@" --interpret; }
graded() { # STATUS TEXT WORDS...
    wanted=$1 says=$2
    shift 2
    wants "$wanted" "$says" grade "$@" --interpret
}

# ---------------------------------------------------------------- every lab: solution, skeleton, wrong ones
# Puts what there is to grade of a lab into class/NN: solution and skeleton of each rung, the worked example,
# the lines in their order and once with the wrong one of each pair, the known wrong answers.
gather() { # FOLDER NN
    mkdir -p "class/$2"
    for source in "$1"/exercise.* "$1"/fill.c "$1"/own.c; do
        [ -e "$source" ] || continue
        rung=$(basename "$source")
        cp "$source" "class/$2/full-$rung"
        "$lessons/handout" --skeleton "$source" >"class/$2/bare-$rung"
    done
    for source in "$1"/example.*; do cp "$source" "class/$2/"; done
    cp "$1"/wrong/* "class/$2/"
    [ -e "$1/parsons" ] || return
    cp "$1/parsons.key" "class/$2/full-lines.parsons"
    for letter in $(sed -n 's/^\([A-Z]\) |.*/\1/p' "$1/parsons"); do
        small=$(printf %s "$letter" | tr A-Z a-z)
        grep -q "^$small |" "$1/parsons" && tr "$small" "$letter" <"$1/parsons.key" >"class/$2/pair-$small.parsons"
    done
}
points() { awk -F, -v name="$1" '$1 == name { print $4 }' csv; } # NAME
mkdir class
for folder in "$lessons"/[0-9][0-9]-*/; do
    [ -e "$folder/lab" ] || continue
    id=$(basename "$folder" | cut -c 1-2)
    gather "$folder" "$id"
    how=--interpret
    [ "$id" != 13 ] || how='' # whose questions take the interpreter longer than a compiler
    # shellcheck disable=SC2086
    "$ringsim" grade "$id" "class/$id" --jobs 2 --format csv $how >csv 2>err
    [ $? = 1 ] && [ ! -s err ]
    report $? "lab $id: the batch is graded"
    awk -F, '/^full-/ { n++; if ($4 != $5 || $7 != "") bad = 1 } END { exit bad || n < 1 }' csv
    good=$?
    [ $good = 0 ] || sed 's/^/    /' csv
    report $good "lab $id: the solution of every rung gets all points"
    awk -F, 'NR > 1 && !/^full-/ { n++; if ($4 + 0 >= $5 + 0 || $7 == "") bad = 1 } END { exit bad || n < 3 }' csv
    good=$?
    [ $good = 0 ] || sed 's/^/    /' csv
    report $good "lab $id: no skeleton, wrong answer or wrong line does, and is told why"
    said=$(sed -n 's/.*gets \([0-9]*\) of [0-9]*:.*/\1/p' "$folder"/example.*)
    [ -n "$said" ] && [ "$said" = "$(points example)" ]
    report $? "lab $id: the worked example gets $said points, as it says"
    [ "$said" = 0 ] && grep '^example,' csv | grep -q 'worked example as it was given.*,example\(,[0-9]*\)*$'
    report $? "lab $id: handed in as it was given, that is none"
    sed 's/\(,[0-9]*\)*$//' csv >rungs
    awk -F, '/^full-exercise|^full-own/ && $NF != "whole" || /^full-fill/ && $NF != "fill" || /parsons,/ && $NF != "parsons" { bad = 1 }
        END { exit bad }' rungs
    good=$?
    [ $good = 0 ] || sed 's/^/    /' csv
    report $good "lab $id: each rung is known"
    if [ -e "$folder/exercise.c" ]; then
        [ -e "$folder/fill.c" ] && [ "$(ls "class/$id" | grep -c ^pair-)" -ge 2 ]
        report $? "lab $id: has lines with at least two pairs, and two lines to fill"
        [ "$(grep -c 'BEGIN SOLUTION' "$folder/fill.c")" -le 2 ]
        report $? "lab $id: not more than two"
    fi
    listed=$(sed -n 's/^wrong //p' "$folder/lab" | sort)
    [ "$listed" = "$(ls "$folder/wrong" | sort)" ] && [ "$(ls "$folder/wrong" | wc -l)" -ge 2 ]
    report $? "lab $id: names its wrong answers, two at least"
done

# ---------------------------------------------------------------- the ladder
five=$lessons/05-scatter-reduce
cp "$five/parsons.key" lines.parsons
graded 0 'Score: 20/20' 05 lines.parsons
graded 1 'handed in: parsons; asked for: fill or above: no points' 05 lines.parsons --rung fill
also 'Score: 0/20'
graded 0 'Score: 20/20' 05 "$five/fill.c" --rung fill
graded 1 'asked for: whole' 05 "$five/fill.c" --rung whole
graded 0 'Score: 20/20' 05 "$five/exercise.c" --rung whole
graded 1 'rung parsons: counts 60 % of 20 points' 05 lines.parsons --rung-points 60,80,100
also 'Score: 12/20'
graded 1 'Score: 16/20' 05 "$five/fill.c" --rung-points 60,80,100
graded 0 'Score: 20/20' 05 "$five/exercise.c" --rung-points 60,80,100
wants 2 'three numbers' grade 05 lines.parsons --rung-points 60,80
wants 2 'rung' grade 05 lines.parsons --rung example
sed 's|.*Which chunk.*||; s|^    |        |' "$five/example.c" >spaced.c
graded 1 'Score: 0/20' 05 spaced.c
"$lessons/handout" "$SCRATCH/bundle" >out 2>&1 && mkdir mine &&
    sed 's|.*/\* yours \*/|chunk = ((rank - step) % n + n) % n;|' bundle/students/05-scatter-reduce/fill.c >mine/fill.c
grep -q 'yours' bundle/students/05-scatter-reduce/fill.c && ! grep -q 'yours' bundle/students/05-scatter-reduce/exercise.c
report $? "in the students' bundle the lines to fill are marked"
RINGSIM_LESSONS=$SCRATCH/bundle/students judge 05 mine/fill.c --format csv | grep -q ',fill\(,[0-9]*\)*$'
report $? "and whoever fills them is known by that bundle, too"

# ---------------------------------------------------------------- the lab's collective judges, not the file's
for collective in all-gather broadcast reduce-scatter all-to-all reduce; do
    "$ringsim" --collective $collective --gpus 8 --save other.sched --view none >out 2>&1
    graded 1 "declares the collective $collective; lab 08 asks for an all-reduce" 08 other.sched
    also 'Score: 0/20'
done
# What decides is asked in every run, with the numbers of whoever comes (`make wrong-answers` tries all labs, compiled).
walk() { (cd "$top" && GRADE=--interpret RINGSIM=$ringsim tests/tools/wrong-answers "$@"); }
{ walk 2 01 02 03 04 09 10 11 12 15 18 20 && walk 1 06; } >out 2>&1
good=$?
[ $good = 0 ] || sed 's/^/    /' out
report $good "no answer that is almost right gets all points"

# Names that differ only in what cannot be printed are two students.
mkdir unprintable
cp "$ring" "$(printf 'unprintable/\357\277\276ann.c')" && cp "$ring" "$(printf 'unprintable/\357\277\277ann.c')"
judge 05 unprintable --format csv >out 2>err
[ "$(grep -c ',20,20,' out)" = 2 ] && [ ! -s err ]
report $? "names of odd characters do not fall together"

# ---------------------------------------------------------------- on a machine
nodes=$lessons/17-nodes
wants 0 'it takes 57.54 ms; two-level takes 57.55 ms; the bound is 50 ms' \
    grade 17 "$nodes/exercise.c"
graded 1 'Step 4: GPU 1 adds the complete chunk 1 of GPU 0' 06 "$lessons/06-all-gather/wrong/adds-again.c"
graded 1 '87.64 ms, 1.52 times as long as two-level' 17 "$nodes/wrong/one-ring.c"
also '6 of 14 points'
graded 1 '9.24 ms, 1.85 times the bound, 5 ms' 19 "$lessons/19-pipelines/wrong/the-ring.c"
graded 1 'counts only when all schedules are sound' 17 "$nodes/wrong/no-crossing.c"
mkdir -p labs/21-a && cp -r "$lessons/ring.h" "$lessons/driver" labs/
lab() { # LINES: a lab of these lines is refused, and told where
    printf 'ringsim-lab 1\ntitle A\n%b\n' "$1" >labs/21-a/lab
    RINGSIM_LESSONS=$PWD/labs judge 21 "$nodes/exercise.c" >out 2>&1
    [ $? = 2 ] && grep -q "21-a/lab:$2: $3" out
    report $? "a lab is refused: $3"
}
lab 'machine thin-wire' 3 'machine wants'
lab 'machine thin-wire 0MB' 3 'machine wants'
lab 'part 5 time ring 1 2' 3 'time wants'
lab 'machine thin-wire 1MB\npart 5 time rung 1 2' 4 'time wants'
lab 'machine thin-wire 1MB\npart 5 time ring 2 1' 4 'time wants'
printf 'ringsim-lab 1\nmachine thin-wires 1MB\npart 5 sound 8\npart 5 time ring 1 2\n' >labs/21-a/lab
RINGSIM_LESSONS=$PWD/labs judge 21 "$nodes/exercise.c" >out 2>&1
[ $? = 2 ] && grep -q 'thin-wires' out
report $? "a lab's machine that is none is told"

# ---------------------------------------------------------------- what a report says
graded 0 'Score: 20/20' 05 "$ring"
graded 1 'Step 1: GPU 0 sends chunk 1; chunk 4, which it has just added to, stays behind' 05 "$up"
also 'ringsim grade 05'
# The second phase has mistakes of its own: the grader names its step, not the end.
for line in 'return step < n - 1 ? ((rank - step) % n + n) % n : rank;|GPU 0 sends chunk 0, which it has from 1 of 5 only' \
    'return step < n ? ((rank - step) % n + n) % n : (rank + 1) % n;|Step 5: GPU 0 sends chunk 1, which GPU 1 has complete already'; do
    sed "/SKELETON/d; /const int chunk/d; s/return chunk.*/${line%|*}/" "$lessons/06-all-gather/exercise.c" >second.c
    graded 1 "${line#*|}" 06 second.c
    wants 1 "${line#*|}" --algo second.c --interpret --gpus 5 --view text
done
sed 's/+ (chunk < longer)/+ (chunk <= longer)/' "$lessons/06-all-gather/exercise.c" >more.c
graded 1 'count 10, n 4: chunk 3 begins at 8; it should begin at 9' 06 more.c
graded 1 'chunks are 0..4; in C the remainder of a negative number is negative' 06 "$lessons/06-all-gather/wrong/negative-remainder.c"
sed '/SKELETON/d; /const int chunk/d; s/return chunk.*/return (rank - step + n) % n;/' "$lessons/06-all-gather/exercise.c" >once.c
graded 1 'send_chunk(6, 0, 5) is -1; chunks are 0..4; in C the remainder of a negative number is negative: make it positive first, in the last step, too; steps 4..7 are' 06 once.c
also 'Score: 7/20'
! grep -q '+ n) % n' out
report $? "the formula is left to the learner"
graded 1 'times the least' 06 "$lessons/06-all-gather/wrong/whole-arrays.c"
# The points come first, then why; what need not be asked is told once; the last word is what to do next.
ring_of() { printf '#include "ring.h"\nint %s(int step, int rank, int n) { return %s }\n' "$1" "$2" >"$3"; }
ring_of send_chunk '(rank - step) % n;' remainder.c
graded 1 'Score: 8/20' 05 remainder.c
[ "$(sed -n 2p out)" = 'Score: 8/20' ] && [ "$(grep -c '^    right but for that, at every N: half of each part.s points, rounded down$' out)" = 1 ] &&
    [ "$(grep -c ': PART, [0-9]* of [0-9]* points' out)" = 3 ]
report $? "the right ring that does not wrap round gets half of the points of its schedules"
ring_of send_chunk '(rank + step) % n - n * (step > 0);' other.c
graded 1 'Score: 0/20' 05 other.c
ring_of send_chunk '(rank - step) % n; int a = 0 for (int i = 0; i < n; i++) a--;' semicolon.c
wants 1 "semicolon.c:2: ';' is missing" grade 05 semicolon.c
! grep -q 'FAIL' out && [ "$(grep -c ' error: ' out)" = 1 ]
report $? "a semicolon that is missing is one sentence, what follows from it is left out"
echo 'def send_chunk(step, rank, n): return rank' >ring.py
graded 1 'ring.py is no C: lab 05 asks for a file in C' 05 ring.py
[ "$(wc -l <out)" = 4 ]
report $? "a file in another language is told so, in one sentence"
ring_of sendChunk '(rank - step) % n;' named.c
graded 1 'neither send_chunk() nor sends(); it defines sendChunk(); see ring.h' 05 named.c
[ "$(grep -c FAIL out)" = 0 ]
report $? "so is a name that is not the one asked for"
wants 2 'it defines sendChunk()' --algo named.c --interpret --gpus 5
sed '/SKELETON/d; s/void chunk_range/void chunkRange/' "$lessons/06-all-gather/exercise.c" >half.c
graded 1 'does not define chunk_range(); it defines send_chunk(), chunkRange()' 06 half.c
also 'Score: 17/20'
graded 1 '}, samples {' 01 "$lessons/01-replicas/wrong/mean-of-means.c"
ring_of send_chunk '(rank - step) / (n - n);' zero.c
wants 1 'zero.c:2: a division by zero' grade 05 zero.c # of a student's own file the interpreter names the line
also 'N = 2: no answer either'
wants 1 'what is shown is right' grade 06 half.c --show --view text
rm -rf "$XDG_DATA_HOME"
graded 0 'exercise.c --show' 06 "$lessons/06-all-gather/exercise.c"
also ' verify --on mpi --gpus 5 --data index --algo '
also 'one ring uses one direction of each wire'
! grep -q 'sandbox: \|the bound' out
report $? 'a right answer is not held against a bound, nor told of the sandbox'
[ "$(tail -n 1 out | sed 's|[^ ]*ringsim|ringsim|')" = 'next: ringsim lesson 7' ] &&
    "$ringsim" grade 01 "$lessons/01-replicas/exercise.c" | grep -q '^next: .* lesson 5 (the ring in an hour) or 2 (all)$'
report $? "a right answer says what next"
graded 0 'to watch it: ' 05 "$five/exercise.c"
cp out half && "$ringsim" grade 06 "$lessons/06-all-gather/exercise.c" | sed 's|[^ ]*ringsim|ringsim|' >out
[ "$(tail -n 1 out)" = 'next: ringsim lesson 2 (what you left out) or 12 (training with DDP)' ] && grep -q '^The ring in an hour: done' out && grep -q 'to watch it' out && ! grep -q 'for real' out
report $? "at the end of the hour it says what that was, and where to go"
mv half out
! grep -q 'for real' out && [ "$(tail -n 1 out | sed 's|[^ ]*ringsim|ringsim|')" = 'next: ringsim lesson 6' ]
report $? "half a ring is not run for real"
"$ringsim" grade 05 "$five/exercise.c" --show --view text >out && grep -q "^Here your part ends; this all-gather is ringsim's own. All-gather, iteration 1 " out &&
    grep -q "^ringsim's own. All-gather, iteration 2 " out && grep -q '^Your part is the scatter-reduce; .*Done' out && ! grep -q 'own. Scatter' out
report $? "and says whose the other half is"
for fill in "$lessons"/*/fill.c; do
    "$lessons/handout" --skeleton "$fill" >fill.c && "$ringsim" grade "$(basename "$(dirname "$fill")" | cut -c1-2)" fill.c >out
    points=$(sed -n 's|^Score: ||p' out | head -n 1)
    case $fill in */10-*) wanted=6/10 ;; *) wanted=0/${points#*/} ;; esac # two of lab 10's four functions are given
    [ "$points" = "$wanted" ] || echo "$fill: $points"
done >unedited
[ ! -s unedited ]
report $? "what is handed out with lines to fill has no points yet"
graded 1 'remainder' 06 "$lessons/06-all-gather/wrong/negative-remainder.c"
[ "$(grep -c 'in C the remainder' out)" = 1 ] && [ "$(wc -l <out)" -le 20 ] && [ "$(tail -n 1 out)" = 'Score: 7/20' ]
report $? "a hint is given once, and the points stand at the end, too"
graded 0 'Score: 10/10' 21 "$lessons/21-what-ddp-minds/exercise.c"
! grep -q '^next\|to watch it' out
report $? "the last lesson has no next, what is no run is not watched"
printf '#include "ring.h"\nint send_chunk(int step, int rank, int n) {\n int x;\n return ((rank - step) %% n + n) %% n;\n}\n' >warns.c
wants 0 "warning: unused variable 'x'" grade 05 warns.c
also 'warnings cost no points; what they warn of may:'
also 'Score: 20/20'
# What a submission prints stands behind what counts, its first lines alone.
sed 's/^{*int send_chunk.*{$/#include <stdio.h>\n&\n printf("loud %d\\n", step);/' "$ring" >loud.c
"$ringsim" grade 05 loud.c >out && grep -q '^Score: 20/20$' out && [ "$(grep -c '^    loud ' out)" = 8 ] &&
    awk '/OK$/ { last = NR } /^    loud/ && first == 0 { first = NR } END { exit !(last < first) }' out
report $? "what is printed comes after the verdict, in part"
judge 05 loud.c --format gradescope >out && grep -q 'loud 0' out
report $? "and a report for Gradescope has it$(grep -q 'loud 0' out || head -n 20 out)"
ln -sf "$ringsim" ringsim
./ringsim grade 05 "$up" --interpret >out
grep -q '^to see it: ./ringsim grade 05 ' out
report $? "a command is named as it was typed"
{ echo '/* line 1 of the file; a pragma is not needed # 1 */' && cat "$ring"; } >my.c
graded 0 'Score: 20/20' 05 my.c
graded 1 "expected 'ringsim-schedule 1'" 08 "$lessons/05-scatter-reduce/lab"
printf 'ringsim-schedule 1\nranks 4\nchunks 1\n' >four.sched
graded 1 '8 are asked for' 08 four.sched
{ printf 'ringsim-schedule 1\nranks 8\nchunks 4096\n' && yes 'step
0 -> 1 chunk 0..4095 copy' | head -n 200000; } >monster.sched
graded 1 'too large to be judged' 08 monster.sched
echo 'a b x' >x.parsons
graded 1 "there is no line 'x'" 05 x.parsons
echo 'a, b, c, d, e' >commas.parsons
graded 0 'Score: 20/20' 05 commas.parsons
graded 1 'these are the lines themselves' 05 "$lessons/05-scatter-reduce/parsons"
cp -R "$lessons" course && rm course/07-*/parsons
for line in 'part 99999 sound 5' 'part 1 warnings' 'part 1 bytes nan inf' 'part 1 sound 1..99999'; do
    printf 'ringsim-lab 1\n%s\n' "$line" >course/09-tree-or-ring/lab
    RINGSIM_LESSONS=course wants 2 'lab:2: ' grade 09 "$ring"
done
RINGSIM_LESSONS=course graded 1 'has no lines to put in order' 07 x.parsons
# what can be played is a whole all-reduce
wants 0 'sound: at the end' check "$lessons/05-scatter-reduce/example.c" --gpus 4 --interpret
wants 0 'sound: at the end' check "$lessons/06-all-gather/example.c" --gpus 3 --interpret
wants 0 'sound: at the end' check "$lessons/08-lower-bound/example.sched"
wants 0 'sound: at the end' check "$lessons/05-scatter-reduce/own.c" --gpus 6 --interpret
wants 0 'sound: at the end' check "$lessons/06-all-gather/own.c" --gpus 5 --interpret
wants 1 'unsound' check class/05/bare-own.c --gpus 6 --interpret
ln -s "$ring" link.c
wants 2 'hand in the file itself' grade 05 link.c
mkfifo pipe.c
wants 2 'hand in the file itself' grade 05 pipe.c
wants 2 'there is no lab 77' grade 77 "$ring"
wants 2 'ringsim grade 05 my_ring.c' grade 05
wants 2 'nowhere.c' grade 05 nowhere.c
wants 2 'did you mean' grade 05 "$ring" --format tex
wants 2 'single submission' grade 05 "$ring" "$up" --show
wants 2 'leave out --student' grade 05 "$ring" --seed 1 --student ann

printf '#include "ring.h"\nstatic int calls;\nint send_chunk(int step, int rank, int n) {
 const int s = calls / n %% (n - 1), r = calls %% n;
 if (n <= 16) return ((rank - step) %% n + n) %% n;\n calls++;\n return ((r - s) %% n + n) %% n;\n}\n' >counts.c
wants 1 'it must answer from its arguments alone' grade 05 counts.c
sed 's/return ((r - s) % n + n) % n;/return (r - s) % n;/' counts.c >less.c
wants 1 'it must answer from its arguments alone' grade 05 less.c

# ---------------------------------------------------------------- everybody's own numbers
echo a very good secret >secret
wants 2 'can be read by others: chmod 600' grade 06 "$ring" --student ann --secret-file secret
chmod 600 secret
echo >newline && chmod 600 newline
wants 2 'that is no secret' grade 06 "$ring" --student ann --secret-file newline
echo short >short && chmod 600 short
wants 2 'has 5 letters' grade 06 "$ring" --student ann --secret-file short
judge 05 "$ring" --student ann --secret-file secret >ann
judge 05 "$ring" --student bob --secret-file secret >bob
judge 05 "$ring" --student ann --secret-file secret >ann2
[ "$(grep seed ann)" = "$(grep seed ann2)" ] && [ "$(grep seed ann)" != "$(grep seed bob)" ]
report $? "a student's numbers are the same each time, and nobody else's"
{ echo '// again' && cat "$ring"; } >changed.c
judge 05 changed.c --student ann --secret-file secret >ann3
[ "$(grep seed ann)" != "$(grep seed ann3)" ]
report $? "other work of the same student is asked with other numbers: reports give no answers away"
graded 0 'numbers of ann, seed ' 05 "$ring" --student ann
[ "$(grep seed out)" != "$(grep seed ann)" ]
report $? "without the secret they are others"
: >nothing
wants 2 'is empty: that is no secret' grade 06 "$ring" --student ann --secret-file nothing
graded 0 'numbers of a?[31m?, seed ' 05 "$ring" --student "$(printf 'a\033[31m\377')"

# ---------------------------------------------------------------- the first wrong step
judge 05 "$up" --save wrong.sched >/dev/null 2>&1
wants 1 'unsound' check wrong.sched
judge 05 "$up" --show --view text >out 2>err
[ $? = 1 ] && grep -q 'Score: 0/20' out && grep -q 'GPU 4' out && [ ! -s err ]
report $? "--show opens the wrong schedule in a run's views"
for part in 'N = 5: every sum is complete on one GPU: FAIL' \
    'N = 2..9: every sum is complete on one GPU: FAIL' 'no more bytes than needed: no points yet'; do
    grep -q "^$part" out
    report $? "a part is called by its name, and what only follows does not fail: $part"
done
grep -q '^         N = 5: Step 1: GPU 0 sends chunk 1; chunk 4, which it has just added' out &&
    grep -q 'return (rank + step) % n;    (0 + 1) % 5 = 1$' out && [ "$(grep -c ' Rule    send_chunk(' out)" = 3 ]
report $? "beside the learner's line, with its numbers; not in the steps that the grader adds"
[ "$(grep -m 1 '^Step' out)" = 'Step 1 of 0..7' ]
report $? "at its first wrong step"
judge 05 "$up" --show --view text --seed 7 --save again.sched >seeded 2>err
[ $? = 1 ] && [ "$(sed -n '/^Step/,$p' out)" = "$(sed -n '/^Step/,$p' seeded)" ] && cmp -s wrong.sched again.sched
report $? "with a run's own values, whatever the seed of the grading"
judge 05 "$ring" --show --view text >out 2>err &&
    grep -q 'Score: 20/20' out && [ "$(grep -m 1 '^Step' out)" = 'Step 0 of 0..7' ] && ! grep -q 'to see it' out
report $? "a right one can be watched, from its start"

# ---------------------------------------------------------------- reports for machines
judge 05 "$up" --format gradescope >results.json
grep -q '^{"score":0,.*"tests":\[{"number":"1","name":"N = 5: every sum is complete on one GPU","score":0,"max_score":5,"status":"failed"' results.json
report $? "Gradescope's results.json"
judge 05 "$ring" --format autolab >out
[ "$(tail -n 1 out)" = '{"scores":{"lab05":20},"scoreboard":[20]}' ]
report $? "Autolab's last line"
judge 05 "$ring" "$up" --format junit >junit.xml
grep -q '<testsuite name="counts-up" tests="4" failures="4"' junit.xml && grep -q '<testsuite name="seed-order" tests="4" failures="0"' junit.xml
report $? "JUnit XML"
# the wall that held is named in every report; of the second one, in the first kind of report
cp "$up" again.c
formats='text gradescope autolab junit csv class'
for kind in bubblewrap filter; do
    for format in $formats; do
        case $format in
        class) "$ringsim" grade 05 "$up" again.c --sandbox $kind >out 2>err ;;
        *) "$ringsim" grade 05 "$up" --sandbox $kind --format $format >out 2>err ;;
        esac
        [ $? != 3 ] || continue # not on this machine
        [ "$(grep -c "$kind: .*no network" out)" = 1 ]
        report $? "$format: names the sandbox, $kind"
        [ "$format" != class ] || formats=text
    done
done
if command -v python3 >/dev/null 2>&1; then
    python3 -c 'import json, sys, xml.dom.minidom as d
json.load(open("results.json")); d.parse("junit.xml")'
    report $? "which machines can read"
fi
printf '/* "a", <b> & \\ */\n#include "ring.h"\n#error "quoted <tag> & \\\\ text"\n' >'=evil,name.c'
"$ringsim" grade 05 '=evil,name.c' "$ring" --format csv >out
grep -q "^\"'=evil,name\",\"'=evil,name.c\",05,0,20," out
report $? "a name cannot break the CSV, nor be a formula"

# ---------------------------------------------------------------- a class
# one row a student, however the folder is named and whatever lies in it
mkdir -p pair/ann pair/bob pair/eve
cp "$ring" pair/ann.c && cp "$ring" pair/ann/x.c && cp "$ring" pair/bob/y.c && cp "$ring" pair/eve.c
for folder in pair ./pair ../"$(basename "$PWD")"/pair "$PWD/pair/"; do
    judge 05 "$folder" --format csv 2>err | cut -d , -f 1,4 | tr '\n' ' ' >rows
    [ "$(cat rows)" = 'student,points ann,20 bob,20 eve,20 ' ] && grep -q 'not graded, .*pair/*ann/x.c$' err
    report $? "grade $folder: a row for each student"
done
# The points of the parts are those of the whole, also where a rung gets none.
for file in "$ring" "$up" "$lessons/05-scatter-reduce/example.c" "$lessons/05-scatter-reduce/fill.c"; do
    judge 05 "$file" --format gradescope >out 2>err
    tr ',{' '\n\n' <out | sed -n 's/^"score":\([0-9.]*\)$/\1/p' | awk 'NR == 1 { whole = $1 } NR > 1 { sum += $1 } END { exit NR < 3 || sum != whole }'
    report $? "$(basename "$file"): the parts' points are the whole's"
done
# Who cannot be graded handed in something, and not the example.
mkdir odd && cp "$ring" odd/ann.c && head -c 300000 /dev/zero | tr '\0' 'x' >odd/bob.c && : >odd/cleo.c
judge 05 odd --format csv >out 2>err
[ "$(sed 's/\(,[0-9]*\)*$//' out | awk -F , 'NR > 1 { print $1, $4, $NF }' | tr '\n' ' ')" = 'ann 20 whole bob 0 whole cleo 0 whole ' ]
report $? "a submission that is too long, an empty one: no example"
mkdir -p year/ann year/bob year/dora
cp "$ring" year/ann/my_ring.c && cp "$up" year/bob/ring.c && cp "$ring" year/cleo.c
graded 1 '2 of 4 with all points' 05 year --jobs 3
[ "$(cut -c 1-4 out | head -n 4 | tr -d '\n ')" = annbobcleodora ]
report $? "in the order of the names, those who handed in nothing too"
grep -q 'dora.*there is no .c, .sched or .parsons file in it' out && [ ! -s err ]
report $? "and are told so"
mkdir -p year/gus && cp "$ring" year/eve.cpp && cp "$ring" year/gus/my.parsons.txt && cp "$up" year/ann/older.c && ln -s ann year/fred
graded 1 'ringsim: not graded, a second file or of another kind: year/ann/older.c' 05 year
[ "$(grep -c '^\(eve\|gus\)  *0/20  nothing of this kind is graded' out)" = 2 ] && grep -q '^fred  *0/20  no regular file' out && [ "$(wc -l <err)" = 1 ]
report $? "a file of another kind, and a link, have a row with the reason; a second file is named"

# Whatever a student sends has a row, and who sends nothing has one by the roster.
python=$(command -v python3) || exit $failed
mkdir -p kinds/folder kinds/moved zip && cp "$ring" kinds/c.c && cp "$lessons/05-scatter-reduce/parsons.key" kinds/lines.parsons &&
    echo words >kinds/text.txt && : >kinds/empty.c && : >kinds/nothing && cp "$ring" kinds/folder/my_ring.c && cp "$up" kinds/Ann_17_file_up.c
cat >make-zips.py <<'END'
import sys, zipfile
ring, up = open(sys.argv[1]).read(), open(sys.argv[2]).read()
def zipped(name, files, how=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(name, 'w', how) as z:
        for member, text in files: z.writestr(member, text)
zipped('kinds/zip.zip', [('hw/', ''), ('hw/exercise.c', ring), ('__MACOSX/hw/._exercise.c', 'x'), ('hw/z.c', up)])
zipped('kinds/stored.ZIP', [('exercise.c', ring)], zipfile.ZIP_STORED)
zipped('kinds/moved/all.zip', [('a.c', up)])
zipped('kinds/bare.zip', [('notes.txt', 'x')])
zipped('kinds/bomb.zip', [('exercise.c', ' ' * 50000000)])
whole = open('kinds/zip.zip', 'rb').read()
open('kinds/cut.zip', 'wb').write(whole[:200])
at = whole.index(b'PK\1\2', whole.index(b'PK\1\2') + 1)
open('kinds/bent.zip', 'wb').write(whole[:at + 16] + b'\0\0\0\0' + whole[at + 20:])
END
"$python" make-zips.py "$ring" "$up"
printf '\357\273\277Ann\r\nc\r\n zoe \r\nfolder\r\nlines\r\nzoe\r\n' >roster
judge 05 kinds --roster roster --format csv >out 2>err
"$python" - <<'END'
import csv
rows = list(csv.DictReader(open('out')))
assert list(rows[0])[:9] == 'student,file,lab,points,most,seconds,reason,sandbox,rung'.split(',')
assert list(rows[0])[9:] == ['part1', 'part2', 'part3', 'part4']
got = {row['student']: row for row in rows}
assert len(got) == len(rows) == 15, sorted(got)
full = {'c', 'lines', 'folder', 'zip', 'stored'}
assert {name for name in got if got[name]['points'] == '20'} == full, got
for row in rows:
    assert sum(int(row['part%d' % i]) for i in range(1, 5)) == int(row['points']) and row['most'] == '20'
    assert (row['reason'] == '') == (row['student'] in full)
words = {'text': 'of this kind', 'nothing': 'of this kind', 'empty': 'send_chunk', 'moved': 'stays behind', 'bare': 'there is no', 'cut': 'zip',
         'bent': 'damaged', 'bomb': 'longer', 'zoe': 'nothing handed in', 'Ann': 'stays behind'}
for name in words: assert words[name] in got[name]['reason'], got[name]
assert got['zip']['file'] == 'kinds/zip.zip/hw/exercise.c' and got['zoe']['file'] == got['zoe']['rung'] == ''
END
report $? "each kind of file, each zip, and who is on the roster only: a row with points by part, and the reason"
grep -q '^ringsim: not graded, .*: kinds/bare.zip/notes.txt, .*kinds/zip.zip/hw/z.c' err && grep -q '^ringsim: not on the roster: bare, ' err && [ "$(wc -l <err)" = 2 ]
report $? "second files, and who is not on the roster, are named"
judge 05 kinds --roster roster >out 2>err
tail -n 6 out >last
grep -q '^mean of 10: 10.0 of 20.0$' last && grep -q '^missed most, by .* of 10: N = 5: every' last && grep -q '^said most often, to 2 of 10: N = 5: Step 1' last &&
    grep -q '^5 with nothing to grade$' last
good=$?
[ $good = 0 ] || sed 's/^/    /' last
report $good "a class in words ends with its mean, what most missed, and the reason given most often"
judge 05 kinds/zip.zip 2>err | grep -q 'Score: 20/20' && ! judge 05 kinds/bare.zip >out 2>err && grep -q 'bare.zip: there is no .c' err
report $? "a zip alone is graded, too"
mkdir none && judge 05 none --roster roster >out 2>err
[ $? = 1 ] && [ "$(grep -c 'nothing handed in' out)" = 5 ]
report $? "a roster alone: nobody has handed in"

# ---------------------------------------------------------------- a student's own points
if script -qec true /dev/null </dev/null >log 2>&1; then
    mkdir -p own/ringsim
    printf 'ringsim progress 1\n05 7 9 10 b a-c 12/20\n06 0 0 1 - --- 18/20\n' >own/ringsim/progress
    at_terminal() { XDG_DATA_HOME=$PWD/own script -qec "'$ringsim' grade $*" /dev/null </dev/null >log 2>&1; }
    at_terminal 06 "'$lessons/06-all-gather/example.c'"
    at_terminal 05 --seed 3 "'$lessons/05-scatter-reduce/exercise.c'"
    grep -q '^05 .* 12/20$' own/ringsim/progress && grep -q '^06 .* 18/20$' own/ringsim/progress
    report $? "worse points, and those for another's numbers, are not kept"
    XDG_DATA_HOME=$PWD/own "$ringsim" grade 05 "$lessons/05-scatter-reduce/exercise.c" 2>&1 | cat >log
    grep -q '^05 7 9 10 b a-c.* 20/20$' own/ringsim/progress
    report $? "the best points of a lab are kept, for the list of the lessons"
    words() { tr -s ' \r\n' '\n\n\n' | sed 's/(.*s)//'; }
    "$ringsim" grade 05 "$up" 2>&1 | words >piped
    at_terminal 05 "'$up'"
    words <log >shown
    [ "$(wc -l <piped)" -gt 40 ] && cmp -s piped shown
    report $? "a terminal shows the same words"
    echo '1 0' >my.ranks
    at_terminal 11 my.ranks
    grep -q '^11 0 0 1 - ---* 0/0 [0-9]*/[1-9][0-9]*$' own/ringsim/progress
    report $? "those of a my.ranks have a place of their own"
    XDG_DATA_HOME=$PWD/own "$ringsim" lesson >out </dev/null
    grep -q '^ *11 .* 0/10$' out && grep -q '^ *5 .* 20/20$' out && [ "$(wc -L <out)" -le 80 ]
    report $? "and the list of the lessons shows them"
    XDG_DATA_HOME=$PWD/own "$ringsim" lesson --json >out </dev/null
    grep -q '"number":11,[^}]*"points":0,"of_points":10}' out && grep -q '"number":5,[^}]*"points":20,"of_points":20}' out
    report $? "as JSON, too"
fi

exit $failed
