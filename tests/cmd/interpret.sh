#!/bin/sh
# interpret.sh: --interpret gives what a compiler gives, for every C file of the course and a ladder of each lab, right or
# wrong; and what it does not know it names, with its line.
. tests/tools/command-test
top=$OLDPWD
# The parts of a report, without times and what was said.
parts() {
    sed 's/ time="[0-9.]*"//' | awk '
        /<properties>/ { next }
        /<system-out>/ { said = 1 }
        said { said = $0 !~ /<\/system-out>/; next }
        { print }'
}
compiler=1
"$ringsim" doctor | grep -qE '^  exercises +yes' || compiler=0
n=0
for folder in "$top"/lessons/[0-9]*-*/; do
    lab=$(basename "$folder" | sed 's/-.*//')
    [ -e "$folder/exercise.c" ] || continue
    files=$(find "$folder" -name '*.c' | sort)
    [ "$lab" != 05 ] || files="$files $(ls "$top"/tests/submissions/right/*.c | grep -v own-names)"
    # Parsons, once with a letter's capital, the wrong line. (Skeletons and the other ladders: grade.sh, interpreted.)
    mkdir -p "$lab"
    l=$(sed -n 's/^\([A-Z]\) |.*/\1/p' "$folder/parsons" | head -n 1)
    sed "s/$(echo "$l" | tr 'A-Z' 'a-z')/$l/" "$folder/parsons.key" >"$lab/wrong.parsons"
    [ "$lab" != 05 ] || cp "$folder/parsons.key" "$lab/right.parsons"
    files="$files $(echo "$PWD/$lab"/*.parsons)"
    # shellcheck disable=SC2086 # names without spaces
    "$ringsim" grade "$lab" $files --format junit --interpret 2>err | parts >read
    count=$(grep -c '<testsuite ' read)
    n=$((n + count))
    [ "$count" = "$(echo "$files" | wc -w)" ]
    report $? "lab $lab: all are graded without a compiler: $count $([ "$count" != 0 ] || head -n 3 err)"
    if [ $compiler = 1 ]; then
        # shellcheck disable=SC2086
        "$ringsim" grade "$lab" $files --format junit 2>err | parts >compiled
        diff compiled read >differs
        report $? "lab $lab: interpreted as compiled: $count"
        head -n 20 differs
    else
        echo "ok lab $lab: interpreted as compiled # skip: no compiler, or no sandbox"
    fi
done
echo "# $n files"
ring=$top/tests/submissions/right/seed-order.c
wants 0 'nothing of it is compiled' check "$ring" --interpret
wants 0 '"correct":true' run --algo "$ring" --interpret --gpus 6 --count 50 --json
wants 0 'right' verify --on cpu --algo "$ring" --interpret --count 100
wants 1 'return (rank + step) % n;    (0 + 1) % 5 = 1' run --algo "$top/lessons/05-scatter-reduce/wrong/counts-up.c" --interpret --view text --at 1
# Each fault with its line; what is C and not known, too.
faulty() { # TEXT BODY STATUS
    printf 'int send_chunk(int step, int rank, int n) {\n    int t[3] = {0};\n    %s\n}\n' "$2" >faulty.c
    wants "${3:-2}" "faulty.c:3: $1" check faulty.c --interpret
}
faulty "'t' has the elements 0 to 2, not 3" 'return t[rank] + step / n;'
faulty "a division by zero" 'return t[0] + step / (n - 5) + rank;'
faulty "'x' is read, and has no value yet" 'int x; return t[0] + step / n + rank + x;'
faulty "'goto': beyond" 'goto end; end: return t[0] + step + rank + n;' 3
faulty "';' is missing" 'return t[0] + step + rank + n'
wants 2 'send_chunk(1, 0, 5) is -1' check "$top/lessons/06-all-gather/wrong/negative-remainder.c" --interpret
exit $failed
