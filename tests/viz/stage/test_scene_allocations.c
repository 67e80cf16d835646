/* test_scene_allocations.c: memory that ends while somebody looks. Each allocation of a session fails once: then a call
 * says that there is no memory, or the picture knows that it is not whole, or nothing is seen of it.
 */
#include "support/failing_malloc.h"
#include "support/scene_words.h"
#include "support/told.h"
#include "stage/stage.h"

#include <criterion/criterion.h>
#include <string.h>

typedef struct outcome {
    rs_status status;
    rs_error error;
    bool failed;  /* a picture was not whole, and knew it */
    bool reached; /* the allocation that was to fail */
    unsigned sum;
} outcome;

static void look(rv_stage *stage, outcome *o) {
    rv_stage_draw(stage);
    o->failed =
        o->failed || stage->scene.failed || strstr(stage->playback.message, "memory") != NULL;
}

/* Opens it, presses the keys and lets time pass; from then on the n-th allocation fails, of malloc or of an arena. */
static outcome session(const char *line, const char *keys, bool of_arena, long n) {
    _Atomic long *left = of_arena ? &n_arrays_until_failure : &n_until_failure;
    const rv_options options = {.at = 0, .pixel_width = 1280, .pixel_height = 720, .colour = true};
    outcome o = {.error.text = ""};
    rs_arena arena;
    rv_stage *stage = NULL;
    rs_arena_init(&arena, NULL);
    rv_subject subject = told_subject(line, &arena);
    *left = n;
    o.status = rv_stage_new(&subject, &options, NULL, &o.error, &stage);
    if (o.status == RS_OK) look(stage, &o);
    for (const char *key = keys; *key != '\0' && o.status == RS_OK && !o.failed; key++) {
        o.status = rv_stage_key(stage, *key == '.' ? RV_KEY_RIGHT : *key, &o.error);
        if (o.status == RS_OK) o.status = rv_stage_tick(stage, 250, &o.error);
        if (o.status == RS_OK) look(stage, &o);
    }
    o.reached = n < 0 || *left < 0;
    *left = -1;
    if (o.status == RS_OK && !o.failed) {
        rv_stage_draw(stage); /* the next picture is whole */
        const char *words = scene_words(&stage->scene, &stage->look);
        o.sum = rs_crc32(0, words, strlen(words));
    }
    if (stage != NULL) rv_stage_free(stage);
    rv_subject_free(&subject);
    rs_arena_free(&arena);
    return o;
}

static void fail_each(const char *line, const char *keys, bool of_arena) {
    enum { MOST = 3000 };
    const unsigned sum = session(line, keys, of_arena, -1).sum;
    long n = 0, n_said = 0;
    for (; n < MOST; n++) {
        const outcome o = session(line, keys, of_arena, n);
        if (!o.reached) break; /* the session takes fewer */
        n_said += o.status != RS_OK || o.failed;
        if (o.status != RS_OK) {
            cr_expect_eq(o.status, RS_NO_MEMORY, "%s, allocation %ld: %s", line, n, o.error.text);
            cr_expect(o.error.text[0] != '\0', "%s, allocation %ld", line, n);
        } else if (!o.failed) {
            cr_expect_eq(o.sum, sum, "%s, allocation %ld: another picture, and no word", line, n);
        }
    }
    cr_expect(n < MOST && n_said >= (of_arena || MALLOC_FAILS ? 6 : 0),
              "%s: %ld allocations, %ld said", line, n, n_said);
}

Test(scene_allocations, each_that_fails_is_said_or_not_seen) {
    fail_each("run --gpus 3", ".xw.F.v", false);
}

Test(scene_allocations, each_array_that_fails_is_said_or_not_seen) {
    fail_each("run --gpus 3", ".xw.F.v", true);
    fail_each("run --gpus 4 --algo tree --kill 2@3", ".w.", true);
}

/* Shared wires without their rates, which there was no memory to work out, and worked out again later: some of the arrays, as
   most come again and again. */
Test(scene_allocations, a_machine_bears_it) {
    enum { AT_FIRST = 400, EACH = 3, LATER = 61 };
    bool reached = true;
    for (long n = 0; reached; n += n < AT_FIRST ? EACH : LATER) {
        const outcome o =
            session("run --machine assets/machines/bus.machine --bytes 1MiB", "...", true, n);
        reached = o.reached;
        cr_expect(o.status == RS_OK || o.status == RS_NO_MEMORY, "array %ld: %s", n, o.error.text);
    }
}
