/* playback.c: see playback.h. One key, one visible change. */
#include "model/playback.h"
#include "text/say.h"
#include "story/frame.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SLOWEST = 1.0 / 8, FASTEST = 64;

static rs_status look_at(rv_walk *walk, int32_t step, rv_moment moment, rs_error *error) {
    const rv_model *model = walk->model;
    const int32_t at = model->step, n_steps = model->n_steps;
    const bool inside = at >= 0 && at < n_steps;
    walk->mode = RV_LOOKING;
    walk->goal_step = step < -1 ? -1 : step > n_steps ? n_steps : step;
    walk->goal = walk->goal_step == step && step >= 0 && step < n_steps ? moment : RV_DONE;
    if (walk->flies && inside && (step == at || step == at - 1)) return RS_OK;
    if (walk->flies && step == at + 1 && step < n_steps) moment = RV_SEND;
    return rv_model_seek(walk->model, step, moment, error);
}

/* What moves in a story is not to be guessed. */
static bool asks_first(const rv_walk *walk) {
    return walk->predict && walk->story == NULL;
}

/* Shows a step; with predict on the reader is asked first, the step's data still hidden. */
static rs_status enter_step(rv_walk *walk, int32_t step, rv_moment moment, rs_error *error) {
    if (asks_first(walk) && step >= 0 && step < walk->model->n_steps) {
        rv_ask_question(walk->model->schedule, step, walk->rank, &walk->question);
        if (walk->question.ask != RV_ASK_NOTHING) {
            const rs_status status = look_at(walk, step, RV_SEND, error);
            walk->mode = RV_ASKING;
            return status;
        }
    }
    return look_at(walk, step, moment, error);
}

static rs_status next(rv_walk *walk, rs_error *error) {
    const rv_model *model = walk->model;
    if (model->moment != RV_DONE) return look_at(walk, model->step, RV_DONE, error);
    if (model->step >= model->n_steps) return RS_OK;
    return enter_step(walk, model->step + 1, RV_DONE, error);
}

static rs_status micro_next(rv_walk *walk, rs_error *error) {
    const rv_model *model = walk->model;
    if (model->moment == RV_SEND) return look_at(walk, model->step, RV_ARRIVE, error);
    if (model->moment == RV_ARRIVE) return look_at(walk, model->step, RV_DONE, error);
    if (model->step >= model->n_steps) return RS_OK;
    return enter_step(walk, model->step + 1, RV_SEND, error);
}

static rs_status micro_back(rv_walk *walk, rs_error *error) {
    const rv_model *model = walk->model;
    if (model->step < 0) return RS_OK;
    if (model->step >= model->n_steps || model->moment == RV_SEND) {
        return look_at(walk, model->step - 1, RV_DONE, error);
    }
    return look_at(walk, model->step, model->moment == RV_DONE ? RV_ARRIVE : RV_SEND, error);
}

/* Goes to the first step of the next phase, or of this one and then the one before. */
static rs_status jump_phase(rv_walk *walk, int direction, rs_error *error) {
    const rs_schedule *s = walk->model->schedule;
    const int32_t step = walk->model->step;
    int32_t to = direction > 0 ? s->n_steps : -1;
    if (walk->story != NULL) to = rv_story_phase_step(walk->story, step, walk->rank, direction);
    for (int32_t i = 0; i < s->n_phases; i++) {
        const int32_t first = s->phases[i].first_step;
        if (direction > 0 && first > step && first < to) to = first;
        if (direction < 0 && first < step && first > to) to = first;
    }
    return enter_step(walk, to, RV_DONE, error);
}

static void change_speed(rv_walk *walk, double factor) {
    const double wanted = walk->speed * factor;
    if (wanted >= SLOWEST && wanted <= FASTEST) walk->speed = wanted;
    char number[32]; /* by hand: a point in every locale */
    if (walk->speed >= 1) {
        snprintf(number, sizeof number, "%d", (int)walk->speed);
    } else {
        snprintf(number, sizeof number, "1/%d", (int)(1 / walk->speed + 0.5));
    }
    rv_say say = rv_say_to(walk->message, sizeof walk->message);
    rv_say_more(&say, _("Speed: %s steps a second"), number);
}

