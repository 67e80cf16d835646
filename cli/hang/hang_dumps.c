/* hang_dumps.c: what is in the files of a hang.
 *
 *   - Files are read side by side; each is dropped when its calls are taken.
 *   - What cannot be read is named, and the rest is used; but without memory for one there is no verdict, since it may be
 *     another with it.
 *   - A gzip is unpacked in memory, also that of an archive, and those in an archive: of one file no more than a file may
 *     hold.
 */
#define _GNU_SOURCE 1 /* memmem: BSD */
#include "hang/hang.h"
#include "base/containers.h"
#include "ringsim_text.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1024 * 1024 * 1024 };
static const size_t most_memory = sizeof(size_t) > 4 ? (size_t)4 << 30 : (size_t)1 << 30;

typedef struct one_file {
    rc_hang_file of;
    rc_exit status;
    rs_error error;
    rn_dump *dumps; /* [n_dumps] a recorder's dump is of one rank, a log tells of many */
    int32_t n_dumps, dump_room;
    size_t n_unpacked;     /* bytes, of all its gzips */
    rn_evidence *evidence; /* [n_evidence] what it says itself */
    int32_t n_evidence, evidence_room;
    bool text;  /* it is no pickle */
    bool prose; /* most of its lines are sentences */
} one_file;

typedef struct dump_files {
    one_file *list;
    int32_t n;
    rs_arena *kept;
    rc_session *session;
    bool quiet;
} dump_files;

/* What a file is, by its content: a pickle is no text; JSON of a recorder, and of RAS, by its keys. */
typedef enum file_kind { KIND_PICKLE, KIND_RECORDER, KIND_RAS, KIND_RAS_TEXT, KIND_LOG } file_kind;

static bool has_any(const char *bytes, size_t n_bytes, const char *const keys[], int n_keys) {
    for (int i = 0; i < n_keys; i++) {
        if (memmem(bytes, n_bytes, keys[i], strlen(keys[i])) != NULL) return true;
    }
    return false;
}

/* Text may hold zeros, where a file was cut while it was written, and other odd bytes: few of them. */
static bool is_text(const char *bytes, size_t n_bytes) {
    const size_t n = n_bytes < 4096 ? n_bytes : 4096;
    size_t odd = 0, zeros = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned char c = (unsigned char)bytes[i];
        zeros += c == 0;
        odd += c < ' ' && c != 0 && strchr("\t\n\r\f\b\a\033", c) == NULL;
    }
    return n > 0 && (unsigned char)bytes[0] != 0x80 && odd * 50 <= n && zeros * 10 <= n * 6;
}

static file_kind kind_of(const rn_plain *plain) {
    static const char *const recorder[] = {"\"entries\"", "\"pg_config\"", "\"nccl_comm_state\"",
                                           "\"pg_status\""},
                             *const ras[] = {"\"communicators\""};
    const size_t blanks = strspn(plain->text, " \t\r\n"),
                 head = plain->n_bytes < 65536 ? plain->n_bytes : 65536;
    if (has_any(plain->text, head < 4096 ? head : 4096, ras, 1))
        return KIND_RAS; /* OK may stand before */
    if (plain->text[blanks] == '{' &&
        (has_any(plain->text, head, recorder, 4) || plain->text[blanks + 1] == '}'))
        return KIND_RECORDER;
    return rn_is_ras_text(plain->text, plain->n_bytes) ? KIND_RAS_TEXT : KIND_LOG;
}

/* At least four words, and few things that are none; no fields of a program's line. */
static bool is_sentence(const char *line, size_t n) {
    int n_words = 0, n_all = 0;
    if (memchr(line, '[', n) != NULL || memchr(line, '=', n) != NULL) return false;
    for (const char *at = line, *const end = line + n, *next; at < end; at = next + 1, n_all++) {
        next = memchr(at, ' ', (size_t)(end - at));
        if (next == NULL) next = end;
        const char *letters = at;
        while (letters < next && (*letters | 32) >= 'a' && (*letters | 32) <= 'z') letters++;
        n_words += letters > at && letters + 1 >= next; /* a comma may follow */
    }
    return n_words >= 4 && 3 * n_all <= 4 * n_words;
}

