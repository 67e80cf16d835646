/* elsewhere.c: where there is no Linux there is no cage yet: what wants one is told so, and why.
 *
 * Whoever brings the cage to another system writes open, run and close for it; everything else stays.
 */
#ifndef __linux__
#include "sandbox/sandbox.h"

rc_exit rc_cage_open(const char *wanted, rs_error *error, rc_cage *cage) {
    (void)wanted;
    *cage = (rc_cage){.folder = ""};
    return rc_fail(error, RC_LACKS,
                   _("learners' C files are run on Linux only; hand in a schedule as text"));
}

rc_exit rc_cage_open_like(const rc_cage *known, rs_error *error, rc_cage *cage) {
    (void)known;
    return rc_cage_open(NULL, error, cage);
}

void rc_cage_close(rc_cage *cage) {
    (void)cage;
}

rc_exit rc_cage_put(const rc_cage *cage, const char *name, const char *data, size_t n_bytes,
                    rs_error *error) {
    (void)name, (void)data, (void)n_bytes;
    rc_cage copy = *cage;
    return rc_cage_open(NULL, error, &copy);
}

rc_exit rc_cage_get(const rc_cage *cage, const char *name, int64_t limit, rs_arena *arena,
                    rs_error *error, char **data, size_t *n_bytes) {
    (void)name, (void)limit, (void)arena, (void)data, (void)n_bytes;
    rc_cage copy = *cage;
    return rc_cage_open(NULL, error, &copy);
}

rc_exit rc_cage_run(const rc_cage *cage, const rc_errand *errand, rs_error *error,
                    rc_ending *ending) {
    (void)errand, (void)ending;
    rc_cage copy = *cage;
    return rc_cage_open(NULL, error, &copy);
}

void rc_ending_free(rc_ending *ending) {
    *ending = (rc_ending){0};
}

#endif
