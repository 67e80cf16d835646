/* .machine files: what is printed parses to the same machine, every error has its line and column, and the
 * routes of forty machines are those that exact flows were computed with. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ringsim_machine.h"
#include "support/printed.h"

static rs_arena arena;
static rs_error error;
static rs_machine parsed;
static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(machine_text, .init = open_arena, .fini = close_arena);

static rs_status parse_bytes(const char *text, size_t n) {
    char *exact = malloc(n + 1); /* not one byte more: a sanitizer sees what reads beyond */
    memcpy(exact, text, n);
    char *shrunk = realloc(exact, n > 0 ? n : 1);
    const rs_status status = rs_parse_machine(shrunk, n, "test", &arena, &error, &parsed);
    free(shrunk);
    return status;
}
static rs_status parse(const char *text) {
    return parse_bytes(text, strlen(text));
}

static void add(page *to, const char *text) {
    keep(to, text, strlen(text));
}

static void same_machine(const rs_machine *a, const rs_machine *b) {
    cr_assert(a->n_gpus == b->n_gpus && a->n_devices == b->n_devices && a->n_links == b->n_links &&
              a->n_routes == b->n_routes && a->n_nodes == b->n_nodes);
    for (int32_t d = 0; d < a->n_devices; d++) {
        cr_assert_str_eq(a->names[d], b->names[d]);
        cr_assert_eq(a->reduces[d], b->reduces[d]);
        cr_assert_eq(rs_machine_device(b, a->names[d], strlen(a->names[d])), d);
    }
    for (int32_t i = 0; i < a->n_links; i++) {
        const rs_machine_link *l = &a->links[i], *m = &b->links[i];
        cr_assert(l->a == m->a && l->b == m->b && l->bandwidth_Bps == m->bandwidth_Bps &&
                  l->raw_Bps == m->raw_Bps && l->alpha_ps == m->alpha_ps && l->kind == m->kind &&
                  l->shared == m->shared && m->slow_num == 1 && m->slow_den == 1);
    }
    for (int32_t i = 0; i < a->n_routes; i++) {
        const rs_machine_route *r = &a->routes[i], *s = &b->routes[i];
        cr_assert(r->src == s->src && r->dst == s->dst && r->n_hops == s->n_hops);
        for (int32_t k = 0; k < r->n_hops; k++) {
            cr_assert_eq(a->hops[r->first + k], b->hops[s->first + k]);
        }
    }
}

static void round_trip(const rs_machine *machine) {
    page first = {0}, second = {0};
    rs_print_machine(machine, keep, &first);
    cr_assert_eq(parse_bytes(first.text, first.n), RS_OK, "%s\n%.*s", error.text, (int)first.n,
                 first.text);
    same_machine(machine, &parsed);
    rs_print_machine(&parsed, keep, &second);
    cr_assert(first.n == second.n && memcmp(first.text, second.text, first.n) == 0);
    free(first.text);
    free(second.text);
}

/* ------------------------------------------------------------------ random machines */

static uint64_t state;
static int64_t below(int64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)n);
}
/* A number of any magnitude up to `most`. */
static int64_t any_size(int64_t most) {
    int64_t number = below(10);
    for (int64_t digits = below(18); digits > 0; digits--) number = 10 * number + below(10);
    return number % (most + 1);
}

enum { MOST_DEVICES = 40, MOST_LINKS = 120 };

