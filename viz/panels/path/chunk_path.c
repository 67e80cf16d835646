/* chunk_path.c: see chunk_path.h. */
#include "panels/path/chunk_path.h"
#include "text/words.h"

#include <assert.h>
#include <stdio.h>

bool rv_has_path(const rv_model *model) {
    return model->n_ranks <= RV_PATH_RANKS && model->n_steps <= RV_PATH_STEPS &&
           model->n_chunks > 0;
}

int32_t rv_path_chunk(const rv_model *model, int32_t rank) {
    for (int32_t step = 0; step < model->n_steps; step++) {
        rs_cursor cursor = {0};
        rs_transfer t;
        while (rs_next_transfer(model->schedule, step, &cursor, &t)) {
            if (t.src == rank) return t.chunk;
        }
    }
    return rank % model->n_chunks;
}

bool rv_path_next(const rv_path *p, rs_cursor *cursor, rs_transfer *t) {
    assert(p->step >= 0);
    if (p->step >= p->model->n_steps) return false;
    while (rs_next_transfer(p->model->schedule, p->step, cursor, t)) {
        const bool has = t->chunk <= p->chunk && p->chunk < t->chunk + t->n_chunks;
        if (has && rv_happened(p->model, p->step, t)) return true;
    }
    return false;
}

uint64_t rv_path_go_on(rv_path *p) {
    const rv_path before = *p; /* a step reads before it writes */
    uint64_t there = 0;
    rs_cursor cursor = {0};
    rs_transfer t;
    while (rv_path_next(&before, &cursor, &t)) {
        const uint64_t src = UINT64_C(1) << t.src, dst = UINT64_C(1) << t.dst;
        const uint64_t carries = before.inside[t.src];
        const uint64_t old = t.effect == RS_REDUCE ? p->inside[t.dst] : 0;
        bool twice = (before.twice & src) != 0 || (old & carries) != 0;
        if (t.effect == RS_REDUCE) twice = twice || (p->twice & dst) != 0;
        p->inside[t.dst] = old | carries;
        p->twice = twice ? p->twice | dst : p->twice & ~dst;
        there |= dst;
    }
    p->step++;
    return there;
}

rv_path rv_path_start(const rv_model *model, int32_t chunk) {
    assert(model->n_ranks <= RV_PATH_RANKS && chunk >= 0 && chunk < model->n_chunks);
    rv_path p = {.model = model, .chunk = chunk};
    rs_cursor cursor = {0};
    rs_transfer t;
    for (int32_t r = 0; r < model->n_ranks; r++) p.inside[r] = UINT64_C(1) << r;
    while (p.step < model->n_steps && !rv_path_next(&p, &cursor, &t)) {
        cursor = (rs_cursor){0};
        p.step++;
    }
    if (p.step >= model->n_steps) { /* nobody sends it */
        p.first = chunk % model->n_ranks;
        p.starts = UINT64_C(1) << p.first;
    } else {
        p.first = t.src;
        do p.starts |= UINT64_C(1) << t.src;
        while (rv_path_next(&p, &cursor, &t));
    }
    p.step = 0;
    return p;
}

rv_path rv_path_at(const rv_model *model, int32_t chunk, int32_t step) {
    rv_path p = rv_path_start(model, chunk);
    while (p.step < step) rv_path_go_on(&p);
    assert(p.step == step || step < 0);
    return p;
}

int rv_path_count(uint64_t set) {
    int n = 0;
    for (; set != 0; set &= set - 1) n++;
    return n;
}

bool rv_path_whole(const rv_path *p, int32_t rank) {
    const bool twice = (p->twice & UINT64_C(1) << rank) != 0;
    return !twice && rv_path_count(p->inside[rank]) == p->model->n_ranks;
}

void rv_path_text(const rv_path *p, char *out, size_t n_out) {
    const int n = p->model->n_ranks;
    int whole = 0;
    int32_t most = p->first;
    for (int32_t r = 0; r < n; r++) {
        whole += rv_path_whole(p, r);
        if (rv_path_count(p->inside[r]) > rv_path_count(p->inside[most])) most = r;
    }
    if (whole > 1) {
        snprintf(out, n_out, _("complete on %d of %d GPUs"), whole, n);
    } else {
        snprintf(out, n_out, _("GPU %d holds %d of %d contributions"), (int)most,
                 rv_path_count(p->inside[most]), n);
    }
}
