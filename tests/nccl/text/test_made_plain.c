/* test_made_plain.c: a text in any dress comes out as the text: all kinds x all prefixes x all encodings, drawn together. */
#include "ringsim_text.h"

#include "support/session.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 1 << 16 };

static rs_arena arena;
static void start(void) {
    rs_arena_init(&arena, NULL);
}
static void stop(void) {
    rs_arena_free(&arena);
}
TestSuite(plain_text, .init = start, .fini = stop);

/* What people paste, a kind each. */
static const char *const kinds[] = {
    "[rank1]:[E626 06:24:44.159 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=808, OpType=ALLREDUCE, NumelIn=9801523) ran for 600021 milliseconds before timing out.\n"
    "[rank1]:[E626 06:24:44.159 ProcessGroupNCCL.cpp:1785] [PG ID 0 PG GUID 0(default_pg) Rank 1] Exception at work: 808\n"
    "[rank1]:[E626 06:24:44.160 ProcessGroupNCCL.cpp:681] [Rank 1] Some NCCL operations have failed.\n",
    "node-0:45:46 [0] NCCL INFO Channel 00/24 :    0   1   2   3\n"
    "node-0:45:46 [1] NCCL INFO Trees [0] 1/-1/-1->0->-1 [1] 1/-1/-1->0->-1\n"
    "NCCL version 2.27.7+cuda12.9\n",
    "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
    "     1048576        262144     float     sum      -1    203.2    5.16    9.68      0\n"
    "     2097152        524288     float     sum      -1    306.4    6.84   12.83      0\n"
    "# Out of bounds values : 0 OK\n",
    "        GPU0    GPU1    NIC0    CPU Affinity\n"
    "GPU0     X      NV18    PIX     0-55\n"
    "GPU1    NV18     X      SYS     56-111\n"
    "NIC0    PIX     SYS      X\n",
    "== pid 4103 rank 3 ==\n"
    "Thread 4103 (active): \"MainThread\"\n"
    "    qkv_proj (model.py:245)\n"
    "    forward (model.py:310)\n",
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* Launchers and viewers; # stands for the line's number. The last four are known by all lines together. */
static const char prefixes[] =
    "> \0> > \0- \0  * \0#. \0#: \0  #\t\0 # | \0[1,0]<stdout>:\0[1,13]<stderr>:\0"
    "Tue Mar  4 10:11:12 2025[1,0]<stdout>:\0[default3]:\0(RayWorkerWrapper pid=4009) \0"
    "(RayTrainWorker pid=615, ip=192.0.2.6) \0"
    "(EngineCore_DP0 pid=742) (RayWorkerWrapper pid=927) \0[pod/train-0/main] \0"
    "train-worker-0 | \0"
    "2025-03-04T10:11:12.123456789Z stdout F \0"
    "2025-03-04T10:11:12.123456789Z \0"
    "2025-03-04 10:11:12,123 \0"
    "  | 2024-11-28T07:42:11.525Z | \0Mar 04 10:11:12 node-1 python3[1234]: \0"
    "[12345.678901] \0[    5.678901] \0INFO 03-04 10:11:12 \0trainer/0 \0[trainer] \0"
    "node-1: \0"
    "192.0.2.83: \0";
enum { N_PREFIXES = 29, N_KNOWN = 25 };

/* The i-th of texts that end with zeros. */
static const char *text_of(const char *texts, int i) {
    for (; i > 0; i--) texts += strlen(texts) + 1;
    return texts;
}

static size_t with_prefix(const char *text, const char *prefix, char out[ROOM]) {
    size_t n = 0;
    int number = 0;
    for (const char *at = text; *at != '\0';) {
        const char *end = strchr(at, '\n');
        number++;
        for (const char *p = prefix; *p != '\0'; p++) {
            if (*p == '#')
                n += (size_t)sprintf(out + n, "%d", number);
            else
                out[n++] = *p;
        }
        memcpy(out + n, at, (size_t)(end + 1 - at));
        n += (size_t)(end + 1 - at);
        at = end + 1;
    }
    out[n] = '\0';
    return n;
}

/* Ways in which a text is written, that a reader must not see. */
typedef enum dress {
    AS_IT_IS,
    CRLF,
    MARKED,
    COLOURED,
    ARROWS,
    LOST_ESCAPES,
    NO_BREAK,
    ENTITIES,
    JSON,
    N_DRESSES
} dress;

static size_t with_dress(const char *text, size_t n_text, dress how, char out[ROOM]) {
    size_t n = 0;
    bool begins = true;
    if (how == MARKED) n += (size_t)sprintf(out, "\xef\xbb\xbf");
    for (size_t i = 0; i < n_text; i++) {
        const char c = text[i];
        const char *colour = how == COLOURED ? "\033[36m"
                             : how == ARROWS ? "\xe2\x86\x90[36m"
                                             : "[36m";
        if (begins && how == JSON) n += (size_t)sprintf(out + n, "{\"log\":\"");
        if (begins && how >= COLOURED && how <= LOST_ESCAPES)
            n += (size_t)sprintf(out + n, "%s", colour);
        begins = c == '\n';
        if (how == JSON && (c == '"' || c == '\n' || c == '\t')) {
            n += (size_t)sprintf(out + n, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : '"');
            if (c == '\n')
                n += (size_t)sprintf(out + n, "\",\"stream\":\"stderr\",\"time\":\"2025\"}\n");
        } else if (how == CRLF && c == '\n') {
            n += (size_t)sprintf(out + n, "\r\n");
        } else if (how == NO_BREAK && c == ' ') {
            n += (size_t)sprintf(out + n, "\xc2\xa0");
        } else if (how == ENTITIES && (c == '>' || c == '<' || c == '"' || c == ' ')) {
            n += (size_t)sprintf(out + n, "%s",
                                 c == '>'   ? "&gt;"
                                 : c == '<' ? "&lt;"
                                 : c == '"' ? "&quot;"
                                            : "&nbsp;");
        } else {
            if (how >= COLOURED && how <= LOST_ESCAPES && c == '\n') {
                n += (size_t)sprintf(out + n, "%s[0m",
                                     how == COLOURED ? "\033"
                                     : how == ARROWS ? "\xe2\x86\x90"
                                                     : "");
            }
            out[n++] = c;
        }
    }
    out[n] = '\0';
    return n;
}

static size_t in_utf16(const char *text, size_t n_text, bool low_first, bool mark, char out[ROOM]) {
    size_t n = 0;
    for (size_t i = mark ? 0 : 1; i <= n_text; i++) {
        const unsigned code = i == 0 ? 0xfeff : (unsigned char)text[i - 1];
        out[n++] = (char)(low_first ? code & 0xff : code >> 8);
        out[n++] = (char)(low_first ? code >> 8 : code & 0xff);
    }
    return n;
}

static rn_plain plain_of(const char *bytes, size_t n) {
    rs_error error;
    rn_plain plain;
    cr_assert_eq(rn_make_plain(bytes, n, &arena, &error, &plain), RS_OK, "%s", error.text);
    cr_assert_eq(strlen(plain.text), plain.n_bytes);
    return plain;
}

static bool is_ascii(const char *text) {
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text >= 0x80) return false;
    }
    return true;
}

