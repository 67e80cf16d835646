/* wires_print.c: a machine in words: its devices, its links in groups, the ways out of its first GPU.
 *
 *     links
 *        16 x  GPU to switch      nvlink  370.8 GB/s each way, 300 ns   (hardware: 450 GB/s)
 *     ways from gpu0
 *       to  7 GPUs: gpu1, ...   gpu0 - node0.nvsw - gpu1    370.8 GB/s, 600 ns
 */
#include "base/text.h"
#include "machine/wires.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_GROUPS = 24, MOST_WAYS = 12, NUMBER = 40, LONGEST_WAY = 10 };

int32_t rc_looked_at(const rs_machine *machine, int32_t gpus[RC_MOST_LOOKED]) {
    const int32_t n = machine->n_gpus, half = RC_MOST_LOOKED / 2;
    if (n <= RC_MOST_LOOKED) {
        for (int32_t i = 0; i < n; i++) gpus[i] = i;
        return n;
    }
    for (int32_t i = 0; i < half; i++) {
        gpus[i] = i;
        gpus[half + i] = half + (int32_t)((int64_t)(n - half) * (i + 1) / half) - 1;
    }
    return RC_MOST_LOOKED;
}

static const char *rate_text(uint64_t Bps, char out[NUMBER]) {
    char bytes[NUMBER - 4];
    rv_format_bytes((int64_t)Bps, bytes, sizeof bytes);
    snprintf(out, NUMBER, "%s/s", bytes);
    return out;
}

static const char *time_text(int64_t time_ps, char out[NUMBER]) {
    rv_format_time(time_ps, out, NUMBER);
    return out;
}

/* ------------------------------------------------------------------ links */

/* Links that are alike. */
typedef struct link_group {
    const rs_machine_link *first;
    int n_gpu_ends; /* 0..2 */
    int64_t n;
} link_group;

static int gpu_ends(const rs_machine *machine, const rs_machine_link *link) {
    return (link->a < machine->n_gpus) + (link->b < machine->n_gpus);
}

static bool alike(const rs_machine *machine, const link_group *group, const rs_machine_link *link) {
    const rs_machine_link *first = group->first;
    return first->kind == link->kind && first->bandwidth_Bps == link->bandwidth_Bps &&
           first->raw_Bps == link->raw_Bps && first->alpha_ps == link->alpha_ps &&
           first->shared == link->shared && group->n_gpu_ends == gpu_ends(machine, link);
}

/* Groups the links; returns how many groups, the last one holds all that found no place. */
static int group_links(const rs_machine *machine, link_group groups[MOST_GROUPS + 1]) {
    int n = 0;
    groups[MOST_GROUPS] = (link_group){0};
    for (int32_t i = 0; i < machine->n_links; i++) {
        const rs_machine_link *link = &machine->links[i];
        int at = 0;
        while (at < n && !alike(machine, &groups[at], link)) at++;
        if (at == n && n < MOST_GROUPS) {
            groups[n++] = (link_group){link, gpu_ends(machine, link), 0};
        }
        groups[at].n++;
    }
    return n;
}

static void print_links(const rs_machine *machine) {
    static const char *const ends[] = {N_("switch to switch"), N_("GPU to switch"),
                                       N_("GPU to GPU")};
    link_group groups[MOST_GROUPS + 1];
    const int n = group_links(machine, groups);
    char number[NUMBER];
    if (machine->n_links > 0) printf("\n%s\n", _("links"));
    for (int i = 0; i < n; i++) {
        const rs_machine_link *link = groups[i].first;
        printf("  %6lld x  ", (long long)groups[i].n);
        rc_print_padded(_(ends[groups[i].n_gpu_ends]), 18);
        rc_print_padded(rs_link_kind_name((rs_link_kind)link->kind), 8);
        printf(link->shared ? _("%s, both ways together") : _("%s each way"),
               rate_text(link->bandwidth_Bps, number));
        if (link->alpha_ps > 0) printf("%s%s", _(", "), time_text(link->alpha_ps, number));
        if (link->raw_Bps != link->bandwidth_Bps) {
            printf(_("  (the hardware: %s)"), rate_text(link->raw_Bps, number));
        }
        puts("");
    }
    if (groups[MOST_GROUPS].n > 0) {
        printf(_("  %6lld more of other kinds\n"), (long long)groups[MOST_GROUPS].n);
    }
}

/* ------------------------------------------------------------------ ways */

/* Ways that look alike: as many wires of the same worst kind, as wide and as long. */
typedef struct way_group {
    int32_t dst, n_wires, n;
    int64_t alpha_ps, n_ways;
    uint64_t narrowest_Bps;
    int worst;
} way_group;

