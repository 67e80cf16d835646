/* made_times.c: how long ranks work between their calls, and what their clocks and watchdogs make of it.
 *
 *   - Work differs by a tenth from call to call; a slow rank's is some times as long, or longer before one call.
 *   - Clocks are seconds apart. That a call is over is seen at the watchdog's next look.
 *   - All of it is drawn from the seed beside the job's own draws.
 */
#include "hangs/made_parts.h"

/* splitmix64 of the seed and three numbers */
uint64_t made_hash(const made_job *j, uint64_t a, uint64_t b, uint64_t c) {
    uint64_t z = j->wish.seed * 0x9e3779b97f4a7c15 + a * 0xd1342543de82ef95 +
                 b * 0xaf251af3b0f025b5 + c * 0x9fb21c651e98df25;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

void made_set_times(made_job *j) {
    j->timed = made_hash(j, 1, 0, 0) % 3 == 0;
    j->status = made_hash(j, 2, 0, 0) % 2 == 0;
    j->poll_ns = made_hash(j, 3, 0, 0) % 3 == 0 ? 100000000 : 1000000;
    j->work_ns = made_hash(j, 4, 0, 0) % 3 == 0 ? 30000000 : 1000000;
    j->slow_once = made_hash(j, 5, 0, 0) % 3 == 0;
}

int64_t made_work_ns(const made_job *j, int32_t rank, int32_t at) {
    const made_call *c = &j->ranks[rank].calls[at];
    int64_t work = j->work_ns * (1 + c->line % 3);
    work += work / 10 * (int64_t)(made_hash(j, 6, (uint64_t)rank, (uint64_t)at) % 100) / 100;
    if (j->fault != MADE_SLOW || rank != j->culprit) return work;
    const int64_t times = 2 + (int64_t)(made_hash(j, 7, 0, 0) % 3);
    if (j->slow_once) return c->line == 120 ? work + 20 * times * j->work_ns : work;
    return work * times;
}

int64_t made_clock_ns(const made_job *j, int32_t rank) {
    return (int64_t)(made_hash(j, 8, (uint64_t)rank, 0) % 5000000000);
}

int64_t made_seen_ns(const made_job *j, int32_t rank, int64_t end_ns) {
    const int64_t phase = (int64_t)(made_hash(j, 9, (uint64_t)rank, 0) % (uint64_t)j->poll_ns);
    return (end_ns + phase) / j->poll_ns * j->poll_ns + j->poll_ns - phase;
}
