/* log_pieces.c: pieces of a log's line, and what they are added to: the calls of a rank in a group. */
#include "hang_log.h"

#include <stdlib.h>
#include <string.h>

const char *rn_log_prefix(const char *line, int64_t *rank) {
    static const char begin[] = "[rank";
    for (const char *at = strstr(line, begin); at != NULL; at = strstr(at + 1, begin)) {
        const size_t n = strspn(at + sizeof begin - 1, "0123456789");
        const char *end = at + sizeof begin - 1 + n;
        if (n == 0 || n > 8 || strncmp(end, "]:", 2) != 0) continue;
        if (strncmp(end + 2, begin, sizeof begin - 1) == 0) continue; /* "[rank2]:[rank6]:" */
        *rank = strtoll(at + sizeof begin - 1, NULL, 10);
        return at;
    }
    return NULL;
}

const char *rn_next_message(const char *at) {
    static const char begin[] = " [E";
    int64_t rank;
    const char *named = rn_log_prefix(at, &rank);
    while ((at = strstr(at, begin)) != NULL && (named == NULL || at < named)) {
        at += sizeof begin - 1;
        const char *file = strstr(at, "ProcessGroup");
        if (file != NULL && memchr(at, ']', (size_t)(file - at)) == NULL) return at - 2;
    }
    return named;
}

bool rn_log_has_any(const char *line, const char *words) {
    for (; *words != '\0'; words += strlen(words) + 1) {
        if (strstr(line, words) != NULL) return true;
    }
    return false;
}

int64_t rn_time_of(const char *line) {
    for (const char *at = line; (at = strchr(at, '[')) != NULL; at++) {
        if (strchr("EWIF", at[1]) == NULL || at[1] == '\0') continue;
        const size_t n = strspn(at + 2, "0123456789");
        const char *c = at + 2 + n + 1;
        if (n < 3 || n > 4 || at[2 + n] != ' ' || strspn(c, "0123456789") != 2 || c[2] != ':' ||
            strspn(c + 3, "0123456789") != 2 || c[5] != ':')
            continue;
        const int64_t day = strtoll(at + 2, NULL, 10);
        const int64_t minutes = ((day / 100 * 31 + day % 100) * 24 + atoi(c)) * 60 + atoi(c + 3);
        return minutes * 60000000 + (int64_t)(atof(c + 6) * 1e6);
    }
    return -1;
}

rn_rank_log *rn_log_new(rn_log_reader *r, int32_t rank, uint32_t group) {
    if (r->n >= RN_LOG_ENTRIES) r->heap->arena->lacked = true;
    if (rn_log_lacks(r) || !rs_heap_reserve(r->heap, &r->list, r->n + 1, &r->room)) return NULL;
    r->list[r->n] = (rn_rank_log){
        .rank = rank, .order = r->n, .of = {.name = group, .last_seq = -1, .last_completed = -1}};
    return &r->list[r->n++];
}

rn_rank_log *rn_log_of(rn_log_reader *r, int32_t rank, uint32_t group) {
    const uint32_t key[] = {(uint32_t)rank, group};
    const int64_t number = rs_text_kept(&r->keys, key, sizeof key);
    if (number == RS_NO_TEXT || !rs_heap_reserve(r->heap, &r->key_log, number + 1, &r->key_room))
        return NULL;
    if (r->key_log[number] > 0) return &r->list[r->key_log[number] - 1];
    rn_rank_log *l = rn_log_new(r, rank, group);
    if (l != NULL) r->key_log[number] = (int32_t)(l - r->list) + 1;
    return l;
}

rn_call *rn_log_call(rn_log_reader *r, rn_rank_log *l) {
    if (!rs_heap_reserve(r->heap, &l->calls, l->n + 1, &l->room)) return NULL;
    l->calls[l->n] = (rn_call){.peer = -1, .root = -1, .op = -1};
    return &l->calls[l->n++];
}
