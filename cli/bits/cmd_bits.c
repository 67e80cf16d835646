/* cmd_bits.c: `ringsim bits`: in which order each element of an all-reduce or a reduce-scatter is added, and which other
 * settings give the same bits.
 *
 * Exit status 0: answered, and all settings that were compared give the same bits; 1: they do not.
 */
#include "base/units.h"
#include "bits/bits.h"
#include "run/show.h"

#include <stdlib.h>
#include <string.h>

/* Options of its own. */
enum {
    BITS_PROTO = RC_BEHIND_ESTIMATE,
    BITS_ELEMENT,
    BITS_COMPARE,
    BITS_ALGO,
    BITS_LOG,
    BITS_OVER
};

enum { WORD = 64 };

/* ------------------------------------------------------------------ settings */

static rc_exit read_algorithm(const char *text, rs_error *error, rc_bits_setting *s) {
    s->asked_algorithm = true;
    s->own = NULL;
    if (rn_nccl_find_algorithm(text, strlen(text), &s->nccl)) return RC_GOOD;
    s->own = rs_find_algorithm(s->collective, text);
    if (s->own != NULL) return RC_GOOD;
    return rc_fail(error, RC_USAGE,
                   _("algorithm %.40s: NCCL's are ring, tree, nvls; ringsim list names our own"),
                   text);
}

static rc_exit read_protocol(const char *text, rs_error *error, rc_bits_setting *s) {
    s->asked_protocol = true;
    if (rn_nccl_find_protocol(text, strlen(text), &s->protocol)) return RC_GOOD;
    return rc_fail(error, RC_USAGE, _("protocol %.40s: they are ll, ll128, simple"), text);
}

static rc_exit read_channels(const char *text, rs_error *error, rc_bits_setting *s) {
    int64_t n = 0;
    const rc_exit status = rc_parse_integer(text, 1, RN_NCCL_MOST_CHANNELS, error, &n);
    s->asked_channels = true;
    s->n_channels = s->used_channels = (int32_t)n;
    return status;
}

static rc_exit read_version(const char *text, rs_error *error, rc_bits_setting *s) {
    if (rn_nccl_read_version(text, &s->version) && s->version >= RN_NCCL_OLDEST) return RC_GOOD;
    return rc_fail(error, RC_USAGE, _("--nccl %.40s: give a version from 2.18 on, such as 2.28.9"),
                   text);
}

static rc_exit read_sums(const char *text, rs_error *error, rc_bits_setting *s) {
    s->in_f32 = s->dtype == RS_F16 || s->dtype == RS_BF16;
    if (strcmp(text, "f32") == 0 && s->own != NULL && s->dtype != RS_F64) return RC_GOOD;
    return rc_fail(error, RC_USAGE,
                   _("sums=%.40s: an algorithm of ringsim's that adds in a wider type is written "
                     "algo=one-shot,sums=f32; NCCL adds in the array's own"),
                   text);
}

static rc_exit read_bytes(const char *text, rs_error *error, rc_bits_setting *s) {
    return rc_parse_amount(RC_IN_BYTES, text, error, &s->n_bytes);
}

/* A word of a SETTING, "algo=ring"; *said: those before it. */
static rc_exit read_word(const char *word, unsigned *said, rs_error *error, rc_bits_setting *s) {
    static const struct {
        const char *key;
        rc_exit (*read)(const char *text, rs_error *error, rc_bits_setting *s);
    } keys[] = {{"algo=", read_algorithm}, {"proto=", read_protocol}, {"channels=", read_channels},
                {"nccl=", read_version},   {"bytes=", read_bytes},    {"sums=", read_sums}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const size_t n = strlen(keys[i].key);
        if (strncmp(word, keys[i].key, n) != 0) continue;
        if (*said & 1U << i) {
            return rc_fail(error, RC_USAGE,
                           _("--compare %.60s: it is said twice; another --compare "
                             "is another setting"),
                           word);
        }
        *said |= 1U << i;
        return keys[i].read(word + n, error, s);
    }
    return rc_fail(
        error, RC_USAGE,
        _("--compare %.60s: write algo=ring,proto=simple,channels=8,bytes=1MiB,nccl=2.28.9, "
          "or some of them; or algo=one-shot,sums=f32"),
        word);
}

