/* compare_print.c: a comparison as a table for people, as CSV, as JSON, and as a plot in characters.
 *
 * Every form but CSV says what the figures leave out: here each pair of GPUs has a wire of its own.
 */
#include "base/json_file.h"
#include "base/text.h"
#include "base/units.h"
#include "compare/compare.h"
#include "ringsim_viz.h"
#include "text/width.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { NOTE_WIDTH = 79 };
static const char note[] = N_(
    "Every pair of GPUs has a private wire here. On such a net halving is never slower than the "
    "ring where N is a power of two; on a --machine transfers share its wires, and the ring gains.");
static const char machine_note[] = N_(
    "Transfers share the machine's wires; each time holds a kernel's launch, two-shot's and nvls' "
    "their barriers, as the machine's file has them. The bound: what leaves every GPU, or every node, by raw capacities; no algorithm is faster that adds where it does.");
static const char bare_machine_note[] = N_(
    "Transfers share the machine's wires; its file says nothing of what a kernel's launch and a "
    "barrier cost, so small arrays take longer than this. The bound: what leaves every GPU, or every node, by raw capacities; no algorithm is faster.");

static rs_collective collective_of(const rc_table *table) {
    return table->rows[0].algorithm->collective;
}

/* NULL: there is nothing to add. */
static const char *note_of(const rc_table *table) {
    const rs_machine *machine = table->net.machine;
    if (machine != NULL) return machine->launch_ps > 0 ? machine_note : bare_machine_note;
    return collective_of(table) == RS_COLL_ALL_REDUCE ? note : NULL;
}

/* Returns the ratio a / b in thousandths, to the nearest; -1: none. */
static int64_t thousandths(int64_t a, int64_t b) {
    if (b <= 0 || a > INT64_MAX / 2000) return -1;
    return (a * 1000 + b / 2) / b;
}

static int64_t least_of_group(const rc_table *table, int64_t row) {
    const rc_row *group = &table->rows[row - row % table->n_algorithms];
    int64_t least = INT64_MAX;
    for (int64_t i = 0; i < table->n_algorithms; i++) {
        if (group[i].time_ps < least) least = group[i].time_ps;
    }
    return least;
}

/* ------------------------------------------------------------------ the table */

static void print_net(const rc_table *table) {
    char alpha[32], bandwidth[32];
    const rs_machine *machine = table->net.machine;
    const rs_collective of = collective_of(table);
    if (rs_collective_rooted(of)) {
        printf(_("%s, root %d; "), rv_collective_word(of), (int)table->root);
    } else if (of != RS_COLL_ALL_REDUCE) {
        printf(_("%s; "), rv_collective_word(of));
    }
    if (machine != NULL) {
        printf(_("%s: GPUs %d, nodes %d, type %s\n"), machine->name, (int)machine->n_gpus,
               (int)machine->n_nodes, rs_dtype_name(table->dtype));
        return;
    }
    rv_format_time(table->net.link.alpha_ps, alpha, sizeof alpha);
    rv_format_bytes((int64_t)table->net.link.bandwidth_Bps, bandwidth, sizeof bandwidth);
    printf(_("latency %s, bandwidth %s/s, %s, type %s\n"), alpha, bandwidth,
           table->net.protocol == RS_EAGER ? "eager" : "rendezvous", rs_dtype_name(table->dtype));
    if (table->net.n_overrides > 0) {
        printf(_("%d links of their own\n"), (int)table->net.n_overrides);
    }
}

enum table_column { GPUS, SIZE, ALGORITHM, STEPS, TIME, FORMULA, SENT, BUSIEST, RATIO, N_COLUMNS };
/* A terminal has 80 columns, and a lesson indents what a command prints. */
enum { TABLE_WIDTH = 78 };
typedef char table_cells[N_COLUMNS][RC_UNIT_TEXT];

