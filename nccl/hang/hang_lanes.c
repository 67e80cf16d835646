/* hang_lanes.c: the calls of one group side by side, around the place where they part.
 *
 *     reference   a  b  c  d            column   a  b  c     d
 *     rank 3      a  b     d            rank 3   a  b  -     d
 *     rank 5      a  b  c  x  d         rank 5   a  b  c  x  d
 *
 *   - A member's edit says where its calls are one fewer or one more than the reference's; elsewhere they keep step.
 *   - Two columns before the first difference, or the first open call, are shown, too.
 */
#include "hang_job.h"

#include <string.h>

enum { BEFORE = 2, MOST_COLUMNS = 10, TAIL = 4 };

typedef struct lane {
    const rn_hang_member *member;
    const rn_edit *edit; /* NULL: none */
    int32_t first, own;  /* the reference's call and the own that begin to keep step */
} lane;

typedef struct lane_column {
    int32_t ref; /* of the reference's calls */
    bool extra;  /* calls made before it, by some */
} lane_column;

typedef struct lanes_maker {
    const rn_hang_job *job;
    const rn_hang_group *group;
    const rn_hang_member *reference;
    lane *lanes; /* [n_members] */
    lane_column columns[MOST_COLUMNS];
    int32_t n_columns;
} lanes_maker;

/* Returns which of its own calls the member makes in a column; -1: none, -2: it is lost. */
static int32_t own_call(const lane *l, lane_column c) {
    const rn_edit *e = l->edit;
    if (c.ref < l->first) return -2;
    const int32_t step = l->own + c.ref - l->first;
    if (c.extra) return e != NULL && e->kind == RN_EDIT_EXTRA && e->column == c.ref ? e->own : -1;
    if (e != NULL && e->kind == RN_EDIT_MISSING && c.ref == e->column) return -1;
    if (e != NULL && e->kind == RN_EDIT_MISSING && c.ref > e->column) return step - 1;
    if (e != NULL && e->kind == RN_EDIT_EXTRA && c.ref >= e->column) return step + 1;
    return step;
}

static void begin_lanes(lanes_maker *m, int32_t group, const rn_edits *edits) {
    const rn_hang_group *g = m->group;
    for (int32_t i = 0; i < g->n_members; i++) m->lanes[i].member = &g->members[i];
    for (int32_t k = 0; k < edits->n; k++) {
        const rn_edit *e = &edits->list[k];
        if (e->group != group) continue;
        m->reference = &g->members[e->reference];
        m->lanes[e->member].edit = e;
    }
    const bool given = m->reference != NULL; /* else the longest: nobody differs */
    for (int32_t i = 0; i < g->n_members && !given; i++) {
        const rn_hang_member *member = &g->members[i];
        if (member->n > (m->reference != NULL ? m->reference->n : 0)) m->reference = member;
    }
    for (int32_t i = 0; i < g->n_members && m->reference != NULL; i++) {
        lane *l = &m->lanes[i];
        rn_first_common(m->job, m->reference, l->member, &l->first, &l->own);
    }
}

/* ------------------------------------------------------------------ which columns */

static bool somebody_calls(const lanes_maker *m, lane_column c) {
    for (int32_t i = 0; i < m->group->n_members; i++) {
        const int32_t own = own_call(&m->lanes[i], c);
        if (own >= 0 && own < m->lanes[i].member->n) return true;
    }
    return false;
}

/* Returns the reference's call where the lanes part, or the first that is open. */
static int32_t first_trouble(const lanes_maker *m) {
    int32_t first = m->reference->n;
    for (int32_t i = 0; i < m->group->n_members; i++) {
        const lane *l = &m->lanes[i];
        if (l->edit != NULL && l->edit->column < first) first = l->edit->column;
        if (l->member->first_open < 0) continue;
        const int32_t open = l->member->first_open - l->own + l->first;
        if (open < first) first = open;
    }
    return first < 0 ? 0 : first;
}

static void choose_columns(lanes_maker *m) {
    const int32_t trouble = first_trouble(m), end = m->reference->n + TAIL;
    for (int32_t i = trouble > BEFORE ? trouble - BEFORE : 0; i < end; i++) {
        for (int extra = 1; extra >= 0; extra--) {
            const lane_column c = {i, extra != 0};
            if (m->n_columns < MOST_COLUMNS && somebody_calls(m, c)) m->columns[m->n_columns++] = c;
        }
    }
}

