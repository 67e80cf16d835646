#!/bin/sh
# Every command of the READMEs prints what they say, and they link one another.
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
tests/tools/run-readme README*.md || failed=1
exit $failed
