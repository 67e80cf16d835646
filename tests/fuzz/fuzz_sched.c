/* fuzz_sched.c: any bytes as a .sched file. What parses is printed, parses again to the same schedule,
 * and prints to the same bytes; what does not parse has an error that names line and column. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ringsim.h"
#include "support/printed.h"

static void round_trip(const rs_schedule *schedule, rs_arena *arena) {
    page first = {0}, second = {0};
    rs_error error;
    rs_schedule again;
    rs_print_schedule(schedule, keep, &first);
    const rs_status status = rs_parse_schedule(first.text, first.n, arena, &error, &again);
    assert(status == RS_OK && again.n_transfers == schedule->n_transfers);
    assert(again.max_sends == schedule->max_sends && again.max_run == schedule->max_run);
    rs_print_schedule(&again, keep, &second);
    assert(first.n == second.n && memcmp(first.text, second.text, first.n) == 0);
    free(first.text);
    free(second.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *exact = malloc(size > 0 ? size : 1); /* no byte more: a read beyond them is caught */
    if (exact == NULL) abort();
    if (size > 0) memcpy(exact, data, size);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_error error = {.text = ""};
    rs_schedule schedule;
    const rs_status status = rs_parse_schedule(exact, size, &arena, &error, &schedule);
    if (status == RS_OK) {
        round_trip(&schedule, &arena);
    } else {
        assert(status == RS_BAD_INPUT && strncmp(error.text, "line ", 5) == 0);
        assert(strchr(error.text, '\n') == NULL);
    }
    rs_arena_free(&arena);
    free(exact);
    return 0;
}
