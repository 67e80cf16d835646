/* test_align_calls.c: a rank that makes one to three calls otherwise than two others do, at drawn places: the first of them is
 * found, where it is and of what kind. Two calls that changed places, or of which each is made where the other should be, are
 * one; calls that only look like it are not.
 */
#include "hang/hang_job.h"

#include <criterion/criterion.h>
#include <string.h>

enum { CALLS = 60, APART = 8, MOST = 3, ROOM = CALLS + MOST, N = 4 * CALLS, RANKS = 3 };

static rs_arena arena;
static rs_heap heap;
static rn_call calls[RANKS][ROOM];
static rn_call_mark marks[RANKS][ROOM];
static rn_dump dumps[RANKS];
static rn_hang_member members[RANKS];
static rn_hang_group group;
static rn_hang_job job;
static rn_edits edits;
static uint64_t state;

static void start(void) {
    rs_arena_init(&arena, NULL);
    heap = (rs_heap){.arena = &arena};
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(align_calls, .init = start, .fini = stop);

static uint32_t draw(uint32_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(state >> 33) % below;
}

/* ------------------------------------------------------------------ a job */

static void begin_job(void) {
    stop();
    start();
    edits = (rn_edits){0};
    group = (rn_hang_group){.name = "g", .members = members, .n_members = RANKS, .n_dumped = RANKS};
    job = (rn_hang_job){.dumps = dumps,
                        .n_dumps = RANKS,
                        .groups = &group,
                        .n_groups = 1,
                        .n_args = N,
                        .n_sites = N,
                        .n_ranks = RANKS,
                        .pieces = &heap};
    for (int32_t r = 0; r < RANKS; r++) {
        dumps[r] = (rn_dump){.rank = r, .calls = calls[r], .n_groups = 1, .whole = true};
        members[r] = (rn_hang_member){.rank = r, .dump = r, .calls = marks[r], .first_open = -1};
    }
}

static void add_call(int32_t r, uint32_t args, uint32_t site) {
    rn_hang_member *m = &members[r];
    cr_assert_lt(m->n, ROOM);
    marks[r][m->n] = (rn_call_mark){args, site, m->n};
    calls[r][m->n] = (rn_call){.seq = m->n + 1, .peer = -1, .root = -1, .op = -1};
    m->last_seq = ++m->n;
    dumps[r].n_calls = m->n;
}

/* The rank ends so many calls before; what stands behind its end is no call of it. */
static void cut(int32_t r, int32_t n) {
    members[r].n -= n;
    members[r].last_seq -= n;
    dumps[r].n_calls -= n;
}

/* ------------------------------------------------------------------ what one rank does otherwise */

typedef struct made_edit {
    rn_edit_kind kind;
    int32_t at;          /* of the reference's calls */
    uint32_t args, site; /* of the call that it makes */
} made_edit;

static bool same_site(uint32_t a, uint32_t b) {
    return a == 0 || b == 0 || a == b;
}

/* Is the call that e makes the reference's at f? The call at column c has arguments and site c + 1. */
static bool makes(const made_edit *e, const made_edit *f) {
    return e->args == (uint32_t)f->at + 1 && same_site(e->site, (uint32_t)f->at + 1);
}

static bool is_swap(const made_edit *e, const made_edit *f) {
    if (e->kind == RN_EDIT_MISSING) return f->kind == RN_EDIT_EXTRA && makes(f, e);
    if (e->kind == RN_EDIT_EXTRA) return f->kind == RN_EDIT_MISSING && makes(e, f);
    return f->kind == RN_EDIT_CHANGED && makes(e, f) && makes(f, e);
}

static int make_edits(made_edit made[MOST]) {
    const int n = 1 + (int)draw(MOST);
    int32_t at = (int32_t)draw(8);
    for (int k = 0; k < n; k++, at += APART + (int32_t)draw(6))
        made[k] = (made_edit){.kind = (rn_edit_kind)draw(3), .at = at};
    for (int k = 0; k < n; k++) {
        const uint32_t first = made[0].at > 4 && draw(6) == 0, /* a call that all make */
            there = first ? 1 : (uint32_t)made[draw((uint32_t)n)].at + 1;
        made[k].args = there == (uint32_t)made[k].at + 1 || draw(4) == 0
                           ? (uint32_t)(2 * CALLS + made[k].at)
                           : there;
        made[k].site = draw(4) == 0   ? 0
                       : draw(4) == 0 ? (uint32_t)(2 * CALLS + made[k].at)
                       : draw(3) == 0 ? (uint32_t)made[k].at + 1
                                      : there;
    }
    return n;
}

Test(align_calls, the_first_that_differs_is_found_with_its_kind) {
    int n_of[4] = {0};
    for (uint64_t seed = 1; seed <= 6000; seed++) {
        made_edit made[MOST];
        state = seed * 0x9e3779b97f4a7c15;
        begin_job();
        const int n = make_edits(made);
        const int32_t odd = (int32_t)draw(RANKS);
        const bool none = draw(8) == 0;
        for (int32_t r = 0; r < RANKS; r++) {
            int k = 0;
            for (int32_t c = 0; c < CALLS; c++) {
                const bool here = !none && r == odd && k < n && made[k].at == c;
                if (here && made[k].kind != RN_EDIT_MISSING)
                    add_call(r, made[k].args, made[k].site);
                if (!here || made[k].kind == RN_EDIT_EXTRA)
                    add_call(r, (uint32_t)c + 1, (uint32_t)c + 1);
                k += here;
            }
            cut(r, (int32_t)draw(3) * (int32_t)draw(9)); /* it has not come so far */
        }
        rn_edit_kind kind = made[0].kind;
        for (int k = 1; k < n; k++)
            if (is_swap(&made[0], &made[k])) kind = RN_EDIT_SWAPPED;
        rn_align_group(&job, 0, &edits);
        cr_assert_not(job.pieces->arena->lacked);
        cr_assert_eq(edits.n, !none, "seed %d: %d edits", (int)seed, (int)edits.n);
        if (none) continue;
        const rn_edit *e = edits.list;
        cr_assert(e->member == odd && e->group == 0 && e->reference != odd, "seed %d", (int)seed);
        cr_assert_eq(e->kind, kind, "seed %d: %d, not %d", (int)seed, (int)e->kind, (int)kind);
        cr_assert(e->column == made[0].at && e->own == made[0].at, "seed %d: %d, %d, not %d",
                  (int)seed, (int)e->column, (int)e->own, (int)made[0].at);
        cr_assert(e->n_alike == 1 && e->n_agree == RANKS - 1 && e->n_voters == RANKS);
        n_of[kind]++;
    }
    for (int kind = 0; kind < 4; kind++) cr_assert_gt(n_of[kind], 200, "%d: %d", kind, n_of[kind]);
}

/* ------------------------------------------------------------------ votes */

/* Who ends before the place of an edit has no vote if its dump is cut, else it does not agree. Who has lost what was there has
   come, but does not agree either. */
Test(align_calls, who_came_to_the_place_votes_on_it) {
    for (int32_t place = 3; place < 20; place++) {
        for (int32_t end = 1; end < 24; end++) {
            for (int how = 0; how < 4; how++) {
                const bool is_cut = how & 1, lost = how & 2;
                begin_job();
                for (int32_t i = 0; i < 24; i++) {
                    add_call(0, (uint32_t)i + 1, (uint32_t)i + 1);
                    if (i < 22) add_call(1, i == place ? 90u : (uint32_t)i + 1, (uint32_t)i + 1);
                    if (i < end) add_call(2, (uint32_t)i + 1, (uint32_t)i + 1);
                }
                dumps[2].cut = is_cut;
                if (lost) { /* all but its last one */
                    members[2].calls += end - 1;
                    members[2].n = 1;
                }
                rn_align_group(&job, 0, &edits);
                cr_assert_not(job.pieces->arena->lacked);
                const bool came = end > place, kept = !lost || end - 1 <= place;
                cr_assert_eq(edits.n, 1, "%d, %d: %d", (int)place, (int)end, (int)edits.n);
                const rn_edit *e = edits.list;
                cr_assert(e->kind == RN_EDIT_CHANGED && e->member == 1 && e->column == place);
                cr_assert_eq(e->n_voters, 2 + (came || !is_cut), "%d, %d", (int)place, (int)end);
                cr_assert_eq(e->n_agree, 1 + (came && kept), "%d, %d", (int)place, (int)end);
                cr_assert_eq(e->n_alike, 1);
            }
        }
    }
}

/* Of the two that do alike the one that got farther is shown beside the odd one, whoever got how far. */
Test(align_calls, who_does_otherwise_is_compared_with_the_one_that_got_farthest) {
    enum { MORE = 6, PLACE = 5 };
    for (int drawn = 0; drawn < RANKS * MORE * MORE * MORE; drawn++) {
        const int32_t odd = drawn % RANKS;
        int32_t farthest = -1, n_of[RANKS], rest = drawn / RANKS;
        begin_job();
        for (int32_t r = 0; r < RANKS; r++, rest /= MORE) {
            n_of[r] = PLACE + 1 + rest % MORE;
            for (int32_t i = 0; i < n_of[r]; i++)
                add_call(r, r == odd && i == PLACE ? 90u : (uint32_t)i + 1, (uint32_t)i + 1);
            if (r != odd && (farthest < 0 || n_of[r] > n_of[farthest])) farthest = r;
        }
        rn_align_group(&job, 0, &edits);
        cr_assert_not(job.pieces->arena->lacked);
        cr_assert_eq(edits.n, 1);
        const rn_edit *e = edits.list;
        cr_expect(e->member == odd && e->column == PLACE && e->reference == farthest,
                  "%d, %d, %d calls: rank %d beside %d, not %d", (int)n_of[0], (int)n_of[1],
                  (int)n_of[2], (int)e->member, (int)e->reference, (int)farthest);
    }
}

/* ------------------------------------------------------------------ loops */

/* Is the pattern one that no shorter one repeats? */
static bool is_shortest(const uint32_t pattern[], int32_t period) {
    for (int32_t p = 1; p < period; p++) {
        bool same = period % p == 0;
        for (int32_t i = p; i < period; i++) same = same && pattern[i] == pattern[i - p];
        if (same) return false;
    }
    return true;
}

/* All go round a loop in which a call may stand several times. Who left out the last one that the others made, and went on, is
   told from who made another one: what comes next is what came the last time behind the same calls. */
Test(align_calls, who_went_on_in_a_loop_without_a_call_has_left_it_out) {
    int n_tried = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        uint32_t pattern[8];
        state = seed * 0x9e3779b97f4a7c15;
        begin_job();
        const int32_t period = 2 + (int32_t)draw(6), n = 2 * period + (int32_t)draw(30);
        const int32_t odd = (int32_t)draw(RANKS), further = 1 + (int32_t)draw(3);
        for (int32_t i = 0; i < period; i++) pattern[i] = 1 + draw(4);
        const uint32_t left_out = pattern[(n - 1) % period], before = pattern[(n - 2) % period];
        if (!is_shortest(pattern, period) || left_out == before || left_out == pattern[n % period])
            continue;
        for (int32_t r = 0; r < RANKS; r++) {
            for (int32_t i = 0; i < n + (r == odd ? further : 0); i++) {
                const uint32_t args = pattern[i % period];
                if (r != odd || i != n - 1) add_call(r, args, args + 1);
            }
        }
        rn_align_group(&job, 0, &edits);
        cr_assert_not(job.pieces->arena->lacked);
        cr_assert_eq(edits.n, 1, "seed %d: %d edits", (int)seed, (int)edits.n);
        const rn_edit *e = edits.list;
        cr_assert(e->kind == RN_EDIT_MISSING && e->member == odd && e->column == n - 1,
                  "seed %d: %d at %d, not %d", (int)seed, (int)e->kind, (int)e->column, (int)n - 1);
        n_tried++;
    }
    cr_assert_gt(n_tried, 1000);
}

/* Whichever piece of memory is missing, it says so. */
Test(align_calls, says_so_without_memory) {
    static char room[1 << 16] __attribute__((aligned(64)));
    rs_arena none;
    size_t left = 0;
    rs_arena_init(&none, NULL);
    none.limit_bytes = 1;
    none.lacked = true;
    for (; none.lacked; left += 16) {
        begin_job();
        for (int32_t r = 0; r < RANKS; r++) {
            for (uint32_t i = 0; i < 20; i++) {
                if (r != 1 || i != 12) add_call(r, i, i);
            }
        }
        memset(room, 0, sizeof room);
        heap = (rs_heap){.arena = &none, .at = room, .left = left};
        cr_assert_lt(left, sizeof room);
        none.lacked = false;
        rn_align_group(&job, 0, &edits);
    }
    cr_assert(left > 1000 && edits.n == 1 && edits.list->kind == RN_EDIT_MISSING);
}
