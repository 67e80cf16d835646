/* judge_hang.c: from edits and waits to a verdict.
 *
 *     an edit of a minority           --> missing-call, extra-call, swapped, mismatch
 *     an edit, and no majority        --> undecided
 *     waits that end at an idle rank  --> missing-call of that rank; or extra-call of those who wait
 *     waits that end at no dump       --> silent-rank
 *     all are there                   --> stuck-inside; launched in different orders: cycle
 *     waits that end nowhere          --> cycle
 *     nobody waits                    --> no-hang; calls differ that are over: wrong-results
 *
 *   - Edits explain waits, so they come first; of a rank's edits the earliest in its program counts.
 */
#include "hang_judge.h"

#include <assert.h>
#include <string.h>

const char *rn_hang_name(rn_hang_verdict verdict) {
    static const char *const names[] = {
        "no-hang", "slow",        "missing-call", "extra-call",    "swapped", "mismatch",
        "cycle",   "silent-rank", "stuck-inside", "wrong-results", "died",    "undecided"};
    static_assert(sizeof names / sizeof *names == RN_N_HANG_VERDICTS, "in the order of the kinds");
    return names[verdict];
}

/* ------------------------------------------------------------------ edits */

static bool has_majority(const rn_edit *e) {
    return 2 * e->n_agree > e->n_voters && e->n_agree > e->n_alike;
}

/* Where in its rank's program the edit stands. */
static int64_t program_place(const rn_hang_judge *j, const rn_edit *e) {
    const rn_hang_member *m = &j->job->groups[e->group].members[e->member];
    return m->calls[e->own].call;
}

static void blame_edit(rn_hang_judge *j, const rn_edit *e) {
    const rn_hang_group *g = &j->job->groups[e->group];
    const rn_hang_member *m = &g->members[e->member], *ref = &g->members[e->reference];
    const rn_call *own = rn_member_call(j->job, m, e->own);
    const rn_call *due = rn_member_call(j->job, ref, e->column);
    const bool missing = e->kind == RN_EDIT_MISSING;
    const rn_hang_place other =
        missing ? rn_place_of(j->job, m->rank, own) : rn_place_of(j->job, ref->rank, due);
    rn_add_culprit(j, rn_place_of(j->job, m->rank, missing ? due : own));
    rn_set_others(j, other, e->n_agree, e->n_voters);
}

/* In a group where something waits; where nothing does, a call that all have ended and few made otherwise. */
static bool counts(const rn_hang_judge *j, const rn_edit *e) {
    if (!j->over) return j->job->groups[e->group].waits;
    return e->kind == RN_EDIT_CHANGED || e->kind == RN_EDIT_SWAPPED;
}

/* Is e the first edit of its rank among those that count? */
static bool is_first(const rn_hang_judge *j, const rn_edit *e, bool decided) {
    const int32_t rank = j->job->groups[e->group].members[e->member].rank;
    for (int32_t i = 0; i < j->edits.n; i++) {
        const rn_edit *f = &j->edits.list[i];
        if (f == e || j->job->groups[f->group].members[f->member].rank != rank) continue;
        if (has_majority(f) != decided || !counts(j, f)) continue;
        if (program_place(j, f) < program_place(j, e)) return false;
    }
    return true;
}

/* Two that disagree, and nobody tells who is right: both. Of a call that one has not made, first who made it. */
static void blame_both(rn_hang_judge *j, const rn_edit *e) {
    const rn_hang_group *g = &j->job->groups[e->group];
    const rn_hang_member *m = &g->members[e->member], *ref = &g->members[e->reference];
    const bool missing = e->kind == RN_EDIT_MISSING, extra = e->kind == RN_EDIT_EXTRA;
    const rn_call *own = rn_member_call(j->job, m, e->own);
    const rn_call *due = rn_member_call(j->job, ref, e->column);
    j->hang->later = missing || extra;
    j->hang->n_came = 1;
    if (missing) rn_add_culprit(j, rn_place_of(j->job, ref->rank, due));
    rn_add_culprit(j, rn_place_of(j->job, m->rank, missing ? due : own));
    rn_add_culprit(j, rn_place_of(j->job, ref->rank, extra ? own : due)); /* if it is not there */
}

