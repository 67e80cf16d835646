/* A lesson beside the animation: the gate, what runs on which page, choices by key and by click, and
 * that all its words stay in their boxes at every size. The lesson is one of the course; a course without
 * a program behind it runs its commands by the tests' own hands.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "lesson/course.h"
#include "lesson/lesson_flow.h"
#include "support/stage_fixture.h"
#include "support/rounds.h"

static stage_fixture s;
static rv_course course;
static rv_lesson lesson, chinese;
static int n_kept;
static view_fixture naive;

/* Knows two runs: the ring's, and the one reducer's. */
static rs_status scene(void *context, const char *words, rv_subject *subject, rv_options *look,
                       rs_error *error) {
    (void)context;
    const char *at = strstr(words, "--at ");
    if (strncmp(words, "--", 2) != 0) return rs_fail(error, RS_UNSUPPORTED, "no run");
    *subject = strstr(words, "naive") != NULL ? naive.subject : s.run.subject;
    *look = (rv_options){.at = -1};
    if (at != NULL) sscanf(at, "--at %d", &look->at);
    return RS_OK;
}

static bool plays(void *context, const char *words) {
    (void)context;
    return strncmp(words, "--", 2) == 0;
}

static void kept(void *context) {
    (void)context;
    n_kept++;
}

static const rv_lesson *translated(void *context) {
    (void)context;
    return strcmp(rv_language(), "en") == 0 ? &lesson : &chinese;
}

/* Opens lesson 5 at its start; false: this build reads no lessons. */
static bool open_lesson(bool still) {
    view_fixture_prepare(&s.run, "ring", 5);
    view_fixture_start(&naive, "naive", 5);
    if (!stage_fixture_lesson(&s, "lessons/05-scatter-reduce/en.md", &lesson)) return false;
    cr_assert(stage_fixture_lesson(&s, "lessons/05-scatter-reduce/zh_CN.md", &chinese));
    course = (rv_course){.reading = rv_open_reading(&lesson),
                         .scene = scene,
                         .plays = plays,
                         .kept = kept,
                         .translated = translated};
    s.options = (rv_options){.at = -1, .course = &course, .reduced_motion = still};
    stage_fixture_open(&s);
    return true;
}

/* On to a stop, with the right prediction. */
static void go_to(int stop) {
    while (course.reading.at < stop) {
        if (course.reading.at == RV_STOP_PREDICTION && course.reading.prediction < 0) {
            stage_fixture_press(&s, "b");
        }
        stage_fixture_key(&s, RV_KEY_PAGE_DOWN);
    }
}

/* The first page that shows such a scene, as a stop. */
static int stop_of(const char *words) {
    for (int i = 0; i < lesson.n_pages; i++) {
        const char *shown = lesson.pages[i].scene;
        if (shown != NULL && strstr(shown, words) != NULL) return RV_STOP_STORY + i;
    }
    cr_assert_fail("no page shows %s", words);
    return 0;
}

static bool has_target(rv_thing thing, int32_t a) {
    for (int32_t i = 0; i < s.stage->scene.n_items; i++) {
        if (rv_same_target(s.stage->scene.items[i].target, rv_target_of(thing, a, 0))) return true;
    }
    return false;
}

Test(scene_lesson, no_animation_is_seen_before_the_prediction_is_committed) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    cr_expect(rv_view_box(s.stage, VIEW_RING).w <= 0 && s.stage->layout.lesson.w > 0);
    stage_fixture_key(&s, RV_KEY_RIGHT);
    cr_expect_eq(course.reading.at, RV_STOP_PREDICTION, "keys of the animation turn pages");
    stage_fixture_press(&s, "mwx");
    cr_expect_eq(s.stage->views, VIEW_RING, "and nothing else moves it");
    stage_fixture_key(&s, RV_KEY_ENTER);
    cr_expect_eq(course.reading.at, RV_STOP_PREDICTION);
    cr_expect(stage_fixture_shows(&s, "First your prediction"));
    stage_fixture_press(&s, "c");
    cr_expect_not(stage_fixture_shows(&s, "First your prediction"), "there is one now");
    cr_expect_eq(course.reading.chosen, 2);
    cr_expect_eq(course.reading.prediction, -1);
    stage_fixture_click(&s, RV_LETTER, 1, 0);
    cr_expect_eq(course.reading.chosen, 1, "a click changes it");
    const int before = n_kept;
    stage_fixture_click(&s, RV_BUTTON, RV_LESSON_NEXT, 0);
    cr_expect_eq(course.reading.prediction, 1);
    cr_expect_gt(n_kept, before);
    cr_expect(stage_fixture_shows(&s, "Right."));
    cr_expect(rv_view_box(s.stage, VIEW_RING).w <= 0, "no page's run stands beside an answer");
    stage_fixture_key(&s, RV_KEY_PAGE_DOWN);
    cr_expect(rv_view_box(s.stage, VIEW_RING).w > 0, "now it is shown");
    go_to(RV_STOP_STORY + lesson.n_pages);
    cr_expect(rv_view_box(s.stage, VIEW_RING).w <= 0, "nor beside a question after the story");
    stage_fixture_press(&s, "oo");
    cr_expect(rv_view_box(s.stage, VIEW_RING).w <= 0, "unless it is asked for");
}

