/* bench_fidelity.c: how near `estimate` comes to published tables of nccl-tests: `make bench-fidelity [TABLES=DIR]`.
 *
 *     DIR/machines.csv   table,family,machine,like,nccl,gpus_a_thread,fabric,algo,proto
 *     DIR/TABLE.csv      size_bytes,time_us
 *
 *   - Each family is judged by constants that were fitted on the other families only (leave one family out); beside it
 *     stand what NCCL's own tuning model says, the documented constants and those of the product.
 *   - A fit minimises the mean of |ln(simulated / measured)|, a row of 2 MiB and more counting twice, one constant after
 *     the other, by golden steps within the range of its row.
 *   - --fit prints the constants that all tables give: for slices_constants.c.   --rows prints every row.
 */
#include "machine/machine.h"
#include "nccl/ringsim_slices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TABLES = 64, MOST_ROWS = 64, MOST_COLUMNS = 9, ROUNDS = 4, TRIES = 20, NAME = 128 };
enum { TABLE, FAMILY, MACHINE, LIKE, NCCL, TOGETHER, FABRIC, ALGO, PROTO };
static const double large = 2 << 20;

typedef struct table {
    char cells[MOST_COLUMNS][NAME];
    rs_site site;
    const rs_box_facts *facts;
    rs_nccl_comm comm;
    rs_nccl_table tuned;
    rs_fabric fabric;
    int32_t together;
    int n_rows;
    double bytes[MOST_ROWS], us[MOST_ROWS];
    rs_nccl_choice choices[MOST_ROWS];
} table;

static table tables[MOST_TABLES];
static int n_tables;
static rs_arena arena;
static rs_error error = {{0}};
static const char *folder;

static void need(bool good, const char *what) {
    if (good) return;
    fprintf(stderr, "bench_fidelity: %s: %s\n", what, error.text);
    exit(1);
}

/* ------------------------------------------------------------------ reading */

/* Cuts a line of CSV in place; quoted cells may hold commas. */
static int cut_cells(char *line, char *cells[MOST_COLUMNS]) {
    int n = 0;
    for (char *at = line; n < MOST_COLUMNS;) {
        const bool quoted = *at == '"';
        cells[n++] = at += quoted;
        char *end = at + strcspn(at, quoted ? "\"" : ",\r\n");
        char *next = end + (quoted && *end == '"');
        const bool more = *next == ',';
        *end = '\0';
        if (!more) break;
        at = next + 1;
    }
    return n;
}

static void read_rows(table *t) {
    char path[512], line[256];
    snprintf(path, sizeof path, "%s/%s.csv", folder, t->cells[TABLE]);
    FILE *file = fopen(path, "r");
    need(file != NULL, path);
    while (fgets(line, sizeof line, file) != NULL && t->n_rows < MOST_ROWS) {
        char *end;
        const double bytes = strtod(line, &end);
        if (*end != ',' || !(bytes > 0)) continue;
        t->bytes[t->n_rows] = bytes;
        t->us[t->n_rows++] = strtod(end + 1, NULL);
    }
    fclose(file);
}

static void read_machine(table *t) {
    char place[512];
    rs_machine *machine = rs_alloc(&arena, 1, sizeof *machine);
    const char *name = t->cells[MACHINE];
    const int n = (int)strcspn(name, ":");
    if (strstr(name, ".machine") != NULL) {
        snprintf(place, sizeof place, "%s/%s", folder, name);
    } else if (strncmp(name, "box:", 4) == 0) {
        snprintf(place, sizeof place, "%s", name);
    } else {
        snprintf(place, sizeof place, "assets/machines/%.*s.machine%s", n, name, name + n);
    }
    need(machine != NULL && rc_machine_read("ringsim", place, &arena, &error, machine) == RC_GOOD,
         t->cells[TABLE]);
    t->facts = rs_find_box_facts(t->cells[LIKE], strlen(t->cells[LIKE]));
    need(t->facts != NULL, t->cells[LIKE]);
    need(rs_slices_site(machine, t->facts->host_memory, &arena, &error, &t->site) == RS_OK,
         t->cells[TABLE]);
    for (int f = 0; f < RS_N_FABRICS; f++) {
        if (strcmp(rs_fabric_name((rs_fabric)f), t->cells[FABRIC]) == 0) t->fabric = (rs_fabric)f;
    }
    t->together = atoi(t->cells[TOGETHER]);
}

