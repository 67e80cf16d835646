/* train_state.c: what a model's state takes on a GPU in mixed precision, mode by mode: the first figure of the ZeRO
 * paper (Rajbhandari et al., SC 2020), for this model and this number of GPUs. */
#include "base/text.h"
#include "systems/train.h"

enum { NOTE_WIDTH = 79, FIRST = 9, COLUMN = 10, NUMBER = 32 };

/* Bytes a parameter. */
static void print_share(int64_t n_bytes, int64_t parameters) {
    char text[NUMBER];
    snprintf(text, sizeof text, "%.4g", (double)n_bytes / (double)parameters);
    printf("%*s", COLUMN, text);
}

static void print_mode(const rc_trained *t, rs_parallel mode) {
    const rs_model_state s = rs_model_state_of(&t->plan, mode, 0);
    const int64_t all = t->layers.parameters, bytes = rs_model_state_bytes(&s);
    char text[NUMBER];
    printf("%-*s", FIRST, rs_parallel_name(mode));
    print_share(s.weights, all);
    print_share(s.gradients, all);
    print_share(s.copy, all);
    print_share(s.optimizer, all);
    print_share(s.gathered, all);
    print_share(bytes, all);
    rv_format_bytes(bytes, text, sizeof text);
    printf("%*s%s\n", COLUMN, text, mode == t->plan.mode ? " *" : "");
}

/* What GPU 0 sends, as a multiple of the parameters. */
static void print_traffic(const rc_trained *t) {
    const int64_t all = t->layers.parameters * RS_ELEMENT_BYTES, sent = t->time.sent_bytes[0];
    char text[NUMBER];
    if (t->plan.n_ranks < 2 || !rs_is_sharded(t->plan.mode)) return;
    rv_format_bytes(sent, text, sizeof text);
    printf(_("GPU 0 sends %s in the step, %.4g times the parameters\n"), text,
           (double)sent / (double)all);
}

void rc_print_model_state(const rc_trained *t) {
    static const char *const heads[] = {"weights",  "gradients", "copy", "states",
                                        "gathered", "all",       "bytes"};
    rs_parallel modes[RS_HSDP + 1];
    const int n = rv_compared_modes(&t->plan, modes);
    if (t->layers.parameters == 0) return;
    print_traffic(t);
    printf(_("\nmodel state on GPU 0 in mixed precision, %s: bytes a parameter\n"),
           rs_optimizer_name(t->plan.optimizer));
    printf("%*s", FIRST, "");
    for (int i = 0; i < 7; i++) printf("%*s", COLUMN, heads[i]);
    puts("");
    for (int i = 0; i < n; i++) print_mode(t, modes[i]);
    if (t->plan.optimizer == RS_SGD) {
        rc_print_wrapped(_("sgd keeps no states: of the optimizer there is only the copy of the "
                           "weights to shard, float, which mixed precision needs."),
                         NOTE_WIDTH);
    }
    rc_print_wrapped(
        _("Times and bytes sent are this training's in every mode, floats of 4 bytes; in mixed "
          "precision gradients and gathered weights take 2, and half as much is sent."),
        NOTE_WIDTH);
}
