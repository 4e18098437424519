"""Code in `.pth` files, which the Python of a program in C runs when an import would fail without it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv

import pytest
from support.c_programs import environment, needs_compiler

from cl2cuda.opencl_icd import library, site_packages
from cl2cuda.opencl_icd.build import LOADER, compilers


@pytest.fixture
def code(monkeypatch):
    made = site_packages._Code()
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, made])
    return made


def test_code_runs_before_an_import_fails(code, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "found_by_code_of_pth.py").write_text("value = 3\n")
    code.lines.append((str(tmp_path), f"import sys; sys.path.append({str(tmp_path)!r})"))
    import found_by_code_of_pth

    assert found_by_code_of_pth.value == 3 and not code.lines and code not in sys.meta_path
    with pytest.raises(ModuleNotFoundError):
        import found_by_nobody  # noqa: F401


def test_modules_that_python_tries_everywhere_run_nothing(code):
    code.lines.append(("", "raise RuntimeError"))
    for name in ("winreg", "_wmi", "org.python.core"):
        with pytest.raises(ModuleNotFoundError):
            __import__(name)
    assert code.lines


def test_a_line_finds_what_it_finds_in_site(code, tmp_path, capsys):
    """setuptools' lines for namespaces ask the calling function for `sitedir`."""
    place = tmp_path / "found"
    code.lines.append(("/of/the/line", f"import sys; open({str(place)!r}, 'a').write(sys._getframe(1).f_locals['sitedir'])"))
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError):
            import found_by_nobody  # noqa: F401
    assert place.read_text() == "/of/the/line" and capsys.readouterr().err == ""


def test_what_fails_within_an_import_is_run_once_more_then_told(code, capsys):
    code.lines.append(("/of/the/line", "import found_by_nobody_either"))
    for told in ("", "cl2cuda: a .pth file in /of/the/line, 'import found_by_nobody_either': ModuleNotFoundError: No module "
                     "named 'found_by_nobody_either'\n", ""):
        with pytest.raises(ModuleNotFoundError):
            import found_by_nobody  # noqa: F401
        assert capsys.readouterr().err == told
    assert not code.lines and code not in sys.meta_path


PROGRAM = r"""
#include <stdio.h>
typedef void *handle;
int clGetPlatformIDs(unsigned, handle *, unsigned *);
int clGetDeviceIDs(handle, unsigned long, unsigned, handle *, unsigned *);
handle clCreateContext(const long *, unsigned, const handle *, handle, handle, int *);
int main(void)
{
    handle platform, device;
    int status = clGetPlatformIDs(1, &platform, NULL);
    if (!status)
        status = clGetDeviceIDs(platform, 0xffffffff, 1, &device, NULL);
    if (!status)
        clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    printf("%d\n", status);
}
"""


def test_a_program_in_c_runs_no_code_of_pth_files_that_it_does_not_need(tmp_path):
    """In a virtual environment whose packages are found by paths in a .pth file."""
    needs_compiler()
    alone = environment("alone")  # skips where programs have no Python
    venv.create(tmp_path / "env", symlinks=True, with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    packages = subprocess.run([str(python), "-c", "import site; print(site.getsitepackages()[0])"], capture_output=True, text=True, check=True)
    with open(os.path.join(packages.stdout.strip(), "test.pth"), "w") as file:
        file.writelines(f"{path}\n" for path in sys.path if path)
        file.write(f"import pathlib, traceback; pathlib.Path({str(tmp_path / 'mark')!r}).write_text(''.join(traceback.format_stack()))\n")
    driver = tmp_path / LOADER
    shutil.copyfile(library.library(LOADER), driver)
    first, _, *folders = library.environment()
    driver.with_name(f"{LOADER}.python").write_text("\n".join([first, str(python), *folders, ""]))
    (tmp_path / "program.c").write_text(PROGRAM)
    subprocess.run([*compilers()[0], "program.c", "-o", "program", str(driver)], cwd=tmp_path, check=True)
    done = subprocess.run([str(tmp_path / "program")], capture_output=True, text=True, timeout=60, env={
        **alone, "LD_LIBRARY_PATH": str(tmp_path), "CL2CUDA_DEVICE": "host"})
    assert (done.stdout, done.stderr) == ("0\n", "")
    mark = tmp_path / "mark"
    assert not mark.exists(), mark.read_text()
