/* lang.c: the reader's language, and its texts. */
#include "ringsim_viz.h"
#include "text/catalogue.h"

#include <stdio.h>
#include <string.h>

static const char *language_now = "en";

const char *rv_pick_language(const char *lc_all, const char *lc_messages, const char *lang) {
    const char *name = lc_all;
    if (name == NULL || *name == '\0') name = lc_messages;
    if (name == NULL || *name == '\0') name = lang;
    if (name == NULL) return "en";
    const bool chinese = strncmp(name, "zh_CN", 5) == 0 || strncmp(name, "zh_SG", 5) == 0 ||
                         strcmp(name, "zh") == 0 || strncmp(name, "zh.", 3) == 0 ||
                         strncmp(name, "zh_Hans", 7) == 0;
    return chinese ? "zh_CN" : "en";
}

bool rv_set_language(const char *language, const char *const locale_dirs[]) {
    rv_drop_catalogue();
    language_now = "en";
    if (strcmp(language, "en") == 0) return true;
    if (strcmp(language, "zh_CN") != 0) return false;
    for (int i = 0; locale_dirs != NULL && locale_dirs[i] != NULL; i++) {
        char path[4096];
        const int length =
            snprintf(path, sizeof path, "%s/zh_CN/LC_MESSAGES/ringsim.mo", locale_dirs[i]);
        if (length < 0 || (size_t)length >= sizeof path || !rv_load_catalogue(path)) continue;
        language_now = "zh_CN";
        return true;
    }
    return false;
}

const char *rv_language(void) {
    return language_now;
}

const char *rv_gettext(const char *text) {
    const char *found = rv_find_translation(text);
    return found != NULL ? found : text;
}

const char *rv_ngettext(const char *one, const char *many, int64_t n) {
    const char *found = rv_find_translation(one);
    if (found != NULL) return found;
    return n == 1 ? one : many;
}
