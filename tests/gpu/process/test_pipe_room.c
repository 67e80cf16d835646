/* test_pipe_room.c: how much a started program may say, and what it is given of our environment.
 *
 * Each read of its output goes through ours, which sees how much room there is for it.
 */
#include "process/pipe.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static const rg_child *watched; /* NULL: none */
static size_t most_read;        /* how much of it comes at a time; 0: as much as there is */
static int n_beyond;

ssize_t read(int fd, void *bytes, size_t n) {
    ssize_t (*system)(int, void *, size_t);
    *(void **)&system = dlsym(RTLD_NEXT, "read");
    if (watched == NULL || fd != watched->out) return system(fd, bytes, n);
    const char *end = watched->bytes + watched->capacity;
    if ((char *)bytes != watched->bytes + watched->n || n != (size_t)(end - (char *)bytes)) {
        n_beyond++;
        return errno = EIO, -1;
    }
    return system(fd, bytes, most_read > 0 && n > most_read ? most_read : n);
}

static const char *sent_end; /* behind the frame that is being sent; NULL: none is */

ssize_t write(int fd, const void *bytes, size_t n) {
    ssize_t (*system)(int, const void *, size_t);
    *(void **)&system = dlsym(RTLD_NEXT, "write");
    if (sent_end != NULL && (const char *)bytes + n != sent_end) {
        n_beyond++;
        return errno = EIO, -1;
    }
    return system(fd, bytes, n);
}

static int64_t soon(void) {
    return rg_now_ps() + 20 * INT64_C(1000000000000);
}

static rg_writer frame(size_t n, int number) {
    rg_writer w = {0};
    char *bytes = malloc(n + 1);
    cr_assert_not_null(bytes);
    for (size_t k = 0; k < n; k++) bytes[k] = (char)(k * 7 + (size_t)number);
    rg_begin_frame(&w, RG_FRAME_RESULT);
    rg_put_bytes(&w, bytes, n);
    rg_end_frame(&w);
    free(bytes);
    return w;
}

/* Frames of up to some megabytes, one behind the other, in large parts and small ones: whole, and never beyond the room. */
Test(pipe_room, a_frame_of_any_size_comes_whole) {
    static const size_t sizes[] = {0,      65535, 65536,  131047, 131048, 131072,
                                   400000, 3,     131071, 262144, 3000001};
    enum { N_SIZES = sizeof sizes / sizeof *sizes };
    static const size_t parts[] = {0, 65536, 9000};
    for (int p = 0; p < 3; p++) {
        FILE *file = tmpfile();
        char path[40];
        rs_error error;
        rg_child child;
        cr_assert_not_null(file);
        for (int i = 0; i < N_SIZES; i++) {
            const rg_writer w = frame(sizes[i], i);
            cr_assert_eq(fwrite(w.bytes, 1, w.n, file), w.n);
            free(w.bytes);
        }
        fflush(file);
        snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), fileno(file));
        char *const words[] = {"cat", path, NULL};
        cr_assert_eq(rg_child_start(words, &error, &child), RS_OK, "%s", error.text);
        watched = &child;
        most_read = parts[p];
        for (int i = 0; i < N_SIZES; i++) {
            rg_frame kind;
            rg_reader reader;
            size_t n;
            cr_assert_eq(rg_child_receive(&child, soon(), NULL, "", &kind, &reader), RG_PIPE_FRAME,
                         "frame %d, %d reads beyond", i, n_beyond);
            const char *bytes = rg_get_bytes(&reader, &n);
            cr_assert(n == sizes[i] && reader.left == 0 && !reader.bad);
            for (size_t k = 0; k < n; k++) {
                if (bytes[k] != (char)(k * 7 + (size_t)i)) cr_assert_fail("byte %d", (int)k);
            }
        }
        rg_frame kind;
        rg_reader reader;
        cr_expect_eq(rg_child_receive(&child, soon(), NULL, "", &kind, &reader), RG_PIPE_END);
        cr_expect_eq(n_beyond, 0);
        watched = NULL;
        rg_child_end(&child, true);
        cr_expect(child.pid == 0 && child.in == -1 && child.out == -1 && child.err == -1);
        fclose(file);
    }
}

