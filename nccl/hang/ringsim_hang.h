/* ringsim_hang.h: a job of many ranks stands still: which rank, at which call, and who waits for whom?
 *
 *     a file a rank --rn_read_recorder--> DUMP --+
 *     a file a rank --------------------> DUMP --+--rn_judge_hang--> VERDICT: culprits, and who waits
 *
 *   - A dump is what one rank's flight recorder kept of its calls, oldest first; the ring buffer behind it may
 *     have lost the beginning. Files are data: nothing in them is executed, and every length is checked.
 *   - Ranks of a group make the same calls in the same order. The calls are aligned by least edits, not by their
 *     numbers: one call too many shifts the numbers of all that follow.
 *   - What a strict majority of a group's dumped ranks does is the truth. Without one the verdict is undecided, and
 *     names the candidates; likewise where a part of the job was given, or nothing says which calls are over.
 */
#pragma once

#include "ringsim.h"

RS_BEGIN_DECLS

typedef enum rn_call_state { RN_CALL_SCHEDULED, RN_CALL_STARTED, RN_CALL_COMPLETED } rn_call_state;

enum { RN_OTHER_PEER = -2 /* of a group of two */ };
/* The name of a call of which no line says what it is. */
#define RN_UNKNOWN_CALL "work"
/* One call of a rank. Texts are numbers of the dump's words; 0: not known. */
typedef struct rn_call {
    int64_t created_ns, completed_ns; /* by the rank's own clock; 0: not known */
    int64_t lasted_ns;                /* on the GPU; 0: not known */
    int64_t n_in, n_out;              /* elements, of all tensors together */
    int64_t seq;      /* its number in its group; from point to point one of their own */
    uint64_t stack;   /* stands for the lines that led to it; 0: not known */
    uint32_t name;    /* "all_reduce", "send" */
    uint32_t dtype;   /* "Float" */
    uint32_t where;   /* "train.py:42", the innermost line that is not PyTorch's own */
    int32_t group;    /* of the dump's groups */
    int32_t peer;     /* the other rank of a send or a recv; RN_OTHER_PEER; -1: all of the group */
    int32_t root, op; /* of NCCL's logs; -1: not known */
    uint8_t state;    /* an rn_call_state */
    bool sends;       /* where there is a peer: to it, not from it */
} rn_call;

enum { RN_ALL_RANKS = -1 }; /* of the job, whoever they are */
/* A group as one rank knows it. */
typedef struct rn_call_group {
    uint32_t name, desc; /* desc: what it is for: "tp"; 0: not known */
    int32_t n_ranks;     /* 0: not known; or RN_ALL_RANKS */
    /* the last call that was made, though it is not among the calls; -1: not known */
    int64_t last_seq;
    int32_t *ranks;         /* [n_ranks], as numbered in the whole job */
    int64_t last_completed; /* its calls up to this one are over; 0 or less: not known, or none */
    int32_t n_least; /* it has so many ranks at least, by lines of a log; 0: nothing is said */
    int32_t
        n_told; /* by the sizes of a call it has just so many, or the job has; 0: nothing is said */
    bool unsure;   /* which group it is no line says, and it may be several */
    int32_t place; /* the rank's own number in it, + 1; 0: not said */
} rn_call_group;

/* What one file tells of one rank. */
typedef struct rn_dump {
    int32_t rank;
    bool cut;      /* the file ends too early; of a log's: it waits in a call that no line names */
    bool whole;    /* nothing was lost at the beginning */
    bool rough;    /* a few lines of a log: who waits, but not all calls */
    bool launched; /* calls that were launched; nothing says which are over */
    bool listed;   /* these, by lines of a log: who is not among them may have a log of its own */
    bool unread;   /* there is a file, and nothing of it could be read */
    bool torn;     /* what is left of the group of calls at the beginning is not over */
    /* it was in an archive that ends too early, or of its log lines are left out: other ranks' may be missing */
    bool partial;
    rn_call *calls;
    int64_t n_calls;
    rn_call_group *groups;
    int32_t n_groups;
    const char **words; /* [n_words]; the first is "" */
    uint32_t n_words;
} rn_dump;

/* Reads a dump of PyTorch's flight recorder: a pickle, or JSON. What lives on is taken from `keep`, all else from
   `scratch`. The rank is the caller's to set. */
rs_status rn_read_recorder(const char *bytes, size_t n_bytes, rs_arena *scratch, rs_arena *keep,
                           rs_error *error, rn_dump *dump);

