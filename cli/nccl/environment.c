/* environment.c: NCCL's settings as a shell sets them: read, judged as a log's ENV lines are, written.
 *
 *     export NCCL_ALGO='AllReduce:Ring,Tree'     also without `export`, as in /etc/nccl.conf
 *     # a comment
 *
 *   - A line is handed to the log's reader as NCCL itself would tell of it: both are judged by the same rules.
 */
#include "base/files.h"
#include "nccl/nccl_files.h"
#include "ringsim_text.h"

#include <string.h>

enum { SAID = 1024 };

/* A setting on a line, the name from "NCCL_" on. */
typedef struct line_setting {
    const char *name, *value;
    size_t n_name, n_value;
} line_setting;

static bool read_setting(const char *line, size_t n_bytes, line_setting *s) {
    const char *at = line, *end = line + n_bytes;
    while (end > at && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
    while (at < end && (*at == ' ' || *at == '\t')) at++;
    if (end - at > 7 && strncmp(at, "export ", 7) == 0) at += 7;
    while (at < end && *at == ' ') at++;
    if (end - at < 6 || strncmp(at, "NCCL_", 5) != 0) return false;
    s->name = at;
    while (at < end && (*at == '_' || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9')))
        at++;
    if (at == end || *at != '=') return false;
    s->n_name = (size_t)(at - s->name);
    s->value = ++at;
    if (end - at >= 2 && (*at == '\'' || *at == '"') && end[-1] == *at) {
        s->value++;
        end--;
    }
    s->n_value = (size_t)(end - s->value);
    return true;
}

bool rc_is_environment(const char *text, size_t n_bytes) {
    line_setting s;
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; l.number < 20000 && rn_next_line(&l);) {
        if (read_setting(l.line, l.n, &s)) return true;
    }
    return false;
}

void rc_read_environment(const char *text, size_t n_bytes, rn_nccl_log_reader *reader) {
    line_setting s;
    char said[SAID];
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; rn_next_line(&l);) {
        int length = 0; /* other lines count, too: a finding names its line */
        if (read_setting(l.line, l.n, &s) && s.n_name < RN_NCCL_WORD) {
            const int n_value = s.n_value < SAID / 2 ? (int)s.n_value : SAID / 2;
            length =
                snprintf(said, sizeof said, "x:1:1 [0] NCCL INFO %.*s set by environment to %.*s.",
                         (int)s.n_name, s.name, n_value, s.value);
        }
        rn_nccl_log_line(reader, said, length > 0 ? (size_t)length : 0);
    }
}

/* ------------------------------------------------------------------ writing */

enum { MOST_SIZES = 64 };
static const rs_collective order[] = {RS_COLL_BROADCAST, RS_COLL_REDUCE, RS_COLL_ALL_GATHER,
                                      RS_COLL_REDUCE_SCATTER, RS_COLL_ALL_REDUCE};
enum { N_ORDER = sizeof order / sizeof *order };

typedef enum list_kind { ALGORITHMS, PROTOCOLS, N_KINDS } list_kind;
enum { MOST_NAMES = RN_NCCL_N_ALGORITHMS }; /* there are fewer protocols */

/* What is chosen at some size, by collective. */
typedef struct chosen {
    bool named[N_KINDS][RS_N_COLLECTIVES][MOST_NAMES];
    bool any[RS_N_COLLECTIVES];
    bool ll128;
} chosen;

static void find_chosen(const rn_nccl_fit *fit, chosen *c) {
    rn_nccl_choice choice;
    memset(c, 0, sizeof *c);
    for (int i = 0; i < N_ORDER; i++) {
        const rs_collective coll = order[i];
        int64_t at = 0;
        bool more = true;
        for (int n = 0; n < MOST_SIZES && more; n++) {
            if (!rn_nccl_choose(&fit->comm, &fit->table, coll, at, &choice)) break;
            c->any[coll] = true;
            c->named[ALGORITHMS][coll][choice.algorithm] = true;
            c->named[PROTOCOLS][coll][choice.protocol] = true;
            c->ll128 = c->ll128 || choice.protocol == RN_NCCL_LL128;
            more = rn_nccl_crossing(&fit->comm, &fit->table, coll, at, (int64_t)1 << 36, &at);
        }
    }
}

static void write_names(list_kind kind, const bool named[MOST_NAMES], FILE *out) {
    bool first = true;
    for (int i = 0; i < MOST_NAMES; i++) {
        if (!named[i]) continue;
        fprintf(out, "%s%s", first ? "" : ",",
                kind == ALGORITHMS ? rn_nccl_algorithm_title((rn_nccl_algorithm)i)
                                   : rn_nccl_protocol_title((rn_nccl_protocol)i));
        first = false;
    }
}

/* One list for all functions, as before 2.24, or one for each that has a choice. */
static void write_list(const rn_nccl_fit *fit, const chosen *c, list_kind kind, FILE *out) {
    bool all[MOST_NAMES] = {false}, first = true;
    const bool by_function = fit->comm.version >= RN_NCCL_BY_FUNCTION;
    for (int i = 0; i < N_ORDER; i++) {
        const rs_collective coll = order[i];
        if (!c->any[coll]) continue;
        if (by_function) {
            fprintf(out, "%s%s:", first ? "" : ";", rn_nccl_collective_title(coll));
            write_names(kind, c->named[kind][coll], out);
            first = false;
        }
        for (int k = 0; k < MOST_NAMES; k++) all[k] |= c->named[kind][coll][k];
    }
    if (!by_function) write_names(kind, all, out);
}

static void write_lists(const rn_nccl_fit *fit, FILE *out) {
    chosen c;
    find_chosen(fit, &c);
    fprintf(out, "\n# %s\n", _("the algorithms that are chosen at some size, by function"));
    fputs("export NCCL_ALGO='", out);
    write_list(fit, &c, ALGORITHMS, out);
    fputs("'\n\n", out);
    if (c.ll128) {
        fprintf(out, "# %s\n",
                _("NCCL_PROTO stays unset: LL128 is chosen at some size, and who names it switches "
                  "NCCL's tests off"));
        return;
    }
    fprintf(out, "# %s\n", _("the protocols that are chosen at some size; LL128 is none of them"));
    fputs("export NCCL_PROTO='", out);
    write_list(fit, &c, PROTOCOLS, out);
    fputs("'\n", out);
}

/* The settings of the log without which the same would not be decided. */
static void write_conditions(const rn_nccl_comm *comm, FILE *out) {
    if (comm->collnet) {
        fprintf(out, "\n# %s\n", _("the log was written with it: the network adds"));
        fputs("export NCCL_COLLNET_ENABLE=1\n", out);
    }
    if (comm->no_ll128_c2c) {
        fprintf(out, "\n# %s\n",
                _("the log was written with it: no LL128 where a CPU lies between"));
        fputs("export NCCL_LL128_C2C=0\n", out);
    }
}

bool rc_shell_quotes(const char *path) {
    for (const char *at = path; *at != '\0'; at++) {
        if (*at == '\'' || (unsigned char)*at < ' ') return false;
    }
    return strlen(path) < RN_NCCL_VALUE;
}

void rc_write_environment(const rn_nccl_fit *fit, const char *tuner, FILE *out) {
    char version[16];
    fprintf(out, "# ");
    fprintf(out,
            _("by ringsim explain, for NCCL %s on %d ranks, %d nodes; a shell reads it: . FILE"),
            rn_nccl_version_text(fit->comm.version, version), (int)fit->comm.n_ranks,
            (int)fit->comm.n_nodes);
    fputs("\n", out);
    write_lists(fit, out);
    write_conditions(&fit->comm, out);
    if (tuner == NULL) return;
    fprintf(out, "\n# %s\n", _("which of them at which size: the rules of --tuner"));
    fprintf(
        out,
        "export NCCL_TUNER_PLUGIN=libnccl-tuner-example.so\nexport NCCL_TUNER_CONFIG_FILE='%s'\n",
        tuner);
}
