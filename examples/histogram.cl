/* Counts how often each byte value occurs.
 *
 * A work-group counts in local memory, where atomics are quick, and adds its counts to the result once, at the end.
 */
#define BINS 256

__kernel void histogram(__global const uchar *data, uint n, __global uint *counts)
{
    __local uint local_counts[BINS];

    for (uint bin = get_local_id(0); bin < BINS; bin += get_local_size(0))
        local_counts[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&local_counts[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint bin = get_local_id(0); bin < BINS; bin += get_local_size(0))
        if (local_counts[bin] > 0)
            atomic_add(&counts[bin], local_counts[bin]);
}
