/* print_findings.c: what a reader of somebody's file found, on stderr. */
#include "base/text.h"

void rc_print_findings(const rn_findings *findings, const char *file) {
    static const char *const levels[RN_N_LEVELS] = {N_("error"), N_("warning"), N_("note")};
    char plain[RN_FINDING_TEXT + 240], text[RN_FINDING_TEXT + 240];
    int64_t n_printed = 0;
    for (int32_t i = 0; i < findings->n_kept; i++) {
        const rn_finding *found = &findings->list[i];
        if (found->level == RN_ERROR) continue;
        snprintf(text, sizeof text, "%.150s:%lld: %s: %s", file, (long long)found->line,
                 _(levels[found->level]), found->text);
        fprintf(stderr, "ringsim: %s\n", rc_plain(text, true, plain, sizeof plain));
        n_printed++;
    }
    const int64_t n = findings->n[RN_WARNING] + findings->n[RN_NOTE];
    if (n > n_printed) {
        fprintf(stderr, _("ringsim: and %lld more such lines\n"), (long long)(n - n_printed));
    }
}
