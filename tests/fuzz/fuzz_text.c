/* fuzz_text.c: any bytes, made plain: as many lines, and plain text stays as it is where it is nothing else. */
#include "ringsim_text.h"

#include <assert.h>
#include <stddef.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rs_arena arena;
    rs_error error;
    rn_plain plain;
    rs_arena_init(&arena, NULL);
    const rs_status status = rn_make_plain((const char *)data, size, &arena, &error, &plain);
    assert(status == RS_OK && plain.text[plain.n_bytes] == '\0');
    (void)status;
    rs_arena_free(&arena);
    return 0;
}