/* The number of the last call that is missing, or extra. */
static int64_t last_of(const rn_hang_judge *j, const rn_edit *e) {
    const rn_hang_group *g = &j->job->groups[e->group];
    const bool missing = e->kind == RN_EDIT_MISSING;
    const rn_hang_member *m = &g->members[missing ? e->reference : e->member];
    const int32_t at = (missing ? e->column : e->own) + e->n_calls - 1;
    return rn_member_call(j->job, m, at < m->n ? at : m->n - 1)->seq;
}

/* Where no more than half of a group's ranks agree, other groups may tell who left the program that the others have: some have not
   come so far, since they wait for that rank elsewhere. */
static bool is_told_elsewhere(const rn_hang_judge *j, rn_edit *e) {
    const rn_hang_group *g = &j->job->groups[e->group];
    const rn_hang_member *m = &g->members[e->member], *ref = &g->members[e->reference];
    const int side = rn_odd_side(j->job, m->dump, rn_member_call(j->job, m, e->own), ref->dump,
                                 rn_member_call(j->job, ref, e->column));
    if (side == 0 || (side > 0 ? e->n_agree <= e->n_alike : e->n_alike <= e->n_agree)) return false;
    if (side > 0) return true;
    const rn_edit other = *e; /* seen from the other side */
    e->member = other.reference, e->reference = other.member;
    e->own = other.column, e->column = other.own;
    e->n_agree = other.n_alike;
    if (other.kind == RN_EDIT_MISSING) e->kind = RN_EDIT_EXTRA;
    if (other.kind == RN_EDIT_EXTRA) e->kind = RN_EDIT_MISSING;
    return true;
}

static bool blame_edits(rn_hang_judge *j, bool decided) {
    const rn_edit *first = NULL;
    bool told = false;
    for (int32_t i = 0; i < j->edits.n; i++) {
        rn_edit *e = &j->edits.list[i];
        if (!counts(j, e) || has_majority(e) != decided) continue;
        if (!is_first(j, e, decided)) continue;
        told = !decided && is_told_elsewhere(j, e);
        if (first == NULL) {
            first = e;
            j->hang->n_calls = e->n_calls;
            j->hang->last_seq = last_of(j, e);
        }
        if (e->n_calls != first->n_calls || last_of(j, e) != j->hang->last_seq)
            j->hang->n_calls = 1;
        if (decided || told) {
            blame_edit(j, e);
        } else {
            blame_both(j, e);
        }
        if (!decided) break;
    }
    if (first == NULL) return false;
    static const rn_hang_verdict verdict_of[] = {RN_HANG_MISSING_CALL, RN_HANG_EXTRA_CALL,
                                                 RN_HANG_MISMATCH,
                                                 RN_HANG_SWAPPED}; /* by kind of edit */
    j->hang->verdict = j->over           ? RN_HANG_WRONG_RESULTS
                       : decided || told ? verdict_of[first->kind]
                                         : RN_HANG_UNDECIDED;
    if (first->kind == RN_EDIT_CHANGED && j->hang->has_others) {
        j->hang->difference = rn_hang_differs(&j->hang->culprits[0], &j->hang->others);
    }
    return true;
}

/* ------------------------------------------------------------------ waits */

static bool is_idle(const rn_hang_judge *j, int32_t rank) {
    const int32_t d = rn_dump_of(j->job, rank);
    const rn_dump *dump = d >= 0 ? &j->job->dumps[d] : NULL;
    return dump != NULL && dump->n_calls > 0 && !dump->cut && !j->waits->open[d];
}

