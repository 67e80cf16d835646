/* machine_plan.c: where rows, nodes and GPUs of a machine lie. See machine_draft.h. */
#include "panels/machine/machine_draft.h"
#include "base/containers.h"

#include <math.h>
#include <stdlib.h>

/* Which tier each device is on: how far from the GPUs it is, above them or below.
 *
 *   - A switch leads out if it has a `net` link, or other switches join it to one that has. Those lie above the
 *     GPUs, the others (NVSwitch) below. In a machine without `net` links all lie above.
 */

enum { UNSEEN = INT32_MAX };

static bool is_switch(const rs_machine *machine, int32_t device) {
    return device >= machine->n_gpus;
}

/* Goes from the n devices in the queue to all switches that `may` allows, and counts the links. */
static void spread(const rs_machine *machine, const bool may[], int32_t queue[], int32_t n,
                   int32_t far[]) {
    for (int32_t i = 0; i < n; i++) {
        const int32_t device = queue[i];
        for (int32_t k = machine->at_first[device]; k < machine->at_first[device + 1]; k++) {
            const rs_machine_link *link = &machine->links[machine->at[k]];
            const int32_t next = link->a == device ? link->b : link->a;
            if (!is_switch(machine, next) || !may[next] || far[next] != UNSEEN) continue;
            far[next] = far[device] + 1;
            queue[n++] = next;
        }
    }
}

/* Marks the switches that lead out of their node. */
static void mark_out(const rs_machine *machine, const bool all[], int32_t queue[], int32_t far[],
                     bool out[]) {
    int32_t n = 0;
    bool any = false;
    for (int32_t d = 0; d < machine->n_devices; d++) far[d] = UNSEEN;
    for (int32_t i = 0; i < machine->n_links; i++) {
        if (machine->links[i].kind != RS_NET) continue;
        const int32_t ends[2] = {machine->links[i].a, machine->links[i].b};
        any = true;
        for (int e = 0; e < 2; e++) {
            if (!is_switch(machine, ends[e]) || far[ends[e]] != UNSEEN) continue;
            far[ends[e]] = 0;
            queue[n++] = ends[e];
        }
    }
    spread(machine, all, queue, n, far);
    for (int32_t d = machine->n_gpus; d < machine->n_devices; d++)
        out[d] = !any || far[d] != UNSEEN;
}

/* Fills in tier[n_devices]; false: no memory. */
static bool find_tiers(const rs_machine *machine, rs_arena *arena, int32_t tier[]) {
    const size_t n = (size_t)machine->n_devices;
    int32_t *queue = rs_alloc(arena, n, sizeof *queue), *far = rs_alloc(arena, n, sizeof *far);
    bool *all = rs_alloc(arena, n, sizeof *all), *out = rs_alloc(arena, n, sizeof *out);
    if (!queue || !far || !all || !out) return false;
    for (size_t d = 0; d < n; d++) all[d] = true;
    mark_out(machine, all, queue, far, out);
    for (int side = 1; side >= -1; side -= 2) {
        for (size_t d = 0; d < n; d++) {
            far[d] = d < (size_t)machine->n_gpus ? 0 : UNSEEN;
            if (d < (size_t)machine->n_gpus) queue[d] = (int32_t)d;
            all[d] = out[d] == (side > 0);
        }
        spread(machine, all, queue, machine->n_gpus, far);
        for (int32_t d = machine->n_gpus; d < machine->n_devices; d++) {
            if (all[d]) tier[d] = side * (far[d] == UNSEEN ? 1 : far[d]);
        }
    }
    for (int32_t d = 0; d < machine->n_gpus; d++) tier[d] = 0;
    return true;
}

/* Tells whether a link joins neighbours of a grid, the first and last of a row or column among them. */
static bool is_of_grid(const rs_machine_link *link, int32_t n, int32_t columns, bool *down) {
    const int32_t far = abs(link->a - link->b);
    *down = link->a % columns == link->b % columns;
    if (*down) return far == columns || far == n - columns;
    return link->a / columns == link->b / columns && (far == 1 || far == columns - 1);
}

/* Returns how many columns a machine has whose GPUs are joined as a grid or torus; 0: it is none. */
static int32_t count_grid_columns(const rs_machine *machine) {
    const int32_t n = machine->n_gpus;
    for (int32_t columns = 2; columns <= n / 2 && columns <= 64; columns++) {
        if (n % columns != 0) continue;
        bool downs = false, along = false;
        int32_t i = 0;
        for (bool down; i < machine->n_links; i++) {
            const rs_machine_link *link = &machine->links[i];
            if (is_switch(machine, link->a) || is_switch(machine, link->b)) return 0;
            if (!is_of_grid(link, n, columns, &down)) break;
            downs = downs || down;
            along = along || !down;
        }
        if (i == machine->n_links && downs && along) return columns;
    }
    return 0;
}

