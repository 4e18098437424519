"""Build options (OpenCL API 5.8.6): the text that clBuildProgram takes, parsed into fields; and what linking makes of them
(5.8.7)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, NamedTuple


class OptionError(Exception):
    """The options string is not valid: CL_INVALID_BUILD_OPTIONS, or CL_INVALID_COMPILER_OPTIONS when compiling."""


@dataclass(frozen=True)
class BuildOptions:
    """What the options ask for. Every field's default is the behaviour without any option."""

    defines: tuple[tuple[str, str], ...] = ()  # (name or name(params), value) in order; "-D X" has the value "1"
    undefines: tuple[str, ...] = ()  # before all defines: of those in the text, -U has taken away its own
    include_dirs: tuple[str, ...] = ()
    cl_std: str = "CL1.2"
    single_precision_constant: bool = False
    denorms_are_zero: bool = False
    correctly_rounded_divide_sqrt: bool = False
    opt_disable: bool = False
    mad_enable: bool = False
    no_signed_zeros: bool = False
    unsafe_math: bool = False
    finite_math_only: bool = False
    fast_relaxed_math: bool = False
    uniform_work_group_size: bool = False
    no_subgroup_ifp: bool = False
    no_warnings: bool = False
    warnings_as_errors: bool = False
    kernel_arg_info: bool = False
    debug: bool = False
    nv_verbose: bool = False
    nv_max_registers: int | None = None
    nv_opt_level: int | None = None
    # Memory that starts as zeros (cl_khr_initialize_memory): the context says so, not the text.
    zero_local: bool = False
    zero_private: bool = False
    # CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, by which extensions have their macros: the device says so.
    independent_sub_groups: bool = True

    @property
    def version(self) -> int:
        """The OpenCL C version as __OPENCL_C_VERSION__ counts it: 120 for CL1.2."""
        return int(self.cl_std[2:].replace(".", "")) * 10

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> BuildOptions:
        """Raises KeyError, TypeError or ValueError for what `to_json` did not give."""
        if data.keys() != {field.name for field in fields(cls)}:
            raise KeyError("options")
        defines = tuple((name, value) for name, value in data["defines"])
        return cls(**{**data, "defines": defines, "undefines": tuple(data["undefines"]), "include_dirs": tuple(data["include_dirs"])})


# An option that stands alone, and the fields it sets: those it implies too, so that nobody else needs to know.
_FLAGS: dict[str, tuple[str, ...]] = {
    "-cl-single-precision-constant": ("single_precision_constant",),
    "-cl-denorms-are-zero": ("denorms_are_zero",),
    "-cl-fp32-correctly-rounded-divide-sqrt": ("correctly_rounded_divide_sqrt",),
    "-cl-opt-disable": ("opt_disable",),
    "-cl-strict-aliasing": (),  # deprecated by version 1.1, and only a permission
    "-cl-uniform-work-group-size": ("uniform_work_group_size",),
    "-cl-no-subgroup-ifp": ("no_subgroup_ifp",),
    "-cl-mad-enable": ("mad_enable",),
    "-cl-no-signed-zeros": ("no_signed_zeros",),
    "-cl-unsafe-math-optimizations": ("unsafe_math", "no_signed_zeros", "mad_enable", "denorms_are_zero"),
    "-cl-finite-math-only": ("finite_math_only",),
    "-cl-fast-relaxed-math": (
        "fast_relaxed_math", "finite_math_only", "unsafe_math", "no_signed_zeros", "mad_enable", "denorms_are_zero",
    ),
    "-w": ("no_warnings",),
    "-Werror": ("warnings_as_errors",),
    "-cl-kernel-arg-info": ("kernel_arg_info",),
    "-g": ("debug",),
    "-cl-nv-verbose": ("nv_verbose",),
    # AMD's and PoCL's levels of optimization. Programs give them to every driver that is not NVIDIA's, by its name.
    "-O0": ("opt_disable",), **{f"-O{level}": () for level in range(1, 6)},
}  # fmt: skip
_STANDARDS = ("CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0")


def parse_options(text: str | Sequence[str]) -> BuildOptions:
    """Options as clBuildProgram takes them, or as words that are split and unquoted already."""
    words = split_options(text) if isinstance(text, str) else list(text)
    fields: dict[str, Any] = {"defines": (), "undefines": (), "include_dirs": ()}
    i = 0
    while i < len(words):
        word = words[i]
        i += 1
        if word in _FLAGS:
            fields.update(dict.fromkeys(_FLAGS[word], True))
            continue
        name, take, value = _valued(word)
        if value is None:
            if i == len(words):
                raise OptionError(f"option '{name}' needs a value")
            value = words[i]
            i += 1
        take(fields, value)
    return BuildOptions(**fields)


def split_options(text: str) -> list[str]:
    """Split at white space outside of quotes. Quotes go, but for those that a backslash protects."""
    words = []
    for match in _WORD.finditer(text):
        if match["open"]:
            raise OptionError(f"missing closing quote in build options: {match['open']}")
        words.append(_PIECE.sub(_unquote, match[0]))
    return words


_WORD = re.compile(r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'])+|(?P<open>["'].*)""", re.DOTALL)
_PIECE = re.compile(r""""((?:[^"\\]|\\.)*)"|'([^']*)'|\\(["'\\ ])""", re.DOTALL)


def _unquote(match: re.Match[str]) -> str:
    double, single, escaped = match.groups()
    if double is not None:
        return re.sub(r'\\(["\\])', r"\1", double)
    return single if single is not None else escaped


_Take = Callable[[dict[str, Any], str], None]


