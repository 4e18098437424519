"""clCompileProgram and clLinkProgram on every kind of device: headers, libraries, options, binaries, and what they refuse."""

from __future__ import annotations

import pytest
from support.fails import fails
from support.run_program import run

from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices import platform as platforms
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.driver.interface import DriverMissing
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.link import link_program
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes
from cl2cuda.runtime.spec.errors import CLError

# Types, functions, variables and kernels that are used across objects, in a circle too; static names that meet.
HEADER = """
typedef struct { float x; int n; } item;
struct particle { float4 position; item what; };
extern __constant float table[4];
float energy(struct particle p, __global float *out);
float twice(float x);
kernel void first(__global float *out);
"""
ENERGY = """
#include "shapes.h"
__constant float table[4] = {1, 2, 3, 4};
static float own(float x) { return x + 1; }
float energy(struct particle p, __global float *out) { out[1] = p.what.n; return twice(p.position.y) + own(0) + STEP; }
float dot(float4 a, float4 b, int scale) { return scale; }
"""
KERNELS = """
#include <inner/all.h>
static float own(float x) { return x + 100; }
float twice(float x) { return 2 * x; }
kernel void first(__global float *out) { out[2] = own(0); }
kernel void run(__global float *out) {
    struct particle p;
    p.position = (float4)(1, 2, 3, 4);
    p.what.n = 7;
    out[0] = energy(p, out) + table[2];
    first(out);
}
"""


@pytest.fixture
def context(real_device):
    return Context([real_device])


def compiled(context, source, options="", headers=()):
    program = Program(context, source)
    program.compile(options, None, [(name, Program(context, text)) for name, text in headers])
    return program




def both(context):
    energy = compiled(context, ENERGY, "-DSTEP=1000", [("shapes.h", HEADER)])
    # Headers include each other by the names that they are given.
    kernels = compiled(context, KERNELS, "", [("inner/all.h", '#include "inner/shapes.h"\n'), ("inner/shapes.h", HEADER)])
    return energy, kernels


def test_objects_use_each_others_functions_variables_types_and_kernels(context):
    energy, kernels = both(context)
    (device,) = context.devices
    assert energy.binary_type(device) == codes.PROGRAM_BINARY_TYPE_COMPILED_OBJECT
    assert energy.build_status(device) == codes.BUILD_SUCCESS
    assert energy.build_options(device) == "-DSTEP=1000"
    fails("INVALID_PROGRAM_EXECUTABLE", Kernel, energy, "run")
    program = link_program(context, None, None, [energy, kernels])
    assert program.binary_type(device) == codes.PROGRAM_BINARY_TYPE_EXECUTABLE
    assert set(program.kernel_names) == {"first", "run"}
    assert program.get_info(codes.PROGRAM_SOURCE) == ""
    assert run(program) == [1008.0, 7.0, 100.0, 0.0]
    assert run(program, "first") == [0.0, 0.0, 100.0, 0.0]
    assert run(link_program(context, [device], "", [kernels, energy])) == [1008.0, 7.0, 100.0, 0.0]


def test_binaries_of_objects_libraries_and_executables(context):
    (device,) = context.devices
    energy, kernels = both(context)
    library = link_program(context, None, "-create-library -enable-link-options", [energy])
    assert library.binary_type(device) == codes.PROGRAM_BINARY_TYPE_LIBRARY
    (library_bytes,), (object_bytes,) = library.binaries(), kernels.binaries()
    again = [Program.from_binaries(context, [device], [data]) for data in (library_bytes, object_bytes)]
    assert [one.binary_type(device) for one in again] == [codes.PROGRAM_BINARY_TYPE_LIBRARY, codes.PROGRAM_BINARY_TYPE_COMPILED_OBJECT]
    for one in again:
        assert "link it" in fails("INVALID_BINARY", one.build)
        fails("INVALID_OPERATION", one.compile)
    program = link_program(context, None, "-cl-fast-relaxed-math", again)
    assert run(program) == [1008.0, 7.0, 100.0, 0.0]
    assert program.build_options(device) == "-cl-fast-relaxed-math"
    executable = Program.from_binaries(context, [device], program.binaries())
    assert executable.binary_type(device) == codes.PROGRAM_BINARY_TYPE_EXECUTABLE
    executable.build()
    assert executable.build_options(device) == "-cl-fast-relaxed-math"  # "as if options were the same"
    assert run(executable) == [1008.0, 7.0, 100.0, 0.0]
    fails("INVALID_OPERATION", link_program, context, None, "", [executable])


