/* machine_text.c: .machine files, parsed and printed in memory. The format: ringsim-machine(5).
 *
 *     ringsim-machine 1
 *     gpus 4                                              # gpu0 .. gpu3
 *     switch sw0 sw1
 *     link gpu0 sw0 bandwidth 25GB/s latency 1us          # both ways
 *     route gpu0 gpu3 gpu0 sw0 sw1 gpu3
 *     launch 3.9us
 *     barrier 1.35us
 *
 *   - The text is read four times: it is checked and counted, then the names are taken, the links, the
 *     routes. So no number in it decides how much is allocated, and a name may stand before its device.
 *   - Names are found by their hashes, in order, and links by their two devices, in order.
 *   - Every error names line and column. Parsing a printed machine gives the same machine: factors of
 *     faults and the machine's own name are no part of the text, and a route takes the widest of
 *     several links between two devices, then the first.
 */
#include "base/scan.h"
#include "base/containers.h"
#include "machine/machine_index.h"

#include <string.h>

static const int64_t least_Bps = 1000, most_Bps = 10000000000000000; /* 1 kB/s, 10 PB/s */
static const int64_t most_alpha_ps = 1000000000000;                  /* 1 s */

typedef enum parse_stage { COUNTING, NAMING, LINKING, ROUTING } parse_stage;

typedef struct machine_parser {
    rs_scan scan;
    parse_stage stage;
    bool headed;
    int32_t n_gpus; /* 0: not read yet */
    int32_t sm;
    int64_t kernel_ps[2]; /* launch, barrier; -1: not read yet */
    int32_t n_switches, n_links, n_routes;
    int64_t n_hops;
    rs_texts switches; /* their names; known from NAMING on */
    bool *reduces;     /* [n_devices] */
    rs_machine_link *links;
    rs_pair *pairs;        /* [n_links] sorted by devices, the widest first, then the first */
    rs_told_route *routes; /* sorted by their ends at last */
    int32_t *hops;
    int32_t *passed; /* [n_devices] the last route that came through, + 1 */
} machine_parser;

/* ------------------------------------------------------------------ names */

static bool is_name_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

/* Takes a device's name, and the blanks behind it. */
static rs_token take_name(rs_scan *scan, const char *what) {
    const rs_token name = {scan->at, 0};
    while (scan->at < scan->line_end && is_name_char(*scan->at)) scan->at++;
    const size_t n = (size_t)(scan->at - name.text);
    if (n == 0) {
        rs_scan_fail_with(scan, name.text, 0, "expected %s", what);
    } else if (n > RS_MAX_DEVICE_NAME) {
        rs_scan_fail(scan, name.text, "a device's name has 63 bytes at the most");
    }
    rs_scan_end_number(scan, "a device's name has letters, digits, '_' and '.'");
    return (rs_token){name.text, n};
}

static bool is_word(rs_token name, const char *word) {
    return name.n == strlen(word) && memcmp(name.text, word, name.n) == 0;
}

/* Takes a device that must be there; returns it. */
static int32_t take_device(machine_parser *p) {
    rs_scan *scan = &p->scan;
    const rs_token name = take_name(scan, RS_MESSAGE("a device"));
    if (p->stage == COUNTING || scan->status != RS_OK) return 0;
    const int64_t gpu = rs_gpu_number(name);
    if (gpu >= 0 && gpu < p->n_gpus) return (int32_t)gpu;
    const int64_t number = rs_text_find(&p->switches, name.text, name.n);
    if (number >= 0) return p->n_gpus + (int32_t)number;
    if (gpu >= 0) {
        rs_scan_fail_with(scan, name.text, -1, "there is no device %.*s: GPUs are gpu0..gpu%d",
                          (int)name.n, name.text, (int)p->n_gpus - 1);
    } else {
        rs_scan_fail_with(scan, name.text, -1, "there is no device %.*s; name it with 'switch'",
                          (int)name.n, name.text);
    }
    return 0;
}

