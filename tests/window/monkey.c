/* monkey.c: random keys, clicks, drags, turns of the wheel and sizes against the whole window but SDL.
 *
 *     monkey SECONDS [SEED]        exit 0: nothing broke
 *
 *   - Stage, scene and canvas run in this process, so that sanitizers see all of it. Each action is
 *     followed by a frame.
 *   - Broken is: a crash, an action or frame of more than FRAME_SECONDS, an error of the stage, a scene
 *     that ran out of memory, memory that grows.
 *   - Memory is judged in runs of a minute and more: before that the heap still finds its size.
 *   - The same seed plays the same actions, as long as time is not looked at: only the end is.
 */
#include "base/containers.h"
#include "window/window.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    N_REMEMBERED = 30,
    FRAME_SECONDS = 10,
    ACTIONS_A_STAGE = 400,
    GROWTH_MIB = 64,
    A_LONG_RUN = 60
};

typedef struct monkey {
    uint64_t state; /* of the generator */
    rs_arena arena;
    rs_schedule schedule;
    rs_report report;
    rv_options options;
    rv_stage *stage;
    rv_canvas *canvas;
    cairo_surface_t *image;
    rs_error error;
} monkey;

/* What was done last, for the reader of a crash. */
static char remembered[N_REMEMBERED][96];
static uint64_t n_actions, seed;

static void say_last(void) {
    fprintf(stderr, "seed %llu, action %llu, the last ones:\n", (unsigned long long)seed,
            (unsigned long long)n_actions);
    for (uint64_t i = n_actions < N_REMEMBERED ? 0 : n_actions - N_REMEMBERED; i < n_actions; i++) {
        fprintf(stderr, "  %s\n", remembered[i % N_REMEMBERED]);
    }
}

static void on_end(int number) {
    static const char hang[] = "monkey: a frame takes too long\n", crash[] = "monkey: a crash\n";
    const char *text = number == SIGALRM ? hang : crash;
    if (write(STDERR_FILENO, text, strlen(text)) < 0) _exit(1);
    say_last(); /* not allowed here, strictly; but all is lost anyway */
    signal(number, SIG_DFL);
    raise(number == SIGALRM ? SIGABRT : number);
}

static void give_up(const char *why) {
    fprintf(stderr, "monkey: %s\n", why);
    say_last();
    exit(1);
}

static char *remember(void) {
    return remembered[n_actions++ % N_REMEMBERED];
}

static int below(monkey *m, int n) {
    return (int)(rs_random(&m->state) % (uint64_t)n);
}

static void must(monkey *m, rs_status status) {
    if (status != RS_OK) give_up(m->error.text);
}

/* ---------------------------------------------------------------------------------------- a run */

static void close_stage(monkey *m) {
    rv_stage_free(m->stage);
    m->stage = NULL;
    rs_arena_free(&m->arena);
}

static void open_stage(monkey *m) {
    static const char *const names[] = {"ring", "ring", "naive", "tree", "doubling", "halving"};
    static const int sizes[] = {1, 2, 3, 5, 5, 8, 12, 16, 17, 33, 64, 128};
    const char *name = names[below(m, 6)];
    const int n_ranks = sizes[below(m, 12)];
    const int64_t count = below(m, 4) == 0 ? below(m, 20) : 25000000;
    rs_arena_init(&m->arena, NULL);
    must(m, rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, name), RS_ORDER_SEED, n_ranks,
                             count, &m->error, &m->schedule));
    const rs_request request = {
        .job = {.schedule = &m->schedule,
                .count = count,
                .elem_bytes = 4,
                .net = {.link = {5000000, 20000000000}}},
        .dtype = RS_I32,
        .values = RS_VALUES_SAMPLE,
        .trace_limit = 1 << 20,
    };
    must(m, rs_run(&request, &m->arena, &m->error, &m->report));
    m->options = (rv_options){.at = -1 + below(m, 3),
                              .colour = true,
                              .play = below(m, 4) == 0,
                              .predict = below(m, 4) == 0,
                              .dark = below(m, 2) == 0,
                              .reduced_motion = below(m, 4) == 0,
                              .scale = below(m, 3) == 0 ? 0.5 + below(m, 8) * 0.5 : 0,
                              .views = (unsigned)below(m, 64)};
    if (m->options.at > m->schedule.n_steps) m->options.at = m->schedule.n_steps;
    const rv_subject subject = rv_run_subject(&m->report);
    must(m, rv_stage_new(&subject, &m->options, NULL, &m->error, &m->stage));
    snprintf(remember(), 96, "a stage: %s, %d GPUs, %lld elements", name, n_ranks,
             (long long)count);
}

/* ---------------------------------------------------------------------------------------- a frame */

static void do_wishes(monkey *m) {
    rv_stage *stage = m->stage;
    if (stage->wish == RV_WISH_LANGUAGE) rv_stage_swap_language(stage);
    stage->wish = RV_NO_WISH;
}

static void show(monkey *m) {
    const int width = (int)m->stage->width, height = (int)m->stage->height;
    if (m->image == NULL || cairo_image_surface_get_width(m->image) != width ||
        cairo_image_surface_get_height(m->image) != height) {
        if (m->image != NULL) cairo_surface_destroy(m->image);
        m->image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    }
    char title[256];
    rv_stage_draw(m->stage);
    rv_stage_title(m->stage, title, sizeof title);
    if (m->stage->scene.failed) give_up("the scene has run out of memory");
    rv_canvas_frame(m->canvas, m->image, &m->stage->scene);
}