/* The waits end at ranks that wait for nobody: they have not come, or those who wait came once too often. */
static bool blame_idle(rn_hang_judge *j) {
    const rn_wait_row *first = NULL;
    int64_t n_rows = 0;
    int32_t last_dump = -1;
    for (int64_t i = 0; i < j->waits->n; i++) {
        const rn_wait_row *row = &j->waits->rows[i];
        if (row->n_idle == 0) continue;
        if (first == NULL || row->n_idle < first->n_idle) first = row;
        n_rows += row->dump != last_dump;
        last_dump = row->dump;
    }
    if (first == NULL) return false;
    rn_hang *h = j->hang;
    const int32_t waiter = j->job->dumps[first->dump].rank;
    const rn_hang_place at = rn_place_of(j->job, waiter, first->call);
    /* Of a log's silent ranks nobody knows what they do, nor whether there is one more. */
    const int64_t n_idle = first->n_idle;
    const rn_dump *dump = &j->job->dumps[first->dump];
    const bool rough = dump->rough, report = dump->launched && !dump->listed;
    const int64_t n_silent = rough ? first->n_gone : 0;
    h->verdict = n_rows > n_idle + n_silent                      ? RN_HANG_MISSING_CALL
                 : n_rows + n_silent + rough < n_idle && !report ? RN_HANG_EXTRA_CALL
                                                                 : RN_HANG_UNDECIDED;
    /* A report is of a job that may run on: somebody is ahead at any time. */
    if (report && h->verdict == RN_HANG_UNDECIDED) h->doubt = RN_DOUBT_LAUNCHES;
    h->later = true;
    for (int64_t i = 0; i < j->waits->n && h->verdict != RN_HANG_MISSING_CALL; i++) {
        const rn_wait_row *row = &j->waits->rows[i];
        const bool same = row->group == first->group && row->call->seq == first->call->seq;
        if (row->n_idle == 0 || (h->verdict == RN_HANG_UNDECIDED && !same)) continue;
        rn_add_culprit(j, rn_row_place(j, row));
    }
    h->n_came = h->n_culprits;
    const bool names_idle = h->verdict != RN_HANG_EXTRA_CALL && h->doubt == RN_DOUBT_NONE;
    for (int32_t k = 0; k < first->n && names_idle; k++) {
        rn_hang_place missing = at;
        missing.rank = first->ranks[k];
        if (is_idle(j, missing.rank)) rn_add_culprit(j, missing);
    }
    rn_set_others(j, at, (int32_t)n_rows, j->job->groups[first->group].n_dumped);
    return true;
}

static bool is_spoilt(const rn_hang_judge *j, int32_t rank) {
    const int32_t d = rn_dump_of(j->job, rank);
    return rn_is_unread(j->job, rank) || (d >= 0 && j->job->dumps[d].cut);
}

/* Nobody knows what a rank did whose dump cannot be read, or not to its end, or may have been in the part of an archive that is
   missing. */
static bool may_be_missing(const rn_hang_judge *j, int32_t rank) {
    return is_spoilt(j, rank) || (j->partial && rn_dump_of(j->job, rank) < 0);
}

/* All that are there are in the call; who is not there has no dump. With `missing` of those whose dump may be missing, else of
   the others. First those count whose lines tell which call it is. */
static bool blame_gone(rn_hang_judge *j, bool missing) {
    bool found = false, rough = false;
    for (int64_t i = 0; i < 2 * j->waits->n; i++) {
        const rn_wait_row *row = &j->waits->rows[i % j->waits->n];
        const bool unknown = strcmp(j->job->texts[row->call->name], RN_UNKNOWN_CALL) == 0;
        if (row->n == 0 || row->n_gone < row->n || unknown != (i >= j->waits->n)) continue;
        const rn_hang_place at = rn_row_place(j, row);
        for (int32_t k = 0; k < row->n; k++) {
            rn_hang_place silent = at;
            silent.rank = row->ranks[k];
            silent.where = NULL;
            if (may_be_missing(j, silent.rank) != missing) continue;
            rn_add_culprit(j, silent);
            rn_set_others(j, at, 1, j->job->groups[row->group].n_dumped);
            found = true;
            rough = j->job->dumps[row->dump].rough;
        }
    }
    if (found) j->hang->verdict = missing ? RN_HANG_UNDECIDED : RN_HANG_SILENT_RANK;
    j->hang->unread = found && missing;
    j->hang->unsaid = j->hang->unread && rough;
    for (int32_t i = 0; i < j->hang->n_culprits && j->hang->unread; i++) {
        const int32_t rank = j->hang->culprits[i].rank, d = rn_dump_of(j->job, rank);
        j->hang->in_file = j->hang->in_file || is_spoilt(j, rank);
        j->hang->unsaid =
            j->hang->unsaid && !rn_is_unread(j->job, rank) && (d < 0 || j->job->dumps[d].rough);
    }
    return found;
}

