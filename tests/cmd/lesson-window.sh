#!/bin/sh
# lesson-window.sh: a lesson in a real window, on an X server of its own, by keys and by clicks, and as a
# picture: the window's title tells where the reader is; what he did is kept.
. tests/tools/command-test
skip() {
    echo "ok a lesson in the window # skip: $1"
    exit $failed
}
XDG_DATA_HOME=$SCRATCH/data
export XDG_DATA_HOME
progress=$XDG_DATA_HOME/ringsim/progress
unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER RINGSIM_REDUCED_MOTION
[ -e "${BUILD:?}/ringsim-window.so" ] || skip "this build has no window"
"$ringsim" lesson 5 --json >out 2>err
[ $? != 3 ] || skip "built without md4c"

# ---------------------------------------------------------------- pictures
for kind in png svg pdf; do
    "$ringsim" lesson 5 --export a.$kind --at 4 >out 2>err && [ -s a.$kind ] && [ ! -s out ] && [ ! -s err ] &&
        "$ringsim" lesson 5 --export b.$kind --at 4 && cmp -s a.$kind b.$kind
    report $? "--export: a stop as $kind, the same each time"
done
for words in '--at 99' '--at x' '--size 10x10'; do
    # shellcheck disable=SC2086
    "$ringsim" lesson 5 --export c.png $words >out 2>err
    [ $? = 2 ] && [ "$(wc -l <err)" = 1 ] && [ ! -e c.png ]
    report $? "refused: lesson 5 --export c.png $words"
done
"$ringsim" lesson 5 --export all.pdf >out 2>err && "$ringsim" lesson 5 --export one.pdf --at 4 >>out 2>>err && [ ! -s out ] && [ ! -s err ]
report $? "a lesson as a PDF"
if grep -aq '/Count ' all.pdf; then
    stops=$("$ringsim" lesson --json | sed 's/.*"number":5,[^}]*"stops":\([0-9]*\).*/\1/')
    grep -aq "/Count $stops\$" all.pdf && grep -aq '/Count 1$' one.pdf
    report $? "has a page for each of its $stops stops, and one with --at"
else
    echo "ok a page for each stop # skip: this cairo packs what counts them"
fi
rm -f all.pdf one.pdf
denies 2 "--export: a lesson's picture is a PNG, SVG or PDF of the window" lesson 5 --export x.svg --view text
# In class a picture is of a stop, large: of the prediction for its answer, which is revealed there.
pages=$("$ringsim" lesson 5 --json | sed 's/.*"pages":\[//; s/"questions":.*//' | grep -o '"title"' | wc -l)
for quiz in 1 $((3 + pages)) $((4 + pages)) $((5 + pages)); do "$ringsim" lesson 5 --class --at "$quiz" --export "quiz$quiz.svg"; done
"$ringsim" lesson 5 --class --at 2 --export class.svg >out 2>err && [ ! -s err ] && cmp -s class.svg quiz1.svg
report $? "the prediction's answer in class is the prediction"
"$ringsim" lesson 5 --class --at 5 --export class.svg >out 2>err && [ ! -s err ] && [ "$(wc -c <class.svg)" -gt "$(wc -c <quiz1.svg)" ]
report $? "a page of the story is a page, beside its run"
[ "$(cat quiz*.svg | sort -u | wc -l)" -gt 4 ] && ! cmp -s quiz1.svg quiz$((3 + pages)).svg && ! cmp -s quiz$((4 + pages)).svg quiz$((5 + pages)).svg
report $? "each quiz has its picture"
# A page stands beside what it shows, else alone.
cp -R "$OLDPWD/lessons" other
opened() { # NAME COMMAND: of the last page; no other page has one that shows anything
    awk -v last="$2" '/^\$ ringsim -/ { $0 = ++n < 5 ? "$ ringsim list" : "$ ringsim " last } { print }' "$OLDPWD/lessons/05-scatter-reduce/en.md" >other/05-scatter-reduce/en.md
    RINGSIM_LESSONS=other "$ringsim" lesson 5 --export "$1.svg" --at 7 >out 2>err && [ ! -s err ]
}
opened bare list && opened six '--gpus 6' && [ "$(wc -c <bare.svg)" -lt "$(wc -c <six.svg)" ]
report $? "a page that shows no run stands alone"
for lesson in $("$ringsim" lesson | awk '$1 ~ /^[0-9]+$/ { print $1 }'); do
    "$ringsim" lesson "$lesson" --export all.png --at 8 >out 2>err && [ ! -s err ] || { report 1 "lesson $lesson has a picture" && cat err; }