/* What a line of a log proves by itself; those behind the first say more of who is to blame. */
typedef enum rn_proof {
    RN_PROOF_HIDDEN, /* Ray left out lines of other processes that are alike */
    RN_PROOF_RESTART, /* the job was started anew; what came before, ended: behind, is another attempt */
    RN_PROOF_TWICE,   /* of another attempt may be what comes from here on */
    RN_PROOF_OVER,    /* it came to the end of its program: its calls are over */
    RN_PROOF_TROUBLE, /* the job does not run on */
    RN_PROOF_ENDED,   /* the job was ended from outside */
    RN_PROOF_TIMEOUT, /* somebody waited too long: a victim */
    RN_PROOF_LINK,    /* a connection broke; who went first is not said */
    RN_PROOF_UNNAMED, /* calls of so many processes, whose ranks are not known */
    RN_PROOF_LEFT, /* a process ended by itself, for a reason that is not known, or it is not known whose */
    RN_PROOF_FEW,       /* not all processes came to the start */
    RN_PROOF_NEAR,      /* calls differ, at or around these ranks */
    RN_PROOF_STUCK,     /* the process of these holds up their watchdog */
    RN_PROOF_UNSTARTED, /* a communicator's start did not end there, and elsewhere it did */
    RN_PROOF_STACK,     /* they are elsewhere in the program than most */
    RN_PROOF_NO_GRAD,   /* parameters got no gradient there, and DDP gave up */
    RN_PROOF_LAUNCHED,  /* a process launched another call than most; its rank is not known */
    RN_PROOF_BEHIND,    /* they are in a call that others have ended */
    RN_PROOF_DIFFERS,   /* calls of two ranks that should be one */
    RN_PROOF_ABSENT,    /* they did not come to a call in which others are */
    RN_PROOF_DIED,      /* their GPU or their process failed by itself */
    RN_N_PROOFS
} rn_proof;
const char *rn_proof_name(rn_proof proof); /* "absent", ... */

typedef struct rn_evidence {
    rn_proof proof;
    int32_t *ranks; /* [n_ranks] of whom */
    int32_t n_ranks;
    int32_t of;       /* so many ranks there are; 0: not said */
    const char *call; /* NULL: not said */
    int64_t seq;      /* -1: not said; few, unnamed, launched: how many came, are there,
                         agree; restart: which attempt begins */
    /* differs: [2]; launched: what the process called, and most others; else NULL */
    struct rn_hang_place *calls;
    const char *said; /* words of the line; NULL: none that count */
    int64_t line;     /* from 1 */
    const char *file; /* the caller's to set; NULL: there is one only */
    int64_t when_us;  /* of the year, by the line; -1: not said */
    bool caught;      /* died: a process may have caught it, and gone on */
    bool ended;       /* died: by the end of its process, whenever that was seen */
    bool killed;      /* died: by SIGKILL, from outside */
} rn_evidence;

/* Reads a log: what its lines tell of each rank's calls, of torch's watchdog and of NCCL's INIT and COLL, and what they prove by
   themselves, both of the last attempt. Dumps, by rank, and evidence are from `keep`; *n_said is set in any case but RS_NO_MEMORY.
   RS_BAD_INPUT: it tells of no call. */
rs_status rn_read_hang_log(const char *text, size_t n_bytes, rs_arena *scratch, rs_arena *keep,
                           rs_error *error, rn_dump **dumps, int32_t *n_dumps, rn_evidence **said,
                           int32_t *n_said);

/* Dumps of a report of NCCL's RAS in JSON. */
rs_status rn_read_ras(const char *bytes, size_t n_bytes, rs_arena *scratch, rs_arena *keep,
                      rs_error *error, rn_dump **dumps, int32_t *n_dumps);

/* The same of such a report as text, as ncclras prints it. It lists those that few agree with: where it does not say which
   ranks are behind, it is refused. */
rs_status rn_read_ras_text(const char *text, size_t n_bytes, rs_arena *scratch, rs_arena *keep,
                           rs_error *error, rn_dump **dumps, int32_t *n_dumps);
/* Do the first lines belong to such a text? */
bool rn_is_ras_text(const char *bytes, size_t n_bytes);

/* ------------------------------------------------------------------ dumps of our own runs */

enum { RN_RECORDER_ENTRIES = 2000 }; /* calls that a recorder keeps (TORCH_FR_BUFFER_SIZE) */

/* Writes a dump as torch's recorder does, a pickle, of which n_lost calls before these were lost. What it
   needs is taken from `scratch`. Fails only without memory; what was written is then worth nothing. */
rs_status rn_write_recorder(const rn_dump *dump, int64_t n_lost, rs_arena *scratch, rs_error *error,
                            rs_write write, void *context);

