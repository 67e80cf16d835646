/* topo_matrix.c: the text of nvidia-smi topo -m.
 *
 *             GPU0   GPU1   NIC0   CPU Affinity   NUMA Affinity       X     itself
 *     GPU0     X     NV18   PIX    0-55           0                   NV#   so many NVLinks
 *     GPU1    NV18    X     SYS    56-111         1                   PIX   one PCIe switch    PXB  several
 *     NIC0    PIX    SYS     X                                        PHB, NODE  a processor   SYS  two of them
 *
 *   - Columns are parted by tabs or blanks. Older versions name a NIC mlx5_0, and say SOC for SYS.
 *   - Where a terminal's edge took the blanks between two columns, on their way over a clipboard, "NIC7NIC8" and
 *     "SYSSYS" are taken apart.
 *   - Lines before and behind the matrix are passed over; it ends at the first line that is no row. Where its head was not copied,
 *     the rows name the columns. GPUs whose rows were not copied are left out.
 */
#include "topology/matrix.h"
#include "ringsim_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NVLINKS = 64, LINE = 16384, MOST_TOKENS = RN_MOST_MATRIX + 16 };

/* ------------------------------------------------------------------ lines and words */

/* Goes to the next line; one that is too long is no row, and empty. Of a table's export the commas are blanks. */
static bool take_line(rn_lines *lines, char out[LINE]) {
    static const char parts[] = ",;\"";
    if (!rn_copy_line(lines, out, LINE)) return false;
    if (strlen(out) == LINE - 1) *out = '\0';
    char *name = out + strspn(out, " \t,;\"");
    const size_t letters = strspn(name, "GPUNIC"),
                 n = letters + strspn(name + letters, "0123456789");
    if (letters != 3 || name[n] == '\0' || strchr(parts, name[n]) == NULL) return true;
    for (char *at = out; (at = strpbrk(at, parts)) != NULL;) *at = ' ';
    return true;
}

/* Cuts a line into words; returns how many there are, `most` if more. */
static int32_t cut(char *line, char *words[], int32_t most) {
    int32_t n = 0;
    for (char *at = line; n < most;) {
        at += strspn(at, " \t");
        if (*at == '\0') break;
        words[n++] = at;
        at += strcspn(at, " \t");
        if (*at == '\0') break;
        *at++ = '\0';
    }
    return n;
}

static const char *const way_words[] = {"X", "NV", "PIX", "PXB", "PHB", "NODE", "SYS", "?"};

/* Reads a cell; false: it is no word of a matrix. */
static bool read_cell(const char *word, rn_matrix_cell *cell) {
    for (int way = RN_WAY_SELF; way <= RN_SYS; way++) {
        const bool older = way == RN_SYS && strcmp(word, "SOC") == 0;
        if (way == RN_WAY_NVLINK || (strcmp(word, way_words[way]) != 0 && !older)) continue;
        *cell = (rn_matrix_cell){(uint8_t)way, 0};
        return true;
    }
    const long n = rn_has_form(word, "NV#$") ? strtol(word + 2, NULL, 10) : -1;
    if (n >= 0 && n <= 255) *cell = (rn_matrix_cell){RN_WAY_NVLINK, (uint8_t)n};
    return n >= 0 && n <= 255;
}

/* Is it a word of nvidia-smi topo -p2p, which tells who may map whose memory? */
static bool is_peer_cell(const char *word) {
    static const char words[] = " NS OK CNS GNS TNS DR U ";
    const char *at = *word != '\0' ? strstr(words, word) : NULL;
    return at != NULL && at[-(at > words)] == ' ' && at[strlen(word)] == ' ';
}

/* Returns how many words of a head name devices: those before "CPU Affinity". */
static int32_t count_devices(char *const words[], int32_t n) {
    int32_t devices = 0;
    while (devices < n && strcmp(words[devices], "CPU") != 0 &&
           strcmp(words[devices], "NUMA") != 0 && strcmp(words[devices], "GPU") != 0) {
        devices++;
    }
    return devices;
}

/* A head names devices, the first of them a GPU, the second with its number; a row would go on with a cell, a kernel's log in words. */
static bool is_head(char *const words[], int32_t n) {
    rn_matrix_cell cell;
    if (n < 1 || !rn_has_form(words[0], "GPU#$")) return false;
    if (n == 1 || count_devices(words, n) == 1) return true;
    return !read_cell(words[1], &cell) && strpbrk(words[1], "0123456789") != NULL;
}

