kernel void f(global float4 *out, float4 v, float2 w, int4 i) {
    out[0] = v + w;
    out[0] = (float4)(1, 2, 3);
    out[0] = (float4)(v, 1);
    out[0] = i;
    out[0] = (float4)i;
    v.xx = w;
    v.q = 1;
    w.z = 1;
    float f = v;
    if (v) f = 1;
    v++;
    float *p = &v.x;
    v = i ? w : w;
    v = v % v;
}

// Diagnostics:
//| error:2:16: invalid operands to binary expression ('float4' and 'float2')
//| error:3:14: too few elements in vector initialization (expected 4 elements, have 3)
//| error:4:14: excess elements in vector initialization (expected 4 elements, have 5)
//| error:5:14: assigning to 'float4' from an expression of incompatible type 'int4'
//| error:6:14: invalid conversion between vector type 'float4' and 'int4'; use convert_float4() or as_float4()
//| error:7:10: vector is not assignable (contains duplicate components)
//| error:8:7: vector component access 'q' is invalid for type 'float4'
//| error:9:7: vector component access 'z' is invalid for type 'float2'
//| error:10:15: initializing 'float' from an expression of incompatible type 'float4'
//| error:11:9: statement requires expression of scalar type ('float4' invalid)
//| error:12:6: cannot increment value of type 'float4'
//| error:13:16: address of vector element requested
//| error:14:11: vector condition type 'int4' and result type 'float2' do not have the same number and size of elements
//| error:15:11: invalid operands to binary expression ('float4' and 'float4')