/* An algorithm of ours has nothing of NCCL's. */
static rc_exit refuse_both(const rc_bits_setting *s, bool said, rs_error *error) {
    if (s->own == NULL || !said) return RC_GOOD;
    return rc_fail(error, RC_USAGE,
                   _("%s is ringsim's: it has no protocol and no version of NCCL; NCCL's are ring, "
                     "tree, nvls"),
                   s->own->name);
}

static rc_exit read_setting(const char *text, rs_error *error, rc_bits_setting *s) {
    enum { PROTO = 1 << 1, NCCL = 1 << 3 }; /* as read_word counts */
    rc_exit status = RC_GOOD;
    unsigned said = 0;
    for (const char *at = text; status == RC_GOOD;) {
        char word[WORD];
        const size_t n = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)(n < WORD ? n : WORD - 1), at);
        status = read_word(word, &said, error, s);
        if (at[n] == '\0') break;
        at += n + 1;
    }
    s->text = text;
    return status == RC_GOOD ? refuse_both(s, (said & (PROTO | NCCL)) != 0, error) : status;
}

/* ------------------------------------------------------------------ what the options say */

/* Who says how many ranks there are: one of three. */
static rc_exit open_source(rc_session *session, rc_bits_setting *s) {
    const rc_options *options = &session->options;
    const bool has_machine = rc_given(options, RC_MACHINE), has_log = rc_given(options, BITS_LOG);
    rc_estimate *machine = rs_alloc(session->arena, 1, sizeof *machine);
    rc_explained *log = rs_alloc(session->arena, 1, sizeof *log);
    if (machine == NULL || log == NULL) return rc_no_memory(session->error);
    if (rc_given(options, RC_GPUS) + has_machine + has_log > 1) {
        return rc_fail(
            session->error, RC_USAGE,
            _("--gpus, --machine, --log: each says how many ranks there are: give one of them"));
    }
    rc_exit status = RC_GOOD;
    if (has_machine) {
        status = rc_estimate_open(session, machine);
        s->machine = machine;
        s->n_ranks = machine->comm.n_ranks;
        s->n_nodes = machine->site.n_nodes;
    } else if (has_log) {
        status = rc_bits_log(session, options->value[BITS_LOG].text, log);
        s->log = log;
        s->n_ranks = log->log.n_ranks;
        if (log->log.n_nodes > 0) s->n_nodes = log->log.n_nodes;
        if (log->log.version > 0) s->version = log->log.version;
    }
    return status;
}

static rc_exit begin(rc_session *session, rc_bits_setting *s) {
    const rc_options *options = &session->options;
    const struct {
        int id;
        rc_exit (*read)(const char *text, rs_error *error, rc_bits_setting *s);
    } given[] = {{BITS_ALGO, read_algorithm},
                 {BITS_PROTO, read_protocol},
                 {RC_CHANNELS, read_channels},
                 {RC_NCCL, read_version}};
    *s = (rc_bits_setting){.collective = (rs_collective)options->value[RC_COLLECTIVE].number,
                           .nccl = RN_NCCL_RING,
                           .protocol = RN_NCCL_SIMPLE,
                           .version = 22809,
                           .n_ranks = (int32_t)options->value[RC_GPUS].number,
                           .n_channels = 1,
                           .used_channels = 1,
                           .n_bytes = options->value[RC_BYTES].number,
                           .dtype = (rs_dtype)options->value[RC_DTYPE].number,
                           .op = (rs_op)options->value[RC_OP].number,
                           .n_nodes = 1};
    rc_exit status = open_source(session, s);
    for (int i = 0; i < 4 && status == RC_GOOD; i++) {
        if (rc_given(options, given[i].id))
            status = given[i].read(options->value[given[i].id].text, session->error, s);
    }
    const bool alone = options->n_repeated == 0 && rc_given(options, RC_NCCL);
    return status == RC_GOOD ? refuse_both(s, s->asked_protocol || alone, session->error) : status;
}

/* ------------------------------------------------------------------ what is added in which order */

static rc_exit answer(rc_session *session, rs_sums *sums, rc_bits_answer *a) {
    const rc_exit status = rc_bits_orders(session, sums, a);
    if (status != RC_GOOD) return status;
    return rc_exit_of(rs_compare_bits(&a->bits, NULL, sums, a->setting.dtype, a->setting.op,
                                      (uint64_t)session->options.value[RC_SEED].number,
                                      session->arena, session->error, &a->error));
}

