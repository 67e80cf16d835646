/* read_any.c: for the fuzz targets of topologies. */
#include "fuzz/read_any.h"
#include "support/printed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Printed, it is read as a .machine, and is the same. */
static void print_and_read(const rs_machine *machine, rs_arena *arena) {
    page printed = {0};
    rs_error error;
    rs_machine again;
    rs_print_machine(machine, keep, &printed);
    assert(rn_recognise(printed.text, printed.n) == RN_OWN_MACHINE);
    assert(rs_parse_machine(printed.text, printed.n, "again", arena, &error, &again) == RS_OK);
    assert(again.n_gpus == machine->n_gpus && again.n_devices == machine->n_devices);
    assert(again.n_links == machine->n_links && again.n_nodes == machine->n_nodes);
    free(printed.text);
}

static void find_routes(const rs_machine *machine, rs_arena *arena) {
    rs_error error;
    rs_router *router;
    rs_route route;
    assert(rs_router_new(machine, arena, &error, &router) == RS_OK);
    for (int32_t dst = 1; dst < machine->n_gpus && dst < 5; dst++) {
        assert(rs_router_find(router, 0, dst, 0, &error, &route) == RS_OK);
    }
}

void read_any(rn_content content, const char *data, size_t n_bytes) {
    char *exact =
        malloc(n_bytes > 0 ? n_bytes : 1); /* no byte more: a read beyond them is caught */
    if (exact == NULL) abort();
    if (n_bytes > 0) memcpy(exact, data, n_bytes);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_error error = {.text = ""};
    rn_findings findings = {0};
    rs_machine machine;
    rn_recognise(exact, n_bytes);
    const rs_status status =
        rn_read_topology(content, exact, n_bytes, "it", "it", &arena, &findings, &error, &machine);
    if (status == RS_UNSUPPORTED) {
        assert(findings.n[RN_ERROR] == 0); /* built without expat */
    } else if (status == RS_OK) {
        assert(findings.n[RN_ERROR] == 0 && machine.n_gpus >= 1);
        print_and_read(&machine, &arena);
        find_routes(&machine, &arena);
    } else {
        assert(status == RS_BAD_INPUT && findings.n[RN_ERROR] >= 1);
        assert(strncmp(error.text, "it:", 3) == 0 && error.text[3] >= '1' && error.text[3] <= '9');
    }
    rs_arena_free(&arena);
    free(exact);
}
