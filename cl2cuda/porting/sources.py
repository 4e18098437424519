"""OpenCL C in a project: files of their own, raw strings of C++, and strings of Python programs, with the build options that stand there.

Knows texts and places, nothing of translation. What only comes about at run time, a string put together of pieces, is found too and
marked: a person has to say what becomes of it.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .encoding import decoded

OPENCL = (".cl", ".clc", ".ocl")
CXX = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx")
PYTHON = (".py",)
_KERNEL = re.compile(r"(?<!\w)(?:__)?kernel\b(?:\s|__attribute__\s*\(\(.*?\)\))*\bvoid\b", re.DOTALL)
_RAW_STRING = re.compile(r'R"(?P<delimiter>[^()\\\s]{0,16})\((?P<text>.*?)\)(?P=delimiter)"', re.DOTALL)
# Folders that hold no sources of the project.
_SKIPPED = {".git", ".hg", ".svn", ".tox", ".venv", "__pycache__", "node_modules"}


@dataclass(frozen=True)
class Found:
    """A program's source.

    file       relative to the project, with `/`
    line       where the text starts in the file
    options    the build options that stand beside it; "" where none can be read
    pieces     why the text is not the whole program: "" where it is
    in_file    whether it is a file of its own, which others may include
    """

    file: str
    line: int
    text: str
    options: str = ""
    pieces: str = ""
    in_file: bool = False

    @property
    def has_kernels(self) -> bool:
        return bool(_KERNEL.search(without_comments(self.text)))


@dataclass(frozen=True)
class Unreadable:
    """A file that was left out, and why."""

    file: str
    reason: str


def files(folder: Path) -> list[Path]:
    """Every file that may hold OpenCL C or host calls, in order."""
    found = []
    for path, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        found += [Path(path, name) for name in sorted(names) if Path(name).suffix.lower() in (*OPENCL, *CXX, *PYTHON)]
    return found


def read(path: Path) -> str:
    """Raises OSError."""
    return decoded(path.read_bytes())


def find(file: str, text: str) -> list[Found]:
    """The programs in a file, by its ending."""
    suffix = Path(file).suffix.lower()
    if suffix in OPENCL:
        return [Found(file, 1, text, in_file=True)]
    if suffix in CXX:
        return list(_in_cxx(file, text))
    return list(_in_python(file, text))


def _in_cxx(file: str, text: str) -> Iterator[Found]:
    for match in _RAW_STRING.finditer(text):
        if _KERNEL.search(match["text"]):
            yield Found(file, text.count("\n", 0, match.start("text")) + 1, match["text"])


def _in_python(file: str, text: str) -> Iterator[Found]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    options = _build_options(tree)
    documentation = set(_docstrings(tree))
    inner: set[ast.AST] = set()
    for node in ast.walk(tree):
        if node in inner or node in documentation:
            continue
        pieces = _pieces(node)
        if pieces:
            inner.update(ast.walk(node))
        whole = _text(node)
        if whole is not None and _KERNEL.search(whole):
            yield Found(file, node.lineno, whole, options.get(node, ""), pieces)  # type: ignore[attr-defined]


def _docstrings(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield first.value


def _text(node: ast.AST) -> str | None:
    """A string as far as it stands in the program; what is put in at run time is left out."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            return "".join(_text(value) or "" for value in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = _text(left), _text(right)
            return None if parts == (None, None) else "".join(part or "" for part in parts)
        case ast.BinOp(left=left, op=ast.Mod()):
            return _text(left)
        case ast.Call(func=ast.Attribute(value=value, attr="format" | "substitute" | "safe_substitute" | "replace")):
            return _text(value)
    return None


def _pieces(node: ast.AST) -> str:
    """Why the string is not the program that runs; "" for one that stands as it is."""
    match node:
        case ast.JoinedStr(values=values) if any(isinstance(value, ast.FormattedValue) for value in values):
            return "values are put into an f-string"
        case ast.BinOp(op=ast.Mod()):
            return "values are put in with %"
        case ast.BinOp(left=left, op=ast.Add(), right=right) if not (_is_whole(left) and _is_whole(right)):
            return "it is put together with +"
        case ast.Call(func=ast.Attribute(attr="format" | "substitute" | "safe_substitute" | "replace" as name)):
            return f"values are put in with .{name}()"
        case ast.Constant(value=str(text)) if re.search(r"\$\{\w+|\{\{|^\s*%\s*(?:for|if)\b", text, re.MULTILINE):
            return "it is a template"
    return ""


def _is_whole(node: ast.AST) -> bool:
    return _text(node) is not None and not _pieces(node)


def _build_options(tree: ast.AST) -> dict[ast.AST, str]:
    """For the strings given to `Program(context, source)`, themselves or by a name: what `build` is given, where that is constant."""
    strings: dict[str, list[ast.AST]] = {}
    programs: dict[str, ast.AST] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            if _text(value) is not None:
                strings.setdefault(name, []).append(value)
            elif isinstance(value, ast.Call) and _is_program(value):
                programs[name] = value
    found: dict[ast.AST, str] = {}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "build"):
            continue
        program = node.func.value
        made = programs.get(program.id) if isinstance(program, ast.Name) else program
        if isinstance(made, ast.Call) and _is_program(made):
            source = made.args[1]
            for each in strings.get(source.id, []) if isinstance(source, ast.Name) else [source]:
                found[each] = _constant_options(node)
    return found


def _is_program(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name == "Program" and len(call.args) >= 2


def _constant_options(build: ast.Call) -> str:
    given = next((word.value for word in build.keywords if word.arg == "options"), build.args[0] if build.args else None)
    if isinstance(given, ast.Constant) and isinstance(given.value, str):
        return given.value
    if isinstance(given, (ast.List, ast.Tuple)):
        words = [each.value for each in given.elts if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        return " ".join(words) if len(words) == len(given.elts) else ""
    return ""


def without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)


def elsewhere(file: str, missing: Iterable[str], texts: Iterable[tuple[str, str]]) -> list[str]:
    """For the names that a program lacks: which files of OpenCL C define them, in sentences. `texts` are the project's files."""
    found: dict[str, list[str]] = {}
    names = list(dict.fromkeys(missing))
    for other, text in texts:
        if other == file or Path(other).suffix.lower() not in OPENCL:
            continue
        plain = without_comments(text)
        if defined := [name for name in names if _defines(plain, name)]:
            found[other] = defined
    return [f"{', '.join(map(repr, defined))} {'is' if len(defined) == 1 else 'are'} in {other}: if that file comes before this one, say "
            f"`before = {other}` in the file that --options names." for other, defined in found.items()]


def _defines(text: str, name: str) -> bool:
    """Whether it has a function with its body, a macro or a type of the name."""
    forms = (rf"^[ \t]*#[ \t]*define[ \t]+{name}\b", rf"\b{name}\s*\([^;{{}}]*\)\s*\{{", rf"\}}\s*{name}\s*;",
             rf"\btypedef\b[^;{{}}]*\b{name}\s*;")
    return any(re.search(form, text, re.MULTILINE) for form in forms)
