// 6.11: w. Program scope variables can be of any type except those of 6.3.3.
// expect: valid
// result: 3 4
// options: -cl-std=CL2.0
struct node { int value; global struct node *next; };
global struct node last = {4, 0};
global struct node first = {3, &last};
kernel void w_user_defined_types(global int *out) {
    out[0] = first.value; out[1] = first.next->value;
}
