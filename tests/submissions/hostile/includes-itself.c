/* wants: error: '?#include'? nested */
#include __FILE__
