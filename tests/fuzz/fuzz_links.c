/* fuzz_links.c: any bytes as a table of links: refused with a reason, or sorted and sane. */
#include "run/request.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    enum { N_RANKS = 64 };
    rs_arena arena;
    rs_error error = {.text = ""};
    rs_link_override *links = NULL;
    int32_t n = 0;
    rs_arena_init(&arena, NULL);
    const rc_exit status =
        rc_parse_links((const char *)data, n_bytes, N_RANKS, &arena, &error, &links, &n);
    assert(status == RC_GOOD || error.text[0] != '\0');
    for (int32_t i = 0; status == RC_GOOD && i < n; i++) {
        const rs_link_override *link = &links[i];
        assert(link->src >= 0 && link->src < N_RANKS && link->dst >= 0 && link->dst < N_RANKS);
        assert(link->src != link->dst);
        assert(link->link.alpha_ps >= 0 && link->link.bandwidth_Bps >= 1);
        if (i == 0) continue;
        const rs_link_override *before = &links[i - 1];
        assert(before->src < link->src || (before->src == link->src && before->dst < link->dst));
    }
    rs_arena_free(&arena);
    return 0;
}
