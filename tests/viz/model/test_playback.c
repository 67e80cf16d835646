/* The walk by keys: on and back, micro-steps, phases, playing, predicting, help. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "terminal/compose.h"
#include "support/view_fixture.h"

static void press(rv_playback *playback, int32_t key) {
    rs_error error;
    cr_assert_eq(rv_playback_key(playback, key, &error), RS_OK);
}

static rv_playback playback_of(view_fixture *v, bool predict) {
    rv_playback playback;
    const rv_options options = {.at = -1, .predict = predict};
    view_fixture_prepare(v, "ring", 5);
    cr_assert(view_fixture_run(v));
    cr_assert_eq(rv_playback_start(&playback, &v->subject, &options, &v->error), RS_OK);
    return playback;
}

Test(playback, two_buttons_walk_the_whole_ring_and_back) {
    OWN_VIEW v = {0};
    rv_playback playback = playback_of(&v, false);
    for (int step = 0; step <= 8; step++) {
        press(&playback, RV_KEY_PAGE_DOWN);
        if (step == 4) { /* the turning point is a stop of its own */
            cr_expect(v.model->step == 3 && v.model->moment == RV_BETWEEN);
            press(&playback, RV_KEY_PAGE_DOWN);
        }
        cr_expect(v.model->step == step && v.model->moment == RV_DONE);
    }
    press(&playback, RV_KEY_PAGE_DOWN);
    cr_expect_eq(v.model->step, 8, "the end is the end");
    for (int step = 7; step >= -1; step--) {
        press(&playback, RV_KEY_PAGE_UP);
        if (step == 3) { /* on the way back, too */
            cr_expect(v.model->step == 3 && v.model->moment == RV_BETWEEN);
            press(&playback, RV_KEY_PAGE_UP);
        }
        cr_expect(v.model->step == step && v.model->moment == RV_DONE);
    }
    press(&playback, RV_KEY_PAGE_UP);
    cr_expect_eq(v.model->step, -1);
}

Test(playback, back_and_forth_shows_the_same_values_and_bytes) {
    OWN_VIEW v = {0};
    rv_playback playback = playback_of(&v, false);
    char forth[10][32], back[32];
    int64_t bytes[10];
    for (int step = 0; step <= 8; step++) {
        press(&playback, RV_KEY_RIGHT);
        if (v.model->moment == RV_BETWEEN) press(&playback, RV_KEY_RIGHT);
        rv_value_at(v.model, 0, 4, forth[step], sizeof forth[step]);
        bytes[step] = v.model->sent_bytes[0];
    }
    cr_expect_str_eq(forth[0], "50005");
    cr_expect_str_eq(forth[8], "55555");
    for (int step = 7; step >= 0; step--) {
        press(&playback, RV_KEY_LEFT);
        if (v.model->moment == RV_BETWEEN) press(&playback, RV_KEY_LEFT);
        rv_value_at(v.model, 0, 4, back, sizeof back);
        cr_expect_str_eq(back, forth[step]);
        cr_expect_eq(v.model->sent_bytes[0], bytes[step], "step %d", step);
    }
}

Test(playback, a_step_back_from_between_the_phases_is_the_step_before) {
    OWN_VIEW v = {0};
    rv_playback playback = playback_of(&v, false);
    for (int i = 0; i < 4; i++) press(&playback, RV_KEY_RIGHT);
    for (int i = 0; i < 2; i++) {
        press(&playback, i == 0 ? RV_KEY_RIGHT : RV_KEY_SHIFT_RIGHT);
        cr_assert(v.model->step == 3 && v.model->moment == RV_BETWEEN);
        press(&playback, i == 0 ? RV_KEY_LEFT : RV_KEY_SHIFT_LEFT);
        cr_expect(v.model->step == 3 && v.model->moment == RV_DONE);
    }
    press(&playback, RV_KEY_RIGHT);
    press(&playback, RV_KEY_SHIFT_RIGHT);
    cr_expect(v.model->step == 4 && v.model->moment == RV_SEND);
    press(&playback, RV_KEY_SHIFT_LEFT);
    cr_expect(v.model->step == 3 && v.model->moment == RV_BETWEEN);
}

