// The native runtime, part 5: memory for what the work-items of a group keep, each for itself, where one function runs the whole
// group (builtins/library/host/item_loops.cuh). It is one thread's, and all of it is free again when the next group begins.

namespace ocl {
namespace host {

constexpr size item_alignment = 64;

// `block` has `bytes`, of which `taken` are given away; the first ones link it to the block before it. Blocks that were too small
// stay until the group ends: `wanted` counts all.
struct item_memory {
    unsigned char *block;
    size bytes, taken, wanted;
};

static thread_local item_memory item_memory_of_thread;

static void out_of_item_memory() {
    fprintf(stderr, "cl2cuda: no memory for the variables of a work-group's items\n");
    abort();
}

[[gnu::noinline]] static void grow(item_memory &m, size bytes) {
    void *made = nullptr;
    m.bytes = item_alignment + 2 * (m.wanted + bytes);
    if (posix_memalign(&made, item_alignment, m.bytes))
        out_of_item_memory();
    *(void **)made = m.block;
    m.block = (unsigned char *)made;
    m.taken = item_alignment;
}

static void free_outgrown(item_memory &m) {
    void *before = *(void **)m.block;
    *(void **)m.block = nullptr;
    while (before) {
        void *next = *(void **)before;
        free(before);
        before = next;
    }
}

}
}

extern "C" void ocl_host_begin_group(void) {
    using namespace ocl::host;
    item_memory &m = item_memory_of_thread;
    if (m.block)
        free_outgrown(m);
    m.taken = item_alignment;
    m.wanted = 0;
}

extern "C" void *ocl_host_item_memory(ocl::host::size bytes) {
    using namespace ocl::host;
    item_memory &m = item_memory_of_thread;
    bytes = (bytes + item_alignment - 1) / item_alignment * item_alignment;
    if (!m.block || m.bytes - m.taken < bytes)
        grow(m, bytes);
    unsigned char *given = m.block + m.taken;
    m.taken += bytes;
    m.wanted += bytes;
    return given;
}

extern "C" void *ocl_host_unaliased(void *memory) { return memory; }
