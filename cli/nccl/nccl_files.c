/* nccl_files.c: which kind of file it is, by its content, and who reads it. */
#define _GNU_SOURCE 1 /* memmem: BSD */
#include "nccl/nccl_files.h"
#include "ringsim_text.h"
#include "ringsim_archive.h"
#include "ringsim_hang.h"
#include "ringsim_slices.h"
#include "ringsim_topology.h"

#include <string.h>
#include <sys/stat.h>

static const char *const kinds[RC_N_KINDS] = {"nccl-log",   "topology",    "graph",       "tuner",
                                              "nccl-tests", "topo-matrix", "environment", "msccl",
                                              "error",      "unknown"};

const char *rc_file_kind_name(rc_file_kind kind) {
    return kinds[kind];
}

/* NCCL's lines may begin late: a launcher talks first. */
static bool has_log_line(const char *text, size_t n_bytes, bool beside_matrix) {
    for (rn_lines l = {.text = text, .n_bytes = n_bytes}; l.number < 20000 && rn_next_line(&l);) {
        const bool version =
            memmem(l.line, l.n, "NCCL version", 12) != NULL; /* people say it, too */
        if (rn_nccl_is_log_line(l.line, l.n) && !(version && beside_matrix)) return true;
    }
    return false;
}

/* Words of nccl-tests' head or end, whatever else was pasted with them. */
static bool has_table_words(const char *text, size_t n_bytes) {
    const size_t head = n_bytes < 4096 ? n_bytes : 4096;
    return memmem(text, n_bytes, "algbw", 5) != NULL ||
           memmem(text, n_bytes, "Out of bounds values :", 22) != NULL ||
           memmem(text, head, "# nThread", 9) != NULL || memmem(text, head, "#  Rank", 7) != NULL;
}

/* Rows of nccl-tests by themselves: size, count and type, and times with their rates. */
static bool has_rows(const char *text, size_t n_bytes) {
    rs_arena scratch;
    rn_table table;
    rs_error ignored;
    rs_arena_init(&scratch, NULL);
    const bool has = rn_parse_table(text, n_bytes, &scratch, &ignored, &table) == RS_OK;
    rs_arena_free(&scratch);
    return has;
}

static bool find_kind(const char *text, size_t n_bytes, rc_file_kind *kind) {
    const rn_content content = rn_recognise(text, n_bytes);
    const bool report = rn_is_ras_text(text, n_bytes); /* RAS's, of calls: it is judged as a hang */
    rc_foreign foreign;
    if (content == RN_MSCCL_XML) {
        *kind = RC_KIND_PROGRAM;
    } else if (content == RN_TOPOLOGY_XML) {
        const bool graph = rn_find_root(text, n_bytes, NULL) == RN_ROOT_GRAPHS;
        *kind = graph ? RC_KIND_GRAPH : RC_KIND_TOPOLOGY;
    } else if (!report && has_log_line(text, n_bytes, content == RN_TOPO_MATRIX)) {
        *kind = RC_KIND_LOG;
    } else if (!report && has_table_words(text, n_bytes)) {
        *kind = RC_KIND_TABLE;
    } else if (!report && content == RN_TOPO_MATRIX && !rc_find_peers(text, n_bytes, &foreign)) {
        *kind = RC_KIND_MATRIX;
    } else if (report || rc_find_foreign(text, n_bytes, &foreign)) {
        *kind = RC_KIND_UNKNOWN;
    } else if (rc_is_tuner(text, n_bytes)) {
        *kind = RC_KIND_TUNER;
    } else if (text[strspn(text, " \t\r\n")] == '{' || has_rows(text, n_bytes)) {
        *kind = RC_KIND_TABLE; /* rows may have lost their head */
    } else if (rc_is_environment(text, n_bytes)) {
        *kind = RC_KIND_ENVIRONMENT;
    } else {
        return false;
    }
    return true;
}

/* ------------------------------------------------------------------ readers */

static rc_exit end_log(rc_session *session, rn_nccl_log_reader *reader, rc_explained *e) {
    rs_error why;
    const rs_status ended = rn_nccl_log_end(reader, &why, &e->log);
    if (ended != RS_OK) return rc_fail(session->error, rc_exit_of(ended), "%s", rc_said(&why));
    e->has_fit = rn_nccl_infer(&e->log, &e->no_fit, &e->fit) == RS_OK;
    return RC_GOOD;
}

