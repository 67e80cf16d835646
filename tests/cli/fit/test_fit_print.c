/* test_fit_print.c: which figures of a link the table shows, and with what doubt, on both sides of each limit. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fit/fit.h"

static char page[65536];

/* Prints into the page. */
static void print(const rc_fitted *fitted) {
    FILE *file = tmpfile();
    cr_assert_not_null(file);
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    rc_print_fit(fitted);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    rewind(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
}

/* The row of a link: "src -> dst", what follows up to the line's end. */
static const char *row_of(int src, int dst) {
    static char row[400];
    char begin[32];
    snprintf(begin, sizeof begin, "\n%d -> %d ", src, dst);
    const char *found = strstr(page, begin);
    if (found == NULL) return NULL;
    snprintf(row, sizeof row, "%.*s", (int)strcspn(found + 1, "\n"), found + 1);
    return row;
}

static int count_of(const char *text, const char *part) {
    int n = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at += strlen(part)) n++;
    return n;
}

/* A fit of so many links, each of 50 GB/s after 5 us. */
static rc_fitted fit_of(rs_link_fit links[], int32_t n) {
    static char name[] = "a.trace", *files[] = {name};
    static rs_recording run;
    for (int32_t i = 0; i < n; i++) {
        links[i] = (rs_link_fit){.src = i, .dst = (i + 1) % n, .share = 1};
        links[i].line = (rs_line_fit){.n_samples = 16,
                                      .split = true,
                                      .alpha_ps = 5e6,
                                      .ps_per_byte = 20,
                                      .least_bytes = 8,
                                      .most_bytes = 1 << 20};
    }
    return (rc_fitted){.files = files,
                       .n_files = 1,
                       .runs = &run,
                       .n_runs = 1,
                       .largest = &run,
                       .diagnosis = {.links = links, .n_links = n, .split = true, .bytes = 1 << 20},
                       .recorded_ps = -1,
                       .simulated_ps = -1,
                       .mended_ps = -1,
                       .n_ranks = n};
}

Test(fit_print, a_figures_doubt_is_shown_where_it_can_be_seen) {
    static const double errors_ps[] = {0, 0.5, 0.999, 1, 1.5, 2, 1000};
    static const double shares[] = {0, 4.9e-4, 5e-4, 0.1, 0.5, 0.51};
    rs_link_fit links[2];
    for (int e = 0; e < 7; e++) {
        for (int s = 0; s < 6; s++) {
            for (int split = 0; split < 2; split++) {
                rc_fitted fitted = fit_of(links, 2);
                fitted.diagnosis.split = links[0].line.split = split == 1;
                links[0].line.least_bytes = 500000; /* which take 10 us */
                links[0].line.alpha_error_ps = errors_ps[e];
                links[0].line.ps_per_byte_error = shares[s] * 20;
                print(&fitted);
                const char *row = row_of(0, 1);
                cr_assert_not_null(row, "%s", page);
                const bool seen = shares[s] <= 0.5;
                cr_expect_eq(count_of(row, "not seen"), !seen, "%s", row);
                const int doubts = (errors_ps[e] >= 1) + (seen && shares[s] >= 5e-4);
                cr_expect_eq(count_of(row, " ± "), split == 1 ? doubts : 0, "%s", row);
                cr_expect_eq(count_of(row, "<= 15 us"), split == 0, "%s", row);
                cr_expect_eq(count_of(row, " 5 us"), split == 1, "%s", row);
                const char *head = strstr(page, "\nlink ") + 1;
                const size_t column = (size_t)(strstr(head, "bandwidth") - head);
                if (!split && seen) cr_expect_eq(strncmp(row + column, ">= 50 GB/s", 10), 0);
                cr_expect_eq(count_of(row, ">= "), split == 0 && seen, "%s", row);
                cr_expect_eq(count_of(row, "50 GB/s"), seen, "%s", row);
            }
        }
    }
}

/* How many links but the slowest lose at least four fifths of what it loses. */
static int nearly_as_slow(const rs_diagnosis *d) {
    int n = 0;
    for (int32_t i = 0; i < d->n_links; i++) {
        n += i != d->slowest && d->links[i].share - 1 >= 0.8 * (d->links[d->slowest].share - 1);
    }
    return n;
}

/* Up to 32 links stand there in their order; of more the sixteen slowest, the slowest first. */
Test(fit_print, of_many_links_the_slowest_are_listed) {
    static rs_link_fit links[101];
    for (int32_t n = 2; n <= 100; n++) {
        for (int out = 0; out < 2; out++) {
            rc_fitted fitted = fit_of(links, n);
            for (int32_t i = 0; i < n; i++) links[i].share = 1 + (double)(i * 37 % n) / 100;
            links[n].share = 1000; /* none of them */
            for (int32_t i = 0; i < n; i++) {
                if (links[i].share > links[fitted.diagnosis.slowest].share)
                    fitted.diagnosis.slowest = i;
            }
            fitted.diagnosis.stands_out = out == 1;
            print(&fitted);
            const int slowest = fitted.diagnosis.slowest, listed = n > 32 ? 16 : n;
            int rows = 0, before = -1;
            const char *at = strstr(page, "x the median\n");
            cr_assert_not_null(at);
            at += strlen("x the median\n");
            for (int src, dst; sscanf(at, "%d -> %d", &src, &dst) == 2; rows++) {
                if (n > 32 && before >= 0) cr_expect_geq(links[before].share, links[src].share);
                if (n <= 32) cr_expect_gt(src, before);
                if (n > 32 && rows == 0) cr_expect_eq(links[src].share, links[slowest].share);
                before = src;
                const size_t length = strcspn(at, "\n");
                const bool marked = length > 5 && strncmp(at + length - 5, "  <--", 5) == 0;
                cr_expect_eq(marked, out == 1 && src == slowest);
                at += length + 1;
            }
            cr_expect_eq(rows, listed, "%d links", (int)n);
            char more[64];
            snprintf(more, sizeof more, "and %d more links\n", (int)n - listed);
            cr_expect_eq(strncmp(at, more, strlen(more)) == 0, n > 32, "%d links", (int)n);
            const int alike = nearly_as_slow(&fitted.diagnosis);
            snprintf(more, sizeof more, "; %d more link%s nearly as slow", alike,
                     alike == 1 ? " is" : "s are");
            cr_expect_eq(strstr(page, more) != NULL, out == 1 && alike > 0, "%s: %s", more, page);
        }
    }
}

/* Of links that are equally slow those come first whose sender, then receiver has the lower number. */
Test(fit_print, links_that_are_equally_slow_stand_in_their_order) {
    enum { N = 60 };
    rs_link_fit links[N];
    rc_fitted fitted = fit_of(links, N);
    for (int32_t i = 0; i < N; i++) { /* ten senders to six receivers each, mixed */
        links[i].src = i * 7 % N / 6;
        links[i].dst = 20 - i * 7 % N % 6;
    }
    print(&fitted);
    const char *at = strstr(page, "x the median\n");
    cr_assert_not_null(at);
    at += strlen("x the median\n");
    for (int k = 0; k < 16; k++) {
        int src = -1, dst = -1;
        cr_assert_eq(sscanf(at, "%d -> %d", &src, &dst), 2);
        cr_expect(src == k / 6 && dst == 15 + k % 6, "row %d: %d -> %d", k, src, dst);
        at += strcspn(at, "\n") + 1;
    }
}
