/* parse_values.c: what variables begin with: int t[] = {1, 2}, (rs_send){.to = 1}; where in the cells it goes. */
#include "parse.h"

int32_t rs_c_reserve(rs_c_parser *p, const rs_c_type *type, bool is_global) {
    int32_t *n = is_global || p->function == NULL ? &p->program->n_globals : &p->function->n_cells;
    const int32_t slot = *n;
    if (type->n_cells > RS_C_MOST_CELLS - slot)
        rs_c_outside(p, N_("an array that is too large"));
    else if (type->n_cells > 0)
        *n += type->n_cells;
    return slot;
}

/* ------------------------------------------------------------------ what variables begin with */

static void add_item(rs_c_parser *p, const rs_c_type *type, rs_c_op op, int32_t slot,
                     const rs_c_name *name, rs_c_node *b, rs_c_node ***end) {
    rs_c_node *place = rs_c_node_of(p, op, type, b->line);
    place->slot = slot;
    place->name = name;
    rs_c_node *node = rs_c_assign(p, place, b, b->line);
    if (op == RS_C_GLOBAL && node->b->op != RS_C_CONSTANT) /* a compiler computes sqrt(2) */
        (b->op == RS_C_LOCAL ? rs_c_wrong_name : rs_c_outside_name)(
            p, b->line, N_("what is static begins with constants"), NULL);
    **end = node;
    *end = &node->next;
}

const rs_c_field *rs_c_take_field(rs_c_parser *p, const rs_c_type *type) {
    for (int32_t i = 0; i < type->n_fields && p->at->kind == RS_C_T_NAME; i++) {
        if (type->fields[i].name != p->at->name) continue;
        rs_c_next(p);
        return &type->fields[i];
    }
    rs_c_wrong(p, N_("the struct has no '%s'"));
    return NULL;
}

static int64_t constant(rs_c_parser *p) {
    const rs_c_token *at = p->at;
    const rs_c_node *node = p->assignment(p);
    rs_c_check_constant(p, node, at, N_("a constant is needed here"));
    return node->value.i;
}

/* Behind [3] or .to: another one, or none, is C, too. */
static void expect_equals(rs_c_parser *p) {
    if (!rs_c_take(p, "=")) rs_c_outside(p, N_("values for a part of a part"));
}

static void list(rs_c_parser *p, const rs_c_type *type, rs_c_op op, int32_t slot,
                 rs_c_node ***end) {
    const bool is_array = type->kind == RS_C_ARRAY;
    const int64_t n = is_array ? type->n_cells / type->of->n_cells : type->n_fields;
    for (int64_t i = 0; !rs_c_take(p, "}") && p->fault->status == RS_OK; i++) {
        if (is_array && rs_c_take(p, "[")) {
            i = constant(p);
            if (i < 0 || i >= n) rs_c_wrong(p, N_("more values than there is room for"));
            rs_c_expect(p, "]");
            expect_equals(p);
        } else if (!is_array && rs_c_take(p, ".")) {
            const rs_c_field *field = rs_c_take_field(p, type);
            i = field != NULL ? field - type->fields : 0;
            expect_equals(p);
        } else if (!is_array && p->at->kind == RS_C_T_NAME && rs_c_token_is(p->at + 1, ":")) {
            rs_c_outside(p, N_("a field's name with a colon"));
        }
        if (i < 0 || i >= n) rs_c_outside(p, N_("more values than there is room for"));
        if (p->fault->status != RS_OK) return;
        const rs_c_type *of = is_array ? type->of : type->fields[i].type;
        const int32_t at = is_array ? (int32_t)i * of->n_cells : type->fields[i].at;
        rs_c_initialiser(p, of, op, slot + at, NULL, end);
        if (!rs_c_take(p, ",") && !rs_c_here(p, "}")) rs_c_expect(p, "}");
    }
}

void rs_c_initialiser(rs_c_parser *p, const rs_c_type *type, rs_c_op place, int32_t slot,
                      const rs_c_name *name, rs_c_node ***end) {
    if (rs_c_enter(p)) {
        if (!rs_c_take(p, "{")) {
            if (type->kind == RS_C_ARRAY)
                rs_c_outside(p, N_("an array whose values stand in no { } of their own"));
            rs_c_node *b = p->assignment(p);
            if (type->kind == RS_C_STRUCT && rs_c_is_scalar(b->type))
                rs_c_outside(p, N_("a struct whose values stand in no { } of their own"));
            add_item(p, type, place, slot, name, b, end);
        } else if (!rs_c_is_scalar(type) && p->at->kind == RS_C_T_NUMBER && p->at->value.i == 0 &&
                   rs_c_token_is(p->at + 1, "}")) {
            p->at += 2; /* {0}: all of it, however deep */
        } else if (rs_c_is_scalar(type)) {
            add_item(p, type, place, slot, name, p->assignment(p), end);
            rs_c_take(p, ",");
            if (!rs_c_take(p, "}")) rs_c_outside(p, N_("more values than there is room for"));
        } else {
            list(p, type, place, slot, end);
        }
    }
    p->deep--;
}

int64_t rs_c_count_items(const rs_c_parser *p) {
    int64_t n = 0;
    int deep = 0;
    bool begun = false;
    for (const rs_c_token *t = p->at; t < p->last; t++) {
        const bool opens = rs_c_token_is(t, "{") || rs_c_token_is(t, "(") || rs_c_token_is(t, "[");
        const bool closes = rs_c_token_is(t, "}") || rs_c_token_is(t, ")") || rs_c_token_is(t, "]");
        if (closes && --deep == 0) break;
        if (deep == 1 && rs_c_token_is(t, "[") && !begun) return 0; /* [2] = ...: not counted */
        if (deep == 1 && rs_c_token_is(t, ","))
            begun = false;
        else if (deep >= 1 && !begun)
            begun = true, n++;
        deep += opens;
    }
    return n;
}

/* (rs_send){.to = 1}, behind the bracket that closes the type. */
rs_c_node *rs_c_literal(rs_c_parser *p, const rs_c_type *type, int32_t line) {
    rs_c_node *node = rs_c_node_of(p, RS_C_LITERAL, type, line);
    if (p->function == NULL || type->n_cells < 1 || type->kind == RS_C_ARRAY) {
        rs_c_outside(p, N_("values in { } that are neither a struct nor a variable's"));
        return node;
    }
    rs_c_node *fill = node->a = rs_c_node_of(p, RS_C_FILL, &rs_c_void, line), **end = &fill->a;
    fill->slot = node->slot = rs_c_reserve(p, type, false);
    fill->n = type->n_cells;
    rs_c_initialiser(p, type, RS_C_LOCAL, node->slot, NULL, &end);
    for (rs_c_node *item = fill->a; item != NULL && p->fault->status == RS_OK; item = item->next)
        rs_c_below(p, fill, item);
    rs_c_below(p, node, fill);
    return node;
}
