#if 1 +
#endif
#include "nowhere.h"
#error stop here
kernel void f(global int *x) { x[0] = 1; }

// Diagnostics:
//| error:1:2: expected value in expression
//| error:3:2: 'nowhere.h' file not found
//| error:4:2: stop here
