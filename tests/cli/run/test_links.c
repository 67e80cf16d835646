/* test_links.c: the CSV of single links, and the faults of the command line. */
#include "run/request.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

typedef struct parsed {
    rc_exit status;
    rs_error error;
    int32_t n;
    rs_link_override links[64];
} parsed;

static parsed parse_bytes(const char *text, size_t n_bytes, int32_t n_ranks) {
    parsed made = {.n = -1};
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_link_override *links = NULL;
    char *exact = malloc(n_bytes + 1); /* so that reading past the end is seen */
    memcpy(exact, text, n_bytes);
    char *tight = realloc(exact, n_bytes > 0 ? n_bytes : 1);
    made.status = rc_parse_links(tight, n_bytes, n_ranks, &arena, &made.error, &links, &made.n);
    for (int32_t i = 0; made.status == RC_GOOD && i < made.n && i < 64; i++) {
        made.links[i] = links[i];
    }
    free(tight);
    rs_arena_free(&arena);
    return made;
}

static parsed parse(const char *text) {
    return parse_bytes(text, strlen(text), 5);
}

Test(links, reads_units_and_sorts_by_source_then_destination) {
    const parsed got = parse("src,dst,alpha,bandwidth\n"
                             "3,1,10us,1.5GB/s\n"
                             "0,4,0,100Gb/s\n"
                             "0,1,5us,20GB/s\n");
    cr_assert_eq(got.status, RC_GOOD, "%s", got.error.text);
    cr_assert_eq(got.n, 3);
    cr_expect(got.links[0].src == 0 && got.links[0].dst == 1);
    cr_expect(got.links[1].src == 0 && got.links[1].dst == 4);
    cr_expect(got.links[2].src == 3 && got.links[2].dst == 1);
    cr_expect_eq(got.links[0].link.alpha_ps, 5000000);
    cr_expect_eq(got.links[1].link.alpha_ps, 0);
    cr_expect_eq(got.links[1].link.bandwidth_Bps, 12500000000u);
    cr_expect_eq(got.links[2].link.bandwidth_Bps, 1500000000u);
}

Test(links, takes_files_as_editors_leave_them) {
    cr_expect_eq(parse("").n, 0);
    cr_expect_eq(parse("\n\n").n, 0);
    cr_expect_eq(parse("src,dst,alpha,bandwidth").n, 0);
    cr_expect_eq(parse("0,1,5us,1GB/s").n, 1, "no newline at the end");
    cr_expect_eq(parse("0,1,5us,1GB/s\r\n1,2,5us,1GB/s\r\n").n, 2, "from Windows");
    cr_expect_eq(parse("\xef\xbb\xbfsrc,dst,alpha,bandwidth\n0,1,5us,1GB/s\n").n, 1, "with a mark");
    cr_expect_eq(parse("# ours\n 0 , 1 , 5 us , 1 GB/s  # slow\n\n").n, 1, "spaces and comments");
    cr_expect_eq(parse(" src , dst , alpha , bandwidth \n0,1,1e-6,2e10\n").n, 1, "bare numbers");
}

Test(links, refuses_bad_lines_and_names_them) {
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"0,1,5us\n", "line 1 has 3 fields"},
        {"0,1,5us,1GB/s,9\n", "line 1 has 5 fields"},
        {"0,1,5us,1GB/s\n0,1,5us,1GB/s\n", "line 2: the link 0,1 stands in line 1"},
        {"\n\n0,0,5us,1GB/s\n", "line 3: rank 0 has no link to itself"},
        {"0,5,5us,1GB/s\n", "line 1, dst"},
        {"-1,1,5us,1GB/s\n", "line 1, src"},
        {"0,1,-5us,1GB/s\n", "line 1, alpha"},
        {"0,1,nan,1GB/s\n", "line 1, alpha"},
        {"0,1,inf,1GB/s\n", "line 1, alpha"},
        {"0,1,5us,0\n", "line 1, bandwidth"},
        {"0,1,5us,nan\n", "line 1, bandwidth"},
        {"0,1,5us,-1GB/s\n", "line 1, bandwidth"},
        {"0,1,5parsec,1GB/s\n", "unit 'parsec'"},
        {"0,1,5us,1GB\n", "unit 'GB'"},
        {"0,1,5us,1e99GB/s\n", "too large"},
        {"0,1,,1GB/s\n", "line 1, alpha"},
        {"x,1,5us,1GB/s\n", "line 1, src"},
        {"\"0\",1,5us,1GB/s\n", "line 1, src"},
        {"0;1;5us;1GB/s\n", "line 1 has 1 fields"},
        {"0,1,5us,1GB/s\nsrc,dst,alpha,bandwidth\n", "line 2, src"},
        {"99999999999999999999,1,5us,1GB/s\n", "line 1, src"},
        {"0.5,1,5us,1GB/s\n", "line 1, src"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const parsed got = parse(bad[i].text);
        cr_expect_eq(got.status, RC_USAGE, "%s", bad[i].text);
        cr_expect(strstr(got.error.text, bad[i].says) != NULL, "%s: %s", bad[i].text,
                  got.error.text);
        cr_expect_eq(got.n, -1, "%s touched its result", bad[i].text);
    }
}

