/* export_page.c: --export FILE.html: what was typed, as a page for any browser (viz/web/).
 *
 *     the page that `make page` built, with two texts put in:    words   the command line, without --export and --view
 *                                                                added   the files that it names: path, bytes in base64;
 *                                                                        path, "gzip", a gzip in base64
 *
 *   - The page computes it anew; what cannot be computed is refused here, before anything is written.
 */
#include "config.h"
#include "base/text.h"
#include "run/show.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_PAGE_BYTES = 16 << 20, MOST_PACKED_BYTES = 4 << 20 };
#ifdef HAVE_ZLIB
enum { MOST_ADDED_BYTES = 64 << 20 };
#else
enum { MOST_ADDED_BYTES = MOST_PACKED_BYTES };
#endif

static const char words_mark[] = "<script type=\"text/plain\" id=\"words\">";
static const char added_mark[] = "<script type=\"text/plain\" id=\"added\">";

/* ------------------------------------------------------------------ texts */

/* Writes a word so that neither HTML nor an address sees a sign of theirs in it. */
static void put_word(const char *word, FILE *out) {
    static const char plain[] = "-_.~:@,=/";
    for (const char *c = word; *c != '\0'; c++) {
        const bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');
        if (letter || (*c >= '0' && *c <= '9') || strchr(plain, *c) != NULL) {
            fputc(*c, out);
        } else {
            fprintf(out, "%%%02X", (unsigned char)*c);
        }
    }
}

static void put_base64(const char *bytes, size_t n, FILE *out) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *in = (const unsigned char *)bytes;
    for (size_t i = 0; i < n; i += 3) {
        const unsigned three = (unsigned)in[i] << 16 | (i + 1 < n ? (unsigned)in[i + 1] << 8 : 0) |
                               (i + 2 < n ? (unsigned)in[i + 2] : 0);
        for (int k = 0; k < 4; k++) {
            fputc(i + (size_t)k <= n ? digits[three >> (18 - 6 * k) & 63] : '=', out);
        }
    }
}

/* Tells whether a word is the option or a beginning of it, such as --exp; *value: the next word belongs to it. */
static bool is_option(const char *word, const char *name, size_t least, bool *value) {
    const size_t n = strcspn(word, "=");
    const bool is = n >= least && n <= strlen(name) && strncmp(word, name, n) == 0;
    *value = is && word[n] == '\0';
    return is;
}

/* Returns the next of the words that the page runs; NULL: there are no more. */
static char *const *next_word(char *const *at) {
    bool value;
    while (*at != NULL &&
           (is_option(*at, "--export", 4, &value) || is_option(*at, "--view", 5, &value))) {
        at += value && at[1] != NULL ? 2 : 1;
    }
    return *at != NULL ? at : NULL;
}

/* ------------------------------------------------------------------ a gzip, which a browser unpacks */

#ifdef HAVE_ZLIB
#include <zlib.h>

enum { BITS_OF_GZIP = 15 + 16, MEMORY = 8, LEAST_BYTES = 4096 };

/* Returns a gzip of the bytes, the caller's to free; NULL: without zlib, without memory, or as it would not be smaller. */
static char *pack(const char *bytes, size_t n_bytes, size_t *n_packed) {
    z_stream z = {.next_in = (Bytef *)(uintptr_t)bytes, .avail_in = (uInt)n_bytes};
    if (n_bytes < LEAST_BYTES || n_bytes > UINT32_MAX) return NULL;
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, BITS_OF_GZIP, MEMORY,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        return NULL;
    }
    char *packed = malloc(n_bytes);
    z.next_out = (Bytef *)packed;
    z.avail_out = (uInt)n_bytes;
    const bool smaller = packed != NULL && deflate(&z, Z_FINISH) == Z_STREAM_END;
    deflateEnd(&z);
    if (smaller) {
        *n_packed = n_bytes - z.avail_out;
        return packed;
    }
    free(packed);
    return NULL;
}
#else
static char *pack(const char *bytes, size_t n_bytes, size_t *n_packed) {
    (void)bytes, (void)n_bytes, (void)n_packed;
    return NULL;
}
#endif

/* ------------------------------------------------------------------ files */

/* Finds the file that a word names: alone, behind an option's =, or before a machine's number of nodes. */
static bool find_file(const char *word, char path[PATH_MAX]) {
    const char *value = strchr(word, '=');
    snprintf(path, PATH_MAX, "%s", word[0] == '-' && value != NULL ? value + 1 : word);
    if (rc_file_bytes(path) >= 0) return true;
    char *colon = strrchr(path, ':');
    if (colon == NULL) return false;
    *colon = '\0';
    return rc_file_bytes(path) >= 0;
}

/* What goes into a page: where to, how much it is, and is packed, and how a file is made ready (NULL: as it is, and no
   folders). */
typedef struct added_files {
    FILE *out;
    size_t n_bytes, n_packed;
    rc_ready_for_page *ready;
} added_files;

static rc_exit too_much(rc_session *session, const char *path) {
    return rc_fail(
        session->error, RC_USAGE,
        _("--export FILE.html: %.200s: files of more than %d MB, or %d MB when packed, do not go into a page"),
        path, MOST_ADDED_BYTES >> 20, MOST_PACKED_BYTES >> 20);
}

static rc_exit put_file(rc_session *session, const rc_page_file *file, added_files *added) {
    size_t n = file->n_bytes;
    if (n > MOST_ADDED_BYTES - added->n_bytes) return too_much(session, file->path);
    char *packed = pack(file->bytes, n, &n);
    const bool fits = n <= MOST_PACKED_BYTES - added->n_packed;
    if (fits) {
        put_word(file->path, added->out);
        fputs(packed != NULL ? " gzip " : " ", added->out);
        put_base64(packed != NULL ? packed : file->bytes, n, added->out);
        fputc('\n', added->out);
        added->n_bytes += file->n_bytes;
        added->n_packed += n;
    }
    free(packed);
    return fits ? RC_GOOD : too_much(session, file->path);
}

