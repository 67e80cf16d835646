/* chunk_path.c: see chunk_path.h. */
#include "panels/path/chunk_path.h"
#include "text/say.h"

#include <assert.h>
#include <string.h>

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

/* Moves one value of the chunk: what `src` sends into what `dst` has. */
static void move_value(const rv_path *p, const rs_transfer *t, uint64_t sent, uint64_t *cell) {
    const rs_request *request = &p->model->report->request;
    if (t->effect == RS_COPY)
        *cell = sent;
    else
        rs_fold(request->dtype, request->op, &sent, cell, cell, 1);
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
        uint64_t sent = before.held[t.src];
        *(char *)&sent ^= rv_flips(&p->model->report->request.job, p->step, t.src);
        move_value(p, &t, sent, &p->held[t.dst]);
        move_value(p, &t, before.due[t.src], &p->due[t.dst]);
    }
    p->step++;
    return there;
}

rv_path rv_path_start(const rv_model *model, int32_t chunk) {
    assert(model->n_ranks <= RV_PATH_RANKS && chunk >= 0 && chunk < model->n_chunks);
    rv_path p = {.model = model, .chunk = chunk};
    rs_cursor cursor = {0};
    rs_transfer t;
    for (int32_t r = 0; r < model->n_ranks; r++) {
        const size_t size = (size_t)model->report->request.job.elem_bytes;
        p.inside[r] = UINT64_C(1) << r;
        if (!model->values || chunk >= model->n_elems) continue;
        memcpy(&p.held[r], (const char *)model->inputs[r] + (size_t)chunk * size, size);
        p.due[r] = p.held[r];
    }
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

rv_worth rv_path_worth(const rv_path *p, int32_t rank) {
    const rv_model *model = p->model;
    const bool twice = (p->twice & UINT64_C(1) << rank) != 0;
    if (model->cells && p->step == rv_steps_executed(model))
        return rv_worth_of(model, rank, p->chunk);
    if (model->values && !rs_equal(model->report->request.dtype, &p->held[rank], &p->due[rank], 1))
        return RV_WRONG;
    const bool unsure = !model->values && p->step > model->first_flip;
    return !twice && !unsure && rv_path_count(p->inside[rank]) == model->n_ranks ? RV_WHOLE
                                                                                 : RV_PART;
}

void rv_path_text(const rv_path *p, char *out, size_t n_out) {
    const int n = p->model->n_ranks;
    int whole = 0, wrong = 0;
    int32_t most = p->first;
    for (int32_t r = 0; r < n; r++) {
        whole += rv_path_worth(p, r) == RV_WHOLE;
        wrong += rv_path_worth(p, r) == RV_WRONG;
        if (rv_path_count(p->inside[r]) > rv_path_count(p->inside[most])) most = r;
    }
    rv_say say = rv_say_to(out, n_out);
    if (whole > 1) {
        rv_say_more(&say, _("complete on %d of %d GPUs"), whole, n);
    } else {
        rv_say_more(&say, _("GPU %d holds %d of %d contributions"), (int)most,
                    rv_path_count(p->inside[most]), n);
    }
    if (wrong > 0) rv_say_more(&say, _(", wrong on %d"), wrong);
    rv_name_ranks(p->model, out, n_out);
}
