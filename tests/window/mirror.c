/* mirror.c: drives a real window, and wants it to show, title and pixels, what it should.
 *
 *     mirror FRAMEBUFFER WINDOW OPTIONS... <commands
 *
 *     command --+--> a stage of our own, with the same OPTIONS --> title, picture --+--> the same?
 *               +--> xdotool --> X server --> ringsim's window --> title, screen ---+
 *
 *   - FRAMEBUFFER is the file that `Xvfb -nocursor -fbdir` shows its screen in; WINDOW an id for xdotool.
 *   - Where things lie is asked of our own stage: no test knows a pixel's number.
 *   - After each command the two must become the same within 10 s: a slow machine is only slow.
 *
 * Commands, one a line; `#` begins a comment:
 *     key NAME...               as xdotool names them: Right shift+Right question
 *     click THING A B C         what lies there: cell choice gpu link ill timeline step transfer;
 *     click button NAME         next, play, matrix, ...
 *     hover THING A B C         points at it and stays
 *     drag slider|timeline A X  to the place X, 0..1, of its axis
 *     wheel UP                  notches; negative: down
 *     resize W H
 *     title TEXT                the title must hold it      not TEXT    it must not
 *     png FILE                  it can be read, and is as large as the window
 *     right                     chooses the right answer and commits it
 */
#include "run/request.h"
#include "run/show.h"
#include "viz/canvas/gui_names.h"
#include "window/window.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 10000, PAUSE_MS = 30, MOST_PIXELS_OFF = 40, LEVELS_OFF = 6 };

typedef struct mirror {
    const unsigned char *screen; /* the X server's, as an XWD file */
    const char *window;
    rv_stage *stage;
    rv_canvas *canvas;
    cairo_surface_t *image;
    rs_error error;
    int line, n_failed, x, y; /* x, y: the window's place on the screen */
    char typed[2048];         /* words for xdotool */
} mirror;

static void give_up(const char *why) {
    fprintf(stderr, "mirror: %s\n", why);
    exit(2);
}

/* -------------------------------------------------------------------------------- the real window */

/* Notes what xdotool shall do; look() has it do all of that. */
__attribute__((format(printf, 2, 3))) static void type(mirror *m, const char *format, ...) {
    const size_t n = strlen(m->typed);
    va_list list;
    va_start(list, format);
    if (vsnprintf(m->typed + n, sizeof m->typed - n, format, list) >= (int)(sizeof m->typed - n)) {
        give_up("too much for one line");
    }
    va_end(list);
}

/* Has everything typed that was noted, then reads the window's title and place. */
static void look(mirror *m, char *title, size_t n_title, int *width, int *height) {
    char command[sizeof m->typed + 128], text[1024];
    snprintf(command, sizeof command,
             "exec xdotool %s getwindowname %s getwindowgeometry --shell %s", m->typed, m->window,
             m->window);
    m->typed[0] = '\0';
    FILE *pipe = popen(command, "r");
    const size_t n = pipe != NULL ? fread(text, 1, sizeof text - 1, pipe) : 0;
    text[n] = '\0';
    if (pipe != NULL) pclose(pipe);
    const char *at = strstr(text, "\nWINDOW=");
    if (at != NULL) snprintf(title, n_title, "%.*s", (int)(at - text), text);
    if (at != NULL) at = strstr(at, "X=");
    if (at == NULL ||
        sscanf(at, "X=%d\nY=%d\nWIDTH=%d\nHEIGHT=%d", &m->x, &m->y, width, height) != 4) {
        give_up("the window has gone");
    }
}

