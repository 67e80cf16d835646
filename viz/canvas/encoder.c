/* encoder.c: see encoder.h. */
#include "canvas/encoder.h"
#include "text/words.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Writing to an ffmpeg that has ended must give an error, not a signal. macOS has no such flag for
   one write: there the whole socket is set so. */
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0
#endif

enum { TO_FILM = 3, TO_PALETTE = 4, ABOVE_ALL = 10, ASK_EVERY_MS = 100, MOST_WORDS = 63 };

struct rv_encoder {
    rv_patience patience;
    const rv_format *format; /* NULL: this ffmpeg finds the palette */
    size_t n_frame;          /* bytes of a frame */
    pid_t child;             /* 0: none */
    int frames;              /* our end of the socket; -1 */
    int theirs;              /* its other end; -1 */
    int film, words, palette;
};

/* ----------------------------------------------------------------------------------- descriptors */

/* Moves a descriptor above those that ffmpeg gets, and keeps ffmpeg from inheriting it. */
static int lift_descriptor(int descriptor) {
    if (descriptor < 0) return -1;
    const int lifted = fcntl(descriptor, F_DUPFD_CLOEXEC, ABOVE_ALL);
    close(descriptor);
    return lifted;
}

/* Opens a new file and removes its name. */
static int open_nameless(void) {
    const char *folder = getenv("TMPDIR");
    char path[1024];
    if (folder == NULL || folder[0] == '\0') folder = "/tmp";
    const int n = snprintf(path, sizeof path, "%s/ringsim-film-XXXXXX", folder);
    if (n < 0 || (size_t)n >= sizeof path) return -1;
    const int descriptor = mkstemp(path);
    if (descriptor >= 0) unlink(path);
    return lift_descriptor(descriptor);
}

static bool open_socket(rv_encoder *encoder) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return false;
    const int room = 1 << 20;
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
#ifdef SO_NOSIGPIPE
    const int yes = 1;
    setsockopt(pair[0], SOL_SOCKET, SO_NOSIGPIPE, &yes, sizeof yes);
#endif
    encoder->frames = lift_descriptor(pair[0]);
    encoder->theirs = lift_descriptor(pair[1]);
    return encoder->frames >= 0 && encoder->theirs >= 0;
}

static void close_one(int *descriptor) {
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
}

/* ------------------------------------------------------------------------------ starting ffmpeg */

/* Splits ffmpeg's command at its spaces. */
static void split_words(char *line, char *words[MOST_WORDS + 1]) {
    int n = 0;
    char *rest = line;
    while (n < MOST_WORDS && (words[n] = strtok_r(rest, " ", &rest)) != NULL) n++;
    words[n] = NULL;
}

static int spawn(rv_encoder *encoder, char *line) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, encoder->theirs, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, encoder->words, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, encoder->words, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&files, encoder->film, TO_FILM);
    if (encoder->palette >= 0) {
        posix_spawn_file_actions_adddup2(&files, encoder->palette, TO_PALETTE);
    }
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setpgroup(&how, 0);
    char *words[MOST_WORDS + 1];
    split_words(line, words);
    const int failed = posix_spawnp(&encoder->child, "ffmpeg", &files, &how, words, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    if (failed != 0) encoder->child = 0;
    return failed;
}

static bool keep_palette(rv_encoder *encoder, const unsigned char palette[RV_PALETTE_BYTES]) {
    encoder->palette = open_nameless();
    return encoder->palette >= 0 &&
           write(encoder->palette, palette, RV_PALETTE_BYTES) == RV_PALETTE_BYTES;
}

rs_status rv_encoder_start(const rv_format *format, int width, int height, int per_second,
                           const unsigned char palette[RV_PALETTE_BYTES],
                           const rv_patience *patience, rs_error *error, rv_encoder **encoder) {
    rv_encoder *made = calloc(1, sizeof *made);
    if (format->has_palette && palette == NULL) format = NULL;
    if (made == NULL) return rs_no_memory(error);
    *made = (rv_encoder){.patience = *patience,
                         .format = format,
                         .n_frame = (size_t)width * (size_t)height * 4,
                         .frames = -1,
                         .theirs = -1,
                         .film = open_nameless(),
                         .words = open_nameless(),
                         .palette = -1};
    if (made->film < 0 || made->words < 0 || !open_socket(made) ||
        (palette != NULL && !keep_palette(made, palette))) {
        const int reason = errno;
        rv_encoder_free(made);
        return rs_fail(error, RS_BAD_INPUT,
                       _("no room for the film while it is made: %s; TMPDIR names another folder"),
                       _(strerror(reason)));
    }
    char line[1024]; /* raw frames at its standard input, the palette, then what it writes */
    snprintf(
        line, sizeof line,
        "ffmpeg -nostdin -v error -y -f rawvideo -pix_fmt bgr0 -video_size %dx%d -framerate %d "
        "-i pipe:0 %s %s -fflags +bitexact -flags:v +bitexact /dev/fd/3",
        width, height, per_second,
        palette != NULL ? "-f rawvideo -pix_fmt bgra -video_size 16x16 -i /dev/fd/4" : "",
        format != NULL ? format->arguments
                       : "-vf palettegen=reserve_transparent=0 -frames:v 1 -f rawvideo "
                         "-pix_fmt bgra");
    const int failed = spawn(made, line);
    close_one(&made->theirs);
    if (failed == 0) {
        *encoder = made;
        return RS_OK;
    }
    rv_encoder_free(made);
    return rs_fail(error, RS_UNSUPPORTED,
                   _("films are made by ffmpeg, which cannot be started "
                     "(%s); install ffmpeg"),
                   _(strerror(failed)));
}

