/* stage_lesson.c: a lesson beside the animation: the page where the reader is decides what runs.
 *
 *     stop --> its page's scene --> course->scene --> subject; none: the text stands alone
 *
 *   - A page animates its step: the animation starts one step before. The reader may then change
 *     the run; coming back to the page shows it as the page has it.
 *   - A page that names a story and no step shows its end, as the command beside it prints all of
 *     it.
 *   - Until the reader commits a prediction the stage hides the animation, which would give the
 *     answer away. All the keys that would move it turn pages then.
 *   - If the next page shows the run that is on the stage already, that run stays: nothing flashes.
 */
#include "lesson/course.h"
#include "lesson/lesson_flow.h"
#include "stage/panel.h"
#include "stage/stage.h"
#include "text/words.h"

#include <math.h>
#include <stdio.h>

rv_action rv_stage_action_of(const rv_stage *stage, int32_t key) {
    return stage->course != NULL ? rv_lesson_action_of(key) : rv_action_of(key);
}

/* ---------------------------------------------------------------------------------------- places */

static void swap_halves(rv_stage *stage) {
    const bool both = stage->layout.lesson.w > 0 && stage->layout.title.w > 0;
    if (rv_lesson_veils(stage)) return;
    if (both) {
        stage->half = RV_STAGE_ALONE;
    } else if (stage->layout.lesson.w > 0) {
        const bool chosen = stage->half == RV_TEXT_ALONE && !stage->plain;
        stage->half = chosen ? RV_BOTH_HALVES : RV_STAGE_ALONE;
    } else {
        stage->half = stage->plain ? RV_BOTH_HALVES : RV_TEXT_ALONE;
    }
}

/* ---------------------------------------------------------------------------------------- the run */

/* Puts a subject in the place of the one before; speed, GPU followed and predict stay as they
   were. */
static rs_status take_subject(rv_stage *stage, const rv_subject *subject, rs_error *error) {
    const rv_playback before = stage->playback;
    const rv_options start = {.at = -1, .speed = before.speed, .rank = before.rank};
    const rs_status status = rv_stage_take(stage, subject, &start, error);
    if (status != RS_OK) return status;
    stage->curve = (rv_curve){0};
    stage->first_row = 0;
    stage->playback.predict = before.predict;
    stage->playback.n_asked = before.n_asked;
    stage->playback.n_right = before.n_right;
    return RS_OK;
}

static void close_all(rv_stage *stage) {
    rv_race_end(stage);
    stage->menu = stage->hover = stage->held = (rv_target){0};
    stage->playback.playing = false;
    stage->playback.mode = stage->playback.behind = RV_LOOKING;
    stage->playback.message[0] = '\0';
    stage->playback.reply = RV_NO_REPLY;
}

/* Shows the page's step: its chunks travel, if motion is on. */
static rs_status show_step(rv_stage *stage, const rv_options *look, rs_error *error) {
    const bool asks = stage->playback.predict;
    const rv_subject *subject = &stage->playback.subject;
    int32_t at = subject->kind->page_step(subject, look->at);
    /* A run's last step leads to its end, as in text. */
    if (subject->report != NULL && look->progress <= 0 && at == subject->n_steps - 1) at++;
    const bool inside = at >= 0 && at < subject->n_steps;
    if (stage->other != NULL || !inside || stage->reduced_motion) {
        return rv_stage_show(stage, at, inside && look->progress > 0 ? look->progress : 1, error);
    }
    rs_status status = rv_stage_show(stage, at - 1, 1, error);
    stage->playback.predict = false;
    stage->playback.flies = true;
    if (status == RS_OK) status = rv_playback_key(&stage->playback, RV_KEY_RIGHT, error);
    /* it stopped between phases */
    if (status == RS_OK && rv_position_of(&stage->playback).step < at) {
        status = rv_playback_key(&stage->playback, RV_KEY_RIGHT, error);
    }
    if (status == RS_OK) status = rv_stage_go(stage, at - 1, 1, error);
    stage->playback.predict = asks;
    if (look->progress > 0) stage->goal = fmin(1, look->progress);
    return status;
}

