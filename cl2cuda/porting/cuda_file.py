"""The CUDA of a program as launchers use it: one file with both variants of the device library before the one text of the kernels.

A launch with an offset, of work-groups that differ in size, or of more than a grid holds needs the general variant, which looks its
ids up in `ocl::launch` (builtins/library/cuda/workitem_general.cuh). Who wants both includes the file twice, the second time with
OCL_GENERAL_LAUNCH defined and `ocl` renamed.
"""

from __future__ import annotations

import re

from ..builtins.prelude import needs_general, prelude
from ..runtime.cuda.options import flags
from ..translator import BuildOptions, Translation
from ..version import VERSION

GENERAL = "OCL_GENERAL_LAUNCH"
# For what the options are by themselves: none of them depends on the version.
_ANY_VERSION = (12, 0)
# What only NVRTC knows, and what only the runtime reads the log for.
_ONLY_HERE = ("--minimal", "-w", "--ptxas-options=-v")


def only_general(translation: Translation) -> bool:
    """The plain variant does not do: it has no `get_work_dim`, and variables that kernels change may not exist twice."""
    return needs_general(translation.used_builtins) or translation.global_size > 0


def compiler_options(translation: Translation, options: BuildOptions) -> list[str]:
    """What nvcc and NVRTC are to be given, so that the arithmetic is what the build options ask for."""
    return [word for word in flags(options, _ANY_VERSION, translation.fp_contract) if word not in _ONLY_HERE]


def library(translation: Translation, *, general: bool) -> str:
    """The device library's used part, for nvcc and NVRTC, as a person reads it."""
    text = prelude("cuda", translation.used_builtins, variant="general" if general else "plain", comments=True)
    # NVRTC knows printf by itself and has no such header.
    return text.replace("#include <cstdio>\n", "#ifndef __CUDACC_RTC__\n#include <cstdio>\n#endif\n")


def cuda_file(translation: Translation, name: str, options: BuildOptions) -> str:
    """The text of NAME.cu, which nvcc and NVRTC compile."""
    used = library(translation, general=True)
    if not only_general(translation) and (plain := library(translation, general=False)) != used:
        used = f"#ifndef {GENERAL}\n\n{plain}\n#else\n\n{used}\n#endif\n"
    macros = dict.fromkeys(re.findall(r"^#define (\w+)", used, re.MULTILINE))
    ended = "".join(f"#undef {macro}\n" for macro in macros)
    words = " ".join(compiler_options(translation, options))
    return (f"// Translated from {name} by cl2cuda {VERSION}: the device library's used part, then the kernels.\n"
            f"// Compile with: nvcc {words}\n\n{used}\nnamespace ocl {{ namespace user {{\n\n{translation.user_source}\n}} }}\n"
            + (f"\n// The file may be included once more.\n{ended}" if ended else ""))