/* An exception may have no other lines than sentences. */
static bool is_prose(const rn_plain *plain) {
    int64_t n_sentences = 0, n = 0;
    for (rn_lines l = {.text = plain->text, .n_bytes = plain->n_bytes}; rn_next_line(&l);) {
        const char *space = l.n > 0 ? memchr(l.line, ' ', l.n) : NULL;
        if (space != NULL && space - l.line > 6 && memcmp(space - 6, "Error:", 6) == 0)
            return false;
        n += l.n > 0;
        n_sentences += is_sentence(l.line, l.n);
    }
    return 2 * n_sentences > n;
}

/* Adds what a text says itself, once for each file of an archive, and what it tells of calls. */
static rs_status read_log(one_file *f, const char *name, const rn_plain *plain, rs_arena *scratch,
                          rs_arena *keep, rn_dump **dumps, int32_t *n_dumps) {
    rn_evidence *more;
    int32_t n = 0;
    char *path = rs_alloc(keep, RC_HANG_NAME, 1);
    if (path == NULL) return rs_no_memory(&f->error);
    rc_plain(name, true, path, RC_HANG_NAME);
    const rs_status read = rn_read_hang_log(plain->text, plain->n_bytes, scratch, keep, &f->error,
                                            dumps, n_dumps, &more, &n);
    if (read == RS_NO_MEMORY ||
        !rs_reserve(keep, &f->evidence, f->n_evidence + n, &f->evidence_room))
        return rs_no_memory(&f->error);
    for (int32_t i = 0; i < n; i++) {
        more[i].file = path;
        f->evidence[f->n_evidence++] = more[i];
    }
    return read;
}

/* Reads what a name stands for, a dump or a log, and adds its dumps to those of the file. */
static rc_exit read_bytes(one_file *f, const char *name, const char *bytes, size_t n_bytes,
                          rs_arena *keep) {
    rs_arena scratch;
    rn_plain plain = {.text = ""};
    rn_dump one, *dumps = &one;
    int32_t n = 1;
    const int32_t rank = rc_rank_of_name(name);
    const bool text = f->text = is_text(bytes, n_bytes);
    if (rn_is_gzip(bytes, n_bytes)) {
        return rc_fail(&f->error, RC_USAGE, _("%.200s is compressed more than once"), name);
    }
    rs_arena_init(&scratch, NULL);
    scratch.limit_bytes = most_memory;
    rs_status read = text ? rn_make_plain(bytes, n_bytes, &scratch, &f->error, &plain) : RS_OK;
    const file_kind kind = text && read == RS_OK ? kind_of(&plain) : KIND_PICKLE;
    const bool recorder = kind == KIND_PICKLE || kind == KIND_RECORDER;
    if (read == RS_OK && text && (!recorder || rank < 0)) {
        f->prose = f->of.n_root > 0 && kind == KIND_LOG && is_prose(&plain);
        read = read_log(f, name, &plain, &scratch, keep, &dumps, &n);
        for (int32_t i = 0; read == RS_OK && i < n; i++)
            f->prose = f->prose && (rank < 0 || dumps[i].rank != rank); /* else it is its own */
        if (read == RS_BAD_INPUT && kind != KIND_LOG) read = RS_OK;
    }
    if (read == RS_OK && recorder && rank < 0) {
        rs_arena_free(&scratch);
        return rc_fail(&f->error, RC_USAGE,
                       _("%.200s: whose is it? a dump's name ends with the number of its rank"),
                       name);
    }
    if (read == RS_OK && recorder) {
        read = rn_read_recorder(bytes, n_bytes, &scratch, keep, &f->error, &one);
    } else if (read == RS_OK && kind != KIND_LOG) {
        read = (kind == KIND_RAS ? rn_read_ras : rn_read_ras_text)(
            plain.text, plain.n_bytes, &scratch, keep, &f->error, &dumps, &n);
    }
    rs_arena_free(&scratch);
    if (read == RS_BAD_INPUT && kind == KIND_LOG && f->n_evidence > 0)
        return RC_GOOD; /* it has no call */
    if (read != RS_OK) return rc_prefix(&f->error, rc_exit_of(read), "%.200s", name);
    if (recorder) one.rank = rank;
    if (!rs_reserve(keep, &f->dumps, f->n_dumps + n, &f->dump_room))
        return rc_fail(&f->error, RC_LACKS, _("no memory to read %.200s"), name);
    memcpy(f->dumps + f->n_dumps, dumps, (size_t)n * sizeof *dumps);
    f->n_dumps += n;
    return RC_GOOD;
}