Test(scene_lesson, a_page_shows_its_step_and_the_way_back_undoes_what_was_done_to_it) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    const int stop = stop_of("--at 2");
    go_to(stop);
    cr_expect_eq(s.stage->what_if->model->step, 2, "--at 2");
    const rv_what_if *same = s.stage->what_if;
    stage_fixture_key(&s, RV_KEY_RIGHT);
    cr_expect_eq(s.stage->what_if->model->step, 3, "stepping on is free");
    cr_expect_eq(course.reading.at, stop);
    stage_fixture_press(&s, "w");
    cr_expect_eq(s.stage->what_if->setup.n_faults, 1);
    stage_fixture_key(&s, RV_KEY_PAGE_UP);
    stage_fixture_key(&s, RV_KEY_PAGE_DOWN);
    cr_expect_eq(s.stage->what_if->setup.n_faults, 0);
    cr_expect_eq(s.stage->what_if->model->step, 2);
    same = s.stage->what_if;
    go_to(stop_of("--at 3"));
    cr_expect_eq(s.stage->what_if, same, "a page of the same run goes on with it");
    cr_expect_eq(s.stage->what_if->model->step, 3);
}

Test(scene_lesson, the_step_is_played_before_the_readers_eyes) {
    if (!open_lesson(false)) cr_skip("built without md4c");
    go_to(stop_of("--at 2"));
    cr_expect_eq(s.stage->what_if->model->step, 2);
    cr_expect_eq(rv_stage_still_ms(s.stage), 0, "chunks are on their way");
    stage_fixture_tick(&s, RV_MOTION_MS);
    cr_expect_eq(rv_stage_still_ms(s.stage), -1, "and then all is still");
    cr_expect_float_eq(s.stage->progress, 1, 1e-9);
}

/* The stop between the phases is for who walks: a page leads on to its step, and from the last step to the end. */
static void expect_led_past_the_middle(bool still) {
    if (!open_lesson(still)) cr_skip("built without md4c");
    const int stop = stop_of("--at 2");
    lesson.pages[stop - RV_STOP_STORY].scene = "--gpus 5 --at 4";
    go_to(stop);
    cr_expect_eq(s.stage->what_if->model->step, 4);
    lesson.pages[stop + 1 - RV_STOP_STORY].scene = "--gpus 5 --at 7";
    go_to(stop + 1);
    cr_expect_eq(s.stage->what_if->model->step, 8);
    stage_fixture_end(&s);
}

Test(scene_lesson, a_page_behind_the_middle_is_led_past_it) {
    expect_led_past_the_middle(false);
}

Test(scene_lesson, and_without_motion_too) {
    expect_led_past_the_middle(true);
}

Test(scene_lesson, a_command_of_the_page_can_be_clicked_and_played) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    go_to(stop_of("--at 2"));
    while (!has_target(RV_COMMAND, 0)) stage_fixture_key(&s, RV_KEY_PAGE_DOWN);
    stage_fixture_key(&s, RV_KEY_END);
    cr_expect_eq(s.stage->what_if->model->step, 8);
    stage_fixture_click(&s, RV_COMMAND, 0, 0);
    cr_expect(strstr(s.stage->playing, "--at 2") != NULL);
    cr_expect_eq(s.stage->what_if->model->step, 2);
}

