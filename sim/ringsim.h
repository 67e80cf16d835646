/* ringsim.h: the whole face of libringsim, in the order in which data flows.
 *
 *     algorithm ---> SCHEDULE --+--> check ------> verdict
 *                               +--> simulate ---> TRACE
 *                               +--> apply ------> values
 *
 *   - Pure C17: no files, no clock, no environment, no threads, no globals but const tables.
 *     What the outside world offers (memory, cores, a progress bar) comes in through rs_host.
 *   - Every function that can fail returns an rs_status; its result is the last argument and is
 *     untouched on failure; the reason is in *error, in one line: what, where, what to do next.
 *   - Memory comes from the rs_arena that the caller passes, and dies with it.
 *   - Times are int64 picoseconds, sizes are bytes unless a name says elements, ranks, chunks and
 *     steps count from 0.
 */
#ifndef RINGSIM_H
#define RINGSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ 1. Status, host and memory */

typedef enum rs_status {
    RS_OK,
    RS_BAD_INPUT, /* the caller's data is wrong; nothing was done */
    RS_NO_MEMORY, /* the host has no more memory, or the arena's limit is reached */
    RS_TOO_LARGE, /* beyond what this function promises (times past 2^53 ps, too many transfers) */
    RS_UNSUPPORTED, /* right in itself, but not with this engine */
    RS_CANCELLED    /* the host's progress function said stop */
} rs_status;

enum { RS_ERROR_TEXT = 512 };
typedef struct rs_error {
    char text[RS_ERROR_TEXT]; /* one line, UTF-8, always terminated */
} rs_error;

/* Writes a printf-style message into *error (may be NULL) and returns `status`. */
rs_status rs_fail(rs_error *error, rs_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* What the library may ask of the outside world. Every member may be NULL (or 0). */
typedef struct rs_host {
    void *context;                                    /* handed back to each function below */
    void *(*allocate)(void *context, size_t n_bytes); /* NULL: malloc */
    void (*release)(void *context, void *block, size_t n_bytes); /* NULL: free */
    /* Runs task(argument, 0..n_tasks-1), in any order, on any threads; returns when all are done.
       NULL: one after another. */
    void (*parallel_for)(void *context, int n_tasks, void (*task)(void *argument, int index),
                         void *argument);
    int n_workers; /* how many tasks really run side by side; 0 means 1 */
    /* Told now and then how far `what` has come; returns false to cancel. Called from the thread
       that entered the library. NULL: never asked. */
    bool (*progress)(void *context, const char *what, int64_t done, int64_t total);
} rs_host;

/* All the memory of one run, freed at once. */
typedef struct rs_arena {
    const rs_host *host;
    struct rs_block *blocks;
    size_t n_bytes;     /* taken from the host so far */
    size_t limit_bytes; /* 0: no limit */
} rs_arena;

void rs_arena_init(rs_arena *arena, const rs_host *host); /* host may be NULL */
void rs_arena_free(rs_arena *arena);
/* Returns `count` zeroed objects of `size` bytes, aligned to 64; NULL on overflow or want of memory.
   Blocks of more than 64 KiB are separate host blocks, so that large ones start on fresh pages. */
void *rs_alloc(rs_arena *arena, size_t count, size_t size);

/* ------------------------------------------------------------------ 2. The schedule (the plan) */

typedef enum rs_effect { RS_REDUCE, RS_COPY } rs_effect; /* the receiver adds, or overwrites */
typedef enum rs_phase {
    RS_PHASE_NONE, /* schedules from files */
    RS_SCATTER_REDUCE,
    RS_ALL_GATHER,
    RS_REDUCE_PHASE,
    RS_BROADCAST,
    RS_EXCHANGE,
    RS_FOLD_IN,
    RS_FOLD_OUT
} rs_phase;
typedef enum rs_order { RS_ORDER_SEED, RS_ORDER_NCCL } rs_order;

enum {
    RS_MAX_RANKS = 131072,    /* generated schedules */
    RS_MAX_FILE_RANKS = 4096, /* schedules from files, chunks too */
    RS_MAX_FILE_TRANSFERS = 10000000,
    RS_MAX_PHASES = 4,
    RS_MAX_SENDS = 16 /* messages of one rank in one step, each way; generated schedules */
};

/* One message: a contiguous range of chunks from src to dst in a step. */
typedef struct rs_transfer {
    int32_t src, dst;
    int32_t chunk;    /* the first */
    int32_t n_chunks; /* >= 1; the range never wraps past the last chunk */
    int32_t order;    /* its place in the step's list. In generated schedules any numbers that rise
                         along the list, none twice: the source rank will do where each sends one */
    uint8_t effect;   /* rs_effect */
    uint8_t channel;  /* 0 for now */
} rs_transfer;

typedef struct rs_phase_range {
    rs_phase phase;
    int32_t first_step; /* the phase ends where the next begins */
} rs_phase_range;

/* A schedule answers, for every step and rank, what that rank sends, as a pure function, with its
   inverse. Nobody but the makers below fills one in. Copy it freely; it owns nothing. */
typedef struct rs_schedule rs_schedule;
struct rs_schedule {
    const char *name;    /* "ring", "naive", ...; "file" */
    rs_order order;      /* the ring's chunk order */
    int32_t n_ranks;     /* N, the world size */
    int32_t n_chunks;    /* C, pieces of the array; 0: there is nothing to reduce */
    int32_t n_steps;     /* S */
    int32_t max_sends;   /* the most sends, or receives, of one rank in one step: size of out[] */
    int32_t max_run;     /* the most chunks in one transfer */
    int64_t n_transfers; /* over all steps */
    rs_phase_range phases[RS_MAX_PHASES];
    int32_t n_phases;
    /* Each rank sends to one fixed rank and hears from one fixed rank all the time (a ring). */
    bool fixed_neighbours;
    /* What `rank` sends (receives) in `step`, in list order; returns how many. */
    int (*sends)(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]);
    int (*recvs)(const rs_schedule *schedule, int32_t step, int32_t rank, rs_transfer out[]);
    /* The first step >= step in which `rank` sends or receives, n_steps if none. NULL: `step`. */
    int32_t (*next_step)(const rs_schedule *schedule, int32_t step, int32_t rank);
    /* The first rank >= rank that sends in `step`, n_ranks if none. NULL: `rank`, most do. */
    int32_t (*next_sender)(const rs_schedule *schedule, int32_t step, int32_t rank);
    const void *table;                    /* compiled schedules (table.c); NULL for functions */
    const void *context;                  /* what the functions read besides; NULL for most */
    const struct rs_algorithm *algorithm; /* who made it; NULL for compiled schedules */
};

