/* launch_print.c: a job's start for people: what is typed, the processes, what the last one is told, and how
 * they find each other, a line a moment.
 */
#include "base/text.h"
#include "story/frame.h"
#include "systems/launch.h"

#include <string.h>

enum { WIDTH = 100, MOST_ROWS = 24, HEAD_ROWS = 20, MOST_LINES = 40, HEAD_LINES = 30, CELL = 64 };
enum { N_COLUMNS = 5, INDENT = 2, NUMBER = 5 };

static void print_commands(const rs_launched *l) {
    enum { MOST_NODES = 4 };
    for (int32_t node = 0; node < l->of.n_nodes; node++) {
        char command[RS_COMMAND_TEXT];
        const bool last = node == l->of.n_nodes - 1;
        if (node >= MOST_NODES - 1 && !last) continue; /* all but the last are alike */
        rs_launch_command(l, node, command);
        if (command[0] == '\0') continue;
        if (node > MOST_NODES - 1) puts("...");
        printf("node%d$ %s\n", (int)node, command);
    }
}

/* ------------------------------------------------------------------ the processes */

static void fill_row(const rs_launched *l, int32_t index, char cells[N_COLUMNS][CELL]) {
    const rs_process p = rs_launch_process(l, index);
    snprintf(cells[0], CELL, "%d", (int)p.rank);
    snprintf(cells[1], CELL, "%d", (int)p.node);
    snprintf(cells[2], CELL, _("%d of %d"), (int)p.local_rank, (int)p.local_world_size);
    if (p.n_gpus == 1) {
        snprintf(cells[3], CELL, "%d", (int)p.first_gpu);
    } else {
        snprintf(cells[3], CELL, "%d..%d", (int)p.first_gpu, (int)(p.first_gpu + p.n_gpus - 1));
    }
    snprintf(cells[4], CELL, "%d", (int)p.world_size);
}

static void print_row(const char *const cells[N_COLUMNS]) {
    enum { COLUMN = 14 };
    for (int c = 0; c < N_COLUMNS; c++) rc_print_padded(cells[c], c < N_COLUMNS - 1 ? COLUMN : 0);
    puts("");
}

static void print_processes(const rs_launched *l) {
    const char *const heads[N_COLUMNS] = {_("rank"), _("node"), _("local rank"), _("its GPUs"),
                                          _("world size")};
    print_row(heads);
    for (int32_t i = 0; i < l->n_processes; i++) {
        char cells[N_COLUMNS][CELL];
        const char *texts[N_COLUMNS];
        if (l->n_processes > MOST_ROWS && i == HEAD_ROWS) {
            puts("...");
            i = l->n_processes - (MOST_ROWS - HEAD_ROWS);
        }
        fill_row(l, i, cells);
        for (int c = 0; c < N_COLUMNS; c++) texts[c] = cells[c];
        print_row(texts);
    }
}

/* ------------------------------------------------------------------ what one of them is told */

static void print_variables(const rs_launched *l) {
    rs_variable variables[RS_MOST_VARIABLES];
    const int n = rs_launch_variables(l, l->n_processes - 1, variables);
    const rs_process p = rs_launch_process(l, l->n_processes - 1);
    char list[RS_MOST_VARIABLES * (RS_VARIABLE_TEXT + 32)] = "";
    size_t used = 0;
    for (int i = 0; i < n; i++) {
        if (variables[i].argument) continue;
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s=%s", used > 0 ? " " : "",
                                 variables[i].name, variables[i].value);
    }
    puts(_("the last process finds:"));
    printf("%*s", INDENT, "");
    rc_print_indented(used > 0 ? list : _("nothing of this"), INDENT, WIDTH);
    for (int i = 0; i < n; i++) {
        if (!variables[i].argument) continue;
        if (variables[i].name[0] == '-') {
            printf(_("... and the argument %s=%s, unless --use_env is given\n"), variables[i].name,
                   variables[i].value);
        } else {
            printf(_("... and the first argument of fn: %s; its rank is %d x %d + %s\n"),
                   variables[i].value, (int)p.node, (int)p.local_world_size, variables[i].value);
        }
    }
}

/* Of all starters the child inherits which GPUs are to be seen; only Slurm can be told otherwise. */
static void print_devices(const rs_launched *l) {
    const rs_process p = rs_launch_process(l, l->n_processes - 1);
    printf(_("it sees all %d GPUs of its node (CUDA_VISIBLE_DEVICES is inherited), and must take "
             "its own:\n  torch.cuda.set_device(%d)\n"),
           (int)l->of.gpus_per_node, (int)(p.local_rank * l->of.gpus_per_process));
    if (l->of.starter == RS_SRUN) {
        puts(_("srun --exclusive --ntasks 1, a line for each process, shows each its own GPUs "
               "alone, counted from 0."));
    }
}

/* ------------------------------------------------------------------ how they find each other */

static void print_caption(int32_t moment, bool last, const char *caption) {
    if (last) {
        puts("");
    } else {
        printf("%3d  ", (int)moment);
    }
    rc_print_indented(caption, last ? 0 : NUMBER, WIDTH);
}

static rs_status print_bootstrap(const rs_bootstrap *r, const rv_story *story, rs_error *error) {
    for (int32_t m = 0; m <= r->n_moments; m++) {
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        rv_frame frame = {.arena = &arena, .now_ps = -1};
        if (r->n_moments > MOST_LINES && m == HEAD_LINES) {
            puts("   ...");
            m = r->n_moments - (MOST_LINES - HEAD_LINES);
        }
        const rs_status status = story->frame(story, m, 0, &frame, error);
        if (status == RS_OK) print_caption(m, m == r->n_moments, frame.caption);
        rs_arena_free(&arena);
        if (status != RS_OK) return status;
    }
    return RS_OK;
}

/* What the story begins with: here, the mistake. */
static rs_status print_start(const rv_story *story, rs_error *error) {
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rv_frame frame = {.arena = &arena, .now_ps = -1};
    const rs_status status = story->frame(story, -1, 0, &frame, error);
    if (status == RS_OK) printf("%s\n\n", frame.caption);
    rs_arena_free(&arena);
    return status;
}

rc_exit rc_print_launch(const rs_bootstrap *r, const rv_story *story, rs_error *error) {
    const rs_launched *l = &r->of;
    const int nodes = (int)l->of.n_nodes, gpus = (int)l->of.gpus_per_node;
    const int each = (int)l->of.gpus_per_process;
    printf(_("nodes: %d, GPUs on each: %d, GPUs a process: %d; %d x %d / %d = %d processes\n\n"),
           nodes, gpus, each, nodes, gpus, each, nodes * (gpus / each));
    if (l->of.mistake != RS_NO_MISTAKE) {
        const rs_status status = print_start(story, error);
        if (status != RS_OK) return rc_exit_of(status);
    }
    print_commands(l);
    puts("");
    print_processes(l);
    puts("");
    print_variables(l);
    print_devices(l);
    puts("");
    return rc_exit_of(print_bootstrap(r, story, error));
}
