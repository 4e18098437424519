/* The first kernel.
 *   It adds. */
kernel void comments(global float *x /* data */, int n) // the head
{
    // the index
    int i = get_global_id(0); /* one each */

    x[i] += n; // "quoted // text"
}

// Translated:
//| // The first kernel.
//| // It adds.
//| __global__ void comments(float *x, int n) { // the head
//|     // the index
//|     int i = get_global_id(0); // one each
//|
//|     x[i] += n; // "quoted // text"
//| }
