/* test_hang_circle.c: random waits of a few ranks, some of them without a dump: who is waited for, the circle to which the first
 * wait leads, and the ranks that wait for each other whoever else comes, against plain accounts. The last one's tries all sets
 * of ranks.
 */
#include "hang/hang_job.h"
#include "hangs/drawn.h"

#include <criterion/criterion.h>
#include <string.h>

enum { DUMPS = 7, RANKS = 2 * DUMPS + 2, ROWS = 3 * DUMPS };

static rn_dump dumps[DUMPS];
static rn_call calls[DUMPS][3];
static rn_wait_row rows[ROWS];
static int32_t awaited_ranks[ROWS][RANKS];
static bool is_open[DUMPS];
static rn_hang_job job;
static rn_waits waits;

TestSuite(hang_circle, .init = start, .fini = stop);

/* Dumps of every other rank, from 0 or 1 on. */
static int32_t rank_of(int32_t dump) {
    return dumps[dump].rank;
}
/* The place of a rank's dump; -1: it has none that can be read. */
static int32_t dump_of(int32_t rank) {
    for (int32_t d = 0; d < job.n_dumps; d++) {
        if (dumps[d].rank == rank && !dumps[d].unread) return d;
    }
    return -1;
}

static void make_waits(uint64_t seed) {
    stop();
    start();
    state = seed * 0x9e3779b97f4a7c15;
    const int32_t n = 1 + draw(DUMPS), first = draw(2), n_gone = draw(3), dense = draw(5);
    job = (rn_hang_job){.dumps = dumps, .n_dumps = n, .pieces = &heap};
    waits = (rn_waits){.rows = rows, .open = is_open};
    for (int32_t d = 0; d < n; d++) {
        dumps[d] = (rn_dump){.rank = 2 * d + first,
                             .calls = calls[d],
                             .n_calls = 3,
                             .unread = draw(9) == 0,
                             .cut = draw(9) == 0};
    }
    for (int32_t d = 0; d < n; d++) {
        const int32_t n_rows = dumps[d].unread ? 0 : draw(10) < 7 ? 1 : draw(4);
        is_open[d] = n_rows > 0;
        for (int32_t i = 0; i < n_rows; i++) {
            int32_t *ranks = awaited_ranks[waits.n];
            rn_wait_row *row = &rows[waits.n++];
            *row = (rn_wait_row){.dump = d, .call = &calls[d][i], .ranks = ranks};
            if (dense == 0) ranks[row->n++] = rank_of(draw((uint32_t)n)); /* long circles */
            for (int32_t other = 0; other < 2 * n + first; other++) {
                const bool gone = dump_of(other) < 0;
                if (gone ? draw(8) < n_gone : draw((uint32_t)n) < dense) ranks[row->n++] = other;
            }
        }
    }
}

/* ------------------------------------------------------------------ plain accounts */

static bool waits_for(const rn_wait_row *row, int32_t rank) {
    for (int32_t k = 0; k < row->n; k++) {
        if (row->ranks[k] == rank) return true;
    }
    return false;
}

/* Returns the first row in which this dump waits for somebody; NULL: none. */
static const rn_wait_row *first_of(int32_t dump) {
    for (int64_t i = 0; i < waits.n; i++) {
        if (rows[i].dump == dump && rows[i].n > 0) return &rows[i];
    }
    return NULL;
}

/* Returns the row of the first one for which it waits that waits, too; NULL: none does. */
static const rn_wait_row *follow(const rn_wait_row *row) {
    for (int32_t k = 0; k < row->n; k++) {
        const int32_t d = dump_of(row->ranks[k]);
        if (d >= 0 && first_of(d) != NULL) return first_of(d);
    }
    return NULL;
}

/* After more steps than there are dumps whoever follows the waits is in the circle. It begins where he first came into it. */
static int32_t plain_circle(const rn_wait_row *circle[]) {
    const rn_wait_row *begin = NULL, *inside, *at;
    int32_t n = 0;
    for (int64_t i = waits.n - 1; i >= 0; i--) begin = rows[i].n > 0 ? &rows[i] : begin;
    inside = begin;
    for (int i = 0; i <= DUMPS && inside != NULL; i++) inside = follow(inside);
    if (inside == NULL) return 0;
    for (;; begin = follow(begin)) {
        at = inside;
        do {
            if (at == begin) break;
            at = follow(at);
        } while (at != inside);
        if (at == begin) break;
    }
    do {
        circle[n++] = at;
        at = follow(at);
    } while (at != begin);
    return n;
}

