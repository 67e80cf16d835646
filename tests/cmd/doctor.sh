#!/bin/sh
# doctor.sh: what `ringsim doctor` says of GPUs: with drivers and libraries that are made up, since the
# machine has none.
top=$(pwd)
. tests/tools/command-test

says() { # TEXT NAME
    grep -qF -e "$1" out
    status=$?
    [ $status = 0 ] || sed 's/^/    /' out
    report $status "$2"
}
cc=
for name in cc gcc clang; do command -v $name >/dev/null 2>&1 && cc=$name && break; done
if [ -z "$cc" ]; then
    echo "ok doctor and drivers that are made up # skip: no compiler"
    exit 0
fi
library() { # FILE: of the C text on stdin
    $cc -shared -fPIC -x c - -o "$1" || exit 1
}
doctor() { # FOLDER
    LD_LIBRARY_PATH=$1 "$ringsim" doctor >out 2>err </dev/null && [ ! -s err ]
    report $? "doctor with $1 ends well"
}
mkdir -p empty gpus broken strange
"$ringsim" doctor >out 2>err </dev/null
for row in driver CUDA NCCL MPI; do
    grep -q "^  $row " out
    report $? "doctor has a row for $row"
done
! grep -qiE 'not used yet|does not use the GPU yet|uses it yet' out
report $? "nothing is said to be of no use yet"
says 'colours     no' "there are no colours in a file"
if script -qec true /dev/null </dev/null >out 2>&1; then
    for kind in 'TERM=xterm yes' 'TERM=dumb no' 'TERM=xterm NO_COLOR=1 no'; do
        # shellcheck disable=SC2086
        env -u NO_COLOR ${kind% *} script -qec "'$ringsim' doctor" /dev/null </dev/null >out 2>&1
        says "colours     ${kind##* }" "colours with ${kind% *}: ${kind##* }"
    done
fi

library gpus/libcuda.so.1 <<'END'
#include <string.h>
int cuInit(unsigned flags) { return flags; }
int cuDriverGetVersion(int *v) { *v = 13020; return 0; }
int cuDeviceGetCount(int *n) { *n = 3; return 0; }
int cuDeviceGet(int *d, int i) { *d = i; return 0; }
int cuDeviceGetName(char *name, int n, int d) {
    strncpy(name, d < 2 ? "NVIDIA H200" : "NVIDIA L4", n);
    return 0;
}
END
library gpus/libnccl.so.2 <<'END'
int ncclGetVersion(int *v) { *v = 23007; return 0; }
END
doctor gpus
says 'for CUDA up to 13.2' "the newest CUDA that the driver serves is told"
says 'GPU         yes   2 x NVIDIA H200, NVIDIA L4' "GPUs are counted and named"
says 'NCCL 2.30.7; ' "NCCL's version is told"

library broken/libcuda.so.1 <<'END'
int cuInit(unsigned flags) { return 803; }
int cuDriverGetVersion(int *v) { *v = 12040; return 0; }
int cuDeviceGetCount(int *n) { return 3; }
int cuDeviceGet(int *d, int i) { return 3; }
int cuDeviceGetName(char *name, int n, int d) { return 3; }
END
library broken/libnccl.so.2 <<'END'
int ncclGetVersion(int *v) { *v = 2708; return 0; }
END
doctor broken
says "GPU         no    the driver does not start: CUDA's error 803" "a driver that does not start is told with its number"
says 'NCCL 2.7.8; ' "old NCCLs count their versions another way"

echo 'int nothing;' | library strange/libcuda.so.1
echo 'not a library' >strange/libnccl.so.2
doctor strange
says 'driver      no ' "what is no driver is none"

