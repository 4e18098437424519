enum first { A, B, A };
enum second { B };
int taken(void) { return 1; }
enum third { taken };
kernel void f(global int *x) {
    int local_one;
    enum { local_one };
    enum { A = 5 };
    for (typedef int T; x[0] < 3; ) x[0]++;
    for (struct S { int a; }; x[0] < 3; ) x[0]++;
    for (int g(void); x[0] < 3; ) x[0]++;
    for (enum { C } e = C; x[0] < 3; ) x[0] += e;
}

// Diagnostics:
//| error:1:20: redefinition of enumerator 'A'
//| error:2:15: redefinition of enumerator 'B'
//| error:4:14: redefinition of 'taken'
//| error:7:12: redefinition of 'local_one'
//| error:9:22: non-variable declaration in 'for' loop
//| error:10:17: non-variable declaration in 'for' loop
//| error:11:14: non-variable declaration in 'for' loop
