/* grade_plans.c: grades the parts of a lab that are about schedules.
 *
 *     world sizes of all parts --> one run in the sandbox --> an answer each --> judged --> points
 *
 *   - A part gives its points when every one of its schedules is sound; half of them where all are but for the wrap:
 *     chunks below 0 that are right mod N.
 *   - `bytes`, `steps` and `time` take the worst of all schedules, and count only when all are sound.
 */
#include "grade/grading.h"
#include "sandbox/answers.h"
#include "sandbox/learner.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

/* Chooses a K that is no multiple of N, so that chunks differ by one element. */
static void add_case(rc_grading *g, int part, int n_ranks) {
    if (g->n_cases == RC_MOST_CASES) return;
    rc_plan_case *one = &g->cases[g->n_cases];
    *one = (rc_plan_case){.n_ranks = n_ranks};
    one->count = n_ranks * rc_random_in(&g->random, 50, 500);
    if (n_ranks > 1) one->count += rc_random_in(&g->random, 1, n_ranks - 1);
    g->part_of[g->n_cases++] = part;
}

/* So many elements that one more a chunk hardly counts, however many chunks there are. */
static int many_elements(const rs_schedule *s) {
    const int64_t count = (int64_t)100 * s->n_ranks * s->n_chunks;
    return count < INT_MAX ? (int)count : INT_MAX;
}

/* Takes all world sizes where there are few, else both ends, a power of two with its neighbours, and some between that
   are the student's own. */
static void add_cases(rc_grading *g, int part) {
    enum { FEW = 10, SOME = 4 };
    const rc_lab_part *p = &g->lab->parts[part];
    assert(p->low >= 1 && p->low <= p->high);
    if (p->high - p->low < FEW) {
        for (int n = p->low; n <= p->high; n++) add_case(g, part, n);
        return;
    }
    add_case(g, part, p->low);
    for (int n = 31; n <= 33; n++) {
        if (n > p->low && n < p->high) add_case(g, part, n);
    }
    for (int i = 0; i < SOME; i++)
        add_case(g, part, rc_random_in(&g->random, p->low + 1, p->high - 1));
    add_case(g, part, p->high);
}

/* Judging takes time for every chunk that moves: we refuse to judge what no exercise needs. */
static bool is_monster(const rs_schedule *schedule) {
    enum { MOST_STEPS = 200000, MOST_MOVES = 5000000 };
    int64_t moves = 0;
    for (int32_t step = 0; step < schedule->n_steps && moves <= MOST_MOVES; step++) {
        rs_cursor cursor = {0};
        for (rs_transfer t; rs_next_transfer(schedule, step, &cursor, &t);) moves += t.n_chunks;
    }
    return schedule->n_steps > MOST_STEPS || moves > MOST_MOVES;
}

static void say_monster(const rs_schedule *schedule, char out[RC_WHY]) {
    snprintf(out, RC_WHY,
             _("N = %d: the schedule is too large to be judged: %d steps, %lld messages"),
             (int)schedule->n_ranks, (int)schedule->n_steps, (long long)schedule->n_transfers);
}

/* Keeps a schedule for the replay, with the function that answered for its own steps, and what is wrong. */
static rc_exit keep_replay(rc_grading *g, const rs_schedule *schedule, int32_t n_own, int step,
                           const rc_plan_case *one) {
    char *header;
    const rc_exit status = rc_read_header(g->site->lessons, g->arena, g->error, &header);
    if (status != RC_GOOD) return status;
    *g->replay = *schedule;
    g->grade->wrong_step = step;
    return rc_keep_source((rs_source){.file = g->path,
                                      .text = g->text != NULL ? g->text : "",
                                      .header = header,
                                      .n_steps = n_own,
                                      .wrong_step = step,
                                      .wrong_rank = one->wrong_rank,
                                      .why = one->sound ? NULL : one->why},
                          g->arena, g->error, g->replay);
}

static bool has_wrong(const rc_grading *g) {
    return g->replay->n_ranks > 0 && g->replay->source->why != NULL;
}

