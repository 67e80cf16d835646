/* files.c: reading a whole file with a limit, and writing one whole or not at all.
 *
 *     open --> write to stream --> finish --> publish        or, at any time, discard
 *
 * The bytes go to .ringsim-tmp-XXXXXX beside the place (so that the move stays on one disk) and are
 * moved there when all is well: a run that fails leaves what was there before. What is no regular file
 * (a pipe, /dev/null, "-" for standard output) is written directly. Who writes holds a lock on it: a file
 * of such a name without one was left by a run that was killed, and the next removes it.
 */
#define _GNU_SOURCE 1 /* O_PATH: Linux */
#include "base/files.h"
#include "base/containers.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int64_t rc_file_bytes(const char *path) {
    struct stat found;
    return stat(path, &found) == 0 && S_ISREG(found.st_mode) ? (int64_t)found.st_size : -1;
}

static rc_exit refuse(const char *path, rs_error *error) {
    if (errno == ENOMEM) return rc_fail(error, RC_LACKS, _("no memory to read %.200s"), path);
    return rc_fail(error, RC_USAGE, _("%.200s: %s"), path, _(strerror(errno)));
}

static rc_exit too_long(const char *path, int64_t limit, rs_error *error) {
    return rc_fail(error, RC_USAGE, _("%.200s is longer than %lld bytes"), path, (long long)limit);
}

/* Reads until the end, behind *n bytes of *data, which grows by halves. */
static rc_exit read_stream(FILE *stream, const char *path, int64_t limit, char **data, size_t *n,
                           rs_error *error) {
    size_t capacity = *n, used = *n;
    char *grown = *data;
    for (;;) {
        if (!rs_reserve(NULL, &grown, used + 65536, &capacity)) {
            free(grown);
            return rc_fail(error, RC_LACKS, _("no memory to read %.200s"), path);
        }
        const size_t got = fread(grown + used, 1, capacity - used - 1, stream);
        used += got;
        if (got == 0 || (int64_t)used > limit) break;
    }
    const bool failed = ferror(stream) != 0;
    if (failed || (int64_t)used > limit) {
        const rc_exit status = failed ? refuse(path, error) : too_long(path, limit, error);
        free(grown);
        return status;
    }
    *data = grown;
    *n = used;
    return RC_GOOD;
}

/* Reads a regular file, whose length is known, straight into the arena. */
static rc_exit read_regular(FILE *stream, const char *path, size_t length, rs_arena *arena,
                            rs_error *error, char **data) {
    char *place = rs_alloc(arena, length + 1, 1);
    if (place == NULL) return rc_fail(error, RC_LACKS, _("no memory to read %.200s"), path);
    if (fread(place, 1, length, stream) != length) {
        if (ferror(stream)) return refuse(path, error);
        return rc_fail(error, RC_USAGE, _("%.200s became shorter while it was read"), path);
    }
    *data = place;
    return RC_GOOD;
}

rc_exit rc_read_rest(FILE *stream, const char *path, const char *head, size_t n_head, int64_t limit,
                     rs_arena *arena, rs_error *error, char **data, size_t *n_bytes) {
    char *grown = n_head > 0 ? malloc(n_head) : NULL;
    size_t n = n_head;
    if (n_head > 0 && grown == NULL)
        return rc_fail(error, RC_LACKS, _("no memory to read %.200s"), path);
    if (n_head > 0) memcpy(grown, head, n_head);
    rc_exit status = read_stream(stream, path, limit, &grown, &n, error);
    if (status != RC_GOOD) return status;
    char *place = rs_alloc(arena, n + 1, 1);
    if (place != NULL) {
        memcpy(place, grown, n);
        *data = place;
        *n_bytes = n;
    } else {
        status = rc_fail(error, RC_LACKS, _("no memory to read %.200s"), path);
    }
    free(grown);
    return status;
}

/* Reads an open file to its end and closes it. */
static rc_exit read_opened(FILE *stream, const char *path, int64_t limit, rs_arena *arena,
                           rs_error *error, char **data, size_t *n_bytes) {
    struct stat found;
    rc_exit status;
    if (fstat(fileno(stream), &found) != 0) {
        status = refuse(path, error);
    } else if (S_ISDIR(found.st_mode)) {
        errno = EISDIR;
        status = refuse(path, error);
    } else if (!S_ISREG(found.st_mode)) {
        status = rc_read_rest(stream, path, NULL, 0, limit, arena, error, data, n_bytes);
    } else if ((int64_t)found.st_size > limit) {
        status = too_long(path, limit, error);
    } else {
        status = read_regular(stream, path, (size_t)found.st_size, arena, error, data);
        if (status == RC_GOOD) *n_bytes = (size_t)found.st_size;
    }
    fclose(stream);
    return status;
}

