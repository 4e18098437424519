// 6.3.5: For 3-component vector data types, the size of the data type is 4 * sizeof(component).
// expect: valid
// result: 16 48 4
kernel void three_components_take_four(global int *out) {
    out[0] = sizeof(float3);
    float3 many[3];
    out[1] = sizeof(many);
    out[2] = sizeof(char3);
}
