#!/bin/sh
# cli-compare.sh: compare as table, CSV, JSON and plot.
. tests/tools/command-test
refused() { # TEXT WORDS...
    says=$1
    shift
    $ringsim compare "$@" >out 2>err
    [ $? -eq 2 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && grep -F -q -e "$says" err
    report $? "refused: compare $*"
}

$ringsim compare >table && grep -q '1GiB' table && grep -q '1KiB' table && grep -q 'private wire' table
report $? "without sizes it sweeps 1KiB..1GiB and says what wires there are"
[ "$(awk '$3 == "halving"' table | wc -l)" -eq 11 ]
report $? "eleven sizes, by factors of four"
! grep -q ' $' table
report $? "no line ends in spaces"
[ "$(awk 'length > 100' table | wc -l)" -eq 0 ]
report $? "no line is longer than 100 characters"

$ringsim compare --csv --gpus 2..9,16 --bytes 1KiB,1MiB,100MB >csv
n_algorithms=$(awk 'NR > 1 { print $4 }' FS=, csv | sort -u | wc -l)
[ "$n_algorithms" -ge 5 ] && [ "$(wc -l <csv)" -eq $((1 + 9 * 3 * n_algorithms)) ]
report $? "CSV has one line for each world size, size and algorithm"
awk -F , 'NF != 12 { bad = 1 } NR > 1 && $7 != "" && $6 != $7 { bad = 1 } $7 != "" { n++ }
          END { exit bad || n < 1 + 9 * 3 * 5 }' csv
report $? "every simulated time is its closed form, exactly, where there is one"
awk -F , 'NR > 1 && $4 == "halving" && ($1 == 2 || $1 == 4 || $1 == 8 || $1 == 16) && $6 > $10 { bad = 1 }
          END { exit bad }' csv
report $? "halving is never slower than the ring at powers of two"
grep -q '^5,25000000,100000000,ring,8,8040000000,8040000000,160000000,160000000,8040000000,1,[1-9][0-9]*$' csv
report $? "five GPUs and 100 MB: 8.04 ms by the ring"
grep -q '^5,25000000,100000000,naive,8,40040000000,40040000000,400000000,100000000,' csv
report $? "and 40.04 ms by one reducer"

$ringsim compare --csv --protocol eager --gpus 4 --bytes 1MiB >csv
awk -F , 'NR > 1 && $7 != "" { bad = 1 } END { exit bad }' csv
report $? "no closed form is claimed under eager"
$ringsim compare --csv --algo tree,halving --gpus 8 --count 1000 --order seed >csv
[ "$(wc -l <csv)" -eq 3 ] && awk -F , 'NR > 1 && $10 != "" { bad = 1 } END { exit bad }' csv
report $? "chosen algorithms only, and no ring time where there is no ring"
$ringsim compare --algo tree,halving --gpus 8 --count 1000 | grep -q 'x best'
report $? "the table then compares with the best"
$ringsim compare --json --gpus 1,5 --bytes 1MiB >json
grep -q '^{"schema":"ringsim.compare/1"' json && grep -q '"closed_form_ps":' json && grep -q 'private wire' json
report $? "JSON says the same"
$ringsim compare --plot --gpus 5,8 >plot && [ "$(grep -c GPUs: plot)" -eq 2 ] && grep -q 'r ring' plot
report $? "a plot for each world size"
$ringsim compare --plot --bytes 0,0 >plot && ! grep -q -e '-[0-9]' plot
report $? "a plot of nothing has no times below zero"
$ringsim compare >again && cmp -s table again
report $? "the same comparison gives the same bytes"
printf '0,1,5us,1GB/s\n' >links.csv
$ringsim compare --csv --gpus 4 --bytes 1MiB --links links.csv >csv &&
    awk -F , '$4 == "ring" && $6 <= 337286400 { bad = 1 } $4 == "ring" && $7 != "" { bad = 1 } END { exit bad }' csv
report $? "a slow link counts, and then there is no closed form"

$ringsim compare --plot --collective broadcast --gpus 4 >plot && grep -q 'r ring' plot
report $? "a plot of a collective that needs no note"

$ringsim compare --csv --gpus 2,4 --bytes 1KiB,1MiB >csv && $ringsim compare --gpus 2,4 --bytes 1KiB,1MiB --export x.csv >words &&
    cmp -s csv x.csv && grep -q '^Fastest on 4 GPUs' words
report $? "--export FILE.csv: the rows in a file, the table as ever"
$ringsim compare --gpus 8 --export x.svg >/dev/null 2>err
status=$?
if [ $status = 3 ]; then
    echo "ok curves as a picture # skip: no pictures in this build"
else
    [ $status = 0 ] && [ -s x.svg ] && [ "$(head -c 5 x.svg)" = '<?xml' -o "$(head -c 4 x.svg)" = '<svg' ]
    report $? "curves as a picture"
    $ringsim compare --gpus 8 --bare --export bare.svg >/dev/null && cmp -s x.svg bare.svg &&
        $ringsim compare --gpus 8 --export x.pdf >/dev/null &&
        # Newer cairo packs the pages' list; test_gui_picture unpacks it.
        { [ "$(grep -ac '/Type /Page %' x.pdf)" = 1 ] || grep -aq '/Type /ObjStm' x.pdf; }
    report $? "all curves are one page, with nothing to press"
fi
$ringsim compare --gpus 2..9 --algo ring,naive --view text --at 3 >out &&
    grep -q '^5 GPUs: ring is the fastest, 8.04 ms, 99.5 % of the bound$' out && grep -q '^naive  *40.04 ms .* 4.98$' out
report $? "curves over world sizes, walked to five GPUs"
$ringsim compare --gpus 8 --algo doubling,ring --view text --at 10 >out && grep -q '^1 GiB: ring is the fastest' out
report $? "curves over sizes, walked to the last"
refused '--export' --gpus 2,4 --bytes 1KiB..1MiB --export y.svg
refused '--export' --gpus 4 --bytes 1MiB --export y.svg
refused '--export' --gpus 4 --bytes 1MiB,1KiB --export y.svg
refused '--export' --gpus 4 --bytes 0,1KiB --export y.svg
refused '--export' --gpus 4 --export y.bmp
refused '--step' --gpus 2,4 --bytes 1KiB,1MiB --step
refused 'choose one' --gpus 2,4 --bytes 1MiB --step --csv
refused 'choose one' --gpus 4 --view text --plot
refused 'writes the rows' --gpus 2,4 --bytes 1MiB --view text --export y.csv
[ ! -e y.svg ]
report $? "nothing is left of a picture that was refused"
refused '--algo' --algo ring,tre
refused '--algo' --algo ''
refused '--gpus' --gpus 0
refused '--gpus' --gpus 5..2
refused '--gpus' --gpus 1..131072
refused '--bytes' --bytes 1KiB..
refused 'no whole number' --bytes 1001..5000
refused 'give one' --bytes 1KiB --count 5
refused 'choose one' --csv --json
refused 'several sizes' --plot --bytes 1KiB
refused 'no option of compare' --kill 1@1
refused 'too many' --count 9000000000000000000
# A million rows at the most: what is wrong with the last size is told only of a table that is small enough.
counts=$(seq -s , 499)
denies 2 '9000000000000000000 elements a rank are too many for 2001 GPUs' compare --gpus 2..2001 --algo ring --count "$counts,9000000000000000000"
for more in "--gpus 2..2002 --algo ring --count $counts,500" "--gpus 2..2001 --algo ring --count $counts,500,501" "--gpus 2..2001 --algo ring,tree --count $counts,500"; do
    # shellcheck disable=SC2086
    denies 2 'more than 1000000 rows; take fewer sizes' compare $more
done
# The root of the naive way must be able to count what it sends: of the most GPUs, whichever place the size has in the list.
bad=
for gpus in 1 2 3,2 2,3 7 2..9; do
    most=${gpus##*[,.]}
    [ $gpus != 3,2 ] || most=3
    for type in i8:1 f16:2 f32:4 f64:8; do
        size=$((9223372036854775807 / 2 / most / ${type#*:}))
        for counts in $size "$size,1" "1,$size" "1,$size,2"; do
            "$ringsim" compare --gpus $gpus --dtype ${type%:*} --algo ring --count "$counts" --csv 2>&1 | grep -q 'too many' &&
                bad="$bad [$gpus ${type%:*} $counts]"
            more=$(echo "$counts" | sed "s/$size/$((size + 1))/")
            said=$("$ringsim" compare --gpus $gpus --dtype ${type%:*} --algo ring --count "$more" 2>&1)
            [ "$said" = "ringsim: $((size + 1)) elements a rank are too many for $most GPUs" ] || bad="$bad [$gpus ${type%:*} $more]"
        done
    done
done
[ -z "$bad" ]
report $? "the largest size for so many GPUs is not too many, and one more is$bad"
refused 'line 1, dst' --links links.csv --gpus 1..3 --algo ring --bytes 1KiB
exit $failed
