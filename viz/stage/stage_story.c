/* stage_story.c: a story on the stage: the moment that is told, the play head, the keys.
 *
 * The playback is the same as that of a run; only what is asked about, broken or changed is not there.
 */
#include "stage/stage_frame.h"
#include "text/say.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void forget(rv_stage *stage) {
    if (stage->frames != NULL) rv_frame_cache_free(&stage->frames->frames);
    free(stage->frames);
    stage->frames = NULL;
}

rs_status rv_stage_tell(rv_stage *stage, const rv_story *story, rs_error *error) {
    forget(stage);
    if (story == NULL) return RS_OK;
    stage->frames = calloc(1, sizeof *stage->frames);
    if (stage->frames == NULL) return rs_fail(error, RS_NO_MEMORY, "no memory for a story");
    rv_frame_cache_start(&stage->frames->frames, story);
    stage->what_if->setup.fixed = true;
    return RS_OK;
}

const rv_frame *rv_stage_frame(const rv_stage *stage) {
    if (stage->frames == NULL) return NULL;
    return rv_frame_cache_at(&stage->frames->frames, stage->what_if->model->step,
                             stage->playback.rank);
}

const rv_survey *rv_stage_survey(const rv_stage *stage) {
    struct rv_stage_story *t = stage->frames;
    if (strcmp(t->language, rv_language()) == 0) return &t->survey;
    snprintf(t->language, sizeof t->language, "%s", rv_language());
    rv_survey_story(stage->playback.story, stage->playback.rank, &t->survey);
    return &t->survey;
}

const char *rv_story_hint(const rv_stage *stage, int32_t step) {
    struct rv_stage_story *t = stage->frames;
    const rv_survey *survey = rv_stage_survey(stage);
    const char *name = "";
    for (int32_t i = 0; i < survey->n_phases; i++) {
        if (survey->first[i] <= step) name = survey->names[i];
    }
    rv_say say = rv_say_to(t->hint, sizeof t->hint);
    rv_say_more(&say, _("step %d"), (int)step);
    if (name[0] != '\0') rv_say_more(&say, _(": %s"), name);
    return t->hint;
}

int64_t rv_story_now_ps(const rv_stage *stage) {
    const rv_frame *frame = rv_stage_frame(stage);
    if (frame == NULL || frame->now_ps < 0) return -1;
    const int64_t before_ps = stage->frames->frames.before_ps;
    if (before_ps < 0) return frame->now_ps;
    const double way = (double)(frame->now_ps - before_ps);
    return before_ps + (int64_t)llround(way * fmin(1, stage->progress));
}

bool rv_story_takes(rv_stage *stage, int32_t *key, rv_action *action) {
    if (stage->frames == NULL || *action == RV_NO_ACTION || rv_is_story_key(*action)) return true;
    const rv_action meant = rv_story_action(*action);
    if (meant == RV_NO_ACTION) {
        const rv_key_row row = rv_key_row_of(*action);
        snprintf(stage->playback.message, sizeof stage->playback.message,
                 _("%s is for a collective: run, compare; this is a story without one"),
                 row.action != RV_NO_ACTION ? _(row.names) : "");
        stage->playback.reply = RV_NO_REPLY;
        return false;
    }
    *action = meant;
    *key = rv_key_row_of(meant).keys[0];
    return true;
}

/* ------------------------------------------------------------------------------------- colours */

rv_colour rv_tone_ink(const rv_look *look, rv_tone tone) {
    switch (tone) {
    case RV_TONE_QUIET: return rv_mix(look->quiet, look->panel, 0.25);
    case RV_TONE_LEAVES: return look->dark ? 0xF0A3CFFF : 0x96356EFF;
    case RV_TONE_NEW: return look->accent;
    case RV_TONE_ADDED: return look->warn;
    case RV_TONE_GOOD: return look->good;
    case RV_TONE_BAD: return look->bad;
    case RV_TONE_PLAIN:
    case RV_N_TONES: break;
    }
    return look->ink;
}

rv_colour rv_tone_fill(const rv_look *look, rv_tone tone) {
    switch (tone) {
    case RV_TONE_QUIET: return rv_mix(look->panel, look->quiet, 0.16);
    case RV_TONE_LEAVES: return 0xCC79A7FF;
    case RV_TONE_NEW: return 0x56B4E9FF;
    case RV_TONE_ADDED: return 0xE69F00FF;
    case RV_TONE_GOOD: return look->dark ? 0x3FB984FF : 0x2E9E6EFF;
    case RV_TONE_BAD: return look->dark ? 0xE0604FFF : 0xC4453BFF;
    case RV_TONE_PLAIN:
    case RV_N_TONES: break;
    }
    return look->dark ? 0x7F8CA3FF : 0x8797B3FF;
}

rv_colour rv_ink_upon(rv_colour fill) {
    const double light = 0.299 * (double)(fill >> 24) + 0.587 * (double)(fill >> 16 & 0xFF) +
                         0.114 * (double)(fill >> 8 & 0xFF);
    return light > 118 ? 0x000000FF : 0xFFFFFFFF;
}
