// One step of heat flow on a part of a plate: each cell becomes the mean of its four neighbours. The rows above and below the part
// are other parts', and come in buffers of their own.

float mean(global const float *from, global const float *above, global const float *below, int x, int y, int width, int rows)
{
    int i = y * width + x;
    float up = y > 0 ? from[i - width] : above[x];
    float down = y + 1 < rows ? from[i + width] : below[x];
    float left = x > 0 ? from[i - 1] : 0.0f;
    float right = x + 1 < width ? from[i + 1] : 0.0f;
    return 0.25f * (up + down + left + right);
}

// The first and the last row, which the neighbours need next: kept in buffers that can be copied while the rest is computed.
kernel void edges(global const float *from, global const float *above, global const float *below, global float *to,
                  global float *first, global float *last, int rows)
{
    int x = get_global_id(0), width = get_global_size(0), y = get_global_id(1) ? rows - 1 : 0;
    float value = mean(from, above, below, x, y, width, rows);
    to[y * width + x] = value;
    (get_global_id(1) ? last : first)[x] = value;
}

// All rows between them.
kernel void inside(global const float *from, global const float *above, global const float *below, global float *to, int rows)
{
    int x = get_global_id(0), width = get_global_size(0), y = get_global_id(1) + 1;
    to[y * width + x] = mean(from, above, below, x, y, width, rows);
}
