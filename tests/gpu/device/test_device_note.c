/* test_device_note.c: what the reader should know of a run on the EMULATED device: each remark where it holds, the gravest first. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "gpu/device/device_cuda.h"
#include "job/backend.h"
#include "support/naive_apply.h"

/* Goes past a remark that must be next, from its first words to the next "; "; false: it is another. */
static bool take(const char **at, const char *begins, bool *first) {
    const char *from = *at;
    if (!*first && strncmp(from, "; ", 2) != 0) return false;
    from += *first ? 0 : 2;
    if (strncmp(from, begins, strlen(begins)) != 0) return false;
    const char *end = strstr(from, "; ");
    *at = end != NULL ? end : from + strlen(from);
    *first = false;
    return true;
}

Test(device_note, each_remark_stands_where_it_holds) {
    enum { N = 4, ELEMENTS = 100000 };
    const rs_schedule s = make_schedule("ring", RS_ORDER_SEED, N, ELEMENTS);
    for (int code = 0; code < 3 * 2 * 2 * 2 * 2; code++) {
        const int devices = 1 << code % 3;
        const bool reach = code / 3 % 2, cooperative = code / 6 % 2,
                   tiles = code / 12 % 2 && devices < N, /* one rank's array fits */
            trace = code / 24;
        if (tiles && !cooperative) continue; /* kernel 5 is refused */
        char machine[100];
        snprintf(machine, sizeof machine,
                 "EMU_DEVICES=%d EMU_PEERS=%d EMU_COOPERATIVE=%d EMU_CACHE=200", devices, reach,
                 cooperative);
        cuda_machine(machine);
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        rg_group *group = cuda_open(RG_CUDA, N, tiles ? 5 : 4 - 4 * !cooperative);
        rg_job job = cuda_job(&s, RS_F32, RS_SUM, ELEMENTS);
        job.trace = trace;
        const rg_result result = cuda_run(group, &job, &arena);
        const char *at = result.note;
        bool first = true;
        if (devices > 1 && !reach)
            cr_expect(take(&at,
                           "the GPUs cannot reach each other: all arrays lie in the host's memory",
                           &first),
                      "%s: %s", machine, result.note);
        if (!cooperative)
            cr_expect(take(&at, "kernel 3: GPU 0 has no cooperative launch", &first), "%s: %s",
                      machine, result.note);
        if (tiles) {
            const char *number = at + (first ? 0 : 2);
            int n_tiles, n_read = 0;
            cr_expect(sscanf(number, "%d tiles%n", &n_tiles, &n_read) == 1 && n_read > 0 &&
                          n_tiles > 1,
                      "%s: %s", machine, result.note);
            char begins[40];
            snprintf(begins, sizeof begins, "%d tiles", n_tiles);
            cr_expect(take(&at, begins, &first));
        }
        if (trace)
            cr_expect(take(&at, "the traced run took ", &first), "%s: %s", machine, result.note);
        if (devices < N) {
            char begins[40];
            snprintf(begins, sizeof begins, "4 ranks share %d GPU%s", devices,
                     devices == 1 ? "" : "s");
            cr_expect(take(&at, begins, &first), "%s: %s", machine, result.note);
        }
        cr_expect_str_empty(at, "%s: %s", machine, result.note);
        rg_group_close(group);
        rs_arena_free(&arena);
    }
}
