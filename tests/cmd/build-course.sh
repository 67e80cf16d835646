#!/bin/sh
# build-course.sh: what a teacher hands out: no solution in it, and it can be graded; Gradescope's zip works.
. tests/tools/command-test
top=$OLDPWD
ring=$top/tests/submissions/right/seed-order.c

LC_ALL=zh_CN.UTF-8 make -s -C "$top" handout DIR="$SCRATCH/alone" >out 2>&1
head -n 1 out | grep -q '^练习：.*alone/students$' && [ "$(ls alone)" = students ] && ! find alone | grep -e wrong -e key
report $? "who learns alone has no key beside the exercises, and is told so in Chinese"
make -s -C "$top" handout DIR="$SCRATCH/bundle" KEY="$SCRATCH/bundle/key" >out 2>&1
report $? "make handout writes the bundle, and the key where it is asked for"
if grep -q 'no page in it' out; then
    ! grep -q 'ringsim.html' bundle/students/README*
    report $? "without the page, which it says, and the README does not promise it"
else
    cmp -s "$BUILD/ringsim.html" bundle/students/ringsim.html && [ "$(grep -l 'ringsim.html' bundle/students/README* | wc -l)" = 2 ] &&
        sed -n 3p bundle/students/README.md | grep -q 'ringsim.html'
    report $? "with the page, which its READMEs begin with"
fi
! grep -rq '<!-- = ' bundle
report $? "and without what the tests work out"
(
    cd "$SCRATCH/bundle/students" || exit 1
    n=0
    sed -n 's/^    ringsim \([^#]*\).*/\1/p' README.md >commands
    while read -r command; do
        n=$((n + 1))
        # shellcheck disable=SC2086
        "$RINGSIM" $command >said 2>&1 </dev/null
        [ $? -le 1 ] && [ -s said ] || exit 1
    done <commands
    rm -f commands said
    [ "$n" -eq 3 ]
)
report $? "its README names three commands that work there"
sed -n 's/^    ringsim \([^#]*\).*/\1/p' bundle/students/README.zh_CN.md >chinese
sed -n 's/^    ringsim \([^#]*\).*/\1/p' bundle/students/README.md | cmp -s - chinese &&
    ! LC_ALL=C grep -L '[^ -~]' bundle/students/*/exercise.* bundle/students/*/fill.c bundle/students/*/own.c | grep -q .
report $? "so does its README in Chinese, and each exercise says its task in Chinese, too"
make -s -C "$top" handout DIR="$SCRATCH/bundle" >out 2>&1
[ $? != 0 ] && grep -q 'is there already' out
report $? "and never over one that is there"

# Every line between the markers, unless a skeleton has the same one, must be nowhere in the bundle.
awk 'FNR == 1 { inside = 0 } /BEGIN SOLUTION/ { inside = 1; next } /END SOLUTION/ { inside = 0 } inside' \
    "$top"/lessons/*/exercise.c "$top"/lessons/*/fill.c "$top"/lessons/*/own.c | sed 's/^ *//' | grep -v '^[{}]*$' | awk 'length > 12' | sort -u >solutions
grep -h 'SKELETON: ' "$top"/lessons/*/exercise.* "$top"/lessons/*/fill.c "$top"/lessons/*/own.c | sed 's/.*SKELETON: //; s| *\*/$||' | sort -u >skeletons
grep -vxFf skeletons solutions >secret
cat "$top"/lessons/driver/*.c | sed 's/^ *//' | sort -u >drivers
[ "$(wc -l <secret)" -gt 30 ]
report $? "there are solutions to look for"
find bundle/students -type f ! -path '*/driver/*' -exec cat {} + | sed 's/^ *//' | grep -xFf secret >found
[ ! -s found ]
good=$?
[ $good = 0 ] || sed 's/^/    /' found
report $good "no line of a solution is in the students' bundle"
! find bundle/students | grep -e wrong -e key
report $? "no wrong answer and no key either"
grep -rqe 'BEGIN SOLUTION' -e SKELETON bundle/students
[ $? = 1 ]
report $? "nor a marker"
head -n 1 secret >one && grep -rqxFf one bundle/key -h || grep -rqF -e "$(cat one)" bundle/key
report $? "the key has them"
RINGSIM_LESSONS=$SCRATCH/bundle/students "$ringsim" grade 05 "$ring" >out 2>&1
report $? "the bundle is enough to grade with"

make -s -C "$top" install DESTDIR="$SCRATCH/inst" PREFIX=/usr/local >out 2>&1 &&
    (cd / && "$SCRATCH/inst/usr/local/bin/ringsim" grade 05 "$ring" >"$SCRATCH/out" 2>&1)
report $? "what is installed can grade"
find inst -type f -path '*lessons*' -exec cat {} + | sed 's/^ *//' | grep -xFf secret | grep -vxFf drivers >found
[ ! -s found ] && ! find inst -path '*lessons*' | grep -e wrong -e 'key'
report $? "and holds no solution"