/* ------------------------------------------------------------------ statements */

static void take_gpus(machine_parser *p) {
    rs_scan *scan = &p->scan;
    if (p->n_gpus != 0) rs_scan_fail(scan, scan->statement, "'gpus' is said twice");
    p->n_gpus = (int32_t)rs_scan_whole_number(scan, "the number of GPUs", 1, RS_MAX_MACHINE_GPUS,
                                              RS_MESSAGE("expected the end of the number"));
    if (rs_scan_word(scan, "sm")) {
        p->sm = (int32_t)rs_scan_whole_number(scan, "the compute capability", 10, 999,
                                              RS_MESSAGE("expected the end of the number"));
    }
}

/* Takes what a kernel's start, or a barrier, costs. */
static void take_kernel(machine_parser *p, const char *word, int64_t *ps) {
    rs_scan *scan = &p->scan;
    if (*ps >= 0) rs_scan_fail_with(scan, scan->statement, -1, "'%s' is said twice", word);
    *ps = rs_scan_amount(scan, "a time", RS_SCAN_TIME, 0, most_alpha_ps);
}

static void take_launch(machine_parser *p) {
    take_kernel(p, "launch", &p->kernel_ps[0]);
}

static void take_barrier(machine_parser *p) {
    take_kernel(p, "barrier", &p->kernel_ps[1]);
}

static void take_switches(machine_parser *p) {
    rs_scan *scan = &p->scan;
    const int32_t first = p->n_switches;
    bool reduces = false;
    do {
        const rs_token name = take_name(scan, RS_MESSAGE("a switch's name"));
        reduces = is_word(name, "reduces");
        if (reduces && p->n_switches == first) {
            rs_scan_fail(scan, name.text, "expected a switch's name before 'reduces'");
        } else if (rs_gpu_number(name) >= 0) {
            rs_scan_fail(scan, name.text, "gpu and a number is the name of a GPU");
        } else if (p->n_switches == RS_MAX_MACHINE_DEVICES) {
            rs_scan_fail(scan, name.text, "too many devices: at most 300000");
        }
        if (reduces || scan->status != RS_OK) break;
        if (p->stage == NAMING) {
            const int64_t number = rs_text_of(&p->switches, name.text, name.n);
            if (number == RS_NO_TEXT) scan->status = rs_no_memory(scan->error);
            if (number < p->n_switches) {
                rs_scan_fail(scan, name.text, "this switch is named twice");
            }
        }
        p->n_switches++;
    } while (!rs_scan_at_end(scan));
    if (p->stage != NAMING) return;
    for (int32_t i = first; i < p->n_switches; i++) p->reduces[p->n_gpus + i] = reduces;
}

enum { BANDWIDTH = 1, LATENCY = 2, RAW = 4, KIND = 8, SHARED = 16 };

/* Notes that a word was said; refuses it the second time. */
static void say_once(rs_scan *scan, const char *begin, const char *word, int bit, int *said) {
    if (*said & bit) rs_scan_fail_with(scan, begin, -1, "'%s' is said twice", word);
    *said |= bit;
}

static uint8_t take_kind(rs_scan *scan) {
    for (uint8_t kind = RS_NVLINK; kind <= RS_NET; kind++) {
        if (rs_scan_word(scan, rs_link_kind_name((rs_link_kind)kind))) return kind;
    }
    rs_scan_fail(scan, scan->at, "expected 'nvlink', 'pcie', 'cpu' or 'net'");
    return 0;
}