Test(playback, micro_steps_are_send_arrive_add) {
    OWN_VIEW v = {0};
    rv_playback playback = playback_of(&v, false);
    char value[32];
    press(&playback, RV_KEY_SHIFT_RIGHT);
    cr_expect(v.model->step == 0 && v.model->moment == RV_SEND);
    cr_expect_eq(rv_mark_at(v.model, 0, 0), RV_LEAVES);
    cr_expect_eq(rv_mark_at(v.model, 1, 0), RV_SAME);
    cr_expect_eq(rv_time_now_ps(v.model), 0);
    press(&playback, RV_KEY_SHIFT_RIGHT);
    cr_expect_eq(v.model->moment, RV_ARRIVE);
    cr_expect_eq(rv_mark_at(v.model, 1, 0), RV_ARRIVES);
    rv_value_at(v.model, 1, 0, value, sizeof value);
    cr_expect_str_eq(value, "10", "arrived, not added");
    press(&playback, RV_KEY_SHIFT_RIGHT);
    cr_expect_eq(v.model->moment, RV_DONE);
    cr_expect_eq(rv_mark_at(v.model, 1, 0), RV_ADDED);
    rv_value_at(v.model, 1, 0, value, sizeof value);
    cr_expect_str_eq(value, "11");
    press(&playback, RV_KEY_SHIFT_LEFT);
    cr_expect_eq(v.model->moment, RV_ARRIVE);
}

Test(playback, phases_home_end_and_go_to) {
    OWN_VIEW v = {0};
    rv_playback playback = playback_of(&v, false);
    press(&playback, ']');
    cr_expect_eq(v.model->step, 0);
    press(&playback, ']');
    cr_expect_eq(v.model->step, 4);
    press(&playback, ']');
    cr_expect_eq(v.model->step, 8);
    press(&playback, '[');
    cr_expect_eq(v.model->step, 4);
    press(&playback, RV_KEY_HOME);
    cr_expect_eq(v.model->step, -1);
    press(&playback, RV_KEY_END);
    cr_expect_eq(v.model->step, 8);
    press(&playback, 'g');
    press(&playback, '3');
    press(&playback, '9');
    press(&playback, RV_KEY_BACKSPACE);
    press(&playback, RV_KEY_ENTER);
    cr_expect_eq(v.model->step, 3);
    press(&playback, 'g');
    for (int i = 0; i < 30; i++) press(&playback, '9');
    press(&playback, RV_KEY_ENTER);
    cr_expect_eq(v.model->step, 8);
    press(&playback, 'g');
    press(&playback, '1');
    press(&playback, RV_KEY_ESCAPE);
    cr_expect_eq(v.model->step, 8);
}

Test(playback, plays_faster_slower_and_stops_at_the_end) {
    OWN_VIEW v = {0};
    rv_playback playback = playback_of(&v, false);
    cr_expect_not(playback.playing);
    press(&playback, ' ');
    cr_expect(playback.playing && playback.speed == 1);
    press(&playback, '+');
    cr_expect_eq(playback.speed, 2);
    press(&playback, '-');
    press(&playback, '-');
    cr_expect_eq(playback.speed, 0.5);
    for (int i = 0; i < 20; i++) cr_assert_eq(rv_playback_tick(&playback, &v.error), RS_OK);
    cr_expect_eq(v.model->step, 8);
    cr_expect_not(playback.playing);
}

Test(playback, space_at_the_end_starts_over) {
    OWN_VIEW v = {0};
    rv_playback playback = playback_of(&v, false);
    press(&playback, RV_KEY_END);
    press(&playback, ' ');
    cr_expect(playback.playing && v.model->step == -1);
}

Test(playback, space_goes_to_the_next_question_where_every_step_asks) {
    OWN_VIEW v = {0};
    rv_playback playback = playback_of(&v, true);
    press(&playback, ' ');
    cr_expect(!playback.playing && playback.mode == RV_ASKING && v.model->step == 0);
}

Test(playback, an_answer_that_was_not_offered_is_wrong) {
    OWN_VIEW v = {0};
    rv_playback playback;
    const rv_options options = {.at = 1, .predict = true};
    view_fixture_start(&v, "ring", 16);
    cr_assert_eq(rv_playback_start(&playback, &v.subject, &options, &v.error), RS_OK);
    cr_expect_eq(playback.question.n_choices, 4, "of sixteen those that learners believe in");
    for (int i = 0; i < 4; i++) cr_assert_neq(playback.question.choices[i], 7);
    press(&playback, '7');
    cr_expect(playback.mode == RV_ASKING && playback.chosen == 7);
    press(&playback, RV_KEY_ENTER);
    cr_expect(playback.n_asked == 1 && playback.n_right == 0 && playback.reply == RV_REPLY_WRONG);
    cr_expect_eq(playback.mode, RV_LOOKING);
    press(&playback, RV_KEY_RIGHT);
    cr_assert_eq(playback.question.choices[playback.question.answer], 14);
    press(&playback, '1');
    press(&playback, '4');
    cr_expect_eq(playback.chosen, 14, "two digits are one number, where there is such a chunk");
    press(&playback, RV_KEY_RIGHT);
    cr_expect(playback.n_asked == 2 && playback.n_right == 1 && playback.reply == RV_REPLY_RIGHT);
    press(&playback, RV_KEY_LEFT);
    cr_expect_eq(playback.reply, RV_NO_REPLY);
}

