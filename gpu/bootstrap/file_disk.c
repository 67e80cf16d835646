/* file_disk.c: see file_bootstrap.h. */
#include "bootstrap/file_bootstrap.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ locks */

static const off_t file_lock = 0, life_locks = (off_t)1 << 40;

static struct flock lock_of(short type, off_t place) {
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
}

rs_status rg_disk_fail(const rg_bootstrap *m, const char *what, rs_error *error) {
    return rs_fail(error, RS_BAD_INPUT, "%s: cannot %s: %s", m->place, what, strerror(errno));
}

rs_status rg_disk_lock(rg_bootstrap *m, short type, int64_t deadline_ps, rs_error *error) {
    const rg_file_store *s = m->own;
    /* Others hold it for a moment each: who looks once more when all is over waits for that moment, too. */
    const int64_t least_ps = rg_now_ps() + RG_LINGER_MS * (int64_t)1000000000;
    if (deadline_ps < least_ps) deadline_ps = least_ps;
    for (;;) {
        struct flock lock = lock_of(type, file_lock);
        if (fcntl(s->fd, F_SETLK, &lock) == 0) return RS_OK;
        if (errno != EAGAIN && errno != EACCES && errno != EINTR) {
            return rg_disk_fail(m, "lock it", error);
        }
        if (rg_now_ps() > deadline_ps) break;
        rg_nap_ms(RG_FIRST_NAP_MS);
    }
    struct flock held = lock_of(type, file_lock);
    const bool known = fcntl(s->fd, F_GETLK, &held) == 0 && held.l_type != F_UNLCK;
    return rs_fail(error, RS_UNSUPPORTED,
                   "%s stays locked for %g s, by process %ld: is it stopped?", m->place,
                   m->timeout_ms / 1000.0, known ? (long)held.l_pid : 0L);
}

void rg_disk_unlock(const rg_file_store *s) {
    struct flock lock = lock_of(F_UNLCK, file_lock);
    fcntl(s->fd, F_SETLK, &lock);
}

bool rg_disk_lives(const rg_file_store *s, int32_t rank) {
    struct flock lock = lock_of(F_WRLCK, life_locks + rank);
    return fcntl(s->fd, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

bool rg_disk_claim(const rg_file_store *s, int32_t rank) {
    struct flock lock = lock_of(F_WRLCK, life_locks + rank);
    return fcntl(s->fd, F_SETLK, &lock) == 0;
}

/* ------------------------------------------------------------------ reading and writing */

bool rg_disk_write(int fd, const void *bytes, size_t n, int64_t at) {
    assert(at >= 0);
    for (size_t done = 0; done < n;) {
        const ssize_t w = pwrite(fd, (const char *)bytes + done, n - done, (off_t)at + (off_t)done);
        if (w > 0) done += (size_t)w;
        if (w == 0) errno = ENOSPC;
        if (w == 0 || (w < 0 && errno != EINTR)) return false;
    }
    return true;
}

bool rg_disk_read(int fd, void *bytes, size_t n, int64_t at) {
    assert(at >= 0);
    for (size_t done = 0; done < n;) {
        const ssize_t r = pread(fd, (char *)bytes + done, n - done, (off_t)at + (off_t)done);
        if (r > 0) done += (size_t)r;
        if (r == 0) errno = EIO;
        if (r == 0 || (r < 0 && errno != EINTR)) return false;
    }
    return true;
}

int64_t rg_slot_at(int64_t rank) {
    assert(rank >= 0);
    return (int64_t)sizeof(rg_file_head) + rank * (int64_t)sizeof(rg_slot);
}

bool rg_slot_write(const rg_bootstrap *m) {
    const rg_file_store *s = m->own;
    return rg_disk_write(s->fd, &s->slots[m->rank], sizeof(rg_slot), rg_slot_at(m->rank));
}

bool rg_slots_read(const rg_bootstrap *m) {
    rg_file_store *s = m->own;
    return rg_disk_read(s->fd, &s->head, sizeof s->head, 0) &&
           rg_disk_read(s->fd, s->slots, (size_t)m->n_ranks * sizeof(rg_slot), rg_slot_at(0));
}
