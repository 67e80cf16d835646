/* test_job_bytes.c: random jobs and results come back from their bytes field by field; where bytes are missing, or a number
 * is none, they are refused, and nothing beyond them is read.
 */
#include "process/job_bytes.h"
#include "ringsim_schedule.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static rs_arena arena;
static rs_error error;
static uint64_t state;

static void start(void) {
    rs_arena_init(&arena, NULL);
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(job_bytes, .init = start, .fini = stop);

static uint32_t draw(uint32_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (uint32_t)(state >> 33) % below;
}
static int64_t far(void) {
    return (int64_t)((uint64_t)draw(1u << 31) << draw(31)) - (1 << 20);
}

/* The frame's bytes where a read beyond them is caught; the caller frees them. */
static rg_reader reader_of(const char *bytes, size_t n, char **exact) {
    *exact = malloc(n + 1);
    cr_assert_not_null(*exact);
    memcpy(*exact, bytes, n);
    return rg_frame_reader(*exact, n);
}

static rs_schedule some_schedule(int64_t count) {
    const rs_collective of = (rs_collective)draw(RS_N_COLLECTIVES);
    const rs_algorithm *const *all = rs_algorithms_of(of);
    rs_schedule schedule;
    int n = 0;
    while (all[n] != NULL) n++;
    for (;;) {
        const rs_algorithm *a = all[draw((uint32_t)n)];
        rs_spec spec = {.n_ranks = 1 + (int32_t)draw(12), .order = (rs_order)draw(2)};
        if (of == RS_COLL_BROADCAST || of == RS_COLL_REDUCE)
            spec.root = (int32_t)draw((uint32_t)spec.n_ranks);
        if (a->pipelined && draw(2)) spec.n_pieces = 1 + (int32_t)draw(9);
        if (!a->one_channel && draw(2)) spec.n_channels = 1 + (int32_t)draw(3);
        if (draw(3) == 0 && spec.n_ranks % 2 == 0) spec.gpus_per_node = spec.n_ranks / 2;
        spec.dealt = draw(4) == 0;
        if (rs_schedule_from_spec(a, &spec, count, &error, &schedule) == RS_OK) return schedule;
    }
}

static char *printed(const rs_schedule *schedule);
static void keep_text(void *context, const char *text, size_t n) {
    char **all = context;
    const size_t before = *all != NULL ? strlen(*all) : 0;
    *all = realloc(*all, before + n + 1);
    cr_assert_not_null(*all);
    memcpy(*all + before, text, n);
    (*all)[before + n] = '\0';
}
static char *printed(const rs_schedule *schedule) {
    char *text = NULL;
    rs_print_schedule(schedule, keep_text, &text);
    return text;
}

static rg_job some_job(const rs_schedule *schedule, int64_t count, double *list) {
    rg_job job = {.schedule = schedule, .count = count};
    job.dtype = (rs_dtype)draw(RS_N_DTYPES);
    job.op = (rs_op)draw(RS_N_OPS);
    job.data = (rs_data)draw(4);
    job.seed = (uint64_t)far();
    job.special = (rg_special)draw(4);
    job.offset = (int32_t)draw(100);
    job.in_place = draw(2);
    job.warmup = (int32_t)draw(50);
    job.times = 1 + (int32_t)draw(50);
    job.flip_rank = (int32_t)draw(9) - 1;
    job.flip_step = (int32_t)draw(9);
    job.flip_run = (int32_t)draw(9);
    job.trace = draw(2);
    job.oracle = draw(2);
    job.timeout_ms = (int32_t)draw(100000);
    job.check_every = draw(2);
    for (int32_t r = 0; r < schedule->n_ranks; r++) list[r] = (double)far() / 7;
    if (draw(2)) job.list = list;
    return job;
}

static void same_job(const rg_job *a, const rg_job *b) {
    cr_assert(a->dtype == b->dtype && a->op == b->op && a->count == b->count && a->data == b->data);
    cr_assert(a->seed == b->seed && a->special == b->special && a->offset == b->offset);
    cr_assert(a->in_place == b->in_place && a->warmup == b->warmup && a->times == b->times);
    cr_assert(a->flip_rank == b->flip_rank && a->flip_step == b->flip_step &&
              a->flip_run == b->flip_run);
    cr_assert(a->trace == b->trace && a->oracle == b->oracle && a->timeout_ms == b->timeout_ms &&
              a->check_every == b->check_every);
    cr_assert_eq(a->list == NULL, b->list == NULL);
    if (a->list != NULL) {
        cr_assert_arr_eq(a->list, b->list, (size_t)a->schedule->n_ranks * sizeof *a->list);
    }
    char *was = printed(a->schedule), *is = printed(b->schedule);
    cr_assert_str_eq(was, is);
    free(was), free(is);
    const rs_spec x = rs_spec_of(a->schedule), y = rs_spec_of(b->schedule);
    cr_assert(x.n_ranks == y.n_ranks && x.root == y.root &&
              a->schedule->collective == b->schedule->collective &&
              a->schedule->n_channels == b->schedule->n_channels);
    if (a->schedule->algorithm == NULL) return;
    cr_assert_str_eq(a->schedule->algorithm->name, b->schedule->algorithm->name);
    cr_assert(x.order == y.order && x.gpus_per_node == y.gpus_per_node && x.dealt == y.dealt &&
              x.n_pieces == y.n_pieces && x.n_channels == y.n_channels);
}

Test(job_bytes, a_job_comes_back_as_it_was) {
    int n_listed = 0;
    for (state = 1; state < 300; state++) {
        const uint64_t seed = state;
        const int64_t count = 12 * (int64_t)draw(2000);
        double list[16];
        rs_schedule schedule = some_schedule(count), again, parsed;
        const bool listed = draw(3) == 0 && schedule.n_steps > 0;
        if (listed) { /* as from a file */
            char *text = printed(&schedule);
            cr_assert_eq(rs_parse_schedule(text, strlen(text), &arena, &error, &parsed), RS_OK);
            schedule = parsed;
            free(text);
            n_listed++;
        }
        const rg_job job = some_job(&schedule, count, list);
        rg_writer writer = {0};
        rg_job read;
        char *exact;
        rg_put_job(&writer, &job);
        cr_assert(!writer.bad && memcmp(writer.bytes, rg_frame_magic, 8) == 0);
        int64_t head[2];
        memcpy(head, writer.bytes + 8, sizeof head);
        cr_assert(head[0] == (int64_t)writer.n - RG_FRAME_HEAD && head[1] == RG_FRAME_JOB);
        rg_reader reader = reader_of(writer.bytes, writer.n, &exact);
        cr_assert_eq(rg_get_job(&reader, &arena, &error, &again, &read), RS_OK, "%d: %s", (int)seed,
                     error.text);
        cr_assert(!reader.bad && reader.left == 0 && read.schedule == &again);
        same_job(&job, &read);
        free(exact);
        /* A part of it is none. */
        for (size_t n = 0; n < writer.n; n += 1 + writer.n / 40) {
            char *part = malloc(n + 1);
            cr_assert_not_null(part);
            memcpy(part, writer.bytes, n);
            if (n > 0) part[n - 1] = '\n';
            reader = reader_of(part, n, &exact);
            cr_assert_neq(rg_get_job(&reader, &arena, &error, &again, &read), RS_OK, "%d of %d",
                          (int)n, (int)writer.n);
            free(part), free(exact);
        }
        free(writer.bytes);
        state = seed;
        stop(), start();
    }
    cr_assert_gt(n_listed, 30);
}

/* Numbers that no schedule has: each of the seven, negative or far too large. */
Test(job_bytes, a_schedule_that_cannot_be_is_refused) {
    rs_schedule schedule, again;
    double list[4] = {1, 2, 3, 4};
    rg_job read;
    cr_assert_eq(rs_schedule_make(rs_algorithms[0], RS_ORDER_SEED, 4, 100, &error, &schedule),
                 RS_OK);
    for (int with_list = 0; with_list < 2; with_list++) {
        const rg_job job = {
            .schedule = &schedule, .count = 100, .times = 1, .list = with_list ? list : NULL};
        rg_writer writer = {0};
        rg_put_job(&writer, &job);
        const size_t at = RG_FRAME_HEAD + 8 + sizeof job + 8 + (with_list ? sizeof list : 0) + 8;
        for (int i = 0; i < 7; i++) {
            for (int k = 0; k < 3; k++) {
                int64_t kept;
                const int64_t none = k == 0 ? -1 : k == 1 ? (int64_t)INT32_MAX + 1 : INT64_MAX;
                memcpy(&kept, writer.bytes + at + 8 * i, 8);
                memcpy(writer.bytes + at + 8 * i, &none, 8);
                rg_reader reader = rg_frame_reader(writer.bytes, writer.n);
                cr_assert_eq(rg_get_job(&reader, &arena, &error, &again, &read), RS_BAD_INPUT);
                cr_assert_str_eq(error.text, "what came from another process cannot be read");
                memcpy(writer.bytes + at + 8 * i, &kept, 8);
            }
        }
        const int64_t none = RS_N_COLLECTIVES;
        memcpy(writer.bytes + at + 48, &none, 8);
        rg_reader reader = rg_frame_reader(writer.bytes, writer.n);
        cr_assert_eq(rg_get_job(&reader, &arena, &error, &again, &read), RS_BAD_INPUT);
        const int64_t none_here = RS_COLL_ALL_REDUCE;
        memcpy(writer.bytes + at + 48, &none_here, 8);
        const int64_t other = 5; /* ranks, with the list of four */
        memcpy(writer.bytes + at, &other, 8);
        reader = rg_frame_reader(writer.bytes, writer.n);
        cr_assert_eq(rg_get_job(&reader, &arena, &error, &again, &read),
                     with_list ? RS_BAD_INPUT : RS_OK);
        char *name = memmem(writer.bytes, writer.n, "\4\0\0\0\0\0\0\0ring", 12);
        cr_assert_not_null(name);
        memcpy(name + 8, "rong", 4);
        reader = rg_frame_reader(writer.bytes, writer.n);
        cr_assert_eq(rg_get_job(&reader, &arena, &error, &again, &read), RS_BAD_INPUT);
        free(writer.bytes);
    }
}

Test(job_bytes, a_result_comes_back_as_it_was) {
    enum { MOST = 9 };
    for (uint64_t seed = 1; seed < 200; seed++) {
        state = seed;
        const int32_t n = 1 + (int32_t)draw(MOST);
        bool wrong[MOST], wrong_read[MOST + 1];
        uint32_t crc[MOST], crc_read[MOST + 1];
        rg_result r = {.time_ps = far(),
                       .n_wrong = far(),
                       .n_spoilt = far(),
                       .has_oracle = draw(2),
                       .oracle_time_ps = far(),
                       .oracle_differs = far(),
                       .oracle_outside = far(),
                       .oracle_unjudged = far(),
                       .n_elements = far(),
                       .n_checked = (int32_t)draw(99),
                       .n_wrong_runs = (int32_t)draw(99),
                       .first_wrong_run = (int32_t)draw(99),
                       .oracle_bound = (double)far() / 3,
                       .wrong = wrong,
                       .crc32 = crc};
        rg_result read = {.wrong = wrong_read, .crc32 = crc_read};
        for (int32_t i = 0; i < n; i++) wrong[i] = draw(2), crc[i] = draw(1u << 31);
        wrong_read[n] = true, crc_read[n] = 77;
        for (uint32_t i = draw(sizeof r.note); i > 0; i--) r.note[i - 1] = (char)('a' + draw(26));
        if (draw(2)) {
            cr_assert_eq(rs_trace_new(5, &arena, &error, &r.trace), RS_OK);
            r.trace->n_items = (int64_t)draw(6);
            for (int64_t i = 0; i < r.trace->n_items; i++) {
                r.trace->items[i] = (rs_timed){.step = (int32_t)draw(99),
                                               .start_ps = far(),
                                               .end_ps = far(),
                                               .done_ps = far(),
                                               .transfer = {.src = (int32_t)draw(9)}};
            }
        }
        rg_writer writer = {0};
        char *exact;
        rg_put_result(&writer, &r, n);
        rg_reader reader = reader_of(writer.bytes, writer.n, &exact);
        cr_assert_eq(rg_get_result(&reader, n, &arena, &error, &read), RS_OK, "%s", error.text);
        cr_assert(!reader.bad && reader.left == 0);
        cr_assert(r.time_ps == read.time_ps && r.n_wrong == read.n_wrong &&
                  r.n_spoilt == read.n_spoilt && r.n_elements == read.n_elements);
        cr_assert(r.has_oracle == read.has_oracle && r.oracle_time_ps == read.oracle_time_ps &&
                  r.oracle_differs == read.oracle_differs &&
                  r.oracle_outside == read.oracle_outside &&
                  r.oracle_unjudged == read.oracle_unjudged && r.oracle_bound == read.oracle_bound);
        cr_assert(r.n_checked == read.n_checked && r.n_wrong_runs == read.n_wrong_runs &&
                  r.first_wrong_run == read.first_wrong_run);
        cr_assert_arr_eq(wrong, wrong_read, (size_t)n * sizeof *wrong);
        cr_assert_arr_eq(crc, crc_read, (size_t)n * sizeof *crc);
        cr_assert(wrong_read[n] && crc_read[n] == 77);
        cr_assert_str_eq(r.note, read.note);
        cr_assert_eq(r.trace == NULL, read.trace == NULL);
        if (r.trace != NULL) {
            cr_assert_eq(r.trace->n_items, read.trace->n_items);
            for (int64_t i = 0; i < r.trace->n_items; i++) {
                const rs_timed *a = &r.trace->items[i], *b = &read.trace->items[i];
                cr_assert(a->step == b->step && a->start_ps == b->start_ps &&
                          a->end_ps == b->end_ps && a->done_ps == b->done_ps &&
                          a->transfer.src == b->transfer.src);
            }
        }
        free(exact);
        for (size_t k = 0; k < writer.n; k += 1 + writer.n / 50) {
            char *part = malloc(k + 1);
            cr_assert_not_null(part);
            memcpy(part, writer.bytes, k);
            if (k > 0) part[k - 1] = '\n';
            reader = reader_of(part, k, &exact);
            cr_assert_eq(rg_get_result(&reader, n, &arena, &error, &read), RS_BAD_INPUT);
            cr_assert_str_eq(error.text, "what came from another process cannot be read");
            free(part), free(exact);
        }
        reader = rg_frame_reader(writer.bytes, writer.n); /* of another number of ranks */
        cr_assert_eq(rg_get_result(&reader, n + 1, &arena, &error, &read), RS_BAD_INPUT);
        free(writer.bytes);
    }
}

/* A text is cut where the room ends, to the byte; what lies behind stays. */
Test(job_bytes, a_text_is_cut_to_its_room) {
    for (size_t n = 0; n < 12; n++) {
        for (size_t room = 1; room < 14; room++) {
            static const char letters[] = "abcdefghijklmnop";
            char out[16], wanted[16];
            char *exact;
            rg_writer writer = {0};
            rg_begin_frame(&writer, RG_FRAME_ERROR);
            rg_put_bytes(&writer, letters, n);
            rg_end_frame(&writer);
            rg_reader reader = reader_of(writer.bytes, writer.n, &exact);
            memset(out, '#', sizeof out);
            memset(wanted, '#', sizeof wanted);
            const size_t kept = n < room ? n : room - 1;
            memcpy(wanted, letters, kept);
            wanted[kept] = '\0';
            rg_get_text(&reader, out, room);
            cr_expect(!reader.bad && memcmp(out, wanted, sizeof out) == 0, "%zu in %zu", n, room);
            free(exact);
            free(writer.bytes);
        }
    }
}
