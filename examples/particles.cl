// Particles that two masses on a circle pull: one step of time, in place.
// A particle is (x, y, speed in x, speed in y); the colour that OpenGL draws it with follows its speed.

kernel void step(global float4 *particles, global uchar4 *colours, float time, float pace) {
    int i = get_global_id(0);
    float4 p = particles[i];
    float2 pull = 0;
    for (int mass = 0; mass < 2; mass++) {
        float angle = time + mass * M_PI_F;
        float2 away = 0.45f * (float2)(cos(angle), sin(angle)) - p.xy;
        pull += away / (dot(away, away) + 0.02f);
    }
    p.zw += pace * (0.12f * pull - 0.05f * p.zw);
    p.xy += pace * p.zw;
    particles[i] = p;
    colours[i] = convert_uchar4_sat_rte(255 * mix((float4)(0.15f, 0.35f, 1.0f, 1.0f), (float4)(1.0f, 0.75f, 0.25f, 1.0f),
                                                  min(length(p.zw), 1.0f)));
}
