// Image elements for block reads and writes (cl_intel_subgroups): parts of a row "without format conversion", from any byte on.
// Both ports share the bounds; `row_part` and `set_row_part` move what lies inside.

namespace ocl {

// "These built-ins bounds-check to the image width in units of uints": here of T. "Out-of-bounds reads will return the edge image
// element". What reaches beyond the row, in its last T, is put together from its bytes.
//: block_element
template<class T> __device__ T block_element(const image_argument& image, int x, int y) {
    constexpr int size = sizeof(T);
    const int row = image.width * image.element_size, edge = (row - 1) / size * size;
    x = x < 0 ? 0 : x > edge ? edge : x;
    y = y < 0 ? 0 : y < image.height ? y : image.height - 1;
    if (x % size == 0 && x + size <= row) return row_part<T>(image, x, y);
    T part = 0;
    for (int i = 0; i < size && x + i < row; i++) part |= (T)row_part<uchar>(image, x + i, y) << 8 * i;
    return part;
}

// "Out-of-bounds writes will be ignored."
//: store_block_element
template<class T> __device__ void store_block_element(const image_argument& image, int x, int y, T part) {
    constexpr int size = sizeof(T);
    const int row = image.width * image.element_size;
    if (x < 0 || x >= row || y < 0 || y >= image.height) return;
    if (x % size == 0 && x + size <= row) return set_row_part(image, x, y, part);
    for (int i = 0; i < size && x + i < row; i++) set_row_part(image, x + i, y, (uchar)(part >> 8 * i));
}

// Media blocks (cl_intel_media_block_io): "an out-of-bounds read will return data replicated from the nearest edge element", which is
// one of the image, of `element_size` bytes.
//: media_block_element
template<class T> __device__ T media_block_element(const image_argument& image, int x, int y) {
    constexpr int size = sizeof(T);
    const int texel = image.element_size, row = image.width * texel;
    y = y < 0 ? 0 : y < image.height ? y : image.height - 1;
    if (x >= 0 && x + size <= row && x % size == 0) return row_part<T>(image, x, y);
    T part = 0;
    for (int i = 0; i < size; i++) {
        const int in_texel = (x + i) % texel < 0 ? (x + i) % texel + texel : (x + i) % texel;
        const int at = x + i < 0 ? in_texel : x + i < row ? x + i : row - texel + in_texel;
        part |= (T)row_part<uchar>(image, at, y) << 8 * i;
    }
    return part;
}

// The region's rows follow each other, each as if it had a power of two of elements; the sub-group's elements take them in turn.
//: media_block_pitch
__device__ int media_block_pitch(int width) {
    int pitch = 1;
    while (pitch < width) pitch *= 2;
    return pitch;
}

//: read_media_block
template<class T> __device__ T read_media_block(const image_argument& image, int2 offset, int width, int height, int place) {
    const int pitch = media_block_pitch(width), column = place % pitch, row = place / pitch;
    if (column >= width || row >= height) return 0;
    return media_block_element<T>(image, offset.x + column * (int)sizeof(T), offset.y + row);
}

//: write_media_block
template<class T> __device__ void write_media_block(const image_argument& image, int2 offset, int width, int height, int place, T part) {
    const int pitch = media_block_pitch(width), column = place % pitch, row = place / pitch;
    if (column < width && row < height) store_block_element<T>(image, offset.x + column * (int)sizeof(T), offset.y + row, part);
}

}  // namespace ocl
