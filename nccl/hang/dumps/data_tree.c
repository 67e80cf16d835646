/* data_tree.c: lists and dictionaries. */
#include "data_tree.h"

#include <string.h>

enum { LONGEST = 1 << 30 };

bool rn_datum_make(rs_heap *pieces, rn_datum_kind kind, rn_datum *made) {
    rn_items *items = rs_heap_take(pieces, sizeof *items);
    if (items == NULL) return false;
    *items = (rn_items){0};
    *made = (rn_datum){.kind = kind, .items = items};
    return true;
}

bool rn_items_add(rs_heap *pieces, rn_items *items, const rn_datum data[], size_t n) {
    if (n > LONGEST - items->n) return false;
    if (n > items->room - items->n) {
        const size_t room = items->n == 0 ? n : 2 * (items->n + n);
        rn_datum *at = rs_heap_take(pieces, room * sizeof *at);
        if (at == NULL) return false;
        if (items->n > 0) memcpy(at, items->at, items->n * sizeof *at);
        items->at = at;
        items->room = (uint32_t)room;
    }
    if (n > 0) memcpy(items->at + items->n, data, n * sizeof *data);
    items->n += (uint32_t)n;
    return true;
}
