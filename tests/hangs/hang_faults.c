/* hang_faults.c: a fault put into the program of one rank, and whether the dumps can tell it. */
#include "hangs/made_parts.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ faults */

static void shift(made_rank *r, int32_t at, int by) {
    if (r->n + by > r->room) {
        r->room = r->n + by + 64;
        r->calls = realloc(r->calls, (size_t)r->room * sizeof *r->calls);
        if (r->calls == NULL) abort();
    }
    if (by > 0) memmove(r->calls + at + 1, r->calls + at, (size_t)(r->n - at) * sizeof *r->calls);
    if (by < 0)
        memmove(r->calls + at, r->calls + at + 1, (size_t)(r->n - at - 1) * sizeof *r->calls);
    r->n += by;
    r->n_run = r->n;
}

/* The number in its group that the call at a place of the program will have. */
static int32_t seq_of(const made_rank *r, int32_t at) {
    int32_t seq = 0;
    for (int32_t i = 0; i <= at; i++) {
        seq += r->calls[i].group == r->calls[at].group && !made_is_message(&r->calls[i]);
    }
    return seq;
}

static bool same_call(const made_job *j, const made_call *a, const made_call *b) {
    return made_agree(a, b) && (a->line == b->line || !j->frames) && a->group == b->group &&
           a->peer == b->peer;
}

static int32_t next_of_group(const made_rank *r, int32_t at, int step) {
    for (int32_t i = at + step; i >= 0 && i < r->n; i += step) {
        if (r->calls[i].group == r->calls[at].group && !made_is_message(&r->calls[i])) return i;
    }
    return -1;
}

/* Among equal calls in a row nobody can tell which is too many, or too few. */
static void note_run(made_job *j, const made_rank *r, int32_t at) {
    j->low = j->high = seq_of(r, at);
    for (int32_t i = at, k;
         (k = next_of_group(r, i, -1)) >= 0 && same_call(j, &r->calls[k], &r->calls[at]); i = k) {
        j->low--;
    }
    for (int32_t i = at, k;
         (k = next_of_group(r, i, 1)) >= 0 && same_call(j, &r->calls[k], &r->calls[at]); i = k) {
        j->high++;
    }
}

static void break_swapped(made_job *j, made_rank *r) {
    int32_t next = next_of_group(r, j->at, 1);
    while (next >= 0 && made_agree(&r->calls[next], &r->calls[j->at]))
        next = next_of_group(r, next, 1);
    if (next < 0) {
        j->fault = MADE_NONE;
        return;
    }
    const int32_t first = next_of_group(r, next, -1); /* the neighbour, so that both differ */
    const made_call kept = r->calls[first];
    note_run(j, r, first);
    r->calls[first] = r->calls[next];
    r->calls[next] = kept;
    j->high++;
}

/* Exchanges a call with the next of the same ranks' other group; whether that stands still is seen. */
static void break_cycle(made_job *j, made_rank *r) {
    for (int32_t k = j->at; k + 1 < r->n; k++) {
        made_call *a = &r->calls[k], *b = &r->calls[k + 1];
        if (a->group == b->group || made_is_message(a) || made_is_message(b)) continue;
        j->low = seq_of(r, k);
        j->at = k;
        j->group = b->group;
        const made_call kept = *a;
        j->high = seq_of(r, k + 1);
        j->low = j->high;
        *a = *b;
        *b = kept;
        return;
    }
    j->fault = MADE_NONE;
}

void made_break(made_job *j) {
    made_rank *r = &j->ranks[j->culprit];
    made_call *c = &r->calls[j->at];
    made_group *g = &j->groups[c->group];
    note_run(j, r, j->at);
    j->group = c->group;
    switch (j->fault) {
    case MADE_MISSING:
    case MADE_MESSAGE: shift(r, j->at, -1); break;
    case MADE_EXTRA: {
        const made_call again =
            made_draw(j, 2) == 0 ? *c
                                 : (made_call){.group = c->group, .peer = -1, .n = 7, .line = 66};
        shift(r, j->at, 1);
        r->calls[j->at] = again;
        note_run(j, r, j->at);
        break;
    }
    case MADE_SWAPPED: break_swapped(j, r); break;
    case MADE_SIZE: c->n += 3, j->low = j->high = seq_of(r, j->at); break;
    case MADE_TYPE: c->dtype = 1, j->low = j->high = seq_of(r, j->at); break;
    case MADE_OPERATION:
        c->op = c->op == MADE_BROADCAST ? MADE_ALL_REDUCE : MADE_BROADCAST;
        c->line += made_draw(j, 2) == 0 ? 200 : 0;
        j->low = j->high = seq_of(r, j->at);
        break;
    case MADE_CYCLE:
    case MADE_CROSSED: break_cycle(j, r); break;
    case MADE_SILENT:
        r->no_dump = true;
        r->n_run = j->at;
        break;
    case MADE_STOPPED: r->n_run = j->at; break;
    case MADE_SLOW: break;
    case MADE_INSIDE:
        g->stands_at = seq_of(r, j->at) - 1, j->low = j->high = seq_of(r, j->at);
        break;
    case MADE_NONE:
    case MADE_N_FAULTS: break;
    }
}