static way_group look_at(const rs_machine *machine, int32_t dst, const rs_route *route) {
    way_group way = {.dst = dst,
                     .n_wires = route->n_wires,
                     .n = 1,
                     .n_ways = route->n_ways,
                     .narrowest_Bps = UINT64_MAX};
    for (int32_t i = 0; i < route->n_wires; i++) {
        const rs_machine_link *link = &machine->links[route->wires[i] / 2];
        way.alpha_ps += link->alpha_ps;
        if (link->bandwidth_Bps < way.narrowest_Bps) way.narrowest_Bps = link->bandwidth_Bps;
        if (link->kind > way.worst) way.worst = link->kind;
    }
    return way;
}

static bool same_way(const way_group *a, const way_group *b) {
    return a->n_wires == b->n_wires && a->alpha_ps == b->alpha_ps && a->worst == b->worst &&
           a->narrowest_Bps == b->narrowest_Bps;
}

/* Prints gpu0 - sw - gpu1; of a long way its two ends. */
static void print_way(const rs_machine *machine, const rs_route *route) {
    int32_t device = 0;
    printf("%s", machine->names[0]);
    for (int32_t i = 0; i < route->n_wires; i++) {
        const rs_machine_link *link = &machine->links[route->wires[i] / 2];
        device = link->a == device ? link->b : link->a;
        if (i < LONGEST_WAY / 2 || i >= route->n_wires - LONGEST_WAY / 2) {
            printf(" - %s", machine->names[device]);
        } else if (i == LONGEST_WAY / 2) {
            printf(" - ...");
        }
    }
    puts("");
}

static rc_exit print_ways(const rc_wires *shown, rs_error *error) {
    const rs_machine *machine = shown->machine;
    way_group groups[MOST_WAYS];
    int32_t looked[RC_MOST_LOOKED], n_cut_off = 0, n_other = 0;
    int n = 0;
    const int32_t n_looked = rc_looked_at(machine, looked);
    if (machine->n_gpus > 1) puts("");
    for (int32_t i = 1; i < n_looked; i++) {
        rs_route route;
        rs_error reason;
        const rs_status status = rs_router_find(shown->router, 0, looked[i], 0, &reason, &route);
        if (status == RS_NO_MEMORY) return *error = reason, rc_exit_of(status);
        if (status != RS_OK) {
            n_cut_off++;
            continue;
        }
        const way_group way = look_at(machine, looked[i], &route);
        int at = 0;
        while (at < n && !same_way(&groups[at], &way)) at++;
        if (at < n) {
            groups[at].n++;
        } else if (n < MOST_WAYS) {
            groups[n++] = way;
        } else {
            n_other++;
        }
    }
    for (int i = 0; i < n; i++) {
        const way_group *way = &groups[i];
        char rate[NUMBER], time[NUMBER];
        rs_route route;
        const rs_status again = rs_router_find(shown->router, 0, way->dst, 0, error, &route);
        if (again != RS_OK) return rc_exit_of(again);
        if (n_looked < machine->n_gpus) {
            printf(_("gpu0 to gpu%d and others alike"), (int)way->dst);
        } else {
            printf(way->n == 1 ? _("gpu0 to gpu%d") : _("gpu0 to gpu%d and %d more alike"),
                   (int)way->dst, (int)way->n - 1);
        }
        printf(_(": at most %s, latency %s"), rate_text(way->narrowest_Bps, rate),
               time_text(way->alpha_ps, time));
        if (way->n_ways > 1) printf(_("; %lld such ways"), (long long)way->n_ways);
        printf("\n  ");
        print_way(machine, &route);
    }
    if (n_other > 0) {
        printf(n_other == 1 ? _("gpu0 to %d more GPU, another way still\n")
                            : _("gpu0 to %d more GPUs, other ways still\n"),
               (int)n_other);
    }
    if (n_cut_off > 0) {
        printf(n_cut_off == 1 ? _("no way leads from gpu0 to %d other GPU\n")
                              : _("no way leads from gpu0 to %d other GPUs\n"),
               (int)n_cut_off);
    }
    return RC_GOOD;
}

rc_exit rc_print_wires(const rc_wires *shown, rs_error *error) {
    const rs_machine *machine = shown->machine;
    char name[256];
    printf(_("machine %s: GPUs %d, nodes %d, switches and other devices %d, links %d\n"),
           rc_plain(machine->name, true, name, sizeof name), (int)machine->n_gpus,
           (int)machine->n_nodes, (int)(machine->n_devices - machine->n_gpus),
           (int)machine->n_links);
    print_links(machine);
    const rc_exit status = print_ways(shown, error);
    if (status == RC_GOOD) rc_print_bounds(shown);
    return status;
}