/* Judges what was meant where chunks below 0 are the only nonsense: the remainder of C. */
static rc_exit judge_unwrapped(rc_grading *g, const rc_answer *answer, rc_plan_case *one) {
    rs_schedule schedule;
    rs_error reason;
    int step;
    const rc_exit read = rc_read_plan(answer, one->n_ranks, g->arena, &reason, &schedule);
    if (read != RC_GOOD || is_monster(&schedule)) return RC_GOOD;
    const rc_exit status =
        rc_judge_plan(g->lab->first_phase_only, g->arena, g->error, &schedule, one, &step);
    one->wraps = one->sound;
    one->sound = false;
    return status;
}

/* Keeps the run up to the call that answers nonsense. */
static rc_exit keep_before(rc_grading *g, const rc_answer *answer, rc_plan_case *one) {
    rs_schedule schedule;
    rs_error reason;
    int32_t step;
    if (has_wrong(g) || rc_read_plan_before(answer, one->n_ranks, g->arena, &reason, &schedule,
                                            &step, &one->wrong_rank) != RC_GOOD)
        return RC_GOOD;
    return is_monster(&schedule) ? RC_GOOD : keep_replay(g, &schedule, schedule.n_steps, step, one);
}

/* Judges one answer, and keeps the first wrong schedule for the replay, else the first right one. */
static rc_exit judge_case(rc_grading *g, int i, const rc_exec_result *result,
                          const rc_exec *limits) {
    rc_plan_case *one = &g->cases[i];
    rc_answer answer;
    char why[400];
    rs_schedule schedule;
    rs_error reason;
    int step;
    if (!rc_find_answer(&result->answers, i, &answer)) {
        rc_no_answer_text(result, limits, why, sizeof why);
        if (i > 0 && !rc_find_answer(&result->answers, i - 1, &answer))
            snprintf(one->why, RC_WHY, _("N = %d: no answer either"), one->n_ranks);
        else
            snprintf(one->why, RC_WHY, _("N = %d: no answer: %.380s"), one->n_ranks, why);
        return RC_GOOD;
    }
    if (rc_is_missing(&answer)) { /* said once, for the whole file */
        rc_missing_text(g->text, g->grade->trouble, RC_WHY);
        return RC_GOOD;
    }
    if (rc_nonsense(&answer, one->n_ranks, why, sizeof why)) {
        const rc_exit status = judge_unwrapped(g, &answer, one);
        snprintf(one->why, RC_WHY, _("N = %d: %.400s"), one->n_ranks, why);
        return status == RC_GOOD ? keep_before(g, &answer, one) : status;
    }
    if (rc_read_plan(&answer, one->n_ranks, g->arena, &reason, &schedule) != RC_GOOD) {
        snprintf(one->why, RC_WHY, _("N = %d: the answer is no schedule"), one->n_ranks);
        return RC_GOOD;
    }
    if (is_monster(&schedule)) {
        say_monster(&schedule, one->why);
        return RC_GOOD;
    }
    const int32_t n_own = schedule.n_steps;
    if (schedule.n_chunks > schedule.n_ranks) one->count = many_elements(&schedule);
    rc_exit status =
        rc_judge_plan(g->lab->first_phase_only, g->arena, g->error, &schedule, one, &step);
    const bool none = g->replay->n_ranks == 0;
    if (status == RC_GOOD && !one->sound && !has_wrong(g)) {
        status = keep_replay(g, &schedule, n_own, step, one);
    } else if (status == RC_GOOD && one->sound && none && one->n_ranks > 1) {
        status = keep_replay(g, &schedule, n_own, -1, one); /* a right one can be watched */
    }
    return status == RC_GOOD ? rc_time_plan(g, &schedule, one) : status;
}

/* A right schedule is no picture of an answer that is wrong where it has none. */
static void forget_right_one(rc_grading *g) {
    if (has_wrong(g)) return;
    for (int i = 0; i < g->n_cases; i++) {
        if (!g->cases[i].sound) g->replay->n_ranks = 0;
    }
}

