/* plain_verdict.c: see plain_verdict.h. */
#include "hangs/plain_verdict.h"

#include <criterion/criterion.h>
#include <string.h>

enum { RANKS = PLAIN_RANKS };

static rn_hang_job job;
static rn_waits waits, knot;
static rn_hang made;
static rn_hang_judge judge;

/* ------------------------------------------------------------------ edits */

static rn_hang_place place_of(int32_t rank, const rn_call *call) {
    return rn_place_of(&job, rank, call);
}
static int32_t rank_of(const rn_wait_row *row) {
    return job.dumps[row->dump].rank;
}

/* An edit with the two calls that it is about; NULL: there is none. */
typedef struct plain_edit {
    const rn_edit *e;
    const rn_call *own, *due;
    int32_t rank, reference;
    int64_t at; /* in the rank's program */
    bool sure;
} plain_edit;

static plain_edit plain_of(const rn_edit *e) {
    const rn_hang_group *g = &job.groups[e->group];
    const rn_hang_member *m = &g->members[e->member], *ref = &g->members[e->reference];
    plain_edit p = {.e = e, .rank = m->rank, .reference = ref->rank};
    cr_assert(e->own >= 0 && e->own < m->n && e->column >= 0 && e->column < ref->n);
    if (e->own < m->n) p.own = rn_member_call(&job, m, e->own);
    if (e->column < ref->n) p.due = rn_member_call(&job, ref, e->column);
    if (p.own != NULL) p.at = p.own - job.dumps[m->dump].calls;
    if (p.own == NULL && m->n > 0)
        p.at = rn_member_call(&job, m, m->n - 1) - job.dumps[m->dump].calls;
    p.sure = e->n_agree > e->n_voters / 2 && e->n_agree > e->n_alike;
    return p;
}

static bool is_looked_at(const rn_edit *e) {
    const bool other = e->kind == RN_EDIT_CHANGED || e->kind == RN_EDIT_SWAPPED;
    return judge.over ? other : job.groups[e->group].waits;
}

/* Does it count, as the first of its rank? */
static bool counts(const rn_edit *e, bool sure) {
    const plain_edit p = plain_of(e);
    if (!is_looked_at(e) || p.sure != sure) return false;
    for (int32_t i = 0; i < judge.edits.n; i++) {
        const plain_edit q = plain_of(&judge.edits.list[i]);
        if (is_looked_at(q.e) && q.sure == sure && q.rank == p.rank && q.at < p.at) return false;
    }
    return true;
}

static rn_hang_difference what_differs(const rn_hang_place *a, const rn_hang_place *b) {
    if (strcmp(a->call, b->call) != 0) return RN_DIFFERS_OPERATION;
    return strcmp(a->call, "all_to_all") == 0 ? RN_DIFFERS_SPLIT : RN_DIFFERS_SIZE;
}

static void name_sure(const plain_edit *p) {
    const bool missing = p->e->kind == RN_EDIT_MISSING;
    const rn_call *called = missing ? p->due : p->own, *other = missing ? p->own : p->due;
    if (called == NULL) called = other;
    rn_add_culprit(&judge, place_of(p->rank, called));
    if (other != NULL)
        rn_set_others(&judge, place_of(missing ? p->rank : p->reference, other), p->e->n_agree,
                      p->e->n_voters);
}

/* Of a call that only one of the two has made its maker is named first. */
static void name_both(const plain_edit *p) {
    const rn_edit_kind kind = p->e->kind;
    const rn_call *own = p->own, *due = p->due;
    if (kind == RN_EDIT_MISSING) own = due;
    if (kind == RN_EDIT_EXTRA || due == NULL) due = own;
    if (own == NULL) own = due;
    made.later = kind == RN_EDIT_MISSING || kind == RN_EDIT_EXTRA;
    const rn_hang_place here = place_of(p->rank, own), there = place_of(p->reference, due);
    rn_add_culprit(&judge, kind == RN_EDIT_MISSING ? there : here);
    rn_add_culprit(&judge, kind == RN_EDIT_MISSING ? here : there);
}

/* Of two that disagree the one that fewer do, if the programs of others tell it, too; else none. */
static plain_edit elsewhere(const plain_edit *p) {
    static rn_edit turned;
    const rn_hang_member *m = judge.job->groups[p->e->group].members;
    const int side =
        rn_odd_side(&job, m[p->e->member].dump, p->own, m[p->e->reference].dump, p->due);
    turned = *p->e;
    if (side > 0 && p->e->n_agree > p->e->n_alike) return *p;
    if (side >= 0 || p->e->n_alike <= p->e->n_agree) return (plain_edit){0};
    turned.kind = p->e->kind == RN_EDIT_MISSING ? RN_EDIT_EXTRA
                  : p->e->kind == RN_EDIT_EXTRA ? RN_EDIT_MISSING
                                                : p->e->kind;
    turned.member = p->e->reference, turned.reference = p->e->member;
    turned.own = p->e->column, turned.column = p->e->own;
    turned.n_agree = p->e->n_alike;
    return plain_of(&turned);
}