done
report 0 "every lesson has a picture"
[ ! -e "$progress" ]
report $? "a picture is no progress"
"$ringsim" lesson 5 --view window >out 2>err
[ $? = 3 ] && [ "$(wc -l <err)" = 1 ]
report $? "--view window without a display is one line, exit 3"

# ---------------------------------------------------------------- a window
for tool in Xvfb xdotool; do
    command -v $tool >/dev/null 2>&1 || skip "$tool is missing"
done
Xvfb -displayfd 3 -screen 0 1280x720x24 -nolisten tcp -noreset 3>number >xvfb.log 2>&1 &
server=$! program=
trap '[ -n "$program" ] && kill $program 2>/dev/null; kill $server 2>/dev/null' EXIT
wait_until() {
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 200 ] || return 1
        sleep 0.05
    done
}
wait_until test -s number || skip "Xvfb does not start"
DISPLAY=:$(cat number)
export DISPLAY
find_window() { window=$(xdotool search --onlyvisible --pid $program 2>/dev/null | tail -n 1) && [ -n "$window" ]; }
open_lesson() { # LESSON
    "$ringsim" lesson "$1" --view window --size 1280x720 --reduced-motion >out 2>err </dev/null &
    program=$!
    wait_until find_window || {
        report 1 "a window opens"
        cat err
        exit 1
    }
    xdotool windowfocus --sync "$window"
}
says() { xdotool getwindowname "$window" | grep -qF -e "$1"; }
wants() { # TITLE WHAT
    wait_until says "$1"
    good=$?
    [ $good = 0 ] || xdotool getwindowname "$window"
    report $good "$2"
}
key() { xdotool key --window 0 "$@"; }
click() { xdotool mousemove --window "$window" "$1" "$2" click 1; }
gone() { ! kill -0 $program 2>/dev/null; }

open_lesson 5
wants 'ringsim: lesson 5, start' "a lesson opens at its start"
key Right
wants 'lesson 5, prediction' "Right reads on where nothing can be stepped"
key Next Return
sleep 0.3
wants 'lesson 5, prediction' "nothing goes on without a prediction"
key c
wants 'prediction, c chosen' "a letter chooses"
key Return
wants "lesson 5, the prediction's answer, c chosen" "Enter commits"
click 1225 685
wants 'lesson 5, page 1 of' "Next reads on, and the ring is there"
wants ' - ring, 5 GPUs - step 0 of 0..7, done' "and the page shows its step"
key Right
wants ' - ring, 5 GPUs - step 1 of 0..7, done' "Right steps the animation"
key Next
wants 'lesson 5, page 2 of' "PgDn reads on"
click 55 685
wants 'page 1 of' "Back reads back"
key l
if wait_until test -e "$BUILD/locale/zh_CN/LC_MESSAGES/ringsim.mo"; then
    wants '第 5 课，第 1/' "l: the lesson in Chinese, at its place"
    key l
    wants 'lesson 5, page 1 of' "and back"
fi
key q
wait_until gone
wait $program
report $? "q leaves"
grep -q '^05 3 4 [0-9]* c ' "$progress"
report $? "the place, the furthest one and the prediction are kept"
open_lesson 5
wants 'lesson 5, page 1 of' "who comes back goes on where he was"
key q
wait_until gone || kill $program

open_lesson 2
wants 'ringsim: lesson 2, start' "a lesson about what is no collective"
key Next c Return
wants "the prediction's answer, c chosen" "its prediction is committed"
key Next
wants 'lesson 2, page 1 of' "it is read on"
wants ' - Who sees which sample - end, GPU 0' "and what the page's command has printed is shown whole"
key Home Right Down
wants ' - Who sees which sample - step 0 of 0..2, done, GPU 1' "it is stepped through, and a GPU followed"
key Next Next
wants ' - Who sees which sample, shuffled - end, GPU 1' "another page tells another story"
key q
wait_until gone || kill $program
program=
exit $failed
