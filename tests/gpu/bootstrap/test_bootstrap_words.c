/* test_bootstrap_words.c: the sentences on ranks that stay away or are refused, beside a plain account of each. */
#include "bootstrap/bootstrap_ways.h"

#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ who is missing */

/* At most eight are named. */
static void account_absent(unsigned mask, int n_ranks, char out[300]) {
    int n = 0, named = 0;
    for (int r = 0; r < n_ranks; r++) n += (mask >> r & 1) != 0;
    strcpy(out, n == 1 ? "rank" : "ranks");
    for (int r = 0; r < n_ranks; r++) {
        if ((mask >> r & 1) == 0 || named == 8) continue;
        sprintf(out + strlen(out), named++ == 0 ? " %d" : ", %d", r);
    }
    if (n > 8) sprintf(out + strlen(out), " and %d more", n - 8);
    sprintf(out + strlen(out), " of %d %s", n_ranks, n == 1 ? "has" : "have");
}

Test(bootstrap_words, of_all_who_are_absent_eight_are_named) {
    for (int n_ranks = 1; n_ranks <= 11; n_ranks++) {
        for (unsigned mask = 1; mask < 1u << n_ranks; mask++) {
            bool absent[12];
            char told[300], wanted[300];
            for (int r = 0; r < n_ranks; r++) absent[r] = mask >> r & 1;
            absent[n_ranks] = true; /* no rank's */
            rg_name_absent(absent, n_ranks, told, sizeof told);
            account_absent(mask, n_ranks, wanted);
            cr_assert_str_eq(told, wanted);
        }
    }
}

Test(bootstrap_words, what_does_not_fit_is_cut_off) {
    const bool absent[11] = {true, true, true, true, true, false, true, false, true, true, true};
    char wanted[300];
    account_absent(0x75f, 11, wanted);
    for (size_t n = 1; n < strlen(wanted) + 3; n++) {
        char told[300];
        memset(told, 'x', sizeof told);
        rg_name_absent(absent, 11, told, n);
        cr_assert_eq(strlen(told), n <= strlen(wanted) ? n - 1 : strlen(wanted), "%zu: %s", n,
                     told);
        cr_assert(strncmp(told, wanted, strlen(told)) == 0, "%zu: %s", n, told);
        for (size_t i = n; i < sizeof told; i++) cr_assert_eq(told[i], 'x');
    }
}

/* While they join, where rank 0 listens and who was refused are said as well. */
Test(bootstrap_words, who_is_late_did_not_come_or_did_not_answer) {
    for (int code = 0; code < 8; code++) {
        const bool joining = code % 2 == 0, refused = code / 2 % 2, elsewhere = code / 4 == 1;
        rs_error error = {.text = ""};
        rg_bootstrap m = {.timeout_ms = 2500, .place = "tcp://a:1", .n_exchanges = !joining};
        if (refused) rg_note_refused(&m, "it is another");
        if (elsewhere) strcpy(m.listens, "it listens");
        cr_expect_eq(rg_fail_late(&m, "rank 1 of 2 has", &error), RS_UNSUPPORTED);
        char wanted[300];
        snprintf(wanted, sizeof wanted, "rank 1 of 2 has not %s tcp://a:1 within 2.5 s%s%s",
                 joining ? "come to" : "answered at",
                 joining && refused ? "; refused: it is another" : "",
                 joining && elsewhere ? "; it listens" : "");
        cr_expect_str_eq(error.text, wanted);
    }
}

/* ------------------------------------------------------------------ what others send */

Test(bootstrap_words, a_text_from_elsewhere_becomes_one_printable_line) {
    rg_fail_text("nobody listens", NULL);
    for (int byte = 1; byte < 256; byte++) {
        char text[4] = {'a', (char)byte, 'b', '\0'};
        rs_error error = {.text = ""};
        rg_fail_text(text, &error);
        if (byte < 32 || byte == 127) text[1] = '?';
        cr_expect_str_eq(error.text, text);
    }
    rs_error error = {.text = "old"};
    rg_fail_text("", &error);
    cr_expect_str_eq(error.text, "no reason was given");
    char long_text[2 * sizeof error.text];
    memset(long_text, '\n', sizeof long_text);
    long_text[sizeof long_text - 1] = '\0';
    rg_fail_text(long_text, &error);
    cr_expect_eq(strlen(error.text), sizeof error.text - 1);
    cr_expect_eq(strspn(error.text, "?"), sizeof error.text - 1);
}

