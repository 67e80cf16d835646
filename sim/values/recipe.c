/* recipe.c: writes recipes; see recipe.h.
 *
 * Every value of the execution is a node of a graph: the ranks' own data are the first N, a fold
 * points to its two operands, a copy makes no node. A pass backwards through the graph counts how
 * often each node is needed; a pass forwards makes lines of the needed nodes, each in a free slot.
 */
#include "values/recipe.h"

enum {
    NONE = -1,
    LOWER = -2 /* minus a node: what came from lower ranks; the own is still to be added */
};

struct rs_node {
    int32_t left, right; /* nodes; right only for folds */
    int32_t n_uses;      /* how many needed nodes, and ranks at the end, use it */
    int32_t slot;
    uint8_t action;
};

typedef struct writer {
    const rs_recipe_rules *rules;
    int32_t chunk;
    int32_t n_ranks, n_nodes;
    rs_recipe *recipe;
} writer;

rs_status rs_recipe_new(const rs_schedule *schedule, int64_t max_events, int32_t n_faults,
                        rs_arena *arena, rs_error *error, rs_recipe *recipe) {
    const size_t n = (size_t)schedule->n_ranks, events = (size_t)max_events;
    /* A flip makes max_sends nodes at most; each rank has one for its own data, one finished, one
       loaded. */
    size_t n_flips = (size_t)n_faults * (size_t)schedule->max_sends;
    if (n_flips > events) n_flips = events;
    const size_t n_nodes = events + n_flips + 3 * n;
    rs_recipe made = {
        .lines = rs_alloc(arena, n_nodes - n, sizeof *made.lines),
        .results = rs_alloc(arena, n, sizeof *made.results),
        .nodes = rs_alloc(arena, n_nodes, sizeof *made.nodes),
        .cells = rs_alloc(arena, n, sizeof *made.cells),
        .fresh = rs_alloc(arena, n, sizeof *made.fresh),
        .memo = rs_alloc(arena, n_nodes, sizeof *made.memo),
        .free_slots = rs_alloc(arena, 2 * n + 2, sizeof *made.free_slots),
    };
    if (n_nodes > INT32_MAX || !made.lines || !made.results || !made.nodes || !made.cells ||
        !made.fresh || !made.memo || !made.free_slots) {
        return rs_no_memory(error);
    }
    *recipe = made;
    return RS_OK;
}

static int32_t new_node(writer *w, rs_action action, int32_t left, int32_t right) {
    w->recipe->nodes[w->n_nodes] =
        (struct rs_node){.left = left, .right = right, .slot = NONE, .action = (uint8_t)action};
    return w->n_nodes++;
}

static bool happens(const rs_apply_options *options, const rs_chunk_event *event) {
    const int32_t *entered = options->entered;
    if (event->step >= options->until_step) return false;
    return entered == NULL ||
           (event->step < entered[event->src] && event->step < entered[event->dst]);
}

/* Tells whether this chunk is the first of a message that a flip hits. */
static bool flipped(const writer *w, const rs_chunk_event *event) {
    const rs_apply_options *options = w->rules->options;
    const rs_schedule *schedule = w->rules->schedule;
    for (int32_t i = 0; i < options->n_faults; i++) {
        const rs_fault *fault = &options->faults[i];
        if (fault->kind != RS_FLIP || fault->rank != event->src || fault->step != event->step) {
            continue;
        }
        rs_transfer t;
        for (rs_cursor c = {0}; rs_next_transfer(schedule, event->step, &c, &t);) {
            if (t.src == event->src && t.order == event->order) return t.chunk == w->chunk;
        }
    }
    return false;
}

/* Adds to what came into a cell in this step what it held before, if it is not in there yet. */
static void add_own(writer *w, int32_t rank) {
    const int32_t own = w->recipe->cells[rank];
    int32_t *cell = &w->recipe->fresh[rank];
    if (*cell == NONE) *cell = own;
    if (*cell < NONE) *cell = new_node(w, RS_DO_FOLD, own, LOWER - *cell);
}

/* Does one step: ranks send what their cells held before it; a cell's messages fold in list
   order, or by rank. */
