/* open.c: opens a sandbox: fills its scratch folder, and finds the kind that works here.
 *
 *   - It tries each kind with a program that does nothing, and takes the first that runs it.
 *   - While a sandbox is open no other process of our user can look into our memory.
 */
#ifdef __linux__
#include "base/units.h"
#include "sandbox/enter.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the scratch folder */

void rc_sandbox_close(rc_sandbox *sandbox) {
    if (sandbox->folder[0] == '\0') return;
    rc_scratch_folder_remove(sandbox);
    if (sandbox->was_dumpable) prctl(PR_SET_DUMPABLE, 1);
}

rc_exit rc_sandbox_put(const rc_sandbox *sandbox, const char *name, const char *data,
                       size_t n_bytes, rs_error *error) {
    assert(sandbox->folder[0] != '\0' && strchr(name, '/') == NULL);
    char path[400];
    snprintf(path, sizeof path, "%s/box/%s", sandbox->folder, name);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file < 0) return rc_no_scratch(path, error);
    size_t done = 0;
    while (done < n_bytes) {
        const ssize_t n = write(file, data + done, n_bytes - done);
        if (n <= 0) break;
        done += (size_t)n;
    }
    const bool whole = close(file) == 0 && done == n_bytes;
    return whole ? RC_GOOD : rc_no_scratch(path, error);
}

rc_exit rc_sandbox_get(const rc_sandbox *sandbox, const char *name, int64_t limit, rs_arena *arena,
                       rs_error *error, char **data, size_t *n_bytes) {
    assert(sandbox->folder[0] != '\0' && strchr(name, '/') == NULL);
    char path[400];
    struct stat found;
    snprintf(path, sizeof path, "%s/box/%s", sandbox->folder, name);
    if (lstat(path, &found) != 0 || !S_ISREG(found.st_mode)) return rc_no_scratch(path, error);
    return rc_read_file(path, limit, arena, error, data, n_bytes);
}

/* ------------------------------------------------------------------ which kind */

/* Tries the kind with a program that does nothing, /usr/bin/true. */
static bool works(rc_sandbox *sandbox, rc_sandbox_kind kind, bool landlock, rs_error *error) {
    static const char *const nothing[] = {"/usr/bin/true", NULL};
    const rc_exec exec = {.compiler = true,
                          .argv = nothing,
                          .cpu_seconds = 2,
                          .wall_ms = 5000,
                          .memory_bytes = 1 << 29,
                          .most_text = 200};
    rc_exec_result result;
    sandbox->kind = kind;
    sandbox->own_processes = kind == RC_SANDBOX_BUBBLEWRAP;
    sandbox->own_files = kind == RC_SANDBOX_BUBBLEWRAP || landlock;
    if (kind == RC_SANDBOX_BUBBLEWRAP && access("/usr/bin/bwrap", X_OK) != 0) {
        rc_fail(error, RC_LACKS, _("bubblewrap is not installed"));
        return false;
    }
    if (rc_sandbox_exec(sandbox, &exec, error, &result) != RC_GOOD) return false;
    const bool good = result.end == RC_END_EXIT && result.code == 0;
    if (!good) {
        const char *said = result.err.data != NULL ? result.err.data : "";
        rc_fail(error, RC_LACKS, _("%s does not work here: %.*s"), rc_sandbox_kinds[kind],
                (int)strcspn(said, "\n"), said);
    }
    rc_exec_result_free(&result);
    return good;
}

static rc_exit find_kind(rc_sandbox_kind only, rs_error *error, rc_sandbox *sandbox) {
    bool found = false;
    for (rc_sandbox_kind kind = 0; kind < RC_N_SANDBOX_KINDS && !found; kind++) {
        if (only != RC_SANDBOX_ANY && kind != only) continue;
        found = works(sandbox, kind, true, error);
    }
    if (!found && only == RC_SANDBOX_FILTER) {
        found = works(sandbox, RC_SANDBOX_FILTER, false, error);
    } else if (!found && only == RC_SANDBOX_ANY) {
        rc_fail(error, RC_LACKS,
                _("nothing here keeps a program from reading files: install bubblewrap, or take a "
                  "Linux with Landlock (5.13); --sandbox filter does without"));
    }
    if (found) error->text[0] = '\0'; /* what does not work is not mentioned */
    return found ? RC_GOOD : RC_LACKS;
}

/* Chooses the user and makes the scratch folder; the kind is still open. */
static rc_exit furnish(rc_sandbox *sandbox, rs_error *error) {
    /* systemd's list of user numbers leaves these to nobody, and containers still have them. */
    enum { LOWEST_UID = 60706, N_UIDS = 478 };
    *sandbox = (rc_sandbox){.other_user = geteuid() == 0, .uid = geteuid(), .gid = getegid()};
    if (sandbox->other_user) {
        sandbox->uid = LOWEST_UID + (uid_t)(getpid() % N_UIDS);
        sandbox->gid = sandbox->uid;
    }
    sandbox->was_dumpable = prctl(PR_GET_DUMPABLE) == 1;
    prctl(PR_SET_DUMPABLE, 0);
    return rc_scratch_folder_make(sandbox, error);
}

rc_exit rc_sandbox_open(rc_sandbox_kind only, rs_error *error, rc_sandbox *sandbox) {
    *sandbox = (rc_sandbox){.folder = ""};
    if (!rc_has_filter())
        return rc_fail(error, RC_LACKS,
                       _("this program was built without libseccomp, which holds a learner's C: "
                         "install it and build again; --interpret does without"));
    rc_exit status = furnish(sandbox, error);
    if (status == RC_GOOD) status = find_kind(only, error, sandbox);
    if (status != RC_GOOD) rc_sandbox_close(sandbox);
    return status;
}

rc_exit rc_sandbox_open_like(const rc_sandbox *known, rs_error *error, rc_sandbox *sandbox) {
    assert(known->kind < RC_N_SANDBOX_KINDS);
    const rc_exit status = furnish(sandbox, error);
    sandbox->kind = known->kind;
    sandbox->own_files = known->own_files;
    sandbox->own_processes = known->own_processes;
    if (status != RC_GOOD) rc_sandbox_close(sandbox);
    return status;
}

#endif
