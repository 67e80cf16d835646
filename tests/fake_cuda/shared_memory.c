/* shared_memory.c: what the threads of a block share. See inside.h.
 *
 *     barrier | thread 0 writes unit 5 | thread 3 reads unit 5: a race | barrier | it may read now
 *
 *   - Threads take turns here, in an order that the seed makes: a barrier that is missing gives wrong
 *     numbers only sometimes. So each unit of 4 bytes remembers who wrote and who read it since the last
 *     barrier, and two threads that meet there, one of them writing, end the kernel.
 *   - So does a thread that reads what nobody has written. New memory is full of ones.
 *   - A block has one array.
 */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

enum { UNIT = 4, MANY = -2, NEW_BYTE = 0xff, MOST_BYTES = 48 << 10 };

typedef struct mark { /* of a unit; a moment counts the block's barriers, from 1 */
    unsigned int written, read;
    int writer, reader; /* at that moment */
} mark;

void *emu_room_take(emu_room *room, size_t n) {
    if (n > MOST_BYTES || (room->memory != NULL && room->n != n)) return NULL;
    if (room->memory != NULL) return room->memory;
    const size_t n_units = (n + UNIT - 1) / UNIT;
    void *memory = NULL;
    room->marks = calloc(n_units + 1, sizeof *room->marks);
    if (room->marks == NULL || posix_memalign(&memory, 256, n + 1) != 0) abort();
    memset(memory, NEW_BYTE, n);
    room->memory = memory;
    room->n = n;
    return memory;
}

void emu_room_give(emu_room *room) {
    free(room->memory);
    free(room->marks);
}

static const char *unit_fault(mark *m, unsigned int moment, int thread, bool writes) {
    const bool others_wrote = m->written == moment && m->writer != thread;
    const bool others_read = m->read == moment && m->reader != thread;
    if (others_wrote && writes) return "two threads write shared memory, no barrier in between";
    if (others_wrote) return "shared memory is read, no barrier after another thread wrote it";
    if (others_read && writes) return "shared memory is written, no barrier after others read it";
    if (!writes && m->written == 0) return "shared memory is read that nobody has written";
    if (writes) {
        m->written = moment;
        m->writer = thread;
    } else {
        m->reader = m->read == moment && m->reader != thread ? MANY : thread;
        m->read = moment;
    }
    return NULL;
}

const char *emu_room_fault(emu_room *room, const void *at, size_t n, int thread, bool writes) {
    const size_t first = (size_t)((const char *)at - room->memory);
    if (room->memory == NULL || first > room->n || n > room->n - first) {
        return "an access beside the block's shared memory";
    }
    const unsigned int moment = room->n_barriers + 1;
    if (writes) room->many.n = 0;
    if (!writes && room->many.first == first && room->many.n == n && room->many.moment == moment) {
        return NULL;
    }
    bool many = !writes;
    for (size_t unit = first / UNIT; unit < (first + n + UNIT - 1) / UNIT; unit++) {
        mark *m = &room->marks[unit];
        const char *why = unit_fault(m, moment, thread, writes);
        if (why != NULL) return why;
        many = many && m->reader == MANY && m->written != moment;
    }
    if (many) room->many = (emu_read){first, n, moment};
    return NULL;
}