/* --------------------------------------------------------------------------------------- an action */

static void press_key(monkey *m) {
    static const int32_t more[] = {'0', '3', '9', 'a', 'b', 'c', 'd', '1', '7', 0x2018, 0};
    const int which = below(m, 50);
    int32_t key = more[which % 11];
    if (which < 40) {
        int n_rows = 0;
        while (rv_key_row_at(n_rows).action != RV_NO_ACTION) n_rows++;
        key = rv_key_row_at(below(m, n_rows)).keys[0];
    }
    if (key == 'q' && below(m, 10) != 0) key = ' ';
    snprintf(remember(), 96, "key %d '%c'", (int)key, key > ' ' && key < 127 ? (char)key : ' ');
    must(m, rv_stage_key(m->stage, key, &m->error));
}

/* A point of something that can be pressed, or anywhere, even outside. */
static rv_point somewhere(monkey *m) {
    const rv_scene *scene = &m->stage->scene;
    for (int i = 0; i < 40 && scene->n_items > 0 && below(m, 8) != 0; i++) {
        const rv_item *item = &scene->items[below(m, scene->n_items)];
        if (item->target.thing == RV_NOTHING) continue;
        return (rv_point){item->box.x + item->box.w * below(m, 11) / 10,
                          item->box.y + item->box.h * below(m, 11) / 10};
    }
    return (rv_point){below(m, (int)m->stage->width + 40) - 20,
                      below(m, (int)m->stage->height + 40) - 20};
}

static void point(monkey *m, rv_pointer what, rv_point at) {
    static const char *const names[] = {"move to", "press at", "release at", "leave"};
    snprintf(remember(), 96, "%s %.1f %.1f", names[what], at.x, at.y);
    must(m, rv_stage_pointer(m->stage, what, at.x, at.y, &m->error));
    do_wishes(m);
}

static void drag(monkey *m) {
    rv_point at = somewhere(m);
    point(m, RV_POINT_MOVE, at);
    point(m, RV_POINT_PRESS, at);
    for (int i = below(m, 6); i > 0; i--) {
        at.x += below(m, 200) - 100;
        at.y += below(m, 20) - 10;
        point(m, RV_POINT_MOVE, at);
        show(m);
    }
    if (below(m, 10) != 0) point(m, RV_POINT_RELEASE, at);
    if (below(m, 10) == 0) point(m, RV_POINT_LEAVE, at);
}

static void resize(monkey *m) {
    static const int sizes[][2] = {{1280, 720},  {800, 600},  {320, 240},  {1, 1},
                                   {1920, 1080}, {320, 1200}, {1600, 240}, {1280, 720}};
    const int i = below(m, 8);
    snprintf(remember(), 96, "resize %d %d", sizes[i][0], sizes[i][1]);
    rv_stage_resize(m->stage, sizes[i][0], sizes[i][1]);
}

static void act(monkey *m) {
    const int which = below(m, 100);
    if (which < 45) {
        press_key(m);
    } else if (which < 65) {
        const rv_point at = somewhere(m);
        point(m, RV_POINT_MOVE, at);
        point(m, RV_POINT_PRESS, at);
        point(m, RV_POINT_RELEASE, at);
    } else if (which < 75) {
        drag(m);
    } else if (which < 80) {
        const double by = (below(m, 21) - 10) / 4.0;
        snprintf(remember(), 96, "wheel %g", by);
        must(m, rv_stage_wheel(m->stage, by, &m->error));
    } else if (which < 82) {
        resize(m);
    } else if (rv_stage_still_ms(m->stage) >= 0) {
        const int ms = below(m, 10) == 0 ? 2000 : below(m, 60);
        snprintf(remember(), 96, "tick %d ms", ms);
        must(m, rv_stage_tick(m->stage, ms, &m->error));
    }
    do_wishes(m);
}

/* ---------------------------------------------------------------------------------------- watching */

static long resident_mib(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL) return 0;
    if (fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE) >> 20;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    const double wanted = argc > 1 ? atof(argv[1]) : 5, start = seconds();
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    monkey m = {.state = seed, .canvas = rv_canvas_new()};
    long warm_mib = 0;
    double slowest = 0;
    signal(SIGALRM, on_end);
    signal(SIGABRT, on_end);
    while (seconds() - start < wanted) {
        open_stage(&m);
        for (int i = 0; i < ACTIONS_A_STAGE && !m.stage->playback.quit; i++) {
            const double before = seconds();
            alarm(FRAME_SECONDS);
            act(&m);
            show(&m);
            const double took = seconds() - before;
            if (took > slowest) slowest = took;
            if (seconds() - start >= wanted) break;
        }
        alarm(0);
        close_stage(&m);
        if (warm_mib == 0 && seconds() - start >= 0.3 * wanted) warm_mib = resident_mib();
    }
    const long grown = resident_mib() - warm_mib;
    rv_canvas_free(m.canvas);
    if (m.image != NULL) cairo_surface_destroy(m.image);
    rv_set_language("en", NULL);
    printf("monkey: seed %llu, %llu actions in %.0f s, slowest %.2f s, memory grew %ld MiB\n",
           (unsigned long long)seed, (unsigned long long)n_actions, seconds() - start, slowest,
           grown);
#ifndef SANITIZED /* which keeps what was freed, to catch who still uses it */
    if (wanted >= A_LONG_RUN && grown > GROWTH_MIB) give_up("memory grows");
#endif
    return 0;
}
