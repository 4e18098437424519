void reads(read_only image2d_t a) { }
kernel void f(read_only image2d_t a, read_only image2d_t b, write_only image2d_t w, sampler_t s, sampler_t t, int n) {
    reads(n ? a : b);
    reads(w);
    &a;
    &s;
    float4 color = read_imagef(a, n ? s : t, (int2)(0));
    a = b;
    n = !a;
    n = a == b;
    n = a[0];
    n = (int)a;
    n = s + t;
    image2d_t c = a;
    write_imagef(a, (int2)(0), color);
    color = read_imagef(w, s, (int2)(0));
}

// Diagnostics:
//| error:3:13: incompatible operand types ('__read_only image2d_t' and '__read_only image2d_t')
//| error:4:11: passing to parameter of type '__read_only image2d_t' from an expression of incompatible type '__write_only image2d_t'
//| error:5:5: pointer to type '__read_only image2d_t' is invalid in OpenCL
//| error:6:5: pointer to type 'sampler_t' is invalid in OpenCL
//| error:7:37: incompatible operand types ('sampler_t' and 'sampler_t')
//| error:8:7: an object of type '__read_only image2d_t' cannot be modified
//| error:9:10: used type '__read_only image2d_t' where arithmetic or pointer type is required
//| error:10:11: invalid operands to binary expression ('__read_only image2d_t' and '__read_only image2d_t')
//| error:11:9: subscripted value is not an array, pointer, or vector
//| error:12:9: cannot cast from type '__read_only image2d_t' to type 'int'
//| error:13:11: invalid operands to binary expression ('sampler_t' and 'sampler_t')
//| error:14:15: type '__read_only image2d_t' can only be used as a function parameter in OpenCL
//| error:15:5: no matching function for call to 'write_imagef' with arguments of type '__read_only image2d_t', 'int2', 'float4'
//| error:16:13: no matching function for call to 'read_imagef' with arguments of type '__write_only image2d_t', 'sampler_t', 'int2'
