/* hang_files.c: which files a hang's operands are, and whose they are by their names.
 *
 *   - A folder stands for its files, by name, and for those of folders in it (torchrun's attempt_1/3/stderr.log); no link and no
 *     pipe in it is followed. Names that begin with a point are passed over.
 */
#include "hang/hang.h"
#include "base/containers.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FILES = 1 << 17 };

typedef struct file_list {
    rc_hang_file *list;
    int32_t n, room;
    rc_session *session;
    int operand; /* under way */
    bool quiet;
} file_list;

int32_t rc_rank_of_name(const char *path) {
    static const char *const packed[] = {".gz", ".json", ".pkl", ".pickle", ".txt", ".log"};
    const char *name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        const size_t k = strlen(packed[i]);
        if (n > k && strncmp(name + n - k, packed[i], k) == 0) n -= k;
    }
    const char *end = name + n, *from = end;
    while (from > name && from[-1] >= '0' && from[-1] <= '9') from--;
    if (from == end && name > path && strncmp(name, "std", 3) == 0) { /* 3/stderr.log */
        from = end = name - 1;
        while (from > path && from[-1] >= '0' && from[-1] <= '9') from--;
        if (from > path && from[-1] != '/') return -1;
    }
    return from == end || end - from > 8 ? -1 : (int32_t)strtol(from, NULL, 10);
}

static rc_exit add_file(file_list *files, const char *path, size_t n_root) {
    rs_arena *arena = files->session->arena;
    if (files->n == MOST_FILES) {
        return rc_fail(files->session->error, RC_USAGE, _("more than %d files"), (int)MOST_FILES);
    }
    const size_t n = strlen(path) + 1;
    char *copy = rs_alloc(arena, n, 1);
    if (copy == NULL || !rs_reserve(arena, &files->list, files->n + 1, &files->room)) {
        return rc_no_memory(files->session->error);
    }
    memcpy(copy, path, n);
    files->list[files->n++] = (rc_hang_file){copy, n_root, files->operand};
    return RC_GOOD;
}

/* torchrun's attempt_0, attempt_1: the number; -1: it is no such name. */
static int64_t attempt_of(const char *name) {
    static const char begin[] = "attempt_";
    const size_t n = sizeof begin - 1;
    const bool is_one = strncmp(name, begin, n) == 0 && name[n] >= '0' && name[n] <= '9';
    return is_one ? strtoll(name + n, NULL, 10) : -1;
}

/* Adds a folder's files, and those of folders in it; of attempts the last. */
static rc_exit add_folder(file_list *files, const char *folder, size_t n_root, int depth) {
    enum { DEEPEST = 3 };
    char path[PATH_MAX], **names;
    rc_exit status = RC_GOOD;
    int64_t last = -1;
    const int n = rc_list_folder(folder, files->session->arena, &names);
    if (n < 0 && files->session->arena->lacked) return rc_no_memory(files->session->error);
    if (n < 0) {
        return rc_fail(files->session->error, RC_USAGE, _("%.200s: %s"), folder,
                       _(strerror(errno)));
    }
    for (int i = 0; i < n; i++) {
        if (attempt_of(names[i]) > last) last = attempt_of(names[i]);
    }
    for (int i = 0; i < n && status == RC_GOOD; i++) {
        struct stat found;
        const int length = snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (length < 0 || (size_t)length >= sizeof path) {
            return rc_fail(files->session->error, RC_USAGE, _("%.200s: %s"), folder,
                           _(strerror(ENAMETOOLONG)));
        }
        const bool below = lstat(path, &found) == 0 && S_ISDIR(found.st_mode);
        const int64_t attempt = attempt_of(names[i]);
        if (!below) {
            status = add_file(files, path, n_root);
        } else if (attempt >= 0 && attempt < last) {
            if (files->quiet) continue;
            rs_error error;
            rc_fail(&error, RC_USAGE, _("%.200s: an attempt before the last is left out"), path);
            rc_complain(&error);
        } else if (depth < DEEPEST) {
            status = add_folder(files, path, n_root, depth + 1);
        }
    }
    return status;
}

static rc_exit add_operand(file_list *files, const char *path) {
    struct stat found;
    if (stat(path, &found) == 0) {
        return S_ISDIR(found.st_mode) ? add_folder(files, path, strlen(path), 0)
                                      : add_file(files, path, 0);
    }
    glob_t names;
    rc_exit status = RC_GOOD;
    const int globbed = strpbrk(path, "*?[") != NULL ? glob(path, 0, NULL, &names) : GLOB_NOMATCH;
    if (globbed == GLOB_NOSPACE) return rc_no_memory(files->session->error);
    if (globbed != 0) return add_file(files, path, 0); /* its reader says what is wrong */
    for (size_t i = 0; i < names.gl_pathc && status == RC_GOOD; i++) {
        status = add_file(files, names.gl_pathv[i], 0);
    }
    globfree(&names);
    return status;
}

rc_exit rc_list_hang_files(rc_session *session, bool quiet, rc_hang_file **list, int32_t *n) {
    file_list files = {.session = session, .quiet = quiet};
    const rc_options *options = &session->options;
    rc_exit status = RC_GOOD;
    for (; files.operand < options->n_operands && status == RC_GOOD; files.operand++) {
        status = add_operand(&files, options->operands[files.operand]);
    }
    *list = files.list;
    *n = files.n;
    return status;
}