# GPUs in any order: equal neighbours are counted together; versions of NCCL as people write them.
mkdir drawn
library drawn/libcuda.so.1 <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int cuInit(unsigned flags) { return flags; }
int cuDriverGetVersion(int *v) { *v = atoi(getenv("CUDA_IS")); return 0; }
int cuDeviceGetCount(int *n) { *n = (int)strlen(getenv("GPUS_ARE")); return 0; }
int cuDeviceGet(int *d, int i) { *d = i; return 0; }
int cuDeviceGetName(char *name, int n, int d) {
    snprintf(name, n, "NVIDIA %c", getenv("GPUS_ARE")[d]);
    return 0;
}
END
library drawn/libnccl.so.2 <<'END'
#include <stdlib.h>
int ncclGetVersion(int *v) { *v = atoi(getenv("NCCL_IS")); return 0; }
END
bad=
for try in 'A 12040 12.4 2708 2.7.8' 'AA 11080 11.8 2809 2.8.9' 'AB 12000 12.0 20901 2.9.1' 'AAB 13020 13.2 22809 2.28.9' \
    'ABB 9020 9.2 23007 2.30.7' 'ABA 13000 13.0 30000 3.0.0' 'AAAABBBA 12110 12.11 29999 2.99.99' 'ABCDDE 12040 12.4 2604 2.6.4'; do
    # shellcheck disable=SC2086
    set -- $try
    GPUS_ARE=$1 CUDA_IS=$2 NCCL_IS=$4 LD_LIBRARY_PATH=drawn "$ringsim" doctor >out 2>err </dev/null
    named=$(echo "$1" | sed 's/./&\n/g' | sed '/^$/d' | uniq -c | awk '{ printf "%s%sNVIDIA %s", (NR > 1 ? ", " : ""), ($1 > 1 ? $1 " x " : ""), $2 }')
    grep -qF "  GPU         yes   $named" out && [ "$(sed -n 's/^  GPU         yes   //p' out)" = "$named" ] &&
        grep -qF ", for CUDA up to $3" out && grep -qF "NCCL $5; " out || bad="$bad [$try]"
done
[ -z "$bad" ]
report $? "GPUs, CUDA and NCCL are told as they are$bad"

