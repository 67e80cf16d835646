/* align_calls.c: the calls of a group's members side by side, by least edits.
 *
 *     reference   a b c d e        rank 3 left c out: from there on its numbers are one less,
 *     rank 3      a b - d e        but its calls are the same
 *
 *   - A call equals another if operation, type and sizes are equal and both come from the same lines; or from
 *     lines that only one of the two ever calls from: ranks may take different branches.
 *   - Equal calls go together as long as they can; where they end, least edits are searched in a band around what is
 *     left. Of equally few the most equal calls count, then a changed call from the same lines.
 *   - The ends are free: a rank that has not come further has made no edit. Beyond the reference's end stands what
 *     followed the last time, so that a rank that went on without a call is told from one that made another.
 *   - Where most members differ from the reference in the same way, it is the reference that differs.
 */
#include "hang_job.h"

#include <assert.h>
#include <string.h>

enum { BAND = 24, WIDTH = 2 * BAND + 1, AHEAD = 16, MOST_EDITS = 2 * BAND, MOST_ROUNDS = 4 };
enum { EDIT = 10000, OTHER_SITE = 2000, EQUAL = -4, NEVER = 1 << 29 };

typedef enum from { FROM_NOWHERE, FROM_BOTH, FROM_REFERENCE, FROM_OWN } from;

typedef struct alignment {
    const rn_hang_job *job;
    const rn_hang_group *group;
    const rn_hang_member *reference;
    rn_call_mark *column; /* [n_columns] the reference's calls, and what follows */
    int32_t n_columns, n_real;
    uint8_t *site_in_reference, *site_in_own; /* [n_sites] own: of whom is aligned; else zeros */
    uint8_t *args_in_reference;               /* [n_args] */
    uint8_t *came_from;                       /* [rows x WIDTH] */
    size_t n_came_from;
    rn_edit found[MOST_EDITS];
    int n_found;
} alignment;

/* ------------------------------------------------------------------ equal calls */

static bool same_site(rn_call_mark a, rn_call_mark b) {
    return a.site == b.site || a.site == 0 || b.site == 0;
}

static bool equal(const alignment *a, rn_call_mark ref, rn_call_mark own) {
    if (ref.args != own.args) return false;
    return same_site(ref, own) || (!a->site_in_reference[own.site] && !a->site_in_own[ref.site]);
}

static int changed_cost(rn_call_mark ref, rn_call_mark own) {
    return same_site(ref, own) ? EDIT - 1 : EDIT + OTHER_SITE;
}

static void mark_sites(uint8_t in[], const rn_call_mark calls[], int32_t n, uint8_t value) {
    for (int32_t i = 0; i < n; i++) in[calls[i].site] = value;
}

/* ------------------------------------------------------------------ what follows */

/* Tells how many calls before i and before j are equal. */
static int32_t common_before(const rn_call_mark c[], int32_t i, int32_t j) {
    enum { ENOUGH = 64 };
    int32_t n = 0;
    while (n < i && n < ENOUGH && c[i - 1 - n].args == c[j - 1 - n].args &&
           c[i - 1 - n].site == c[j - 1 - n].site) {
        n++;
    }
    return n;
}

/* Puts behind the reference's end what followed the last time that the same calls had come. */
static void look_ahead(alignment *a) {
    const int32_t n = a->n_real;
    /* One call of which nobody knows from where comes again by chance. */
    int32_t best = n > 0 && a->column[n - 1].site == 0, best_at = -1;
    for (int32_t i = n - 1; i > 0; i--) {
        const int32_t same = common_before(a->column, i, n);
        if (same > best) {
            best = same;
            best_at = i;
        }
    }
    a->n_columns = n;
    for (int32_t i = 0; best_at >= 0 && i < AHEAD; i++) {
        a->column[n + i] =
            a->column[best_at + i]; /* which may be one of these: a short loop goes on */
        a->n_columns++;
    }
}

