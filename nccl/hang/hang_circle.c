/* hang_circle.c: ranks that wait for each other: the circle, and who is odd in it.
 *
 *   - What a rank did is held against what ranks of the same program did after the same calls. Only where more of them
 *     did something else, and of one rank alone, is that rank named.
 */
#include "hang_job.h"

#include <string.h>

static bool same_in_program(const rn_call *a, const rn_call *b) {
    return a->name == b->name && a->stack == b->stack && a->n_in == b->n_in &&
           a->n_out == b->n_out && a->sends == b->sends;
}

/* The same in the program, or one call of a group, which ranks may make from different lines. */
static bool same_step(const rn_call *a, const rn_call *b) {
    if (same_in_program(a, b)) return true;
    return a->group == b->group && a->seq == b->seq && a->name == b->name && a->peer < 0 &&
           b->peer < 0 && a->n_in == b->n_in && a->n_out == b->n_out;
}

enum { DEEP = 64, DEEPEST = 4096, MOST_LOOKS = 256 << 20 /* calls to look at */ };

/* Returns how many calls before these places are equal, up to `most`. */
static int64_t common_before(const rn_dump *own, int64_t at, const rn_dump *d, int64_t i,
                             int64_t most) {
    int64_t n = 0;
    while (n < i && n < at && n < most &&
           same_step(&d->calls[i - 1 - n], &own->calls[at - 1 - n])) {
        n++;
    }
    return n;
}

/* What another rank did after the calls that this one had made before its last: 1 the same, -1 another, which is *instead, 0
   nothing yet, or it never was there. Of what a ring buffer has lost at its beginning nothing is asked, if half is there. */
static int vote_of(const rn_dump *own, int64_t at, const rn_dump *d, int64_t *left,
                   const rn_call **instead) {
    const int64_t least = at < DEEP ? at : DEEP;
    const int64_t beside = d->n_calls - (own->n_calls - at); /* where it is if both are as far */
    if (beside >= least && same_step(&d->calls[beside], &own->calls[at]) &&
        common_before(own, at, d, beside, least) == least) {
        *left -= least + 1;
        return 1;
    }
    int64_t best = -1;
    int vote = 0;
    for (int64_t i = d->n_calls; i > 0 && *left > 0; i--) {
        /* its calls before i are as ours before at */
        const int64_t n = common_before(own, at, d, i, DEEPEST);
        const bool begins = n == i && !d->whole && 2 * n >= least;
        *left -= n + 1;
        if ((n < least && !begins) || n < best) continue;
        const int here = i == d->n_calls ? 0 : same_step(&d->calls[i], &own->calls[at]) ? 1 : -1;
        if (n > best || here > vote) vote = here;
        if (vote < 0) *instead = &d->calls[i];
        best = n;
    }
    return vote;
}

/* Marks whose program is the rank's own: members of its groups, but for the one of all ranks; of a pipeline, in which
   nobody calls a collective, each stage has its own. Nobody: all. */
static bool mark_peers(const rn_hang_job *job, int32_t dump, bool peer[], int64_t *left) {
    bool any = false;
    *left -= job->n_groups + job->n_dumps;
    memset(peer, 0, (size_t)job->n_dumps);
    for (int32_t g = 0; g < job->n_groups; g++) {
        const rn_hang_group *group = &job->groups[g];
        bool calls = false;
        if (group->n_members >= job->n_ranks) continue;
        if (rn_member_at(group, job->dumps[dump].rank) < 0) continue;
        *left -= group->n_members;
        for (int32_t m = 0; m < group->n_members && !calls; m++) calls = group->members[m].n > 0;
        for (int32_t m = 0; calls && m < group->n_members; m++) {
            if (group->members[m].dump < 0 || group->members[m].dump == dump) continue;
            peer[group->members[m].dump] = true;
            any = true;
        }
    }
    return any;
}

/* Returns how many others, who had done the same until then, did here something else, such as *instead, less those who did the
   same, and the rank itself. */
static int32_t n_against(const rn_hang_job *job, int32_t dump, const rn_call *call, bool peer[],
                         int64_t *left, const rn_call **instead) {
    const rn_dump *own = &job->dumps[dump];
    const bool some = mark_peers(job, dump, peer, left);
    int32_t n_same = 1, n_other = 0;
    for (int32_t d = 0; d<job->n_dumps && * left> 0; d++) {
        if (d == dump || (some && !peer[d])) continue;
        const int vote = vote_of(own, call - own->calls, &job->dumps[d], left, instead);
        n_same += vote > 0;
        n_other += vote < 0;
    }
    return n_other - n_same;
}

static const rn_wait_row *row_of(const rn_waits *waits, int32_t dump) {
    for (int64_t i = 0; i < waits->n; i++) {
        if (waits->rows[i].dump == dump && waits->rows[i].n > 0) return &waits->rows[i];
    }
    return NULL;
}

int32_t rn_find_circle(const rn_hang_job *job, const rn_waits *waits, const rn_wait_row **circle) {
    int32_t *seen = rs_heap_take(job->pieces, (size_t)job->n_dumps * sizeof *seen);
    const rn_wait_row *row = NULL;
    int32_t n = 0;
    if (seen == NULL) return 0;
    for (int64_t i = 0; i < waits->n && row == NULL; i++) {
        if (waits->rows[i].n > 0) row = &waits->rows[i];
    }
    while (row != NULL && seen[row->dump] == 0) {
        circle[n++] = row;
        seen[row->dump] = n;
        const rn_wait_row *next = NULL;
        for (int32_t k = 0; k < row->n && next == NULL; k++) {
            const int32_t d = rn_dump_of(job, row->ranks[k]);
            next = d >= 0 ? row_of(waits, d) : NULL;
        }
        row = next;
    }
    if (row == NULL) return 0;
    const int32_t first = seen[row->dump] - 1;
    memmove(circle, circle + first, (size_t)(n - first) * sizeof(*circle));
    return n - first;
}

