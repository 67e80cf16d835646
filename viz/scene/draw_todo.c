/* draw_todo.c: parts that are being built. */
#include "stage.h"

void rv_draw_crowd(const rv_stage *stage, const rv_sight *sight, rv_scene *scene, rv_box box) {
    (void)stage, (void)sight, (void)scene, (void)box;
}
void rv_draw_numbers(const rv_stage *stage, rv_scene *scene, rv_box box) {
    (void)stage, (void)scene, (void)box;
}
void rv_draw_menu(const rv_stage *stage, rv_scene *scene) {
    (void)stage, (void)scene;
}
