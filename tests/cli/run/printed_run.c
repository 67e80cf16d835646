/* printed_run.c: see printed_run.h. */
#include "config.h"
#include "printed_run.h"

#ifdef HAVE_CJSON
#include <stdlib.h>
#include <string.h>

void run(printed *p, const char *algorithm, int32_t n, int64_t count,
         void (*change)(rs_request *request)) {
    memset(p, 0, sizeof *p);
    rs_arena_init(&p->arena, NULL);
    cr_assert_eq(rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, algorithm), RS_ORDER_SEED,
                                  n, count, &p->error, &p->schedule),
                 RS_OK);
    rs_request request = {
        .job = {.schedule = &p->schedule, .count = count, .elem_bytes = 4, .net = default_net},
        .dtype = RS_I32,
        .trace_limit = INT64_MAX};
    if (change != NULL) change(&request);
    cr_assert_eq(rs_run(&request, &p->arena, &p->error, &p->report), RS_OK, "%s", p->error.text);
}

void parse(printed *p) {
    p->json = cJSON_ParseWithLength(p->text, p->n_bytes);
    cr_assert(p->json != NULL, "no JSON: %.200s", p->text);
}

void print_run(printed *p, bool transfers) {
    FILE *out = open_memstream(&p->text, &p->n_bytes);
    cr_assert_eq(rc_json_run(&p->report, transfers, "", out, &p->error), RC_GOOD);
    fclose(out);
    cr_assert_eq(p->text[p->n_bytes - 1], '\n');
    parse(p);
}

void done(printed *p) {
    cJSON_Delete(p->json);
    free(p->text);
    rs_arena_free(&p->arena);
}

const cJSON *at(const cJSON *object, const char *key) {
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, key);
    cr_assert(found != NULL, "no key %s", key);
    return found;
}

int64_t integer(const cJSON *object, const char *key) {
    const cJSON *found = at(object, key);
    cr_assert(cJSON_IsNumber(found), "%s is no number", key);
    return (int64_t)found->valuedouble;
}

void expect_keys(const cJSON *object, const char *const keys[]) {
    const cJSON *item = object->child;
    for (int i = 0; keys[i] != NULL; i++) {
        while (item != NULL && strcmp(item->string, keys[i]) != 0) item = item->next;
        cr_expect(item != NULL, "key %s is missing, or out of its order", keys[i]);
    }
}
#endif
