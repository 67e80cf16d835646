/* hang_blame.c: whom a verdict names, each once, and what the others did. */
#include "hang_judge.h"

#include <string.h>

/* Notes a rank in a table of open addressing, which is twice as large as there are ranks; false: it is there. */
static bool note_rank(rn_hang_judge *j, int32_t rank) {
    uint32_t at = (uint32_t)rank * 2654435761u & (j->n_slots - 1);
    for (; j->named[at] != 0; at = (at + 1) & (j->n_slots - 1)) {
        if (j->named[at] == rank + 1) return false;
    }
    j->named[at] = rank + 1;
    return true;
}

bool rn_begin_culprits(rn_hang_judge *j, int32_t room) {
    j->n_slots = 4;
    while (j->n_slots < 2 * (uint32_t)room) j->n_slots *= 2;
    j->named = rn_heap_zeros(j->job->pieces, j->n_slots * sizeof *j->named);
    if (j->named == NULL) return false;
    j->room = room;
    return true;
}

void rn_add_culprit(rn_hang_judge *j, rn_hang_place place) {
    rn_hang *h = j->hang;
    if (h->n_culprits < j->room && note_rank(j, place.rank)) h->culprits[h->n_culprits++] = place;
}

void rn_set_others(rn_hang_judge *j, rn_hang_place place, int32_t n_agree, int32_t n_of) {
    if (j->hang->has_others) return;
    j->hang->others = place;
    j->hang->has_others = true;
    j->hang->n_agree = n_agree;
    j->hang->n_of = n_of;
}

rn_hang_difference rn_hang_differs(const rn_hang_place *a, const rn_hang_place *b) {
    if (strcmp(a->call, b->call) != 0 || a->op != b->op) return RN_DIFFERS_OPERATION;
    if (a->root != b->root) return RN_DIFFERS_ROOT;
    const bool typed = a->dtype != NULL && b->dtype != NULL;
    if (typed && strcmp(a->dtype, b->dtype) != 0) return RN_DIFFERS_TYPE;
    return strncmp(a->call, "all_to_all", 10) == 0 ? RN_DIFFERS_SPLIT : RN_DIFFERS_SIZE;
}

bool rn_is_known_first(const rn_hang_judge *j, const rn_wait_row *row) {
    const rn_dump *d = &j->job->dumps[row->dump];
    if (d->whole || row->call->seq <= 1) return true;
    const rn_hang_group *g = &j->job->groups[row->group];
    for (int32_t m = 0; m < g->n_members && row->call->peer < 0; m++) {
        const rn_hang_member *member = &g->members[m];
        if (member->dump == row->dump && member->last_completed == row->call->seq - 1) return true;
    }
    for (const rn_call *c = row->call - 1; c >= d->calls; c--) {
        if (c->group == row->group && c->peer == row->call->peer) return true;
    }
    return false;
}