/* False: no memory. */
static bool begin(alignment *a, int32_t reference) {
    rs_heap *pieces = a->job->pieces;
    a->reference = &a->group->members[reference];
    a->n_real = a->reference->n;
    a->column = rs_heap_take(pieces, ((size_t)a->n_real + AHEAD) * sizeof *a->column);
    if (a->site_in_reference == NULL) {
        a->site_in_reference = rs_heap_take(pieces, a->job->n_sites);
        a->site_in_own = rs_heap_take(pieces, a->job->n_sites);
        a->args_in_reference = rs_heap_take(pieces, a->job->n_args);
    }
    if (pieces->arena->lacked) return false;
    if (a->n_real > 0)
        memcpy(a->column, a->reference->calls, (size_t)a->n_real * sizeof *a->column);
    memset(a->site_in_reference, 0, a->job->n_sites);
    memset(a->args_in_reference, 0, a->job->n_args);
    mark_sites(a->site_in_reference, a->column, a->n_real, 1);
    for (int32_t i = 0; i < a->n_real; i++) a->args_in_reference[a->column[i].args] = 1;
    look_ahead(a);
    return true;
}

/* ------------------------------------------------------------------ least edits */

/* One cell: the least cost of three ways to it; NEVER: there is no such way. */
static int best_of(const alignment *a, const rn_call_mark own[], int32_t i, int32_t j, int both,
                   int skip_ref, int skip_own, from *way) {
    int best = NEVER;
    *way = FROM_NOWHERE;
    if (both < NEVER) {
        const rn_call_mark r = a->column[i - 1], o = own[j - 1];
        const int cost = both + (equal(a, r, o) ? EQUAL : changed_cost(r, o));
        if (cost < best) {
            best = cost;
            *way = FROM_BOTH;
        }
    }
    if (skip_ref + EDIT + 1 < best) {
        best = skip_ref + EDIT + 1;
        *way = FROM_REFERENCE;
    }
    if (skip_own < NEVER) {
        const rn_call_mark o = own[j - 1];
        const bool known = a->args_in_reference[o.args] && a->site_in_reference[o.site];
        const int cost = skip_own + EDIT + (known ? 2 : 0);
        if (cost < best) {
            best = cost;
            *way = FROM_OWN;
        }
    }
    return best;
}

static bool make_room(alignment *a, size_t n) {
    if (n <= a->n_came_from) return true;
    a->came_from = rs_heap_take(a->job->pieces, 2 * n);
    a->n_came_from = a->came_from != NULL ? 2 * n : 0;
    return a->came_from != NULL;
}

/* Walks back from the end of the search, and notes the edits, the first one first. */
static void walk_back(alignment *a, const rn_hang_member *m, int32_t i, int32_t j,
                      int32_t first_ref, int32_t first_own) {
    rn_edit back[MOST_EDITS];
    int n = 0;
    while (i > 0 || j > 0) {
        const from way = (from)a->came_from[(size_t)j * WIDTH + (size_t)(i - j + BAND)];
        if (way == FROM_NOWHERE) break;
        i -= way != FROM_OWN;
        j -= way != FROM_REFERENCE;
        const rn_edit e = {.kind = way == FROM_REFERENCE ? RN_EDIT_MISSING
                                   : way == FROM_OWN     ? RN_EDIT_EXTRA
                                                         : RN_EDIT_CHANGED,
                           .column = first_ref + i,
                           .own = first_own + j};
        if (way == FROM_BOTH && equal(a, a->column[e.column], m->calls[e.own])) continue;
        back[n % MOST_EDITS] = e; /* of many the first ones stay */
        n++;
    }
    const int n_kept = n < MOST_EDITS ? n : MOST_EDITS;
    for (int k = 0; k < n_kept; k++) a->found[k] = back[(n - 1 - k) % MOST_EDITS];
    a->n_found = n_kept;
}

/* Searches from these places on. rows: of the member's calls; columns: of the reference's. */
static void search(alignment *a, const rn_hang_member *m, int32_t first_ref, int32_t first_own) {
    const int32_t rows = m->n - first_own, columns = a->n_columns - first_ref;
    const int32_t real = a->n_real - first_ref;
    const rn_call_mark *own = m->calls + first_own;
    int cost[2][WIDTH + 2];
    int best = NEVER, best_i = 0, best_j = 0;
    if (!make_room(a, ((size_t)rows + 1) * WIDTH)) return;
    rn_call_mark *const all = a->column;
    a->column = all + first_ref;
    for (int j = 0; j < 2; j++) {
        for (int w = 0; w < WIDTH + 2; w++) cost[j][w] = NEVER;
    }
    for (int32_t j = 0; j <= rows; j++) {
        int *now = cost[j & 1], *before = cost[1 - (j & 1)];
        for (int w = 0; w < WIDTH + 2; w++) now[w] = NEVER;
        for (int w = 1; w <= WIDTH; w++) { /* the cell (i, j) */
            const int32_t i = j - BAND + w - 1;
            from way = FROM_NOWHERE;
            if (i < 0 || i > columns) continue;
            now[w] = i == 0 && j == 0
                         ? 0
                         : best_of(a, own, i, j, before[w], now[w - 1], before[w + 1], &way);
            a->came_from[(size_t)j * WIDTH + (size_t)(w - 1)] = (uint8_t)way;
            const bool ends = j == rows || i == columns || i == real;
            const int end_cost = now[w] + (j < rows && columns > real ? 2 : 0);
            if (ends && end_cost < best) {
                best = end_cost;
                best_i = i;
                best_j = j;
            }
        }
    }
    a->column = all;
    walk_back(a, m, best_i, best_j, first_ref, first_own);
}

