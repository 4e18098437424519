// Elements of images for the host, where every image is plain memory. Stores are not inlined, since they are long.

namespace ocl {

__device__ float ratio(int c, int largest) { return float(c) / largest; }

__device__ uint4 load_1d(const image_argument& image, int x) { return load_memory(image, x, 0, 0); }
__device__ uint4 load_1d_array(const image_argument& image, int x, int layer) { return load_memory(image, x, 0, layer); }
__device__ uint4 load_2d(const image_argument& image, int x, int y) { return load_memory(image, x, y, 0); }
__device__ uint4 load_2d_array(const image_argument& image, int x, int y, int layer) { return load_memory(image, x, y, layer); }
__device__ uint4 load_3d(const image_argument& image, int x, int y, int z) { return load_memory(image, x, y, z); }

template<class T> __attribute__((noinline)) void store_1d(const image_argument& image, vec<T, 4> color, int x) {
    store_memory(image, x, 0, 0, element_for(image, color));
}
template<class T> __attribute__((noinline)) void store_1d_array(const image_argument& image, vec<T, 4> color, int x, int layer) {
    store_memory(image, x, 0, layer, element_for(image, color));
}
template<class T> __attribute__((noinline)) void store_2d(const image_argument& image, vec<T, 4> color, int x, int y) {
    store_memory(image, x, y, 0, element_for(image, color));
}
template<class T> __attribute__((noinline)) void store_2d_array(const image_argument& image, vec<T, 4> color, int x, int y, int layer) {
    store_memory(image, x, y, layer, element_for(image, color));
}
template<class T> __attribute__((noinline)) void store_3d(const image_argument& image, vec<T, 4> color, int x, int y, int z) {
    store_memory(image, x, y, z, element_for(image, color));
}

}  // namespace ocl
