"""The table of entry points, the dispatch table and the generated C text against Khronos' own headers."""

import re
import subprocess
from pathlib import Path

import pytest

from cl2cuda.opencl_icd import generate
from cl2cuda.opencl_icd.build import compilers
from cl2cuda.opencl_icd.dispatch import SLOTS
from cl2cuda.runtime.spec.entry_points import ENTRY_POINTS

HEADERS = Path("/usr/include/CL")

# Provisional: the headers of a machine may have another version of it than the specification here.
PROVISIONAL = ("cl_khr_command_buffer", "cl_khr_command_buffer_mutable_dispatch")


@pytest.fixture(scope="module")
def declared():
    """Khronos' declarations by name, without comments."""
    if not (HEADERS / "cl_icd.h").exists():
        pytest.skip("Khronos' OpenCL headers are not installed")
    found = {}
    for file in ("cl.h", "cl_ext.h", "cl_gl.h", "cl_egl.h"):
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", (HEADERS / file).read_text(), flags=re.DOTALL)
        for returns, name, parameters in re.findall(r"CL_API_ENTRY\s+(?:CL_API_PREFIX__\w+\s+)?([\w\s*]+?)\s*CL_API_CALL\s+(cl\w+)\s*\((.*?)\)\s*"
                                                    r"(?:CL_API_SUFFIX__\w+)?\s*;", text, flags=re.DOTALL):
            found[name] = normal(f"{returns} {name}({parameters})")
    return found


def normal(text):
    text = re.sub(r"CL_CALLBACK|\s+", " ", text)
    return re.sub(r"\s*([*,()\[\]])\s*", r"\1", text).strip()


def test_prototypes_are_those_of_the_headers(declared):
    compared = [row for row in ENTRY_POINTS.values() if row.name in declared and row.extension not in PROVISIONAL]
    assert len(compared) > 140
    assert {row.name: normal(row.prototype) for row in compared} == {row.name: declared[row.name] for row in compared}


def test_every_function_of_the_api_has_a_row():
    if not HEADERS.exists():
        pytest.skip("Khronos' OpenCL headers are not installed")
    names = set(re.findall(r"CL_API_CALL\s+(cl\w+)\s*\(", re.sub(r"/\*.*?\*/", "", (HEADERS / "cl.h").read_text(), flags=re.DOTALL)))
    assert len(names) > 100 and names <= set(ENTRY_POINTS)


def test_the_dispatch_table_is_in_the_headers_order():
    place = HEADERS / "cl_icd.h"
    if not place.exists():
        pytest.skip("Khronos' OpenCL headers are not installed")
    text = re.sub(r"/\*.*?\*/", "", place.read_text(), flags=re.DOTALL)
    inside = text[text.index("struct _cl_icd_dispatch"):]
    members = [name for name in dict.fromkeys(re.findall(r"\b(cl\w+);", inside)) if not name.endswith(("_tag", "cl_icd_dispatch"))]
    assert len(members) > 140 and list(SLOTS[: len(members)]) == members


def test_scalar_types_have_the_sizes_that_the_generated_text_gives_them(tmp_path):
    if not HEADERS.exists() or not compilers():
        pytest.skip("a C compiler and Khronos' OpenCL headers are needed")
    sizes = {"size_t": "sizeof(size_t)", "int32_t": "4", "uint32_t": "4", "uint64_t": "8", "const void *": "sizeof(void *)",
             "struct object *": "sizeof(void *)"}
    lines = ["#define CL_TARGET_OPENCL_VERSION 300", "#define CL_ENABLE_BETA_EXTENSIONS", "#include <CL/cl.h>", "#include <CL/cl_ext.h>",
             "#include <CL/cl_gl.h>", "#include <CL/cl_egl.h>",
             "#ifndef cl_ext_buffer_device_address  // which older headers lack", "typedef cl_ulong cl_mem_device_address_ext;", "#endif"]
    types = {(one.type, one.c_type) for row in ENTRY_POINTS.values() for one in generate.parameters(row) if "*" not in one.type}
    assert len(types) > 50
    lines += [f'_Static_assert(sizeof({type_}) == {sizes[ours]}, "{type_}");' for type_, ours in sorted(types)]
    place = tmp_path / "sizes.c"
    place.write_text("\n".join(lines) + "\n")
    subprocess.run([*compilers()[0], "-fsyntax-only", str(place)], check=True)


def test_every_parameter_has_its_code():
    """The codes consume as many words as there are parameters, and no output is taken for an argument."""
    widths = {"w": 2, "l": 2, "I": 3}
    for row in ENTRY_POINTS.values():
        codes = re.findall(r"[?&]?(?:l[A-Z]|[A-Za-z])", generate.code_of(row))
        assert sum(widths.get(code[0], 1) for code in codes) == len(row.parameters), row.name
        assert ("errcode_ret" in str(row.parameters)) == ("r" in codes), row.name


def test_no_slot_is_empty():
    text = generate.source()
    table = text[text.index("dispatch_table[]"):text.index("names[]")]
    entries = re.findall(r"\(const void \*\)(\S+),", table)
    assert len(entries) == len(SLOTS) and "NULL" not in entries
