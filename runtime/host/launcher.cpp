// Stands after the translated program: the loops over work-items, one entry for each kernel, in five forms.
//
//   flat     units are work-items in linear order, for kernels that ask only for global ids: rows as long as they come.
//   groups   units are work-groups, their items in a loop.
//   loops    units are work-groups, which the kernel itself runs: it has loops over the items between its barriers.
//   fibers   units are work-groups, their items on stacks of their own, for other kernels with barriers.
//   waiting  the same, of kernels whose work-groups may wait for each other.
//
// `plain` is flat, or groups where the program asks for more than global ids.
// The kernel's body is inlined into the innermost loop, which counts in `int`: GCC vectorises that across work-items,
// and does not with a 64-bit counter where the kernel says `int i = get_global_id(0)`.

// The program holds only the work-item state that it uses (builtins/library/host/workitem.cuh). What it lacks is found here, one
// namespace further out.
static thread_local ocl::host::size global_ids[3];
static thread_local struct { ocl::host::size local_id[3], group_id[3], local_size[3]; } in_group;
static thread_local struct { ocl::host::size work_dim, global_size[3], local_size[3], groups[3], offset[3]; } nd_range;
static thread_local unsigned char *local_memory;
static thread_local ocl::host::size local_bytes;
constexpr bool by_group = false;
constexpr bool zeroed = false;