/* Which of a GPU's cells is X, all before it being cells, too; -1: it is no row of a GPU. */
static int32_t diagonal(char *const words[], int32_t n) {
    rn_matrix_cell cell = {.way = RN_WAY_UNKNOWN};
    int32_t x = 1;
    if (n < 3 || !rn_has_form(words[0], "GPU#$")) return -1;
    while (x < n && read_cell(words[x], &cell) && cell.way != RN_WAY_SELF) x++;
    return x < n && cell.way == RN_WAY_SELF ? x - 1 : -1;
}

/* Is the line the first row of a matrix whose head was not copied, with X on the diagonal, as the next has? */
static bool is_first_row(char *const words[], int32_t n, rn_lines behind) {
    char line[LINE], *next[MOST_TOKENS];
    const int32_t x = diagonal(words, n);
    return x >= 0 && (x == 0 || strtol(words[0] + 3, NULL, 10) == x) && take_line(&behind, line) &&
           diagonal(next, cut(line, next, MOST_TOKENS)) == x + 1;
}

/* Goes to the line with which a matrix begins, a copy of which is `line`, and stays before it; headless: that is its first
   row. False: there is none. */
static bool find_matrix(rn_lines *lines, char line[LINE], bool *headless) {
    char copy[LINE], *words[MOST_TOKENS];
    for (rn_lines behind = *lines; take_line(&behind, line); *lines = behind) {
        if (strstr(line, "GPU") == NULL) continue;
        const int32_t n = cut(strcpy(copy, line), words, MOST_TOKENS);
        *headless = is_first_row(words, n, behind);
        if (*headless || is_head(words, n)) return true;
    }
    return false;
}

bool rn_has_matrix(const char *text, size_t n_bytes) {
    rn_lines lines = {.text = text, .n_bytes = n_bytes};
    char line[LINE];
    bool headless;
    return find_matrix(&lines, line, &headless);
}

/* ------------------------------------------------------------------ rows */

typedef struct matrix_reading {
    rn_matrix *matrix;
    rn_findings *findings;
    rs_arena *arena;
    rn_findings *held; /* of rows: errors, or only warnings */
    rn_lines lines;
    int64_t line;     /* of the row at hand, or behind the last */
    int32_t n_before; /* rows that a matrix without head lacks before its first */
    bool said_together;
} matrix_reading;

/* How long the first of two names is that run together, "NIC7NIC8"; 0: there are no two. */
static size_t first_name(const char *word) {
    const size_t letters = strspn(word, "GPUNIC"),
                 n = letters + strspn(word + letters, "0123456789");
    const bool two = letters == 3 && n > letters &&
                     (strncmp(word + n, "NIC", 3) == 0 || strncmp(word + n, "GPU", 3) == 0);
    return two ? n : 0;
}

/* How long the first of two cells is, "SYSSYS"; 0: there are no two. */
static size_t first_cell(const char *word) {
    char begin[5] = "";
    rn_matrix_cell cell;
    for (size_t n = 0; n < 4 && word[n] != '\0' && word[n + 1] != '\0';) {
        begin[n] = word[n];
        begin[++n] = '\0';
        if (n > 2 && read_cell(begin, &cell) && cell.way != RN_WAY_NVLINK &&
            read_cell(word + n, &cell))
            return n;
    }
    return 0;
}

/* Takes words apart that run together, by first_name or first_cell, up to `most` words; the copies live in the arena. */
static bool take_apart(matrix_reading *r, size_t (*first)(const char *), char *words[], int32_t *n,
                       int32_t most) {
    for (int32_t i = 0; i < *n && *n < most; i++) {
        const size_t length = first(words[i]);
        if (length == 0) continue;
        char *copy = rs_alloc(r->arena, length + 1, 1);
        if (copy == NULL) return false;
        memcpy(copy, words[i], length);
        memmove(&words[i + 1], &words[i], (size_t)(*n - i) * sizeof *words);
        words[i] = copy;
        words[i + 1] += length;
        ++*n;
        if (!r->said_together)
            rn_find(r->findings, RN_NOTE, r->line,
                    "%s%s: two columns that run together are taken apart; others alike", copy,
                    words[i + 1]);
        r->said_together = true;
    }
    return true;
}

static void read_head(matrix_reading *r, char *const words[], int32_t n) {
    rn_matrix *m = r->matrix;
    m->line = r->line;
    for (int32_t i = 0; i < n; i++) {
        rn_matrix_device *device = &m->devices[m->n++];
        if (strlen(words[i]) >= RN_MATRIX_NAME) {
            rn_find(r->findings, RN_ERROR, r->line, "column %d: '%.40s...' is no device",
                    (int)i + 1, words[i]);
        }
        snprintf(device->name, sizeof device->name, "%s", words[i]);
        device->is_gpu = rn_has_form(words[i], "GPU#$");
        m->n_gpus += device->is_gpu;
        for (int32_t k = 0; k < i; k++) {
            if (strcmp(m->devices[k].name, device->name) != 0) continue;
            rn_find(r->findings, RN_ERROR, r->line, "column %d: %s has a column already",
                    (int)i + 1, device->name);
        }
    }
}