/* Asks for all cases in one run; backwards: the last one first, each from its end. */
static rc_exit ask_cases(rc_grading *g, bool backwards, rc_exec *limits, rc_exec_result *result) {
    char *questions = rs_alloc(g->arena, RC_MOST_CASES, 32);
    size_t at = 0;
    if (questions == NULL) return rc_no_memory(g->error);
    for (int i = 0; i < g->n_cases; i++) {
        const int n_ranks = g->cases[backwards ? g->n_cases - 1 - i : i].n_ranks;
        at += (size_t)snprintf(questions + at, 32, "schedule %d %d %d\n", n_ranks,
                               g->lab->first_phase_only, backwards);
    }
    *limits = rc_run_limits();
    return rc_ask(&g->build, g->n_cases, questions, limits, g->arena, g->error, result);
}

/* Asks another process, backwards: who counts calls or remembers answers cannot give the same. */
static rc_exit ask_again(rc_grading *g, const rc_exec_result *first) {
    rc_exec limits;
    rc_exec_result again;
    const rc_exit status = ask_cases(g, true, &limits, &again);
    if (status != RC_GOOD) return status;
    for (int i = 0; i < g->n_cases; i++) {
        rc_plan_case *one = &g->cases[i];
        rc_answer answer, turned;
        bool *right = one->sound ? &one->sound : &one->wraps;
        if (!*right) continue;
        *right = rc_find_answer(&first->answers, i, &answer) &&
                 rc_find_answer(&again.answers, g->n_cases - 1 - i, &turned) &&
                 rc_is_backwards(&answer, &turned);
        if (*right) continue;
        snprintf(
            one->why, RC_WHY,
            _("N = %d: asked once more, from the last step to the first, it answers otherwise; "
              "it must answer from its arguments alone"),
            one->n_ranks);
    }
    rc_exec_result_free(&again);
    return RC_GOOD;
}

static rc_exit ask_plans(rc_grading *g) {
    rc_exec_result result;
    rc_exec limits;
    bool any_right = false;
    rc_exit status = ask_cases(g, false, &limits, &result);
    if (status != RC_GOOD) return status;
    for (int i = 0; i < g->n_cases && status == RC_GOOD; i++) {
        status = judge_case(g, i, &result, &limits);
        any_right = any_right || g->cases[i].sound || g->cases[i].wraps;
    }
    if (status == RC_GOOD && any_right) status = ask_again(g, &result);
    rc_keep_printed(g->grade, &result);
    rc_exec_result_free(&result);
    return status;
}

static void give_for_cost(const rc_lab_part *part, double worst, rc_part *out) {
    rc_give_share(part, worst, out);
    if (out->points == part->points) return;
    snprintf(out->why, RC_WHY,
             _("%.2f times the least; all points up to %g times, none from %g times on"), worst,
             part->full, part->none);
}

static const char *meant_text(void) {
    return _("right but for that, at every N: half of each part's points, rounded down");
}

/* Gives half of the points for the right ring that only never wraps round: the idea is there, C's sign is not. */
static void give_for_sound(rc_part *part, bool all_meant) {
    const bool sound = part->why[0] == '\0';
    part->points = sound ? part->most : all_meant ? part->most / 2 : 0;
    if (sound || !all_meant) return;
    const size_t n = strlen(part->why);
    snprintf(part->why + n, RC_WHY - n, "\n%s", meant_text());
}

/* Leaves a hint in the first part that has it. */
static void say_once(rc_grade *grade, const char *hint) {
    bool said = false;
    for (int i = 0; i < grade->n_parts; i++) {
        char *at = strstr(grade->parts[i].why, hint);
        if (at != NULL && said) memmove(at, at + strlen(hint), strlen(at + strlen(hint)) + 1);
        said = said || at != NULL;
    }
}

