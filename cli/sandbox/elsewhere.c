/* elsewhere.c: there is no sandbox yet for systems other than Linux: everything here says so.
 *
 * To bring the sandbox to another system, write open.c and exec.c for it; everything else stays.
 */
#ifndef __linux__
#include "sandbox/sandbox.h"

static rc_exit refuse(rs_error *error) {
    return rc_fail(error, RC_LACKS,
                   _("learners' C files are run on Linux only; hand in a schedule as text"));
}

rc_exit rc_sandbox_open(rc_sandbox_kind only, rs_error *error, rc_sandbox *sandbox) {
    (void)only;
    *sandbox = (rc_sandbox){.folder = ""};
    return refuse(error);
}

rc_exit rc_sandbox_open_like(const rc_sandbox *known, rs_error *error, rc_sandbox *sandbox) {
    (void)known;
    return rc_sandbox_open(RC_SANDBOX_ANY, error, sandbox);
}

void rc_sandbox_close(rc_sandbox *sandbox) {
    (void)sandbox;
}

rc_exit rc_sandbox_put(const rc_sandbox *sandbox, const char *name, const char *data,
                       size_t n_bytes, rs_error *error) {
    (void)sandbox, (void)name, (void)data, (void)n_bytes;
    return refuse(error);
}

rc_exit rc_sandbox_get(const rc_sandbox *sandbox, const char *name, int64_t limit, rs_arena *arena,
                       rs_error *error, char **data, size_t *n_bytes) {
    (void)sandbox, (void)name, (void)limit, (void)arena, (void)data, (void)n_bytes;
    return refuse(error);
}

rc_exit rc_sandbox_exec(const rc_sandbox *sandbox, const rc_exec *exec, rs_error *error,
                        rc_exec_result *result) {
    (void)sandbox, (void)exec, (void)result;
    return refuse(error);
}

#endif
