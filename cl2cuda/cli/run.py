"""`cl2cuda run`: runs an unmodified program on cl2cuda: one in Python with cl2cuda under its PyOpenCL, as `python` itself would run it,
any other as it is, with cl2cuda as its OpenCL driver."""

from __future__ import annotations

import builtins
import importlib.machinery
import os
import sys
from collections.abc import Mapping, Sequence
from types import ModuleType, SimpleNamespace, TracebackType
from typing import TYPE_CHECKING, Protocol

from ..install import install
from ..opencl_icd import programs

if TYPE_CHECKING:
    import argparse

EPILOG = """Everything after the script or module belongs to the program. The exit status is the program's: 1 after an exception,
2 if the script cannot be read. The Pythons that the program starts run on cl2cuda, too; CL2CUDA_INSTALL=0 keeps them off.
CL2CUDA_DEVICE=cuda, remote, host or all chooses the devices that the program sees; CL2CUDA_CLUSTER=tcp://scheduler:8786 adds those of a
cluster's workers. CL2CUDA_TRACE=FILE and CL2CUDA_DEBUG=1 do what --trace and
--debug do. A program that is not Python's is found as a shell finds it. Where a script's libraries load libOpenCL themselves
(pyvkfft, gpyfft), run `cl2cuda run python SCRIPT.py`: stock PyOpenCL and they then share cl2cuda's objects."""

# Options whose values are the next words, and how many.
WITH_VALUES = {"--trace": 1}


class Order(Protocol):
    """What is to be run, and how; `program_arguments` are the program's own."""

    module: bool
    trace: str | None
    debug: bool
    program: str
    program_arguments: list[str]


def add_parsers(subparsers: argparse._SubParsersAction) -> None:
    parser = subparsers.add_parser(
        "run", help="run a program on cl2cuda, one in Python or any other",
        usage="cl2cuda run [-h] [--trace FILE] [--debug] (SCRIPT.py | -m MODULE | PROGRAM) [ARG ...]",
        description="Run a program that uses OpenCL, unmodified: one in Python by pyopencl, or any other, such as one in C.",
        epilog=EPILOG)
    parser.add_argument("-m", dest="module", action="store_true", help="the name is a module's, as in 'python -m'")
    parser.add_argument("--trace", metavar="FILE",
                        help="write what every queue did, and when, as a trace for ui.perfetto.dev or chrome://tracing")
    parser.add_argument("--debug", action="store_true",
                        help="wait for every launch; name the kernel, its arguments and the work-groups where one fails (slow)")
    parser.add_argument("program", metavar="SCRIPT.py | MODULE | PROGRAM", help="the program to run")
    parser.set_defaults(func=run)


def split(words: list[str], with_values: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """(what the parser is to see, the arguments of the program that the command runs). They must not meet the parser: it would take
    the program's options for its own. `with_values` are the command's options that take words, and how many.
    """
    values = 0
    for place, word in enumerate(words[1:], start=1):
        if values:
            values -= 1
            continue
        values = with_values.get(word, 0)
        if not word.startswith("-"):
            return words[: place + 1], words[place + 1 :]
        if word.startswith("-m") and len(word) > 2:
            return [*words[:place], "-m", word[2:]], words[place + 1 :]
    return words, []


def plain(words: Sequence[str]) -> SimpleNamespace | None:
    """What the parser would find in a command line without options, which programs do not wait for; None for others."""
    if len(words) < 2 or words[0] != "run" or words[1].startswith("-"):
        return None
    return SimpleNamespace(func=run, module=False, trace=None, debug=False, program=words[1], program_arguments=list(words[2:]))


def run(parsed: Order) -> int:
    """Runs the program as `__main__`; SystemExit and KeyboardInterrupt go on to the caller, as from Python itself."""
    place = None if parsed.module else programs.find(parsed.program)
    if place is not None:
        return run_program(place, parsed)
    install()
    programs.serve_ctypes()
    # The processes that the program starts read the variables.
    if parsed.trace:
        from ..runtime.process import trace  # This and the next are for few runs, which start later with them.

        path = os.path.abspath(parsed.trace)
        trace.start(path)
        os.environ[trace.VARIABLE] = trace.PROCESS.join(os.path.splitext(path))
    if parsed.debug:
        from ..runtime.process import debug_mode

        debug_mode.activate()
        os.environ[debug_mode.VARIABLE] = "1"
    try:
        if parsed.module:
            run_module(parsed.program, parsed.program_arguments)
        else:
            run_script(parsed.program, parsed.program_arguments)
    except Exception as error:
        # Python's own report, from the program's first frame on.
        error.__traceback__ = without_own_frames(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


def run_program(place: str, parsed: Order) -> int:
    """One that is not Python's takes this process's place."""
    from ..runtime.driver.interface import DriverMissing

    more = {"CL2CUDA_TRACE": os.path.abspath(parsed.trace)} if parsed.trace else {}
    if parsed.debug:
        more["CL2CUDA_DEBUG"] = "1"
    try:
        programs.run(place, parsed.program_arguments, more)
    except DriverMissing as missing:
        print(f"cl2cuda: {missing}", file=sys.stderr)
    return 1


def run_module(name: str, arguments: list[str]) -> None:
    """`python -m NAME`: the current directory comes first on the path."""
    import runpy  # as below: most programs are files

    put_first_on_path(os.getcwd())
    sys.argv = ["-m", *arguments]
    sys.modules["__main__"] = ModuleType("__main__")
    # What `python -m` itself calls. It has no public name; the public run_module puts another __main__ back at the end, too early
    # for threads and exit handlers.
    runpy._run_module_as_main(name)  # type: ignore[attr-defined]


def run_script(path: str, arguments: list[str]) -> None:
    """`python PATH`: the script's directory comes first on the path. A directory or archive with a `__main__.py` goes too."""
    sys.argv = [path, *arguments]
    if os.path.isdir(path) or path.endswith((".zip", ".pyz")):
        import runpy

        runpy.run_path(path, run_name="__main__")
        return
    try:
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        print(f"cl2cuda: can't open file {os.path.abspath(path)!r}: {error.strerror}", file=sys.stderr)
        raise SystemExit(2) from None
    put_first_on_path(os.path.dirname(os.path.realpath(path)))
    main = ModuleType("__main__")
    main.__file__ = whole = os.path.abspath(path)
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", path)
    main.__builtins__ = builtins  # type: ignore[attr-defined]
    main.__cached__ = None  # type: ignore[attr-defined]
    sys.modules["__main__"] = main
    exec(compile(source, whole, "exec", dont_inherit=True), vars(main))


def put_first_on_path(folder: str) -> None:
    """The folder takes the place of the one that Python put there for `cl2cuda` itself; with `python -P` it put none."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = folder


def without_own_frames(traceback: TracebackType | None) -> TracebackType | None:
    while traceback is not None and traceback.tb_frame.f_code.co_filename == __file__:
        traceback = traceback.tb_next
    return traceback
