#!/bin/sh
# ideas.sh: every idea in the tables of lessons/README.md has its lesson, and its command prints what is quoted.
set -u
top=$PWD
cd "${SCRATCH:?}" || exit 1
LC_ALL=C.UTF-8 COLUMNS=80 failed=0
export LC_ALL COLUMNS
unset LANGUAGE RANK WORLD_SIZE LOCAL_RANK MASTER_ADDR MASTER_PORT DISPLAY WAYLAND_DISPLAY
mkdir -p bin
printf '#!/bin/sh\nexec "%s" "$@"\n' "${RINGSIM:?}" >bin/ringsim
chmod +x bin/ringsim
PATH=$PWD/bin:$PATH
squeeze() { tr -s ' \n' '  '; }

# number, lesson's path, command and quotation, a line each; a tab between.
sed -n '/^## Every idea/,$p' "$top/lessons/README.md" | awk -F ' [|] ' '
    /^[|] [0-9]+ [|]/ {
        path = $3; sub(/^[^(]*[(]/, "", path); sub(/[)].*/, "", path)
        command = $4; gsub(/^`|`$/, "", command)
        said = $5; sub(/ [|]$/, "", said)
        number = $1; sub(/^[|] /, "", number)
        print number "\t" path "\t" command "\t" said
    }' >rows
tab=$(printf '\t')

n=0 table=1
while IFS=$tab read -r number path command said; do
    n=$((n + 1))
    if [ "$number" -ne $n ] && [ "$number" -eq 1 ] && [ $table -eq 1 ]; then
        first=$((n - 1)) n=1 table=2
    fi
    problem=
    [ "$number" -eq $n ] || problem="number $n is missing"
    [ -e "$top/lessons/$path" ] || problem="no such lesson: $path"
    file=$(printf '%s' "$command" | cksum | cut -d ' ' -f 1) # many stand in several rows
    if [ ! -e "$file.out" ]; then
        sh -c "$command" >"$file.out" 2>&1 </dev/null
        echo $? >"$file.rc"
    fi
    [ "$(cat "$file.rc")" -le 3 ] || problem="it ends with $(cat "$file.rc")"
    [ -n "$said" ] || problem="nothing is quoted"
    squeeze <"$file.out" | grep -qF -e "$said" || problem="it does not print: $said"
    if [ -z "$problem" ]; then
        echo "ok $table.$number $command"
    elif [ "$(cat "$file.rc")" -eq 3 ]; then
        echo "ok $table.$number $command # skip: $(head -n 1 "$file.out")"
    else
        failed=1
        echo "not ok $table.$number $command: $problem"
    fi
done <rows
if [ "${first:-0}" -eq 45 ] && [ $n -eq 24 ]; then
    echo "ok 45 ideas, and 24 that texts get wrong"
else
    failed=1
    echo "not ok 45 ideas and 24 that texts get wrong: ${first:-0} and $n"
fi
exit $failed