static rc_exit add_file(rc_session *session, const char *path, added_files *added) {
    const size_t left = MOST_ADDED_BYTES - added->n_bytes;
    char *file, *own = NULL;
    size_t n;
    if ((size_t)rc_file_bytes(path) > left) return too_much(session, path);
    rc_exit status =
        rc_read_file(path, MOST_ADDED_BYTES, session->arena, session->error, &file, &n);
    if (status != RC_GOOD) return status;
    const char *bytes = file;
    if (added->ready != NULL) status = added->ready(path, left, session->error, &bytes, &n, &own);
    if (status == RC_GOOD) status = put_file(session, &(rc_page_file){path, bytes, n}, added);
    free(own);
    return status;
}

/* Adds the files of a folder, by name; no link, and no name that begins with a point. */
static rc_exit add_folder(rc_session *session, const char *folder, added_files *added) {
    char **names;
    rc_exit status = RC_GOOD;
    const int n = rc_list_folder(folder, session->arena, &names);
    if (n < 0 && session->arena->lacked) return rc_no_memory(session->error);
    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];
        struct stat found;
        const int length = snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (length < (int)sizeof path && status == RC_GOOD && lstat(path, &found) == 0 &&
            S_ISREG(found.st_mode)) {
            status = add_file(session, path, added);
        }
    }
    return status;
}

/* Adds what a word names: a file, or, for a command that reads folders, a folder's. */
static rc_exit add_named(rc_session *session, const char *word, added_files *added) {
    char path[PATH_MAX];
    struct stat found;
    if (find_file(word, path)) return add_file(session, path, added);
    if (added->ready == NULL || stat(word, &found) != 0 || !S_ISDIR(found.st_mode)) return RC_GOOD;
    return add_folder(session, word, added);
}

/* Reads the page that was built, and finds the places of the two texts. */
static rc_exit read_page(rc_session *session, char **page, char *places[2]) {
    rc_folders folders;
    rs_error ignored;
    size_t n;
    rc_find_folders(session->program, RC_PAGES, &folders);
    *page = NULL;
    for (int i = 0; folders.list[i] != NULL && *page == NULL; i++) {
        char path[PATH_MAX + 64];
        snprintf(path, sizeof path, "%s/ringsim.html", folders.list[i]);
        if (rc_file_bytes(path) < 0) continue;
        rc_read_file(path, MOST_PAGE_BYTES, session->arena, &ignored, page, &n);
    }
    if (*page == NULL) {
        return rc_fail(session->error, RC_LACKS,
                       _("--export FILE.html: no page was built; make page, then again"));
    }
    places[0] = strstr(*page, words_mark);
    places[1] = strstr(*page, added_mark);
    if (places[0] == NULL || places[1] == NULL || places[0] > places[1]) {
        return rc_fail(
            session->error, RC_LACKS,
            _("--export FILE.html: the page is of another build; make page, then again"));
    }
    places[0] += sizeof words_mark - 1;
    places[1] += sizeof added_mark - 1;
    return RC_GOOD;
}

/* own: a file that is nowhere else, and no word's; NULL: there is none. */
static rc_exit write_page(rc_session *session, const char *page, char *const places[2],
                          char *const words[], const rc_page_file *own, added_files *added) {
    FILE *out = added->out;
    rc_exit status = RC_GOOD;
    fwrite(page, 1, (size_t)(places[0] - page), out);
    for (char *const *at = words; (at = next_word(at)) != NULL; at++) {
        const char *quote = strpbrk(*at, " \t+") != NULL ? "\"" : "";
        if (at != words) fputc(' ', out);
        put_word(quote, out);
        put_word(*at, out);
        put_word(quote, out);
    }
    fwrite(places[0], 1, (size_t)(places[1] - places[0]), out);
    if (own != NULL) status = put_file(session, own, added);
    for (char *const *at = words; (at = next_word(at)) != NULL; at++) {
        const bool is_own = own != NULL && strcmp(*at, own->path) == 0;
        if (status == RC_GOOD && !is_own) status = add_named(session, *at, added);
    }
    fputs(places[1], out);
    return status;
}

/* ------------------------------------------------------------------ all of it */

rc_exit rc_export_page(rc_session *session, char *const words[], const rc_page_file *own,
                       rc_ready_for_page *ready) {
    const rc_options *options = &session->options;
    char *page, *places[2];
    rc_file file = {0};
    if (rc_given(options, RC_JSON)) {
        return rc_fail(session->error, RC_USAGE, _("--json and --export FILE.html: choose one"));
    }
    rc_exit status = read_page(session, &page, places);
    if (status == RC_GOOD) {
        status = rc_file_open("export", options->value[RC_EXPORT].text, session->error, &file);
    }
    added_files added = {.out = file.stream, .ready = ready};
    if (status == RC_GOOD) status = write_page(session, page, places, words, own, &added);
    return rc_file_deliver(&file, status, session->error);
}

rc_exit rc_export_subject(rc_session *session, const rc_command *command) {
    rv_subject subject;
    rv_options view;
    rc_host_hush(session->host);
    rc_exit status = command->subject(session, &subject);
    if (status != RC_GOOD) return status;
    status = rc_read_view(&session->options, subject.n_steps, subject.n_ranks, subject.algorithm,
                          session->error, &view);
    rv_subject_free(&subject);
    return status == RC_GOOD ? rc_export_page(session, session->arguments + 1, NULL, NULL) : status;
}
