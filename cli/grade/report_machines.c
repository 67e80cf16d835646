/* report_machines.c: results for machines: Gradescope's results.json, Autolab's last line, JUnit XML.
 *
 *   - Written by hand: three small formats, all made of numbers and quoted texts.
 *   - What a submission printed is quoted data here; it cannot add a field.
 */
#include "base/json_file.h"
#include "grade/report.h"

static void begin(rs_json *json, FILE *out) {
    rs_json_begin(json, rc_write_to_file, out);
    rs_json_object(json, NULL);
}

static void put_part(rs_json *json, const rc_part *part, int number) {
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    rs_json_object(json, NULL);
    rs_json_text(json, "number", text);
    rs_json_text(json, "name", part->title);
    rs_json_integers(json, {"score", part->points}, {"max_score", part->most});
    rs_json_text(json, "status", part->points == part->most ? "passed" : "failed");
    rs_json_text(json, "output", part->why);
    rs_json_close(json);
}

void rc_report_gradescope(const rc_grade *grade, FILE *out) {
    char said[2 * RC_MESSAGES + RC_WHY + 8];
    const char *why = grade->trouble[0] != '\0' ? grade->trouble : grade->note;
    snprintf(said, sizeof said, "%s%s%s%s", grade->messages, why, why[0] != '\0' ? "\n" : "",
             grade->printed);
    rs_json json;
    begin(&json, out);
    if (!grade->not_judged) rs_json_integer(&json, "score", grade->points);
    rs_json_fixed(&json, "execution_time", grade->seconds, 2);
    rs_json_text(&json, "visibility", "visible");
    rs_json_text(&json, "test_output_format", "text");
    rs_json_text(&json, "output_format", "text");
    rs_json_text(&json, "output", said);
    rs_json_array(&json, "tests");
    for (int i = 0; i < grade->n_parts && !grade->not_judged; i++)
        put_part(&json, &grade->parts[i], i + 1);
    rs_json_close(&json);
    rs_json_object(&json, "extra_data");
    rs_json_text(&json, "seed", grade->seed);
    rs_json_text(&json, "cage", grade->sandbox);
    rs_json_close(&json);
    rc_json_end(&json);
}

void rc_report_autolab(const rc_grade *grade, FILE *out) {
    char lab[64];
    snprintf(lab, sizeof lab, "lab%s", grade->lab);
    rs_json json;
    begin(&json, out);
    rs_json_object(&json, "scores");
    if (!grade->not_judged) rs_json_integer(&json, lab, grade->points);
    rs_json_close(&json);
    rs_json_array(&json, "scoreboard");
    if (!grade->not_judged) rs_json_integer(&json, NULL, grade->points);
    rs_json_close(&json);
    rc_json_end(&json);
}

static void xml_text(const char *text, FILE *out) {
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        switch (c) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(c < 32 && c != '\n' && c != '\t' ? '?' : c, out); break;
        }
    }
}

static void xml_attribute(const char *name, const char *text, FILE *out) {
    fprintf(out, " %s=\"", name);
    xml_text(text, out);
    fputc('"', out);
}

static void junit_suite(const rc_grade *grade, FILE *out) {
    int failed = 0;
    for (int i = 0; i < grade->n_parts; i++)
        failed += !grade->not_judged && grade->parts[i].points < grade->parts[i].most;
    fputs("  <testsuite", out);
    xml_attribute("name", grade->student[0] != '\0' ? grade->student : grade->file, out);
    fprintf(out, " tests=\"%d\" failures=\"%d\" errors=\"0\"", grade->n_parts, failed);
    if (grade->not_judged) fprintf(out, " skipped=\"%d\"", grade->n_parts);
    fprintf(out, " time=\"%.2f\">\n", grade->seconds);
    if (grade->sandbox[0] != '\0') {
        fputs("    <properties><property name=\"sandbox\"", out);
        xml_attribute("value", grade->sandbox, out);
        fputs("/></properties>\n", out);
    }
    for (int i = 0; i < grade->n_parts; i++) {
        const rc_part *part = &grade->parts[i];
        fprintf(out, "    <testcase classname=\"lab%s\"", grade->lab);
        xml_attribute("name", part->title, out);
        fprintf(out, " time=\"%.2f\"", part->seconds > 0 ? part->seconds : 0);
        if (part->points == part->most) {
            fputs("/>\n", out);
            continue;
        }
        if (grade->not_judged) {
            fputs(">\n      <skipped", out);
            xml_attribute("message", grade->trouble, out);
            fputs("/>\n    </testcase>\n", out);
            continue;
        }
        char message[64];
        snprintf(message, sizeof message, "%d/%d", part->points, part->most);
        fputs(">\n      <failure", out);
        xml_attribute("message", message, out);
        fputc('>', out);
        xml_text(part->why[0] != '\0' ? part->why : grade->trouble, out);
        fputs("</failure>\n    </testcase>\n", out);
    }
    fputs("    <system-out>", out);
    xml_text(grade->messages, out);
    xml_text(grade->printed, out);
    if (!grade->not_judged) fprintf(out, "Score: %d/%d", grade->points, grade->most);
    fputs("</system-out>\n  </testsuite>\n", out);
}

void rc_report_junit(const rc_grade grades[], int n_grades, FILE *out) {
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
    for (int i = 0; i < n_grades; i++) junit_suite(&grades[i], out);
    fputs("</testsuites>\n", out);
}
