/* test_json.c: the JSON of run and check, read back with cJSON. */
#include "config.h"
#include "printed_run.h"

#ifndef HAVE_CJSON
Test(json, is_left_out_of_this_build) {
    cr_skip("built without cJSON");
}
#else

Test(json, has_the_manual_s_keys_in_the_manual_s_order) {
    static const char *const keys[] = {
        "schema",     "version",     "algorithm",    "order",          "gpus",        "count",
        "dtype",      "op",          "bytes",        "chunks",         "steps",       "values",
        "engine",     "net",         "makespan_ps",  "lower_bound_ps", "n_transfers", "bytes_sent",
        "algbw_GBps", "busbw_GBps",  "verdict",      "completed",      "stalled",     "killed",
        "correct",    "wrong_ranks", "result_crc32", "transfers",      NULL};
    static const char *const verdict[] = {"sound", "fault", "step", "rank", "chunk", "text", NULL};
    static const char *const transfer[] = {"step",   "channel",  "phase",  "iteration", "src",
                                           "dst",    "chunk",    "chunks", "offset",    "count",
                                           "effect", "start_ps", "end_ps", "done_ps",   NULL};
    printed p;
    run(&p, "ring", 5, 5, NULL);
    print_run(&p, true);
    expect_keys(p.json, keys);
    expect_keys(at(p.json, "verdict"), verdict);
    expect_keys(at(p.json, "transfers")->child, transfer);
    expect_keys(at(p.json, "net"), (const char *const[]){"alpha_ps", "bandwidth_Bps", NULL});
    cr_expect_str_eq(at(p.json, "schema")->valuestring, "ringsim.run/1");
    done(&p);
}

Test(json, tells_the_ring_of_five) {
    printed p;
    run(&p, "ring", 5, 5, NULL);
    print_run(&p, true);
    cr_expect_str_eq(at(p.json, "algorithm")->valuestring, "ring");
    cr_expect_str_eq(at(p.json, "order")->valuestring, "seed");
    cr_expect_eq(integer(p.json, "gpus"), 5);
    cr_expect_eq(integer(p.json, "steps"), 8);
    cr_expect_eq(integer(p.json, "chunks"), 5);
    cr_expect_eq(integer(p.json, "bytes"), 20);
    cr_expect_eq(integer(p.json, "makespan_ps"), 8 * (5000000 + 200));
    cr_expect_eq(integer(p.json, "lower_bound_ps"), 1600);
    cr_expect_eq(integer(p.json, "n_transfers"), 40);
    cr_expect(cJSON_IsTrue(at(p.json, "completed")) && cJSON_IsTrue(at(p.json, "correct")));
    cr_expect(cJSON_IsTrue(at(at(p.json, "verdict"), "sound")));
    cr_expect(cJSON_IsNull(at(at(p.json, "verdict"), "fault")));
    cr_expect_eq(cJSON_GetArraySize(at(p.json, "bytes_sent")), 5);
    cr_expect_eq(cJSON_GetArraySize(at(p.json, "result_crc32")), 5);
    cr_expect_eq(cJSON_GetArraySize(at(p.json, "wrong_ranks")), 0);
    cr_expect_eq(cJSON_GetArraySize(at(p.json, "stalled")), 0);
    /* At step s rank n sends chunk n - s; iterations count from 1 in their phase. */
    int i = 0;
    for (const cJSON *t = at(p.json, "transfers")->child; t != NULL; t = t->next, i++) {
        const int step = i / 5, src = i % 5;
        cr_expect_eq(integer(t, "step"), step);
        cr_expect_eq(integer(t, "src"), src);
        cr_expect_eq(integer(t, "dst"), (src + 1) % 5);
        cr_expect_eq(integer(t, "chunk"), (src - step + 10) % 5);
        cr_expect_eq(integer(t, "iteration"), step % 4 + 1);
        cr_expect_str_eq(at(t, "phase")->valuestring, step < 4 ? "scatter-reduce" : "all-gather");
        cr_expect_str_eq(at(t, "effect")->valuestring, step < 4 ? "reduce" : "copy");
        cr_expect_eq(integer(t, "start_ps"), step * (int64_t)5000200);
        cr_expect_eq(integer(t, "offset"), integer(t, "chunk"));
        cr_expect_eq(integer(t, "count"), 1);
    }
    cr_expect_eq(i, 40);
    done(&p);
}

static void no_values(rs_request *request) {
    request->values = RS_VALUES_NONE;
    request->check = RS_NEVER;
}

