/* test_local_exits.c: what our own starter of ranks makes of each way in which a rank may end, or not begin.
 * (local_stage.h) */
#include "gpu/process/local_stage.h"

TestSuite(local_exits, .init = begin, .timeout = 30);

/* ------------------------------------------------------------------ how they end */

/* Each exit status is told with the rank, but of rank 0, which tells its reason itself. */
Test(local_exits, each_exit_status_is_told) {
    for (int status = 1; status < 256; status++) {
        const int rank = status % N;
        plan p = {.deeds = {WAITS, WAITS, BADLY_WHEN_TOLD, WAITS}, .how = status};
        char text[80] = "";
        p.deeds[rank] = BADLY;
        if (rank > 0)
            snprintf(text, sizeof text, "rank %d ended with exit status %d", rank, status);
        play(&p);
        wants(RS_UNSUPPORTED, text, "status", status);
    }
}

Test(local_exits, each_signal_is_told) {
    for (int s = 1; s < 32; s++) {
        if (s == SIGCHLD || s == SIGCONT || s == SIGURG || s == SIGWINCH) continue; /* end nobody */
        if (s == SIGSTOP || s == SIGTSTP || s == SIGTTIN || s == SIGTTOU) continue;
        const int rank = s % N;
        plan p = {.deeds = {BADLY_WHEN_TOLD, WAITS, WAITS, BADLY_WHEN_TOLD}, .how = s};
        char text[80];
        p.deeds[rank] = BY_SIGNAL;
        snprintf(text, sizeof text, "rank %d exited on signal %d (%s)", rank, s, strsignal(s));
        play(&p);
        wants(RS_UNSUPPORTED, text, "signal", s);
    }
}

/* Whoever ends after it was told to is not to blame, however it ends. */
Test(local_exits, who_was_told_to_end_may_end_in_any_way) {
    static const int told[] = {SIGTERM, SIGINT, SIGHUP};
    for (int i = 0; i < 3; i++) {
        plan p = {.deeds = {BADLY_WHEN_TOLD, WAITS, BADLY_WHEN_TOLD, DEAF}, .told = told[i]};
        play(&p);
        wants(RS_OK, "", "told", told[i]);
    }
    const plan all_well = {.deeds = {WELL, WELL, WELL, WELL}};
    play(&all_well);
    wants(RS_OK, "", "all", 0);
    cr_expect_eq(shared->n_notes, 0, "nobody needs a signal");
}

/* SIGTERM at once to whoever is left, where the input was closed after 4 s; SIGKILL a second later, to whoever is deaf. */
Test(local_exits, the_deaf_are_killed_a_second_later) {
    for (int which = 0; which < 1 << N; which++) {
        for (int closed = 0; closed < 2; closed++) {
            plan p = {.closed = closed == 1, .told = closed ? 0 : SIGTERM};
            int n_term[N] = {0}, n_kill[N] = {0};
            int64_t term_ms = -1, kill_ms = -1;
            for (int r = 0; r < N; r++) p.deeds[r] = which >> r & 1 ? DEAF : WAITS;
            play(&p);
            wants(RS_OK, "", "deaf", which);
            for (int i = 0; i < shared->n_notes; i++) {
                const note *one = &shared->notes[i];
                cr_assert_geq(one->rank, 0, "a stranger is sent %d", one->signal);
                if (term_ms < 0) term_ms = one->at_ms;
                if (kill_ms < 0 && one->signal == SIGKILL) kill_ms = one->at_ms;
                n_term[one->rank] += one->signal == SIGTERM;
                n_kill[one->rank] += one->signal == SIGKILL;
                cr_expect(one->signal == SIGKILL || one->at_ms == term_ms);
            }
            cr_expect(closed ? term_ms >= 4000 && term_ms < 4300 : term_ms >= 0 && term_ms < 300,
                      "after %d ms", (int)term_ms);
            cr_expect_eq(kill_ms, which == 0 ? -1 : term_ms + 1000, "%d ms", (int)kill_ms);
            for (int r = 0; r < N; r++) {
                cr_expect_eq(n_term[r], 1);
                cr_expect_eq(n_kill[r] > 0, which >> r & 1, "rank %d of %d: %d", r, which,
                             n_kill[r]);
            }
        }
    }
}

/* ------------------------------------------------------------------ how they begin */

