/* wants: neither send_chunk */
#include "ring.h"