/* A number can be changed until it is committed; one that is no chunk's is none. */
Test(playback, a_digit_is_the_number_that_it_names) {
    OWN_VIEW v = {0};
    rv_playback playback = playback_of(&v, true);
    press(&playback, RV_KEY_RIGHT);
    cr_expect_eq(playback.question.n_choices, 5, "every chunk has its digit");
    for (int digit = 0; digit < 10; digit++) {
        press(&playback, '0' + digit);
        cr_expect_eq(playback.chosen, digit < 5 ? digit : 4);
    }
    press(&playback, RV_KEY_DOWN);
    cr_expect_eq(playback.chosen, -1, "another GPU is another question");
}

Test(playback, predict_hides_the_step_until_it_is_answered) {
    OWN_VIEW v = {0};
    rv_playback playback = playback_of(&v, true);
    press(&playback, RV_KEY_RIGHT);
    cr_assert_eq(playback.mode, RV_ASKING);
    OWN_SCREEN screen = view_fixture_screen(80, 24);
    rv_compose(&playback, &screen);
    cr_expect(strstr(view_fixture_lines(&screen),
                     "GPU 1 begins with chunk 1, GPU 2 with chunk 2. And "
                     "GPU 0?") != NULL);
    cr_expect(strstr(view_fixture_shown.bytes, "c0 →") == NULL, "the answer is not on the screen");
    press(&playback, RV_KEY_RIGHT);
    cr_expect_eq(playback.mode, RV_ASKING, "no way on without an answer");
    press(&playback, '0' + playback.question.choices[playback.question.answer]);
    cr_expect_eq(playback.mode, RV_ASKING, "it can be changed");
    press(&playback, RV_KEY_ENTER);
    cr_expect(playback.mode == RV_LOOKING && v.model->step == 0 && v.model->moment == RV_DONE);
    cr_expect(playback.n_asked == 1 && playback.n_right == 1);
    press(&playback, RV_KEY_RIGHT);
    press(&playback, '0' + (playback.question.choices[playback.question.answer] + 1) % 5);
    press(&playback, ' ');
    cr_expect(playback.n_asked == 2 && playback.n_right == 1);
    press(&playback, RV_KEY_RIGHT);
    press(&playback, RV_KEY_ESCAPE);
    cr_expect(playback.n_asked == 2 && v.model->step == 2 && playback.mode == RV_LOOKING);
    press(&playback, RV_KEY_RIGHT);
    press(&playback, 'p');
    cr_expect(playback.mode == RV_LOOKING && v.model->step == 2 && !playback.predict);
}

/* Returns the time that the terminal shows. */
static const char *time_shown(const rv_playback *playback) {
    static char shown[64];
    OWN_SCREEN screen = view_fixture_screen(140, 50);
    rv_compose(playback, &screen);
    const char *line = strstr(view_fixture_lines(&screen), "Time ");
    cr_assert(line != NULL && sscanf(line, "Time %20[0-9.] %8[a-z]", shown, shown + 32) == 2);
    strcat(strcat(shown, " "), shown + 32);
    return shown;
}

/* What is asked about has not happened yet: the clock stands where the step before has left it. */
Test(playback, an_open_question_stops_the_clock) {
    OWN_VIEW v = {0};
    rv_playback playback = playback_of(&v, true);
    char before[64] = "";
    for (int step = 0; step < 8; step++) {
        press(&playback, RV_KEY_RIGHT);
        if (v.model->moment == RV_BETWEEN) press(&playback, RV_KEY_RIGHT);
        cr_assert_eq(playback.mode, RV_ASKING);
        if (step > 0) cr_expect_str_eq(time_shown(&playback), before, "step %d", step);
        press(&playback, RV_KEY_ESCAPE);
        cr_expect_str_neq(time_shown(&playback), before, "step %d", step);
        snprintf(before, sizeof before, "%s", time_shown(&playback));
    }
}

