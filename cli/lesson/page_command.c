/* page_command.c: a page's command, to be run before the reader's eyes: its words, and those as options.
 *
 *     --gpus 5 --save five.sched --json | grep x  -->  --gpus 5  -->  run, its options
 *     sampler --shuffle --at 2                                   -->  sampler, its options
 */
#include "lesson/shelf.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
        at += quote != '\0' ? strcspn(at, (char[]){quote, '\0'}) : strcspn(at, " |>&;");
        const char end = *at;
        *at = '\0';
        words[n++] = word;
        if (end == '\0' || (quote == '\0' && end != ' ')) break;
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

/* ------------------------------------------------------------------ as options */

static bool is_shown(const rc_command *command) {
    return command != NULL && command->subject != NULL;
}

bool rc_is_scene(const char *command) {
    char text[RC_SCENE_BYTES], *words[1];
    snprintf(text, sizeof text, "%s", command);
    return rc_scene_words(text, words, 1) == 0 || words[0][0] == '-' ||
           is_shown(rc_find_command(words[0]));
}

bool rc_read_scene(const rc_session *session, const char *command, rs_error *error,
                   rc_scene *scene) {
    static char program[] = "ringsim";
    char **words = scene->words;
    snprintf(scene->text, sizeof scene->text, "%s", command);
    words[0] = program;
    int n = 1 + rc_scene_words(scene->text, words + 1, RC_SCENE_WORDS);
    const bool named = n > 1 && words[1][0] != '-';
    scene->command = rc_find_command(named ? words[1] : "run");
    if (!is_shown(scene->command)) return false;
    if (named) memmove(words + 1, words + 2, (size_t)(--n - 1) * sizeof *words);
    words[n] = NULL;
    scene->session = *session;
    scene->session.error = error;
    return rc_options_parse(n, words, scene->command, session->arena, error,
                            &scene->session.options) == RC_GOOD;
}

void rc_name_run(const rc_scene *read, int lesson, char *out, size_t n_out) {
    size_t used = 0;
    snprintf(out, n_out, "%d: %s", lesson, read->command->name);
    for (int i = 0; i < RC_N_VALUES; i++) {
        const char *typed = read->session.options.value[i].text;
        const bool look =
            i == RC_AT || i == RC_MOMENT || i == RC_FOLLOW || i == RC_SHOW || i == RC_PREDICT;
        if (typed == NULL || look) continue;
        used = strlen(out);
        snprintf(out + used, n_out - used, " %d=%s", i, typed);
    }
    for (int i = 0; i < read->session.options.n_repeated; i++) {
        const rc_repeated *one = &read->session.options.repeated[i];
        used = strlen(out);
        snprintf(out + used, n_out - used, " %d=%s", (int)one->id, one->value.text);
    }
    for (int i = 0; i < read->session.options.n_operands; i++) {
        used = strlen(out);
        snprintf(out + used, n_out - used, " %s", read->session.options.operands[i]);
    }
}

/* ------------------------------------------------------------------ in the lesson's folder */

/* Goes to a folder; returns the way back, -1: one cannot go there. */
static int enter_folder(const char *folder) {
    const int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (here >= 0 && chdir(folder) == 0) return here;
    if (here >= 0) close(here);
    return -1;
}

static bool leave_folder(int here) {
    const bool left = fchdir(here) == 0;
    close(here);
    return left;
}

bool rc_run_scene(rc_scene *scene, const char *folder, rv_subject *subject) {
    const int here = enter_folder(folder);
    if (here < 0) return false;
    const bool good = scene->command->subject(&scene->session, subject) == RC_GOOD;
    return leave_folder(here) && good;
}
