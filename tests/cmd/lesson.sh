#!/bin/sh
# lesson.sh: the course on a pipe and on a terminal: gated prediction, progress, --reset, class, GIFT.
. tests/tools/command-test
XDG_DATA_HOME=$SCRATCH/data
export XDG_DATA_HOME
progress=$XDG_DATA_HOME/ringsim/progress
"$ringsim" lesson 5 >out 2>err </dev/null
if [ $? = 3 ] && grep -q 'without Markdown' err; then
    echo "ok the course # skip: built without md4c"
    exit 0
fi

# ---------------------------------------------------------------- on a pipe
wants 0 '   5  Scatter-reduce' lesson
wants 0 "To begin with: $ringsim lesson 1" lesson
for id in 5 05 05-scatter-reduce scatter-reduce; do wants 0 '5. Scatter-reduce' lesson $id; done
wants 2 "there is no lesson '99'" lesson 99
wants 2 'did you mean scatter-reduce?' lesson scater-reduce
wants 2 'one lesson at a time' lesson 5 6
wants 2 'one of them' lesson 5 --json --reset
wants 2 '--key wants' lesson 5 --key
wants 2 '--class wants' lesson --class
"$ringsim" lesson 5 >out </dev/null
answers=$(grep -n '^Answers$' out | cut -d: -f1)
head -n "$answers" out >front && ! grep -q 'What has just arrived is chunk 1' front &&
    grep -q 'What has just arrived is chunk 1' out
report $? "on a pipe the answers stand at the end"
# The letters of what is wrong, and of the right ones, in the order of the texts.
bad=
for text in "$OLDPWD"/lessons/[0-9]*/en.md; do
    sed -n '/^<details>/,/^<\/details>/s/^\(- \)\{0,1\}\**\([a-e])\)\**.*/\1\2/p' "$text" >wanted
    "$ringsim" lesson "$(basename "${text%/en.md}")" </dev/null |
        sed -n '/^Answers$/,$s/^\(- \)\{0,1\}\([a-e])\) .*/\1\2/p' | cmp -s - wanted && [ -s wanted ] || bad="$bad $text"
done
[ -z "$bad" ]
report $? "the answers tell of every choice why it is right or wrong$bad"
# Titles stand alone; what was asked before it does not follow at once.
sed -n 's/^##* //p' "$OLDPWD/lessons/05-scatter-reduce/en.md" >titles && echo Answers >>titles
awk 'NR == FNR { title[$0] = 1; next } FNR > 1 && title[last] && $0 != "" { bad = 1 }
     FNR > 1 && title[$0] && last != "" { bad = 1 } $0 == "Answers" && before != "" { bad = 1 }
     { before = last; last = $0 } END { exit bad }' titles out
report $? "on a pipe titles stand between empty lines"
! grep -q "$(printf '\033')" out && awk '!/^ / && length($0) > 84 { print; bad = 1 } END { exit bad }' out
report $? "on a pipe there are no escapes, and lines are short"
[ ! -e "$progress" ]
report $? "what is printed on a pipe is no progress"
if "$ringsim" doctor | grep -q 'gettext *yes' && "$ringsim" lesson --lang zh_CN >out 2>err; then
    grep -q '散射归约' out
    report $? "the table of contents speaks Chinese"
    "$ringsim" --lang zh_CN lesson | cmp -s - out
    report $? "--lang may stand before the command"
    "$ringsim" lesson 5 --lang zh_CN >out && grep -q '^预测$' out
    report $? "the lesson speaks Chinese"
fi

# ---------------------------------------------------------------- a lesson that somebody changed
cp -R "$OLDPWD/lessons" changed && printf '\033]0;obey\007\n' >>changed/05-scatter-reduce/en.md
RINGSIM_LESSONS=changed wants 2 ': a control character; take it out' lesson 5
# the table of contents names it, in its place, and tells of all others as before
RINGSIM_LESSONS=changed "$ringsim" lesson >out 2>err && "$ringsim" lesson >plain && [ ! -s err ] &&
    grep -v '^ *5 ' plain >others && grep -v '^ *5 ' out | cmp -s - others &&
    [ "$(grep -n '^ *5 ' plain | cut -d : -f 1)" = "$(grep -n '^   5  ' out | cut -d : -f 1)" ] &&
    grep -qE '^   5  .*/?05-scatter-reduce/en.md:[0-9]+: a control character; take it out$' out
