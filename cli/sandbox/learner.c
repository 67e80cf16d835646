/* learner.c: `--algo my_ring.c`: a schedule out of a learner's functions, for every view and command.
 *
 *     my_ring.c --> sandbox: compile, ask --> .sched text --> the parser that reads any file
 *
 *   - Whatever goes wrong is one line: the compiler's first error, the crash, the endless loop, the
 *     first answer that names what does not exist. What is merely a wrong schedule is shown as one.
 */
#include "sandbox/build.h"

#include <stdio.h>
#include <string.h>

typedef struct nonsense {
    const char *word;
    const char *text; /* @s step, @r rank, @n N, @v value, @m a further one, @l N - 1 */
} nonsense;
static const nonsense kinds[] = {
    {"nonsense send_chunk", N_("send_chunk(@s, @r, @n) is @v; chunks are 0..@l")},
    {"nonsense send_to", N_("send_to(@r, @n) is @v; a GPU sends to another one of 0..@l")},
    {"nonsense sends", N_("sends(@s, @r, @n, out) is @v; it returns how many messages, 0..64")},
    {"nonsense to", N_("sends(@s, @r, @n, out) sends to GPU @v; the others of 0..@l are meant")},
    {"nonsense chunk",
     N_("sends(@s, @r, @n, out) sends @m chunks from chunk @v on; there are not so many")},
    {"nonsense steps", N_("steps(@n) is @v; 0..100000 are meant")},
    {"nonsense chunks", N_("chunks(@n) is @v; 1..4096 are meant")},
    {"impure send_chunk", N_("send_chunk(@s, @r, @n) is @v, and asked once more @m: it must "
                             "answer from its arguments alone")},
};

/* Copies the text with numbers for its marks. */
static size_t fill_in(const char *text, const int numbers[6], char *out, size_t n_out) {
    static const char marks[] = "srnvml";
    size_t n = 0;
    for (; *text != '\0' && n + 16 < n_out; text++) {
        const char *mark = *text == '@' && text[1] != '\0' ? strchr(marks, text[1]) : NULL;
        if (mark == NULL) {
            out[n++] = *text;
        } else {
            n += (size_t)snprintf(out + n, n_out - n, "%d", numbers[mark - marks]);
            text++;
        }
    }
    out[n] = '\0';
    return n;
}

/* Finds a line that begins with the word, its numbers behind it. */
static const char *find_line(const char *text, size_t n_bytes, const char *word) {
    const char *end = text + n_bytes;
    const size_t n = strlen(word);
    for (const char *at = text; at < end; at++) {
        if ((size_t)(end - at) > n && memcmp(at, word, n) == 0 && at[n] == ' ') return at + n;
        at = memchr(at, '\n', (size_t)(end - at));
        if (at == NULL) break;
    }
    return NULL;
}

bool rc_nonsense(const char *text, size_t n_bytes, int n_ranks, char *out, size_t n_out) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *numbers = find_line(text, n_bytes, kinds[i].word);
        int step = 0, rank = 0, value = 0, more = 0;
        if (numbers == NULL) continue;
        if (sscanf(numbers, "%d %d %d %d", &step, &rank, &value, &more) < 3) continue;
        const int values[6] = {step, rank, n_ranks, value, more, n_ranks - 1};
        const size_t n = fill_in(_(kinds[i].text), values, out, n_out);
        if (value < 0 && i < 2) {
            snprintf(out + n, n_out - n, "%s",
                     _("; in C the remainder of a negative number is negative"));
        }
        return true;
    }
    if (n_bytes >= 8 && memcmp(text, "missing\n", 8) == 0) {
        snprintf(out, n_out, "%s",
                 _("the file defines neither send_chunk() nor sends(); see ring.h"));
        return true;
    }
    return false;
}

static rc_exit no_answer(const char *path, const rc_exec_result *result, const rc_exec *exec,
                         rs_error *error) {
    char why[400];
    rc_exec_result_text(result, exec, why, sizeof why);
    const char *own = rc_refusal_text(result);
    return rc_fail(error, RC_USAGE, _("%.100s: no schedule: %.300s"), path,
                   own[0] != '\0' ? own : why);
}

/* Reads the only answer as a schedule. */
static rc_exit read_answer(const char *path, const rc_exec_result *result, const rc_exec *exec,
                           int32_t n_ranks, rs_arena *arena, rs_error *error,
                           rs_schedule *schedule) {
    const char *text;
    size_t n_bytes;
    char why[400];
    rs_error reason;
    if (!rc_answer(&result->answers, 0, &text, &n_bytes)) {
        return no_answer(path, result, exec, error);
    }
    if (rc_nonsense(text, n_bytes, n_ranks, why, sizeof why)) {
        return rc_fail(error, RC_USAGE, "%.100s: %.380s", path, why);
    }
    const rs_status parsed = rs_parse_schedule(text, n_bytes, arena, &reason, schedule);
    if (parsed != RS_OK) {
        return rc_fail(error, rc_exit_of(parsed), "%.100s: %.300s", path, reason.text);
    }
    if (schedule->n_ranks == n_ranks) return RC_GOOD;
    return rc_fail(error, RC_USAGE, _("%.200s: the answer is for another number of GPUs"), path);
}

static rc_exit ask_for_schedule(const rc_build *build, const char *path, int32_t n_ranks,
                                rs_arena *arena, rs_error *error, rs_schedule *schedule) {
    enum { CPU_SECONDS = 3, WALL_MS = 30000 };
    char question[32];
    rc_exec_result result;
    rc_exec limits = rc_run_limits();
    limits.cpu_seconds = CPU_SECONDS;
    limits.wall_ms = WALL_MS;
    limits.most_answers = (size_t)256 << 20;
    snprintf(question, sizeof question, "schedule %d 0\n", (int)n_ranks);
    rc_exit status = rc_ask(build, 1, question, &limits, arena, error, &result);
    if (status != RC_GOOD) return status;
    status = read_answer(path, &result, &limits, n_ranks, arena, error, schedule);
    rc_exec_result_free(&result);
    return status;
}

rc_exit rc_learner_schedule(rc_session *session, const char *path, int32_t n_ranks,
                            rs_schedule *schedule) {
    char lessons[PATH_MAX], *text;
    size_t n_bytes;
    rc_build build;
    rs_error *error = session->error;
    if (n_ranks > RS_MAX_FILE_RANKS) {
        return rc_fail(error, RC_USAGE, _("--gpus %d: a C file is asked for %d GPUs at the most"),
                       (int)n_ranks, RS_MAX_FILE_RANKS);
    }
    rc_exit status =
        rc_read_submission(path, RC_SOURCE_LIMIT, session->arena, error, &text, &n_bytes);
    if (status == RC_GOOD) status = rc_lessons(session->program, error, lessons);
    if (status != RC_GOOD) return status;
    if (session->host != NULL) rc_host_watch(session->host, true);
    const rc_site site = {
        .lessons = lessons, .sandbox = session->options.value[RC_SANDBOX], .asks = RC_ASK_SCHEDULE};
    status = rc_build_text(&site, path, text, n_bytes, session->arena, error, &build);
    if (status == RC_GOOD) {
        if (build.built) {
            status = ask_for_schedule(&build, path, n_ranks, session->arena, error, schedule);
        } else {
            status = rc_fail(error, RC_USAGE, "%.300s", build.error);
        }
        rc_build_free(&build);
    }
    if (session->host != NULL) rc_host_watch(session->host, false);
    return status;
}
