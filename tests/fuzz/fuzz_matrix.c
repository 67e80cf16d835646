/* fuzz_matrix.c: any bytes as the text of nvidia-smi topo -m. What is read is a machine on which every GPU reaches every
 * other, and which, printed, is read as a .machine; what is not has one line of reason that names file and line. */
#include <stdint.h>

#include "fuzz/read_any.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_any(RN_TOPO_MATRIX, (const char *)data, size);
    return 0;
}
