#!/bin/sh
# lesson-screens.sh: a lesson's pages on terminals of several heights, screen by screen.
. tests/tools/command-test
if ! "$ringsim" lesson 3 >out 2>err </dev/null && grep -q 'without Markdown' err; then
    echo "ok screens of a lesson # skip: built without md4c"
    exit 0
fi
# Whoever stands in the program's folder reads what must be typed there; other texts, and whoever installed it, as ever.
ln -sf "$ringsim" ringsim
./ringsim lesson 5 --lang en --view text </dev/null >here && "$ringsim" lesson 5 --lang en --view text </dev/null >there &&
    [ "$(grep -c '\$ ringsim \|`ringsim ' here)" = 0 ] && [ "$(grep -c '\$ ./ringsim ' there)" = 0 ] &&
    [ "$(grep -c '\$ ./ringsim ' here)" = "$(grep -c '\$ ringsim ' there)" ] && grep -q '\$ ./ringsim --gpus 5 --at 0$' here
report $? "commands stand as they must be typed: ./ringsim"
./ringsim lesson 5 --json >here && "$ringsim" lesson 5 --json >there && cmp -s here there
report $? "but not in what programs read"
if ! script -qec true /dev/null </dev/null >out 2>&1 || ! command -v timeout >out; then
    echo "ok screens of a lesson # skip: no script command"
    exit 0
fi
# Screens of any size show a page's whole text, in order. Each fits, and one that is not the page's last ends between two
# blocks, unless that leaves more than half of it empty for a block that no screen holds. A title stands not alone.
screens() { # ROWS COLUMNS: lines `page text`, and `page end of a screen` behind each
    rm -rf screens
    while sleep 0.005; do printf '\na' || break; done 2>/dev/null |
        env -u DISPLAY -u WAYLAND_DISPLAY XDG_DATA_HOME="$PWD/screens" TERM=xterm \
            timeout 60 script -qec "stty rows $1 cols $2; '$ringsim' lesson 3" /dev/null |
        tr -d '\r' | sed 's/│/|/g' | awk '
            { gsub(/\033\[[0-9;]*m/, "") }
            /^\033\[H\033\[2J/ || sub(/.*\033\[H\033\[2J/, "") { sub(/^\033\[H\033\[2J/, ""); n = 0 }
            { line[++n] = $0 }
            /^3\. .* \| page [0-9]+ of / {
                sub(/.* page /, "")
                page = $1
                for (n -= 2; n > 0 && line[n] == "";) n--
                screen = ""
                for (i = 1; i <= n; i++) screen = screen page " " line[i] "\n"
                if (screen != before) printf "%s%s end of a screen\n", screen, page
                before = screen
            }'
}
# Who goes past a question without an answer is told, once for each.
keys() { # the prediction, then Enter only
    printf '\na\n\n' && while sleep 0.005; do printf '\n' || break; done 2>/dev/null
}
keys | env -u DISPLAY -u WAYLAND_DISPLAY XDG_DATA_HOME="$PWD/passed/by/nobody" TERM=xterm \
    timeout 60 script -qec "stty rows 400 cols 80; '$ringsim' lesson 3" /dev/null >out
questions=$(sed -n 's/.*question [0-9]* of \([0-9]*\).*/\1/p' out | head -n 1)
[ "$(grep -c 'You passed a question' out)" = "$questions" ]
report $? "who passes a question without an answer is told"
[ -s passed/by/nobody/ringsim/progress ] && [ "$(ls -ld passed passed/by passed/by/nobody/ringsim | cut -c 1-10 | sort -u)" = drwx------ ]
report $? "where the reader is is kept, in folders that nobody else reads"
as_one() { # HEIGHT: the screens of this height, laid together, are the whole
    screens 400 60 >whole
    screens $1 60 | awk -v room=$(($1 - 4)) -v width=60 '
        FILENAME == "whole" { if (!/end of a screen$/) text[$1, ++n[$1]] = $0; next }
        / end of a screen$/ {
            n_screens++
            if (rows > room) bad = bad " " $1 ": too long;"
            if (at[$1] < n[$1]) {
                between = text[$1, at[$1] + 1] == $1 " "
                next_rows = 0
                for (i = at[$1] + 1 + between; i <= n[$1] && text[$1, i] != $1 " "; i++)
                    next_rows += 1 + int((length(text[$1, i]) - length($1) - 2) / width)
                if (between && rows + 2 + next_rows <= room) bad = bad " " $1 ": room for more at " rows ";"
                if (between && rows + 2 <= room / 2 && next_rows > room) bad = bad " " $1 ": ends at " rows ";"
                if (!between && gap > 0 && (gap > room / 2 || rows - gap + next_rows <= room)) bad = bad " " $1 ": cut at " rows ";"
            }
            rows = gap = 0
            next
        }
        {
            while (rows == 0 && at[$1] < n[$1] && text[$1, at[$1] + 1] ~ /^[0-9]+  ?$/) at[$1]++
            if (text[$1, ++at[$1]] != $0) bad = bad " " $1 ": another line;"
            rows += 1 + int((length($0) - length($1) - 2) / width)
            if ($0 == $1 " " && at[$1] != 2) gap = rows
        }
        END {
            for (page in n) if (at[page] != n[page]) bad = bad " " page ": not whole;"
            print n_screens bad
            exit bad != "" || n_screens <= 10
        }' whole - >out
}
# Code that is too wide goes on below, broken at a word and further in: no line is left to the terminal.
screens 400 48 >narrow
awk '{ sub(/^[0-9]+ /, ""); if (length($0) > 48) bad = 1 } END { exit bad }' narrow && grep -q . narrow &&
    echo "ok code keeps to the terminal's width" || { echo "not ok code keeps to the terminal's width" && failed=1; }
bad=
# Keys are typed without looking: on a busy machine one may be lost, and with it a screen. A fault of
# the pages shows each time.
for height in 9 12 14 17; do
    as_one $height || as_one $height || as_one $height || bad="$bad $height: $(cat out)"
done
[ -z "$bad" ]
report $? "screens of all sizes show the whole text$bad"
exit $failed
