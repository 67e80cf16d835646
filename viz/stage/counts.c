/* counts.c: see counts.h. */
#include "stage/counts.h"
#include "base/containers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CELLS = 1 << 22, N_FRAMES = 12 };

/* An image and what it is of; step -1: of nothing. */
typedef struct counts_image {
    uint16_t *pixels;
    size_t room;
    int32_t step, columns, rows;
    rv_cells part;
} counts_image;

enum { N_IMAGES = 2 }; /* the ring's and the matrix's are seen at once */

struct rv_counts {
    const rv_model *model;
    size_t n_cells;
    bool end;           /* the run is over */
    int32_t step;       /* `cells` holds the counts before this step; -1: nothing yet */
    uint16_t *cells;    /* [n_ranks * n_chunks] */
    int64_t *totals;    /* [n_ranks] */
    uint16_t *incoming; /* what the messages of one step carry */
    size_t room;
    uint16_t *frames[N_FRAMES]; /* copies of the cells before step i * stride; NULL: not yet */
    int32_t stride;
    counts_image images[N_IMAGES]; /* the one that was asked for last is the first */
};

static void forget_images(rv_counts *counts) {
    for (int i = 0; i < N_IMAGES; i++) counts->images[i].step = -1;
}

rv_counts *rv_counts_new(const rv_model *model) {
    rv_counts *counts = calloc(1, sizeof *counts);
    if (counts == NULL) return NULL;
    counts->model = model;
    counts->n_cells = (size_t)model->n_ranks * (size_t)model->n_chunks;
    counts->step = -1;
    forget_images(counts);
    counts->stride = model->n_steps / N_FRAMES + 1;
    assert((int64_t)counts->stride * N_FRAMES > model->n_steps);
    return counts;
}

void rv_counts_free(rv_counts *counts) {
    if (counts == NULL) return;
    for (int i = 0; i < N_FRAMES; i++) free(counts->frames[i]);
    free(counts->cells);
    free(counts->totals);
    free(counts->incoming);
    for (int i = 0; i < N_IMAGES; i++) free(counts->images[i].pixels);
    free(counts);
}

static bool allocate_cells(rv_counts *counts) {
    if (counts->n_cells == 0 || counts->n_cells > MOST_CELLS) return false;
    counts->cells = malloc(counts->n_cells * sizeof *counts->cells);
    counts->totals = malloc((size_t)counts->model->n_ranks * sizeof *counts->totals);
    if (counts->cells == NULL || counts->totals == NULL) {
        free(counts->cells);
        free(counts->totals);
        counts->cells = NULL;
        counts->totals = NULL;
        return false;
    }
    for (size_t i = 0; i < counts->n_cells; i++) counts->cells[i] = 1;
    for (int32_t r = 0; r < counts->model->n_ranks; r++) {
        counts->totals[r] = counts->model->n_chunks;
    }
    counts->step = 0;
    return true;
}

static uint16_t *cell(const rv_counts *counts, int32_t rank, int32_t chunk) {
    return &counts->cells[(size_t)rank * (size_t)counts->model->n_chunks + (size_t)chunk];
}

/* Returns what a cell is shown as: where the model, at the same moment, knows more than how many, that. In an
   unsound plan, or after a flipped bit, a count alone does not say that all is right. */
static uint16_t shown(const rv_counts *counts, int32_t rank, int32_t chunk) {
    const rv_model *model = counts->model;
    const rs_report *report = model->report;
    const int32_t most = model->n_ranks - 1, count = *cell(counts, rank, chunk);
    if (model->cells && counts->step == rv_steps_executed(model)) {
        const rv_worth worth = rv_worth_of(model, rank, chunk);
        const int64_t inside = rs_contents_count(model->contents, rank, chunk);
        if (worth == RV_WRONG) return RV_SPOILT;
        return (uint16_t)(worth == RV_WHOLE ? model->n_ranks : inside < most ? inside : most);
    }
    const bool sound = !report->judged || report->verdict.sound;
    const bool right = counts->end && report->computed ? !report->wrong[rank]
                                                       : sound && counts->step <= model->first_flip;
    const int32_t said = right || count < most ? count : most;
    return (uint16_t)(said < RV_SPOILT ? said : RV_SPOILT - 1);
}

static void count_totals(rv_counts *counts) {
    const rs_report *report = counts->model->report;
    for (int32_t r = 0; r < counts->model->n_ranks; r++) {
        bool spoilt = counts->end && report->computed && report->wrong[r];
        int64_t total = 0;
        for (int32_t c = 0; c < counts->model->n_chunks; c++) {
            const uint16_t count = shown(counts, r, c);
            spoilt = spoilt || count == RV_SPOILT;
            total += count;
        }
        counts->totals[r] = spoilt ? -1 : total;
    }
    forget_images(counts);
}

/* Copies what the step's messages carry, before anything is written; false: no memory. */
static bool read_step(rv_counts *counts, int32_t step) {
    const rv_model *model = counts->model;
    rs_cursor cursor = {0};
    rs_transfer t;
    size_t used = 0;
    while (rs_next_transfer(model->schedule, step, &cursor, &t)) {
        const size_t n = (size_t)t.n_chunks;
        if (!rv_happened(model, step, &t)) continue;
        if (!rs_reserve(NULL, &counts->incoming, used + n, &counts->room)) return false;
        memcpy(counts->incoming + used, cell(counts, t.src, t.chunk), n * sizeof(uint16_t));
        used += n;
    }
    return true;
}

