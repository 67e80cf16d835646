/* matrix_box.c: the box that a matrix of nvidia-smi topo -m stands for.
 *
 *     NODE, PHB   the same processor           cpu0 --- pxb0 --- pix0 --- gpu0, nic0
 *     PXB         the same tree of switches                 \--- gpu1
 *     PIX         the same switch              NVLinks of many GPUs, all alike: to switches
 *
 *   - Whoever is as near as that to a third is so to each other. NV# hides how two GPUs are joined by PCIe: those of one
 *     NUMA node have the same processor.
 *   - The matrix says no speeds: how many NVLinks a GPU has says which generation is assumed, in a note.
 */
#include "topology/matrix.h"
#include "base/containers.h"

#include "ringsim_text.h"

#include <stdlib.h>
#include <string.h>

/* What is assumed of a GPU with at least so many NVLinks. */
static const struct generation {
    int32_t least_links;
    const char *name;
    int32_t sm, pcie, nic_Gbps;
    uint64_t between_Bps; /* Sapphire Rapids, AMD, Skylake: the processors that such boxes have */
} generations[] = {
    {13, "Hopper", 90, 5, 400, RN_GB(220)},  {7, "Ampere", 80, 4, 200, RN_GB(160)},
    {5, "Volta", 70, 3, 100, RN_GB(100)},    {3, "RTX A6000", 86, 4, 200, RN_GB(160)},
    {1, "RTX 2080", 75, 3, 100, RN_GB(100)}, {0, "Ampere", 80, 4, 200, RN_GB(160)},
};
enum {
    VOLTA = 2, /* of generations */
    MOST_DIRECT = 18,
    LANES = 16
}; /* NVLinks that a GPU may have: with more to the others there are switches */

/* What names of GPUs say, where they stand beside the matrix; the first that is in the line counts. */
static const struct gpu_model {
    const char *name;
    int32_t sm, pcie;
} models[] = {{"GB200", 100, 6},   {"GB300", 103, 6},  {"B200", 100, 6},  {"B300", 103, 6},
              {"GH200", 90, 5},    {"H100", 90, 5},    {"H200", 90, 5},   {"H800", 90, 5},
              {"H20", 90, 5},      {"A100", 80, 4},    {"A800", 80, 4},   {"A30", 80, 4},
              {"V100", 70, 3},     {"P100", 60, 3},    {"L40", 89, 4},    {"L4", 89, 4},
              {"A40", 86, 4},      {"A10", 86, 4},     {"RTX A", 86, 4},  {"RTX 6000 Ada", 89, 4},
              {"RTX PRO", 120, 5}, {"RTX 50", 120, 5}, {"RTX 40", 89, 4}, {"RTX 30", 86, 4},
              {"RTX 20", 75, 3},   {"T4", 75, 3}};

/* Whom a device stands with: each level is part of the one before it; the last but one has nobody else. */
typedef enum level { AT_PROCESSOR, AT_TREE, AT_SWITCH, ALONE, BY_NVLINK, N_LEVELS } level;
typedef struct matrix_groups {
    const rn_matrix *matrix;
    rn_findings *findings;
    int32_t *group[N_LEVELS]; /* [n] the first device of the same group */
} matrix_groups;

static rn_matrix_cell cell_of(const rn_matrix *m, int32_t row, int32_t column) {
    return m->cells[row * m->n + column];
}

/* ------------------------------------------------------------------ groups */

/* At which level those stand together who are so far apart; -1: at none. */
static int level_of(rn_way way) {
    if (way == RN_PIX || way == RN_PXB) return way == RN_PIX ? AT_SWITCH : AT_TREE;
    return way == RN_PHB || way == RN_NODE ? AT_PROCESSOR : -1;
}

static void join_pair(matrix_groups *g, int32_t a, int32_t b) {
    const rn_matrix *m = g->matrix;
    const rn_way way = (rn_way)cell_of(m, a, b).way;
    const bool nvlink = way == RN_WAY_NVLINK,
               same_numa = strcmp(m->devices[a].numa, m->devices[b].numa) == 0;
    const int last = nvlink && same_numa ? AT_PROCESSOR : level_of(way);
    for (int k = 0; k <= last; k++) rs_join_groups(g->group[k], a, b);
    if (nvlink) rs_join_groups(g->group[BY_NVLINK], a, b);
}

