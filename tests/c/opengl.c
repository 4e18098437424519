/* 5.2.6, 5.3.12, 5.3.13, 5.5.9, 5.5.12, 5.5.13, 5.11.1, 5.18: sharing with OpenGL and EGL. Neither's headers or libraries are needed to
 * build this; where the machine has no OpenGL that needs no screen, only the errors are tried. */
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include "check.h"
#include <CL/cl_egl.h>
#include <CL/cl_gl.h>
#include <dlfcn.h>

typedef void *pointer;
static pointer (*proc)(const char *name);

#define CALL(result, name, types, ...) (((result(*) types)proc(name))(__VA_ARGS__))

static pointer egl_display, egl_context;

/* A context off screen, current on this thread; 0 where there is none to be had. */
static int start_opengl(void)
{
    pointer egl = dlopen("libEGL.so.1", RTLD_NOW);
    if (!egl || !(*(pointer *)&proc = dlsym(egl, "eglGetProcAddress")) || !proc("eglGetPlatformDisplayEXT"))
        return 0;
    enum { SURFACELESS = 0x31DD, OPENGL_API = 0x30A2, RENDERABLE_TYPE = 0x3040, OPENGL_BIT = 8, SURFACE_TYPE = 0x3033, NONE = 0x3038 };
    egl_display = CALL(pointer, "eglGetPlatformDisplayEXT", (unsigned, pointer, const int *), SURFACELESS, NULL, NULL);
    if (!egl_display || !CALL(unsigned, "eglInitialize", (pointer, int *, int *), egl_display, NULL, NULL))
        return 0;
    int wanted[] = { SURFACE_TYPE, 0, RENDERABLE_TYPE, OPENGL_BIT, NONE }, count = 0;
    pointer config;
    CALL(unsigned, "eglBindAPI", (unsigned), OPENGL_API);
    CALL(unsigned, "eglChooseConfig", (pointer, const int *, pointer *, int, int *), egl_display, wanted, &config, 1, &count);
    if (!count)
        return 0;
    egl_context = CALL(pointer, "eglCreateContext", (pointer, pointer, pointer, const int *), egl_display, config, NULL, NULL);
    return egl_context && CALL(unsigned, "eglMakeCurrent", (pointer, pointer, pointer, pointer), egl_display, NULL, NULL, egl_context);
}

enum { GL_ARRAY_BUFFER = 0x8892, GL_TEXTURE_2D = 0x0DE1, GL_TEXTURE_3D = 0x806F, GL_RENDERBUFFER = 0x8D41, GL_RGBA8 = 0x8058, GL_RGBA = 0x1908,
       GL_UNSIGNED_BYTE = 0x1401, GL_MIN_FILTER = 0x2801, GL_NEAREST = 0x2600 };

