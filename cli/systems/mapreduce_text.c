/* mapreduce_text.c: where the text of `mapreduce` comes from: words that were typed, or a file, which is
 * read piece by piece and never held whole.
 *
 *     --text "hello world hello"   it holds a blank: the words themselves
 *     --text book.txt              a file of that name; -: standard input
 *     --text hello                 neither: a single word, unless it looks like a file's name
 */
#include "base/files.h"
#include "systems/mapreduce_text.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIPE_LIMIT = RC_TRACE_LIMIT };

static bool read_file(const void *context, int64_t offset, int64_t n, char *out) {
    const rc_text *text = context;
    assert(text->descriptor >= 0 && n >= 0);
    for (int64_t done = 0; done < n;) {
        const ssize_t got =
            pread(text->descriptor, out + done, (size_t)(n - done), (off_t)(offset + done));
        if (got == 0 || (got < 0 && errno != EINTR)) return false;
        if (got > 0) done += got;
    }
    return true;
}

static rc_exit read_pipe(rc_session *session, rc_text *text) {
    char *bytes;
    size_t n;
    const rc_exit status =
        rc_read_file(text->file, PIPE_LIMIT, session->arena, session->error, &bytes, &n);
    if (status == RC_GOOD) text->source = rs_mr_text_of(bytes, (int64_t)n);
    return status;
}

static rc_exit open_file(rc_session *session, rc_text *text) {
    struct stat found;
    text->descriptor = open(text->file, O_RDONLY | O_CLOEXEC);
    if (text->descriptor < 0 || fstat(text->descriptor, &found) != 0) {
        return rc_fail(session->error, RC_USAGE, "--text %.200s: %s", text->file, strerror(errno));
    }
    if (!S_ISREG(found.st_mode)) return read_pipe(session, text);
    text->source =
        (rs_mr_text){.n_bytes = (int64_t)found.st_size, .context = text, .read = read_file};
    return RC_GOOD;
}

rc_exit rc_text_open(rc_session *session, const char *typed, rc_text *text) {
    struct stat found;
    *text = (rc_text){.descriptor = -1};
    const bool is_file = strcmp(typed, "-") == 0 || stat(typed, &found) == 0;
    if (!is_file && strpbrk(typed, " \t\n") == NULL && strpbrk(typed, "./") != NULL) {
        return rc_fail(session->error, RC_USAGE,
                       _("--text %.200s: there is no such file; words have a blank among them"),
                       typed);
    }
    if (!is_file) {
        text->source = rs_mr_text_of(typed, (int64_t)strlen(typed));
        return RC_GOOD;
    }
    text->file = typed;
    return strcmp(typed, "-") == 0 ? read_pipe(session, text) : open_file(session, text);
}

void rc_text_close(rc_text *text) {
    if (text->descriptor >= 0) close(text->descriptor);
    text->descriptor = -1;
}
