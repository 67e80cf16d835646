#!/bin/sh
# story.sh: what is no collective is shown as a run is: views, pictures, films, the terminal's keys. The
# sampler stands for all that tell a story.
. tests/tools/command-test
unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER NO_COLOR
run() { "$ringsim" sampler --dataset 10 --gpus 4 --shuffle "$@" >out 2>err </dev/null; }

run --view text --step && grep -q '^Step 2 of 0..2' out && grep -q '^GPU 3  5  8' out && [ ! -s err ]
report $? "as text: each moment with its grids"
grep -q '< new' out
report $? "... and what the marks mean"
run --view none && [ ! -s out ]
report $? "--view none shows nothing"
run --view text --json
[ $? -eq 2 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ]
report $? "--json and a view: one line, exit 2"
run --view none --at 9
[ $? -eq 2 ] && grep -q -- '--at 9: the steps are 0..2' err
report $? "a step that is not there is named"
run --view none --at 1 --export nowhere/a.svg
[ $? -eq 2 ] && [ "$(wc -l <err)" -eq 1 ]
report $? "a picture that cannot be written is known at once"
run --view text --at 1 --export characters.svg && grep -q '<svg ' characters.svg && grep -q 'Who' characters.svg
report $? "--view text --export FILE.svg is the terminal's picture"
run --view terminal
[ $? -eq 3 ] && [ "$(wc -l <err)" -eq 1 ]
report $? "--view terminal without one: one line, exit 3"

if [ ! -e "${BUILD:?}/ringsim-window.so" ]; then
    echo "ok pictures # skip: this build has no window"
else
    run --view none --at 1 --export a.svg && run --view none --at 1 --export b.svg && cmp -s a.svg b.svg && [ -s a.svg ]
    report $? "the same moment gives the same picture"
    run --view none --at 2 --export c.svg && ! cmp -s a.svg c.svg
    report $? "another moment another"
    run --view none --export a.pdf && [ "$(head -c 5 a.pdf)" = %PDF- ]
    report $? "all moments on sheets"
    if command -v ffmpeg >/dev/null 2>&1; then
        run --view none --export a.gif --size 320x240 --speed 8 && [ "$(head -c 4 a.gif)" = GIF8 ]
        report $? "a film"
    else
        echo "ok a film # skip: ffmpeg is missing"
    fi
fi

if ! command -v tmux >/dev/null 2>&1 || "$ringsim" doctor 2>/dev/null | grep -q "walk-through is plain text"; then
    echo "ok keys on the terminal # skip: tmux or ncurses is missing"
    exit $failed
fi
unset TMUX LC_ALL LC_CTYPE
LANG=C.UTF-8 export LANG
mux() { tmux -S t -f /dev/null "$@" 2>/dev/null; }
trap 'mux kill-server' EXIT
wait_for() { # TEXT WHAT: up to 10 s until the terminal shows it
    tries=0
    until mux capture-pane -p | grep -qF -e "$1" || [ $tries -gt 100 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    [ $tries -le 100 ]
    report $? "$2"
}
mux new-session -d -x 80 -y 24 "'$ringsim' sampler --dataset 10 --gpus 4 --shuffle --view terminal --step; echo left; sleep 60"
wait_for 'start (3 steps)' "the terminal shows the start"
mux send-keys Right Right
wait_for 'step 1 of 0..2' "... and walks by keys"
mux send-keys v v v
wait_for '9    |' "... shows one part alone"
mux send-keys q
wait_for 'left' "... and is left by q"
exit $failed