static uint32_t head(const mirror *m, int field) {
    const unsigned char *at = m->screen + 4 * field;
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* A pixel of the window on the real screen; outside it: black. */
static const unsigned char *real_pixel(const mirror *m, int x, int y) {
    static const unsigned char black[4];
    const int64_t column = m->x + x, row = m->y + y;
    if (column < 0 || row < 0 || column >= head(m, 4) || row >= head(m, 5)) return black;
    return m->screen + head(m, 0) + 12 * head(m, 19) + row * head(m, 12) + 4 * column;
}

/* ------------------------------------------------------------------------------------ our own stage */

static void draw(mirror *m) {
    const int width = (int)m->stage->width, height = (int)m->stage->height;
    if (m->image == NULL || cairo_image_surface_get_width(m->image) != width ||
        cairo_image_surface_get_height(m->image) != height) {
        if (m->image != NULL) cairo_surface_destroy(m->image);
        m->image = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    }
    rv_stage_draw(m->stage);
    rv_canvas_frame(m->canvas, m->image, &m->stage->scene);
}

/* Does what the window does after an event, then lets time pass until all is still. */
static void settle(mirror *m, int width, int height) {
    rv_stage *stage = m->stage;
    if (stage->wish == RV_WISH_PNG) rv_save_picture(stage, false);
    if (stage->wish == RV_WISH_SVG) rv_save_picture(stage, true);
    if (stage->wish == RV_WISH_LANGUAGE) rv_stage_swap_language(stage);
    stage->wish = RV_NO_WISH;
    if (width != (int)stage->width || height != (int)stage->height) {
        rv_stage_resize(stage, width, height);
    }
    for (int i = 0; i < 10000 && rv_stage_still_ms(stage) >= 0; i++) {
        if (rv_stage_tick(stage, 20, &m->error) != RS_OK) give_up(m->error.text);
    }
    draw(m);
}

/* How many pixels of the real window differ from ours. */
static int pixels_off(const mirror *m) {
    const int width = cairo_image_surface_get_width(m->image);
    const int height = cairo_image_surface_get_height(m->image);
    const int stride = cairo_image_surface_get_stride(m->image);
    const unsigned char *ours = cairo_image_surface_get_data(m->image);
    int n = 0;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            const unsigned char *real = real_pixel(m, x, y), *own = ours + y * stride + 4 * x;
            for (int i = 0; i < 3; i++) {
                if (abs(real[i] - own[i]) <= LEVELS_OFF) continue;
                n++;
                break;
            }
        }
    }
    return n;
}

/* Keeps both pictures, for whoever looks for the reason. */
static void keep_evidence(const mirror *m) {
    char name[64];
    cairo_surface_t *real = cairo_surface_create_similar_image(
        m->image, CAIRO_FORMAT_RGB24, cairo_image_surface_get_width(m->image),
        cairo_image_surface_get_height(m->image));
    unsigned char *data = cairo_image_surface_get_data(real);
    for (int y = 0; y < cairo_image_surface_get_height(real); y++) {
        for (int x = 0; x < cairo_image_surface_get_width(real); x++) {
            memcpy(data + y * cairo_image_surface_get_stride(real) + 4 * x, real_pixel(m, x, y), 4);
        }
    }
    cairo_surface_mark_dirty(real);
    snprintf(name, sizeof name, "line-%d-real.png", m->line);
    cairo_surface_write_to_png(real, name);
    snprintf(name, sizeof name, "line-%d-wanted.png", m->line);
    cairo_surface_write_to_png(m->image, name);
    cairo_surface_destroy(real);
}

/* Waits until the window looks as our stage does. */
static bool become_the_same(mirror *m, char *why, size_t n_why) {
    char wanted[256] = "ringsim: ", real[512];
    int off = 0, width, height;
    const struct timespec pause = {0, PAUSE_MS * 1000000};
    settle(m, (int)m->stage->width, (int)m->stage->height);
    rv_stage_title(m->stage, wanted + 9, sizeof wanted - 9);
    for (int waited = 0; waited < PATIENCE_MS; waited += PAUSE_MS) {
        look(m, real, sizeof real, &width, &height);
        if (width != (int)m->stage->width || height != (int)m->stage->height) {
            settle(m, width, height);
        }
        off = pixels_off(m);
        if (strcmp(real, wanted) == 0 && off <= MOST_PIXELS_OFF) return true;
        nanosleep(&pause, NULL);
    }
    snprintf(why, n_why, "the title is '%.200s', wanted '%.200s'; %d pixels differ", real, wanted,
             off);
    return false;
}

/* ----------------------------------------------------------------------------------- keys and places */

static int32_t key_of(const char *name) {
    const int32_t key = gui_key(name);
    if (key == RV_KEY_NONE) give_up("a key without a name");
    return key;
}

static void press_keys(mirror *m, char *rest) {
    for (char *name = strtok(rest, " "); name != NULL; name = strtok(NULL, " ")) {
        type(m, " key --window 0 %s", name);
        if (rv_stage_key(m->stage, key_of(name), &m->error) != RS_OK) give_up(m->error.text);
    }
}

