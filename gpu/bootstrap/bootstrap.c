/* bootstrap.c: chooses the way to find the other ranks. See bootstrap.h.
 *
 * env:// is tcp:// with the address from the environment. torchrun keeps a store of its own at
 * MASTER_PORT for its workers (it says so by TORCHELASTIC_USE_AGENT_STORE=True), and no other program
 * can listen there: all our ranks take the port beside it.
 */
#include "bootstrap/bootstrap_ways.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the address */

static rs_status read_environment(rg_bootstrap *m, rs_error *error) {
    const char *host = getenv("MASTER_ADDR"), *port = getenv("MASTER_PORT");
    const char *store = getenv("TORCHELASTIC_USE_AGENT_STORE");
    if (port == NULL || port[0] == '\0') port = "29500"; /* torchrun's own default */
    const size_t n = strspn(port, "0123456789");
    const long number = n > 0 && n <= 5 && port[n] == '\0' ? strtol(port, NULL, 10) : 0;
    if (number < 1 || number > 65535) {
        return rs_fail(error, RS_BAD_INPUT, "MASTER_PORT is '%.40s'; it takes a port, 1..65535",
                       port);
    }
    if (host != NULL && strlen(host) >= sizeof m->host) {
        return rs_fail(error, RS_BAD_INPUT, "MASTER_ADDR is longer than the name of a host can be");
    }
    const bool named = host != NULL && host[0] != '\0';
    snprintf(m->host, sizeof m->host, "%s", named ? host : "127.0.0.1");
    const bool beside = store != NULL && strcmp(store, "True") == 0;
    snprintf(m->port, sizeof m->port, "%ld", !beside ? number : number + (number < 65535 ? 1 : -1));
    if (!named) strcpy(m->hint, "; ranks on other machines need MASTER_ADDR");
    return RS_OK;
}

static rs_status find_place(const char *init, rg_bootstrap *m, rs_error *error) {
    rs_status status = RS_OK;
    m->way = &rg_way_tcp;
    if (init == NULL || strcmp(init, "env://") == 0) {
        status = read_environment(m, error);
    } else if (strncmp(init, "tcp://", 6) == 0) {
        status = rg_net_parse(init + 6, m, error);
    } else if (strncmp(init, "file:///", 8) == 0) {
        m->way = &rg_way_file;
        m->path = init + 7;
        snprintf(m->place, sizeof m->place, "file://%.300s", m->path);
        return RS_OK;
    } else {
        return rs_fail(error, RS_BAD_INPUT, "%.100s: write env://, tcp://HOST:PORT or file:///PATH",
                       init);
    }
    const bool six = strchr(m->host, ':') != NULL;
    snprintf(m->place, sizeof m->place, "tcp://%s%s%s:%s", six ? "[" : "", m->host, six ? "]" : "",
             m->port);
    return status;
}

rs_status rg_init_check(const char *init, rs_error *error) {
    rg_bootstrap unused = {.rank = 0};
    return strcmp(init, "env://") == 0 ? RS_OK : find_place(init, &unused, error);
}

/* ------------------------------------------------------------------ the bootstrap */

rs_status rg_bootstrap_join(const char *init, int32_t rank, int32_t n_ranks, int32_t timeout_ms,
                            rs_error *error, rg_bootstrap **bootstrap) {
    assert(rank >= 0 && n_ranks >= 1);
    rg_bootstrap *m = calloc(1, sizeof *m);
    if (m == NULL) return rs_no_memory(error);
    m->rank = rank;
    m->n_ranks = n_ranks;
    m->timeout_ms = rg_timeout_ms(timeout_ms);
    rg_launch_env_token(m->token);
    rs_status status = find_place(init, m, error);
    if (status == RS_OK) status = m->way->join(m, rg_now_ps() + m->timeout_ms * RG_MS_PS, error);
    if (status == RS_OK) {
        *bootstrap = m;
    } else {
        rg_bootstrap_leave(m);
    }
    return status;
}

rs_status rg_exchange(rg_bootstrap *m, const void *own, size_t n_bytes, void *all,
                      int32_t timeout_ms, rs_error *error) {
    assert(n_bytes == 0 || (own != NULL && all != NULL));
    if (n_bytes > (size_t)INT64_MAX / 4 / (size_t)m->n_ranks) {
        return rs_fail(error, RS_TOO_LARGE, "too many bytes for one exchange");
    }
    m->n_exchanges++;
    m->timeout_ms = rg_timeout_ms(timeout_ms);
    if (m->broken == RS_OK) {
        const int64_t deadline_ps = rg_now_ps() + m->timeout_ms * RG_MS_PS;
        m->broken = m->way->exchange(m, own, n_bytes, all, deadline_ps, &m->why);
    }
    if (m->broken != RS_OK && error != NULL) *error = m->why;
    return m->broken;
}

const char *rg_bootstrap_remark(const rg_bootstrap *m) {
    return m->listens;
}

void rg_bootstrap_leave(rg_bootstrap *m) {
    if (m == NULL) return;
    if (m->way != NULL) m->way->leave(m);
    free(m);
}