/* ------------------------------------------------------------------------------- where it lies */

/* Where the switches of one row lie: each over (or under) what hangs on it; side by side where
 * several hang on the same. See machine_draft.h.
 */

typedef struct hung {
    int32_t device, n;    /* n: how many places nearer to the GPUs are joined to it */
    double low, high, at; /* where they lie: the middles of the outermost; the mean */
} hung;

RS_ORDER(from_left, hung, at, device);

/* Measures what hangs on a switch; without anything it takes the middle of from..to. */
static hung measure(const rv_draft *draft, int32_t device, double from, double to) {
    const rs_machine *machine = draft->machine;
    hung c = {device, 0, INFINITY, -INFINITY, 0};
    const int32_t own = abs(draft->spots[device].row - draft->spots[0].row);
    for (int32_t k = machine->at_first[device]; k < machine->at_first[device + 1]; k++) {
        const rs_machine_link *link = &machine->links[machine->at[k]];
        const int32_t other = rv_place_of_device(draft, link->a == device ? link->b : link->a);
        const rv_spot *spot = &draft->spots[other];
        if (spot->box.w <= 0 || abs(spot->row - draft->spots[0].row) >= own) continue;
        const double x = rv_centre(spot->box).x;
        c.low = fmin(c.low, x);
        c.high = fmax(c.high, x);
        c.at += x;
        c.n++;
    }
    if (c.n == 0) c.low = c.high = (from + to) / 2;
    c.at = c.n > 0 ? c.at / c.n : c.low;
    return c;
}

/* Tells whether each can lie right where it belongs, with `least` room for it. */
static bool are_apart(const hung list[], int32_t n, double least) {
    for (int32_t i = 1; i < n; i++) {
        const double before = fmax(list[i - 1].high, list[i - 1].at + least / 2);
        if (fmin(list[i].low, list[i].at - least / 2) < before) return false;
    }
    return true;
}

/* Places the switches of a row that belong to one node (-1: to none) within from..to. */
static bool place_row(rv_draft *draft, int32_t row, int32_t node, double from, double to) {
    const rs_machine *machine = draft->machine;
    const double u = draft->unit, y = draft->row_y[row], h = draft->row_h[row];
    int32_t n = 0;
    for (int32_t d = machine->n_gpus; d < machine->n_devices; d++) {
        n += draft->spots[d].row == row && machine->node[d] == node;
    }
    if (n == 0) return true;
    hung *list = rs_alloc(draft->arena, (size_t)n, sizeof *list);
    if (list == NULL) return false;
    n = 0;
    for (int32_t d = machine->n_gpus; d < machine->n_devices; d++) {
        if (draft->spots[d].row != row || machine->node[d] != node) continue;
        list[n++] = measure(draft, d, from, to);
    }
    qsort(list, (size_t)n, sizeof *list, from_left);
    const double slot = (to - from) / n;
    const double narrow =
        fmin(fmin(4.4 * u, 0.86 * slot), draft->slot > 0 ? 0.86 * draft->slot : INFINITY);
    const bool apart = are_apart(list, n, narrow * 1.1);
    for (int32_t i = 0; i < n; i++) {
        double middle = list[i].at, w = narrow;
        if (!apart) {
            middle = from + slot * (i + 0.5);
            w = fmin(0.8 * slot, fmax(4.4 * u, list[i].n > 1 ? list[i].high - list[i].low : 0));
        } else if (list[i].n > 1) {
            middle = (list[i].low + list[i].high) / 2;
            w = fmax(narrow, list[i].high - list[i].low +
                                 0.7 * fmin(draft->slot > 0 ? draft->slot : 4 * u, 4 * u));
        }
        w = fmin(w, 2 * fmin(middle - from, to - middle));
        draft->spots[list[i].device].box = (rv_box){middle - w / 2, y, w, h};
    }
    return true;
}

/* ------------------------------------------------------------------------------ rows and nodes */

/* In units of type: a GPU's height and most width; a switch's height; the space between rows, at the most and at
   the least; from which width on a GPU is drawn by itself. */
