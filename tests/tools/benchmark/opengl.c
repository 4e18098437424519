/* What a frame takes that a program of OpenCL and OpenGL makes: acquire, kernel, release. usage: opengl LIBRARY [SAMPLES [SHRINK]]

   LIBRARY is an OpenCL library: the loader, or a driver that exports OpenCL's functions. OpenGL is GLX's, in a window of the X server
   that DISPLAY names, else off screen, by EGL, on the first display that a device shares with. Each line: what, microseconds a frame when
   each is waited for, when twenty are given at once, and of the kernel alone on what stays acquired; each is the median of some samples.
   Both sides check what is in the object at last. SHRINK divides the sides of all objects: to see that it works. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <CL/cl_egl.h>
#include <CL/cl_gl.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void *pointer;
enum { FRAMES = 20, MOST_SAMPLES = 99, DISPLAYS = 9 };

static pointer library;
static pointer (*proc)(const char *name);

#define CL(name) ((__typeof__(&name))in_library(#name))
#define GL(result, name, types, ...) (((result(*) types)proc(name))(__VA_ARGS__))
#define NEED(call) need((call), #call)

static pointer in_library(const char *name)
{
    pointer found = dlsym(library, name);
    if (!found) {
        fprintf(stderr, "the library has no %s\n", name);
        exit(1);
    }
    return found;
}

static void need(cl_int status, const char *what)
{
    if (status) {
        fprintf(stderr, "%s: %d\n", what, status);
        exit(1);
    }
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

enum { ARRAY_BUFFER = 0x8892, DYNAMIC_DRAW = 0x88E8, TEXTURE_2D = 0x0DE1, MIN_FILTER = 0x2801, NEAREST = 0x2600, RGBA8UI = 0x8D7C,
       RGBA_INTEGER = 0x8D99, UNSIGNED_BYTE = 0x1401, RENDERER = 0x1F01 };

static cl_context context;
static cl_command_queue queue;
static cl_kernel on_buffer, on_image;

static const char *source =
    "kernel void on_buffer(global uint *a, uint frame) { a[get_global_id(0)] = frame * 3 + get_global_id(0); }\n"
    "kernel void on_image(write_only image2d_t a, uint frame) {\n"
    "    write_imageui(a, (int2)(get_global_id(0), get_global_id(1)), (uint4)(frame & 255, get_global_id(0) & 255, 7, 255));\n"
    "}\n";

/* A context of OpenCL that shares with `drawing`, a context of OpenGL that is current on this thread. */
static int share(pointer drawing, cl_context_properties kind, pointer display)
{
    cl_platform_id platform;
    cl_device_id devices[16];
    cl_uint found;
    cl_int status;
    NEED(CL(clGetPlatformIDs)(1, &platform, NULL));
    NEED(CL(clGetDeviceIDs)(platform, CL_DEVICE_TYPE_ALL, 16, devices, &found));
    cl_context_properties properties[] = { CL_GL_CONTEXT_KHR, (cl_context_properties)drawing, kind, (cl_context_properties)display,
                                           CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0 };
    for (cl_uint i = 0; i < found && i < 16; i++) {
        context = CL(clCreateContext)(properties, 1, devices + i, NULL, NULL, &status);
        if (status)
            continue;
        char name[256];
        NEED(CL(clGetDeviceInfo)(devices[i], CL_DEVICE_NAME, sizeof name, name, NULL));
        printf("# %s, %s, %s\n", name, (const char *)GL(const unsigned char *, "glGetString", (unsigned), RENDERER),
               kind == CL_GLX_DISPLAY_KHR ? "GLX" : "EGL");
        queue = CL(clCreateCommandQueue)(context, devices[i], 0, &status);
        NEED(status);
        cl_program program = CL(clCreateProgramWithSource)(context, 1, &source, NULL, &status);
        NEED(status);
        NEED(CL(clBuildProgram)(program, 1, devices + i, "", NULL, NULL));
        on_buffer = CL(clCreateKernel)(program, "on_buffer", &status);
        NEED(status);
        on_image = CL(clCreateKernel)(program, "on_image", &status);
        NEED(status);
        return 1;
    }
    return 0;
}

