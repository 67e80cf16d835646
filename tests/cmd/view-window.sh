#!/bin/sh
# view-window.sh: recorded runs as the window draws them, two of them on one time axis.
. tests/tools/command-test
if [ ! -e "${BUILD:?}/ringsim-window.so" ]; then
    echo "ok pictures of records # skip: this build has no window"
    exit 0
fi
$ringsim --bytes 100MB --view none --trace a.trace && $ringsim --bytes 100MB --slow-link 3:4 --view none --trace b.trace
sed -i.old 's/^simulated.*/measured by hand/' b.trace
drawn() { # FILE OPTIONS...
    file=$1
    shift
    $ringsim view "$@" --view none --export "$file" >out 2>err && [ -s "$file" ] && [ ! -s out ]
}
drawn one.svg b.trace --at 3 --show all
report $? "one is drawn with all views"
drawn all.pdf b.trace
report $? "one is drawn as a sheet"
drawn two.png a.trace b.trace --at 3 --show diagram && drawn again.png a.trace b.trace --at 3 --show diagram &&
    cmp -s two.png again.png
report $? "two are drawn on one time axis, the same again"
drawn swapped.png b.trace a.trace --at 3 --show diagram && ! cmp -s two.png swapped.png
report $? "which is first makes a difference"
$ringsim view a.trace b.trace --view none --sheet --export sheet.pdf >out 2>err
[ $? -eq 2 ] && [ ! -e sheet.pdf ] && [ "$(wc -l <err)" -eq 1 ]
report $? "a sheet shows one run"
exit $failed