static void take_attribute(rs_scan *scan, rs_machine_link *link, int *said) {
    const char *begin = scan->at;
    if (rs_scan_word(scan, "bandwidth")) {
        say_once(scan, begin, "bandwidth", BANDWIDTH, said);
        link->bandwidth_Bps =
            (uint64_t)rs_scan_amount(scan, "a bandwidth", RS_SCAN_RATE, least_Bps, most_Bps);
    } else if (rs_scan_word(scan, "latency")) {
        say_once(scan, begin, "latency", LATENCY, said);
        link->alpha_ps = rs_scan_amount(scan, "a latency", RS_SCAN_TIME, 0, most_alpha_ps);
    } else if (rs_scan_word(scan, "raw")) {
        say_once(scan, begin, "raw", RAW, said);
        link->raw_Bps =
            (uint64_t)rs_scan_amount(scan, "a raw bandwidth", RS_SCAN_RATE, least_Bps, most_Bps);
    } else if (rs_scan_word(scan, "kind")) {
        say_once(scan, begin, "kind", KIND, said);
        link->kind = take_kind(scan);
    } else if (rs_scan_word(scan, "shared")) {
        say_once(scan, begin, "shared", SHARED, said);
        link->shared = true;
    } else {
        rs_scan_fail(scan, begin,
                     "expected 'bandwidth', 'latency', 'raw', 'kind' or 'shared' of a link");
    }
}

static void take_link(machine_parser *p) {
    rs_scan *scan = &p->scan;
    rs_machine_link link = {.slow_num = 1, .slow_den = 1};
    int said = 0;
    link.a = take_device(p);
    const char *second = scan->at;
    link.b = take_device(p);
    if (p->stage != COUNTING && link.a == link.b) {
        rs_scan_fail(scan, second, "a device has no link to itself");
    }
    while (!rs_scan_at_end(scan) && scan->status == RS_OK) take_attribute(scan, &link, &said);
    if (!(said & BANDWIDTH)) rs_scan_fail(scan, scan->at, "expected 'bandwidth' and a rate");
    if (!(said & RAW)) link.raw_Bps = link.bandwidth_Bps;
    if (link.raw_Bps < link.bandwidth_Bps) {
        rs_scan_fail(scan, scan->statement,
                     "what a link can do at all, raw, is less than its bandwidth");
    }
    if (p->n_links == RS_MAX_MACHINE_LINKS) {
        rs_scan_fail(scan, scan->statement, "too many links: at most 500000");
    }
    if (scan->status != RS_OK) return;
    if (p->stage == LINKING) p->links[p->n_links] = link;
    p->n_links++;
}

/* ------------------------------------------------------------------ routes */

/* Goes on to the next device of a route; `from` is -1 before its first. */
static void take_hop(machine_parser *p, const rs_machine_route *route, int32_t *from) {
    rs_scan *scan = &p->scan;
    const char *begin = scan->at;
    const int32_t device = take_device(p);
    if (p->stage == ROUTING && scan->status == RS_OK) {
        const char *fault = NULL;
        if (*from < 0) {
            if (device != route->src) fault = "a route's devices begin with its source";
        } else if (p->passed[device] == p->n_routes + 1) {
            fault = "a route comes through a device once";
        } else if ((p->hops[p->n_hops] = rs_find_pair(p->pairs, p->n_links, *from, device)) < 0) {
            fault = "there is no link from the device before to this one";
        }
        if (fault != NULL) rs_scan_fail(scan, begin, fault);
        p->passed[device] = p->n_routes + 1;
    }
    if (*from >= 0) p->n_hops++;
    *from = device;
}

static void take_route(machine_parser *p) {
    rs_scan *scan = &p->scan;
    const char *begin = scan->at;
    rs_machine_route route = {.src = take_device(p)};
    const char *second = scan->at;
    route.dst = take_device(p);
    if (p->stage == ROUTING && (route.src >= p->n_gpus || route.dst >= p->n_gpus)) {
        rs_scan_fail(scan, route.src >= p->n_gpus ? begin : second,
                     "a route leads from one GPU to another");
    } else if (p->stage == ROUTING && route.src == route.dst) {
        rs_scan_fail(scan, second, "a route leads to another GPU");
    }
    const int64_t first = p->n_hops;
    int32_t from = -1;
    const char *last = scan->at;
    do {
        last = scan->at;
        take_hop(p, &route, &from);
    } while (!rs_scan_at_end(scan) && scan->status == RS_OK);
    if (p->stage == ROUTING && from != route.dst) {
        rs_scan_fail(scan, last, "a route's devices end with its destination");
    }
    if (p->n_routes == RS_MAX_MACHINE_ROUTES) {
        rs_scan_fail(scan, scan->statement, "too many routes: at most 1000000");
    }
    if (scan->status != RS_OK) return;
    if (p->stage == ROUTING) {
        route.first = (int32_t)first;
        route.n_hops = (int32_t)(p->n_hops - first);
        p->routes[p->n_routes] = (rs_told_route){route, scan->statement};
    }
    p->n_routes++;
}