/* Puts what is in a gzip in its place; what is none stays. *own is to be freed, whatever the status. */
static rc_exit unpack(one_file *f, const char *name, const char **bytes, size_t *n_bytes,
                      char **own) {
    const size_t left = MOST_BYTES - f->n_unpacked;
    size_t n;
    *own = NULL;
    if (!rn_is_gzip(*bytes, *n_bytes)) return RC_GOOD;
    const rc_exit status = rc_exit_of(rn_gunzip(name, *bytes, *n_bytes, left, &f->error, own, &n));
    f->n_unpacked += n < left ? n : left;
    if (status != RC_GOOD) return status;
    if (n > left) {
        return rc_fail(&f->error, RC_USAGE, _("%.200s unpacks to more than %lld bytes"), f->of.path,
                       (long long)MOST_BYTES);
    }
    *bytes = *own;
    *n_bytes = n;
    return RC_GOOD;
}

static rc_exit read_packed(one_file *f, const char *name, const char *bytes, size_t n_bytes,
                           rs_arena *keep) {
    char *own;
    rc_exit status = unpack(f, name, &bytes, &n_bytes, &own);
    if (status == RC_GOOD) status = read_bytes(f, name, bytes, n_bytes, keep);
    free(own);
    return status;
}

/* Of an archive what can be read counts, and the first refusal is told, or that there was no memory. */
static rc_exit read_archive(one_file *f, const char *bytes, size_t n_bytes, rs_arena *keep) {
    rn_tar_member member = {.name = ""};
    rc_exit status = RC_GOOD;
    size_t at = 0;
    while (rn_tar_next(bytes, n_bytes, &at, &member)) {
        const rs_error before = f->error;
        const rc_exit one = read_packed(f, member.name, member.bytes, member.n_bytes, keep);
        const bool told = one != RC_GOOD && (status == RC_GOOD || one == RC_LACKS);
        if (told && status != RC_LACKS) {
            status = one;
        } else {
            f->error = before;
        }
    }
    if (status == RC_GOOD && f->n_dumps == 0) {
        return rc_fail(&f->error, RC_USAGE, _("%.200s: an archive without files"), f->of.path);
    }
    const bool whole = at < n_bytes && bytes[at] == '\0'; /* zeros end an archive */
    for (int32_t i = 0; i < f->n_dumps; i++) f->dumps[i].partial = !whole;
    if (status == RC_GOOD && !whole) {
        return rc_fail(&f->error, RC_USAGE,
                       _("%.200s: the archive ends too early: files may be missing"), f->of.path);
    }
    return status;
}

static rc_exit read_one(one_file *f, rs_arena *scratch, rs_arena *keep) {
    char *file, *own;
    size_t n_bytes;
    rc_exit status = f->of.n_root > 0 ? rc_read_itself(f->of.path, f->of.n_root, MOST_BYTES,
                                                       scratch, &f->error, &file, &n_bytes)
                                      : rc_read_file(f->of.path, MOST_BYTES, scratch, &f->error,
                                                     &file, &n_bytes);
    if (status != RC_GOOD) return status;
    const char *bytes = file;
    status = unpack(f, f->of.path, &bytes, &n_bytes, &own);
    if (status == RC_GOOD) {
        status = rn_is_tar(bytes, n_bytes) ? read_archive(f, bytes, n_bytes, keep)
                                           : read_bytes(f, f->of.path, bytes, n_bytes, keep);
    }
    free(own);
    return status;
}

static void read_task(void *argument, int index) {
    dump_files *files = argument;
    rs_arena scratch;
    rs_arena_init(&scratch, NULL);
    scratch.limit_bytes = most_memory;
    rs_arena_init(&files->kept[index], NULL);
    files->list[index].status = read_one(&files->list[index], &scratch, &files->kept[index]);
    rs_arena_free(&scratch);
}

/* Each file's memory goes back and is taken again: the C library shall keep it, not the kernel. */
static void keep_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    mallopt(M_TOP_PAD, 16 << 20);
#endif
}