@pytest.mark.parametrize("sources, message", [
    (["float f(int); kernel void k(global float *p) { *p = f(1); }"], "undefined function 'f'"),
    (["extern constant float f[2]; kernel void k(global float *p) { *p = f[1]; }", "float g(int x) { return x; }"],
     "undefined variable 'f'"),
    (["static float f(int x) { return x; } kernel void j(global float *p) { *p = f(1); }",
      "float f(int); kernel void k(global float *p) { *p = f(1); }"], "undefined function 'f'"),
    (["float f(int); kernel void k(global float *p) { *p = f(1); }", "float f(float x) { return x; }"],
     "'f' is declared as 'float (int)', but defined as 'float (float)'"),
    (["struct s { int a; }; float f(struct s); kernel void k(global float *p) { struct s s; *p = f(s); }",
      "struct s { float a; }; float f(struct s s) { return s.a; }"], "'f' is declared as"),
    (["extern constant int f[2]; kernel void k(global float *p) { *p = f[1]; }", "constant uint f[2] = {1, 2};"], "'f' is declared as"),
    (["float f(int x) { return x; }", "float f(int x) { return x; }"], "'f' is defined in two"),
    (["kernel void k(global float *p) {}", "kernel void k(global float *p) {}"], "'k' is defined in two"),
])
def test_what_does_not_fit_together(context, sources, message):
    (device,) = context.devices
    with pytest.raises(CLError, match="LINK_PROGRAM_FAILURE") as failure:
        link_program(context, None, "", [compiled(context, source) for source in sources])
    assert message in str(failure.value)
    left_behind = failure.value.program
    assert left_behind.build_status(device) == codes.BUILD_ERROR
    assert message in left_behind.build_log(device)


def test_inline_functions_of_headers_and_overloaded_ones(context):
    header = "inline float help(float x) { return x + 1; }\nfloat __attribute__((overloadable)) pick(int);\n" \
             "float __attribute__((overloadable)) pick(float);\n"
    first = compiled(context, header + "kernel void run(global float *p) { p[0] = help(1); p[1] = pick(1); p[2] = pick(1.0f); }")
    second = compiled(context, header + "float __attribute__((overloadable)) pick(int x) { return help(x); }\n"
                      "float __attribute__((overloadable)) pick(float x) { return 10; }")
    assert run(link_program(context, None, "", [first, second])) == [2.0, 2.0, 10.0, 0.0]


def test_variables_of_the_global_address_space_are_one(context):
    (device,) = context.devices
    first = compiled(context, "global int count = 5; void add(void); kernel void run(global float *p) { add(); *p = count; }",
                     "-cl-std=CL3.0")
    second = compiled(context, "extern global int count; void add(void) { count += 2; }", "-cl-std=CL3.0")
    program = link_program(context, None, "", [first, second])
    assert program.get_build_info(device, codes.PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE) == 4
    assert run(program)[0] == 7.0
    assert run(program)[0] == 9.0


def test_what_compile_refuses(context, real_device):
    program = Program(context, "kernel void k(int x) { }")
    assert "-nonsense" in fails("INVALID_COMPILER_OPTIONS", program.compile, "-nonsense")
    fails("INVALID_VALUE", program.compile, "", [])
    fails("INVALID_DEVICE", program.compile, "", ["device"])
    fails("INVALID_PROGRAM", program.compile, "", None, [("a.h", "text")])
    program.build()
    (binary,) = program.binaries()
    loaded = Program.from_binaries(context, [real_device], [binary])
    fails("INVALID_OPERATION", loaded.compile)
    fails("INVALID_OPERATION", program.compile, "", None, [("a.h", loaded)])
    kernel = Kernel(program, "k")
    fails("INVALID_OPERATION", program.compile)
    kernel.release()
    program.compile()
    broken = Program(context, "kernel void k(int x) { y = 1; }")
    assert "use of undeclared identifier 'y'" in fails("COMPILE_PROGRAM_FAILURE", broken.compile)
    assert broken.build_status(real_device) == codes.BUILD_ERROR
    program.release()
    fails("INVALID_PROGRAM", program.compile)


