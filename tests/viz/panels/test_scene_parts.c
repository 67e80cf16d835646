/* test_scene_parts.c: a story's parts in the window: `v` shows each alone and then all again, type grows and shrinks
 * little by little with the window, and what travels has the colour of the data that it stands for.
 */
#include "panels/draw.h"
#include "stage/stage.h"
#include "story/telling.h"
#include "support/scene_words.h"
#include "support/told.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static const char *const lines[] = {"launch",
                                    "mapreduce --gpus 3",
                                    "sampler --gpus 3 --dataset 14 --shuffle",
                                    "train --gpus 4 --model assets/resnet50.lay --bandwidth 5GB/s",
                                    "train --gpus 3 --model mlp --mode dp",
                                    "train --gpus 2 --model linreg --mode none",
                                    "gil --gpus 4 --iters 0"};
enum { N_LINES = sizeof lines / sizeof lines[0] };

static rs_error error;
static rv_stage *stage;

typedef int look_at(const char *where);

/* Shows some moments of each story to a test, in the light and the dark theme; returns what it returned, added
   up. */
static int in_every_story(look_at *test) {
    int n = 0;
    for (int i = 0; i < N_LINES; i++) {
        rs_arena arena;
        rs_arena_init(&arena, NULL);
        rv_subject subject = told_subject(lines[i], &arena);
        const int32_t apart = 1 + subject.n_steps / 4;
        for (int32_t view = 0; view / 2 * apart < subject.n_steps; view++) {
            const rv_options options = {.at = view / 2 * apart,
                                        .dark = view % 2 == 1,
                                        .pixel_width = 1280,
                                        .pixel_height = 720};
            cr_assert_eq(rv_stage_new(&subject, &options, NULL, &error, &stage), RS_OK, "%s",
                         error.text);
            stage->n_keys = 3; /* no newcomer, who gets a hint */
            rv_stage_draw(stage);
            n += test(lines[i]);
            rv_stage_free(stage);
        }
        rv_subject_free(&subject);
        rs_arena_free(&arena);
    }
    return n;
}

/* ---------------------------------------------------------------------------------- one by one */

static unsigned sum(void) {
    stage->playback.message[0] = '\0';
    rv_stage_draw(stage);
    const char *words = scene_words(&stage->scene, &stage->look);
    return rs_crc32(0, words, strlen(words));
}

static int go_round(const char *where) {
    const rv_subject *subject = &stage->playback.subject;
    const int32_t n =
        rv_count_parts(rv_story_of(subject), rv_frame_of(subject, stage->playback.rank));
    unsigned seen[40] = {sum()};
    cr_assert(n > 0 && n < 30);
    for (int32_t i = 1; i <= (n < 2 ? 1 : n + 1); i++) {
        cr_assert_eq(rv_stage_key(stage, 'v', &error), RS_OK);
        seen[i] = sum();
        const bool round = n < 2 || i == n + 1;
        cr_expect_eq(seen[i] == seen[0], round, "%s: %d parts, pressed %d times", where, (int)n,
                     (int)i);
        for (int32_t k = 1; k < i && !round; k++) {
            cr_expect_neq(seen[i], seen[k], "%s: part %d is as part %d", where, (int)i, (int)k);
        }
    }
    cr_assert_eq(rv_stage_key(stage, 'v', &error), RS_OK);
    cr_expect_eq(sum(), seen[n < 2 ? 0 : 1], "%s: and round again", where);
    return n > 1;
}

Test(scene_parts, v_leads_through_all_parts_and_back_to_the_whole, .timeout = 900) {
    cr_expect_gt(in_every_story(go_round), 10);
}

/* ---------------------------------------------------------------------------------- size of type */

