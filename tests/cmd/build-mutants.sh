#!/bin/sh
# make mutants, in a small tree of its own: what a suite notices is killed, what it does not survives.
set -u
tools=$(pwd)/tests/tools
cd "$SCRATCH" || exit 1
failed=0
report() { # STATUS WHAT
    if [ "$1" = 0 ]; then echo "ok mutants: $2"; else
        echo "not ok mutants: $2"
        sed 's/^/    /' out
        failed=1
    fi
}
if ! command -v gcov >/dev/null 2>&1 || ! unshare $([ "$(id -u)" = 0 ] || echo -r) -mpf --mount-proc true 2>/dev/null; then
    echo "ok mutants # skip: it wants gcov, unshare and mount"
    exit
fi

mkdir -p tree/sim tree/tests/sim && cd tree || exit 1
cat >Makefile <<'EOF'
B ?= build
.SECONDARY:
all:
tests: $(B)/tests/sim/test_sim $(B)/tests/sim/test_none
$(B)/%.o: %.c
	@mkdir -p $(@D)
	@$(CC) -g -O1 $(CFLAGS) -c $< -o $@
$(B)/tests/sim/test_%: $(B)/sim/sim.o $(B)/tests/sim/test_%.o
	@$(CC) $(CFLAGS) $^ -o $@
EOF
cat >sim/sim.c <<'EOF'
#include <assert.h>

/* Never a < b in a comment. */
static int count;

int seen(int a, int b) {
    assert(a + b > 0);
    count += a - b;
    return count;
}

int unseen(int a) {
    int twice = 0;
    twice = 2 * a;
    return twice;
}
EOF
cat >tests/sim/test_sim.c <<'EOF'
int seen(int a, int b);
int main(void) {
    return seen(5, 3) != 2;
}
EOF
echo 'int main(void) { return 0; }' >tests/sim/test_none.c
mutants() { env N=50 ROOM=sim OUT="$SCRATCH/result" CC=cc "$@" "$tools/mutants" build/tests/sim/test_sim build/tests/sim/test_none >../out 2>&1; }
result=$SCRATCH/result
mutants N=1 && [ "$(grep -c . "$result")" -ge 2 ] && cp "$result" "$result.first" && mutants
report $? "it runs"
cd "$SCRATCH" && cmp -s -n "$(wc -c <result.first)" result.first result
report $? "a second call goes on after the last line"
tab=$(printf '\t')
grep -q "^killed by test_sim${tab}seen${tab}count += a \[---\]{+++} b;${tab}sim/sim.c:8" result
report $? "a wrong sum is killed"
grep -q "^killed by test_sim${tab}seen${tab}\[-count += a - b;-\]{+;+}" result
report $? "a statement left out is killed"
grep -q "^survived: no suite runs it${tab}unseen${tab}twice = 2 \[-\*-\]" result
report $? "what no suite runs survives"
grep -q "^same object${tab}unseen${tab}int twice = \[-0-\]{+1+};" result
report $? "what compiles to the same object is no mutant"
! grep -q 'assert\|comment' result
report $? "asserts and comments are left alone"
cd tree && cmp -s sim/sim.c build/mutants/tree/sim/sim.c
report $? "the copy is put back as it was"

echo >>tests/sim/test_none.c
mutants OUT="$result.same" && grep -q 'sim/test_none: ' ../out && ! grep -q 'sim/test_sim: ' ../out
report $? "of the map only the suite that has changed is made anew"

# The code moves and is renamed, and its test becomes worse.
{ echo && sed 's/count/sum/g' sim/sim.c; } >sim/moved.c && rm sim/sim.c
sed 's,sim/sim,sim/moved,' Makefile >new && mv new Makefile
sed 's/!= 2/> 2/' tests/sim/test_sim.c >new && mv new tests/sim/test_sim.c
mutants OF="$result" OUT="$result.again" && cd "$SCRATCH" &&
    grep -q "^survived 1 of 1 suites${tab}seen${tab}\[-sum += a - b;-\]{+;+}${tab}sim/moved.c:9" result.again
report $? "a mutant is found again where it has moved, and survives a worse suite"
grep -q "^killed by test_sim${tab}seen${tab}sum += a \[---\]" result.again
report $? "and is killed by what is still good"
exit $failed