void rn_first_common(const rn_hang_job *job, const rn_hang_member *ref, const rn_hang_member *own,
                     int32_t *i, int32_t *j) {
    *i = *j = 0;
    if (ref->n == 0 || own->n == 0) return;
    const int64_t ref_seq = rn_member_call(job, ref, 0)->seq;
    const int64_t own_seq = rn_member_call(job, own, 0)->seq;
    while (*i < ref->n && rn_member_call(job, ref, *i)->seq < own_seq) (*i)++;
    while (*j < own->n && rn_member_call(job, own, *j)->seq < ref_seq) (*j)++;
}

static bool alike_marks(rn_call_mark a, rn_call_mark b) {
    return a.args == b.args && same_site(a, b);
}

/* Is a call left out here made there, or are two calls changed of which each is the other? */
static bool is_swap(const alignment *a, const rn_hang_member *m, const rn_edit *e,
                    const rn_edit *f) {
    if (e->kind == RN_EDIT_CHANGED && f->kind == RN_EDIT_CHANGED) {
        return alike_marks(a->column[e->column], m->calls[f->own]) &&
               alike_marks(a->column[f->column], m->calls[e->own]);
    }
    const bool forth = e->kind == RN_EDIT_MISSING && f->kind == RN_EDIT_EXTRA;
    const bool back = e->kind == RN_EDIT_EXTRA && f->kind == RN_EDIT_MISSING;
    if (!forth && !back) return false;
    return alike_marks(a->column[forth ? e->column : f->column], m->calls[forth ? f->own : e->own]);
}

static void join_swapped(alignment *a, const rn_hang_member *m) {
    for (int k = 0; k < a->n_found; k++) {
        for (int l = k + 1; l < a->n_found; l++) {
            rn_edit *e = &a->found[k], *f = &a->found[l];
            if (!is_swap(a, m, e, f)) continue;
            e->kind = RN_EDIT_SWAPPED;
            memmove(f, f + 1, (size_t)(a->n_found - l - 1) * sizeof *f);
            a->n_found--;
            break;
        }
    }
}

/* Finds where the member differs from the reference. */
static void align(alignment *a, const rn_hang_member *m) {
    int32_t i, j;
    a->n_found = 0;
    rn_first_common(a->job, a->reference, m, &i, &j);
    while (i < a->n_real && j < m->n && a->column[i].args == m->calls[j].args &&
           a->column[i].site == m->calls[j].site) {
        i++;
        j++;
    }
    if (i == a->n_real || j == m->n) return;
    mark_sites(a->site_in_own, m->calls, m->n, 1);
    search(a, m, i, j);
    join_swapped(a, m);
    mark_sites(a->site_in_own, m->calls, m->n, 0);
}

/* ------------------------------------------------------------------ what most do */

static bool alike(const rn_hang_group *g, const rn_edit *e, const rn_edit *f) {
    if (e->kind != f->kind || e->column != f->column) return false;
    if (e->kind == RN_EDIT_MISSING) return true;
    const rn_hang_member *m = &g->members[e->member], *n = &g->members[f->member];
    assert(e->own < m->n && f->own < n->n); /* only a call that is missing is none of its own */
    return m->calls[e->own].args == n->calls[f->own].args;
}

/* Has it a dump whose calls can be aligned? */
static bool is_aligned(const rn_hang_job *job, const rn_hang_member *m) {
    return m->dump >= 0 && !job->dumps[m->dump].rough;
}

static int64_t first_called(const rn_hang_job *job, const rn_hang_member *m) {
    return m->n > 0 ? rn_member_call(job, m, 0)->seq : INT64_MAX;
}

/* Counts who does alike, and who has come to the place and does as the reference does. column_of: [n_members]
   where each member's edit stands. */