static rs_status show_subject(rv_stage *stage, const rv_subject *subject, const rv_options *look,
                              rs_error *error) {
    const rv_subject *born = &stage->born_of;
    const bool same = subject->report == born->report && subject->telling == born->telling &&
                      stage->what_if->version == 0;
    rs_status status = RS_OK;
    close_all(stage);
    if (!same) status = take_subject(stage, subject, error);
    if (status != RS_OK) return status;
    stage->views = look->views != 0 ? rv_views_meant(look->views)
                                    : stage->views | rv_views_at_start(0, subject);
    if (look->predict) stage->playback.predict = true;
    if (look->rank > 0 && look->rank < subject->n_ranks) stage->playback.rank = look->rank;
    status = rv_race_begin(stage, subject, look->compare, error);
    rv_stage_resize(stage, stage->width, stage->height);
    return status == RS_OK ? show_step(stage, look, error) : status;
}

/* Shows the run of a command; *shown is false if the command has none to show. */
static rs_status try_scene(rv_stage *stage, const char *words, bool *shown, rs_error *error) {
    rv_course *course = stage->course;
    rv_options look = {.at = -1};
    rv_subject subject;
    *shown = false;
    if (words == NULL || course->scene == NULL) return RS_OK;
    rs_error reason;
    const rs_status status = course->scene(course->context, words, &subject, &look, &reason);
    if (status == RS_UNSUPPORTED) return RS_OK;
    if (status != RS_OK) return *error = reason, status;
    *shown = true;
    stage->plain = false;
    snprintf(stage->playing, sizeof stage->playing, "%s", words);
    return show_subject(stage, &subject, &look, error);
}

/* Shows the stop's scene; a question between pages follows on from the page before it. */
static rs_status show_scene(rv_stage *stage, rs_error *error) {
    const rv_reading *reading = &stage->course->reading;
    const rv_lesson *lesson = reading->lesson;
    const int question = rv_stop_question(lesson, reading->at);
    const int page =
        question >= 0 ? lesson->questions[question].page - 2 : rv_stop_page(lesson, reading->at);
    bool shown;
    return page >= 0 ? try_scene(stage, lesson->pages[page].scene, &shown, error) : RS_OK;
}

rs_status rv_lesson_enter(rv_stage *stage, rs_error *error) {
    const rv_reading *reading = &stage->course->reading;
    const bool votes = stage->course->poll.on && rv_stop_quiz(reading->lesson, reading->at) != NULL;
    rs_status status = RS_OK;
    stage->screen = 0;
    stage->plain = true;
    stage->says_wait = reading->aim > 0 && rv_is_open(reading, reading->at);
    if (stage->course->poll.on) stage->half = votes ? RV_TEXT_ALONE : RV_BOTH_HALVES;
    /* there is something to read */
    if (stage->half == RV_STAGE_ALONE) stage->half = RV_BOTH_HALVES;
    if (!rv_lesson_veils(stage)) status = show_scene(stage, error);
    if (status != RS_OK || !stage->plain) return status;
    close_all(stage);
    stage->playing[0] = '\0';
    rv_stage_resize(stage, stage->width, stage->height);
    return rv_stage_show(stage, -1, 1, error);
}

void rv_lesson_translate(rv_stage *stage) {
    rv_course *course = stage->course;
    const rv_lesson *lesson =
        course != NULL && course->translated != NULL ? course->translated(course->context) : NULL;
    if (lesson == NULL) return;
    const bool fits = rv_stop_count(lesson) == rv_stop_count(course->reading.lesson);
    course->reading.lesson = lesson;
    if (!fits) rv_mend_reading(&course->reading);
    stage->screen = 0;
}

/* ----------------------------------------------------------------------------------------- moves */

static void keep_place(const rv_stage *stage) {
    if (stage->course->kept != NULL) stage->course->kept(stage->course->context);
}

