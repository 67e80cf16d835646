# collective.sh: the six collectives on the command line: what they cost, hold, say, save, and refuse.
. tests/tools/command-test

value() { sed -n "s/.*\"$1\":\([^,}]*\).*/\1/p"; }
json() { "$ringsim" -n 5 --alpha 5us --bandwidth 20GB/s --bytes 100MB --json --collective "$@"; }

# (N-1)(alpha + m/B) with m = K/N = 20 MB; the chain (C + N-2)(alpha + K/C/B).
[ "$(json all-gather | value makespan_ps)" = 4020000000 ] &&
    [ "$(json reduce-scatter | value makespan_ps)" = 4020000000 ] &&
    [ "$(json all-to-all | value makespan_ps)" = 4020000000 ] &&
    [ "$(json broadcast --chunks 10 | value makespan_ps)" = 6565000000 ] &&
    [ "$(json reduce --algo tree | value makespan_ps)" = 15015000000 ]
report $? "each takes the time of its formula"
for of in all-gather reduce-scatter all-to-all broadcast reduce; do
    json $of >a.json && grep -q "\"collective\":\"$of\"" a.json && grep -q '"sound":true' a.json &&
        [ "$(value correct <a.json)" = true ] && [ "$(value bytes <a.json)" = 100000000 ] &&
        [ "$(value makespan_ps <a.json)" -ge "$(value lower_bound_ps <a.json)" ]
    report $? "$of: sound, correct, its own bytes, no faster than its bound"
    "$ringsim" -n 4 --count 24 --collective $of --save b.sched --trace b.trace --view none &&
        sed -n 2p b.sched | grep -q "^collective $of" && sed -n 2p b.trace | grep -q "^collective $of" &&
        "$ringsim" check b.sched >said && grep -q sound said &&
        "$ringsim" --algo b.sched --count 24 --json >c.json && [ "$(value collective <c.json)" = "\"$of\"" ] &&
        [ "$(value correct <c.json)" = true ] &&
        "$ringsim" view b.trace --json >d.json && [ "$(value collective <d.json)" = "\"$of\"" ] &&
        [ "$(value busbw_GBps <c.json)" = "$(value busbw_GBps <d.json)" ]
    report $? "$of: saved, judged, run and viewed again as what it is"
done
says() { # COLLECTIVE START END
    "$ringsim" -n 4 --count 16 --collective "$1" --view text --lang en >said &&
        grep -q "^Start: $2" said && grep -q "^Done: $3" said && ! grep -q 'replaces its own' said
    report $? "$1 says what it begins and ends with"
}
says all-gather 'GPU r holds shard r' "every GPU holds every GPU's shard"
says broadcast 'only the root' "every GPU holds the root's data"
says all-to-all 'every GPU holds a piece for each' 'every GPU holds what each GPU had for it'
says reduce 'every GPU holds an array.*root' 'the root holds the result'
says reduce-scatter 'every GPU holds an array.*shard' 'every GPU holds its shard'
"$ringsim" -n 3 --count 6 --save ring.sched --trace ring.trace --view none
! grep -q collective ring.sched ring.trace
report $? "an all-reduce's files say nothing of it"

# What each rank holds at the end, byte by byte: rank r holds r, r + 10, ...
printf '\1\2\3\11\12\13\21\22\23' >in
out() { "$ringsim" -n 3 --dtype u8 --input in --output out --view none --collective "$@" && od -An -tu1 out | tr -s ' \n' ' '; }
[ "$(out all-to-all)" = " 1 9 17 2 10 18 3 11 19 " ]
report $? "an all-to-all transposes"
[ "$(out all-to-all --algo direct)" = " 1 9 17 2 10 18 3 11 19 " ]
report $? "all at once, too"
[ "$(out all-gather)" = " 1 10 19 1 10 19 1 10 19 " ]
report $? "an all-gather hands round each rank's shard"
[ "$(out broadcast --root 1)" = " 9 10 11 9 10 11 9 10 11 " ]
report $? "a broadcast hands out the root's array"
out reduce --root 2 | grep -q ' 27 30 33 $'
report $? "a reduce adds up at the root"
set -- $(out reduce-scatter)
[ "$1 $5 $9" = "27 30 33" ]
report $? "a reduce-scatter leaves each rank its shard of the sum"

refuses() { # WHAT SAYS WORDS...
    what=$1 says=$2
    shift 2
    "$ringsim" "$@" >said 2>&1
    [ $? = 2 ] && [ "$(wc -l <said)" = 1 ] && grep -q -e "$says" said
    report $? "$what is refused in one line"
}
refuses "an unknown collective" "did you mean 'broadcast'" --collective broadcst
refuses "an algorithm of another collective" "has none of that name, but pairwise, direct" --collective all-to-all --algo ring
refuses "a root beyond the ranks" 'root 5: the ranks are 0..4' --collective reduce --root 5
refuses "a root where there is none" 'only broadcast and reduce' --root 1
refuses "an order where there is none" 'only the all-reduce' --collective all-gather --order seed
refuses "an operation where nothing is added" 'only copies' --collective broadcast --op max
refuses "what cannot be dealt out" 'take 5' --collective all-to-all --count 7
refuses "chunks of what is no pipeline" 'only a pipeline' --chunks 4
refuses "too many ranks for an all-to-all" 'at most 1024' --collective all-to-all -n 1025 --values none --check never
refuses "a race against what the collective has not" 'no algorithm of that name' --collective all-gather --compare tree --export x.svg
refuses "a file of another collective" 'says itself' --algo b.sched --collective broadcast --root 1
printf 'ringsim-schedule 1\ncollective all-gather\nranks 3\nchunks 4\n' >bad.sched
refuses "shards that do not fit" 'bad.sched: line 2, column 1: all-gather among 3 ranks: 4 chunks' check bad.sched
printf 'ringsim-schedule 1\nranks 3\nchunks 3\nstep\ncollective all-gather\n' >late.sched
refuses "a collective said too late" 'line 5, column 1' check late.sched
printf 'ringsim-schedule 1\ncollective all-gather root 1\nranks 3\nchunks 3\n' >root.sched
refuses "a root of an all-gather" 'line 2, column 23: this collective has no root' check root.sched
printf 'ringsim-schedule 1\ncollective all-gather\nranks 2\nchunks 2\nstep\n0 -> 1 chunk 0 reduce\n' >adds.sched
"$ringsim" check adds.sched >said
[ $? = 1 ] && grep -q 'where there is nothing to add' said
report $? "adding to nothing is named"
"$ringsim" compare --collective all-to-all --gpus 3 --bytes 1MB --json >e.json &&
    grep -q '"collective":"all-to-all"' e.json && grep -q '"count":249999,"bytes":999996,' e.json
report $? "compare rounds down to what can be dealt out"
