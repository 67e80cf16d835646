/* report_machines.c: results for machines: Gradescope's results.json, Autolab's last line, JUnit XML.
 *
 *   - Written by hand: three small formats, all made of numbers and quoted texts.
 *   - What a submission printed is quoted data here; it cannot add a field.
 */
#include "grade/report_machines.h"

#include <string.h>

static void json_text(const char *text, FILE *out) {
    fputc('"', out);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(out, "\\%c", c);
        } else if (c == '\n') {
            fputs("\\n", out);
        } else if (c < 32 || c == 127) {
            fprintf(out, "\\u%04x", c);
        } else {
            fputc(c, out);
        }
    }
    fputc('"', out);
}

static void json_field(const char *name, const char *text, FILE *out) {
    fprintf(out, "\"%s\":", name);
    json_text(text, out);
}

void rc_report_gradescope(const rc_grade *grade, FILE *out) {
    fprintf(out, "{\"score\":%d,\"execution_time\":%.2f,\"visibility\":\"visible\",", grade->points,
            grade->seconds);
    fputs("\"test_output_format\":\"text\",\"output_format\":\"text\",", out);
    char said[RC_MESSAGES + RC_WHY + 8];
    snprintf(said, sizeof said, "%s%s%s", grade->messages, grade->trouble,
             grade->trouble[0] != '\0' ? "\n" : "");
    json_field("output", said, out);
    fputs(",\"tests\":[", out);
    for (int i = 0; i < grade->n_parts; i++) {
        const rc_part *part = &grade->parts[i];
        fprintf(out, "%s{\"number\":\"%d\",", i > 0 ? "," : "", i + 1);
        json_field("name", part->title, out);
        fprintf(out, ",\"score\":%d,\"max_score\":%d,\"status\":\"%s\",", part->points, part->most,
                part->points == part->most ? "passed" : "failed");
        json_field("output", part->why, out);
        fputc('}', out);
    }
    fputs("],\"extra_data\":{", out);
    json_field("seed", grade->seed, out);
    fputc(',', out);
    json_field("cage", grade->sandbox, out);
    fputs("}}\n", out);
}

void rc_report_autolab(const rc_grade *grade, FILE *out) {
    fprintf(out, "{\"scores\":{\"lab%s\":%d},\"scoreboard\":[%d]}\n", grade->lab, grade->points,
            grade->points);
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
        failed += grade->parts[i].points < grade->parts[i].most;
    fputs("  <testsuite", out);
    xml_attribute("name", grade->student[0] != '\0' ? grade->student : grade->file, out);
    fprintf(out, " tests=\"%d\" failures=\"%d\" errors=\"0\" time=\"%.2f\">\n", grade->n_parts,
            failed, grade->seconds);
    for (int i = 0; i < grade->n_parts; i++) {
        const rc_part *part = &grade->parts[i];
        fputs("    <testcase", out);
        fprintf(out, " classname=\"lab%s\"", grade->lab);
        xml_attribute("name", part->title, out);
        fprintf(out, " time=\"%.2f\"", part->seconds > 0 ? part->seconds : 0);
        if (part->points == part->most) {
            fputs("/>\n", out);
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
    fprintf(out, "Score: %d/%d</system-out>\n  </testsuite>\n", grade->points, grade->most);
}

void rc_report_junit(const rc_grade grades[], int n_grades, FILE *out) {
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
    for (int i = 0; i < n_grades; i++) junit_suite(&grades[i], out);
    fputs("</testsuites>\n", out);
}
