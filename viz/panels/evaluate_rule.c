/* evaluate_rule.c: the value of a rule's line of numbers: "(0 - 5) mod 16" is 11. See rule.h. */
#include "panels/rule.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

typedef struct operation {
    const char *sign;
    int level; /* a higher one binds tighter */
} operation;

/* A sign that begins with another one comes before that one. */
static const operation operations[] = {{"&&", 1}, {"^", 2},   {"&", 3},  {"==", 4}, {"<<", 6},
                                       {">>", 6}, {"<=", 5},  {">=", 5}, {"<", 5},  {"+", 7},
                                       {"-", 7},  {"mod", 8}, {"*", 8},  {"/", 8}};

static const operation *operation_at(const char **at) {
    while (**at == ' ') (*at)++;
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        const char *sign = operations[i].sign;
        if (strncmp(*at, sign, strlen(sign)) == 0) return &operations[i];
    }
    return NULL;
}

static int64_t apply(const operation *op, int64_t a, int64_t b) {
    switch (op->sign[0]) {
    case '&': return op->sign[1] == '&' ? a && b : a & b;
    case '^': return a ^ b;
    case '=': return a == b;
    case '<': return op->sign[1] == '<' ? a << b : op->sign[1] == '=' ? a <= b : a < b;
    case '>': return op->sign[1] == '>' ? a >> b : a >= b;
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/': return a / b;
    case 'm': return (a % b + b) % b;
    default: assert(false); return 0;
    }
}

static int64_t expression(const char **at, int level);

static int64_t operand(const char **at) {
    while (**at == ' ') (*at)++;
    if (**at == '~') {
        (*at)++;
        return ~operand(at);
    }
    if (**at == '(') {
        (*at)++;
        const int64_t value = expression(at, 1);
        while (**at == ' ') (*at)++;
        assert(**at == ')');
        (*at)++;
        return value;
    }
    char *end;
    const int64_t value = strtoll(*at, &end, 10);
    assert(end != *at);
    *at = end;
    return value;
}

static int64_t expression(const char **at, int level) {
    int64_t value = operand(at);
    const operation *op;
    while ((op = operation_at(at)) != NULL && op->level >= level) {
        *at += strlen(op->sign);
        value = apply(op, value, expression(at, op->level + 1));
    }
    return value;
}

int64_t rv_evaluate(const char *text) {
    const int64_t value = expression(&text, 1);
    assert(*text == '\0');
    return value;
}
