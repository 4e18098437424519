/* The licence, which
 * a reader must see. */
#define TWO 2 // of the directive

// A paragraph of its own,

/* and another. */

typedef int number; // behind

// What is left out keeps its comment.
#if TWO == 3
int left_out(int a) { return a; } // and this one
#endif


// About all kernels.


// About this one.
kernel void f(global number *a) {

    // An introduction.

    // The first statement.
    a[0] = TWO;

    // Of a directive.
#if TWO == 2
    // Of the second statement.
    a[1] = 3;
#endif
}

// Translated:
//| // The licence, which
//| // a reader must see.
//|
//| // A paragraph of its own,
//|
//| // and another.
//|
//| typedef int number; // behind
//|
//| // About all kernels.
//|
//| // About this one.
//| __global__ void f(number *a) {
//|     // An introduction.
//|
//|     // The first statement.
//|     a[0] = 2;
//|     // Of the second statement.
//|     a[1] = 3;
//| }