report $? "the table of contents says what is wrong with one, and lists the rest"
# a pipe is no text, and nobody waits for one
rm changed/05-scatter-reduce/en.md && mkfifo changed/05-scatter-reduce/en.md
RINGSIM_LESSONS=changed wants 2 'there is no lesson' lesson 5

# ---------------------------------------------------------------- as data
"$ringsim" lesson 5 --json >out && grep -q '"schema":"ringsim.lesson/1"' out && ! grep -q '"answer"' out
report $? "--json holds no answer"
"$ringsim" lesson 5 --json --key >out && grep -q '"answer":"b"' out
report $? "--json --key holds them"
if command -v python3 >/dev/null 2>&1; then
    "$ringsim" lesson --json >all && python3 -m json.tool all >parsed && python3 -m json.tool out >parsed
    report $? "both are JSON"
else
    echo "ok both are JSON # skip: no python3"
fi
# The head of each is what the text's first lines say, alone and in the list, in the order of the course.
bad=
: >heads
for text in "$OLDPWD"/lessons/[0-9]*/en.md; do
    name=$(basename "${text%/en.md}")
    head=$(sed -n "s/^# \\([0-9]*\\)\\. \\(.*\\)/\"number\":\\1,\"name\":\"$name\",\"title\":\"\\2\",\"language\":\"en\"/p" "$text")
    head=$head$(sed -n '/^## Minutes/,/^[0-9]/s/^[0-9][0-9]*$/,"minutes":&/p' "$text")
    question=$(sed -n '3s/^\*\(.*\)\*$/,"question":"\1"/p' "$text")
    "$ringsim" lesson "$name" --json | grep -qF "{\"schema\":\"ringsim.lesson/1\",$head$question" || bad="$bad $name"
    printf '%s\n' "$head" >>heads
done
"$ringsim" lesson --json | sed 's/},{/\n/g; s/{"number"/\n"number"/' | sed -n 's/^\("number".*"minutes":[0-9]*\),"stops":[1-9][0-9]*,"at":0,"furthest":0.*/\1/p' | cmp - heads || bad="$bad list"
[ -z "$bad" ]
report $? "--json: number, name, title, minutes and question are the text's$bad"
spare=$("$ringsim" lesson --json | sed 's/{"number"/\n&/g' | sed -n 's/^{"number":[156],.*"minutes":\([0-9]*\),"stops":\([0-9]*\).*/\1 \2/p' |
    awk '{ minutes += $1; keys += $2 + 2 * 4 } END { if (minutes <= 52) print minutes * 60 - 10 * keys - 20 * 60 }')
[ "$(cat "$OLDPWD"/lessons/0[156]-*/en.md | wc -w)" -le $((spare * 230 / 60)) ]
report $? "the ring in an hour takes what its lessons say: 230 words a minute, 10 s a key, 20 minutes of coding"
"$ringsim" lesson --gift quiz.gift && [ "$(grep -c '^}$' quiz.gift)" = "$(grep -c '^::' quiz.gift)" ] &&
    [ "$(grep -c '^=' quiz.gift)" = "$(grep -c '^::' quiz.gift)" ]
report $? "--gift: each question has one right answer and ends"
# Whatever stands bare in a text would be Moodle's: answers and feedback hold only escaped signs.
sed -n 's/^[=~]//p' quiz.gift | sed 's/\\[~=#{}:\\n]//g' | awk '{ n = gsub(/#/, "#") } n != 1 || /[~={}:\\]/ { print; bad = 1 } END { exit bad }'
report $? "--gift: ~ = # { } : are escaped in answers"
sed -n 's/^::[^:]*::\[plain\]\(.*\) {$/\1/p' quiz.gift >texts
[ -s texts ] && sed 's/\\[~=#{}:\\n]//g' texts | awk '/[~=#{}:\\]/ { print; bad = 1 } END { exit bad }'
report $? "--gift: and in questions"
! grep -qE '^[=~](- )?[a-e]\)|::\[plain\](- )?[0-9]+\.' quiz.gift
report $? "--gift: letters and numbers are Moodle's"

# ---------------------------------------------------------------- before a class
if "$ringsim" lesson 5 --export stop.png --at 1 >out 2>&1; then
    "$ringsim" lesson 5 --class --export class.png --at 1 && [ -s class.png ] && ! cmp -s stop.png class.png
    report $? "--class: the picture of a quiz is larger"
