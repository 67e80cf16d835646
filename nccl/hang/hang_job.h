/* hang_job.h: all ranks' calls as one value: the dumps with common words, groups, and each member's calls in order.
 * Private to nccl/.
 *
 *     dumps --rs_gather_job--> rs_hang_job --rs_align_group--> edits, by group
 *                                          --rs_find_waits---> who waits for whom
 */
#ifndef RS_HANG_JOB_H
#define RS_HANG_JOB_H

#include "hang/dumps/data_tree.h"
#include "ringsim_hang.h"

/* A call as the alignment sees it. */
typedef struct rs_call_mark {
    uint32_t args; /* equal: the same operation, type and sizes */
    uint32_t site; /* equal: called from the same lines; 0: not known */
    int32_t call;  /* of the dump's calls */
} rs_call_mark;

/* A rank of a group. */
typedef struct rs_hang_member {
    int32_t rank, dump;  /* dump -1: it has none */
    rs_call_mark *calls; /* [n] collectives, in order */
    int32_t n;
    int64_t last_seq;       /* -1: no call */
    int64_t last_completed; /* its calls up to this one are over; 0 or less: not known, or none */
    int32_t first_open;     /* of calls: the first that is not completed; -1: none */
    bool unnamed;           /* no line of a log says for whom it waits there */
} rs_hang_member;

typedef struct rs_hang_group {
    const char *name, *desc; /* desc NULL: not known */
    rs_hang_member *members; /* [n_members], by rank */
    int32_t n_members, n_dumped;
    bool waits;      /* a call of it is not completed */
    int32_t n_least; /* it has so many ranks at least; 0: nothing is said */
    int32_t n_told;  /* it has just so many; 0: nothing is said */
    bool unsure;     /* it may be several groups, or whose it is nobody says */
    bool counted;    /* some dump lists its ranks */
} rs_hang_group;

typedef struct rs_hang_job {
    rs_dump *dumps; /* [n_dumps], by rank; their calls' words and groups are the job's */
    int32_t n_dumps;
    rs_texts words;
    const char **texts; /* [words.n] */
    rs_hang_group *groups;
    int32_t n_groups;
    uint32_t n_args, n_sites;
    int32_t n_ranks;
    bool *silent; /* [n_dumps] it has no call at all */
    rs_heap *pieces;
    rs_arena *arena;
} rs_hang_job;

rs_status rs_gather_job(rs_dump dumps[], int32_t n_dumps, rs_heap *pieces, rs_error *error,
                        rs_hang_job *job);
/* Returns the place of a rank among the members; -1: it is none. */
int32_t rs_member_at(const rs_hang_group *g, int32_t rank);
static inline const rs_call *rs_member_call(const rs_hang_job *job, const rs_hang_member *m,
                                            int32_t i) {
    return &job->dumps[m->dump].calls[m->calls[i].call];
}
rs_hang_place rs_place_of(const rs_hang_job *job, int32_t rank, const rs_call *call);

/* ------------------------------------------------------------------ hang_groups.c */

/* Returns the dump of a rank; -1: none, or it cannot be read. */
int32_t rs_dump_of(const rs_hang_job *job, int32_t rank);
bool rs_is_unread(const rs_hang_job *job, int32_t rank);
/* Finds the job's groups and their members, and names the peers of messages. of: [n_dumps] the group of each of a dump's
   groups. False: no memory. */
bool rs_gather_groups(rs_hang_job *job, int32_t **of);
/* Counts the ranks that have a dump, and those that a group names. */
int32_t rs_count_ranks(rs_hang_job *job);

/* ------------------------------------------------------------------ align_calls.c */

typedef enum rs_edit_kind {
    RS_EDIT_MISSING,
    RS_EDIT_EXTRA,
    RS_EDIT_CHANGED,
    RS_EDIT_SWAPPED
} rs_edit_kind;

/* Where a member does something else than the others. */
typedef struct rs_edit {
    rs_edit_kind kind;
    int32_t group, member;
    /* Both calls are there: of an extra call the one that it stands before, of a missing one the one made instead. */
    int32_t column;    /* of the reference's calls */
    int32_t own;       /* of the member's */
    int32_t n_calls;   /* extra or missing one after another; else 1 */
    int32_t n_alike;   /* members that do the same */
    int32_t n_agree;   /* members that do as the reference does */
    int32_t n_voters;  /* dumped members, without those whose dump ends before */
    int32_t reference; /* member */
} rs_edit;