/* Names one that may have strayed: by the call in which it is waited for, else by its own. */
static void add_strayed(rn_hang_judge *j, const rn_wait_row *row, const rn_wait_row *waiter) {
    const int32_t rank = j->job->dumps[row->dump].rank;
    rn_hang_place at = rn_place_of(j->job, rank, row->call);
    if (waiter != NULL && waiter->call->peer < 0) {
        at = rn_row_place(j, waiter);
        if (j->hang->n_strayed == 0) {
            rn_set_others(j, at, 1, j->job->groups[waiter->group].n_dumped);
        }
        at.rank = rank;
        at.where = NULL;
    }
    const int32_t before = j->hang->n_culprits;
    rn_add_culprit(j, at);
    j->hang->n_strayed += j->hang->n_culprits > before;
}

/* Ranks wait for those without a dump in a call that others did not come to after the same calls: their silence does not
   explain that. */
static bool blame_strayed(rn_hang_judge *j) {
    const rn_wait_row **awaited = rn_list_awaited(j->job, j->waits);
    bool *peer = rs_heap_take(j->job->pieces, (size_t)j->job->n_dumps);
    int64_t left = 256 << 20; /* calls to look at */
    const rn_wait_row *first = NULL;
    if (awaited == NULL || peer == NULL) return false;
    for (int64_t i = 0; i < j->waits->n; i++) {
        const rn_wait_row *row = &j->waits->rows[i];
        if (!rn_is_doubtful(j->job, row, peer, &left)) continue;
        add_strayed(j, row, awaited[row->dump]);
        if (first == NULL) first = row;
    }
    if (first == NULL) return false;
    for (int32_t k = 0; k < first->n; k++) {
        rn_hang_place silent = rn_place_of(j->job, first->ranks[k], first->call);
        silent.where = NULL;
        rn_add_culprit(j, silent);
    }
    j->hang->verdict = RN_HANG_UNDECIDED;
    return true;
}

/* Ranks wait for each other, whatever those do that have no dump. */
static bool blame_knot(rn_hang_judge *j, const rn_waits *knot) {
    bool gone = false;
    for (int64_t i = 0; i < j->waits->n; i++) gone = gone || j->waits->rows[i].n_gone > 0;
    if (!gone || knot->n == 0) return false;
    if (rn_blame_odd(j, knot)) return true;
    if (!rn_blame_cycle(j, knot)) return false;
    j->hang->verdict = RN_HANG_UNDECIDED;
    j->hang->knotted = true;
    return true;
}

/* Have the dumps of the group's ranks that call, or may some have lost it, which called something else? Lines of a log do not
   tell. */
static bool is_kept_by_all(const rn_hang_judge *j, const rn_wait_row *row) {
    const rn_hang_group *g = &j->job->groups[row->group];
    for (int32_t m = 0; m < g->n_members && row->call->peer < 0; m++) {
        const rn_hang_member *member = &g->members[m];
        if (member->dump < 0 || member->n == 0 || j->job->dumps[member->dump].rough) continue;
        if (rn_member_call(j->job, member, 0)->seq > row->call->seq) return false;
    }
    return true;
}

