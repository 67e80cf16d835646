/* interpreted.c: `--interpret`: the same questions and answers as build.c's, without a compiler and its sandbox.
 *
 *   - What is wrong is said with its line: "my_ring.c:7: 'chunk' is read, and has no value yet".
 */
#include "ringsim_interpret.h"
#include "base/text.h"
#include "sandbox/build.h"

#include <string.h>

/* What is beyond the interpreter is nobody's fault: who wrote it may be right. */
#ifdef __linux__
static const char beyond[] = N_("%.60s%s: %s: beyond the interpreter, so not judged; leave "
                                "--interpret out, and a compiler reads it");
#else
static const char beyond[] = N_("%.60s%s: %s: beyond this page's interpreter, so not judged; the "
                                "program on a computer reads it with a compiler");
#endif

/* Says what is wrong, and where. */
static void say(const char *name, rs_status status, const rs_error *fault, char *out,
                size_t n_out) {
    char text[300], place[16] = "";
    rs_error told = *fault;
    told.line = 0; /* here it stands behind the name */
    rs_error_said(&told, rv_gettext, text, sizeof text);
    if (fault->line > 0) snprintf(place, sizeof place, ":%d", (int)fault->line);
    snprintf(out, n_out, status == RS_UNSUPPORTED ? _(beyond) : "%.60s%s: %s", name, place, text);
}

rc_exit rc_read_header(const char *lessons, rs_arena *arena, rs_error *error, char **text) {
    char path[PATH_MAX + 16];
    size_t n_bytes;
    snprintf(path, sizeof path, "%s/ring.h", lessons);
    return rc_read_file(path, RC_SOURCE_LIMIT, arena, error, text, &n_bytes);
}

rc_exit rc_interpreted_build(const rc_site *site, const char *text, size_t n_bytes, rs_arena *arena,
                             rs_error *error, rc_build *build) {
    char *header;
    rs_error fault;
    build->sandbox.kind = RC_INTERPRETED;
    const rc_exit read = rc_read_header(site->lessons, arena, error, &header);
    if (read != RC_GOOD) return read;
    const rs_status status =
        rs_program_read(header, strlen(header), text, n_bytes, arena, &fault, &build->program);
    if (status == RS_NO_MEMORY) return rc_no_memory(error);
    build->built = status == RS_OK;
    if (!build->built) say(build->name, status, &fault, build->error, sizeof build->error);
    if (status != RS_UNSUPPORTED) return RC_GOOD;
    return rc_fail(error, RC_LACKS, "%s", build->error);
}

/* ------------------------------------------------------------------ questions */

/* Where bytes go, up to a limit. */
typedef struct sink {
    rc_stream *stream;
    size_t most;
} sink;

static void take(void *context, const char *text, size_t n_bytes) {
    const sink *to = context;
    rc_stream_add(to->stream, text, n_bytes, to->most);
}

static rc_exit end_in_trouble(const char *name, rs_status status, const rs_error *fault,
                              rs_error *error, rc_exec_result *result) {
    char text[400];
    sink err = {&result->err, sizeof text};
    result->end = RC_END_TROUBLE;
    say(name, status, fault, text, sizeof text);
    take(&err, text, strlen(text));
    if (status != RS_UNSUPPORTED) return RC_GOOD;
    rc_exec_result_free(result);
    return rc_fail(error, RC_LACKS, "%s", text);
}

/* Asks one question after the other, until one goes wrong. */
static rc_exit ask_all(rs_runner *runner, int n, const char *questions, const char *name,
                       sink *answers, rs_error *error, rc_exec_result *result) {
    rs_error fault;
    for (int i = 0; i < n && result->end == RC_END_EXIT; i++) {
        const rs_status status = rs_runner_ask(runner, questions, take, answers, &fault);
        /* no question: there is no answer */
        if (status == RS_UNSUPPORTED && fault.id == NULL) break;
        if (status != RS_OK) return end_in_trouble(name, status, &fault, error, result);
        if (answers->stream->n_dropped > 0) result->end = RC_END_FLOOD;
        questions += strcspn(questions, "\n");
        questions += *questions == '\n';
    }
    return RC_GOOD;
}

rc_exit rc_interpreted_ask(const rc_build *build, int n, const char *questions,
                           const rc_exec *limits, rs_arena *arena, rs_error *error,
                           rc_exec_result *result) {
    sink answers = {&result->answers, limits->most_answers},
         said = {&result->out, limits->most_text};
    rs_error fault;
    rs_runner *runner = NULL;
    *result = (rc_exec_result){.end = RC_END_EXIT};
    const rs_status status =
        rs_runner_make(build->program, NULL, take, &said, arena, &fault, &runner);
    if (status == RS_NO_MEMORY) return rc_no_memory(error);
    if (status != RS_OK) return end_in_trouble(build->name, status, &fault, error, result);
    return ask_all(runner, n, questions, build->name, &answers, error, result);
}