/* An algorithm: makes a schedule, and may know its own numbers. rs_schedule_make takes any, whether
   it is in the list below or your program's own; README of this room: "To add an algorithm". */
struct rs_net;
typedef struct rs_algorithm {
    const char *name;
    const char *summary; /* one line, English, marked for translation */
    /* Fills in a schedule of N >= 2 ranks and at least one element: n_steps, n_transfers, sends and
       recvs always; n_chunks, max_sends and max_run where they are not 1; phases for the captions;
       next_step, next_sender and fixed_neighbours for speed. Name, n_ranks and order are there. */
    void (*make)(int32_t n_ranks, rs_order order, rs_schedule *schedule);
    /* Returns the time on equal, private links under rendezvous, in ps (theory: the file's head).
       Exact for every count >= 1, to the picosecond. NULL: none is known. */
    int64_t (*closed_form_ps)(int32_t n_ranks, int64_t count, int32_t elem_bytes,
                              const struct rs_net *net);
    /* Returns how many elements `rank` sends in the whole run. NULL: they are counted, step by step. */
    int64_t (*elements_sent)(const rs_schedule *schedule, int64_t count, int32_t rank);
} rs_algorithm;

extern const rs_algorithm *const rs_algorithms[];        /* ends with NULL */
const rs_algorithm *rs_find_algorithm(const char *name); /* NULL if there is none */

/* Makes the schedule of `algorithm` for N ranks and `count` elements a rank. With N = 1 or count = 0
   it has no steps (and with count = 0 no chunks). */
rs_status rs_schedule_make(const rs_algorithm *algorithm, rs_order order, int32_t n_ranks,
                           int64_t count, rs_error *error, rs_schedule *schedule);

