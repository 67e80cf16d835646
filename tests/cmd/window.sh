#!/bin/sh
# window.sh: the window's door, seen from outside: no display, a module that is missing or of another
# build, which view is chosen, what --export draws and refuses. The window itself has its own tests.
top=$(pwd)
. tests/tools/command-test
unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER RINGSIM_REDUCED_MOTION
nowhere=:54321 # no display of that name
refused() { # STATUS WANTED TEXT: the last run wrote one line with that text, and nothing else
    [ "$1" -eq "$2" ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -s out ] && grep -q -F -e "$3" err
}

# ---- what needs no module: words that are no looks
refuse() { # TEXT OPTIONS...
    text=$1
    shift
    "$ringsim" --count 5 "$@" >out 2>err </dev/null
    refused $? 2 "$text"
    report $? "refused: $*"
}
refuse 'dark' --theme dork
for scale in 0 0.4 4.1 x -1 1e999; do refuse '0.5..4' --scale $scale; done
for size in 319x240 320x239 7681x4320 800 800x 800x600x 99999999999x800 800X600; do
    refuse '1280x720' --size $size
done
refuse "'cost'" --show ring,kost
refuse 'a name is missing' --show ring,
refuse 'naive' --compare naiv
refuse 'the run itself' --compare ring
refuse 'ringsim compare' --compare naive --json
refuse 'ringsim compare' --compare naive --view text
refuse 'add --export' --sheet
refuse 'with --at' --moment send
refuse 'choose one of' --moment later --at 1
refuse 'one step' --sheet --view text --export a.svg
[ ! -e a.svg ]
report $? "a refused picture leaves no file"
"$ringsim" --count 5 --json --theme dark --scale 0.5 --size 320x240 --show all >dark 2>err &&
    "$ringsim" --count 5 --json >light && cmp -s dark light
report $? "the look changes no number"

# ---- no display
"$ringsim" --view window >out 2>err </dev/null
refused $? 3 "--view window: "
report $? "--view window without a display says so in one line, exit 3"
"$ringsim" --count 5 >plain 2>err </dev/null && [ ! -s err ] && [ -s plain ]
report $? "without a terminal the story is told as text"
DISPLAY=$nowhere "$ringsim" --count 5 >out 2>err </dev/null && cmp -s out plain && [ ! -s err ]
report $? "a display changes nothing in a pipe"
"$ringsim" --gpus 3 --at 1 --view text --export characters.svg >out 2>err && head -c 5 characters.svg | grep -q '<svg '
report $? "--view text --export FILE.svg is the terminal's picture"

if [ ! -e "${BUILD:?}/ringsim-window.so" ]; then
    echo "ok the module # skip: this build has no window"
    exit $failed
fi
DISPLAY=$nowhere "$ringsim" --view window >out 2>err </dev/null
refused $? 3 "--view window: "
report $? "a display that is not there is one line too, exit 3"

# ---- pictures, without a display
for kind in png svg pdf; do
    "$ringsim" --gpus 3 --at 1 --view none --export a.$kind >out 2>err && [ -s a.$kind ] && [ ! -s err ] && [ ! -s out ] &&
        "$ringsim" --gpus 3 --at 1 --view none --export b.$kind && cmp -s a.$kind b.$kind
    report $? "$kind: a picture without a display, the same each time"
done
cmp -s a.svg characters.svg
[ $? -eq 1 ]
report $? "the window's picture is another than the terminal's"
"$ringsim" --gpus 3 --at 1 --view none --export - >c.svg 2>err && cmp -s a.svg c.svg
report $? "--export - writes the picture to standard output"
rm -f a.svg
DISPLAY=$nowhere timeout 60 script -qec "'$ringsim' --gpus 3 --at 1 --export a.svg" /dev/null >out 2>err && [ ! -s out ] && cmp -s a.svg c.svg
report $? "--export alone shows nothing and ends, on a terminal with a display, too"
"$ringsim" --gpus 3 --at 1 --step --export a.svg >out 2>err && grep -q 'Step 1' out && "$ringsim" train --export a.svg >out 2>err && [ ! -s out ]
report $? "--export with --step shows the run, too; of a story likewise"
mkdir folder.png
for place in missing/a.png folder.png; do
    "$ringsim" --gpus 3 --view none --export $place >out 2>err
    refused $? 2 "$place"
    report $? "an unwritable place is one line: $place"
done
ln -s /dev/full full.png
"$ringsim" --gpus 3 --view none --export full.png >out 2>err
refused $? 2 'full.png'
report $? "so is a full disk"
PATH=$SCRATCH/folder.png "$ringsim" --gpus 3 --view none --export a.mp4 >out 2>err
refused $? 3 "ffmpeg" && [ ! -e a.mp4 ]
report $? "a film without ffmpeg: one line, exit 3, no file"

