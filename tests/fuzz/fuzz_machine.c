/* fuzz_machine.c: any bytes as a .machine file. What parses is printed, parses again to the same machine,
 * and prints to the same bytes; between its first GPUs routes are found or refused; what does not parse
 * has an error that names line and column. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ringsim_machine.h"
#include "support/printed.h"

static void round_trip(const rs_machine *machine, rs_arena *arena) {
    page first = {0}, second = {0};
    rs_error error;
    rs_machine again;
    rs_print_machine(machine, keep, &first);
    const rs_status status = rs_parse_machine(first.text, first.n, "again", arena, &error, &again);
    assert(status == RS_OK && again.n_devices == machine->n_devices);
    assert(again.n_links == machine->n_links && again.n_routes == machine->n_routes);
    rs_print_machine(&again, keep, &second);
    assert(first.n == second.n && memcmp(first.text, second.text, first.n) == 0);
    free(first.text);
    free(second.text);
}

/* Every route leads from its source to its destination. */
static void try_routes(const rs_machine *machine, rs_arena *arena) {
    rs_error error;
    rs_router *router;
    rs_route route;
    assert(rs_router_new(machine, arena, &error, &router) == RS_OK);
    for (int32_t src = 0; src < machine->n_gpus && src < 4; src++) {
        for (int32_t dst = 0; dst < machine->n_gpus && dst < 4; dst++) {
            if (src == dst || rs_router_find(router, src, dst, src, &error, &route) != RS_OK) {
                continue;
            }
            int32_t device = src;
            for (int32_t i = 0; i < route.n_wires; i++) {
                const rs_machine_link *link = &machine->links[route.wires[i] / 2];
                assert(link->a == device || link->b == device);
                device = link->a == device ? link->b : link->a;
            }
            assert(device == dst);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *exact = malloc(size > 0 ? size : 1); /* no byte more: a read beyond them is caught */
    if (exact == NULL) abort();
    if (size > 0) memcpy(exact, data, size);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_error error = {.text = ""};
    rs_machine machine;
    const rs_status status = rs_parse_machine(exact, size, "fuzz", &arena, &error, &machine);
    if (status == RS_OK) {
        round_trip(&machine, &arena);
        try_routes(&machine, &arena);
    } else {
        assert(status == RS_BAD_INPUT && strncmp(error.text, "line ", 5) == 0);
        assert(strchr(error.text, '\n') == NULL);
    }
    rs_arena_free(&arena);
    free(exact);
    return 0;
}
