#!/bin/sh
# window-session.sh: a whole session in a real window, on an X server of its own: every click, key and
# drag, each followed by a look at the window's title and at every pixel of it (tests/window/mirror.c).
set -u
mirror=${BUILD:?}/tests/window/mirror
skip() {
    echo "ok a session in a real window # skip: $1"
    exit 0
}
[ -e "$BUILD/ringsim-window.so" ] && [ -x "$mirror" ] || skip "this build has no window"
for tool in Xvfb xdotool; do
    command -v $tool >/dev/null 2>&1 || skip "$tool is missing"
done
failed=0
CATALOGUES=$BUILD/locale
export CATALOGUES
unset WAYLAND_DISPLAY SDL_VIDEODRIVER RINGSIM_REDUCED_MOTION LANGUAGE LC_ALL LC_MESSAGES
LANG=C.UTF-8 export LANG
cd "$SCRATCH" || exit 1
mkdir -p real wanted

# ---- an X server of our own
Xvfb -displayfd 3 -screen 0 1920x1080x24 -nolisten tcp -noreset -nocursor -fbdir "$SCRATCH" 3>number >xvfb.log 2>&1 &
server=$!
window=
trap '[ -n "$window" ] && kill $program 2>/dev/null; kill $server 2>/dev/null' EXIT
report() { # STATUS WHAT
    if [ "$1" -eq 0 ]; then
        echo "ok $2"
    else
        echo "not ok $2"
        failed=1
    fi
}
# Waits up to 10 s for a command to come true.
wait_until() {
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || return 1
        sleep 0.05
    done
}
wait_until test -s number || skip "Xvfb does not start"
DISPLAY=:$(cat number) export DISPLAY

# Opens a window and finds it. TERM and INT shall reach it as they reach a program in a terminal.
find_window() { window=$(xdotool search --onlyvisible --pid $program 2>/dev/null | tail -n 1) && [ -n "$window" ]; }
open_window() { # OPTIONS...
    (cd ${folder:-real} && exec ${as_in_a_terminal:-} "$RINGSIM" --view window "$@" >"$SCRATCH/out" 2>"$SCRATCH/err" </dev/null) &
    program=$!
    wait_until find_window || {
        echo "not ok a window opens: $*"
        sed 's/^/# /' err
        exit 1
    }
    xdotool windowfocus --sync "$window" mousemove --window "$window" 2 2
}
session() { # OPTIONS...; commands on standard input
    open_window "$@"
    (cd wanted && "$mirror" "$SCRATCH/Xvfb_screen0" "$window" "$@") || failed=1
}
ends() { # STATUS WHAT
    wait_until gone || kill $program
    wait $program
    status=$?
    window=
    if [ $status -eq "$1" ] && [ ! -s err ]; then
        echo "ok $2"
    else
        echo "not ok $2: exit $status, not $1"
        sed 's/^/# /' err
        failed=1
    fi
}
gone() { ! kill -0 $program; }


session --gpus 5 --step --speed 4 <<'END'
# time belongs to the reader
title ring, 5 GPUs - start, GPU 0
key Right
title step 0 of 0..7, done
key Next Return
title step 2
key Left
key shift+Right
title step 2 of 0..7, send
key greater
title arrive
key Prior
key bracketright
title step 4
key bracketleft End
title end
key Home
key g 6 Return
title step 6
key Down Tab
title GPU 2
drag timeline 0 0.3
title step 2
wheel -2
title step 3
wheel 1
title step 2
click button next
title step 3
click button back
click button play
title end
click timeline
title step 4
click button home
key plus plus plus plus
key space
title end
hover gpu 3
hover cell 2 1
key question
title help
key Escape
not help

# predict, then see
key Home
click button predict
key Right
title asking
right
title 1 of 1 right
key Right
click choice 0
click choice 0
title of 2 right
key p
not asking

# looks: views, sizes, theme, full screen, language
click button matrix
click button diagram
click button cost
click button rule
hover cell 1 1
hover transfer 3 0 2
resize 1600 900
resize 800 600
resize 320 240
resize 1280 720
key v
key v
click button theme
key f
key f
click button language
key Right
key question
key Escape
key l
key t

# break it, fork it, race it, turn the numbers
key v v Home
click link 1 2
title 1 fault
key u
not fault
key b
title 1 fault
key h
not fault
click gpu 2
title menu of GPU 2
click ill 3 2
title 1 fault
key Escape
not menu
key End
key u
key F
title fork
key w
title 1 fault
key F
key u
key x
title race against
key End
key x
click button numbers
drag slider 0 0.6
not 5 GPUs
drag slider 1 0.3
key slash comma period period

# take it away
key Home
key Right
key s
key s
key S
png ../real/ringsim-step-0.png
END
good=1
for file in ringsim-step-0.png ringsim-step-0-2.png ringsim-step-0.svg; do
    cmp -s real/$file wanted/$file || good=0
done
report $((1 - good)) "pictures by key are what is seen; a second one overwrites nothing"
xdotool key q
ends 0 "q ends it"

# ---- a folder that takes no file; nothing to do costs nothing; Ctrl-C
mkdir real/gone wanted/gone
folder=real/gone open_window --gpus 3 --step
rmdir real/gone
(
    cd wanted/gone && rmdir ../gone
    exec 2>/dev/null # shells complain that they are nowhere
    "$mirror" "$SCRATCH/Xvfb_screen0" "$window" --gpus 3 --step <<'END'
key s
key Right
END
) || failed=1
ticks() { awk '{ print $14 + $15 }' /proc/$program/stat; }
if [ -r /proc/$program/stat ]; then
    sleep 0.3 # the last frame
    before=$(ticks)
    sleep 1
    [ $(($(ticks) - before)) -le 1 ]
    report $? "paused it takes no processor time"
fi
kill -s TERM $program
ends 143 "TERM ends it"
if env --default-signal=INT true 2>/dev/null; then
    as_in_a_terminal="env --default-signal=INT" open_window --gpus 3 --step
    kill -s INT $program
    ends 130 "Ctrl-C ends it"
fi

# ---- nobody sees it: asked for by name, it runs all the same
DISPLAY='' SDL_VIDEODRIVER=dummy "$RINGSIM" --view window --gpus 3 --step >out 2>err </dev/null &
program=$!
sleep 0.5
kill -s TERM $program
ends 143 "SDL's dummy driver, asked for by name, is a window that nobody sees"

# ---- full screen needs a window manager
if command -v openbox >/dev/null 2>&1; then
    openbox >/dev/null 2>&1 &
    manager=$!
    wait_until xdotool get_num_desktops # it is ready
    open_window --gpus 5 --step
    fills() { xdotool getwindowgeometry "$window" | grep -q 1920x1080; }
    stands_alone() { xdotool getwindowgeometry "$window" | grep -q 1280x720; }
    wait_until stands_alone
    xdotool key f
    wait_until fills
    report $? "f fills the screen"
    xdotool key Escape
    wait_until stands_alone
    report $? "Esc leaves it"
    xdotool key q
    ends 0 "q ends it under a window manager"
    kill $manager
else
    echo "ok f fills the screen # skip: openbox is missing"
fi

# ---- the X server dies: Xlib is left where it stands and never called again, so it frees nothing
as_in_a_terminal="env ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0" open_window --gpus 5 --step
kill -s KILL $server
wait $server 2>/dev/null
wait_until gone || kill $program
wait $program
status=$?
window=
[ $status -eq 3 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q "display has gone" err
report $? "a display that goes ends it with one line, exit 3 (here $status: $(head -c 200 err))"
exit $failed