/* Inputs that come once, and what came. */
enum { MOST_ONCE = 8 };
static struct {
    const char *path, *text;
    size_t n_bytes;
} once[MOST_ONCE];
static int n_once;

void rc_keep_input(const char *path, const char *text, size_t n_bytes) {
    if (n_once == MOST_ONCE) return;
    once[n_once].path = path;
    once[n_once].text = text;
    once[n_once++].n_bytes = n_bytes;
}

rc_exit rc_read_file(const char *path, int64_t limit, rs_arena *arena, rs_error *error, char **data,
                     size_t *n_bytes) {
    for (int i = 0; i < n_once; i++) {
        if (strcmp(once[i].path, path) != 0) continue;
        *data = rs_alloc(arena, once[i].n_bytes + 1, 1);
        if (*data == NULL) return rc_fail(error, RC_LACKS, _("no memory to read %.200s"), path);
        memcpy(*data, once[i].text, once[i].n_bytes);
        *n_bytes = once[i].n_bytes;
        return RC_GOOD;
    }
    if (strcmp(path, "-") == 0) {
        return rc_read_rest(stdin, "standard input", NULL, 0, limit, arena, error, data, n_bytes);
    }
    FILE *stream = fopen(path, "rb");
    if (stream == NULL) return refuse(path, error);
    return read_opened(stream, path, limit, arena, error, data, n_bytes);
}

/* Opens the file part by part, each in the folder that is open: no part behind the first n_root bytes may
   be a link, whoever changes names meanwhile. Returns -1 and errno. */
static int open_below(const char *path, size_t n_root, int flags) {
    char part[PATH_MAX];
    assert(n_root < strlen(path) && n_root < sizeof part);
    snprintf(part, sizeof part, "%.*s", (int)n_root, path);
    int folder = n_root > 0 ? open(part, O_PATH | O_DIRECTORY | O_CLOEXEC) : AT_FDCWD;
    for (const char *at = path + n_root; folder >= 0 || folder == AT_FDCWD;) {
        at += strspn(at, "/");
        const size_t n = strcspn(at, "/");
        const bool last = at[n + strspn(at + n, "/")] == '\0';
        snprintf(part, sizeof part, "%.*s", (int)n, at);
        const int next =
            openat(folder, part, last ? flags : O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        const int reason = errno;
        if (folder >= 0) close(folder);
        errno = reason;
        if (last || next < 0) return next;
        folder = next;
        at += n;
    }
    return -1;
}

rc_exit rc_read_itself(const char *path, size_t n_root, int64_t limit, rs_arena *arena,
                       rs_error *error, char **data, size_t *n_bytes) {
    static const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    struct stat found;
    const int descriptor = n_root > 0 ? open_below(path, n_root, flags) : open(path, flags);
    const bool link = descriptor < 0 && (errno == ELOOP || (n_root > 0 && errno == ENOTDIR));
    if (descriptor < 0 && !link && errno != ENXIO) return refuse(path, error);
    if (descriptor >= 0 && fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode)) {
        FILE *stream = fdopen(descriptor, "rb");
        if (stream != NULL) return read_opened(stream, path, limit, arena, error, data, n_bytes);
        const rc_exit status = refuse(path, error);
        close(descriptor);
        return status;
    }
    if (descriptor >= 0) close(descriptor);
    return rc_fail(error, RC_USAGE, _("%.200s is no regular file; hand in the file itself"), path);
}

/* ------------------------------------------------------------------ writing */

static rc_exit cannot_write(const rc_file *file, rs_error *error) {
    return rc_fail(error, RC_USAGE, _("--%s: cannot write %.200s: %s"), file->option, file->path,
                   _(strerror(errno)));
}

static const char scratch_name[] = ".ringsim-tmp-XXXXXX";

void rc_remove_left(const char *folder, const char *name, mode_t type,
                    void (*remove_one)(int parent, const char *name)) {
    enum { N_RANDOM = 6, YOUNG_S = 10 };
    static const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    const size_t n = strlen(name);
    DIR *all = opendir(folder);
    if (all == NULL) return;
    for (const struct dirent *entry; (entry = readdir(all)) != NULL;) {
        struct stat found;
        if (strlen(entry->d_name) != n || strncmp(entry->d_name, name, n - N_RANDOM) != 0) continue;
        const int fd = openat(dirfd(all), entry->d_name, flags);
        if (fd < 0) continue;
        if (fstat(fd, &found) == 0 && (found.st_mode & S_IFMT) == type &&
            found.st_uid == geteuid() && found.st_mtime < time(NULL) - YOUNG_S &&
            flock(fd, LOCK_EX | LOCK_NB) == 0) {
            remove_one(dirfd(all), entry->d_name);
        }
        close(fd);
    }
    closedir(all);
}

