#!/bin/sh
# The tools that judge can say no: each is shown something wrong, and must fail on it.
set -u
top=$(pwd)
tools=$top/tests/tools
cd "$SCRATCH" || exit 1
failed=0
unset ASAN_OPTIONS UBSAN_OPTIONS LSAN_OPTIONS # this test is no part of what it tries out

# Wants an exit status, and a text in the output (none: -).
wants() { # STATUS TEXT WHAT COMMAND...
    status=$1 text=$2 what=$3
    shift 3
    "$@" >out 2>&1
    got=$?
    if [ $got = "$status" ] && { [ "$text" = - ] || grep -qF -- "$text" out; }; then
        echo "ok $what"
    else
        echo "not ok $what (exit $got)"
        sed 's/^/    /' out
        failed=1
    fi
}

# ---- run-tests
mkdir -p b
wants 1 "Tested: 0" "run-tests: no test at all is a failure" "$tools/run-tests" b
printf 'echo ok a\necho ok b\necho "ok c # skip: no hands"\n' >good.sh
printf 'echo ok a\necho not ok b\nexit 1\n' >bad.sh
printf 'echo ok a\nexit 3\n' >crash.sh
wants 0 "Tested: 2 | Passing: 2" "run-tests: counts what passes" "$tools/run-tests" b good.sh
wants 0 "no hands" "run-tests: names what was skipped" "$tools/run-tests" b good.sh
wants 1 "Tested: 4 | Passing: 3 | Failing: 1" "run-tests: one failure fails all" \
    "$tools/run-tests" b good.sh bad.sh
wants 1 "Crashing: 1" "run-tests: a bad end is a crash" "$tools/run-tests" b crash.sh
printf 'good 1\nbad 3\n' >b/test-seconds
printf 'echo ok a; echo "$0" >>began\n' | tee good.sh first.sh >bad.sh
printf '#!/bin/sh\necho program >>began\n' >program && chmod +x program && : >began
# one at a time
JOBS=-1 "$tools/run-tests" b good.sh bad.sh ./program first.sh >out 2>&1
[ "$(tr '\n' ' ' <began)" = 'first.sh program bad.sh good.sh ' ] && grep -qx 'first 0' b/test-seconds && ! grep -q program b/test-seconds
wants $? - "run-tests: what is new begins, then the longest" true
cat >leak.c <<'END'
#include <criterion/criterion.h>
#include <stdlib.h>
void *volatile kept;
Test(leak, passes_and_leaks) {
    kept = malloc(17);
    kept = NULL;
}
END
printf '#include <criterion/criterion.h>\n' >none.c
criterion=$(pkg-config --cflags --libs criterion 2>/dev/null || echo -lcriterion)
compile() { "${CC:-cc}" "$@" $criterion; }
if compile -g -fsanitize=address leak.c -o leak 2>log; then
    wants 1 "a sanitizer's report" "run-tests: a leak that Criterion passes fails" "$tools/run-tests" b ./leak
else
    echo "ok run-tests: a leak fails # skip: this compiler has no address sanitizer"
fi
compile none.c -o none 2>log
wants 1 "Crashing: 1" "run-tests: a suite without a test fails" "$tools/run-tests" b ./none

# ---- run-readme
RINGSIM=/bin/echo
export RINGSIM
document() { printf '%b' "$1" >doc.md; }
document '```console\n$ ./ringsim a; exit 2\na\n[exit 2]\n$ printf "1\\n2\\n3\\n"\n1\n...\n```\n'
wants 0 - "run-readme: right outputs pass" "$tools/run-readme" doc.md
document '```console\n$ ./ringsim a\nb\n```\n'
wants 1 "not ok doc.md:2" "run-readme: a wrong line fails" "$tools/run-readme" doc.md
document '```console\n$ ./ringsim a; exit 2\n...\n```\n'
wants 1 "[exit 2]" "run-readme: cut text hides no exit status" "$tools/run-readme" doc.md
document 'no commands\n'
wants 1 "no command" "run-readme: a document without a command fails" "$tools/run-readme" doc.md
document '# t\n```console\n$ ./ringsim a\nold\n$ ./ringsim b\n...\n```\nend\n'
"$tools/run-readme" --update doc.md >out
wants 0 - "run-readme: --update writes what came out, and keeps what matches" \
    [ "$(cat doc.md)" = "$(printf '# t\n```console\n$ ./ringsim a\na\n$ ./ringsim b\n...\n```\nend\n')" ]

