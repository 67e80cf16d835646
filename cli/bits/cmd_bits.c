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
    rn_nccl_algorithm algorithm;
    s->own = NULL;
    if (rn_nccl_find_algorithm(text, strlen(text), &algorithm)) {
        s->asked.of[RC_BITS_ALGORITHM] = (int)algorithm;
        return RC_GOOD;
    }
    s->own = rs_find_algorithm(s->job.collective, text);
    if (s->own != NULL) return RC_GOOD;
    return rc_fail(error, RC_USAGE,
                   _("algorithm %.40s: NCCL's are ring, tree, nvls; ringsim list names our own"),
                   text);
}

static rc_exit read_protocol(const char *text, rs_error *error, rc_bits_setting *s) {
    rn_nccl_protocol protocol;
    if (!rn_nccl_find_protocol(text, strlen(text), &protocol))
        return rc_fail(error, RC_USAGE, _("protocol %.40s: they are ll, ll128, simple"), text);
    s->asked.of[RC_BITS_PROTOCOL] = (int)protocol;
    return RC_GOOD;
}

static rc_exit read_channels(const char *text, rs_error *error, rc_bits_setting *s) {
    int64_t n = 0;
    const rc_exit status = rc_parse_integer(text, 1, RN_NCCL_MOST_CHANNELS, error, &n);
    s->asked.of[RC_BITS_CHANNELS] = (int)n;
    return status;
}

static rc_exit read_version(const char *text, rs_error *error, rc_bits_setting *s) {
    if (rn_nccl_read_version(text, &s->job.version) && s->job.version >= RN_NCCL_OLDEST)
        return RC_GOOD;
    return rc_fail(error, RC_USAGE, _("--nccl %.40s: give a version from 2.18 on, such as 2.28.9"),
                   text);
}

static rc_exit read_bytes(const char *text, rs_error *error, rc_bits_setting *s) {
    return rc_parse_amount(RC_IN_BYTES, text, error, &s->n_bytes);
}

static rc_exit read_sums(const char *text, rs_error *error, rc_bits_setting *s) {
    s->in_f32 = s->job.dtype == RS_F16 || s->job.dtype == RS_BF16;
    if (strcmp(text, "f32") == 0 && s->own != NULL && s->job.dtype != RS_F64) return RC_GOOD;
    return rc_fail(error, RC_USAGE,
                   _("sums=%.40s: an algorithm of ringsim's that adds in a wider type is written "
                     "algo=one-shot,sums=f32; NCCL adds in the array's own"),
                   text);
}

/* What a SETTING may name, and the option that says the same. */
static const struct {
    const char *key;
    int option;
    rc_exit (*read)(const char *text, rs_error *error, rc_bits_setting *s);
} words[] = {{"algo=", BITS_ALGO, read_algorithm}, {"proto=", BITS_PROTO, read_protocol},
             {"nccl=", RC_NCCL, read_version},     {"channels=", RC_CHANNELS, read_channels},
             {"bytes=", RC_BYTES, read_bytes},     {"sums=", -1, read_sums}};
enum { N_WORDS = sizeof words / sizeof *words, NCCLS = 1 << 1 | 1 << 2 }; /* proto, nccl */

/* An algorithm of ours has nothing of NCCL's. */
static rc_exit refuse_both(const rc_bits_setting *s, unsigned said, rs_error *error) {
    if (s->own == NULL || (said & NCCLS) == 0) return RC_GOOD;
    return rc_fail(error, RC_USAGE,
                   _("%s is ringsim's: it has no protocol and no version of NCCL; NCCL's are ring, "
                     "tree, nvls"),
                   s->own->name);
}

