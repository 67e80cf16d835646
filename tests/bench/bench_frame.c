/* bench_frame.c: how long a frame of the window takes, by parts, while everything moves.
 *
 *     update   rv_stage_tick: time passes          scene   rv_stage_draw: the picture as data
 *     frame    rv_canvas_frame: painted into the ARGB surface
 *     total    all three: the figure that has a goal (median: 4 ms for 5 GPUs, 8 for 16, 16 for 256)
 *
 *   - moving: the run plays with 60 ticks a second; only frames in which something moves count.
 *     hover: nothing moves but the pointer, which jumps about over the ring.
 *   - Times are the processor's: one thread, so they are the clock's where nobody else is running.
 *   - The first frame: from exec to the end of a window that is closed once it has been painted.
 *
 * Usage: bench_frame [frames a case = 200; fewer than 10: no 4K, no first frame]. One thread, no display needed.
 */
#include "canvas/canvas.h"
#include "stage/panel.h"
#include "stage/stage.h"
#include "window/window.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_FRAMES = 2000 };

static double time_ms(clockid_t of) {
    struct timespec t;
    clock_gettime(of, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static double now_ms(void) {
    return time_ms(CLOCK_THREAD_CPUTIME_ID);
}

static void demand(rs_status status, const rs_error *error) {
    if (status == RS_OK) return;
    fprintf(stderr, "bench_frame: %s\n", error->text);
    exit(1);
}

/* --------------------------------------------------------------------------- a run and its stage */

typedef struct played {
    rs_arena arena;
    rs_error error;
    rs_schedule schedule;
    rs_report report;
    rs_request request;
    rv_options options;
    rv_stage *stage;
    rv_canvas *canvas;
    cairo_surface_t *image;
} played;

static void run_it(played *p, int n, int width, int height, unsigned views) {
    const int64_t count = 25000000;
    memset(p, 0, sizeof *p);
    rs_arena_init(&p->arena, NULL);
    demand(rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED, n, count,
                            &p->error, &p->schedule),
           &p->error);
    p->request = (rs_request){.job = {.schedule = &p->schedule,
                                      .count = count,
                                      .elem_bytes = 4,
                                      .net = {.link = {5000000, 20000000000}}},
                              .dtype = RS_I32,
                              .values = RS_VALUES_SAMPLE,
                              .trace_limit = 1 << 20};
    demand(rs_run(&p->request, &p->arena, &p->error, &p->report), &p->error);
    p->options =
        (rv_options){.colour = true, .views = views, .pixel_width = width, .pixel_height = height};
}

static void start(played *p, int n, int width, int height, unsigned views) {
    run_it(p, n, width, height, views);
    const rv_subject subject = rv_run_subject(&p->report);
    demand(rv_stage_new(&subject, &p->options, NULL, &p->error, &p->stage), &p->error);
    p->canvas = rv_canvas_new();
    p->image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width, height);
    if (p->canvas == NULL) exit(1);
}

static void end(played *p) {
    cairo_surface_destroy(p->image);
    rv_canvas_free(p->canvas);
    rv_stage_free(p->stage);
    rs_arena_free(&p->arena);
}

/* ------------------------------------------------------------------------------------- measuring */

typedef enum part { UPDATE, SCENE, FRAME, TOTAL, N_PARTS } part;
typedef struct times {
    double ms[N_PARTS][MAX_FRAMES];
    int n;
} times;

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(double *ms, int n, double share) {
    if (n == 0) return 0;
    qsort(ms, (size_t)n, sizeof *ms, ascending);
    return ms[(int)(share * (n - 1))];
}

/* Draws and paints what has been updated since `start_ms`. */
static void show(played *p, double start_ms, times *t) {
    const double updated_ms = now_ms();
    rv_stage_draw(p->stage);
    const double drawn_ms = now_ms();
    rv_canvas_frame(p->canvas, p->image, &p->stage->scene);
    const double painted_ms = now_ms();
    if (t == NULL || t->n >= MAX_FRAMES) return;
    t->ms[UPDATE][t->n] = updated_ms - start_ms;
    t->ms[SCENE][t->n] = drawn_ms - updated_ms;
    t->ms[FRAME][t->n] = painted_ms - drawn_ms;
    t->ms[TOTAL][t->n++] = painted_ms - start_ms;
}

/* Plays on, from the start again at the end, until n frames have moved. */
static void play(played *p, int n, times *t) {
    rv_stage *stage = p->stage;
    demand(rv_stage_key(stage, RV_KEY_HOME, &p->error), &p->error);
    for (int i = 0; i < 60 * n && (t == NULL || t->n < n); i++) {
        if (stage->what_if->model->step >= stage->what_if->model->n_steps) {
            demand(rv_stage_key(stage, RV_KEY_HOME, &p->error), &p->error);
        }
        stage->playback.playing = true;
        const double start_ms = now_ms();
        demand(rv_stage_tick(stage, 1000.0 / 60, &p->error), &p->error);
        const bool moves = rv_stage_still_ms(stage) == 0;
        if (moves || t == NULL) show(p, start_ms, t);
        if (t == NULL && i >= n) break;
    }
    stage->playback.playing = false;
}

