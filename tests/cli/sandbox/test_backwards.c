/* test_backwards.c: of all pairs of short answers those are each other backwards that have the same first row and then the
 * same rows from the last to the first.
 */
#include "sandbox/answers.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MOST = 8 };

/* Makes the answer number `which` of this length, of rows that differ in one field. */
static void make(int kinds, int which, int n, rs_answer_row rows[MOST]) {
    memset(rows, 0, MOST * sizeof rows[0]);
    for (int i = 0; i < n; i++, which /= kinds) rows[i][i % 6] = which % kinds;
}

/* Turns the rows behind the first one: our own account. */
static void turn(const rs_answer_row rows[], int n, rs_answer_row out[MOST]) {
    for (int i = 0; i < n; i++) memcpy(out[i], rows[i == 0 ? 0 : n - i], sizeof out[i]);
}

static bool is_backwards(const rs_answer_row a[], int n_a, const rs_answer_row b[], int n_b) {
    return rc_is_backwards(&(rc_answer){a, n_a}, &(rc_answer){b, n_b});
}

Test(backwards, of_all_short_answers_only_those_in_the_other_order) {
    rs_answer_row rows[MOST], want[MOST], other[MOST];
    for (int n = 1, n_all = 3; n <= 5; n++, n_all *= 3) {
        for (int a = 0; a < n_all; a++) {
            make(3, a, n, rows);
            turn(rows, n, want);
            cr_assert(is_backwards(rows, n, want, n));
            for (int b = 0; b < n_all; b++) {
                make(3, b, n, other);
                cr_assert_eq(is_backwards(rows, n, other, n),
                             memcmp(other, want, (size_t)n * sizeof want[0]) == 0, "%d %d %d", n, a,
                             b);
            }
            cr_assert_not(is_backwards(rows, n, want, n - 1));
            cr_assert_not(is_backwards(rows, n - 1, want, n));
        }
    }
    cr_expect(is_backwards(rows, 0, want, 0));
}

/* Every number of every row counts. */
Test(backwards, an_answer_is_turned_row_by_row) {
    rs_answer_row rows[MOST], want[MOST];
    for (int i = 0; i < MOST * 6; i++) rows[i / 6][i % 6] = i * i;
    turn(rows, MOST, want);
    for (int i = 0; i < MOST * 6; i++) {
        cr_assert(is_backwards(rows, MOST, want, MOST));
        want[i / 6][i % 6] ^= 1;
        cr_assert_not(is_backwards(rows, MOST, want, MOST), "%d", i);
        want[i / 6][i % 6] ^= 1;
    }
}