static void write_step(rv_counts *counts, int32_t step) {
    const rv_model *model = counts->model;
    const uint16_t *from = counts->incoming;
    rs_cursor cursor = {0};
    rs_transfer t;
    while (rs_next_transfer(model->schedule, step, &cursor, &t)) {
        if (!rv_happened(model, step, &t)) continue;
        uint16_t *to = cell(counts, t.dst, t.chunk);
        assert(from + t.n_chunks <= counts->incoming + counts->room);
        for (int32_t i = 0; i < t.n_chunks; i++, from++) {
            const uint32_t sum = (t.effect == RS_REDUCE ? to[i] : 0U) + *from;
            to[i] = (uint16_t)(sum > UINT16_MAX ? UINT16_MAX : sum);
        }
    }
}

static void keep_frame(rv_counts *counts) {
    const int32_t i = counts->step / counts->stride;
    if (counts->step % counts->stride != 0 || i >= N_FRAMES || counts->frames[i] != NULL) return;
    counts->frames[i] = malloc(counts->n_cells * sizeof *counts->cells);
    if (counts->frames[i] == NULL) return; /* without the copy a seek back is slower, not wrong */
    memcpy(counts->frames[i], counts->cells, counts->n_cells * sizeof *counts->cells);
}

/* Goes to the last kept frame at or before `step` if that saves steps. keep_frame keeps the first
   one as soon as the counts leave step 0. */
static void take_frame(rv_counts *counts, int32_t step) {
    for (int32_t i = N_FRAMES - 1; i >= 0; i--) {
        const int32_t at = i * counts->stride;
        if (counts->frames[i] == NULL || at > step) continue;
        if (step >= counts->step && at <= counts->step) return;
        memcpy(counts->cells, counts->frames[i], counts->n_cells * sizeof *counts->cells);
        counts->step = at;
        return;
    }
}

bool rv_counts_seek(rv_counts *counts, int32_t step) {
    if (counts == NULL) return false;
    assert(step >= 0 && step <= counts->model->n_steps);
    if (counts->step < 0 && !allocate_cells(counts)) return false;
    const bool end = counts->model->step >= counts->model->n_steps;
    if (counts->step == step && counts->end == end) return true;
    counts->end = end;
    take_frame(counts, step);
    if (step < counts->step) { /* no frame could be kept */
        for (size_t i = 0; i < counts->n_cells; i++) counts->cells[i] = 1;
        counts->step = 0;
    }
    for (; counts->step < step; counts->step++) {
        keep_frame(counts);
        if (!read_step(counts, counts->step)) return false;
        write_step(counts, counts->step);
    }
    assert(counts->step == step);
    count_totals(counts);
    return true;
}

int32_t rv_count_at(const rv_counts *counts, int32_t rank, int32_t chunk) {
    assert(rank >= 0 && rank < counts->model->n_ranks);
    assert(chunk >= 0 && chunk < counts->model->n_chunks);
    const uint16_t count = shown(counts, rank, chunk);
    return count == RV_SPOILT ? -1 : count;
}

int64_t rv_count_of_rank(const rv_counts *counts, int32_t rank) {
    assert(rank >= 0 && rank < counts->model->n_ranks);
    return counts->totals[rank];
}

/* --------------------------------------------------------------------------------------- the image */

static void paint_row(const rv_counts *counts, rv_cells part, int32_t rank, int32_t by,
                      uint16_t *row) {
    for (int32_t c = 0; c < part.n_chunks; c++) {
        const uint16_t count = shown(counts, rank, part.first_chunk + c);
        uint16_t *pixel = &row[c / by];
        if (count > *pixel) *pixel = count;
    }
}

const uint16_t *rv_counts_image(rv_counts *counts, rv_cells part, int32_t *columns, int32_t *rows) {
    assert(*columns > 0 && *rows > 0 && counts->step >= 0);
    const int32_t by_x = (part.n_chunks + *columns - 1) / *columns;
    const int32_t by_y = (part.n_ranks + *rows - 1) / *rows;
    const int32_t w = (part.n_chunks + by_x - 1) / by_x, h = (part.n_ranks + by_y - 1) / by_y;
    const size_t n = (size_t)w * (size_t)h;
    assert(w <= *columns && h <= *rows);
    *columns = w;
    *rows = h;
    counts_image image = counts->images[0];
    for (int i = 0; i < N_IMAGES; i++) { /* or the one that was not asked for the longest time */
        image = counts->images[i];
        if (image.step == counts->step && image.columns == w && image.rows == h &&
            memcmp(&image.part, &part, sizeof part) == 0) {
            memmove(counts->images + 1, counts->images, (size_t)i * sizeof image);
            counts->images[0] = image;
            return image.pixels;
        }
    }
    memmove(counts->images + 1, counts->images, (N_IMAGES - 1) * sizeof image);
    image.step = -1;
    const bool whole = rs_reserve(NULL, &image.pixels, n, &image.room);
    counts->images[0] = image;
    if (!whole) return NULL;
    memset(image.pixels, 0, n * sizeof *image.pixels);
    for (int32_t r = 0; r < part.n_ranks; r++) {
        paint_row(counts, part, part.first_rank + r, by_x,
                  image.pixels + (size_t)(r / by_y) * (size_t)w);
    }
    counts->images[0] = (counts_image){image.pixels, image.room, counts->step, w, h, part};
    return image.pixels;
}
