/* fuzz_log.c: any bytes as a log of nccl-tests: refused with a reason, or samples that a line can be
 * fitted to, whose parts are numbers and not negative. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fit/fit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = calloc(size + 1, 1); /* a zero byte follows, as in a file that was read */
    if (text == NULL) abort();
    if (size > 0) memcpy(text, data, size);
    rs_arena arena;
    rs_arena_init(&arena, NULL);
    rs_error error = {.text = ""};
    rn_table log = {0};
    const rs_status status = rn_parse_all_reduce(text, size, &arena, &error, &log);
    if (status == RS_OK) {
        rs_line_fit line;
        assert(log.n_samples >= 1 && log.n_ranks >= 0 && log.n_ranks <= RS_MAX_RANKS);
        assert(rs_fit_line(log.samples, log.n_samples, &arena, &error, &line) == RS_OK);
        assert(isfinite(line.alpha_ps) && isfinite(line.ps_per_byte) && isfinite(line.worst));
        assert(line.alpha_ps >= 0 && line.ps_per_byte >= 0);
        assert(rs_link_of(line.alpha_ps, line.ps_per_byte).bandwidth_Bps >= 1);
    } else {
        assert(error.text[0] != '\0' && strchr(error.text, '\n') == NULL);
    }
    rs_arena_free(&arena);
    free(text);
    return 0;
}