static void fill_head(const rc_table *table, table_cells out) {
    const bool with_ring = table->rows[0].ring_ps >= 0, machine = table->net.machine != NULL;
    const char *const words[N_COLUMNS] = {
        _("gpus"),      _("size"),    _("algorithm"),
        _("steps"),     _("time"),    machine ? _("of bound") : _("formula"),
        _("bytes/GPU"), _("busiest"), with_ring ? _("x ring") : _("x best")};
    for (int c = 0; c < N_COLUMNS; c++) snprintf(out[c], sizeof out[c], "%s", words[c]);
}

static void fill_cells(const rc_table *table, int64_t i, table_cells out) {
    const rc_row *row = &table->rows[i];
    snprintf(out[GPUS], sizeof out[GPUS], "%d", (int)row->n_ranks);
    rc_exact_size(row->n_bytes, out[SIZE]);
    snprintf(out[ALGORITHM], sizeof out[ALGORITHM], "%s", row->algorithm->name);
    snprintf(out[STEPS], sizeof out[STEPS], "%d", (int)row->n_steps);
    rv_format_time(row->time_ps, out[TIME], sizeof out[TIME]);
    snprintf(out[FORMULA], sizeof out[FORMULA], "-");
    if (table->net.machine != NULL && row->time_ps > 0) {
        rv_format_percent(row->bound_ps, row->time_ps, out[FORMULA], sizeof out[FORMULA]);
    } else if (row->closed_form_ps >= 0) {
        rv_format_time(row->closed_form_ps, out[FORMULA], sizeof out[FORMULA]);
    }
    rv_format_bytes(row->most_sent, out[SENT], sizeof out[SENT]);
    rv_format_bytes(row->busiest_link, out[BUSIEST], sizeof out[BUSIEST]);
    snprintf(out[RATIO], sizeof out[RATIO], "-");
    const bool with_ring = table->rows[0].ring_ps >= 0;
    const int64_t x =
        thousandths(row->time_ps, with_ring ? row->ring_ps : least_of_group(table, i));
    if (x < 0) return;
    snprintf(out[RATIO], sizeof out[RATIO], "%lld.%03lld", (long long)(x / 1000),
             (long long)(x % 1000));
}

/* Returns how wide a table is with such a gap between its columns, two before a name, and the best one's star. */
static int width_of(const int widths[N_COLUMNS], int gap) {
    int all = 2 - gap + (int)strlen(" *");
    for (int c = 0; c < N_COLUMNS; c++) all += widths[c] > 0 ? widths[c] + (c > 0 ? gap : 0) : 0;
    return all;
}

/* Measures the columns; where they are too wide, those that say least get no width. */
static void measure_columns(const rc_table *table, int widths[N_COLUMNS]) {
    static const enum table_column least[] = {BUSIEST, FORMULA, SENT, STEPS};
    table_cells text;
    for (int c = 0; c < N_COLUMNS; c++) widths[c] = 0;
    for (int64_t i = -1; i < table->n_rows; i++) {
        if (i < 0) {
            fill_head(table, text);
        } else {
            fill_cells(table, i, text);
        }
        for (int c = 0; c < N_COLUMNS; c++) {
            const int own = rv_text_width(text[c]);
            if (own > widths[c]) widths[c] = own;
        }
    }
    for (size_t i = 0; i < sizeof least / sizeof *least && width_of(widths, 1) > TABLE_WIDTH; i++) {
        widths[least[i]] = 0;
    }
}

static void print_cells(table_cells text, const int widths[N_COLUMNS], bool best) {
    const int gap = width_of(widths, 2) <= TABLE_WIDTH ? 2 : 1;
    for (int c = 0; c < N_COLUMNS; c++) {
        if (widths[c] == 0) continue;
        if (c > 0) printf("%*s", c == ALGORITHM ? 2 : gap, "");
        rc_print_padded(text[c], c == ALGORITHM ? widths[c] : -widths[c]);
    }
    puts(best ? " *" : "");
}

/* Returns the algorithm that is fastest in a group. */
static const rs_algorithm *winner_of(const rc_table *table, int64_t first) {
    int64_t i = first;
    while (!table->rows[i].best) i++;
    return table->rows[i].algorithm;
}

