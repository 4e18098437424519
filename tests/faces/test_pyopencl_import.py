"""The boundary to PyOpenCL: the names, constants and classes of its compiled module, and that PyOpenCL imports over ours."""

import ast
import importlib.util
import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import cl2cuda
from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import constants, handles, later, module_contents
from cl2cuda.runtime.spec import version
from cl2cuda.runtime.spec.status import STATUS

ROOT = Path(__file__).resolve().parents[2]

# What PyOpenCL asks for only where it has OpenGL or an AMD extension.
OPTIONAL = {"GLBuffer", "GLRenderBuffer", "GLTexture", "gl_object_type", "gl_texture_info", "get_apple_cgl_share_group",
            "enqueue_acquire_gl_objects", "enqueue_release_gl_objects"}

DESCRIBE_STOCK = """
import json, sys
import pyopencl._cl as _cl
described = {}
for name, value in vars(_cl).items():
    if isinstance(value, type):
        described[name] = {key: item if isinstance(item, int) else None for key, item in vars(value).items() if key[:2] != "__"}
json.dump([described, sorted(name for name in vars(_cl) if name[:2] != "__")], sys.stdout)
"""


@pytest.fixture(scope="module")
def stock():
    """(classes of the compiled module with their attributes, all its names), from a process without cl2cuda."""
    # The compiled module can be imported only through the package, which then patches the classes.
    result = subprocess.run([sys.executable, "-c", DESCRIBE_STOCK], capture_output=True, text=True, cwd=os.path.sep,
                            env={**os.environ, "CL2CUDA_INSTALL": "0"})
    if result.returncode:
        pytest.skip("PyOpenCL's own compiled module cannot be loaded here")
    return json.loads(result.stdout)


def names_imported_by_pyopencl():
    spec = importlib.util.find_spec("pyopencl")
    names = set()
    for path in Path(spec.origin).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "pyopencl._cl":
                names |= {alias.name for alias in node.names}
    return names


def test_every_name_that_pyopencl_imports_is_there():
    missing = names_imported_by_pyopencl() - set(module_contents()) - OPTIONAL
    assert not missing


def test_names_of_the_compiled_module(stock):
    assert not set(stock[1]) - set(module_contents())


# What only a PyOpenCL that is built with OpenGL has; its wheels are not.
OPENGL = {"CURRENT_DEVICE_FOR_GL_CONTEXT_KHR", "DEVICES_FOR_GL_CONTEXT_KHR", "GL_CONTEXT_KHR", "EGL_DISPLAY_KHR", "GLX_DISPLAY_KHR",
          "WGL_HDC_KHR", "CGL_SHAREGROUP_KHR"}


def test_constants_equal_the_compiled_modules(stock):
    classes = constants.constant_classes()
    for name, attributes in stock[0].items():
        if name[0].islower() and name != "program_kind":
            expected = {key: value for key, value in attributes.items() if type(value) is int}
            ours = {key: value for key, value in vars(classes[name]).items() if key[:2] != "__"}
            # A name that PyOpenCL has given up stays, for the releases that have it: tests/tools/compiled_module/names.txt.
            assert {key: value for key, value in ours.items() if key != "UNORM_INT24" and not (key in OPENGL and key not in expected)} == {
                key: value for key, value in expected.items() if key != "UNORM_INT24"}, name


def test_classes_have_the_attributes_of_the_compiled_modules(stock):
    import pyopencl._cl as _cl

    for name in stock[0]:
        ours = getattr(_cl, name)
        missing = {key for key in stock[0][name] if not hasattr(ours, key) and key not in vars(ours).get("__annotations__", ())}
        missing -= {"_is_bitfield"}
        assert not missing, name


def test_status_codes_are_the_runtimes():
    assert {name: code for name, code in STATUS.items() if name in constants.TABLE["status_code"]} == constants.TABLE["status_code"]