make -s -C "$top" workflow LAB=05 OUT="$SCRATCH/grade.yml" URL=https://example.org/r.git >out 2>&1 &&
    grep -q 'grade 05 exercise.c' grade.yml && ! grep -q '@[A-Z]*@' grade.yml
report $? "make workflow fills the workflow file in"

# ---------------------------------------------------------------- Gradescope
command -v zip >/dev/null 2>&1 && command -v unzip >/dev/null 2>&1 || {
    echo "ok Gradescope's zip # skip: zip and unzip are not installed"
    exit $failed
}
echo a long secret >secret.txt && chmod 600 secret.txt
make -s -C "$top" gradescope LAB=05 OUT="$SCRATCH/lab.zip" SECRET="$SCRATCH/secret.txt" GRADE='--rung-points 50,80,100' >out 2>&1
report $? "make gradescope writes the zip"
mkdir -p ag/source ag/submission && (cd ag/source && unzip -q ../../lab.zip)
tar -tf ag/source/ringsim.tar | grep -e 'lessons/.*exercise' -e 'lessons/.*own' -e 'lessons/.*wrong' -e '/key\.'
[ $? = 1 ]
report $? "no solution is in it"
tar -xOf ag/source/ringsim.tar --wildcards 'lessons/*/fill.c' | sed 's/^ *//' >fills
grep -q 'yours' fills && ! grep -qxFf secret fills
report $? "of fill.c what students get"
# The sources in it are those here, all of them; so what no switch changes need not be compiled again.
sources() { sed -n '/^\(sim\|viz\|gpu\|cli\)\/.*\.[ch]$/p' | sort; }
tar -df ag/source/ringsim.tar -C "$top" sim nccl viz gpu cli >differs 2>&1 &&
    tar -tf ag/source/ringsim.tar | sources >packed && (cd "$top" && find sim nccl viz gpu cli -type f) | sources | cmp -s - packed
report $? "the program's sources are in it"
switched=$(cd "$top" && grep -rlE '"config\.h"|^ *#.*HAVE_|RINGSIM_[A-Z]*DIR' --include='*.[ch]' sim nccl viz gpu cli)
cat >cc <<'END'
#!/bin/sh
# cc: of a source that no switch changes the object of the usual build.
for object; do :; done
source=${object#build/}
source=${source%.o}
case " $* " in
*" -c $source.c "*) case $SWITCHED in *$source.c*) ;; *) ! [ -e "$KEPT/$source.o" ] || exec cp "$KEPT/$source.o" "$object" ;; esac ;;
esac
exec cc "$@"
END
chmod +x cc
kept=$BUILD
case $switched in *.h*) kept= ;; esac # a header's switch would be in many sources: all are compiled
SWITCHED=$switched KEPT=$kept CC=$SCRATCH/cc OPT=-O0 AUTOGRADER=$SCRATCH/ag APT=0 sh ag/source/setup.sh >setup.log 2>&1
good=$?
[ $good = 0 ] || tail -n 5 setup.log
report $good "its setup builds the grader"
echo '{"id": 1, "users": [{"email": "a@b.c", "id": 1234, "name": "Ann"}]}' >ag/submission_metadata.json
AUTOGRADER=$SCRATCH/ag sh ag/source/run_autograder
grep -q 'no .c, .sched, .parsons or .ranks file' ag/results/results.json
report $? "nothing handed in: a friendly result"
cp "$ring" ag/submission/
AUTOGRADER=$SCRATCH/ag sh ag/source/run_autograder && grep -q '^{"score":20,' ag/results/results.json
report $? "a right answer: full score in results.json"
seed=$(sed 's/.*"seed":"\([0-9]*\)".*/\1/' ag/results/results.json)
"$ringsim" grade 05 "$ring" --student 1234 --secret-file secret.txt | grep -qF "seed $seed"
report $? "with the student's own numbers"
cp "$top/lessons/05-scatter-reduce/parsons.key" lines.parsons
seed=$("$ringsim" grade 05 lines.parsons --student 1234 --secret-file secret.txt | sed -n 's/.*seed \([0-9]*\)$/\1/p')
rm ag/submission/*.c && cp "$top/lessons/05-scatter-reduce/parsons.key" ag/submission/lines.parsons
printf '{\n "users": [\n  {\n   "email": "a@b.c",\n   "id": 1234\n  }\n ]\n}\n' >ag/submission_metadata.json
AUTOGRADER=$SCRATCH/ag sh ag/source/run_autograder && grep -q '^{"score":10,' ag/results/results.json
report $? "lines in their order are taken, too, for what they are worth"
grep -qF "\"seed\":\"$seed\"" ag/results/results.json
report $? "however the numbers of the student are laid out"
cp "$top/lessons/17-nodes/exercise.c" nodes.c
ag/source/ringsim/ringsim grade 17 nodes.c | grep -q 'Score: 20/20'
report $? "a lab's machine is there"
exit $failed
