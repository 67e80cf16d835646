/* learner.c: `--algo my_ring.c`: makes a schedule of a learner's functions, for every view and command.
 *
 *     my_ring.c --> sandbox: compile, ask --> rows --> a schedule's table
 *
 *   - One line says what went wrong: the compiler's first error, the crash, the endless loop, the first
 *     answer that names what does not exist. A schedule that is merely wrong is no error: views show it.
 */
#include "sandbox/answers.h"
#include "sandbox/build.h"
#include "sandbox/first_phase.h"
#include "sandbox/learner.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WHY = 400, MOST_JUDGED = 1000000 /* messages */ };

static rc_exit no_answer(const char *path, const rc_exec_result *result, const rc_exec *exec,
                         rs_error *error) {
    char why[400];
    return rc_fail(error, RC_USAGE, _("%.100s: no schedule: %.300s"), path,
                   rc_no_answer_text(result, exec, why, sizeof why));
}

/* Reads the only answer as a schedule. */
static rc_exit read_answer(const char *path, const rc_exec_result *result, const rc_exec *exec,
                           const char *source, int32_t n_ranks, rs_arena *arena, rs_error *error,
                           rs_schedule *schedule) {
    rc_answer answer;
    char why[400];
    if (!rc_find_answer(&result->answers, 0, &answer)) {
        return no_answer(path, result, exec, error);
    }
    if (rc_is_missing(&answer)) {
        return rc_fail(error, RC_USAGE, "%.100s: %.380s", path,
                       rc_missing_text(source, why, sizeof why));
    }
    if (rc_nonsense(&answer, n_ranks, why, sizeof why)) {
        return rc_fail(error, RC_USAGE, _("%.200s: %s"), path, why);
    }
    const rc_exit status = rc_read_plan(&answer, n_ranks, arena, error, schedule);
    return rc_prefix(error, status, "%.100s", path);
}

static rc_exit ask_for_schedule(const rc_build *build, const char *path, const char *source,
                                int32_t n_ranks, rs_arena *arena, rs_error *error,
                                rs_schedule *schedule) {
    enum { CPU_SECONDS = 3, WALL_MS = 30000 };
    char question[32];
    rc_exec_result result;
    rc_exec limits = rc_run_limits();
    limits.cpu_seconds = CPU_SECONDS;
    limits.wall_ms = WALL_MS;
    limits.most_answers = (size_t)256 << 20;
    snprintf(question, sizeof question, "schedule %d 0 0\n", (int)n_ranks);
    rc_exit status = rc_ask(build, 1, question, &limits, arena, error, &result);
    if (status != RC_GOOD) return status;
    status = read_answer(path, &result, &limits, source, n_ranks, arena, error, schedule);
    rc_exec_result_free(&result);
    return status;
}

rc_exit rc_keep_source(rs_source about, rs_arena *arena, rs_error *error, rs_schedule *schedule) {
    rs_source *source = rs_alloc(arena, 1, sizeof *source);
    if (source == NULL) return rc_no_memory(error);
    const char *slash = strrchr(about.file, '/');
    if (slash != NULL) about.file = slash + 1;
    *source = about;
    schedule->source = source;
    return rc_exit_of(rs_find_phases(schedule, arena, error));
}

/* Keeps the source, and where a ring went wrong: the grader blames the same step. */
static rc_exit find_mistake(rs_source about, rs_arena *arena, rs_error *error,
                            rs_schedule *schedule) {
    rs_verdict verdict;
    int step;
    int32_t rank;
    char *why = rs_alloc(arena, 1, MOST_WHY);
    if (why == NULL) return rc_no_memory(error);
    rc_exit status = RC_GOOD;
    about.n_steps = schedule->n_steps;
    if (schedule->n_transfers <= MOST_JUDGED) {
        status = rc_exit_of(rs_check(schedule, arena->host, error, &verdict));
        if (status == RC_GOOD)
            status = rc_explain_ring(schedule, &verdict, arena, error, why, MOST_WHY, &step, &rank);
        if (status == RC_GOOD && why[0] != '\0')
            about.why = why, about.wrong_step = step, about.wrong_rank = rank;
    }
    return status == RC_GOOD ? rc_keep_source(about, arena, error, schedule) : status;
}

rc_exit rc_learner_schedule(const char *program, rc_sandbox_kind kind, const char *path,
                            int32_t n_ranks, rs_arena *arena, rs_error *error,
                            char held[RC_SANDBOX_TEXT], rs_schedule *schedule) {
    char lessons[PATH_MAX], *text, *header;
    size_t n_bytes;
    rc_build build;
    assert(n_ranks >= 1);
    if (n_ranks > RS_MAX_FILE_RANKS) {
        return rc_fail(error, RC_USAGE, _("--gpus %d: a C file is asked for %d GPUs at the most"),
                       (int)n_ranks, RS_MAX_FILE_RANKS);
    }
    rc_exit status = rc_read_submission(path, 0, RC_SOURCE_LIMIT, arena, error, &text, &n_bytes);
    if (status == RC_GOOD) status = rc_lessons(program, error, lessons);
    if (status == RC_GOOD) status = rc_read_header(lessons, arena, error, &header);
    if (status != RC_GOOD) return status;
    const rc_site site = {.lessons = lessons, .sandbox = kind, .asks = RC_ASK_SCHEDULE};
    status = rc_build_text(&site, path, text, n_bytes, arena, error, &build);
    if (status != RC_GOOD) return status;
    rc_sandbox_text(&build.sandbox, held, RC_SANDBOX_TEXT);
    if (build.built) {
        status = ask_for_schedule(&build, path, text, n_ranks, arena, error, schedule);
        const rs_source about = {
            .file = path, .text = text, .header = header, .wrong_step = -1, .wrong_rank = -1};
        if (status == RC_GOOD) status = find_mistake(about, arena, error, schedule);
    } else {
        status = rc_fail(error, RC_USAGE, "%.300s", build.error);
    }
    rc_build_free(&build);
    return status;
}
