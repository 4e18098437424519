/* One step of n bodies that attract each other. A body is a float4: x, y, z and mass.
 *
 * The bodies are staged through local memory, one work-group's worth at a time: every work-item loads one body and then
 * all of them use it.
 */
float3 attraction(float3 position, float4 other, float softening)
{
    float3 d = other.xyz - position;
    float inverse = rsqrt(dot(d, d) + softening * softening);
    return d * (other.w * inverse * inverse * inverse);
}

__kernel void advance(__global const float4 *bodies, __global float4 *velocities, __global float4 *moved,
                   int n, float dt, float softening, __local float4 *tile)
{
    const int i = get_global_id(0);
    const int lid = get_local_id(0);
    const int tile_size = get_local_size(0);

    float4 body = bodies[i];
    float3 acceleration = (float3)(0.0f);

    for (int first = 0; first < n; first += tile_size) {
        tile[lid] = bodies[first + lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < tile_size; j++)
            acceleration += attraction(body.xyz, tile[j], softening);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    float4 velocity = velocities[i];
    velocity.xyz += acceleration * dt;
    body.xyz += velocity.xyz * dt;

    velocities[i] = velocity;
    moved[i] = body;
}