/* ------------------------------------------------------------------ the cells */

static rn_lane_cell cell_of(const lanes_maker *m, const lane *l, lane_column c) {
    const rn_hang_member *member = l->member;
    const int32_t own = own_call(l, c);
    rn_lane_cell cell = {.mark = RN_LANE_UNKNOWN};
    if (member->dump < 0 || member->n == 0 || own == -2) return cell;
    const rn_dump *dump = &m->job->dumps[member->dump];
    if (own < 0 && c.extra) {
        cell.mark = RN_LANE_NONE;
    } else if (own < 0) {
        cell.mark = RN_LANE_ABSENT;
        cell.odd = true;
    } else if (own >= member->n && !dump->cut) {
        cell.mark = member->first_open >= 0 ? RN_LANE_NONE : RN_LANE_ABSENT;
    } else if (own < member->n) {
        cell.call = rn_member_call(m->job, member, own);
        cell.mark = cell.call->state == RN_CALL_COMPLETED ? RN_LANE_DONE
                    : dump->launched                      ? RN_LANE_MADE
                                                          : RN_LANE_OPEN;
        cell.odd = c.extra;
    }
    return cell;
}

/* Is it told which call it is? Lines of logs may give its number alone. */
static bool is_said(const lanes_maker *m, int32_t at, const rn_lane_cell *cell) {
    if (cell->call == NULL || !m->job->dumps[m->lanes[at].member->dump].rough)
        return cell->call != NULL;
    return strcmp(m->job->texts[cell->call->name], RN_UNKNOWN_CALL) != 0;
}

/* What most of those who call do there; marks those odd who do something else. */
static void find_most(const lanes_maker *m, int32_t at, rn_hang_lanes *out) {
    const lane_column c = m->columns[at];
    uint32_t args = 0;
    int32_t n = 0;
    for (int32_t i = 0; i < out->n_lanes; i++) { /* a majority cancels all others */
        const int32_t own = own_call(&m->lanes[i], c);
        const rn_lane_cell *cell = &out->cells[i * out->n_columns + at];
        if (out->most[at].call == NULL && cell->call != NULL) out->most[at] = *cell;
        if (!is_said(m, i, cell)) continue;
        const uint32_t mine = m->lanes[i].member->calls[own].args;
        if (n == 0) args = mine;
        n += args == mine ? 1 : -1;
        if (args == mine) out->most[at] = *cell;
    }
    for (int32_t i = 0; i < out->n_lanes; i++) {
        rn_lane_cell *cell = &out->cells[i * out->n_columns + at];
        if (!is_said(m, i, cell)) continue;
        const int32_t own = own_call(&m->lanes[i], c);
        cell->odd = cell->odd || m->lanes[i].member->calls[own].args != args;
    }
}

void rn_lay_lanes(const rn_hang_job *job, int32_t group, const rn_edits *edits, rs_arena *arena,
                  rn_hang_lanes *out) {
    const rn_hang_group *g = &job->groups[group];
    lanes_maker m = {.job = job, .group = g};
    m.lanes = rs_heap_take(job->pieces, (size_t)g->n_members * sizeof *m.lanes);
    if (m.lanes == NULL) return;
    *out = (rn_hang_lanes){.group = g->name, .desc = g->desc, .words = job->texts};
    begin_lanes(&m, group, edits);
    if (m.reference == NULL) return;
    choose_columns(&m);
    const size_t n_cells = (size_t)g->n_members * (size_t)m.n_columns;
    out->ranks = rs_alloc(arena, (size_t)g->n_members, sizeof *out->ranks);
    out->cells = rs_alloc(arena, n_cells, sizeof *out->cells);
    out->most = rs_alloc(arena, (size_t)m.n_columns, sizeof *out->most);
    if (arena->lacked) return;
    out->n_lanes = g->n_members;
    out->n_columns = m.n_columns;
    for (int32_t i = 0; i < out->n_lanes; i++) {
        out->ranks[i] = g->members[i].rank;
        for (int32_t c = 0; c < out->n_columns; c++) {
            out->cells[i * out->n_columns + c] = cell_of(&m, &m.lanes[i], m.columns[c]);
        }
    }
    for (int32_t c = 0; c < out->n_columns; c++) find_most(&m, c, out);
}
