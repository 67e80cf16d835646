/* pairing.c: what a second run on the stage is to the first: a row a kind.
 *
 *     alone     there is none
 *     forked    the first as it was before the reader changed it; it stays so
 *     raced     another algorithm with the same settings, also with those that the reader changes
 *     beside    another recorded run
 */
#include "stage/stage.h"
#include "text/say.h"
#include "text/words.h"

#include <string.h>

/* ------------------------------------------------------------------ forked */

static void say_fork(const rv_stage *stage, rv_say *say) {
    (void)stage;
    rv_say_more(say, "%s", _("fork"));
}

static const char *now_or_before(const rv_stage *stage, const rv_model *model) {
    return model == stage->what_if->model ? _("now") : _("before");
}

/* ------------------------------------------------------------------ raced */

static void say_race(const rv_stage *stage, rv_say *say) {
    rv_say_more(say, _("race against %s"), stage->other->model->schedule->name);
}

static const char *algorithm(const rv_stage *stage, const rv_model *model) {
    (void)stage;
    return rv_algorithm_word(model->schedule->name);
}

/* ------------------------------------------------------------------ beside */

static void say_beside(const rv_stage *stage, rv_say *say) {
    (void)stage;
    rv_say_more(say, "%s", _("beside another"));
}

/* Returns the word that tells one of two recordings from the other. */
static const char *origin_or_place(const rv_stage *stage, const rv_model *model) {
    const rv_model *main = stage->what_if->model, *other = stage->other->model;
    if (main->report->recording->measured != other->report->recording->measured) {
        return model->report->recording->measured ? _("measured") : _("simulated");
    }
    if (strcmp(main->schedule->name, other->schedule->name) == 0) {
        return model == main ? _("first") : _("second");
    }
    return rv_algorithm_word(model->schedule->name);
}

const rv_pairing rv_alone = {.races = false};
const rv_pairing rv_forked = {.say = say_fork, .name = now_or_before};
const rv_pairing rv_raced = {.races = true, .say = say_race, .name = algorithm};
const rv_pairing rv_beside = {.races = true, .say = say_beside, .name = origin_or_place};