/* Draws the rank, and a place in its program; false: this job has none. */
bool made_pick_place(made_job *j) {
    for (int tries = 0; tries < 200; tries++) {
        j->culprit = (int32_t)made_draw(j, (uint32_t)j->n_ranks);
        const made_rank *r = &j->ranks[j->culprit];
        j->at = (int32_t)made_draw(j, (uint32_t)r->n);
        if (j->wish.n_entries > 0)
            j->at = r->n - 1 - j->at % 16; /* all that is wished for is made */
        if (made_is_message(&r->calls[j->at]) == (j->fault == MADE_MESSAGE) && j->at > 0)
            return true;
        if (j->at > 0 && (j->fault == MADE_SILENT || j->fault == MADE_STOPPED)) return true;
    }
    return false;
}

/* ------------------------------------------------------------------ what can be told */

static int32_t n_dumped(const made_job *j, const made_group *g) {
    int32_t n = 0;
    for (int32_t m = 0; m < g->n_ranks; m++) {
        n += !j->ranks[g->ranks[m]].no_dump && g->ranks[m] != j->blind;
    }
    return n;
}

/* A rank that stopped is known where most of a group's ranks have come to a call that it has not. */
static bool most_wait(const made_job *j) {
    const made_rank *r = &j->ranks[j->culprit];
    for (int32_t k = 0; k < r->n_groups; k++) {
        const made_group *g = &j->groups[r->groups[k]];
        const int32_t own = g->n_made[made_place_in(g, j->culprit)];
        int32_t n = 0;
        for (int32_t m = 0; m < g->n_ranks; m++) n += g->n_made[m] > own && g->ranks[m] != j->blind;
        if (2 * n > g->n_ranks && n > 1) return true;
    }
    return false;
}

/* The call that was broken, those after it, and so many before it are still in everybody's buffer. */
static bool is_kept(const made_job *j, int32_t n_before) {
    const made_group *g = &j->groups[j->group];
    for (int32_t m = 0; m < g->n_ranks; m++) {
        const made_rank *r = &j->ranks[g->ranks[m]];
        const int32_t buffer = j->coalesced ? j->buffer / 2 : j->buffer;
        for (int32_t i = 0; i < r->n_made - buffer; i++) {
            if (r->calls[i].group == j->group && r->calls[i].seq >= j->low - n_before) return false;
        }
    }
    return true;
}

/* Each call is waited for before the next, all members have a dump with enough of them, and ends are seen at once. */
static bool is_seen_slow(const made_job *j) {
    enum { ENOUGH = 24 };
    const made_rank *r = &j->ranks[j->culprit];
    if (j->ahead > 0 || j->blind >= 0 || j->poll_ns > j->work_ns) return false;
    for (int32_t k = 0; k < r->n_groups; k++) {
        const made_group *g = &j->groups[r->groups[k]];
        const bool alike = k == 0 ? j->slow_once || j->pp == 1 : !j->slow_once;
        int32_t n = g->n_made[made_place_in(g, j->culprit)];
        for (int32_t m = 0; m < g->n_ranks; m++) {
            if (j->ranks[g->ranks[m]].n_made > j->buffer) n = 0;
        }
        if (alike && g->n_ranks > 1 && n >= ENOUGH) return true;
    }
    return false;
}

void made_see_decidable(made_job *j) {
    if (!j->hangs && j->fault != MADE_SLOW) j->fault = MADE_NONE;
    if (j->wish.form != MADE_DUMPS)
        return; /* whoever is named must be right; more is not asked for */
    switch (j->fault) {
    case MADE_NONE: j->decidable = true; break;
    case MADE_SILENT: j->decidable = j->blind < 0; break;
    case MADE_INSIDE: j->decidable = is_kept(j, j->status ? 0 : 1) && j->blind < 0; break;
    case MADE_STOPPED: j->decidable = most_wait(j); break;
    case MADE_MESSAGE: j->decidable = false; break;
    case MADE_CROSSED: j->decidable = is_kept(j, 1) && j->blind < 0; break;
    case MADE_SLOW: j->decidable = is_seen_slow(j); break;
    default: j->decidable = n_dumped(j, &j->groups[j->group]) >= 3 && is_kept(j, 1);
    }
    /* The order of groups is told by ranks of the same program: those of the stage. */
    if (j->fault == MADE_CYCLE) j->decidable = j->decidable && j->dp * j->tp - (j->blind >= 0) >= 3;
}