/* Compiles a list of transfers to a schedule (tables: 14 bytes a transfer). step_first has n_steps + 1
   entries: step s holds list[step_first[s] .. step_first[s + 1] - 1], in list order (`order` in the
   list is ignored and set). Checks every number; both arrays may be freed afterwards. */
rs_status rs_schedule_from_list(int32_t n_ranks, int32_t n_chunks, int32_t n_steps,
                                const int64_t step_first[], const rs_transfer list[],
                                rs_arena *arena, rs_error *error, rs_schedule *schedule);

/* Walks the transfers of one step in list order:
       rs_cursor c = {0};  while (rs_next_transfer(s, step, &c, &t)) ... */
typedef struct rs_cursor {
    int64_t at;
} rs_cursor;
bool rs_next_transfer(const rs_schedule *schedule, int32_t step, rs_cursor *cursor,
                      rs_transfer *transfer);

/* Returns the first element of `chunk`, when `count` elements are cut into n_chunks; the first
   count mod n_chunks chunks hold one more. chunk = n_chunks gives count. */
int64_t rs_chunk_offset(int64_t count, int32_t n_chunks, int32_t chunk);
/* Returns how many elements the transfer carries. */
int64_t rs_transfer_count(const rs_schedule *schedule, int64_t count, const rs_transfer *transfer);
/* Returns the phase of a step, and its iteration in that phase, from 0 (may be NULL). */
rs_phase rs_phase_at(const rs_schedule *schedule, int32_t step, int32_t *iteration, int32_t *of);
const char *rs_phase_name(rs_phase phase); /* "scatter-reduce", ...; NULL for RS_PHASE_NONE */
/* Returns the elements that `rank` sends in the whole run; by formula where there is one. */
int64_t rs_elements_sent(const rs_schedule *schedule, int64_t count, int32_t rank);

/* .sched text: see ringsim-sched(5). Errors name line and column. */
rs_status rs_parse_schedule(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                            rs_schedule *schedule);
typedef void (*rs_write)(void *context, const char *text, size_t n_bytes);
void rs_print_schedule(const rs_schedule *schedule, rs_write write, void *context);

/* ------------------------------------------------------------------ 3. Check: is it an all-reduce? */

typedef enum rs_verdict_fault {
    RS_SOUND,
    RS_UNFINISHED,           /* "unfinished": contributions never came */
    RS_WRONG,                /* "wrong": a copy and another message hit one cell in one step */
    RS_COUNTED_TWICE,        /* "counted-twice" */
    RS_OVERWRITTEN_TOO_EARLY /* "overwritten-too-early": contributions were lost under a copy */
} rs_verdict_fault;

typedef struct rs_verdict {
    bool sound; /* at the end every cell holds every contribution exactly once */
    rs_verdict_fault fault;
    int32_t step, rank, chunk; /* the receiver's cell, and when; step -1: never touched */
    int32_t src;               /* who sent what spoilt it; -1: nobody */
    int32_t who;       /* the contribution counted twice, lost or missing (the lowest); -1 */
    char had[96];      /* what was there, e.g. "ranks 0 1 2", "ranks 0..7", "rank 1 twice" */
    char expected[96]; /* what should have been */
    char text[320];    /* one English sentence: "step 3: rank 2 adds rank 1's ..." */
} rs_verdict;

const char *rs_fault_name(rs_verdict_fault fault); /* NULL for RS_SOUND */
/* Judges any schedule. Time: chunks moved x N / 64. */
rs_status rs_check(const rs_schedule *schedule, const rs_host *host, rs_error *error,
                   rs_verdict *verdict);

/* Who is inside each cell after some steps, for views and for the exact answer. */
typedef struct rs_contents rs_contents;
rs_status rs_contents_new(const rs_schedule *schedule, rs_arena *arena, rs_error *error,
                          rs_contents **contents);
/* Moves to the moment before `step` (n_steps: the end); backwards replays. `entered` as in rs_apply. */
rs_status rs_contents_seek(rs_contents *contents, int32_t step, const int32_t entered[],
                           rs_error *error);
/* Lists the cell's contributors in fold order into out[0..max-1]; returns how many there are. A rank
   counted twice is listed twice. */
int64_t rs_contents_list(const rs_contents *contents, int32_t rank, int32_t chunk, int32_t out[],
                         int64_t max);
