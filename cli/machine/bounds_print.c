/* bounds_print.c: what no schedule can beat on a machine, and the blocks of GPUs that bound it.
 *
 *     collective      least time  busbw at most  bound by what can leave
 *     all-reduce      7.50 ms     25 GB/s        each node
 */
#include "base/text.h"
#include "machine/wires.h"

#include <string.h>

__extension__ typedef unsigned __int128 product;

enum { WORDS = 120, AMOUNT = 40 };

int64_t rc_busbw_Bps(rs_collective of, int32_t n_gpus, int64_t n_bytes, int64_t time_ps) {
    int64_t num, den;
    if (time_ps <= 0 || n_gpus < 2) return 0;
    rs_busbw_factor(of, n_gpus, &num, &den);
    const product top = (product)(uint64_t)n_bytes * 1000000000000u; /* < 2^103 */
    const product rate = top / (uint64_t)time_ps * (uint64_t)num / (uint64_t)den;
    return rate > INT64_MAX ? INT64_MAX : (int64_t)rate;
}

/* Writes 0-3,6 for the GPUs of a block, as far as there is room. */
static void list_gpus(const rs_machine *machine, const int32_t *block, char out[WORDS]) {
    size_t n = 0;
    out[0] = '\0';
    for (int32_t gpu = 0; gpu < machine->n_gpus; gpu++) {
        if (block[gpu] != 0) continue;
        if (n + 32 >= WORDS) {
            snprintf(out + n, WORDS - n, ",...");
            return;
        }
        int32_t last = gpu;
        while (last + 1 < machine->n_gpus && block[last + 1] == 0) last++;
        n += (size_t)snprintf(out + n, WORDS - n, last > gpu ? "%s%d-%d" : "%s%d", n > 0 ? "," : "",
                              (int)gpu, (int)last);
        gpu = last;
    }
}

static void print_reason(const rs_machine *machine, const rs_bound *bound) {
    char gpus[WORDS];
    switch (bound->by) {
    case RS_BY_NOTHING: puts("-"); return;
    case RS_BY_RANKS: puts(_("each GPU")); return;
    case RS_BY_NODES: puts(_("each node")); return;
    case RS_BY_LEVEL: puts(_("each switch, from the GPUs below it")); return;
    case RS_BY_NODE: printf(_("node %d: "), (int)bound->which); break;
    case RS_BY_SWITCH: printf(_("what lies below %s: "), machine->names[bound->which]); break;
    case RS_BY_RANK:
    case RS_BY_CUT:
    case RS_BY_FAR_CUT: break;
    }
    list_gpus(machine, bound->block, gpus);
    printf("GPU %s\n", gpus);
}

static void print_bound(const rc_wires *shown, rs_collective of) {
    const rs_machine *machine = shown->machine;
    const rs_bound *bound = &shown->bounds[of];
    char text[AMOUNT], bytes[AMOUNT - 4];
    const int64_t busbw_Bps = rc_busbw_Bps(of, machine->n_gpus, shown->n_bytes, bound->time_ps);
    printf("  ");
    rc_print_padded(rs_collective_name(of), 16);
    rv_format_time(bound->time_ps, text, sizeof text);
    rc_print_padded(text, 13);
    rv_format_bytes(busbw_Bps, bytes, sizeof bytes);
    snprintf(text, sizeof text, "%s/s", bytes);
    rc_print_padded(busbw_Bps > 0 ? text : "-", 15);
    print_reason(machine, bound);
}

void rc_print_bounds(const rc_wires *shown) {
    const rs_bound *all_reduce = &shown->bounds[RS_COLL_ALL_REDUCE];
    char text[AMOUNT];
    if (shown->machine->n_gpus < 2) return;
    if (all_reduce->time_ps < 0) {
        printf("\n%s\n", _("no collective among all GPUs ends: some cannot be reached"));
        return;
    }
    rv_format_bytes(shown->n_bytes, text, sizeof text);
    printf(_("\nno schedule for %s is faster, by what the hardware could carry at all\n"), text);
    printf("  ");
    rc_print_padded(_("collective"), 16);
    rc_print_padded(_("least time"), 13);
    rc_print_padded(_("busbw"), 15);
    puts(_("bound by what can leave"));
    for (rs_collective of = 0; of < RS_N_COLLECTIVES; of++) print_bound(shown, of);
    if (all_reduce->in_switch_ps < 0) return;
    rv_format_time(all_reduce->in_switch_ps, text, sizeof text);
    printf(_("where switches do the adding, all-reduce takes at least %s\n"), text);
}