/* Names a pair that is said to be farther apart than it can be, by what is said of others. */
static void check_pairs(matrix_groups *g) {
    const rn_matrix *m = g->matrix;
    for (int32_t i = 0; i < m->n * m->n; i++) {
        const int32_t row = i / m->n, column = i % m->n;
        const rn_way way = (rn_way)cell_of(m, row, column).way;
        int32_t *nearer = g->group[level_of(way) + 1];
        if (column >= row || way < RN_PIX || way > RN_SYS) continue;
        if (rs_group_of(nearer, row) != rs_group_of(nearer, column)) continue;
        rn_find(g->findings, RN_NOTE, m->devices[row].line,
                "row %s, column %s: nearer to each other by what is said of others, and taken so; "
                "more such pairs are not named",
                m->devices[row].name, m->devices[column].name);
        return;
    }
}

static bool make_groups(matrix_groups *g, rs_arena *arena) {
    const int32_t n = g->matrix->n;
    for (int k = 0; k < N_LEVELS; k++) {
        g->group[k] = rs_alloc(arena, (size_t)n, sizeof *g->group[k]);
        if (g->group[k] == NULL) return false;
        for (int32_t i = 0; i < n; i++) g->group[k][i] = i;
    }
    for (int32_t a = 0; a < n; a++) {
        for (int32_t b = a + 1; b < n; b++) join_pair(g, a, b);
    }
    check_pairs(g);
    for (int k = 0; k < N_LEVELS; k++) {
        for (int32_t i = 0; i < n; i++) g->group[k][i] = rs_group_of(g->group[k], i);
    }
    return true;
}

/* ------------------------------------------------------------------ what is assumed */

/* Returns how many NVLinks each GPU of a group has to switches; 0: they are joined directly. */
static int32_t links_to_switches(const matrix_groups *g, int32_t first) {
    const rn_matrix *m = g->matrix;
    const int32_t *group = g->group[BY_NVLINK];
    int32_t n_links = 0, n = 0;
    for (int32_t a = 0; a < m->n; a++) {
        n += group[a] == first;
        for (int32_t b = 0; b < m->n; b++) {
            if (a == b || group[a] != first || group[b] != first) continue;
            const rn_matrix_cell cell = cell_of(m, a, b);
            if (cell.way != RN_WAY_NVLINK || (n_links > 0 && cell.n_links != n_links)) return 0;
            n_links = cell.n_links;
        }
    }
    return n_links * (n - 1) > MOST_DIRECT ? n_links : 0;
}

/* Within one NUMA node nothing is as far as SYS: who says so does not know, a virtual machine. */
static void find_hidden(const matrix_groups *g) {
    const rn_matrix *m = g->matrix;
    for (int32_t a = 0; a < m->n; a++) {
        for (int32_t b = a + 1; b < m->n; b++) {
            const rn_matrix_device *one = &m->devices[a], *other = &m->devices[b];
            if (!one->is_gpu || !other->is_gpu || one->numa[0] == '\0') continue;
            if (cell_of(m, a, b).way != RN_SYS || strcmp(one->numa, other->numa) != 0) continue;
            rn_find(
                g->findings, RN_WARNING, one->line,
                "%s and %s are SYS apart, and in one NUMA node: a virtual machine hides how they are joined; "
                "what is drawn is a guess",
                one->name, other->name);
            return;
        }
    }
}

/* The number of a CSV's column; 0: it has none. */
static int32_t field(const char *line, int column) {
    for (; column > 0 && line != NULL; column--)
        line = strchr(line, ',') != NULL ? strchr(line, ',') + 1 : NULL;
    const long number = line != NULL ? strtol(line, NULL, 10) : 0;
    return number > 0 && number < 64 ? (int32_t)number : 0;
}

static int column_of(const char *line, const char *name) {
    const char *found = strstr(line, name);
    int column = 0;
    for (const char *at = line; found != NULL && at < found; at++) column += *at == ',';
    return found != NULL ? column : -1;
}

static const struct gpu_model *model_in(const char *line) {
    if (strstr(line, "NVIDIA ") == NULL && strstr(line, "Tesla ") == NULL &&
        strstr(line, "GeForce ") == NULL)
        return NULL;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        if (strstr(line, models[i].name) != NULL) return &models[i];
    }
    return NULL;
}

/* Puts what stands beside the matrix in place of what is assumed: nvidia-smi's list of GPUs, where all are one model, and
   its CSV, which says the most that the GPUs' slots carry. */
