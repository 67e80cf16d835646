/* page_commands.c: what a page cannot do, and says so: real runs, compilers, processes, threads. */
#include "ringsim_gpu.h"
#include "ringsim_msccl.h"
#include "base/text.h"
#include "lesson/shelf.h"
#include "estimate/estimate.h"
#include "run/show.h"
#include "sandbox/build.h"
#include "gil/gil.h"

static rc_exit not_here(rs_error *error, const char *what) {
    return rc_fail(error, RC_LACKS, _("%s: not in a page; the program on a computer does it"),
                   what);
}

#define STUB(word, says)                                                                           \
    static rc_exit cmd_##word(rc_session *session) {                                               \
        return not_here(session->error, #word);                                                    \
    }                                                                                              \
    const rc_command rc_command_##word = {.name = #word,                                           \
                                          .operands = "[...]",                                     \
                                          .summary = says,                                         \
                                          RC_TAKES(RC_LANG, RC_JSON),                              \
                                          .run = cmd_##word};

STUB(verify, N_("run the schedule for real: not in a page"))
STUB(doctor, N_("what this machine can do: not in a page"))

/* ------------------------------------------------------------------ the other rooms' doors */

/* Without expat no program is read that could be judged. */
rs_status rn_judge_msccl(const rn_msccl *program, rs_arena *scratch, rs_error *error,
                         rn_msccl_verdict *verdict) {
    (void)program, (void)scratch, (void)verdict;
    return rs_fail(error, RS_UNSUPPORTED, "no expat");
}

rs_status rn_parse_msccl(const char *path, const char *text, size_t n_bytes, rs_arena *arena,
                         rs_error *error, rn_msccl *program) {
    (void)path, (void)text, (void)n_bytes, (void)arena, (void)program;
    return rs_fail(error, RS_UNSUPPORTED, "XML: not in a page; the program on a computer reads it");
}

rs_status rn_msccl_schedule(const char *path, const char *text, size_t n_bytes, rs_arena *arena,
                            rs_error *error, bool *wrong, rs_schedule *schedule) {
    (void)schedule;
    *wrong = false;
    return rn_parse_msccl(path, text, n_bytes, arena, error, NULL);
}

rc_exit rc_lessons(const char *program, rs_error *error, char out[PATH_MAX]) {
    (void)program, (void)error;
    snprintf(out, PATH_MAX, "/lessons");
    return RC_GOOD;
}

rc_exit rc_read_lesson(rc_session *session, const rc_shelf *shelf, const rv_lesson *lesson,
                       const char *folder, rc_progress *progress) {
    (void)shelf, (void)lesson, (void)folder, (void)progress;
    return not_here(session->error, "--view terminal");
}

rc_exit rc_export_page(rc_session *session, char *const words[], const rc_page_file *own,
                       rc_ready_for_page *ready) {
    (void)words, (void)own, (void)ready;
    return not_here(session->error, "--export FILE.html");
}

rc_exit rc_export_subject(rc_session *session, const rc_command *command) {
    (void)command;
    return rc_export_page(session, NULL, NULL, NULL);
}

/* Without threads the story is the simulated one. */
rc_exit rc_gil_measure(rc_session *session, rc_gil *gil) {
    if (gil->n_runs > 0 && rc_given(&session->options, RC_ITERS)) {
        return not_here(session->error, "--iters");
    }
    gil->n_runs = 0;
    return RC_GOOD;
}

rc_exit rc_gil_begin(rc_session *session, rc_gil *gil, rc_gil_beside **beside) {
    *beside = NULL;
    return rc_gil_measure(session, gil);
}

bool rc_gil_arrived(rc_gil_beside *beside) {
    (void)beside;
    return false;
}

void rc_gil_leave(rc_gil_beside *beside) {
    (void)beside;
}

/* Nobody could read the files. */
rc_exit rc_dump_open(const char *folder, rs_error *error) {
    (void)folder;
    return not_here(error, "--dump");
}

rc_exit rc_dump_run(rc_session *session, const char *folder, const rs_report *report) {
    (void)folder, (void)report;
    return not_here(session->error, "--dump");
}

void rc_dump_say(const char *folder, const char *before) {
    (void)folder, (void)before;
}

bool rg_never_ends;