/* More than a pipe holds goes out in parts, each of what is left, to a program and from a rank. */
Test(pipe_room, a_frame_of_any_size_goes_out_whole) {
    static const size_t sizes[] = {0,      65536, (1 << 20) - 34, (1 << 20) - 33, (1 << 20) - 32,
                                   3000001};
    for (int i = 0; i < 6 * 2; i++) {
        const rg_writer w = frame(sizes[i / 2], i);
        FILE *file = tmpfile();
        char script[80];
        cr_assert_not_null(file);
        sent_end = w.bytes + w.n;
        bool sent;
        if (i % 2 == 0) {
            rs_error error;
            rg_child child;
            snprintf(script, sizeof script, "exec cat >/proc/%d/fd/%d", (int)getpid(),
                     fileno(file));
            char *const words[] = {"sh", "-c", script, NULL};
            cr_assert_eq(rg_child_start(words, &error, &child), RS_OK, "%s", error.text);
            sent = rg_write_frame(child.in, &w, soon());
            rg_child_end(&child, true);
        } else {
            sent = rg_write_frame(fileno(file), &w, 0);
        }
        sent_end = NULL;
        cr_expect(sent && n_beyond == 0, "%d bytes: %d writes of others", (int)w.n, n_beyond);
        rewind(file);
        rg_child rank = {.out = fileno(file), .err = -1};
        rg_frame kind;
        rg_reader reader;
        cr_assert_eq(rg_child_receive(&rank, soon(), NULL, "", &kind, &reader), RG_PIPE_FRAME);
        cr_expect(rank.taken == w.n && memcmp(rank.bytes, w.bytes, w.n) == 0, "%d bytes", (int)w.n);
        free(rank.bytes), free(w.bytes);
        fclose(file);
    }
}

/* Wherever a frame is cut, it is none. */
Test(pipe_room, a_frame_that_is_cut_anywhere_is_none) {
    const rg_writer small = frame(40, 1), large = frame((1 << 20) + 100, 1);
    for (size_t i = 0; i <= small.n + 40; i++) {
        const bool cuts_large = i > small.n;
        const rg_writer *w = cuts_large ? &large : &small;
        const size_t n_there = cuts_large ? (1 << 20) - 20 + (i - small.n) : i;
        FILE *file = tmpfile();
        rg_child rank = {.out = fileno(file), .err = -1};
        rg_frame kind;
        rg_reader reader;
        cr_assert_not_null(file);
        cr_assert_eq(fwrite(w->bytes, 1, n_there, file), n_there);
        rewind(file);
        cr_expect_eq(rg_child_receive(&rank, soon(), NULL, "", &kind, &reader),
                     n_there == w->n ? RG_PIPE_FRAME : RG_PIPE_END, "%d bytes of %d", (int)n_there,
                     (int)w->n);
        free(rank.bytes);
        fclose(file);
    }
    free(small.bytes), free(large.bytes);
}

/* All that we have, in its order, and nothing else. */
Test(pipe_room, a_program_has_our_environment) {
    static char *ours[] = {"WHA=1", "WHAT=2", "WHATEVER=3", "W=4", "PATH=/usr/bin:/bin", NULL};
    char *const words[] = {"cat", "/proc/self/environ", NULL};
    char wanted[500], got[500];
    size_t n_wanted = 0, n = 0;
    rs_error error;
    rg_child child;
    environ = ours;
    for (int k = 0; ours[k] != NULL; k++) {
        n_wanted +=
            (size_t)snprintf(wanted + n_wanted, sizeof wanted - n_wanted, "%s", ours[k]) + 1;
    }
    cr_assert_eq(rg_child_start(words, &error, &child), RS_OK, "%s", error.text);
    for (ssize_t part = -1; part != 0 && n < sizeof got;) {
        part = read(child.out, got + n, sizeof got - n);
        if (part > 0) n += (size_t)part;
        if (part < 0) usleep(500);
    }
    cr_expect(n == n_wanted && memcmp(got, wanted, n) == 0, "%.*s", (int)n, got);
    rg_child_end(&child, true);
}
