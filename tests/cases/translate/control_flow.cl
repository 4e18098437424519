int classify(int x) {
    switch (x) {
    case 0:
    case 1: {
        int y = x + 1;
        return y;
    }
    case -2:
        x = 5;
    default:
        break;
    }
    if (x > 3) return 1;
    else if (x < -3) return -1;
    else {
        x = 0;
    }
    if (x) if (x > 1) x = 2; else x = 3;
    return x;
}

kernel void control_flow(global int *out, int n) {
    int i;
    for (i = 0; i < n; ++i) {
        if (i == 3) continue;
        out[i] = classify(i);
    }
    for (int a = 0, *p = 0; a < 4; a++) ;
    while (n > 0) n -= 2;
    do { n++; } while (n < 10);
    for (;;) break;
    if (n == 3) goto done;
    int later = 4;
    out[0] = later;
done:
    out[1] = n;
}

// Translated:
//| __device__ int classify(int x) {
//|     switch (x) {
//|     case 0:
//|     case 1: {
//|         int y = x + 1;
//|         return y;
//|     }
//|     case -2:
//|         x = 5;
//|     default:
//|         break;
//|     }
//|     if (x > 3)
//|         return 1;
//|     else if (x < -3)
//|         return -1;
//|     else {
//|         x = 0;
//|     }
//|     if (x)
//|         if (x > 1)
//|             x = 2;
//|         else
//|             x = 3;
//|     return x;
//| }
//|
//| __global__ void control_flow(int *out, int n) {
//|     int i;
//|     for (i = 0; i < n; ++i) {
//|         if (i == 3)
//|             continue;
//|         out[i] = classify(i);
//|     }
//|     for (int a = 0, *p = nullptr; a < 4; a++);
//|     while (n > 0)
//|         n -= 2;
//|     do {
//|         n++;
//|     } while (n < 10);
//|     for (;;)
//|         break;
//|     if (n == 3)
//|         goto done_;
//|     int later;
//|     later = 4;
//|     out[0] = later;
//| done_:
//|     out[1] = n;
//| }
