/* folders.c: where the program's own files lie: catalogues and modules.
 *
 *     ~/ringsim/ringsim         + "build/locale"      beside a program that was never installed
 *     /opt/bin/ringsim          + "../share/locale"   wherever the installed tree was moved to
 *     /usr/local/share/locale                         where it was installed to
 */
#include "base/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes the folder that the program lies in; false: nobody knows. */
static bool program_folder(const char *program, char out[PATH_MAX]) {
    const ssize_t n = readlink("/proc/self/exe", out, PATH_MAX - 1);
    if (n > 0) {
        out[n] = '\0';
    } else if (strchr(program, '/') == NULL || realpath(program, out) == NULL) {
        return false;
    }
    char *slash = strrchr(out, '/');
    if (slash == NULL) return false;
    *slash = '\0';
    return true;
}

void rc_find_folders(const char *program, const char *const near[], const char *installed,
                     rc_folders *found) {
    char folder[PATH_MAX];
    int n = 0;
    if (program_folder(program, folder)) {
        for (; n < RC_MOST_NEAR && near[n] != NULL; n++) {
            snprintf(found->text[n], sizeof found->text[n], "%s/%.30s", folder, near[n]);
            found->list[n] = found->text[n];
        }
    }
    found->list[n] = installed;
    found->list[n + (installed != NULL)] = NULL;
}