static void count_votes(const rn_hang_job *job, const rn_hang_group *g, rn_edit list[], int32_t n,
                        int32_t column_of[]) {
    for (int32_t m = 0; m < g->n_members; m++) column_of[m] = INT32_MAX;
    for (int32_t k = 0; k < n; k++) column_of[list[k].member] = list[k].column;
    for (int32_t k = 0; k < n; k++) {
        const rn_hang_member *ref = &g->members[list[k].reference];
        const int64_t seq = rn_member_call(job, ref, list[k].column)->seq;
        list[k].n_alike = list[k].n_agree = list[k].n_voters = 0;
        for (int32_t l = 0; l < n; l++) list[k].n_alike += alike(g, &list[k], &list[l]);
        for (int32_t m = 0; m < g->n_members; m++) {
            const bool came = g->members[m].last_seq >= seq;
            if (g->members[m].dump < 0) continue;
            const bool kept = first_called(job, &g->members[m]) <= seq; /* not lost */
            list[k].n_voters += came || !job->dumps[g->members[m].dump].cut;
            list[k].n_agree += came && kept && column_of[m] > list[k].column;
        }
    }
}

static int64_t last_called(const rn_hang_job *job, const rn_hang_member *m) {
    return m->n > 0 ? rn_member_call(job, m, m->n - 1)->seq : -1;
}

/* Returns the longest of the members that have no edit; -1: there is none. column_of NULL: nobody has. */
static int32_t longest_without(const rn_hang_job *job, const rn_hang_group *g,
                               const int32_t column_of[]) {
    int32_t best = -1;
    for (int32_t m = 0; m < g->n_members; m++) {
        if (!is_aligned(job, &g->members[m]) || (column_of != NULL && column_of[m] != INT32_MAX))
            continue;
        if (best < 0 || last_called(job, &g->members[m]) > last_called(job, &g->members[best])) {
            best = m;
        }
    }
    return best;
}

/* How many calls after one another are all missing, or all extra, from the first edit on. */
static int32_t calls_of_first(const alignment *a) {
    const rn_edit *first = &a->found[0];
    int k = 1;
    for (; k < a->n_found && a->found[k].kind == first->kind; k++) {
        const rn_edit *e = &a->found[k];
        const bool extra =
            e->kind == RN_EDIT_EXTRA && e->column == first->column && e->own == first->own + k;
        const bool missing =
            e->kind == RN_EDIT_MISSING && e->own == first->own && e->column == first->column + k;
        if (!extra && !missing) break;
    }
    return k;
}

/* Adds the first edit of each member against this reference. */
static void against(alignment *a, int32_t group, int32_t reference, rn_edits *edits) {
    const rn_hang_group *g = a->group;
    if (!begin(a, reference)) return;
    for (int32_t m = 0; m < g->n_members; m++) {
        if (m == reference || !is_aligned(a->job, &g->members[m])) continue;
        align(a, &g->members[m]);
        if (a->n_found == 0) continue;
        if (!rs_heap_reserve(a->job->pieces, &edits->list, edits->n + 1, &edits->room)) return;
        rn_edit *first = &edits->list[edits->n++];
        *first = a->found[0];
        first->group = group;
        first->member = m;
        first->reference = reference;
        first->n_calls = calls_of_first(a);
    }
}

void rn_align_group(const rn_hang_job *job, int32_t group, rn_edits *edits) {
    const rn_hang_group *g = &job->groups[group];
    const int32_t before = edits->n;
    alignment a = {.job = job, .group = g};
    int32_t reference = longest_without(job, g, NULL);
    int32_t *column_of = rs_heap_take(job->pieces, (size_t)g->n_members * sizeof *column_of);
    for (int round = 0; column_of != NULL && reference >= 0 && round < MOST_ROUNDS; round++) {
        edits->n = before;
        against(&a, group, reference, edits);
        const int32_t n = edits->n - before;
        if (n == 0) break;
        rn_edit *list = edits->list + before;
        count_votes(job, g, list, n, column_of);
        int32_t most = 0;
        for (int32_t k = 1; k < n; k++) {
            if (list[k].n_alike > list[most].n_alike) most = k;
        }
        if (2 * n > list[most].n_voters) {
            reference = list[most].member; /* what most do is right */
        } else {
            const int32_t longer = longest_without(job, g, column_of);
            if (longer < 0 ||
                last_called(job, &g->members[longer]) <= last_called(job, &g->members[reference])) {
                break;
            }
            reference = longer;
        }
    }
}
