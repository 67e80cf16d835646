/* scratch_folder.c: a sandbox's scratch folder, and those that killed programs left.
 *
 *     $TMPDIR/ringsim-sandbox-XXXXXX/box/    the program's own folder; bubblewrap calls it /box
 *
 *   - Whoever made a folder holds its lock. The kernel gives the lock back when the last process that has
 *     it ends, however it ends: so a folder that nobody holds is left over, whatever number its owner had.
 *   - The next sandbox removes what is left over: folders of our user, with our name, that nobody holds.
 *     A young one may belong to somebody who is about to lock it.
 *   - Another user must be able to reach it: where $TMPDIR lies in a private folder, /tmp takes its place.
 *   - Removing follows no link: the program in the box made what lies there.
 */
#ifdef __linux__
#include "sandbox/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char name_of_all[] = "ringsim-sandbox-XXXXXX";
enum { N_RANDOM = 6, OPEN_FOLDER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* ------------------------------------------------------------------ removing */

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

static void remove_if_left(int parent, const char *name) {
    enum { YOUNG_S = 10 };
    struct stat found;
    const int folder = openat(parent, name, OPEN_FOLDER);
    if (folder < 0) return;
    if (fstat(folder, &found) == 0 && found.st_uid == geteuid() &&
        found.st_mtime < time(NULL) - YOUNG_S && flock(folder, LOCK_EX | LOCK_NB) == 0) {
        remove_folder(parent, name);
    }
    close(folder);
}

static void remove_left(const char *parent) {
    DIR *folder = opendir(parent);
    if (folder == NULL) return;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const size_t n_fixed = sizeof name_of_all - 1 - N_RANDOM;
        if (strncmp(entry->d_name, name_of_all, n_fixed) != 0) continue;
        if (strlen(entry->d_name) != sizeof name_of_all - 1) continue;
        remove_if_left(dirfd(folder), entry->d_name);
    }
    closedir(folder);
}

void rc_scratch_folder_remove(rc_sandbox *sandbox) {
    if (sandbox->folder[0] != '\0') remove_folder(AT_FDCWD, sandbox->folder);
    sandbox->folder[0] = '\0';
    if (sandbox->lock > 0) close(sandbox->lock);
    sandbox->lock = 0;
}

/* ------------------------------------------------------------------ making */

rc_exit rc_no_scratch(const char *path, rs_error *error) {
    return rc_fail(error, RC_LACKS, _("no scratch folder %.200s: %s; TMPDIR may name another"),
                   path, strerror(errno));
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
    remove_left(parent);
    snprintf(sandbox->folder, sizeof sandbox->folder, "%s/%s", parent, name_of_all);
    if (mkdtemp(sandbox->folder) == NULL) {
        const rc_exit status = rc_no_scratch(sandbox->folder, error);
        sandbox->folder[0] = '\0';
        return status;
    }
    const int folder = open(sandbox->folder, OPEN_FOLDER);
    sandbox->lock = fcntl(folder, F_DUPFD_CLOEXEC, 3);
    if (folder >= 0) close(folder);
    if (sandbox->lock < 0)
        return rc_no_scratch(sandbox->folder, error); /* others would remove it */
    flock(sandbox->lock, LOCK_EX | LOCK_NB);
    snprintf(path, sizeof path, "%s/box", sandbox->folder);
    if (mkdir(path, 0755) != 0) return rc_no_scratch(path, error);
    if (sandbox->other_user && chown(path, sandbox->uid, sandbox->gid) != 0)
        return rc_no_scratch(path, error);
    /* the other user must reach its box, and sees nothing else on the way */
    return chmod(sandbox->folder, sandbox->other_user ? 0711 : 0700) == 0
               ? RC_GOOD
               : rc_no_scratch(sandbox->folder, error);
}

#endif