/* Reads "algo=ring,channels=8". */
static rc_exit read_setting(const char *text, rs_error *error, rc_bits_setting *s) {
    unsigned said = 0;
    s->text = text;
    for (const char *at = text;; at++) {
        char word[WORD];
        const size_t n = strcspn(at, ",");
        int i = 0;
        snprintf(word, sizeof word, "%.*s", (int)(n < WORD ? n : WORD - 1), at);
        while (i < N_WORDS && strncmp(word, words[i].key, strlen(words[i].key)) != 0) i++;
        if (i == N_WORDS) {
            return rc_fail(
                error, RC_USAGE,
                _("--compare %.60s: write algo=ring,proto=simple,channels=8,bytes=1MiB,nccl=2.28.9, "
                  "or some of them; or algo=one-shot,sums=f32"),
                word);
        }
        if (said & 1U << i) {
            return rc_fail(error, RC_USAGE,
                           _("--compare %.60s: it is said twice; another --compare "
                             "is another setting"),
                           word);
        }
        said |= 1U << i;
        const rc_exit status = words[i].read(word + strlen(words[i].key), error, s);
        if (status != RC_GOOD) return status;
        at += n;
        if (*at == '\0') return refuse_both(s, said, error);
    }
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
        s->job.n_ranks = machine->comm.n_ranks;
        s->job.n_nodes = machine->site.n_nodes;
    } else if (has_log) {
        status = rc_bits_log(session, options->value[BITS_LOG].text, log);
        s->log = log;
        s->job.n_ranks = log->log.n_ranks;
        if (log->log.n_nodes > 0) s->job.n_nodes = log->log.n_nodes;
        if (log->log.version > 0) s->job.version = log->log.version;
    }
    return status;
}

/* What the options ask, with the rings and trees of all settings. */
static rc_exit begin(rc_session *session, rc_bits_setting *s) {
    const rc_options *options = &session->options;
    unsigned said = 0;
    *s =
        (rc_bits_setting){.asked = {{RC_BITS_FREE, RC_BITS_FREE, RC_BITS_FREE}},
                          .job = {.collective = (rs_collective)options->value[RC_COLLECTIVE].number,
                                  .version = 22809,
                                  .n_ranks = (int32_t)options->value[RC_GPUS].number,
                                  .n_nodes = 1,
                                  .dtype = (rs_dtype)options->value[RC_DTYPE].number},
                          .n_bytes = options->value[RC_BYTES].number,
                          .op = (rs_op)options->value[RC_OP].number};
    rc_exit status = open_source(session, s);
    for (int i = 0; i < N_WORDS && status == RC_GOOD; i++) {
        if (words[i].option < 0 || !rc_given(options, words[i].option)) continue;
        status = words[i].read(options->value[words[i].option].text, session->error, s);
        said |= 1U << i;
    }
    /* What is compared may be NCCL's. */
    if (status == RC_GOOD && options->n_repeated == 0)
        status = refuse_both(s, said, session->error);
    return status == RC_GOOD ? rc_bits_rings(session, s) : status;
}

/* Whoever wants to see or walk an element's way says so; else the table is what bits is for. */
static bool is_walked(const rc_options *options) {
    return rc_given(options, RC_VIEW) || rc_given(options, RC_STEP) || rc_given(options, RC_AT) ||
           rc_given(options, RC_EXPORT);
}

/* "bytes=8KiB..64MiB", "tokens=1..4096", "gpus=2,4,8": the ends, or a setting for each number of ranks. */
static rc_exit read_over(rc_session *session, const char *text, const rc_bits_setting *asked,
                         rc_bits_found *found) {
    static const char *const prefixes[] = {"bytes=", "tokens=", "gpus="};
    enum { BYTES, TOKENS, GPUS, N_PREFIXES };
    rs_arena *arena = session->arena;
    int64_t *numbers = NULL, n = 0;
    int which = BYTES;
    for (int i = 0; i < N_PREFIXES; i++) {
        const size_t length = strlen(prefixes[i]);
        if (strncmp(text, prefixes[i], length) != 0) continue;
        which = i;
        text += length;
    }
    if (which == GPUS &&
        (asked->machine != NULL || asked->log != NULL || rc_given(&session->options, RC_GPUS))) {
        return rc_fail(
            session->error, RC_USAGE,
            _("--over gpus: --gpus, a machine or a log has one number of them: leave it out"));
    }
    rc_exit status =
        which == GPUS ? rc_parse_numbers(text, 2, RS_MAX_RANKS, arena, session->error, &numbers, &n)
                      : rc_parse_sweep(text, which == BYTES, arena, session->error, &numbers, &n);
    found->unit = which == TOKENS ? asked->n_bytes : 1;
    if (status == RC_USAGE || (status == RC_GOOD && n < 2) ||
        (which == TOKENS && !rc_given(&session->options, RC_BYTES)) || found->unit < 1 ||
        (which != GPUS && (strstr(text, "..") == NULL || strchr(text, ',') != NULL ||
                           numbers[n - 1] > INT64_MAX / found->unit)))
        return rc_fail(
            session->error, RC_USAGE,
            _("--over %.60s: write two sizes, the smaller first, bytes=8KiB..64MiB; or "
              "tokens=1..4096 of --bytes 16KiB each; or gpus=2,4,8, two numbers or more"),
            session->options.value[BITS_OVER].text);
    if (status != RC_GOOD) return status;
    found->kind = which == GPUS ? RC_BITS_NUMBERS : RC_BITS_SIZES;
    found->one_order = which != GPUS;
    found->numbers = numbers;
    found->n_numbers = n;
    return RC_GOOD;
}

