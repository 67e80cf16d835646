#!/bin/sh
# setup.sh: Gradescope runs it once, when it builds the autograder's image: a compiler, then ringsim.
set -eu
autograder=${AUTOGRADER:-/autograder}
if [ "${APT:-1}" = 1 ]; then
    apt-get update
    apt-get install -y --no-install-recommends gcc libc6-dev make bubblewrap libseccomp-dev
fi
cd "$autograder/source"
mkdir -p ringsim
tar -xf ringsim.tar -C ringsim
# a grader needs no window, no GPU, and no other library than the one that refuses system calls
make -C ringsim -j2 B=build APT=0 CURSES=0 CJSON=0 EXPAT=0 GETTEXT=0 SDL=0 MPI=0 CUDA=0 NCCL=0
# what a submission runs as must not be able to look in here
chmod -R o-rwx "$autograder/source"
