#!/bin/sh
# The terminal view in a real terminal (tmux): the ring is walked with keys, survives resizing, and
# leaves the terminal as it was on every way out.
set -u
command -v tmux >/dev/null 2>&1 || {
    echo "ok the walk on a terminal # skip: tmux is missing"
    exit 0
}
"$RINGSIM" doctor 2>/dev/null | grep -q "walk-through is plain text" && {
    echo "ok the walk on a terminal # skip: built without ncurses"
    exit 0
}
failed=0
cd "$SCRATCH" || exit 1 # a socket's name must be short
number=0              # a server a terminal: one that is ending does not disturb the next
mux() { tmux -S "t$number" -f /dev/null "$@" 2>/dev/null; }
trap 'mux kill-server' EXIT
unset TMUX LC_ALL LC_CTYPE NO_COLOR 2>/dev/null || true
LANG=C.UTF-8 export LANG

# Opens a shell W x H that notes the terminal's settings, runs a command, notes them again and how it
# ended, and waits.
open_terminal() { # W H COMMAND
    rm -f "$SCRATCH/before" "$SCRATCH/after" "$SCRATCH/status"
    cat >"$SCRATCH/run.sh" <<END
trap : INT QUIT
stty -a | sed "s/rows [0-9]*; columns [0-9]*;//" >"$SCRATCH/before"
$3
echo \$? >"$SCRATCH/status"
stty -a | sed "s/rows [0-9]*; columns [0-9]*;//" >"$SCRATCH/after"
echo the shell is back
sleep 60
END
    mux kill-server
    number=$((number + 1))
    mux new-session -d -x "$1" -y "$2" "sh '$SCRATCH/run.sh'" || return 1
    mux set-option -g status off >/dev/null
    mux set-option -g window-size manual >/dev/null
    mux resize-window -x "$1" -y "$2" >/dev/null
}
shown() { mux capture-pane -p; }
press() { mux send-keys "$@"; }
# Waits up to 10 s until the terminal shows a text.
wait_for() { # TEXT WHAT
    tries=0
    until shown | grep -qF -- "$1"; do
        tries=$((tries + 1))
        if [ $tries -gt 100 ]; then
            echo "not ok $2: no '$1' in"
            shown | sed 's/^/# /'
            failed=1
            return 1
        fi
        sleep 0.1
    done
}
expect_restored() { # STATUS WHAT
    wait_for "the shell is back" "$2" || return
    if ! cmp -s "$SCRATCH/before" "$SCRATCH/after"; then
        echo "not ok $2: stty -a has changed"
        diff "$SCRATCH/before" "$SCRATCH/after" | sed 's/^/# /'
        failed=1
    elif [ "$(cat "$SCRATCH/status")" != "$1" ]; then
        echo "not ok $2: exit $(cat "$SCRATCH/status"), not $1"
        failed=1
    elif [ "$(mux display-message -p '#{alternate_on}#{cursor_flag}')" != 01 ]; then
        echo "not ok $2: still on the alternate screen, or without a cursor"
        failed=1
    else
        echo "ok $2"
    fi
}
running() { mux list-panes -F '#{pane_pid}' | head -n 1; }
signal_child() { # SIGNAL: to the program under the shell
    # cat goes on where a process of somebody else's has just ended; awk would stop there.
    child=$(cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent="$(running)" '$4 == parent { print $1 }' | head -n 1)
    [ -n "$child" ] && kill -s "$1" "$child"
}

open_terminal 80 24 "'$RINGSIM' --gpus 5 --step"
if wait_for "one reducer takes 4.98 times as long" "the first screen"; then echo "ok the first screen"; fi
press Right && wait_for "step 0 of 0..7" "Right goes on"
press NPage && wait_for "GPU 0 sends chunk 4 to GPU 1, which adds it" "PgDn goes on"
press Left && wait_for "step 0 of 0..7" "Left goes back"
press S-Right && wait_for "step 1 of 0..7: send" "Shift+Right shows the sending"
press Down && wait_for "GPU 1 sends chunk 0 to GPU 2" "Down follows another GPU"
press g 6 Enter && wait_for "All-gather, iteration 3 of 4" "g goes to a step"
press End && wait_for "Done: every GPU holds the same result" "End goes to the end"
press Home && wait_for "start (8 steps)" "Home goes to the start"
press '?' && wait_for "Keys 1-22 of " "? shows the keys"
press NPage NPage NPage && wait_for "  quit" "PgDn scrolls them"
press Escape && wait_for "one reducer takes" "Esc closes them"
press p Right && wait_for "And GPU 1?" "p asks"
press 1 Enter && wait_for "of 1 right)" "an answer counts"
press p
press ' ' && wait_for "end (8 steps)" "Space plays to the end"
press Home
mux resize-window -x 40 -y 12 && wait_for "40x12 is small" "a small terminal says so"
mux resize-window -x 20 -y 5 && wait_for "20x5 is small" "a very small one too"
mux resize-window -x 120 -y 40 && wait_for "one reducer takes 4.98 times as long" "a large one shows all"
press k && wait_for "all-reduce never ends" "k lets a GPU die"
press h x && wait_for "One reducer: " "x races"
press f && wait_for "a terminal has the size that you give it" "f says why not"
press q
expect_restored 0 "q quits"

open_terminal 80 24 "'$RINGSIM' --gpus 5 --step --view terminal --compare tree"
wait_for "Tree: " "--compare races in the terminal"
press Right && wait_for "step 0 of 0..7" "both go on"
press q
expect_restored 0 "q quits a race"

open_terminal 80 24 "'$RINGSIM' --gpus 5 --step"
wait_for "q: quit" "Ctrl-C"
press C-c
expect_restored 130 "Ctrl-C ends it"

for signal in TERM:143 HUP:129 SEGV:139 ABRT:134; do
    open_terminal 80 24 "ulimit -c 0; '$RINGSIM' --gpus 5 --step"
    wait_for "q: quit" "SIG${signal%:*}"
    sleep 0.2
    signal_child "${signal%:*}"
    expect_restored "${signal#*:}" "SIG${signal%:*} leaves the terminal as it was"
done

open_terminal 80 24 "LC_ALL=C '$RINGSIM' --gpus 5 --step --lang zh_CN --at 1"
if [ -e "${BUILD:-build}/locale/zh_CN/LC_MESSAGES/ringsim.mo" ]; then
    if wait_for "GPU 0 向 GPU 1 发送块 4" "Chinese"; then echo "ok Chinese under LC_ALL=C"; fi
    press q
    expect_restored 0 "q quits in Chinese"
else
    echo "ok Chinese under LC_ALL=C # skip: gettext is missing"
fi

open_terminal 80 24 "LC_ALL=C NO_COLOR=1 '$RINGSIM' --gpus 5 --step --at 1"
wait_for "GPU 0 ----c4 50005 +----> GPU 1" "ASCII" && {
    if mux capture-pane -pe | grep -q '\[[0-9;]*\(3[0-7]\|38\)[;m]'; then
        echo "not ok NO_COLOR: colours in the output"
        failed=1
    else
        echo "ok ASCII signs under LC_ALL=C, and no colours with NO_COLOR"
    fi
}
press q

open_terminal 80 24 "TERM=dumb '$RINGSIM' --gpus 3 --step"
expect_restored 0 "TERM=dumb tells the story as text"

"$RINGSIM" --gpus 3 --step </dev/null | grep -q "^Step 3 of 0..3$" && ! "$RINGSIM" --gpus 3 | grep -q "$(printf '\033')" &&
    echo "ok a pipe gets the story as text" || { echo "not ok a pipe gets the story as text" && failed=1; }
exit $failed