/* Says for each world size where another algorithm becomes the fastest. */
static void print_winners(const rc_table *table) {
    const int64_t per_world = table->n_sizes * table->n_algorithms;
    if (table->n_sizes < 2 || table->n_algorithms < 2) return;
    for (int64_t world = 0; world < table->n_rows; world += per_world) {
        const rs_algorithm *before = NULL;
        printf(_("\nFastest on %d GPUs:"), (int)table->rows[world].n_ranks);
        for (int64_t i = world; i < world + per_world; i += table->n_algorithms) {
            const rs_algorithm *now = winner_of(table, i);
            char size[RC_UNIT_TEXT];
            if (now == before) continue;
            rc_exact_size(table->rows[i].n_bytes, size);
            printf(_("%s %s from %s"), before == NULL ? "" : ",", now->name, size);
            before = now;
        }
    }
    puts("");
}

void rc_print_table(const rc_table *table) {
    int widths[N_COLUMNS];
    table_cells text;
    print_net(table);
    measure_columns(table, widths);
    fill_head(table, text);
    print_cells(text, widths, false);
    for (int64_t i = 0; i < table->n_rows; i++) {
        if (i > 0 && i % table->n_algorithms == 0 && table->n_algorithms > 1) puts("");
        fill_cells(table, i, text);
        print_cells(text, widths, table->rows[i].best);
    }
    print_winners(table);
    puts(_("\n* none is faster at this size. bytes/GPU: what the GPU sends that sends most."));
    if (widths[BUSIEST] > 0) puts(_("busiest: what the link carries that carries most."));
    if (note_of(table) != NULL) rc_print_wrapped(_(note_of(table)), NOTE_WIDTH);
}

/* ------------------------------------------------------------------ CSV and JSON */

void rc_print_csv(const rc_table *table, FILE *out) {
    fputs(
        "gpus,count,bytes,algorithm,steps,time_ps,closed_form_ps,bytes_per_gpu,busiest_link_bytes,"
        "ring_time_ps,best,bound_ps\n",
        out);
    for (int64_t i = 0; i < table->n_rows; i++) {
        const rc_row *row = &table->rows[i];
        char closed[24] = "", ring[24] = "";
        if (row->closed_form_ps >= 0) {
            snprintf(closed, sizeof closed, "%lld", (long long)row->closed_form_ps);
        }
        if (row->ring_ps >= 0) snprintf(ring, sizeof ring, "%lld", (long long)row->ring_ps);
        fprintf(out, "%d,%lld,%lld,%s,%d,%lld,%s,%lld,%lld,%s,%d,%lld\n", (int)row->n_ranks,
                (long long)row->count, (long long)row->n_bytes, row->algorithm->name,
                (int)row->n_steps, (long long)row->time_ps, closed, (long long)row->most_sent,
                (long long)row->busiest_link, ring, row->best, (long long)row->bound_ps);
    }
}

static void put_row(rs_json *json, const rc_row *row) {
    rs_json_object(json, NULL);
    rs_json_integers(json, {"gpus", row->n_ranks}, {"count", row->count}, {"bytes", row->n_bytes});
    rs_json_text(json, "algorithm", row->algorithm->name);
    rs_json_integers(json, {"steps", row->n_steps}, {"time_ps", row->time_ps});
    rs_json_known(json, "closed_form_ps", row->closed_form_ps);
    rs_json_integers(json, {"bound_ps", row->bound_ps});
    rs_json_integers(json, {"bytes_per_gpu", row->most_sent},
                     {"busiest_link_bytes", row->busiest_link});
    rs_json_bool(json, "best", row->best);
    rs_json_close(json);
}

void rc_print_json(const rc_table *table) {
    rs_json json;
    rc_json_begin(&json, "ringsim.compare/1", stdout);
    const rs_collective of = collective_of(table);
    rs_json_text(&json, "collective", rs_collective_name(of));
    rs_json_known(&json, "root", rs_collective_rooted(of) ? table->root : -1);
    rs_json_text(&json, "dtype", rs_dtype_name(table->dtype));
    rc_json_net(&json, &table->net);
    rs_json_close(&json);
    rs_json_text(&json, "note", note_of(table));
    rs_json_array(&json, "rows");
    for (int64_t i = 0; i < table->n_rows; i++) put_row(&json, &table->rows[i]);
    rs_json_close(&json);
    rc_json_end(&json);
}

