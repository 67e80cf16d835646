/* playback.c: see playback.h. One key, one visible change. */
#include "model/playback.h"
#include "text/say.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOME_LINES = 5, MANY_LINES = 10 };
static const double SLOWEST = 1.0 / 8, FASTEST = 64;

rv_position rv_position_of(const rv_playback *playback) {
    return playback->subject.kind->position(&playback->subject);
}

rs_status rv_playback_seek(const rv_playback *playback, int32_t step, rv_moment moment,
                           rs_error *error) {
    return playback->subject.kind->seek(&playback->subject, step, moment, error);
}

static bool is_between(const rv_playback *playback) {
    return rv_position_of(playback).moment == RV_BETWEEN;
}

static rs_status look_at(rv_playback *playback, int32_t step, rv_moment moment, rs_error *error) {
    const int32_t at = rv_position_of(playback).step, n_steps = playback->subject.n_steps;
    const bool stays = step == at && (moment == RV_BETWEEN || is_between(playback));
    const bool inside = at >= 0 && at < n_steps;
    playback->mode = RV_LOOKING;
    playback->goal_step = step < -1 ? -1 : step > n_steps ? n_steps : step;
    assert(at >= -1 && at <= n_steps);
    playback->goal = playback->goal_step == step && step >= 0 && step < n_steps ? moment : RV_DONE;
    if (playback->flies && inside && !stays && (step == at || step == at - 1)) return RS_OK;
    if (playback->flies && step == at + 1 && step < n_steps) moment = RV_SEND;
    return rv_playback_seek(playback, step, moment, error);
}

static bool asks_first(const rv_playback *playback) {
    return playback->predict && playback->subject.kind->ask != NULL;
}

/* Shows a step; with predict on the reader is asked first, the step's data still hidden. */
static rs_status enter_step(rv_playback *playback, int32_t step, rv_moment moment,
                            rs_error *error) {
    const rv_subject *subject = &playback->subject;
    if (asks_first(playback) && step >= 0 && step < subject->n_steps) {
        subject->kind->ask(subject, step, playback->rank, &playback->question);
        if (playback->question.ask != RV_ASK_NOTHING) {
            const rs_status status = look_at(playback, step, RV_SEND, error);
            playback->mode = RV_ASKING;
            playback->chosen = -1;
            return status;
        }
    }
    return look_at(playback, step, moment, error);
}

/* Goes on from a step that is done: to the next one, between two phases to a look at what is reached. */
static rs_status leave_step(rv_playback *playback, rv_moment moment, rs_error *error) {
    const rv_position at = rv_position_of(playback);
    const rv_subject *subject = &playback->subject;
    if (at.step >= subject->n_steps) return RS_OK;
    if (at.moment == RV_DONE && subject->kind->pauses != NULL && subject->kind->pauses(subject))
        return look_at(playback, at.step, RV_BETWEEN, error);
    return enter_step(playback, at.step + 1, moment, error);
}

static rs_status next(rv_playback *playback, rs_error *error) {
    const rv_position at = rv_position_of(playback);
    if (at.moment < RV_DONE) return look_at(playback, at.step, RV_DONE, error);
    return leave_step(playback, RV_DONE, error);
}

static rs_status micro_next(rv_playback *playback, rs_error *error) {
    const rv_position at = rv_position_of(playback);
    if (at.moment == RV_SEND) return look_at(playback, at.step, RV_ARRIVE, error);
    if (at.moment == RV_ARRIVE) return look_at(playback, at.step, RV_DONE, error);
    return leave_step(playback, RV_SEND, error);
}

/* Goes back from a step to the one before, by the same looks that the way forwards has. */
static rs_status back(rv_playback *playback, rs_error *error) {
    const rv_position at = rv_position_of(playback);
    const rv_subject *subject = &playback->subject;
    rv_moment moment = RV_DONE;
    if (is_between(playback)) return look_at(playback, at.step, RV_DONE, error);
    if (at.step > 0 && subject->kind->pauses != NULL) {
        rs_status status = rv_playback_seek(playback, at.step - 1, RV_DONE, error);
        if (status == RS_OK && subject->kind->pauses(subject)) moment = RV_BETWEEN;
        if (status == RS_OK) status = rv_playback_seek(playback, at.step, at.moment, error);
        if (status != RS_OK) return status;
    }
    return look_at(playback, at.step - 1, moment, error);
}

