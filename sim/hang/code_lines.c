/* code_lines.c: lines of code that calls come from, each once: its text, what it is told apart by, whether PyTorch's own. */
#include "data_tree.h"

#include <stdio.h>
#include <string.h>

/* Tells whether a file is part of PyTorch: nobody looks for his mistake there. */
static bool is_torch(const rs_text *file) {
    static const char *const inside[] = {"/torch/", "torch/distributed/", "contextlib.py"};
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        const size_t n = strlen(inside[i]);
        for (uint32_t at = 0; at + n <= file->n_bytes; at++) {
            if (file->text[at] == inside[i][0] && memcmp(file->text + at, inside[i], n) == 0) {
                return true;
            }
        }
    }
    return false;
}

static rs_code_line *slot_of_line(rs_code_line *lines, uint32_t room, uint64_t key) {
    uint64_t h = key * 0x9e3779b97f4a7c15;
    for (uint32_t i = (uint32_t)(h >> 40);; i++) {
        rs_code_line *l = &lines[i & (room - 1)];
        if (l->key == key || l->key == 0) return l;
    }
}

static void new_line(rs_code_lines *of, uint64_t key, rs_code_line *l) {
    const rs_text *file = &of->words->list[key >> 32];
    char text[1024];
    const int n_file = file->n_bytes < 1000 ? (int)file->n_bytes : 1000;
    const int n =
        snprintf(text, sizeof text, "%.*s:%u", n_file, file->text, (unsigned)(key & 0x7fffffff));
    const int64_t where = rs_text_kept(of->kept, text, n > 0 ? (size_t)n : 0);
    uint64_t hash = 0xcbf29ce484222325;
    for (int i = 0; i < n; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
    *l = (rs_code_line){key, hash, where == RS_NO_TEXT ? 0 : (uint32_t)where, is_torch(file)};
}

const rs_code_line *rs_code_line_at(rs_code_lines *of, uint64_t key) {
    rs_code_line *lines = of->list;
    if (of->n * 2 >= of->room) {
        const uint32_t room = of->room == 0 ? 256 : of->room * 2;
        rs_code_line *wider = rs_heap_take(of->heap, room * sizeof *wider);
        if (wider == NULL) {
            return NULL;
        }
        memset(wider, 0, room * sizeof *wider);
        for (uint32_t i = 0; i < of->room; i++) {
            if (lines[i].key != 0) *slot_of_line(wider, room, lines[i].key) = lines[i];
        }
        of->list = wider;
        of->room = room;
        lines = wider;
    }
    rs_code_line *l = slot_of_line(lines, of->room, key);
    if (l->key == 0) {
        new_line(of, key, l);
        of->n++;
    }
    return l;
}