int64_t rs_contents_count(const rs_contents *contents, int32_t rank, int32_t chunk);
/* Tells whether the cell holds every rank exactly once. */
bool rs_contents_complete(const rs_contents *contents, int32_t rank, int32_t chunk);

/* ------------------------------------------------------------------ 4. Values: the reference execution */

typedef enum rs_dtype {
    RS_I8,
    RS_U8,
    RS_I32,
    RS_U32,
    RS_I64,
    RS_U64,
    RS_F16,
    RS_BF16,
    RS_F32,
    RS_F64,
    RS_N_DTYPES
} rs_dtype;
typedef enum rs_op { RS_SUM, RS_PROD, RS_MIN, RS_MAX, RS_AVG, RS_N_OPS } rs_op;
const char *rs_dtype_name(rs_dtype dtype); /* "i8", ... */
const char *rs_op_name(rs_op op);          /* "sum", ... */
int32_t rs_dtype_bytes(rs_dtype dtype);
bool rs_dtype_is_float(rs_dtype dtype);
/* Prints element `index` of `data`, shortest text that reads back; returns snprintf's count. */
int rs_print_value(rs_dtype dtype, const void *data, int64_t index, char *out, size_t n_out);

/* Folds elementwise: acc[i] = left[i] op right[i]; acc may be left or right. avg folds as sum. The
   bit rules: README of this room. */
void rs_fold(rs_dtype dtype, rs_op op, const void *left, const void *right, void *acc,
             int64_t count);
/* Ends avg: divides each element by n_ranks; nothing for the other ops. */
void rs_finish(rs_dtype dtype, rs_op op, int32_t n_ranks, void *data, int64_t count);
/* Tells whether two arrays hold the same values: bits equal, or both NaN. */
bool rs_equal(rs_dtype dtype, const void *a, const void *b, int64_t count);
uint32_t rs_crc32(uint32_t crc, const void *data,
                  size_t n_bytes); /* IEEE, as in zlib; start at 0 */

typedef enum rs_data {
    RS_DATA_AUTO,
    RS_DATA_DIGITS,
    RS_DATA_INDEX,
    RS_DATA_RANDOM,
    RS_DATA_LIST
} rs_data;
/* Tells whether digits data stays readable: every sum fits dtype exactly and chunk + 1 < 10. */
bool rs_digits_fit(int32_t n_ranks, int32_t n_chunks, rs_dtype dtype, rs_op op);
/* Fills `out` with what `rank` holds at the start: n_elems elements, all of them (n_elems = count) or,
   with n_elems = n_chunks < count, the first of each chunk, standing for it.
   digits: (chunk + 1) x 10^rank. index: integers rank x count + i (wrapping), floats (rank + i) mod 8.
   random: from (seed, rank, i) alone. list: list[rank], n_ranks numbers. */
void rs_fill(rs_data data, rs_dtype dtype, int32_t rank, int32_t n_chunks, int64_t count,
             int64_t n_elems, uint64_t seed, const double list[], void *out);

typedef struct rs_apply_options {
    int32_t until_step;            /* stop before this step; n_steps: run to the end */
    const int32_t *entered;        /* [n_ranks] steps each rank entered (rs_outcome); NULL: all. A
                                    transfer happens when both ends entered its step */
    const struct rs_fault *faults; /* flips are obeyed, all others ignored */
    int32_t n_faults;
} rs_apply_options;
/* Executes the schedule on real arrays: ranks[r] points to `count` elements, in place; the arrays do
   not overlap. A step reads before it writes; several messages into one cell fold in list order.
   Includes rs_finish when it runs to the end. */
rs_status rs_apply(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count,
                   void *const ranks[], const rs_apply_options *options, const rs_host *host,
                   rs_error *error);
/* Judges results: wrong[r] = rank r does not hold the exact answer for inputs[] (integers, min, max:
   whatever the order; other floats: bit by bit, with the fold in the schedule's own order). */
rs_status rs_compare(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count,
                     const void *const inputs[], const void *const results[], const rs_host *host,
                     rs_error *error, bool wrong[]);
/* Counts, for each rank, the elements that are not the exact answer. results[r] NULL: that rank is
   not judged here, in rs_compare neither; its inputs are needed all the same. */
