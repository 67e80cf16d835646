/* matrix.h: the matrix of nvidia-smi topo -m: the text (topo_matrix.c), and the box it stands for (matrix_box.c). Private
 * to this folder. */
#pragma once

#include "topology/box.h"

enum { RN_MOST_MATRIX = 256, RN_MATRIX_NAME = 40 };

/* How two devices are joined, the nearest first. NODE and PHB both pass the processor of a NUMA node. */
typedef enum rn_way {
    RN_WAY_SELF,
    RN_WAY_NVLINK,
    RN_PIX,
    RN_PXB,
    RN_PHB,
    RN_NODE,
    RN_SYS,
    RN_WAY_UNKNOWN /* the text is cut there, or damaged */
} rn_way;

typedef struct rn_matrix_cell {
    uint8_t way;     /* rn_way */
    uint8_t n_links; /* of RN_WAY_NVLINK */
} rn_matrix_cell;

typedef struct rn_matrix_device {
    char name[RN_MATRIX_NAME];
    char numa[RN_MATRIX_NAME]; /* stands for its NUMA node, or else its processors; "": nothing */
    bool is_gpu;
    int64_t line; /* of its row */
} rn_matrix_device;

typedef struct rn_matrix {
    rn_matrix_device *devices; /* [n] in the order of the columns */
    rn_matrix_cell *cells;     /* [n x n] */
    int32_t n, n_gpus;
    int64_t line; /* of the head */
} rn_matrix;

/* Tells whether a text has the head of a matrix, a line that begins with GPU0 and another device, or two rows of one. */
bool rn_has_matrix(const char *text, size_t n_bytes);
/* Reads the first matrix of a text; what is wrong in it is an error among the findings, but a warning where all GPUs are whole
   among each other. */
rs_status rn_parse_matrix(const char *text, size_t n_bytes, rs_arena *arena, rn_findings *findings,
                          rs_error *error, rn_matrix *matrix);
/* Reads it as a box; what was assumed is a note among the findings. */
rs_status rn_read_matrix(const char *text, size_t n_bytes, rs_arena *arena, rn_findings *findings,
                         rs_error *error, rn_box *box);