static rc_exit read_log(rc_session *session, const char *text, size_t n_bytes, rc_explained *e) {
    rn_nccl_log_reader *reader = rn_nccl_log_begin(session->arena, &e->findings);
    if (reader == NULL) return rc_no_memory(session->error);
    if (e->kind == RC_KIND_ENVIRONMENT)
        rc_read_environment(text, n_bytes, reader);
    else
        rn_nccl_log_line(reader, text, n_bytes);
    return end_log(session, reader, e);
}

/* Reads a log line by line, of which the buffer, full, is the beginning; what of a line is longer than the buffer is not
   looked at. */
static rc_exit stream_log(rc_session *session, FILE *in, char *buffer, size_t size,
                          rc_explained *e) {
    rn_nccl_log_reader *reader = rn_nccl_log_begin(session->arena, &e->findings);
    rn_gathering *table = rn_begin_marks(session->arena);
    size_t kept = 0, n = size;
    bool skips = false; /* inside of a line that was longer */
    if (reader == NULL || table == NULL) return rc_no_memory(session->error);
    for (; n > 0; n = fread(buffer + kept, 1, size - kept, in)) {
        const size_t end = kept + n;
        size_t at = 0;
        for (char *stop; (stop = memchr(buffer + at, '\n', end - at)) != NULL;) {
            const size_t length = (size_t)(stop - (buffer + at));
            if (!skips) rn_nccl_log_line(reader, buffer + at, length);
            rn_gather_line(buffer + at, length, table);
            skips = false;
            at += length + 1;
        }
        kept = end - at;
        if (kept == size) {
            if (!skips) rn_nccl_log_line(reader, buffer, kept);
            skips = true;
            kept = 0;
        }
        memmove(buffer, buffer + at, kept);
    }
    if (kept > 0 && !skips) rn_nccl_log_line(reader, buffer, kept);
    if (ferror(in)) return rc_fail(session->error, RC_USAGE, _("it cannot be read to its end"));
    if (kept > 0) rn_gather_line(buffer, kept, table);
    e->table.marks = *rn_end_marks(table);
    rc_find_marks(e);
    return end_log(session, reader, e);
}

/* Rings on a box that no log tells of: by ringsim's own search. A box without a way round has none. */
static rc_exit find_own_rings(rc_session *session, rc_explained *e) {
    rs_error reason;
    rn_site site;
    rn_rings rings;
    rs_status found = rn_slices_site(&e->machine, false, session->arena, &reason, &site);
    if (found == RS_OK) {
        const rn_box_facts *facts = rn_guess_box_facts(&site, e->machine.sm);
        found = rn_rings_search(&e->machine, facts->cc, facts->cpu == RN_NCCL_AMD, session->arena,
                                &reason, &rings);
    }
    if (found == RS_NO_MEMORY || found == RS_CANCELLED) {
        *session->error = reason;
        return rc_exit_of(found);
    }
    if (found != RS_OK) return RC_GOOD; /* there are none */
    const size_t n = (size_t)(rings.n_rings * rings.n_gpus);
    rn_nccl_ring *list = rs_alloc(session->arena, (size_t)rings.n_rings, sizeof *list);
    int32_t *ranks = rs_alloc(session->arena, n, sizeof *ranks);
    if (list == NULL || ranks == NULL) return rc_no_memory(session->error);
    memcpy(ranks, rings.order, n * sizeof *ranks);
    for (int32_t i = 0; i < rings.n_rings; i++) {
        list[i] = (rn_nccl_ring){
            .channel = i, .ranks = ranks + i * rings.n_gpus, .n = rings.n_gpus, .whole = true};
    }
    e->graph.rings = list;
    e->graph.n_rings = rings.n_rings;
    e->ring_GBps = rings.GBps;
    return RC_GOOD;
}

static rc_exit read_box(rc_session *session, rn_content content, const char *text, size_t n_bytes,
                        rc_explained *e) {
    const rs_status status =
        rn_read_topology(content, text, n_bytes, e->path, "explained", session->arena, &e->findings,
                         session->error, &e->machine);
    if (e->findings.n[RN_ERROR] > 0) return RC_GOOD;
    return status == RS_OK ? find_own_rings(session, e) : rc_exit_of_reader(status);
}

/* What is at hand is only the end of a run. */
static void say_end(rc_explained *e) {
    rn_find(
        &e->findings, RN_NOTE, e->table.marks.end_line,
        "the end of a run of nccl-tests, without a row that can be used: the rows say how fast, their average over all sizes does not");
}