/* Before a class: quizzes alone on the screen, votes typed in, twice; nothing is kept. */
Test(scene_lesson, a_class_votes_by_numbers_and_sees_bars) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    course.poll.on = true;
    rv_poll_begin(&course.poll);
    course.reading.at = course.reading.most = RV_STOP_PREDICTION;
    cr_assert_eq(rv_lesson_enter(s.stage, &s.error), RS_OK);
    const int before = n_kept;
    stage_fixture_press(&s, "1 2");
    cr_expect_eq(course.poll.choice, -1, "a count wants its letter first: a digit chooses nothing");
    stage_fixture_press(&s, "b 12 a 3, c 5 ");
    cr_expect_eq(course.reading.at, RV_STOP_PREDICTION, "as one writes it, spaces and all");
    cr_expect_eq(course.poll.hands[0][1], 12);
    cr_expect_eq(rv_poll_sum(&course.poll, 0), 20);
    rv_stage_draw(s.stage);
    char bar[128];
    cr_expect_eq(rv_poll_share(&course.poll, 0, 1, bar, sizeof bar), 0.6,
                 "a bar as long as its votes");
    cr_expect_str_eq(bar, "12, 60 %");
    cr_expect_eq(rv_poll_share(&course.poll, 0, 3, bar, sizeof bar), 0, "nobody's has none");
    stage_fixture_press(&s, "vb20");
    cr_expect_eq(course.poll.hands[1][1], 20);
    cr_expect_eq(course.poll.hands[0][1], 12, "the first vote stays");
    stage_fixture_press(&s, "r");
    cr_expect(course.poll.revealed);
    cr_expect_eq(course.poll.said, lesson.prediction.answer, "first the right one's reason");
    stage_fixture_press(&s, "a7");
    cr_expect_eq(course.poll.said, 0, "then any letter's");
    cr_expect_eq(course.poll.hands[1][0], 0, "whose hands stay");
    cr_expect_eq(course.reading.prediction, -1, "nobody's answer");
    stage_fixture_key(&s, RV_KEY_PAGE_DOWN);
    cr_expect_eq(course.reading.at, RV_STOP_STORY, "the story, without the answer's stop");
    cr_expect_eq(s.stage->half, RV_BOTH_HALVES, "beside its run");
    cr_expect_eq(rv_poll_sum(&course.poll, 0), 0);
    cr_expect_not(course.poll.revealed);
    stage_fixture_key(&s, RV_KEY_PAGE_UP);
    cr_expect_eq(course.reading.at, RV_STOP_PREDICTION);
    cr_expect_eq(n_kept, before);
    stage_fixture_end(&s);
    course.poll.on = false;
}

/* As with the prediction a letter chooses and Enter commits: nobody reads on past what there is to learn. */
Test(scene_lesson, an_answer_is_kept_once) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    for (int i = 0; i < lesson.n_questions; i++) {
        go_to(RV_STOP_STORY + lesson.n_pages + i);
        int before = n_kept;
        stage_fixture_press(&s, "z");
        cr_expect_eq(n_kept, before, "no answer");
        const int stop = course.reading.at;
        stage_fixture_press(&s, "ab");
        cr_expect(n_kept == before && course.reading.chosen == 1, "it can be changed");
        stage_fixture_key(&s, RV_KEY_ENTER);
        cr_expect_gt(n_kept, before);
        cr_expect_eq(course.reading.answers[i], 1);
        cr_expect(course.reading.at == stop &&
                      (stage_fixture_shows(&s, "Not b:") || stage_fixture_shows(&s, "Right.")),
                  "it says why");
        before = n_kept;
        stage_fixture_press(&s, "a");
        cr_expect_eq(n_kept, before);
        cr_expect_eq(course.reading.answers[i], 1);
    }
}

/* As in the predictions: where the choices are numbered chunks, a digit is that chunk. */
Test(scene_lesson, a_digit_chooses_what_has_that_number) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    go_to(RV_STOP_STORY + lesson.n_pages); /* a) chunk 3  b) chunk 2  c) chunk 4 */
    static const int chosen[] = {-1, -1, 1, 0, 2};
    for (int digit = 0; digit < 5; digit++) {
        course.reading.chosen = -1;
        const char key[] = {(char)('0' + digit), '\0'};
        stage_fixture_press(&s, key);
        cr_expect_eq(course.reading.chosen, chosen[digit], "%d", digit);
    }
}

