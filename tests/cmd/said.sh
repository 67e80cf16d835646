#!/bin/sh
# said.sh: what chosen commands say, write and answer is what they said: their text, their JSON, CSV and files, each refusal,
# in English and where words differ in Chinese.
#
# Goldens: tests/golden/said/SUBJECT.txt: the commands, and what they say (tools/said). One more is a line `$ command`;
# RINGSIM_UPDATE=1 writes what they say anew: look at the difference then.
top=$(pwd)
. tests/tools/said
. tests/tools/command-test
own_program "$ringsim"
RINGSIM_LESSONS=$top/lessons
export RINGSIM_LESSONS
mkdir inputs
cd inputs || exit 1
take_inputs ringsim "$top"
for golden in "$top"/tests/golden/said/*.txt; do
    if [ "${golden##*/}" = chinese.txt ] && ! ringsim doctor 2>&1 | grep -qE '^  gettext +yes'; then
        echo "ok commands in Chinese say what they said # skip: no gettext"
        continue
    fi
    want_said "$golden"
done

# Each refusal is in the reader's language: a line of ringsim's has a word of it (a name may be English).
if ringsim doctor 2>&1 | grep -qE '^  gettext +yes'; then
    sed -n 's/^\$ //p' "$top/tests/golden/said/refusals.txt" >../refusals
    while IFS= read -r command; do
        LANGUAGE=zh_CN sh -c "$command" </dev/null 2>&1 >/dev/null | grep '^ringsim:' |
            LC_ALL=C grep -v '[^ -~]' | while IFS= read -r line; do echo "$command: $line"; done
    done <../refusals >../english
    [ "$(wc -l <../refusals)" -gt 90 ] && [ ! -s ../english ]
    report $? "each of $(($(wc -l <../refusals))) refusals is said in Chinese, too"
    head -n 20 ../english
fi
exit $failed