/* A matrix of nvidia-smi topo -m beside a log's lines: the machine, where it can be read. */
static void read_box_of_log(rc_session *session, const char *text, size_t n_bytes,
                            rc_explained *e) {
    rs_error ignored;
    rn_findings *found = rs_alloc(session->arena, 1, sizeof *found);
    if (found == NULL || rn_recognise(text, n_bytes) != RN_TOPO_MATRIX ||
        rn_read_topology(RN_TOPO_MATRIX, text, n_bytes, e->path, "explained", session->arena, found,
                         &ignored, &e->machine) != RS_OK)
        return;
    for (int32_t i = 0; i < found->n_kept; i++)
        rn_find_said(&e->findings, found->list[i].level, found->list[i].line, &found->list[i].said);
}

static rc_exit read_table(rc_session *session, const char *text, size_t n_bytes, rc_explained *e) {
    rc_exit status =
        rc_exit_of(rn_find_straggler(text, session->arena->host, session->error, &e->straggler));
    if (status != RC_GOOD) return status;
    status = rc_exit_of(rn_parse_table(text, n_bytes, session->arena, session->error, &e->table));
    rc_find_marks(e);
    if (status != RC_GOOD && e->straggler.n_sizes > 0) return RC_GOOD; /* of another collective */
    if (status == RC_USAGE && e->table.marks.end_line > 0)
        say_end(e);
    else if (status == RC_USAGE && e->table.marks.head_line > 0 && e->findings.n_kept == 0)
        rn_find(
            &e->findings, RN_WARNING, e->table.marks.head_line,
            e->table.n_ranks == 1
                ? N_("a run of nccl-tests on one GPU begins here, and no row that can be used follows: nothing goes from GPU to "
                     "GPU. Give it more of them (-g 8); more processes need nccl-tests built with make MPI=1")
                : N_("a run of nccl-tests begins here, and no row that can be used follows: the text was cut, or its first size "
                     "does not come back, as where P2P between the GPUs does not work: NCCL_P2P_DISABLE=1 tells, "
                     "NCCL_DEBUG=INFO says more"));
    if (status == RC_USAGE && e->findings.n_kept > 0) return RC_GOOD; /* they matter more */
    e->has_table = status == RC_GOOD;
    if (status == RC_GOOD) rc_find_tables(text, n_bytes, session->arena, e);
    if (status == RC_GOOD) rc_find_cliff(e);
    return status;
}

/* A log of nccl-tests has its table among NCCL's lines; one that cannot be judged is no failure. */
static rc_exit read_table_of_log(rc_session *session, const char *text, size_t n_bytes,
                                 rc_explained *e) {
    rs_error why;
    const char *head = memmem(text, n_bytes, " algbw ", 7);
    int64_t line = 1;
    const rc_exit status =
        rc_exit_of(rn_parse_table(text, n_bytes, session->arena, &why, &e->table));
    rc_find_marks(e);
    if (head == NULL && status == RC_USAGE) {
        e->table = (rn_table){.marks = e->table.marks};
        if (e->table.marks.end_line > 0) say_end(e);
        return RC_GOOD;
    }
    for (const char *at = text; head != NULL && at < head; at++) line += *at == '\n';
    e->has_table = status == RC_GOOD;
    if (status == RC_GOOD) rc_find_tables(text, n_bytes, session->arena, e);
    if (status == RC_GOOD) rc_find_cliff(e);
    if (status != RC_GOOD && status != RC_USAGE) *session->error = why;
    if (status != RC_USAGE) return status;
    rn_find(
        &e->findings, RN_WARNING, line,
        e->table.marks.end_line > 0
            ? N_("nccl-tests' table begins here, and has no row that can be used, but the run came to its end (line "
                 "%lld): rows that other lines cut, or that have changed on their way")
            : N_("nccl-tests' table begins here, and has no row that can be used: the run or the log ended before"),
        (long long)e->table.marks.end_line);
    return RC_GOOD;
}

