/* ringsim_nccl.h: the whole face of libringsim_nccl: what NCCL and PyTorch say, and what they decide.
 *
 *     ringsim_text.h      pasted text, made plain: every reader's input
 *     ringsim_tuning.h    NCCL's choice of algorithm and protocol     ringsim_nccl_log.h  its log, line by line
 *     ringsim_rings.h     its rings in a node                         ringsim_slices.h    its time on a machine's wires
 *     ringsim_nccl_bits.h in which order each element is added
 *     ringsim_msccl.h     MSCCL programs, judged and lowered to schedules
 *     ringsim_topology.h  a box, as XML or a matrix, and NCCL's graphs
 *     ringsim_archive.h   how dumps are packed
 *     ringsim_tables.h    what nccl-tests printed
 *     ringsim_findings.h  what a reader found, with lines
 *     ringsim_hang.h      a job that stands still, and who is to blame
 *
 *   - Programs include this header alone; its parts are whole in themselves. What ringsim.h says of status, errors and
 *     memory holds here, too: this library is built on that one.
 *   - Readers take a text in memory; nothing in it is executed, and no number of it is trusted as a size.
 */
#pragma once

#include "ringsim_findings.h"
#include "ringsim_text.h"
#include "ringsim_tuning.h"
#include "ringsim_nccl_log.h"
#include "ringsim_rings.h"
#include "ringsim_slices.h"
#include "ringsim_nccl_bits.h"
#include "ringsim_topology.h"
#include "ringsim_tables.h"
#include "ringsim_msccl.h"
#include "ringsim_hang.h"
#include "ringsim_archive.h"