static int by_egl(pointer display)
{
    enum { OPENGL_API = 0x30A2, RENDERABLE_TYPE = 0x3040, OPENGL_BIT = 8, SURFACE_TYPE = 0x3033, PBUFFER_BIT = 1, NONE = 0x3038 };
    if (!display || !GL(unsigned, "eglInitialize", (pointer, int *, int *), display, NULL, NULL))
        return 0;
    int wanted[] = { SURFACE_TYPE, PBUFFER_BIT, RENDERABLE_TYPE, OPENGL_BIT, NONE }, count = 0;
    pointer config;
    GL(unsigned, "eglBindAPI", (unsigned), OPENGL_API);
    GL(unsigned, "eglChooseConfig", (pointer, const int *, pointer *, int, int *), display, wanted, &config, 1, &count);
    if (!count)
        return 0;
    pointer drawing = GL(pointer, "eglCreateContext", (pointer, pointer, pointer, const int *), display, config, NULL, NULL);
    return drawing && GL(unsigned, "eglMakeCurrent", (pointer, pointer, pointer, pointer), display, NULL, NULL, drawing) &&
           share(drawing, CL_EGL_DISPLAY_KHR, display);
}

static int off_screen(void)
{
    enum { DEVICE_PLATFORM = 0x313F, SURFACELESS = 0x31DD };
    pointer egl = dlopen("libEGL.so.1", RTLD_NOW | RTLD_GLOBAL), devices[DISPLAYS] = { NULL };
    if (!egl || !(*(pointer *)&proc = dlsym(egl, "eglGetProcAddress")))
        return 0;
    int count = 0;
    GL(unsigned, "eglQueryDevicesEXT", (int, pointer *, int *), DISPLAYS - 1, devices, &count);
    for (int i = 0; i < count; i++)
        if (by_egl(GL(pointer, "eglGetPlatformDisplayEXT", (unsigned, pointer, const int *), DEVICE_PLATFORM, devices[i], NULL)))
            return 1;
    return by_egl(GL(pointer, "eglGetPlatformDisplayEXT", (unsigned, pointer, const int *), SURFACELESS, NULL, NULL));
}

