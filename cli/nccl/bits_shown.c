/* bits_shown.c: what is known of the rules by which bits are predicted, in words. */
#include "nccl/nccl_files.h"

void rc_shown_text(const rn_bits_shown list[], const rn_bits_shown *asked, char *out,
                   size_t n_out) {
    static const char *const parts[2] = {N_("inside a node"), N_("between nodes")};
    const bool wanted[2] = {asked->n_per_node > 1, asked->n_ranks > asked->n_per_node};
    const int32_t minor = asked->version / 100;
    size_t n = (size_t)snprintf(out, n_out, _("predicted from NCCL %d.%d's source"),
                                (int)(minor / 100), (int)(minor % 100));
    const rn_bits_shown *found[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        if (wanted[i]) found[i] = rn_bits_find_shown(list, asked, i);
    }
    if (found[0] == NULL && found[1] == NULL) {
        snprintf(out + n, n_out - n, "%s", _(", not yet shown on a GPU"));
        return;
    }
    for (int i = 0; i < 2 && n < n_out; i++) {
        if (!wanted[i]) continue;
        const rn_bits_shown *row = found[i];
        n += (size_t)(row == NULL
                          ? snprintf(out + n, n_out - n, _("; %s not yet shown"), _(parts[i]))
                          : snprintf(out + n, n_out - n,
                                     _("; %s shown on %s, %s, with up to %d ranks and %d channels"),
                                     _(parts[i]), row->gpu, row->date, (int)row->n_ranks,
                                     (int)row->n_channels));
    }
}
