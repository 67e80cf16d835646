/* file_bootstrap.c: a file on a shared disk as the store; it needs no network.
 *
 *     | head: magic, version, ranks; why it is over | slot of rank 0 | slot 1 | ... | data ...
 *
 *     exchange i:   every rank writes its bytes to its part of the data, then i into its slot;
 *                   when all slots say i, it reads all parts
 *
 *   - A rank holds the file's lock for writing while it changes head or slots, and for reading while it
 *     looks at them. (On a network file system the lock also makes the others' writes visible.)
 *   - While a rank lives it holds a lock of its own, far behind the file's end. The system releases it
 *     when the process dies: so the others notice, and a file whose ranks hold no lock is stale.
 *   - The data of an exchange never lie where those of the last one do: a rank may still read those.
 *     No rank is two exchanges ahead, because each exchange waits for all.
 *   - A rank writes only to an empty file, or to one of ours; the last rank to leave removes it.
 */
#include "config.h"
#include "bootstrap/file_bootstrap.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ------------------------------------------------------------------ see file_bootstrap.h */

/* ------------------------------------------------------------------ locks */

static const off_t file_lock = 0, life_locks = (off_t)1 << 40;

static struct flock lock_of(short type, off_t place) {
    return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = place, .l_len = 1};
}

/* Fails with what this rank could not do, and errno. */
static rs_status rg_disk_fail(const rg_bootstrap *m, const char *what, rs_error *error) {
    return rs_fail_word(error, RS_BAD_INPUT, 2, "%s: cannot %s: %s", m->place, what,
                        strerror(errno));
}

/* Takes the file's lock, F_RDLCK or F_WRLCK; the error names the process that holds it too long. */
static rs_status rg_disk_lock(rg_bootstrap *m, short type, int64_t deadline_ps, rs_error *error) {
    const rg_file_store *s = m->own;
    /* Others hold it for a moment each: who looks once more when all is over waits for that moment, too. */
    const int64_t least_ps = rg_now_ps() + RG_LINGER_MS * RG_MS_PS;
    if (deadline_ps < least_ps) deadline_ps = least_ps;
    for (;;) {
        struct flock lock = lock_of(type, file_lock);
        if (fcntl(s->fd, F_SETLK, &lock) == 0) return RS_OK;
        if (errno != EAGAIN && errno != EACCES && errno != EINTR) {
            return rg_disk_fail(m, "lock it", error);
        }
        if (rg_now_ps() > deadline_ps) break;
        rg_nap_us(1000 * RG_FIRST_NAP_MS);
    }
    struct flock held = lock_of(type, file_lock);
    const bool known = fcntl(s->fd, F_GETLK, &held) == 0 && held.l_type != F_UNLCK;
    return rs_fail(error, RS_UNSUPPORTED,
                   "%s stays locked for %g s, by process %ld: is it stopped?", m->place,
                   m->timeout_ms / 1000.0, known ? (long)held.l_pid : 0L);
}

static void rg_disk_unlock(const rg_file_store *s) {
    struct flock lock = lock_of(F_UNLCK, file_lock);
    fcntl(s->fd, F_SETLK, &lock);
}