Test(plain_text, every_kind_behind_every_prefix_in_every_dress_comes_out_the_same) {
    static char tagged[ROOM], dressed[ROOM], coded[ROOM];
    for (int k = 0; k < N_KINDS; k++) {
        const rn_plain itself = plain_of(kinds[k], strlen(kinds[k]));
        cr_expect_str_eq(itself.text, kinds[k]);
        for (int p = -1; p < N_PREFIXES; p++) {
            for (int d = AS_IT_IS; d < N_DRESSES; d++) {
                const size_t n = with_prefix(kinds[k], p < 0 ? "" : text_of(prefixes, p), tagged);
                const size_t n_dressed = with_dress(tagged, n, (dress)d, dressed);
                const rn_plain plain = plain_of(dressed, n_dressed);
                cr_expect_str_eq(plain.text, kinds[k], "prefix %d, dress %d:\n%s", p, d, dressed);
                for (int e = 0; e < 4 && is_ascii(dressed); e++) {
                    const size_t n_coded = in_utf16(dressed, n_dressed, e % 2 == 0, e < 2, coded);
                    const rn_plain read = plain_of(coded, n_coded);
                    cr_expect_str_eq(read.text, kinds[k], "prefix %d, dress %d, encoding %d", p, d,
                                     e);
                }
            }
        }
        stop();
        start();
    }
}

/* Cuts every line at a column, as a terminal does. */
static size_t wrap(const char *text, int column, bool margin, char out[ROOM]) {
    size_t n = 0;
    int at = 0;
    for (; *text != '\0'; text++) {
        if (at == column && *text != '\n') {
            out[n++] = '\n';
            at = 0;
        }
        for (; margin && *text == '\n' && at < column; at++) out[n++] = ' ';
        out[n++] = *text;
        at = *text == '\n' ? 0 : at + 1;
    }
    out[n] = '\0';
    return n;
}