typedef struct rs_edits {
    rs_edit *list;
    int32_t n;
    int64_t room;
} rs_edits;

/* Adds where members of the group differ from what most of them do. */
rs_status rs_align_group(const rs_hang_job *job, int32_t group, rs_edits *edits, rs_error *error);

/* Finds where the calls of two members begin to be of the same time: the ring buffers may have lost different
   beginnings. */
void rs_first_common(const rs_hang_job *job, const rs_hang_member *ref, const rs_hang_member *own,
                     int32_t *i, int32_t *j);

/* ------------------------------------------------------------------ hang_waits.c */

typedef struct rs_wait_row {
    int32_t dump;
    const rs_call *call;
    int32_t group;
    int32_t *ranks; /* [n] that it waits for */
    int32_t n;
    int32_t n_idle, n_gone; /* of them: those that wait for nobody, those without a dump */
    bool unlike;            /* a send and its recv are of different sizes */
    bool unnamed;           /* no line says whose message it is, or who is in the group */
} rs_wait_row;

typedef struct rs_waits {
    rs_wait_row *rows; /* by dump, then in the order of its calls */
    int64_t n, room;
    bool *open; /* [n_dumps] it has a call that is not completed */
} rs_waits;

rs_status rs_find_waits(const rs_hang_job *job, rs_waits *waits, rs_error *error);

/* Returns the number of the last call that is known to have been made by all; -1: none is. */
int64_t rs_last_completed(const rs_hang_job *job, const rs_hang_group *g);

/* Does no member leave such a call before all have come? */
bool rs_synchronises(const char *name);

/* ------------------------------------------------------------------ hang_slow.c */

/* A rank that comes late to its group's calls. */
typedef struct rs_slow {
    const rs_hang_group *group;
    int32_t rank, n_last, n_of; /* it came last to n_last of n_of calls */
    int64_t late_ns;            /* by so much on average, where it came last */
    int64_t lost_ns, all_ns;    /* so much of that time all others waited for it */
    const rs_call *call;        /* to which it came latest */
} rs_slow;

/* Lists at most `room` of them, one a group: the same rank may come late in several. */
rs_status rs_find_slow(const rs_hang_job *job, rs_slow list[], int32_t room, int32_t *n,
                       rs_error *error);

/* ------------------------------------------------------------------ hang_lanes.c */

/* Puts the calls of a group side by side. */
rs_status rs_lay_lanes(const rs_hang_job *job, int32_t group, const rs_edits *edits,
                       rs_arena *arena, rs_error *error, rs_hang_lanes *lanes);

/* ------------------------------------------------------------------ hang_circle.c */

/* Finds the one rank that is waited for, and waits elsewhere, where others had gone on to another call: it makes the calls
   of two groups in another order, or left one out. *waits_for_it: a wait for it. */
bool rs_find_odd(const rs_hang_job *job, const rs_waits *waits, const rs_wait_row **odd,
                 const rs_wait_row **waits_for_it);
/* Returns a wait for each dump, NULL where nobody waits for it; NULL: no memory. */
const rs_wait_row **rs_list_awaited(const rs_hang_job *job, const rs_waits *waits);
/* Does it wait only for those without a dump, in a call to which at most as many others came after the same calls as went on
   to another? Either it left one out, or they made one too many. peer: [n_dumps]; *left: calls to look at. */
bool rs_is_doubtful(const rs_hang_job *job, const rs_wait_row *row, bool peer[], int64_t *left);
/* Keeps the waits of those whose every wait is for another one of them: whoever else comes, they stand. */
rs_status rs_find_knot(const rs_hang_job *job, const rs_waits *waits, rs_waits *knot,
                       rs_error *error);
/* Follows the waits, each to the first rank that waits, too, until one comes again. circle: [n_dumps]; returns how many ranks
   are in it. */
int32_t rs_find_circle(const rs_hang_job *job, const rs_waits *waits, const rs_wait_row **circle);

#endif