/* Whichever key means to go on: while a question is open it says what is to be done first, and stays. */
Test(playback, no_key_goes_on_past_an_open_question) {
    OWN_VIEW v = {0};
    rv_playback playback = playback_of(&v, true);
    press(&playback, RV_KEY_RIGHT);
    int n_keys = 0;
    for (int i = 0; rv_key_row_at(i).action != RV_NO_ACTION; i++) {
        const rv_key_row row = rv_key_row_at(i);
        const bool goes_on =
            row.action == RV_NEXT || row.action == RV_MICRO_NEXT || row.action == RV_PLAY;
        for (int k = 0; k < RV_MAX_KEYS && row.keys[k] != 0 && goes_on; k++, n_keys++) {
            press(&playback, row.keys[k]);
            cr_expect_eq(playback.mode, RV_ASKING, "%s", row.names);
            cr_expect_not(playback.playing, "%s", row.names);
            cr_expect(strstr(playback.message, "First type a number") != NULL, "%s", row.names);
        }
    }
    cr_expect_geq(n_keys, 5);
    cr_expect_eq(playback.n_asked, 0);
}

Test(playback, help_covers_and_any_key_closes_it) {
    OWN_VIEW v = {0};
    rv_playback playback = playback_of(&v, false);
    press(&playback, '?');
    cr_expect_eq(playback.mode, RV_READING_HELP);
    press(&playback, RV_KEY_RIGHT);
    cr_expect(playback.mode == RV_LOOKING && v.model->step == -1);
    press(&playback, '?');
    press(&playback, 'q');
    cr_expect(playback.quit);
}

Test(playback, follows_another_gpu_round_and_round) {
    OWN_VIEW v = {0};
    rv_playback playback = playback_of(&v, false);
    press(&playback, RV_KEY_UP);
    cr_expect_eq(playback.rank, 4);
    press(&playback, RV_KEY_TAB);
    cr_expect_eq(playback.rank, 0);
}

/* Any keys in any order, on small and large screens: no fault, and every picture is drawn whole. */
Test(playback, names_the_picture_of_where_it_stands_and_says_what_became_of_it) {
    OWN_VIEW v = {0};
    rv_playback playback = playback_of(&v, false);
    const rv_options plain = {.at = -1}, named = {.at = -1, .picture_prefix = "five"};
    char name[32];
    rv_name_picture(&playback, &plain, name, sizeof name);
    cr_expect_str_eq(name, "ringsim-start");
    press(&playback, RV_KEY_PAGE_DOWN);
    rv_name_picture(&playback, &named, name, sizeof name);
    cr_expect_str_eq(name, "five-step-0");
    press(&playback, RV_KEY_END);
    rv_name_picture(&playback, &named, name, sizeof name);
    cr_expect_str_eq(name, "five-end");
    rv_say_saved(&playback, "five-end.svg", NULL);
    cr_expect_str_eq(playback.message, "Saved five-end.svg");
    rv_say_saved(&playback, "five-end.svg", "Permission denied");
    cr_expect_str_eq(playback.message, "five-end.svg: Permission denied");
}

Test(playback, survives_whatever_is_typed) {
    const char *const algorithms[] = {"ring", "naive", "tree", "halving"};
    const int32_t special = RV_KEY_ESCAPE - RV_KEY_RIGHT + 1;
    uint32_t random = 1;
    for (int a = 0; a < 4; a++) {
        OWN_VIEW v = {0};
        rv_playback playback;
        view_fixture_start(&v, algorithms[a], 3 + 2 * a);
        const rv_options options = {.at = -1};
        cr_assert_eq(rv_playback_start(&playback, &v.subject, &options, &v.error), RS_OK);
        for (int i = 0; i < 3000; i++) {
            random = random * 1664525 + 1013904223;
            const int32_t pick = (int32_t)(random >> 16) % (96 + special);
            press(&playback, pick < 96 ? ' ' + pick : RV_KEY_RIGHT + pick - 96);
            playback.quit = false;
            playback.wants_picture = false;
            cr_assert(v.model->step >= -1 && v.model->step <= v.model->n_steps);
            if (i % 10 != 0) continue;
            OWN_SCREEN screen = view_fixture_screen(20 + i % 90, 5 + i % 30);
            rv_compose(&playback, &screen);
            view_fixture_expect_full_width(&screen, algorithms[a]);
        }
    }
}