static rs_status micro_back(rv_playback *playback, rs_error *error) {
    const rv_position at = rv_position_of(playback);
    if (at.step < 0) return RS_OK;
    if (at.step >= playback->subject.n_steps || at.moment == RV_SEND) return back(playback, error);
    return look_at(playback, at.step,
                   is_between(playback)   ? RV_DONE
                   : at.moment == RV_DONE ? RV_ARRIVE
                                          : RV_SEND,
                   error);
}

static rs_status jump_phase(rv_playback *playback, int direction, rs_error *error) {
    const int32_t to = rv_phase_step(&playback->subject, playback->rank, direction);
    return enter_step(playback, to, RV_DONE, error);
}

static void change_speed(rv_playback *playback, double factor) {
    const double wanted = playback->speed * factor;
    assert(factor > 0 && playback->speed >= SLOWEST && playback->speed <= FASTEST);
    if (wanted >= SLOWEST && wanted <= FASTEST) playback->speed = wanted;
    char number[32]; /* by hand: a point in every locale */
    if (playback->speed >= 1) {
        snprintf(number, sizeof number, "%d", (int)playback->speed);
    } else {
        snprintf(number, sizeof number, "1/%d", (int)(1 / playback->speed + 0.5));
    }
    rv_say_text(playback->message, sizeof playback->message, _("Speed: %s steps a second"), number);
}

static void follow(rv_playback *playback, int32_t by) {
    const int32_t n = playback->subject.n_ranks;
    assert(n > 0 && by >= -n);
    playback->rank = (playback->rank + by + n) % n;
    playback->wants_row = true;
    assert(playback->rank >= 0 && playback->rank < n);
}

/* Moves what is longer than the screen. */
static void scroll(rv_playback *playback, int32_t by) {
    if (playback->first == 0 && playback->n_below == 0) {
        rv_say_text(playback->message, sizeof playback->message, "%s", _("All lines are seen"));
    }
    if (by > playback->n_below) by = playback->n_below;
    if (by < -playback->first) by = -playback->first;
    playback->first += by;
    playback->n_below -= by;
}

static rs_status toggle_predict(rv_playback *playback, rs_error *error) {
    playback->predict = !playback->predict;
    playback->playing = false;
    rv_say_text(playback->message, sizeof playback->message, "%s",
                playback->predict ? _("Predict is on: the next step asks first")
                                  : _("Predict is off"));
    if (playback->predict || playback->mode != RV_ASKING) return RS_OK;
    return look_at(playback, rv_position_of(playback).step - 1, RV_DONE, error);
}

/* Plays or pauses. At the end it starts over; where every step asks first, it goes to the next one. */
static rs_status play(rv_playback *playback, rs_error *error) {
    if (asks_first(playback)) return next(playback, error);
    playback->playing = !playback->playing;
    if (!playback->playing || rv_position_of(playback).step < playback->subject.n_steps)
        return RS_OK;
    return look_at(playback, -1, RV_DONE, error);
}

