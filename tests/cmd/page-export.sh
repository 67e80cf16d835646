# page-export.sh: --export FILE.html: the page holds the words that were typed, and byte for byte each file that they name.
top=$PWD
. tests/tools/command-test

"$ringsim" --gpus 3 --export page.html >out 2>err
if [ $? = 3 ] && grep -q 'make page' err; then
    echo "ok pages # skip: no page was built"
    exit 0
fi

# Prints the line of the added file of that name, without it.
added() { sed -n "s|^\(.*id=\"added\">\)\{0,1\}$1 ||p" page.html; }
# The page holds that file, by that name.
holds() { # NAME FILE
    case $(added "$1" | cut -c 1-5) in
    gzip\ ) added "$1" | sed 's/^gzip //' | base64 -d | gzip -dc ;;
    *) added "$1" | base64 -d ;;
    esac >unpacked
    [ -n "$(added "$1")" ] && cmp -s unpacked "$2"
}
count_files() { awk '/id="added">/ { on = 1; sub(/.*id="added">/, "") } on && /^[^<]* / { n++ } /<\/script>/ { on = 0 } END { print n + 0 }' page.html; }
# Exports the words; wants them in the page as they stand there, with so many files.
page() { # WORDS_IN_PAGE N_FILES WORDS...
    wanted=$1 n_files=$2
    shift 2
    rm -f page.html
    "$ringsim" "$@" --export page.html >out 2>err </dev/null
    status=$?
    [ $status -le 1 ] && grep -qF "id=\"words\">$wanted</script>" page.html &&
        [ "$(count_files)" = "$n_files" ]
    report $? "a page of $* has its words, and $n_files files"
}

# ------------------------------------------------------------------------------------------- words
page 'run --gpus 4 --at 2' 0 run --gpus 4 --export=other.html --view text --at 2 --exp other.html
[ ! -e other.html ]
report $? "the last --export counts"
page '--gpus 4 --algo=tree' 0 --gpus 4 --view=none --algo=tree
page 'mapreduce --text %22a%2B%3Cb%3E%26%22' 0 mapreduce --text 'a+<b>&'
page 'mapreduce --text %22one%20two%22' 0 mapreduce --text 'one two'

# ------------------------------------------------------------------------------------------- files
printf 'src,dst,alpha,bandwidth\n2,3,50us,2GB/s\n' >'my links <1>.csv'
printf 'ringsim-machine 1\ngpus 2\nlink gpu0 gpu1 bandwidth 5GB/s\n' >two.machine
"$ringsim" --gpus 4 --view none --save four.sched --trace four.trace
"$ringsim" --gpus 4 --view none --slow-link 1:3 --trace slow.trace
page 'run --gpus 4 --links %22my%20links%20%3C1%3E.csv%22' 1 run --gpus 4 --links 'my links <1>.csv'
holds 'my%20links%20%3C1%3E.csv' 'my links <1>.csv'
report $? "a name with blanks and signs of HTML"
page '--algo=four.sched' 1 --algo=four.sched
holds four.sched four.sched
report $? "a file behind ="
page 'run --machine two.machine:1' 1 run --machine two.machine:1
holds two.machine two.machine
report $? "a file before a number of nodes"
page 'view four.trace slow.trace' 2 view four.trace slow.trace
holds four.trace four.trace && holds slow.trace slow.trace
report $? "two files"
"$ringsim" explain "$top/tests/data/nccl-logs/two-nodes.log" --export page.html >out 2>err && holds nccl.sched /dev/null
[ $? = 1 ] && "$ringsim" explain "$top/tests/data/nccl-logs/two-nodes.log" --save nccl.sched >out && holds nccl.sched nccl.sched
report $? "a page of rings holds what --save writes"

# ------------------------------------------------------------------------------- folders, archives
"$ringsim" grade 11 --dump jobs --seed 17 >/dev/null
set -- jobs/job1/*
page 'hang jobs/job1 --step' $# hang jobs/job1
good=0
for dump in jobs/job1/*; do holds "$dump" "$dump" || good=1; done
report $good "all of a folder"
cp jobs/job1/* . && for dump in jobs/job1/*; do dumps="${dumps:-} ${dump##*/}"; done
cp "${dump##*/}" jobs/job1/.hidden && ln -s "../../${dump##*/}" jobs/job1/a_link
page 'hang jobs/job1 --step' $# hang jobs/job1
rm jobs/job1/.hidden jobs/job1/a_link
# shellcheck disable=SC2086
tar -cf all.tar $dumps && gzip -k all.tar
page 'hang all.tar --step' 1 hang all.tar
holds all.tar all.tar
report $? "an archive"
if grep -q '^HAVE_ZLIB := 1' "$BUILD/config.mk"; then
    page 'hang all.tar.gz --step' 1 hang all.tar.gz
    holds all.tar.gz all.tar
    report $? "what is packed goes in unpacked: a page has no zlib"
    # shellcheck disable=SC2086
    gzip -k $dumps && set -- *_[0-9].gz && tar -cf packed.tar "$@"
    wants 2 'files in the archive are compressed; unpack it first' hang packed.tar --export no.html
    page "hang $1 --step" 1 hang "$1"
    holds "$1" "${1%.gz}"
    report $? "a packed dump"
fi

# ------------------------------------------------------------------------------------------ limits
head -c 5000000 /dev/urandom | base64 >long.txt # which no gzip makes shorter than 4 MiB
wants 2 'do not go into a page' mapreduce --text long.txt --export no.html
wants 2 'choose one' --gpus 3 --json --export no.html
wants 2 'the steps are' --gpus 3 --at 99 --export no.html
[ ! -e no.html ]
report $? "what cannot be shown is not written"
exit $failed
