/* nccl_log_pieces.c: pieces of lines, and what grows while a log is read. */
#include "nccl_log.h"

#include <string.h>

void *rs_grow(rs_nccl_log_reader *r, rs_growing *g, size_t size) {
    if (g->n == g->room) {
        const int32_t room = g->room == 0 ? 64 : 2 * g->room;
        void *list = g->room < 1 << 28 ? rs_alloc(r->arena, (size_t)room, size) : NULL;
        if (list == NULL) {
            r->failed = true;
            return NULL;
        }
        if (g->n > 0) memcpy(list, g->list, (size_t)g->n * size);
        g->list = list;
        g->room = room;
    }
    return (char *)g->list + (size_t)g->n++ * size;
}

void rs_remark(rs_nccl_log_reader *r, int64_t line, rs_nccl_remark what, int32_t a, int32_t b,
               const char *text, size_t n) {
    if (r->notes.n == RS_LOG_MOST_NOTES) return;
    rs_nccl_note *note = rs_grow(r, &r->notes, sizeof *note);
    if (note == NULL) return;
    note->line = line;
    note->what = what;
    note->a = a;
    note->b = b;
    if (n > sizeof note->text - 1) n = sizeof note->text - 1;
    for (size_t i = 0; i < n; i++) note->text[i] = text[i];
}

rs_log_thread *rs_log_find_thread(rs_nccl_log_reader *r, uint64_t thread) {
    rs_log_thread *list = r->threads.list;
    int32_t *seen = &r->seen[thread % RS_LOG_SEEN];
    if (thread == 0) return NULL;
    if (*seen > 0 && list[*seen - 1].key == thread) return &list[*seen - 1];
    for (int32_t i = r->threads.n; i-- > 0;) {
        if (list[i].key != thread) continue;
        *seen = i + 1;
        return &list[i];
    }
    return NULL;
}

/* ------------------------------------------------------------------ pieces */

bool rs_take(const char **at, const char *words) {
    const char *s = *at;
    while (*s == ' ') s++;
    for (; *words != '\0'; words++) {
        if (*words == ' ') {
            if (*s != ' ') return false;
            while (*s == ' ') s++;
        } else if (*s++ != *words) {
            return false;
        }
    }
    *at = s;
    return true;
}

bool rs_take_int(const char **at, int64_t most, int64_t *number) {
    const char *s = *at;
    int64_t value = 0;
    while (*s == ' ') s++;
    const bool minus = *s == '-';
    if (minus) s++;
    if (*s < '0' || *s > '9') return false;
    for (; *s >= '0' && *s <= '9'; s++) {
        value = value * 10 + (*s - '0');
        if (value > most) return false;
    }
    *number = minus ? -value : value;
    *at = s;
    return true;
}

bool rs_take_decimal(const char **at, double *number) {
    const char *s = *at;
    double value = 0, part = 1;
    int n = 0;
    while (*s == ' ') s++;
    for (; *s >= '0' && *s <= '9' && n < 18; s++, n++) value = value * 10 + (*s - '0');
    if (n == 0 || (*s >= '0' && *s <= '9')) return false;
    if (*s == '.') {
        double digits = 0;
        for (s++; *s >= '0' && *s <= '9'; s++) {
            if (part > 1e14) continue;
            digits = digits * 10 + (*s - '0');
            part *= 10;
        }
        value += digits / part;
    }
    *number = value;
    *at = s;
    return true;
}

bool rs_find(const char *text, const char *words, const char **behind) {
    const char *found = strstr(text, words);
    if (found != NULL) *behind = found + strlen(words);
    return found != NULL;
}
