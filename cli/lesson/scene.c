/* scene.c: a page's command as words, to be run before the reader's eyes.
 *
 *     --gpus 5 --save five.sched --json | grep x  -->  --gpus 5
 */
#include "lesson/shelf.h"

#include <string.h>

/* Cuts a command as it stands in a lesson into words: up to a pipe or a redirection, quotes kept
   together. What only writes files or JSON is left out: the reader wants to see it. */
static int cut_words(char *text, char *words[], int most) {
    int n = 0;
    char *at = text;
    while (n < most) {
        at += strspn(at, " ");
        if (*at == '\0' || strchr("|>&;", *at) != NULL) break;
        const char quote = *at == '"' || *at == '\'' ? *at : '\0';
        char *word = quote != '\0' ? ++at : at;
        at += quote != '\0' ? strcspn(at, (char[]){quote, '\0'}) : strcspn(at, " ");
        const bool last = *at == '\0';
        *at = '\0';
        words[n++] = word;
        if (last) break;
        at++;
    }
    return n;
}

static int keep_seen(char *words[], int n) {
    static const char *const with_text[] = {"--view",   "--save", "--trace",
                                            "--export", "--gift", NULL};
    int kept = 0;
    for (int i = 0; i < n; i++) {
        bool skip = strcmp(words[i], "--json") == 0 || strcmp(words[i], "--step") == 0;
        for (int k = 0; with_text[k] != NULL; k++) {
            if (strcmp(words[i], with_text[k]) == 0) {
                skip = true;
                i++;
                break;
            }
        }
        if (!skip) words[kept++] = words[i];
    }
    return kept;
}

int rc_scene_words(char *text, char *words[], int most) {
    return keep_seen(words, cut_words(text, words, most));
}
