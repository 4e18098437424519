constant int limit = 3;
kernel void f(global const int *in, const int n, global int *out) {
    in[0] = 1;
    n = 2;
    limit = 4;
    3 = n;
    int a[2];
    a = out;
    out = 3.0f;
    out[0] = out;
    const int c = 1;
    c++;
    f;
}

// Diagnostics:
//| error:3:11: cannot assign to location with const-qualified type 'const int'
//| error:4:7: cannot assign to variable 'n' with const-qualified type 'const int'
//| error:5:11: cannot assign to variable 'limit' with const-qualified type 'const int'
//| error:6:7: expression is not assignable
//| error:8:7: array type 'int [2]' is not assignable
//| error:9:11: assigning to '__global int *' from an expression of incompatible type 'float'
//| warning:10:14: incompatible pointer to integer conversion assigning to 'int' from '__global int *'
//| error:12:6: cannot assign to variable 'c' with const-qualified type 'const int'
//| error:13:5: taking address of function 'f' is not allowed
