#!/bin/sh
# film.sh: --export FILE.mp4 and gif, from outside: a film that is broken off leaves nothing behind.
. tests/tools/command-test
if [ ! -e "${BUILD:?}/ringsim-window.so" ]; then
    echo "ok films # skip: this build has no window"
    exit 0
fi
if ! command -v ffmpeg >found; then
    echo "ok films # skip: no ffmpeg on this machine"
    exit 0
fi
mkdir tmp
export TMPDIR="$SCRATCH/tmp"
empty() { [ -z "$(ls tmp)" ]; }

for kind in mp4 gif; do
    "$ringsim" --gpus 3 --speed 16 --size 320x240 --view none --export a.$kind >out 2>err && [ -s a.$kind ] && [ ! -s out ] &&
        [ ! -s err ] && empty
    report $? "$kind: a film, without a word"
    "$ringsim" --gpus 3 --speed 16 --size 320x240 --view none --export b.$kind && cmp -s a.$kind b.$kind
    report $? "$kind: the same each time"
done

# Broken off in the middle, by every signal that ends a program politely, and by the one that does not.
children() { # PARENT        from /proc: a bare machine has no ps
    sed -n "/^Pid:/h; /^PPid:[[:space:]]*$1\$/{ x; s/[^0-9]//g; p; }" /proc/[0-9]*/status 2>log
}
for signal in INT TERM HUP KILL; do
    # In the background a shell lets programs ignore Ctrl-C, nohup a hang-up; env sets that right where it can.
    env --default-signal=INT true 2>log && fresh='env --default-signal=INT,HUP' || fresh=
    case $signal in INT | HUP) false ;; esac || [ -n "$fresh" ] || continue
    # shellcheck disable=SC2086
    $fresh "$ringsim" --gpus 64 --speed 0.5 --view none --export long.mp4 >out 2>err &
    film=$!
    child=
    tries=0
    while [ -z "$child" ] && [ $tries -lt 100 ]; do
        sleep 0.1
        child=$(children $film | tr -d ' ')
        tries=$((tries + 1))
    done
    kill -$signal $film
    wait $film 2>log
    status=$?
    # ffmpeg hears that nothing more will come; it may take a moment to go.
    tries=0
    while kill -0 "$child" 2>log && [ $tries -lt 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    [ -n "$child" ] && [ $status -gt 128 ] && ! kill -0 "$child" 2>log && [ ! -e long.mp4 ] && empty
    report $? "$signal ends the film, and ffmpeg with it; nothing is left"
    rm -f .ringsim-tmp-*
done
exit $failed
