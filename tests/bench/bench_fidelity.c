/* bench_fidelity.c: how near `estimate` comes to published tables of nccl-tests: `make bench-fidelity [TABLES=DIR]`.
 *
 *     DIR/machines.csv   table,family,machine,like,nccl,gpus_a_thread,fabric,algo,proto
 *     DIR/TABLE.csv      size_bytes,time_us
 *
 *   - Each family is judged by constants that were fitted on the other families only (leave one family out), with
 *     --tables each table by those of all other tables; beside it
 *     stand what NCCL's own tuning model says, the documented constants and those of the product.
 *   - A fit minimises the mean of |ln(simulated / measured)|, a row of 2 MiB and more counting twice, one constant after
 *     the other, by golden steps within the range of its row.
 *   - --gains fits once more without each constant, which stays as documented: what it is worth.
 *   - --fit prints the constants that all tables give: for slices_constants.c.
 *   - --rows prints every row, by the constants of the other families, and those that are not the documented ones.
 */
#include "base/find_machine.h"
#include "support/slices_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TABLES = 64, MOST_ROWS = 64, MOST_COLUMNS = 9, ROUNDS = 4, TRIES = 20, NAME = 128 };
enum { TABLE, FAMILY, MACHINE, LIKE, NCCL, TOGETHER, FABRIC, ALGO, PROTO };
static const double large = 2 << 20;

typedef struct table {
    char cells[MOST_COLUMNS][NAME];
    rn_site site;
    rn_rings rings;
    const rn_box_facts *facts;
    rn_nccl_comm comm;
    rn_nccl_table tuned;
    rn_fabric fabric;
    int32_t together;
    int n_rows;
    double bytes[MOST_ROWS], us[MOST_ROWS];
    rn_nccl_choice choices[MOST_ROWS];
} table;

static table tables[MOST_TABLES];
static int n_tables;
static rs_arena arena;
static rs_error error = {.text = ""};
static const char *folder;
static int left_out = FAMILY, held = -1; /* held: a constant that is not fitted */

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
    t->facts = rn_find_box_facts(t->cells[LIKE], strlen(t->cells[LIKE]));
    need(t->facts != NULL, t->cells[LIKE]);
    need(rn_slices_site(machine, t->facts->host_memory, &arena, &error, &t->site) == RS_OK,
         t->cells[TABLE]);
    need(rn_rings_of(machine, t->facts, &arena, &error, &t->rings) == RS_OK, t->cells[TABLE]);
    for (int f = 0; f < RN_N_FABRICS; f++) {
        if (strcmp(rn_fabric_name((rn_fabric)f), t->cells[FABRIC]) == 0) t->fabric = (rn_fabric)f;
    }
    t->together = atoi(t->cells[TOGETHER]);
}