/* ------------------------------------------------------------------ the plot */

enum { PLOT_COLUMNS = 61, PLOT_LINES = 18 };

/* Both axes are logarithmic: a straight line is a power, a flat one pure latency. */
static void fill_plot(const rc_table *table, const rc_row *rows, double low, double high,
                      char grid[PLOT_LINES][PLOT_COLUMNS + 1]) {
    for (int y = 0; y < PLOT_LINES; y++) {
        memset(grid[y], ' ', PLOT_COLUMNS);
        grid[y][PLOT_COLUMNS] = '\0';
    }
    const int64_t n_rows = table->n_sizes * table->n_algorithms;
    assert(table->n_sizes >= 2 && high > low);
    for (int64_t i = 0; i < n_rows; i++) {
        const int64_t size = i / table->n_algorithms;
        const int x = (int)(size * (PLOT_COLUMNS - 1) / (table->n_sizes - 1));
        if (rows[i].time_ps <= 0) continue;
        const double share = (log10((double)rows[i].time_ps) - low) / (high - low);
        const int y = PLOT_LINES - 1 - (int)(share * (PLOT_LINES - 1) + 0.5);
        char *cell = &grid[y][x];
        *cell = *cell == ' ' ? rows[i].algorithm->name[0] : '+';
    }
}

static void print_axis_label(double log_ps) {
    char text[32];
    rv_format_time((int64_t)(pow(10, log_ps) + 0.5), text, sizeof text);
    printf("%10s ", text);
}

/* Draws one world size; rows[] are its sizes x algorithms. */
static void print_one_plot(const rc_table *table, const rc_row *rows) {
    double low = 18, high = 0;
    for (int64_t i = 0; i < table->n_sizes * table->n_algorithms; i++) {
        if (rows[i].time_ps <= 0) continue;
        const double at = log10((double)rows[i].time_ps);
        if (at < low) low = at;
        if (at > high) high = at;
    }
    if (low > high) low = 0; /* nothing takes any time: the plot is empty */
    if (high <= low) high = low + 1;
    char grid[PLOT_LINES][PLOT_COLUMNS + 1];
    fill_plot(table, rows, low, high, grid);
    printf(_("\n%d GPUs: time (up) against size (right), both logarithmic\n"),
           (int)rows[0].n_ranks);
    for (int y = 0; y < PLOT_LINES; y++) {
        if (y % (PLOT_LINES / 3) == 0 || y == PLOT_LINES - 1) {
            print_axis_label(high - (high - low) * y / (PLOT_LINES - 1));
        } else {
            printf("%10s ", "");
        }
        int end = PLOT_COLUMNS;
        while (end > 0 && grid[y][end - 1] == ' ') end--;
        printf("|%.*s\n", end, grid[y]);
    }
    char first[RC_UNIT_TEXT], last[RC_UNIT_TEXT];
    rc_exact_size(rows[0].n_bytes, first);
    rc_exact_size(rows[(table->n_sizes - 1) * table->n_algorithms].n_bytes, last);
    printf("%10s +", "");
    for (int i = 0; i < PLOT_COLUMNS; i++) putchar('-');
    printf("\n%12s%-*s%s\n", "", PLOT_COLUMNS - (int)strlen(last), first, last);
}

void rc_print_plot(const rc_table *table) {
    print_net(table);
    const int64_t group = table->n_sizes * table->n_algorithms;
    for (int64_t i = 0; i < table->n_rows; i += group) print_one_plot(table, &table->rows[i]);
    puts("");
    for (int64_t a = 0; a < table->n_algorithms; a++) {
        const char *name = table->rows[a].algorithm->name;
        printf("%s%c %s", a == 0 ? "" : _(", "), name[0], name);
    }
    puts(_(", + several"));
    if (note_of(table) != NULL) rc_print_wrapped(_(note_of(table)), NOTE_WIDTH);
}