static size_t without_ends(const char *text, char out[ROOM]) {
    size_t n = 0;
    for (; *text != '\0'; text++) {
        if (*text != '\n' || (n > 0 && out[n - 1] != '\n')) out[n++] = *text;
    }
    out[n] = '\0';
    return n;
}

Test(plain_text, lines_that_a_terminal_cut_are_whole_again_and_keep_their_numbers) {
    static char whole[ROOM], wrapped[ROOM], quoted[ROOM], joined[ROOM];
    static const int columns[] = {75, 80, 100, 120, 132, 160, 184};
    static const char *const quotes[] = {"", "> ", "> > ", "| "};
    snprintf(whole, sizeof whole, "%s%s%s", kinds[0], kinds[0], kinds[0]);
    for (int c = 0; c < 7; c++) {
        for (int way = 0; way < 10; way++) { /* as it is, quoted; behind: its margin kept */
            const char *quote = quotes[way % 5 < 4 ? way % 5 : 1];
            const bool later = way % 5 == 4; /* it was quoted before it was cut */
            if (later) with_prefix(whole, quote, quoted);
            wrap(later ? quoted : whole, columns[c], way >= 5, wrapped);
            const size_t n = with_prefix(wrapped, later ? "" : quote, quoted);
            const rn_plain plain = plain_of(quoted, n);
            without_ends(plain.text, joined);
            cr_expect_str_eq(joined, whole, "column %d:\n%s", columns[c], quoted);
            size_t ends = 0, kept = 0;
            for (size_t i = 0; i < n; i++) ends += quoted[i] == '\n';
            for (size_t i = 0; i < plain.n_bytes; i++) kept += plain.text[i] == '\n';
            cr_expect_eq(ends, kept);
        }
    }
}

/* Breaks every line between words, as rich, an editor or a chat does; margin: of what goes on; blank: that at the edge stays.
   Returns whether an edge may have cut them as well: four of five that it has broken end in the same two columns. */
static bool wrap_words(const char *text, size_t column, size_t margin, bool blank, char out[ROOM]) {
    size_t n = 0, at = 0, n_broken = 0, n_wide[200] = {0}, most = 0;
    while (*text != '\0') {
        const size_t word = strcspn(text, " \n");
        if (at > margin && at + word > column) {
            n_broken++;
            n_wide[at - 1]++;
            n -= !blank;
            n += (size_t)sprintf(out + n, "\n%*s", (int)margin, "");
            at = margin;
        }
        memcpy(out + n, text, word + 1);
        n += word + 1;
        at = text[word] == '\n' ? 0 : at + word + 1;
        text += word + 1;
    }
    out[n] = '\0';
    for (size_t c = 1; c < 200; c++)
        most = n_wide[c] + n_wide[c - 1] > most ? n_wide[c] + n_wide[c - 1] : most;
    return 5 * most >= 4 * n_broken;
}

/* But what an edge may have cut as well, and a prefix that is alone on its line: the next begins a message. */
Test(plain_text, lines_that_were_broken_between_words_are_whole_again) {
    static char whole[ROOM], tagged[ROOM], wrapped[ROOM], joined[ROOM];
    int n_cut = 0;
    snprintf(
        whole, sizeof whole, "%s%s%s%s", kinds[0], kinds[0],
        "node-0:45:46 [0] ib_plugin.c:1615 NCCL WARN NET/IB : Got completion from peer 172.36.143.59<44206> with "
        "status=12 opcode=129 len=65536 vendor err 129 (Recv) localGid ::ffff:29.87.88.182\n",
        kinds[0]);
    for (int p = -1; p < N_KNOWN; p++) {
        const char *prefix = p < 0 ? "" : text_of(prefixes, p);
        for (size_t column = 60; column <= 130; column++) {
            for (int way = 0; way < 6; way++) {
                with_prefix(whole, prefix, tagged);
                const bool cut =
                    wrap_words(tagged, column, (size_t)(way / 2 * 5), way % 2 == 1, wrapped) ||
                    strlen(prefix) + strlen("[rank1]:[E626") > column;
                without_ends(plain_of(wrapped, strlen(wrapped)).text, joined);
                n_cut += cut;
                cr_expect(cut || strcmp(joined, whole) == 0, "prefix %d, column %d, way %d:\n%s", p,
                          (int)column, way, wrapped);
            }
        }
        stop();
        start();
    }
    cr_expect_lt(n_cut, 400); /* of 11,076 */
}

