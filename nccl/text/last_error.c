/* last_error.c: NCCL's last error, as PyTorch's exceptions quote it: in the line itself, or in the next one that begins alike.
 *
 *     [rank3]: Last error:
 *     [rank3]: Duplicate GPU detected : rank 3 and rank 0 both on CUDA device f000
 */
#include "ringsim_text.h"

#include <stdio.h>
#include <string.h>

const char *rn_last_error_of(rn_last_error *e, const char *text) {
    const char *behind = rn_behind(text, "Last error:");
    if (behind != NULL) {
        behind += strspn(behind, " ");
        e->room = *behind == '\0' ? 64 : 0; /* lines of other ranks may stand between the two */
        snprintf(e->tag, sizeof e->tag, "%.*s", (int)(strstr(text, "Last error:") - text), text);
        return behind;
    }
    if (e->room == 0 || e->room-- == 0) return NULL;
    const size_t n_tag = strlen(e->tag);
    if (strncmp(text, e->tag, n_tag) != 0 || text[n_tag] == '\0' || text[n_tag] == ' ') return NULL;
    e->room = 0;
    return strncmp(text + n_tag, "Exception raised", 16) != 0 ? text + n_tag : NULL;
}
