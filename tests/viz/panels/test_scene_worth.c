/* test_scene_worth.c: a wrong value is never drawn as a right one, whatever flips, adds or copies. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "model/subject.h"
#include "support/stage_fixture.h"

static stage_fixture s;

static int crosses(const rv_stage *stage, rv_colour ink) {
    int n = 0;
    for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
        n += item->shape == RV_DISC && item->fill == ink;
    }
    return n;
}

static const char *value_of(const rv_model *model, int32_t rank, int32_t chunk) {
    static char text[64];
    rv_value_at(model, rank, chunk, text, sizeof text);
    return text;
}

/* Compares a run with the same without flips, step by step, and its end with the report. */
static void expect_worth(rv_model *model, rv_model *clean, const char *where) {
    for (int32_t step = -1; step <= model->n_steps; step++) {
        int n_wrong = 0, n_whole = 0;
        cr_assert_eq(rv_model_seek(model, step, RV_DONE, &s.error), RS_OK);
        cr_assert_eq(rv_model_seek(clean, step, RV_DONE, &s.error), RS_OK);
        for (int32_t r = 0; r < model->n_ranks; r++) {
            bool any = false;
            for (int32_t c = 0; c < model->n_chunks; c++) {
                char due[64];
                snprintf(due, sizeof due, "%s", value_of(clean, r, c));
                const bool differs = strcmp(due, value_of(model, r, c)) != 0;
                const rv_worth worth = rv_worth_of(model, r, c);
                cr_expect_eq(worth == RV_WRONG, differs, "%s: step %d, GPU %d, chunk %d: %s", where,
                             step, r, c, due);
                n_wrong += differs;
                n_whole += worth == RV_WHOLE;
                any = any || differs;
            }
            if (step == model->n_steps) cr_expect_eq(any, model->report->wrong[r], "%s", where);
        }
        cr_assert_eq(rv_stage_show(s.stage, step, 1, &s.error), RS_OK);
        rv_stage_draw(s.stage);
        cr_expect_eq(crosses(s.stage, s.stage->look.bad), n_wrong, "%s: step %d", where, step);
        if (step >= 0) /* the legend of the start has a check, too */
            cr_expect_eq(crosses(s.stage, s.stage->look.good), n_whole, "%s: step %d", where, step);
    }
    const bool wrong = rv_result_is_wrong(model->report);
    cr_expect_eq(stage_fixture_shows(&s, "plan right, result wrong"), wrong, "%s", where);
    char title[256];
    s.run.subject.kind->sheet_title(&s.run.subject, title, sizeof title);
    cr_expect_eq(strstr(title, "plan right, result wrong") != NULL, wrong, "%s", title);
    const char *lines = stage_fixture_characters(&s, 100, 30);
    cr_expect_eq(strstr(lines, "plan right, result wrong") != NULL, wrong, "%s", where);
    cr_expect_eq(strchr(lines, '!') != NULL, wrong, "%s: %s", where, lines);
}

Test(scene_worth, of_flipped_bits_is_what_the_same_run_without_them_says) {
    static const rs_op ops[] = {RS_SUM, RS_MAX, RS_AVG, RS_PROD};
    static const rs_dtype dtypes[] = {RS_I32, RS_U8, RS_F16, RS_F64};
    static const char *const names[] = {"ring", "naive", "tree", "halving"};
    int n_flips_lost = 0;
    for (int i = 0; i < 64; i++) {
        rs_fault flip = {.kind = RS_FLIP};
        OWN_VIEW clean = {0};
        char where[96];
        for (int which = 0; which < 2; which++) {
            view_fixture *v = which == 0 ? &clean : &s.run;
            view_fixture_prepare(v, names[i / 16], 4);
            v->request.job.count = v->schedule.n_chunks;
            v->request.dtype = dtypes[i % 16 / 4];
            v->request.op = ops[(i + i / 4) % 4];
            v->request.job.elem_bytes = rs_dtype_bytes(v->request.dtype);
            v->request.data = RS_DATA_INDEX;
            v->request.job.faults = &flip;
            v->request.job.n_faults = which;
        }
        flip.step = i % 6 % s.run.schedule.n_steps;
        rs_cursor cursor = {0};
        rs_transfer t;
        for (int k = 0; k <= i % 3 && rs_next_transfer(&s.run.schedule, flip.step, &cursor, &t);
             k++)
            flip.rank = t.src;
        snprintf(where, sizeof where, "%s %s %s, --flip %d@%d", names[i / 16],
                 rs_dtype_name(s.run.request.dtype), rs_op_name(s.run.request.op), (int)flip.rank,
                 (int)flip.step);
        s.options = (rv_options){.at = -1, .bare = true};
        stage_fixture_open(&s);
        cr_assert(view_fixture_run(&clean), "%s", clean.error.text);
        expect_worth(s.run.model, clean.model, where);
        n_flips_lost += !rv_result_is_wrong(&s.run.report);
        stage_fixture_end(&s);
    }
    cr_expect(n_flips_lost > 0 && n_flips_lost < 60, "%d", n_flips_lost);
}

/* Without values nobody knows what a flipped bit has spoilt; a cell that lacks somebody is wrong at the end. */
Test(scene_worth, is_never_told_where_it_is_not_known) {
    static const rs_fault flip = {.kind = RS_FLIP, .rank = 1, .step = 3};
    OWN_VIEW v = {0};
    int mark;
    view_fixture_prepare(&v, "ring", 4);
    view_fixture_faults(&v, &flip, 1);
    v.request.values = RS_VALUES_NONE;
    cr_assert(view_fixture_run(&v) && rv_model_seek(v.model, 2, RV_DONE, &v.error) == RS_OK);
    cr_expect_eq(rv_worth_of(v.model, 0, 1), RV_WHOLE);
    cr_assert_eq(rv_model_seek(v.model, 6, RV_DONE, &v.error), RS_OK);
    cr_expect_eq(rv_worth_of(v.model, 0, 1), RV_PART);
    cr_expect_str_eq(rv_judgement(&v.report, &mark), "plan right, result not known");
    view_fixture_free(&v);
    view_fixture_prepare_text(&v, "ringsim-schedule 1\nranks 2\nchunks 2\nstep\n0 -> 1 chunk 0 "
                                  "reduce\n1 -> 0 chunk 1 copy\n");
    cr_assert(view_fixture_run(&v) && rv_model_seek(v.model, 2, RV_DONE, &v.error) == RS_OK);
    for (int i = 0; i < 4; i++) {
        const bool whole = i == 2; /* GPU 1 has added up chunk 0 */
        cr_expect_eq(rv_worth_of(v.model, i / 2, i % 2), whole ? RV_WHOLE : RV_WRONG, "%d", i);
    }
}