static void without_opengl(void)
{
    cl_int status;
    start();
    CHECK(!clCreateFromGLBuffer(context, CL_MEM_READ_WRITE, 1, &status) && status == CL_INVALID_CONTEXT);
    CHECK(!clCreateFromGLTexture(context, CL_MEM_READ_WRITE, GL_TEXTURE_2D, 0, 1, &status) && status == CL_INVALID_CONTEXT);
    CHECK(!clCreateFromGLTexture2D(context, CL_MEM_READ_WRITE, GL_TEXTURE_2D, 0, 1, &status) && status == CL_INVALID_CONTEXT);
    CHECK(!clCreateFromGLTexture3D(context, CL_MEM_READ_WRITE, GL_TEXTURE_3D, 0, 1, &status) && status == CL_INVALID_CONTEXT);
    CHECK(!clCreateFromGLRenderbuffer(context, CL_MEM_READ_WRITE, 1, &status) && status == CL_INVALID_CONTEXT);
    IS(clEnqueueAcquireGLObjects(queue, 0, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
    IS(clEnqueueReleaseGLObjects(queue, 0, NULL, 0, NULL, NULL), CL_INVALID_CONTEXT);
    cl_mem plain = clCreateBuffer(context, 0, 64, NULL, &status);
    OK(status);
    IS(clGetGLObjectInfo(plain, NULL, NULL), CL_INVALID_GL_OBJECT);
    IS(clGetGLTextureInfo(plain, CL_GL_TEXTURE_TARGET, 0, NULL, NULL), CL_INVALID_GL_OBJECT);
    OK(clReleaseMemObject(plain));
    finish();
}

static void fill_and_look(cl_mem memory, const unsigned *name, size_t size, unsigned char value)
{
    unsigned char *back = malloc(size);
    OK(clEnqueueAcquireGLObjects(queue, 1, &memory, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(queue, memory, &value, 1, 0, size, 0, NULL, NULL));
    OK(clEnqueueReleaseGLObjects(queue, 1, &memory, 0, NULL, NULL));
    CALL(void, "glBindBuffer", (unsigned, unsigned), GL_ARRAY_BUFFER, *name);
    CALL(void, "glGetBufferSubData", (unsigned, long, long, pointer), GL_ARRAY_BUFFER, 0, size, back);
    for (size_t i = 0; i < size; i++)
        CHECK(back[i] == value);
    free(back);
}

int main(void)
{
    cl_int status;
    without_opengl();
    if (!start_opengl())
        return 0;
    OK(clGetPlatformIDs(1, &platform, NULL));
    cl_context_properties properties[] = { CL_GL_CONTEXT_KHR, (cl_context_properties)egl_context, CL_EGL_DISPLAY_KHR,
                                           (cl_context_properties)egl_display, CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0 };
    clGetGLContextInfoKHR_fn info = (clGetGLContextInfoKHR_fn)clGetExtensionFunctionAddressForPlatform(platform, "clGetGLContextInfoKHR");
    CHECK(info);
    size_t size;
    OK(info(properties, CL_CURRENT_DEVICE_FOR_GL_CONTEXT_KHR, sizeof device, &device, &size));
    if (!size)
        return 0; /* OpenGL renders on what is no device here */
    OK(info(properties, CL_DEVICES_FOR_GL_CONTEXT_KHR, 0, NULL, &size));
    CHECK(size >= sizeof device);
    IS(info(properties, 0x1234, 0, NULL, &size), CL_INVALID_VALUE);
    cl_context_properties nothing[] = { CL_GL_CONTEXT_KHR, 0x1234, CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0 };
    IS(info(nothing, CL_DEVICES_FOR_GL_CONTEXT_KHR, 0, NULL, &size), CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);
    CHECK(!clCreateContext(nothing, 1, &device, NULL, NULL, &status) && status == CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR);
    context = clCreateContext(properties, 1, &device, NULL, NULL, &status);
    OK(status);
    queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
    OK(status);

    unsigned names[3];
    CALL(void, "glGenBuffers", (int, unsigned *), 1, names);
    CALL(void, "glBindBuffer", (unsigned, unsigned), GL_ARRAY_BUFFER, names[0]);
    CALL(void, "glBufferData", (unsigned, long, const void *, unsigned), GL_ARRAY_BUFFER, 256, NULL, 0x88E8);
    cl_mem buffer = clCreateFromGLBuffer(context, CL_MEM_READ_WRITE, names[0], &status);
    OK(status);
    cl_gl_object_type type;
    cl_GLuint name;
    OK(clGetGLObjectInfo(buffer, &type, &name));
    CHECK(type == CL_GL_OBJECT_BUFFER && name == names[0]);
    OK(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof size, &size, NULL));
    CHECK(size == 256);
    fill_and_look(buffer, names, 256, 7);

    CALL(void, "glGenTextures", (int, unsigned *), 1, names + 1);
    CALL(void, "glBindTexture", (unsigned, unsigned), GL_TEXTURE_2D, names[1]);
    CALL(void, "glTexParameteri", (unsigned, unsigned, int), GL_TEXTURE_2D, GL_MIN_FILTER, GL_NEAREST);
    CALL(void, "glTexImage2D", (unsigned, int, int, int, int, int, unsigned, unsigned, const void *), GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0,
         GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    cl_mem image = clCreateFromGLTexture2D(context, CL_MEM_READ_WRITE, GL_TEXTURE_2D, 0, names[1], &status);
    OK(status);
    cl_GLenum target;
    OK(clGetGLTextureInfo(image, CL_GL_TEXTURE_TARGET, sizeof target, &target, NULL));
    CHECK(target == GL_TEXTURE_2D);
    cl_GLint level = -1;
    OK(clGetGLTextureInfo(image, CL_GL_MIPMAP_LEVEL, sizeof level, &level, &size));
    CHECK(level == 0 && size == sizeof level);
    IS(clGetGLTextureInfo(image, CL_GL_MIPMAP_LEVEL, 1, &level, NULL), CL_INVALID_VALUE);
    CHECK(!clCreateFromGLTexture3D(context, 0, GL_TEXTURE_2D, 0, names[1], &status) && status == CL_INVALID_VALUE);
    CHECK(!clCreateFromGLTexture(context, 0, GL_TEXTURE_2D, 9, names[1], &status) && status == CL_INVALID_MIP_LEVEL);

    CALL(void, "glGenRenderbuffers", (int, unsigned *), 1, names + 2);
    CALL(void, "glBindRenderbuffer", (unsigned, unsigned), GL_RENDERBUFFER, names[2]);
    CALL(void, "glRenderbufferStorage", (unsigned, unsigned, int, int), GL_RENDERBUFFER, GL_RGBA8, 8, 8);
    cl_mem drawn = clCreateFromGLRenderbuffer(context, CL_MEM_READ_WRITE, names[2], &status);
    OK(status);

    cl_event (*event_of)(cl_context, pointer, cl_int *);
    *(pointer *)&event_of = clGetExtensionFunctionAddressForPlatform(platform, "clCreateEventFromGLsyncKHR");
    clCreateEventFromEGLSyncKHR_fn event_of_egl = (clCreateEventFromEGLSyncKHR_fn)clGetExtensionFunctionAddressForPlatform(
        platform, "clCreateEventFromEGLSyncKHR");
    cl_event fences[2];
    fences[0] = event_of(context, CALL(pointer, "glFenceSync", (unsigned, unsigned), 0x9117, 0), &status);
    OK(status);
    fences[1] = event_of_egl(context, CALL(pointer, "eglCreateSyncKHR", (pointer, unsigned, const int *), egl_display, 0x30F9, NULL),
                             egl_display, &status);
    OK(status);
    CHECK(!event_of(context, NULL, &status) && status == CL_INVALID_GL_OBJECT);
    CHECK(!event_of_egl(context, NULL, egl_display, &status) && status == CL_INVALID_EGL_OBJECT_KHR);
    IS(clEnqueueMarkerWithWaitList(queue, 2, fences, NULL), CL_INVALID_EVENT);
    cl_command_type kind;
    OK(clGetEventInfo(fences[0], CL_EVENT_COMMAND_TYPE, sizeof kind, &kind, NULL));
    CHECK(kind == 0x200D /* CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR */);
    cl_mem both[] = { image, drawn };
    OK(clEnqueueAcquireGLObjects(queue, 2, both, 2, fences, NULL));
    OK(clWaitForEvents(2, fences));
    OK(clReleaseEvent(fences[0]));
    OK(clReleaseEvent(fences[1]));
    size_t origin[] = { 0, 0, 0 }, region[] = { 4, 4, 1 };
    cl_float color[] = { 1, 0, 1, 1 };
    OK(clEnqueueFillImage(queue, image, color, origin, region, 0, NULL, NULL));
    cl_event released;
    OK(clEnqueueReleaseGLObjects(queue, 2, both, 0, NULL, &released));
    OK(clWaitForEvents(1, &released));
    OK(clReleaseEvent(released));
    unsigned char pixels[64];
    /* OpenGL 4.6, 5.3.3, rule 4: what was changed elsewhere is seen for sure once the texture has been bound again. */
    CALL(void, "glBindTexture", (unsigned, unsigned), GL_TEXTURE_2D, names[1]);
    CALL(void, "glGetTexImage", (unsigned, int, unsigned, unsigned, pointer), GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    CHECK(pixels[60] == 255 && pixels[61] == 0 && pixels[62] == 255);

    clCreateFromEGLImageKHR_fn image_of = (clCreateFromEGLImageKHR_fn)clGetExtensionFunctionAddressForPlatform(platform,
                                                                                                             "clCreateFromEGLImageKHR");
    clEnqueueAcquireEGLObjectsKHR_fn acquire = (clEnqueueAcquireEGLObjectsKHR_fn)clGetExtensionFunctionAddressForPlatform(
        platform, "clEnqueueAcquireEGLObjectsKHR");
    clEnqueueReleaseEGLObjectsKHR_fn release = (clEnqueueReleaseEGLObjectsKHR_fn)clGetExtensionFunctionAddressForPlatform(
        platform, "clEnqueueReleaseEGLObjectsKHR");
    /* Of a texture that CUDA knows NVIDIA's EGL (580.159) makes an image with other contents. */
    unsigned other;
    for (int i = 0; i < 64; i++)
        pixels[i] = (unsigned char)(3 * i);
    CALL(void, "glGenTextures", (int, unsigned *), 1, &other);
    CALL(void, "glBindTexture", (unsigned, unsigned), GL_TEXTURE_2D, other);
    CALL(void, "glTexParameteri", (unsigned, unsigned, int), GL_TEXTURE_2D, GL_MIN_FILTER, GL_NEAREST);
    CALL(void, "glTexImage2D", (unsigned, int, int, int, int, int, unsigned, unsigned, const void *), GL_TEXTURE_2D, 0, GL_RGBA8, 4, 4, 0,
         GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    pointer egl_image = CALL(pointer, "eglCreateImageKHR", (pointer, pointer, unsigned, pointer, const int *), egl_display, egl_context,
                             0x30B1, (pointer)(size_t)other, NULL);
    cl_mem sibling = image_of(context, egl_display, egl_image, CL_MEM_READ_ONLY, NULL, &status);
    OK(status);
    CHECK(!image_of(context, egl_display, NULL, CL_MEM_READ_ONLY, NULL, &status) && status == CL_INVALID_EGL_OBJECT_KHR);
    IS(acquire(queue, 1, &image, 0, NULL, NULL), CL_INVALID_EGL_OBJECT_KHR);
    OK(acquire(queue, 1, &sibling, 0, NULL, NULL));
    memset(pixels, 0, sizeof pixels);
    OK(clEnqueueReadImage(queue, sibling, CL_TRUE, origin, region, 0, 0, pixels, 0, NULL, NULL));
    for (int i = 0; i < 64; i++)
        CHECK(pixels[i] == (unsigned char)(3 * i));
    OK(release(queue, 1, &sibling, 0, NULL, NULL));

    cl_mem made[] = { buffer, image, drawn, sibling };
    for (int i = 0; i < 4; i++)
        OK(clReleaseMemObject(made[i]));
    finish();
    return 0;
}
