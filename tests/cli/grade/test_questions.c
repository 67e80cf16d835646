/* test_questions.c: what single functions are asked, and what is said of answers that are wrong; answers worked out another
 * way are right.
 *
 * Golden: tests/golden/grade/questions.txt: of each function the first questions and sentences in full, of all the rest a
 * number. RINGSIM_UPDATE=1 writes it anew.
 */
#include <criterion/criterion.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grade/question.h"
#include "support/golden.h"

static char page[1 << 18];
static size_t n_page;
static uint32_t sum; /* FNV-1a of what is not shown */

static void say(bool shown, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(bool shown, const char *format, ...) {
    char line[RC_WHY + 4000];
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    cr_assert(n >= 0 && n_page + (size_t)n < sizeof page && (size_t)n < sizeof line);
    for (int i = 0; i < n && !shown; i++) sum = (sum ^ (unsigned char)line[i]) * 16777619u;
    if (!shown) return;
    memcpy(page + n_page, line, (size_t)n + 1);
    n_page += (size_t)n;
}

/* Nothing, one number, many, those of the question, none that is an int. */
static int wrong_answer(int kind, const rc_question *q, double out[RC_MOST_NUMBERS]) {
    for (int k = 0; k < RC_MOST_NUMBERS; k++) {
        out[k] = kind == 1   ? 0
                 : kind == 2 ? 3
                 : kind == 3 ? k
                 : kind == 4 ? (k < q->n ? q->in[k] : 0)
                 : kind == 5 ? 1e300
                             : -1;
    }
    return kind == 0 ? 0 : kind == 1 ? 1 : kind == 4 ? q->n : 12;
}

static void ask(const rc_value_check *check, int i, rc_random *random, bool shown) {
    rc_question q = {.n = 0};
    double out[RC_MOST_NUMBERS];
    char why[RC_WHY];
    rc_make_question(check, random, i, &q);
    say(shown, "%s %d:", check->function, i);
    for (int k = 0; k < q.n; k++) say(shown, " %.12g", q.in[k]);
    say(shown, "\n");
    for (int kind = 0; kind < 7; kind++) {
        why[0] = '\0';
        const bool right = check->judge(&q, out, wrong_answer(kind, &q, out), why);
        cr_assert(right == (why[0] == '\0'), "%s: %s", check->function, why);
        say(shown && kind < 3, "  %s\n", right ? "right" : why);
    }
}

Test(questions, and_what_is_said_of_wrong_answers) {
    n_page = 0;
    for (int c = 0; rc_value_checks[c].function != NULL; c++) {
        const rc_value_check *check = &rc_value_checks[c];
        rc_random random = rc_random_of("s", 1, "ann", "05", check->function, 4);
        sum = 2166136261u;
        for (int i = 0; i < 3 * rc_count_questions(check); i++) {
            ask(check, i % rc_count_questions(check), &random, i < 3);
        }
        say(true, "%s, %d asked: %08x\n", check->function, rc_count_questions(check),
            (unsigned)sum);
    }
    golden_compare("grade/questions", page);
}

/* ------------------------------------------------------------------ other ways to the answers */

static rc_question q;
static double out[RC_MOST_NUMBERS];
static int n_out;

static void answer(double number) {
    out[n_out++] = number;
}

static void solve_average(void) { /* a mean that each rank's samples move */
    const int n = (int)q.in[0];
    double mean = 0, samples = 0;
    for (int r = 0; r < n; r++) {
        const double own = q.in[1 + n + r];
        samples += own;
        if (own > 0) mean += (q.in[1 + r] - mean) * own / samples;
    }
    answer(mean);
}
static void solve_sampler(void) { /* the list, repeated, and each world-th of it */
    int count = 0;
    answer(0);
    for (int k = 0; k % (int)q.in[1] != 0 || k < (int)q.in[0]; k++) {
        if (k % (int)q.in[1] == (int)q.in[2]) answer(k % (int)q.in[0]), count++;
    }
    out[0] = count;
}
static void solve_reduce(void) {
    const int n = (int)q.in[0], count = (int)q.in[1];
    for (int k = 0; k < count; k++) {
        answer(0);
        for (int r = n - 1; r >= 0; r--) out[k] += q.in[2 + r * count + k];
    }
}
static void solve_naive(void) { /* step by step */
    double seconds = 0;
    for (int s = 0; s < 2 * ((int)q.in[0] - 1); s++) seconds += q.in[2] + q.in[1] / q.in[3];
    answer(seconds);
}
static void solve_ring(void) {
    double seconds = 0;
    for (int s = 0; s < 2 * ((int)q.in[0] - 1); s++) {
        seconds += q.in[2] + q.in[1] / q.in[0] / q.in[3];
    }
    answer(seconds);
}
static void solve_range(void) { /* the larger ones at the end */
    const int count = (int)q.in[0], n = (int)q.in[1];
    for (int c = 0; c < n; c++) {
        const int from = (int)((int64_t)count * c / n);
        answer(from);
        answer((int)((int64_t)count * (c + 1) / n) - from);
    }
}
static void solve_half(void) {
    answer(q.in[0] * (q.in[1] * q.in[2]));
}
static void solve_choose(void) {
    double tree = 0, ring = 0;
    for (int reached = 1; reached < (int)q.in[0]; reached *= 2) {
        tree += 2 * (q.in[2] + q.in[1] / q.in[3]);
    }
    for (int s = 0; s < 2 * ((int)q.in[0] - 1); s++) {
        ring += q.in[2] + q.in[1] / q.in[0] / q.in[3];
    }
    answer(ring < tree);
}
/* Processes are numbered node by node; each takes so many GPUs. */
static void place(int *node, int *local, int *gpu) {
    *node = *local = *gpu = 0;
    for (int r = 0; r < (int)q.in[0]; r++) {
        ++*local, *gpu += (int)q.in[2];
        if (*gpu + (int)q.in[2] > (int)q.in[1]) ++*node, *local = *gpu = 0;
    }
}
static void solve_world(void) {
    answer((int)q.in[0] * ((int)q.in[1] / (int)q.in[2]));
}
static void solve_node(void) {
    int node, local, gpu;
    place(&node, &local, &gpu);
    answer(node);
}
static void solve_local(void) {
    int node, local, gpu;
    place(&node, &local, &gpu);
    answer(local);
}
static void solve_gpu(void) {
    int node, local, gpu;
    place(&node, &local, &gpu);
    answer(gpu);
}
static void solve_calls(void) {
    double most = 0;
    for (int r = 0; r < (int)q.in[0]; r++) most = fmax(most, q.in[1 + r]);
    for (int r = 0; r < (int)q.in[0]; r++) answer(most);
}
/* Orders of the others after 0, one after another; the first among the best. */
static void solve_order(void) {
    const int n = (int)q.in[0];
    int all = 1, best[16] = {0};
    double least = INFINITY;
    for (int k = 2; k < n; k++) all *= k;
    for (int number = 0; number < all; number++) {
        int left[16], order[16] = {0}, rest = number;
        double slowest = 0;
        for (int k = 1; k < n; k++) left[k - 1] = k;
        for (int k = 1; k < n; k++) {
            const int take = rest % (n - k);
            rest /= n - k;
            order[k] = left[take];
            memmove(left + take, left + take + 1, (size_t)(n - k - take) * sizeof *left);
        }
        for (int k = 0; k < n; k++) {
            slowest = fmax(slowest, q.in[1 + order[k] * n + order[(k + 1) % n]]);
        }
        if (slowest >= least) continue;
        least = slowest;
        memcpy(best, order, sizeof best);
    }
    for (int k = 0; k < n; k++) answer(best[k]);
}
static void solve_sum(void) { /* from rank to rank round the ring */
    const int n = (int)q.in[0];
    int rank = (int)q.in[1];
    float held = (float)q.in[2 + rank];
    for (int s = 1; s < n; s++) {
        rank = rank == n - 1 ? 0 : rank + 1;
        held += (float)q.in[2 + rank];
    }
    answer((double)held);
}
static void solve_algbw(void) {
    answer(q.in[0] / q.in[1]);
}
static void solve_busbw(void) { /* what each link carried */
    answer((q.in[1] / q.in[0]) * (2 * q.in[0] - 2) / q.in[2]);
}

static const struct {
    const char *function;
    void (*solve)(void);
} solved[] = {{"average", solve_average},
              {"sampler_indices", solve_sampler},
              {"reduce", solve_reduce},
              {"naive_seconds", solve_naive},
              {"ring_seconds", solve_ring},
              {"chunk_range", solve_range},
              {"half_latency_bytes", solve_half},
              {"choose", solve_choose},
              {"world_size", solve_world},
              {"node_of", solve_node},
              {"local_rank", solve_local},
              {"first_gpu", solve_gpu},
              {"plan_calls", solve_calls},
              {"ring_order", solve_order},
              {"ring_sum", solve_sum},
              {"algbw", solve_algbw},
              {"busbw", solve_busbw}};

/* Right is right, and a little more or less, one number less, or another one is wrong. */
Test(questions, answers_worked_out_another_way_are_right) {
    for (size_t s = 0; s < sizeof solved / sizeof *solved; s++) {
        const rc_value_check *check = &rc_value_checks[rc_find_value_check(solved[s].function)];
        rc_random random = rc_random_of("t", 1, "bob", "05", check->function, 4);
        const bool chosen = strcmp(check->function, "choose") == 0;
        for (int i = 0; i < rc_count_questions(check); i++) {
            char why[RC_WHY] = "";
            n_out = 0;
            q.n = 0;
            rc_make_question(check, &random, i, &q);
            solved[s].solve();
            cr_assert(check->judge(&q, out, n_out, why), "%s %d: %s", check->function, i, why);
            cr_assert_not(check->judge(&q, out, n_out - 1, why), "%s %d", check->function, i);
            if (chosen || (strcmp(check->function, "plan_calls") == 0 && n_out == 1)) continue;
            const double right = out[n_out - 1];
            const bool whole = right == floor(right) && fabs(right) < 1e6;
            out[n_out - 1] += whole ? 1 : fmax(1e-6 * fabs(right), 1e-8);
            cr_assert_not(check->judge(&q, out, n_out, why), "%s %d: %.17g for %.17g",
                          check->function, i, out[n_out - 1], right);
        }
    }
}
