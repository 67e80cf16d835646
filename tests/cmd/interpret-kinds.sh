#!/bin/sh
# interpret-kinds.sh: what --interpret makes of each kind of C: it judges it, or says that it does not, with its line; what
# a compiler takes never gets 0 points, and what is certainly wrong does. gcc has the last word on what is C.
. tests/tools/command-test
top=$OLDPWD
gcc=$(command -v gcc) || gcc=

# KIND LINE WORDS OUTER INNER: OUTER stands from line 2 on, INNER in line 4 of the function, for one line of OUTER.
try() {
    printf '#include "ring.h"\n%b\nint send_chunk(int step, int rank, int n) {\n%b\n    return ((rank - step) %% n + n) %% n;\n}\n' "$4" "$5" >kind.c
    if [ -n "$gcc" ]; then
        "$gcc" -std=c17 -fsyntax-only -I"$top/lessons" kind.c 2>gcc.err
        [ $? = 0 ] && legal=1 || legal=0
        case $1$legal in judged0 | other0) sed 1q gcc.err && report 1 "gcc takes it: $4 $5" ;; wrong1) report 1 "gcc refuses it: $4 $5" ;; esac
    fi
    "$ringsim" grade 05 kind.c --interpret >out 2>err
    status=$?
    case $1 in
    judged) [ $status = 0 ] && grep -q '^Score: 20/20$' out ;;
    other) [ $status = 3 ] && [ ! -s out ] && [ "$(grep -vc "^ringsim: running, " err)" = 1 ] && grep -qF "kind.c:$2: $3: beyond the interpreter, so not judged" err ;;
    wrong) [ $status = 1 ] && grep -q '^Score: 0/20$' out && grep -qF "kind.c:$2: $3" out && ! grep -q 'printed' out ;;
    esac
    report $? "$1: $4 $5$([ $? = 0 ] || cat out err)"
}
judged() { try judged 0 '' "$@"; }
other() { try other "$@"; }
wrong() { try wrong "$@"; }

judged 'typedef unsigned char byte; enum way { UP = 3, DOWN, }; struct a { byte b; int c; };' \
    'struct a x = {.c = UP}; x.b = DOWN; if (sizeof x != 8 || x.b + x.c != 7) return -1;'
judged 'static const int t[2][3] = {{1, 2, 3}, {4, 5, 6}}; static inline int at(const int p[], int i) { return p[i]; }' \
    'if (at(t[1], 2) != 6) return -1;'
judged 'int z[4] = {0}; struct in { int a[2]; }; struct out { struct in i; int b; };' 'struct out o = {0}, q[2] = {0}; if (o.i.a[1] + q[1].b + z[3]) return -1;'
judged '#define LONG \\\n    3' 'if (LONG != 3) return -1;'
judged '// a comment that goes \\\non' 'int 块 = 2, été = 1; if (块 + été != 3) return -1;'
judged 'int f(int x) { return x < 2 ? 1 : x * f(x - 1); }' 'if (f(6) != 720) return -1;'
judged '' 'int i = n; do { switch (i) { case 1: break; default: continue; } } while (--i > 0); for (;;) break;'
judged '' 'int t[n]; t[0] = 1; rs_send m = (rs_send){.to = 1}; if (m.to != *t || 0x1p3 != 8) return -1; /* **/ // end'
judged 'int x;;' 'x = 1;'
judged 'enum w { X = 1 }; enum v { Y = -1 };' 'enum w a = 0; enum v b = 0; if (a - 1 < 0 || b - 1 > 0) return -1;'
judged '' 'int t[3], *p = &t[3]; if (p - t != 3) return -1;'
other 2 "'f' comes to its end without a return" 'static int f(int x) { x = 1; }' 'f(1);'
judged '#include <stdio.h>\n' 'printf("%d\\n", n);'