static void remove_file(int parent, const char *name) {
    unlinkat(parent, name, 0);
}

/* Makes the file beside its place, with the rights that a new (or the old) file there has. Its name is
   short: a long one beside it may be as long as names can be. */
static bool open_scratch(rc_file *file, const struct stat *old) {
    const size_t n_folder = (size_t)(strrchr(file->target, '/') + 1 - file->target);
    file->scratch = malloc(n_folder + sizeof scratch_name);
    if (file->scratch == NULL) return false;
    memcpy(file->scratch, file->target, n_folder);
    file->scratch[n_folder] = '\0';
    rc_remove_left(file->scratch, scratch_name, S_IFREG, remove_file);
    memcpy(file->scratch + n_folder, scratch_name, sizeof scratch_name);
    const int descriptor = mkstemp(file->scratch);
    if (descriptor < 0) {
        free(file->scratch);
        file->scratch = NULL;
        return false;
    }
    rc_scratch_made(file->scratch);
    file->lock = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);
    if (file->lock >= 0) flock(file->lock, LOCK_EX | LOCK_NB); /* it holds beyond fclose() */
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(descriptor, old != NULL ? old->st_mode & 0777 : 0666 & ~mask) != 0) {
        /* a file system without rights: nothing to keep */
    }
    file->stream = fdopen(descriptor, "wb");
    return file->stream != NULL;
}

static void open_somewhere(rc_file *file) {
    struct stat old;
    const bool exists = stat(file->path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return;
    }
    if (exists && !S_ISREG(old.st_mode)) {
        file->stream = fopen(file->path, "wb");
        return;
    }
    if (exists && access(file->path, W_OK) != 0) return;
    /* What a symbolic link points to is replaced, not the link. */
    file->target = rc_place(file->path);
    if (file->target != NULL) open_scratch(file, exists ? &old : NULL);
}

/* Tells whether standard output was redirected to this very file: one would overwrite the other. */
static bool is_standard_output(const char *path) {
    struct stat file, out;
    return stat(path, &file) == 0 && fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(file.st_mode) &&
           file.st_dev == out.st_dev && file.st_ino == out.st_ino;
}

rc_exit rc_file_open(const char *option, const char *path, rs_error *error, rc_file *file) {
    *file = (rc_file){.option = option, .path = path};
    if (strcmp(path, "-") == 0) {
        file->stream = stdout;
        return RC_GOOD;
    }
    if (is_standard_output(path)) {
        return rc_fail(error, RC_USAGE,
                       _("--%s %.200s: standard output goes there; write - or another name"),
                       option, path);
    }
    open_somewhere(file);
    if (file->stream != NULL) return RC_GOOD;
    const rc_exit status = cannot_write(file, error);
    rc_file_discard(file);
    return status;
}

rc_exit rc_file_finish(rc_file *file, rs_error *error) {
    if (file->stream == NULL) return RC_GOOD;
    FILE *stream = file->stream;
    file->stream = NULL;
    const bool failed = ferror(stream) != 0;
    const bool closed = stream == stdout ? fflush(stream) == 0 : fclose(stream) == 0;
    return failed || !closed ? cannot_write(file, error) : RC_GOOD;
}

static void forget_scratch(rc_file *file) {
    rc_scratch_gone(file->scratch);
    free(file->scratch);
    file->scratch = NULL;
    if (file->lock > 0) close(file->lock);
    file->lock = 0;
}

rc_exit rc_file_publish(rc_file *file, rs_error *error) {
    assert(file->stream == NULL); /* all bytes are on the disk */
    if (file->scratch != NULL && rename(file->scratch, file->target) != 0) {
        return cannot_write(file, error);
    }
    forget_scratch(file);
    rc_file_discard(file);
    return RC_GOOD;
}

void rc_file_discard(rc_file *file) {
    if (file->stream != NULL && file->stream != stdout) fclose(file->stream);
    if (file->scratch != NULL) unlink(file->scratch);
    forget_scratch(file);
    free(file->target);
    file->stream = NULL;
    file->target = NULL;
}

rc_exit rc_file_deliver(rc_file *file, rc_exit status, rs_error *error) {
    if (status == RC_GOOD) status = rc_file_finish(file, error);
    if (status == RC_GOOD) status = rc_file_publish(file, error);
    rc_file_discard(file);
    return status;
}
