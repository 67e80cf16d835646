/* test_drawn_matrix.c: drawn matrices of nvidia-smi topo -m, written as terminals and versions write them, are read as they
   were drawn: names, ways, NVLinks, NUMA nodes, lines. */
#include "topology/matrix.h"
#include "ringsim_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/session.h"

enum { MOST = 9, TEXT = 1 << 14 };

static rs_arena arena;
static rs_error error;
static rn_findings findings;
static void begin(void) {
    rs_arena_init(&arena, NULL);
}
static void end(void) {
    rs_arena_free(&arena);
}
TestSuite(drawn_matrix, .init = begin, .fini = end);

static const char *const words[] = {"X", "NV", "PIX", "PXB", "PHB", "NODE", "SYS"};
static const rn_way ways[] = {RN_WAY_SELF, RN_WAY_NVLINK, RN_PIX, RN_PXB, RN_PHB, RN_NODE, RN_SYS};

typedef struct drawn {
    int n, n_gpus;
    char names[MOST][16];
    int cells[MOST][MOST], n_links[MOST][MOST]; /* of words[] */
    int numa[MOST];                             /* -1: N/A; -2: the column is not there */
    char text[TEXT];
    int head_line, row_line[MOST];
} drawn;

static void draw(drawn *d) {
    *d = (drawn){.n_gpus = 1 + session_below(6)};
    d->n = d->n_gpus + session_below(4);
    const bool old = session_below(4) == 0; /* NICs are called as their driver calls them */
    for (int i = 0; i < d->n; i++) {
        const int nic = i - d->n_gpus;
        snprintf(d->names[i], sizeof d->names[i],
                 nic < 0 ? "GPU%d"
                 : old   ? "mlx5_%d"
                         : "NIC%d",
                 nic < 0 ? i : nic);
        d->numa[i] = nic < 0 ? session_below(3) - 1 : -2;
        for (int k = 0; k < i; k++) {
            const int way = i < d->n_gpus ? 1 + session_below(6) : 2 + session_below(5);
            d->cells[i][k] = d->cells[k][i] = way;
            d->n_links[i][k] = d->n_links[k][i] = way == 1 ? 1 + session_below(64) : 0;
        }
    }
}

static void put(drawn *d, const char *piece) {
    strcat(d->text, piece);
}
static int lines(const drawn *d) {
    int n = 0;
    for (const char *at = d->text; (at = strchr(at, '\n')) != NULL; at++) n++;
    return n;
}

static void write_cell(int way, int n_links, char out[16]) {
    if (way == 1) {
        snprintf(out, 16, "NV%d", n_links);
    } else {
        snprintf(out, 16, "%s", words[way]);
    }
}

/* The cell's word; of run-together cells no blank follows. */
static void put_cell(drawn *d, int i, int k, const char *gap) {
    char word[16];
    write_cell(d->cells[i][k], d->n_links[i][k], word);
    if (d->cells[i][k] == 6 && session_below(4) == 0) strcpy(word, "SOC");
    put(d, word);
    put(d, gap);
}

static void write_matrix(drawn *d) {
    static const char *const before[] = {"$ nvidia-smi topo -m\n", "\n", "hello, GPU\n",
                                         "GPU0 X NV4\n", "GPUs and NICs:\n"};
    static const char *const behind[] = {"", "\n", "Legend:\n  X = Self\n", "NIC Legend:\n",
                                         "GPU99 X\n"};
    static const char *const gaps[] = {"\t", " ", "    ", " \t "};
    const char *gap = gaps[session_below(4)], *ends = session_below(3) == 0 ? "\r\n" : "\n";
    const bool underlined = session_below(3) == 0, bare = session_below(2) == 0;
    for (int i = session_below(4); i > 0; i--) put(d, before[session_below(5)]);
    d->head_line = lines(d) + 1;
    put(d, gap);
    if (underlined) put(d, bare ? "[4m" : "\033[4m");
    for (int i = 0; i < d->n; i++) {
        put(d, d->names[i]);
        put(d, gap);
    }
    put(d, "CPU Affinity");
    put(d, gap);
    put(d, "NUMA Affinity");
    if (underlined) put(d, bare ? "[0m" : "\033[0m");
    put(d, ends);
    for (int i = session_below(3); i > 1; i--) put(d, ends);
    for (int i = 0; i < d->n; i++) {
        char affinity[60] = "";
        d->row_line[i] = lines(d) + 1;
        put(d, d->names[i]);
        put(d, gap);
        bool together = false; /* two at a time */
        for (int k = 0; k < d->n; k++) {
            together = !together && k + 1 < d->n && d->cells[i][k] >= 2 && session_below(6) == 0;
            put_cell(d, i, k, together ? "" : gap);
        }
        if (d->numa[i] >= 0) {
            snprintf(affinity, sizeof affinity, "%d-%d%s%d", 8 * d->numa[i], 8 * d->numa[i] + 7,
                     gap, d->numa[i]);
        } else if (d->numa[i] == -1) {
            snprintf(affinity, sizeof affinity, "N/A%sN/A", gap);
        }
        put(d, affinity);
        if (i + 1 < d->n || session_below(3) > 0) put(d, ends);
    }
    if (d->text[strlen(d->text) - 1] == '\n') put(d, behind[session_below(5)]);
    rn_plain plain;
    cr_assert_eq(rn_make_plain(d->text, strlen(d->text), &arena, &error, &plain), RS_OK);
    memcpy(d->text, plain.text, plain.n_bytes + 1);
}