/* Notes the NUMA node, or else the processors: the first two words behind the cells. */
static void read_affinity(rn_matrix_device *device, char *const words[], int32_t n) {
    const char *numa = n > 1 && words[1][strspn(words[1], "0123456789")] == '\0' ? words[1]
                       : n > 0                                                   ? words[0]
                                                                                 : "";
    if (strcmp(numa, "N/A") != 0) {
        snprintf(device->numa, sizeof device->numa, "%.*s", RN_MATRIX_NAME - 1, numa);
    }
}

static void read_row(matrix_reading *r, int32_t row, char *const words[], int32_t n_words) {
    rn_matrix *m = r->matrix;
    rn_matrix_device *device = &m->devices[row];
    rn_matrix_cell beyond;
    device->line = r->line;
    for (int32_t i = 0; i < m->n; i++) {
        rn_matrix_cell *cell = &m->cells[row * m->n + i];
        const char *word = i < n_words ? words[i] : "";
        const int64_t n_before = r->held->n[RN_ERROR];
        if (!read_cell(word, cell)) {
            cell->way = RN_WAY_UNKNOWN;
            const bool short_row =
                *word == '\0' || (*word >= '0' && *word <= '9') || strcmp(word, "N/A") == 0;
            if (is_peer_cell(word)) {
                rn_find(
                    r->held, RN_ERROR, r->line,
                    "row %s, column %s: '%s' is of nvidia-smi topo -p2p, who may map whose memory (OK: it may): the machine is "
                    "in nvidia-smi topo -m",
                    device->name, m->devices[i].name, word);
            } else if (short_row) {
                rn_find(r->held, RN_ERROR, r->line, "row %s: %d columns, the head names %d devices",
                        device->name, (int)i, (int)m->n);
            } else {
                rn_find(r->held, RN_ERROR, r->line,
                        "row %s, column %s: '%.20s' is none of X, NV#, PIX, PXB, PHB, NODE, SYS",
                        device->name, m->devices[i].name, word);
            }
            return;
        }
        if ((cell->way == RN_WAY_SELF) != (i == row)) {
            rn_find(r->held, RN_ERROR, r->line, "row %s, column %s: X stands for a device itself",
                    device->name, m->devices[i].name);
        } else if (cell->way == RN_WAY_NVLINK &&
                   (cell->n_links < 1 || cell->n_links > MOST_NVLINKS)) {
            rn_find(r->held, RN_ERROR, r->line,
                    "row %s, column %s: %d NVLinks; 1 to %d are possible", device->name,
                    m->devices[i].name, (int)cell->n_links, MOST_NVLINKS);
        } else if (cell->way == RN_WAY_NVLINK && (!device->is_gpu || !m->devices[i].is_gpu)) {
            rn_find(r->held, RN_ERROR, r->line, "row %s, column %s: NVLinks join GPUs only",
                    device->name, m->devices[i].name);
        }
        if (r->held->n[RN_ERROR] > n_before) cell->way = RN_WAY_UNKNOWN;
    }
    if (n_words > m->n && read_cell(words[m->n], &beyond)) {
        rn_find(r->findings, RN_ERROR, r->line,
                "row %s: more columns than the %d devices that the head names", device->name,
                (int)m->n);
    }
    read_affinity(device, words + m->n, n_words - m->n);
}

/* Does each GPU's row say how it reaches each other GPU? */
static bool are_gpus_whole(const rn_matrix *m) {
    for (int32_t i = 0; i < m->n * m->n; i++) {
        const bool both = m->devices[i / m->n].is_gpu && m->devices[i % m->n].is_gpu;
        if (both && m->cells[i].way == RN_WAY_UNKNOWN) return false;
    }
    return true;
}