Test(json, what_was_not_done_is_null) {
    printed p;
    run(&p, "tree", 6, 100, no_values);
    print_run(&p, false);
    static const char *const nulls[] = {"order", "verdict", "correct", "wrong_ranks",
                                        "result_crc32"};
    for (int i = 0; i < 5; i++) cr_expect(cJSON_IsNull(at(p.json, nulls[i])), "%s", nulls[i]);
    cr_expect_str_eq(at(p.json, "values")->valuestring, "none");
    cr_expect(cJSON_GetObjectItem(p.json, "transfers") == NULL);
    done(&p);
    run(&p, "ring", 1, 100, NULL);
    print_run(&p, true);
    cr_expect(cJSON_IsNull(at(p.json, "algbw_GBps")) && cJSON_IsNull(at(p.json, "busbw_GBps")));
    cr_expect_eq(cJSON_GetArraySize(at(p.json, "transfers")), 0);
    cr_expect(cJSON_IsTrue(at(p.json, "correct")));
    done(&p);
    run(&p, "ring", 5, 0, NULL);
    print_run(&p, true);
    cr_expect_eq(integer(p.json, "n_transfers"), 0);
    cr_expect_eq(integer(p.json, "makespan_ps"), 0);
    cr_expect(cJSON_IsTrue(at(p.json, "correct")));
    done(&p);
}

static void kill_one(rs_request *request) {
    static const rs_fault dead = {
        .kind = RS_KILL, .rank = 3, .step = 2, .factor_num = 1, .factor_den = 1};
    request->job.faults = &dead;
    request->job.n_faults = 1;
}

Test(json, a_stalled_run_is_whole_and_says_no) {
    printed p;
    run(&p, "ring", 5, 5, kill_one);
    print_run(&p, true);
    cr_expect(cJSON_IsFalse(at(p.json, "completed")) && cJSON_IsFalse(at(p.json, "correct")));
    cr_expect(cJSON_IsTrue(at(at(p.json, "verdict"), "sound")), "the plan itself is sound");
    cr_expect_eq(cJSON_GetArraySize(at(p.json, "stalled")), 4);
    for (const cJSON *wait = at(p.json, "stalled")->child; wait != NULL; wait = wait->next) {
        cr_expect_neq(integer(wait, "rank"), 3);
        cr_expect_geq(cJSON_GetArraySize(at(wait, "waits_for")), 1);
    }
    cr_expect_eq(at(p.json, "killed")->child->valueint, 3);
    cr_expect_eq(cJSON_GetArraySize(at(p.json, "transfers")), (int)integer(p.json, "n_transfers"));
    const cJSON *fault = at(at(p.json, "net"), "faults")->child;
    cr_expect_str_eq(at(fault, "kind")->valuestring, "kill");
    cr_expect_eq(integer(fault, "step"), 2);
    done(&p);
}

static void huge_net(rs_request *request) {
    request->values = RS_VALUES_NONE;
    request->job.net.link.bandwidth_Bps = (uint64_t)INT64_MAX;
}

Test(json, integers_are_integers_beyond_what_a_double_holds) {
    printed p;
    const int64_t count = (((int64_t)1 << 53) + 1) / 3 * 3 + 1;
    run(&p, "doubling", 2, count, huge_net);
    print_run(&p, false);
    char expected[64];
    snprintf(expected, sizeof expected, "\"count\":%lld,", (long long)count);
    cr_expect(strstr(p.text, expected) != NULL);
    snprintf(expected, sizeof expected, "\"bytes_sent\":[%lld,", (long long)count * 4);
    cr_expect(strstr(p.text, expected) != NULL);
    cr_expect(strstr(p.text, "\"bandwidth_Bps\":9223372036854775807,") != NULL);
    done(&p);
}

Test(json, the_same_run_gives_the_same_bytes) {
    printed a, b;
    run(&a, "halving", 7, 1000, NULL);
    run(&b, "halving", 7, 1000, NULL);
    print_run(&a, true);
    print_run(&b, true);
    cr_expect_eq(a.n_bytes, b.n_bytes);
    cr_expect_str_eq(a.text, b.text);
    done(&a);
    done(&b);
}

/* A schedule whose list is not in the order of its sources. */
static const char mixed[] = "ringsim-schedule 1\nranks 3\nchunks 2\nstep\n2 -> 0 chunk 0 reduce\n"
                            "0 -> 1 chunk 1 reduce\n1 -> 2 chunk 0..1 reduce\n";

static void read_mixed(printed *p) {
    memset(p, 0, sizeof *p);
    rs_arena_init(&p->arena, NULL);
    cr_assert_eq(rs_parse_schedule(mixed, sizeof mixed - 1, &p->arena, &p->error, &p->schedule),
                 RS_OK, "%s", p->error.text);
}

Test(json, transfers_of_a_file_are_sorted_by_source_and_have_no_phase) {
    printed p;
    read_mixed(&p);
    const rs_request request = {
        .job = {.schedule = &p.schedule, .count = 10, .elem_bytes = 4, .net = default_net},
        .dtype = RS_I32,
        .trace_limit = INT64_MAX};
    cr_assert_eq(rs_run(&request, &p.arena, &p.error, &p.report), RS_OK, "%s", p.error.text);
    print_run(&p, true);
    int src = 0;
    for (const cJSON *t = at(p.json, "transfers")->child; t != NULL; t = t->next, src++) {
        cr_expect_eq(integer(t, "src"), src);
        cr_expect(cJSON_IsNull(at(t, "phase")) && cJSON_IsNull(at(t, "iteration")));
    }
    cr_expect_eq(src, 3);
    cr_expect(cJSON_IsFalse(at(at(p.json, "verdict"), "sound")));
    cr_expect_str_eq(at(at(p.json, "verdict"), "fault")->valuestring, "unfinished");
    cr_expect_str_eq(at(p.json, "algorithm")->valuestring, "file");
    done(&p);
}

