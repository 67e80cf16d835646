#!/bin/sh
# Every command of README and docs/ prints what they say, and its other language, which lessons/ has, too, is linked; the rooms' tables have a row
# for each folder that is there, and for none that is not. (Files that are named: tools/gone-files.)
set -u
failed=0
# The commands of a document, but for the language that they ask for. Of the course those that it names, too, its figures, and
# the headings of its parts.
# shellcheck disable=SC2016
typed() {
    grep '^\$ ' "$1" | sed 's/ --lang zh_CN//'
    case $1 in lessons/*) ;; *) return ;; esac
    sed 's/^    \(ringsim\|make\)\(\( [^ ]\+\)*\).*/`\1\2`/' "$1" |
        grep -oE '`(ringsim|make|--)[^`]*`|^#+|^\*\*|^[0-9]\.|^\| [0-9][-0-9]* ' | sort
}
for document in README*.md docs/*.md lessons/README*.md; do
    name=${document##*/}
    case $name in *.zh_CN.md) other=${name%.zh_CN.md}.md ;; *) other=${name%.md}.zh_CN.md ;; esac
    if head -n 1 "$document" | grep -qF "($other)"; then
        echo "ok $document links $other in its first line"
    else
        echo "not ok $document does not link $other in its first line"
        failed=1
    fi
    typed "$document" >"$SCRATCH/own"
    typed "${document%"$name"}$other" >"$SCRATCH/other"
    if diff "$SCRATCH/own" "$SCRATCH/other"; then
        echo "ok $document has the commands of $other"
    else
        echo "not ok $document has other commands than $other"
        failed=1
    fi
    links=$(grep -oE '\]\([^)#:]+|(src|srcset)="[^"]+' "$document" | sed 's/^](//; s/.*"//' | while read -r link; do
        case $document in */*) link=${document%/*}/$link ;; esac
        [ -e "$link" ] || echo "$link"
    done)
    if [ -z "$links" ]; then
        echo "ok what $document links is there"
    else
        echo "not ok $document links what is not there: $links"
        failed=1
    fi
done

# Whether the table of a room's README has a row for each of its folders, and for no other.
for room in sim nccl viz gpu cli; do
    # shellcheck disable=SC2016
    sed -n 's/^| `\([a-z_\/]*\)\/` |.*/\1/p' "$room/README.md" | sort -u >"$SCRATCH/named"
    find "$room" -mindepth 2 -type f | sed "s|^$room/||; s|/[^/]*\$||" | sort -u >"$SCRATCH/there"
    wrong=$(comm -3 "$SCRATCH/named" "$SCRATCH/there" | tr -d '\t' | tr '\n' ' ')
    if [ -z "$wrong" ]; then
        echo "ok the table of $room/README.md and the folders agree"
    else
        echo "not ok $room/README.md and the folders disagree on: $wrong"
        failed=1
    fi
done
# shellcheck disable=SC2046
tests/tools/run-readme $(grep -l '^\$ ' README*.md docs/*.md) || failed=1
exit $failed
