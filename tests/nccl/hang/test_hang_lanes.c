/* test_hang_lanes.c: random programs of a group's ranks, each with at most one call more, less or another, lost beginnings and
 * early ends, laid side by side: each cell is what the rank is known to have made there.
 */
#include "hang/hang_job.h"
#include "hangs/drawn.h"

#include <criterion/criterion.h>
#include <string.h>

enum { RANKS = 6, LENGTH = 24, ROOM = LENGTH + 1, BEFORE = 2, COLUMNS = 10, TAIL = 4, GROUP = 1 };
enum { NO_EDIT = -1, LOST = -2, NONE = -1 };

/* A rank: its program is that of all, but for one edit before or at call `at`; it has made n calls, and lost the first. */
typedef struct made_lane {
    int edit; /* an rn_edit_kind, or NO_EDIT */
    int32_t at, n, lost;
    bool no_dump;
} made_lane;

static rn_dump dumps[RANKS];
static rn_call calls[RANKS][ROOM];
static rn_call_mark marks[RANKS][ROOM];
static rn_hang_member members[RANKS];
static rn_hang_group groups[GROUP + 1];
static rn_hang_job job;
static rn_edit list[2 * RANKS];
static rn_edits edits;
static made_lane made[RANKS];
static int32_t n_ranks, reference;
static rn_hang_lanes lanes;

TestSuite(hang_lanes, .init = start, .fini = stop);

/* ------------------------------------------------------------------ random programs */

static void make_calls(int32_t r, const uint32_t program[LENGTH]) {
    const made_lane *l = &made[r];
    rn_hang_member *m = &members[r];
    uint32_t args[ROOM];
    int32_t n = 0;
    for (int32_t i = 0; i < LENGTH; i++) {
        const bool here = l->edit != NO_EDIT && l->at == i;
        if (here && l->edit == RN_EDIT_EXTRA) args[n++] = (uint32_t)draw(4);
        if (here && l->edit == RN_EDIT_MISSING) continue;
        args[n++] = here && l->edit != RN_EDIT_EXTRA ? 9 : program[i];
    }
    *m = (rn_hang_member){.rank = 3 * r, .dump = l->no_dump ? -1 : r, .calls = marks[r]};
    const int32_t n_kept = l->n - l->lost, open = draw(3) ? draw((uint32_t)n_kept + 1) : n_kept;
    dumps[r] = (rn_dump){.rank = 3 * r, .cut = draw(4) == 0, .launched = draw(4) == 0};
    dumps[r].calls = calls[r];
    m->first_open = open < n_kept && !dumps[r].launched && !l->no_dump ? open : -1;
    m->n = l->no_dump ? 0 : n_kept;
    for (int32_t i = 0; i < n_kept; i++) {
        marks[r][i] = (rn_call_mark){.args = args[l->lost + i], .call = i};
        calls[r][i] = (rn_call){.seq = l->lost + i + 1,
                                .state = i < open   ? RN_CALL_COMPLETED
                                         : i > open ? (uint8_t)draw(3)
                                                    : RN_CALL_STARTED};
    }
}

/* Edits of another group stand between those of this one. */
static void make_edits(void) {
    edits = (rn_edits){.list = list, .room = 2 * RANKS};
    for (int32_t r = 0; r < n_ranks; r++) {
        const int32_t at = made[r].at;
        if (draw(4) == 0) list[edits.n++] = (rn_edit){.kind = RN_EDIT_EXTRA, .reference = -9};
        if (made[r].edit == NO_EDIT) continue;
        list[edits.n++] = (rn_edit){.kind = (rn_edit_kind)made[r].edit,
                                    .group = GROUP,
                                    .member = r,
                                    .reference = reference,
                                    .column = at - made[reference].lost,
                                    .own = at - made[r].lost};
    }
}