/* Before which groups' calls did a member launch another one that is open? What is launched first runs first. NULL: no memory. */
static const bool *list_queued(const rn_hang_judge *j) {
    bool *queued = rs_heap_take(j->job->pieces, (size_t)j->job->n_groups + 1);
    const rn_wait_row *first = NULL; /* of the same rank */
    for (int64_t i = 0; queued != NULL && i < j->waits->n; i++) {
        const rn_wait_row *row = &j->waits->rows[i];
        if (row->call->peer >= 0 || j->job->dumps[row->dump].rough) continue;
        if (first == NULL || first->dump != row->dump) {
            first = row;
        } else if (row->call->state != RN_CALL_STARTED) {
            queued[row->group] = true;
        }
    }
    return queued;
}

/* May a member of the group be in a call of another one, of which its dump has lost the first that is open? */
static bool may_be_elsewhere(const rn_hang_judge *j, const rn_wait_row *in) {
    for (int64_t i = 0; i < j->waits->n && in->call->state != RN_CALL_STARTED; i++) {
        const rn_wait_row *row = &j->waits->rows[i];
        const int32_t rank = j->job->dumps[row->dump].rank;
        if (row->call->peer >= 0 || rn_is_known_first(j, row)) continue;
        if (rn_member_at(&j->job->groups[in->group], rank) >= 0) return true;
    }
    return false;
}

/* All have come: the call itself stands, that no member has launched behind another. Where ranks wait for others, the call of
   those that are waited for and wait for nobody. Of several the first of the first rank's program; where there is none, who waits
   for ranks that no line names. */
static bool blame_inside(rn_hang_judge *j, bool messages) {
    const rn_wait_row *first = NULL;
    const rn_wait_row **awaited = rn_list_awaited(j->job, j->waits);
    const bool *queued = list_queued(j);
    bool unnamed = true, waited = false, several = false;
    if (awaited == NULL || queued == NULL) return false;
    for (int64_t i = 0; i < j->waits->n; i++) {
        unnamed = unnamed && (j->waits->rows[i].n > 0 || j->waits->rows[i].unnamed);
        waited = waited || j->waits->rows[i].n > 0;
    }
    for (int64_t i = 0; i < j->waits->n; i++) {
        const rn_wait_row *row = &j->waits->rows[i];
        if (row->n > 0 || (row->call->peer >= 0) != messages || row->unnamed != unnamed) continue;
        if (waited && (awaited[row->dump] == NULL || !rn_is_root(j, row->dump))) continue;
        if (!waited && !messages && queued[row->group]) continue;
        if (first != NULL && (row->group != first->group || row->call->seq != first->call->seq)) {
            several = several || (waited && row->dump != first->dump);
            if (!waited) continue;
        }
        if (first == NULL) first = row;
        rn_add_culprit(j, rn_row_place(j, row));
    }
    if (first == NULL) return false;
    j->hang->lost = !first->unlike && (!rn_is_known_first(j, first) || !is_kept_by_all(j, first) ||
                                       (!waited && !messages && may_be_elsewhere(j, first)));
    const bool sure = !first->unlike && !j->hang->lost;
    j->hang->verdict = sure ? RN_HANG_STUCK_INSIDE : RN_HANG_UNDECIDED;
    const bool one = waited && j->hang->lost && j->hang->n_culprits == 1;
    if (unnamed || several || one) {
        j->hang->verdict = RN_HANG_UNDECIDED;
        j->hang->doubt = unnamed ? RN_DOUBT_UNNAMED : RN_DOUBT_ROOTS;
    }
    if (first->unlike) j->hang->difference = RN_DIFFERS_SIZE;
    rn_set_others(j, rn_row_place(j, first), j->hang->n_culprits,
                  j->job->groups[first->group].n_dumped);
    return true;
}

/* ------------------------------------------------------------------ the whole */

static void tell_waits(rn_hang_judge *j) {
    for (int64_t i = 0; i < j->waits->n; i++) {
        const rn_wait_row *row = &j->waits->rows[i];
        j->hang->waits[j->hang->n_waits++] = (rn_hang_wait){.at = rn_row_place(j, row),
                                                            .ranks = row->ranks,
                                                            .n_ranks = row->n,
                                                            .unnamed = row->unnamed};
    }
}