# RINGSIM_NCCL names the library that counts, and no other does then; empty, it names none.
bad=
for try in "gpus unset 2.30.7" "gpus  2.30.7" "gpus $PWD/broken/libnccl.so.2 2.7.8" "broken $PWD/gpus/libnccl.so.2 2.30.7" \
    "empty $PWD/gpus/libnccl.so.2 2.30.7" "gpus $PWD/nowhere.so -" "gpus $PWD/strange/libnccl.so.2 -"; do
    rest=${try#* } named=${try#* }
    named=${named% *}
    if [ "$named" = unset ]; then
        LD_LIBRARY_PATH=${try%% *} "$ringsim" doctor >out 2>err </dev/null
    else
        LD_LIBRARY_PATH=${try%% *} RINGSIM_NCCL=$named "$ringsim" doctor >out 2>err </dev/null
    fi
    told=$(sed -n 's/.*NCCL \([0-9.]*\); .*/\1/p' out)
    [ "${told:--}" = "${rest##* }" ] || bad="$bad [$try: $told]"
done
[ -z "$bad" ]
report $? "NCCL is the one that RINGSIM_NCCL names, if any$bad"

# What is missing is listed with its packages, a line for the package manager that is here, for all where none is known.
mkdir none
PATH=$SCRATCH/none "$ringsim" doctor >all 2>err </dev/null
bad=
sed '1,/^missing for what this build/d; /^$/,$d' all | sed -n 's/^  \([a-zA-Z0-9]*\)  *[^ ].*/\1/p' >rows
for thing in gettext ffmpeg MPI; do grep -qx $thing rows || bad="$bad $thing"; done
for manager in apt:apt-get dnf:dnf pacman:pacman brew:brew; do
    name=${manager%:*} program=${manager#*:}
    [ "$(grep -c "^  $name  *\(sudo \)\{0,1\}$program " all)" -ge 1 ] || bad="$bad $name"
    grep "^  $name " all | head -n 1 | grep -q ' gettext .*ffmpeg' || bad="$bad $name-packages"
    mkdir "with-$name" && echo true >"with-$name/$program" && chmod +x "with-$name/$program"
    PATH=$SCRATCH/with-$name "$ringsim" doctor >one 2>err </dev/null
    # How much memory is left changes from one moment to the next.
    grep -v '^  \(apt\|dnf\|pacman\|brew\|cores\) ' all >others && grep "^  $name " all >>others
    sort others >want && grep -v '^  cores ' one | sort | cmp -s - want || bad="$bad $name-alone"
done
[ "$(grep -c '^  brew  *sudo' all)" = 0 ] || bad="$bad sudo"
[ -z "$bad" ]
report $? "what is missing is listed, with what to type$bad"

# The packages are those that the build's own scripts would name.
bad=
things=$(sed 's/^ncurses$/curses/; s/^SDL2$/sdl/' rows | tr A-Z a-z)
for manager in apt:apt-get dnf:dnf pacman:pacman brew:brew; do
    name=${manager%:*}
    for tool in awk cat dirname id sed tr; do ln -s "$(command -v $tool)" "with-$name/$tool"; done
    # shellcheck disable=SC2086
    PATH=$SCRATCH/with-$name "$top/tests/tools/need" --line $things >line
    for said in all line; do
        grep "${manager#*:} " $said | head -n 1 | sed "s/'//g; s/.*${manager#*:} *[^ ]*//" | tr ' ' '\n' | sed '/^-/d; /^$/d' | sort -u >$said.packages
    done
    [ -s line.packages ] && cmp -s all.packages line.packages || bad="$bad $name"
done
[ -z "$bad" ]
report $? "the packages are those that the build asks for$bad"

# ---------------------------------------------------------------- what it says of itself is so
"$ringsim" doctor >out 2>err </dev/null
says_yes() { grep -q "^  $1  *yes" out; }
mkdir home && HOME=$SCRATCH/home XDG_DATA_HOME=$SCRATCH/home "$ringsim" lesson 1 >lesson 2>err </dev/null
can=$?
says_yes md4c
[ $? = $((can != 0)) ]
report $? "md4c is there where a lesson can be read, and only there"
"$ringsim" machine "$top/tests/data/topologies/dgx-h100.xml" >out.xml 2>err </dev/null
can=$?
says_yes expat
[ $? = $((can != 0)) ]
report $? "expat is there where a topology in XML can be read, and only there"
printf '\037\213' >rank_0.gz
"$ringsim" hang rank_0.gz >hang 2>&1 </dev/null
grep -q gunzip hang
lacks=$?
says_yes zlib
[ $? = $((lacks == 0)) ]
report $? "zlib is there where hang does not ask for gunzip"
"$ringsim" check "$top/tests/submissions/right/seed-order.c" >check 2>&1 </dev/null
grep -q 'without libseccomp' check
lacks=$?
says_yes libseccomp
[ $? = $((lacks == 0)) ]
report $? "libseccomp is there where a learner's C does not ask for it"
if command -v ldd >log; then
    ldd "$ringsim" 2>log | grep -q curses
    has=$?
    says_yes ncurses
    [ $? = $has ]
    report $? "ncurses is there where the program has it, and only there"
fi
if script -qec true /dev/null </dev/null >log 2>&1 && command -v timeout >log; then
    bad=
    for size in '97 31' '40 12' '211 5' '1 1'; do
        width=${size% *} height=${size#* }
        TERM=xterm timeout 20 script -qec "stty cols $width rows $height; '$ringsim' doctor" /dev/null </dev/null >screen 2>&1
        grep -qF "TERM=xterm, $width x $height characters" screen || bad="$bad $size"
    done
    [ -z "$bad" ]
    report $? "the terminal's size is told$bad"
fi
exit $failed
