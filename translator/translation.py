"""What the translator gives: a translated program, or one that is to be linked with others. Data, which binaries hold."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from .diagnostics import Diagnostic
from .ir.kernel_info import KernelInfo, VariableInfo
from .ir.source_map import SourceMap
from .options import BuildOptions

if TYPE_CHECKING:
    from ..builtins.prelude import Use, Variant

OPENING = "namespace ocl { namespace user {\n"  # stands between the device library and the user's part
CLOSE = "} }\n"


@dataclass(frozen=True)
class Translation:
    """A translated program.

    user_source     the user's part as CUDA C++, as a person reads it
    line_map        for each of its lines the (file, line) it came from, or None
    used_builtins   what it needs of the device library
    diagnostics     warnings
    global_size     bytes of its variables in the global address space, which outlive a kernel: there must be one of each
    variables       those of them that the host may know
    recursive       whether any of its functions calls itself, if only by way of others
    fp_contract     False where the program says FP_CONTRACT OFF: the compiler must round every product
    """

    user_source: str
    line_map: tuple[tuple[str, int] | None, ...]
    kernels: tuple[KernelInfo, ...]
    used_builtins: tuple[Use, ...]
    diagnostics: tuple[Diagnostic, ...] = ()
    fp_contract: bool = True
    global_size: int = 0
    variables: tuple[VariableInfo, ...] = ()
    recursive: bool = False

    def source(self, port: Literal["cuda", "host"], *, variant: Variant = "plain", comments: bool = False) -> str:
        """A whole program for one compiler: the device library's used part, of a variant (`builtins.prelude`), then the user's. With
        `comments` it is made to be read (and compiled by nvcc alone), else it carries #line for the compiler's messages."""
        # Here, since a program that is found in the cache is not composed, and its process would wait for the library's tables.
        from ..builtins.prelude import prelude
        from .emit.lines import with_line_directives

        library = prelude(port, self.used_builtins, variant=variant, comments=comments)
        if comments:
            return f"{library}\n{OPENING}\n{self.user_source}\n{CLOSE}"
        return library + "\n" + OPENING + with_line_directives(self.user_source, self.line_map) + CLOSE

    def to_json(self) -> dict[str, Any]:
        return {
            "user_source": self.user_source,
            "line_map": [list(place) if place else None for place in self.line_map],
            "kernels": [kernel.to_json() for kernel in self.kernels],
            "used_builtins": [list(use) for use in self.used_builtins],
            "warnings": [str(each) for each in self.diagnostics],
            "fp_contract": self.fp_contract,
            "global_size": self.global_size,
            "variables": [variable.to_json() for variable in self.variables],
            "recursive": self.recursive,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Translation:
        return cls(
            data["user_source"],
            tuple((place[0], place[1]) if place else None for place in data["line_map"]),
            tuple(KernelInfo.from_json(kernel) for kernel in data["kernels"]),
            tuple(tuple(use) for use in data["used_builtins"]),
            tuple(Diagnostic("warning", text) for text in data["warnings"]),
            data["fp_contract"],
            data["global_size"],
            tuple(VariableInfo(**variable) for variable in data["variables"]),
            data.get("recursive", False),
        )


@dataclass(frozen=True)
class CompiledObject:
    """A program that has been checked and may name what other objects define (clCompileProgram): preprocessed text, with all that
    it includes, or a module of SPIR-V, and its options. It holds data only, and so goes into binaries.

    preprocessed            of OpenCL C (`SourceMap.to_json`); of SPIR-V {"il": in Base64, "constants": {SpecId: hexadecimal}}
    takes_link_options      False in a library made without -enable-link-options (5.8.7.1)
    """

    preprocessed: dict[str, Any]
    options: BuildOptions
    diagnostics: tuple[Diagnostic, ...] = ()
    takes_link_options: bool = True

    def to_json(self) -> dict[str, Any]:
        return {"preprocessed": self.preprocessed, "options": self.options.to_json(), "takes_link_options": self.takes_link_options}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> CompiledObject:
        """Raises KeyError, TypeError or ValueError for what `to_json` did not give."""
        if "il" in data["preprocessed"]:
            module_of(data["preprocessed"])
        else:
            SourceMap.from_json(data["preprocessed"])
        return cls(data["preprocessed"], BuildOptions.from_json(data["options"]), (), bool(data["takes_link_options"]))


def module_of(data: dict[str, Any]) -> tuple[bytes, dict[int, bytes]]:
    """The bytes of a compiled object's module, and its specialization constants."""
    try:
        il = base64.b64decode(data["il"], validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from error
    return il, {int(id): bytes.fromhex(value) for id, value in data["constants"].items()}