/* ---------------------------------------------------------------------------------- while it works */

static bool is_cancelled(const rv_encoder *encoder) {
    return !encoder->patience.lasts(encoder->patience.context);
}

/* Copies the last line that ffmpeg has said. */
static void last_line(const rv_encoder *encoder, char out[256]) {
    char text[2048];
    const off_t end = lseek(encoder->words, 0, SEEK_END);
    const off_t from = end > (off_t)sizeof text - 1 ? end - (off_t)sizeof text + 1 : 0;
    const ssize_t got = end > 0 ? pread(encoder->words, text, sizeof text - 1, from) : 0;
    size_t n = got > 0 ? (size_t)got : 0;
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r')) n--;
    text[n] = '\0';
    const char *line = text;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\n' || text[i] == '\r') line = text + i + 1;
    }
    struct statvfs disk; /* where nothing fits any more, ffmpeg's words do not either */
    const bool full = fstatvfs(encoder->film, &disk) == 0 && disk.f_bavail == 0;
    snprintf(out, 256, "%.255s",
             full            ? _(strerror(ENOSPC))
             : *line != '\0' ? line
                             : _("it does not say why"));
}

/* Waits for ffmpeg to end. */
static rs_status await_end(rv_encoder *encoder, rs_error *error) {
    const struct timespec nap = {.tv_nsec = 5000000};
    int how = 0;
    pid_t ended;
    while ((ended = waitpid(encoder->child, &how, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (is_cancelled(encoder)) return rs_fail(error, RS_CANCELLED, "cancelled");
        nanosleep(&nap, NULL);
    }
    encoder->child = 0;
    if (ended > 0 && WIFEXITED(how) && WEXITSTATUS(how) == 0) return RS_OK;
    char line[256];
    last_line(encoder, line);
    return rs_fail(error, RS_UNSUPPORTED, _("ffmpeg failed: %s"), line);
}

rs_status rv_encoder_frame(rv_encoder *encoder, const unsigned char *pixels, rs_error *error) {
    for (size_t done = 0; done < encoder->n_frame;) {
        struct pollfd ready = {.fd = encoder->frames, .events = POLLOUT};
        const int n = poll(&ready, 1, ASK_EVERY_MS);
        if (n <= 0 && is_cancelled(encoder)) return rs_fail(error, RS_CANCELLED, "cancelled");
        if (n <= 0) continue;
        const ssize_t sent = send(encoder->frames, pixels + done, encoder->n_frame - done,
                                  MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            done += (size_t)sent;
        } else if (errno != EAGAIN && errno != EINTR) { /* ffmpeg has ended */
            close_one(&encoder->frames);
            const rs_status status = await_end(encoder, error);
            if (status != RS_OK) return status;
            return rs_fail(error, RS_UNSUPPORTED, _("ffmpeg ended too early"));
        }
    }
    return RS_OK;
}

/* ----------------------------------------------------------------------------------- is it whole? */

/* Tells whether the film is whole: on a full disk ffmpeg may leave half of one and still report
   success. */
static bool is_whole(const rv_encoder *encoder) {
    const off_t end = lseek(encoder->film, 0, SEEK_END);
    if (end <= 0) return false;
    return encoder->format != NULL ? encoder->format->is_whole(encoder->film, end)
                                   : end == RV_PALETTE_BYTES;
}

rs_status rv_encoder_finish(rv_encoder *encoder, rs_write write, void *context, rs_error *error) {
    char block[65536];
    close_one(&encoder->frames);
    const rs_status status = await_end(encoder, error);
    if (status != RS_OK) return status;
    if (!is_whole(encoder)) {
        char line[256];
        last_line(encoder, line);
        return rs_fail(error, RS_UNSUPPORTED, _("ffmpeg made no whole film: %s"), line);
    }
    ssize_t got;
    for (off_t at = 0; (got = pread(encoder->film, block, sizeof block, at)) > 0; at += got) {
        write(context, block, (size_t)got);
    }
    if (got == 0) return RS_OK;
    return rs_fail(error, RS_UNSUPPORTED, _("ffmpeg made no whole film: %s"), _(strerror(errno)));
}

void rv_encoder_free(rv_encoder *encoder) {
    if (encoder == NULL) return;
    close_one(&encoder->frames);
    if (encoder->child > 0) {
        kill(encoder->child, SIGKILL);
        while (waitpid(encoder->child, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    close_one(&encoder->theirs);
    close_one(&encoder->film);
    close_one(&encoder->words);
    close_one(&encoder->palette);
    free(encoder);
}