def _valued(word: str) -> tuple[str, _Take, str | None]:
    """The option in a word that begins with it, what takes its value, and the value if the word holds that too."""
    for name, take in _VALUED.items():
        if word == name:
            return name, take, None
        if name.startswith("-cl-"):
            if word.startswith(name + "="):
                return name, take, word[len(name) + 1 :]
        elif word.startswith(name) and name != "-x":
            return name, take, word[len(name) :].lstrip()
    from difflib import get_close_matches  # only here: it takes longer to import than the rest of this file

    near = get_close_matches(word.partition("=")[0], [*_FLAGS, *_VALUED], n=1, cutoff=0.5)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    raise OptionError(f"unknown build option '{word}'{hint}")


def _define(fields: dict[str, Any], value: str) -> None:
    match = _DEFINITION.match(value)
    if match is None:
        raise OptionError(f"option '-D' needs a macro name, not '{value}'")
    name, definition = match.groups()
    fields["defines"] += ((name, "1" if definition is None else definition.partition("\n")[0]),)


_DEFINITION = re.compile(r"((?:[^\W\d]|\$)[\w$]*(?:\([^)]*\))?)(?:=(.*))?$", re.DOTALL)


def _undefine(fields: dict[str, Any], value: str) -> None:
    """What -D has defined before is gone, and what is predefined; a later -D counts."""
    fields["defines"] = tuple(each for each in fields["defines"] if each[0].partition("(")[0] != value)
    fields["undefines"] += (value,)


def _include(fields: dict[str, Any], value: str) -> None:
    fields["include_dirs"] += (value,)


def _standard(fields: dict[str, Any], value: str) -> None:
    if value.upper() not in _STANDARDS:
        raise OptionError(f"'-cl-std={value}' is not supported: use one of {', '.join(_STANDARDS)}")
    fields["cl_std"] = value.upper()


def _language(fields: dict[str, Any], value: str) -> None:
    if value not in ("cl", "clc"):
        raise OptionError(f"'-x {value}' is not supported: only OpenCL C ('-x clc') is")


def _number(field: str, option: str) -> _Take:
    def take(fields: dict[str, Any], value: str) -> None:
        if not value.isdecimal():
            raise OptionError(f"option '{option}' needs a number, not '{value}'")
        fields[field] = int(value)

    return take


_VALUED: dict[str, _Take] = {
    "-D": _define,
    "-U": _undefine,
    "-I": _include,
    "-x": _language,
    "-cl-std": _standard,
    "-cl-nv-maxrregcount": _number("nv_max_registers", "-cl-nv-maxrregcount"),
    "-cl-nv-opt-level": _number("nv_opt_level", "-cl-nv-opt-level"),
}


# -- linking (5.8.7) -------------------------------------------------------------------------------------------------


class LinkOptions(NamedTuple):
    """`allowed` are the fields of BuildOptions that the options switch on."""

    create_library: bool = False
    enable_link_options: bool = False
    allowed: tuple[str, ...] = ()


# 5.8.7.2: the options "that can be specified when linking a program executable".
_LINK_FLAGS = ("-cl-denorms-are-zero", "-cl-no-signed-zeros", "-cl-unsafe-math-optimizations", "-cl-finite-math-only",
               "-cl-fast-relaxed-math", "-cl-no-subgroup-ifp")

# Where objects were compiled with different options, one compiler's run serves them all: what only some of them allow nobody
# gets, and what one of them asks for all get.
_PERMISSIONS = ("single_precision_constant", "denorms_are_zero", "mad_enable", "no_signed_zeros", "unsafe_math", "finite_math_only",
                "fast_relaxed_math", "no_subgroup_ifp")
_DEMANDS = ("correctly_rounded_divide_sqrt", "opt_disable", "uniform_work_group_size", "kernel_arg_info", "debug", "nv_verbose")


def parse_link_options(text: str) -> LinkOptions:
    words = split_options(text)
    for word in words:
        if word not in (*_LINK_FLAGS, "-create-library", "-enable-link-options"):
            raise OptionError(f"unknown link option '{word}'; there are -create-library, -enable-link-options, {', '.join(_LINK_FLAGS)}")
    # "This option must be specified with the create-library option."
    if "-enable-link-options" in words and "-create-library" not in words:
        raise OptionError("'-enable-link-options' must be specified with '-create-library'")
    # 5.8.7.2: the others "can be specified when linking a program executable".
    if "-create-library" in words and any(word in _LINK_FLAGS for word in words):
        raise OptionError("a library takes no options that change programs: give them where the library is linked")
    allowed = dict.fromkeys(field for word in words if word in _LINK_FLAGS for field in _FLAGS[word])
    return LinkOptions("-create-library" in words, "-enable-link-options" in words, tuple(allowed))


def linked_options(objects: Sequence[tuple[BuildOptions, bool]], link: LinkOptions) -> BuildOptions:
    """The options for a program of objects, each given by its own options and whether link options may change it."""
    allowed: dict[str, Any] = dict.fromkeys(link.allowed, True)
    each = [replace(options, **allowed) if takes else options for options, takes in objects]
    registers = [options.nv_max_registers for options in each if options.nv_max_registers is not None]
    levels = [options.nv_opt_level for options in each if options.nv_opt_level is not None]
    merged: dict[str, Any] = {field: all(getattr(options, field) for options in each) for field in _PERMISSIONS}
    merged |= {field: any(getattr(options, field) for options in each) for field in _DEMANDS}
    merged |= {"nv_max_registers": min(registers, default=None), "nv_opt_level": min(levels, default=None)}
    return BuildOptions(cl_std=min(each, key=lambda options: options.version).cl_std, **merged)