static void write_step(writer *w, const rs_chunk_event events[], int64_t n_events) {
    const bool by_rank = w->rules->schedule->by_rank;
    int32_t *cells = w->recipe->cells, *fresh = w->recipe->fresh;
    for (int64_t i = 0; i < n_events; i++) {
        const rs_chunk_event *event = &events[i];
        if (!happens(w->rules->options, event)) continue;
        int32_t sent = cells[event->src];
        if (flipped(w, event)) sent = new_node(w, RS_DO_FLIP, sent, NONE);
        int32_t *cell = &fresh[event->dst];
        if (event->effect == RS_COPY) {
            *cell = sent;
        } else if (by_rank && event->src < event->dst && *cell < 0) {
            *cell = LOWER - (*cell == NONE ? sent : new_node(w, RS_DO_FOLD, sent, LOWER - *cell));
        } else {
            add_own(w, event->dst);
            *cell = new_node(w, RS_DO_FOLD, sent, *cell);
        }
    }
    for (int64_t i = 0; i < n_events; i++) {
        const int32_t cell = events[i].dst;
        if (fresh[cell] == NONE) continue;
        add_own(w, cell);
        cells[cell] = fresh[cell];
        fresh[cell] = NONE;
    }
}

/* Puts a node `action` on what each rank holds; ranks that hold the same node share the new one. */
static void derive(writer *w, rs_action action) {
    const int32_t *entered = w->rules->options->entered, last = w->rules->schedule->n_steps;
    int32_t *cells = w->recipe->cells, *memo = w->recipe->memo;
    const int32_t n_before = w->n_nodes;
    for (int32_t i = 0; i < n_before; i++) memo[i] = NONE;
    for (int32_t r = 0; r < w->n_ranks; r++) {
        const int32_t held = cells[r];
        if (action == RS_DO_LOAD && (held == r || held >= w->n_ranks)) continue;
        if (action == RS_DO_FINISH && entered != NULL && entered[r] < last) continue;
        if (memo[held] == NONE) memo[held] = new_node(w, action, held, NONE);
        cells[r] = memo[held];
    }
}

static void count_uses(const writer *w) {
    struct rs_node *nodes = w->recipe->nodes;
    for (int32_t r = 0; r < w->n_ranks; r++) nodes[w->recipe->cells[r]].n_uses++;
    for (int32_t i = w->n_nodes - 1; i >= w->n_ranks; i--) {
        if (nodes[i].n_uses == 0) continue;
        nodes[nodes[i].left].n_uses++;
        if (nodes[i].right != NONE) nodes[nodes[i].right].n_uses++;
    }
}

/* Reads a node for the line being written; after its last reader its slot is free. */
static int32_t operand(writer *w, int32_t node, int32_t *n_free) {
    if (node == NONE) return 0;
    if (node < w->n_ranks) return ~node;
    struct rs_node *read = &w->recipe->nodes[node];
    if (--read->n_uses == 0) w->recipe->free_slots[(*n_free)++] = read->slot;
    return read->slot;
}

static void write_lines(writer *w) {
    rs_recipe *recipe = w->recipe;
    int32_t n_free = 0;
    recipe->n_slots = 0;
    recipe->n_lines = 0;
    for (int32_t i = w->n_ranks; i < w->n_nodes; i++) {
        struct rs_node *node = &recipe->nodes[i];
        if (node->n_uses == 0) continue;
        rs_fold_line line = {.action = node->action};
        line.left = operand(w, node->left, &n_free);
        line.right = operand(w, node->right, &n_free);
        line.slot = n_free > 0 ? recipe->free_slots[--n_free] : recipe->n_slots++;
        node->slot = line.slot;
        recipe->lines[recipe->n_lines++] = line;
    }
    recipe->n_results = 0;
    for (int32_t r = 0; r < w->n_ranks; r++) {
        const int32_t held = recipe->cells[r];
        if (held == r) continue;
        recipe->results[recipe->n_results++] = (rs_result){r, recipe->nodes[held].slot};
    }
}

void rs_recipe_write(const rs_recipe_rules *rules, int32_t chunk, const rs_chunk_event events[],
                     int64_t n_events, rs_recipe *recipe) {
    writer w = {.rules = rules, .chunk = chunk, .recipe = recipe};
    w.n_ranks = rules->schedule->n_ranks;
    for (int32_t r = 0; r < w.n_ranks; r++) {
        recipe->cells[r] = new_node(&w, RS_DO_LOAD, NONE, NONE);
        recipe->fresh[r] = NONE;
    }
    for (int64_t i = 0, end; i < n_events; i = end) {
        end = rs_step_end(events, n_events, i);
        write_step(&w, events + i, end - i);
    }
    if (rules->finish) derive(&w, RS_DO_FINISH);
    /* else a result could overwrite own data that another rank still needs */
    derive(&w, RS_DO_LOAD);
    count_uses(&w);
    write_lines(&w);
}