/* A walk along links that comes to no device twice, as a route; false: it ended where it began. */
static bool find_walk(const rs_machine *m, int32_t hops[], rs_machine_route *route) {
    bool seen[MOST_DEVICES] = {false};
    int32_t device = (int32_t)below(m->n_gpus), n = 0, last_gpu = 0;
    route->src = device;
    for (int turn = 0; turn < 60; turn++) {
        const int32_t i = (int32_t)below(m->n_links);
        const rs_machine_link *l = &m->links[i];
        const int32_t next = l->a == device ? l->b : l->b == device ? l->a : -1;
        seen[device] = true;
        if (next < 0 || seen[next]) continue;
        int32_t best = i; /* the text says only the devices */
        for (int32_t k = m->n_links; k-- > 0;) {
            const rs_machine_link *o = &m->links[k];
            const bool joins = (o->a == device && o->b == next) || (o->b == device && o->a == next);
            if (joins && o->bandwidth_Bps >= m->links[best].bandwidth_Bps) best = k;
        }
        hops[n++] = best;
        device = next;
        if (device < m->n_gpus) last_gpu = n;
    }
    route->n_hops = last_gpu;
    if (last_gpu == 0) return false;
    device = route->src;
    for (int32_t k = 0; k < last_gpu; k++) {
        const rs_machine_link *l = &m->links[hops[k]];
        device = l->a == device ? l->b : l->a;
    }
    route->dst = device;
    return true;
}

Test(machine_text, any_machine_survives_printing_and_parsing) {
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        state = seed;
        rs_machine_link links[MOST_LINKS];
        rs_machine_route route = {0};
        int32_t hops[MOST_DEVICES];
        bool reduces[MOST_DEVICES] = {false};
        char names[MOST_DEVICES][RS_MAX_DEVICE_NAME + 1];
        const char *name[MOST_DEVICES];
        const int32_t n_gpus = 1 + (int32_t)below(12),
                      n_devices = n_gpus + (int32_t)below(MOST_DEVICES - 12);
        const int32_t n_links = n_devices < 2 ? 0 : (int32_t)below(MOST_LINKS);
        for (int32_t d = 0; d < n_devices; d++) {
            name[d] = names[d];
            if (d < n_gpus) {
                snprintf(names[d], sizeof names[d], "gpu%d", (int)d);
                continue;
            }
            static const char *const stems[] = {"sw", "node0.nic", "GPU", "gpu_", "7.", "_"};
            snprintf(names[d], sizeof names[d], "%s%d", stems[below(6)], (int)d);
            reduces[d] = below(3) == 0;
        }
        for (int32_t i = 0; i < n_links; i++) {
            const int32_t a = (int32_t)below(n_devices);
            const int64_t bandwidth = 1000 + any_size(9999999999999000);
            const int64_t raw =
                bandwidth + (below(2) ? any_size(10000000000000000 - bandwidth) : 0);
            links[i] = (rs_machine_link){.a = a,
                                         .b = (a + 1 + (int32_t)below(n_devices - 1)) % n_devices,
                                         .bandwidth_Bps = (uint64_t)bandwidth,
                                         .raw_Bps = (uint64_t)raw,
                                         .alpha_ps = below(2) ? any_size(1000000000000) : 0,
                                         .slow_num = 1,
                                         .slow_den = 1,
                                         .kind = (uint8_t)below(4),
                                         .shared = below(2)};
        }
        rs_machine described = {.name = "random",
                                .n_gpus = n_gpus,
                                .n_devices = n_devices,
                                .names = name,
                                .reduces = reduces,
                                .links = links,
                                .n_links = n_links,
                                .routes = &route,
                                .hops = hops};
        if (n_links > 0 && find_walk(&described, hops, &route)) described.n_routes = 1;
        rs_machine machine;
        cr_assert_eq(rs_machine_make(&described, &arena, &error, &machine), RS_OK, "%s",
                     error.text);
        round_trip(&machine);
    }
}

/* ------------------------------------------------------------------ the forty */

static size_t slurp(const char *path, char *out, size_t n_out) {
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    const size_t n = fread(out, 1, n_out - 1, file);
    fclose(file);
    out[n] = '\0';
    return n;
}

