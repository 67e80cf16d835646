/* A reader's way through a lesson: the stops, the gate behind the prediction, answers, mending. */
#include <criterion/criterion.h>

#include "lesson/reading.h"

/* Two pages, two questions: stops 0 start, 1 prediction, 2 answer, 3 4 pages, 5 6 questions, 7. */
static rv_lesson lesson_of_two(void) {
    rv_lesson lesson = {.number = 5, .n_pages = 2, .n_questions = 2};
    lesson.prediction.n_options = 3;
    lesson.questions[0].n_options = 2;
    lesson.questions[1].n_options = 4;
    return lesson;
}

Test(reading, nothing_behind_the_prediction_is_reached_before_it_is_committed) {
    const rv_lesson lesson = lesson_of_two();
    rv_reading way = rv_open_reading(&lesson);
    cr_expect_eq(rv_read_on(&way), RV_MOVED);
    cr_expect_eq(rv_read_on(&way), RV_GATED);
    cr_expect_eq(way.at, RV_STOP_PREDICTION);
    way.most = 7; /* whatever a file says */
    cr_expect_eq(rv_read_at(&way, 3), RV_GATED);
    cr_expect_not(rv_choose(&way, 3), "there are three choices");
    cr_expect(rv_choose(&way, 0));
    cr_expect(rv_choose(&way, 2), "it can be changed until it is committed");
    cr_expect_eq(rv_choice_of(&way, RV_STOP_PREDICTION), -1);
    cr_expect_eq(rv_read_on(&way), RV_MOVED);
    cr_expect_eq(way.at, RV_STOP_ANSWER);
    cr_expect_eq(rv_choice_of(&way, RV_STOP_ANSWER), 2);
    cr_expect_eq(rv_read_back(&way), RV_MOVED);
    cr_expect_not(rv_choose(&way, 1), "a committed one stays");
}

Test(reading, a_question_is_answered_once_and_may_be_left_open) {
    const rv_lesson lesson = lesson_of_two();
    rv_reading way = rv_open_reading(&lesson);
    way.prediction = 1;
    way.at = way.most = 5;
    cr_expect(rv_is_open(&way, 5));
    cr_expect(rv_choose(&way, 0));
    cr_expect(rv_choose(&way, 1), "it can be changed until it is committed");
    cr_expect_eq(rv_read_on(&way), RV_ANSWERED);
    cr_expect(way.at == 5 && way.answers[0] == 1, "here it says why");
    cr_expect_not(rv_is_open(&way, 5));
    cr_expect_not(rv_choose(&way, 0));
    cr_expect_eq(rv_read_on(&way), RV_MOVED);
    cr_expect_eq(rv_read_on(&way), RV_MOVED, "an open question holds nobody up");
    cr_expect_eq(rv_read_on(&way), RV_READ_WHOLE);
    cr_expect_eq(way.most, 7);
}

/* Three pages, a question before the second, one after them: 3 page, 4 question, 5 6 pages, 7 question, 8. */
Test(reading, a_question_of_the_story_holds_its_page_back_until_it_is_answered) {
    rv_lesson lesson = lesson_of_two();
    lesson.n_pages = 3;
    lesson.n_story_questions = 1;
    lesson.questions[0].page = 2;
    static const int pages[] = {-1, -1, -1, 0, -1, 1, 2, -1, -1};
    static const int questions[] = {-1, -1, -1, -1, 0, -1, -1, 1, -1};
    for (int stop = 0; stop < 9; stop++) {
        cr_expect_eq(rv_stop_page(&lesson, stop), pages[stop], "stop %d", stop);
        cr_expect_eq(rv_stop_question(&lesson, stop), questions[stop], "stop %d", stop);
    }
    char name[64];
    rv_name_stop(&lesson, 4, name, sizeof name);
    cr_expect_str_eq(name, "before page 2 of 3");
    rv_name_stop(&lesson, 7, name, sizeof name);
    cr_expect_str_eq(name, "question 1 of 1");
    rv_reading way = rv_open_reading(&lesson);
    way.prediction = 1;
    way.at = way.most = 4;
    cr_expect_eq(rv_read_on(&way), RV_GATED);
    cr_expect(rv_choose(&way, 1));
    cr_expect_eq(rv_read_on(&way), RV_ANSWERED);
    cr_expect_not(rv_choose(&way, 0), "committed");
    cr_expect_eq(rv_read_on(&way), RV_MOVED);
    cr_expect_eq(way.at, 5);
}

Test(reading, the_way_ends_at_both_ends) {
    const rv_lesson lesson = lesson_of_two();
    rv_reading way = rv_open_reading(&lesson);
    cr_expect_eq(rv_stop_count(&lesson), 8);
    cr_expect_eq(rv_read_back(&way), RV_STAYED);
    cr_expect_eq(rv_read_at(&way, 1), RV_STAYED, "nobody has been there");
    cr_expect_eq(rv_stop_page(&lesson, 4), 1);
    cr_expect_eq(rv_stop_page(&lesson, 5), -1);
    cr_expect_eq(rv_stop_question(&lesson, 6), 1);
    cr_expect_eq(rv_stop_question(&lesson, 7), -1);
}

Test(reading, a_place_of_another_text_is_mended) {
    const rv_lesson lesson = lesson_of_two();
    rv_reading way = rv_open_reading(&lesson);
    way.at = way.most = 20;
    way.prediction = 4; /* of five choices that there were */
    rv_mend_reading(&way);
    cr_expect_eq(way.at, RV_STOP_PREDICTION);
    cr_expect_eq(way.most, RV_STOP_PREDICTION);
    cr_expect_eq(way.prediction, -1);
    cr_expect(rv_choose(&way, 0) && rv_read_on(&way) == RV_MOVED && way.at == RV_STOP_ANSWER);
    cr_expect_eq(rv_read_on(&way), RV_MOVED);
    cr_expect_eq(way.at, 7, "the answer leads to where it was");
    for (int at = 6; at >= RV_STOP_ANSWER; at--) cr_expect_eq(rv_read_back(&way), RV_MOVED);
    cr_expect(rv_read_on(&way) == RV_MOVED && way.at == RV_STOP_STORY, "once");
    way.at = way.most = 20;
    way.prediction = 2;
    rv_mend_reading(&way);
    cr_expect_eq(way.at, 7);
}
