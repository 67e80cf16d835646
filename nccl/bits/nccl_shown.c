/* nccl_shown.c: which of these rules a GPU has shown: `make gpu-report` writes the rows. */
#include "ringsim_nccl_bits.h"

/* version, collective, algorithm, protocol, ranks at most, of them a node, channels at most, GPU, date */
static const rn_bits_shown rows[] = {
    /* gpu-report */
    /* /gpu-report */
    {0}};

const rn_bits_shown *rn_bits_shown_rows(void) {
    return rows;
}

const rn_bits_shown *rn_bits_find_shown(const rn_bits_shown list[], const rn_bits_shown *asked,
                                        bool between_nodes) {
    for (const rn_bits_shown *row = list; row->version > 0; row++) {
        const bool is_of = between_nodes ? row->n_ranks > row->n_per_node : row->n_per_node > 1;
        if (is_of && row->version / 100 == asked->version / 100 &&
            row->collective == asked->collective && row->algorithm == asked->algorithm &&
            row->protocol == asked->protocol)
            return row;
    }
    return NULL;
}