static rc_exit read_kind(rc_session *session, const char *text, size_t n_bytes, rc_explained *e) {
    rc_foreign foreign;
    switch (e->kind) {
    case RC_KIND_ENVIRONMENT: return read_log(session, text, n_bytes, e);
    case RC_KIND_LOG: {
        const rc_exit status = read_log(session, text, n_bytes, e);
        if (status == RC_GOOD) read_box_of_log(session, text, n_bytes, e);
        return status == RC_GOOD ? read_table_of_log(session, text, n_bytes, e) : status;
    }
    case RC_KIND_TOPOLOGY: return read_box(session, RN_TOPOLOGY_XML, text, n_bytes, e);
    case RC_KIND_MATRIX: {
        const rc_exit status = read_box(session, RN_TOPO_MATRIX, text, n_bytes, e);
        if (!rc_find_foreign(text, n_bytes, &foreign)) return status;
        if (e->findings.n[RN_ERROR] > 0) { /* of a matrix there is only a piece beside it */
            e->findings = (rn_findings){0};
            e->kind = RC_KIND_UNKNOWN;
        }
        rc_say_foreign(e, &foreign, false);
        return status;
    }
    case RC_KIND_GRAPH:
        return rc_exit_of_reader(
            rn_read_graph(text, n_bytes, session->arena, &e->findings, session->error, &e->graph));
    case RC_KIND_TUNER:
        return rc_read_tuner(text, n_bytes, session->arena, &e->findings, session->error, &e->rows,
                             &e->n_rows);
    case RC_KIND_PROGRAM:
        return rc_exit_of_reader(
            rn_parse_msccl(e->path, text, n_bytes, session->arena, session->error, &e->program));
    default: break;
    }
    return read_table(session, text, n_bytes, e);
}

void rc_say_foreign(rc_explained *e, const rc_foreign *found, bool first) {
    rs_error said;
    if (found->names[0] != '\0')
        rs_fail_word(&said, RS_OK, 0, "%s: %s", found->what, found->names);
    else
        rs_fail_word(&said, RS_OK, 0, "%s", found->what);
    if (first)
        rn_find_first(&e->findings, RN_WARNING, found->line, &said);
    else
        rn_find_said(&e->findings, RN_NOTE, found->line, &said);
}

/* Says of what is none of these what it seems to be: another program's output, or a program's log, which has a line with a time or
   with whose it is; false: neither. */
static bool is_foreign(const char *text, size_t n_bytes, const rn_plain *plain, rc_explained *e) {
    char head[64];
    rc_foreign foreign;
    const bool complains = !rc_find_foreign(plain->text, plain->n_bytes, &foreign) &&
                           rc_find_complaint(plain->text, plain->n_bytes, false, &foreign);
    for (rn_lines l = {.text = text, .n_bytes = n_bytes};
         foreign.what == NULL && rn_copy_line(&l, head, sizeof head);) {
        head[strcspn(head, "`\"'")] = '\0'; /* what is quoted is only spoken of */
        if (!rn_has_form(head, "%# #:#:#") && !rn_has_form(head, "%[rank#]") &&
            !rn_has_form(head, "%[default#]"))
            continue;
        foreign.line = l.number;
        foreign.what = N_(
            "a program's log, by this line, in which no line is NCCL's and none names a call: NCCL_DEBUG=INFO writes "
            "what NCCL does, TORCH_NCCL_TRACE_BUFFER_SIZE=2000 keeps the calls of a hang");
    }
    if (foreign.what == NULL) return false;
    e->kind = RC_KIND_UNKNOWN;
    rc_say_foreign(e, &foreign, complains);
    return true;
}

/* Refuses what nothing is known in: what it seems to be, what is read, what to set next time. */
static rc_exit refuse(rc_session *session, const char *path, const char *text, size_t n_bytes) {
    size_t n_words = 0, n_odd = 0;
    for (size_t i = 0; i < n_bytes; i++) {
        const unsigned char c = (unsigned char)text[i];
        n_words += c != ' ' && c != '\n' && c != '\r' && c != '\t';
        n_odd += c == '\0' || (c < ' ' && strchr("\t\n\r\f\b\a\033", c) == NULL);
    }
    return rc_fail(
        session->error, RC_USAGE,
        _("%.200s: %s. Read are NCCL's logs, topologies, graphs, tuner files and settings, PyTorch's errors and dumps, tables "
          "of nccl-tests, nvidia-smi topo -m; NCCL_DEBUG=INFO and TORCH_NCCL_TRACE_BUFFER_SIZE=2000 in the job's "
          "environment write what it does"),
        path,
        n_words == 0           ? _("nothing is in it")
        : n_odd * 20 > n_words ? _("no text, but bytes of some other kind of file")
                               : _("a text in which nothing is known"));
}

