/* msccl.h: an MSCCL program, XML, as a schedule: read, judged, lowered. */
#ifndef RC_MSCCL_H
#define RC_MSCCL_H

#include "base/exit.h"
#include "ringsim_msccl.h"

/* Tells whether the text looks like XML. */
bool rc_is_msccl(const char *text, size_t n_bytes);
/* Reads the XML; what is no MSCCL program ends in one line with file and line, RC_USAGE. The program lives in the arena. */
rc_exit rc_parse_msccl(const char *path, const char *text, size_t n_bytes, rs_arena *arena,
                       rs_error *error, rs_msccl *program);
/* The same, judged, as a schedule. RC_NO: it is wrong, and the line says where and why; RC_LACKS: it is right, but is no
   schedule of one array a rank. */
rc_exit rc_msccl_schedule(const char *path, const char *text, size_t n_bytes, rs_arena *arena,
                          rs_error *error, rs_schedule *schedule);

#endif
