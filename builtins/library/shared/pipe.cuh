// Pipes (6.15.18): a ring of slots in global memory. Positions count on for ever; position p is in slot p % max_packets. Who reserves
// moves an end of the pipe; who commits says of each slot that its turn is over. So nobody waits for anybody, reservations may be
// committed in any order, and packets still come out in the order of their reservations.

namespace ocl {

// Zero but for the last two in a new pipe (runtime/memory/pipe.py). Slots begin 64 bytes after it, packets at the next multiple of 128.
struct pipe_state {
    atomic_ulong written, read;  // the positions that are reserved next
    uint max_packets, packet_size;
};

// turn: 2 n when the slot waits for the packet of round n, 2 n + 1 when that is to be read.
// count: of the reservation that begins here.
struct pipe_slot {
    atomic_ulong turn;
    ulong count;
};

template<class T> struct pipe { pipe_state* state; };

// 0 is no reservation, else one more than the first position.
using reserve_id_t = ulong;

__device__ pipe_slot* pipe_slot_at(pipe_state* s, ulong position) { return (pipe_slot*)((char*)s + 64) + position % s->max_packets; }

template<class T> __device__ T* pipe_packet_at(pipe<T> p, ulong position) {
    const size_t slots = 64 + (size_t)p.state->max_packets * sizeof(pipe_slot);
    return (T*)((char*)p.state + (slots + 127) / 128 * 128) + position % p.state->max_packets;
}

// Takes `count` positions from one end of the pipe, if the turn of them all is the one for `reading`, or writing.
__device__ reserve_id_t pipe_reserve(pipe_state* s, uint count, bool reading) {
    atomic_ulong* end = reading ? &s->read : &s->written;
    if (count == 0 || count > s->max_packets) return 0;
    ulong first = atomic_load_explicit(end, memory_order_relaxed, memory_scope_device);
    for (;;) {
        uint ready = 0;
        while (ready < count) {
            const ulong turn = (first + ready) / s->max_packets * 2 + reading;
            if (atomic_load_explicit(&pipe_slot_at(s, first + ready)->turn, memory_order_acquire, memory_scope_device) != turn) break;
            ready++;
        }
        if (ready == count) {
            if (atomic_compare_exchange_strong_explicit(end, &first, first + count, memory_order_relaxed, memory_order_relaxed,
                                                        memory_scope_device)) break;
        } else {
            const ulong now = atomic_load_explicit(end, memory_order_relaxed, memory_scope_device);
            if (now == first) return 0;
            first = now;
        }
    }
    pipe_slot_at(s, first)->count = count;
    return first + 1;
}

// What was written is to be read next, what was read is to be written.
__device__ void pipe_commit(pipe_state* s, reserve_id_t id) {
    const ulong count = pipe_slot_at(s, id - 1)->count;
    for (ulong position = id - 1; position < id - 1 + count; position++) {
        atomic_ulong* turn = &pipe_slot_at(s, position)->turn;
        const ulong now = atomic_load_explicit(turn, memory_order_relaxed, memory_scope_device);
        atomic_store_explicit(turn, now + 1, memory_order_release, memory_scope_device);
    }
}

__device__ bool is_valid_reserve_id(reserve_id_t id) { return id != 0; }

template<class T> __device__ reserve_id_t reserve_read_pipe(pipe<T> p, uint count) { return pipe_reserve(p.state, count, true); }

template<class T> __device__ reserve_id_t reserve_write_pipe(pipe<T> p, uint count) { return pipe_reserve(p.state, count, false); }

template<class T> __device__ void commit_read_pipe(pipe<T> p, reserve_id_t id) { pipe_commit(p.state, id); }

template<class T> __device__ void commit_write_pipe(pipe<T> p, reserve_id_t id) { pipe_commit(p.state, id); }

// "Returns 0 if read_pipe is successful and a negative value if the pipe is empty."
//: read_pipe
template<class T> __device__ int read_pipe(pipe<T> p, reserve_id_t id, uint index, void* to) {
    if (id == 0) return -1;
    *(T*)to = *pipe_packet_at(p, id - 1 + index);
    return 0;
}
template<class T> __device__ int read_pipe(pipe<T> p, void* to) {
    const reserve_id_t id = reserve_read_pipe(p, 1);
    if (id == 0) return -1;
    read_pipe(p, id, 0, to);
    commit_read_pipe(p, id);
    return 0;
}

// "Returns 0 if write_pipe is successful and a negative value if the pipe is full."
//: write_pipe
template<class T> __device__ int write_pipe(pipe<T> p, reserve_id_t id, uint index, const void* from) {
    if (id == 0) return -1;
    *pipe_packet_at(p, id - 1 + index) = *(const T*)from;
    return 0;
}
template<class T> __device__ int write_pipe(pipe<T> p, const void* from) {
    const reserve_id_t id = reserve_write_pipe(p, 1);
    if (id == 0) return -1;
    write_pipe(p, id, 0, from);
    commit_write_pipe(p, id);
    return 0;
}

// "The value returned should be considered immediately stale."
//: get_pipe_num_packets
template<class T> __device__ uint get_pipe_num_packets(pipe<T> p) {
    const ulong read = atomic_load_explicit(&p.state->read, memory_order_relaxed, memory_scope_device);
    return (uint)(atomic_load_explicit(&p.state->written, memory_order_relaxed, memory_scope_device) - read);
}

template<class T> __device__ uint get_pipe_max_packets(pipe<T> p) { return p.state->max_packets; }

// One work-item does it for the work-group; a commit waits until all have used their packets.
//: work_group_reserve_read_pipe
template<class T> __device__ reserve_id_t work_group_reserve_read_pipe(pipe<T> p, uint count) {
    return work_group_broadcast(get_local_linear_id() == 0 ? reserve_read_pipe(p, count) : 0, (size_t)0);
}

//: work_group_reserve_write_pipe
template<class T> __device__ reserve_id_t work_group_reserve_write_pipe(pipe<T> p, uint count) {
    return work_group_broadcast(get_local_linear_id() == 0 ? reserve_write_pipe(p, count) : 0, (size_t)0);
}

//: work_group_commit_read_pipe
template<class T> __device__ void work_group_commit_read_pipe(pipe<T> p, reserve_id_t id) {
    work_group_barrier(2);
    if (get_local_linear_id() == 0) commit_read_pipe(p, id);
}

//: work_group_commit_write_pipe
template<class T> __device__ void work_group_commit_write_pipe(pipe<T> p, reserve_id_t id) {
    work_group_barrier(2);
    if (get_local_linear_id() == 0) commit_write_pipe(p, id);
}

}  // namespace ocl
