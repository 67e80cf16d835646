#!/bin/sh
# ideas.sh: every idea in the tables of lessons/README.md has its lesson, and its command prints what is quoted;
# the same rows stand in the Chinese one, with what is printed there.
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

# Prints number, lesson's path, command and quotation of each row, a line each; a tab between.
rows_of() { # README
    awk -F ' [|] ' '
    /^## (Every idea|每个概念)/ { on = 1 }
    on && /^[|] [0-9]+ [|]/ {
        path = $3; sub(/^[^(]*[(]/, "", path); sub(/[)].*/, "", path)
        command = $4; gsub(/^`|`$/, "", command)
        said = $5; sub(/ [|]$/, "", said)
        number = $1; sub(/^[|] /, "", number)
        print number "\t" path "\t" command "\t" said
    }' "$top/lessons/$1"
}
tab=$(printf '\t')

rows_of README.md >rowsen
rows_of README.zh_CN.md >rowszh_CN
cut -f 1,3 rowsen >en
cut -f 1,3 rowszh_CN | cmp -s - en || { echo "not ok the Chinese tables have the same rows" && failed=1; }
for language in en zh_CN; do
    [ $language = en ] || LC_ALL=zh_CN.UTF-8
    [ $language = en ] || [ -e "${BUILD:-build}/locale/zh_CN/LC_MESSAGES/ringsim.mo" ] || continue
    n=0 table=1
    while IFS=$tab read -r number path command said; do
        n=$((n + 1))
        if [ "$number" -ne $n ] && [ "$number" -eq 1 ] && [ $table -eq 1 ]; then
            first=$((n - 1)) n=1 table=2
        fi
        problem=
        [ "$number" -eq $n ] || problem="number $n is missing"
        [ -e "$top/lessons/$path" ] || problem="no such lesson: $path"
        file=$language$(printf '%s' "$command" | cksum | cut -d ' ' -f 1) # many stand in several rows
        if [ ! -e "$file.out" ]; then
            sh -c "$command" >"$file.out" 2>&1 </dev/null
            echo $? >"$file.rc"
        fi
        [ "$(cat "$file.rc")" -le 3 ] || problem="it ends with $(cat "$file.rc")"
        [ -n "$said" ] || problem="nothing is quoted"
        squeeze <"$file.out" | grep -qF -e "$said" || problem="it does not print: $said"
        if [ -z "$problem" ]; then
            echo "ok $language $table.$number $command"
        elif [ "$(cat "$file.rc")" -eq 3 ]; then
            echo "ok $language $table.$number $command # skip: $(head -n 1 "$file.out")"
        else
            failed=1
            echo "not ok $language $table.$number $command: $problem"
        fi
    done <"rows$language"
    if [ "${first:-0}" -eq 45 ] && [ $n -eq 24 ]; then
        echo "ok 45 ideas, and 24 that texts get wrong"
    else
        failed=1
        echo "not ok 45 ideas and 24 that texts get wrong: ${first:-0} and $n"
    fi
done
exit $failed
