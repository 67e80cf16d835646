#!/bin/sh
# hang-real.sh: jobs that really hung (tests/data/hangs/), each by what one source alone tells: the verdict, and whom it names.
top=$(pwd)
. tests/tools/command-test

for file in "$top"/tests/data/hangs/*.b64; do base64 -d "$file" | tar xzf - || failed=1; done
# Wants a verdict, and the ranks that it names, of a job's files.
judges() { # JOB FILES VERDICT RANKS [TEXT]
    # shellcheck disable=SC2086
    "$ringsim" hang --json $(cd "$1" && printf "$1/%s " $2) >out 2>err </dev/null
    ranks=$(grep -o '"culprits":\[[^]]*' out | grep -o '"rank":[0-9]*' | cut -d : -f 2 | tr '\n' ' ')
    grep -qF "\"verdict\":\"$3\"" out && [ "$ranks" = "$4${4:+ }" ] && grep -qF -e "${5:-}" out
    good=$?
    [ $good = 0 ] || head -n 5 out err | cut -c 1-600 | sed 's/^/    /'
    report $good "$1 by $2: $3 $4 ${5:-}"
}
dumps='nccl_trace_rank_*' logs='nccl.?.log' said='said.*'

judges absent "$dumps" missing-call 2 'job.py:10'
for source in ras.json ras.txt "$logs" "$said"; do judges absent "$source" missing-call 2; done
judges kind "$dumps" mismatch 1 'rank 1 differs in the operation'
judges kind "$logs" mismatch 1 'AllGather'
judges kind "$said" undecided '0 2 3 1' 'stood in all_reduce, call 5'
judges size "$dumps" mismatch 3 'is all_reduce of 1000 Float'
judges size "$logs" mismatch 3 'the size'
judges extra "$dumps" extra-call 0 'its call 4 of group 0 (default_pg)'
for source in "$logs" "$said"; do judges extra "$source" extra-call 0; done
for source in ras.json ras.txt; do judges extra "$source" undecided '' 'is ahead'; done
judges crossed ras.json cycle '0 2'
judges crossed "$logs" cycle '0 2'
judges sound "$dumps" no-hang ''
for source in ras.json ras.txt "$logs"; do judges sound "$source" undecided ''; done
judges slow "$dumps" slow 3 'by 42.8 ms on average'
judges uneven "$dumps" mismatch 3 'is all_reduce of 1 Float at experiments/lab2/job.py:22'
judges uneven "$logs" mismatch 3 'AllReduce of 1 Float'
judges uneven "$said" missing-call 3
judges leaves "$dumps" silent-rank 3
judges leaves "$logs" missing-call 3
judges killed "$dumps" silent-rank 1
judges killed ras.json silent-rank 1 'call 5'
judges killed ras.txt silent-rank 1
judges killed "$logs" missing-call 1
judges unsent "$dumps" cycle '0 1' 'which is in recv at experiments/lab2/job.py:30 (call 2'
judges unsent "$logs" cycle '0 1' 'which is in Recv (call 2'
judges unsent "$said" undecided '' 'waits for ranks that no line names'
judges circle "$dumps" cycle '0 1' 'recv at experiments/lab2/job.py:33'
judges circle "$logs" cycle '0 1' 'Recv (call 1'
judges circle "$said" undecided '2 3 0 1' 'and ranks 0, 1 did not'
judges grid "$dumps" undecided 3 'only a part of the job is here'
judges grid "$logs" undecided '1 3' 'rank 1 called AllReduce, call 4'
judges grid "$said" undecided '' 'number 4 of group 4'
judges fsdp "$dumps" extra-call 2 '3 calls too many, from _all_gather_base at experiments/lab2/job.py:50 on, its calls 23 to 25'
judges fsdp "$logs" extra-call 2 '3 calls too many'
judges fsdp "$said" mismatch 2 '_all_gather_base of 16448, that'
judges dtype "$logs" mismatch 1 'the type'
judges root "$logs" mismatch 2 'is Broadcast of 1000 Float with root 1, that of 3 of 4 ranks Broadcast of 1000 Float with root 0'
judges coalesced "$logs" missing-call 1
judges pipeline "$dumps" cycle '2 1' 'rank 2 is in recv at experiments/lab2/job.py:65'
judges pipeline "$logs" cycle '2 1' 'rank 2 is in Recv'
judges pipeline "$said" undecided '' 'is in coalesced'
# Whatever lies beside the dumps, and whichever dump is missing: the same culprits, some of them, or nobody.
stays() { # JOB FILES...
    job=$1
    shift
    "$ringsim" hang --json "$@" >out 2>err </dev/null
    ranks=$(grep -o '"culprits":\[[^]]*' out | grep -o '"rank":[0-9]*' | cut -d : -f 2)
    grep -qE '"verdict":"(undecided|no-hang)"' out && return
    for rank in ${ranks:-none}; do
        case " $truth " in *" $rank "*) ;; *) report 1 "$job: $rank of $*, not $truth" ;; esac
    done
}
walk() { # JOB CULPRITS
    truth=$2
    for beside in '' ras.json nccl.?.log said.? 'nccl.?.log said.?' 'nccl.?.log ras.json said.?'; do
        for left in none 0 1 2 3; do
            # shellcheck disable=SC2046,SC2086
            set -- "$1" $(ls -d $1/nccl_trace_rank_* 2>/dev/null | grep -v "_$left\$") $(cd "$1" && for f in $beside; do ls -d "$OLDPWD/$1/$f"; done 2>/dev/null)
            [ $# = 1 ] || stays "$@"
            set -- "$1"
        done
    done
    stays "$1" "$1"
    report 0 "$1: nothing accuses another than $truth"
}
for job in 'absent 2' 'circle 0 1' 'coalesced 1' 'crossed 0 2' 'dtype 1' 'extra 0' 'fsdp 2' 'grid 1 3' 'killed 1' 'kind 1' 'leaves 3' \
    'pipeline 1 2' 'root 2' 'size 3' 'slow 3' 'sound none' 'uneven 3' 'unsent 0 1'; do
    walk "${job%% *}" "${job#* }"
done
# A part of a job accuses nobody whose files were not given, nor whose files are of another kind.
judges sound 'nccl.[013].log' undecided 2 'only a part of the job is here'
judges absent 'nccl_trace_rank_[13]' undecided '0 2' 'only a part of the job is here'
judges extra 'nccl_trace_rank_[123]' undecided '' 'not all ranks have a whole dump'
judges pipeline 'nccl_trace_rank_[012]' undecided 3 'only a part of the job is here'
judges absent 'nccl_trace_rank_0 nccl.[123].log' missing-call 2
judges fsdp 'nccl_trace_rank_2 said.[013]' undecided '' 'collect one kind of all ranks'
judges absent 'nccl_trace_rank_[013] nccl.[012].log' missing-call 2
judges killed 'nccl_trace_rank_[02] nccl.[0123].log said.?' missing-call 1
judges killed "$said" undecided '' 'a connection broke'
judges fsdp 'said.[012]' undecided '0 2' 'ranks 0 and 2 disagree'
judges kind 'said.[123]' undecided '2 3 1' 'stood in all_reduce, call 5'
judges size 'said.[02]' undecided 1 'only a part of the job is here'
judges size 'said.[01]' undecided 2 'only a part of the job is here' # rank 3 waits, as a line of rank 1 says
judges circle 'said.[012]' undecided '2 0 1' 'one too many there, or one too few here'
mkdir cut && cp killed/nccl_trace_rank_[23] cut && head -c 2000 killed/nccl_trace_rank_0 >cut/nccl_trace_rank_0
judges cut "$dumps" silent-rank 1
for job in sound crossed extra; do judges $job 'nccl.[123].log' undecided 0; done
judges kind 'said.[013]' undecided '0 3 1'
printf '\033[36mW:\033[0m [rank1]: ncclRemoteError: A call failed\n' >sound/colours.log
judges sound "$dumps colours.log" undecided '' 'sound/colours.log:1 says'
# Rank 1 is still in a call of its pair that rank 0 has ended; all are in the next one of all.
dump_of() { # RANK STATE
    call='"profiling_name":"nccl:all_reduce","input_sizes":[[4]],"output_sizes":[[4]],"input_dtypes":["Float"]'
    printf '{"pg_config":{"0":{"ranks":"[0, 1, 2, 3]"},"%d":{"ranks":"[%d, %d]"}},"entries":[' $((5 + $1 / 2)) $(($1 / 2 * 2)) $(($1 / 2 * 2 + 1))
    printf '{"process_group":["%d",""],"collective_seq_id":1,"state":"%s",%s},' $((5 + $1 / 2)) "$2" "$call"
    printf '{"process_group":["0",""],"collective_seq_id":1,"state":"started",%s}]}' "$call"
}
mkdir behind
for r in 0 2 3; do dump_of $r completed >behind/trace_$r; done
dump_of 1 started >behind/trace_1
judges behind 'trace_?' stuck-inside 1 'rank 1 is still in all_reduce, number 1 of group 5'
# Calls end on some ranks alone where a rank is gone, or gives less.
judges leaves 'said.[012]' undecided '' 'a connection broke'
judges size "$said" undecided '3 0 1 2' 'stood in all_reduce, call 3'
# All are in a coalesced group of one number: that is a call of all, and who is not in it is waited for.
for r in 0 1 3; do
    echo "[rank$r]: [Rank $r] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=COALESCED, NumelIn=9, NumelOut=9) ran"
done >coalesced.log
echo '[rank2]: [PG ID 0 PG GUID 0(default_pg) Rank 2] Last enqueued NCCL work: 6, last completed NCCL work: 6.' >>coalesced.log
wants 1 'rank 2 has not come to coalesced, call 7 of group 0 (default_pg), and is waited for' hang coalesced.log
# A file a rank says the same as one of all; the group of all ranks has those that files speak of, or that one lists.
timeout_line() { # RANK NUMBER ELEMENTS
    echo "[rank$1]: [Rank $1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=$2, OpType=ALLREDUCE, NumelIn=$3, NumelOut=$3) ran"
    echo "[rank$1]: [PG ID 0 PG GUID 0(default_pg) Rank $1]  failure detected by watchdog at work sequence id: $2 PG status: last enqueued work: $2"
}
timeout_line 0 5 4 >w.0 && timeout_line 1 5 4 >w.1 && timeout_line 3 5 4 >w.3
wants 1 '"verdict":"silent-rank","culprits":[{"rank":2,' hang --json w.0 w.1 w.3
cat w.0 w.1 w.3 >w.all
"$ringsim" hang w.0 w.1 w.3 >out
"$ringsim" hang w.all | cmp -s - out
report $? "a file a rank says the same as one of all"
: >w.4
wants 1 '"for":[2,4]' hang --json w.0 w.1 w.3 w.4
mv w.4 w.9
wants 1 '"for":[2]' hang --json w.0 w.1 w.3 w.9
timeout_line 2 5 4 >w.2
wants 1 'all 4 ranks of which lines tell are in the same call' hang w.0 w.1 w.2 w.3
timeout_line 1 5 7 >w.1
wants 1 'rank 1 differs in the size: its call 5 of group 0 (default_pg) is all_reduce of 7, that of 3 of 4 ranks all_reduce of 4' hang --json w.0 w.1 w.2 w.3
wants 1 'ranks 0 and 1 disagree in group 0 (default_pg): rank 0 called all_reduce of 4 (number 5), rank 1 called all_reduce of 7 (number 5)' hang --json w.0 w.1
timeout_line 1 5 4 >w.1
printf '%s' '{"pg_config":{"0":{"ranks":"[0, 1, 2, 3, 4]"}},"entries":[{"process_group":["0",""],"collective_seq_id":5,"profiling_name":"nccl:all_reduce","state":"scheduled"}]}' >trace_0
wants 1 '"verdict":"silent-rank","culprits":[{"rank":4,' hang --json trace_0 w.1 w.2 w.3
# NCCL's lines and the watchdog's in one file, in any order: NCCL's tell more. So they do in files of their own, whichever is named first.
for job in unsent pipeline fsdp kind; do
    cat $job/nccl.?.log >both && cat $job/said.? >>both
    cat $job/said.? >other && cat $job/nccl.?.log >>other
    # shellcheck disable=SC2086
    "$ringsim" hang $job/nccl.?.log >want
    for files in both other "$job/nccl.?.log $job/said.?" "$job/said.? $job/nccl.?.log"; do
        "$ringsim" hang $files | cmp -s - want
        report $? "$job: what NCCL's log says, of $files"
    done
done
for r in 0 1 3; do echo "[$r] Caught collective operation timeout: WorkNCCL(SeqNum=4, OpType=ALLREDUCE, TensorShape=[1], Timeout(ms)=9) ran"; done >caught.log
wants 1 'no line shows a call of rank 2, which is waited for in all_reduce, call 4' hang caught.log
also 'something is here of 3 of at least 4 ranks'
echo 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.' >oom.log
wants 1 'undecided: a process ended by CUDA out of memory. Tried to allocate 2.00 GiB. (oom.log:1), and no line says which rank' hang --json oom.log
# What versions of torch before 2.7 write: a group's number is then one of the process.
echo '[rank1]:[E] [PG 0 Rank 1] Timeout at NCCL work: 7, last enqueued NCCL work: 9, last completed NCCL work: 6.' >old.log
echo '[rank0]:[E] [PG ID 0 PG GUID 0(default_pg) Rank 0] Exception (either an error or timeout) detected by watchdog at work: 7, last enqueued NCCL work: 7, last completed NCCL work: 6.' >>old.log
echo '[rank2]:[E] [PG 0 Rank 2] Received a dump signal, last enqueued NCCL work: 6, last completed NCCL work: 6.' >>old.log
wants 1 'rank 2 has not come to an unknown operation, call 7 of group 0' hang old.log
denied() { # WHAT WORDS...: is not said
    what=$1
    shift
    ! "$ringsim" "$@" | grep -qF -e "$what"
    report $? "not said: $what: ringsim $*"
}
for r in 0 2; do
    echo "[rank$r]:[E] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=22, OpType=ALLREDUCE, NumelIn=1$r, NumelOut=1$r) ran"
    echo "[rank$r]:[E] [PG 3 Rank 0] Exception (either an error or timeout) detected by watchdog at work: 22, last enqueued NCCL work: 22, last completed NCCL work: 21."
done >apart.log
wants 1 'undecided: ranks 0, 2 are in all_reduce, number 22 of group PG 3, and wait for ranks that no line names' hang --json apart.log
denied disagree hang apart.log
# A broadcast ends on some before others have their data; of what is enqueued the end of a paste tells no call.
for r in 0 3; do
    seq=$((5730 - r / 3))
    echo "[rank$r]: [Rank $r] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=$seq, OpType=BROADCAST, NumelIn=9, NumelOut=9) ran"
    echo "[rank$r]: [PG ID 4 PG GUID 67 Rank $r]  failure detected by watchdog at work sequence id: $seq PG status: last enqueued work: 6464, last completed work: $((seq - 1))"
done >left.log
wants 1 'undecided: rank 3 still stood in broadcast, call 5729 of group 67, which rank 0 had left' hang left.log
grep rank3 left.log >torn.log
printf '[rank0]: [PG ID 4 PG GUID 67 Rank 0] Received a dump signal, last enqueued work: 6464, last comp' >>torn.log
denied 6464 hang torn.log
for r in 3 5; do echo "[Rank $r] Watchdog caught collective operation timeout: WorkNCCL(OpType=BROADCAST, Timeout(ms)=9) ran for 9 milliseconds"; done >unnumbered.log
wants 1 'undecided: ranks 3, 5 waited in broadcast and gave up (unnumbered.log:1)' hang unnumbered.log
wants 1 'undecided: ranks 3, 5 waited in broadcast and gave up' explain unnumbered.log
for r in 0 1 3; do echo "Waiting in store based barrier for rank: $r, key: store_based_barrier_key:1 (world_size=4, worker_count=3, timeout=0:30:00)"; done >store.log
wants 1 'undecided: rank 2 did not come to the start, and 3 of 4 did (store.log:3)' hang store.log
printf '[rank3]: %s\n' 'torch.distributed.DistBackendError: NCCL error in: NCCLUtils.hpp:275' 'Last error:' 'Duplicate GPU detected : rank 3 and rank 0' >last.log
wants 1 'last.log:3 says: Duplicate GPU detected : rank 3 and rank 0' hang last.log
# Two timeouts of one number, each in its group, in any order.
for r in 0 1; do
    for line in 1 2; do
        within=$r elements=10 type=ALLREDUCE
        [ $line = $((1 + r)) ] || within=$((r + 4)) elements=99 type=BROADCAST
        echo "[rank$r]: [Rank $within] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=$type, NumelIn=$elements, NumelOut=9) ran"
    done
    echo "[rank$r]: [PG ID 3 PG GUID 9(tp) Rank $((r + 4))]  failure detected by watchdog at work sequence id: 5 PG status: last enqueued work: 5, last completed work: 4"
    echo "[rank$r]: [PG ID 0 PG GUID 0(default_pg) Rank $r]  failure detected by watchdog at work sequence id: 5 PG status: last enqueued work: 5, last completed work: 4"
done >twice.log
wants 1 '{"rank":1,"group":"0","seq":5,"call":"all_reduce","for":[]}' hang --json twice.log
wants 1 '{"rank":1,"group":"9","seq":5,"call":"broadcast","for":[]}' hang --json twice.log
# What is said again, before or after its failure, is one timeout.
sed 's/^\(.*Watchdog.*\)$/\1\n\1/' twice.log >again.log && grep Watchdog twice.log >>again.log
"$ringsim" hang twice.log >want
"$ringsim" hang again.log | cmp -s - want
report $? "a timeout that is said again is one"
# No communicator of all: rows and columns of a grid, or splits that have no commId.
nccl_grid() { # what a communicator is called: by ID
    for p in 0 1 2 3; do
        for way in 0 1; do
            row=$((p / 2)) column=$((p % 2))
            [ $way = 0 ] && which=$row rank=$column || { which=$((2 + column)) && rank=$row; }
            printf 'h:1%d:2 [%d] NCCL INFO ncclCommSplit comm 0x5%d rank %d nranks 2 cudaDev %d busId 1 %s - Init COMPLETE\n' $p $p $way $rank $p "$(eval echo "$1")"
            for call in 1 2 3; do
                [ $way = 0 ] && [ $call -gt $((2 + row)) ] ||
                    printf 'h:1%d:2 [%d] NCCL INFO AllReduce: opCount %d sendbuff 0x7 recvbuff 0x7 count 4 datatype 7 op 0 root 0 comm 0x5%d [nranks=2] stream 0x1\n' $p $p $call $way
            done
        done
    done
}
# shellcheck disable=SC2016
nccl_grid 'commId 0xa$which' >grid.log
wants 1 'which ended' hang grid.log
# shellcheck disable=SC2016
nccl_grid 'parent 0x4$p splitCount $way color $which key 0' >split.log
wants 1 'which ended' hang split.log
# Two starts in one log: by what stands between them, else nobody tells which lines are whose.
timeout_line 1 5 4 >w.1
cat w.0 w.1 w.3 >starts.log
echo 'slurmstepd: error: *** JOB 12 ON a CANCELLED AT 2026-06-26T16:49:00 DUE TO JOB REQUEUE ***' >>starts.log
for r in 0 2 3; do timeout_line $r 3 4 >>starts.log; done
wants 1 '"verdict":"silent-rank","culprits":[{"rank":1,' hang --json starts.log
grep -v slurm starts.log >no_starts.log
wants 1 '"verdict":"undecided"' hang --json no_starts.log
# Notes beside logs quote what is no evidence; an exception alone is some.
# A rank's own log is no prose, however much its program talks.
mkdir chatty && cp w.0 chatty/rank_0.log && cp w.1 chatty/rank_1.log &&
    for i in 1 2 3 4 5; do echo "the program tells that all is well"; done | cat - w.3 >chatty/rank_3.log
wants 1 '"partial":{"have":3,"of":4}' hang --json chatty
mkdir notes && cat w.0 w.1 w.3 >notes/job.log
printf 'This is how a dead rank looks in our logs, more or less:\n%s\nIn such a case ask who looks after that node.\n' \
    "$(timeout_line 2 9 4 | head -1)" >notes/notes.md
wants 1 '"verdict":"silent-rank","culprits":[{"rank":2,' hang --json notes
wants 1 'notes.md: mostly sentences' hang notes
wants 1 'no line shows a call of rank 2,' explain notes
echo 'RuntimeError: CUDA error: an illegal memory access was encountered' >notes/notes.md
wants 1 '"file":"notes/notes.md"' hang --json notes
rm notes/job.log
# Who has only a line of another group is in the group of all, too.
{
    cat w.0 w.2
    echo '[rank3]: [PG ID 1 PG GUID 4(tp) Rank 1] Last enqueued NCCL work: 2, last completed NCCL work: 2.'
} >idle.log
wants 1 '"for":[1,3]' hang --json idle.log
exit $failed
