/* fuzz_topology.c: any bytes as NCCL's topology XML. What is read is a machine on which every GPU reaches every other, and
 * which, printed, is read as a .machine; what is not has one line of reason that names file and line. */
#include <stdint.h>

#include "fuzz/read_any.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_any(RN_TOPOLOGY_XML, (const char *)data, size);
    return 0;
}
