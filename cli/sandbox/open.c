/* open.c: opens a sandbox: makes and fills its scratch folder, and finds the kind that works here.
 *
 *     $TMPDIR/ringsim-sandbox-XXXXXX/box/    the program's own folder; bubblewrap calls it /box
 *
 *   - Whoever made a folder holds its lock. The kernel gives the lock back when the last process that has
 *     it ends, however it ends: so a folder that nobody holds is left over, whatever number its owner had.
 *   - The next sandbox removes what is left over: folders of our user, with our name, that nobody holds.
 *   - Another user must be able to reach it: where $TMPDIR lies in a private folder, /tmp takes its place.
 *   - Removing follows no link: the program in the box made what lies there.
 *   - It tries each kind with a program that does nothing, and takes the first that runs it.
 *   - While a sandbox is open no other process of our user can look into our memory.
 */
#ifdef __linux__
#include "sandbox/enter.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

static const char name_of_all[] = "ringsim-sandbox-XXXXXX";
enum { OPEN_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* ------------------------------------------------------------------ removing a scratch folder */

/* Removes all that lies in an open folder on the same file system, and closes it. */
static void empty(int folder, dev_t device, int deep) {
    enum { DEEPEST = 64 };
    DIR *entries = fdopendir(folder);
    if (entries == NULL) {
        close(folder);
        return;
    }
    for (const struct dirent *entry; deep < DEEPEST && (entry = readdir(entries)) != NULL;) {
        struct stat found;
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) continue;
        if (!S_ISDIR(found.st_mode)) {
            unlinkat(folder, name, 0);
            continue;
        }
        const int inner = openat(folder, name, OPEN_FOLDER);
        if (inner >= 0 && fstat(inner, &found) == 0 && found.st_dev == device)
            empty(inner, device, deep + 1);
        else if (inner >= 0)
            close(inner);
        unlinkat(folder, name, AT_REMOVEDIR);
    }
    closedir(entries);
}

static void remove_folder(int parent, const char *name) {
    struct stat found;
    const int folder = openat(parent, name, OPEN_FOLDER);
    if (folder >= 0 && fstat(folder, &found) == 0)
        empty(folder, found.st_dev, 0);
    else if (folder >= 0)
        close(folder);
    unlinkat(parent, name, AT_REMOVEDIR);
}

void rc_scratch_folder_remove(rc_sandbox *sandbox) {
    if (sandbox->folder[0] != '\0') remove_folder(AT_FDCWD, sandbox->folder);
    sandbox->folder[0] = '\0';
    if (sandbox->lock > 0) close(sandbox->lock);
    sandbox->lock = 0;
}

/* ------------------------------------------------------------------ making one */

/* Complains of a path in the scratch folder, by errno. */
static rc_exit no_scratch(const char *path, rs_error *error) {
    return rc_fail(error, RC_LACKS, _("no scratch folder %.200s: %s; TMPDIR may name another"),
                   path, _(strerror(errno)));
}

/* Tells whether another user can reach what lies in a folder. */
static bool is_open_to_others(const char *folder) {
    char path[256];
    struct stat found;
    snprintf(path, sizeof path, "%s/", folder);
    for (char *slash = path; (slash = strchr(slash + 1, '/')) != NULL;) {
        *slash = '\0';
        if (stat(path, &found) != 0 || (found.st_mode & S_IXOTH) == 0) return false;
        *slash = '/';
    }
    return true;
}

rc_exit rc_scratch_folder_make(rc_sandbox *sandbox, rs_error *error) {
    const char *parent = getenv("TMPDIR");
    char path[300];
    if (parent == NULL || parent[0] != '/' || strlen(parent) > 200) parent = "/tmp";
    if (sandbox->other_user && !is_open_to_others(parent)) parent = "/tmp";
    rc_remove_left(parent, name_of_all, S_IFDIR, remove_folder);
    snprintf(sandbox->folder, sizeof sandbox->folder, "%s/%s", parent, name_of_all);
    if (mkdtemp(sandbox->folder) == NULL) {
        const rc_exit status = no_scratch(sandbox->folder, error);
        sandbox->folder[0] = '\0';
        return status;
    }
    const int folder = open(sandbox->folder, OPEN_FOLDER);
    sandbox->lock = fcntl(folder, F_DUPFD_CLOEXEC, 3);
    if (folder >= 0) close(folder);
    if (sandbox->lock < 0) return no_scratch(sandbox->folder, error); /* others would remove it */
    flock(sandbox->lock, LOCK_EX | LOCK_NB);
    snprintf(path, sizeof path, "%s/box", sandbox->folder);
    if (mkdir(path, 0755) != 0) return no_scratch(path, error);
    if (sandbox->other_user && chown(path, sandbox->uid, sandbox->gid) != 0)
        return no_scratch(path, error);
    /* the other user must reach its box, and sees nothing else on the way */
    return chmod(sandbox->folder, sandbox->other_user ? 0711 : 0700) == 0
               ? RC_GOOD
               : no_scratch(sandbox->folder, error);
}

/* ------------------------------------------------------------------ files in it */

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
    if (file < 0) return no_scratch(path, error);
    size_t done = 0;
    while (done < n_bytes) {
        const ssize_t n = write(file, data + done, n_bytes - done);
        if (n <= 0) break;
        done += (size_t)n;
    }
    const bool whole = close(file) == 0 && done == n_bytes;
    return whole ? RC_GOOD : no_scratch(path, error);
}

rc_exit rc_sandbox_get(const rc_sandbox *sandbox, const char *name, int64_t limit, rs_arena *arena,
                       rs_error *error, char **data, size_t *n_bytes) {
    assert(sandbox->folder[0] != '\0' && strchr(name, '/') == NULL);
    char path[400];
    struct stat found;
    snprintf(path, sizeof path, "%s/box/%s", sandbox->folder, name);
    if (lstat(path, &found) != 0 || !S_ISREG(found.st_mode)) return no_scratch(path, error);
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
    if (!found &&
        rc_host_signal() != 0) /* a trial that was ended says nothing about this machine */
        return rc_host_heed(RC_GOOD, error);
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
