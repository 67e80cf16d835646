/* test_judgement.c: which rows are out, and what is said of them: a sentence for healthy tables, for one slow size, for a stretch
 * of them, for a collapse between sizes that are as they should be. The causes: tests/cmd/explain.sh.
 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "explain/explain.h"

enum { MOST = 40 };
static rc_estimate_row rows[MOST];
static rc_estimate judged;
static rc_explained explained;
static char said[1000];

/* `times`: of each row what it takes of what it should, in tenths; all within a factor of 1.3 nine times of ten. */
static void say(double share, const char *tenths) {
    judged = (rc_estimate){.rows = rows};
    for (const char *at = tenths; *at != '\0'; at += strcspn(at, " "), at += *at == ' ') {
        rows[judged.n_rows] = (rc_estimate_row){.n_bytes = (int64_t)1024 << judged.n_rows,
                                                .simulated_us = 100,
                                                .range = 1.3,
                                                .measured_us = 10 * atof(at)};
        judged.n_rows++;
    }
    explained.judged = &judged;
    rc_judgement_text(&explained, share, said, sizeof said);
}

#define SAYS(part) cr_expect_not_null(strstr(said, part), "%s", said)

Test(judgement, tells_which_sizes_are_out) {
    say(1, "10 11 12 9 10 12 13");
    SAYS("that is what such a machine gives");
    say(1.16, "9 8 8 8 8 9 9");
    SAYS("more than expected");
    say(1, "10 10 10 10 10 10 10 10 10 30"); /* one of ten may be */
    SAYS("that is what such a machine gives");
    say(0.5, "10 10 10 10 20 10 10");
    SAYS("At 16.38 kB it takes 2.0 times");
    say(0.5, "10 10 10 14 20 30 30");
    SAYS("From 8.19 kB to 65.54 kB it takes up to 3.0 times");
    say(1, "10 10 60 50 10 10 10");
    SAYS("Between 4.10 kB and 8.19 kB it collapses, 6.0 times slower at most");
    say(1, "10 10 60 10 50 10 10"); /* not all between */
    SAYS("From 4.10 kB to 16.38 kB");
    SAYS("at its best, that is what such a machine gives; other sizes are slower than expected");
    say(0.8, "10 10 60 10 50 10 10");
    SAYS("none of the usual causes fits, such as sockets");
}

Test(judgement, names_what_is_likely_and_what_is_alike) {
    explained.suspects = (rc_suspects){.n = 2, .words = {"A is off", "B is"}};
    say(0.5, "20 20");
    SAYS("most likely A is off; or, alike at these sizes: B is. From 1.02 kB to 2.05 kB");
    explained.table.marks.n_wrong = 3;
    say(0.5, "20 20");
    cr_expect_str_eq(said, "its results are wrong: no figure counts");
}
