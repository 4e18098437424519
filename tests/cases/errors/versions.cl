// options: -cl-std=CL1.0
kernel void f(global int *x, global float *y) {
    atomic_add(x, 1);
    x[0] = popcount(x[1]);
    y[0] = maxmag(y[1], y[2]);
    printf("%d", x[0]);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    x[1] = get_global_offset(0);
}

// Diagnostics:
//| error:3:5: function 'atomic_add' requires OpenCL C 1.1 (-cl-std=CL1.1)
//| error:4:12: function 'popcount' requires OpenCL C 1.2 (-cl-std=CL1.2)
//| error:5:12: function 'maxmag' requires OpenCL C 1.1 (-cl-std=CL1.1)
//| error:6:5: function 'printf' requires OpenCL C 1.2 (-cl-std=CL1.2)
//| error:7:5: function 'work_group_barrier' requires OpenCL C 2.0 (-cl-std=CL2.0)
//| error:8:12: function 'get_global_offset' requires OpenCL C 1.1 (-cl-std=CL1.1)