static rc_exit compare(rc_session *session, const rs_sums *sums, const rc_bits_answer *first,
                       rc_bits_answer *other) {
    return rc_exit_of(rs_compare_bits(&first->bits, &other->bits, sums, first->setting.dtype,
                                      first->setting.op,
                                      (uint64_t)session->options.value[RC_SEED].number,
                                      session->arena, session->error, &other->same));
}

/* ------------------------------------------------------------------ the command */

/* Whoever wants to see or walk an element's way says so; else the table is what bits is for. */
static bool is_walked(const rc_options *options) {
    return rc_given(options, RC_VIEW) || rc_given(options, RC_STEP) || rc_given(options, RC_AT) ||
           rc_given(options, RC_EXPORT);
}

static rc_exit refuse_range(rc_session *session) {
    return rc_fail(session->error, RC_USAGE,
                   _("--over %.60s: write two sizes, the smaller first, bytes=8KiB..64MiB; or "
                     "tokens=1..4096 of --bytes 16KiB each; or gpus=2,4,8, two numbers or more"),
                   session->options.value[BITS_OVER].text);
}

/* --over gpus=LIST: what each number of ranks adds; the sums of two have nothing in common. */
static rc_exit over_gpus(rc_session *session, const char *text, const rc_bits_setting *asked) {
    rs_arena *arena = session->arena;
    int64_t *numbers, n;
    if (asked->machine != NULL || asked->log != NULL || rc_given(&session->options, RC_GPUS)) {
        return rc_fail(
            session->error, RC_USAGE,
            _("--over gpus: --gpus, a machine or a log has one number of them: leave it out"));
    }
    rc_exit status = rc_parse_numbers(text, 2, RS_MAX_RANKS, arena, session->error, &numbers, &n);
    if (status == RC_USAGE || (status == RC_GOOD && n < 2)) return refuse_range(session);
    if (status != RC_GOOD) return status;
    rc_bits_answer *answers = rs_alloc(arena, (size_t)n, sizeof *answers);
    rs_sums **sums = rs_alloc(arena, (size_t)n, sizeof *sums);
    if (answers == NULL || sums == NULL) return rc_no_memory(session->error);
    for (int64_t i = 0; i < n && status == RC_GOOD; i++) {
        answers[i].setting = *asked;
        answers[i].setting.n_ranks = (int32_t)numbers[i];
        sums[i] = rs_sums_begin((int32_t)numbers[i], arena);
        if (sums[i] == NULL) return rc_no_memory(session->error);
        status = answer(session, sums[i], &answers[i]);
    }
    if (status != RC_GOOD) return status;
    if (rc_given(&session->options, RC_JSON)) {
        rc_json_bits_numbers(answers, sums, n, stdout);
    } else {
        rc_print_bits_numbers(answers, sums, n);
    }
    return rs_never_rounds(asked->dtype, asked->op) ? RC_GOOD : RC_NO;
}

/* "8KiB..64MiB", or, of so many bytes each, "1..4096". */
static rc_exit read_range(rc_session *session, const char *text, int64_t unit, int64_t ends[2]) {
    char low[WORD];
    const char *dots = strstr(text, "..");
    if (dots == NULL || dots - text >= WORD) return refuse_range(session);
    snprintf(low, sizeof low, "%.*s", (int)(dots - text), text);
    const char *const words[] = {low, dots + 2};
    rc_exit status = RC_GOOD;
    for (int i = 0; i < 2 && status == RC_GOOD; i++) {
        status = unit == 1
                     ? rc_parse_amount(RC_IN_BYTES, words[i], session->error, &ends[i])
                     : rc_parse_integer(words[i], 1, INT64_MAX / unit, session->error, &ends[i]);
        ends[i] *= unit;
    }
    if (status == RC_USAGE || ends[0] >= ends[1]) return refuse_range(session);
    return status;
}