static const double GPU_H = 2.1, GPU_W = 4.2, SWITCH_H = 1.35, MOST_GAP = 6, READABLE = 1.3,
                    NODE_GAP = 0.8, NODE_PAD = 0.6, HEAD = 1.4;

/* ------------------------------------------------------------------------------------------- rows */

static int from_the_top(const void *left, const void *right) {
    return rs_by_int32(right, left);
}

/* What joins nodes lies above all that is in one. */
static int32_t height_of(const rv_draft *draft, int32_t device, int32_t inside) {
    const int32_t tier = draft->tier[device];
    return draft->machine->node[device] < 0 ? inside + abs(tier) : tier;
}

/* Gives each device its row; rows that nobody is on do not count. */
static bool find_rows(rv_draft *draft) {
    const rs_machine *machine = draft->machine;
    const size_t n = (size_t)machine->n_devices;
    int32_t *heights = rs_alloc(draft->arena, n, sizeof *heights), inside = 0;
    if (heights == NULL) return false;
    for (size_t d = 0; d < n; d++) {
        if (machine->node[d] >= 0 && draft->tier[d] > inside) inside = draft->tier[d];
    }
    for (int32_t d = 0; d < machine->n_devices; d++) {
        const bool hidden = draft->collapsed && machine->node[d] >= 0;
        heights[d] = hidden ? 0 : height_of(draft, d, inside);
    }
    qsort(heights, n, sizeof *heights, from_the_top);
    for (size_t d = 0; d < n; d++) {
        if (d == 0 || heights[d] != heights[d - 1]) heights[draft->n_rows++] = heights[d];
    }
    for (int32_t d = 0; d < machine->n_devices; d++) {
        const bool hidden = draft->collapsed && machine->node[d] >= 0;
        const int32_t height = hidden ? 0 : height_of(draft, d, inside);
        for (int32_t r = 0; r < draft->n_rows; r++) {
            if (heights[r] == height) draft->spots[d].row = r;
        }
    }
    return true;
}

static int32_t gpu_row(const rv_draft *draft) {
    return draft->spots[0].row;
}

/* Tells whether GPUs have wires to each other that lead `apart` farther than to the next one, or farther yet. */
static bool has_arcs(const rv_draft *draft, int32_t apart) {
    const rs_machine *machine = draft->machine;
    for (int32_t i = 0; i < machine->n_links && !draft->collapsed; i++) {
        const rs_machine_link *link = &machine->links[i];
        if (link->a < machine->n_gpus && link->b < machine->n_gpus &&
            abs(link->a - link->b) >= apart)
            return draft->grid_columns == 0;
    }
    return false;
}

/* Shares out the height: rows have theirs, the rest is wires. */
static void stack_rows(rv_draft *draft, double tile) {
    const double u = draft->unit;
    const int32_t gpus = gpu_row(draft);
    const double head = draft->framed ? (HEAD + NODE_PAD) * u : 0;
    const double arcs = has_arcs(draft, 2) ? 1.6 : 0;
    double rows = head;
    for (int32_t r = 0; r < draft->n_rows; r++) {
        draft->row_h[r] = r == gpus ? tile : SWITCH_H * u;
        rows += draft->row_h[r];
    }
    const double gaps = draft->n_rows - 1 + arcs, rest = fmax(0, draft->box.h - rows);
    const double gap = gaps > 0 ? fmin(MOST_GAP * u, rest / gaps) : 0;
    double y = draft->box.y + fmax(0, (rest - gap * gaps) / 2);
    bool headed = !draft->framed;
    for (int32_t r = 0; r < draft->n_rows; r++) {
        bool inside = r == gpus;
        for (int32_t d = 0; d < draft->machine->n_devices && !inside; d++) {
            inside = draft->spots[d].row == r && draft->machine->node[d] >= 0;
        }
        if (inside && !headed) {
            y += NODE_PAD * u;
            headed = true;
        }
        draft->row_y[r] = y;
        y += draft->row_h[r] + gap;
        if (r != gpus) continue;
        y += gap * arcs;
        draft->arc_room = gap * arcs;
    }
}

/* ------------------------------------------------------------------------------------------ nodes */

/* Writes how many columns each node needs: its GPUs, or the most switches of one of its tiers. */
static bool count_columns(const rv_draft *draft, int32_t columns[], int32_t gpus[]) {
    const rs_machine *machine = draft->machine;
    const size_t n = (size_t)machine->n_nodes * (size_t)draft->n_rows;
    int32_t *there = rs_alloc(draft->arena, n + 1, sizeof *there);
    if (there == NULL) return false;
    for (int32_t d = 0; d < machine->n_devices; d++) {
        const int32_t node = machine->node[d];
        if (node < 0) continue;
        const int32_t now = ++there[node * draft->n_rows + draft->spots[d].row];
        if (now > columns[node]) columns[node] = now;
        if (d < machine->n_gpus) gpus[node]++;
    }
    return true;
}