static void take_beside(const matrix_groups *g, const char *text, size_t n_bytes,
                        struct generation *assumed, int32_t *lanes) {
    char line[512];
    int pcie_column = -1, lanes_column = -1;
    int32_t pcie = 0;
    const struct gpu_model *found = NULL;
    bool differ = false;
    for (rn_lines lines = {.text = text, .n_bytes = n_bytes};
         rn_copy_line(&lines, line, sizeof line);) {
        const struct gpu_model *model = model_in(line);
        differ = differ || (model != NULL && found != NULL && model->sm != found->sm);
        if (model != NULL) found = model;
        if (pcie_column >= 0 && pcie == 0 && line[0] >= '0' && line[0] <= '9') {
            pcie = field(line, pcie_column);
            const int32_t n = lanes_column >= 0 ? field(line, lanes_column) : 0;
            *lanes = n > 0 && n <= LANES ? n : LANES;
        }
        if (strstr(line, "pcie.link.gen.max") == NULL || line[0] == '$') continue;
        pcie_column = column_of(line, "pcie.link.gen.max");
        lanes_column = column_of(line, "pcie.link.width.max");
    }
    if (differ) found = NULL;
    if (found != NULL) {
        assumed->name = found->name;
        assumed->sm = found->sm;
        assumed->pcie = found->pcie;
    } else if (assumed->least_links == 0) {
        assumed->sm = 0; /* nothing tells it */
    }
    if (pcie >= 1 && pcie <= 6) assumed->pcie = pcie;
    if (found == NULL && pcie == 0) return;
    rn_find(g->findings, RN_NOTE, g->matrix->line,
            "what stands beside the matrix counts: %s, PCIe Gen%d x%d", assumed->name,
            (int)assumed->pcie, (int)*lanes);
}

static const struct generation *assume(const matrix_groups *g) {
    const rn_matrix *m = g->matrix;
    int32_t most = 0, n_switched = 0;
    /* A GPU has NVLinks to several others; those that bridges join have one partner. */
    bool mesh = false;
    for (int32_t i = 0; i < m->n; i++) {
        const int32_t to_switch = links_to_switches(g, g->group[BY_NVLINK][i]);
        int32_t n = 0, n_partners = 0;
        for (int32_t k = 0; k < m->n; k++) {
            const rn_matrix_cell cell = cell_of(m, i, k);
            if (cell.way != RN_WAY_NVLINK) continue;
            n += cell.n_links;
            n_partners++;
        }
        mesh = mesh || n_partners > 1;
        most = (int32_t)rs_larger(most, to_switch > 0 ? to_switch : n);
        n_switched += to_switch > 0;
    }
    const struct generation *assumed = generations;
    while (most < assumed->least_links) assumed++;
    if (mesh && assumed->sm != 90 && assumed->sm != 80) assumed = &generations[VOLTA];
    rn_find(
        g->findings, RN_NOTE, m->line,
        most == 0
            ? RS_MESSAGE(
                  "no speeds are said, and no NVLinks are listed (%d): the generation cannot be told; taken for %s: NVLink "
                  "%.4g GB/s each, PCIe Gen%d x16, NICs %d Gb/s, %.4g GB/s between processors; to change it, save "
                  "it: ringsim machine FILE --save MINE.machine")
        : n_switched > 0
            ? RS_MESSAGE(
                  "no speeds are said; by %d NVLinks a GPU it is taken for %s: NVLink %.4g GB/s each to switches, "
                  "PCIe Gen%d x16, NICs %d Gb/s, %.4g GB/s between processors; to change it, save it: ringsim "
                  "machine FILE --save MINE.machine")
            : RS_MESSAGE(
                  "no speeds are said; by %d NVLinks a GPU it is taken for %s: NVLink %.4g GB/s each, PCIe Gen%d "
                  "x16, NICs %d Gb/s, %.4g GB/s between processors; to change it, save it: ringsim machine FILE "
                  "--save MINE.machine"),
        (int)most, assumed->name, (double)rn_nvlink_rate(assumed->sm).Bps / 1e9, (int)assumed->pcie,
        (int)assumed->nic_Gbps, (double)assumed->between_Bps / 1e9);
    return assumed;
}

/* ------------------------------------------------------------------ parts */

typedef struct box_filling {
    const matrix_groups *groups;
    struct generation assumed;
    int32_t lanes;
    rn_box *box;
    int32_t *part_of; /* [n] of a device; before it is made, what it hangs below */
} box_filling;

