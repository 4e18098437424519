/* Answers that stay until what they depend on changes: how a program was built, a kernel's local memory, which formats images have; and
   which addresses of shared memory a kernel may use. */
#include "check.h"

#include <pthread.h>
#include <unistd.h>

enum { ROUNDS = 6, THREADS = 4, MOST = 512 };

static cl_build_status built(cl_program program)
{
    cl_build_status status = 99;
    size_t size;
    OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, &size));
    CHECK(size == sizeof status);
    return status;
}

static cl_program made(const char *source)
{
    cl_int status;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    OK(status);
    return program;
}

static const char *right_or_wrong = "kernel void f(global int *a) { *a = X; }";

static void each_build_has_its_status(void)
{
    for (int round = 0; round < 2; round++) {
        cl_program program = made(right_or_wrong);
        char little[2];
        size_t size;
        for (int turn = 0; turn < ROUNDS; turn++) {
            for (int again = 0; again < 3 && !turn; again++)
                CHECK(built(program) == CL_BUILD_NONE);
            int is_right = turn % 3, compiles = turn == 4;
            const char *options = is_right ? "-DX=1" : "-DX=(";
            if (compiles)
                OK(clCompileProgram(program, 0, NULL, options, 0, NULL, NULL, NULL, NULL));
            else
                IS(clBuildProgram(program, 1, &device, options, NULL, NULL), is_right ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE);
            for (int again = 0; again < 3; again++)
                CHECK(built(program) == (is_right ? CL_BUILD_SUCCESS : CL_BUILD_ERROR));
            IS(clBuildProgram(program, 1, &device, "-no-such-option", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
            CHECK(built(program) == (is_right ? CL_BUILD_SUCCESS : CL_BUILD_ERROR));
            IS(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof little, little, NULL), CL_INVALID_VALUE);
            IS(clGetProgramBuildInfo(program, NULL, CL_PROGRAM_BUILD_STATUS, 0, NULL, &size), CL_INVALID_DEVICE);
            IS(clGetProgramBuildInfo(program, (cl_device_id)context, CL_PROGRAM_BUILD_STATUS, 0, NULL, &size), CL_INVALID_DEVICE);
            OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, 0, NULL, &size));
            CHECK(size == sizeof(cl_build_status));
        }
        OK(clReleaseProgram(program));
        IS(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, 0, NULL, &size), CL_INVALID_PROGRAM);
    }
}

static void CL_CALLBACK note_status(cl_program program, void *data)
{
    cl_build_status status = built(program);
    __atomic_store_n((int *)data, status, __ATOMIC_RELEASE);
}

/* The callback, and whoever asks after it, is told of that build; who asks before, of either or that it is on its way. */
static void callbacks_are_told_of_their_build(void)
{
    cl_program program = made(right_or_wrong);
    for (int turn = 0; turn < ROUNDS; turn++) {
        int told = 99, wanted = turn % 2 ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
        char options[32];
        sprintf(options, turn % 2 ? "-DX=(%d" : "-DX=%d", turn);
        OK(clBuildProgram(program, 0, NULL, options, note_status, &told));
        while (__atomic_load_n(&told, __ATOMIC_ACQUIRE) == 99) {
            cl_build_status now = built(program);
            CHECK(now == CL_BUILD_IN_PROGRESS || now == wanted);
        }
        CHECK(told == wanted && built(program) == wanted);
    }
    OK(clReleaseProgram(program));
}

static int is_over;

static void *keep_asking(void *program)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        cl_build_status now = built(program);
        CHECK(now <= CL_BUILD_SUCCESS && now >= CL_BUILD_IN_PROGRESS);
    }
    return NULL;
}

static void threads_ask_while_it_is_built(void)
{
    cl_program program = made(right_or_wrong);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, keep_asking, program));
    for (int turn = 0; turn < 4 * ROUNDS; turn++) {
        int is_right = turn % 2;
        IS(clBuildProgram(program, 0, NULL, is_right ? "-DX=1" : "-DX=(", NULL, NULL), is_right ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE);
        CHECK(built(program) == (is_right ? CL_BUILD_SUCCESS : CL_BUILD_ERROR));
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    OK(clReleaseProgram(program));
}

static cl_ulong local_memory(cl_kernel kernel)
{
    cl_ulong bytes = 0;
    size_t size;
    OK(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes, &size));
    CHECK(size == sizeof bytes);
    return bytes;
}