/* Leaves out GPUs whose row is missing, or cut, the last, where there are two others at least. */
static void leave_out(matrix_reading *r, int32_t last) {
    rn_matrix *m = r->matrix;
    const int32_t n = m->n, n_gpus = m->n_gpus;
    int32_t kept[RN_MOST_MATRIX], n_kept = 0, n_rows = 0;
    for (int32_t k = 0; k < n && last >= 0; k++) {
        const bool cut_off = m->cells[last * n + k].way == RN_WAY_UNKNOWN;
        if (m->devices[k].is_gpu && cut_off) m->devices[last].line = 0;
    }
    for (int32_t i = 0; i < n; i++) {
        const bool row = m->devices[i].line > 0, gpu = m->devices[i].is_gpu;
        n_rows += gpu && row;
        if (row || !gpu) kept[n_kept++] = i;
        if (!row && !gpu) m->devices[i].line = m->line;
    }
    if (n_rows < 2 || n_rows == n_gpus) return;
    for (int32_t i = 0; i < n_kept; i++) {
        m->devices[i] = m->devices[kept[i]];
        for (int32_t k = 0; k < n_kept; k++)
            m->cells[i * n_kept + k] = m->cells[kept[i] * n + kept[k]];
    }
    m->n = n_kept;
    m->n_gpus = n_rows;
    r->findings->n_lost = n_gpus - n_rows;
}

/* What is wrong in rows is an error where it touches GPUs; else the first of it is told, and the rest is not needed. */
static void tell_held(matrix_reading *r) {
    const rn_findings *held = r->held;
    const bool whole = are_gpus_whole(r->matrix);
    for (int32_t i = 0; i < held->n_kept; i++) {
        const rn_finding *found = &held->list[i];
        rn_find_said(r->findings, whole ? RN_WARNING : RN_ERROR, found->line, &found->said);
        if (!whole) continue;
        rn_find(
            r->findings, RN_NOTE, found->line,
            r->findings->n_lost > 0
                ? RS_MESSAGE("GPUs without a row: %d; the machine is told as far as the others go")
                : RS_MESSAGE(
                      "the rows of all GPUs are whole as far as GPUs go: the rest is used as far as it goes"),
            (int)r->findings->n_lost);
        break;
    }
}

static const char *cell_text(rn_matrix_cell cell, char out[8]) {
    snprintf(out, 8, "%s%.0d", way_words[cell.way], (int)cell.n_links); /* 0 is not written */
    return out;
}

static void compare_halves(const matrix_reading *r) {
    const rn_matrix *m = r->matrix;
    char one[8], other[8];
    for (int32_t i = 0; i < m->n; i++) {
        for (int32_t k = 0; k < i; k++) {
            const rn_matrix_cell low = m->cells[i * m->n + k], high = m->cells[k * m->n + i];
            if (low.way == high.way && low.n_links == high.n_links) continue;
            if (low.way == RN_WAY_UNKNOWN) m->cells[i * m->n + k] = high;
            if (high.way == RN_WAY_UNKNOWN) m->cells[k * m->n + i] = low;
            if (low.way == RN_WAY_UNKNOWN || high.way == RN_WAY_UNKNOWN) continue;
            rn_find(r->findings, RN_ERROR, m->devices[i].line,
                    "row %s, column %s: %s, the other way round %s (line %lld)", m->devices[i].name,
                    m->devices[k].name, cell_text(low, one), cell_text(high, other),
                    (long long)m->devices[k].line);
        }
    }
}

/* ------------------------------------------------------------------ the text */

/* Cuts the line at hand, and those behind it with which it goes on where a terminal was narrow: no row begins there, and
   their first word is a cell, a number or, of a head, a device or what is behind these. -1: no memory. */
static int32_t cut_wrapped(matrix_reading *r, char *line, char *words[], bool head) {
    static const char *const behind[] = {"CPU", "NUMA", "GPU", "Affinity"};
    char *next = rs_alloc(r->arena, LINE, 1), *more[MOST_TOKENS];
    int32_t n = cut(line, words, MOST_TOKENS);
    while (next != NULL) {
        const rn_lines before = r->lines;
        rn_matrix_cell cell;
        const int32_t n_more = take_line(&r->lines, next) ? cut(next, more, MOST_TOKENS - n) : 0;
        const char *first = n_more > 0 ? more[0] : "";
        const bool device = rn_has_form(first, "NIC#$") || rn_has_form(first, "GPU#$");
        bool goes_on = !head && (read_cell(first, &cell) || (*first >= '0' && *first <= '9'));
        for (int i = 0; i < 4 && head; i++) goes_on = goes_on || strcmp(first, behind[i]) == 0;
        if (head && device) goes_on = n_more == 1 || !read_cell(more[1], &cell);
        if (!goes_on) {
            r->lines = before;
            return n;
        }
        memcpy(words + n, more, (size_t)n_more * sizeof *more);
        n += n_more;
        next = rs_alloc(r->arena, LINE, 1);
    }
    return -1;
}