static rc_exit over_sizes(rc_session *session, const char *text, int64_t unit,
                          const rc_bits_setting *asked) {
    int64_t ends[2] = {0};
    rc_bits_range range;
    rc_bits_keep keep = {.found = false};
    rs_sums *sums = rs_sums_begin(asked->n_ranks, session->arena);
    if (sums == NULL) return rc_no_memory(session->error);
    rc_exit status = read_range(session, text, unit, ends);
    if (status == RC_GOOD) status = rc_bits_over(session, asked, ends, unit, sums, &range);
    if (status == RC_GOOD && !range.same)
        status = rc_bits_keep_same(session, NULL, 0, &range, sums, &keep);
    if (status != RC_GOOD) return status;
    if (rc_given(&session->options, RC_JSON)) {
        rc_json_bits_range(&range, &keep, sums, stdout);
    } else {
        rc_print_bits_range(&range, &keep, sums);
    }
    return range.same ? RC_GOOD : RC_NO;
}

static rc_exit over(rc_session *session, const rc_bits_setting *asked, const char *text) {
    const rc_options *options = &session->options;
    if (options->n_repeated > 0 || rc_given(options, BITS_ELEMENT) || is_walked(options)) {
        return rc_fail(session->error, RC_USAGE,
                       _("--over looks at whole arrays of many sizes: not with --compare, "
                         "--element, --step, --view"));
    }
    if (strncmp(text, "gpus=", 5) == 0) return over_gpus(session, text + 5, asked);
    if (strncmp(text, "tokens=", 7) != 0) {
        return over_sizes(session, text + (strncmp(text, "bytes=", 6) == 0 ? 6 : 0), 1, asked);
    }
    if (!rc_given(options, RC_BYTES)) return refuse_range(session);
    return over_sizes(session, text + 7, asked->n_bytes, asked);
}

static rc_exit find(rc_session *session, rc_bits_found *found) {
    const rc_options *options = &session->options;
    const int n = 1 + options->n_repeated;
    const int64_t element =
        rc_given(options, BITS_ELEMENT) ? options->value[BITS_ELEMENT].number : -1;
    rc_bits_answer *answers = rs_alloc(session->arena, (size_t)n, sizeof *answers);
    if (answers == NULL) return rc_no_memory(session->error);
    rc_bits_setting asked;
    rc_exit status = begin(session, &asked);
    if (status != RC_GOOD) return status;
    rs_sums *sums = rs_sums_begin(asked.n_ranks, session->arena);
    if (sums == NULL) return rc_no_memory(session->error);
    for (int i = 0; i < n && status == RC_GOOD; i++) {
        answers[i].setting = asked;
        if (i > 0)
            status = read_setting(options->repeated[i - 1].value.text, session->error,
                                  &answers[i].setting);
        if (status == RC_GOOD) status = answer(session, sums, &answers[i]);
        if (status == RC_GOOD && i > 0) status = compare(session, sums, &answers[0], &answers[i]);
    }
    if (status == RC_GOOD && element >= answers[0].bits.count) {
        status =
            rc_fail(session->error, RC_USAGE, _("--element %lld: there are elements 0 to %lld"),
                    (long long)element, (long long)answers[0].bits.count - 1);
    }
    *found = (rc_bits_found){answers, n, sums, element};
    return status;
}

static rc_exit cmd_bits(rc_session *session) {
    const rc_options *options = &session->options;
    const bool walked = is_walked(options);
    rc_bits_found found;
    rc_showing showing;
    rv_story story;
    rc_exit status = RC_GOOD;
    if (rc_given(options, RC_DATA) && !walked) {
        return rc_fail(session->error, RC_USAGE, _("--data says what --step walks with; add it"));
    }
    if (rc_given(options, BITS_OVER)) {
        rc_bits_setting first;
        status = begin(session, &first);
        return status == RC_GOOD ? over(session, &first, options->value[BITS_OVER].text) : status;
    }
    if (walked) status = rc_story_open(session, &showing);
    if (status != RC_GOOD) return status;
    status = find(session, &found);
    if (walked) {
        if (status == RC_GOOD) status = rc_bits_story(session, &found, &story);
        status = rc_show_story(session, &showing, status, &story);
    }
    if (status != RC_GOOD) return status;
    const rc_bits_answer *answers = found.answers;
    bool same = true;
    for (int i = 1; i < found.n; i++) same = same && rc_is_same(answers, i);
    rc_bits_keep keep = {.found = false};
    if (!same) status = rc_bits_keep_same(session, answers, found.n, NULL, found.sums, &keep);
    if (status != RC_GOOD) return status;
    if (rc_given(options, RC_JSON)) {
        rc_json_bits(&found, &keep, stdout);
    } else if (!walked) {
        rc_print_bits(&found, &keep);
    }
    return same ? RC_GOOD : RC_NO;
}