Test(machine_text, the_forty_machines_have_the_routes_they_were_computed_with) {
    static char table[20000], text[20000];
    slurp("tests/golden/flows/flows.csv", table, sizeof table);
    int n_cases = 0, n_routes = 0;
    for (char *line = strchr(table, '\n') + 1; *line != '\0'; line = strchr(line, '\n') + 1) {
        char path[64];
        snprintf(path, sizeof path, "tests/golden/flows/%.2s.machine", line);
        const size_t n = slurp(path, text, sizeof text);
        cr_assert_eq(parse_bytes(text, n), RS_OK, "%s: %s", path, error.text);
        const rs_machine machine = parsed;
        round_trip(&machine);
        rs_router *router;
        cr_assert_eq(rs_router_new(&machine, &arena, &error, &router), RS_OK);
        char *at = line;
        for (int comma = 0; comma < 5; comma++) at = strchr(at, ',') + 1;
        while (*at != '\n' && *at != '\0' && *at != '\r') {
            rs_route route;
            const long src = strtol(at, &at, 10), dst = strtol(at + 1, &at, 10);
            cr_assert_eq(*at, ':');
            cr_assert_eq(rs_router_find(router, (int32_t)src, (int32_t)dst, 0, &error, &route),
                         RS_OK, "%s: %s", path, error.text);
            for (int32_t i = 0; i < route.n_wires; i++) {
                cr_assert(*at == (i == 0 ? ':' : '+'), "%s %ld-%ld", path, src, dst);
                cr_assert_eq(strtol(at + 1, &at, 10), route.wires[i] / 2, "%s %ld-%ld", path, src,
                             dst);
            }
            n_routes++;
            if (*at == ';') at++;
        }
        n_cases++;
    }
    cr_assert(n_cases == 40 && n_routes > 300, "%d cases, %d routes", n_cases, n_routes);
}

/* ------------------------------------------------------------------ what is read */

#define HEAD "ringsim-machine 1\ngpus 4\nswitch sw0 sw1 spine\n"

Test(machine_text, the_example_of_the_manual_is_read_as_it_says) {
    cr_assert_eq(parse("ringsim-machine 1\n"
                       "gpus 4                       # gpu0..gpu3\n"
                       "switch sw0 sw1 spine\n"
                       "link gpu0 sw0 bandwidth 25GB/s latency 1us\n"
                       "link gpu1 sw0 bandwidth 25GB/s latency 1us\n"
                       "link sw0 spine bandwidth 50GB/s latency 2us shared kind net\n"
                       "link gpu2 gpu3 bandwidth 20GB/s latency 500ns raw 22GB/s\n"
                       "link spine gpu3 kind net bandwidth 400Gb/s\n"
                       "switch nvls reduces\n"
                       "route gpu0 gpu3 gpu0 sw0 spine gpu3\n"),
                 RS_OK, "%s", error.text);
    const rs_machine_link *l = parsed.links;
    cr_expect(parsed.n_gpus == 4 && parsed.n_devices == 8 && parsed.n_links == 5);
    cr_expect(l[0].a == 0 && l[0].b == 4 && l[0].bandwidth_Bps == 25000000000 &&
              l[0].raw_Bps == 25000000000 && l[0].alpha_ps == 1000000 && l[0].kind == RS_NVLINK &&
              !l[0].shared);
    cr_expect(l[2].shared && l[2].kind == RS_NET && l[2].alpha_ps == 2000000);
    cr_expect(l[3].raw_Bps == 22000000000 && l[3].alpha_ps == 500000);
    cr_expect(l[4].bandwidth_Bps == 50000000000 && l[4].alpha_ps == 0);
    cr_expect(!parsed.reduces[6] && parsed.reduces[7]);
    cr_expect(parsed.n_routes == 1 && parsed.routes[0].n_hops == 3);
    cr_expect_str_eq(parsed.name, "test");
}

