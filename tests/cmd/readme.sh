#!/bin/sh
# Every command of the READMEs prints what they say, and they link one another; the rooms' tables name
# all files that are there, and none that is not.
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

# Whether a room's README names every C file of the room, itself or by a pattern such as `draw_*.c`.
set -f # patterns are for `case`, not for this folder
for room in sim viz gpu cli; do
    # shellcheck disable=SC2016
    names=$(grep '^|' "$room/README.md" | grep -o '`[a-z0-9_*/]*\.[ch]`' | tr -d '`' | sed 's|.*/||')
    wrong=
    for file in $(find "$room" -name '*.c' | sort); do
        found=
        for name in $names; do
            # shellcheck disable=SC2254
            case ${file##*/} in $name) found=1 ;; esac
        done
        [ -n "$found" ] || wrong="$wrong $file"
    done
    for name in $names; do
        [ -n "$(find "$room" -name "$name")" ] || wrong="$wrong $name"
    done
    if [ -z "$wrong" ]; then
        echo "ok the table of $room/README.md and the folder agree"
    else
        echo "not ok $room/README.md and the folder disagree on:$wrong"
        failed=1
    fi
done
set +f
tests/tools/run-readme README*.md || failed=1
exit $failed
