"""Loads tests/cases/language/<section>/*.cl: one sentence of the OpenCL C specification each, with what it makes of a program;
and tests/cases/extensions/*.cl: what an extension or an optional feature brings.

A case begins with comment lines:

    // 6.3.6: the sentence, shortened        the section and what it says
    // expect: valid                         or: error "part of the message" at line N (of the file)
    // options: -cl-std=CL2.0                build options
    // without: cl_khr_fp16                  for a device that does not offer this extension
    // size: 4                               work-items, in one work-group; 1 without it
    // in: 1 2 3                             what the next parameter holds; the first one is `out`, local ones get room
    // result: 1 2 3 4                       what `out` begins with afterwards
    // clang: differs because …              where clang's verdict is another, why
    // xfail: …                              what cl2cuda does not do yet

Its only kernel has the file's name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from cl2cuda.translator import Dialect, parse_options

FOLDER = Path(__file__).parents[1] / "cases"
_HEADER = re.compile(r"// (\d[\d.]*|[a-z]+): ?(.*)")
_ERROR = re.compile(r'error "(.*)" at line (\d+)')


@dataclass
class Case:
    path: Path
    source: str
    error: str | None = None
    line: int = 0
    options: str = ""
    without: str = ""
    size: int = 1
    inputs: list[str] = field(default_factory=list)
    result: str | None = None
    clang: str | None = None
    xfail: str | None = None
    sentence: str = ""

    @property
    def id(self) -> str:
        return f"{self.path.parent.name}-{self.path.stem}"

    @property
    def dialect(self) -> Dialect:
        """The language of the options on a device without that extension."""
        dialect = Dialect.of(parse_options(self.options))
        return replace(dialect, extensions=tuple(name for name in dialect.extensions if name != self.without))

    @property
    def runs(self) -> bool:
        return self.result is not None


def read(path: Path) -> Case:
    case = Case(path, path.read_text())
    expects = False
    for line in case.source.splitlines():
        header = _HEADER.fullmatch(line)
        if header is None:
            break
        key, text = header[1], header[2].strip()
        if key[0].isdigit():
            case.sentence = text
        elif key == "expect":
            expects = True
            error = _ERROR.fullmatch(text)
            assert error or text == "valid", f"{path}: expect what?"
            if error:
                case.error, case.line = error[1], int(error[2])
        elif key == "size":
            case.size = int(text)
        elif key == "in":
            case.inputs.append(text)
        else:
            assert key in ("options", "without", "result", "clang", "xfail") and text, f"{path}: unknown header '{key}'"
            setattr(case, key, text)
    assert case.sentence and expects, f"{path} quotes no sentence or expects nothing"
    return case


def load(pattern: str = "language/*/*.cl") -> list[Case]:
    return [read(path) for path in sorted(FOLDER.glob(pattern))]