static rs_status go_to_stop(rv_stage *stage, rv_moved how, rs_error *error) {
    stage->says_wait = how == RV_GATED;
    if (how == RV_MOVED || how == RV_ANSWERED) keep_place(stage);
    return how == RV_MOVED ? rv_lesson_enter(stage, error) : RS_OK;
}

/* Before a class nothing is held back, and nothing kept. */
static rs_status poll_on(rv_stage *stage, int direction, rs_error *error) {
    rv_course *course = stage->course;
    const int stop = rv_poll_stop(course->reading.lesson, course->reading.at, direction);
    if (stop < 0) return RS_OK;
    rv_poll_begin(&course->poll);
    course->reading.at = stop;
    if (stop > course->reading.most) course->reading.most = stop;
    return rv_lesson_enter(stage, error);
}

/* Opens another lesson. */
static rs_status open_lesson(rv_stage *stage, int number, rs_error *error) {
    rv_course *course = stage->course;
    const bool opens = number != 0 && course->follow != NULL;
    return opens && course->follow(course->context, number) ? go_to_stop(stage, RV_MOVED, error)
                                                            : RS_OK;
}

static rs_status read_on(rv_stage *stage, rs_error *error) {
    if (stage->screen + 1 < stage->n_screens) {
        stage->screen++;
        return RS_OK;
    }
    rv_course *course = stage->course;
    if (course->poll.on) return poll_on(stage, 1, error);
    const rv_moved how = rv_read_on(&course->reading);
    if (how == RV_READ_WHOLE && course->ungraded && course->next != 0) {
        course->ungraded = false;
        rv_stage_tell(stage, _("The exercise is not graded yet. Enter again: lesson %d"),
                      course->next);
        return RS_OK;
    }
    if (how == RV_READ_WHOLE) return open_lesson(stage, course->next, error);
    return go_to_stop(stage, how, error);
}

static rs_status read_back(rv_stage *stage, rs_error *error) {
    if (stage->screen > 0) {
        stage->screen--;
        return RS_OK;
    }
    if (stage->course->poll.on) return poll_on(stage, -1, error);
    return go_to_stop(stage, rv_read_back(&stage->course->reading), error);
}

static void choose_option(rv_stage *stage, int choice) {
    rv_reading *reading = &stage->course->reading;
    if (stage->course->poll.on) {
        rv_poll_key(&stage->course->poll, rv_stop_quiz(reading->lesson, reading->at), 'a' + choice);
        return;
    }
    if (!rv_choose(reading, choice)) return;
    stage->says_wait = false;
    stage->n_keys += stage->n_keys < 1000;
}

/* Returns what an action means here: while the animation is hidden, moving it turns pages. */
static rv_action unveiled(const rv_stage *stage, rv_action action) {
    if (!rv_lesson_veils(stage) && stage->layout.title.w > 0) return action;
    switch (action) {
    case RV_NEXT:
    case RV_MICRO_NEXT:
    case RV_PLAY: return RV_LESSON_NEXT;
    case RV_BACK:
    case RV_MICRO_BACK: return RV_LESSON_BACK;
    case RV_THEME:
    case RV_LANGUAGE:
    case RV_FULL_SCREEN:
    case RV_PICTURE:
    case RV_PICTURE_SVG:
    case RV_HELP:
    case RV_CLOSE:
    case RV_QUIT:
    case RV_LESSON_NEXT:
    case RV_LESSON_BACK:
    case RV_LESSON_SWAP:
    case RV_LESSON_COPY:
    case RV_LESSON_OTHER:
    case RV_LESSON_LAB: return action;
    default: return RV_NO_ACTION;
    }
}

static void copy_code(rv_stage *stage) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    const bool any = rv_flow_code(stage->course, &arena)[0] != '\0';
    if (any) stage->wish = RV_WISH_COPY;
    rv_stage_tell(stage, "%s", any ? _("Copied") : _("This page has no code"));
    rs_arena_free(&arena);
}