static void read_all(dump_files *files) {
    if (files->n > 64) keep_memory();
    const rs_host *host = files->session->arena->host;
    if (host != NULL && host->parallel_for != NULL) {
        host->parallel_for(host->context, files->n, read_task, files);
        return;
    }
    for (int i = 0; i < files->n; i++) read_task(files, i);
}

/* Of a rank torch may tell, by its recorder or its watchdog, and NCCL. */
RS_ORDER(by_source, rn_dump, launched, rank);

static rn_dump *dump_like(const rc_dumps *dumps, rn_dump key, bool launched) {
    key.launched = launched;
    return bsearch(&key, dumps->list, (size_t)dumps->n, sizeof key, by_source);
}

/* Adds what a source tells of a rank; a recorder's dump is worth more than what a log says, and a log with calls more than
   another rank's word that it waits. */
static void take_dump(const one_file *f, const rn_dump *dump, rc_dumps *dumps) {
    rs_error error;
    rn_dump *same = dump_like(dumps, *dump, dump->launched);
    const bool recorder = !dump->rough && !dump->launched;
    if (same != NULL && recorder && !same->rough) {
        rc_fail(&error, RC_USAGE, _("%.200s: rank %d has another dump, which is used"), f->of.path,
                (int)dump->rank);
        rc_complain(&error);
    } else if (same != NULL && (recorder || (same->rough && same->n_calls == 0))) {
        *same = *dump;
    }
    if (same != NULL) return;
    int32_t at = dumps->n++;
    for (; at > 0 && by_source(&dumps->list[at - 1], dump) > 0; at--)
        dumps->list[at] = dumps->list[at - 1];
    dumps->list[at] = *dump;
}

/* Makes the dump's words safe to show, and no longer than a line: they come from outside. */
static bool make_plain(rn_dump *dump, rs_arena *arena) {
    for (uint32_t w = 0; w < dump->n_words; w++) {
        const char *word = dump->words[w];
        size_t n = 0;
        while (word[n] >= ' ' && word[n] < 0x7f && n < RC_HANG_NAME) n++;
        if (word[n] == '\0') continue;
        char *copy = rs_alloc(arena, RC_HANG_NAME, 1);
        if (copy == NULL) return false;
        dump->words[w] = rc_plain(word, true, copy, RC_HANG_NAME);
    }
    return true;
}

/* A file that says whose it is, and cannot be read: its rank is not silent. */
static void take_unread(const one_file *f, rc_dumps *dumps) {
    static const char *const no_words[] = {""};
    const rn_dump unread = {.rank = rc_rank_of_name(f->of.path),
                            .unread = true,
                            .words = (const char **)(uintptr_t)no_words,
                            .n_words = 1};
    if (f->status == RC_GOOD || f->n_dumps > 0 || unread.rank < 0 || f->prose) return;
    if (dump_like(dumps, unread, false) != NULL || dump_like(dumps, unread, true) != NULL) return;
    take_dump(f, &unread, dumps);
}

/* Does a line say more than that something is wrong? */
static bool says_whom(const one_file *f) {
    for (int32_t i = 0; i < f->n_evidence; i++) {
        if (f->evidence[i].proof > RN_PROOF_TROUBLE) return true;
    }
    return false;
}

/* A folder may hold many files of something else: the first of them are told. */
enum { TOLD = 8 };
static void complain(const one_file *f, int64_t *n_untold) {
    if (f->of.n_root > 0 && f->text && ++*n_untold > 0) return;
    rc_complain(&f->error);
}

/* What a folder's notes quote is no evidence beside logs and dumps. */
static void leave_out_prose(dump_files *files) {
    bool other = false;
    for (int32_t i = 0; i < files->n; i++) {
        const one_file *f = &files->list[i];
        other = other || (!f->prose && (f->n_dumps > 0 || says_whom(f)));
    }
    for (int32_t i = 0; i < files->n && other; i++) {
        one_file *f = &files->list[i];
        if (!f->prose || f->n_dumps + f->n_evidence == 0) continue;
        f->n_dumps = f->n_evidence = 0;
        f->status =
            rc_fail(&f->error, RC_USAGE,
                    _("%.200s: mostly sentences: what it quotes is no evidence beside the others"),
                    f->of.path);
    }
}

