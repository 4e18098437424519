// A quotient of two floats that is computed in double for a constant's sake, and becomes a float, is one of floats; others are not.
constant float third = 1.0 / 3;
kernel void quotients(global float *x, int n, double d) {
    float a = 1.0 / x[0], b = -2.0 / (x[1] * 3), c = x[2] / 0.5;
    float e = 1.0 / n, f = 0.1 / x[0], g = x[0] / d, h = 1.0 / x[1] + 1;
    x[0] = (float)((double)x[1] / x[2]) + a + b + c + e + f + g + h;
    double whole = 1.0 / x[3];
    x[1] = whole > 1 ? 4.0 / 3.0 : third;
}

// Translated:
//| // A quotient of two floats that is computed in double for a constant's sake, and becomes a float, is one of floats; others are not.
//| __constant__ const float third = 1.0 / 3;
//|
//| __global__ void quotients(float *x, int n, double d) {
//|     float a = reciprocal_to_nearest(x[0]);
//|     float b = divide_to_nearest(-2.0f, x[1] * 3);
//|     float c = x[2] / 0.5;
//|     float e = 1.0 / n;
//|     float f = 0.1 / x[0];
//|     float g = x[0] / d;
//|     float h = 1.0 / x[1] + 1;
//|     x[0] = divide_to_nearest(x[1], x[2]) + a + b + c + e + f + g + h;
//|     double whole = 1.0 / x[3];
//|     x[1] = whole > 1 ? 4.0 / 3.0 : third;
//| }
