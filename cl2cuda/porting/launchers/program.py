"""A program for which launchers are written, and what each of its kernels takes, apart from any language."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from ...translator import BuildOptions, FunctionInfo, KernelInfo, Translation, translate_kernels
from ...translator.ir.kernel_info import ArgInfo
from ...translator.ir.types import Type

LOCAL_ALIGN = 128  # of every `local` argument in dynamic shared memory
# What only OpenCL's runtime can make.
_NOT_LAUNCHED = {"pipe": "a pipe is an object of OpenCL's runtime", "queue": "CUDA has no queues on the device"}
_ENQUEUES = "it enqueues kernels, which OpenCL's runtime launches"
_SUPPORT = Path(__file__).parent / "support"


@dataclass(frozen=True)
class Argument:
    """declaration   in C++, of the CUDA kernel's parameter; "" where it has none: the first `local` argument
    name          of that parameter, or the argument's own
    """

    info: ArgInfo
    type: Type
    declaration: str
    name: str


@dataclass(frozen=True)
class LaunchedKernel:
    """A kernel and the arguments that its launcher takes."""

    info: KernelInfo
    arguments: tuple[Argument, ...]

    @property
    def name(self) -> str:
        return self.info.cxx_name

    @cached_property
    def shared(self) -> int:
        """Bytes of dynamic shared memory before the first `local` argument."""
        return self.info.local_size if self.info.local_in_dynamic else 0

    @cached_property
    def locals_in_order(self) -> list[Argument]:
        """The local arguments as they lie in dynamic shared memory: first the one whose place the kernel knows."""
        return sorted((each for each in self.arguments if each.info.kind == "local"), key=lambda each: each.info.parameter)

    @cached_property
    def given(self) -> list[Argument]:
        """Those that are parameters of the CUDA kernel, in order."""
        return [each for each in self.arguments if each.info.parameter]

    def own_name(self, wanted: str) -> str:
        """A name of the launcher's own that no argument has."""
        while any(each.name == wanted for each in self.arguments):
            wanted += "_"
        return wanted


@dataclass(frozen=True)
class Program:
    """stem        what the written files are called, before their endings
    source      the OpenCL C file's name, for people
    left_out    the kernels for which no launcher can be written, with the reason
    """

    stem: str
    source: str
    text: str
    options: BuildOptions
    translation: Translation
    kernels: tuple[LaunchedKernel, ...]
    left_out: tuple[tuple[str, str], ...]

    def without(self, reason: Callable[[LaunchedKernel], str]) -> Program:
        """The program without the kernels that `reason` has something against."""
        reasons = {kernel: reason(kernel) for kernel in self.kernels}
        left_out = tuple((kernel.name, why) for kernel, why in reasons.items() if why)
        return replace(self, kernels=tuple(kernel for kernel, why in reasons.items() if not why), left_out=self.left_out + left_out)

    @property
    def identifier(self) -> str:
        """The stem as a name of C++ and Python."""
        name = re.sub(r"\W", "_", self.stem, flags=re.ASCII)
        return f"_{name}" if name[:1].isdigit() or keyword.iskeyword(name) or not name else name


def program(text: str, options: BuildOptions, stem: str, source: str, path: str) -> Program:
    """Raises what `translate` raises."""
    translation, described = translate_kernels(text, options, filename=path)
    kernels, left_out = [], []
    for info, types in zip((each for each in translation.kernels if each.block < 0), described, strict=True):
        reason = next((_NOT_LAUNCHED[arg.kind] for arg in info.args if arg.kind in _NOT_LAUNCHED), _ENQUEUES * info.enqueues)
        if reason:
            left_out.append((info.name, reason))
        else:
            kernels.append(LaunchedKernel(info, _arguments(info, types)))
    return Program(stem, source, text, options, translation, tuple(kernels), tuple(left_out))


def _arguments(info: KernelInfo, types: FunctionInfo) -> tuple[Argument, ...]:
    declarations = iter(info.declarations)
    found = []
    for number, (arg, (_, type)) in enumerate(zip(info.args, types.parameters, strict=True)):
        declaration = next(declarations).removeprefix("const __grid_constant__ ") if arg.parameter else ""
        name = arg.name or f"argument_{number}"
        if declaration and arg.kind != "local" and arg.name:
            name = _declared_name(declaration)
        found.append(Argument(arg, type, declaration, name))
    return tuple(found)


def _declared_name(declaration: str) -> str:
    """`float (*rows)[4]` declares rows."""
    match = re.search(r"([A-Za-z_]\w*)\)*(\[[^]]*\])*$", declaration)
    assert match, declaration
    return match[1]


def support(name: str) -> str:
    return (_SUPPORT / name).read_text(encoding="utf-8")