/* A window of the display's own visual, so that nothing of X needs a header. It is never shown. */
static int in_window(void)
{
    enum { DRAWABLE_TYPE = 0x8010, WINDOW_BIT = 1, RGBA_TYPE = 0x8014, VISUAL_ID = 0x800B };
    pointer x = dlopen("libX11.so.6", RTLD_NOW | RTLD_GLOBAL), glx = dlopen("libGL.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!x || !glx || !(*(pointer *)&proc = dlsym(glx, "glXGetProcAddressARB")))
        return 0;
#define X(result, name, types, ...) (((result(*) types)dlsym(x, name))(__VA_ARGS__))
    pointer display = X(pointer, "XOpenDisplay", (const char *), NULL), config = NULL;
    if (!display)
        return 0;
    int screen = X(int, "XDefaultScreen", (pointer), display);
    pointer visual = X(pointer, "XDefaultVisual", (pointer, int), display, screen);
    unsigned long visual_id = X(unsigned long, "XVisualIDFromVisual", (pointer), visual);
    int wanted[] = { DRAWABLE_TYPE, WINDOW_BIT, 0 }, count = 0, id;
    pointer *configs = GL(pointer *, "glXChooseFBConfig", (pointer, int, const int *, int *), display, screen, wanted, &count);
    for (int i = 0; i < count && !config; i++)
        if (!GL(int, "glXGetFBConfigAttrib", (pointer, pointer, int, int *), display, configs[i], VISUAL_ID, &id) &&
            (unsigned long)id == visual_id)
            config = configs[i];
    if (!config)
        return 0;
    unsigned long root = X(unsigned long, "XRootWindow", (pointer, int), display, screen);
    unsigned long window = X(unsigned long, "XCreateSimpleWindow",
                             (pointer, unsigned long, int, int, unsigned, unsigned, unsigned, unsigned long, unsigned long), display, root, 0,
                             0, 64, 64, 0, 0ul, 0ul);
    pointer drawing = GL(pointer, "glXCreateNewContext", (pointer, pointer, int, pointer, int), display, config, RGBA_TYPE, NULL, 1);
    return drawing && GL(int, "glXMakeCurrent", (pointer, unsigned long, pointer), display, window, drawing) &&
           share(drawing, CL_GLX_DISPLAY_KHR, display);
}

static int start(void)
{
    return (getenv("DISPLAY") && in_window()) || off_screen();
}

/* One object that is shared, and the kernel that writes all of it. */
struct shared {
    const char *name;
    cl_mem memory;
    unsigned gl_name;
    cl_kernel kernel;
    cl_uint dimensions;
    size_t size[2];
    cl_uint frames;
};

static void acquire(struct shared *one) { NEED(CL(clEnqueueAcquireGLObjects)(queue, 1, &one->memory, 0, NULL, NULL)); }
static void release(struct shared *one) { NEED(CL(clEnqueueReleaseGLObjects)(queue, 1, &one->memory, 0, NULL, NULL)); }

static void launch(struct shared *one)
{
    one->frames++;
    NEED(CL(clSetKernelArg)(one->kernel, 0, sizeof one->memory, &one->memory));
    NEED(CL(clSetKernelArg)(one->kernel, 1, sizeof one->frames, &one->frames));
    NEED(CL(clEnqueueNDRangeKernel)(queue, one->kernel, one->dimensions, NULL, one->size, NULL, 0, NULL, NULL));
}

static void frame(struct shared *one)
{
    acquire(one);
    launch(one);
    release(one);
}

static void waited_for(struct shared *one)
{
    for (int i = 0; i < FRAMES; i++) {
        frame(one);
        NEED(CL(clFinish)(queue));
    }
}

static void at_once(struct shared *one)
{
    for (int i = 0; i < FRAMES; i++)
        frame(one);
    NEED(CL(clFinish)(queue));
}

static void kernel_alone(struct shared *one)
{
    for (int i = 0; i < FRAMES; i++)
        launch(one);
    NEED(CL(clFinish)(queue));
}

static int in_order(const void *one, const void *other)
{
    double difference = *(const double *)one - *(const double *)other;
    return difference < 0 ? -1 : difference > 0;
}

static double median(void (*run)(struct shared *), struct shared *one, int samples)
{
    double taken[MOST_SAMPLES];
    run(one);
    for (int i = 0; i < samples; i++) {
        double before = now();
        run(one);
        taken[i] = (now() - before) / FRAMES;
    }
    qsort(taken, samples, sizeof *taken, in_order);
    return taken[samples / 2];
}

/* Whether the bytes are those of the last frame. */
static int as_written(const struct shared *one, const unsigned char *bytes, size_t pixels)
{
    for (size_t i = 0; i < pixels; i++) {
        cl_uint word = one->frames * 3 + (cl_uint)i;
        unsigned char pixel[] = { (unsigned char)one->frames, (unsigned char)(i % one->size[0]), 7, 255 };
        if (memcmp(bytes + 4 * i, one->dimensions == 1 ? (const void *)&word : pixel, 4))
            return 0;
    }
    return 1;
}

static const char *seen(struct shared *one)
{
    size_t pixels = one->size[0] * (one->dimensions == 2 ? one->size[1] : 1);
    unsigned char *by_opengl = calloc(pixels, 4), *by_opencl = calloc(pixels, 4);
    if (one->dimensions == 1) {
        GL(void, "glBindBuffer", (unsigned, unsigned), ARRAY_BUFFER, one->gl_name);
        GL(void, "glGetBufferSubData", (unsigned, long, long, pointer), ARRAY_BUFFER, 0, 4 * pixels, by_opengl);
    } else {
        GL(void, "glBindTexture", (unsigned, unsigned), TEXTURE_2D, one->gl_name);
        GL(void, "glGetTexImage", (unsigned, int, unsigned, unsigned, pointer), TEXTURE_2D, 0, RGBA_INTEGER, UNSIGNED_BYTE, by_opengl);
    }
    acquire(one);
    size_t origin[3] = { 0, 0, 0 }, region[3] = { one->size[0], one->size[1], 1 };
    if (one->dimensions == 1)
        NEED(CL(clEnqueueReadBuffer)(queue, one->memory, CL_TRUE, 0, 4 * pixels, by_opencl, 0, NULL, NULL));
    else
        NEED(CL(clEnqueueReadImage)(queue, one->memory, CL_TRUE, origin, region, 0, 0, by_opencl, 0, NULL, NULL));
    release(one);
    NEED(CL(clFinish)(queue));
    int opengl = as_written(one, by_opengl, pixels), opencl = as_written(one, by_opencl, pixels);
    free(by_opengl);
    free(by_opencl);
    return opengl && opencl ? "right" : opencl ? "wrong in OpenGL" : opengl ? "wrong in OpenCL" : "wrong";
}

static int measure(struct shared *one, int samples)
{
    double waited = median(waited_for, one, samples), together = median(at_once, one, samples);
    acquire(one);
    double alone = median(kernel_alone, one, samples);
    release(one);
    NEED(CL(clFinish)(queue));
    const char *found = seen(one);
    printf("%s;%.2f;%.2f;%.2f;%s\n", one->name, waited, together, alone, found);
    fflush(stdout);
    NEED(CL(clReleaseMemObject)(one->memory));
    return strcmp(found, "right") != 0;
}

static int buffer(const char *name, size_t columns, size_t rows, int samples)
{
    struct shared one = { name, NULL, 0, on_buffer, 1, { columns * rows, 1 }, 0 };
    cl_int status;
    GL(void, "glGenBuffers", (int, unsigned *), 1, &one.gl_name);
    GL(void, "glBindBuffer", (unsigned, unsigned), ARRAY_BUFFER, one.gl_name);
    GL(void, "glBufferData", (unsigned, long, const void *, unsigned), ARRAY_BUFFER, 4 * columns * rows, NULL, DYNAMIC_DRAW);
    one.memory = CL(clCreateFromGLBuffer)(context, CL_MEM_READ_WRITE, one.gl_name, &status);
    NEED(status);
    return measure(&one, samples);
}

static int texture(const char *name, size_t columns, size_t rows, int samples)
{
    struct shared one = { name, NULL, 0, on_image, 2, { columns, rows }, 0 };
    cl_int status;
    GL(void, "glGenTextures", (int, unsigned *), 1, &one.gl_name);
    GL(void, "glBindTexture", (unsigned, unsigned), TEXTURE_2D, one.gl_name);
    GL(void, "glTexParameteri", (unsigned, unsigned, int), TEXTURE_2D, MIN_FILTER, NEAREST);
    GL(void, "glTexImage2D", (unsigned, int, int, int, int, int, unsigned, unsigned, const void *), TEXTURE_2D, 0, RGBA8UI, (int)columns,
       (int)rows, 0, RGBA_INTEGER, UNSIGNED_BYTE, NULL);
    one.memory = CL(clCreateFromGLTexture)(context, CL_MEM_WRITE_ONLY, TEXTURE_2D, 0, one.gl_name, &status);
    NEED(status);
    return measure(&one, samples);
}

int main(int count, char **arguments)
{
    int samples = count > 2 ? atoi(arguments[2]) : 15;
    if (count < 2 || samples < 1 || samples > MOST_SAMPLES || !(library = dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL))) {
        fprintf(stderr, "usage: opengl LIBRARY [SAMPLES]: %s\n", count < 2 ? "no library" : dlerror());
        return 2;
    }
    if (!start()) {
        fprintf(stderr, "no device shares with OpenGL, %s\n", getenv("DISPLAY") ? "neither in a window nor without a screen" : "which has no screen: DISPLAY is not set\n");
        return 3;
    }
    size_t shrink = count > 3 ? (size_t)atoi(arguments[3]) : 1;
    if (!shrink || shrink > 16)
        return 2;
    int wrong = buffer("buffer, 64 KB", 128 / shrink, 128 / shrink, samples);
    wrong |= buffer("buffer, 1920 x 1080 x 4 B", 1920 / shrink, 1080 / shrink, samples);
    wrong |= buffer("buffer, 3840 x 2160 x 4 B", 3840 / shrink, 2160 / shrink, samples);
    wrong |= texture("texture, 1920 x 1080, RGBA8UI", 1920 / shrink, 1080 / shrink, samples);
    wrong |= texture("texture, 3840 x 2160, RGBA8UI", 3840 / shrink, 2160 / shrink, samples);
    return wrong;
}
