float min(float a, float b) { return a < b ? a : b; }
float dot(float2 a, float2 b) { return a.x * b.x; }
kernel void names(global float *new, int class, float2 float_) {
    int template = class, sin = 2;
    float user = min(new[0], 1) + max(new[1], 0.0f) + dot(float_, float_);
    new[template] = user + sin + cos(0.5f);
}

// Translated:
//| __device__ float min(float a, float b) {
//|     return a < b ? a : b;
//| }
//|
//| __device__ float dot(float2 a, float2 b) {
//|     return a.x * b.x;
//| }
//|
//| __global__ void names(float *new_, int class_, float2 float_) {
//|     int template_ = class_;
//|     int sin = 2;
//|     float user_ = user::min(new_[0], 1) + max(new_[1], 0.0f) + user::dot(float_, float_);
//|     new_[template_] = user_ + sin + cos(0.5f);
//| }