rs_status rs_count_wrong(const rs_schedule *schedule, rs_dtype dtype, rs_op op, int64_t count,
                         const void *const inputs[], const void *const results[],
                         const rs_host *host, rs_error *error, int64_t n_wrong[]);

/* ------------------------------------------------------------------ 5. The network and its faults */

typedef struct rs_link {
    int64_t alpha_ps;       /* latency */
    uint64_t bandwidth_Bps; /* bytes a second, >= 1 */
} rs_link;
typedef struct rs_link_override {
    int32_t src, dst;
    rs_link link;
} rs_link_override;
typedef enum rs_protocol { RS_RENDEZVOUS, RS_EAGER } rs_protocol;

typedef struct rs_net {
    rs_link link;                      /* between every pair of ranks, unless overridden */
    const rs_link_override *overrides; /* sorted by (src, dst), no pair twice */
    int32_t n_overrides;
    uint64_t reduce_Bps; /* speed of the addition; 0: infinite */
    rs_protocol protocol;
} rs_net;

typedef enum rs_fault_kind {
    RS_SLOW_LINK,   /* the links out of `rank` are `factor` times slower, latency and bandwidth */
    RS_LATE,        /* `rank` starts time_ps late */
    RS_STRAGGLER,   /* `rank` needs time_ps more before each step */
    RS_KILL,        /* `rank` dies before `step` */
    RS_FLIP,        /* the lowest bit of the first element of what it sends in `step` flips */
    RS_SLOW_REDUCE, /* `rank`'s additions are `factor` times slower */
    RS_DOWN         /* its outgoing link is down for time_ps before its first transfer of `step` */
} rs_fault_kind;
typedef struct rs_fault {
    rs_fault_kind kind;
    int32_t rank, step;
    int64_t time_ps;
    uint64_t factor_num, factor_den; /* factor = num / den; both <= 10^9 */
} rs_fault;

typedef struct rs_job {
    const rs_schedule *schedule;
    int64_t count; /* elements a rank */
    int32_t elem_bytes;
    rs_net net;
    const rs_fault *faults;
    int32_t n_faults;
} rs_job;

/* Returns b / B in ps, to the nearest (halves up), for n_bytes over bandwidth_Bps slowed by num/den;
   INT64_MAX where it does not fit. */
int64_t rs_wire_ps(int64_t n_bytes, uint64_t bandwidth_Bps, uint64_t num, uint64_t den);

/* ------------------------------------------------------------------ 6. Simulate: what happens when */

typedef enum rs_engine { RS_ENGINE_AUTO, RS_ENGINE_EVENTS, RS_ENGINE_WAVEFRONT } rs_engine;

/* One transfer that happened. */
typedef struct rs_timed {
    rs_transfer transfer;
    int32_t step;
    int64_t start_ps;
    int64_t end_ps;  /* the data have arrived */
    int64_t done_ps; /* the receiver, too, has come (eager) and has added them (copies: 0 ps) */
} rs_timed;

typedef struct rs_sink {
    void *context;
    void (*transfer)(void *context, const rs_timed *timed); /* in the engine's own order */
} rs_sink;

typedef struct rs_wait { /* a survivor that will never leave `step` */
    int32_t rank, step;
    int32_t n_waits_for;
    const int32_t *waits_for; /* the peers it waits for, ascending */
} rs_wait;

typedef struct rs_outcome {
    rs_engine engine;    /* the one that ran */
    bool completed;      /* every rank left its last step */
    int64_t makespan_ps; /* when the last rank finished; stalled: the last event */
    int64_t n_transfers; /* that happened */
    int64_t *finish_ps;  /* [n_ranks] when each left its last step; -1: never */
    int32_t *entered;    /* [n_ranks] how many steps each entered */
    int64_t *bytes_sent; /* [n_ranks] */
    rs_wait *stalled;    /* [n_stalled] survivors only, by rank */
    int32_t n_stalled;
    int32_t *killed; /* [n_killed] ranks that died, ascending */
    int32_t n_killed;
} rs_outcome;

