/* verify_beside.c: --beside: other algorithms on the same data, and what each took and gave in one table.
 *
 *     #         size       cuda ring   cuda one-shot   cuda two-shot       nccl ring      NCCL's own
 *     #        65536          21.3 a           7.9 b           9.0 b          34.1 a          15.8 -
 *
 *   - A backend has as many rows as came to an end.
 *   - A time in us, in place, and a letter: the same letter in a row, the same bits on every rank. Of the library's own
 *     call only where its bits are one of the schedules': else a "-".
 */
#include "base/text.h"
#include "verify/verify.h"

#include <string.h>

enum { WIDTH = 16 };

static int width_of(const rc_verify_backend *b) {
    const int n = (int)strlen(b->name) + 2;
    return n > WIDTH ? n : WIDTH;
}

/* What a backend came to in that row; NULL: it has none. */
static const rg_result *result_of(const rc_verify_report *report, int backend, int64_t row) {
    const rc_verify_backend *b = &report->backends[backend];
    return row < b->n_rows ? &b->rows[row].results[1] : NULL;
}

/* The first backend with the same bits in that row, as a letter. */
static char letter(const rc_verify_report *report, int backend, int64_t row) {
    const uint32_t *own = result_of(report, backend, row)->crc32;
    int first = 0;
    for (; first < backend; first++) {
        const rg_result *other = result_of(report, first, row);
        if (other != NULL && memcmp(own, other->crc32, (size_t)report->n_ranks * sizeof *own) == 0)
            break;
    }
    return (char)('a' + first);
}

/* Of the first backend that asked its library in that row; NULL: none did. *same: one whose bits it gave, -1: none. */
static const rg_result *find_oracle(const rc_verify_report *report, int64_t row, int *same) {
    const rg_result *asked = NULL;
    *same = -1;
    for (int i = report->n_backends - 1; i >= 0; i--) {
        const rg_result *r = result_of(report, i, row);
        if (r == NULL || !r->has_oracle) continue;
        asked = r;
        if (r->oracle_differs == 0) *same = i;
    }
    return asked;
}

static void print_cell(int width, int64_t time_ps, char bits) {
    printf("%*.1f %c", width - 2, (double)time_ps / 1e6, bits);
}

static void print_row(const rc_verify_report *report, int64_t row) {
    int same;
    bool any = false;
    for (int i = 0; i < report->n_backends; i++) any = any || row < report->backends[i].n_rows;
    if (!any) return;
    printf("# %12lld", (long long)report->backends[0].rows[row].n_bytes);
    for (int i = 0; i < report->n_backends; i++) {
        const int width = width_of(&report->backends[i]);
        const rg_result *r = result_of(report, i, row);
        if (r != NULL)
            print_cell(width, r->time_ps, letter(report, i, row));
        else if (report->backends[i].n_rows > 0)
            printf("%*s", width, "-");
    }
    const rg_result *asked = find_oracle(report, row, &same);
    if (asked != NULL)
        print_cell(WIDTH, asked->oracle_time_ps, same >= 0 ? letter(report, same, row) : '-');
    puts("");
}

void rc_verify_beside(const rc_verify_report *report) {
    int same;
    bool asked = false;
    if (report->plan->n_beside < 2) return;
    puts(_(
        "# side by side, the same data in place: us, and a letter: the same in a row, the same bits"));
    printf("# %12s", "size");
    for (int i = 0; i < report->n_backends; i++) {
        const rc_verify_backend *b = &report->backends[i];
        if (b->n_rows > 0) printf("%*s", width_of(b), b->name);
    }
    for (int64_t row = 0; row < report->n_rows && !asked; row++)
        asked = find_oracle(report, row, &same) != NULL;
    if (asked) printf("%*s", WIDTH, "library's own");
    puts("");
    for (int64_t row = 0; row < report->n_rows; row++) print_row(report, row);
}
