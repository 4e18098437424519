// 6.14.3: You can also declare a Block as a global literal in program scope.
// expect: valid
// options: -cl-std=CL2.0
// result: 9
constant int nine = 9;
int (^getNine)(void) = ^{ return nine; };
kernel void global_block(global int *out) {
    out[0] = getNine();
}
