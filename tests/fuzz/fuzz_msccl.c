/* fuzz_msccl.c: any bytes as an MSCCL program. What is judged right and can be a schedule is a sound one; what is refused has
 * one line of reason. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ringsim_check.h"
#include "ringsim_msccl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *exact = malloc(size > 0 ? size : 1); /* no byte more: a read beyond them is caught */
    if (exact == NULL) abort();
    if (size > 0) memcpy(exact, data, size);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_error error = {.text = ""};
    rs_schedule schedule;
    bool wrong;
    const bool program = size > 0 && exact[0] == '<';
    const rs_status status =
        program ? rn_msccl_schedule("x", exact, size, &arena, &error, &wrong, &schedule)
                : RS_BAD_INPUT;
    if (status == RS_OK) {
        rs_verdict verdict;
        const rs_status judged = rs_check(&schedule, NULL, &error, &verdict);
        assert(judged == RS_OK && verdict.sound);
    } else if (program) {
        assert(error.text[0] != '\0' && strchr(error.text, '\n') == NULL);
    }
    rs_arena_free(&arena);
    free(exact);
    return 0;
}
