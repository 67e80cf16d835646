/* test_nvlink_halves.c: each GPU tells of its NVLinks to others, in any order and in several parts: parts are added,
 * and told; what one tells and the other does not, or otherwise, is an error; the rest are links as wide as told.
 */
#include "config.h"
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "topology/link_rates.h"
#include "ringsim_topology.h"

#ifndef HAVE_EXPAT
Test(nvlink_halves, are_left_out_of_this_build) {
    cr_skip("built without expat");
}
#else

enum { GPUS = 4, PARTS = 2 * (GPUS - 1), TEXT = 4000 };

static rs_arena arena;
static rs_error error;
static rn_findings findings;
static char text[TEXT];
static uint64_t state = 11;
static int sums[GPUS][GPUS], first[GPUS][GPUS], line_of[GPUS]; /* what was told; 0: nothing */
static int n_expected;

static void open_arena(void) {
    rs_arena_init(&arena, NULL);
}
static void close_arena(void) {
    rs_arena_free(&arena);
}
TestSuite(nvlink_halves, .init = open_arena, .fini = close_arena);

static int below(int n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)n);
}

static void add(const char *words) {
    cr_assert_lt(strlen(text) + strlen(words), TEXT);
    strcat(text, words);
}

/* A finding of that line, of those that were told. */
static void expect_told(int line, const char *what) {
    n_expected++;
    for (int32_t i = 0; i < findings.n_kept; i++) {
        const rn_finding *found = &findings.list[i];
        if (found->line == line && strcmp(found->said.text, what) == 0) return;
    }
    cr_expect_fail("line %d: %s: is not told of\n%s", line, what, text);
}

/* Draws which GPUs tell of which, in how many parts, and in which order; `fair` if both always tell the same. */
static void draw_box(bool fair, int n_parts[GPUS][GPUS], int counts[GPUS][GPUS][2]) {
    for (int a = 0; a < GPUS; a++) {
        for (int b = 0; b < GPUS; b++) {
            n_parts[a][b] = a == b ? 0 : below(3);
            if (fair && b < a && n_parts[b][a] == 0) n_parts[a][b] = 0;
            if (fair && b < a && n_parts[b][a] > 0) n_parts[a][b] = 1;
            for (int k = 0; k < 2; k++) counts[a][b][k] = 1 + below(2);
            if (fair && b < a)
                counts[a][b][0] = counts[b][a][0] + (n_parts[b][a] > 1 ? counts[b][a][1] : 0);
        }
    }
}

/* Writes it, an element a line, and notes what is told where; parts that are not the first stand in `again`. */
static int write_box(bool fair, int again[][2]) {
    int n_parts[GPUS][GPUS], counts[GPUS][GPUS][2], n_again = 0, line = 3;
    char words[300];
    draw_box(fair, n_parts, counts);
    memset(sums, 0, sizeof sums);
    memset(first, 0, sizeof first);
    strcpy(text, "<system>\n<cpu numaid=\"0\" arch=\"arm64\">\n");
    for (int a = 0; a < GPUS; a++) {
        int order[PARTS], n = 0;
        for (int b = 0; b < GPUS; b++)
            for (int k = 0; k < n_parts[a][b]; k++) order[n++] = 2 * b + k;
        for (int i = n - 1; i > 0; i--) {
            const int other = below(i + 1), kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
        snprintf(words, sizeof words,
                 "<pci busid=\"0000:0%d:00.0\" class=\"0x030200\" link_speed=\"8 GT/s\" "
                 "link_width=\"16\"><gpu dev=\"%d\" sm=\"80\">\n",
                 a + 1, a);
        add(words);
        line_of[a] = line++;
        for (int i = 0; i < n; i++, line++) {
            const int b = order[i] / 2, count = counts[a][b][order[i] % 2];
            snprintf(words, sizeof words,
                     "<nvlink target=\"0000:0%d:00.0\" count=\"%d\" tclass=\"0x030200\"/>\n", b + 1,
                     count);
            add(words);
            if (first[a][b] != 0) {
                again[n_again][0] = line;
                again[n_again++][1] = first[a][b];
            } else {
                first[a][b] = line;
            }
            sums[a][b] += count;
        }
        add("</gpu></pci>\n");
        line++;
    }
    add("</cpu></system>\n");
    return n_again;
}

static void expect_links(const rs_machine *machine) {
    int n = 0;
    for (int32_t i = 0; i < machine->n_links; i++) {
        const rs_machine_link *link = &machine->links[i];
        if (link->kind != RS_NVLINK) continue;
        const int32_t a = link->a < link->b ? link->a : link->b, b = link->a + link->b - a;
        const int both = sums[a][b] < sums[b][a] ? sums[a][b] : sums[b][a]; /* the slower way */
        cr_expect_eq(link->bandwidth_Bps, (uint64_t)both * rn_nvlink_rate(80).Bps);
        n++;
    }
    for (int a = 0; a < GPUS; a++)
        for (int b = 0; b < a; b++) n -= sums[a][b] > 0;
    cr_expect_eq(n, 0, "%d links more than told of", n);
}

Test(nvlink_halves, are_added_and_compared_with_those_of_the_other_end) {
    int n_good = 0;
    for (int k = 0; k < 3000; k++) {
        int again[GPUS * PARTS][2], n_errors = 0;
        char what[200];
        rs_machine machine;
        close_arena();
        open_arena();
        const int n_again = write_box(k % 2, again);
        const rs_status status = rn_read_topology(RN_TOPOLOGY_XML, text, strlen(text), "it", "it",
                                                  &arena, &findings, &error, &machine);
        n_expected = 0;
        for (int i = 0; i < n_again; i++) {
            snprintf(what, sizeof what,
                     "nvlink: this target stands in line %d already; the links are added, as NCCL "
                     "does",
                     again[i][1]);
            expect_told(again[i][0], what);
        }
        for (int a = 0; a < GPUS; a++) {
            for (int b = 0; b < GPUS; b++) {
                const int own = sums[a][b], other = sums[b][a];
                if (own > 0 && other == 0) {
                    snprintf(what, sizeof what,
                             "nvlink: %d to the GPU of line %d, which has none back; both describe "
                             "them",
                             own, line_of[b]);
                    expect_told(first[a][b], what);
                    n_errors++;
                } else if (a > b && own > 0 && own != other) { /* the later one is told */
                    snprintf(
                        what, sizeof what,
                        "nvlink: %d links one way, %d the other way in line %d: a link leads both ways, and is "
                        "broken or missing; the slower way bounds a ring, and is taken",
                        own, other, first[b][a]);
                    expect_told(first[a][b], what);
                }
            }
        }
        cr_expect_eq(findings.n_kept, n_expected, "%d: %s\n%s", findings.n_kept,
                     findings.list[0].said.text, text);
        cr_assert_eq(status == RS_OK, n_errors == 0, "%s\n%s", error.text, text);
        if (n_errors == 0) expect_links(&machine);
        n_good += n_errors == 0;
    }
    cr_expect(n_good >= 1500 && n_good < 2500, "%d", n_good);
}
#endif