static void choose(table *t) {
    int32_t version;
    need(rn_nccl_read_version(t->cells[NCCL], &version), t->cells[NCCL]);
    rn_nccl_guess(&t->site, t->facts, t->fabric, &t->rings, version, &t->comm);
    if (t->cells[ALGO][0] != '\0') {
        need(rn_nccl_filter_set(&t->comm.filter, version, "NCCL_ALGO", t->cells[ALGO], &error) ==
                 RS_OK,
             t->cells[ALGO]);
    }
    if (t->cells[PROTO][0] != '\0') {
        need(rn_nccl_filter_set(&t->comm.filter, version, "NCCL_PROTO", t->cells[PROTO], &error) ==
                 RS_OK,
             t->cells[PROTO]);
    }
    need(rn_nccl_tune(&t->comm, &error, &t->tuned) == RS_OK, t->cells[TABLE]);
    for (int i = 0; i < t->n_rows; i++) {
        need(rn_nccl_choose(&t->comm, &t->tuned, RS_COLL_ALL_REDUCE, (int64_t)t->bytes[i],
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

static rn_slices_job job_of(const table *t, int i) {
    const rn_nccl_choice *choice = &t->choices[i];
    return (rn_slices_job){.site = &t->site,
                           .collective = RS_COLL_ALL_REDUCE,
                           .algorithm = choice->algorithm,
                           .protocol = choice->protocol,
                           .n_channels = choice->n_channels,
                           .n_bytes = (int64_t)t->bytes[i],
                           .version = t->comm.version,
                           .cc = t->facts->cc,
                           .launched_together = t->together,
                           .fabric = t->fabric};
}

static double simulated(const table *t, int i, const rn_slices_constants *constants, double rate,
                        double latency) {
    rn_slices_job job = job_of(t, i);
    rn_slices_result result;
    job.rate = rate;
    job.latency = latency;
    need(rn_slices_time(&job, constants, &error, &result) == RS_OK, t->cells[TABLE]);
    return result.us;
}

/* Tables of a network that nobody knows tell of no constant. */
static bool is_unknown(const table *t) {
    return t->site.n_nodes > 1 && t->fabric == RN_FABRIC_UNKNOWN;
}

/* What no table tells stays as it is documented: a share of the way from there, a hundredth of the range at most. */
static double distance(int which, double at) {
    const slices_row *row = &slices_rows[which];
    const bool logs = row->least > 0 && row->most / row->least > 20;
    const double from = row->documented;
    return 0.02 * (logs ? fabs(log(at / from)) / log(row->most / row->least)
                        : fabs(at - from) / (row->most - row->least));
}

/* What a fit minimises, as far as a constant changes it: over all families but one. */
static double cost(const char *without, int which, const rn_slices_constants *constants) {
    const int of = which < RN_FIT_FABRICS ? -1 : (which - RN_FIT_FABRICS) / RN_OF_A_FABRIC + 1;
    double sum = 0, weight = 0;
    for (int k = 0; k < n_tables; k++) {
        const table *t = &tables[k];
        if (without != NULL && strcmp(t->cells[left_out], without) == 0) continue;
        if (is_unknown(t)) continue;                   /* nobody's constants */
        if (of >= 0 && (int)t->fabric != of) continue; /* it does not feel the constant */
        for (int i = 0; i < t->n_rows; i++) {
            const double w = t->bytes[i] >= large ? 2 : 1;
            const double off = fabs(log(simulated(t, i, constants, 1, 1) / t->us[i]));
            sum += w * (off < 1 ? off : 1);
            weight += w;
        }
    }
    return (weight > 0 ? sum / weight : 0) + distance(which, constants->at[which]);
}

/* Finds the best value of one constant between its ends: a coarse look, then thirds. */
static void fit_one(const char *without, int which, rn_slices_constants *constants) {
    const slices_row *row = &slices_rows[which];
    const bool logs = row->least > 0 && row->most / row->least > 20;
    const double low = logs ? log(row->least) : row->least,
                 high = logs ? log(row->most) : row->most;
    double best = constants->at[which], least = cost(without, which, constants), span = high - low;
    for (int round = 0; round < 3; round++, span /= 8) {
        const double at = logs ? log(best) : best;
        const double from = round == 0 ? low : fmax(low, at - span / 2);
        const double to = round == 0 ? high : fmin(high, at + span / 2);
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

static void fit(const char *without, rn_slices_constants *constants) {
    take_documented(constants);
    for (int round = 0; round < ROUNDS; round++) {
        for (int which = 0; which < RN_N_CONSTANTS; which++) {
            if (which != held) fit_one(without, which, constants);
        }
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

/* Two rows of a table that tell of its machine: the largest up to 1 KiB, or the least; and the largest. */
typedef struct two_rows {
    const table *t;
    const rn_slices_constants *constants;
    int rows[2];
} two_rows;

static double off(void *context, double rate, double latency) {
    const two_rows *two = context;
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        const int i = two->rows[k];
        sum += fabs(log(simulated(two->t, i, two->constants, rate, latency) / two->t->us[i]));
    }
    return sum;
}

static void find_rows(const table *t, two_rows *two) {
    two->rows[0] = 0; /* rows are in order of size */
    while (two->rows[0] + 1 < t->n_rows && t->bytes[two->rows[0] + 1] <= 1024) two->rows[0]++;
    two->rows[1] = t->n_rows - 1;
}

enum { TUNER, DOCUMENTED, OTHERS, CALIBRATED, PRODUCT, N_MODELS };

/* How far off a row of a table left out is, in either direction: |ln(simulated / measured)|; by the cells of the ranges. */
typedef struct row_off {
    double off;
    const table *of;
} row_off;
typedef struct cell_offs {
    row_off rows[MOST_TABLES * MOST_ROWS];
    int n;
} cell_offs;
static cell_offs offs[RN_RANGE_PLACES][RN_RANGE_SIZES];

static void note_off(const table *t, int i, double us) {
    const rn_slices_job job = job_of(t, i);
    int place, size;
    if (!rn_slices_range_cell(&job, &place, &size)) return;
    cell_offs *cell = &offs[place][size];
    cell->rows[cell->n++] = (row_off){fabs(log(us / t->us[i])), t};
}

static int by_value(const void *a, const void *b) {
    const double x = ((const row_off *)a)->off, y = ((const row_off *)b)->off;
    return (x > y) - (x < y);
}

/* What holds nine of ten of a cell's rows, sorted, without those of a table; 0: there are no others. */
static double nine_of_ten(const cell_offs *cell, const table *without) {
    int n = 0, at = -1;
    for (int i = 0; i < cell->n; i++) n += cell->rows[i].of != without;
    for (int left = (9 * n + 9) / 10; left > 0;) left -= cell->rows[++at].of != without;
    return at < 0 ? 0 : cell->rows[at].off;
}

/* The table of slices_constants.c: factors that hold nine of ten rows; and how many such factors hold of a table that had no
   part in them. */
static void print_ranges(void) {
    int n = 0, n_held = 0;
    printf("ranges:");
    for (int place = 0; place < RN_RANGE_PLACES; place++) {
        for (int size = 0; size < RN_RANGE_SIZES; size++) {
            cell_offs *cell = &offs[place][size];
            qsort(cell->rows, (size_t)cell->n, sizeof cell->rows[0], by_value);
            printf(" %s%.3g%s", size == 0 ? "{" : "",
                   cell->n > 0 ? exp(nine_of_ten(cell, NULL)) : 0,
                   size == RN_RANGE_SIZES - 1 ? "}" : "");
            for (int i = 0; i < cell->n; i++, n++)
                n_held += cell->rows[i].off <= nine_of_ten(cell, cell->rows[i].of);
        }
    }
    printf("\nranges of the other tables hold %.0f %% of a table's rows\n",
           n > 0 ? 100.0 * n_held / n : 0);
}

static void judge(const table *t, int model, const rn_slices_constants *constants, errors *of[],
                  int n_of) {
    two_rows two = {.t = t, .constants = constants};
    double rate = 1, latency = 1;
    find_rows(t, &two);
    if (model == CALIBRATED) rn_slices_calibrate(off, &two, &rate, &latency);
    for (int i = 0; i < t->n_rows; i++) {
        if (model == CALIBRATED && (i == two.rows[0] || i == two.rows[1])) continue;
        const double us = model == TUNER ? (double)t->choices[i].cost.us
                                         : simulated(t, i, constants, rate, latency);
        for (int k = 0; k < n_of; k++) add(of[k], t->bytes[i], us / t->us[i] - 1);
        if (model == OTHERS) note_off(t, i, us);
    }
}

static void print_rows(const table *t, const rn_slices_constants *constants) {
    printf("\n%s on %s, NCCL %s\n", t->cells[TABLE], t->cells[MACHINE], t->cells[NCCL]);
    for (int i = 0; i < t->n_rows; i++) {
        const double us = simulated(t, i, constants, 1, 1);
        printf("%12.0f %-12s %-6s %3d tuner %10.1f simulated %10.1f measured %10.1f  %+6.1f %%\n",
               t->bytes[i], rn_nccl_algorithm_title(t->choices[i].algorithm),
               rn_nccl_protocol_title(t->choices[i].protocol), (int)t->choices[i].n_channels,
               (double)t->choices[i].cost.us, us, t->us[i], 100 * (us / t->us[i] - 1));
    }
}

static void print_line(const char *name, const errors of[N_MODELS]) {
    printf("%-14s", name);
    for (int model = 0; model < N_MODELS; model++) {
        print_errors(&of[model]);
        if (model < N_MODELS - 1) printf(" |");
    }
    puts("");
    fflush(stdout);
}

typedef struct summary {
    errors all[N_MODELS], by_nodes[3][N_MODELS], unknown[N_MODELS];
} summary;

static void print_family(const char *family, const rn_slices_constants *constants) {
    for (int i = 0; i < RN_N_CONSTANTS; i++) {
        if (fabs(constants->at[i] - slices_rows[i].documented) < 1e-9) continue;
        printf("%s %.3g; ", slices_rows[i].name, constants->at[i]);
    }
    puts("");
    for (int k = 0; k < n_tables; k++) {
        if (strcmp(tables[k].cells[left_out], family) == 0) print_rows(&tables[k], constants);
    }
}

/* Judges the tables of a family, by constants that were fitted without it. */
static void judge_family(int first, const rn_slices_constants *product, bool rows, summary *sums) {
    const char *family = tables[first].cells[left_out];
    rn_slices_constants documented, others;
    errors of[N_MODELS] = {0};
    take_documented(&documented);
    fit(family, &others);
    for (int k = first; k < n_tables; k++) {
        const table *t = &tables[k];
        if (strcmp(t->cells[left_out], family) != 0) continue;
        const bool unknown = is_unknown(t);
        const int nodes = t->site.n_nodes < 3 ? t->site.n_nodes - 1 : 2;
        const rn_slices_constants *by[N_MODELS] = {NULL, &documented, &others, &others, product};
        for (int model = 0; model < N_MODELS; model++) {
            errors *into[] = {&of[model], &sums->all[model], &sums->by_nodes[nodes][model]};
            if (unknown) into[0] = &sums->unknown[model];
            judge(t, model, by[model], into, unknown ? 1 : 3);
        }
    }
    if (rows) print_family(family, &others);
    print_line(family, of);
}

/* Is it the first table of what is left out together? */
static bool is_first(int k) {
    for (int j = 0; j < k; j++) {
        if (strcmp(tables[j].cells[left_out], tables[k].cells[left_out]) == 0) return false;
    }
    return true;
}

static void print_gains(void) {
    puts("error in percent of tables left out, without a constant: rows from 2 MiB on, rows below");
    for (held = -1; held < RN_N_CONSTANTS; held++) {
        errors of = {0};
        for (int first = 0; first < n_tables; first++) {
            rn_slices_constants others;
            if (!is_first(first)) continue;
            fit(tables[first].cells[left_out], &others);
            for (int k = first; k < n_tables; k++) {
                if (strcmp(tables[k].cells[left_out], tables[first].cells[left_out]) != 0) continue;
                errors *into = &of;
                if (!is_unknown(&tables[k])) judge(&tables[k], OTHERS, &others, &into, 1);
            }
        }
        printf("%-18s", held < 0 ? "none" : slices_rows[held].name);
        print_errors(&of);
        puts("");
        fflush(stdout);
    }
}

static void judge_all(const rn_slices_constants *product, bool rows) {
    static const char *const nodes[] = {"one node", "two nodes", "more nodes"};
    summary sums = {0};
    puts(
        "error in percent: geometric and arithmetic mean of rows from 2 MiB on, then of rows below");
    printf("%-14s %-28s|%-29s|%-29s|%-29s| %s\n", "family", "NCCL's tuner", " documented constants",
           " fitted on other families", " and two rows of the table", "product (fitted on these)");
    for (int k = 0; k < n_tables; k++) {
        if (is_first(k)) judge_family(k, product, rows, &sums);
    }
    for (int i = 0; i < 3; i++) print_line(nodes[i], sums.by_nodes[i]);
    print_line("all", sums.all);
    print_line("network unknown", sums.unknown);
    print_ranges();
}

int main(int argc, char **argv) {
    rn_slices_constants product, fitted;
    bool rows = false, refit = false, gains = false;
    folder = "tests/data/nccl-tables";
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--rows") == 0) {
            rows = true;
        } else if (strcmp(argv[i], "--tables") == 0) {
            left_out = TABLE;
        } else if (strcmp(argv[i], "--gains") == 0) {
            gains = true;
        } else if (strcmp(argv[i], "--fit") == 0) {
            refit = true;
        } else {
            folder = argv[i];
        }
    }
    rs_arena_init(&arena, NULL);
    read_tables();
    product = rn_slices_fitted;
    if (refit) {
        fit(NULL, &fitted);
        for (int i = 0; i < RN_N_CONSTANTS; i++) {
            printf("%-22s %10.4g (was %.4g)\n", slices_rows[i].name, fitted.at[i], product.at[i]);
        }
        product = fitted;
    }
    if (gains) {
        print_gains();
    } else {
        judge_all(&product, rows);
    }
    rs_arena_free(&arena);
    return 0;
}