other 2 'a bit-field' 'struct b { unsigned x : 3; };' ''
other 2 'a bit-field' 'struct b { int x; unsigned : 0; };' ''
other 5 "'div_t'" '#include <stdlib.h>\n' 'div_t d = div(rank, n); (void)d;'
other 5 "'INT8_MAX'" '#include <stdint.h>\n' 'if (INT8_MAX > n) { }'
other 3 "'FILE'" '#include <stdio.h>\nFILE *file;' ''
other 2 "'union'" 'union u { int a; float b; };' ''
other 2 '#include <time.h>' '#include <time.h>' ''
other 2 '#ifdef' '#ifdef X\n#endif' ''
other 2 '#pragma' '#pragma once' ''
other 2 '#define MOD with arguments' '#define MOD(a, b) ((a) % (b))' ''
other 4 "'goto'" '' 'goto end; end: ;'
other 4 "'volatile'" '' 'volatile int v = 1; (void)v;'
other 4 "'register'" '' 'register int v = 1; (void)v;'
other 4 "'_Alignas'" '' '_Alignas(16) int v; (void)v;'
other 2 "'_Static_assert'" '_Static_assert(1, "one");' ''
other 2 "'_Thread_local'" '_Thread_local int v;' ''
other 2 "'_Noreturn'" '_Noreturn void f(void);' ''
other 4 "'_Generic'" '' 'int k = _Generic(n, int: 1, default: 2); (void)k;'
other 4 "'_Complex'" '' 'double _Complex z = 1; (void)z;'
other 2 "'__attribute__'" 'int f(int x) __attribute__((noinline));' ''
other 2 "'__int128'" '__int128 big;' ''
other 4 "'__func__'" '' '(void)__func__;'
other 2 "'['" '[[maybe_unused]] static int v;' ''
other 4 "'__builtin_expect'" '' 'if (__builtin_expect(n > 1, 1)) { }'
other 2 'long double' 'long double big;' ''
other 2 'long double' 'double long big;' ''
other 4 "the number '1.5L'" '' 'if (1.5L > n) { }'
other 4 "the number '0b11'" '' 'if (0b11 > n) { }'
other 4 'a character that is not known' '' "if ('ab' > n) { }"
other 4 'a text or a character with letters before it' '' "if (L'a' > n) { }"
other 4 'a text or a character with letters before it' '' '(void)u8"a";'
other 2 'a pointer to a function, or brackets round a name' 'static int (*f)(int);' ''
other 4 'an array whose values stand in no { } of their own' '' 'char s[] = "abc"; (void)s;'
other 4 "the sign '<:'" '' 'int t<:3:>; t<:0:> = 1;'
other 2 "the sign '%:'" '%:define X 1' ''
other 4 'statements inside of an expression' '' 'int v = ({ int w = 1; w; }); (void)v;'
other 4 '?: without a value between' '' 'int v = n ?: 1; (void)v;'
other 4 "'...'" '' 'switch (n) { case 1 ... 3: break; }'
other 4 'a variable between the cases of a switch: put { } round it' '' 'switch (n) { case 1:; int v = 1; (void)v; }'
other 5 "a case inside of other brackets than its switch's" '' 'int c = 2; switch (n % 2) { case 0: do { c--; case 1: c--; } while (c > 0); }'
other 2 "'a' without a type" 'int f(a, b) int a, b; { return a + b; }' ''
other 2 "'f' without a type" 'static f(int x) { return x; }' ''
other 2 'a function of any number of arguments' 'int f(int n, ...);' ''
other 2 "'x' is declared twice" 'int x; int x = 3;' ''
other 2 "'f' is declared otherwise before" 'int f(); int f(int x) { return x; }' ''
other 2 'an array of arrays with a length that is computed' 'int f(int k, int t[][k]);' ''
other 4 'a struct whose values stand in no { } of their own' '' 'rs_send m[1] = {1, 2}; (void)m;'
other 4 'values for a part of a part' '' 'int t[2][2] = {[0][1] = 1}; (void)t;'
other 4 "the array 't' has no length" '' 'int t[] = {5, [3] = 7}; (void)t;'
other 2 'a field without a name' 'struct s { struct { int a; }; };' ''
other 2 'such a field in a struct' 'struct s { int a; int b[]; };' ''
other 2 'a struct that is not described before' 'struct s { struct s *next; };' ''
other 4 'a pointer as a number' '' 'int t[2], *p = t; if (p) { }'
other 4 'a value of another type than is needed here' '' 'int *p = 0; (void)p;'
other 3 'what is static begins with constants' '#include <math.h>\nstatic double r = sqrt(2);' ''
other 4 "a word that goes on in the next line" '' 'int ab\\\nc = 1;'
other 5 'a text in several parts' '#include <stdio.h>\n' 'printf("a" "b\\n");'
other 2 "the character '\$'" 'int a$b;' ''
other 4 'a pointer to void' '' 'void *p = &n; (void)p;'
other 4 'it did not come to an end within 200000000 steps' '' 'for (long i = 0; i < 300000000; i++) { }'