Test(plain_text, what_belongs_together_is_joined_and_what_does_not_is_parted) {
    static const char *const texts[][2] = {
        /* A line goes on in the next within a call, and where a blank was lost at an edge. */
        {"[rank2]:[E5 a] [Rank 2] Watchdog caught: WorkNCCL(SeqNum=5, NumelOut=51\n"
         "64000, Timeout(ms)=1) ran\n[rank3]:[E5 a] WorkNCCL(SeqNum=5\n[rank4]:[E5 b] c\n",
         "[rank2]:[E5 a] [Rank 2] Watchdog caught: WorkNCCL(SeqNum=5, NumelOut=5164000, Timeout(ms)=1) ran\n\n"
         "[rank3]:[E5 a] WorkNCCL(SeqNum=5\n[rank4]:[E5 b] c\n"},
        {"a:1:2 [0] NCCL WARN Got completion from peer with\n"
         "status=12 opcode=0 len=0 vendor err 129 of mlx5_0\n"
         "localGid fe80::1 remoteGids fe80::2 and a word bey\nond\n",
         "a:1:2 [0] NCCL WARN Got completion from peer with status=12 opcode=0 len=0 vendor err 129 of mlx5_0 localGid "
         "fe80::1 remoteGids fe80::2 and a word beyond\n\n\n\n"},
        /* A message begins within a line where torch's head does: its ends lost, or escaped, or within a sentence. */
        {"[E a.cpp:4] b [E a.cpp:5] c [rank2]:[E626 06:24:44.1 a.cpp:6] d",
         "[E a.cpp:4] b\r[E a.cpp:5] c\r[rank2]:[E626 06:24:44.1 a.cpp:6] d"},
        {"{'out': '[E a.cpp:4] b\\n[rank1]:[E a.cpp:5] c'",
         "{'out': '[E a.cpp:4] b\\\r[rank1]:[E a.cpp:5] c'"},
        {"I get `[rank0]:[E1010 11:50:05.3 a.cpp:5] b`, when",
         "I get \r[rank0]:[E1010 11:50:05.3 a.cpp:5] b`, when"},
        {"it parses `[rank1]:[E a] x` and [rank2]: goes on",
         "it parses `[rank1]:[E a] x` and [rank2]: goes on"},
        /* srun's labels: where a text begins with one, or a message is behind one; a list of Horovod's has ranks. */
        {" 3: Exception: a\n 3: b\n", "Exception: a\nb\n"},
        {"a\n3: [rank3]:[E a] b\n3: c\n", "a\n[rank3]:[E a] b\nc\n"},
        {"Missing ranks:\n1: [a, b]\n2: [a]\n", "Missing ranks:\n1: [a, b]\n2: [a]\n"}};
    for (int i = 0; i < 9; i++)
        cr_expect_str_eq(plain_of(texts[i][0], strlen(texts[i][0])).text, texts[i][1]);
}

/* Tables, matrices and prose have lines of one length, too. */
Test(plain_text, what_no_terminal_cut_is_not_joined) {
    static const char *const texts[] = {
        "RuntimeError: the first\nline of all it says\nand a third, all short\n",
        ("torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 1/3 clients joined.\n"
         "RuntimeError: [Rank 0]: Ranks 4, 5 failed to pass monitoredBarrier in 2000000 ms\n"),
        "libnccl.so.2: cannot open\nnode-2: alone, no neighbour has it\nnode-3: nor this\n",
        "  [0]  1048576  262144  float  sum  -1  1626.5\n  [0]  2097152  524288  float  sum  -1  2325.3\n"
        "  [0]  4194304 1048576  float  sum  -1  4622.6\n  [0]  8388608 2097152  float  sum  -1  9992.6\n",
        "device 'mlx5_1' port 1 with a long line behind:\n\tstate: DOWN\ndevice 'mlx5_2' port 1 with a long line behind:\n"
        "\tstate: DOWN\ndevice 'mlx5_3' port 1 with a long line behind:\n\tstate: ACTIVE\n"};
    for (int i = 0; i < 5; i++)
        cr_expect_str_eq(plain_of(texts[i], strlen(texts[i])).text, texts[i]);
}

Test(plain_text, a_bar_of_progress_ends_where_the_cursor_goes_back) {
    static const char bar[] = " 10%|#  | 1/9\r 20%|## | 2/9\r[rank1]:[E a] b\nc\n";
    const rn_plain plain = plain_of(bar, sizeof bar - 1);
    rn_lines l = {.text = plain.text, .n_bytes = plain.n_bytes};
    for (int i = 0; i < 3; i++) {
        cr_assert(rn_next_line(&l));
        cr_expect_eq(l.number, 1);
    }
    cr_expect(l.n == 15 && memcmp(l.line, "[rank1]:[E a] b", 15) == 0, "%.*s", (int)l.n, l.line);
    cr_assert(rn_next_line(&l));
    cr_expect(l.number == 2 && l.n == 1 && *l.line == 'c');
    cr_expect_not(rn_next_line(&l));
}