const rn_wait_row **rn_list_awaited(const rn_hang_job *job, const rn_waits *waits) {
    const rn_wait_row **awaited = rs_heap_take(job->pieces, (size_t)job->n_dumps * sizeof *awaited);
    if (awaited == NULL) return NULL;
    for (int64_t i = 0; i < waits->n; i++) {
        const rn_wait_row *row = &waits->rows[i];
        for (int32_t k = 0; k < row->n; k++) {
            const int32_t d = rn_dump_of(job, row->ranks[k]);
            if (d >= 0 && awaited[d] == NULL) awaited[d] = row;
        }
    }
    return awaited;
}

static bool waits_for(const rn_hang_job *job, const rn_wait_row *row, int32_t dump) {
    for (int32_t k = 0; k < row->n; k++) {
        if (row->ranks[k] == job->dumps[dump].rank) return true;
    }
    return false;
}

bool rn_find_odd(const rn_hang_job *job, const rn_waits *waits, const rn_wait_row **found,
                 const rn_wait_row **waits_for_it) {
    const rn_wait_row *odd = NULL, *waiter = NULL;
    bool *peer = rs_heap_take(job->pieces, (size_t)job->n_dumps);
    const rn_wait_row **awaited = rn_list_awaited(job, waits);
    const rn_call *instead = NULL;
    int64_t left = MOST_LOOKS;
    int32_t n_odd = 0;
    if (peer == NULL || awaited == NULL) return false;
    for (int64_t i = 0; i < waits->n && left > 0; i++) {
        const rn_wait_row *row = &waits->rows[i];
        const rn_call *other = NULL;
        if (row->n == 0 || awaited[row->dump] == NULL ||
            n_against(job, row->dump, row->call, peer, &left, &other) <= 0)
            continue;
        if (odd == NULL || odd->dump != row->dump) n_odd++;
        odd = row;
        instead = other;
    }
    if (n_odd != 1 || left <= 0) return false;
    waiter = awaited[odd->dump];
    for (int64_t i = 0; i < waits->n; i++) { /* better: where the others went */
        const rn_wait_row *row = &waits->rows[i];
        if (!same_in_program(row->call, instead) || !waits_for(job, row, odd->dump)) continue;
        waiter = row;
        break;
    }
    *found = odd;
    *waits_for_it = waiter;
    return true;
}

int rn_odd_side(const rn_hang_job *job, int32_t dump, const rn_call *call, int32_t other_dump,
                const rn_call *other) {
    bool *peer = rs_heap_take(job->pieces, (size_t)job->n_dumps);
    const rn_call *instead;
    int64_t left = MOST_LOOKS;
    if (peer == NULL) return 0;
    const bool odd = n_against(job, dump, call, peer, &left, &instead) > 0;
    const bool other_odd = n_against(job, other_dump, other, peer, &left, &instead) > 0;
    return left > 0 ? odd - other_odd : 0;
}

bool rn_is_doubtful(const rn_hang_job *job, const rn_wait_row *row, bool peer[], int64_t *left) {
    const rn_call *instead;
    if (row->n == 0 || row->n_gone < row->n || row->call->peer >= 0) return false;
    return *left > 0 && n_against(job, row->dump, row->call, peer, left, &instead) >= 0 &&
           *left > 0;
}

/* ------------------------------------------------------------------ whoever else comes */

/* Does a kept rank keep it waiting? at: where the last one was found, which is kept as long as it can be. */
static bool is_kept(const rn_hang_job *job, const rn_wait_row *row, const bool in[], int32_t *at) {
    for (; *at < row->n; (*at)++) {
        const int32_t d = rn_dump_of(job, row->ranks[*at]);
        if (d >= 0 && in[d]) return true;
    }
    return false;
}

void rn_find_knot(const rn_hang_job *job, const rn_waits *waits, rn_waits *knot) {
    bool *in = rs_heap_take(job->pieces, (size_t)job->n_dumps);
    int32_t *at = rs_heap_take(job->pieces, (size_t)waits->n * sizeof *at);
    *knot = (rn_waits){.rows = rs_heap_take(job->pieces, (size_t)waits->n * sizeof *knot->rows)};
    if (job->pieces->arena->lacked) return;
    int64_t left = (int64_t)1 << 28; /* waits to look at */
    for (int32_t d = 0; d < job->n_dumps; d++) in[d] = waits->open[d] && !job->dumps[d].cut;
    for (bool changed = true; changed && left > 0; left -= waits->n) {
        changed = false;
        for (int64_t i = 0; i < waits->n; i++) {
            const int32_t d = waits->rows[i].dump;
            if (!in[d] || is_kept(job, &waits->rows[i], in, &at[i])) continue;
            in[d] = false;
            changed = true;
        }
    }
    for (int64_t i = 0; i < waits->n && left > 0; i++) {
        if (in[waits->rows[i].dump]) knot->rows[knot->n++] = waits->rows[i];
    }
}
