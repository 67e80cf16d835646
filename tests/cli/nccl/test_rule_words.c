/* test_rule_words.c: rules that switch a way off, and limits, have words of their own; so has what a GPU has shown. */
#include <criterion/criterion.h>

#include "nccl/nccl_files.h"

/* Each rule that switches a way off, and each limit, has words of its own; what is on has none. */
Test(rule_words, of_rules_and_limits_differ) {
    for (int rule = 0; rule < RN_NCCL_N_RULES; rule++) {
        const char *text = rc_rule_text((rn_nccl_rule)rule);
        cr_expect_eq(text[0] == '\0', rule == RN_NCCL_ON, "rule %d: %s", rule, text);
        for (int k = 0; k < rule; k++)
            cr_expect_str_neq(text, rc_rule_text((rn_nccl_rule)k), "%d, %d", k, rule);
    }
    cr_expect_str_eq(rc_rule_text(RN_NCCL_ALGO_SETTING), "NCCL_ALGO leaves it out");
    cr_expect_str_eq(rc_rule_text(RN_NCCL_PROTO_SETTING), "NCCL_PROTO leaves it out");
    cr_expect_str_eq(rc_rule_text(RN_NCCL_ONE_NODE), "it joins nodes, and there is one");
    static const rn_nccl_limit limits[] = {RN_NCCL_BY_LL, RN_NCCL_BY_CHANNEL, RN_NCCL_BY_NVLINK,
                                           RN_NCCL_BY_NETWORK, RN_NCCL_BY_GRAPH};
    static const char *const words[] = {"what LL reaches here",
                                        "what a channel reaches with this protocol", "NVLink",
                                        "the network", "the bandwidth that the search found"};
    for (int i = 0; i < 5; i++) cr_expect_str_eq(rc_limit_text(limits[i]), words[i]);
}

static const char *shown(int32_t version, rn_nccl_protocol protocol, int32_t ranks,
                         int32_t a_node) {
    static const rn_bits_shown made[] = {
        {22907, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_LL, 4, 1, 8, "GPU A", "2026-12-01"},
        {23007, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_LL, 4, 2, 2, "GPU B", "2026-12-02"},
        {23007, RS_COLL_ALL_REDUCE, RN_NCCL_RING, RN_NCCL_LL, 3, 3, 8, "GPU C", "2026-12-03"},
        {0}};
    static char text[RC_SHOWN_TEXT];
    const rn_bits_shown asked = {.version = version,
                                 .collective = RS_COLL_ALL_REDUCE,
                                 .algorithm = RN_NCCL_RING,
                                 .protocol = protocol,
                                 .n_ranks = ranks,
                                 .n_per_node = a_node};
    rc_shown_text(made, &asked, text, sizeof text);
    return text;
}

/* Of a made-up table: only what it says of the same NCCL, protocol, and place of the ranks. */
Test(rule_words, what_a_gpu_has_shown_is_said_and_no_more) {
    static const char not_yet[] = "predicted from NCCL 2.29's source, not yet shown on a GPU";
    cr_expect_str_eq(shown(22902, RN_NCCL_LL, 8, 1),
                     "predicted from NCCL 2.29's source; between nodes shown on GPU A, 2026-12-01, "
                     "with up to 4 ranks and 8 channels");
    cr_expect_str_eq(shown(22907, RN_NCCL_LL128, 8, 1), not_yet);
    cr_expect_str_eq(shown(22907, RN_NCCL_LL, 8, 8), not_yet);
    cr_expect_str_eq(
        shown(22907, RN_NCCL_LL, 16, 8),
        "predicted from NCCL 2.29's source; inside a node not yet shown; between nodes "
        "shown on GPU A, 2026-12-01, with up to 4 ranks and 8 channels");
    cr_expect_str_eq(shown(23005, RN_NCCL_LL, 8, 8),
                     "predicted from NCCL 2.30's source; inside a node shown on GPU B, 2026-12-02, "
                     "with up to 4 ranks and 2 channels");
    cr_expect_str_eq(shown(22809, RN_NCCL_LL, 8, 1),
                     "predicted from NCCL 2.28's source, not yet shown on a GPU");
    for (const rn_bits_shown *row = rn_bits_shown_rows(); row->version > 0; row++)
        cr_expect(row->gpu != NULL && row->date != NULL && row->n_ranks >= row->n_per_node);
}