# ---- baseline: two commits of a program of a few lines, with one document and one group of commands
mkdir -p tree/lessons
printf '```console\n$ ringsim a >f; ringsim b\n```\n' >tree/README.md
printf 'all:\n\tcp program ringsim\n' >tree/Makefile
printf '#!/bin/sh\necho "$@" said\n' >tree/program && chmod +x tree/program
in_tree() { (cd tree && "$@"); }
commit() { in_tree git -c user.name=a -c user.email=a@b -c init.defaultBranch=main "$@" >log 2>&1; }
commit init && printf 'build\nringsim\n' >tree/.gitignore && commit add . && commit commit -qm a
against() { in_tree "$tools/baseline" against HEAD "$@"; }
wants 0 " 0 differ" "baseline: the same program says the same" against README pictures-films
sed 's/said/$([ "$1" = a ] \&\& echo says || echo said)/' tree/program >changed && cp changed tree/program
wants 1 "differs: README 1" "baseline: a file with another word differs" against README
wants 1 "+a says" "baseline: as text" against README
wants 1 "1 differ" "baseline: and nothing else does" against README pictures-films
printf '#!/bin/sh\n[ "$1" != sampler ]\n' >tree/program
wants 1 "differs: pictures-films 3" "baseline: another exit status differs" against pictures-films
wants 2 "no commit" "baseline: a commit that is none is refused" in_tree "$tools/baseline" against nothing

# ---- wrong-answers
printf '#!/bin/sh\necho student,file,lab,points,most\nfor f in "$3"/*; do echo "$(basename "$f"),f,$2,${FULL:-0},9"; done\n' >judge
chmod +x judge
for full in 0 9; do # nobody gets all points, or everybody
    wants 1 "seed 2: $([ $full = 0 ] && echo right || echo wrong)-" "wrong-answers: a judge who gives all $full points is wrong" \
        sh -c "cd '$top' && FULL=$full RINGSIM='$SCRATCH/judge' tests/tools/wrong-answers 2 03"
done

# ---- size: five lines of C (texts may look like comments, and comments like texts), four of JavaScript
mkdir -p house/sim/base house/viz
cat >house/sim/base/a.c <<'END'
/* one " and
   another */ int a = '"'; // five
char *b = "/*", /* " */ c = '\'';

    // none
/**/ /* none */
int d; /* begins
} */ char *e = "\"//";
int f;	/**/
END
printf '#define A\n' >house/sim/a.h
printf 'a = "`"; // `\nb = `/*\n\n*/ // `; /* c\n*/\n' >house/viz/a.mjs
count() { # WANTED WHAT ARGUMENTS...
    wanted=$1 what=$2
    shift 2
    wants 0 "$wanted" "size: $what" sh -c "cd house && '$tools/size' $*"
}
count "sim 6" "texts and comments are told apart in C" --rooms
count "viz 3" "and in JavaScript" --rooms
wants 0 "sim/base 5 lines" "size: a folder's lines" sh -c "cd house && '$tools/size' | tr -s ' '"
(cd house && git init -q && git add . && git -c user.name=a -c user.email=a@b.c commit -q -m a) >log 2>&1
echo 'int g;' >>house/sim/base/a.c
mkdir house/cli && mv house/sim/a.h house/cli
for row in 'sim/base 5 -> 6 +1' 'sim/ 1 -> 0 -1' 'cli 0 -> 1 +1' 'all 9 -> 10 +1'; do
    wants 0 "$row" "size: since a commit, $row" sh -c "cd house && '$tools/size' HEAD | tr -s ' '"
done

# ---- check-text: the words are put together here, so that this file may hold them
mkdir -p text
says() { printf '%s\n' "$1" >text/a.md; }
says "nccl#179 and colour #000000 are welcome; so is a shared wire, /usr/bin and /tmp"
wants 0 - "check-text: an ordinary text passes" "$tools/check-text" text
for text in "see ..""/shared/x" "as in iss""ue 7" "fixed (#""12)" "from deb"".debian.org" "in /ro""ot/x"; do
    says "$text"
    wants 1 "a.md:1" "check-text: finds '$text'" "$tools/check-text" text
done
exit $failed
