"""The driver library in a namespace of the dynamic linker's own, as dlmopen makes them."""

import platform
import subprocess

import pytest
from support.c_programs import FOLDER, needs_compiler, run

from cl2cuda.opencl_icd import library
from cl2cuda.opencl_icd.build import LOADER, compilers

PROGRAM = """
#define _GNU_SOURCE
#include "check.h"
#include <CL/cl_icd.h>
#include <dlfcn.h>

int main(int count, char **words)
{
    void *library = dlmopen(LM_ID_NEWLM, words[1], RTLD_NOW);
    CHECK(count == 3 && library);
    cl_int (*get)(cl_uint, cl_platform_id *, cl_uint *) = (cl_int (*)(cl_uint, cl_platform_id *, cl_uint *))dlsym(library, words[2]);
    cl_platform_id platform = NULL;
    cl_uint found = 9;
    cl_int status = get(1, &platform, &found);
    if (status != CL_SUCCESS) {
        printf("%d platforms, %d", found, status);
        return 0;
    }
    const cl_icd_dispatch *cl = *(cl_icd_dispatch **)platform;
    const char *source = "kernel void put(global int *out) { *out = 42; }";
    cl_device_id device;
    cl_int answer = 0;
    OK(cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    cl_context context = cl->clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    cl_command_queue queue = cl->clCreateCommandQueue(context, device, 0, &status);
    cl_program program = cl->clCreateProgramWithSource(context, 1, &source, NULL, &status);
    OK(cl->clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel kernel = cl->clCreateKernel(program, "put", &status);
    cl_mem out = cl->clCreateBuffer(context, 0, sizeof answer, NULL, &status);
    OK(cl->clSetKernelArg(kernel, 0, sizeof out, &out));
    OK(cl->clEnqueueTask(queue, kernel, 0, NULL, NULL));
    OK(cl->clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof answer, &answer, 0, NULL, NULL));
    printf("%d", answer);
    return 0;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    needs_compiler()
    if platform.libc_ver()[0] != "glibc":
        pytest.skip("only glibc has dlmopen")
    place = tmp_path_factory.mktemp("namespaces") / "program"
    subprocess.run([*compilers()[0], "-std=gnu11", "-Wall", "-Wextra", "-Werror", f"-I{FOLDER}", "-Wno-unused", "-x", "c", "-", "-o", str(place), "-ldl"],
                   input=PROGRAM, text=True, check=True)
    return place


def test_a_loader_there_finds_the_driver(program):
    """It is the copy in the program's namespace that answers, since no Python can start in another."""
    done = run(program, str(library.library()), "clIcdGetPlatformIDsKHR", through="alone")
    assert (done.returncode, done.stdout, done.stderr) == (0, "42", "")


def test_our_own_loader_there_finds_no_platform_and_says_why(program):
    done = run(program, str(library.library(LOADER)), "clGetPlatformIDs", through="alone")
    assert (done.returncode, done.stdout) == (0, "0 platforms, -1001")
    assert "dlmopen has loaded it into a namespace of its own" in done.stderr
