/* stage_story.c: a story on the stage: its frame and survey for the views, and its tones'
   colours. */
#include "stage/stage_frame.h"

const rv_story *rv_stage_story(const rv_stage *stage) {
    return rv_story_of(&stage->playback.subject);
}

const rv_frame *rv_stage_frame(const rv_stage *stage) {
    return rv_frame_of(&stage->playback.subject, stage->playback.rank);
}

const rv_survey *rv_stage_survey(const rv_stage *stage) {
    return rv_survey_of(&stage->playback.subject, stage->playback.rank);
}

/* ------------------------------------------------------------------------------------- colours */

rv_colour rv_tone_ink(const rv_look *look, rv_tone tone) {
    switch (tone) {
    case RV_TONE_QUIET: return rv_mix(look->quiet, look->panel, 0.1);
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