/* The pointer jumps about over the ring. */
static void hover(played *p, int n, times *t) {
    const rv_box ring = rv_view_box(p->stage, RV_THE_RING);
    uint32_t random_job = 1;
    for (int i = 0; i < n; i++) {
        random_job = random_job * 1664525U + 1013904223U;
        const double x = ring.x + ring.w * (random_job >> 8 & 0xFFF) / 4096.0;
        const double y = ring.y + ring.h * (random_job >> 20) / 4096.0;
        const double start_ms = now_ms();
        demand(rv_stage_pointer(p->stage, RV_POINT_MOVE, x, y, &p->error), &p->error);
        show(p, start_ms, t);
    }
}

static void say_case(const char *name, int n, int width, bool all, times *t, double goal_ms) {
    double median[N_PARTS];
    for (int i = 0; i < N_PARTS; i++) median[i] = quantile(t->ms[i], t->n, 0.5);
    printf("%-6s %4d GPUs %4d px %-9s %7.2f %7.2f %7.2f | %7.2f %7.2f", name, n, width,
           all ? "all views" : "ring", median[UPDATE], median[SCENE], median[FRAME], median[TOTAL],
           quantile(t->ms[TOTAL], t->n, 0.99));
    if (goal_ms > 0) printf("  %s %.0f", median[TOTAL] <= goal_ms ? "within" : "MISSES", goal_ms);
    printf("\n");
}

static void measure(int n, int width, int height, bool all, double goal_ms, int n_frames) {
    static played p;
    static times moving, hovering;
    moving.n = hovering.n = 0;
    start(&p, n, width, height, all ? RV_VIEW_ALL : 0);
    play(&p, 20, NULL); /* the labels' first time */
    play(&p, n_frames, &moving);
    hover(&p, n_frames / 2, &hovering);
    say_case("moving", n, width, all, &moving, goal_ms);
    say_case("hover", n, width, all, &hovering, goal_ms);
    end(&p);
}

/* ----------------------------------------------------------------------------------- and the rest */

/* A slider is dragged: each place is a new run, drawn and painted. */
static void say_drag(int n, rv_knob knob, const char *name) {
    static played p;
    static times t;
    t.n = 0;
    start(&p, n, 1280, 720, rv_view_bit("numbers"));
    demand(rv_stage_show(p.stage, 10, 0.5, &p.error), &p.error);

    const rv_setup first = p.stage->what_if->setup;
    for (int i = 0; i < 400 && t.n < 60; i++) {
        const rv_setup before = p.stage->what_if->setup;
        const double place = rv_knob_place(&first, knob) + (i % 40 - 20) / 200.0;
        const double start_ms = now_ms();
        demand(rv_stage_turn(p.stage, knob, place, &p.error), &p.error);
        const rv_setup *now = &p.stage->what_if->setup;
        const bool same = now->n_ranks == before.n_ranks && now->count == before.count;
        show(&p, start_ms, same ? NULL : &t); /* places between two round numbers change nothing */
    }
    say_case(name, n, 1280, false, &t, 16);
    end(&p);
}

/* Opens a window with the run, paints it and leaves; says how long that took since `since_ms`. */
static int first_frame(int n, double since_ms) {
    static played p;
    run_it(&p, n, 1280, 720, 0);
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0) return 1;
    SDL_Event quit = {.type = SDL_QUIT};
    SDL_PushEvent(&quit);
    const rv_subject subject = rv_run_subject(&p.report);
    demand(rv_window_run(&subject, &p.options, NULL, &p.error), &p.error);
    const double took_ms = time_ms(CLOCK_MONOTONIC) - since_ms;
    printf("first  %4d GPUs: a window opened, painted and closed %.0f ms after its start%s\n", n,
           took_ms, took_ms <= 150 ? "  within 150" : "  MISSES 150");
    return 0;
}

static void say_first_frame(const char *program, int n) {
    for (int i = 0; i < 2; i++) { /* the first time warms what the system keeps of files */
        char command[4096];
        snprintf(command, sizeof command, "SDL_VIDEODRIVER=dummy '%.3000s' first %d %.3f%s",
                 program, n, time_ms(CLOCK_MONOTONIC), i == 0 ? " >/dev/null" : "");
        fflush(stdout);
        if (system(command) != 0) printf("first: no window\n");
    }
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "first") == 0) {
        return first_frame(atoi(argv[2]), strtod(argv[3], NULL));
    }
    int n_frames = argc > 1 ? atoi(argv[1]) : 200;
    if (n_frames < 4) n_frames = 4;
    if (n_frames > MAX_FRAMES) n_frames = MAX_FRAMES;
    static const struct {
        int n;
        double goal_ms;
    } runs[] = {{5, 4}, {16, 8}, {256, 16}};
    printf("medians in ms                       update   scene   frame |   total     p99  goal\n");
    for (int i = 0; i < 3; i++) {
        measure(runs[i].n, 1280, 720, false, runs[i].goal_ms, n_frames);
        measure(runs[i].n, 1280, 720, true, runs[i].goal_ms, n_frames);
    }
    for (int i = 0; i < 3 && n_frames >= 10; i++)
        measure(runs[i].n, 3840, 2160, true, 0, n_frames / 4);
    say_drag(64, RV_KNOB_BYTES, "size");
    say_drag(64, RV_KNOB_GPUS, "gpus");
    if (n_frames < 10) return 0;
    say_first_frame(argv[0], 5);
    say_first_frame(argv[0], 256);
    return 0;
}