Test(plain_text, xml_is_found_by_its_root_between_whatever_stands_around_it) {
    static const char inner[] = "<system version=\"1\">\n  <cpu numaid=\"0\"/>\n</system>";
    static char text[ROOM];
    static const char *const around[][2] = {
        {"", ""},
        {"my machine:\n\n```xml\n", "\n```\nis it right?\n"},
        {"<details><summary>topo</summary>\n", "\n</details>\n"}};
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%s%s%s", around[i][0], inner, around[i][1]);
        const rn_plain plain = plain_of(text, strlen(text));
        cr_expect_eq(rn_find_root(plain.text, plain.n_bytes, NULL), RN_ROOT_SYSTEM);
        const size_t blanks = strspn(plain.text, " \n");
        cr_expect_eq(memcmp(plain.text + blanks, inner, sizeof inner - 1), 0, "%s", plain.text);
        const char *rest = plain.text + blanks + sizeof inner - 1;
        cr_expect_eq(rest[strspn(rest, " \n")], '\0');
    }
    cr_expect_eq(rn_find_root("<algo name=\"a\">", 15, NULL), RN_ROOT_ALGO);
    cr_expect_eq(rn_find_root("<systems>", 9, NULL), RN_ROOT_NONE);
    cr_expect_eq(rn_find_root("<graphs version=\"1\">", 20, NULL), RN_ROOT_GRAPHS);
}

/* Whatever the bytes are: no more lines than there were, nothing read or written beyond. */
Test(plain_text, any_bytes_at_all_have_as_many_lines_as_they_had) {
    static char bytes[600];
    enum { N_PIECES = 29 };
    static const char pieces[] =
        "\033[\0\033]\0[1;3\0m\0&gt;\0&\0{\"log\":\"\0\"}\0\\u00\0\\\0\n\0\r\0\r\n\0"
        "\xc2\xa0\0\xe2\x86\0\xef\xbb\xbf\0WorkNCCL(SeqNum=\0)\0[1,0]<stdout>:\0node-1: \0"
        "2025-03-04T10:11:12.1\0Z \0(a pid=\0<system\0>\0x\0 \0\t\0"
        "12: \0";
    session_begin(7);
    for (int turn = 0; turn < 20000; turn++) {
        size_t n = 0, ends = 0, kept = 0;
        while (n < 400 && session_below(30) > 0) {
            const char *piece = text_of(pieces, session_below(N_PIECES));
            memcpy(bytes + n, piece, strlen(piece));
            n += strlen(piece);
        }
        char *copy = rs_alloc(&arena, n + 1, 1); /* its own: a sanitizer sees its end */
        memcpy(copy, bytes, n);
        const rn_plain plain = plain_of(copy, n);
        for (size_t i = 0; i < n; i++) ends += bytes[i] == '\n';
        for (size_t i = 0; i < plain.n_bytes; i++) kept += plain.text[i] == '\n';
        cr_assert_eq(ends, kept, "%.*s\n---\n%s", (int)n, bytes, plain.text);
        if (turn % 1000 == 999) {
            stop();
            start();
        }
    }
    const rn_plain joined = plain_of("\t\xa5\n\xb2\xba\n\xba\n\xb2\xba\n\xba", 12);
    cr_expect_eq(joined.text[joined.n_bytes], '\0'); /* a blank for each line's end has room */
}

Test(plain_text, what_stands_in_quotes_is_spoken_of) {
    static const char *const quoted[] = {"parses `[rank1]:[E a] x` and goes on",
                                         "X = '[rank1]:[E a] x'", "  \"[rank1]:[E a] x\",",
                                         "raise RuntimeError(\"[rank1]: don't\")"},
                             *const said[] = {"[rank1]:[E a] x", "don't [rank1]: it's x",
                                              "File \"a.py\", line 3, in f [rank1]: x",
                                              "[rank0]: say \"no\" [rank1]: x",
                                              "Cuda failure 'x' [rank1]:"};
    for (int i = 0; i < 4; i++)
        cr_expect(rn_is_quoted(quoted[i], strstr(quoted[i], "[rank1]")), "%s", quoted[i]);
    for (int i = 0; i < 5; i++)
        cr_expect_not(rn_is_quoted(said[i], strstr(said[i], "[rank1]")), "%s", said[i]);
}