/* Takes what was read, and complains about the rest. */
static rc_exit take_all(dump_files *files, rc_dumps *dumps) {
    const one_file *lacks = NULL;
    size_t n = 0, n_said = 0;
    bool any = false;
    int64_t n_untold = -TOLD; /* below 0: there is room */
    leave_out_prose(files);
    for (int32_t i = 0; i < files->n; i++) {
        const one_file *f = &files->list[i];
        n_said += (size_t)f->n_evidence;
        if (lacks == NULL && f->status == RC_LACKS) lacks = f;
        if (f->status != RC_GOOD && f != lacks && !files->quiet) complain(f, &n_untold);
        dumps->n_of[f->of.operand] += f->n_dumps + says_whom(f);
        n += (size_t)f->n_dumps + 1;
    }
    if (n_untold > 0) {
        rs_error more;
        rc_fail(&more, RC_USAGE, _("and %lld more files of the folder that tell of no call"),
                (long long)n_untold);
        rc_complain(&more);
    }
    if (lacks != NULL) {
        *files->session->error = lacks->error;
        return RC_LACKS;
    }
    dumps->list = rs_alloc(files->session->arena, n + 1, sizeof *dumps->list);
    dumps->evidence = rs_alloc(files->session->arena, n_said + 1, sizeof *dumps->evidence);
    if (dumps->list == NULL || dumps->evidence == NULL) return rc_no_memory(files->session->error);
    for (int32_t i = 0; i < files->n; i++) {
        const one_file *f = &files->list[i];
        for (int32_t d = 0; d < f->n_dumps; d++) take_dump(f, &f->dumps[d], dumps);
        for (int32_t k = 0; k < f->n_evidence; k++) {
            any = any || f->evidence[k].proof != RN_PROOF_OVER;
            dumps->evidence[dumps->n_evidence++] = f->evidence[k];
        }
    }
    any = any || dumps->n > 0;
    if (!any) dumps->n_evidence = 0;
    for (int32_t i = 0; i < files->n && any; i++) {
        if (!files->quiet || !files->list[i].text) take_unread(&files->list[i], dumps);
    }
    for (int32_t d = 0; d < dumps->n; d++) {
        if (d > 0 && dumps->list[d].words == dumps->list[d - 1].words) continue; /* of one log */
        if (!make_plain(&dumps->list[d], files->session->arena))
            return rc_no_memory(files->session->error);
    }
    if (any || files->quiet) return RC_GOOD;
    return rc_fail(files->session->error, RC_USAGE,
                   _("no dump could be read: give a folder with a file for each rank"));
}

rc_exit rc_read_dumps(rc_session *session, bool quiet, rc_dumps *dumps) {
    dump_files files = {.session = session, .quiet = quiet};
    const size_t n_operands = (size_t)session->options.n_operands;
    rc_hang_file *list;
    const rc_exit status = rc_list_hang_files(session, quiet, &list, &files.n);
    if (status != RC_GOOD) return status;
    files.list = rs_alloc(session->arena, (size_t)files.n + 1, sizeof *files.list);
    files.kept = rs_alloc(session->arena, (size_t)files.n + 1, sizeof *files.kept);
    dumps->n_of = rs_alloc(session->arena, n_operands + 1, sizeof *dumps->n_of);
    if (files.list == NULL || files.kept == NULL || dumps->n_of == NULL)
        return rc_no_memory(session->error);
    for (int32_t i = 0; i < files.n; i++) files.list[i] = (one_file){.of = list[i]};
    dumps->kept = files.kept;
    dumps->n_kept = files.n;
    read_all(&files);
    return take_all(&files, dumps);
}

rc_exit rc_judge_dumps(rc_session *session, rc_dumps *dumps, rn_hang *hang) {
    rs_arena *arena = session->arena;
    rs_status status =
        rn_judge_hang(dumps->list, dumps->n, arena->host, arena, session->error, hang);
    if (status == RS_OK)
        status = rn_weigh_evidence(dumps->evidence, dumps->n_evidence, arena, session->error, hang);
    return rc_exit_of(status);
}

void rc_free_dumps(rc_dumps *dumps) {
    for (int32_t i = 0; i < dumps->n_kept; i++) rs_arena_free(&dumps->kept[i]);
    dumps->n_kept = 0;
}