static int32_t add_part(box_filling *f, rn_part_kind kind, int32_t up, int64_t line,
                        const char *label, int32_t number) {
    f->box->parts[f->box->n_parts] =
        (rn_box_part){.kind = kind,
                      .line = line,
                      .up = up,
                      .up_rate = rn_pcie_rate(f->assumed.pcie, f->lanes),
                      .label = label,
                      .dev = number,
                      .between_Bps = f->assumed.between_Bps};
    return f->box->n_parts++;
}

static int32_t count_group(const int32_t group[], int32_t n, int32_t first) {
    int32_t found = 0;
    for (int32_t i = 0; i < n; i++) found += group[i] == first;
    return found;
}

/* Adds processors, then trees, then switches: each of these where it parts devices from others of the level above. */
static void add_upper_parts(box_filling *f) {
    static const char *const labels[] = {"cpu", "pxb", "pix"};
    const rn_matrix *m = f->groups->matrix;
    for (int32_t i = 0; i < m->n; i++) f->part_of[i] = -1;
    for (int k = AT_PROCESSOR; k <= AT_SWITCH; k++) {
        const int32_t *group = f->groups->group[k], *inner = f->groups->group[k + 1];
        int32_t number = 0;
        for (int32_t i = 0; i < m->n; i++) {
            const bool cpu = k == AT_PROCESSOR;
            if (group[i] != i) {
                f->part_of[i] = f->part_of[group[i]];
            } else if (cpu || count_group(group, m->n, i) > count_group(inner, m->n, i)) {
                f->part_of[i] = add_part(f, cpu ? RN_HOST_CPU : RN_BRIDGE, f->part_of[i],
                                         m->devices[i].line, labels[k], number++);
            }
        }
    }
}

static void add_devices(box_filling *f) {
    const rn_matrix *m = f->groups->matrix;
    rn_box *box = f->box;
    for (int32_t i = 0; i < m->n; i++) {
        const rn_matrix_device *device = &m->devices[i];
        const rn_part_kind kind = device->is_gpu ? RN_GPU_PART : RN_NIC_PART;
        const int32_t number =
            device->is_gpu ? (int32_t)strtol(device->name + 3, NULL, 10) : box->n_ports;
        const int32_t at = add_part(f, kind, f->part_of[i], device->line, "nic", number);
        f->part_of[i] = at;
        if (device->is_gpu) {
            box->parts[at].sm = f->assumed.sm;
            box->parts[at].n_to_switch =
                links_to_switches(f->groups, f->groups->group[BY_NVLINK][i]);
        } else {
            box->ports[box->n_ports++] =
                (rn_port){at, number, (uint64_t)f->assumed.nic_Gbps * 125000000, device->line};
        }
    }
}

static void add_bundles(box_filling *f) {
    const rn_matrix *m = f->groups->matrix;
    rn_box *box = f->box;
    for (int32_t a = 0; a < m->n; a++) {
        for (int32_t b = a + 1; b < m->n; b++) {
            const rn_matrix_cell cell = cell_of(m, a, b);
            if (cell.way != RN_WAY_NVLINK || box->parts[f->part_of[a]].n_to_switch > 0) continue;
            box->bundles[box->n_bundles++] =
                (rn_bundle){f->part_of[a], f->part_of[b], cell.n_links, m->devices[a].line, 0};
        }
    }
}

rs_status rn_read_matrix(const char *text, size_t n_bytes, rs_arena *arena, rn_findings *findings,
                         rs_error *error, rn_box *box) {
    rn_matrix matrix;
    *box = (rn_box){.n_hosts = 1};
    const rs_status status = rn_parse_matrix(text, n_bytes, arena, findings, error, &matrix);
    if (status != RS_OK || findings->n[RN_ERROR] > 0) return status;
    matrix_groups groups = {.matrix = &matrix, .findings = findings};
    box_filling f = {.groups = &groups, .box = box, .lanes = LANES};
    const size_t n = (size_t)matrix.n;
    box->parts = rs_alloc(arena, 4 * n, sizeof *box->parts);
    box->ports = rs_alloc(arena, n, sizeof *box->ports);
    box->bundles = rs_alloc(arena, n * n, sizeof *box->bundles);
    f.part_of = rs_alloc(arena, n, sizeof *f.part_of);
    if (arena->lacked || !make_groups(&groups, arena)) return rs_no_memory(error);
    f.assumed = *assume(&groups);
    take_beside(&groups, text, n_bytes, &f.assumed, &f.lanes);
    find_hidden(&groups);
    add_upper_parts(&f);
    add_devices(&f);
    add_bundles(&f);
    return rn_lint_box(box, matrix.line, arena, findings, error);
}