/* Tells whether the wavefront engine gives the same answer for this job: no wire is shared. */
bool rs_wavefront_applies(const rs_job *job);
/* Times the job. sink may be NULL (nothing a transfer is stored). Checks the job's numbers first. */
rs_status rs_simulate(const rs_job *job, rs_engine engine, const rs_sink *sink, rs_arena *arena,
                      rs_error *error, rs_outcome *outcome);

/* The whole trace, sorted by step, then list order. */
typedef struct rs_trace {
    rs_timed *items;
    int64_t n_items, capacity;
} rs_trace;
rs_status rs_trace_new(int64_t capacity, rs_arena *arena, rs_error *error, rs_trace **trace);
rs_sink rs_trace_sink(rs_trace *trace);
void rs_trace_sort(rs_trace *trace);

/* Where a span of time went, along the chain of transfers that took longest. */
typedef struct rs_time_split {
    int64_t latency_ps, wire_ps, adding_ps, waiting_ps;
} rs_time_split;
typedef struct rs_critical_path rs_critical_path;
/* Gets a job that was simulated, and its sorted trace, ready to be split; both must outlive it. */
rs_status rs_critical_path_new(const rs_job *job, const rs_trace *trace, rs_arena *arena,
                               rs_error *error, rs_critical_path **path);
/* Splits the time until the last of the first n_items of the trace was done. */
rs_time_split rs_critical_path_split(const rs_critical_path *path, int64_t n_items);

/* ------------------------------------------------------------------ 7. Measure */

/* Returns 2(N-1)/N K/B of the fastest link, in ps, rounded up: no algorithm is faster (Patarasuk and
   Yuan, JPDC 69(2), 2009). Of faults only links made faster count. The job is one that rs_simulate
   takes. */
int64_t rs_lower_bound_ps(const rs_job *job);
/* Returns the algorithm's closed form, -1 where it has none or it does not hold (eager, faults,
   unequal links). */
int64_t rs_closed_form_ps(const rs_job *job);
/* Bytes a rank over the time, and that x 2(N-1)/N, in GB/s as in nccl-tests; false: no rate. */
bool rs_rates(int64_t n_bytes, int32_t n_ranks, int64_t time_ps, double *algbw_GBps,
              double *busbw_GBps);

/* ------------------------------------------------------------------ 8. A whole run */

typedef enum rs_values {
    RS_VALUES_AUTO,
    RS_VALUES_ALL,
    RS_VALUES_SAMPLE,
    RS_VALUES_NONE
} rs_values;
typedef enum rs_when { RS_AUTO, RS_ALWAYS, RS_NEVER } rs_when;

typedef struct rs_request {
    rs_job job;
    rs_dtype dtype;
    rs_op op;
    rs_data data;
    uint64_t seed;
    const double *list; /* [n_ranks], for RS_DATA_LIST */
    const void *input;  /* n_ranks x count elements, rank after rank; NULL: generated from `data` */
    rs_values values;
    rs_when check;
    rs_engine engine;
    int64_t trace_limit; /* keep the trace if there are at most so many transfers; 0: no trace */
} rs_request;

typedef struct rs_report {
    rs_request request; /* with every auto resolved but `check` */
    const struct rs_recording
        *recording; /* NULL: a run of our own. Else it was read (see 9): there is
                                             no net, fault, bound or value; the trace holds */
    rs_outcome outcome;
    rs_trace *trace; /* NULL: not kept */
    bool judged;     /* `verdict` holds */
    rs_verdict verdict;
    bool computed; /* values moved: `correct`, `wrong`, `results` and `crc32` hold */
    bool correct;
    bool *wrong;     /* [n_ranks] */
    int64_t n_elems; /* elements a rank that really moved: count, or n_chunks (see rs_fill) */
    void **inputs;   /* [n_ranks] n_elems elements each */
    void **results;  /* [n_ranks] n_elems elements each */
    uint32_t *crc32; /* [n_ranks] */
    int64_t lower_bound_ps;
    bool has_rates;
    double algbw_GBps, busbw_GBps;
} rs_report;

/* Simulates, judges, executes and compares one collective. */
rs_status rs_run(const rs_request *request, rs_arena *arena, rs_error *error, rs_report *report);

/* ------------------------------------------------------------------ 9. Recorded runs */

enum { RS_BY_TEXT = 160, RS_MAX_RUNS = 1024 };