static void expect_same(const drawn *d, const rn_matrix *m) {
    cr_assert(m->n == d->n && m->n_gpus == d->n_gpus && m->line == d->head_line, "%d, %d of\n%s",
              (int)m->n, (int)m->line, d->text);
    for (int i = 0; i < d->n; i++) {
        char numa[16] = "";
        const rn_matrix_device *device = &m->devices[i];
        if (d->numa[i] >= 0) snprintf(numa, sizeof numa, "%d", d->numa[i]);
        cr_assert_str_eq(device->name, d->names[i]);
        cr_assert_str_eq(device->numa, numa, "%s of\n%s", device->name, d->text);
        cr_assert(device->is_gpu == (i < d->n_gpus) && device->line == d->row_line[i], "%s of\n%s",
                  device->name, d->text);
        for (int k = 0; k < d->n; k++) {
            const rn_matrix_cell cell = m->cells[i * d->n + k];
            cr_assert(cell.way == (i == k ? RN_WAY_SELF : ways[d->cells[i][k]]) &&
                          cell.n_links == d->n_links[i][k],
                      "row %d, column %d of\n%s", i, k, d->text);
        }
    }
}

Test(drawn_matrix, is_read_as_it_was_drawn) {
    session_begin(1);
    for (int k = 0; k < 1500; k++) {
        static drawn d;
        rn_matrix m;
        draw(&d);
        write_matrix(&d);
        const size_t n = strlen(d.text);
        findings = (rn_findings){.n_kept = 0};
        cr_assert(rn_has_matrix(d.text, n), "%s", d.text);
        cr_assert_eq(rn_parse_matrix(d.text, n, &arena, &findings, &error, &m), RS_OK);
        cr_assert(findings.n[RN_ERROR] == 0 && findings.n[RN_WARNING] == 0, "%s\n%s",
                  findings.list[0].said.text, d.text);
        expect_same(&d, &m);
        rs_arena_free(&arena);
        rs_arena_init(&arena, NULL);
    }
}

static const rn_finding *the_one(rn_level level, const char *text) {
    const rn_finding *found = NULL;
    cr_assert_eq(findings.n[level], 1, "%s", text);
    for (int i = 0; i < findings.n_kept; i++) {
        if (findings.list[i].level == level) found = &findings.list[i];
    }
    cr_assert_not_null(found);
    return found;
}

/* One half's cell is another: told with both lines, from the lower row. */
Test(drawn_matrix, of_two_unlike_halves_is_told) {
    session_begin(2);
    for (int k = 0; k < 300; k++) {
        static drawn d;
        rn_matrix m;
        char want[200];
        do {
            draw(&d);
        } while (d.n < 2);
        const int i = 1 + session_below(d.n - 1), j = session_below(i);
        const int was = d.cells[i][j], links = d.n_links[i][j];
        if (was == 1 && session_below(2) == 0) {
            d.n_links[i][j] = links % 64 + 1;
        } else {
            d.cells[i][j] = 2 + (was + session_below(4)) % 5;
            d.n_links[i][j] = 0;
        }
        if (d.cells[i][j] == was && d.n_links[i][j] == links) continue;
        write_matrix(&d);
        findings = (rn_findings){.n_kept = 0};
        cr_assert_eq(rn_parse_matrix(d.text, strlen(d.text), &arena, &findings, &error, &m), RS_OK);
        char one[16], other[16];
        write_cell(d.cells[i][j], d.n_links[i][j], one);
        write_cell(was, links, other);
        snprintf(want, sizeof want, "row %s, column %s: %s, the other way round %s (line %d)",
                 d.names[i], d.names[j], one, other, d.row_line[j]);
        const rn_finding *told = the_one(RN_ERROR, d.text);
        cr_expect_eq(told->line, d.row_line[i]);
        cr_expect_str_eq(told->said.text, want);
    }
}

/* A matrix that ends early lacks the first row that is not there; where it ends is what is told. */
Test(drawn_matrix, that_ends_early_lacks_a_row) {
    session_begin(3);
    for (int k = 0; k < 300; k++) {
        static drawn d;
        rn_matrix m;
        char want[200];
        draw(&d);
        write_matrix(&d);
        const int row = session_below(d.n);
        char *at = d.text;
        for (int i = 1; i < d.row_line[row]; i++) at = strchr(at, '\n') + 1;
        *at = '\0';
        const int kind = session_below(3);
        int last_gpu = 0, n_gpus = 0; /* of two or more the machine is told, without the others */
        for (int i = 0; i < d.n; i++) {
            if (strncmp(d.names[i], "GPU", 3) != 0) continue;
            last_gpu = i;
            n_gpus += i < row;
        }
        if (kind == 1) strcat(d.text, "\n");
        if (kind == 2) strcat(d.text, "GPU77 X\n");
        if (kind == 1 && row == 0) continue;
        findings = (rn_findings){.n_kept = 0};
        cr_assert_eq(rn_parse_matrix(d.text, strlen(d.text), &arena, &findings, &error, &m), RS_OK);
        snprintf(want, sizeof want, "the row of %s is missing here", d.names[row]);
        const rn_finding *told =
            the_one(row > last_gpu || n_gpus > 1 ? RN_WARNING : RN_ERROR, d.text);
        cr_expect_str_eq(told->said.text, want);
        cr_expect(told->line == d.row_line[row] && (n_gpus < 2 || m.n_gpus == n_gpus), "%s",
                  d.text);
    }
}
