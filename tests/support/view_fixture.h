/* view_fixture.h: a run that is ready to be looked at, for the tests of the views. */
#pragma once

#include "stage/stage.h"
#include "support/own.h"
#include "terminal/compose.h"
#include "model/model.h"

/* The views by their places in the table of panels; test_scene_views.c compares them with its words. */
enum {
    VIEW_RING = 1,
    VIEW_MATRIX = 4,
    VIEW_DIAGRAM = 8,
    VIEW_COST = 16,
    VIEW_RULE = 32,
    VIEW_NUMBERS = 64
};

typedef struct view_fixture {
    rs_arena arena;
    rs_error error;
    rs_schedule schedule;
    rs_request request;
    rs_report report;
    rv_model *model;
    rv_subject subject; /* of the model */
} view_fixture;

/* Fills in the defaults: i32 sum, 100 MB a rank, 5 us, 20 GB/s; request may be changed afterwards. */
void view_fixture_prepare(view_fixture *v, const char *algorithm, int32_t n_ranks);
/* The same for a schedule from text. */
void view_fixture_prepare_text(view_fixture *v, const char *text);
/* Gives the run that is prepared n faults, which must outlive it. */
void view_fixture_faults(view_fixture *v, const rs_fault faults[], int32_t n);
/* Runs it and makes the model; false: v->error says why. */
bool view_fixture_run(view_fixture *v);
/* Prepares and runs in one; the test ends where it cannot be run. */
void view_fixture_start(view_fixture *v, const char *algorithm, int32_t n_ranks);
/* Runs what is prepared and opens a stage, as view_fixture_start does. */
rv_stage *view_fixture_stage(view_fixture *v, const rv_options *options);
void view_fixture_free(view_fixture *v);
/* What owns memory, freed where its scope ends, the last one first: `OWN_VIEW v = {0};`, `OWN_STAGE *stage = ...;`. */
#define OWN_VIEW __attribute__((cleanup(view_fixture_free))) view_fixture
#define OWN_STAGE __attribute__((cleanup(view_fixture_free_stage))) rv_stage
#define OWN_SCREEN __attribute__((cleanup(rv_screen_free))) rv_screen
#define OWN_SCENE __attribute__((cleanup(rv_scene_free))) rv_scene
#define OWN_TELLING __attribute__((cleanup(rv_telling_free))) rv_telling
void view_fixture_free_stage(rv_stage **stage);

/* The text that a test looks at: what the views write, and screens as lines. */
typedef struct view_fixture_text {
    char bytes[1 << 20];
    size_t used;
} view_fixture_text;
extern view_fixture_text view_fixture_shown;
/* An rs_write that appends to a viewed_text. */
void view_fixture_collect(void *context, const char *bytes, size_t n_bytes);
/* Puts the screen's lines into viewed_shown, and returns them. */
const char *view_fixture_lines(const rv_screen *screen);
rv_screen view_fixture_screen(int width, int height);
/* Wants every line to be as wide as the screen. */
void view_fixture_expect_full_width(const rv_screen *screen, const char *name);

/* The item behind another one, or the first (after NULL); NULL: there are no more. */
const rv_item *view_fixture_next(const rv_scene *scene, const rv_item *after);

/* Switches to Chinese; false where no catalogue was built. */
bool view_fixture_chinese(void);