# ---- which module is taken: a copy of the program looks beside itself
mkdir alone && cp "$ringsim" alone/ringsim
copy=$SCRATCH/alone/ringsim
if [ -e /usr/local/lib/ringsim/ringsim-window.so ]; then
    echo "ok a missing module # skip: one is installed on this machine"
else
    "$copy" --gpus 3 --export a.png --view none >out 2>err
    refused $? 3 "ringsim-window.so"
    report $? "a missing module is one line, exit 3"
    DISPLAY=$nowhere "$copy" --gpus 3 --view window >out 2>err
    refused $? 3 "ringsim-window.so"
    report $? "for the window too"
fi
echo 'no module' >alone/ringsim-window.so
"$copy" --gpus 3 --export a.png --view none >out 2>err
refused $? 3 "cannot be loaded"
report $? "a file that is no module is one line, exit 3"
size=$(wc -c <"$BUILD/ringsim-window.so")
head -c $((size / 2)) "$BUILD/ringsim-window.so" >alone/ringsim-window.so
"$copy" --gpus 3 --export a.png --view none >out 2>err
refused $? 3 "make again"
report $? "so is a module that was cut off"
cp "$BUILD/ringsim-window.so" alone/ && "$copy" --gpus 3 --at 1 --export d.png --view none && cmp -s a.png d.png
report $? "a module beside the program is taken"
mkdir -p tree/bin tree/lib/ringsim && cp "$ringsim" tree/bin/ && cp "$BUILD/ringsim-window.so" tree/lib/ringsim/ &&
    tree/bin/ringsim --gpus 3 --at 1 --export e.png --view none && cmp -s a.png e.png
report $? "so is one in ../lib/ringsim"

# ---- a module of our own: it says what it was asked for
cat >fake.c <<'END'
#include "ringsim_viz.h"
#include <stdio.h>
#ifndef ABI
#define ABI RV_GUI_ABI
#endif
static bool has_display(rs_error *error) {
    if (!DISPLAY_THERE) rs_fail(error, RS_UNSUPPORTED, "no eyes");
    return DISPLAY_THERE;
}
static rs_status run(const rv_subject *subject, const rv_options *o, const rs_host *host, rs_error *error) {
    (void)host;
    FILE *said = fopen("said", "w");
    fprintf(said, "%d GPUs %dx%d %s %.1f views %u %s %s at %d %s\n", (int)subject->n_ranks,
            o->pixel_width, o->pixel_height, o->dark ? "dark" : "light", o->scale, o->views,
            o->reduced_motion ? "still" : "moving", o->compare != NULL ? o->compare : "alone", (int)o->at,
            o->play ? "playing" : "paused");
    fclose(said);
    return LEFT_EARLY ? rs_fail(error, RS_UNSUPPORTED, "the display has gone") : RS_OK;
}
static rs_status picture(const rv_subject *subject, const rv_options *o, rv_picture kind, rs_write write,
                         void *context, const rs_host *host, rs_error *error) {
    char text[100];
    (void)subject, (void)host, (void)error;
    const int n = snprintf(text, sizeof text, "kind %d at %d sheet %d by %.2f\n", (int)kind, (int)o->at, (int)o->sheet,
                           o->progress);
    write(context, text, (size_t)n);
    return RS_OK;
}
#ifndef LETTERS
#define LETTERS true
#endif
static bool has_fonts(rs_error *error) {
    if (!LETTERS) rs_fail(error, RS_UNSUPPORTED, "no letters");
    return LETTERS;
}
const rv_gui rv_gui_table = {.abi = ABI, .version = VERSION, .has_display = has_display, .has_fonts = has_fonts,
                             .run = run, .picture = picture};
END
version=$("$ringsim" --version | sed 's/.* //')
# The public headers, as the Makefile finds them.
faces=$(cd "$top" && find sim viz -name 'ringsim*.h' | sed 's|/[^/]*$||' | sort -u)
fake() { # FLAGS...
    for face in $faces; do set -- -I"$top/$face" "$@"; done
    "${CC:-cc}" -shared -fPIC "-DVERSION=\"$version\"" "$@" fake.c -o alone/ringsim-window.so 2>log
}
if ! command -v "${CC:-cc}" >/dev/null; then
    echo "ok a module of our own # skip: no compiler here"
    exit $failed
fi
fake -DDISPLAY_THERE=1 -DLEFT_EARLY=0
report $? "a module of our own: $(head -n 1 log)"
"$copy" --view window >out 2>err </dev/null
refused $? 3 'neither DISPLAY nor WAYLAND_DISPLAY' && [ ! -e said ]
report $? "where no display is named, the module is not even asked"
DISPLAY=$nowhere "$copy" --gpus 4 --step --view window --theme dark --size 800x600 --scale 1.5 --show cost,rule --compare tree \
    --reduced-motion >out 2>err </dev/null &&
    [ "$(cat said)" = "4 GPUs 800x600 dark 1.5 views 48 still tree at -1 paused" ] && [ ! -s out ] && [ ! -s err ]
