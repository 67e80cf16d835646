/* hang_blame.c: whom a verdict names, each once, and what the others did. */
#include "hang_judge.h"

void rs_add_culprit(rs_hang_judge *j, rs_hang_place place) {
    rs_hang *h = j->hang;
    for (int32_t i = 0; i < h->n_culprits; i++) {
        if (h->culprits[i].rank == place.rank) return;
    }
    if (h->n_culprits < j->room) h->culprits[h->n_culprits++] = place;
}

void rs_set_others(rs_hang_judge *j, rs_hang_place place, int32_t n_agree, int32_t n_of) {
    if (j->hang->has_others) return;
    j->hang->others = place;
    j->hang->has_others = true;
    j->hang->n_agree = n_agree;
    j->hang->n_of = n_of;
}

bool rs_is_known_first(const rs_hang_judge *j, const rs_wait_row *row) {
    const rs_dump *d = &j->job->dumps[row->dump];
    if (d->whole || row->call->seq <= 1) return true;
    const rs_hang_group *g = &j->job->groups[row->group];
    for (int32_t m = 0; m < g->n_members && row->call->peer < 0; m++) {
        const rs_hang_member *member = &g->members[m];
        if (member->dump == row->dump && member->last_completed == row->call->seq - 1) return true;
    }
    for (const rs_call *c = row->call - 1; c >= d->calls; c--) {
        if (c->group == row->group && c->peer == row->call->peer) return true;
    }
    return false;
}
