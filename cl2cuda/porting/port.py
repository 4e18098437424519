"""A project whose kernels leave OpenCL: its programs are found, translated and written with their launchers, and what a person has to do
is listed.

Nothing is written before all is translated, and the output folder appears whole or not at all.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Literal

from ..translator import CompileError, InternalError, OptionError, parse_options
from . import host_calls, sources
from .host_calls import Calls
from .launchers.program import Program, program
from .settings import Settings
from .sources import Found, Unreadable

Outcome = Literal["ported", "partly", "failed"]
_VENDOR = re.compile(r"\bcl_(?:intel|amd|nv|arm|qcom|img|apple|altera|xilinx)_\w+")
# What a program lacks, in the translator's words.
_MISSING = re.compile(r"(?:implicit declaration of function|unknown type name|undeclared identifier) '(\w+)'")
_DEVICE_QUEUE = re.compile(r"\b(?:enqueue_kernel|get_default_queue|queue_t|ndrange_t)\b")


class PortError(Exception):
    """The project cannot be ported as it was asked for. The message is for the person who asked."""


@dataclass
class Ported:
    """What became of one program.

    files     written for it, relative to the output, with their texts
    kernels   the names of those that are launched
    person    what needs a person, in sentences
    """

    found: Found
    options: str
    outcome: Outcome = "failed"
    kernels: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)
    person: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    warnings: int = 0

    @property
    def place(self) -> str:
        return self.found.file if self.found.in_file else f"{self.found.file}:{self.found.line}"


@dataclass
class Project:
    """What a port has found and written, for its report."""

    name: str
    launchers: str
    ported: list[Ported]
    helpers: list[str]
    unreadable: list[Unreadable]
    calls: list[Calls]

    def having(self, outcome: Outcome) -> list[Ported]:
        return [each for each in self.ported if each.outcome == outcome]

    @property
    def is_whole(self) -> bool:
        return not self.unreadable and all(each.outcome == "ported" for each in self.ported)


@dataclass
class Read:
    """A project's files: the programs found, the texts for host calls, and what is no program by itself."""

    programs: list[Found]
    texts: list[tuple[str, str]]
    helpers: list[str]
    unreadable: list[Unreadable]


def check_folders(project: Path, output: Path) -> None:
    """Raises PortError where the output would meet the project, or something that is there already."""
    if not project.exists():
        raise PortError(f"there is no folder {str(project)!r}")
    if not project.is_dir():
        raise PortError(f"{str(project)!r} is a file: name the folder of the project (one file is for `cl2cuda translate --launchers`)")
    inside, around = output.resolve(), project.resolve()
    if inside == around or around in inside.parents:
        raise PortError(f"the output {str(output)!r} lies inside the project {str(project)!r}: name a folder outside of it")
    if inside in around.parents:
        raise PortError(f"the project {str(project)!r} lies inside the output {str(output)!r}: name a folder of its own")
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise PortError(f"the output {str(output)!r} exists and is not an empty folder: name one that does not exist yet")


def read_project(project: Path) -> Read:
    """Raises PortError where no kernel is found."""
    read = Read([], [], [], [])
    for path in sources.files(project):
        file = path.relative_to(project).as_posix()
        try:
            text = sources.read(path)
        except OSError as error:
            read.unreadable.append(Unreadable(file, error.strerror or str(error)))
            continue
        read.texts.append((file, text))
        for found in sources.find(file, text):
            if found.has_kernels:
                read.programs.append(found)
            else:
                read.helpers.append(file)
    if not read.programs:
        unread = "".join(f"; cannot read {each.file}: {each.reason}" for each in read.unreadable)
        raise PortError(f"no kernels in {str(project)!r}: neither in .cl files, nor in raw strings of C++, nor in strings of Python"
                        + unread)
    return read