static bool plain_edits(bool sure) {
    static const rn_hang_verdict verdicts[] = {[RN_EDIT_MISSING] = RN_HANG_MISSING_CALL,
                                               [RN_EDIT_EXTRA] = RN_HANG_EXTRA_CALL,
                                               [RN_EDIT_SWAPPED] = RN_HANG_SWAPPED,
                                               [RN_EDIT_CHANGED] = RN_HANG_MISMATCH};
    const rn_edit *first = NULL;
    plain_edit told = {0};
    for (int32_t i = 0; i < judge.edits.n; i++) {
        const rn_edit *e = &judge.edits.list[i];
        const plain_edit p = plain_of(e);
        if (!counts(e, sure) || (!sure && first != NULL)) continue;
        if (first == NULL) first = e;
        told = sure ? p : elsewhere(&p);
        if (told.e != NULL)
            name_sure(&told);
        else
            name_both(&p);
    }
    if (first == NULL) return false;
    made.verdict = sure             ? verdicts[first->kind]
                   : told.e != NULL ? verdicts[told.e->kind]
                                    : RN_HANG_UNDECIDED;
    if (first->kind == RN_EDIT_CHANGED && made.has_others)
        made.difference = what_differs(&made.culprits[0], &made.others);
    return true;
}

/* ------------------------------------------------------------------ waits */

static bool is_gone(int32_t rank) {
    const int32_t d = rn_dump_of(&job, rank);
    return d < 0 || job.dumps[d].n_calls == 0 || job.dumps[d].cut;
}
static bool is_idle(int32_t rank) {
    return !is_gone(rank) && !waits.open[rn_dump_of(&job, rank)];
}

static bool plain_idle(void) {
    const rn_wait_row *least = NULL;
    bool waiting[RANKS] = {false};
    int32_t n_waiting = 0;
    for (int64_t i = waits.n - 1; i >= 0; i--) {
        const rn_wait_row *row = &waits.rows[i];
        if (row->n_idle == 0) continue;
        if (least == NULL || row->n_idle <= least->n_idle) least = row;
        n_waiting += !waiting[row->dump];
        waiting[row->dump] = true;
    }
    if (least == NULL) return false;
    const rn_dump *d = &job.dumps[least->dump];
    const bool rough = d->rough, runs = d->launched && !d->listed; /* as RAS shows it */
    const int32_t unheard = rough ? least->n_gone : 0;
    const bool missing = n_waiting > least->n_idle + unheard,
               extra = !runs && n_waiting + unheard + rough < least->n_idle;
    if (runs && !missing) made.doubt = RN_DOUBT_LAUNCHES;
    made.verdict = missing ? RN_HANG_MISSING_CALL : extra ? RN_HANG_EXTRA_CALL : RN_HANG_UNDECIDED;
    made.later = true;
    for (int64_t i = 0; i < waits.n && !missing; i++) {
        const bool same =
            waits.rows[i].group == least->group && waits.rows[i].call->seq == least->call->seq;
        if (waits.rows[i].n_idle > 0 && (extra || same))
            rn_add_culprit(&judge, place_of(rank_of(&waits.rows[i]), waits.rows[i].call));
    }
    for (int32_t k = 0; k < least->n && !extra && (missing || !runs); k++) {
        if (is_idle(least->ranks[k]))
            rn_add_culprit(&judge, place_of(least->ranks[k], least->call));
    }
    rn_set_others(&judge, place_of(rank_of(least), least->call), n_waiting,
                  job.groups[least->group].n_dumped);
    return true;
}

static bool plain_knot(void) {
    bool gone = false;
    for (int64_t i = 0; i < waits.n; i++) gone = gone || waits.rows[i].n_gone > 0;
    if (!gone || knot.n == 0) return false;
    if (rn_blame_odd(&judge, &knot)) return true;
    cr_assert(rn_blame_cycle(&judge, &knot));
    made.verdict = RN_HANG_UNDECIDED;
    made.knotted = true;
    return true;
}

static rn_hang_place unseen(int32_t rank, const rn_call *call) {
    rn_hang_place place = place_of(rank, call);
    place.where = NULL;
    return place;
}

