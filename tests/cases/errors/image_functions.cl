kernel void f(read_only image2d_t a, write_only image2d_t b, write_only image3d_t c, sampler_t s, int n) {
    int2 place = 0;
    write_imagef(a, place, 0.0f);
    float4 color = read_imagef(b, place);
    color = read_imagef(a, n, place);
    color = read_imagef(a, s, (float4)(0));
    write_imagei(b, place, color);
    n = get_image_depth(a);
}

// Diagnostics:
//| error:3:5: no matching function for call to 'write_imagef' with arguments of type '__read_only image2d_t', 'int2', 'float'
//| error:4:20: no matching function for call to 'read_imagef' with arguments of type '__write_only image2d_t', 'int2'
//| error:5:13: no matching function for call to 'read_imagef' with arguments of type '__read_only image2d_t', 'int', 'int2'
//| error:6:13: no matching function for call to 'read_imagef' with arguments of type '__read_only image2d_t', 'sampler_t', 'float4'
//| error:7:5: no matching function for call to 'write_imagei' with arguments of type '__write_only image2d_t', 'int2', 'float4'
//| error:8:9: no matching function for call to 'get_image_depth' with arguments of type '__read_only image2d_t'
