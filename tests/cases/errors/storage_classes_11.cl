// options: -cl-std=CL1.1
static constant int hidden = 1;
extern constant int elsewhere;
static int helper(int x) { return __func__[x]; }

// Diagnostics:
//| error:2:21: OpenCL C version 1.1 does not support the 'static' storage class specifier
//| error:3:21: OpenCL C version 1.1 does not support the 'extern' storage class specifier
//| error:4:12: OpenCL C version 1.1 does not support the 'static' storage class specifier
//| error:4:35: use of undeclared identifier '__func__'