Test(links, refuses_lines_that_are_no_text) {
    cr_expect_eq(parse_bytes("0,1,5us\0,1GB/s\n", 15, 5).status, RC_USAGE);
    char line[600];
    memset(line, ' ', sizeof line);
    cr_expect_eq(parse_bytes(line, sizeof line, 5).status, RC_USAGE, "too long a line");
    cr_expect_eq(parse_bytes("\xef\xbb", 2, 5).status, RC_USAGE, "half a mark");
}

/* ------------------------------------------------------------------ faults */

typedef struct fault_read {
    rc_exit status;
    rs_error error;
    rs_fault fault;
} fault_read;

static fault_read read_fault(rc_option_id id, const char *text, int32_t n_ranks, int64_t count) {
    fault_read made = {.fault = {.rank = -7}};
    rs_schedule ring;
    cr_assert_eq(rs_schedule_make(rs_find_algorithm(RS_COLL_ALL_REDUCE, "ring"), RS_ORDER_SEED,
                                  n_ranks, count, &made.error, &ring),
                 RS_OK);
    rc_repeated one = {.id = (int)id, .value = {.text = text}};
    made.status =
        rc_as_fault(&(rc_typed){&rc_option_table[id], text, NULL, &made.error}, &one.value);
    if (made.status == RC_GOOD) made.status = rc_check_fault(&one, &ring, count, &made.error);
    if (made.status == RC_GOOD) made.fault = one.value.fault;
    return made;
}

Test(faults, reads_each_form) {
    fault_read got = read_fault(RC_SLOW_LINK, "3:1.5", 5, 100);
    cr_assert_eq(got.status, RC_GOOD, "%s", got.error.text);
    cr_expect(got.fault.kind == RS_SLOW_LINK && got.fault.rank == 3);
    cr_expect(got.fault.factor_num == 3 && got.fault.factor_den == 2);
    got = read_fault(RC_SLOW_REDUCE, "0:4", 5, 100);
    cr_expect(got.fault.kind == RS_SLOW_REDUCE && got.fault.factor_num == 4);
    got = read_fault(RC_LATE, "1:3ms", 5, 100);
    cr_expect(got.fault.kind == RS_LATE && got.fault.time_ps == 3000000000);
    got = read_fault(RC_STRAGGLER, "4:10us", 5, 100);
    cr_expect(got.fault.kind == RS_STRAGGLER && got.fault.rank == 4);
    got = read_fault(RC_KILL, "3@2", 5, 100);
    cr_expect(got.fault.kind == RS_KILL && got.fault.rank == 3 && got.fault.step == 2);
    got = read_fault(RC_FLIP, "0@7", 5, 100);
    cr_expect(got.fault.kind == RS_FLIP && got.fault.step == 7);
    got = read_fault(RC_DOWN, "2@1:1ms", 5, 100);
    cr_expect(got.fault.kind == RS_DOWN && got.fault.step == 1);
    cr_expect_eq(got.fault.time_ps, 1000000000);
    cr_expect(got.fault.factor_num == 1 && got.fault.factor_den == 1);
}

Test(faults, refuses_what_the_run_does_not_have) {
    static const struct {
        rc_option_id id;
        const char *text;
    } bad[] = {
        {RC_SLOW_LINK, "5:2"},
        {RC_SLOW_LINK, "0:0"},
        {RC_SLOW_LINK, "0:-1"},
        {RC_SLOW_LINK, "0"},
        {RC_SLOW_LINK, ":2"},
        {RC_SLOW_LINK, "0:"},
        {RC_SLOW_LINK, "0:2:3"},
        {RC_SLOW_LINK, ""},
        {RC_LATE, "1:5"
                  "GB"},
        {RC_LATE, "1@5"},
        {RC_KILL, "3"},
        {RC_KILL, "3@8"},
        {RC_KILL, "3@-1"},
        {RC_KILL, "-1@3"},
        {RC_KILL, "3:2"},
        {RC_KILL, "3@2:1"},
        {RC_FLIP, "9@0"},
        {RC_DOWN, "2@1"},
        {RC_DOWN, "2:1@1ms"},
        {RC_DOWN, "2@8:1ms"},
        {RC_DOWN, "2@x:1ms"},
        {RC_KILL, "00000000000000000000000000000000000000000000000000000000000000000000000000000"
                  "000000000000000@1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const fault_read got = read_fault(bad[i].id, bad[i].text, 5, 100);
        cr_expect_eq(got.status, RC_USAGE, "%s", bad[i].text);
        cr_expect_eq(got.fault.rank, -7, "%s touched its result", bad[i].text);
        cr_expect_eq(strncmp(got.error.text, "--", 2), 0, "%s", got.error.text);
    }
}

Test(faults, a_flip_needs_a_bit_and_a_step_a_run_that_has_steps) {
    /* One element: chunk 0 alone is not empty; rank 1 sends chunk 1 in step 0, chunk 0 in step 1. */
    fault_read got = read_fault(RC_FLIP, "1@0", 5, 1);
    cr_expect_eq(got.status, RC_USAGE);
    cr_expect(strstr(got.error.text, "no bit to flip") != NULL, "%s", got.error.text);
    cr_expect_eq(read_fault(RC_FLIP, "1@1", 5, 1).status, RC_GOOD);
    cr_expect_eq(read_fault(RC_DOWN, "1@0:1us", 5, 1).status, RC_GOOD, "an empty message travels");
    cr_expect_eq(read_fault(RC_KILL, "0@0", 1, 5).status, RC_USAGE, "one GPU has no steps");
    cr_expect_eq(read_fault(RC_LATE, "0:1us", 1, 5).status, RC_GOOD);
}
