#include "cli.h"
rc_exit rc_cmd_compare(rc_session *session) {
    return rc_fail(session->error, RC_LACKS, "compare: not yet");
}
