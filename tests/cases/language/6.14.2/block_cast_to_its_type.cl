// 6.14.2: A cast to the block's own type changes nothing, also at program scope, and the compiler still knows which block it is.
// expect: valid
// options: -cl-std=CL2.0
// result: 42 12 7
typedef int (^operation)(int);
typedef void (^with_local)(local void *);
constant operation doubled = (operation)(operation) ^(int x) { return 2 * x; };
kernel void block_cast_to_its_type(global int *out) {
    operation next = (operation) ^(int x) { return x + 1; };
    with_local empty = (with_local) ^(local void *space) {};
    out[0] = doubled(21);
    out[1] = next(11);
    out[2] = get_kernel_work_group_size(empty) > 0 ? 7 : 0;
}
