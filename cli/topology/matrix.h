/* matrix.h: the matrix of nvidia-smi topo -m: the text (topo_matrix.c), and the box it stands for (matrix_box.c). Private
 * to this folder. */
#ifndef RC_MATRIX_H
#define RC_MATRIX_H

#include "topology/box.h"

enum { RC_MOST_MATRIX = 256, RC_MATRIX_NAME = 40 };

/* How two devices are joined, the nearest first. NODE and PHB both pass the processor of a NUMA node. */
typedef enum rc_way { RC_WAY_SELF, RC_WAY_NVLINK, RC_PIX, RC_PXB, RC_PHB, RC_NODE, RC_SYS } rc_way;

typedef struct rc_matrix_cell {
    uint8_t way;     /* rc_way */
    uint8_t n_links; /* of RC_WAY_NVLINK */
} rc_matrix_cell;

typedef struct rc_matrix_device {
    char name[RC_MATRIX_NAME];
    char numa
        [RC_MATRIX_NAME]; /* what stands for its NUMA node, or else its processors; "": nothing */
    bool is_gpu;
    int64_t line; /* of its row */
} rc_matrix_device;

typedef struct rc_matrix {
    rc_matrix_device *devices; /* [n] in the order of the columns */
    rc_matrix_cell *cells;     /* [n x n] */
    int32_t n, n_gpus;
    int64_t line; /* of the head */
} rc_matrix;

/* Tells whether a text has the head of a matrix: a line that begins with GPU0 and another device. */
bool rc_has_matrix(const char *text, size_t n_bytes);
/* Reads the first matrix of a text; what is wrong in it is an error among the findings. */
rc_exit rc_parse_matrix(const char *text, size_t n_bytes, rs_arena *arena, rc_findings *findings,
                        rs_error *error, rc_matrix *matrix);
/* Reads it as a box; what was assumed is a note among the findings. */
rc_exit rc_read_matrix(const char *text, size_t n_bytes, rs_arena *arena, rc_findings *findings,
                       rs_error *error, rc_box *box);

#endif
