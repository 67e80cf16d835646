/* fuzz_lesson.c: any text as a lesson: it is read or refused with a reason, and can be written. */
#include <stdlib.h>
#include <string.h>

#include "lesson/lesson.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static size_t n_written;
static void count(void *context, const char *text, size_t n_bytes) {
    (void)context, (void)text;
    n_written += n_bytes;
}

static void write_all(const rv_lesson *lesson) {
    const rv_part all = {0, lesson->document.n_blocks};
    for (int width = 1; width < 100; width += 33) {
        const rv_type type = {.width = width, .attributes = width > 50};
        if (!rv_write_part(lesson, all, &type, count, NULL)) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static rv_lesson lesson;
    rs_arena arena;
    rs_error error = {.text = ""};
    if (n > 1 << 14) return 0;
    char *text = malloc(n + 1);
    if (text == NULL) return 0;
    memcpy(text, data, n);
    text[n] = '\0';
    rs_arena_init(&arena, NULL);
    memset(&lesson, 0, sizeof lesson);
    const rs_status status = rv_read_lesson(text, n, &arena, &error, &lesson);
    if (status == RS_OK) {
        write_all(&lesson);
    } else if (error.text[0] == '\0') {
        abort();
    } else if (rv_parse_document(text, n, &arena, &error, &lesson.document) == RS_OK) {
        write_all(&lesson);
    }
    rs_arena_free(&arena);
    free(text);
    return 0;
}