static void follow(rv_walk *walk, int32_t by) {
    const int32_t n = walk->model->n_ranks;
    walk->rank = (walk->rank + by + n) % n;
}

static rs_status toggle_predict(rv_walk *walk, rs_error *error) {
    walk->predict = !walk->predict;
    walk->playing = false;
    rv_say say = rv_say_to(walk->message, sizeof walk->message);
    rv_say_more(&say, "%s",
                walk->predict ? _("Predict is on: the next step asks first") : _("Predict is off"));
    if (walk->predict || walk->mode != RV_ASKING) return RS_OK;
    return look_at(walk, walk->model->step - 1, RV_DONE, error);
}

/* Plays or pauses. At the end it starts over; where every step asks first, it goes to the next one. */
static rs_status play(rv_walk *walk, rs_error *error) {
    if (asks_first(walk)) return next(walk, error);
    walk->playing = !walk->playing;
    if (!walk->playing || walk->model->step < walk->model->n_steps) return RS_OK;
    return look_at(walk, -1, RV_DONE, error);
}

/* Of a story: one part alone, the next, all. In a run views are the window's matter. */
static int32_t next_part(const rv_walk *walk) {
    if (walk->story == NULL) return walk->part;
    return rv_next_part(walk->story, walk->model->step, walk->rank, walk->part);
}

static rs_status act(rv_walk *walk, rv_action action, rs_error *error) {
    rv_model *model = walk->model;
    if (walk->story != NULL) action = rv_story_action(action);
    switch (action) {
    case RV_NEXT: return next(walk, error);
    case RV_BACK: return look_at(walk, model->step - 1, RV_DONE, error);
    case RV_MICRO_NEXT: return micro_next(walk, error);
    case RV_MICRO_BACK: return micro_back(walk, error);
    case RV_PHASE_NEXT: return jump_phase(walk, 1, error);
    case RV_PHASE_BACK: return jump_phase(walk, -1, error);
    case RV_HOME: return look_at(walk, -1, RV_DONE, error);
    case RV_END: return look_at(walk, model->n_steps, RV_DONE, error);
    case RV_ROW_DOWN: follow(walk, 1); break;
    case RV_ROW_UP: follow(walk, -1); break;
    case RV_FASTER: change_speed(walk, 2); break;
    case RV_SLOWER: change_speed(walk, 0.5); break;
    case RV_PREDICT: return toggle_predict(walk, error);
    case RV_PLAY: return play(walk, error);
    case RV_GO_TO:
    case RV_HELP:
        walk->behind = walk->mode;
        walk->mode = action == RV_HELP ? RV_READING_HELP : RV_TYPING;
        walk->typed[0] = '\0';
        break;
    case RV_SHOW_ALL: walk->part = next_part(walk); break;
    case RV_PICTURE: walk->wants_picture = true; break;
    case RV_QUIT: walk->quit = true; break;
    case RV_NO_ACTION:
    case RV_CLOSE:
    default: break; /* the rest is the window's */
    }
    return RS_OK;
}

/* Digits for `g`; Enter goes there, Esc does not. */
static rs_status type(rv_walk *walk, int32_t key, rs_error *error) {
    const size_t n = strlen(walk->typed);
    if (key >= '0' && key <= '9' && n + 3 < sizeof walk->typed) {
        walk->typed[n] = (char)key;
        walk->typed[n + 1] = '\0';
    } else if (key == RV_KEY_BACKSPACE && n > 0) {
        walk->typed[n - 1] = '\0';
    } else if (key == RV_KEY_ENTER) {
        walk->mode = walk->behind;
        if (n == 0) return RS_OK;
        const long long step = strtoll(walk->typed, NULL, 10);
        const int32_t last = walk->model->n_steps;
        return enter_step(walk, step > last ? last : (int32_t)step, RV_DONE, error);
    } else if (rv_action_of(key) == RV_CLOSE || rv_action_of(key) == RV_QUIT) {
        walk->mode = walk->behind;
        walk->quit = rv_action_of(key) == RV_QUIT;
    }
    return RS_OK;
}