/* ------------------------------------------------------------------ the text */

/* Takes a statement in the stages that want it. */
static void take_statement(machine_parser *p) {
    static const struct {
        const char *word;
        void (*take)(machine_parser *p);
        unsigned stages;
    } statements[] = {
        {"link", take_link, 1u << COUNTING | 1u << LINKING},
        {"route", take_route, 1u << COUNTING | 1u << ROUTING},
        {"switch", take_switches, 1u << COUNTING | 1u << NAMING},
        {"gpus", take_gpus, 1u << COUNTING},
        {"launch", take_launch, 1u << COUNTING},
        {"barrier", take_barrier, 1u << COUNTING},
    };
    const size_t n = sizeof statements / sizeof *statements;
    rs_scan *scan = &p->scan;
    size_t i = 0;
    if (!p->headed) {
        rs_scan_format(scan, "ringsim-machine",
                       "expected 'ringsim-machine 1' as the first statement");
        p->headed = true;
        rs_scan_end(scan);
        return;
    }
    while (i < n && !rs_scan_word(scan, statements[i].word)) i++;
    if (i == n && p->stage == COUNTING) {
        rs_scan_fail(scan, scan->at,
                     "expected 'gpus', 'switch', 'link', 'route', 'launch' or 'barrier'");
    } else if (i < n && (statements[i].stages >> p->stage & 1)) {
        statements[i].take(p);
        rs_scan_end(scan);
    }
}

static void read_text(machine_parser *p, parse_stage stage, const char *text, size_t n_bytes) {
    rs_error *error = p->scan.error;
    p->scan = (rs_scan){.error = error};
    p->stage = stage;
    p->headed = false;
    p->n_switches = stage == NAMING || stage == COUNTING ? 0 : p->n_switches;
    p->n_links = stage == ROUTING ? p->n_links : 0;
    p->n_routes = 0;
    p->n_hops = 0;
    for (rs_scan_begin(&p->scan, text, n_bytes); rs_scan_statement(&p->scan);) take_statement(p);
    if (stage != COUNTING) return;
    const char *missing = !p->headed       ? RS_MESSAGE("'ringsim-machine 1' is missing")
                          : p->n_gpus == 0 ? RS_MESSAGE("'gpus N' is missing")
                          : p->n_gpus + p->n_switches > RS_MAX_MACHINE_DEVICES
                              ? RS_MESSAGE("too many devices: at most 300000")
                              : NULL;
    if (missing != NULL) rs_scan_missing(&p->scan, missing);
}

/* Fails at a place that was read before. */
static rs_status fail_at(machine_parser *p, const char *text, size_t n_bytes, const char *at,
                         const char *what) {
    p->scan = (rs_scan){.error = p->scan.error};
    rs_scan_begin(&p->scan, text, n_bytes);
    while (rs_scan_statement(&p->scan) && p->scan.line_end < at) {
    }
    rs_scan_fail(&p->scan, at, what);
    return p->scan.status;
}

