"""The ways in: `cl2cuda run`, `python -m cl2cuda`, `install`, IPython's extension, and `cl2cuda info`."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cl2cuda import cli
from cl2cuda.cli import run
from cl2cuda.runtime.native import library
from cl2cuda.runtime.native.build import build_for_source_tree

ROOT = Path(__file__).resolve().parents[2]


def python(*arguments, cwd=None, **variables):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]), **variables}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=cwd, env=environment)


def cl2cuda(*arguments, cwd=None, **variables):
    return python("-m", "cl2cuda", *arguments, cwd=cwd, **variables)


@pytest.fixture
def script(tmp_path):
    def write(text, name="program.py"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_a_script_sees_cl2cuda(script):
    result = cl2cuda("run", str(script("import pyopencl as cl; print(cl.get_platforms()[0].name)")))
    assert result.returncode == 0, result.stderr
    assert "cl2cuda" in result.stdout and "NVIDIA CUDA" in result.stdout


def test_a_script_waits_for_nothing_that_programs_in_c_need(script):
    found = cl2cuda("run", str(script("import sys; print([name for name in sys.modules if 'opencl_icd.' in name])")))
    assert found.stdout == "['cl2cuda.opencl_icd.programs']\n", found.stderr


def test_a_script_waits_for_nothing_that_other_command_lines_need(script):
    """Beside what Python itself has imported: packages may have it import more."""
    late = {"argparse", "gettext", "shutil", "runpy", "cl2cuda.runtime"}
    words = "import sys; sys.before = set(sys.modules); sys.argv = ['cl2cuda', 'run', sys.argv[1]]; from cl2cuda.cli import main; main()"
    path = script(f"import sys; print(sorted({late} & set(sys.modules) - sys.before))")
    found = python("-c", words, str(path))
    assert found.stdout == "[]\n", found.stderr


@pytest.mark.parametrize("words", [["run", "x.py"], ["run", "x.py", "-h", "--", "-m"], ["run", "-m", "x", "y"], ["run", "--debug", "x.py"],
                                   ["run", "--trace", "t", "x.py", "--debug"], ["run", "-mx"]])
def test_a_plain_command_line_says_what_the_parser_would_find(words):
    plain, parsed = run.plain(words), cli.parse(words)
    assert (plain is None) == words[1].startswith("-")
    assert plain is None or {**vars(plain), "command": "run"} == vars(parsed)


def test_a_script_runs_as_python_runs_it(script, tmp_path):
    path = script("import sys, neighbour\n"
                  "print(__name__, sys.argv[1:], sys.path[0], len(sys.path), __file__, __spec__)\n"
                  "print(vars(sys.modules['__main__']) is globals())\n")
    script("", "neighbour.py")
    for arguments in ([], ["-m", "x", "--json", "-h", "--", "y"]):
        ours = cl2cuda("run", str(path), *arguments)
        theirs = python(str(path), *arguments)
        assert ours.stdout == theirs.stdout, ours.stderr


def test_a_module_runs_as_python_runs_it(script, tmp_path):
    script("import sys\nprint(__name__, sys.argv, sys.path[0], __spec__.name, __package__)\n", "program.py")
    ours = cl2cuda("run", "-m", "program", "-m", "--flag", cwd=tmp_path)
    theirs = python("-m", "program", "-m", "--flag", cwd=tmp_path)
    assert ours.stdout == theirs.stdout and ours.returncode == 0, ours.stderr
    assert cl2cuda("run", "-mprogram", cwd=tmp_path).stdout == python("-mprogram", cwd=tmp_path).stdout


@pytest.mark.parametrize(("program", "status"), [
    ("import sys; sys.exit(7)", 7),
    ("import sys; sys.exit()", 0),
    ("import sys; sys.exit('sorry')", 1),
    ("raise ValueError('wrong')", 1),
    ("import atexit, threading, time\n"
     "atexit.register(print, 'bye')\n"
     "threading.Thread(target=lambda: (time.sleep(0.2), print('late'))).start()", 0),
    ("x = (", 1),
])
def test_exit_status_and_output_are_the_programs(script, program, status):
    path = script(program)
    ours, theirs = cl2cuda("run", str(path)), python(str(path))
    assert ours.returncode == theirs.returncode == status
    assert (ours.stdout, ours.stderr) == (theirs.stdout, theirs.stderr)


def test_a_program_is_told_its_name_as_it_was_typed(script, tmp_path):
    """What stands before the last slash is where programs look for their files."""
    script("#!/bin/sh\necho $0 $1\n", "where").chmod(0o755)
    assert cl2cuda("run", "./where", "you", cwd=tmp_path).stdout == "./where you\n"


def test_a_file_that_no_machine_runs_hides_no_program_of_its_name(script, tmp_path):
    (tmp_path / "env").write_bytes(b"\xca\xfe\xba\xbe\0\0\0\2")
    (tmp_path / "env").chmod(0o755)
    assert cl2cuda("run", "env", "echo", "found", cwd=tmp_path).stdout == "found\n"
    script("print('a script')", "env")
    assert cl2cuda("run", "env", "echo", "found", cwd=tmp_path).stdout == "a script\n"


def test_a_traceback_holds_the_program_alone(script):
    result = cl2cuda("run", str(script("def f():\n    raise ValueError('wrong')\nf()\n")))
    assert "ValueError: wrong" in result.stderr
    assert "cl2cuda" not in result.stderr


def test_a_scripts_code_has_its_whole_path(script):
    """As with Python itself: a program may change its directory."""
    path = script("import sys\nprint(sys.argv[0], sys._getframe().f_code.co_filename)\n")
    assert cl2cuda("run", path.name, cwd=path.parent).stdout.split() == [path.name, str(path)]


def test_a_script_that_is_not_there(tmp_path):
    result = cl2cuda("run", "nowhere.py", cwd=tmp_path)
    assert result.returncode == 2
    assert "can't open file" in result.stderr and "nowhere.py" in result.stderr and "Traceback" not in result.stderr


def test_a_module_that_is_not_there(tmp_path):
    result = cl2cuda("run", "-m", "nowhere_at_all", cwd=tmp_path)
    assert result.returncode == 1
    assert "No module named nowhere_at_all" in result.stderr and "Traceback" not in result.stderr


def test_run_without_a_program():
    result = cl2cuda("run")
    assert result.returncode == 2 and "usage: cl2cuda run" in result.stderr


def test_help_names_the_commands():
    result = cl2cuda("--help")
    assert result.returncode == 0
    for command in ("run", "info", "translate", "check"):
        assert command in result.stdout


def test_install_too_late_says_how_to_mend_it():
    result = python("-c", "import pyopencl, cl2cuda; cl2cuda.install()", CL2CUDA_INSTALL="0")
    if "cl2cuda.install()" not in result.stderr:
        pytest.skip("PyOpenCL's own compiled module cannot be loaded here")
    assert "InstalledTooLate" in result.stderr and "before the first 'import pyopencl'" in result.stderr
    assert "cl2cuda run" in result.stderr and "%load_ext cl2cuda" in result.stderr


def test_ipython_extension():
    program = "import cl2cuda; cl2cuda.load_ipython_extension(None); import pyopencl; print(pyopencl._cl.__spec__.origin)"
    result = python("-c", program)
    assert result.stdout.strip() == "cl2cuda", result.stderr


def test_info_as_text():
    result = cl2cuda("info", CL2CUDA_DEVICE="host")
    assert result.returncode == 0, result.stderr
    assert "DEVICE_NAME" in result.stdout and "CPU" in result.stdout and "GiB" in result.stdout


def test_info_as_json():
    result = cl2cuda("info", "--json", CL2CUDA_DEVICE="host")
    shown = json.loads(result.stdout)
    assert "cl2cuda" in shown["platform"]["PLATFORM_NAME"]
    assert shown["devices"][0]["DEVICE_TYPE"] == 2
    assert shown["devices"][0]["DEVICE_MAX_WORK_ITEM_SIZES"]


def test_info_says_where_programs_are_kept(tmp_path):
    result = cl2cuda("info", CL2CUDA_DEVICE="host", CL2CUDA_CACHE_DIR=str(tmp_path), CL2CUDA_CACHE_SIZE="5")
    assert f"Built programs are kept in {tmp_path / 'programs'}: 0 programs, 0 bytes of 5 MiB" in result.stdout
    result = cl2cuda("info", CL2CUDA_DEVICE="host", CL2CUDA_NO_CACHE="1")
    assert "CL2CUDA_NO_CACHE is set" in result.stdout


@pytest.mark.skipif(library.calls() is None, reason="the calls are not compiled here")
def test_info_says_whether_calls_are_compiled(tmp_path):
    build_for_source_tree()  # into the test's own cache
    assert "Calls are compiled" in cl2cuda("info", CL2CUDA_DEVICE="host").stdout
    without = [("CL2CUDA_NATIVE_CALLS is 0", {"CL2CUDA_NATIVE_CALLS": "0"})]
    if not (library.HERE / library.NAME).exists():
        without.append((library.COMPILES_THEM, {"CL2CUDA_CACHE_DIR": str(tmp_path)}))
    for said, variables in without:
        shown = cl2cuda("info", CL2CUDA_DEVICE="host", **variables).stdout
        assert "Calls take all their steps in Python" in shown and said in shown
    assert json.loads(cl2cuda("info", "--json", CL2CUDA_DEVICE="host", CL2CUDA_NATIVE_CALLS="0").stdout)["compiled_calls"] is False


def test_info_with_an_unknown_device():
    result = cl2cuda("info", CL2CUDA_DEVICE="toaster")
    assert result.returncode == 1
    assert "toaster" in result.stderr and "Traceback" not in result.stderr
