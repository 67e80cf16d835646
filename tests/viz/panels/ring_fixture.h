/* ring_fixture.h: the ring as data, for tests that read where things lie: no pixel is looked at. */
#pragma once

#include "panels/ring/ring.h"
#include "support/stage_fixture.h"

/* Boxes of all shapes, which a plan must fill. */
enum { RING_FIXTURE_BOXES = 8 };
extern const rv_box ring_fixture_boxes[RING_FIXTURE_BOXES];

/* Shows a moment and draws the ring alone, in its own box; returns its plan. */
rv_ring ring_fixture_draw(rv_stage *stage, int32_t step, double progress);

/* Count items that stand for a thing; labels that say just this. */
int ring_fixture_things(const rv_scene *scene, rv_thing thing);
int ring_fixture_labels(const rv_scene *scene, const char *text);
/* Returns the topmost item that stands for a target; NULL: none. */
const rv_item *ring_fixture_find(const rv_scene *scene, rv_target target);
bool ring_fixture_apart(rv_box a, rv_box b);
bool ring_fixture_contains(rv_box box, rv_box part);
