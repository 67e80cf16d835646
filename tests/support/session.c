/* session.c: see session.h. */
#include "support/session.h"
#include "support/scene_words.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;
void session_begin(uint64_t seed) {
    state = seed;
}

int32_t session_below(int32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((state >> 33) % (uint64_t)n);
}

bool session_said(void) {
    return getenv("RINGSIM_WORDS") != NULL;
}

void session_say(const char *name, const char *what, const char *words) {
    char path[300];
    if (!session_said()) return;
    snprintf(path, sizeof path, "%s/%s.txt", getenv("RINGSIM_WORDS"), name);
    FILE *file = fopen(path, "a");
    cr_assert(file != NULL, "cannot write %s", path);
    fprintf(file, "--- %s\n%s\n", what, words);
    fclose(file);
}

int32_t session_key(void) {
    int n = 0;
    while (rv_key_row_at(n).action != RV_NO_ACTION) n++;
    const int i = session_below(n + 6);
    if (i >= n) return i < n + 3 ? '1' + i - n : 'a' + i - n - 3;
    const rv_key_row row = rv_key_row_at(i);
    const bool other = row.keys[1] != 0 && session_below(2) == 1;
    return row.action == RV_QUIT || row.action == RV_LANGUAGE ? RV_KEY_RIGHT : row.keys[other];
}

/* Returns an item that stands for something. */
static rv_item draw_item(const rv_stage *stage) {
    for (int tries = 0; tries < 200; tries++) {
        const rv_item item = stage->scene.items[session_below(stage->scene.n_items)];
        if (item.target.thing > RV_AREA) return item;
    }
    return stage->scene.items[0];
}

static void point(rv_stage *stage, rv_pointer what, rv_point at) {
    rs_error error = {.text = ""};
    cr_assert_eq(rv_stage_pointer(stage, what, at.x, at.y, &error), RS_OK, "%s", error.text);
}

static void use_pointer(rv_stage *stage, int kind, char *what, size_t n_what) {
    static const char *const names[] = {"point at", "click", "drag"};
    const rv_item item = draw_item(stage);
    const rv_point at = rv_centre(item.box);
    const int across = session_below(21) - 10, down = session_below(5) - 2;
    const rv_point to = {at.x + 10 * across, at.y + 10 * down};
    snprintf(what, n_what, "%s %d %d %d", names[kind], (int)item.target.thing, (int)item.target.a,
             (int)item.target.b);
    point(stage, RV_POINT_MOVE, at);
    if (kind > 0) point(stage, RV_POINT_PRESS, at);
    if (kind == 2) point(stage, RV_POINT_MOVE, to);
    if (kind > 0) point(stage, RV_POINT_RELEASE, kind == 2 ? to : at);
}

static void act(rv_stage *stage, char *what, size_t n_what) {
    static const int sizes[][2] = {{480, 360},  {640, 900},   {800, 600},  {1000, 560},
                                   {1280, 720}, {1500, 1300}, {1920, 1080}};
    rs_error error = {.text = ""};
    const int kind = session_below(12), size = session_below(7), ms = 10 + 10 * session_below(40);
    rs_status status = RS_OK;
    if (kind == 0) {
        snprintf(what, n_what, "size %d %d", sizes[size][0], sizes[size][1]);
        rv_stage_resize(stage, sizes[size][0], sizes[size][1]);
    } else if (kind == 1) {
        snprintf(what, n_what, "turn the wheel");
        status = rv_stage_wheel(stage, session_below(2) == 0 ? 1 : -1, &error);
    } else if (kind < 6) {
        use_pointer(stage, kind < 3 ? 0 : kind == 5 ? 2 : 1, what, n_what);
    } else {
        const int32_t key = session_key();
        snprintf(what, n_what, "press %d", (int)key);
        status = rv_stage_key(stage, key, &error);
    }
    cr_assert_eq(status, RS_OK, "%s: %s", what, error.text);
    for (int i = 0; i < ms; i += 50) rv_stage_tick(stage, 50, &error);
    rv_stage_draw(stage);
}

const char *session_walk(rv_stage *stage, int n, const char *name) {
    rv_stage_draw(stage);
    for (int i = 0; i < n; i++) {
        char what[80], title[200], line[300];
        act(stage, what, sizeof what);
        rv_stage_title(stage, title, sizeof title);
        cr_expect(title[0] != '\0' && !stage->scene.failed, "%s, %s", name, what);
        snprintf(line, sizeof line, "%s: %s", what, title);
        if (session_said()) session_say(name, line, scene_words(&stage->scene, &stage->look));
    }
    return scene_words(&stage->scene, &stage->look);
}
