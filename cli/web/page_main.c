/* page_main.c: a page's way into the program: main.c's main has another name there. */
int rc_main(int argc, char **argv);
int rc_page_main(int argc, char **argv);

__attribute__((export_name("page_main"))) int rc_page_main(int argc, char **argv) {
    return rc_main(argc, argv);
}
