#!/bin/sh
# Every command of the READMEs prints what they say, and they link one another; the rooms' tables have a row
# for each folder that is there, and for none that is not. (Files that are named: tools/gone-files.)
set -u
failed=0
for document in README*.md; do
    for other in README*.md; do
        [ "$document" != "$other" ] || continue
        if head -n 1 "$document" | grep -qF "($other)"; then
            echo "ok $document links $other in its first line"
        else
            echo "not ok $document does not link $other in its first line"
            failed=1
        fi
    done
done

# Whether the table of a room's README has a row for each of its folders, and for no other.
for room in sim viz gpu cli; do
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
tests/tools/run-readme README*.md || failed=1
exit $failed