Test(scene_lesson, letters_answer_a_question_unless_the_animation_asks_one) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    const int question = RV_STOP_STORY + lesson.n_pages;
    go_to(question);
    stage_fixture_press(&s, "op"); /* the animation; predict: the next step asks */
    stage_fixture_key(&s, RV_KEY_HOME);
    stage_fixture_key(&s, RV_KEY_RIGHT);
    cr_assert_eq(s.stage->playback.mode, RV_ASKING);
    stage_fixture_press(&s, "a0");
    cr_expect_eq(s.stage->playback.chosen, 0);
    stage_fixture_key(&s, RV_KEY_ENTER);
    cr_expect_eq(s.stage->playback.n_asked, 1, "the animation's Enter, not the page's");
    cr_expect(course.reading.answers[0] == -1 && course.reading.at == question);
    stage_fixture_press(&s, "oa");
    stage_fixture_key(&s, RV_KEY_ENTER);
    cr_expect_eq(course.reading.answers[0], 0);
    cr_expect(stage_fixture_shows(&s, "Not a:") && stage_fixture_shows(&s, "But b:"));
    stage_fixture_press(&s, "b");
    cr_expect_eq(course.reading.answers[0], 0, "it is told by now");
}

Test(scene_lesson, stops_that_were_reached_can_be_clicked_and_others_not) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    go_to(RV_STOP_STORY + 2);
    stage_fixture_click(&s, RV_STOP, RV_STOP_STORY, 0);
    cr_expect_eq(course.reading.at, RV_STOP_STORY);
    cr_expect_eq(course.reading.most, RV_STOP_STORY + 2);
    cr_expect(has_target(RV_STOP, RV_STOP_STORY + 2));
    cr_expect_not(has_target(RV_STOP, RV_STOP_STORY + 3));
}

static int followed;

static bool follow(void *context, int number) {
    (void)context;
    followed = number;
    course.reading = rv_open_reading(&chinese);
    return true;
}

Test(scene_lesson, after_the_last_stop_the_next_lesson_opens_if_there_is_one) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    const int last = rv_stop_count(&lesson) - 1;
    go_to(last);
    while (s.stage->screen + 1 < s.stage->n_screens) stage_fixture_key(&s, RV_KEY_PAGE_DOWN);
    stage_fixture_key(&s, RV_KEY_PAGE_DOWN);
    cr_expect_eq(course.reading.at, last, "there is none");
    course.follow = follow;
    course.next = 5;
    rv_stage_draw(s.stage);
    cr_expect(stage_fixture_shows(&s, "Next: lesson 5"));
    course.other = 2;
    rv_stage_draw(s.stage);
    cr_expect(stage_fixture_shows(&s, "Lesson 5 (the ring in an hour)"));
    course.hour_done = true;
    rv_stage_draw(s.stage);
    cr_expect(stage_fixture_shows(&s, "Lesson 2 (training with DDP)"));
    stage_fixture_click(&s, RV_BUTTON, RV_LESSON_OTHER, 0);
    cr_expect(followed == 2 && course.reading.lesson == &chinese, "the one in order");
    course.reading = rv_open_reading(&lesson);
    go_to(last);
    while (s.stage->screen + 1 < s.stage->n_screens) stage_fixture_key(&s, RV_KEY_PAGE_DOWN);
    followed = 0;
    course.ungraded = true;
    stage_fixture_key(&s, RV_KEY_PAGE_DOWN);
    cr_expect(followed == 0 && stage_fixture_shows(&s, "Enter again: lesson 5"), "said once");
    stage_fixture_key(&s, RV_KEY_PAGE_DOWN);
    cr_expect(followed == 5 && course.reading.lesson == &chinese, "Enter opens the other");
    cr_expect_eq(course.reading.at, RV_STOP_START);
    cr_expect(rv_view_box(s.stage, VIEW_RING).w <= 0, "its prediction is not committed yet");
}

