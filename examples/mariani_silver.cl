/* The Mandelbrot set by Mariani and Silver's method: a square whose border is all of one escape time is that everywhere, and is filled;
   any other is divided into four. Who launches the four is the difference between the two kernels: the square itself (OpenCL C 6.15.19),
   or the host, which reads a list of them. Built with -cl-std=CL3.0. */

#define SMALLEST 16  /* a side from which on each pixel is computed */
#define GROUP 64

typedef struct { float2 corner; float step; int limit; } View;

int escape_time(View view, int x, int y) {
    const float2 c = view.corner + view.step * (float2)(x, y);
    float2 z = c;
    int steps = 0;
    for (; steps < view.limit && dot(z, z) < 4.0f; steps++)
        z = (float2)(z.x * z.x - z.y * z.y + c.x, 2.0f * z.x * z.y + c.y);
    return steps;
}

/* The escape time at the i-th pixel of a square's border. */
int at_border(View view, int x, int y, int side, int i) {
    const int along = i % side, last = side - 1;
    switch (i / side) {
    case 0: return escape_time(view, x + along, y);
    case 1: return escape_time(view, x + along, y + last);
    case 2: return escape_time(view, x, y + along);
    default: return escape_time(view, x + last, y + along);
    }
}

/* A work-group's square: whether it has to be divided. */
bool is_divided(global int *times, int columns, View view, int x, int y, int side) {
    const int first = escape_time(view, x, y), id = (int)get_local_id(0);
    bool same = true;
    for (int i = id; i < 4 * side; i += GROUP) same = same && at_border(view, x, y, side, i) == first;
    const bool filled = work_group_all(same);
    if (!filled && side > SMALLEST) return true;
    for (int i = id; i < side * side; i += GROUP) {
        const int px = x + i % side, py = y + i / side;
        times[py * columns + px] = filled ? first : escape_time(view, px, py);
    }
    return false;
}

/* By device queues: work-groups that are children run the four parts. */
void square(global int *times, int columns, View view, int x, int y, int side) {
    if (is_divided(times, columns, view, x, y, side) && get_local_id(0) == 0) {
        const int half_side = side / 2;
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(4 * GROUP, GROUP), ^{
            const int part = (int)get_group_id(0);
            square(times, columns, view, x + part % 2 * half_side, y + part / 2 * half_side, half_side);
        });
    }
}

kernel void by_device(global int *times, int columns, View view, int side) {
    const int across = columns / side, group = (int)get_group_id(0);
    square(times, columns, view, group % across * side, group / across * side, side);
}

/* By the host: parts that are to be divided go into a list, whose first element says how many there are. */
kernel void by_host(global int *times, int columns, View view, int side, global const int2 *squares, global int2 *divided) {
    const int group = (int)get_group_id(0);
    const int2 at = squares[1 + group];
    if (is_divided(times, columns, view, at.x, at.y, side) && get_local_id(0) == 0) {
        const int first = 1 + atomic_add((volatile global int *)divided, 4);
        for (int part = 0; part < 4; part++) divided[first + part] = at + (int2)(part % 2, part / 2) * (side / 2);
    }
}
