/* path.c: whether a program can be started. */
#include "base/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool rc_in_path(const char *program) {
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        char file[1024];
        const size_t length = strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)length, path, program);
        if (access(file, X_OK) == 0) return true;
        path += length + (path[length] == ':');
    }
    return false;
}
