/* bootstrap_words.c: who is missing, who is refused, and why: in the words that both ways use. */
#include "bootstrap/bootstrap_ways.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void rg_name_absent(const bool absent[], int32_t n_ranks, char *out, size_t n_out) {
    assert(n_out > 0);
    enum { MOST = 8 };
    int32_t n = 0;
    for (int32_t r = 0; r < n_ranks; r++) n += absent[r];
    size_t end = (size_t)snprintf(out, n_out, n == 1 ? "rank" : "ranks");
    int32_t n_named = 0;
    for (int32_t r = 0; r < n_ranks && n_named < MOST; r++) {
        if (!absent[r] || end >= n_out) continue;
        end += (size_t)snprintf(out + end, n_out - end, "%s %d", n_named == 0 ? "" : ",", (int)r);
        n_named++;
    }
    if (end < n_out && n_named < n) {
        end += (size_t)snprintf(out + end, n_out - end, " and %d more", (int)(n - n_named));
    }
    if (end < n_out) {
        snprintf(out + end, n_out - end, " of %d %s", (int)n_ranks, n == 1 ? "has" : "have");
    }
}

rs_status rg_fail_late(const rg_bootstrap *bootstrap, const char *absent, rs_error *error) {
    const bool joining = bootstrap->n_exchanges == 0;
    const char *listens = joining ? bootstrap->listens : "";
    return rs_fail(error, RS_UNSUPPORTED, "%s not %s %s within %g s%s%s%s", absent,
                   joining ? "come to" : "answered at", bootstrap->place,
                   bootstrap->timeout_ms / 1000.0, joining ? bootstrap->hint : "",
                   listens[0] != '\0' ? "; " : "", listens);
}

rs_status rg_fail_absent(const rg_bootstrap *bootstrap, const bool absent[], rs_error *error) {
    char names[512];
    rg_name_absent(absent, bootstrap->n_ranks, names, sizeof names);
    return rg_fail_late(bootstrap, names, error);
}

rs_status rg_fail_gone(const rg_bootstrap *m, int32_t rank, rs_error *error) {
    return rs_fail(error, RS_UNSUPPORTED, "rank %d of %d has gone: its process ended, or left %s",
                   (int)rank, (int)m->n_ranks, m->place);
}

void rg_fail_text(const char *text, rs_error *error) {
    if (error == NULL) return;
    snprintf(error->text, sizeof error->text, "%s", text[0] != '\0' ? text : "no reason was given");
    for (char *c = error->text; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 127) *c = '?';
    }
}

/* Returns the version as a printable text, whatever bytes it holds. */
static const char *clean(const char *version, rs_error *out) {
    char name[RG_VERSION_BYTES + 1] = "";
    strncpy(name, version, RG_VERSION_BYTES);
    rg_fail_text(name, out);
    return out->text;
}

void rg_note_refused(rg_bootstrap *m, const char *why) {
    snprintf(m->hint, sizeof m->hint, "; refused: %.480s", why);
}

static rs_status fail_stranger(const char *place, const rg_joiner *joiner, const char *token,
                               rs_error *error) {
    rs_error here, there;
    char name[RG_TOKEN_BYTES + 1] = "";
    strncpy(name, joiner->token, RG_TOKEN_BYTES);
    rg_fail_text(name[0] != '\0' ? name : "none", &here);
    rg_fail_text(token[0] != '\0' ? token : "none", &there);
    return rs_fail(error, RS_BAD_INPUT,
                   "rank %lld of another run came to %s: its job is %.100s, here it is %.100s",
                   (long long)joiner->rank, place, here.text, there.text);
}

rs_status rg_check_joiner(const char *place, const rg_joiner *joiner, const char *token,
                          const char *version, int64_t n_ranks, rs_error *error) {
    const long long rank = joiner->rank, n = n_ranks;
    if (strncmp(joiner->token, token, RG_TOKEN_BYTES) != 0) {
        return fail_stranger(place, joiner, token, error);
    }
    if (strncmp(joiner->version, version, RG_VERSION_BYTES) != 0) {
        rs_error here, there;
        return rs_fail(
            error, RS_BAD_INPUT,
            "rank %lld is ringsim %.40s, those at %s are %.40s; install the same everywhere", rank,
            clean(joiner->version, &here), place, clean(version, &there));
    }
    if (joiner->n_ranks != n_ranks) {
        return rs_fail(
            error, RS_BAD_INPUT,
            "rank %lld was started as one of %lld ranks, those at %s as one of %lld; give "
            "all the same world size",
            rank, (long long)joiner->n_ranks, place, n);
    }
    if (rank < 0 || rank >= n) {
        return rs_fail(error, RS_BAD_INPUT,
                       "a process came to %s as rank %lld; the ranks are 0..%lld", place, rank,
                       n - 1);
    }
    if (!joiner->taken) return RS_OK;
    return rs_fail(error, RS_BAD_INPUT,
                   "rank %lld of %lld has come to %s twice; give each process a rank of its own",
                   rank, n, place);
}
