"""api/: notes on the public objects, from their docstrings. Signatures are the sources' own text, the same under every Python."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from markdown import MADE

from cl2cuda import translator
from cl2cuda.runtime.spec.entry_points import SERVED, EntryPoint


class Chapter(NamedTuple):
    """What a page shows of a module: its names, with the methods that a user calls."""

    module: str
    names: tuple[str, ...]


# What a Python program meets beside PyOpenCL's own classes.
PYTHON = (
    Chapter("cl2cuda", ("install", "InstalledTooLate", "load_ipython_extension")),
    Chapter("cl2cuda.pyopencl", ()),
    Chapter("cl2cuda.pytest_plugin", ()),
    Chapter("cl2cuda.interop", ("from_dlpack", "as_buffer", "queue_from_stream", "stream_of", "wait_for_stream", "let_stream_wait")),
    Chapter("cl2cuda.numba", ("program", "register", "array", "device_function")),
    Chapter("cl2cuda.translator", tuple(name for name in translator.__all__ if name not in ("Position", "Dialect"))),
    Chapter("cl2cuda.runtime.process.trace", ("start", "stop", "span")),
    Chapter("cl2cuda.runtime.process.debug_mode", ("active", "activate")),
    Chapter("cl2cuda.runtime.spec.errors", ("CLError",)),
    Chapter("cl2cuda.runtime.process.environment", ("Variable", "text", "flag")),
)

# The specification's headings of the sections that have entry points.
_TITLES = dict(each.split(maxsplit=1) for each in """
    4.1 Querying Platform Info; 4.2 Querying Devices; 4.3 Partitioning a Device; 4.4 Contexts; 5.1 Command-Queues;
    5.2.1 Creating Buffer Objects; 5.2.2 Reading, Writing and Copying Buffer Objects; 5.2.3 Filling Buffer Objects;
    5.2.4 Mapping Buffer Objects; 5.2.6 Creating Buffer Objects From OpenGL Buffer Objects;
    5.3.1 Creating Image Objects; 5.3.2 Querying List of Supported Image Formats;
    5.3.4 Reading, Writing and Copying Image Objects;
    5.3.5 Filling Image Objects; 5.3.6 Copying Between Image and Buffer Objects; 5.3.7 Mapping Image Objects; 5.3.9 Image Object Queries;
    5.3.12 Creating Image Objects From EGL Images; 5.3.13 Creating Image Objects From OpenGL Textures and Renderbuffers;
    5.3.13.2 Creating Image Objects From OpenGL Renderbuffers; 5.3.14 Querying Image Requirements; 5.5.9 Querying OpenGL Object Information;
    5.5.12 Acquiring and Releasing EGL Images; 5.5.13 Acquiring and Releasing OpenGL Objects;
    5.18 Querying Devices That Support Sharing With OpenGL;
    5.4.1 Creating Pipe Objects; 5.4.2 Pipe Object Queries; 5.5.1 Retaining and Releasing Memory Objects;
    5.5.3 Unmapping Mapped Memory Objects; 5.5.5 Migrating Memory Objects; 5.5.6 Memory Object Queries; 5.6.1 Shared Virtual Memory;
    5.6 Unified Shared Memory;
    5.7.1 Creating Sampler Objects; 5.7.2 Sampler Object Queries; 5.8.1 Creating Program Objects;
    5.8.2 Retaining and Releasing Program Objects; 5.8.3 Setting SPIR-V Specialization Constants; 5.8.4 Building Program Executables;
    5.8.5 Separate Compilation and Linking of Programs; 5.8.8 Unloading the OpenCL Compiler; 5.8.9 Program Object Queries;
    5.9.1 Creating Kernel Objects; 5.9.2 Setting Kernel Arguments; 5.9.3 Copying Kernel Objects; 5.9.4 Kernel Object Queries;
    5.10 Executing Kernels; 5.11 Event Objects; 5.12 Markers, Barriers and Waiting for Events; 5.13 Semaphores;
    5.15 Profiling Operations on Memory Objects and Kernels; 5.16 Flush and Finish; 5.17 Command-Buffers;
    5.17.5 Recording Commands to a Command-Buffer; 5.17.7 Mutable Commands; 5.17.8 Command-Buffer Queries""".split(";"))

_PYTHON = """# What Python programs meet

