image2d_t program_scope;
image2d_t returned(void);
struct holder { image2d_t image; };
typedef read_only image2d_t source_t;
void pointed(image2d_t *p);
void qualified(global image2d_t p);
void reads(read_only image2d_t p);
void writes(write_only image2d_t p);
void again(write_only source_t p);
void twice(read_only write_only image2d_t p);
void number(read_only int p);
kernel void f(image2d_t a, write_only image3d_t b, read_write image2d_t c, image2d_depth_t d) {
}
kernel void g(image2d_t a, image2d_t b, image3d_t c, int n) {
    image2d_t variable;
    image2d_t many[2];
    a = b;
    writes(a);
    reads(c);
    reads(n);
    n = (int)a;
    n = a == b;
    *a;
}

// Diagnostics:
//| error:1:11: type '__read_only image2d_t' can only be used as a function parameter in OpenCL
//| error:2:11: declaring function return value of type '__read_only image2d_t' is not allowed
//| error:3:27: the '__read_only image2d_t' type cannot be used to declare a structure or union field
//| error:5:24: pointer to type '__read_only image2d_t' is invalid in OpenCL
//| error:6:33: parameter may not be qualified with an address space
//| error:9:32: multiple access qualifiers
//| error:10:43: multiple access qualifiers
//| error:11:27: access qualifier can only be used for pipe and image type
//| error:12:73: access qualifier 'read_write' can not be used for 'image2d_t' prior to OpenCL C version 2.0 or in version 3.0 and without __opencl_c_read_write_images feature
//| error:15:15: type '__read_only image2d_t' can only be used as a function parameter in OpenCL
//| error:16:15: array of '__read_only image2d_t' type is invalid in OpenCL
//| error:17:7: an object of type '__read_only image2d_t' cannot be modified
//| error:18:12: passing to parameter of type '__write_only image2d_t' from an expression of incompatible type '__read_only image2d_t'
//| error:19:11: passing to parameter of type '__read_only image2d_t' from an expression of incompatible type '__read_only image3d_t'
//| error:20:11: passing to parameter of type '__read_only image2d_t' from an expression of incompatible type 'int'
//| error:21:9: cannot cast from type '__read_only image2d_t' to type 'int'
//| error:22:11: invalid operands to binary expression ('__read_only image2d_t' and '__read_only image2d_t')
//| error:23:5: indirection requires pointer operand ('__read_only image2d_t' invalid)