static rs_status act(rv_playback *playback, rv_action action, rs_error *error) {
    const rv_subject *subject = &playback->subject;
    action = rv_meaning_of(subject, action);
    switch (action) {
    case RV_NEXT: return next(playback, error);
    case RV_BACK: return back(playback, error);
    case RV_MICRO_NEXT: return micro_next(playback, error);
    case RV_MICRO_BACK: return micro_back(playback, error);
    case RV_PHASE_NEXT: return jump_phase(playback, 1, error);
    case RV_PHASE_BACK: return jump_phase(playback, -1, error);
    case RV_HOME: return look_at(playback, -1, RV_DONE, error);
    case RV_END: return look_at(playback, subject->n_steps, RV_DONE, error);
    case RV_ROW_DOWN: follow(playback, 1); break;
    case RV_ROW_UP: follow(playback, -1); break;
    case RV_SCROLL_DOWN: scroll(playback, SOME_LINES); break;
    case RV_SCROLL_UP: scroll(playback, -SOME_LINES); break;
    case RV_FASTER: change_speed(playback, 2); break;
    case RV_SLOWER: change_speed(playback, 0.5); break;
    case RV_PREDICT: return toggle_predict(playback, error);
    case RV_PLAY: return play(playback, error);
    case RV_GO_TO:
    case RV_HELP:
        if (action == RV_HELP) playback->first = playback->n_below = 0;
        playback->behind = playback->mode;
        playback->mode = action == RV_HELP ? RV_READING_HELP : RV_TYPING;
        playback->typed[0] = '\0';
        break;
    case RV_SHOW_ALL:
        if (subject->kind->next_part == NULL) break; /* stage_views.c opens a run's views */
        playback->part = subject->kind->next_part(subject, playback->rank, playback->part);
        break;
    case RV_PICTURE: playback->wants_picture = true; break;
    case RV_QUIT: playback->quit = true; break;
    case RV_NO_ACTION:
    case RV_CLOSE:
    default: /* the other actions are the stage's */ break;
    }
    return RS_OK;
}

/* Takes a key while the reader types a step after `g`: a digit, Enter (goes there) or Esc (does
   not). */
static rs_status type(rv_playback *playback, int32_t key, rs_error *error) {
    const size_t n = strlen(playback->typed);
    assert(playback->mode == RV_TYPING && n + 2 < sizeof playback->typed);
    if (key >= '0' && key <= '9' && n + 3 < sizeof playback->typed) {
        playback->typed[n] = (char)key;
        playback->typed[n + 1] = '\0';
    } else if (key == RV_KEY_BACKSPACE && n > 0) {
        playback->typed[n - 1] = '\0';
    } else if (key == RV_KEY_ENTER) {
        playback->mode = playback->behind;
        if (n == 0) return RS_OK;
        const long long step = strtoll(playback->typed, NULL, 10);
        const int32_t last = playback->subject.n_steps;
        return enter_step(playback, step > last ? last : (int32_t)step, RV_DONE, error);
    } else if (rv_action_of(key) == RV_CLOSE || rv_action_of(key) == RV_QUIT) {
        playback->mode = playback->behind;
        playback->quit = rv_action_of(key) == RV_QUIT;
    }
    return RS_OK;
}

/* Judges the chosen answer, even one that was not offered, and shows the step. */
static rs_status judge(rv_playback *playback, rs_error *error) {
    const rv_question *q = &playback->question;
    int32_t choice = -1;
    for (int32_t i = 0; i < q->n_choices; i++) {
        if (q->choices[i] == playback->chosen) choice = i;
    }
    const bool right = choice == q->answer;
    rv_say say = rv_say_to(playback->message, sizeof playback->message);
    playback->n_asked++;
    playback->n_right += right;
    assert(playback->n_right <= playback->n_asked);
    playback->reply = right ? RV_REPLY_RIGHT : RV_REPLY_WRONG;
    rv_answer_text(q, choice, playback->message, sizeof playback->message);
    say.used = strlen(playback->message);
    rv_say_more(&say, _(" (%d of %d right)"), (int)playback->n_right, (int)playback->n_asked);
    return look_at(playback, q->step, RV_DONE, error);
}

/* Takes a digit of the answer: behind the digits before it where that is possible, else the first. */
static void choose(rv_playback *playback, int32_t digit) {
    const int32_t n = playback->question.n_possible;
    const int32_t longer = playback->chosen > 0 ? 10 * playback->chosen + digit : n;
    if (longer < n) {
        playback->chosen = longer;
    } else if (digit < n) {
        playback->chosen = digit;
    }
}