/* Places the GPUs of each node in its row, in order; and the node's frame. */
static bool place_nodes(rv_draft *draft) {
    const rs_machine *machine = draft->machine;
    const double u = draft->unit, pad = draft->framed ? NODE_PAD * u : 0;
    const double gap = draft->framed ? NODE_GAP * u : 0;
    const size_t n = (size_t)machine->n_nodes;
    int32_t *columns = rs_alloc(draft->arena, n, sizeof *columns);
    int32_t *gpus = rs_alloc(draft->arena, n, sizeof *gpus);
    int32_t *next = rs_alloc(draft->arena, n, sizeof *next), all = 0;
    if (!columns || !gpus || !next || !count_columns(draft, columns, gpus)) return false;
    for (size_t k = 0; k < n; k++) all += columns[k];
    const double room = draft->box.w - gap * ((double)n - 1) - 2 * pad * (double)n;
    draft->slot = fmin(room / all, 1.5 * GPU_W * u);
    double x = draft->box.x + (room - draft->slot * all) / 2;
    const int32_t row = gpu_row(draft);
    for (size_t k = 0; k < n; k++) {
        const double w = columns[k] * draft->slot + 2 * pad;
        draft->frames[k] = (rv_box){x, draft->box.y, w, draft->box.h};
        x += w + gap;
    }
    const double w = fmin(GPU_W * u, (draft->arcs ? 0.5 : 0.74) * draft->slot);
    for (int32_t g = 0; g < machine->n_gpus; g++) {
        const int32_t node = machine->node[g];
        const rv_box *frame = &draft->frames[node];
        const double middle =
            frame->x + frame->w * 0.5 + draft->slot * (next[node]++ + 0.5 - 0.5 * gpus[node]);
        draft->spots[g].box = (rv_box){middle - w / 2, draft->row_y[row], w, draft->row_h[row]};
    }
    return true;
}

/* Closes each frame round what is in its node. */
static void close_frames(rv_draft *draft) {
    const rs_machine *machine = draft->machine;
    const double u = draft->unit;
    for (int32_t k = 0; k < machine->n_nodes; k++) {
        double top = INFINITY, bottom = -INFINITY;
        for (int32_t d = 0; d < machine->n_devices; d++) {
            const rv_box *at = &draft->spots[d].box;
            if (machine->node[d] != k || at->w <= 0) continue;
            top = fmin(top, at->y);
            bottom = fmax(bottom, at->y + at->h);
        }
        if (draft->arcs) bottom += draft->arc_room;
        draft->frames[k].y = top - NODE_PAD * u;
        draft->frames[k].h = bottom + HEAD * u - draft->frames[k].y;
    }
}