static rc_exit bits_subject(rc_session *session, rv_subject *subject) {
    rc_bits_found found;
    rv_story story;
    rc_exit status = find(session, &found);
    if (status == RC_GOOD) status = rc_bits_story(session, &found, &story);
    return status == RC_GOOD ? rc_story_subject(session, &story, subject) : status;
}

/* ------------------------------------------------------------------ its row */

static rc_exit as_setting(const rc_typed *typed, rc_value *value) {
    (void)typed, (void)value;
    return RC_GOOD;
}

static const rc_option own_options[] = {
    {.id = RC_GPUS, .help = N_("ranks, 5; of --machine all")},
    {.id = RC_MACHINE, .help = N_("rings, channels and what NCCL chooses are this machine's")},
    {BITS_LOG, "log", 0, "FILE",
     N_("rings, trees, channels and what NCCL chose are as this log of the job says"), NULL},
    {.id = RC_CHANNELS,
     .argument = "K",
     .help = N_("channels of NCCL; of --machine and --log as it chooses, else 1")},
    {.id = RC_BYTES,
     .help = N_("bytes of the array, 1MiB"),
     .type = RC_AMOUNT(RC_IN_BYTES, "1MiB")},
    {.id = RC_DTYPE,
     .help = N_("f32 (default), f16, bf16, f64; integers never differ"),
     .type = RC_NAMED(rc_dtype_at, "f32")},
    {.id = RC_OP,
     .help = N_("sum (default), prod; min and max never differ"),
     .type = RC_ONE_OF("sum", "sum", "prod", "min", "max")},
    {BITS_ALGO, "algo", 0, "NAME",
     N_("NCCL's ring, tree or nvls; or an algorithm of ringsim list: two-level, naive, ..."), NULL},
    {BITS_PROTO, "proto", 0, "ll|ll128|simple", N_("NCCL's protocol, simple"), NULL},
    {.id = RC_DATA,
     .help = N_("what --step walks with: numbers, one a rank, or random (default), ..."),
     .type = RC_TYPE(rc_as_data, "random",
                     .names = (const char *const[]){"digits", "index", "random", "exact", NULL})},
    {BITS_ELEMENT, "element", 0, "I", N_("the order of this element alone; --step walks it"),
     RC_INTEGER(0, INT64_MAX, NULL)},
    {BITS_COMPARE, "compare", 0, "SETTING",
     N_("the same bits with algo=ring,proto=ll,channels=8,bytes=2MiB,nccl=2.26.2? several times"),
     RC_TYPE(as_setting, NULL, .repeats = true)},
    {BITS_OVER, "over", 0, "RANGE",
     N_("the same bits at all of bytes=8KiB..64MiB, tokens=1..4096 (of --bytes each), gpus=2,4,8?"),
     NULL},
};

const rc_command rc_command_bits = {
    .name = "bits",
    .operands = "",
    .summary = N_("in which order each element is added, and which settings give the same bits"),
    RC_TAKES(RC_GPUS, RC_MACHINE, BITS_LOG, RC_COLLECTIVE, RC_BYTES, RC_DTYPE, RC_OP, BITS_ALGO,
             BITS_PROTO, RC_CHANNELS, RC_NCCL, BITS_ELEMENT, BITS_COMPARE, BITS_OVER, RC_DATA,
             RC_SEED, RC_TAKE_WALK, RC_TAKE_STORY),
    RC_OWN_OPTIONS(own_options),
    RC_OFTEN(RC_GPUS, RC_MACHINE, RC_COLLECTIVE, RC_BYTES, RC_DTYPE, RC_OP, BITS_ALGO, BITS_PROTO,
             RC_CHANNELS, RC_NCCL, BITS_ELEMENT, BITS_COMPARE, BITS_OVER, RC_STEP, RC_DATA, RC_LANG,
             RC_JSON),
    .run = cmd_bits,
    .subject = bits_subject};
