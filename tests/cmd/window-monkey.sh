#!/bin/sh
# window-monkey.sh: random input for a few seconds: nothing crashes, hangs or grows. Longer:
# MONKEY_SECONDS=600, or tests/tools/monkey 600 for a real window.
set -u
monkey=${BUILD:?}/tests/window/monkey
[ -x "$monkey" ] || {
    echo "ok random input # skip: this build has no window"
    exit 0
}
seed=${MONKEY_SEED:-$(date +%j)} # another one each day, named where it fails
if "$monkey" "${MONKEY_SECONDS:-5}" "$seed" >"$SCRATCH/out" 2>&1; then
    echo "ok random input: $(cat "$SCRATCH/out")"
else
    echo "not ok random input"
    sed 's/^/# /' "$SCRATCH/out"
    exit 1
fi
