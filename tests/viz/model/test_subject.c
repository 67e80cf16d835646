/* test_subject.c: what a run answers as a subject, and what a story answers otherwise. */
#include "model/figures.h"
#include "model/subject.h"
#include "story/telling.h"
#include "support/story_fixture.h"
#include "support/view_fixture.h"

#include <criterion/criterion.h>
#include <string.h>

static view_fixture v;

static rv_subject ring_of_5(void) {
    view_fixture_start(&v, "ring", 5);
    return v.subject;
}

static const char *step_text(const rv_subject *subject, int32_t step) {
    static char text[128];
    const size_t n = subject->kind->step_text(subject, 0, step, text, sizeof text);
    cr_expect_eq(n, strlen(text));
    return text;
}

Test(subject, of_a_run_has_its_steps_ranks_title_and_phases) {
    const rv_subject run = ring_of_5();
    char title[64];
    rv_phase phase;
    run.kind->title(&run, title, sizeof title);
    cr_expect_str_eq(title, "ring, 5 GPUs");
    cr_expect_eq(run.n_steps, 8);
    cr_expect_eq(run.n_ranks, 5);
    cr_expect(run.kind->phase(&run, 0, 1, &phase));
    cr_expect_eq(phase.first_step, 4);
    cr_expect_str_eq(phase.name, "All-gather");
    cr_expect_not(run.kind->phase(&run, 0, 2, &phase));
    cr_expect_str_eq(step_text(&run, 5), "step 5: All-gather, iteration 2 of 4");
    cr_expect_null(run.kind->origin(&run), "it was computed here");
    view_fixture_free(&v);
}

Test(subject, goes_to_the_phase_after_and_before) {
    const rv_subject run = ring_of_5();
    static const int32_t cases[][3] = {/* from, on, back */
                                       {-1, 0, -1}, {0, 4, -1}, {3, 4, 0},
                                       {4, 8, 0},   {6, 8, 4},  {8, 8, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_assert_eq(run.kind->seek(&run, cases[i][0], RV_DONE, &v.error), RS_OK);
        cr_expect_eq(rv_phase_step(&run, 0, 1), cases[i][1], "on from %d", (int)cases[i][0]);
        cr_expect_eq(rv_phase_step(&run, 0, -1), cases[i][2], "back from %d", (int)cases[i][0]);
    }
    view_fixture_free(&v);
}

Test(subject, of_a_run_asks_and_tells_the_time_and_that_of_a_story_asks_nothing) {
    const rv_subject run = ring_of_5();
    OWN_TELLING telling;
    rv_telling_start(&telling, story_fixture());
    const rv_subject story = rv_story_subject(&telling);
    rv_question question;
    char text[64];
    run.kind->ask(&run, 2, 1, &question);
    cr_expect_neq(question.ask, RV_ASK_NOTHING);
    cr_expect_null(story.kind->ask);
    cr_expect_eq(run.kind->clock(&run, 0, 1, text, sizeof text), 0, "before the start: no time");
    cr_assert_eq(run.kind->seek(&run, 8, RV_DONE, &v.error), RS_OK);
    cr_expect_gt(run.kind->clock(&run, 0, 1, text, sizeof text), 0);
    cr_expect_str_eq(text, "8.04 ms of 8.04 ms");
    view_fixture_free(&v);
}

Test(subject, says_what_happens_at_a_moment_and_how_it_ended) {
    const rv_subject run = ring_of_5();
    OWN_TELLING telling;
    rv_telling_start(&telling, story_fixture());
    const rv_subject story = rv_story_subject(&telling);
    rv_sentence said;
    run.kind->caption(&run, (rv_position){1, RV_SEND}, 0, &said);
    cr_expect_not_null(strstr(said.text, "GPU 0 sends chunk 4 to GPU 1"), "%s", said.text);
    cr_expect(!said.good && !said.bad && said.trouble[0] == '\0');
    run.kind->caption(&run, (rv_position){8, RV_DONE}, 0, &said);
    cr_expect(said.good && !said.bad, "%s", said.text);
    cr_expect_eq(run.kind->position(&run).step, -1, "it stays where it was");
    v.report.computed = true, v.report.correct = false;
    run.kind->caption(&run, (rv_position){8, RV_DONE}, 0, &said);
    cr_expect(said.bad && !said.good, "%s", said.text);
    story.kind->caption(&story, story.kind->position(&story), 0, &said);
    cr_expect_str_eq(said.text, rv_frame_of(&story, 0)->caption);
    cr_expect(run.kind->frame == NULL && story.kind->frame == rv_frame_of);
    view_fixture_free(&v);
}

Test(subject, without_figures_of_its_own_is_shown_moment_after_moment) {
    OWN_TELLING telling;
    rv_telling_start(&telling, story_fixture());
    const rv_subject story = rv_story_subject(&telling);
    rv_figure figures[TALE_STEPS + 2];
    char text[RV_SENTENCE_BYTES];
    cr_assert_eq(rv_list_figures(&story, figures, TALE_STEPS + 2), TALE_STEPS + 2);
    for (int i = 0; i < TALE_STEPS + 2; i++) {
        rs_error error;
        cr_assert_eq(story.kind->seek(&story, figures[i].step, RV_DONE, &error), RS_OK);
        cr_expect_eq(figures[i].step, i - 1);
        rv_figure_text(&story, &figures[i], 0, text, sizeof text);
        cr_expect_str_eq(text, rv_frame_of(&story, 0)->caption);
    }
}

Test(subject, of_a_story_takes_part_steps_as_steps_and_refuses_what_is_a_collectives) {
    const rv_subject run = ring_of_5();
    OWN_TELLING telling;
    rv_telling_start(&telling, story_fixture());
    const rv_subject story = rv_story_subject(&telling);
    char text[128];
    for (int action = RV_NO_ACTION; action <= RV_SCROLL_UP; action++) {
        cr_expect(rv_takes(&run, (rv_action)action), "%d", action);
    }
    cr_expect_eq(story.kind->meaning(RV_MICRO_NEXT), RV_NEXT);
    cr_expect_eq(story.kind->meaning(RV_KILL_GPU), RV_NO_ACTION);
    cr_expect(rv_takes(&story, RV_NEXT) && !rv_takes(&story, RV_MICRO_NEXT));
    story.kind->refuse("k", text, sizeof text);
    cr_expect_eq(strncmp(text, "k works where a collective", 26), 0, "%s", text);
    view_fixture_free(&v);
}

Test(subject, of_a_story_is_shown_whole_by_a_page_and_a_mean_when_it_is_divided) {
    rv_subject run = ring_of_5();
    OWN_TELLING telling;
    rv_telling_start(&telling, story_fixture());
    const rv_subject story = rv_story_subject(&telling);
    cr_expect_eq(story.kind->page_step(&story, -1), TALE_STEPS);
    cr_expect_eq(story.kind->page_step(&story, 2), 2);
    cr_expect_eq(run.kind->page_step(&run, -1), -1);
    cr_expect_eq(run.kind->page_step(&run, 7), 7);
    v.report.request.op = RS_AVG;
    cr_expect_eq(run.kind->page_step(&run, 7), 8);
    cr_expect_eq(run.kind->page_step(&run, 6), 6);
    view_fixture_free(&v);
}