Test(machine_text, amounts_are_exact_in_every_unit) {
    const struct {
        const char *bandwidth, *latency;
        uint64_t Bps;
        int64_t alpha_ps;
    } cases[] = {
        {"370.8GB/s", "1.35us", 370800000000, 1350000},
        {"1000", "0", 1000, 0},
        {"8000b/s", "0.000000000001", 1000, 1},
        {"1kB/s", "1s", 1000, 1000000000000},
        {"10PB/s", "1ps", 10000000000000000, 1},
        {"80000Tb/s", ".001ns", 10000000000000000, 1},
        {"1.000000000000000000000e3B/s", "1e-6", 1000, 1000000},
        {"0.00000000001e14B/s", "000100.0000000000000000000000000ms", 1000, 100000000000},
        {"20.6GB/s", "2.5E+2ns", 20600000000, 250000},
        {"10000000000000000000000000e-18GB/s", "1000ms", 10000000000000000, 1000000000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[300];
        snprintf(text, sizeof text, HEAD "link gpu0 gpu1 latency %s bandwidth %s\n",
                 cases[i].latency, cases[i].bandwidth);
        cr_assert_eq(parse(text), RS_OK, "%s: %s", text, error.text);
        cr_expect_eq(parsed.links[0].bandwidth_Bps, cases[i].Bps, "%s", cases[i].bandwidth);
        cr_expect_eq(parsed.links[0].alpha_ps, cases[i].alpha_ps, "%s", cases[i].latency);
        const rs_machine machine = parsed;
        round_trip(&machine);
    }
}

Test(machine_text, a_route_takes_the_widest_link_then_the_first) {
    cr_assert_eq(parse(HEAD "route gpu1 gpu0 gpu1 sw0 gpu0\n" /* before its links: that is fine */
                            "link gpu0 sw0 bandwidth 1GB/s\n"
                            "link sw0 gpu1 bandwidth 1GB/s\n"
                            "link sw0 gpu0 bandwidth 3GB/s\n"
                            "link gpu1 sw0 bandwidth 2GB/s\n"
                            "link gpu1 sw0 bandwidth 2GB/s\n"
                            "route gpu0 gpu1 gpu0 sw0 gpu1"),
                 RS_OK, "%s", error.text);
    cr_assert(parsed.n_routes == 2 && parsed.routes[0].src == 0 && parsed.routes[1].src == 1);
    const int32_t *hops = parsed.hops;
    cr_expect(hops[parsed.routes[0].first] == 2 && hops[parsed.routes[0].first + 1] == 3);
    cr_expect(hops[parsed.routes[1].first] == 3 && hops[parsed.routes[1].first + 1] == 2);
}

/* ------------------------------------------------------------------ what is refused */

#define LINK "link gpu0 sw0 bandwidth 1GB/s\nlink sw0 gpu1 bandwidth 1GB/s\n"

Test(machine_text, every_error_names_line_and_column) {
    const struct {
        const char *text, *message;
    } cases[] = {
        {"", "line 1, column 1: 'ringsim-machine 1' is missing"},
        {"gpus 4", "line 1, column 1: expected 'ringsim-machine 1' as the first statement"},
        {"ringsim-machine 2\n", "line 1, column 17: the format's version must lie in 1..1"},
        {"ringsim-machine 1\n", "line 2, column 1: 'gpus N' is missing"},
        {"ringsim-machine 1\ngpus 0\n",
         "line 2, column 6: the number of GPUs must lie in 1..131072"},
        {"ringsim-machine 1\ngpus 99999999999999999999\n",
         "line 2, column 6: the number of GPUs must lie in 1..131072"},
        {"ringsim-machine 1\ngpus 2\ngpus 2\n", "line 3, column 1: 'gpus' is said twice"},
        {HEAD "wire gpu0 gpu1",
         "line 4, column 1: expected 'gpus', 'switch', 'link', 'route', 'launch' or 'barrier'"},
        {HEAD "switch", "line 4, column 7: expected a switch's name"},
        {HEAD "switch a b-c",
         "line 4, column 11: a device's name has letters, digits, '_' and '.'"},
        {HEAD "switch sw2 sw0", "line 4, column 12: this switch is named twice"},
        {HEAD "switch gpu17", "line 4, column 8: gpu and a number is the name of a GPU"},
        {HEAD "switch reduces", "line 4, column 8: expected a switch's name before 'reduces'"},
        {HEAD "switch x reduces y",
         "line 4, column 18: expected the end of the line, or '#' and a comment"},
        {HEAD "link gpu0 gpu4 bandwidth 1GB/s",
         "line 4, column 11: there is no device gpu4: GPUs are gpu0..gpu3"},
        {HEAD "link gpu00 gpu1 bandwidth 1GB/s",
         "line 4, column 6: there is no device gpu00; name it with 'switch'"},
        {HEAD "link gpu0 sw9 bandwidth 1GB/s",
         "line 4, column 11: there is no device sw9; name it with 'switch'"},
        {HEAD "link sw0 sw0 bandwidth 1GB/s", "line 4, column 10: a device has no link to itself"},
        {HEAD "link gpu0 sw0", "line 4, column 14: expected 'bandwidth' and a rate"},
        {HEAD "link gpu0 sw0 bandwidth", "line 4, column 24: expected a bandwidth, such as 20GB/s "
                                         "or 100Gb/s"},
        {HEAD "link gpu0 sw0 bandwidth 0",
         "line 4, column 25: a bandwidth must lie in 1kB/s..10PB/s"},
        {HEAD "link gpu0 sw0 bandwidth -1",
         "line 4, column 25: expected a bandwidth, such as 20GB/s or 100Gb/s"},
        {HEAD "link gpu0 sw0 bandwidth 1e30GB/s",
         "line 4, column 25: a bandwidth must lie in 1kB/s..10PB/s"},
        {HEAD "link gpu0 sw0 bandwidth 1000000000000000000000000000000GB/s",
         "line 4, column 25: a bandwidth must lie in 1kB/s..10PB/s"},
        {HEAD "link gpu0 sw0 bandwidth 999B/s",
         "line 4, column 25: a bandwidth must lie in 1kB/s..10PB/s"},
        {HEAD "link gpu0 sw0 bandwidth 10.000000000000001PB/s",
         "line 4, column 25: a bandwidth must lie in 1kB/s..10PB/s"},
        {HEAD "link gpu0 sw0 bandwidth 1000.5",
         "line 4, column 25: a bandwidth is finer than a byte a second"},
        {HEAD "link gpu0 sw0 bandwidth 8001b/s",
         "line 4, column 25: a bandwidth is finer than a byte a second"},
        {HEAD "link gpu0 sw0 bandwidth 1.00000000000000000000001GB/s",
         "line 4, column 25: a bandwidth is finer than a byte a second"},
        {HEAD "link gpu0 sw0 bandwidth 1GiB/s",
         "line 4, column 26: there is no such unit; write a bandwidth such as 20GB/s or 100Gb/s"},
        {HEAD "link gpu0 sw0 bandwidth 1GB/s latency 0.4ps",
         "line 4, column 39: a latency is finer than a picosecond"},
        {HEAD "link gpu0 sw0 bandwidth 1GB/s latency 2s",
         "line 4, column 39: a latency must lie in 0ps..1s"},
        {HEAD "link gpu0 sw0 bandwidth 1GB/s latency 1us latency 1us",
         "line 4, column 43: 'latency' is said twice"},
        {HEAD "link gpu0 sw0 bandwidth 1GB/s shared shared",
         "line 4, column 38: 'shared' is said twice"},
        {HEAD "link gpu0 sw0 bandwidth 1GB/s kind wood",
         "line 4, column 36: expected 'nvlink', 'pcie', 'cpu' or 'net'"},
        {HEAD "link gpu0 sw0 bandwidth 1GB/s colour",
         "line 4, column 31: expected 'bandwidth', 'latency', 'raw', 'kind' or 'shared' of a link"},
        {HEAD "link gpu0 sw0 raw 1GB/s bandwidth 2GB/s",
         "line 4, column 1: what a link can do at all, raw, is less than its bandwidth"},
        {HEAD LINK "route gpu0 sw0 gpu0 sw0",
         "line 6, column 12: a route leads from one GPU to another"},
        {HEAD LINK "route gpu0 gpu0 gpu0", "line 6, column 12: a route leads to another GPU"},
        {HEAD LINK "route gpu0 gpu1", "line 6, column 16: expected a device"},
        {HEAD LINK "route gpu0 gpu1 sw0 gpu1",
         "line 6, column 17: a route's devices begin with its source"},
        {HEAD LINK "route gpu0 gpu1 gpu0 sw0",
         "line 6, column 22: a route's devices end with its destination"},
        {HEAD LINK "route gpu0 gpu1 gpu0 spine gpu1",
         "line 6, column 22: there is no link from the device before to this one"},
        {HEAD LINK "route gpu0 gpu1 gpu0 sw0 gpu0 sw0 gpu1",
         "line 6, column 26: a route comes through a device once"},
        {HEAD LINK "route gpu0 gpu1 gpu0 sw0 gpu1\n#\nroute gpu1 gpu0 gpu1 sw0 gpu0\n"
                   "  route gpu0 gpu1 gpu0 sw0 gpu1",
         "line 9, column 3: these two GPUs have a route already"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_assert_eq(parse(cases[i].text), RS_BAD_INPUT, "%s", cases[i].text);
        cr_expect_str_eq(error.text, cases[i].message);
    }
}

Test(machine_text, a_name_has_63_bytes_and_may_begin_with_anything) {
    char text[300], name[80];
    memset(name, 'x', sizeof name);
    name[64] = '\0';
    snprintf(text, sizeof text, "ringsim-machine 1\ngpus 1\nswitch %s\n", name);
    cr_expect_eq(parse(text), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "line 3, column 8: a device's name has 63 bytes at the most");
    name[63] = '\0';
    snprintf(text, sizeof text, "ringsim-machine 1\ngpus 1\nswitch %s gpu 0 gpu1x reducesx\n",
             name);
    cr_assert_eq(parse(text), RS_OK, "%s", error.text);
    cr_expect_eq(parsed.n_devices, 6);
}

/* ------------------------------------------------------------------ how large */

/* The most GPUs, and switches, with links dealt out among them. */
static page large(int32_t n_switches, int32_t n_links) {
    page text = {0};
    char line[128];
    add(&text, "ringsim-machine 1\ngpus 131072\n");
    for (int32_t i = 0; i < n_switches; i++) {
        snprintf(line, sizeof line, "switch node%d.nic\n", (int)i);
        add(&text, line);
    }
    for (int32_t i = 0; i < n_links; i++) {
        snprintf(line, sizeof line, "link gpu%d node%d.nic bandwidth 50GB/s kind pcie\n",
                 (int)(i % 131072), (int)(((int64_t)i * 7919) % n_switches));
        add(&text, line);
    }
    return text;
}

Test(machine_text, the_largest_machine_is_read_and_the_next_is_refused) {
    page text = large(168928, 500000);
    cr_assert_eq(parse_bytes(text.text, text.n), RS_OK, "%s", error.text);
    cr_expect(parsed.n_devices == 300000 && parsed.n_links == 500000);
    const rs_machine_link *last = &parsed.links[499999];
    cr_expect(last->a == 499999 % 131072 && last->b == 131072 + 499999ll * 7919 % 168928);
    cr_expect_leq(arena.n_bytes, (size_t)100 << 20);
    free(text.text);
    text = large(168928, 1000000);
    cr_expect_eq(parse_bytes(text.text, text.n), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "line 668931, column 1: too many links: at most 500000");
    free(text.text);
    text = large(168929, 1);
    cr_expect_eq(parse_bytes(text.text, text.n), RS_BAD_INPUT);
    cr_expect_str_eq(error.text, "line 168933, column 1: too many devices: at most 300000");
    free(text.text);
}