report $? "every look reaches the window"
RINGSIM_REDUCED_MOTION=1 DISPLAY=$nowhere "$copy" --at 2 --view window && grep -q 'still alone at 2 paused' said
report $? "RINGSIM_REDUCED_MOTION asks for stillness"
RINGSIM_REDUCED_MOTION=0 DISPLAY=$nowhere "$copy" --view window && grep -q 'moving alone at -1 playing' said
report $? "0 does not"
draws() { # WANTED OPTIONS...
    wanted=$1
    shift
    "$copy" --count 5 --view none --export "$@" && [ "$(cat "$1")" = "$wanted" ]
    report $? "picture: $*"
}
draws 'kind 0 at -1 sheet 0 by 0.00' p.png
draws 'kind 1 at 2 sheet 0 by 0.00' p.svg --at 2
draws 'kind 1 at 2 sheet 0 by 0.12' p.svg --at 2 --moment send
draws 'kind 1 at 2 sheet 0 by 0.66' p.svg --at 2 --moment arrive
draws 'kind 2 at -1 sheet 1 by 0.00' p.pdf
draws 'kind 2 at 3 sheet 0 by 0.00' p.pdf --at 3
draws 'kind 0 at -1 sheet 1 by 0.00' p.png --sheet
"$copy" --count 5 --export p.mp4 --sheet >out 2>err
refused $? 2 'one after another'
report $? "a film is no sheet"
for wrong in "p.png --slides" "p.pdf --slides --at 2" "p.pdf --slides --sheet"; do
    # shellcheck disable=SC2086
    "$copy" --count 5 --view none --export $wrong >out 2>err
    refused $? 2 '--slides'
    report $? "no slides: $wrong"
done

fake -DDISPLAY_THERE=1 -DLEFT_EARLY=0 -DLETTERS=false
"$copy" --count 5 --view none --export p.png >out 2>err
[ $? -eq 0 ] && [ -s p.png ] && [ ! -s out ] && [ "$(cat err)" = "ringsim: no letters" ]
report $? "missing fonts are one line, and the picture is drawn all the same"
fake -DDISPLAY_THERE=1 -DLEFT_EARLY=0

# On a terminal, which `script` is: the window, if there is a display; else one line and the terminal.
on_terminal() { # COMMAND...
    rm -f said
    TERM=xterm timeout 20 script -qec "$*" /dev/null </dev/null >screen 2>&1
}
if script -qec true /dev/null </dev/null >log 2>&1 && command -v timeout >log; then
    on_terminal "DISPLAY=$nowhere $copy --gpus 3" && [ -s said ] && [ ! -s screen ]
    report $? "on a terminal with a display: the window"
    on_terminal "DISPLAY= $copy --gpus 3 --view text </dev/null" && [ ! -e said ]
    report $? "--view text opens none"
    on_terminal "$copy --gpus 3 </dev/null" && [ ! -e said ] && grep -q 'Step 0 of' screen
    report $? "without the name of a display: none"
    rm -f said
    (sleep 1; printf q; sleep 1) | TERM=xterm timeout 20 script -qec "$copy --gpus 3 --step" /dev/null >screen 2>&1
    [ ! -e said ] && [ "$(grep -c 'ringsim: no display: neither DISPLAY nor WAYLAND_DISPLAY' screen)" = 1 ] &&
        grep -q 'Each of 3 GPUs' screen
    report $? "who sits at a terminal without one is told so in one line, and walks there"
    on_terminal "DISPLAY=$nowhere $copy --gpus 3 | cat" && [ ! -e said ] && grep -q 'Step 0 of' screen
    report $? "in a pipe: none"
    fake -DDISPLAY_THERE=0 -DLEFT_EARLY=0
    on_terminal "DISPLAY=$nowhere $copy --gpus 3 </dev/null" && [ ! -e said ] && grep -q 'ringsim: no eyes' screen &&
        grep -q 'Step 0 of' screen
    report $? "a display that does not answer: one line, then without it"
    fake -DDISPLAY_THERE=1 -DLEFT_EARLY=1
    on_terminal "DISPLAY=$nowhere $copy --gpus 3 </dev/null" && [ -s said ] &&
        grep -q 'ringsim: the display has gone' screen && grep -q 'Step 0 of' screen
    report $? "a display that goes: the same"
else
    echo "ok on a terminal # skip: no script command"
fi
fake -DDISPLAY_THERE=1 -DLEFT_EARLY=1
DISPLAY=$nowhere "$copy" --view window >out 2>err
refused $? 3 'the display has gone'
report $? "asked for by name, it is exit 3"

for other in -DABI=999 -UVERSION; do
    fake -DDISPLAY_THERE=1 -DLEFT_EARLY=0 $other '-DVERSION="0.0.0"'
    rm -f said
    DISPLAY=$nowhere "$copy" --view window >out 2>err
    refused $? 3 'of another build' && [ ! -e said ]
    report $? "a module of another build is refused: $other"
done
exit $failed
