/* formats.c: the list of formats, as RV_PICTURES names them. */
#include "canvas/format.h"

#include <assert.h>

#define DECLARE(name, ending, medium) extern const rv_format rv_format_##ending;
RV_PICTURES(DECLARE, DECLARE)

const rv_format *rv_format_of(rv_picture kind) {
#define POINT_TO(name, ending, medium) &rv_format_##ending,
    static const rv_format *const all[] = {RV_PICTURES(POINT_TO, POINT_TO)};
    assert(kind < RV_N_PICTURES &&
           (rv_pictures[kind].medium == RV_FILM) == (all[kind]->open == NULL));
    return all[kind];
}