static void choose(table *t) {
    int32_t version;
    need(rs_nccl_read_version(t->cells[NCCL], &version), t->cells[NCCL]);
    rs_nccl_guess(&t->site, t->facts, version, &t->comm);
    if (t->cells[ALGO][0] != '\0') {
        need(rs_nccl_filter_algorithms(&t->comm.filter, version, t->cells[ALGO], &error) == RS_OK,
             t->cells[ALGO]);
    }
    if (t->cells[PROTO][0] != '\0') {
        need(rs_nccl_filter_protocols(&t->comm.filter, version, t->cells[PROTO], &error) == RS_OK,
             t->cells[PROTO]);
    }
    need(rs_nccl_tune(&t->comm, &error, &t->tuned) == RS_OK, t->cells[TABLE]);
    for (int i = 0; i < t->n_rows; i++) {
        need(rs_nccl_choose(&t->comm, &t->tuned, RS_COLL_ALL_REDUCE, (int64_t)t->bytes[i],
                            &t->choices[i]),
             "no choice");
    }
}

static void read_tables(void) {
    char path[512], line[512];
    snprintf(path, sizeof path, "%s/machines.csv", folder);
    FILE *file = fopen(path, "r");
    need(file != NULL && fgets(line, sizeof line, file) != NULL, path);
    while (fgets(line, sizeof line, file) != NULL && n_tables < MOST_TABLES) {
        char *cells[MOST_COLUMNS];
        table *t = &tables[n_tables++];
        need(cut_cells(line, cells) == MOST_COLUMNS, line);
        for (int i = 0; i < MOST_COLUMNS; i++) {
            snprintf(t->cells[i], NAME, "%.*s", NAME - 1, cells[i]);
        }
        read_rows(t);
        read_machine(t);
        choose(t);
    }
    fclose(file);
}

/* ------------------------------------------------------------------ errors */

static double simulated(const table *t, int i, const rs_slices_constants *constants) {
    const rs_nccl_choice *choice = &t->choices[i];
    const rs_slices_job job = {.site = &t->site,
                               .collective = RS_COLL_ALL_REDUCE,
                               .algorithm = choice->algorithm,
                               .protocol = choice->protocol,
                               .n_channels = choice->n_channels,
                               .n_bytes = (int64_t)t->bytes[i],
                               .version = t->comm.version,
                               .cc = t->facts->cc,
                               .launched_together = t->together,
                               .fabric = t->fabric};
    rs_slices_result result;
    need(rs_slices_time(&job, constants, &error, &result) == RS_OK, t->cells[TABLE]);
    return result.us;
}

/* What a fit minimises, as far as a constant changes it: over all families but one. */
static double cost(const char *without, int which, const rs_slices_constants *constants) {
    const int of = which < RS_FIT_FABRICS ? -1 : (which - RS_FIT_FABRICS) / 3 + 1;
    double sum = 0, weight = 0;
    for (int k = 0; k < n_tables; k++) {
        const table *t = &tables[k];
        if (without != NULL && strcmp(t->cells[FAMILY], without) == 0) continue;
        if (t->site.n_nodes > 1 && t->fabric == RS_FABRIC_UNKNOWN)
            continue;                                  /* nobody's constants */
        if (of >= 0 && (int)t->fabric != of) continue; /* it does not feel the constant */
        for (int i = 0; i < t->n_rows; i++) {
            const double w = t->bytes[i] >= large ? 2 : 1;
            const double off = fabs(log(simulated(t, i, constants) / t->us[i]));
            sum += w * (off < 1 ? off : 1);
            weight += w;
        }
    }
    return weight > 0 ? sum / weight : 0;
}

/* Finds the best value of one constant between its ends: a coarse look, then thirds. */
static void fit_one(const char *without, int which, rs_slices_constants *constants) {
    const rs_constant_row *row = &rs_constant_rows[which];
    const bool logs = row->least > 0 && row->most / row->least > 20;
    const double low = logs ? log(row->least) : row->least,
                 high = logs ? log(row->most) : row->most;
    double best = constants->at[which], least = cost(without, which, constants), span = high - low;
    for (int round = 0; round < 3; round++, span /= (round == 0 ? 2 : 6)) {
        const double at = logs ? log(best) : best;
        const double from = fmax(low, at - span / 2), to = fmin(high, at + span / 2);
        for (int i = 0; i <= TRIES; i++) {
            const double tried = from + (to - from) * i / TRIES;
            const double kept = constants->at[which] = logs ? exp(tried) : tried;
            const double now = cost(without, which, constants);
            if (now < least - 1e-9) {
                least = now;
                best = kept;
            }
        }
    }
    constants->at[which] = best;
}

static void fit(const char *without, rs_slices_constants *constants) {
    rs_slices_constants_of(false, constants);
    for (int round = 0; round < ROUNDS; round++) {
        for (int which = 0; which < RS_N_CONSTANTS; which++) fit_one(without, which, constants);
    }
}

typedef struct errors {
    double log_sum[2], sum[2];
    int n[2];
} errors;