/* Tells whether that rank lives, in another process (never true of our own); true where nobody can say. */
static bool rg_disk_lives(const rg_file_store *s, int32_t rank) {
    struct flock lock = lock_of(F_WRLCK, life_locks + rank);
    return fcntl(s->fd, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

/* Marks this rank as alive, for as long as the process lives and keeps the file open. */
static bool rg_disk_claim(const rg_file_store *s, int32_t rank) {
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

static int64_t rg_slot_at(int64_t rank) {
    assert(rank >= 0);
    return (int64_t)sizeof(rg_file_head) + rank * (int64_t)sizeof(rg_slot);
}

/* our own */
static bool rg_slot_write(const rg_bootstrap *m) {
    const rg_file_store *s = m->own;
    return rg_disk_write(s->fd, &s->slots[m->rank], sizeof(rg_slot), rg_slot_at(m->rank));
}

/* and the head */
static bool rg_slots_read(const rg_bootstrap *m) {
    rg_file_store *s = m->own;
    return rg_disk_read(s->fd, &s->head, sizeof s->head, 0) &&
           rg_disk_read(s->fd, s->slots, (size_t)m->n_ranks * sizeof(rg_slot), rg_slot_at(0));
}

static const char magic[16] = {'r', 'i', 'n', 'g', 's', 'i', 'm', ' ',
                               'm', 'e', 'e', 't', 'i', 'n', 'g', '\n'};

/* ------------------------------------------------------------------ failure */

/* Under the lock: writes for all ranks why the bootstrap failed, unless the file says so already;
   RS_OK: who was refused. */
static void write_why(const rg_bootstrap *m, rs_status status, const rs_error *error) {
    rg_file_store *s = m->own;
    if (!rg_disk_read(s->fd, &s->head, sizeof s->head, 0) || s->head.over != RS_OK) return;
    s->head.over = status;
    memcpy(s->head.why, error->text, sizeof s->head.why);
    s->head.why[sizeof s->head.why - 1] = '\0';
    rg_disk_write(s->fd, &s->head, sizeof s->head, 0);
}

static void read_why(const rg_file_head *h, rs_error *error) {
    char text[RG_WHY_TEXT];
    memcpy(text, h->why, sizeof text);
    text[sizeof text - 1] = '\0';
    rg_fail_text(text, error);
}

static rs_status fail_over(const rg_file_head *h, rs_error *error) {
    read_why(h, error);
    return h->over > RS_OK && h->over <= RS_CANCELLED ? (rs_status)h->over : RS_UNSUPPORTED;
}

/* ------------------------------------------------------------------ joining */

static rs_status open_file(rg_bootstrap *m, rs_error *error) {
    rg_file_store *s = m->own;
    struct stat about;
    s->fd = open(m->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);
    if (s->fd < 0) return rg_disk_fail(m, "open it", error);
    if (fstat(s->fd, &about) != 0) return rg_disk_fail(m, "look at it", error);
    if (S_ISREG(about.st_mode)) return RS_OK;
    return rs_fail(error, RS_BAD_INPUT, "%s is no ordinary file; name one that does not exist yet",
                   m->place);
}

/* Tells whether the open file is still the one with that name. */
static bool still_there(const rg_bootstrap *m) {
    const rg_file_store *s = m->own;
    struct stat ours, named;
    return fstat(s->fd, &ours) == 0 && stat(m->path, &named) == 0 && ours.st_ino == named.st_ino &&
           ours.st_dev == named.st_dev;
}

static rs_status write_head(rg_bootstrap *m, rs_error *error) {
    rg_file_store *s = m->own;
    s->head = (rg_file_head){
        .protocol = RG_BOOTSTRAP_PROTOCOL, .n_ranks = m->n_ranks, .began_s = time(NULL)};
    memcpy(s->head.magic, magic, sizeof magic);
    strncpy(s->head.version, RINGSIM_VERSION, sizeof s->head.version - 1);
    memcpy(s->head.token, m->token, sizeof s->head.token);
    memset(s->slots, 0, (size_t)m->n_ranks * sizeof(rg_slot));
    if (rg_disk_write(s->fd, s->slots, (size_t)m->n_ranks * sizeof(rg_slot), rg_slot_at(0)) &&
        rg_disk_write(s->fd, &s->head, sizeof s->head, 0)) {
        return RS_OK;
    }
    rg_disk_fail(m, "write to it", error);
    if (ftruncate(s->fd, 0) == 0) unlink(m->path);
    return RS_BAD_INPUT;
}

/* Reads the head, and checks that ringsim wrote it. */
static rs_status read_head(rg_bootstrap *m, int64_t size, rs_error *error) {
    rg_file_store *s = m->own;
    const bool whole = size >= (int64_t)sizeof s->head;
    if (whole && !rg_disk_read(s->fd, &s->head, sizeof s->head, 0)) {
        return rg_disk_fail(m, "read it", error);
    }
    if (!whole || memcmp(s->head.magic, magic, sizeof magic) != 0) {
        return rs_fail(
            error, RS_BAD_INPUT,
            "%s holds something else; it is left as it is, name a file that does not exist "
            "yet",
            m->place);
    }
    if (s->head.protocol == RG_BOOTSTRAP_PROTOCOL) return RS_OK;
    return rs_fail(error, RS_BAD_INPUT,
                   "%s was written by another version of ringsim; install the same everywhere, or "
                   "remove it",
                   m->place);
}

static bool anybody_lives(const rg_file_store *s) {
    const int64_t n = s->head.n_ranks < RS_MAX_RANKS ? s->head.n_ranks : RS_MAX_RANKS;
    for (int32_t r = 0; r < n; r++) {
        if (rg_disk_lives(s, r)) return true;
    }
    return false;
}

static rs_status fail_stale(const rg_bootstrap *m, rs_error *error) {
    const rg_file_store *s = m->own;
    char date[64] = "";
    struct tm local;
    const time_t began = (time_t)s->head.began_s;
    if (localtime_r(&began, &local) != NULL) strftime(date, sizeof date, " of %F %T", &local);
    return rs_fail(error, RS_BAD_INPUT,
                   "%s is stale: left by a run of %lld ranks%s, none of which lives; remove it",
                   m->place, (long long)s->head.n_ranks, date);
}

typedef enum join_try { JOINED, AGAIN, REFUSED } join_try;

/* Under the lock: takes our slot in a bootstrap that goes on. AGAIN: an earlier one is about to end. */
static join_try take_slot(rg_bootstrap *m, rs_status *status, rs_error *error) {
    rg_file_store *s = m->own;
    const bool ours = s->head.n_ranks == m->n_ranks && m->rank < m->n_ranks;
    errno = 0;
    if (ours && !rg_slots_read(m)) {
        *status = rg_disk_fail(m, "read it", error);
        return REFUSED;
    }
    if (!anybody_lives(s)) {
        *status = fail_stale(m, error);
        return REFUSED;
    }
    if (s->head.over != RS_OK) {
        *status = fail_over(&s->head, error);
        return REFUSED;
    }
    for (int32_t r = 0; ours && r < m->n_ranks; r++) {
        if (s->slots[r].presence == RG_LEFT) return AGAIN;
    }
    const bool taken = ours && s->slots[m->rank].presence == RG_THERE;
    const rg_joiner joiner = {RINGSIM_VERSION, m->token, m->n_ranks, m->rank, taken};
    *status =
        rg_check_joiner(m->place, &joiner, s->head.token, s->head.version, s->head.n_ranks, error);
    if (*status == RS_OK) return JOINED;
    write_why(m, RS_OK, error); /* for the ranks that have joined: they go on */
    return REFUSED;
}

/* Tries once to join, under the lock. */
static join_try try_to_join(rg_bootstrap *m, rs_status *status, rs_error *error) {
    rg_file_store *s = m->own;
    struct stat about;
    if (!still_there(m) || fstat(s->fd, &about) != 0) return AGAIN;
    join_try what = JOINED;
    if (about.st_size == 0 && m->rank < m->n_ranks) {
        *status = write_head(m, error);
    } else if (about.st_size == 0) {
        const rg_joiner joiner = {RINGSIM_VERSION, m->token, m->n_ranks, m->rank, false};
        *status = rg_check_joiner(m->place, &joiner, m->token, RINGSIM_VERSION, m->n_ranks, error);
        unlink(m->path);
    } else {
        *status = read_head(m, about.st_size, error);
        if (*status == RS_OK) what = take_slot(m, status, error);
    }
    if (*status != RS_OK) return REFUSED;
    if (what != JOINED) return what;
    if (!rg_disk_claim(s, m->rank)) {
        *status = rg_disk_fail(m, "lock it", error);
        return REFUSED;
    }
    s->slots[m->rank].presence = RG_THERE;
    if (!rg_slot_write(m)) *status = rg_disk_fail(m, "write to it", error);
    s->joined = true;
    return *status == RS_OK ? JOINED : REFUSED;
}

static rs_status open_store(rg_bootstrap *m, int64_t deadline_ps, rs_error *error) {
    rg_file_store *s = m->own;
    for (;;) {
        rs_status status = open_file(m, error);
        if (status == RS_OK) status = rg_disk_lock(m, F_WRLCK, deadline_ps, error);
        if (status != RS_OK) return status;
        const join_try what = try_to_join(m, &status, error);
        rg_disk_unlock(s);
        if (what != AGAIN) return status;
        close(s->fd);
        s->fd = -1;
        if (rg_now_ps() > deadline_ps) {
            return rs_fail(error, RS_UNSUPPORTED,
                           "%s is still in use by an earlier run after %g s; name another file",
                           m->place, m->timeout_ms / 1000.0);
        }
        rg_nap_us(1000 * RG_LONGEST_NAP_MS);
    }
}

/* ------------------------------------------------------------------ waiting for all */

static bool is_done(const rg_bootstrap *m, const rg_slot *one) {
    return m->n_exchanges == 0 ? one->presence != RG_AWAITED : one->n_exchanges >= m->n_exchanges;
}

/* Under the lock: looks at all slots; *all: no rank is missing. */
static rs_status look_round(rg_bootstrap *m, bool absent[], bool *all, rs_error *error) {
    rg_file_store *s = m->own;
    if (!rg_slots_read(m)) return rg_disk_fail(m, "read it", error);
    if (s->head.over != RS_OK) return fail_over(&s->head, error);
    *all = true;
    for (int32_t r = 0; r < m->n_ranks; r++) {
        const rg_slot *one = &s->slots[r];
        absent[r] = !is_done(m, one);
        *all = *all && !absent[r];
        const bool dead = one->presence == RG_THERE && r != m->rank && !rg_disk_lives(s, r);
        if (!absent[r] && m->n_exchanges > 0) continue; /* it has written its part */
        if (!dead && one->presence != RG_LEFT) continue;
        return rg_fail_gone(m, r, error);
    }
    return RS_OK;
}

static rs_status await_all(rg_bootstrap *m, int64_t deadline_ps, rs_error *error) {
    const rg_file_store *s = m->own;
    bool all = false, *absent = calloc((size_t)m->n_ranks, sizeof *absent);
    rs_status status = RS_OK;
    if (absent == NULL) return rs_no_memory(error);
    for (int nap = RG_FIRST_NAP_MS;;
         nap = nap * 2 < RG_LONGEST_NAP_MS ? nap * 2 : RG_LONGEST_NAP_MS) {
        const bool late = rg_now_ps() > deadline_ps;
        status = rg_disk_lock(m, F_RDLCK, deadline_ps, error);
        if (status == RS_OK) status = look_round(m, absent, &all, error);
        rg_disk_unlock(s);
        if (status != RS_OK || all) break;
        if (late) {
            rs_error refused;
            read_why(&s->head, &refused);
            if (s->head.why[0] != '\0') rg_note_refused(m, refused.text);
            status = rg_fail_absent(m, absent, error);
            break;
        }
        rg_nap_us(1000 * nap);
    }
    free(absent);
    return status;
}

/* Ends the bootstrap for all ranks: they read from the file why. */
static void write_failure(rg_bootstrap *m, rs_status status, const rs_error *error) {
    const rg_file_store *s = m->own;
    rs_error unused;
    if (!s->joined) return;
    if (rg_disk_lock(m, F_WRLCK, rg_now_ps() + RG_LINGER_MS * RG_MS_PS, &unused) == RS_OK) {
        write_why(m, status, error);
        rg_disk_unlock(s);
    }
}

static rs_status join(rg_bootstrap *m, int64_t deadline_ps, rs_error *error) {
    rg_file_store *s = m->own = calloc(1, sizeof *s);
    if (s != NULL) s->slots = calloc((size_t)m->n_ranks, sizeof *s->slots);
    if (s == NULL || s->slots == NULL) return rs_no_memory(error);
    rs_error why = {.text = ""};
    s->fd = -1;
    s->from = s->to = rg_slot_at(m->n_ranks);
    rs_status status = open_store(m, deadline_ps, &why);
    if (status == RS_OK) {
        status = await_all(m, deadline_ps, &why);
        if (status != RS_OK) write_failure(m, status, &why);
        if (status != RS_OK) rg_nap_us(1000 * RG_LINGER_MS); /* late ranks shall read why, too */
    }
    if (status != RS_OK && error != NULL) *error = why;
    return status;
}

/* ------------------------------------------------------------------ an exchange */

/* Returns where the data of the next exchange lie: before those of the last one if they fit, else
   behind. */
static int64_t next_place(rg_file_store *s, int32_t n_ranks, int64_t n_bytes) {
    assert(n_bytes >= 0);
    const int64_t first = rg_slot_at(n_ranks), total = n_bytes * n_ranks;
    s->from = first + total <= s->from ? first : s->to;
    s->to = s->from + total;
    return s->from;
}

static rs_status write_own(rg_bootstrap *m, const void *own, int64_t n_bytes, int64_t deadline_ps,
                           rs_error *error) {
    rg_file_store *s = m->own;
    if (!rg_disk_write(s->fd, own, (size_t)n_bytes, s->from + m->rank * n_bytes)) {
        return rg_disk_fail(m, "write to it", error);
    }
    rs_status status = rg_disk_lock(m, F_WRLCK, deadline_ps, error);
    if (status != RS_OK) return status;
    s->slots[m->rank] =
        (rg_slot){.presence = RG_THERE, .n_exchanges = m->n_exchanges, .n_bytes = n_bytes};
    if (!rg_slot_write(m)) status = rg_disk_fail(m, "write to it", error);
    rg_disk_unlock(s);
    return status;
}

/* Checks that all ranks give equally many bytes. A rank that is ahead, with its slot at another
   exchange, has compared its size with ours already. */
static rs_status compare_sizes(const rg_bootstrap *m, int64_t n_bytes, rs_error *error) {
    const rg_file_store *s = m->own;
    for (int32_t r = 0; r < m->n_ranks; r++) {
        const rg_slot *one = &s->slots[r];
        if (one->n_exchanges != m->n_exchanges || one->n_bytes == n_bytes) continue;
        return rs_fail(error, RS_BAD_INPUT,
                       "rank %d gives %lld bytes to exchange %lld, rank %d %lld bytes: they run "
                       "different jobs",
                       (int)r, (long long)one->n_bytes, (long long)m->n_exchanges, (int)m->rank,
                       (long long)n_bytes);
    }
    return RS_OK;
}

static rs_status exchange(rg_bootstrap *m, const void *own, size_t n_bytes, void *all,
                          int64_t deadline_ps, rs_error *error) {
    rg_file_store *s = m->own;
    const int64_t at = next_place(s, m->n_ranks, (int64_t)n_bytes);
    rs_status status = write_own(m, own, (int64_t)n_bytes, deadline_ps, error);
    if (status == RS_OK) status = await_all(m, deadline_ps, error);
    if (status == RS_OK) status = compare_sizes(m, (int64_t)n_bytes, error);
    if (status == RS_OK) status = rg_disk_lock(m, F_RDLCK, deadline_ps, error);
    if (status == RS_OK) {
        if (!rg_disk_read(s->fd, all, n_bytes * (size_t)m->n_ranks, at)) {
            status = rg_disk_fail(m, "read it", error);
        }
        rg_disk_unlock(s);
    }
    if (status != RS_OK) write_failure(m, status, error);
    return status;
}

/* ------------------------------------------------------------------ leaving */

static bool last_one(const rg_bootstrap *m) {
    const rg_file_store *s = m->own;
    for (int32_t r = 0; r < m->n_ranks; r++) {
        if (r != m->rank && s->slots[r].presence == RG_THERE && rg_disk_lives(s, r)) return false;
    }
    return true;
}

static void leave(rg_bootstrap *m) {
    rg_file_store *s = m->own;
    rs_error unused;
    if (s == NULL) return;
    if (s->joined &&
        rg_disk_lock(m, F_WRLCK, rg_now_ps() + RG_LINGER_MS * RG_MS_PS, &unused) == RS_OK) {
        if (still_there(m) && rg_slots_read(m)) {
            s->slots[m->rank].presence = RG_LEFT;
            rg_slot_write(m);
            if (last_one(m)) unlink(m->path);
        }
        rg_disk_unlock(s);
    }
    if (s->fd >= 0) close(s->fd);
    free(s->slots);
    free(s);
}

const rg_way rg_way_file = {join, exchange, leave};
