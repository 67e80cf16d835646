/* fuzz_zip.c: any bytes as a zip: each file lies in it, and is unpacked whole or refused in one line. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/zip.h"
#include "ringsim_host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { LIMIT = 1 << 16 };
    char *exact = malloc(size > 0 ? size : 1); /* no byte more: a read beyond them is caught */
    rs_arena arena;
    rc_zip_member member;
    size_t at = 0;
    if (exact == NULL) abort();
    if (size > 0) memcpy(exact, data, size);
    rs_arena_init(&arena, NULL);
    for (int n = 0; n < 64 && rc_zip_next(exact, size, &at, &member); n++) {
        const size_t from = (size_t)(member.data - exact);
        rs_error error = {.text = ""};
        char *text = NULL;
        size_t n_text = 0;
        assert(from <= size && member.n_data <= size - from);
        assert(memchr(member.name, '\0', sizeof member.name) != NULL);
        if (rc_zip_read(&member, LIMIT, &arena, &error, &text, &n_text) == RC_GOOD) {
            assert(n_text <= LIMIT && text[n_text] == '\0');
        } else {
            assert(error.text[0] != '\0' && strchr(error.text, '\n') == NULL);
        }
    }
    rs_arena_free(&arena);
    free(exact);
    return 0;
}