/* Is each wait of these dumps also for one of them? */
static bool is_closed(int set) {
    for (int32_t d = 0; d < job.n_dumps; d++) {
        if (set >> d & 1 && (!is_open[d] || dumps[d].cut)) return false;
    }
    for (int64_t i = 0; i < waits.n; i++) {
        bool inside = !(set >> rows[i].dump & 1);
        for (int32_t d = 0; d < job.n_dumps; d++)
            inside = inside || (set >> d & 1 && waits_for(&rows[i], rank_of(d)));
        if (!inside) return false;
    }
    return true;
}

/* ------------------------------------------------------------------ the same? */

Test(hang_circle, tells_who_is_waited_for_and_by_whom_first) {
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        make_waits(seed);
        const rn_wait_row **awaited = rn_list_awaited(&job, &waits);
        cr_assert_not_null(awaited);
        for (int32_t d = 0; d < job.n_dumps; d++) {
            const rn_wait_row *first = NULL;
            for (int64_t i = waits.n - 1; i >= 0; i--) {
                if (!dumps[d].unread && waits_for(&rows[i], rank_of(d))) first = &rows[i];
            }
            cr_assert_eq(awaited[d], first, "seed %d, dump %d", (int)seed, (int)d);
        }
    }
}

Test(hang_circle, is_found_by_following_the_waits) {
    int n_of[DUMPS + 1] = {0};
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        const rn_wait_row *plain[DUMPS + 1], *circle[DUMPS + 1];
        make_waits(seed);
        const int32_t n = plain_circle(plain);
        cr_assert_eq(rn_find_circle(&job, &waits, circle), n, "seed %d", (int)seed);
        for (int32_t i = 0; i < n; i++) cr_assert_eq(circle[i], plain[i], "seed %d", (int)seed);
        n_of[n]++;
    }
    for (int n = 0; n < 5; n++) cr_assert_gt(n_of[n], 10, "%d of %d", n_of[n], n);
}

Test(hang_circle, the_knot_is_the_largest_set_that_waits_for_itself) {
    int n_none = 0, n_some = 0;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        rn_waits knot;
        int largest = 0;
        int64_t n = 0;
        make_waits(seed);
        for (int set = 0; set < 1 << job.n_dumps; set++) largest |= is_closed(set) ? set : 0;
        cr_assert(is_closed(largest));
        rn_find_knot(&job, &waits, &knot);
        cr_assert_not(job.pieces->arena->lacked);
        for (int64_t i = 0; i < waits.n; i++) {
            if (!(largest >> rows[i].dump & 1)) continue;
            cr_assert_lt(n, knot.n, "seed %d", (int)seed);
            cr_assert(knot.rows[n].call == rows[i].call && knot.rows[n].ranks == rows[i].ranks);
            n++;
        }
        cr_assert_eq(n, knot.n, "seed %d: %d rows, not %d", (int)seed, (int)knot.n, (int)n);
        n_none += largest == 0;
        n_some += largest != 0 && n < waits.n;
    }
    cr_assert(n_none > 300 && n_some > 300, "%d, %d", n_none, n_some);
}

/* Whichever piece of memory is missing: nothing is found, and who can say so does. */
Test(hang_circle, finds_nothing_without_memory) {
    static char room[1 << 12] __attribute__((aligned(64)));
    const rn_wait_row *circle[DUMPS + 1], *odd, *waiter;
    rn_waits knot;
    rs_arena none;
    make_waits(4);
    rs_arena_init(&none, NULL);
    none.limit_bytes = 1;
    const int32_t n = rn_find_circle(&job, &waits, circle);
    cr_assert_gt(n, 0);
    size_t n_failed[4] = {0};
    for (size_t left = 0; left < sizeof room; left += 16) {
        memset(room, 0, sizeof room);
        heap = (rs_heap){.arena = &none, .at = room, .left = left};
        const int32_t found = rn_find_circle(&job, &waits, circle);
        cr_assert(found == 0 || found == n);
        n_failed[0] += found == 0;
        memset(room, 0, sizeof room);
        heap = (rs_heap){.arena = &none, .at = room, .left = left};
        n_failed[1] += rn_list_awaited(&job, &waits) == NULL;
        memset(room, 0, sizeof room);
        heap = (rs_heap){.arena = &none, .at = room, .left = left};
        none.lacked = false;
        rn_find_knot(&job, &waits, &knot);
        n_failed[2] += none.lacked;
        cr_assert(knot.n == 0 || !none.lacked);
        memset(room, 0, sizeof room);
        heap = (rs_heap){.arena = &none, .at = room, .left = left};
        cr_assert_not(rn_find_odd(&job, &waits, &odd, &waiter)); /* nobody's calls differ */
    }
    for (int i = 0; i < 3; i++) cr_assert(n_failed[i] > 0 && n_failed[i] < sizeof room / 16);
}