static void add(errors *e, double bytes, double off) {
    const int is_large = bytes >= large;
    e->log_sum[is_large] += log(fmax(fabs(off), 0.001));
    e->sum[is_large] += fabs(off);
    e->n[is_large]++;
}

static void print_errors(const errors *e) {
    for (int l = 1; l >= 0; l--) {
        if (e->n[l] == 0) {
            printf("     -      - ");
        } else {
            printf(" %6.1f %6.1f", 100 * exp(e->log_sum[l] / e->n[l]), 100 * e->sum[l] / e->n[l]);
        }
    }
}

static void judge(const table *t, const rs_slices_constants *constants, errors *of[], int n_of) {
    for (int i = 0; i < t->n_rows; i++) {
        const double us =
            constants != NULL ? simulated(t, i, constants) : (double)t->choices[i].cost.us;
        for (int k = 0; k < n_of; k++) add(of[k], t->bytes[i], us / t->us[i] - 1);
    }
}

static void print_rows(const table *t, const rs_slices_constants *constants) {
    printf("\n%s on %s, NCCL %s\n", t->cells[TABLE], t->cells[MACHINE], t->cells[NCCL]);
    for (int i = 0; i < t->n_rows; i++) {
        const double us = simulated(t, i, constants);
        printf("%12.0f %-12s %-6s %3d tuner %10.1f simulated %10.1f measured %10.1f  %+6.1f %%\n",
               t->bytes[i], rs_nccl_algorithm_title(t->choices[i].algorithm),
               rs_nccl_protocol_title(t->choices[i].protocol), (int)t->choices[i].n_channels,
               (double)t->choices[i].cost.us, us, t->us[i], 100 * (us / t->us[i] - 1));
    }
}

static void print_line(const char *name, const errors *tuner, const errors *documented,
                       const errors *left_out, const errors *product) {
    printf("%-12s", name);
    print_errors(tuner);
    printf(" |");
    print_errors(documented);
    printf(" |");
    print_errors(left_out);
    printf(" |");
    print_errors(product);
    puts("");
}

int main(int argc, char **argv) {
    rs_slices_constants documented, product, fitted;
    errors all[4] = {0}, by_nodes[3][4] = {0};
    bool rows = false, refit = false;
    folder = "tests/data/nccl-tables";
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--rows") == 0)
            rows = true;
        else if (strcmp(argv[i], "--fit") == 0)
            refit = true;
        else
            folder = argv[i];
    }
    rs_arena_init(&arena, NULL);
    read_tables();
    rs_slices_constants_of(false, &documented);
    rs_slices_constants_of(true, &product);
    if (refit) {
        fit(NULL, &fitted);
        for (int i = 0; i < RS_N_CONSTANTS; i++) {
            printf("%-22s %10.4g (was %.4g)\n", rs_constant_rows[i].name, fitted.at[i],
                   product.at[i]);
        }
        product = fitted;
    }
    for (int k = 0; rows && k < n_tables; k++) print_rows(&tables[k], &product);
    puts("error in percent, geometric and arithmetic mean: from 2 MiB on, below");
    puts(
        "family       NCCL's tuner                | documented constants        | others' constants           | product's constants (fitted on these tables)");
    for (int k = 0; k < n_tables; k++) {
        errors of[4] = {0};
        bool seen = false;
        for (int j = 0; j < k; j++)
            seen |= strcmp(tables[j].cells[FAMILY], tables[k].cells[FAMILY]) == 0;
        if (seen) continue;
        if (getenv("QUICK") == NULL)
            fit(tables[k].cells[FAMILY], &fitted);
        else
            fitted = product;
        for (int j = k; j < n_tables; j++) {
            const table *t = &tables[j];
            if (strcmp(t->cells[FAMILY], tables[k].cells[FAMILY]) != 0) continue;
            const int nodes = t->site.n_nodes < 3 ? t->site.n_nodes - 1 : 2;
            const rs_slices_constants *by[4] = {NULL, &documented, &fitted, &product};
            for (int c = 0; c < 4; c++) {
                errors *into[] = {&of[c], &all[c], &by_nodes[nodes][c]};
                judge(t, by[c], into, 3);
            }
        }
        print_line(tables[k].cells[FAMILY], &of[0], &of[1], &of[2], &of[3]);
        fflush(stdout);
    }
    static const char *const nodes[] = {"one node", "two nodes", "more nodes"};
    for (int i = 0; i < 3; i++) {
        print_line(nodes[i], &by_nodes[i][0], &by_nodes[i][1], &by_nodes[i][2], &by_nodes[i][3]);
    }
    print_line("all", &all[0], &all[1], &all[2], &all[3]);
    rs_arena_free(&arena);
    return 0;
}
