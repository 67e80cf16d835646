/* test_files.c: a file is read whole or refused, and its limit is what decides; a pipe as well as a regular file. */
#include "base/files.h"
#include "support/own.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 200001 };
static char folder[] = "/tmp/ringsim-files-XXXXXX", path[64];
static char wanted[MOST];

static void begin(void) {
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a", folder);
    for (int i = 0; i < MOST; i++) wanted[i] = (char)(i * 31 + i / 7);
}

static void end(void) {
    unlink(path);
    rmdir(folder);
}

TestSuite(files, .init = begin, .fini = end);

static rc_exit read_regular(size_t n, int64_t limit, rs_arena *arena, rs_error *error, char **data,
                            size_t *n_read) {
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(wanted, 1, n, file), n);
    fclose(file);
    return rc_read_file(path, limit, arena, error, data, n_read);
}

/* Of a stream whose length nobody knows; a third has been read already. */
static rc_exit read_stream(size_t n, int64_t limit, rs_arena *arena, rs_error *error, char **data,
                           size_t *n_read) {
    const size_t n_head = n / 3;
    FILE *stream = fmemopen(wanted + n_head, n - n_head, "rb");
    cr_assert_not_null(stream);
    const rc_exit status =
        rc_read_rest(stream, path, wanted, n_head, limit, arena, error, data, n_read);
    fclose(stream);
    return status;
}

Test(files, are_read_up_to_their_limit_and_not_a_byte_beyond) {
    static const size_t sizes[] = {1, 2, 4095, 4096, 65535, 65536, 65537, 100000, MOST};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (int64_t over = -1; over <= 1; over++) {
            for (int regular = 0; regular < 2; regular++) {
                const size_t n = sizes[i];
                const int64_t limit = (int64_t)n - over;
                char *data = NULL, reason[160];
                size_t n_read = 0;
                OWN_ARENA arena = {0};
                rs_error error = {.text = ""};
                const rc_exit status = (regular ? read_regular : read_stream)(
                    n, limit, &arena, &error, &data, &n_read);
                cr_assert_eq(status, over > 0 ? RC_USAGE : RC_GOOD, "%zu, limit %lld", n,
                             (long long)limit);
                if (over > 0) {
                    snprintf(reason, sizeof reason, "%s is longer than %lld bytes", path,
                             (long long)limit);
                    cr_expect_str_eq(error.text, reason);
                } else {
                    cr_expect_eq(n_read, n);
                    cr_expect(memcmp(data, wanted, n) == 0 && data[n] == '\0', "%zu", n);
                }
            }
        }
    }
}

Test(files, that_are_none_are_refused) {
    char *data;
    size_t n;
    OWN_ARENA arena = {0};
    rs_error error;
    cr_expect_eq(rc_read_file(folder, 100, &arena, &error, &data, &n), RC_USAGE);
    cr_expect(strstr(error.text, folder) != NULL, "%s", error.text);
    cr_expect_eq(rc_read_file("/nowhere/a", 100, &arena, &error, &data, &n), RC_USAGE);
    cr_expect(strncmp(error.text, "/nowhere/a: ", 12) == 0, "%s", error.text);
}