/* The first that cannot be started is named, and none of those before it is left. */
Test(local_exits, who_cannot_be_started_is_named) {
    const plan p = {.deeds = {WAITS, WAITS, DEAF, WAITS}};
    for (fails_at = 0; fails_at < N; fails_at++) {
        char text[80];
        snprintf(text, sizeof text, "rank %d cannot be started: %s", fails_at, strerror(EAGAIN));
        play(&p);
        wants(RS_NO_MEMORY, text, "fork", fails_at);
        cr_expect_eq(shared->ranks[fails_at], 0);
    }
}

static bool same_mask(const sigset_t *a, const sigset_t *b) {
    bool same = true;
    for (int s = 1; s < 32; s++) same = same && sigismember(a, s) == sigismember(b, s);
    return same;
}

/* A starter that cannot begin says why; nothing is left, and all is as it was. */
Test(local_exits, a_starter_that_cannot_begin_changes_nothing) {
    static const char *const names[] = {"socket", "setsockopt", "bind", "signalfd"};
    char text[80];
    sigset_t before;
    sigprocmask(SIG_BLOCK, NULL, &before);
    snprintf(text, sizeof text, "ranks cannot be started: %s", strerror(ENOBUFS));
    for (int i = 0; i < 4; i++) {
        const plan p = {.deeds = {WELL, WELL, WELL, WELL}};
        failing = names[i];
        play(&p);
        wants(RS_UNSUPPORTED, text, failing, 0);
        cr_expect_eq(shared->rank, -1);
        cr_expect_eq(shared->n_open[N], shared->n_before, "%s", failing);
        cr_expect(same_mask(&shared->blocked[N], &before), "%s", failing);
        cr_expect_eq(shared->ranks[0], 0);
    }
}

/* Who has no room for an empty input, or not for the number that it should have, ends at once; rank 0 needs none. */
Test(local_exits, who_gets_no_empty_input_does_not_begin) {
    static const int rooms[] = {3, HIGH_FD};
    for (int i = 0; i < 2 * N; i++) {
        plan p = {.deeds = {WAITS, WAITS, WAITS, WAITS}};
        char text[80] = "";
        room = rooms[i % 2];
        badly_at = i / 2;
        if (badly_at == 0) p = (plan){.deeds = {WELL, WELL, WELL, WELL}};
        if (badly_at > 0)
            snprintf(text, sizeof text, "rank %d exited on signal 9 (Killed)", badly_at);
        play(&p);
        wants(badly_at > 0 ? RS_UNSUPPORTED : RS_OK, text, "room", room);
    }
}

/* A rank has what the starter had before, and nothing of its own; who starts them ends with whoever started it. */
Test(local_exits, a_rank_is_given_just_what_it_needs) {
    char last[64] = "";
    for (int i = 0; i < 24; i++) {
        const bool given = i >= 16;
        const plan p = {.deeds = {LOOKS, LOOKS, LOOKS, LOOKS},
                        .no_stdin = i >= 8,
                        .init = given ? "file:///tmp/x" : NULL};
        sigset_t before;
        sigemptyset(&before);
        sigaddset(&before, SIGUSR1);
        if (i & 1) sigaddset(&before, SIGCHLD);
        if (i & 2) sigaddset(&before, SIGTERM);
        if (i & 4) sigaddset(&before, SIGHUP);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        play(&p);
        wants(RS_OK, "", "looks", i);
        cr_expect_eq(shared->rank, -1);
        for (int r = 0; r <= N; r++) {
            cr_expect(same_mask(&shared->blocked[r], &before), "rank %d, turn %d", r, i);
            cr_expect_eq(shared->n_open[r], shared->n_before, "rank %d: %d open, not %d", r,
                         shared->n_open[r], shared->n_before);
            cr_expect_eq(shared->parent_signal[r], SIGKILL);
        }
        for (int r = 0; r < N; r++) {
            cr_expect_eq(shared->first_byte[r], r == 0 ? '!' : '\0');
            cr_expect_eq(shared->taken[r], !given, "%s", shared->words[r]);
            cr_expect_str_eq(shared->token[r], shared->token[0]);
        }
        cr_expect_str_neq(shared->token[0], last);
        snprintf(last, sizeof last, "%s", shared->token[0]);
    }
}
