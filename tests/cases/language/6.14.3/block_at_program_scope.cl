// 6.14.3: You can also declare a Block as a global literal in program scope.
// expect: valid
// options: -cl-std=CL2.0
// result: 5
int GlobalInt = 0;
int (^getGlobalInt)(void) = ^{ return GlobalInt; };
kernel void block_at_program_scope(global int *out) {
    GlobalInt = 5;
    out[0] = getGlobalInt();
}
