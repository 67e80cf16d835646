/* foreign_names.c: which of what another program lists is not well, by name.
 *
 *     nvidia-smi topo -p2p r     GPU0  X  CNS          GPU0-GPU1 (CNS)
 *     ibstatus, ibstat           state: 1: DOWN        mlx5_2, by the line that names the NIC before
 *     nvidia-smi nvlink -s       Link 3: <inactive>    GPU 3 link 3, likewise
 *     rocm-smi --showtopo        GPU0  0  PCIE         GPU0-GPU1
 */
#include "nccl/nccl_files.h"
#include "ringsim_text.h"

#include <stdlib.h>
#include <string.h>

/* Is a name among those that are told of? */
static bool is_told(const char *names, const char *name) {
    const size_t n = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += n) {
        if ((at == names || at[-1] == ' ') && (at[n] == ',' || at[n] == '\0')) return true;
    }
    return false;
}

/* Adds a name to those that are told of; "..." once there are too many. */
static void add_name(rc_foreign *found, const char *name) {
    static const char more[] = ", ...";
    const size_t n = strlen(found->names);
    if (is_told(found->names, name) || is_told(found->names, "...")) return;
    const bool fits = n + strlen(name) + 2 < sizeof found->names - sizeof more;
    snprintf(found->names + n, sizeof found->names - n, "%s%s", n > 0 ? ", " : "",
             fits ? name : "...");
}

void rc_find_down(const char *text, size_t n_bytes, rc_foreign *found) {
    static const char *const begins[] = {"Infiniband device '", "CA '", "hca_id: "};
    static const char *const down[] = {"state:%DOWN", "state:%INIT", "State: Down",
                                       "State: Initializing"};
    char line[200], name[40] = "?";
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; rn_copy_line(&l, line, sizeof line);) {
        const char *at = line + strspn(line, " \t"), *failed = rn_behind(at, "stat of IB device '");
        for (int i = 0; i < 3; i++) {
            const char *behind =
                strncmp(at, begins[i], strlen(begins[i])) == 0 ? at + strlen(begins[i]) : NULL;
            if (behind == NULL) continue;
            behind += strspn(behind, " \t");
            snprintf(name, sizeof name, "%.*s", (int)strcspn(behind, "' \t"), behind);
        }
        for (int i = 0; i < 4; i++) {
            if (rn_has_form(at, down[i])) add_name(found, name);
        }
        if (failed == NULL) continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(failed, "'"), failed);
        add_name(found, name);
    }
}

void rc_find_inactive(const char *text, size_t n_bytes, rc_foreign *found) {
    char line[200], gpu[24] = "GPU ?", name[60];
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; rn_copy_line(&l, line, sizeof line);) {
        const char *at = line + strspn(line, " \t");
        if (rn_has_form(at, "GPU #:")) snprintf(gpu, sizeof gpu, "%.*s", (int)strcspn(at, ":"), at);
        if (rn_has_form(at, "%all links are inActive")) add_name(found, gpu);
        if (!rn_has_form(at, "Link #: <inactive>")) continue;
        snprintf(name, sizeof name, "%s link %.3s", gpu, at + strlen("Link "));
        name[strcspn(name, ":")] = '\0';
        add_name(found, name);
    }
}

void rc_find_pcie(const char *text, size_t n_bytes, rc_foreign *found) {
    char line[400], name[64];
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; rn_copy_line(&l, line, sizeof line);) {
        const char *at = line + strspn(line, " \t");
        if (!rn_has_form(at, "GPU# ")) continue;
        const long gpu = strtol(at + 3, NULL, 10);
        at += strcspn(at, " \t");
        for (long other = 0; *at != '\0'; other++, at += strcspn(at, " \t")) {
            at += strspn(at, " \t");
            if (strncmp(at, "PCIE", 4) != 0 || other < gpu) continue;
            snprintf(name, sizeof name, "GPU%ld-GPU%ld", gpu, other);
            add_name(found, name);
        }
    }
}

/* Takes a row of the matrix of nvidia-smi topo -p2p; returns how many cells it has; 0: it is none. */
static long take_peers(const char *row, rc_foreign *found) {
    static const char words[] = " X OK NS CNS GNS TNS DR U ";
    long cells = 0;
    char name[64];
    const char *at = row + 3;
    if (!rn_has_form(row, "GPU# ")) return 0;
    const long gpu = strtol(at, NULL, 10);
    for (at += strspn(at, "0123456789"); at[strspn(at, " ")] != '\0'; cells++) {
        char word[8] = " ";
        at += strspn(at, " ");
        const size_t n = strcspn(at, " ");
        if (n > 3) return 0;
        memcpy(word + 1, at, n);
        word[n + 1] = ' ';
        at += n;
        if (strstr(words, word) == NULL) return 0;
        if (strcmp(word, " OK ") == 0 || strcmp(word, " X ") == 0) continue;
        word[n + 1] = '\0';
        snprintf(name, sizeof name, "GPU%ld-GPU%ld (%s)", gpu < cells ? gpu : cells,
                 gpu < cells ? cells : gpu, word + 1);
        add_name(found, name);
    }
    return cells;
}

bool rc_find_peers(const char *text, size_t n_bytes, rc_foreign *found) {
    char line[400];
    int rows = 0, known = 0;
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; rn_copy_line(&l, line, sizeof line);) {
        for (char *at = line; *at != '\0'; at++) *at = *at == '\t' ? ' ' : *at;
        const char *row = line + strspn(line, " ");
        if (!rn_has_form(row, "GPU# ") || rn_has_form(row, "GPU#%GPU#")) continue;
        const long cells = take_peers(row, found);
        if (rows++ == 0) found->line = l.number;
        known += cells > 1;
    }
    return rows > 1 && known == rows;
}
