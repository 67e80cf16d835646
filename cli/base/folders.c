/* folders.c: where the program's own files lie: modules, catalogues, lessons, tables of layers, the page.
 *
 *     ~/ringsim/ringsim         + "build/locale"      beside a program that was never installed
 *     /opt/bin/ringsim          + "../share/locale"   wherever the installed tree was moved to
 *     /usr/local/share/locale                         where it was installed to
 */
#include "config.h"
#include "base/files.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *near[RC_MOST_NEAR], *installed;
} places[RC_N_KEPT] = {
    [RC_MODULES] = {{"build", ".", "../lib/ringsim"}, RINGSIM_MODULEDIR},
    [RC_CATALOGUES] = {{"build/locale", "locale", "../share/locale"}, RINGSIM_LOCALEDIR},
    [RC_LESSONS] = {{"lessons", "../../lessons", "../share/ringsim/lessons"}, RINGSIM_LESSONDIR},
    [RC_ASSETS] = {{"assets", "../../assets", "../share/ringsim/assets"}, RINGSIM_ASSETDIR},
    [RC_PAGES] = {{"build", ".", "../share/ringsim"}, RINGSIM_ASSETDIR "/.."},
};

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

void rc_find_folders(const char *program, rc_kept what, rc_folders *found) {
    char folder[PATH_MAX];
    int n = 0;
    assert(what < RC_N_KEPT);
    if (program_folder(program, folder)) {
        for (; n < RC_MOST_NEAR; n++) {
            snprintf(found->text[n], sizeof found->text[n], "%s/%.30s", folder,
                     places[what].near[n]);
            found->list[n] = found->text[n];
        }
    }
    found->list[n] = places[what].installed;
    found->list[n + 1] = NULL;
}

bool rc_in_path(const char *program) {
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        char file[1024];
        const size_t length = strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)length, path, program);
        if (access(file, X_OK) == 0) return true;
        path += length + (path[length] == ':');
    }
    return false;
}