static void decide(rn_hang_judge *j, const rn_waits *knot) {
    bool launched = true;
    for (int32_t d = 0; d < j->job->n_dumps; d++) {
        launched = launched && (j->job->dumps[d].launched || j->job->dumps[d].unread);
    }
    const bool waits = launched || j->waits->n > 0;
    if (waits && (blame_edits(j, true) || blame_edits(j, false))) return;
    if (j->waits->n == 0) { /* nobody waits */
        bool all_cut = true;
        for (int32_t d = 0; d < j->job->n_dumps; d++) {
            all_cut = all_cut && (j->job->dumps[d].cut || j->job->dumps[d].unread);
        }
        if (all_cut) j->hang->verdict = RN_HANG_UNDECIDED;
        j->over = true;
        if (!all_cut) blame_edits(j, true);
        return;
    }
    if (blame_idle(j) || blame_knot(j, knot) || blame_strayed(j) || rn_blame_unlike(j) ||
        rn_blame_passed(j, true) || blame_gone(j, false) || blame_gone(j, true))
        return;
    if (rn_blame_lacking(j) || rn_blame_split(j) || rn_blame_crossed(j) || rn_blame_behind(j) ||
        rn_blame_passed(j, false) || blame_inside(j, false) || rn_blame_odd(j, j->waits) ||
        rn_blame_cycle(j, j->waits) || blame_inside(j, true))
        return;
    j->hang->verdict = RN_HANG_UNDECIDED;
}

/* Which group shows it: the first culprit's, else the first that waits. */
static int32_t group_to_show(const rn_hang_judge *j) {
    const rn_hang_place *culprit = &j->hang->culprits[0]; /* of no group: there is none */
    int32_t waits = -1;
    for (int32_t g = 0; g < j->job->n_groups; g++) {
        const rn_hang_group *group = &j->job->groups[g];
        if (waits < 0 && group->waits) waits = g;
        if (group->name != culprit->group) continue;
        for (int32_t m = 0; m < group->n_members; m++) {
            if (group->members[m].rank == culprit->rank) return g;
        }
    }
    return waits;
}

rs_status rn_judge_one(rs_heap *pieces, rn_dump dumps[], int32_t n_dumps, const rs_host *host,
                       rs_arena *arena, rs_error *error, rn_hang *hang) {
    rn_hang_job job;
    rn_waits waits, knot;
    *hang = (rn_hang){.n_files = 0};
    const rs_status status = rn_gather_job(dumps, n_dumps, pieces, error, &job);
    if (status != RS_OK) return status;
    rn_hang_judge j = {.job = &job, .waits = &waits, .hang = hang, .named = {.heap = pieces}};
    for (int32_t g = 0; g < job.n_groups; g++) {
        if (!rs_go_on(host, "comparing calls", g, job.n_groups)) return RS_CANCELLED;
        rn_align_group(&job, g, &j.edits);
    }
    rn_find_waits(&job, &waits);
    rn_find_knot(&job, &waits, &knot);
    j.room = job.n_ranks + 2;
    hang->n_ranks = job.n_ranks;
    hang->culprits = rs_alloc(arena, (size_t)j.room, sizeof *hang->culprits);
    hang->waits = rs_alloc(arena, (size_t)waits.n, sizeof *hang->waits);
    if (pieces->arena->lacked || arena->lacked) return rs_no_memory(error);
    for (int32_t d = 0; d < n_dumps; d++) {
        hang->n_files += !dumps[d].unread;
        hang->n_cut += dumps[d].cut;
        j.partial |= dumps[d].partial;
    }
    tell_waits(&j);
    decide(&j, &knot);
    rn_doubt(&j);
    if (hang->verdict == RN_HANG_NONE) rn_blame_slow(&j);
    const bool shows = waits.n > 0 || hang->n_culprits > 0;
    const int32_t group = shows && hang->verdict != RN_HANG_SLOW ? group_to_show(&j) : -1;
    if (group >= 0) rn_lay_lanes(&job, group, &j.edits, arena, &hang->lanes);
    return pieces->arena->lacked || arena->lacked ? rs_no_memory(error) : RS_OK;
}
