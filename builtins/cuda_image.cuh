// Elements of images by surfaces, in PTX, since NVRTC's --minimal leaves out CUDA's own functions for them. A surface moves bytes:
// what is written, and what is read from a read_write image, is converted by `image.cuh`, for all formats.

namespace ocl {

// Correctly rounded: the ratio by the reciprocal, and what it lacks.
__device__ float ratio(int c, int largest) {
    float reciprocal = 1.0f / largest, q = c * reciprocal;
    return ::fmaf(::fmaf(-q, largest, c), reciprocal, q);
}

// An element of a surface, whose x counts bytes. Outside of it zeros are read and nothing is written.
#define OCL_LOAD(width, geometry, registers, coordinates, ...) \
    asm volatile("suld.b." geometry "." width ".zero {" registers "}, [%4, " coordinates "];" \
                 : "+r"(e.x), "+r"(e.y), "+r"(e.z), "+r"(e.w) : "l"(image.surface), __VA_ARGS__ : "memory")
#define OCL_STORE(width, geometry, registers, coordinates, ...) \
    asm volatile("sust.b." geometry "." width ".zero [%4, " coordinates "], {" registers "};" \
                 : : "r"(e.x), "r"(e.y), "r"(e.z), "r"(e.w), "l"(image.surface), __VA_ARGS__ : "memory")
#define OCL_BY_SIZE(move, geometry, coordinates, ...) \
    switch (image.element_size) { \
    case 1: move("b8", geometry, "%0", coordinates, __VA_ARGS__); break; \
    case 2: move("b16", geometry, "%0", coordinates, __VA_ARGS__); break; \
    case 4: move("b32", geometry, "%0", coordinates, __VA_ARGS__); break; \
    case 8: move("v2.b32", geometry, "%0, %1", coordinates, __VA_ARGS__); break; \
    default: move("v4.b32", geometry, "%0, %1, %2, %3", coordinates, __VA_ARGS__); \
    }

// Images without a surface, as those made from buffers, are plain memory.
__device__ uint4 load_1d(const image_argument& image, int x) {
    if (!image.surface) return load_memory(image, x, 0, 0);
    uint4 e = {};
    OCL_BY_SIZE(OCL_LOAD, "1d", "{%5}", "r"(x * image.element_size));
    return e;
}
__device__ uint4 load_1d_array(const image_argument& image, int x, int layer) {
    if (!image.surface) return load_memory(image, x, 0, layer);
    uint4 e = {};
    OCL_BY_SIZE(OCL_LOAD, "a1d", "{%5, %6}", "r"(layer), "r"(x * image.element_size));
    return e;
}
__device__ uint4 load_2d(const image_argument& image, int x, int y) {
    if (!image.surface) return load_memory(image, x, y, 0);
    uint4 e = {};
    OCL_BY_SIZE(OCL_LOAD, "2d", "{%5, %6}", "r"(x * image.element_size), "r"(y));
    return e;
}
__device__ uint4 load_2d_array(const image_argument& image, int x, int y, int layer) {
    if (!image.surface) return load_memory(image, x, y, layer);
    uint4 e = {};
    OCL_BY_SIZE(OCL_LOAD, "a2d", "{%5, %6, %7, %7}", "r"(layer), "r"(x * image.element_size), "r"(y));
    return e;
}
__device__ uint4 load_3d(const image_argument& image, int x, int y, int z) {
    if (!image.surface) return load_memory(image, x, y, z);
    uint4 e = {};
    OCL_BY_SIZE(OCL_LOAD, "3d", "{%5, %6, %7, %7}", "r"(x * image.element_size), "r"(y), "r"(z));
    return e;
}

__device__ void store_1d(const image_argument& image, uint4 e, int x) {
    if (!image.surface) return store_memory(image, x, 0, 0, e);
    OCL_BY_SIZE(OCL_STORE, "1d", "{%5}", "r"(x * image.element_size));
}
__device__ void store_1d_array(const image_argument& image, uint4 e, int x, int layer) {
    if (!image.surface) return store_memory(image, x, 0, layer, e);
    OCL_BY_SIZE(OCL_STORE, "a1d", "{%5, %6}", "r"(layer), "r"(x * image.element_size));
}
__device__ void store_2d(const image_argument& image, uint4 e, int x, int y) {
    if (!image.surface) return store_memory(image, x, y, 0, e);
    OCL_BY_SIZE(OCL_STORE, "2d", "{%5, %6}", "r"(x * image.element_size), "r"(y));
}
__device__ void store_2d_array(const image_argument& image, uint4 e, int x, int y, int layer) {
    if (!image.surface) return store_memory(image, x, y, layer, e);
    OCL_BY_SIZE(OCL_STORE, "a2d", "{%5, %6, %7, %7}", "r"(layer), "r"(x * image.element_size), "r"(y));
}
__device__ void store_3d(const image_argument& image, uint4 e, int x, int y, int z) {
    if (!image.surface) return store_memory(image, x, y, z, e);
    OCL_BY_SIZE(OCL_STORE, "3d", "{%5, %6, %7, %7}", "r"(x * image.element_size), "r"(y), "r"(z));
}

}  // namespace ocl
