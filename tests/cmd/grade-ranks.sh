#!/bin/sh
# grade-ranks.sh: a lab's broken jobs: handed out, decided by `ringsim hang`, handed in, graded, alone and in a class.
. tests/tools/command-test
lessons=$OLDPWD/lessons
echo 'a secret of the course, and long' >secret
chmod 600 secret
own='--secret-file secret --student'

# Prints what `ringsim hang` says of all five jobs: the job, the rank, the line.
found() { # FOLDER
    for i in 1 2 3 4 5; do
        said=$("$ringsim" hang "$1/job$i")
        [ $? = 1 ] || return 1
        # the first rank that is named, the first line that is
        echo "$said" | tr '\n' ' ' | sed "s/^rank \([0-9]*\).*/$i \1/" | tr '\n' ' '
        echo "$said" | tr '\n' ' ' | sed 's/[^:]*\(train.py\):\([0-9]*\).*/ \1:\2/; s/.* train/train/'
        echo
    done
}

# shellcheck disable=SC2086
for student in ann bob; do
    "$ringsim" grade 11 --dump $student $own $student >out 2>err
    [ $? = 0 ] && grep -q "dumps of 5 broken jobs: $student/job1 to $student/job5" out && ! grep -q 'to grade it' out
    report $? "the jobs of $student are handed out"
    found $student >$student.ranks
done
"$ringsim" grade 11 --dump again --secret-file secret --student ann >out 2>err
diff -r ann again >out 2>&1
report $? "the same student gets the same bytes"
! diff -r ann bob >out 2>&1
report $? "another student gets others"
# shellcheck disable=SC2086
wants 0 'Score: 10/10' grade 11 ann.ranks $own ann
# shellcheck disable=SC2086
wants 1 'job 1: which rank, and at which line' grade 11 ann.ranks $own bob
seed=$("$ringsim" grade 11 ann.ranks --secret-file secret --student ann | sed -n 's/.*seed //p')
"$ringsim" grade 11 --dump seeded --seed "$seed" >out 2>err
diff -r ann seeded >out 2>&1
report $? "the report names the seed of the jobs"
wants 0 'Score: 10/10' grade 11 ann.ranks --seed "$seed"
"$ringsim" grade 11 --dump ann --secret-file secret --student bob >out 2>err
diff -r ann bob >out 2>&1
report $? "where another's jobs were, none of their dumps stays"

# Everybody's, without a teacher.
"$ringsim" grade 11 --dump all >out 2>err
[ $? = 0 ] && grep -q 'to grade it: .* grade 11 my.ranks' out
report $? "without a secret there are jobs for everybody"
found all >all.ranks
wants 0 'Score: 10/10' grade 11 all.ranks
printf '1 0 train.py:45\n1 1\n' >twice.ranks
wants 1 'line 2: job 1 has a line above already' grade 11 twice.ranks
[ "$(grep -c 'line 2' out)" = 1 ]
report $? "that stands there once"

# A class: functions and ranks of each student, each judged for what it is.
mkdir -p class/ann class/eve
cp ann.ranks class/ann/my.ranks
cp bob.ranks class/bob.ranks
cp bob.ranks class/eve/my.ranks
"$ringsim" grade 11 class --secret-file secret --format csv >out 2>err
[ $? = 1 ] && grep -q '^ann,class/ann/my.ranks,11,10,10,' out && grep -q '^bob,class/bob.ranks,11,10,10,' out &&
    grep -q '^eve,class/eve/my.ranks,11,[0-7],10,' out && [ "$(wc -l <out)" = 4 ]
report $? "in a class each has their own jobs"
cp "$lessons/11-everyone/exercise.c" class/ann/my.c
"$ringsim" grade 11 class --secret-file secret --interpret >out 2>err
[ $? = 1 ] && grep -q '^ann   .* 10/10' out && grep -q '^ann.ranks   .* 10/10' out && grep -q '^2 of 4\|^3 of 4' out
report $? "who hands in a function, too, is graded for both"
"$ringsim" grade 05 class --format csv >out 2>err
grep -q '^bob,class/bob.ranks,05,0,20,.*of this kind' out && grep -q '^eve,class/eve/my.ranks,05,0,20,.*of this kind' out && grep -q ': class/ann/my.ranks$' err
report $? "a lab without jobs takes no ranks"

wants 2 'whose jobs are they? add --student ID' grade 11 ann.ranks --secret-file secret
wants 2 'whose jobs are they? add --student ID' grade 11 --dump x --secret-file secret
wants 2 'lab 05 asks for no file of this kind' grade 05 ann.ranks
wants 2 'lab 05 has no broken jobs' grade 05 --dump x
wants 2 'hands out, and takes nothing in' grade 11 ann.ranks --dump x
[ ! -e x ]
report $? "nothing is written then"
echo >file
wants 2 'cannot write into file' grade 11 --dump file
