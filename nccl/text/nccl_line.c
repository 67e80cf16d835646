/* nccl_line.c: pieces of NCCL's own lines. */
#include "nccl_line.h"

#include <stdlib.h>
#include <string.h>

rn_nccl_head rn_nccl_head_of(const char *from, const char *mark) {
    rn_nccl_head head = {.device = NULL};
    const char *end = mark;
    while (end > from && end[-1] == ' ') end--;
    for (const char *c = from; c + 1 < mark; c++) {
        if (c[0] == ' ' && c[1] == '[') head.device = c + 1;
    }
    if (head.device != NULL) end = head.device - 1;
    head.host = end;
    while (head.host > from && head.host[-1] != ' ') head.host--;
    for (const char *c = head.host; c < end; c++) { /* mpirun's [1,0]<stdout>: */
        if (*c == '>') head.host = c[1] == ':' ? c + 2 : c + 1;
    }
    head.n_process = head.n_thread = (size_t)(end - head.host);
    for (size_t i = 0; i < head.n_thread; i++) {
        if (head.host[i] == ':') head.n_process = i;
    }
    return head;
}

bool rn_nccl_read_launch(const char *message, rn_nccl_launch *call) {
    static const char behind[] = ": opCount ";
    const size_t n = strspn(message, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    if (n == 0 || strncmp(message + n, behind, strlen(behind)) != 0) return false;
    *call = (rn_nccl_launch){.n_name = n,
                             .number = strtoll(message + n + strlen(behind), NULL, 16),
                             .count = rn_number_behind(message, " count ", -1),
                             .datatype = rn_number_behind(message, " datatype ", -1),
                             .op = rn_number_behind(message, " op ", -1),
                             .root = rn_number_behind(message, " root ", -1),
                             .n_ranks = rn_number_behind(message, "[nranks=", 0),
                             .args = strstr(message, " count "),
                             .comm = strstr(message, " comm 0x")};
    if (call->comm != NULL) call->comm += strlen(" comm ");
    return true;
}
