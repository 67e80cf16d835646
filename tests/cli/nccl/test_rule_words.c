/* test_rule_words.c: rules that switch a way off, and limits, have words of their own. */
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
