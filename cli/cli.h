/* cli.h: the front door's shared headers, all together.
 *
 *     argv --> options --> request --> rs_run --> report --> JSON, view, files --> exit status
 *
 *     base/ <-- sandbox/ <-- run/ <-- grade/, compare/, fit/, verify/, systems/, lesson/, doctor/
 *
 *   - Only main.c, the commands (cmd_*.c) and what prints for them (*_print.c, *_json.c, help.c, the lesson's
 *     readers) write to stdout. Everything else returns an rc_exit, and the reason in *error, in one line.
 *   - What a command writes to files is written whole or not at all (base/files.c).
 *   - rc_ names are the whole program's, everything else is static in its file.
 *   - base/ and sandbox/ include of this only what they need, by name: they know of no command.
 */
#ifndef RC_CLI_H
#define RC_CLI_H

#include "base/files.h"
#include "base/host.h"
#include "base/json_file.h"
#include "base/text.h"
#include "base/units.h"
#include "run/command.h"
#include "run/request.h"
#include "run/run_json.h"
#include "run/show.h"

#endif