static bool place_switches(rv_draft *draft) {
    const rs_machine *machine = draft->machine;
    const double pad = draft->framed ? NODE_PAD * draft->unit : 0;
    const int32_t gpus = gpu_row(draft);
    /* From the GPUs on outwards: a switch lies where what hangs on it does. */
    for (int32_t away = 1; away < draft->n_rows; away++) {
        for (int side = -1; side <= 1; side += 2) {
            const int32_t row = gpus + side * away;
            if (row < 0 || row >= draft->n_rows) continue;
            for (int32_t k = 0; k < machine->n_nodes && !draft->collapsed; k++) {
                const rv_box *f = &draft->frames[k];
                if (!place_row(draft, row, k, f->x + pad, f->x + f->w - pad)) return false;
            }
            if (!place_row(draft, row, -1, draft->box.x, draft->box.x + draft->box.w)) return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------- tiles, and grids */

/* Places each node as one tile, in a row, or in two with what joins them between. */
static void place_tiles(rv_draft *draft) {
    const int32_t n = draft->machine->n_nodes, row = gpu_row(draft);
    const int32_t n_rows = n > 8 && draft->n_rows == 2 ? 2 : 1, across = (n + n_rows - 1) / n_rows;
    const double u = draft->unit, slot = draft->box.w / across;
    const double w = fmin(0.82 * slot, 7 * u), h = fmin(draft->row_h[row], fmax(w, 2.6 * u));
    double ys[2] = {draft->row_y[row], draft->row_y[row]};
    if (n_rows == 2) {
        const double gap = fmin(MOST_GAP * u, (draft->box.h - 2 * h - SWITCH_H * u) / 2);
        const double top = draft->box.y + (draft->box.h - 2 * h - SWITCH_H * u - 2 * gap) / 2;
        draft->row_y[0] = top + h + gap;
        ys[0] = top;
        ys[1] = draft->row_y[0] + SWITCH_H * u + gap;
    }
    for (int32_t k = 0; k < n; k++) {
        const double x = draft->box.x + slot * (k % across + 0.5);
        draft->frames[k] = (rv_box){x - w / 2, ys[k / across], w, h};
        draft->spots[draft->machine->n_devices + k] = (rv_spot){draft->frames[k], row};
    }
}

/* Places GPUs in a grid that fills the box. */
static void place_grid(rv_draft *draft) {
    const int32_t n = draft->machine->n_gpus, columns = draft->grid_columns, rows = n / columns;
    const double u = draft->unit;
    const double pad_x = fmin(3 * u, 0.08 * draft->box.w), pad_y = fmin(2 * u, 0.08 * draft->box.h);
    const double across = fmin((draft->box.w - 2 * pad_x) / columns, 11 * u);
    const double down = fmin((draft->box.h - 2 * pad_y) / rows, 8 * u);
    const double w = fmin(3.2 * u, 0.5 * across), h = fmin(GPU_H * u, 0.5 * down);
    const rv_point middle = rv_centre(draft->box);
    for (int32_t g = 0; g < n; g++) {
        const double x = middle.x + across * (g % columns - 0.5 * (columns - 1));
        const double y = middle.y + down * (g / columns - 0.5 * (rows - 1));
        draft->spots[g].box = (rv_box){x - w / 2, y - h / 2, w, h};
    }
    draft->slot = across;
}

/* ------------------------------------------------------------------------------------------ all of it */

/* Tells whether nodes are too many for their GPUs to be drawn. */
static bool is_crowded(const rv_draft *draft) {
    const rs_machine *machine = draft->machine;
    const double gaps = (NODE_GAP + 2 * NODE_PAD) * draft->unit * machine->n_nodes;
    return machine->n_nodes > 1 && (draft->box.w - gaps) / machine->n_gpus < READABLE * draft->unit;
}

static bool take_memory(rv_draft *draft) {
    const rs_machine *machine = draft->machine;
    const size_t n = (size_t)machine->n_devices + 1, nodes = (size_t)machine->n_nodes + 1;
    draft->tier = rs_alloc(draft->arena, n, sizeof *draft->tier);
    draft->spots = rs_alloc(draft->arena, n + nodes, sizeof *draft->spots);
    draft->frames = rs_alloc(draft->arena, nodes, sizeof *draft->frames);
    draft->row_y = rs_alloc(draft->arena, n, sizeof *draft->row_y);
    draft->row_h = rs_alloc(draft->arena, n, sizeof *draft->row_h);
    return draft->tier && draft->spots && draft->frames && draft->row_y && draft->row_h;
}

bool rv_plan_machine(const rs_machine *machine, const rv_look *look, rs_arena *arena, rv_box box,
                     rv_draft *draft) {
    *draft = (rv_draft){.machine = machine, .look = look, .arena = arena, .box = box};
    if (machine->n_devices > RV_MOST_SPOTS || box.w < 1 || box.h < 1) return false;
    draft->unit = fmin(look->unit, fmin(box.w / 24, box.h / 10));
    draft->collapsed = is_crowded(draft);
    draft->grid_columns = draft->collapsed ? 0 : count_grid_columns(machine);
    if (draft->collapsed && machine->n_nodes > RV_MOST_TILES) return false;
    if (!take_memory(draft) || !find_tiers(machine, arena, draft->tier)) return false;
    if (!find_rows(draft)) return false;
    for (int32_t d = 0; d < machine->n_devices; d++) {
        draft->framed = draft->framed || machine->node[d] < 0;
    }
    draft->framed = (draft->framed || machine->n_nodes > 1) && !draft->collapsed;
    draft->arcs = has_arcs(draft, 1);
    stack_rows(draft, (draft->collapsed ? 4.5 : GPU_H) * draft->unit);
    if (draft->collapsed) {
        place_tiles(draft);
    } else if (draft->grid_columns > 0) {
        place_grid(draft);
    } else if (!place_nodes(draft)) {
        return false;
    }
    if (!place_switches(draft)) return false;
    if (draft->framed) close_frames(draft);
    return rv_lay_roads(draft);
}
