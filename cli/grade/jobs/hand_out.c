/* hand_out.c: `ringsim grade LAB --dump FOLDER`: writes the dumps of a lab's broken jobs, a folder each, and an example beside them. */
#include "grade/jobs/blame.h"
#include "run/show.h"

static rc_exit write_job(rc_session *session, const rn_broken_job *job, const char *top,
                         const char *name) {
    rn_dump dumps[RN_BROKEN_RANKS];
    char folder[PATH_MAX];
    int32_t n = 0, lines[2];
    if (snprintf(folder, sizeof folder, "%s/%s", top, name) >= (int)sizeof folder) {
        return rc_fail(session->error, RC_USAGE, _("--dump: %.200s: the name is too long"), top);
    }
    rc_exit status = rc_dump_open(folder, session->error);
    if (status != RC_GOOD) return status;
    rc_dump_clear(folder);
    status = rc_exit_of(rn_break_job(job, session->arena, session->error, dumps, &n, lines));
    for (int32_t i = 0; i < n && status == RC_GOOD; i++) {
        status = rc_dump_write(session, folder, &dumps[i], 0);
    }
    return status;
}

rc_exit rc_hand_out(rc_session *session, uint64_t seed, const char *folder) {
    rn_broken_job jobs[RN_BROKEN_JOBS];
    const rn_broken_job example = rn_broken_example();
    char name[16];
    rc_exit status = rc_dump_open(folder, session->error);
    rn_broken_jobs(seed, jobs);
    for (int i = 0; i < RN_BROKEN_JOBS && status == RC_GOOD; i++) {
        snprintf(name, sizeof name, "job%d", i + 1);
        status = write_job(session, &jobs[i], folder, name);
    }
    return status == RC_GOOD ? write_job(session, &example, folder, "example") : status;
}