static rc_exit read_text(rc_session *session, const char *path, const char *text, size_t n_bytes,
                         rc_explained *e) {
    rn_plain plain;
    if (rn_is_gzip(text, n_bytes) || (n_bytes > 0 && (unsigned char)text[0] == 0x80)) {
        return rc_fail(session->error, RC_USAGE,
                       _("%.200s: packed, and no dump of a rank: unpack it first"), path);
    }
    rc_exit status =
        rc_exit_of(rn_make_plain(text, n_bytes, session->arena, session->error, &plain));
    if (status != RC_GOOD) return status;
    if (rc_is_tuner_input(plain.text, plain.n_bytes)) {
        return rc_fail(
            session->error, RC_USAGE,
            _("%.200s: measurements, not a tuner's rules: optimize_config.py of NCCL's tuner example makes "
              "rules of them"),
            path);
    }
    const bool known = find_kind(plain.text, plain.n_bytes, &e->kind);
    if (!known || e->kind == RC_KIND_LOG)
        (void)rc_find_complaint(plain.text, plain.n_bytes, true, &e->raised);
    if (known && e->kind != RC_KIND_UNKNOWN)
        return read_kind(session, plain.text, plain.n_bytes, e);
    if (is_foreign(text, n_bytes, &plain, e)) return RC_GOOD;
    return refuse(session, path, text, n_bytes);
}

/* A log is streamed where it is large or its length is not known, as of a pipe; *done false: it is a file of some other kind,
   or none, to be read as a whole. */
static rc_exit try_stream(rc_session *session, const char *path, rc_explained *e, bool *done) {
    enum { LARGE = 8 << 20, PIECE = 1 << 20, KEPT = 64 << 20 };
    const bool standard = strcmp(path, "-") == 0;
    const int64_t length = standard ? -1 : rc_file_bytes(path);
    const size_t piece = length < 0 ? KEPT : PIECE;
    *done = false;
    if (length >= 0 && length < LARGE) return RC_GOOD;
    FILE *in = standard ? stdin : fopen(path, "rb");
    char *buffer = in != NULL ? rs_alloc(session->arena, piece + 1, 1) : NULL, *text;
    size_t n = buffer != NULL ? fread(buffer, 1, piece, in) : 0, n_bytes;
    rc_exit status = RC_GOOD;
    if (n == piece && find_kind(buffer, n, &e->kind) && e->kind == RC_KIND_LOG) {
        *done = true;
        status = stream_log(session, in, buffer, piece, e);
    } else if (length < 0 && n > 0) { /* what has been read does not come again */
        *done = true;
        status = rc_read_rest(in, standard ? "standard input" : path, buffer, n, RC_TRACE_LIMIT,
                              session->arena, session->error, &text, &n_bytes);
        if (status == RC_GOOD) rc_keep_input(path, text, n_bytes);
        if (status == RC_GOOD) status = read_text(session, path, text, n_bytes, e);
    }
    if (in != NULL && !standard) fclose(in);
    return status;
}

static rc_exit read_whole(rc_session *session, const char *path, rc_explained *e) {
    char *text;
    size_t n_bytes;
    const rc_exit status =
        rc_read_file(path, RC_TRACE_LIMIT, session->arena, session->error, &text, &n_bytes);
    return status == RC_GOOD ? read_text(session, path, text, n_bytes, e) : status;
}

rc_exit rc_name_file(rc_session *session, const char *path, rc_exit status) {
    if (status == RC_GOOD || strncmp(session->error->text, path, strlen(path)) == 0) return status;
    return rc_prefix(session->error, status, "%.200s", path);
}

rc_exit rc_explain_file(rc_session *session, const char *path, rc_explained *e) {
    bool done;
    struct stat found;
    char **names;
    memset(e, 0, sizeof *e);
    e->path = path;
    if (stat(path, &found) == 0 && S_ISDIR(found.st_mode)) {
        const int n = rc_list_folder(path, session->arena, &names);
        return rc_fail(
            session->error, RC_USAGE,
            n == 0
                ? _("%.200s: a folder that holds no file")
                : _("%.200s: a folder in which nothing tells of a call: give its files by name, FOLDER/*"),
            path);
    }
    rc_exit status = try_stream(session, path, e, &done);
    if (status == RC_GOOD && !done) status = read_whole(session, path, e);
    const rn_nccl_log *log = &e->log;
    const bool raised = log->n_raised > 0 && log->n_raised == log->n_used && log->n_unknown == 0;
    if (e->kind == RC_KIND_LOG && raised) e->kind = e->has_table ? RC_KIND_TABLE : RC_KIND_ERROR;
    return rc_name_file(session, path, status);
}