/* ------------------------------------------------------------------ the command */

/* Reads the options: which settings are to be answered. */
static rc_exit read_options(rc_session *session, rc_bits_found *found) {
    const rc_options *options = &session->options;
    const bool has_element = rc_given(options, BITS_ELEMENT), over = rc_given(options, BITS_OVER);
    const int n = 1 + options->n_repeated;
    rc_bits_setting *settings = rs_alloc(session->arena, (size_t)n, sizeof *settings);
    if (settings == NULL) return rc_no_memory(session->error);
    rc_exit status = begin(session, &settings[0]);
    if (status != RC_GOOD) return status;
    *found = (rc_bits_found){.element = has_element ? options->value[BITS_ELEMENT].number : -1,
                             .settings = settings,
                             .n_settings = n,
                             .sums = rs_sums_begin(settings[0].job.n_ranks, session->arena)};
    if (found->sums == NULL) return rc_no_memory(session->error);
    if (over && (n > 1 || has_element || is_walked(options))) {
        return rc_fail(session->error, RC_USAGE,
                       _("--over looks at whole arrays of many sizes: not with --compare, "
                         "--element, --step, --view"));
    }
    if (over) return read_over(session, options->value[BITS_OVER].text, settings, found);
    for (int i = 1; i < n && status == RC_GOOD; i++) {
        settings[i] = settings[0];
        status = read_setting(options->repeated[i - 1].value.text, session->error, &settings[i]);
    }
    return status;
}

/* Adds random data up in all orders. */
static rc_exit measure(rc_session *session, rc_bits_found *found) {
    const uint64_t seed = (uint64_t)session->options.value[RC_SEED].number;
    rc_exit status = RC_GOOD;
    for (int64_t i = 0; i < found->n && found->kind != RC_BITS_SIZES && status == RC_GOOD; i++) {
        rc_bits_answer *a = &found->answers[i];
        const bool compared = i > 0 && found->kind == RC_BITS_COMPARED;
        const rs_bits *one = compared ? &found->answers[0].bits : &a->bits;
        status = rc_exit_of(rs_compare_bits(one, compared ? &a->bits : NULL, a->sums,
                                            a->setting.job.dtype, a->setting.op, seed,
                                            session->arena, session->error, &a->measured));
    }
    return status;
}

static rc_exit find(rc_session *session, rc_bits_found *found) {
    rc_exit status = read_options(session, found);
    if (status == RC_GOOD) status = rc_bits_find(session, found);
    if (status == RC_GOOD) status = measure(session, found);
    if (status == RC_GOOD) rc_bits_judge(found, 0);
    if (status == RC_GOOD && found->element >= found->answers[0].bits.count) {
        status =
            rc_fail(session->error, RC_USAGE, _("--element %lld: there are elements 0 to %lld"),
                    (long long)found->element, (long long)found->answers[0].bits.count - 1);
    }
    return status;
}

static rc_exit cmd_bits(rc_session *session) {
    const rc_options *options = &session->options;
    const bool walked = is_walked(options) && !rc_given(options, BITS_OVER);
    rc_bits_found found;
    rc_bits_keep keep;
    rc_showing showing;
    rv_story story;
    rc_exit status = RC_GOOD;
    if (rc_given(options, RC_DATA) && !is_walked(options)) {
        return rc_fail(session->error, RC_USAGE, _("--data says what --step walks with; add it"));
    }
    if (walked) status = rc_story_open(session, &showing);
    if (status != RC_GOOD) return status;
    status = find(session, &found);
    if (walked) {
        if (status == RC_GOOD) status = rc_bits_story(session, &found, &story);
        status = rc_show_story(session, &showing, status, &story);
    }
    if (status != RC_GOOD) return status;
    const bool same = found.n == 1 || found.verdict <= RC_BITS_SEEN;
    if (!same) status = rc_bits_keep_same(session, &found, &keep);
    if (status != RC_GOOD) return status;
    if (rc_given(options, RC_JSON)) {
        rc_json_bits(&found, same ? NULL : &keep, stdout);
    } else if (!walked) {
        rc_print_bits(&found, same ? NULL : &keep);
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