static rs_status answer(rv_playback *playback, int32_t key, rs_error *error) {
    const rv_question *q = &playback->question;
    const rv_action action = rv_action_of(key);
    if (key >= '0' && key <= '9') {
        choose(playback, key - '0');
        return RS_OK;
    }
    if (action == RV_CLOSE) return look_at(playback, q->step, RV_DONE, error);
    if (action == RV_NEXT || action == RV_MICRO_NEXT || action == RV_PLAY) {
        if (playback->chosen >= 0) return judge(playback, error);
        rv_say_text(playback->message, sizeof playback->message, "%s",
                    _("First type a number; Esc shows the step without an answer"));
        return RS_OK;
    }
    if (action == RV_ROW_DOWN || action == RV_ROW_UP) { /* ask about that GPU instead */
        act(playback, action, error);
        return enter_step(playback, q->step, RV_DONE, error);
    }
    return act(playback, action, error);
}

/* Scrolls the list of keys where some of them are not seen; false: the key closes it. */
static bool read_on(rv_playback *playback, rv_action action) {
    if (playback->first == 0 && playback->n_below == 0) return false;
    switch (action) {
    case RV_ROW_DOWN: scroll(playback, 1); break;
    case RV_ROW_UP: scroll(playback, -1); break;
    case RV_NEXT:
    case RV_SCROLL_DOWN: scroll(playback, MANY_LINES); break;
    case RV_BACK:
    case RV_SCROLL_UP: scroll(playback, -MANY_LINES); break;
    default: return false;
    }
    return true;
}

rs_status rv_playback_key(rv_playback *playback, int32_t key, rs_error *error) {
    const rv_action action = rv_action_of(key);
    playback->message[0] = '\0';
    playback->reply = RV_NO_REPLY;
    if (action != RV_PLAY && action != RV_FASTER && action != RV_SLOWER) playback->playing = false;
    switch (playback->mode) {
    case RV_TYPING: return type(playback, key, error);
    case RV_ASKING: return answer(playback, key, error);
    case RV_READING_HELP:
        if (read_on(playback, action)) return RS_OK;
        playback->mode = playback->behind;
        playback->first = 0;
        playback->quit = action == RV_QUIT;
        return RS_OK;
    case RV_LOOKING: break;
    }
    return act(playback, action, error);
}

rs_status rv_playback_tick(rv_playback *playback, rs_error *error) {
    if (!playback->playing) return RS_OK;
    const rs_status status = next(playback, error);
    if (playback->goal_step >= playback->subject.n_steps) playback->playing = false;
    return status;
}

void rv_name_picture(const rv_playback *playback, const rv_options *options, char *out,
                     size_t n_out) {
    const int32_t step = rv_position_of(playback).step;
    const char *prefix = options->picture_prefix != NULL ? options->picture_prefix : "ringsim";
    char place[32];
    snprintf(place, sizeof place, "step-%d", (int)step);
    if (step < 0) snprintf(place, sizeof place, "start");
    if (step >= playback->subject.n_steps) snprintf(place, sizeof place, "end");
    snprintf(out, n_out, "%.450s-%s", prefix, place);
}

void rv_say_saved(rv_playback *playback, const char *path, const char *why_not) {
    if (why_not == NULL) {
        rv_say_text(playback->message, sizeof playback->message, _("Saved %.200s"), path);
    } else {
        rv_say_text(playback->message, sizeof playback->message, _("%.150s: %.80s"), path, why_not);
    }
}

rs_status rv_playback_start(rv_playback *playback, const rv_subject *subject,
                            const rv_options *options, rs_error *error) {
    *playback = (rv_playback){.subject = *subject,
                              .part = -1,
                              .predict = options->predict && subject->kind->ask != NULL,
                              .ascii = options->ascii,
                              .views = options->views,
                              .speed = options->speed > 0 ? options->speed : 1};
    if (playback->speed < SLOWEST) playback->speed = SLOWEST;
    if (playback->speed > FASTEST) playback->speed = FASTEST;
    playback->rank = options->rank < 0 || options->rank >= subject->n_ranks ? 0 : options->rank;
    playback->wants_row = playback->rank > 0;
    playback->playing = options->play && !playback->predict;
    return enter_step(playback, options->at, RV_DONE, error);
}
