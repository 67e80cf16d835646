/* test_msccl_xml.c: drawn MSCCL programs are read as they were drawn; each attribute, spoilt in turn, is told of with
 * its line.
 */
#include "config.h"
#include "ringsim_msccl.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/session.h"

#ifdef HAVE_EXPAT
enum { MOST_LINES = 600, MOST_FIELDS = 10, TEXT = 1 << 17 };

/* An attribute: a number from least to most, or one of some words. */
typedef struct field {
    const char *name;
    int least, most;
    const char *words; /* NULL: a number */
} field;

static const field fields[4][MOST_FIELDS] = {
    {{"ngpus", 2, 1024, NULL},
     {"nchannels", 1, 64, NULL},
     {"inplace", 0, 1, NULL},
     {"coll", 0, 7,
      "allreduce allgather reducescatter alltoall all_reduce all_gather reduce_scatter "
      "all_to_all"}},
    {{"id", 0, 0, NULL}, /* to the last GPU */
     {"i_chunks", 0, 65536, NULL},
     {"o_chunks", 0, 65536, NULL},
     {"s_chunks", 0, 65536, NULL}},
    {{"id", 0, 1023, NULL},
     {"send", -1, 1024, NULL},
     {"recv", -1, 1024, NULL},
     {"chan", 0, 64, NULL}},
    {{"s", 0, 1 << 20, NULL},
     {"type", 0, 8, "nop s r cpy re rcs rrc rrs rrcs"},
     {"srcbuf", 0, 2, "i o s"},
     {"srcoff", -1, 65536, NULL},
     {"dstbuf", 0, 2, "i o s"},
     {"dstoff", -1, 65536, NULL},
     {"cnt", 0, 65536, NULL},
     {"depid", -1, 1024, NULL},
     {"deps", -1, 1 << 20, NULL},
     {"hasdep", 0, 1, NULL}},
};
static const char *const elements[] = {"algo", "gpu", "tb", "step"};

/* A program as lines of one element each: line i + 1 of the file. */
typedef struct drawn_line {
    int depth, values[MOST_FIELDS];
} drawn_line;
static drawn_line lines[MOST_LINES];
static int n_lines;
static rs_arena arena;
static rs_error error;
static rn_msccl program;

static int n_fields(int depth) {
    return depth == 3 ? 10 : 4;
}

static int most_of(int depth, int f) {
    return depth == 1 && f == 0 ? lines[0].values[0] - 1 : fields[depth][f].most;
}

static void draw_element(int depth, int number) {
    drawn_line *line = &lines[n_lines++];
    line->depth = depth;
    for (int f = 0; f < n_fields(depth); f++) {
        const int least = fields[depth][f].least, most = most_of(depth, f);
        const int edge = session_below(8);
        line->values[f] = edge == 0   ? least
                          : edge == 1 ? most
                                      : least + session_below(most - least + 1);
    }
    if (number >= 0) line->values[0] = number;
}

/* Blocks of a GPU and steps of a block are fewer than that. */
static void draw(int most_blocks, int most_steps) {
    const int n_gpus = 2 + session_below(3);
    n_lines = 0;
    draw_element(0, n_gpus);
    if (lines[0].values[3] % 4 == 3) lines[0].values[2] = 0; /* no all-to-all is in place */
    for (int g = 0; g < n_gpus; g++) {
        draw_element(1, n_gpus - 1 - g);
        for (int b = session_below(most_blocks); b > 0; b--) {
            draw_element(2, -1);
            const int n_steps = session_below(most_steps);
            for (int s = 0; s < n_steps; s++) draw_element(3, s);
        }
    }
}

/* The word of that number in a list. */
static const char *word_of(const char *words, int number, char out[20]) {
    for (; number > 0; number--) words = strchr(words, ' ') + 1;
    snprintf(out, 20, "%.*s", (int)strcspn(words, " "), words);
    return out;
}

