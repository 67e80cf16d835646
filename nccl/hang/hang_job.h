/* hang_job.h: all ranks' calls as one value: the dumps with common words, groups, and each member's calls in order.
 * Private to nccl/.
 *
 *     dumps --rn_gather_job--> rn_hang_job --rn_align_group--> edits, by group
 *                                          --rn_find_waits---> who waits for whom
 */
#pragma once

#include "hang/dumps/data_tree.h"
#include "ringsim_hang.h"

/* A call as the alignment sees it. */
typedef struct rn_call_mark {
    uint32_t args; /* equal: the same operation, type and sizes */
    uint32_t site; /* equal: called from the same lines; 0: not known */
    int32_t call;  /* of the dump's calls */
} rn_call_mark;

/* A rank of a group. */
typedef struct rn_hang_member {
    int32_t rank, dump;  /* dump -1: it has none */
    rn_call_mark *calls; /* [n] collectives, in order */
    int32_t n;
    int64_t last_seq;       /* -1: no call */
    int64_t last_completed; /* its calls up to this one are over; 0 or less: not known, or none */
    int32_t first_open;     /* of calls: the first that is not completed; -1: none */
    int32_t place;          /* its number in the group, by a line, + 1; 0: not said */
    bool unnamed;           /* no line of a log says for whom it waits there */
} rn_hang_member;

typedef struct rn_hang_group {
    const char *name, *desc; /* desc NULL: not known */
    rn_hang_member *members; /* [n_members], by rank */
    int32_t n_members, n_dumped;
    bool waits;      /* a call of it is not completed */
    int32_t n_least; /* it has so many ranks at least; 0: nothing is said */
    int32_t n_told;  /* it has just so many; 0: nothing is said */
    bool unsure;     /* it may be several groups, or whose it is nobody says */
    bool counted;    /* some dump lists its ranks */
} rn_hang_group;

typedef struct rn_hang_job {
    rn_dump *dumps; /* [n_dumps], by rank; their calls' words and groups are the job's */
    int32_t n_dumps;
    rs_texts words;
    const char **texts; /* [words.n] */
    rn_hang_group *groups;
    int32_t n_groups;
    uint32_t n_args, n_sites;
    int32_t n_ranks;
    /* whose arena knows where memory was lacking: then nothing that was found counts */
    rs_heap *pieces;
} rn_hang_job;

rs_status rn_gather_job(rn_dump dumps[], int32_t n_dumps, rs_heap *pieces, rs_error *error,
                        rn_hang_job *job);
/* Returns the place of a rank among the members; -1: it is none. */
int32_t rn_member_at(const rn_hang_group *g, int32_t rank);
static inline const rn_call *rn_member_call(const rn_hang_job *job, const rn_hang_member *m,
                                            int32_t i) {
    return &job->dumps[m->dump].calls[m->calls[i].call];
}
rn_hang_place rn_place_of(const rn_hang_job *job, int32_t rank, const rn_call *call);

/* ------------------------------------------------------------------ hang_groups.c */

/* Returns the dump of a rank; -1: none, or it cannot be read. */
int32_t rn_dump_of(const rn_hang_job *job, int32_t rank);
bool rn_is_unread(const rn_hang_job *job, int32_t rank);
/* Finds the job's groups and their members, and names the peers of messages. of: [n_dumps] the group of each of a dump's
   groups. False: no memory. */
bool rn_gather_groups(rn_hang_job *job, int32_t **of);
/* Counts the ranks that have a dump, and those that a group names. */
int32_t rn_count_ranks(rn_hang_job *job);

/* ------------------------------------------------------------------ align_calls.c */

typedef enum rn_edit_kind {
    RN_EDIT_MISSING,
    RN_EDIT_EXTRA,
    RN_EDIT_CHANGED,
    RN_EDIT_SWAPPED
} rn_edit_kind;

/* Where a member does something else than the others. */
typedef struct rn_edit {
    rn_edit_kind kind;
    int32_t group, member;
    /* Both calls are there: of an extra call the one that it stands before, of a missing one the one made instead. */
    int32_t column;    /* of the reference's calls */
    int32_t own;       /* of the member's */
    int32_t n_calls;   /* extra or missing one after another; else 1 */
    int32_t n_alike;   /* members that do the same */
    int32_t n_agree;   /* members that do as the reference does */
    int32_t n_voters;  /* dumped members, without those whose dump ends before */
    int32_t reference; /* member */
} rn_edit;

