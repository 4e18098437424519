/* 5.3, 5.7: images and samplers. */
#include "check.h"

/* cl_ext_image_requirements_info, whose headers not every machine has. */
static void requirements(const cl_image_format *format, const cl_image_desc *desc)
{
    cl_int (*ask)(cl_context, const cl_mem_properties *, cl_mem_flags, const cl_image_format *, const cl_image_desc *, cl_uint, size_t,
                  void *, size_t *) = clGetExtensionFunctionAddressForPlatform(platform, "clGetImageRequirementsInfoEXT");
    enum { ROW_PITCH_ALIGNMENT = 0x1290, SIZE = 0x12b2, MAX_WIDTH = 0x12b3, MAX_DEPTH = 0x12b5 };
    cl_mem_properties nothing[] = { 0 }, something[] = { 1, 1, 0 };
    size_t bytes, size;
    cl_uint width;
    CHECK(ask);
    OK(ask(context, nothing, 0, format, desc, SIZE, sizeof bytes, &bytes, &size));
    CHECK(bytes == 48 && size == sizeof bytes);
    OK(ask(context, NULL, CL_MEM_READ_ONLY, NULL, NULL, MAX_WIDTH, sizeof width, &width, &size));
    CHECK(width >= 1024 && size == sizeof width);
    OK(ask(context, NULL, 0, format, NULL, ROW_PITCH_ALIGNMENT, sizeof bytes, &bytes, NULL));
    CHECK(bytes && !(bytes & (bytes - 1)));
    IS(ask(NULL, NULL, 0, format, desc, SIZE, sizeof bytes, &bytes, NULL), CL_INVALID_CONTEXT);
    IS(ask(context, something, 0, format, desc, SIZE, sizeof bytes, &bytes, NULL), CL_INVALID_PROPERTY);
    IS(ask(context, NULL, ~0ull, format, desc, SIZE, sizeof bytes, &bytes, NULL), CL_INVALID_VALUE);
    IS(ask(context, NULL, 0, NULL, desc, SIZE, sizeof bytes, &bytes, NULL), CL_INVALID_VALUE);
    IS(ask(context, NULL, 0, format, desc, SIZE, sizeof bytes - 1, &bytes, NULL), CL_INVALID_VALUE);
    IS(ask(context, NULL, 0, format, desc, MAX_DEPTH, sizeof width, &width, NULL), CL_INVALID_IMAGE_DESCRIPTOR);
}

static cl_mem image_of(cl_channel_order order, cl_uint value)
{
    cl_image_format format = { order, CL_UNSIGNED_INT8 };
    cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4 };
    cl_uint color[4] = { value, value + 1, value + 2, value + 3 };
    size_t origin[3] = { 0 }, region[3] = { 4, 4, 1 };
    cl_int status;
    cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &status);
    OK(status);
    OK(clEnqueueFillImage(queue, image, color, origin, region, 0, NULL, NULL));
    return image;
}

static cl_uint first_seen(cl_kernel kernel, cl_mem image, cl_mem found)
{
    size_t size = 1;
    cl_uint pixel[4];
    OK(clSetKernelArg(kernel, 0, sizeof image, &image));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, found, CL_TRUE, 0, sizeof pixel, pixel, 0, NULL, NULL));
    CHECK(pixel[1] == pixel[0] + 1 && pixel[3] == pixel[0] + 3);
    return pixel[0];
}

/* One kernel with images of one format and of another, again and again; released ones are refused, and so are those that it does not take. */
static void one_kernel_and_many_images(void)
{
    cl_kernel kernel = kernel_of("kernel void look(read_only image2d_t image, global uint4 *found) { *found = read_imageui(image, (int2)(1, 2)); }",
                                 "look");
    cl_int status;
    cl_mem images[] = { image_of(CL_RGBA, 10), image_of(CL_BGRA, 20), image_of(CL_RGBA, 30), image_of(CL_BGRA, 40) };
    cl_mem found = clCreateBuffer(context, 0, 4 * sizeof(cl_uint), NULL, &status);
    OK(status);
    OK(clSetKernelArg(kernel, 1, sizeof found, &found));
    for (int turn = 0; turn < 24; turn++) {
        int which = turn < 8 ? turn % 2 * 2 : turn % 4;
        CHECK(first_seen(kernel, images[which], found) == 10 * (cl_uint)(which + 1));
    }
    IS(clSetKernelArg(kernel, 0, sizeof found, &found), CL_INVALID_MEM_OBJECT);
    IS(clSetKernelArg(kernel, 0, 4, &images[0]), CL_INVALID_ARG_SIZE);
    IS(clSetKernelArg(kernel, 0, sizeof(cl_mem), NULL), CL_INVALID_ARG_VALUE);
    OK(clReleaseMemObject(images[0]));
    IS(clSetKernelArg(kernel, 0, sizeof images[0], &images[0]), CL_INVALID_MEM_OBJECT);
    images[0] = image_of(CL_RGBA, 50); /* perhaps where the other one was */
    CHECK(first_seen(kernel, images[0], found) == 50);
    cl_kernel clone = clCloneKernel(kernel, &status);
    OK(status);
    CHECK(first_seen(clone, images[3], found) == 40 && first_seen(kernel, images[2], found) == 30);
    OK(clReleaseKernel(clone));
    OK(clReleaseKernel(kernel));
    for (int i = 0; i < 4; i++)
        OK(clReleaseMemObject(images[i]));
    OK(clReleaseMemObject(found));
}

