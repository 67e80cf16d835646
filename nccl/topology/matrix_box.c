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
#include "topology/link_rates.h"

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

/* What stands beside the matrix: of nvidia-smi's list of GPUs, or its CSV; 0: nothing. */
typedef struct beside {
    const struct gpu_model *model;
    int32_t pcie, lanes; /* the most that the GPUs' slots carry */
} beside;

/* Whom a device stands with, level by level. */
typedef enum level { AT_SWITCH, AT_TREE, AT_PROCESSOR, BY_NVLINK, N_LEVELS } level;
typedef struct matrix_groups {
    const rn_matrix *matrix;
    rn_findings *findings;
    int32_t *group[N_LEVELS]; /* [n] the first device of the same group */
} matrix_groups;

static rn_matrix_cell cell_of(const rn_matrix *m, int32_t row, int32_t column) {
    return m->cells[row * m->n + column];
}

/* ------------------------------------------------------------------ groups */

static void join_pair(matrix_groups *g, int32_t a, int32_t b) {
    const rn_matrix *m = g->matrix;
    const rn_way way = (rn_way)cell_of(m, a, b).way;
    if (way == RN_PIX) rs_join_groups(g->group[AT_SWITCH], a, b);
    if (way == RN_PIX || way == RN_PXB) rs_join_groups(g->group[AT_TREE], a, b);
    const char *numa = m->devices[a].numa;
    const bool same_numa = strcmp(numa, m->devices[b].numa) == 0;
    if ((way >= RN_PIX && way <= RN_NODE) || (way == RN_WAY_NVLINK && same_numa)) {
        rs_join_groups(g->group[AT_PROCESSOR], a, b);
    }
    if (way == RN_WAY_NVLINK) rs_join_groups(g->group[BY_NVLINK], a, b);
}

