// Parts of an image's row on CUDA: a surface's x counts bytes already. Images without one are plain memory.

namespace ocl {

//: row_part
template<class T> __device__ T row_part(const image_argument& image, int x, int y) {
    if (!image.surface) return *(const T*)(image.data + y * image.row_pitch + x);
    uint low = 0, high = 0;
    if constexpr (sizeof(T) == 1)
        asm volatile("suld.b.2d.b8.zero {%0}, [%1, {%2, %3}];" : "=r"(low) : "l"(image.surface), "r"(x), "r"(y) : "memory");
    else if constexpr (sizeof(T) == 2)
        asm volatile("suld.b.2d.b16.zero {%0}, [%1, {%2, %3}];" : "=r"(low) : "l"(image.surface), "r"(x), "r"(y) : "memory");
    else if constexpr (sizeof(T) == 4)
        asm volatile("suld.b.2d.b32.zero {%0}, [%1, {%2, %3}];" : "=r"(low) : "l"(image.surface), "r"(x), "r"(y) : "memory");
    else
        asm volatile("suld.b.2d.v2.b32.zero {%0, %1}, [%2, {%3, %4}];"
                     : "=r"(low), "=r"(high) : "l"(image.surface), "r"(x), "r"(y) : "memory");
    return (T)(low | (ulong)high << 32);
}

//: set_row_part
template<class T> __device__ void set_row_part(const image_argument& image, int x, int y, T part) {
    if (!image.surface) *(T*)(image.data + y * image.row_pitch + x) = part;
    else if constexpr (sizeof(T) == 1)
        asm volatile("sust.b.2d.b8.zero [%0, {%1, %2}], {%3};" :: "l"(image.surface), "r"(x), "r"(y), "r"((uint)part) : "memory");
    else if constexpr (sizeof(T) == 2)
        asm volatile("sust.b.2d.b16.zero [%0, {%1, %2}], {%3};" :: "l"(image.surface), "r"(x), "r"(y), "r"((uint)part) : "memory");
    else if constexpr (sizeof(T) == 4)
        asm volatile("sust.b.2d.b32.zero [%0, {%1, %2}], {%3};" :: "l"(image.surface), "r"(x), "r"(y), "r"(part) : "memory");
    else
        asm volatile("sust.b.2d.v2.b32.zero [%0, {%1, %2}], {%3, %4};"
                     :: "l"(image.surface), "r"(x), "r"(y), "r"((uint)part), "r"((uint)(part >> 32)) : "memory");
}

}  // namespace ocl
