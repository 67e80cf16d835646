/* wants: shadow: (No such file|Permission denied) */
#include "/etc/shadow"