/* One run as it was measured, or simulated elsewhere: what happened when, and nothing else. */
typedef struct rs_recording {
    bool measured;       /* by a clock; else simulated */
    char by[RS_BY_TEXT]; /* by what, in words */
    rs_dtype dtype;
    rs_op op;
    int64_t count; /* elements a rank */
    rs_schedule schedule;
    rs_trace trace;   /* every transfer of the schedule, in its order; never happened: times -1 */
    int32_t *entered; /* [n_ranks] how many steps each entered; NULL: all, it completed */
} rs_recording;

/* .trace text: see ringsim-trace(5). Runs of one group, most often over several sizes, as n_runs
   recordings. A schedule that an algorithm here would make is taken for that one's. */
rs_status rs_parse_trace(const char *text, size_t n_bytes, rs_arena *arena, rs_error *error,
                         rs_recording **runs, int32_t *n_runs);
/* All runs have the same ranks, and `measured` and `by` of the first. */
void rs_print_trace(const rs_recording runs[], int32_t n_runs, rs_write write, void *context);

/* Records a run of ours, whose trace was kept; `by` is cut where it is too long. */
rs_status rs_recording_of(const rs_report *report, const char *by, rs_arena *arena, rs_error *error,
                          rs_recording *recording);
/* Reports a recorded run as if it were ours, as far as it can be known: outcome, trace, verdict, rates.
   The recording must outlive the report. */
rs_status rs_recording_report(const rs_recording *recording, rs_arena *arena, rs_error *error,
                              rs_report *report);

/* ------------------------------------------------------------------ 10. Fit: what links are there? */

/* One message over one link, or one collective: so many bytes took so long. */
typedef struct rs_sample {
    int64_t n_bytes;
    int64_t span_ps;
} rs_sample;

/* span = alpha + bytes / B, fitted so that outliers hardly matter and small messages count as much as
   large ones: errors are relative. */
typedef struct rs_line_fit {
    int64_t n_samples, n_outliers; /* outliers: far from others of the same size, or from the
                                      line */
    int64_t least_bytes, most_bytes;
    bool split;         /* alpha and B can be told apart: the sizes differ by half or more */
    double alpha_ps;    /* >= 0; not split: 0 */
    double ps_per_byte; /* 1 / B, >= 0; not split: all of the time, as if alpha were 0 */
    double alpha_error_ps, ps_per_byte_error; /* standard errors */
    double typical;                           /* the median of |residual| / fitted */
    double worst;                             /* the largest, outliers too */
} rs_line_fit;

/* Fits a line to n >= 1 samples, which it sorts; bytes and spans are >= 0. First Theil and Sen's median
   of slopes over the sizes, then least squares with Tukey's weights. */
rs_status rs_fit_line(rs_sample samples[], int64_t n_samples, rs_arena *arena, rs_error *error,
                      rs_line_fit *fit);

/* What one directed link did in all runs. */
typedef struct rs_link_fit {
    int32_t src, dst;
    rs_line_fit line;
    double share; /* its time for a message over the median link's: 4 is four times as slow */
} rs_link_fit;

typedef struct rs_diagnosis {
    rs_link_fit *links; /* [n_links] sorted by (src, dst) */
    int32_t n_links;
    bool split;          /* alpha and B can be told apart for every link */
    double alpha_ps;     /* the median link's, not split: 0 */
    double ps_per_byte;  /* ... */
    double typical;      /* by how much a message's time strays from its link's line */
    int32_t slowest;     /* index of the link with the largest share; -1: nothing was sent */
    int64_t bytes;       /* the size of message for which its share is told */
    bool stands_out;     /* it is slower than the others' scatter explains */
    bool latency_bound;  /* at that size more of its excess is latency than bytes; needs `split` */
    uint64_t reduce_Bps; /* speed of the additions; 0: they take no time */
} rs_diagnosis;

/* Fits every link that the runs used, and finds the slowest. */
rs_status rs_diagnose(const rs_recording runs[], int32_t n_runs, rs_arena *arena, rs_error *error,
                      rs_diagnosis *diagnosis);
/* Returns a fitted line as a link: rounded, and with a bandwidth even where none shows. */
rs_link rs_link_of(double alpha_ps, double ps_per_byte);

#ifdef __cplusplus
}
#endif
#endif
