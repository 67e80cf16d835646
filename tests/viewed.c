/* viewed.c: see viewed.h. */
#include "viewed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void defaults(viewed *v, int64_t count) {
    v->request = (rs_request){
        .job = {.schedule = &v->schedule,
                .count = count,
                .elem_bytes = 4,
                .net = {.link = {5000000, 20000000000}}},
        .dtype = RS_I32,
        .trace_limit = 1 << 20,
    };
}

void viewed_prepare(viewed *v, const char *algorithm, int32_t n_ranks) {
    memset(v, 0, sizeof *v);
    rs_arena_init(&v->arena, NULL);
    const int64_t count = 25000000;
    if (rs_schedule_make(rs_find_algorithm(algorithm), RS_ORDER_SEED, n_ranks, count, &v->error,
                         &v->schedule) != RS_OK) {
        abort();
    }
    defaults(v, count);
}

void viewed_prepare_text(viewed *v, const char *text) {
    memset(v, 0, sizeof *v);
    rs_arena_init(&v->arena, NULL);
    if (rs_parse_schedule(text, strlen(text), &v->arena, &v->error, &v->schedule) != RS_OK) {
        fprintf(stderr, "%s\n", v->error.text);
        abort();
    }
    defaults(v, v->schedule.n_chunks);
}

bool viewed_run(viewed *v) {
    return rs_run(&v->request, &v->arena, &v->error, &v->report) == RS_OK &&
           rv_model_new(&v->report, &v->arena, &v->error, &v->model) == RS_OK;
}

void viewed_free(viewed *v) {
    rs_arena_free(&v->arena);
}

bool viewed_chinese(void) {
    char beside[4096] = "build/locale";
    const char *build = getenv("BUILD");
    if (build != NULL) snprintf(beside, sizeof beside, "%.4000s/locale", build);
    const char *const dirs[] = {beside, NULL};
    return rv_set_language("zh_CN", dirs);
}