/* Where a rank stands that runs a schedule again and again. */
typedef struct rn_standing {
    const rs_schedule *schedule;
    int64_t count;     /* elements of a rank's array */
    const char *dtype; /* as torch names it: "Float" */
    int64_t n_runs;    /* that are over, each behind a barrier; -1: none, and there is no barrier */
    bool lines_up;     /* it is in the barrier before the next run */
    bool channels_apart; /* each channel goes through the steps on its own: on a machine */
    /* Tells whether a message of this rank is over in the run that it is in; *end_ns: since when, if that is known. */
    bool (*over)(void *context, int32_t step, const rs_transfer *transfer, bool sends,
                 int64_t *end_ns);
    void *context;
} rn_standing;
/* Lists the calls that the rank's recorder would hold: a send and a recv a message, in the order of the
   schedule. The dump lives in the arena; *n_lost calls were before those that it holds. */
rs_status rn_schedule_calls(const rn_standing *at, int32_t rank, rs_arena *arena, rs_error *error,
                            rn_dump *dump, int64_t *n_lost);
/* Returns torch's name of a type: "Float". */
const char *rn_torch_dtype(rs_dtype dtype);

/* ------------------------------------------------------------------ the verdict */

typedef enum rn_hang_verdict {
    RN_HANG_NONE,
    RN_HANG_SLOW,
    RN_HANG_MISSING_CALL,
    RN_HANG_EXTRA_CALL,
    RN_HANG_SWAPPED,
    RN_HANG_MISMATCH,
    RN_HANG_CYCLE,
    RN_HANG_SILENT_RANK,
    RN_HANG_STUCK_INSIDE,
    RN_HANG_WRONG_RESULTS, /* nothing waits, but calls that are over differ */
    RN_HANG_DIED,          /* a rank that a log says is dead */
    RN_HANG_UNDECIDED,
    RN_N_HANG_VERDICTS
} rn_hang_verdict;
const char *rn_hang_name(rn_hang_verdict verdict); /* "missing-call", ... */

/* A call of a rank, in words. */
typedef struct rn_hang_place {
    int32_t rank;
    const char *group, *desc; /* desc NULL: not known */
    int64_t seq;              /* -1: not known */
    const char *call;         /* "all_reduce" */
    const char *where;        /* "train.py:42"; NULL: not known */
    const char *dtype;        /* NULL: not known */
    int64_t n_in, n_out;
    int32_t root, op; /* -1: not known */
} rn_hang_place;

/* Of a line that says no more. */
rn_hang_place rn_place_said(int32_t rank, int64_t seq, const char *call);

typedef struct rn_hang_wait {
    rn_hang_place at;
    int32_t *ranks; /* [n_ranks] that it waits for; none: they are all there */
    int32_t n_ranks;
    bool unnamed; /* none, but no line says whose message it is, or who is in the group */
} rn_hang_wait;

/* What is different in a mismatch. */
typedef enum rn_hang_difference {
    RN_DIFFERS_NOT,
    RN_DIFFERS_OPERATION,
    RN_DIFFERS_TYPE,
    RN_DIFFERS_SIZE,
    RN_DIFFERS_SPLIT,
    RN_DIFFERS_ROOT
} rn_hang_difference;

/* Why nothing more is said, where the evidence is short rather than against itself. */
typedef enum rn_hang_doubt {
    RN_DOUBT_NONE,
    RN_DOUBT_TROUBLE, /* no call is open, but a line tells that the job does not run on */
    RN_DOUBT_LAUNCHES, /* no call is seen to be open; but logs and reports tell which began, not which ended */
    RN_DOUBT_NO_CALL, /* there is no call in any dump */
    RN_DOUBT_LOST, /* no call is seen to be open, but one is that is lost, or messages do not meet */
    RN_DOUBT_PART,    /* not of all ranks is something there */
    RN_DOUBT_SIZE,    /* all that print are there; but how many ranks there are no line says */
    RN_DOUBT_OTHERS,  /* some of a group are in a call; what the others called no line says */
    RN_DOUBT_UNNAMED, /* for whom they wait no line says */
    RN_DOUBT_PASSED,  /* some are still in a call that others have ended: they made other calls */
    RN_DOUBT_LEFT,    /* the same, of a call that need not end on all together */
    RN_DOUBT_ROOTS,   /* ranks that are waited for wait for nobody, in several calls */
    RN_DOUBT_SOURCES /* of some ranks other things are there than of the rest, and nothing joins them */
} rn_hang_doubt;

/* How a rank stands to a call of its group. */
typedef enum rn_lane_mark {
    RN_LANE_NONE,    /* it is none of the rank's calls, or the rank waits before it */
    RN_LANE_UNKNOWN, /* no dump, or the dump does not go so far */
    RN_LANE_ABSENT,  /* the rank did not make it */
    RN_LANE_OPEN,    /* it is in it */
    RN_LANE_MADE,    /* it made it; nothing says whether it is over */
    RN_LANE_DONE
} rn_lane_mark;
typedef struct rn_lane_cell {
    const rn_call *call; /* NULL: none */
    rn_lane_mark mark;
    bool odd; /* not what most do there */
} rn_lane_cell;