bool rv_lesson_act(rv_stage *stage, rv_action action, rs_error *error, rs_status *status) {
    if (stage->course == NULL || stage->playback.mode == RV_READING_HELP) return false;
    const rv_action does = unveiled(stage, action);
    switch (does) {
    case RV_LESSON_NEXT:
        stage->playback.message[0] = '\0';
        *status = read_on(stage, error);
        return true;
    case RV_LESSON_BACK: *status = read_back(stage, error); break;
    case RV_LESSON_OTHER: *status = open_lesson(stage, stage->course->other, error); break;
    case RV_LESSON_LAB: stage->wish = RV_WISH_LAB; break;
    case RV_LESSON_COPY: copy_code(stage); return true;
    case RV_LESSON_SWAP:
        swap_halves(stage);
        rv_stage_resize(stage, stage->width, stage->height);
        break;
    default: return does != action; /* veiled: it does nothing */
    }
    stage->playback.message[0] = '\0';
    return true;
}

bool rv_lesson_key(rv_stage *stage, int32_t key, rs_error *error, rs_status *status) {
    const rv_mode mode = stage->playback.mode;
    const bool commits = mode == RV_ASKING && stage->playback.chosen >= 0 && key == RV_KEY_ENTER;
    if (stage->course == NULL || mode == RV_READING_HELP || mode == RV_TYPING || commits)
        return false;
    const rv_reading *reading = &stage->course->reading;
    const rv_quiz *quiz = rv_stop_quiz(reading->lesson, reading->at);
    const int choice = key >= 'A' && key <= 'E'   ? key - 'A'
                       : key >= '0' && key <= '9' ? rv_choice_with(reading, key - '0')
                                                  : key - 'a';
    if (stage->course->poll.on && mode == RV_LOOKING && quiz != NULL &&
        rv_poll_key(&stage->course->poll, quiz, key)) {
        return true;
    }
    if (!stage->course->poll.on && mode == RV_LOOKING && stage->layout.lesson.w > 0 &&
        rv_is_open(reading, reading->at) && choice >= 0 && choice < quiz->n_options) {
        choose_option(stage, choice);
        return true;
    }
    return rv_lesson_act(stage, rv_lesson_action_of(key), error, status);
}

/* Shows the run of a command in the text that the reader has clicked. */
static rs_status play_command(rv_stage *stage, int32_t nth, rs_error *error) {
    rs_arena arena;
    rv_flow flow = {.arena = &arena};
    rs_status status = RS_OK;
    bool shown = false;
    rs_arena_init(&arena, NULL);
    rv_flow_stop(&flow, stage->course);
    for (int i = 0; i < flow.n && !shown && status == RS_OK; i++) {
        const char *command = flow.pieces[i].command;
        if (command == NULL || flow.pieces[i].nth_command != nth) continue;
        status = try_scene(stage, command, &shown, error);
    }
    rs_arena_free(&arena);
    if (status != RS_OK || !shown || stage->layout.title.w > 0) return status;
    stage->half = RV_STAGE_ALONE; /* no room for both: show the run that was clicked */
    rv_stage_resize(stage, stage->width, stage->height);
    return RS_OK;
}

bool rv_lesson_press(rv_stage *stage, rv_target at, rs_error *error, rs_status *status) {
    if (at.thing == RV_LETTER) {
        choose_option(stage, at.a);
        return true;
    }
    if (at.thing == RV_COMMAND) {
        *status = play_command(stage, at.a, error);
        return true;
    }
    if (at.thing != RV_STOP) return false;
    *status = go_to_stop(stage, rv_read_at(&stage->course->reading, at.a), error);
    return true;
}

bool rv_lesson_wheel(rv_stage *stage, bool down) {
    if (!rv_inside(stage->layout.lesson, stage->pointer_x, stage->pointer_y)) return false;
    if (down && stage->screen + 1 < stage->n_screens) stage->screen++;
    if (!down && stage->screen > 0) stage->screen--;
    return true;
}