def test_what_link_refuses(context, real_device):
    good = compiled(context, "kernel void k(int x) { }")
    fails("INVALID_VALUE", link_program, context, None, "", [])
    fails("INVALID_VALUE", link_program, context, [], "", [good])
    fails("INVALID_DEVICE", link_program, context, ["device"], "", [good])
    fails("INVALID_CONTEXT", link_program, None, None, "", [good])
    fails("INVALID_PROGRAM", link_program, context, None, "", ["program"])
    fails("INVALID_PROGRAM", link_program, Context([real_device]), None, "", [good])
    for options in ("-nonsense", "-cl-std=CL1.2", "-enable-link-options"):
        fails("INVALID_LINKER_OPTIONS", link_program, context, None, options, [good])
    fails("INVALID_OPERATION", link_program, context, None, "", [good, Program(context, "")])
    fails("INVALID_OPERATION", link_program, context, None, "", [Program(context, "")])


def test_of_headers_with_one_name_the_first_counts(context):
    program = compiled(context, '#include "n.h"\nkernel void run(global float *p) { *p = N; }',
                       headers=[("n.h", "#define N 1"), ("n.h", "#define N 2")])
    assert run(link_program(context, None, "", [program]))[0] == 1.0


def test_embedded_headers_come_before_folders(context, tmp_path):
    (tmp_path / "n.h").write_text("#define N 2")
    source = '#include "n.h"\nkernel void run(global float *p) { *p = N; }'
    folder = f"-I {tmp_path}"
    assert run(link_program(context, None, "", [compiled(context, source, folder)]))[0] == 2.0
    assert run(link_program(context, None, "", [compiled(context, source, folder, [("n.h", "#define N 1")])]))[0] == 1.0


def test_one_program_for_both_kinds_of_device():
    try:
        found = [(name, platforms.load_driver(name).devices()) for name in ("host", "cuda")]
    except DriverMissing as missing:
        pytest.skip(str(missing))
    devices = [Device(platforms.platforms()[0], name, one) for name, each in found for one in each[:1]]
    if len(devices) < 2:
        pytest.skip("no cuda device")
    context = Context(devices)
    energy, kernels = both(context)
    program = link_program(context, None, "", [energy, kernels])
    built = Program(context, "kernel void run(global float *p) { p[0] = 5; }")
    built.build()
    for linked, first in ((program, 1008.0), (Program.from_binaries(context, devices, program.binaries()), 1008.0), (built, 5.0)):
        if linked is not program and linked is not built:
            linked.build()
        assert [run(linked, device=device)[0] for device in devices] == [first, first]
    only = link_program(context, devices[1:], "", [energy, kernels])
    assert only.devices == tuple(devices[1:])
    energy.compile("-DSTEP=1", devices[:1], [("shapes.h", Program(context, HEADER))])
    fails("INVALID_BINARY", Program.from_binaries, context, devices, program.binaries()[::-1])


def test_work_groups_are_uniform_where_one_object_wants_it(context, real_device):
    """5.10: "If the program was created using clLinkProgram, all input programs must support non-uniform work-groups"."""
    kernel = "float f(float x); kernel void run(global float *p) { p[get_global_id(0)] = f(get_local_size(0)); }"
    new = compiled(context, kernel, "-cl-std=CL3.0")
    for options, uniform in (("-cl-std=CL3.0", False), ("-cl-std=CL1.2", True), ("-cl-std=CL2.0 -cl-uniform-work-group-size", True)):
        program = link_program(context, None, "", [new, compiled(context, "float f(float x) { return x; }", options)])
        k = Kernel(program, "run")
        buffer = Buffer(context, codes.MEM_READ_WRITE, 16)
        k.set_arg(0, buffer)
        launch = (CommandQueue(context, real_device), k, 1, None, (4,), (3,))
        if uniform:
            fails("INVALID_WORK_GROUP_SIZE", enqueue_nd_range_kernel, *launch)
        else:
            enqueue_nd_range_kernel(*launch).wait()
