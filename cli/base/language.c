/* language.c: which language to speak, and where its catalogue lies.
 *
 * --lang decides, then LANGUAGE, LC_ALL, LC_MESSAGES and LANG. The catalogue is looked for beside the
 * program (a build tree that was never installed), then where the program was installed to.
 */
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static const char *from_environment(void) {
    const char *all = getenv("LC_ALL"), *messages = getenv("LC_MESSAGES"), *lang = getenv("LANG");
    const char *list = getenv("LANGUAGE");
    return rv_pick_language(list != NULL && *list != '\0' ? list : all, messages, lang);
}

bool rc_choose_language(const char *program, const char *wanted) {
    const char *language = wanted != NULL ? wanted : from_environment();
    if (strcmp(language, "en") == 0) return true;
    rc_folders folders;
    rc_find_folders(program, RC_CATALOGUES, &folders);
    return rv_set_language(language, folders.list) || wanted == NULL;
}