Test(json, check_tells_the_verdict_and_what_the_plan_costs) {
    printed p;
    read_mixed(&p);
    rs_verdict verdict;
    cr_assert_eq(rs_check(&p.schedule, NULL, &p.error, &verdict), RS_OK);
    FILE *out = open_memstream(&p.text, &p.n_bytes);
    rc_json_check("a \"b\".sched", &p.schedule, &verdict, "", out);
    fclose(out);
    parse(&p);
    cr_expect_str_eq(at(p.json, "schema")->valuestring, "ringsim.check/1");
    cr_expect_str_eq(at(p.json, "file")->valuestring, "a \"b\".sched");
    cr_expect_eq(integer(p.json, "most_chunks_sent"), 2);
    cr_expect_eq(integer(p.json, "chunks_sent"), 4);
    cr_expect(cJSON_IsFalse(at(at(p.json, "verdict"), "sound")));
    done(&p);
}

/* A ring of which one transfer is another: what check and run print of the verdict is rs_check's, field by
   field. */
Test(json, every_field_of_a_verdict_is_the_checkers) {
    bool seen[2] = {false, false};
    for (int i = 0; i < 200; i++) {
        char text[1000] = "ringsim-schedule 1\nranks 3\nchunks 3\n";
        for (int step = 0; step < 4; step++) {
            strcat(text, "step\n");
            for (int rank = 0; rank < 3; rank++) {
                const bool odd = i / 10 == 3 * step + rank; /* from 12 on: none is */
                const int chunk = (rank - step + 6 + (odd ? i % 3 : 0)) % 3;
                const int to = (rank + 1 + (odd && i % 10 > 4)) % 3;
                char line[64];
                snprintf(line, sizeof line, "%d -> %d chunk %d %s\n", rank, to, chunk,
                         (step < 2) != (odd && i % 2 == 1) ? "reduce" : "copy");
                strcat(text, line);
            }
        }
        printed p = {.text = NULL};
        rs_verdict verdict;
        rs_arena_init(&p.arena, NULL);
        cr_assert_eq(rs_parse_schedule(text, strlen(text), &p.arena, &p.error, &p.schedule), RS_OK,
                     "%s", p.error.text);
        cr_assert_eq(rs_check(&p.schedule, NULL, &p.error, &verdict), RS_OK);
        FILE *out = open_memstream(&p.text, &p.n_bytes);
        rc_json_check("x.sched", &p.schedule, &verdict, "", out);
        fclose(out);
        parse(&p);
        const cJSON *said = at(p.json, "verdict");
        const int32_t numbers[] = {verdict.step, verdict.rank, verdict.chunk};
        cr_expect_eq(cJSON_IsTrue(at(said, "sound")), verdict.sound);
        cr_expect_str_eq(at(said, "text")->valuestring, verdict.text);
        seen[verdict.sound] = true;
        for (int k = 0; k < 3; k++) {
            const cJSON *number = at(said, (const char *[]){"step", "rank", "chunk"}[k]);
            const bool known = !verdict.sound && numbers[k] >= 0;
            cr_expect_eq(cJSON_IsNumber(number), known, "case %d", i);
            if (known) cr_expect_eq(number->valueint, numbers[k], "case %d", i);
        }
        if (verdict.sound) cr_expect(cJSON_IsNull(at(said, "fault")));
        if (!verdict.sound)
            cr_expect_str_eq(at(said, "fault")->valuestring, rs_fault_name(verdict.fault));
        done(&p);
    }
    cr_expect(seen[0] && seen[1]);
}

static rs_when how;
static void check_so(rs_request *request) {
    request->check = how;
    request->values = RS_VALUES_NONE;
}

/* Above 64 GPUs, too, `always` judges and `never` does not. */
Test(json, the_schedule_is_judged_always_or_never_however_many_gpus) {
    static const char *const algorithms[] = {"ring", "naive", "tree", "doubling", "halving"};
    for (int i = 0; i < 5 * 6; i++) {
        const int32_t n = (const int32_t[]){3, 64, 65, 66, 128, 200}[i / 5];
        for (how = RS_ALWAYS; how <= RS_NEVER; how++) {
            printed p;
            run(&p, algorithms[i % 5], n, 1000, check_so);
            print_run(&p, false);
            const cJSON *verdict = at(p.json, "verdict");
            if (how == RS_NEVER) cr_expect(cJSON_IsNull(verdict), "%d", (int)n);
            if (how == RS_ALWAYS) cr_expect(cJSON_IsTrue(at(verdict, "sound")), "%d", (int)n);
            done(&p);
        }
    }
}

#endif