/* Writes the program, an attribute of one line otherwise: NULL: left out. */
static size_t write_program(char out[TEXT], int line, int spoilt, const char *instead) {
    size_t n = 0;
    for (int i = 0; i < n_lines; i++) {
        const int depth = lines[i].depth, first = session_below(n_fields(depth));
        n += (size_t)snprintf(out + n, TEXT - n, "<%s name=\"drawn\"", elements[depth]);
        for (int k = 0; k < n_fields(depth); k++) {
            const int f = (first + k) % n_fields(depth);
            char text[20];
            const char *value = text;
            snprintf(text, sizeof text, "%d", lines[i].values[f]);
            if (fields[depth][f].words != NULL)
                value = word_of(fields[depth][f].words, lines[i].values[f], text);
            if (i == line && f == spoilt) value = instead;
            if (value == NULL) continue;
            n += (size_t)snprintf(out + n, TEXT - n, " %s=\"%s\"", fields[depth][f].name, value);
        }
        n += (size_t)snprintf(out + n, TEXT - n, ">");
        const int next = i + 1 < n_lines ? lines[i + 1].depth : 0;
        for (int d = depth; d >= next; d--)
            n += (size_t)snprintf(out + n, TEXT - n, "</%s>", elements[d]);
        n += (size_t)snprintf(out + n, TEXT - n, "\n");
    }
    return n;
}

static rs_status parse(const char *text, size_t n) {
    rs_arena_free(&arena);
    error.text[0] = '\0';
    return rn_parse_msccl("p.xml", text, n, &arena, &error, &program);
}

/* What a GPU in place leaves out is as large as the collective makes it of the other. */
static void complete(int chunks[3]) {
    const int n = lines[0].values[0], kind = lines[0].values[3] % 4;
    if (lines[0].values[2] == 0) return;
    if (chunks[0] == 0 && chunks[1] > 0)
        chunks[0] = kind == 0 ? chunks[1] : kind == 1 ? chunks[1] / n : chunks[1] * n;
    else if (chunks[1] == 0 && chunks[0] > 0)
        chunks[1] = kind == 0 ? chunks[0] : kind == 1 ? chunks[0] * n : chunks[0] / n;
}

static void expect_step(const rn_msccl_step *s, const drawn_line *line) {
    const int got[] = {line->values[0],    (int)s->type, (int)s->src_buffer, s->src,
                       (int)s->dst_buffer, s->dst,       s->count,           s->dep_block,
                       s->dep_step,        s->has_dep};
    for (int f = 0; f < 10; f++) cr_expect_eq(got[f], line->values[f], "%s", fields[3][f].name);
    cr_expect_eq(s->line, line - lines + 1);
}

static void expect_program(void) {
    static const rs_collective collectives[] = {RS_COLL_ALL_REDUCE, RS_COLL_ALL_GATHER,
                                                RS_COLL_REDUCE_SCATTER, RS_COLL_ALL_TO_ALL};
    const drawn_line *line = lines;
    cr_expect_str_eq(program.name, "drawn");
    cr_expect_eq(program.n_gpus, line->values[0]);
    cr_expect_eq(program.n_channels, line->values[1]);
    cr_expect_eq(program.in_place, line->values[2] != 0);
    cr_expect_eq(program.collective, collectives[line->values[3] % 4]);
    for (line++; line < lines + n_lines;) {
        const rn_msccl_gpu *gpu = &program.gpus[line->values[0]];
        int chunks[] = {line->values[1], line->values[2], line->values[3]};
        complete(chunks);
        for (int b = 0; b < 3; b++) cr_expect_eq(gpu->chunks[b], chunks[b], "buffer %d", b);
        cr_expect_eq(gpu->line, line - lines + 1);
        int n_blocks = 0;
        for (line++; line < lines + n_lines && line->depth == 2; n_blocks++) {
            const rn_msccl_block *block = &gpu->blocks[n_blocks];
            const int got[] = {block->id, block->send, block->recv, block->channel};
            cr_assert_lt(n_blocks, gpu->n_blocks);
            for (int f = 0; f < 4; f++) cr_expect_eq(got[f], line->values[f], "%d", f);
            cr_expect_eq(block->line, line - lines + 1);
            int n_steps = 0;
            for (line++; line < lines + n_lines && line->depth == 3; line++, n_steps++) {
                cr_assert_lt(n_steps, block->n_steps);
                expect_step(&block->steps[n_steps], line);
            }
            cr_expect_eq(block->n_steps, n_steps);
        }
        cr_expect_eq(gpu->n_blocks, n_blocks);
    }
}

static char text[TEXT];

Test(msccl_xml, a_drawn_program_is_read_as_it_is) {
    session_begin(11);
    for (int k = 0; k < 300; k++) {
        draw(k % 2 == 0 ? 3 : 40, k % 2 == 0 ? 70 : 3); /* beyond the first room there is */
        const size_t n = write_program(text, -1, -1, NULL);
        cr_assert_eq(parse(text, n), RS_OK, "%s", error.text);
        expect_program();
    }
    rs_arena_free(&arena);
}

