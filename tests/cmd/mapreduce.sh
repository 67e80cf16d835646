#!/bin/sh
# mapreduce.sh: words counted by many, against sort and uniq; what is refused, and how it can be stopped.
. tests/tools/command-test
mapreduce() { $ringsim mapreduce "$@"; }

mapreduce >first.out
grep -q '^hello  GPU 0  *1 1  2 \*$' first.out && grep -q '^world  GPU 1  *1  1 \*$' first.out
report $? "hello world hello: hello 2, world 1"
grep -q 'the same results' first.out
report $? "the ring's first half gives the same"
for try in 'sum 2' 'count 2' 'max 12' 'min 0'; do
    mapreduce --op "${try% *}" --json | grep -q "\"word\":\"hello\",\"reducer\":0,\"count\":2,\"value\":${try#* }}"
    report $? "--op ${try% *}: hello has ${try#* }"
done
mapreduce --op list --json | grep -q '"word":"hello","reducer":0,"count":2,"value":\[0,12\]}'
report $? "--op list: hello is at 0 and 12"
mapreduce --op min --view text --lang zh_CN >said
grep -q '归约者' said && ! grep -q '分钟' said # as "min" of a clock would be
report $? "--op min: its name is the same in Chinese"
mapreduce --op cuont 2>&1 | grep -q -- '--op cuont: .*count'
report $? "a mistyped operation is answered with the nearest"

# A text of 40,000 words with all kinds of blanks and punctuation, without a last newline.
awk 'BEGIN {
    srand(7)
    for (i = 0; i < 40000; i++) {
        n = int(exp(rand() * 9)); s = sprintf("%c%d%s", 97 + n % 26, n, n % 11 ? "" : ",a-rather-long-word-" n)
        printf "%s%s", s, (i % 9 == 8) ? "\n" : (i % 7 == 6) ? "\t  " : " "
    }
    printf "end"
}' >book.txt
tr -s ' \t\n\v\f\r' '\n' <book.txt | sort | uniq -c | awk '{ print $2 "\t" $1 }' | sort >expected
for n in 1 2 7; do
    mapreduce --text book.txt --gpus $n --output counted >sums.out && cmp -s counted expected
    report $? "a book among $n GPUs: as sort and uniq count"
done
grep -q "words $(wc -w <book.txt), different $(wc -l <expected);" sums.out
report $? "as many words as wc -w finds"
[ "$(sort -t '	' -k 2,2nr -k 1,1 expected | head -n 10 | cut -f 1)" = \
    "$(sed -n '/^The most frequent words/,/^$/p' sums.out | sed 1,2d | awk 'NF { print $1 }')" ]
report $? "the ten most frequent are listed, the most frequent first"
mapreduce --text - --gpus 2 --output - <book.txt | cmp -s - expected
report $? "from a pipe, and onto one"
plain=$(mapreduce --text book.txt --gpus 3 --json | sed 's/.*"bytes_sent":\([0-9]*\),"reduced".*/\1/')
combined=$(mapreduce --text book.txt --gpus 3 --combine --json | sed 's/.*"bytes_sent":\([0-9]*\),"reduced".*/\1/')
[ "$combined" -lt "$plain" ] && mapreduce --text book.txt --gpus 3 --combine --op count --output - | cmp -s - expected
report $? "--combine sends less and counts the same"

printf '\346\225\260\346\215\256 \346\225\260\346\215\256\n\346\225\260\346\215\256\346\225\260\346\215\256' >zh.txt
mapreduce --text zh.txt --output - | grep -q "$(printf '^\346\225\260\346\215\256\t2$')"
report $? "Chinese words are what stands between blanks"
mapreduce --text "$(printf 'a\033[31m b\377')" | grep -q '^GPU 0  a?\[31m 1$'
report $? "what a terminal would obey is not printed"

mapreduce --view text >story.out
grep -q '^Step 2 of 0..5: shuffle' story.out && grep -q '^GPU 1  hello 1, to GPU 0' story.out && grep -q '^GPU 0  hello x2 <' story.out && grep -q '^hello  GPU 0         1 1 +  2 <' story.out
report $? "as a story: pairs, whose they are, what they become"
mapreduce --at 2 | grep -q '^Shuffle, step 1 of 1' && ! mapreduce --at 2 | grep -q '^Map:'
report $? "--at begins in the middle"
mapreduce --at 3 --export story.svg --view none && grep -q '<svg' story.svg
report $? "--export draws a moment"
mapreduce --lang zh_CN --gpus 3 --view text 2>/dev/null | grep -q 'GPU 2 .*hello 1，到 GPU 1' && mapreduce --combine | grep -q '^hello  GPU 0  *1 1  2'
report $? "in Chinese, too; --combine folds before it sends"

# Pairs that do not fit a line are left out: those before them are whole, and in order.
words=$(awk 'BEGIN { for (i = 10; i < 60; i++) printf "w%dabcdefgh%d ", i, i }')
mapreduce --text "$words" --gpus 1 | awk '
    /^The pairs  columns 0..3 of 24$/ { said = 1 }
    /^GPU 0  w10/ && !n {
        n = split($0, pair, /  /)
        bad = length($0) > 80
        for (i = 2; i <= n; i++) if (pair[i] != "w" i + 8 "abcdefgh" i + 8 " 1") bad = 1
    }
    END { exit bad || n != 5 || !said }'
report $? "a line of many pairs says how many there are"

refused() { # STATUS PATTERN ARGUMENTS...
    status=$1 pattern=$2
    shift 2
    mapreduce "$@" >out 2>err
    [ $? -eq "$status" ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -q -e "$pattern" err
    report $? "mapreduce $*: $pattern"
}
refused 2 'there is no such file' --text book.text
refused 2 'directory' --text .
refused 2 '1..1024' --gpus 0
refused 2 '1..1024' --gpus 1025
refused 2 'map-rate' --map-rate fast
refused 2 'takes options only' some words
refused 2 'cannot write' --output no/such/folder
refused 2 'the steps are' --output - --at 99
denies 2 '--text -: nobody types in a text here' mapreduce --text - --export words.html
if command -v python3 >/dev/null; then # what is there and cannot be opened, whoever tries
    python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
    denies 2 'socket: No such device or address' mapreduce --text socket --output words
fi
head -c 70000 /dev/zero | tr '\0' 'x' >long.txt
refused 2 'byte 0: a word of more than 65535 bytes' --text long.txt
truncate -s 67108865 huge.txt
refused 2 'longer than 67108864 bytes' --text huge.txt
refused 2 'longer than 67108864 bytes' --text - <huge.txt
mapreduce --text "" --gpus 3 | grep -q '0 B of text: words 0, different 0'
report $? "no text is a text without words"

# Stopped in the middle: nothing is left behind.
mkfifo pipe
sleep 5 >pipe & # so that the reader waits
holder=$!
"$RINGSIM" mapreduce --text - --output stopped <pipe >out 2>err &
reader=$!
sleep 0.3
kill -TERM $reader
wait $reader 2>/dev/null
status=$?
kill $holder 2>/dev/null
[ $status -ge 128 ] && [ ! -e stopped ] && [ ! -s out ]
report $? "stopped by a signal it leaves nothing behind"
exit $failed