static bool plain_strayed(void) {
    const rn_wait_row **awaited = rn_list_awaited(&job, &waits), *first = NULL;
    bool peer[RANKS];
    int64_t left = 1 << 20;
    for (int64_t i = 0; i < waits.n; i++) {
        const rn_wait_row *row = &waits.rows[i], *waiter = awaited[row->dump];
        const int32_t before = made.n_culprits;
        if (!rn_is_doubtful(&job, row, peer, &left)) continue;
        if (first == NULL) first = row;
        if (waiter != NULL && waiter->call->peer < 0) {
            if (made.n_strayed == 0)
                rn_set_others(&judge, place_of(rank_of(waiter), waiter->call), 1,
                              job.groups[waiter->group].n_dumped);
            rn_add_culprit(&judge, unseen(rank_of(row), waiter->call));
        } else {
            rn_add_culprit(&judge, place_of(rank_of(row), row->call));
        }
        made.n_strayed += made.n_culprits - before;
    }
    for (int32_t k = 0; first != NULL && k < first->n; k++)
        rn_add_culprit(&judge, unseen(first->ranks[k], first->call));
    if (first != NULL) made.verdict = RN_HANG_UNDECIDED;
    return first != NULL;
}

static bool plain_gone(bool maybe) {
    for (int64_t i = 0; i < waits.n; i++) {
        const rn_wait_row *row = &waits.rows[i];
        for (int32_t k = 0; k < row->n && row->n_gone == row->n; k++) {
            const int32_t rank = row->ranks[k], d = rn_dump_of(&job, rank);
            const bool spoilt = rn_is_unread(&job, rank) || (d >= 0 && job.dumps[d].cut);
            if ((spoilt || (judge.partial && d < 0)) != maybe) continue;
            rn_add_culprit(&judge, unseen(rank, row->call));
            rn_set_others(&judge, place_of(rank_of(row), row->call), 1,
                          job.groups[row->group].n_dumped);
            made.verdict = maybe ? RN_HANG_UNDECIDED : RN_HANG_SILENT_RANK;
            made.unread = maybe;
            made.in_file = made.in_file || (maybe && spoilt);
        }
    }
    return made.n_culprits > 0;
}

/* Does a dump whose calls can be told begin behind the call? */
static bool begins_behind(const rn_wait_row *row) {
    const rn_hang_group *g = &job.groups[row->group];
    for (int32_t m = 0; m < g->n_members && row->call->peer < 0; m++) {
        const rn_hang_member *member = &g->members[m];
        if (member->n > 0 && !job.dumps[member->dump].rough &&
            rn_member_call(&job, member, 0)->seq > row->call->seq)
            return true;
    }
    return false;
}

/* Is it waited for, and waits for nobody? */
static bool is_root(int32_t dump) {
    bool awaited = false, waits_for = false;
    for (int64_t i = 0; i < waits.n; i++) {
        const rn_wait_row *row = &waits.rows[i];
        waits_for = waits_for || (row->dump == dump && row->n > 0);
        for (int32_t k = 0; k < row->n; k++)
            awaited = awaited || row->ranks[k] == job.dumps[dump].rank;
    }
    return awaited && !waits_for;
}

/* Is it launched behind another open call of its rank? */
static bool is_behind(const rn_wait_row *row) {
    if (row->call->peer >= 0 || row->call->state == RN_CALL_STARTED || job.dumps[row->dump].rough)
        return false;
    for (int64_t i = 0; i < waits.n; i++) {
        const rn_wait_row *other = &waits.rows[i];
        if (other->dump == row->dump && other->call->peer < 0 && other->call < row->call)
            return true;
    }
    return false;
}
static bool some_behind(int32_t group) {
    bool behind = false;
    for (int64_t i = 0; i < waits.n; i++)
        behind = behind || (waits.rows[i].group == group && is_behind(&waits.rows[i]));
    return behind;
}
static bool some_lost(const rn_wait_row *in) {
    bool lost = false;
    for (int64_t i = 0; i < waits.n; i++) {
        const rn_wait_row *row = &waits.rows[i];
        lost = lost || (row->call->peer < 0 && !rn_is_known_first(&judge, row) &&
                        rn_member_at(&job.groups[in->group], rank_of(row)) >= 0);
    }
    return lost && in->call->state != RN_CALL_STARTED;
}

