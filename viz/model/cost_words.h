/* cost_words.h: what a run has cost, in words: time and what it went into, bytes, the lower bound. Window
 * and terminal say the same. Pure.
 */
#pragma once

#include "model/playback.h"
#include "text/say.h"

/* Writes "latency 10 us + transfer 2 ms", with addition and waiting where there are any. */
size_t rv_split_text(const rs_time_split *split, char *out, size_t n_out);
/* Tells whether the run is compared with its rival at this moment: at the start, if the times of
   both are known. Says how they compare: the times, also what their busiest GPUs send, also why that takes so long. */
typedef enum rv_race_words { RV_RACE_TIMES, RV_RACE_SENT, RV_RACE_WHY } rv_race_words;
bool rv_races(const rv_model *model);
size_t rv_race_text(const rv_model *model, const rv_cost *rival, rv_race_words words, char *out,
                    size_t n_out);
/* Returns the GPU whose bytes rv_bytes_text names: the followed one; but if the GPU that has sent
   most has sent too much, that one. */
int32_t rv_named_sender(const rv_playback *playback);
size_t rv_bytes_text(const rv_playback *playback, char *out, size_t n_out);
/* Says how near the whole run comes to the lower bounds; at the end says its rates. */
size_t rv_run_text(const rv_model *model, char *out, size_t n_out);
/* If no GPU sends as much as any all-reduce must, says so and returns true: a share of the bound
   would mean nothing then. */
bool rv_say_too_little(rv_say *say, const rv_model *model);