static void make_job(uint64_t seed) {
    uint32_t program[LENGTH];
    stop();
    start();
    state = seed * 0x9e3779b97f4a7c15;
    n_ranks = 1 + draw(RANKS);
    const int32_t so_far = 5 + draw(LENGTH - 9), n_edits = draw(4), first_edit = 3 + draw(9);
    const bool none = draw(12) == 0;
    reference = draw((uint32_t)n_ranks);
    for (int32_t i = 0; i < LENGTH; i++) program[i] = (uint32_t)draw(4);
    for (int32_t r = 0; r < n_ranks; r++) {
        made_lane *l = &made[r];
        *l = (made_lane){.edit = NO_EDIT, .n = so_far + draw(4) - draw(2) * draw(4)};
        l->at = first_edit + draw(2) * draw(4);
        l->lost = draw(3) ? 0 : 1 + draw(3);
        l->no_dump = r != reference && draw(8) == 0;
        if (none || (r != reference && draw(10) == 0)) l->n = l->lost;
        if (l->n < 0) l->n = 0;
        if (l->lost > l->n) l->lost = l->n;
        if (r != reference && !l->no_dump && draw(4) < n_edits && l->at < l->n) l->edit = draw(4);
        make_calls(r, program);
    }
    make_edits();
    groups[GROUP] =
        (rn_hang_group){.name = "g", .desc = "d", .members = members, .n_members = n_ranks};
    job = (rn_hang_job){.dumps = dumps, .groups = groups, .n_groups = 2, .pieces = &heap};
    rn_lay_lanes(&job, GROUP, &edits, &arena, &lanes);
    cr_assert_not(arena.lacked);
}

/* ------------------------------------------------------------------ the plain account */

/* Returns which of its kept calls the rank makes as the program's i-th, or before it; NONE; LOST. */
static int32_t made_at(int32_t r, int32_t i, bool extra) {
    const made_lane *l = &made[r];
    const bool here = l->edit != NO_EDIT && l->at == i;
    if (i < l->lost) return LOST;
    if (extra) return here && l->edit == RN_EDIT_EXTRA ? i - l->lost : NONE;
    if (here && l->edit == RN_EDIT_MISSING) return NONE;
    if (l->edit == RN_EDIT_MISSING && i > l->at) return i - l->lost - 1;
    if (l->edit == RN_EDIT_EXTRA && i >= l->at) return i - l->lost + 1;
    return i - l->lost;
}

static bool has_call(int32_t r, int32_t own) {
    return own >= 0 && own < members[r].n;
}

/* Without edits the first of those with most calls; -1: nobody has called. */
static int32_t plain_reference(void) {
    int32_t longest = -1;
    for (int32_t r = 0; r < n_ranks; r++) {
        if (made[r].edit != NO_EDIT) return reference;
        if (members[r].n > (longest < 0 ? 0 : members[longest].n)) longest = r;
    }
    return longest;
}

/* Returns where the columns begin, as a call of the program: two before the first edit or open call. */
static int32_t plain_begin(int32_t ref) {
    int32_t first = made[ref].lost + members[ref].n;
    for (int32_t r = 0; r < n_ranks; r++) {
        if (made[r].edit != NO_EDIT && made[r].at < first) first = made[r].at;
        if (members[r].first_open >= 0 && members[r].first_open + made[r].lost < first)
            first = members[r].first_open + made[r].lost;
    }
    return first - BEFORE > made[ref].lost ? first - BEFORE : made[ref].lost;
}

static void same_cell(int32_t r, int32_t i, bool extra, const rn_lane_cell *cell) {
    const int32_t own = made_at(r, i, extra);
    rn_lane_mark mark = RN_LANE_UNKNOWN;
    if (members[r].n == 0 || own == LOST) {
        cr_assert(cell->mark == RN_LANE_UNKNOWN && cell->call == NULL && !cell->odd);
        return;
    }
    cr_assert_eq(cell->call, has_call(r, own) ? &calls[r][own] : NULL);
    if (has_call(r, own)) {
        mark = calls[r][own].state == RN_CALL_COMPLETED ? RN_LANE_DONE
               : dumps[r].launched                      ? RN_LANE_MADE
                                                        : RN_LANE_OPEN;
    } else if (own == NONE) {
        mark = extra ? RN_LANE_NONE : RN_LANE_ABSENT;
        cr_assert_eq(cell->odd, !extra);
    } else {
        const bool waits = members[r].first_open >= 0;
        if (!dumps[r].cut) mark = waits ? RN_LANE_NONE : RN_LANE_ABSENT;
        cr_assert_not(cell->odd);
    }
    cr_assert_eq(cell->mark, mark, "rank %d at %d: %d, not %d", (int)r, (int)i, (int)cell->mark,
                 (int)mark);
}

