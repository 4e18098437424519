int second(int, int b) {
    return b;
}

kernel void place(local int *, global int *argument_1, int, local float *) {
    argument_1[get_global_id(0)] = second(1, 2);
}

kernel void called(local int *, global int *o, local int *) {
    o[0] = 3;
}

kernel void caller(local int *a, global int *b) {
    called(a, b, a);
}

// CUDA C++:
//| __device__ int second(int, int b) {
//|     return b;
//| }
//|
//| __global__ void place(int *argument_1, int argument_2, unsigned int argument_3_offset) {
//|     int *argument_0 = (int *)local_memory;
//|     float *argument_3 = (float *)(local_memory + argument_3_offset);
//|     argument_1[get_global_id(0)] = second(1, 2);
//| }
//|
//| __device__ void called_body(int *argument_0, int *o, int *argument_2) {
//|     o[0] = 3;
//| }
//|
//| __global__ void called(int *o, unsigned int argument_2_offset) {
//|     int *argument_0 = (int *)local_memory;
//|     int *argument_2 = (int *)(local_memory + argument_2_offset);
//|     called_body(argument_0, o, argument_2);
//| }
//|
//| __global__ void caller(int *b) {
//|     int *a = (int *)local_memory;
//|     called_body(a, b, a);
//| }