Test(scene_lesson, in_a_small_window_text_and_animation_take_turns) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    rv_stage_resize(s.stage, 480, 320);
    go_to(RV_STOP_STORY);
    cr_expect(s.stage->layout.lesson.w > 0 && rv_view_box(s.stage, VIEW_RING).w <= 0);
    stage_fixture_click(&s, RV_BUTTON, RV_LESSON_SWAP, 0);
    cr_expect(s.stage->layout.lesson.w <= 0 && rv_view_box(s.stage, VIEW_RING).w > 0);
    stage_fixture_press(&s, "o");
    cr_expect(s.stage->layout.lesson.w > 0);
    stage_fixture_press(&s, "o");
    stage_fixture_key(&s, RV_KEY_PAGE_DOWN);
    cr_expect(s.stage->layout.lesson.w > 0, "a new page is there to be read");
}

Test(scene_lesson, the_title_says_where_the_reader_is_and_tells_nothing_early) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    char title[256];
    stage_fixture_key(&s, RV_KEY_PAGE_DOWN);
    stage_fixture_press(&s, "d");
    rv_stage_title(s.stage, title, sizeof title);
    cr_expect_str_eq(title, "lesson 5, prediction, d chosen");
    go_to(RV_STOP_STORY);
    rv_stage_title(s.stage, title, sizeof title);
    cr_expect(strstr(title, "lesson 5, page 1 of ") == title, "%s", title);
}

/* ------------------------------------------------------------------ every size */

static void expect_inside(const rv_stage *stage, const char *what) {
    const rv_box panel = stage->layout.lesson;
    const double slack = 0.51;
    int n_words = 0;
    for (const rv_item *item = NULL; (item = view_fixture_next(&stage->scene, item)) != NULL;) {
        const rv_box b = item->box;
        if (item->shape != RV_LABEL || !rv_inside(panel, b.x + 0.1, b.y + 0.1)) continue;
        n_words++;
        cr_expect(b.x >= panel.x - slack && b.y >= panel.y - slack &&
                      b.x + b.w <= panel.x + panel.w + slack &&
                      b.y + b.h <= panel.y + panel.h + slack,
                  "%s: \"%s\"", what, rv_label_text(&stage->scene, item));
        cr_expect(item->radius >= 5.9, "%s: type of %g", what, item->radius);
    }
    cr_expect(panel.w <= 0 || n_words >= 4, "%s: %d labels", what, n_words);
}

/* Walks a lesson at a size; every screen of every stop must lie in the panel. */
static void playback_at(double width, double height) {
    course.reading = rv_open_reading(translated(NULL));
    rv_stage_resize(s.stage, width, height);
    rs_error error;
    cr_assert_eq(rv_lesson_enter(s.stage, &error), RS_OK);
    rv_stage_draw(s.stage);
    for (int presses = 0; presses < 200; presses++) {
        char what[96];
        snprintf(what, sizeof what, "%g x %g, stop %d, screen %d", width, height, course.reading.at,
                 s.stage->screen);
        expect_inside(s.stage, what);
        if (course.reading.at == rv_stop_count(&lesson) - 1 &&
            s.stage->screen + 1 >= s.stage->n_screens) {
            return;
        }
        stage_fixture_press(&s, "b"); /* answers whatever is open */
        stage_fixture_key(&s, RV_KEY_PAGE_DOWN);
    }
    cr_expect(false, "%g x %g: it never ends", width, height);
}

static const double sizes[][2] = {{320, 240},  {400, 800},  {640, 480},   {800, 600},
                                  {1280, 720}, {720, 1280}, {1920, 1080}, {2560, 1440}};

Test(scene_lesson, all_words_stay_in_the_panel_at_every_size_in_both_languages) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    for (int i = 0; i < 8; i++) playback_at(sizes[i][0], sizes[i][1]);
    if (view_fixture_chinese()) {
        for (int i = 0; i < 8; i++) playback_at(sizes[i][0], sizes[i][1]);
    }
}

static int count_slanted(void) {
    rs_error error;
    int n = 0;
    course.reading = rv_open_reading(translated(NULL));
    cr_assert_eq(rv_lesson_enter(s.stage, &error), RS_OK);
    rv_stage_draw(s.stage);
    for (const rv_item *item = NULL; (item = view_fixture_next(&s.stage->scene, item)) != NULL;) {
        if (item->shape != RV_LABEL) continue;
        n += rv_label_text(&s.stage->scene, item)[0] == RV_STYLE_BYTE + RV_STYLE_EMPHASIS;
    }
    return n;
}