static uint32_t args_at(int32_t r, int32_t i, bool extra) {
    return marks[r][made_at(r, i, extra)].args;
}

/* What more than half of those do who call there is what most do; who does something else is odd. */
static void same_most(int32_t i, bool extra, int32_t column) {
    const rn_lane_cell *most = &lanes.most[column];
    int32_t n_calls = 0, n_most = 0;
    uint32_t args = 0;
    for (int32_t r = 0; r < n_ranks; r++) {
        int32_t n_alike = 0;
        if (!has_call(r, made_at(r, i, extra))) continue;
        n_calls++;
        if (most->call == &calls[r][made_at(r, i, extra)]) args = args_at(r, i, extra);
        for (int32_t k = 0; k < n_ranks; k++) {
            if (has_call(k, made_at(k, i, extra)))
                n_alike += args_at(k, i, extra) == args_at(r, i, extra);
        }
        if (n_alike > n_most) n_most = n_alike;
    }
    int32_t n_args = 0;
    for (int32_t r = 0; r < n_ranks; r++) {
        const rn_lane_cell *cell = &lanes.cells[r * lanes.n_columns + column];
        if (cell->call == NULL) continue;
        n_args += args_at(r, i, extra) == args;
        cr_assert_eq(cell->odd, extra || args_at(r, i, extra) != args);
    }
    cr_assert_not_null(most->call);
    cr_assert_gt(n_args, 0);
    if (2 * n_most > n_calls) cr_assert_eq(n_args, n_most);
}

/* ------------------------------------------------------------------ the same? */

Test(hang_lanes, show_what_each_rank_made_beside_the_others) {
    int n_columns = 0, n_extra = 0, n_none = 0, n_wide = 0;
    for (uint64_t seed = 1; seed <= 4000; seed++) {
        int32_t n = 0;
        make_job(seed);
        const int32_t ref = plain_reference();
        cr_assert(strcmp(lanes.group, "g") == 0 && strcmp(lanes.desc, "d") == 0);
        n_none += ref < 0;
        const int32_t end = ref < 0 ? 0 : made[ref].lost + members[ref].n + TAIL;
        for (int32_t i = ref < 0 ? 0 : plain_begin(ref); i < end; i++) {
            for (int extra = 1; extra >= 0 && n < COLUMNS; extra--) {
                bool some = false;
                for (int32_t r = 0; r < n_ranks; r++)
                    some = some || has_call(r, made_at(r, i, extra));
                if (!some) continue;
                cr_assert_lt(n, lanes.n_columns, "seed %d", (int)seed);
                for (int32_t r = 0; r < n_ranks; r++)
                    same_cell(r, i, extra, &lanes.cells[r * lanes.n_columns + n]);
                same_most(i, extra, n++);
                n_extra += extra;
            }
        }
        cr_assert_eq(lanes.n_columns, n, "seed %d: %d columns, not %d", (int)seed,
                     (int)lanes.n_columns, (int)n);
        cr_assert_eq(lanes.n_lanes, ref < 0 ? 0 : n_ranks);
        for (int32_t r = 0; r < lanes.n_lanes; r++) cr_assert_eq(lanes.ranks[r], 3 * r);
        n_columns += n;
        n_wide += n == COLUMNS;
    }
    cr_assert(n_columns > 10000 && n_extra > 300 && n_none > 100 && n_wide > 100, "%d %d %d %d",
              n_columns, n_extra, n_none, n_wide);
}