def port_program(project: Path, found: Found, settings: Settings, writer: ModuleType, names: set[str],
                 texts: Sequence[tuple[str, str]] = ()) -> Ported:
    """Translates one program. `names` are the files written so far, which it adds to; `texts` the project's files."""
    options = settings.get(found.file, "options") or found.options
    ported = Ported(found, options)
    _ask_person(ported)
    try:
        text = _with_before(project, found, settings)
        made = program(text, parse_options(_with_folders(project, found, options)), _stem(found, names), ported.place, found.file)
    except (OSError, OptionError) as error:
        ported.errors.append(str(error))
    except CompileError as error:
        ported.errors += [str(each) for each in error.diagnostics if each.severity == "error"]
        ported.warnings = sum(each.severity == "warning" for each in error.diagnostics)
    except InternalError as error:
        ported.errors.append(str(error))
    else:
        _written(ported, writer.fitting(made), writer)
        names.update(ported.files)
    if ported.errors and not found.pieces:
        ported.person += sources.elsewhere(found.file, _MISSING.findall("\n".join(ported.errors)), texts)
        ported.person.append("It does not translate as it stands: where it is built with options or after other files, say so in the "
                             "file that --options names.")
    return ported


def _ask_person(ported: Ported) -> None:
    """What the text alone tells that CUDA has otherwise or not at all."""
    found = ported.found
    if found.pieces:
        ported.person.append(f"The program is put together at run time: {found.pieces}. What is written is of the constant text alone.")
    text = sources.without_comments(found.text)
    if _DEVICE_QUEUE.search(text):
        ported.person.append("It enqueues kernels from kernels. CUDA has dynamic parallelism for that, or a graph launched on the device.")
    vendors = sorted(set(_VENDOR.findall(text)))
    if vendors:
        ported.person.append(f"It names extensions of vendors, which another device may lack: {', '.join(vendors)}.")


def _written(ported: Ported, made: Program, writer: ModuleType) -> None:
    folder = PurePosixPath(ported.found.file).parent
    ported.warnings = len(made.translation.diagnostics)
    ported.kernels = tuple(kernel.info.name for kernel in made.kernels)
    for kernel, reason in made.left_out:
        ported.person.append(f"Kernel '{kernel}' has no launcher: {reason}.")
    if made.kernels:
        ported.files = {str(folder / name): text for name, text in writer.files(made).items()}
        ported.outcome = "partly" if made.left_out or ported.found.pieces else "ported"


def _with_before(project: Path, found: Found, settings: Settings) -> str:
    """The program's text, after the files that stand before it; #line keeps every place."""
    before = settings.get(found.file, "before").split()
    text = "\n" * (found.line - 1) + found.text
    if not before:
        return text
    parts = []
    for name in before:
        try:
            parts.append(f'#line 1 "{name}"\n{sources.read(project / name).rstrip()}\n')
        except OSError as error:
            raise OptionError(f"cannot read {name!r}, which 'before' of the options names: {error.strerror}") from None
    return "".join(parts) + f'#line 1 "{found.file}"\n{text}'


def _with_folders(project: Path, found: Found, options: str) -> str:
    """The folders that #include looks into are the project's, after that of the file itself."""
    words = re.sub(r"(?<!\S)-I\s*(?!/)(\S+)", lambda match: f'-I "{project / match[1]}"', options)
    return f'{words} -I "{(project / found.file).parent}" -I "{project}"'


def _stem(found: Found, names: set[str]) -> str:
    """The file's name; of several programs in one file, or beside each other, with a number."""
    path = PurePosixPath(found.file)
    stem, number = path.stem, 1
    taken = {re.sub(r"(_numba)?\.\w+$", "", name) for name in names}
    while str(path.parent / stem) in taken:
        number += 1
        stem = f"{path.stem}_{number}"
    return stem


def port(project: Path, settings: Settings, launchers: str, writer: ModuleType,
         progress: Callable[[Sequence[Found]], Sequence[Found]] = lambda found: found) -> Project:
    """Raises PortError where there is nothing to port."""
    read = read_project(project)
    names: set[str] = set()
    ported = [port_program(project, found, settings, writer, names, read.texts) for found in progress(read.programs)]
    return Project(project.resolve().name, launchers, ported, read.helpers, read.unreadable, host_calls.count(read.texts))


def write_tree(output: Path, texts: dict[str, str]) -> None:
    """All files, beside the output first; the folder gets its name when it is whole. Raises OSError."""
    parent = output.resolve().parent
    parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{output.name}-", dir=parent))
    try:
        for name, text in texts.items():
            path = made / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        made.chmod(0o777 & ~_umask())
        if output.exists():
            output.rmdir()  # it is empty
        made.rename(output.resolve())
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
