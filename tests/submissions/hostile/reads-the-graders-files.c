/* wants: crashed */
#include "ring.h"
#include <stdio.h>
int send_chunk(int step, int rank, int n) {
    char line[100];
    FILE *f = fopen("/etc/passwd", "r");
    if (f == NULL) f = fopen("../lessons/05-scatter-reduce/exercise.c", "r");
    if (f == NULL) f = fopen("/box/a.c", "r");
    return fgets(line, 100, f) != NULL ? line[0] : step + rank + n;
}
