#!/bin/sh
# lessons.sh: every command of every lesson, in both languages, prints what the lesson says.
set -u
skip= why=
# Notes that commands of a pattern cannot run here.
without() { # PATTERN REASON
    skip="${skip:+$skip|}$1"
    why="${why:+$why, }$2"
}
doctor=$("$RINGSIM" doctor </dev/null) || {
    echo "not ok the doctor says what can run here"
    exit 1
}
has() { printf '%s\n' "$doctor" | grep -qE "^  $1 +yes"; }
[ -x /usr/bin/cc ] && has exercises || without 'ringsim grade|ringsim .*--algo [a-z_]*\.c' 'no compiler, or no cage'
has MPI || without 'verify.*--on [a-z,]*mpi' 'no MPI'
has gettext || without . 'no gettext'
RUN_README_SKIP=$skip RUN_README_WHY=$why
export RUN_README_SKIP RUN_README_WHY
tests/tools/run-readme lessons/[0-9][0-9]-*/en.md lessons/[0-9][0-9]-*/zh_CN.md