/* Names a pair that is said to be farther apart than it can be, by what is said of others. */
static void check_pairs(matrix_groups *g) {
    static const struct {
        rn_way from, to;
        level level;
    } farther[] = {
        {RN_PXB, RN_SYS, AT_SWITCH}, {RN_PHB, RN_SYS, AT_TREE}, {RN_SYS, RN_SYS, AT_PROCESSOR}};
    const rn_matrix *m = g->matrix;
    for (int32_t i = 0; i < m->n * m->n; i++) {
        const int32_t row = i / m->n, column = i % m->n;
        const rn_way way = (rn_way)cell_of(m, row, column).way;
        for (int k = 0; k < 3 && column < row; k++) {
            int32_t *group = g->group[farther[k].level];
            if (way < farther[k].from || way > farther[k].to) continue;
            if (rs_group_of(group, row) != rs_group_of(group, column)) continue;
            rn_find(
                g->findings, RN_NOTE, m->devices[row].line,
                "row %s, column %s: nearer to each other by what is said of others, and taken so; "
                "more such pairs are not named",
                m->devices[row].name, m->devices[column].name);
            return;
        }
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

static int32_t n_links_of(const rn_matrix *m, int32_t device) {
    int32_t n = 0;
    for (int32_t i = 0; i < m->n; i++) {
        if (cell_of(m, device, i).way == RN_WAY_NVLINK) n += cell_of(m, device, i).n_links;
    }
    return n;
}

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

/* Has a GPU NVLinks to several others? Those that bridges join have one partner. */
static bool is_mesh(const rn_matrix *m) {
    for (int32_t a = 0; a < m->n; a++) {
        int32_t n = 0;
        for (int32_t b = 0; b < m->n; b++) n += cell_of(m, a, b).way == RN_WAY_NVLINK;
        if (n > 1) return true;
    }
    return false;
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

/* Different models say nothing. */
static void look_beside(const char *text, size_t n_bytes, beside *found) {
    char line[512];
    int pcie = -1, lanes = -1;
    bool differ = false;
    for (rn_lines lines = {.text = text, .n_bytes = n_bytes};
         rn_copy_line(&lines, line, sizeof line);) {
        const struct gpu_model *model = model_in(line);
        differ = differ || (model != NULL && found->model != NULL && model->sm != found->model->sm);
        if (model != NULL) found->model = model;
        if (pcie >= 0 && found->pcie == 0 && line[0] >= '0' && line[0] <= '9') {
            found->pcie = field(line, pcie);
            found->lanes = lanes >= 0 ? field(line, lanes) : 0;
        }
        if (strstr(line, "pcie.link.gen.max") == NULL || line[0] == '$') continue;
        pcie = column_of(line, "pcie.link.gen.max");
        lanes = column_of(line, "pcie.link.width.max");
    }
    if (differ) found->model = NULL;
}

/* Puts what stands beside the matrix in place of what is assumed. */
static void take_beside(matrix_groups *g, const beside *found, struct generation *assumed,
                        int32_t *lanes) {
    if (found->model != NULL) {
        assumed->name = found->model->name;
        assumed->sm = found->model->sm;
        assumed->pcie = found->model->pcie;
    }
    if (found->pcie >= 1 && found->pcie <= 6) assumed->pcie = found->pcie;
    if (found->lanes > 0 && found->lanes <= 16) *lanes = found->lanes;
    if (found->model == NULL && found->pcie == 0) return;
    rn_find(g->findings, RN_NOTE, g->matrix->line,
            "what stands beside the matrix counts: %s, PCIe Gen%d x%d", assumed->name,
            (int)assumed->pcie, (int)*lanes);
}

static const struct generation *assume(const matrix_groups *g) {
    const rn_matrix *m = g->matrix;
    int32_t most = 0, n_switched = 0;
    for (int32_t i = 0; i < m->n; i++) {
        const int32_t to_switch = links_to_switches(g, g->group[BY_NVLINK][i]);
        const int32_t n = to_switch > 0 ? to_switch : n_links_of(m, i);
        most = n > most ? n : most;
        n_switched += to_switch > 0;
    }
    const struct generation *assumed = generations;
    while (most < assumed->least_links) assumed++;
    if (most > 0 && is_mesh(m) && assumed->sm != 90 && assumed->sm != 80)
        assumed = &generations[VOLTA];
    rn_find(
        g->findings, RN_NOTE, m->line,
        most == 0
            ? RS_MESSAGE(
                  "no speeds are said, and without NVLinks (%d) the generation cannot be told; taken for %s: NVLink "
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
    int32_t *at_processor, *at_tree, *at_switch,
        *part_of; /* [n] parts, of a group's first device */
} box_filling;

static int32_t add_part(box_filling *f, rn_part_kind kind, int32_t up, int64_t line,
                        const char *label, int32_t number) {
    rn_box *box = f->box;
    const rn_rate pcie = rn_pcie_rate(f->assumed.pcie, f->lanes);
    const int32_t at = box->n_parts++;
    box->parts[at] =
        (rn_box_part){.kind = kind, .line = line, .up = up, .label = label, .dev = number};
    if (up >= 0) box->parts[at].up_Bps = pcie.Bps;
    if (up >= 0) box->parts[at].up_raw_Bps = pcie.raw_Bps;
    return at;
}

static int32_t count_group(const int32_t group[], int32_t n, int32_t first) {
    int32_t found = 0;
    for (int32_t i = 0; i < n; i++) found += group[i] == first;
    return found;
}

/* Adds processors, trees, switches: each where a group of at least two needs it. */
static void add_upper_parts(box_filling *f) {
    const rn_matrix *m = f->groups->matrix;
    int32_t *const *group = f->groups->group;
    int32_t n_trees = 0, n_switches = 0, n_cpus = 0;
    for (int32_t i = 0; i < m->n; i++) {
        if (group[AT_PROCESSOR][i] != i) continue;
        f->at_processor[i] = add_part(f, RN_HOST_CPU, -1, m->devices[i].line, "cpu", n_cpus);
        f->box->parts[f->at_processor[i]].id = (uint64_t)n_cpus++;
        f->box->parts[f->at_processor[i]].between_Bps = f->assumed.between_Bps;
    }
    for (int32_t i = 0; i < m->n; i++) {
        const int32_t in_tree = count_group(group[AT_TREE], m->n, i);
        f->at_tree[i] = f->at_processor[group[AT_PROCESSOR][i]];
        if (group[AT_TREE][i] != i || in_tree == count_group(group[AT_SWITCH], m->n, i)) continue;
        f->at_tree[i] = add_part(f, RN_BRIDGE, f->at_tree[i], m->devices[i].line, "pxb", n_trees++);
    }
    for (int32_t i = 0; i < m->n; i++) {
        f->at_switch[i] = f->at_tree[group[AT_TREE][i]];
        if (group[AT_SWITCH][i] != i || count_group(group[AT_SWITCH], m->n, i) < 2) continue;
        f->at_switch[i] =
            add_part(f, RN_BRIDGE, f->at_switch[i], m->devices[i].line, "pix", n_switches++);
    }
}

static void add_devices(box_filling *f) {
    const rn_matrix *m = f->groups->matrix;
    rn_box *box = f->box;
    int32_t n_nics = 0;
    for (int32_t i = 0; i < m->n; i++) {
        const rn_matrix_device *device = &m->devices[i];
        const int32_t up = f->at_switch[f->groups->group[AT_SWITCH][i]];
        if (!device->is_gpu) {
            const int32_t at = add_part(f, RN_NIC_PART, up, device->line, "nic", n_nics);
            box->ports[box->n_ports++] =
                (rn_port){at, n_nics++, (uint64_t)f->assumed.nic_Gbps * 125000000, device->line};
            continue;
        }
        const int32_t number = (int32_t)strtol(device->name + 3, NULL, 10),
                      at = add_part(f, RN_GPU_PART, up, device->line, "gpu", number);
        box->parts[at].sm = f->assumed.sm;
        box->parts[at].n_to_switch = links_to_switches(f->groups, f->groups->group[BY_NVLINK][i]);
        f->part_of[i] = at;
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
                (rn_bundle){f->part_of[a], f->part_of[b], cell.n_links, m->devices[a].line};
        }
    }
}

static bool make_room(box_filling *f, int32_t n_devices, rs_arena *arena) {
    const size_t n = (size_t)n_devices;
    f->box->parts = rs_alloc(arena, 4 * n, sizeof(rn_box_part));
    f->box->ports = rs_alloc(arena, n, sizeof(rn_port));
    f->box->bundles = rs_alloc(arena, n * n, sizeof(rn_bundle));
    f->at_processor = rs_alloc(arena, n, sizeof(int32_t));
    f->at_tree = rs_alloc(arena, n, sizeof(int32_t));
    f->at_switch = rs_alloc(arena, n, sizeof(int32_t));
    f->part_of = rs_alloc(arena, n, sizeof(int32_t));
    return !arena->lacked;
}

rs_status rn_read_matrix(const char *text, size_t n_bytes, rs_arena *arena, rn_findings *findings,
                         rs_error *error, rn_box *box) {
    rn_matrix matrix;
    *box = (rn_box){.n_hosts = 1};
    const rs_status status = rn_parse_matrix(text, n_bytes, arena, findings, error, &matrix);
    if (status != RS_OK || findings->n[RN_ERROR] > 0) return status;
    matrix_groups groups = {.matrix = &matrix, .findings = findings};
    box_filling f = {.groups = &groups, .box = box};
    beside found = {.model = NULL};
    if (!make_groups(&groups, arena) || !make_room(&f, matrix.n, arena)) return rs_no_memory(error);
    f.assumed = *assume(&groups);
    f.lanes = LANES;
    look_beside(text, n_bytes, &found);
    take_beside(&groups, &found, &f.assumed, &f.lanes);
    if (f.assumed.least_links == 0 && found.model == NULL) f.assumed.sm = 0; /* nothing tells it */
    find_hidden(&groups);
    add_upper_parts(&f);
    add_devices(&f);
    add_bundles(&f);
    return rn_lint_box(box, matrix.line, arena, findings, error);
}