int main(void)
{
    cl_int status;
    start();
    cl_image_format format = { CL_RGBA, CL_UNSIGNED_INT8 }, wrong = { 0x1234, 0x1234 }, got_format;
    cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 3 };
    cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status);
    OK(status);
    CHECK(!clCreateImage(context, 0, NULL, &desc, NULL, &status) && status == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    CHECK(!clCreateImage(context, 0, &wrong, &desc, NULL, &status) && status == CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    CHECK(!clCreateImage(context, 0, &format, NULL, NULL, &status) && status == CL_INVALID_IMAGE_DESCRIPTOR);
    cl_mem_properties nothing[] = { 0 };
    cl_mem other = clCreateImageWithProperties(context, nothing, 0, &format, &desc, NULL, &status);
    OK(status);

    cl_uint count;
    OK(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    CHECK(count > 0);
    OK(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 1, &got_format, NULL));
    IS(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, 0x1234, 0, NULL, &count), CL_INVALID_VALUE);
    OK(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof got_format, &got_format, NULL));
    CHECK(!memcmp(&format, &got_format, sizeof format));
    size_t width;
    OK(clGetImageInfo(image, CL_IMAGE_WIDTH, sizeof width, &width, NULL));
    CHECK(width == 4);

    requirements(&format, &desc);

    size_t origin[] = { 0, 0, 0 }, region[] = { 4, 3, 1 }, part[] = { 2, 2, 1 }, at[] = { 1, 1, 0 };
    cl_uint color[] = { 1, 2, 3, 4 };
    unsigned char in[48], out[48];
    for (int i = 0; i < 48; i++)
        in[i] = i;
    OK(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, in, 0, NULL, NULL));
    OK(clEnqueueCopyImage(queue, image, other, origin, origin, region, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, other, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL));
    CHECK(!memcmp(in, out, sizeof in));
    OK(clEnqueueFillImage(queue, other, color, at, part, 0, NULL, NULL));
    IS(clEnqueueFillImage(queue, other, NULL, at, part, 0, NULL, NULL), CL_INVALID_VALUE);
    cl_mem buffer = clCreateBuffer(context, 0, 48, NULL, &status);
    OK(clEnqueueCopyImageToBuffer(queue, other, buffer, origin, region, 0, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 48, out, 0, NULL, NULL));
    CHECK(out[0] == 0 && out[20] == 1 && out[21] == 2 && out[43] == 4 && out[47] == 47);
    OK(clEnqueueCopyBufferToImage(queue, buffer, image, 0, origin, region, 0, NULL, NULL));
    IS(clEnqueueReadImage(queue, image, CL_TRUE, at, region, 0, 0, out, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueReadImage(queue, image, CL_TRUE, NULL, region, 0, 0, out, 0, NULL, NULL), CL_INVALID_VALUE);
    IS(clEnqueueReadImage(queue, buffer, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL), CL_INVALID_MEM_OBJECT);

    size_t row, slice;
    unsigned char *mapped = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, at, part, &row, &slice, 0, NULL, NULL, &status);
    OK(status);
    CHECK(mapped[0] == 1 && mapped[row] == 1 && row >= 8);
    OK(clEnqueueUnmapMemObject(queue, image, mapped, 0, NULL, NULL));
    CHECK(!clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, at, part, NULL, NULL, 0, NULL, NULL, &status));
    CHECK(status == CL_INVALID_VALUE);

    cl_sampler_properties chosen[] = { CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, 0 }, back[3], bad[] = { 0x1234, 1, 0 };
    cl_sampler sampler = clCreateSamplerWithProperties(context, chosen, &status);
    OK(status);
    size_t size;
    OK(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, sizeof back, back, &size));
    CHECK(size == sizeof chosen && !memcmp(chosen, back, size));
    CHECK(!clCreateSamplerWithProperties(context, bad, &status) && status == CL_INVALID_VALUE);
    OK(clRetainSampler(sampler));
    OK(clReleaseSampler(sampler));
    OK(clReleaseSampler(sampler));
    IS(clReleaseSampler(sampler), CL_INVALID_SAMPLER);
    OK(clReleaseMemObject(buffer));
    OK(clReleaseMemObject(other));
    OK(clReleaseMemObject(image));
    one_kernel_and_many_images();
    finish();
    return 0;
}