namespace ocl {
namespace host {

enum form { flat, groups, loops, fibers, waiting };
constexpr form plain = by_group ? groups : flat;

template<int... I> struct indices {};
// By halves: a kernel may have thousands of arguments, and compilers do not nest so deep.
template<class, class> struct joined;
template<int... I, int... J> struct joined<indices<I...>, indices<J...>> { typedef indices<I..., int(sizeof...(I)) + J...> type; };
template<int N> struct first : joined<typename first<N / 2>::type, typename first<N - N / 2>::type> {};
template<> struct first<0> { typedef indices<> type; };
template<> struct first<1> { typedef indices<0> type; };

// In debug mode the ids are where a handler of faults finds them, and right at any time.
#ifdef OCL_WATCHED
static inline void watch() { ocl_host_watch(&global_ids[0]); }
static inline void at_item() { asm volatile("" : : : "memory"); }
#else
static inline void watch() {}
static inline void at_item() {}
#endif

static inline size ceiling(size a, size b) { return (a + b - 1) / b; }
static inline size least(size a, size b) { return a < b ? a : b; }

static inline void enter(const launch &l, unsigned char *local) {
    nd_range.work_dim = l.work_dim;
    for (int d = 0; d < 3; d++) {
        nd_range.global_size[d] = l.global_size[d];
        nd_range.local_size[d] = l.local_size[d];
        nd_range.groups[d] = ceiling(l.global_size[d], l.local_size[d]);
        nd_range.offset[d] = l.offset[d];
    }
    local_memory = local;
    local_bytes = l.dynamic_local;
}

// Only the last work-group of a dimension may be smaller.
static inline void set_group(const launch &l, int d, size id) {
    in_group.group_id[d] = id;
    in_group.local_size[d] = least(l.local_size[d], l.global_size[d] - id * l.local_size[d]);
}

static inline void enter_group(const launch &l, size index) {
    for (int d = 0; d < 3; d++) {
        set_group(l, d, index % nd_range.groups[d]);
        index /= nd_range.groups[d];
    }
}

static inline void enter_next_group(const launch &l) {
    for (int d = 0; d < 3; d++) {
        size id = in_group.group_id[d] + 1;
        set_group(l, d, id < nd_range.groups[d] ? id : 0);
        if (id < nd_range.groups[d])
            break;
    }
}

static inline void clear(const launch &l) {
    if constexpr (zeroed)
        __builtin_memset(local_memory, 0, l.dynamic_local);
}

static inline size first_id(const launch &l, int d) { return l.offset[d] + in_group.group_id[d] * l.local_size[d]; }

// The kernel F with parameters of the types P, which `kernel_of` deduces so that nobody has to spell them. I counts them.
template<auto F, class I, class... P> struct kernel;

template<auto F, int... I, class... P> struct kernel<F, indices<I...>, P...> {
    // The items begin <= get_global_id(0) < end of one row; in a work-group, begin is its first item's. A function of its own,
    // which the compiler understands better than the same loop inside others.
    template<class index> static inline void row(index begin, index end, P... arguments) {
        for (index i = begin; i < end; i++) {
            global_ids[0] = (size)i;
            in_group.local_id[0] = (size)(i - begin);
            at_item();
            F(arguments...);
        }
    }
    [[gnu::noinline]] static void near_row(int begin, int end, P... arguments) { row<int>(begin, end, arguments...); }
    [[gnu::noinline, gnu::cold]] static void far_row(size begin, size end, P... arguments) { row<size>(begin, end, arguments...); }

    static inline void any_row(size begin, size end, P... arguments) {
        if (end <= 0x7fffffff)
            near_row((int)begin, (int)end, arguments...);
        else
            far_row(begin, end, arguments...);
    }

    static inline void run_flat(const launch &l, size first, size last, P... arguments) {
        size width = l.global_size[0], height = l.global_size[1];
        size x = first % width, y = first / width % height, z = first / width / height;
        while (first < last) {
            size end = least(width, x + (last - first));
            global_ids[1] = l.offset[1] + y;
            global_ids[2] = l.offset[2] + z;
            any_row(l.offset[0] + x, l.offset[0] + end, arguments...);
            first += end - x;
            x = 0;
            if (++y == height) {
                y = 0;
                z++;
            }
        }
    }

    static inline void run_groups(const launch &l, size first, size last, P... arguments) {
        enter_group(l, first);
        for (; first < last; first++, enter_next_group(l)) {
            clear(l);
            size begin = first_id(l, 0);
            for (size z = 0; z < in_group.local_size[2]; z++)
                for (size y = 0; y < in_group.local_size[1]; y++) {
                    in_group.local_id[1] = y;
                    in_group.local_id[2] = z;
                    global_ids[1] = first_id(l, 1) + y;
                    global_ids[2] = first_id(l, 2) + z;
                    any_row(begin, begin + in_group.local_size[0], arguments...);
                }
        }
    }

    // A function of its own: its parameters point to what no other one of the group's variables does.
    [[gnu::noinline]] static void run_group(P... arguments) { F(arguments...); }

    static inline void run_loops(const launch &l, size first, size last, P... arguments) {
        enter_group(l, first);
        for (; first < last; first++, enter_next_group(l)) {
            clear(l);
            ocl_host_begin_group();
            run_group(arguments...);
        }
    }

    static void run_item(const launch &l, size index) {
        for (int d = 0; d < 3; d++) {
            in_group.local_id[d] = index % in_group.local_size[d];
            global_ids[d] = first_id(l, d) + in_group.local_id[d];
            index /= in_group.local_size[d];
        }
        at_item();
        F(*(P *)l.parameters[I]...);
    }

    static inline void run_fibers(const launch &l, size first, size last) {
        enter_group(l, first);
        for (; first < last; first++, enter_next_group(l)) {
            clear(l);
            const size items = in_group.local_size[0] * in_group.local_size[1] * in_group.local_size[2];
            ocl_host_group(&l, items, run_item, &global_ids[0], &in_group.local_id[0]);
        }
    }

    template<form form> static void run(const launch &l, size first, size last, unsigned char *local) {
        enter(l, local);
        watch();
        if constexpr (form == flat)
            run_flat(l, first, last, *(P *)l.parameters[I]...);
        else if constexpr (form == groups)
            run_groups(l, first, last, *(P *)l.parameters[I]...);
        else if constexpr (form == loops)
            run_loops(l, first, last, *(P *)l.parameters[I]...);
        else
            run_fibers(l, first, last);
    }

    template<form form> static inline int start(const launch *l) {
        size items = 1, groups = 1;
        for (int d = 0; d < 3; d++) {
            items *= l->global_size[d];
            groups *= ceiling(l->global_size[d], l->local_size[d]);
        }
        if constexpr (form == waiting)
            return ocl_host_together(l, groups, run<form>);
        return ocl_host_parallel(l, form == flat ? items : groups, form == flat ? 256 : 1, run<form>);
    }
};

template<auto F, class... P> kernel<F, typename first<sizeof...(P)>::type, P...> kernel_of(void (*)(P...));

}
}

// The entry that runtime/host/module.py calls, for a kernel of the form plain, groups, loops, fibers or waiting.
#define OCL_HOST_ENTRY(name, form) \
    extern "C" [[gnu::visibility("default")]] int ocl_run_##name(const ocl::host::launch *l) { \
        return decltype(ocl::host::kernel_of<&ocl::user::name>(&ocl::user::name))::start<ocl::host::form>(l); \
    }