Test(scene_lesson, the_question_is_slanted_but_in_chinese_which_has_no_italics) {
    if (!open_lesson(true)) cr_skip("built without md4c");
    cr_expect_eq(count_slanted(), 1);
    if (view_fixture_chinese()) cr_expect_eq(count_slanted(), 0);
}

/* ------------------------------------------------------------------ whoever presses anything */

static uint32_t draw_number(uint32_t *state, uint32_t below) {
    *state = *state * 1664525U + 1013904223U;
    return (*state >> 8) % below;
}

Test(scene_lesson, any_keys_and_clicks_leave_a_lesson_that_can_be_drawn) {
    if (!open_lesson(false)) cr_skip("built without md4c");
    uint32_t state = 5;
    int n_rows = 0;
    while (rv_key_row_at(n_rows).action != RV_NO_ACTION) n_rows++;
    for (int i = 0; i < ROUNDS(4000, 600); i++) {
        const uint32_t what = draw_number(&state, 10);
        if (what < 4) {
            const rv_key_row row = rv_key_row_at((int)draw_number(&state, (uint32_t)n_rows));
            if (row.action != RV_QUIT) stage_fixture_key(&s, row.keys[0]);
        } else if (what < 6) {
            stage_fixture_key(&s, draw_number(&state, 3) == 0 ? 'b' : RV_KEY_PAGE_DOWN);
        } else if (what < 9) {
            const double x = draw_number(&state, (uint32_t)s.stage->width);
            const double y = draw_number(&state, (uint32_t)s.stage->height);
            cr_assert_eq(rv_stage_pointer(s.stage, RV_POINT_PRESS, x, y, &s.error), RS_OK);
            cr_assert_eq(rv_stage_pointer(s.stage, RV_POINT_RELEASE, x, y, &s.error), RS_OK);
            cr_assert_eq(rv_stage_wheel(s.stage, draw_number(&state, 3) - 1.0, &s.error), RS_OK);
        } else if (draw_number(&state, 4) == 0) {
            const double *size = sizes[draw_number(&state, 8)];
            rv_stage_resize(s.stage, size[0], size[1]);
        } else {
            stage_fixture_tick(&s, 100);
        }
        rv_stage_draw(s.stage);
        const rv_reading *way = &course.reading;
        cr_assert(way->at <= RV_STOP_PREDICTION || way->prediction >= 0, "the gate holds");
        cr_assert(way->at > RV_STOP_PREDICTION || rv_view_box(s.stage, VIEW_RING).w <= 0,
                  "and the veil");
        cr_assert(s.stage->layout.lesson.w > 0 || s.stage->layout.title.w > 0);
        if (way->at == rv_stop_count(&lesson) - 1) course.reading = rv_open_reading(&lesson);
        if (course.reading.at == 0) cr_assert_eq(rv_lesson_enter(s.stage, &s.error), RS_OK);
    }
}

Test(scene_lesson, in_a_page_the_exercise_is_a_button_away) {
    if (!open_lesson(true)) return;
    const int last = rv_stop_count(&lesson) - 1;
    for (int page = 0; page < 2; page++) {
        s.stage->output = page ? RV_TO_PAGE : RV_TO_WINDOW;
        course.reading.most = last;
        course.reading.prediction = 1;
        cr_assert_eq(rv_read_at(&course.reading, last), RV_MOVED);
        cr_assert_eq(rv_lesson_enter(s.stage, &s.error), RS_OK);
        rv_stage_draw(s.stage);
        cr_expect_eq(has_target(RV_BUTTON, RV_LESSON_LAB), page == 1);
        stage_fixture_press(&s, "y");
        cr_expect_eq(s.stage->wish, RV_WISH_COPY);
        const char *code = rv_flow_code(&course, &s.run.arena);
        cr_expect(strstr(code, "<<'END'\n#include") != NULL &&
                      strstr(code, "ringsim grade 05 my_ring.c\n") && strstr(code, "Score") == NULL,
                  "what is typed, not what is answered: %s", code);
        s.stage->wish = RV_NO_WISH;
        course.reading.at = RV_STOP_START;
    }
    stage_fixture_click(&s, RV_BUTTON, RV_LESSON_LAB, 0);
    cr_expect_eq(s.stage->wish, RV_WISH_LAB);
}