/* The calls of one group side by side: a lane for each member, a column for each call, from the last ones that all
   made alike to the standstill. */
typedef struct rn_hang_lanes {
    const char *group, *desc; /* desc NULL: not known */
    const char *const *words; /* of the calls' texts */
    int32_t n_lanes, n_columns;
    int32_t *ranks;      /* [n_lanes] ascending */
    rn_lane_cell *cells; /* [n_lanes x n_columns] */
    rn_lane_cell *most;  /* [n_columns] what most do there */
} rn_hang_lanes;

typedef struct rn_hang {
    int32_t n_ranks;        /* of the job: those that have a dump, and those that a group names */
    int32_t n_files, n_cut; /* dumps; those that end too early */
    rn_hang_verdict verdict;
    rn_hang_place *culprits; /* undecided: the candidates */
    int32_t n_culprits;
    /* undecided: so many of culprits[] only stand in a call: none is a candidate */
    int32_t n_waiters;
    rn_hang_wait *waits; /* by rank */
    int64_t n_waits;
    rn_hang_place others; /* what the majority does where the first culprit does something else */
    bool has_others;
    int32_t n_agree,
        n_of; /* so many of the group's dumped ranks agree on that; slow: to so many of the calls that were
                              compared it came last */
    /* left out, or too many: so many one after another, each of the culprits as many */
    int32_t n_calls;
    int64_t last_seq;    /* the number of the last one of them */
    int64_t late_ns;     /* slow: by so much on average, where it came last */
    bool crossed;        /* cycle: two calls that all have made, launched in different order */
    rn_hang_doubt doubt; /* undecided */
    const rn_evidence *evidence; /* [n_evidence] what logs say themselves */
    int32_t n_evidence;
    const rn_evidence *witness; /* the line that decides, or says most; NULL: the calls do */
    bool rough;  /* culprits without a dump: the others' calls are from lines of logs */
    bool spoke;  /* silent-rank: something was read of each, but no call */
    bool unread; /* undecided: nothing can be read of ranks that are waited for */
    /* undecided: lines that would tell in which call those are that are waited for are cut, or left out */
    bool unsaid;
    bool in_file; /* and one at least of them has a file; else a cut archive may lack them */
    /* undecided: the first candidates may have strayed; the rest have no dump. With others: these wait for the first one, and it has not come */
    int32_t n_strayed;
    bool knotted; /* undecided: the candidates wait in a circle, whatever those without a dump do */
    /* undecided: the candidates are in one call; what came before, or what others called, is lost */
    bool lost;
    bool later;     /* undecided: what others did is not made, rather than another made instead */
    int32_t n_came; /* and then: so many candidates, the first, made the call; the rest did not */
    rn_hang_difference difference;
    rn_hang_lanes lanes; /* of the group where it goes wrong; without columns where nothing waits */
} rn_hang;

/* Says what is wrong with ranks, of each at most one dump of NCCL's launched calls and one of torch's, in any order: the two number
   groups and calls apart, and each is judged by itself. Their words are numbered anew; they must live as long as the answer. */
rs_status rn_judge_hang(rn_dump dumps[], int32_t n_dumps, const rs_host *host, rs_arena *arena,
                        rs_error *error, rn_hang *hang);

/* Weighs what logs say themselves beside what the calls tell; the evidence must live as long as the answer. */
rs_status rn_weigh_evidence(const rn_evidence evidence[], int32_t n, rs_arena *arena,
                            rs_error *error, rn_hang *hang);

/* ------------------------------------------------------------------ small broken jobs, to learn by */

/* A job in which one rank does something else once, and all stand still. */
typedef struct rn_broken_job {
    /* missing-call, extra-call, swapped, mismatch or silent-rank; of the example undecided */
    rn_hang_verdict kind;
    int32_t n_ranks, rank; /* rank: who does something else */
    uint64_t seed;
} rn_broken_job;
enum { RN_BROKEN_JOBS = 5, RN_BROKEN_RANKS = 8 /* the most of one */ };
/* Draws one job of each kind, in any order; in one of them it is rank 0. The same seed, the same jobs. */
void rn_broken_jobs(uint64_t seed, rn_broken_job jobs[RN_BROKEN_JOBS]);
/* Returns the tutorials' own: two ranks, of which rank 0 calls once more; nobody tells who is right. */
rn_broken_job rn_broken_example(void);
/* Runs such a job until nothing moves. dumps[]: room for n_ranks, of which *n_dumps are filled, from the arena, by
   rank. lines: of train.py, whose calls differ, or where a silent rank is waited for; the second is -1 but where
   two are swapped. */
rs_status rn_break_job(const rn_broken_job *job, rs_arena *arena, rs_error *error, rn_dump dumps[],
                       int32_t *n_dumps, int32_t lines[2]);

RS_END_DECLS