fi
printf 'a 3 b 12 c 5\na1, b 17 c:2\nx\nr\n\nq\n' | "$ringsim" lesson 5 --class >out 2>err
report $? "--class ends well"
# 24 signs are all hands, 39 columns a vote; 3 + 12 + 5 hands, then 1 + 17 + 2.
grep '^ [ *][a-d] .* %  ' out | awk '
    {
        n = gsub(/#/, "#")
        votes = gsub(/ %/, " %")
        hands1 = substr($0, 4, 5) + 0
        hands2 = votes == 2 ? substr($0, 43, 5) + 0 : 0
        wanted = int((24 * hands1 + 10) / 20) + int((24 * hands2 + 10) / 20)
        if (n != wanted || length($0) != 3 + 39 * votes) { print; bad = 1 }
        rows++
    }
    END { exit bad || rows != 12 }'
report $? "--class: bars are as long as hands are many, one column below the other"
printf 'a 1 b 59\nr\na\n\n\nq\n' | "$ringsim" lesson 5 --class >out2
grep -q '^  a    1   2 %  # ' out2 && grep -q 'Not a:' out2 && grep -q 'a letter: what misleads' out2
report $? "--class: one of sixty is seen; once revealed, a letter says what misleads to that choice"
[ "$(grep -c 'Enter next, q quit' out2)" -ge 5 ] && grep -q 'All in the same direction' out2
report $? "--class: Enter goes on to the story"
printf 'a 0 b 3\nq\n' | "$ringsim" lesson 5 --class | grep -q '^  b    3 100 %'
report $? "--class: nobody is a count, too"
# Bold type is for a terminal that knows it and a reader who wants it.
escapes() { # VARIABLES: whether a class's quiz on a terminal has escape sequences
    printf 'q\n' | env -u NO_COLOR -u DISPLAY -u WAYLAND_DISPLAY "$@" timeout 60 \
        script -qec "'$ringsim' lesson 5 --class" /dev/null 2>err | grep -q "$(printf '\033')\["
}
printf 'q\n' | env -u NO_COLOR TERM=xterm "$ringsim" lesson 5 --class >piped 2>err &&
    grep -q . piped && ! grep -q "$(printf '\033')" piped
report $? "--class on a pipe has no escape sequences"
if script -qec true /dev/null </dev/null >plain 2>&1; then
    escapes TERM=xterm && ! escapes TERM=dumb && ! escapes TERM=xterm NO_COLOR=1
    report $? "--class: on a terminal it has, unless that is dumb or nobody wants them"
fi
for line in 'a 0 b 0' 'a -1 b 3' 'e 4' 'a' '3' 'a 10001' 'a 1 x'; do
    printf '%s\nq\n' "$line" | "$ringsim" lesson 5 --class | grep -q 'not understood; letters a to d' || echo "$line"
done >taken
[ ! -s taken ]
report $? "--class: what is no vote is asked for once more $(cat taken)"
# As many choices as there may be: each has its share of the hands.
cp -R "$OLDPWD/lessons" five && sed 's/^- c) chunk 3.*/&\n- d) chunk 4\n- e) chunk 0/; s/^- c) That is what it sent.*/&\n- d) No.\n- e) No./' \
    "$OLDPWD/tests/data/lesson.md" >five/05-scatter-reduce/en.md
for hands in '1 2 3 4 5' '0 0 0 0 9' '7 0 0 1 0' '100 200 300 400 1000'; do
    # shellcheck disable=SC2086
    printf 'a %s b %s c %s d %s e %s\nr\nq\n' $hands | RINGSIM_LESSONS=five "$ringsim" lesson 5 --class |
        sed -n 's/^ [ *][a-e] *\([0-9]*\) *\([0-9]*\) % .*/\1 \2/p' | head -n 5 |
        awk -v hands="$hands" '
            BEGIN { n = split(hands, wanted); for (i = 1; i <= n; i++) sum += wanted[i] }
            $1 != wanted[NR] || $2 != int((100 * wanted[NR] + int(sum / 2)) / sum) { bad = 1 }
            END { exit bad || NR != 5 }' || echo "$hands"
done >taken
[ ! -s taken ]
report $? "--class: of five choices each has its share of the hands $(cat taken)"
grep -q '^  b   12  60 %' out && grep -q '^ \*b   12  60 % .*   17  85 %' out
report $? "--class: the second vote stands beside the first, and the right one is marked"
awk '/What has just arrived is chunk 1/ { told = NR } /not understood/ { asked = NR } END { exit !(told > asked && asked) }' out
report $? "--class: nothing is told before it is asked for"

# ---------------------------------------------------------------- progress that is not ours
mkdir -p "$XDG_DATA_HOME/ringsim"
for text in 'a diary' 'ringsim progress 1
05 99 99 13 a -' 'ringsim progress 2'; do
    printf '%s\n' "$text" >"$progress"
    cp "$progress" kept
    "$ringsim" lesson >out 2>err && [ "$(wc -l <err)" -eq 1 ] && grep -q 'left alone' err && cmp -s "$progress" kept
    report $? "a foreign file of progress gets one line: $(echo "$text" | tail -n 1)"
    wants 2 'left alone' lesson --reset
    cmp -s "$progress" kept
    report $? "and --reset leaves it alone"
done
rm "$progress"
mkdir "$progress"
"$ringsim" lesson >out 2>err && [ "$(wc -l <err)" -eq 1 ]
report $? "a folder in its place gets one line"
rmdir "$progress"

# ---------------------------------------------------------------- on a terminal
command -v tmux >/dev/null 2>&1 || {
    echo "ok the lesson on a terminal # skip: tmux is missing"
    exit $failed
}
number=0
mux() { tmux -S "t$number" -f /dev/null "$@" 2>/dev/null; }
trap 'mux kill-server' EXIT
unset TMUX LC_CTYPE NO_COLOR 2>/dev/null || true
LC_ALL=C.UTF-8
open_terminal() { # W H WORDS [VARIABLE=VALUE]
    mux kill-server
    number=$((number + 1))
    cat >run.sh <<END
trap : INT
stty -a | sed "s/rows [0-9]*; columns [0-9]*;//" >before
${4:-} '$ringsim' $3
echo "ended \$?"
stty -a | sed "s/rows [0-9]*; columns [0-9]*;//" >after
echo the shell is back
sleep 60
END
    mux new-session -d -x "$1" -y "$2" "sh run.sh"
}
shown() { mux capture-pane -p; }
press() { for key in "$@"; do mux send-keys "$key"; done; }
wait_for() { # TEXT WHAT
    tries=0
    until shown | grep -qF -e "$1"; do
        tries=$((tries + 1))
        if [ $tries -gt 150 ]; then
            report 1 "$2: no '$1'"
            shown | sed 's/^/    /'
            return
        fi
        sleep 0.1
    done
    report 0 "$2"
}
restored() { # WHAT
    wait_for "the shell is back" "$1"
    cmp -s before after
    report $? "$1: the terminal is as it was"
}
hidden() { # TEXT WHAT
    ! shown | grep -qF -e "$1"
    report $? "$2"
}

open_terminal 80 24 'lesson 5'
wait_for 'Which chunk do I send now?' "a lesson begins with its question"
press Enter
wait_for 'a letter, then Enter commits it' "then it asks for a prediction"
press Enter
wait_for 'First your prediction' "without one it does not go on"
hidden 'What has just arrived' "and tells nothing"
press c
wait_for 'You say c.' "a letter chooses"
hidden 'Chunk numbers go' "but tells nothing before it is committed"
press a Enter
wait_for 'Not a:' "committed, it tells what misleads"
wait_for 'What has just arrived is chunk 1' "and what is right"
press Enter
wait_for 'page 1 of' "then comes the story"
if ! "$ringsim" doctor | grep -q 'walk-through is plain text'; then
    press s
    wait_for 'step 0 of' "s steps through the page's scene"
    press s
    wait_for 'Saved ringsim-step-0.svg' "a picture of it can be saved"
    [ -s ringsim-step-0.svg ] && [ ! -e "$OLDPWD/lessons/05-scatter-reduce/ringsim-step-0.svg" ]
    report $? "in the learner's folder, not in the lesson's"
    press q
    wait_for 'page 1 of' "q comes back from it"
fi
press Enter
wait_for 'page 2 of' "Enter goes on"
press BSpace
wait_for 'page 1 of' "Backspace goes back, as in the window"
press q
restored "q quits"
shown | grep -qF 'page 1 of' && shown | grep -qF "What is next: $ringsim lesson 5"
report $? "what was read stays on the screen, as no program of ncurses leaves it, and how to go on"
grep -q '^05 3 4 [0-9]* a -*$' "$progress"
report $? "the place, the furthest place and the prediction are kept"
"$ringsim" lesson >out </dev/null && grep -q 'Scatter-reduce .* page 1 of' out
report $? "the table of contents says where one stands"
printf '05 7 8 10 b a-c 12/20\n06 0 0 1 - --- 18/20\n13 14 14 19 b aaaa 20/20\n' | sed '1i ringsim progress 1' >scores
mkdir -p scored/ringsim && cp scores scored/ringsim/progress
XDG_DATA_HOME=$PWD/scored "$ringsim" lesson >out2 </dev/null
grep -q 'Scatter-reduce .* page 5 of 6 .*[0-3]/3 *12/20$' out2 && grep -q '^ *6 .* 18/20$' out2 &&
    grep -q 'you are at  *right  *lab$' out2 && [ "$(wc -L <out2)" -le 80 ] &&
    [ "$(XDG_DATA_HOME=$PWD/scored LC_ALL=C.UTF-8 "$ringsim" lesson --lang zh_CN </dev/null | LC_ALL=C.UTF-8 wc -L)" -le 80 ]
report $? "it shows the questions answered right and the best points of each lab"
grep -q 'What is next: .* lesson 5$' out2
report $? "and says what is next: what is begun and not read"
stands() { # what is written of the lessons done; prints what is next then
    printf 'ringsim progress 1\n%b' "$1" >scored/ringsim/progress
    XDG_DATA_HOME=$PWD/scored "$ringsim" lesson >out2 </dev/null && [ "$(wc -l <out2)" -le 23 ] &&
        sed -n 's|What is next: [^ ]*ringsim ||p' out2
}
five='05 0 0 1 - --- 20/20\n' six='06 9 9 10 b ---\n' one='01 8 8 9 a ---\n'
[ "$(stands "$one")" = 'lesson 5 (the ring in an hour) or 2 (all)' ] &&
    [ "$(stands "$one$five")" = 'lesson 6 (the ring in an hour) or 2 (all)' ] &&
    [ "$(stands "$one$five$six")" = 'The ring in an hour: done. lesson 2 (what you left out) or 12 (training with DDP)' ] &&
    [ "$(stands "${one}02 8 8 9 a ---\n")" = 'lesson 3' ]
report $? "the ring in an hour is followed to its end, in 23 lines"
! grep -q ' $' out && [ "$(grep -c '^ *[0-9]* .* min  [^ ]' out)" = 1 ]
report $? "and of lessons that nobody has begun it says nothing, not even a blank"

if [ -e "${BUILD:-build}/locale/zh_CN/LC_MESSAGES/ringsim.mo" ] &&
    ! "$ringsim" doctor | grep -q 'walk-through is plain text'; then
    open_terminal 80 24 'lesson 5 --lang zh_CN'
    wait_for '第 1/' "a lesson speaks Chinese"
    press s
    wait_for '第 0 步（0..7）' "and so does what it steps through"
    press q
    wait_for '第 1/' "q comes back from that, too"
    press q
    restored "and quits"
fi

# A page's command finds what lies in the lesson's folder, before what lies in the learner's; else his own.
if ! "$ringsim" doctor | grep -q 'walk-through is plain text'; then
    cp -R "$OLDPWD/lessons" beside && for n in 5 3 6; do "$ringsim" --gpus $n --save $n.sched --view none >out; done
    cp 5.sched "$(echo beside/16-*)/scene-mine.sched" && cp 3.sched scene-mine.sched && cp 6.sched own.sched
    awk '/^\$ ringsim/ { n++; if (n <= 2) $0 = "$ ringsim --algo " (n == 1 ? "scene-mine.sched" : "own.sched --view terminal") } { print }' \
        "$OLDPWD"/lessons/16-*/en.md >en.md && cp en.md "$(echo beside/16-*)"
    "$ringsim" lesson 16 --reset >out 2>&1
    open_terminal 80 24 'lesson 16' "RINGSIM_LESSONS=beside"
    wait_for 'start' "a lesson with files beside it"
    press Enter a Enter
    wait_for 'Not a:' "its prediction is committed"
    press Enter s
    wait_for '5 GPUs' "it runs what lies in the lesson's folder"
    press q
    wait_for 'page 1 of' "and comes back"
    press Enter s
    wait_for '6 GPUs' "which runs what lies in the learner's"
    press q
    wait_for 'any key: back to the lesson' "as anywhere else"
    press Space
    wait_for 'page 2 of' "and comes back, too"
    press q
    restored "and quits"
fi

if ! "$ringsim" doctor | grep -q 'walk-through is plain text'; then
    open_terminal 80 24 'lesson 2'
    wait_for 'Who sees which sample' "a lesson about what is no collective"
    press Enter c Enter
    wait_for 'are dealt like cards' "its prediction is committed"
    press Enter
    wait_for 'page 1 of' "then comes the story"
    press s
    wait_for 'Who sees what' "s steps through what the page's command tells"
    press Right
    wait_for 'Round 1 of 3' "a key a step"
    press q
    wait_for 'page 1 of' "q comes back from it"
    press Right
    wait_for 'Who sees what' "Right steps, too, and turns no page"
    press q
    wait_for 'page 1 of' "and q comes back"
    press q
    restored "and quits"
fi
# A page about a log shows the ring that the log tells.
if ! "$ringsim" doctor | grep -q 'walk-through is plain text'; then
    mkdir -p log/ringsim && printf 'ringsim progress 1\n20 7 7 20 b ---\n' >log/ringsim/progress
    open_terminal 80 24 'lesson 20' "XDG_DATA_HOME=$PWD/log"
    wait_for 'page 4 of' "a page about a log"
    press s
    wait_for '16 GPUs' "s steps through its ring"
    press q
    wait_for 'page 4 of' "and q comes back"
    press q
    restored "and quits"
fi
"$ringsim" lesson 3 --reset
open_terminal 80 24 'lesson 3'
wait_for '| start' "a lesson from its start"
press s
wait_for 'this page has nothing to step through' "where there is no scene s says so"
press Enter
wait_for 'a letter, then Enter commits it' "asks for a prediction"
press Up
wait_for '| start' "the arrow up answers no quiz: it goes back"
press q
restored "and q quits"

open_terminal 80 24 'lesson 5' 'TERM=nobody-knows-it'
wait_for 'page 1 of' "a terminal that terminfo does not know will do"
press Down
wait_for 'page 2 of' "arrow keys and all"
press Up
wait_for 'page 1 of' "in both directions"
press q
restored "and quits"
if [ -d /proc/self ]; then # where nobody makes a folder
    open_terminal 80 24 'lesson 5' XDG_DATA_HOME=/proc
    wait_for "your progress is not kept: cannot write /proc/ringsim/progress: " "who cannot keep his place is told"
    press Enter
    wait_for 'a letter, then Enter commits it' "and reads on"
    hidden 'not kept' "told once"
    press q
    restored "and quits"
fi
"$ringsim" doctor | grep -q 'walk-through is plain text' || {
    open_terminal 80 24 '--gpus 4 --view terminal' 'TERM=nobody-knows-it'
    wait_for 'ended 3' "the walk, which ncurses paints, cannot be shown there"
}

open_terminal 60 15 'lesson 5'
wait_for 'page 1 of' "who comes back goes on there"
wait_for '5. Scatter-reduce' "also on a small terminal"
is_first() { shown | cmp -s - first; }
is_other() { ! is_first && shown | grep -qF 'PgUp back'; }
wait_until() { # WHAT COMMAND: the screen has become so
    tries=0
    until $2 || [ $tries -gt 150 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    $2
    report $? "$1"
}
shown >first
for n in 1 2; do press Enter && wait_until "a page of several screens: Enter $n" is_other && mv first screen$n && shown >first; done
shown | grep -qF 'page 1 of'
report $? "the third screen is the same page's"
for n in 2 1; do mv screen$n first && press PPage && wait_until "page up goes one screen back: $n" is_first; done
mux send-keys C-c
restored "Ctrl-C quits"
stops=$(sed -n 's/^05 [0-9]* [0-9]* \([0-9]*\) .*/\1/p' "$progress")
sed -i.old "s/^05 [0-9]* [0-9]* /05 $((stops - 1)) $((stops - 1)) /" "$progress"
open_terminal 80 99 'lesson 5 --lang en'
wait_for "The next lesson: $ringsim lesson 6 --lang en" "the last page names the lesson that follows"
press Enter
restored "and Enter ends there"
"$ringsim" lesson 6 --reset && grep -q '^05 ' "$progress" && "$ringsim" lesson --reset 05 && ! grep -q '^05 ' "$progress"
report $? "--reset forgets one lesson, and only that"
mux kill-server
exit $failed