wrong 4 "';' is missing" '' 'int x = 1'
wrong 4 "'rnk' is not declared" '' 'n = rnk;'
wrong 5 "'rnk' is not declared" '#include <stdio.h>\n' 'n = rnk;'
wrong 4 "'INT_MAX' is not declared" '' 'n = INT_MAX;'
wrong 2 "a type is needed, not 'itn'" 'itn f(int x);' ''
wrong 4 "')' is missing" '' 'if ((n > 1) n = 2;'
wrong 4 "'x' is const: it cannot be changed" '' 'const int x = 1; x = 2;'
wrong 4 "'break' outside of a loop" '' 'break;'
wrong 4 "'08' is no number" '' 'n = 08;'
wrong 4 'a text without a closing quote' '' 'n = "no end;'
wrong 4 "'x' is declared twice" '' 'int x; long x; x = 1;'
wrong 2 "'send_chunk' is declared otherwise before" 'long send_chunk(int step, int rank, int n);' ''
wrong 4 "'else' without an 'if'" '' 'else n = 1;'
wrong 4 "'@' does not belong here" '' 'n = @;'
wrong 4 'numbers are needed here' '' 'rs_send m = {1}; n = m + 1;'

# In C, and wrong when it runs: gcc does not see it.
run_wrong() {
    printf 'int send_chunk(int step, int rank, int n) {\n%s\n    return ((rank - step) %% n + n) %% n;\n}\n' "$2" >kind.c
    wants 1 "kind.c:2: $1" grade 05 kind.c --interpret
    grep -q 'what the submission printed' out
    report $((! $?)) "and its words are no print of the submission's: $2"
}
run_wrong 'a division by zero' 'n = n / (rank - rank);'
run_wrong "'x' is read, and has no value yet" 'int x; n = n + x;'
run_wrong "'t' has the elements 0 to 1, not 9" 'int t[2] = {0}; n += t[9];'

# The mark that editors put first, and lines that end as elsewhere.
ring=$top/tests/submissions/right/seed-order.c
{ printf '\357\273\277' && sed 's/$/\r/' "$ring"; } >bom.c
wants 0 'Score: 20/20' grade 05 bom.c --interpret
wants 0 'sound' check bom.c --interpret --gpus 5

# A class: a row says so, and is no 0; the others are judged.
mkdir class && cp "$ring" class/ann.c
printf 'union u { int a; };\n' | cat - "$ring" >class/bob.c
wants 3 "  -/20  bob.c:1: 'union': beyond the interpreter, so not judged" grade 05 class --interpret
grep -q '^ann  *20/20' out && grep -q '^1 of 2 with all points$' out && grep -q '^1 not judged$' out
report $? "the others are judged"
wants 3 'bob,class/bob.c,05,,20,' grade 05 class --interpret --format csv
wants 3 '<testsuite name="bob" tests="4" failures="0" errors="0" skipped="4"' grade 05 class --interpret --format junit
wants 3 'not judged; leave --interpret out, and a compiler reads it\n","tests":[]' grade 05 class/bob.c --interpret --format gradescope
wants 3 '{"scores":{},"scoreboard":[]}' grade 05 class/bob.c --interpret --format autolab
wants 3 "'union': beyond the interpreter, so not judged" check class/bob.c --interpret
for lab in 01:average 02:sampler_indices 03:reducer_of 04:naive_seconds; do
    printf 'struct b { int x : 2; };\n' | cat - "$top"/lessons/"${lab%:*}"-*/exercise.c >kind.c
    wants 3 'kind.c:1: a bit-field: beyond' grade "${lab%:*}" kind.c --interpret
done
exit $failed