/* Finds a point at which the target is felt; the middle of its box is tried first. */
static bool find_point(const mirror *m, rv_target target, rv_point *point, rv_box *box) {
    const rv_scene *scene = &m->stage->scene;
    for (int32_t i = scene->n_items - 1; i >= 0; i--) {
        if (!rv_same_target(scene->items[i].target, target)) continue;
        *box = scene->items[i].box;
        enum { N = 41 };
        for (int k = 0; k < N * N; k++) {
            const int column = (k % N + N / 2) % N, row = (k / N + N / 2) % N;
            const double x = box->x + box->w * (column + 0.5) / N;
            const double y = box->y + box->h * (row + 0.5) / N;
            *point = (rv_point){(int)x, (int)y};
            if (!rv_same_target(rv_scene_hit(scene, point->x, point->y, 6, NULL), target)) continue;
            return true;
        }
    }
    return false;
}

static void point(mirror *m, rv_pointer what, rv_point at) {
    const char *button = what == RV_POINT_PRESS     ? "mousedown 1"
                         : what == RV_POINT_RELEASE ? "mouseup 1"
                                                    : "";
    type(m, " mousemove --window %s %d %d %s", m->window, (int)at.x, (int)at.y, button);
    if (rv_stage_pointer(m->stage, RV_POINT_MOVE, at.x, at.y, &m->error) != RS_OK ||
        (what != RV_POINT_MOVE &&
         rv_stage_pointer(m->stage, what, at.x, at.y, &m->error) != RS_OK)) {
        give_up(m->error.text);
    }
    draw(m);
}

/* ------------------------------------------------------------------------------------- the commands */

static const rv_point parked = {2, 2}; /* nothing can be pressed there */

static bool act(mirror *m, const char *command, char *rest) {
    char thing[16];
    int a = 0, b = 0, c = 0;
    double place = 0;
    rv_point at;
    rv_box box;
    if (strcmp(command, "key") == 0) {
        press_keys(m, rest);
    } else if (strcmp(command, "click") == 0 || strcmp(command, "hover") == 0) {
        char name[16] = "";
        if (sscanf(rest, "%15s %d %d %d", thing, &a, &b, &c) < 1) give_up("click or hover what?");
        if (sscanf(rest, "button %15s", name) == 1) a = gui_action(name);
        if (!find_point(m, gui_target(thing, a, b, c), &at, &box)) return false;
        point(m, RV_POINT_MOVE, at);
        if (strcmp(command, "hover") == 0) return true;
        point(m, RV_POINT_PRESS, at);
        point(m, RV_POINT_RELEASE, at);
        point(m, RV_POINT_MOVE, parked);
    } else if (strcmp(command, "right") == 0) {
        const rv_question *q = &m->stage->playback.question;
        snprintf(thing, sizeof thing, "choice %d", (int)q->choices[q->answer]);
        return act(m, "click", thing) && act(m, "click", thing); /* chosen, then committed */
    } else if (strcmp(command, "drag") == 0) {
        if (sscanf(rest, "%15s %d %lf", thing, &a, &place) != 3) give_up("drag what?");
        if (!find_point(m, gui_target(thing, a, 0, 0), &at, &box)) return false;
        point(m, RV_POINT_PRESS, at);
        for (int i = 1; i <= 4; i++) {
            const double x = at.x + (box.x + place * box.w - at.x) * i / 4;
            point(m, RV_POINT_MOVE, (rv_point){(int)x, at.y});
        }
        at.x = (int)(box.x + place * box.w);
        point(m, RV_POINT_RELEASE, at);
        point(m, RV_POINT_MOVE, parked);
    } else if (strcmp(command, "wheel") == 0) {
        const int notches = atoi(rest);
        for (int i = 0; i < abs(notches); i++) {
            type(m, " click %d", notches > 0 ? 4 : 5);
            if (rv_stage_wheel(m->stage, notches > 0 ? 1 : -1, &m->error) != RS_OK) return false;
        }
    } else if (strcmp(command, "resize") == 0) {
        if (sscanf(rest, "%d %d", &a, &b) != 2) give_up("resize to what?");
        point(m, RV_POINT_MOVE, parked); /* what moves away under a pointer is another matter */
        type(m, " windowsize --sync %s %d %d", m->window, a, b);
    } else {
        give_up("a command without a name");
    }
    return true;
}

