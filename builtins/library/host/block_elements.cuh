// Parts of an image's row on the host, where images are plain memory.

namespace ocl {

//: row_part
template<class T> __device__ T row_part(const image_argument& image, int x, int y) {
    return *(const T*)(image.data + y * image.row_pitch + x);
}

//: set_row_part
template<class T> __device__ void set_row_part(const image_argument& image, int x, int y, T part) {
    *(T*)(image.data + y * image.row_pitch + x) = part;
}

}  // namespace ocl
