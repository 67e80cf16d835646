/* wires_print.c: a machine in words: its devices, its links in groups, the ways out of its first GPU, what no schedule can beat
 * on it and the blocks of GPUs that bound it; and as JSON: ringsim.machine/1.
 *
 *     links
 *        16 x  GPU to switch      nvlink  370.8 GB/s each way, 300 ns   (hardware: 450 GB/s)
 *     ways from gpu0
 *       to  7 GPUs: gpu1, ...   gpu0 - node0.nvsw - gpu1    370.8 GB/s, 600 ns
 *     collective      least time  busbw at most  bound by what can leave
 *     all-reduce      7.50 ms     25 GB/s        each node
 *
 *   - In JSON routes are those of channel 0, of all pairs while there are at most 64 GPUs, else from GPU 0 to some;
 *     a pair without a way is left out.
 */
#include "base/text.h"
#include "machine/wires.h"
#include "base/json_file.h"

#include <math.h>

/* ------------------------------------------------------------------ bounds */

__extension__ typedef unsigned __int128 product;

enum { WORDS = 120, AMOUNT = 40 };

/* Returns n_bytes / time x factor in bytes a second; 0: there is no time. */
static int64_t busbw_of(rs_collective of, int32_t n_gpus, int64_t n_bytes, int64_t time_ps) {
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
    const int64_t busbw_Bps = busbw_of(of, machine->n_gpus, shown->n_bytes, bound->time_ps);
    printf("  ");
    rc_print_padded(rs_collective_name(of), 16);
    rv_format_time(bound->time_ps, text, sizeof text);
    rc_print_padded(text, 13);
    rv_format_bytes(busbw_Bps, bytes, sizeof bytes);
    snprintf(text, sizeof text, "%s/s", bytes);
    rc_print_padded(busbw_Bps > 0 ? text : "-", 15);
    print_reason(machine, bound);
}

static void print_bounds(const rc_wires *shown) {
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

/* ------------------------------------------------------------------ links */

enum { MOST_LOOKED = 512, ALL_PAIRS = 64 };
enum { MOST_GROUPS = 24, MOST_WAYS = 12, NUMBER = 40, LONGEST_WAY = 10 };

/* Lists the GPUs whose routes from GPU 0 are looked at: all, or of a large machine some of each end; returns how
   many. */
static int32_t looked_at(const rs_machine *machine, int32_t gpus[MOST_LOOKED]) {
    const int32_t n = machine->n_gpus, half = MOST_LOOKED / 2;
    if (n <= MOST_LOOKED) {
        for (int32_t i = 0; i < n; i++) gpus[i] = i;
        return n;
    }
    for (int32_t i = 0; i < half; i++) {
        gpus[i] = i;
        gpus[half + i] = half + (int32_t)((int64_t)(n - half) * (i + 1) / half) - 1;
    }
    return MOST_LOOKED;
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
    int32_t looked[MOST_LOOKED], n_cut_off = 0, n_other = 0;
    int n = 0;
    const int32_t n_looked = looked_at(machine, looked);
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
    if (status == RC_GOOD) print_bounds(shown);
    return status;
}

/* ------------------------------------------------------------------ JSON */

static void put_links(const rs_machine *machine, rs_json *json) {
    rs_json_lines(json, "links");
    for (int32_t i = 0; i < machine->n_links; i++) {
        const rs_machine_link *link = &machine->links[i];
        rs_json_object(json, NULL);
        rs_json_integer(json, "link", i);
        rs_json_text(json, "from", machine->names[link->a]);
        rs_json_text(json, "to", machine->names[link->b]);
        rs_json_unsigned(json, "bandwidth_Bps", link->bandwidth_Bps);
        rs_json_unsigned(json, "raw_Bps", link->raw_Bps);
        rs_json_integer(json, "alpha_ps", link->alpha_ps);
        rs_json_text(json, "kind", rs_link_kind_name((rs_link_kind)link->kind));
        rs_json_bool(json, "shared", link->shared);
        rs_json_close(json);
    }
    rs_json_close(json);
}

static void put_route(const rc_wires *shown, rs_json *json, int32_t src, int32_t dst) {
    rs_error ignored;
    rs_route route;
    if (src == dst || rs_router_find(shown->router, src, dst, 0, &ignored, &route) != RS_OK) return;
    rs_json_object(json, NULL);
    rs_json_integers(json, {"src", src}, {"dst", dst});
    rs_json_array(json, "links");
    for (int32_t i = 0; i < route.n_wires; i++) rs_json_integer(json, NULL, route.wires[i] / 2);
    rs_json_close(json);
    rs_json_close(json);
}

static void put_routes(const rc_wires *shown, rs_json *json) {
    const int32_t n = shown->machine->n_gpus;
    int32_t looked[MOST_LOOKED];
    const int32_t n_looked = looked_at(shown->machine, looked);
    rs_json_lines(json, "routes");
    for (int32_t src = 0; src < (n <= ALL_PAIRS ? n : 1); src++) {
        for (int32_t i = 0; i < n_looked; i++) put_route(shown, json, src, looked[i]);
    }
    rs_json_close(json);
}

static void put_bounds(const rc_wires *shown, rs_json *json) {
    const rs_machine *machine = shown->machine;
    rs_json_object(json, "bounds");
    for (rs_collective of = 0; of < RS_N_COLLECTIVES; of++) {
        const rs_bound *bound = &shown->bounds[of];
        const int64_t busbw_Bps = busbw_of(of, machine->n_gpus, shown->n_bytes, bound->time_ps);
        rs_json_object(json, rs_collective_name(of));
        rs_json_known(json, "time_ps", bound->time_ps);
        rs_json_number(json, "busbw_GBps", busbw_Bps > 0 ? (double)busbw_Bps / 1e9 : (double)NAN,
                       9);
        rc_json_blocks(json, "blocks", bound, machine->n_gpus);
        rs_json_known(json, "in_switch_time_ps", bound->in_switch_ps);
        rs_json_close(json);
    }
    rs_json_close(json);
}

void rc_json_machine(const rc_wires *shown, FILE *out) {
    const rs_machine *machine = shown->machine;
    rs_json json;
    rc_json_begin(&json, "ringsim.machine/1", out);
    rs_json_text(&json, "name", machine->name);
    rs_json_integers(&json, {"gpus", machine->n_gpus}, {"nodes", machine->n_nodes},
                     {"bytes", shown->n_bytes});
    rs_json_array(&json, "switches");
    for (int32_t d = machine->n_gpus; d < machine->n_devices; d++) {
        rs_json_text(&json, NULL, machine->names[d]);
    }
    rs_json_close(&json);
    put_links(machine, &json);
    put_routes(shown, &json);
    put_bounds(shown, &json);
    rc_json_end(&json);
}
