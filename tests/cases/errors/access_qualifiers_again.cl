// options: -cl-std=CL2.0
typedef read_only pipe int numbers;
typedef pipe int by_default;
typedef write_only image2d_t target;
kernel void again(read_only numbers p, read_only by_default q, write_only target t) { }
kernel void writes(write_only numbers p) { }
kernel void writes_too(write_only by_default p) { }
kernel void reads(read_only target t) { }

// Diagnostics:
//| warning:5:37: duplicate 'read_only' declaration specifier
//| warning:5:61: duplicate 'read_only' declaration specifier
//| warning:5:82: duplicate 'write_only' declaration specifier
//| error:6:39: multiple access qualifiers
//| error:7:46: multiple access qualifiers
//| error:8:36: multiple access qualifiers
