// Device queues (6.15.19). What a kernel enqueues becomes a record in the queue's memory, and no more: the runtime, which launched the
// kernel, reads the records when it has ended, runs what is ready, and looks again (runtime/commands/child_kernels.py). Kernels and the
// runtime change this memory in turns.

namespace ocl {

// The number of an event's slot + 1, and the slot's generation above it.
//: clk_event_t
using clk_event_t = ulong;

// The number of a queue's slot + 1, and the queue's serial number above it.
//: queue_t
using queue_t = ulong;

// A local size of 0 is the runtime's to choose.
//: ndrange_t
struct ndrange_t {
    uint work_dim;
    size_t offset[3], global_size[3], local_size[3];
};

// The structs from here on are read and written by runtime/queue/device_memory.py as well.
// Records fill `memory` from its start; `end` counts on beyond `capacity`, where the queue is full.
//: queue_slot
struct queue_slot {
    ulong memory, capacity, serial;
    atomic_ulong end;
};

// captured: whether, and where, times are to be written once the event is complete. next: the free slot behind this one.
//: event_slot
struct event_slot {
    atomic_uint references;
    atomic_int status;
    uint generation, next;
    ulong captured, times[2];
};

// block_sizes: the largest work-group of each block of the program. detailed: the program was built with -g.
// free_events: the number + 1 of the first free slot, and how often that has changed above it; fresh_events: slots from there on have
// never been used.
//: queue_environment
struct queue_environment {
    ulong default_queue, events, block_sizes;
    atomic_ulong free_events, fresh_events;
    ulong max_events, local_memory, item_sizes[3];
    uint detailed, uniform;
    queue_slot queues[32];
};

// What a kernel is told: where all is, and which event stands for the command that it belongs to.
//: enqueuing
struct enqueuing {
    queue_environment* environment;
    clk_event_t parent;
};

// A command. Behind it are the events that it waits for, the offsets of the block's local memory, and at `captured_at` what the block
// has captured. `block` is -1 for a marker; a size of 0 ends the records of a queue.
//: queue_record
struct queue_record {
    uint size, waits, captured_at, flags;
    ulong event, parent;
    uint block, work_dim;
    size_t offset[3], global_size[3];
    uint local_size[3], dynamic_local;
};

// A struct of what a block has captured tells by this base which block it is.
//: enqueued_block number_of
template<uint N> struct enqueued_block {};
template<uint N> __device__ uint number_of(const enqueued_block<N>&) { return N; }

// The struct with a captured array in its place.
//: with_array
template<class S, class A> __device__ S with_array(S captures, A S::*member, const A& array) {
    copy_bytes(&(captures.*member), &array, sizeof(A));
    return captures;
}

//: begin_enqueuing
__device__ void begin_enqueuing(const enqueuing& launch) { launched = launch; }

//: enqueue_failure
__device__ int enqueue_failure(int detailed) { return launched.environment->detailed ? detailed : CLK_ENQUEUE_FAILURE; }

//: event_at
__device__ event_slot* event_at(clk_event_t event) { return (event_slot*)launched.environment->events + ((uint)event - 1); }

//: is_valid_event
__device__ bool is_valid_event(clk_event_t event) {
    const uint number = (uint)event - 1;
    const ulong fresh = atomic_load_explicit(&launched.environment->fresh_events, memory_order_relaxed, memory_scope_device);
    if (number >= fresh || number >= launched.environment->max_events) return false;
    event_slot* slot = event_at(event);
    return slot->generation == (uint)(event >> 32)
        && atomic_load_explicit(&slot->references, memory_order_relaxed, memory_scope_device) != 0;
}

// A new event with so many references; 0 where there is none left.
//: new_event
__device__ clk_event_t new_event(uint references, int status) {
    queue_environment* environment = launched.environment;
    event_slot* slots = (event_slot*)environment->events;
    uint number;
    ulong head = atomic_load_explicit(&environment->free_events, memory_order_acquire, memory_scope_device);
    for (;;) {
        number = (uint)head;
        if (number == 0) break;
        const ulong next = ((head >> 32) + 1) << 32 | ((volatile event_slot*)slots)[number - 1].next;
        if (atomic_compare_exchange_strong_explicit(&environment->free_events, &head, next, memory_order_acq_rel, memory_order_acquire,
                                                    memory_scope_device)) break;
    }
    if (number == 0) {
        const ulong fresh = atomic_fetch_add_explicit(&environment->fresh_events, 1, memory_order_relaxed, memory_scope_device);
        if (fresh >= environment->max_events) return 0;
        number = (uint)fresh + 1;
    }
    event_slot* slot = slots + (number - 1);
    slot->captured = 0;
    slot->times[0] = slot->times[1] = 0;
    atomic_store_explicit(&slot->status, status, memory_order_relaxed, memory_scope_device);
    atomic_store_explicit(&slot->references, references, memory_order_release, memory_scope_device);
    return (ulong)slot->generation << 32 | number;
}

//: retain_event
__device__ void retain_event(clk_event_t event) {
    atomic_fetch_add_explicit(&event_at(event)->references, 1, memory_order_relaxed, memory_scope_device);
}

// "The event object is deleted once the event reference count is zero, the specific command identified by this event has completed (or
// terminated), and there are no commands in any device command-queue that require a wait for this event to complete": the command and
// those that wait hold references of their own.
//: release_event
__device__ void release_event(clk_event_t event) {
    event_slot* slot = event_at(event);
    if (atomic_fetch_sub_explicit(&slot->references, 1, memory_order_acq_rel, memory_scope_device) != 1) return;
    queue_environment* environment = launched.environment;
    slot->generation++;
    ulong head = atomic_load_explicit(&environment->free_events, memory_order_acquire, memory_scope_device);
    do {
        ((volatile event_slot*)slot)->next = (uint)head;
    } while (!atomic_compare_exchange_strong_explicit(&environment->free_events, &head, ((head >> 32) + 1) << 32 | (uint)event,
                                                      memory_order_acq_rel, memory_order_acquire, memory_scope_device));
}

// "The execution status of the user event created is set to CL_SUBMITTED."
//: create_user_event
__device__ clk_event_t create_user_event() { return new_event(1, CL_SUBMITTED); }

//: set_user_event_status
__device__ void set_user_event_status(clk_event_t event, int status) {
    atomic_store_explicit(&event_at(event)->status, status, memory_order_release, memory_scope_device);
}

// "The profiling information will be available in value once the command identified by event has completed."
//: capture_event_profiling_info
__device__ void capture_event_profiling_info(clk_event_t event, int name, void* value) {
    event_slot* slot = event_at(event);
    if (name != CLK_PROFILING_COMMAND_EXEC_TIME) return;
    if (atomic_load_explicit(&slot->status, memory_order_acquire, memory_scope_device) > CL_COMPLETE) {
        slot->captured = (ulong)value;
    } else {
        ((ulong*)value)[0] = slot->times[0];
        ((ulong*)value)[1] = slot->times[1];
    }
}

//: get_default_queue
__device__ queue_t get_default_queue() { return launched.environment->default_queue; }

//: queue_at
__device__ queue_slot* queue_at(queue_t queue) {
    const uint number = (uint)queue - 1;
    if (number >= 32) return nullptr;
    queue_slot* slot = &launched.environment->queues[number];
    return slot->serial == queue >> 32 && slot->capacity != 0 ? slot : nullptr;
}

// Room for a record at the end of the queue, nullptr where there is none. The first one who finds none leaves the mark of the end.
//: queue_room
__device__ queue_record* queue_room(queue_slot* slot, uint size) {
    const ulong at = atomic_fetch_add_explicit(&slot->end, size, memory_order_relaxed, memory_scope_device);
    if (at + size <= slot->capacity) return (queue_record*)(slot->memory + at);
    if (at < slot->capacity) ((queue_record*)(slot->memory + at))->size = 0;
    return nullptr;
}

// The checks that commands have in common, and the event of the command; 0 where all is well.
//: check_waits
__device__ int check_waits(uint waits, const clk_event_t* list) {
    if ((waits == 0) != (list == nullptr)) return enqueue_failure(CLK_INVALID_EVENT_WAIT_LIST);
    for (uint i = 0; i < waits; i++)
        if (!is_valid_event(list[i])) return enqueue_failure(CLK_INVALID_EVENT_WAIT_LIST);
    return CLK_SUCCESS;
}

// Writes a command's record but for what the block has captured, for which it leaves `captured` bytes at the returned place. nullptr
// where the command cannot be enqueued: `result` says why.
//: enqueue_command
__device__ void* enqueue_command(queue_slot* slot, uint waits, const clk_event_t* list, clk_event_t* event_ret, uint offsets,
                                 uint captured, queue_record** record, int* result) {
    clk_event_t event = 0;
    if (event_ret != nullptr) {
        event = new_event(2, CL_QUEUED);
        if (event == 0) {
            *result = enqueue_failure(CLK_EVENT_ALLOCATION_FAILURE);
            return nullptr;
        }
    }
    const uint captured_at = ((uint)sizeof(queue_record) + 8 * waits + 4 * offsets + 15) / 16 * 16;
    const uint size = captured_at + (captured + 15) / 16 * 16;
    queue_record* made = queue_room(slot, size);
    if (made == nullptr) {
        if (event != 0) {
            release_event(event);
            release_event(event);
        }
        *result = enqueue_failure(CLK_DEVICE_QUEUE_FULL);
        return nullptr;
    }
    made->size = size;
    made->waits = waits;
    made->captured_at = captured_at;
    made->event = event;
    made->parent = launched.parent;
    clk_event_t* kept = (clk_event_t*)(made + 1);
    for (uint i = 0; i < waits; i++) {
        retain_event(list[i]);
        kept[i] = list[i];
    }
    if (event_ret != nullptr) *event_ret = event;
    *record = made;
    *result = CLK_SUCCESS;
    return (char*)made + captured_at;
}

// "event_ret must not be NULL as otherwise this is a no-op."
//: enqueue_marker
__device__ int enqueue_marker(queue_t queue, uint waits, const clk_event_t* list, clk_event_t* event_ret) {
    queue_slot* slot = queue_at(queue);
    if (slot == nullptr) return enqueue_failure(CLK_INVALID_QUEUE);
    if (list == nullptr || waits == 0) return enqueue_failure(CLK_INVALID_EVENT_WAIT_LIST);
    int result = check_waits(waits, list);
    if (result != CLK_SUCCESS || event_ret == nullptr) return result;
    queue_record* record;
    if (enqueue_command(slot, waits, list, event_ret, 0, 0, &record, &result) != nullptr) {
        record->block = (uint)-1;
        record->flags = 0;
    }
    return result;
}

// Whether it is "a valid ND-range descriptor" that a block can run with; "or if the program was compiled with
// -cl-uniform-work-group-size and the local_work_size is specified in ndrange but the global_work_size specified in ndrange is not a
// multiple of the local_work_size".
//: is_valid_ndrange
__device__ bool is_valid_ndrange(const ndrange_t& range, uint block) {
    const queue_environment* environment = launched.environment;
    if (range.work_dim < 1 || range.work_dim > 3) return false;
    size_t items = 1;
    bool given = false;
    for (uint d = 0; d < 3; d++) given |= range.local_size[d] != 0;
    for (uint d = 0; d < 3; d++) {
        if (range.global_size[d] + range.offset[d] < range.offset[d]) return false;
        if (!given) continue;
        if (range.local_size[d] == 0 || range.local_size[d] > environment->item_sizes[d]) return false;
        if (environment->uniform && range.global_size[d] % range.local_size[d] != 0) return false;
        items *= range.local_size[d];
    }
    return !given || items <= ((const uint*)environment->block_sizes)[block];
}

//: enqueue_kernel_after
template<class B, class... S> __device__ int enqueue_kernel_after(queue_t queue, int flags, const ndrange_t& range, uint waits,
                                                                 const clk_event_t* list, clk_event_t* event_ret, const B& block, S... sizes) {
    queue_slot* slot = queue_at(queue);
    if (slot == nullptr) return enqueue_failure(CLK_INVALID_QUEUE);
    if (!is_valid_ndrange(range, number_of(block))) return enqueue_failure(CLK_INVALID_NDRANGE);
    int result = check_waits(waits, list);
    if (result != CLK_SUCCESS) return result;
    if ((((uint)sizes == 0) || ...)) return enqueue_failure(CLK_INVALID_ARG_SIZE);
    // Each piece of local memory begins at a multiple of 128 bytes.
    ulong local = 0;
    ((local = (local + 127) / 128 * 128 + (uint)sizes), ...);
    if (local > launched.environment->local_memory) return enqueue_failure(CLK_OUT_OF_RESOURCES);
    queue_record* record;
    void* captured = enqueue_command(slot, waits, list, event_ret, sizeof...(S), sizeof(B), &record, &result);
    if (captured == nullptr) return result;
    record->block = number_of(block);
    record->flags = flags;
    record->work_dim = range.work_dim;
    for (uint d = 0; d < 3; d++) {
        record->offset[d] = range.offset[d];
        record->global_size[d] = range.global_size[d];
        record->local_size[d] = (uint)range.local_size[d];
    }
    uint* offsets = (uint*)((clk_event_t*)(record + 1) + waits);
    uint end = 0;
    ((end = (end + 127) / 128 * 128, *offsets++ = end, end += (uint)sizes), ...);
    record->dynamic_local = end;
    copy_bytes(__builtin_assume_aligned(captured, 16), &block, sizeof(B));
    return result;
}

//: enqueue_kernel
template<class B, class... S> __device__ int enqueue_kernel(queue_t queue, int flags, const ndrange_t& range, const B& block, S... sizes) {
    return enqueue_kernel_after(queue, flags, range, 0, nullptr, nullptr, block, sizes...);
}

//: get_kernel_work_group_size
template<class B> __device__ uint get_kernel_work_group_size(const B& block) {
    return ((const uint*)launched.environment->block_sizes)[number_of(block)];
}

//: get_kernel_preferred_work_group_size_multiple
template<class B> __device__ uint get_kernel_preferred_work_group_size_multiple(const B&) { return 32; }

// Where the runtime chooses the local size, the largest that it may choose.
//: get_kernel_sub_group_count_for_ndrange
template<class B> __device__ uint get_kernel_sub_group_count_for_ndrange(const ndrange_t& range, const B&) {
    size_t items = 1, given = 1;
    for (uint d = 0; d < 3; d++) {
        given *= range.local_size[d];
        items *= range.global_size[d];
    }
    const size_t group = given != 0 ? given : items < 1024 ? items : 1024;
    return (uint)((group + 31) / 32);
}

//: get_kernel_max_sub_group_size_for_ndrange
template<class B> __device__ uint get_kernel_max_sub_group_size_for_ndrange(const ndrange_t&, const B&) { return 32; }

// The first form of each has one dimension.
//: ndrange_of
__device__ ndrange_t ndrange_of(uint work_dim, const size_t* offset, const size_t* global_size, const size_t* local_size) {
    ndrange_t range = {work_dim, {0, 0, 0}, {1, 1, 1}, {0, 0, 0}};
    for (uint d = 0; d < work_dim; d++) {
        if (offset != nullptr) range.offset[d] = offset[d];
        range.global_size[d] = global_size[d];
    }
    if (local_size != nullptr)
        for (uint d = 0; d < 3; d++) range.local_size[d] = d < work_dim ? local_size[d] : 1;
    return range;
}

//: ndrange_1D
__device__ ndrange_t ndrange_1D(size_t global_size) { return ndrange_of(1, nullptr, &global_size, nullptr); }
__device__ ndrange_t ndrange_1D(size_t global_size, size_t local_size) { return ndrange_of(1, nullptr, &global_size, &local_size); }
__device__ ndrange_t ndrange_1D(size_t offset, size_t global_size, size_t local_size) {
    return ndrange_of(1, &offset, &global_size, &local_size);
}

//: ndrange_2D
__device__ ndrange_t ndrange_2D(const size_t* global_size) { return ndrange_of(2, nullptr, global_size, nullptr); }
__device__ ndrange_t ndrange_2D(const size_t* global_size, const size_t* local_size) {
    return ndrange_of(2, nullptr, global_size, local_size);
}
__device__ ndrange_t ndrange_2D(const size_t* offset, const size_t* global_size, const size_t* local_size) {
    return ndrange_of(2, offset, global_size, local_size);
}

//: ndrange_3D
__device__ ndrange_t ndrange_3D(const size_t* global_size) { return ndrange_of(3, nullptr, global_size, nullptr); }
__device__ ndrange_t ndrange_3D(const size_t* global_size, const size_t* local_size) {
    return ndrange_of(3, nullptr, global_size, local_size);
}
__device__ ndrange_t ndrange_3D(const size_t* offset, const size_t* global_size, const size_t* local_size) {
    return ndrange_of(3, offset, global_size, local_size);
}

}  // namespace ocl