/* Each claim that differs is told, the first of: token, version, world size, rank, a rank that is taken. */
Test(bootstrap_words, who_joins_is_compared_with_the_job) {
    static const char *const tokens[] = {"a job", "", "another", "\x01"};
    static const char *const versions[] = {"1.0", "1.0.1", "\x02"};
    static const long long sizes[] = {3, 2, 1000}, ranks[] = {0, 2, -1, 3};
    for (int code = 0; code < 4 * 3 * 3 * 4 * 2; code++) {
        const int t = code % 4, v = code / 4 % 3, s = code / 12 % 3, r = code / 36 % 4;
        const rg_joiner joiner = {.token = tokens[t],
                                  .version = versions[v],
                                  .n_ranks = sizes[s],
                                  .rank = ranks[r],
                                  .taken = code / 144 == 1};
        rs_error error = {.text = ""};
        char wanted[400] = "";
        if (t > 0) {
            snprintf(wanted, sizeof wanted,
                     "rank %lld of another run came to here: its job is %s, here it is a job",
                     ranks[r],
                     t == 1   ? "none"
                     : t == 3 ? "?"
                              : tokens[t]);
        } else if (v > 0) {
            snprintf(wanted, sizeof wanted,
                     "rank %lld is ringsim %s, those at here are 1.0; install the same everywhere",
                     ranks[r], v == 2 ? "?" : versions[v]);
        } else if (s > 0) {
            snprintf(wanted, sizeof wanted,
                     "rank %lld was started as one of %lld ranks, those at here as one of 3; give "
                     "all the same world size",
                     ranks[r], sizes[s]);
        } else if (r > 1) {
            snprintf(wanted, sizeof wanted,
                     "a process came to here as rank %lld; the ranks are 0..2", ranks[r]);
        } else if (joiner.taken) {
            snprintf(wanted, sizeof wanted,
                     "rank %lld of 3 has come to here twice; give each process a rank of its own",
                     ranks[r]);
        }
        const rs_status status = rg_check_joiner("here", &joiner, "a job", "1.0", 3, &error);
        cr_expect_eq(status, wanted[0] == '\0' ? RS_OK : RS_BAD_INPUT);
        cr_expect_str_eq(error.text, wanted);
    }
    rs_error error;
    const rg_joiner named = {.token = "a job", .version = "1.0", .n_ranks = 3};
    cr_expect_eq(rg_check_joiner("here", &named, "", "1.0", 3, &error), RS_BAD_INPUT);
    cr_expect_not_null(strstr(error.text, "its job is a job, here it is none"));
}

/* Bytes without an end: as many count as a message has of them. */
Test(bootstrap_words, tokens_and_versions_may_fill_their_places) {
    for (int i = 0; i < 2; i++) {
        const size_t n = i == 0 ? RG_TOKEN_BYTES : RG_VERSION_BYTES;
        for (size_t at = n - 2; at < n + 2; at++) {
            char here[200], there[200];
            memset(here, 'j', sizeof here);
            here[n] = '\0';
            memcpy(there, here, sizeof here);
            there[at] = 'k';
            const rg_joiner joiner = {
                .token = i == 0 ? there : "", .version = i == 1 ? there : "", .n_ranks = 1};
            rs_error error;
            const rs_status status =
                rg_check_joiner("here", &joiner, i == 0 ? here : "", i == 1 ? here : "", 1, &error);
            cr_expect_eq(status, at < n ? RS_BAD_INPUT : RS_OK, "%d %zu", i, at);
        }
    }
}