typedef struct rn_edits {
    rn_edit *list;
    int32_t n;
    int64_t room;
} rn_edits;

/* Adds where members of the group differ from what most of them do. */
void rn_align_group(const rn_hang_job *job, int32_t group, rn_edits *edits);

/* Finds where the calls of two members begin to be of the same time: the ring buffers may have lost different
   beginnings. */
void rn_first_common(const rn_hang_job *job, const rn_hang_member *ref, const rn_hang_member *own,
                     int32_t *i, int32_t *j);

/* ------------------------------------------------------------------ hang_waits.c */

typedef struct rn_wait_row {
    int32_t dump;
    const rn_call *call;
    int32_t group;
    int32_t *ranks; /* [n] that it waits for */
    int32_t n;
    int32_t n_idle, n_gone; /* of them: those that wait for nobody, those without a dump */
    bool unlike;            /* a send and its recv are of different sizes */
    bool unnamed;           /* no line says whose message it is, or who is in the group */
} rn_wait_row;

typedef struct rn_waits {
    rn_wait_row *rows; /* by dump, then in the order of its calls */
    int64_t n, room;
    bool *open; /* [n_dumps] it has a call that is not completed */
} rn_waits;

void rn_find_waits(const rn_hang_job *job, rn_waits *waits);

/* Returns the number of the last call that is known to have been made by all; -1: none is. */
int64_t rn_last_completed(const rn_hang_job *job, const rn_hang_group *g);

/* Does no member leave such a call before all have come? */
bool rn_synchronises(const char *name);

/* ------------------------------------------------------------------ hang_slow.c */

/* A rank that comes late to its group's calls. */
typedef struct rn_slow {
    const rn_hang_group *group;
    int32_t rank, n_last, n_of; /* it came last to n_last of n_of calls */
    int64_t late_ns;            /* by so much on average, where it came last */
    int64_t lost_ns, all_ns;    /* so much of that time all others waited for it */
    const rn_call *call;        /* to which it came latest */
} rn_slow;

/* Lists at most `room` of them, one a group: the same rank may come late in several. Returns how many. */
int32_t rn_find_slow(const rn_hang_job *job, rn_slow list[], int32_t room);

/* ------------------------------------------------------------------ hang_lanes.c */

/* Puts the calls of a group side by side. */
void rn_lay_lanes(const rn_hang_job *job, int32_t group, const rn_edits *edits, rs_arena *arena,
                  rn_hang_lanes *lanes);

/* ------------------------------------------------------------------ hang_circle.c */

/* Finds the one rank that is waited for, and waits elsewhere, where others had gone on to another call: it makes the calls
   of two groups in another order, or left one out. *waits_for_it: a wait for it. */
bool rn_find_odd(const rn_hang_job *job, const rn_waits *waits, const rn_wait_row **odd,
                 const rn_wait_row **waits_for_it);
/* Which of two calls did others not make after the same calls: 1 the first, -1 the other, 0 neither, or both. */
int rn_odd_side(const rn_hang_job *job, int32_t dump, const rn_call *call, int32_t other_dump,
                const rn_call *other);
/* Returns a wait for each dump, NULL where nobody waits for it; NULL: no memory. */
const rn_wait_row **rn_list_awaited(const rn_hang_job *job, const rn_waits *waits);
/* Does it wait only for those without a dump, in a call to which at most as many others came after the same calls as went on
   to another? Either it left one out, or they made one too many. peer: [n_dumps]; *left: calls to look at. */
bool rn_is_doubtful(const rn_hang_job *job, const rn_wait_row *row, bool peer[], int64_t *left);
/* Keeps the waits of those whose every wait is for another one of them: whoever else comes, they stand. */
void rn_find_knot(const rn_hang_job *job, const rn_waits *waits, rn_waits *knot);
/* Follows the waits, each to the first rank that waits, too, until one comes again. circle: [n_dumps]; returns how many ranks
   are in it. */
int32_t rn_find_circle(const rn_hang_job *job, const rn_waits *waits, const rn_wait_row **circle);
