// without: cl_khr_fp16
half program_scope;
half returned(void);
void taken(half h);
typedef half half_t;
void aliased(half_t h);
kernel void f(global half *p, global float *out, global half_t *q) {
    half variable;
    half many[2];
    out[0] = *p;
    out[1] = p[1] + 1;
    *p = out[0];
    q[0] += 1;
    out[2] = (half)1.0f;
    out[3] = 1.0h;
    half4 vector;
    global half *fine = q + 1;
    out[4] = sizeof(half);
}

// Diagnostics:
//| error:2:6: declaring variable of type 'half' is not allowed without cl_khr_fp16
//| error:3:6: declaring function return value of type 'half' is not allowed without cl_khr_fp16; did you forget * ?
//| error:4:17: declaring function parameter of type 'half' is not allowed without cl_khr_fp16; did you forget * ?
//| error:6:21: declaring function parameter of type 'half' is not allowed without cl_khr_fp16; did you forget * ?
//| error:8:10: declaring variable of type 'half' is not allowed without cl_khr_fp16
//| error:9:10: declaring variable of type 'half [2]' is not allowed without cl_khr_fp16
//| error:10:14: loading directly from pointer to type 'half' requires cl_khr_fp16. Use vector data load builtin functions instead
//| error:11:14: loading directly from pointer to type 'half' requires cl_khr_fp16. Use vector data load builtin functions instead
//| error:12:8: assigning directly to pointer to type 'half' requires cl_khr_fp16. Use vector data store builtin functions instead
//| error:13:10: assigning directly to pointer to type 'half' requires cl_khr_fp16. Use vector data store builtin functions instead
//| error:14:14: casting to type 'half' is not allowed without cl_khr_fp16
//| error:15:14: half precision constant requires cl_khr_fp16
//| error:16:5: use of type 'half4' requires cl_khr_fp16 support
