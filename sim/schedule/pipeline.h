/* pipeline.h: an array chunk after chunk up a tree of ranks, down it, or both; of several trees each a part of the
 * array, on a channel of its own. Private to sim/schedule/.
 *
 *     up      r sends chunk i to its parent in step i + h(r), h(r) its height
 *     down    r sends chunk i to its children in step i + H + d(r), d(r) its depth; H the root's height, 0 if nothing
 *             goes up
 *
 *   - A parent's height is above its children's, and a child's depth one below its parent's: so whoever sends a chunk
 *     has it.
 */
#pragma once

#include "schedule/algo.h"

enum { RS_POST_CHILDREN = 3 };

/* A rank's place in a tree. */
typedef struct rs_post {
    int32_t parent, children[RS_POST_CHILDREN]; /* ranks; -1: none */
    int32_t height, depth, slot;                /* slot: which of its parent's children it is */
} rs_post;

typedef struct rs_pipeline {
    int32_t n_trees;
    bool up, down;
    bool last_first; /* the last chunk goes first */
    rs_post (*post)(const rs_schedule *schedule, int32_t tree, int32_t rank);
    int32_t (*height)(const rs_schedule *schedule); /* of the roots, where it goes up and down */
} rs_pipeline;

/* Lets a schedule, whose chunks and steps are there, go by the pipeline, which must outlive it. */
void rs_pipeline_fill(rs_schedule *schedule, const rs_pipeline *pipeline);
/* Finds the most that a rank sends or receives in one step. */
int32_t rs_pipeline_most(const rs_schedule *schedule);