static void local_memory_is_that_of_now(void)
{
    cl_int status;
    cl_program program = made("kernel void f(local int *a, local int *b) { local int c[16]; c[0] = a[0] = b[0] = 1; }"
                              "kernel void g(global int *a) { local int c[32]; int i = get_local_id(0); c[i] = a[i];"
                              "    barrier(CLK_LOCAL_MEM_FENCE); a[i] = c[31 - i]; }");
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_ulong none = 0;
    for (int round = 0; round < ROUNDS; round++) {
        cl_kernel kernel = clCreateKernel(program, "f", &status), plain = clCreateKernel(program, "g", &status);
        OK(status);
        if (!round)
            none = local_memory(kernel);
        for (int again = 0; again < 3; again++)
            CHECK(local_memory(kernel) == none && local_memory(plain) >= 128);
        for (size_t size = 4096; size >= 1024; size /= 2) {
            OK(clSetKernelArg(kernel, 0, size, NULL));
            OK(clSetKernelArg(kernel, 1, size, NULL));
            for (int again = 0; again < 3; again++)
                CHECK(local_memory(kernel) >= none + 2 * size && local_memory(kernel) < none + 2 * size + 512);
        }
        IS(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, 4, &status, NULL), CL_INVALID_VALUE);
        IS(clGetKernelWorkGroupInfo(NULL, device, CL_KERNEL_LOCAL_MEM_SIZE, 0, NULL, NULL), CL_INVALID_KERNEL);
        OK(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_LOCAL_MEM_SIZE, 0, NULL, NULL));
        IS(clGetKernelWorkGroupInfo(kernel, (cl_device_id)context, CL_KERNEL_LOCAL_MEM_SIZE, 0, NULL, NULL), CL_INVALID_DEVICE);
        OK(clReleaseKernel(kernel));
        OK(clReleaseKernel(plain));
    }
    OK(clReleaseProgram(program));
}

static void formats_are_all_told(void)
{
    static const cl_mem_flags flags[] = { CL_MEM_READ_WRITE, CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY, CL_MEM_KERNEL_READ_AND_WRITE,
                                          CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY };
    cl_image_format first[MOST], found[MOST];
    for (int round = 0; round < 3; round++)
        for (cl_mem_object_type type = CL_MEM_OBJECT_IMAGE2D; type <= CL_MEM_OBJECT_IMAGE1D_BUFFER; type++)
            for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
                cl_uint all = 0, some = 0;
                memset(found, 0, sizeof found);
                OK(clGetSupportedImageFormats(context, flags[i], type, 0, NULL, &all));
                CHECK(all > 4 && all < MOST);
                OK(clGetSupportedImageFormats(context, flags[i], type, MOST, first, NULL));
                OK(clGetSupportedImageFormats(context, flags[i], type, 3, found, &some));
                CHECK(some == all && !memcmp(first, found, 3 * sizeof *found) && !found[3].image_channel_order);
                CHECK(first[all - 1].image_channel_order && first[all - 1].image_channel_data_type);
                OK(clGetSupportedImageFormats(context, flags[i], type, MOST, NULL, NULL));
                IS(clGetSupportedImageFormats(context, flags[i], type, 0, found, &all), CL_INVALID_VALUE);
                IS(clGetSupportedImageFormats(NULL, flags[i], type, 0, NULL, &all), CL_INVALID_CONTEXT);
                IS(clGetContextInfo(context, type, sizeof found, found, NULL), CL_INVALID_VALUE);
            }
    cl_uint count;
    for (int round = 0; round < 2; round++) {
        IS(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count),
            CL_INVALID_VALUE);
        IS(clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &count), CL_INVALID_VALUE);
        OK(clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof count, &count, NULL));
        IS(clGetSupportedImageFormats(context, 0, CL_CONTEXT_NUM_DEVICES, 0, NULL, &count), CL_INVALID_VALUE);
    }
}

/* "CL_INVALID_VALUE if [...] param_value is NULL, or if the size specified by param_value_size is not valid", or for what is no shared
   memory. */
static void addresses_are_checked(void)
{
    cl_int status;
    cl_program program = made("kernel void f(global int *a) { *a = 1; }");
    OK(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "f", &status);
    void *all[6], *foreign = &status;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 6; i++)
            CHECK(all[i] = clSVMAlloc(context, CL_MEM_READ_WRITE, 256, 0));
        for (int again = 0; again < 3; again++) {
            for (size_t count = 1; count <= 6; count++)
                OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, count * sizeof *all, all));
            void *inside = (char *)all[1] + 100, *mixed[] = { all[0], foreign };
            OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof inside, &inside));
            IS(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof foreign, &foreign), CL_INVALID_VALUE);
            IS(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof mixed, mixed), CL_INVALID_VALUE);
            IS(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof *all - 1, all), CL_INVALID_VALUE);
            IS(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof *all, NULL), CL_INVALID_VALUE);
            IS(clSetKernelExecInfo(kernel, 0x1234, sizeof *all, all), CL_INVALID_VALUE);
            IS(clSetKernelExecInfo(NULL, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof *all, all), CL_INVALID_KERNEL);
            OK(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof *all, all));
            cl_kernel clone = clCloneKernel(kernel, &status);
            OK(status);
            OK(clSetKernelExecInfo(clone, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof *all, all));
            OK(clReleaseKernel(clone));
        }
        for (int i = 0; i < 6; i++)
            clSVMFree(context, all[i]);
        for (int i = 0; i < 6; i++)
            IS(clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof *all, &all[i]), CL_INVALID_VALUE);
    }
    OK(clReleaseKernel(kernel));
    OK(clReleaseProgram(program));
}

int main(void)
{
    start();
    each_build_has_its_status();
    callbacks_are_told_of_their_build();
    threads_ask_while_it_is_built();
    local_memory_is_that_of_now();
    formats_are_all_told();
    addresses_are_checked();
    finish();
    return 0;
}