/* The program with one attribute otherwise is refused, in one line. */
static void expect_refused(int line, int f, const char *instead, const char *why) {
    char want[300];
    const bool word = strstr(why, ": there are") != NULL;
    const field *of = &fields[lines[line].depth][f];
    const size_t n = write_program(text, line, f, instead);
    snprintf(want, sizeof want, "p.xml: line %d: %s%s%s%s", line + 1,
             word ? "" : elements[lines[line].depth], word ? "" : ": ", of->name, why);
    cr_assert_eq(parse(text, n), RS_BAD_INPUT, "%s", want);
    cr_assert_str_eq(error.text, want);
}

static void spoil_number(int line, int f) {
    const field *of = &fields[lines[line].depth][f];
    const int most = most_of(lines[line].depth, f);
    char low[20], high[20], why[120];
    snprintf(low, sizeof low, "%d", of->least - 1);
    snprintf(high, sizeof high, "%d", most + 1);
    const char *const wrong[] = {low, high, "", "x", "1x", "99999999999999999999"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        snprintf(why, sizeof why, "=\"%s\" is no number from %d to %d", wrong[i], of->least, most);
        expect_refused(line, f, wrong[i], why);
    }
}

Test(msccl_xml, each_attribute_spoilt_in_turn_is_told_with_its_line) {
    session_begin(12);
    for (int k = 0; k < 12; k++) {
        draw(3, 4);
        for (int i = 0; i < n_lines; i++) {
            for (int f = 0; f < n_fields(lines[i].depth); f++) {
                const field *of = &fields[lines[i].depth][f];
                char why[160];
                expect_refused(i, f, NULL, " is missing");
                if (of->words == NULL) {
                    spoil_number(i, f);
                    continue;
                }
                snprintf(why, sizeof why, "=\"other\": there are %s", of->words);
                expect_refused(i, f, "other", why);
            }
        }
    }
    rs_arena_free(&arena);
}

static void expect_error(const char *xml, const char *want) {
    cr_expect_eq(parse(xml, strlen(xml)), RS_BAD_INPUT, "%s", want);
    cr_expect_str_eq(error.text, want);
}

#define ALGO(COLL, PLACE)                                                                          \
    "<algo name=\"a\" nchannels=\"1\" ngpus=\"3\" coll=\"" COLL "\" inplace=\"" PLACE "\">"
#define GPU(ID) "\n<gpu id=\"" ID "\" i_chunks=\"3\" o_chunks=\"0\" s_chunks=\"0\"/>"

Test(msccl_xml, what_is_whole_but_no_program) {
    expect_error(ALGO("alltoall", "1") "</algo>", "p.xml: line 1: an all-to-all in place: its "
                                                  "output would overwrite what is still to be "
                                                  "sent");
    expect_error(ALGO("allreduce", "1") "\n</algo>", "p.xml: line 1: GPU 0 of 3 is missing");
    expect_error(ALGO("allreduce", "1") GPU("0") GPU("2") "</algo>",
                 "p.xml: line 1: GPU 1 of 3 is missing");
    expect_error(ALGO("allreduce", "1") GPU("1") GPU("0") "</algo>\n",
                 "p.xml: line 1: GPU 2 of 3 is missing");
    expect_error(ALGO("allreduce", "1") GPU("0") GPU("1") GPU("0") "</algo>",
                 "p.xml: line 4: GPU 0 was there before, in line 2");
    for (int depth = 0; depth < 4; depth++) { /* an element where another belongs */
        for (int other = 0; other < 4; other++) {
            char want[160];
            if (other == depth) continue;
            n_lines = 0;
            for (int d = 0; d <= depth; d++) draw_element(d, d == 0 ? 3 : 0);
            lines[0].values[2] = 0;
            const size_t n = write_program(text, -1, -1, NULL);
            static char spoilt[TEXT];
            char *at = text;
            for (int d = 0; d < depth; d++) at = strchr(at, '\n') + 1;
            snprintf(spoilt, sizeof spoilt, "%.*s<%s/>%.*s", (int)(at - text), text,
                     elements[other], (int)(text + n - at), at);
            snprintf(want, sizeof want,
                     "p.xml: line %d: <%s> does not belong here; an MSCCL program is <algo> <gpu> "
                     "<tb> <step>",
                     depth + 1, elements[other]);
            expect_error(spoilt, want);
        }
    }
    rs_arena_free(&arena);
}
#endif