def test_classes_say_that_they_come_from_the_compiled_module():
    assert cl.mem_flags.__module__ == cl.Buffer.__module__ == cl.Error.__module__ == "pyopencl._cl"
    assert pickle.loads(pickle.dumps(cl.mem_flags)) is cl.mem_flags
    assert type(cl.mem_flags.READ_ONLY) is int
    assert cl.mem_flags.to_string(cl.mem_flags.READ_ONLY) == "READ_ONLY"


def test_the_alias_is_pyopencl_itself():
    import cl2cuda.pyopencl.array as through_alias
    import pyopencl

    assert cl is pyopencl
    assert through_alias is sys.modules["pyopencl.array"]


def test_install_is_idempotent():
    before = list(sys.meta_path)
    cl2cuda.install()
    assert sys.meta_path == before


@pytest.mark.parametrize("module", [
    "array", "algorithm", "bitonic_sort", "clmath", "clrandom", "elementwise", "reduction", "scan", "tools", "characterize",
    "capture_call", "ipython_ext"])
def test_modules_of_pyopencl_import(module):
    pytest.importorskip("IPython" if module == "ipython_ext" else "numpy")
    importlib.import_module(f"pyopencl.{module}")


def test_importing_starts_no_device():
    """`import pyopencl` alone must not open CUDA or look for compilers."""
    program = "import cl2cuda; cl2cuda.install(); import pyopencl, sys; print(any('cupy' in name for name in sys.modules))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert result.stdout.strip() == "False", result.stderr


def test_importing_does_without_what_programs_use_later():
    """Every process would wait for it: `cl2cuda.pyopencl_cl.later`."""
    rooms = ["build", "commands", "context", "devices", "driver", "graphics", "image", "kernel", "memory", "program", "queue"]
    late = [*(f"cl2cuda.runtime.{room}" for room in rooms), "cl2cuda.runtime.process.disk_cache", "cl2cuda.translator.ir", "cl2cuda.builtins"]
    program = f"import cl2cuda, sys; cl2cuda.install(); import pyopencl; print([name for name in {late} if name in sys.modules])"
    # Without the calls in C, which a source tree looks for in the cache.
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT,
                            env={**os.environ, "CL2CUDA_NATIVE_CALLS": "0"})
    assert result.stdout.strip() == "[]", result.stderr


def test_importing_looks_once_for_opengl():
    program = """
import cl2cuda
from cl2cuda.runtime.opengl import library
looked, is_installed = [], library._is_installed
library._is_installed = lambda name: looked.append(name) or is_installed(name)
cl2cuda.install()
import pyopencl as cl
cl.have_gl()
print(len(looked) == len(set(looked)) > 0)
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT)
    assert result.stdout.strip() == "True", result.stderr


def test_handles_stand_for_classes_that_there_are():
    for name, handle in handles._HANDLE_OF.items():
        module, _, core_class = name.rpartition(".")
        assert handles.handle_class(getattr(importlib.import_module(module), core_class)) is handle


def test_what_is_imported_later_is_named_as_types_see_it():
    """The two lists of `later` are one."""
    tree = ast.parse(Path(later.__file__).read_text(encoding="utf-8"))
    for_types = {alias.asname or alias.name: f"{node.module}.{alias.name}" for branch in tree.body if isinstance(branch, ast.If)
                 for node in branch.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    stand_ins = {name: each for name, each in vars(later).items() if isinstance(each, later.Later)}
    assert {name: each._module for name, each in stand_ins.items()} == {name: f"..{module}" for name, module in for_types.items()}


def test_a_stand_in_is_the_module_from_its_first_use_on(monkeypatch):
    stand_in = later.Later("..runtime.spec.version")
    assert stand_in.PLATFORM_VERSION == version.PLATFORM_VERSION
    monkeypatch.setattr(version, "PLATFORM_VERSION", "another")
    assert stand_in.PLATFORM_VERSION == "another"
    with pytest.raises(AttributeError, match="no attribute 'missing'"):
        _ = stand_in.missing