static rc_exit give_for_plans(rc_grading *g) {
    double worst[2] = {1, 1};
    const bool asked = g->grade->trouble[0] == '\0'; /* else the file has no such function */
    bool all_sound = true, all_meant = true;
    for (int i = 0; i < g->n_cases; i++) {
        const rc_plan_case *one = &g->cases[i];
        assert(g->part_of[i] < g->lab->n_parts);
        rc_part *part = &g->grade->parts[g->part_of[i]];
        all_sound = all_sound && one->sound;
        all_meant = all_meant && (one->sound || one->wraps);
        if (!one->sound && part->why[0] == '\0') snprintf(part->why, RC_WHY, "%s", one->why);
        if (one->bytes > worst[0]) worst[0] = one->bytes;
        if (one->steps > worst[1]) worst[1] = one->steps;
    }
    rc_exit status = RC_GOOD;
    for (int i = 0; i < g->lab->n_parts && status == RC_GOOD; i++) {
        const rc_lab_part *part = &g->lab->parts[i];
        rc_part *out = &g->grade->parts[i];
        const bool time = part->check == RC_PART_TIME;
        if (!asked && part->check != RC_PART_VALUES) continue;
        if (part->check == RC_PART_SOUND) give_for_sound(out, all_meant);
        if (!time && part->check != RC_PART_BYTES && part->check != RC_PART_STEPS) continue;
        if (all_sound && time) {
            status = rc_give_for_time(g, part, out);
        } else if (all_sound) {
            give_for_cost(part, worst[part->check == RC_PART_STEPS], out);
        } else {
            out->follows = true;
            snprintf(out->why, RC_WHY, "%s", _("counts only when all schedules are sound"));
        }
    }
    char meant[RC_WHY];
    snprintf(meant, sizeof meant, "\n%s", meant_text());
    say_once(g->grade, meant);
    say_once(g->grade, rc_remainder_hint());
    say_once(g->grade, _("counts only when all schedules are sound"));
    return status;
}

rc_exit rc_grade_plans(rc_grading *g) {
    for (int i = 0; i < g->lab->n_parts; i++) {
        if (g->lab->parts[i].check == RC_PART_SOUND) add_cases(g, i);
    }
    if (g->n_cases == 0) return RC_GOOD;
    const rc_exit status = ask_plans(g);
    if (status == RC_GOOD) forget_right_one(g);
    return status == RC_GOOD ? give_for_plans(g) : status;
}

/* ------------------------------------------------------------------ a schedule from a file */

rc_exit rc_grade_file(rc_grading *g) {
    char *text;
    size_t n_bytes;
    rs_schedule schedule;
    rs_error reason;
    int step = -1, sound = -1;
    for (int i = 0; i < g->lab->n_parts; i++) {
        if (g->lab->parts[i].check == RC_PART_SOUND) sound = i;
    }
    rc_exit status = rc_read_submission(g->path, g->site->n_root, RC_TEXT_LIMIT, g->arena, g->error,
                                        &text, &n_bytes);
    if (status != RC_GOOD) return status;
    if (rs_parse_schedule(text, n_bytes, g->arena, &reason, &schedule) != RS_OK) {
        snprintf(g->grade->trouble, RC_WHY, "%.400s", rc_said(&reason));
        return RC_GOOD;
    }
    if (schedule.collective != RS_COLL_ALL_REDUCE) {
        snprintf(g->grade->trouble, RC_WHY,
                 _("the file declares the collective %s; lab %s asks for an all-reduce"),
                 rs_collective_name(schedule.collective), g->lab->id);
        return RC_GOOD;
    }
    char *trouble = g->grade->trouble;
    if (g->lab->ranks > 0 && schedule.n_ranks != g->lab->ranks) {
        snprintf(trouble, RC_WHY, _("the schedule is for %d GPUs; %d are asked for"),
                 (int)schedule.n_ranks, g->lab->ranks);
    } else if (is_monster(&schedule)) {
        say_monster(&schedule, trouble);
    }
    if (trouble[0] != '\0') return RC_GOOD;
    g->cases[0] = (rc_plan_case){.n_ranks = schedule.n_ranks};
    g->cases[0].count = many_elements(&schedule);
    g->part_of[0] = sound < 0 ? 0 : sound;
    g->n_cases = 1;
    status = rc_judge_plan(false, g->arena, g->error, &schedule, &g->cases[0], &step);
    if (status == RC_GOOD && !g->cases[0].sound) {
        status = keep_replay(g, &schedule, schedule.n_steps, step, &g->cases[0]);
    }
    if (status == RC_GOOD) status = rc_time_plan(g, &schedule, &g->cases[0]);
    return status == RC_GOOD ? give_for_plans(g) : status;
}
