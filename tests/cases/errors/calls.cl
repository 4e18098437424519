float helper(float x, int n) { return x * n; }
kernel void f(global float *out) {
    out[0] = helper(1.0f);
    out[1] = helper(1.0f, 2, 3);
    out[2] = squrt(2.0f);
    out[3] = f_missing(out);
    int x = 3;
    x(1);
    out[4] = max(1, 2u);
    out[5] = dot(out[0], (float2)(1));
    helper;
    out[6] = np.float64(1.0);
    out[7] = 2 * (x + 1)(x - 1);
    out[8] = (*helper)(1.0f, 2);
}

// Diagnostics:
//| error:3:14: too few arguments to function call, expected 2, have 1
//| error:4:14: too many arguments to function call, expected 2, have 3
//| error:5:14: implicit declaration of function 'squrt' is invalid in OpenCL
//| error:6:14: implicit declaration of function 'f_missing' is invalid in OpenCL
//| error:8:5: called object 'x' is not a function
//| error:9:14: call to 'max' is ambiguous for arguments of type 'int', 'uint'; cast them to one type
//| error:11:5: taking address of function 'helper' is not allowed
//| error:12:14: use of undeclared identifier 'np'
//| error:13:21: called object type 'int' is not a function or block
//| error:14:15: called object is not a function name: function pointers are not allowed in OpenCL
