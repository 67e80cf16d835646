/* language.c: which language to speak, and where its catalogue lies.
 *
 * --lang decides, then LANGUAGE, LC_ALL, LC_MESSAGES and LANG. The catalogue is looked for beside the
 * program (a build tree that was never installed), then where the program was installed to.
 */
#include "cli.h"

#include <limits.h>
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

static const char *from_environment(void) {
    const char *all = getenv("LC_ALL"), *messages = getenv("LC_MESSAGES"), *lang = getenv("LANG");
    const char *list = getenv("LANGUAGE");
    return rv_pick_language(list != NULL && *list != '\0' ? list : all, messages, lang);
}

bool rc_choose_language(const char *program, const char *wanted) {
    const char *language = wanted != NULL ? wanted : from_environment();
    if (strcmp(language, "en") == 0) return true;
    static const char *const places[] = {"build/locale", "locale", "../share/locale"};
    enum { N_PLACES = 3, LONGEST = 20 };
    char folder[PATH_MAX], paths[N_PLACES][PATH_MAX + LONGEST];
    const char *dirs[N_PLACES + 2] = {NULL};
    int n = 0;
    if (program_folder(program, folder)) {
        for (; n < N_PLACES; n++) {
            snprintf(paths[n], sizeof paths[n], "%s/%s", folder, places[n]);
            dirs[n] = paths[n];
        }
    }
#ifdef RINGSIM_LOCALEDIR
    dirs[n] = RINGSIM_LOCALEDIR;
#endif
    return rv_set_language(language, dirs) || wanted == NULL;
}
