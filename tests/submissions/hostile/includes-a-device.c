/* wants: /dev/zero: No such file|/dev/zero: Permission denied */
#include "/dev/zero"
