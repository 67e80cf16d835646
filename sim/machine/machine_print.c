/* machine_print.c: a machine as .machine text (machine_text.c reads it). */
#include "base/scan.h"
#include "machine/ringsim_machine.h"
#include "ringsim_print.h"

#include <assert.h>
#include <stdio.h>

static const char *const kinds[] = {"nvlink", "pcie", "cpu", "net"};

static void print_switches(rs_printer *out, const rs_machine *machine) {
    enum { A_LINE = 8 };
    int32_t n = 0;
    for (int32_t d = machine->n_gpus; d < machine->n_devices; d++) {
        const bool last = d + 1 == machine->n_devices || n + 1 == A_LINE ||
                          machine->reduces[d + 1] != machine->reduces[d];
        rs_printer_put(out, n == 0 ? "switch " : " ");
        rs_printer_put(out, machine->names[d]);
        n = last ? 0 : n + 1;
        if (last) rs_printer_put(out, machine->reduces[d] ? " reduces\n" : "\n");
    }
}

static void print_kernel(rs_printer *out, const char *word, int64_t ps) {
    char time[RS_SCAN_AMOUNT], line[64];
    if (ps == 0) return;
    snprintf(line, sizeof line, "%s %s\n", word, rs_scan_print_amount(RS_SCAN_TIME, ps, time));
    rs_printer_put(out, line);
}

static void print_link(rs_printer *out, const rs_machine *machine, const rs_machine_link *link) {
    char rate[RS_SCAN_AMOUNT], raw[RS_SCAN_AMOUNT], time[RS_SCAN_AMOUNT], line[512];
    int n = snprintf(line, sizeof line, "link %s %s bandwidth %s", machine->names[link->a],
                     machine->names[link->b],
                     rs_scan_print_amount(RS_SCAN_RATE, (int64_t)link->bandwidth_Bps, rate));
    if (link->alpha_ps > 0) {
        n += snprintf(line + n, sizeof line - (size_t)n, " latency %s",
                      rs_scan_print_amount(RS_SCAN_TIME, link->alpha_ps, time));
    }
    if (link->raw_Bps != link->bandwidth_Bps) {
        n += snprintf(line + n, sizeof line - (size_t)n, " raw %s",
                      rs_scan_print_amount(RS_SCAN_RATE, (int64_t)link->raw_Bps, raw));
    }
    if (link->kind != RS_NVLINK) {
        n += snprintf(line + n, sizeof line - (size_t)n, " kind %s", kinds[link->kind]);
    }
    snprintf(line + n, sizeof line - (size_t)n, "%s\n", link->shared ? " shared" : "");
    rs_printer_put(out, line);
}

static void print_route(rs_printer *out, const rs_machine *machine, const rs_machine_route *route) {
    int32_t device = route->src;
    rs_printer_put(out, "route ");
    rs_printer_put(out, machine->names[route->src]);
    rs_printer_put(out, " ");
    rs_printer_put(out, machine->names[route->dst]);
    for (int32_t i = 0; i <= route->n_hops; i++) {
        rs_printer_put(out, " ");
        rs_printer_put(out, machine->names[device]);
        if (i == route->n_hops) break;
        const rs_machine_link *link = &machine->links[machine->hops[route->first + i]];
        device = link->a == device ? link->b : link->a;
    }
    rs_printer_put(out, "\n");
}

void rs_print_machine(const rs_machine *machine, rs_write write, void *context) {
    assert(write != NULL);
    rs_printer out = {.write = write, .context = context};
    char head[64];
    const int n = snprintf(head, sizeof head, "ringsim-machine 1\ngpus %d", (int)machine->n_gpus);
    snprintf(head + n, sizeof head - (size_t)n, machine->sm > 0 ? " sm %d\n" : "\n",
             (int)machine->sm);
    rs_printer_put(&out, head);
    print_kernel(&out, "launch", machine->launch_ps);
    print_kernel(&out, "barrier", machine->barrier_ps);
    print_switches(&out, machine);
    for (int32_t i = 0; i < machine->n_links; i++) print_link(&out, machine, &machine->links[i]);
    for (int32_t i = 0; i < machine->n_routes; i++) print_route(&out, machine, &machine->routes[i]);
    rs_printer_flush(&out);
}

const char *rs_link_kind_name(rs_link_kind kind) {
    return kinds[kind];
}
