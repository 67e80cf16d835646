#!/bin/sh
# make help names every target that a person may type, and no other.
set -u
make --no-print-directory help >"$SCRATCH/help" || exit 1
failed=0
# Targets without a pattern, a folder or a variable in their name; those that only serve others have
# no sentence of their own.
for target in $(sed -n 's/^\([a-z][a-z-]*\):.*/\1/p' Makefile mk/*.mk | sort -u); do
    case $target in benches | fuzzers) continue ;; esac
    if ! grep -q "make $target " "$SCRATCH/help"; then
        echo "not ok make help does not name $target"
        failed=1
    fi
done
for target in all demo test check check-rooms bench fuzz docs install uninstall clean help; do
    grep -q "make $target  *[a-z]" "$SCRATCH/help" || { echo "not ok no help for $target" && failed=1; }
done
[ $failed = 1 ] || echo "ok make help names every target"
exit $failed
