/* test_document_memory.c: whichever of its lists a text has no memory for, that is said, and no document is made. */
#include "lesson/document.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A host whose n-th block of memory is not to be had. */
static int n_until_refused;
static void *allocate(void *context, size_t n_bytes) {
    (void)context;
    return n_until_refused-- == 0 ? NULL : malloc(n_bytes);
}
static void release(void *context, void *memory, size_t n_bytes) {
    (void)context, (void)n_bytes;
    free(memory);
}

/* So long a text that each list is a block of its own. */
Test(document_memory, of_each_list_that_lacks_is_said) {
    enum { WORDS = 8000, MOST = 40, LISTS = 4 };
    static char text[8 * WORDS];
    const rs_host host = {.allocate = allocate, .release = release};
    for (int i = 0; i < WORDS; i++) memcpy(text + 5 * i, i % 50 == 49 ? "**a**" : "word ", 5);
    int n = 0;
    for (bool good = false; !good; n++) {
        rs_arena arena;
        rs_error error = {.text = ""};
        rv_document document = {.n_blocks = -1};
        rs_arena_init(&arena, &host);
        cr_assert_lt(n, MOST);
        n_until_refused = n;
        const rs_status status =
            rv_parse_document(text, (size_t)5 * WORDS, &arena, &error, &document);
        good = status == RS_OK;
        if (good) {
            cr_expect_eq(document.n_blocks, 1);
        } else {
            cr_expect_eq(status, RS_NO_MEMORY, "block %d: %d", n, (int)status);
            cr_expect_not_null(strstr(error.text, "no memory to read a text of 40000 bytes"),
                               "block %d: %s", n, error.text);
            cr_expect_eq(document.n_blocks, -1);
        }
        rs_arena_free(&arena);
    }
    cr_expect_gt(n, LISTS);
}
