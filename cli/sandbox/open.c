/* open.c: how a cage comes to be: its scratch folder, the files in it, and the wall that works here.
 *
 *     $TMPDIR/ringsim-cage-XXXXXX/box/    the program's own folder; bubblewrap calls it /box
 *
 *   - A wall is tried with a program that does nothing; the first that holds it is taken.
 *   - Who runs as another user must come through to the scratch folder: where $TMPDIR lies in somebody's
 *     private folder it is made in /tmp.
 *   - While a cage is open our own memory cannot be looked into by another process of our user.
 */
#ifdef __linux__
#include "sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the scratch folder */

static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *at) {
    (void)found, (void)kind, (void)at;
    return remove(path) == 0 || errno == ENOENT ? 0 : -1;
}

void rc_cage_close(rc_cage *cage) {
    enum { DEEP = 16 };
    if (cage->folder[0] == '\0') return;
    nftw(cage->folder, remove_one, DEEP, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    cage->folder[0] = '\0';
    if (cage->was_dumpable) prctl(PR_SET_DUMPABLE, 1);
}

static rc_exit no_folder(const char *path, rs_error *error) {
    return rc_fail(error, RC_LACKS, _("no scratch folder %.200s: %s; TMPDIR may name another"),
                   path, strerror(errno));
}

/* Tells whether another user can come through to what lies in a folder. */
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

static rc_exit make_scratch(rc_cage *cage, rs_error *error) {
    const char *parent = getenv("TMPDIR");
    char path[300];
    if (parent == NULL || parent[0] != '/' || strlen(parent) > 200) parent = "/tmp";
    if (cage->other_user && !is_open_to_others(parent)) parent = "/tmp";
    snprintf(cage->folder, sizeof cage->folder, "%s/ringsim-cage-XXXXXX", parent);
    if (mkdtemp(cage->folder) == NULL) {
        const rc_exit status = no_folder(cage->folder, error);
        cage->folder[0] = '\0';
        return status;
    }
    snprintf(path, sizeof path, "%s/box", cage->folder);
    if (mkdir(path, 0755) != 0) return no_folder(path, error);
    if (cage->other_user && chown(path, cage->uid, cage->gid) != 0) return no_folder(path, error);
    /* the other user must come through to its box, and sees nothing else there */
    return chmod(cage->folder, cage->other_user ? 0711 : 0700) == 0
               ? RC_GOOD
               : no_folder(cage->folder, error);
}

rc_exit rc_cage_put(const rc_cage *cage, const char *name, const char *data, size_t n_bytes,
                    rs_error *error) {
    char path[400];
    snprintf(path, sizeof path, "%s/box/%.60s", cage->folder, name);
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file < 0) return no_folder(path, error);
    size_t done = 0;
    while (done < n_bytes) {
        const ssize_t n = write(file, data + done, n_bytes - done);
        if (n <= 0) break;
        done += (size_t)n;
    }
    const bool whole = close(file) == 0 && done == n_bytes;
    return whole ? RC_GOOD : no_folder(path, error);
}

rc_exit rc_cage_get(const rc_cage *cage, const char *name, int64_t limit, rs_arena *arena,
                    rs_error *error, char **data, size_t *n_bytes) {
    char path[400];
    struct stat found;
    snprintf(path, sizeof path, "%s/box/%.60s", cage->folder, name);
    if (lstat(path, &found) != 0 || !S_ISREG(found.st_mode)) return no_folder(path, error);
    return rc_read_file(path, limit, arena, error, data, n_bytes);
}

/* ------------------------------------------------------------------ which wall */

/* Tries the wall with a program that does nothing. */
static bool works(rc_cage *cage, rc_wall wall, bool landlock, rs_error *error) {
    static const char *const nothing[] = {"/usr/bin/true", NULL};
    const rc_errand errand = {.compiler = true,
                              .argv = nothing,
                              .cpu_seconds = 2,
                              .wall_ms = 5000,
                              .memory_bytes = 1 << 29,
                              .most_text = 200};
    rc_ending ending;
    cage->wall = wall;
    cage->own_processes = wall == RC_WALL_BUBBLEWRAP;
    cage->own_files = wall == RC_WALL_BUBBLEWRAP || landlock;
    if (wall == RC_WALL_BUBBLEWRAP && access("/usr/bin/bwrap", X_OK) != 0) {
        rc_fail(error, RC_LACKS, _("bubblewrap is not installed"));
        return false;
    }
    if (rc_cage_run(cage, &errand, error, &ending) != RC_GOOD) return false;
    const bool good = ending.end == RC_END_EXIT && ending.code == 0;
    if (!good) {
        const char *said = ending.err.data != NULL ? ending.err.data : "";
        rc_fail(error, RC_LACKS, _("%s does not work here: %.*s"), rc_wall_names[wall],
                (int)strcspn(said, "\n"), said);
    }
    rc_ending_free(&ending);
    return good;
}

static rc_exit find_wall(const char *wanted, rs_error *error, rc_cage *cage) {
    int only = -1;
    if (wanted != NULL && strcmp(wanted, "auto") != 0) {
        const rc_exit status = rc_parse_choice("--sandbox", wanted, rc_wall_names, error, &only);
        if (status != RC_GOOD) return status;
    }
    bool found = false;
    for (int wall = 0; wall < RC_N_WALLS && !found; wall++) {
        if (only >= 0 && wall != only) continue;
        found = works(cage, (rc_wall)wall, true, error);
    }
    const bool filter = only < 0 || only == RC_WALL_FILTER;
    if (!found && filter) found = works(cage, RC_WALL_FILTER, false, error);
    if (found) error->text[0] = '\0'; /* of walls that did not work */
    return found ? RC_GOOD : RC_LACKS;
}

/* Who shall run, and where: all but the wall. */
static rc_exit furnish(rc_cage *cage, rs_error *error) {
    enum { LOWEST_UID = 60100, N_UIDS = 400 };
    *cage = (rc_cage){.other_user = geteuid() == 0, .uid = geteuid(), .gid = getegid()};
    if (cage->other_user) {
        cage->uid = LOWEST_UID + (uid_t)(getpid() % N_UIDS);
        cage->gid = cage->uid;
    }
    cage->was_dumpable = prctl(PR_GET_DUMPABLE) == 1;
    prctl(PR_SET_DUMPABLE, 0);
    return make_scratch(cage, error);
}

rc_exit rc_cage_open(const char *wanted, rs_error *error, rc_cage *cage) {
    rc_exit status = furnish(cage, error);
    if (status == RC_GOOD) status = find_wall(wanted, error, cage);
    if (status != RC_GOOD) rc_cage_close(cage);
    return status;
}

rc_exit rc_cage_open_like(const rc_cage *known, rs_error *error, rc_cage *cage) {
    const rc_exit status = furnish(cage, error);
    cage->wall = known->wall;
    cage->own_files = known->own_files;
    cage->own_processes = known->own_processes;
    if (status != RC_GOOD) rc_cage_close(cage);
    return status;
}

#endif