/* Tells whether a saved picture can be read and is as large as the window. */
static bool is_picture(const mirror *m, const char *path) {
    cairo_surface_t *image = cairo_image_surface_create_from_png(path);
    const bool good = cairo_surface_status(image) == CAIRO_STATUS_SUCCESS &&
                      cairo_image_surface_get_width(image) == (int)m->stage->width &&
                      cairo_image_surface_get_height(image) == (int)m->stage->height;
    cairo_surface_destroy(image);
    return good;
}

static void obey(mirror *m, char *line) {
    char title[256], why[700] = "it lies nowhere", whole[256];
    snprintf(whole, sizeof whole, "%s", line);
    char *rest = line + strcspn(line, " ");
    if (*rest != '\0') *rest++ = '\0';
    bool good;
    if (strcmp(line, "title") == 0 || strcmp(line, "not") == 0) {
        rv_stage_title(m->stage, title, sizeof title);
        good = (strstr(title, rest) != NULL) == (line[0] == 't');
        snprintf(why, sizeof why, "the title is '%s'", title);
    } else if (strcmp(line, "png") == 0) {
        good = is_picture(m, rest);
        snprintf(why, sizeof why, "it cannot be read, or has another size");
    } else {
        good = act(m, line, rest) && become_the_same(m, why, sizeof why);
        if (!good) keep_evidence(m);
    }
    if (good) {
        printf("ok the window: %s\n", whole);
    } else {
        printf("not ok the window: line %d: %s: %s\n", m->line, whole, why);
        if (++m->n_failed == 3) give_up("three times is enough");
    }
    fflush(stdout);
}

static const unsigned char *map_screen(const char *path) {
    struct stat file;
    const int fd = open(path, O_RDONLY);
    if (fd < 0 || fstat(fd, &file) != 0) give_up("no framebuffer");
    void *bytes = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED) give_up("no framebuffer");
    return bytes;
}

/* Makes a stage as the program makes it of the same options. */
static rv_stage *make_stage(rc_session *session, rs_report *report, rv_options *options) {
    static rc_asked asked;
    rv_stage *stage;
    if (rc_make_request(session, &asked) != RC_GOOD) give_up(session->error->text);
    if (asked.request.trace_limit == 0) asked.request.trace_limit = 1 << 20;
    if (rs_run(&asked.request, session->arena, session->error, report) != RS_OK) {
        give_up(session->error->text);
    }
    const rv_subject subject = rv_run_subject(report);
    if (rc_read_view(&session->options, subject.n_steps, subject.n_ranks, subject.algorithm,
                     session->error, options) != RC_GOOD) {
        give_up(session->error->text);
    }
    if (rv_stage_new(&subject, options, rc_host_face(session->host), session->error, &stage) !=
        RS_OK) {
        give_up(session->error->text);
    }
    return stage;
}

int main(int argc, char **argv) {
    if (argc < 3) give_up("usage: mirror FRAMEBUFFER WINDOW OPTIONS...");
    mirror m = {.screen = map_screen(argv[1]), .window = argv[2], .canvas = rv_canvas_new()};
    rs_arena arena;
    rs_report report;
    rv_options options;
    rs_arena_init(&arena, NULL);
    rc_session session = {
        .program = argv[0], .arena = &arena, .error = &m.error, .host = rc_host_new()};
    if (rc_options_parse(argc - 2, argv + 2, &rc_command_run, &arena, &m.error, &session.options) !=
        RC_GOOD) {
        give_up(m.error.text);
    }
    m.stage = make_stage(&session, &report, &options);
    const char *const catalogues[] = {getenv("CATALOGUES"), NULL};
    options.locale_dirs = catalogues;
    char line[512];
    while (fgets(line, sizeof line, stdin) != NULL) {
        m.line++;
        line[strcspn(line, "#\n")] = '\0';
        for (size_t n = strlen(line); n > 0 && line[n - 1] == ' '; n--) line[n - 1] = '\0';
        if (line[0] != '\0') obey(&m, line);
    }
    rv_stage_free(m.stage);
    rv_canvas_free(m.canvas);
    if (m.image != NULL) cairo_surface_destroy(m.image);
    rs_arena_free(&arena);
    rc_host_free(session.host);
    return m.n_failed > 0;
}