/* Writes the head that a matrix has lost, by its rows: a device each, and as many as the first of them, `line`, has cells. */
static bool make_head(matrix_reading *r, char line[LINE]) {
    char *head = rs_alloc(r->arena, LINE, 1), *row[MOST_TOKENS];
    rn_matrix_cell cell;
    int32_t n = 0, n_named = 0, n_words = head != NULL ? cut_wrapped(r, line, row, false) : -1;
    size_t to = 0;
    while (n_words > n + 1 && read_cell(row[n + 1], &cell)) n++;
    r->n_before = n_words > 0 ? diagonal(row, n_words) : 0;
    for (; n_named < r->n_before; n_named++)
        to += (size_t)snprintf(head + to, LINE - to, "GPU%d ", (int)n_named);
    for (; n_words > 1 && n_named < n && read_cell(row[1], &cell); n_named++) {
        to += (size_t)snprintf(head + to, LINE - to, "%.*s ", RN_MATRIX_NAME, row[0]);
        n_words = take_line(&r->lines, line) ? cut_wrapped(r, line, row, false) : 0;
    }
    for (; n_words >= 0 && n_named < n; n_named++)
        to += (size_t)snprintf(head + to, LINE - to, "column-%d ", (int)n_named + 1);
    rn_find(
        r->findings, RN_WARNING, r->line,
        "the head of the matrix (GPU0 GPU1 ...) is missing: its columns are taken to be the devices of its rows, in their order");
    if (n_words >= 0) memcpy(line, head, LINE);
    return n_words >= 0;
}

/* Reads from the head on; `line` holds it, and is used for the rows. */
static rs_status read_rows(matrix_reading *r, char line[LINE], rs_error *error) {
    rn_matrix *m = r->matrix;
    char **words = rs_alloc(r->arena, MOST_TOKENS, sizeof *words);
    if (words == NULL) return rs_no_memory(error);
    int32_t n_words = cut_wrapped(r, line, words, true), row = r->n_before;
    if (n_words < 0 || !take_apart(r, first_name, words, &n_words, MOST_TOKENS))
        return rs_no_memory(error);
    const int32_t n = count_devices(words, n_words);
    if (n > RN_MOST_MATRIX) {
        rn_find(r->findings, RN_ERROR, r->line, "too many columns: at most %d devices",
                RN_MOST_MATRIX);
        return RS_OK;
    }
    m->devices = rs_alloc(r->arena, (size_t)n, sizeof *m->devices);
    m->cells = rs_alloc(r->arena, (size_t)n * (size_t)n, sizeof *m->cells);
    if (m->devices == NULL || m->cells == NULL) return rs_no_memory(error);
    read_head(r, words, n);
    for (int32_t i = 0; i < n * n; i++) m->cells[i].way = RN_WAY_UNKNOWN;
    while (row < n) {
        const bool any = take_line(&r->lines, line);
        r->line = r->lines.number + !any;
        if (!any) break;
        n_words = cut_wrapped(r, line, words, false);
        if (n_words == 0 && row == r->n_before) continue;
        if (n_words < 0) return rs_no_memory(error);
        if (n_words == 0 || strcmp(words[0], m->devices[row].name) != 0) break;
        if (!take_apart(r, first_cell, words, &n_words, MOST_TOKENS)) return rs_no_memory(error);
        read_row(r, row++, words + 1, n_words - 1);
    }
    if (row < n || r->n_before > 0)
        rn_find(r->held, RN_ERROR, r->line, "the row of %s is missing here",
                m->devices[r->n_before > 0 ? 0 : row].name);
    leave_out(r, row < n || r->lines.at >= r->lines.n_bytes ? row - 1 : -1);
    tell_held(r);
    if (r->findings->n[RN_ERROR] == 0) compare_halves(r);
    return RS_OK;
}

rs_status rn_parse_matrix(const char *text, size_t n_bytes, rs_arena *arena, rn_findings *findings,
                          rs_error *error, rn_matrix *matrix) {
    *matrix = (rn_matrix){0};
    matrix_reading r = {.matrix = matrix,
                        .findings = findings,
                        .arena = arena,
                        .lines = {.text = text, .n_bytes = n_bytes}};
    char *line = rs_alloc(arena, LINE, 1);
    bool headless;
    r.held = rs_alloc(arena, 1, sizeof *r.held);
    if (line == NULL || r.held == NULL) return rs_no_memory(error);
    if (!find_matrix(&r.lines, line, &headless)) {
        rn_find(findings, RN_ERROR, 1, "there is no matrix of nvidia-smi topo -m");
        return RS_OK;
    }
    const rn_lines before = r.lines;
    take_line(&r.lines, line);
    r.line = r.lines.number;
    if (headless && !make_head(&r, line)) return rs_no_memory(error);
    if (headless) r.lines = before;
    return read_rows(&r, line, error);
}
