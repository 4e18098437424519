typedef struct { int a[2]; } pair;

int nothing(global int *p) {
    p[0] = 1;
}

float4 sometimes(float4 v) {
    if (v.x > 0)
        return v;
}

pair breaks(int n) {
    pair p = {{n, n}};
    while (1) {
        if (n > 3)
            break;
        n += p.a[0];
    }
}

int chooses(int n) {
    switch (n) {
    case 0:
        return 1;
    default:
        break;
    }
}

int always(int n) {
    if (n > 0)
        return 1;
    else if (n < 0)
        return -1;
    else {
        return 0;
    }
}

int loops(int n) {
    for (;;) {
        switch (n++) {
        case 9:
            break;
        case 10:
            return n;
        }
    }
}

int every_case(int n) {
    switch (n) {
    case 0:
        return 1;
    default:
        while (n > 0)
            if (--n == 7)
                break;
        return 2;
    }
}

kernel void k(global int *out, float4 v) {
    nothing(out);
    out[1] = sometimes(v).x + breaks(4).a[0] + chooses(0) + always(3) + loops(1) + every_case(2);
}

// Translated:
//| struct pair {
//|     int a[2];
//| };
//|
//| __device__ int nothing(int *p) {
//|     p[0] = 1;
//|     return {};
//| }
//|
//| __device__ float4 sometimes(float4 v) {
//|     if (v.x > 0)
//|         return v;
//|     return {};
//| }
//|
//| __device__ pair breaks(int n) {
//|     pair p = {{n, n}};
//|     while (1) {
//|         if (n > 3)
//|             break;
//|         n += p.a[0];
//|     }
//|     return {};
//| }
//|
//| __device__ int chooses(int n) {
//|     switch (n) {
//|     case 0:
//|         return 1;
//|     default:
//|         break;
//|     }
//|     return {};
//| }
//|
//| __device__ int always(int n) {
//|     if (n > 0)
//|         return 1;
//|     else if (n < 0)
//|         return -1;
//|     else {
//|         return 0;
//|     }
//| }
//|
//| __device__ int loops(int n) {
//|     for (;;) {
//|         switch (n++) {
//|         case 9:
//|             break;
//|         case 10:
//|             return n;
//|         }
//|     }
//| }
//|
//| __device__ int every_case(int n) {
//|     switch (n) {
//|     case 0:
//|         return 1;
//|     default:
//|         while (n > 0)
//|             if (--n == 7)
//|                 break;
//|         return 2;
//|     }
//| }
//|
//| __global__ void k(int *out, float4 v) {
//|     nothing(out);
//|     out[1] = sometimes(v).x + breaks(4).a[0] + chooses(0) + always(3) + loops(1) + every_case(2);
//| }
