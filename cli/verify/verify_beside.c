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

static bool has_row(const rc_verify_backend *b, int64_t row) {
    return row < b->n_rows;
}

/* The first backend with the same bits in that row, as a letter. */
static char letter(const rc_verify_report *report, int backend, int64_t row) {
    const uint32_t *own = report->backends[backend].rows[row].results[1].crc32;
    int first = 0;
    for (; first < backend; first++) {
        if (!has_row(&report->backends[first], row)) continue;
        const uint32_t *other = report->backends[first].rows[row].results[1].crc32;
        if (memcmp(own, other, (size_t)report->n_ranks * sizeof *own) == 0) break;
    }
    return (char)('a' + first);
}

/* The backend that asked its library in that row, -1: none; *same: one whose bits the library gave, -1: none. */
static int find_oracle(const rc_verify_report *report, int64_t row, int *same) {
    int asked = *same = -1;
    for (int i = report->n_backends - 1; i >= 0; i--) {
        const rc_verify_backend *b = &report->backends[i];
        if (!has_row(b, row) || !b->rows[row].results[1].has_oracle) continue;
        asked = i;
        if (b->rows[row].results[1].oracle_differs == 0) *same = i;
    }
    return asked;
}

static void print_cell(int width, int64_t time_ps, char bits) {
    printf("%*.1f %c", width - 2, (double)time_ps / 1e6, bits);
}

static void print_row(const rc_verify_report *report, int64_t row) {
    int64_t size = -1;
    int same;
    for (int i = 0; i < report->n_backends; i++) {
        if (has_row(&report->backends[i], row)) size = report->backends[i].rows[row].n_bytes;
    }
    if (size < 0) return;
    printf("# %12lld", (long long)size);
    for (int i = 0; i < report->n_backends; i++) {
        const rc_verify_backend *b = &report->backends[i];
        if (b->n_rows == 0) continue;
        if (has_row(b, row))
            print_cell(width_of(b), b->rows[row].results[1].time_ps, letter(report, i, row));
        else
            printf("%*s", width_of(b), "-");
    }
    const int asked = find_oracle(report, row, &same);
    if (asked >= 0)
        print_cell(WIDTH, report->backends[asked].rows[row].results[1].oracle_time_ps,
                   same >= 0 ? letter(report, same, row) : '-');
    puts("");
}

void rc_verify_beside(const rc_verify_report *report) {
    int same, asked = -1;
    if (report->plan->n_beside < 2) return;
    puts(_(
        "# side by side, the same data in place: us, and a letter: the same in a row, the same bits"));
    printf("# %12s", "size");
    for (int i = 0; i < report->n_backends; i++) {
        const rc_verify_backend *b = &report->backends[i];
        if (b->n_rows > 0) printf("%*s", width_of(b), b->name);
    }
    for (int64_t row = 0; row < report->n_rows && asked < 0; row++)
        asked = find_oracle(report, row, &same);
    if (asked >= 0) printf("%*s", WIDTH, "library's own");
    puts("");
    for (int64_t row = 0; row < report->n_rows; row++) print_row(report, row);
}
