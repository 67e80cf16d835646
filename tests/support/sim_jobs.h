/* sim_jobs.h: schedules, jobs and random numbers that the engines' tests share. */
#pragma once

#include "ringsim.h"

/* Returns the schedule or fails the test. */
rs_schedule sim_schedule(const char *algorithm, int32_t n_ranks, int64_t count);
/* Compiles `n_transfers` of list to a schedule; step_of[i] ascends. */
rs_schedule sim_list(int32_t n_ranks, int32_t n_chunks, const rs_transfer list[],
                     const int32_t step_of[], int64_t n_transfers, rs_arena *arena);
/* 5 us and 20 GB/s, elements of 4 bytes, rendezvous. */
rs_job sim_job(const rs_schedule *schedule, int64_t count);
/* Runs the job or fails the test; the trace, sorted, goes to *trace unless that is NULL. */
rs_outcome sim_run(const rs_job *job, rs_arena *arena, rs_trace **trace);
/* A generator of our own, so that every machine tests the same cases. */
uint64_t sim_random(uint64_t *state);
/* Returns a number in low..high. */
int64_t sim_between(uint64_t *state, int64_t low, int64_t high);
/* Gives every ordered pair of ranks its own link: N(N-1) overrides. */
void sim_vary_links(uint64_t *state, rs_job *job, rs_arena *arena);
