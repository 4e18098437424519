typedef enum { RED, GREEN = 4, BLUE } color_t;
enum mode { FAST = 1 << 3, SLOW };
typedef float real;
typedef real real3[3];
typedef unsigned int uint32_t;

kernel void enums(global int *out, enum mode m, uint32_t n) {
    color_t c = BLUE;
    real3 r = { 1, 2 };
    out[0] = m == SLOW ? c : max((int)n, GREEN);
    out[1] = r[0];
}

// Translated:
//| enum { RED, GREEN = 4, BLUE };
//|
//| typedef unsigned int color_t;
//|
//| enum mode { FAST = 8, SLOW };
//|
//| typedef float real;
//| typedef real real3[3];
//| typedef unsigned int uint32_t;
//|
//| __global__ void enums(int *out, unsigned int m, uint32_t n) {
//|     color_t c = BLUE;
//|     real3 r = {1.0f, 2.0f};
//|     out[0] = m == SLOW ? c : max((int)n, (int)GREEN);
//|     out[1] = r[0];
//| }
