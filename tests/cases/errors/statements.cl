int f(int n) {
    break;
    while (n) { continue; }
    continue;
    case 1: n = 2;
    switch (n) { case n: break; }
    switch (1.0f) { default: break; }
    return;
}
void g(void) { return 1; }
kernel void k(global int *x) { x[0] = g(); if (g()) x[0] = f(1); }

// Diagnostics:
//| error:2:5: 'break' statement not in loop or switch statement
//| error:4:5: 'continue' statement not in loop statement
//| error:5:5: 'case' or 'default' statement not in switch statement
//| error:6:23: expression is not an integer constant expression
//| error:7:13: statement requires expression of integer type ('float' invalid)
//| error:8:5: non-void function 'f' should return a value
//| error:10:16: void function 'g' should not return a value
//| error:11:39: a value of type 'void' cannot be used here
//| error:11:48: a value of type 'void' cannot be used here