PyOpenCL's classes and functions are [PyOpenCL's own](https://documen.tician.de/pyopencl/); here is what cl2cuda has beside them.
"""

_RUNTIME = """# The runtime, entry point by entry point

What serves each function of OpenCL's C API, in the order of the specification (OpenCL 3.0 API, chapters 4 and 5). PyOpenCL's classes
stand on these objects, and what PyOpenCL has no class for, such as command buffers and semaphores, is used through them: a PyOpenCL
object's `_core` is the runtime's object. The errors are those that the specification lists, and a `CLError` names one of them by its
`status`, with the routine, the reason and, where it is known, the remedy.

Offsets, sizes and pitches are bytes, an image's origins and regions pixels, a kernel's sizes work-items, times nanoseconds. `wait_for`
is a sequence of events; a command gives its event back, and with `blocking` it has ended by then. `host` is any contiguous object that
offers its memory, such as bytes, a memoryview or a NumPy array; a read needs one that can be written. Codes, flags and property names
are in `codes`; a query takes its code and gives a plain Python value: a number, text, bytes, a truth value, or a tuple of them.
"""


def python_page() -> str:
    return f"{MADE}{_PYTHON}" + "".join(part for chapter in PYTHON for part in _chapter(chapter))


def runtime_page() -> str:
    parts = [f"{MADE}{_RUNTIME}"]
    section = ""
    for row in SERVED.values():
        if not row.target:
            continue
        if row.section != section:
            section = row.section
            parts.append(f"\n## {section} {_TITLES[section]}\n")
        parts.append(_entry_point(row))
    return "".join(parts)


def _chapter(chapter: Chapter) -> Iterator[str]:
    yield f"\n## {chapter.module}\n\n{text(_module_text(chapter.module))}\n"
    for name in chapter.names:
        found = getattr(importlib.import_module(chapter.module), name)
        yield f"\n### {name}\n\n`{signature(name, found)}`\n\n{text(found)}\n"
        if inspect.isclass(found):
            for method, value in _methods(found):
                yield f"\n- `{signature(method, value)}`: {_joined(text(value))}\n"


def _entry_point(row: EntryPoint) -> str:
    path, _, names = row.target.partition(":")
    module: Any = importlib.import_module(f"cl2cuda.runtime.{path}")
    found, owner = module, None
    for name in names.split("."):
        owner, found = found, getattr(found, name)
    constructor = names.endswith(".__init__")
    called = f"{path}.{names.removesuffix('.__init__')}"
    parts = [f"### {row.name}", f"`{signature(called, found)}`", text(owner) if constructor else "", _without_name(row.name, text(found)),
             _listed("Queries", (query.name for query in _queries(module)) if names.endswith(".get_info") else ()),
             _listed("Errors", row.errors)]
    return "".join(f"\n{part}\n" for part in parts if part)


def _queries(module: Any) -> Iterable[Any]:
    """The rows of the module's table. Devices import theirs, which is long, from the file beside them when they are first asked."""
    table = vars(module).get("QUERIES") or importlib.import_module(".queries", module.__package__).QUERIES
    return table.rows


def _listed(what: str, names: Iterable[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names)
    return f"{what}: {shown}." if shown else ""


def _without_name(name: str, about: str) -> str:
    """Docstrings say which entry point they are of; here the heading does."""
    rest = re.sub(rf"^{name}(?: \([\d.]+\))?(?:[.:]|,?(?= with))\s*", "", about)
    return rest if rest == about else rest[:1].upper() + rest[1:]


def _module_text(name: str) -> str:
    """A module's docstring, read from its file: importing some of them changes the process."""
    spec = importlib.util.find_spec("cl2cuda" if name.startswith("cl2cuda.py") else name)
    assert spec is not None and spec.origin is not None
    path = Path(spec.origin)
    if spec.name != name:
        path = path.with_name(f"{name.rpartition('.')[2]}.py")
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")), clean=False) or ""


def _methods(cls: type) -> list[tuple[str, Any]]:
    """Those of a class itself that have a docstring and no underscore."""
    return [(name, value) for name, value in vars(cls).items()
            if not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, (classmethod, property))) and text(value)]


def signature(name: str, found: Any) -> str:
    """As the source has it, without `self`: `name(a: int, b: str='') -> float`."""
    function = _function(found)
    if function is None:
        return f"{name}({_fields(found)})" if inspect.isclass(found) and not issubclass(found, Exception) else name
    node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    gives = "" if node.returns is None or node.name == "__init__" else ast.unparse(node.returns)
    if isinstance(found, property):
        return f"{name}: {gives}" if gives else name
    arguments = node.args
    for given in (arguments.posonlyargs, arguments.args):
        if given and given[0].arg in ("self", "cls"):
            del given[0]
    return f"{name}({ast.unparse(arguments)})" + (f" -> {gives}" if gives else "")


def _function(found: Any) -> Any:
    if isinstance(found, property):
        return found.fget
    if isinstance(found, (classmethod, staticmethod)):
        return found.__func__
    if inspect.isclass(found):
        found = vars(found).get("__init__")
    return found if inspect.isfunction(found) and found.__code__.co_filename != "<string>" else None


def _fields(cls: type) -> str:
    """The fields of a dataclass or a NamedTuple."""
    body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    assert isinstance(body, ast.ClassDef)
    return ", ".join(ast.unparse(line) for line in body.body if isinstance(line, ast.AnnAssign))


# "name        what it is", as the docstrings describe fields; what is indented further goes on.
_FIELD = re.compile(r"(\w+(?:, \w+)*) {2,}(\S.*)")


def text(found: Any) -> str:
    """The docstring as Markdown: what is indented is code, fields are a list, and nothing is HTML by accident."""
    if isinstance(found, str):
        written = found.strip()
    else:
        written = inspect.cleandoc((vars(found).get("__doc__") if inspect.isclass(found) else found.__doc__) or "")
    if inspect.isclass(found) and re.fullmatch(rf"{found.__name__}\(.*\)", written, re.DOTALL):
        return ""  # what NamedTuple and dataclass write by themselves
    lines: list[str] = []
    in_field = False
    for line in written.splitlines():
        field = _FIELD.fullmatch(line)
        in_field = bool(field) or (in_field and line.startswith(" "))
        if field:
            lines.append(f"- `{field[1]}`: {_plain(field[2])}")
        elif in_field:
            lines[-1] += " " + _plain(line.strip())
        else:
            if line and lines and lines[-1].startswith("- `"):
                lines.append("")  # else it would go on with the list
            lines.append(line if line.startswith("    ") else _plain(line))
    return "\n".join(lines)


def _plain(line: str) -> str:
    parts = line.split("`")
    return "`".join(part if number % 2 else re.sub(r"([<*[])", r"\\\1", part) for number, part in enumerate(parts))


def _joined(paragraphs: str) -> str:
    return " ".join(paragraphs.split())
