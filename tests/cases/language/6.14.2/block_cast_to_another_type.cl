// 6.14.2: A block is no block of other types.
// expect: error "cannot cast from type 'int (^)(int)' to type 'int (^)(float)'" at line 6
// clang: differs because it casts a block to any type of block, whose call then has other arguments than its own
// options: -cl-std=CL2.0
typedef int (^of_float)(float);
constant of_float wrong = (of_float) ^(int x) { return 2 * x; };
kernel void block_cast_to_another_type(global int *out) { out[0] = 1; }
