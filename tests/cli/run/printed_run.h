/* printed_run.h: runs whose JSON is read back with cJSON.
 *
 *     printed p;  run(&p, "ring", 5, 5, NULL);  print_run(&p, true);  ... integer(p.json, "steps") ...  done(&p);
 */
#pragma once

#include "config.h"
#include "run/run_json.h"

#include <criterion/criterion.h>
#ifdef HAVE_CJSON
#include <cjson/cJSON.h>

/* A run and what was printed of it. */
typedef struct printed {
    rs_arena arena;
    rs_error error;
    rs_schedule schedule;
    rs_report report;
    char *text;
    size_t n_bytes;
    cJSON *json;
} printed;

static const rs_net default_net = {.link = {5000000, 20000000000u}};

/* Runs the algorithm on i32 sums and hands the request to `change` (may be NULL) before. */
void run(printed *p, const char *algorithm, int32_t n, int64_t count,
         void (*change)(rs_request *request));
void parse(printed *p);                     /* p->text */
void print_run(printed *p, bool transfers); /* as JSON, and parses it */
void done(printed *p);
/* What an object holds under a key; the test fails where it does not. */
const cJSON *at(const cJSON *object, const char *key);
int64_t integer(const cJSON *object, const char *key);
void expect_keys(const cJSON *object, const char *const keys[]); /* in this order; ends with NULL */
#endif