/* Judges a choice, -1 if it was none of those offered, and shows the step. */
static rs_status judge(rv_walk *walk, int32_t choice, rs_error *error) {
    const rv_question *q = &walk->question;
    const bool right = choice == q->answer;
    rv_say say = rv_say_to(walk->message, sizeof walk->message);
    walk->n_asked++;
    walk->n_right += right;
    walk->reply = right ? RV_REPLY_RIGHT : RV_REPLY_WRONG;
    rv_answer_text(q, choice, walk->message, sizeof walk->message);
    say.used = strlen(walk->message);
    rv_say_more(&say, _(" (%d of %d right)"), (int)walk->n_right, (int)walk->n_asked);
    return look_at(walk, q->step, RV_DONE, error);
}

rs_status rv_walk_answer(rv_walk *walk, int32_t what, rs_error *error) {
    const rv_question *q = &walk->question;
    int32_t choice = -1;
    if (walk->mode != RV_ASKING) return RS_OK;
    for (int32_t i = 0; i < q->n_choices; i++) {
        if (q->choices[i] == what) choice = i;
    }
    return judge(walk, choice, error);
}

static rs_status answer(rv_walk *walk, int32_t key, rs_error *error) {
    const rv_question *q = &walk->question;
    int32_t choice = -1;
    if (key >= 'a' && key < 'a' + q->n_choices) choice = key - 'a';
    if (key >= '1' && key < '1' + q->n_choices) choice = key - '1';
    if (choice >= 0) return judge(walk, choice, error);
    const rv_action action = rv_action_of(key);
    rv_say say = rv_say_to(walk->message, sizeof walk->message);
    if (action == RV_CLOSE) return look_at(walk, q->step, RV_DONE, error);
    if (action == RV_NEXT || action == RV_MICRO_NEXT || action == RV_PLAY) {
        rv_say_more(&say, _("Choose a to %c first; Esc shows the step without an answer"),
                    'a' + (int)q->n_choices - 1);
        return RS_OK;
    }
    if (action == RV_ROW_DOWN || action == RV_ROW_UP) { /* ask about that GPU instead */
        act(walk, action, error);
        return enter_step(walk, q->step, RV_DONE, error);
    }
    return act(walk, action, error);
}

rs_status rv_walk_key(rv_walk *walk, int32_t key, rs_error *error) {
    const rv_action action = rv_action_of(key);
    walk->message[0] = '\0';
    walk->reply = RV_NO_REPLY;
    if (action != RV_PLAY && action != RV_FASTER && action != RV_SLOWER) walk->playing = false;
    switch (walk->mode) {
    case RV_TYPING: return type(walk, key, error);
    case RV_ASKING: return answer(walk, key, error);
    case RV_READING_HELP:
        walk->mode = walk->behind;
        walk->quit = action == RV_QUIT;
        return RS_OK;
    case RV_LOOKING: break;
    }
    return act(walk, action, error);
}

rs_status rv_walk_tick(rv_walk *walk, rs_error *error) {
    if (!walk->playing) return RS_OK;
    const rs_status status = next(walk, error);
    if (walk->goal_step >= walk->model->n_steps) walk->playing = false;
    return status;
}

int rv_walk_pause_ms(const rv_walk *walk) {
    return walk->playing ? (int)(1000 / walk->speed) : -1;
}

rs_status rv_walk_start(rv_walk *walk, rv_model *model, const rv_options *options,
                        rs_error *error) {
    *walk = (rv_walk){.model = model,
                      .story = options->story,
                      .part = -1,
                      .predict = options->predict && options->story == NULL,
                      .ascii = options->ascii,
                      .speed = options->speed > 0 ? options->speed : 1};
    if (walk->speed < SLOWEST) walk->speed = SLOWEST;
    if (walk->speed > FASTEST) walk->speed = FASTEST;
    walk->rank = options->rank < 0 || options->rank >= model->n_ranks ? 0 : options->rank;
    walk->playing = options->play && !walk->predict;
    return enter_step(walk, options->at, RV_DONE, error);
}