/* Fills the lists; what outlasts the parsing lies in the arena already. */
static rs_status fill(machine_parser *p, const char *text, size_t n_bytes) {
    const int32_t n_routes = p->n_routes;
    read_text(p, NAMING, text, n_bytes);
    if (p->scan.status != RS_OK) return p->scan.status;
    read_text(p, LINKING, text, n_bytes);
    if (p->scan.status != RS_OK || n_routes == 0) return p->scan.status;
    rs_sort_pairs(p->links, p->n_links, p->pairs);
    read_text(p, ROUTING, text, n_bytes);
    if (p->scan.status != RS_OK) return p->scan.status;
    const char *twice = rs_sort_routes(p->routes, p->n_routes);
    if (twice == NULL) return RS_OK;
    return fail_at(p, text, n_bytes, twice, "these two GPUs have a route already");
}

/* Takes what was counted, in two arenas: what the machine is made of, and what only the parser needs. */
static bool make_room(const machine_parser *counted, rs_arena *arena, rs_arena *scratch,
                      machine_parser *p) {
    const size_t n_switches = (size_t)counted->n_switches, n_links = (size_t)counted->n_links;
    const size_t n_routes = (size_t)counted->n_routes;
    const size_t n_devices = (size_t)counted->n_gpus + n_switches;
    *p = *counted;
    p->reduces = rs_alloc(arena, n_devices, sizeof *p->reduces);
    p->links = rs_alloc(arena, n_links + 1, sizeof *p->links);
    p->hops = rs_alloc(arena, (size_t)counted->n_hops + 1, sizeof *p->hops);
    p->routes = rs_alloc(scratch, n_routes + 1, sizeof *p->routes);
    p->pairs = rs_alloc(scratch, n_routes > 0 ? n_links + 1 : 1, sizeof *p->pairs);
    p->passed = rs_alloc(scratch, n_routes > 0 ? n_devices : 1, sizeof *p->passed);
    return p->reduces && p->links && p->hops && p->routes && p->pairs && p->passed;
}

static rs_status finish(const machine_parser *p, const char *name, rs_arena *arena, rs_error *error,
                        rs_machine *machine) {
    const size_t n_name = strlen(name) + 1;
    char *called = rs_alloc(arena, n_name, 1);
    rs_machine_route *routes = rs_alloc(arena, (size_t)p->n_routes + 1, sizeof *routes);
    const char *const *names = rs_copy_names(p->n_gpus, &p->switches, arena);
    if (called == NULL || routes == NULL || names == NULL) return rs_no_memory(error);
    memcpy(called, name, n_name);
    for (int32_t i = 0; i < p->n_routes; i++) routes[i] = p->routes[i].route;
    const rs_machine described = {.name = called,
                                  .n_gpus = p->n_gpus,
                                  .sm = p->sm,
                                  .launch_ps = p->kernel_ps[0] > 0 ? p->kernel_ps[0] : 0,
                                  .barrier_ps = p->kernel_ps[1] > 0 ? p->kernel_ps[1] : 0,
                                  .n_devices = p->n_gpus + p->n_switches,
                                  .names = names,
                                  .reduces = p->reduces,
                                  .links = p->links,
                                  .n_links = p->n_links,
                                  .routes = routes,
                                  .n_routes = p->n_routes,
                                  .hops = p->hops};
    return rs_machine_make(&described, arena, error, machine);
}

rs_status rs_parse_machine(const char *text, size_t n_bytes, const char *name, rs_arena *arena,
                           rs_error *error, rs_machine *machine) {
    machine_parser counted = {.scan = {.error = error}, .kernel_ps = {-1, -1}}, p;
    read_text(&counted, COUNTING, text, n_bytes);
    if (counted.scan.status != RS_OK) return counted.scan.status;
    rs_arena scratch;
    rs_arena_init(&scratch, arena->host);
    rs_heap heap = {.arena = &scratch};
    rs_status status = RS_NO_MEMORY;
    if (make_room(&counted, arena, &scratch, &p)) {
        p.switches.heap = &heap;
        status = fill(&p, text, n_bytes);
        if (status == RS_OK) status = finish(&p, name, arena, error, machine);
    } else {
        rs_no_memory(error);
    }
    rs_arena_free(&scratch);
    return status;
}
