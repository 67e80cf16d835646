/* draw_todo.c: parts that are being built. */
#include "stage.h"

void rv_draw_numbers(const rv_stage *stage, rv_scene *scene, rv_box box) {
    (void)stage, (void)scene, (void)box;
}
void rv_draw_menu(const rv_stage *stage, rv_scene *scene) {
    (void)stage, (void)scene;
}
