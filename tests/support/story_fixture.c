/* story_fixture.c: see story_fixture.h. */
#include "support/story_fixture.h"

#include <stdlib.h>

enum { MOST_TALES = 16, POINTS = TALE_STEPS + 2 };

typedef struct story_fixture_facts {
    int32_t n_ranks, n_columns;
    bool chinese;
    double x[POINTS], loss[POINTS], memory[3];
} story_fixture_facts;

static const story_fixture_facts *facts_of(const rv_story *history) {
    return history->context;
}

static const char *title_of(const rv_story *history) {
    return facts_of(history)->chinese ? "三个 GPU 的小故事：先数，再加" : "A small tale, 3 GPUs";
}

static void fill_counts(const story_fixture_facts *f, int32_t step, rv_frame *frame) {
    rv_grid *grid = rv_frame_grid(frame, f->chinese ? "谁看到哪个样本" : "Who sees which sample",
                                  f->n_ranks, f->n_columns);
    if (grid == NULL) return;
    grid->ranks = true;
    for (int32_t c = 0; c < f->n_columns; c++) {
        rv_grid_head(grid, -1, c, f->chinese ? "第 %d 批" : "batch %d", c);
    }
    for (int32_t r = 0; r < f->n_ranks; r++) {
        rv_grid_head(grid, r, -1, "GPU %d", r);
        for (int32_t c = 0; c < f->n_columns; c++) {
            const rv_tone tone = c == step   ? RV_TONE_NEW
                                 : c > step  ? RV_TONE_QUIET
                                 : r + c > 5 ? RV_TONE_BAD
                                             : RV_TONE_PLAIN;
            rv_grid_write(grid, r, c, tone, (r + c) % f->n_ranks, "%d", 10 * r + c);
        }
    }
}

static void fill_sums(const story_fixture_facts *f, int32_t step, rv_frame *frame) {
    rv_grid *grid = rv_frame_grid(frame, f->chinese ? "和" : "Sums", 2, 2);
    if (grid == NULL) return;
    rv_grid_head(grid, -1, 0, "%s", f->chinese ? "名称" : "what");
    rv_grid_head(grid, -1, 1, "%s", f->chinese ? "数值" : "value");
    rv_grid_plain(grid, 0, 0, "%s", f->chinese ? "总和" : "total");
    rv_grid_write(grid, 0, 1, RV_TONE_ADDED, -1, "%d", 3 * (step + 1));
    rv_grid_plain(grid, 1, 0, "%s", "gradient of the first layer");
    rv_grid_write(grid, 1, 1, step >= TALE_STEPS ? RV_TONE_GOOD : RV_TONE_LEAVES, 1, "%d",
                  step + 40);
}

static void fill_plots(const story_fixture_facts *f, int32_t step, rv_frame *frame) {
    static const char *const names[3] = {"GPU 0", "GPU 1", "GPU 2"};
    rv_plot *curve = rv_frame_plot(frame, f->chinese ? "损失" : "Loss", "step", "MSE");
    rv_plot_series(curve, "ddp", POINTS, f->x, f->loss, RV_TONE_GOOD);
    if (curve != NULL) curve->at = step + 1;
    rv_plot *bars = rv_frame_plot(frame, f->chinese ? "显存" : "Memory", "", "GB");
    rv_plot_series(bars, "memory", 3, f->x, f->memory, RV_TONE_PLAIN);
    if (bars == NULL) return;
    bars->bars = true;
    bars->series[0].names = names;
}

static void tell(const rv_story *history, int32_t step, int32_t rank, rv_frame *frame) {
    const story_fixture_facts *f = facts_of(history);
    frame->phase = f->chinese ? (step < 3 ? "数" : "加") : step < 3 ? "Count" : "Add up";
    frame->now_ps = step < 0 ? 0 : (step < TALE_STEPS ? step + 1 : TALE_STEPS) * 1000000LL;
    frame->good = step >= TALE_STEPS;
    if (f->chinese) {
        rv_frame_say(frame, "GPU %d 数到 %d，把结果交给下一个，然后等待其他 GPU。", (int)rank,
                     (int)step);
    } else if (step >= TALE_STEPS) {
        rv_frame_say(frame, "All is counted and added up.");
    } else {
        rv_frame_say(frame, "GPU %d counts to %d, hands it on and waits for the others.", (int)rank,
                     (int)step);
    }
    fill_counts(f, step, frame);
    fill_sums(f, step, frame);
    fill_plots(f, step, frame);
}

static void make_works(rv_story *history, int32_t n_ranks) {
    rv_work_span *spans = calloc((size_t)n_ranks * TALE_STEPS * 2, sizeof *spans);
    rv_lane_name *names = calloc((size_t)n_ranks, sizeof *names);
    if (spans == NULL || names == NULL) abort();
    int64_t n = 0;
    for (int32_t step = 0; step < TALE_STEPS; step++) {
        for (int32_t r = 0; r < n_ranks; r++) {
            const int64_t at_ps = step * 1000000LL;
            spans[n++] = (rv_work_span){r, at_ps, at_ps + 600000, step < 3 ? 0 : 1, step, "part"};
            spans[n++] = (rv_work_span){r, at_ps + 600000, at_ps + 1000000, 2, -1, NULL};
        }
    }
    for (int32_t r = 0; r < n_ranks; r++) {
        names[r] = (rv_lane_name){"GPU %d", r};
    }
    history->spans = spans;
    history->n_spans = n;
    history->lane_names = names;
    history->n_lanes = n_ranks;
    history->end_ps = TALE_STEPS * 1000000LL;
}

const rv_story *story_fixture_of(int32_t n_ranks, int32_t n_columns, bool chinese) {
    static rv_story stories[MOST_TALES];
    static story_fixture_facts facts[MOST_TALES];
    static int n;
    if (n >= MOST_TALES) abort();
    story_fixture_facts *f = &facts[n];
    rv_story *history = &stories[n++];
    *f = (story_fixture_facts){
        .n_ranks = n_ranks, .n_columns = n_columns, .chinese = chinese, .memory = {4, 2, 1}};
    for (int i = 0; i < POINTS; i++) {
        f->x[i] = i;
        f->loss[i] = 2.0 / (i + 1);
    }
    *history = (rv_story){.title = title_of,
                          .n_steps = TALE_STEPS,
                          .n_ranks = n_ranks,
                          .frame = tell,
                          .context = f,
                          .kinds = {{"compute", RV_TONE_PLAIN, false},
                                    {"send", RV_TONE_LEAVES, false},
                                    {"wait", RV_TONE_QUIET, true}}};
    make_works(history, n_ranks);
    return history;
}

const rv_story *story_fixture(void) {
    static const rv_story *history;
    if (history == NULL) history = story_fixture_of(TALE_RANKS, TALE_STEPS, false);
    return history;
}
