/* A process that has closed its standard input, whose number a directory has then, and that has no PATH. */
#include "check.h"

#include <fcntl.h>
#include <unistd.h>

int main(void)
{
    CHECK(!close(0) && open("/", O_RDONLY | O_DIRECTORY) == 0);
    FILE *input = stdin;
    unsetenv("PATH");
    start();
    char source[200]; /* which no cache has */
    sprintf(source, "/* %d */ kernel void put(global int *a) { a[get_global_id(0)] = get_global_id(0) + 7; }", (int)getpid());
    cl_kernel kernel = kernel_of(source, "put");
    size_t size = 4;
    cl_int status, found[4];
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof found, NULL, &status);
    OK(status);
    OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    CHECK(found[3] == 10 && stdin == input && fileno(stdin) == 0);
    OK(clReleaseMemObject(buffer));
    OK(clReleaseKernel(kernel));
    finish();
    return 0;
}
