/* train_sweep.c: a step's time against the number of GPUs, in both modes: table and CSV. Each GPU
 * has the same batch whatever their number, so twice the GPUs could train on twice the samples a
 * second. */
#include "base/text.h"
#include "train/train.h"

enum { NOTE_WIDTH = 79, NUMBER = 32 };

/* Returns in hundredths how many times as many samples a second n GPUs train on as one. */
static int64_t speedup(const rv_scaling *one, const rv_scaling *row, int64_t step_ps) {
    if (step_ps <= 0 || one->n_ranks != 1) return -1;
    return (int64_t)((double)one->ddp_ps * row->n_ranks / (double)step_ps * 100 + 0.5);
}

static void print_speedup(int64_t hundredths, int width) {
    char text[32] = "-";
    if (hundredths >= 0) {
        snprintf(text, sizeof text, "%lld.%02lld", (long long)(hundredths / 100),
                 (long long)(hundredths % 100));
    }
    printf("%*s", width, text);
}

void rc_print_scaling(const rc_trained *trained) {
    char bytes[32];
    const rv_scaling *rows = trained->scaling;
    rv_format_bytes(trained->layers.parameters * RS_ELEMENT_BYTES, bytes, sizeof bytes);
    printf(_("%s, gradients of %s, %lld samples a GPU\n"), trained->model, bytes,
           (long long)trained->plan.batch[0] * trained->plan.accumulate);
    const char *other = rs_parallel_name(rv_other_mode(trained->plan.mode));
    char step[NUMBER], ratio[NUMBER];
    snprintf(step, sizeof step, "%s step", other);
    const int width = snprintf(ratio, sizeof ratio, "%s / ddp", other) + 1;
    printf("%6s %12s %8s %12s %8s %*s\n", "gpus", "ddp step", "x 1 GPU", step, "x 1 GPU", width,
           ratio);
    for (int32_t i = 0; i < trained->n_scaling; i++) {
        char ddp[NUMBER], slower[NUMBER];
        rv_format_time(rows[i].ddp_ps, ddp, sizeof ddp);
        rv_format_time(rows[i].other_ps, slower, sizeof slower);
        printf("%6d %12s", (int)rows[i].n_ranks, ddp);
        print_speedup(speedup(&rows[0], &rows[i], rows[i].ddp_ps), 9);
        printf(" %12s", slower);
        print_speedup(speedup(&rows[0], &rows[i], rows[i].other_ps), 9);
        const double times = (double)rows[i].other_ps / (double)rows[i].ddp_ps;
        print_speedup(rows[i].ddp_ps > 0 ? (int64_t)(times * 100 + 0.5) : -1, 1 + width);
        puts("");
    }
    rc_print_wrapped(_("x 1 GPU: how many times as many samples a second as one GPU."), NOTE_WIDTH);
}

void rc_csv_scaling(const rc_trained *trained) {
    printf("gpus,ddp_step_ps,%s_step_ps\n", rs_parallel_name(rv_other_mode(trained->plan.mode)));
    for (int32_t i = 0; i < trained->n_scaling; i++) {
        const rv_scaling *row = &trained->scaling[i];
        printf("%d,%lld,%lld\n", (int)row->n_ranks, (long long)row->ddp_ps,
               (long long)row->other_ps);
    }
}
