/* evidence.h: what the parts of the reader of a log's own witness share. Private to nccl/.
 *
 *     a line --evidence_forms.c: one row a form--> evidence; of lines that belong together --evidence_blocks.c--> evidence
 */
#pragma once

#include "hang_log.h"

enum { RN_EVIDENCE_WORDS = 100 /* bytes of a line's words */ };
#define RN_STORE_BARRIER "store barrier"

/* What earlier lines told, where several belong together. */
typedef struct rn_block {
    int64_t rank;                   /* of torchrun's table, MPI's block; -1: not said */
    bool root;                      /* in torchrun's table: the first failure */
    char when[20];                  /* of it: "2023-06-03_22:45:01" */
    bool horovod;                   /* a list of ranks follows */
    int64_t seq;                    /* of fr_trace's report */
    int64_t store_barrier;          /* the number of the store's barrier that is told of */
    const char *call, *barrier;     /* barrier: of JAX's report */
    int64_t stack_rank, stack_line; /* py-spy's: who was named last, and where */
    bool in_main;                   /* py-spy: in the main thread's lines */
} rn_block;

typedef struct rn_evidence_reader {
    rs_heap *heap, *keep;
    rn_evidence *list, spare; /* spare: where there is no room; nobody reads it */
    int32_t n;
    int64_t room, line;
    const char *text;    /* of the line at hand */
    char first_left[20]; /* of torchrun's tables the first in time; "": there was none */
    bool whole, part;    /* part: lines name other groups than that of all */
    rn_block block;
    rn_last_error last_error;
    struct rn_started *started; /* [started_room] by rank: communicators' starts */
    int64_t started_room;
    int32_t n_started; /* ranks of the largest communicator */
    uint64_t started_id;
    bool several; /* of the largest: nothing says which is whose */
    /* that launched calls of communicators without a start, or stacks */
    struct rn_process *processes;
    int32_t n_processes;
    int64_t processes_room;
    struct rn_trace *traces; /* exceptions, by rank */
    int32_t n_traces;
    int64_t traces_room;
    rs_texts process_keys;
} rn_evidence_reader;
static inline bool rn_evidence_lacks(const rn_evidence_reader *r) {
    return r->heap->arena->lacked || r->keep->arena->lacked;
}

/* Adds evidence; without memory, or where there is enough of it, the spare. */
rn_evidence *rn_add_evidence(rn_evidence_reader *r, rn_proof proof);
/* Adds one to its ranks. */
void rn_add_rank(rn_evidence_reader *r, rn_evidence *e, int64_t rank);
/* Puts those below `end` in the place of its ranks that are none of them. */
void rn_turn_ranks(rn_evidence_reader *r, rn_evidence *e, int32_t end);
/* Keeps words of a line, up to a tab or its end. */
const char *rn_keep_words(rn_evidence_reader *r, const char *at, size_t n);

/* ------------------------------------------------------------------ evidence_forms.c */

/* Which six letters forms begin with, by a hash of 16 bits. */
typedef struct rn_form_letters {
    uint8_t bits[8192];
} rn_form_letters;
rn_form_letters rn_letters_of_forms(void);
/* Takes what the line proves by itself; false: nothing. r NULL: it is only asked. */
bool rn_take_form(const rn_form_letters *letters, rn_evidence_reader *r, const char *line);

/* ------------------------------------------------------------------ tracebacks.c */

/* Reads a line of an exception of Python, and what shows that it was caught. */
void rn_take_trace(rn_evidence_reader *r, const char *line);

/* ------------------------------------------------------------------ evidence_blocks.c */

/* Reads what lines tell together. */
void rn_take_block(rn_evidence_reader *r, const char *line);
/* When all lines are read: whose start did not end, who launched another call, who is elsewhere in the program. */
void rn_end_blocks(rn_evidence_reader *r);