/* The size of the shown grid's entries, in pixels; 0: none is seen. */
static double size_of_entries(void) {
    double size = 0;
    const rv_frame *frame = rv_frame_of(&stage->playback.subject, stage->playback.rank);
    for (int32_t i = 0; i < stage->scene.n_items; i++) {
        const rv_item *item = &stage->scene.items[i];
        if (item->shape != RV_LABEL) continue;
        const char *text = rv_label_text(&stage->scene, item);
        const rv_grid *grid = &frame->grids[stage->playback.part];
        for (int64_t e = 0; e < (int64_t)grid->n_rows * grid->n_columns; e++) {
            if (grid->entries[e].text != NULL && strcmp(grid->entries[e].text, text) == 0)
                size = fmax(size, item->radius);
        }
    }
    return size;
}

static int grow(const char *where) {
    const rv_frame *frame = rv_frame_of(&stage->playback.subject, stage->playback.rank);
    int n = 0;
    const int n_grids = frame->n_grids;
    for (int grid = 0; grid < n_grids; grid++) {
        double before = 0;
        stage->playback.part = grid;
        for (double h = 320; h < 1500; h *= 1.03) {
            rv_stage_resize(stage, 1280, h);
            rv_stage_draw(stage);
            const double size = size_of_entries() / stage->look.unit;
            if (size > 0 && before > 0) {
                cr_expect(size / before < 1.25 && before / size < 1.25,
                          "%s, grid %d, %.0f high: type of %.2f after %.2f", where, grid, h, size,
                          before);
                n += fabs(size - before) > 1e-9;
            }
            before = size;
        }
    }
    stage->playback.part = -1;
    return n;
}

Test(scene_parts, alone_have_type_that_grows_little_by_little, .timeout = 900) {
    cr_expect_gt(in_every_story(grow), 20, "sizes change");
}

/* ------------------------------------------------------------------------------- what travels */

static bool lies_between(rv_colour c, rv_colour a, rv_colour b) {
    for (int shift = 8; shift < 32; shift += 8) {
        const int p = (int)(a >> shift & 0xFF), q = (int)(b >> shift & 0xFF),
                  x = (int)(c >> shift & 0xFF);
        const int low = p < q ? p : q, high = p < q ? q : p;
        /* not one of the two, where they differ */
        if (x < low || x > high || (high - low > 40 && (x < low + 8 || x > high - 8))) return false;
    }
    return true;
}

/* Tells whether a colour is that of whose data move with this text. */
static bool is_colour_of(rv_colour fill, const char *text) {
    const rv_frame *frame = rv_frame_of(&stage->playback.subject, stage->playback.rank);
    for (int32_t g = 0; g < frame->n_grids; g++) {
        const rv_grid *grid = &frame->grids[g];
        for (int64_t e = 0; e < (int64_t)grid->n_rows * grid->n_columns; e++) {
            const rv_entry *entry = &grid->entries[e];
            const bool moves = entry->tone == RV_TONE_LEAVES || entry->way > 0;
            if (!moves || entry->text == NULL || strcmp(entry->text, text) != 0) continue;
            if (entry->rank < 0 ? fill == stage->look.raised
                                : lies_between(fill, stage->look.panel,
                                               rv_dye_of(&stage->look, entry->rank).fill))
                return true;
        }
    }
    return false;
}

static int fly(const char *where) {
    int n = 0;
    cr_assert_eq(rv_stage_key(stage, RV_KEY_RIGHT, &error), RS_OK);
    cr_assert_eq(rv_stage_tick(stage, 120, &error), RS_OK);
    rv_stage_draw(stage);
    const rv_scene *scene = &stage->scene;
    for (int32_t i = 0; i + 2 < scene->n_items; i++) {
        const rv_item *chip = &scene->items[i], *text = chip + 1;
        if (text->shape == RV_RECT) text++; /* a tile has a stripe */
        if (chip->layer != RV_MOVING || chip->shape != RV_RECT || text->shape != RV_LABEL ||
            !text->bold || chip->stroke != stage->look.ink)
            continue;
        const bool known = is_colour_of(chip->fill, rv_label_text(scene, text));
        cr_expect(known, "%s: '%s' travels in %08x", where, rv_label_text(scene, text),
                  (unsigned)chip->fill);
        n++;
    }
    return n;
}

Test(scene_parts, on_their_way_have_the_colour_of_their_data) {
    cr_expect_gt(in_every_story(fly), 5, "some travel");
}
