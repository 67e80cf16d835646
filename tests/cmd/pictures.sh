#!/bin/sh
# The READMEs' pictures are what the program draws today.
set -u
failed=0
tests/tools/pictures "$SCRATCH/new" terminal || exit 1
for picture in assets/walkthrough*.svg; do
    name=$(basename "$picture")
    if cmp -s "$picture" "$SCRATCH/new/$name"; then
        echo "ok $name is up to date"
    elif [ ! -e "$BUILD/locale" ] && [ "$name" != walkthrough.svg ]; then
        echo "ok $name # skip: this build has no languages"
    else
        echo "not ok $name is not what the program draws; look at it, then: make docs"
        failed=1
    fi
done
exit $failed
