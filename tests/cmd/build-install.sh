#!/bin/sh
# make install puts everything in its place, a program outside can build against it, the installed
# program runs, and make uninstall leaves nothing behind.
set -u
failed=0
say() { # STATUS WHAT
    if [ "$1" = 0 ]; then echo "ok $2"; else echo "not ok $2" && failed=1; fi
}
root=$SCRATCH/root
run_make() { make --no-print-directory DESTDIR="$root" PREFIX=/opt/ring "$@" >"$SCRATCH/make.log" 2>&1; }

# PREFIX is compiled in, so this build has a folder of its own, and takes what does not ask for it.
run_make -j2 B="$SCRATCH/build" SHARE="${BUILD#"$PWD"/}" install
say $? "make install into a DESTDIR"
for file in bin/ringsim include/ringsim.h include/ringsim_time.h include/ringsim_nccl.h lib/libringsim.a lib/libringsim_nccl.a \
    lib/pkgconfig/ringsim.pc lib/pkgconfig/ringsim_nccl.pc \
    share/man/man1/ringsim.1 share/man/man5/ringsim-sched.5 share/man/man5/ringsim-machine.5 share/ringsim/assets/machines/dgx-h100.machine share/man/man5/ringsim-trace.5 \
    share/applications/ringsim.desktop share/icons/hicolor/scalable/apps/ringsim.svg share/zsh/site-functions/_ringsim; do
    [ -s "$root/opt/ring/$file" ]
    say $? "installed: $file"
done
for po in assets/po/*.po; do
    [ -e "$po" ] && command -v msgfmt >/dev/null || continue
    language=$(basename "$po" .po)
    [ -s "$root/opt/ring/share/locale/$language/LC_MESSAGES/ringsim.mo" ]
    say $? "installed: the language $language"
done
if [ -e "$SCRATCH/build/ringsim-window.so" ]; then
    cmp -s "$SCRATCH/build/ringsim-window.so" "$root/opt/ring/lib/ringsim/ringsim-window.so"
    say $? "installed: the window"
else
    [ ! -e "$root/opt/ring/lib/ringsim" ]
    say $? "installed: no window, since this build has none"
fi
if "$root/opt/ring/bin/ringsim" --version >"$SCRATCH/version" 2>&1; then
    grep -q "$(sed -n 's/^Version: //p' "$root/opt/ring/lib/pkgconfig/ringsim.pc")" "$SCRATCH/version"
    say $? "the installed program runs, and is of pkg-config's version"
else
    say 1 "the installed program runs"
fi
# What a shell completes is what the program's help names.
complete() { # WORDS...
    bash -c '. "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ringsim "$1"; echo "${COMPREPLY[@]}"' \
        "$root/opt/ring/share/bash-completion/completions/ringsim" "$root/opt/ring/bin/ringsim" "$@"
}
if command -v bash >/dev/null; then
    [ "$(complete gr)" = grade ] && [ "$(complete check --int)" = --interpret ] && [ "$(complete --theme d)" = dark ] &&
        [ "$(complete run --no-such)" = '' ]
    say $? "bash completes commands, options and their words"
fi
# The programs of the libraries' READMEs, built as it says there; their output is what stands there.
example() { # README NAME PACKAGE LIBRARIES
    awk '/^```c$/ { on = 1; next } /^```$/ { on = 0 } on' "$1" >"$SCRATCH/$2.c"
    awk -v name="$2" '/^```$/ { on = 0 } on; index($0, "$ cc " name ".c") == 1 { on = 1 }' "$1" >"$SCRATCH/promised"
    if command -v pkg-config >/dev/null; then
        flags=$(PKG_CONFIG_PATH="$root/opt/ring/lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root" pkg-config --cflags --libs "$3")
    else
        flags="-I$root/opt/ring/include -L$root/opt/ring/lib $4"
    fi
    # shellcheck disable=SC2086 # flags are words
    "${CC:-cc}" -std=c17 -Wall -Wextra -Werror "$SCRATCH/$2.c" -o "$SCRATCH/$2" $flags &&
        "$SCRATCH/$2" >"$SCRATCH/printed"
    say $? "$1: its program builds against the installed library, and runs"
    [ -s "$SCRATCH/promised" ] && diff "$SCRATCH/promised" "$SCRATCH/printed"
    say $? "$1: it prints what stands there"
}
example sim/README.md chain ringsim '-lringsim -lm'
example nccl/README.md box ringsim_nccl "$(sed -n 's/^Libs: [^ ]* //p' "$root/opt/ring/lib/pkgconfig/ringsim_nccl.pc") -lringsim -lm"

run_make B="$SCRATCH/build" uninstall && [ -z "$(find "$root" -type f)" ] &&
    [ ! -e "$root/opt/ring/lib/ringsim" ]
say $? "make uninstall leaves no file behind, nor a folder of ours"
[ $failed = 0 ] || cat "$SCRATCH/make.log"
exit $failed
