// 6.10: The static storage-class specifier can be used for variables inside a function.
// expect: valid
// options: -cl-std=CL2.0
// result: 2 3 6 4 4 5 9 80 7 70000
int first_of_two(void) {
    static union { int a; } both[2] = { { 1 }, { 2 } };
    return both[1].a;
}
int of_a_byte(void) {
    struct tag { char b; };
    static struct tag byte = { 3 };
    return byte.b;
}
kernel void static_variables_of_local_types(global int *out) {
    typedef int4 V;
    static V four = (V)(1, 2, 3, 4);
    struct tag { short b; };
    static struct tag outer = { 6 };
    out[0] = first_of_two();
    out[1] = of_a_byte();
    out[2] = outer.b;
    out[3] = four.w;
    {
        typedef short V;
        static V two[] = { 1, 2 };
        out[4] = sizeof(two);
    }
    {
        struct tag { char b; };
        static struct tag inner = { 5 };
        out[5] = inner.b;
    }
    {
        enum { P = 4, Q };
        static int e = Q;
        out[6] = e + P;
    }
    {
        enum { P = 39, Q } v = Q;
        static int e = Q;
        out[7] = e + v;
    }
    switch (out[0]) {
    case 2:;
        typedef enum E { A, B = 7 } E;
        static E e[] = { A, B };
        out[8] = e[1];
    }
    typedef int T;
    static T y = 70000;
    out[9] = y;
}
