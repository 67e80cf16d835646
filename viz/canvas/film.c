/* film.c: the run from its start to its end, as it plays in the window: MP4, or a GIF.
 *
 *     the stage plays with an even tick --> frames --> ffmpeg (encoder.h)
 *
 *   - The first picture stands still for a moment, the last one longer.
 *   - A GIF has 256 colours: a first pass draws some of the frames to find the best colours.
 */
#include "canvas/encoder.h"
#include "stage/stage.h"
#include "text/words.h"

#include <assert.h>
#include <math.h>

enum {
    FIRST_MS = 800,
    LAST_MS = 1500,
    MOST_SECONDS = 1200,
    SAMPLES = 48 /* the first pass draws about so many frames for the palette */
};

typedef struct film {
    const rv_format *format;
    rv_subject subject;
    rv_options options;
    const rs_host *host;
    rv_stage *stage;
    rv_canvas *canvas;
    cairo_surface_t *image;
    rv_encoder *encoder;
    int width, height, per_second;
    int64_t n_frames;    /* the whole film */
    int64_t n_first;     /* frames before anything moves */
    int64_t done, total; /* frames drawn so far, frames to draw in all passes */
} film;

static void plan_size(film *f) {
    const int most = f->format->most_width;
    f->width = f->options.pixel_width > 0 ? f->options.pixel_width : 1280;
    f->height = f->options.pixel_height > 0 ? f->options.pixel_height : 720;
    if (most > 0 && f->width > most) {
        f->height = (int)lround((double)f->height * most / f->width);
        f->width = most;
    }
    f->width -= f->width % 2; /* a film keeps one colour for each square of four pixels */
    f->height -= f->height % 2;
    f->options.pixel_width = f->width;
    f->options.pixel_height = f->height;
    f->per_second = f->format->per_second;
    assert(f->per_second > 0 && f->width > 0 && f->height > 0);
    f->n_first = (int64_t)f->per_second * FIRST_MS / 1000;
}

/* Puts the stage back to the start. */
static rs_status rewind_stage(film *f, rs_error *error) {
    rv_stage_free(f->stage);
    f->stage = NULL;
    const rs_status status = rv_stage_new(&f->subject, &f->options, f->host, error, &f->stage);
    if (status == RS_OK) rv_stage_enlarge_figure(f->stage);
    return status;
}

static double tick_ms(const film *f) {
    return 1000.0 / f->per_second;
}

/* Lets the run play without drawing it, to learn how many frames it has. */
static rs_status count_frames(film *f, rs_error *error) {
    rs_status status = rewind_stage(f, error);
    const int64_t most = (int64_t)MOST_SECONDS * f->per_second;
    int64_t n = f->n_first;
    for (; status == RS_OK && rv_stage_still_ms(f->stage) >= 0 && n <= most; n++) {
        status = rv_stage_tick(f->stage, tick_ms(f), error);
    }
    if (status != RS_OK) return status;
    f->n_frames = n + (int64_t)f->per_second * LAST_MS / 1000;
    if (f->n_frames <= most) return RS_OK;
    return rs_fail(error, RS_TOO_LARGE,
                   _("a film of more than %d minutes; make it shorter with --speed"),
                   MOST_SECONDS / 60);
}

static bool go_on(void *context) {
    const film *f = context;
    return rs_go_on(f->host, _("filming"), f->done, f->total);
}

/* Plays the whole film and hands every `each`-th frame to the encoder. */
static rs_status play_film(film *f, int64_t each, rs_error *error) {
    rs_status status = rewind_stage(f, error);
    for (int64_t i = 0; i < f->n_frames && status == RS_OK; i++) {
        if (i >= f->n_first) status = rv_stage_tick(f->stage, tick_ms(f), error);
        if (i % each != 0 || status != RS_OK) continue;
        if (!go_on(f)) return rs_fail(error, RS_CANCELLED, "cancelled");
        rv_stage_draw(f->stage);
        rv_canvas_frame(f->canvas, f->image, &f->stage->scene);
        f->done++;
        status = rv_encoder_frame(f->encoder, cairo_image_surface_get_data(f->image), error);
    }
    return status;
}

/* Runs ffmpeg once, on every `each`-th frame. */
static rs_status encode_once(film *f, int64_t each, const unsigned char *palette, rs_write write,
                             void *context, rs_error *error) {
    const rv_patience patience = {go_on, f};
    rs_status status = rv_encoder_start(f->format, f->width, f->height, f->per_second, palette,
                                        &patience, error, &f->encoder);
    if (status != RS_OK) return status;
    status = play_film(f, each, error);
    if (status == RS_OK) status = rv_encoder_finish(f->encoder, write, context, error);
    rv_encoder_free(f->encoder);
    f->encoder = NULL;
    return status;
}

typedef struct palette {
    unsigned char bytes[RV_PALETTE_BYTES];
    size_t n;
} palette;

static void take_palette(void *context, const char *bytes, size_t n) {
    palette *to = context;
    for (size_t i = 0; i < n && to->n < sizeof to->bytes; i++) {
        to->bytes[to->n++] = (unsigned char)bytes[i];
    }
}

static rs_status encode_twice(film *f, rs_write write, void *context, rs_error *error) {
    palette colours = {.n = 0};
    const int64_t each = f->n_frames / SAMPLES + 1;
    f->total = f->n_frames + (f->n_frames + each - 1) / each;
    rs_status status = encode_once(f, each, NULL, take_palette, &colours, error);
    if (status != RS_OK) return status;
    return encode_once(f, 1, colours.bytes, write, context, error);
}

rs_status rv_make_film(const rv_subject *subject, const rv_options *options, rv_picture kind,
                       rs_write write, void *context, const rs_host *host, rs_error *error) {
    film f = {.format = rv_format_of(kind),
              .subject = *subject,
              .options = *options,
              .host = host,
              .canvas = rv_canvas_new()};
    f.options.at = -1;
    f.options.progress = 0;
    f.options.predict = false;
    f.options.play = true;
    plan_size(&f);
    f.image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, f.width, f.height);
    rs_status status = RS_OK;
    if (f.canvas == NULL || cairo_surface_status(f.image) != CAIRO_STATUS_SUCCESS ||
        cairo_image_surface_get_stride(f.image) != 4 * f.width) {
        status = rs_no_memory(error);
    }
    if (status == RS_OK) status = count_frames(&f, error);
    f.total = f.n_frames;
    if (status == RS_OK) {
        status = f.format->has_palette ? encode_twice(&f, write, context, error)
                                       : encode_once(&f, 1, NULL, write, context, error);
    }
    cairo_surface_destroy(f.image);
    rv_canvas_free(f.canvas);
    rv_stage_free(f.stage);
    return status;
}