static bool plain_inside(bool messages) {
    const rn_wait_row *first = NULL;
    bool named = false, waited = false, several = false;
    for (int64_t i = 0; i < waits.n; i++) {
        named = named || (waits.rows[i].n == 0 && !waits.rows[i].unnamed);
        waited = waited || waits.rows[i].n > 0;
    }
    for (int64_t i = 0; i < waits.n; i++) {
        const rn_wait_row *row = &waits.rows[i];
        if (row->n > 0 || (row->call->peer >= 0) != messages || row->unnamed == named) continue;
        if (waited ? !is_root(row->dump) : !messages && some_behind(row->group)) continue;
        if (first == NULL) first = row;
        const bool same = row->group == first->group && row->call->seq == first->call->seq;
        if (waited && !same && row->dump != first->dump) several = true;
        if (waited || same) rn_add_culprit(&judge, place_of(rank_of(row), row->call));
    }
    if (first == NULL) return false;
    made.lost = !first->unlike && (!rn_is_known_first(&judge, first) || begins_behind(first) ||
                                   (!waited && !messages && some_lost(first)));
    made.verdict =
        first->unlike || made.lost || several || !named ? RN_HANG_UNDECIDED : RN_HANG_STUCK_INSIDE;
    if (!named || several || (waited && made.lost && made.n_culprits == 1))
        made.doubt = named ? RN_DOUBT_ROOTS : RN_DOUBT_UNNAMED;
    if (first->unlike) made.difference = RN_DIFFERS_SIZE;
    rn_set_others(&judge, place_of(rank_of(first), first->call), made.n_culprits,
                  job.groups[first->group].n_dumped);
    return true;
}

static void decide(void) {
    bool launched = true, torn = true;
    for (int32_t d = 0; d < job.n_dumps; d++) {
        launched = launched && (job.dumps[d].launched || job.dumps[d].unread);
        torn = torn && (job.dumps[d].cut || job.dumps[d].unread);
    }
    if ((launched || waits.n > 0) && (plain_edits(true) || plain_edits(false))) return;
    made.verdict = waits.n > 0 || torn ? RN_HANG_UNDECIDED : RN_HANG_NONE;
    if (waits.n == 0 || plain_idle() || plain_knot() || plain_strayed() ||
        rn_blame_unlike(&judge) || rn_blame_passed(&judge, true) || plain_gone(false) ||
        plain_gone(true) || rn_blame_split(&judge) || rn_blame_crossed(&judge) ||
        rn_blame_behind(&judge) || rn_blame_passed(&judge, false) || plain_inside(false) ||
        rn_blame_odd(&judge, &waits) || rn_blame_cycle(&judge, &waits))
        return;
    plain_inside(true);
}

/* Edits of calls that are over count, too. */
static bool plain_over(void) {
    judge.over = true;
    return waits.n == 0;
}

/* ------------------------------------------------------------------ the whole */

const rn_hang *plain_verdict(rn_dump dumps[], int32_t n_dumps, rs_heap *heap) {
    static rn_hang_place culprits[RANKS + 2];
    static rn_hang_wait rows[PLAIN_WAITS];
    rs_error error;
    made = (rn_hang){.culprits = culprits, .waits = rows};
    cr_assert_eq(rn_gather_job(dumps, n_dumps, heap, &error, &job), RS_OK);
    judge = (rn_hang_judge){.job = &job, .waits = &waits, .hang = &made, .named = {.heap = heap}};
    for (int32_t g = 0; g < job.n_groups; g++) rn_align_group(&job, g, &judge.edits);
    rn_find_waits(&job, &waits);
    rn_find_knot(&job, &waits, &knot);
    cr_assert_not(heap->arena->lacked);
    for (int32_t d = 0; d < job.n_dumps; d++) {
        made.n_files += !dumps[d].unread;
        made.n_cut += dumps[d].cut;
        judge.partial = judge.partial || dumps[d].partial;
    }
    for (int64_t i = 0; i < waits.n; i++)
        rows[made.n_waits++] =
            (rn_hang_wait){.at = place_of(rank_of(&waits.rows[i]), waits.rows[i].call),
                           .ranks = waits.rows[i].ranks,
                           .n_ranks = waits.rows[i].n};
    judge.room = job.n_ranks + 2;
    decide();
    if (made.verdict == RN_HANG_NONE && plain_over() && plain_edits(true))
        made.verdict = RN_HANG_WRONG_RESULTS;
    rn_doubt(&judge);
    return &made;
}

const char *plain_shown(void) {
    const char *shown = NULL;
    for (int32_t g = job.n_groups - 1; g >= 0; g--)
        shown = job.groups[g].waits ? job.groups[g].name : shown;
    for (int32_t g = job.n_groups - 1; g >= 0 && made.n_culprits + made.n_waiters > 0; g--) {
        if (strcmp(job.groups[g].name, made.culprits[0].group) == 0 &&
            rn_member_at(&job.groups[g], made.culprits[0].rank) >= 0)
            shown = job.groups[g].name;
    }
    return made.n_waits == 0 && made.n_culprits == 0 ? NULL : shown;
}
