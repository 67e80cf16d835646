/* folders.c: where the program's own files lie: modules, catalogues, lessons, tables of layers, the page.
 *
 *     ~/ringsim/ringsim         + "build/locale"      beside a program that was never installed
 *     /opt/bin/ringsim          + "../share/locale"   wherever the installed tree was moved to
 *     /usr/local/share/locale                         where it was installed to
 */
#include "config.h"
#include "base/files.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
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

/* In the order of bytes: no locale changes it. */
static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_shown(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

int rc_list_folder(const char *folder, rs_arena *arena, char ***names) {
    struct dirent **entries;
    const int n = scandir(folder, &entries, is_shown, by_name);
    if (n < 0 && errno == ENOMEM) arena->lacked = true;
    if (n < 0) return -1;
    *names = rs_alloc(arena, (size_t)n + 1, sizeof **names);
    bool whole = *names != NULL;
    for (int i = 0; i < n; i++) {
        const size_t n_bytes = strlen(entries[i]->d_name) + 1;
        char *name = whole ? rs_alloc(arena, n_bytes, 1) : NULL;
        whole = name != NULL;
        if (whole) (*names)[i] = memcpy(name, entries[i]->d_name, n_bytes);
        free(entries[i]);
    }
    free(entries);
    errno = ENOMEM;
    return whole ? n : -1;
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
