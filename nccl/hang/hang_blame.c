/* hang_blame.c: whom a verdict names, each once, and what the others did. */
#include "hang_judge.h"

#include <string.h>

void rn_add_culprit(rn_hang_judge *j, rn_hang_place place) {
    rn_hang *h = j->hang;
    if (h->n_culprits == j->room) return;
    const int64_t n_named = j->named.n;
    const int64_t number = rs_text_kept(&j->named, &place.rank, sizeof place.rank);
    if (number == n_named || number == RS_NO_TEXT) h->culprits[h->n_culprits++] = place;
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

bool rn_is_root(const rn_hang_judge *j, int32_t dump) {
    for (int64_t i = 0; i < j->waits->n; i++) {
        if (j->waits->rows[i].dump == dump && j->waits->rows[i].n > 0) return false;
    }
    return true;
}
