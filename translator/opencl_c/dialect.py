"""The language that a device and -cl-std make: versions, extensions, features, predefined macros and type names.

Owns facts only; what follows from them is each stage's business.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

from ...builtins.extensions import EXTENSIONS, FEATURES, OFFERED_EXTENSIONS, OFFERED_FEATURES
from ...builtins.opaque import ENUMERATIONS, ENUMERATIONS_20, OPAQUE
from ..options import BuildOptions
from .attribute_names import KNOWN, plain
from .gnu_builtin_names import is_known
from .gnu_macros import gnu_macros


@dataclass(frozen=True)
class Dialect:
    """`version` is OpenCL C's as __OPENCL_C_VERSION__ counts it, `device_version` OpenCL's as __OPENCL_VERSION__ does.

    `features` are the names of OpenCL C 3.0's optional features ("__opencl_c_int64"), whose macros are defined from version 300
    on; OpenCL C 2.0 has them all but for those that are an extension's, and 1.x none but what its extensions give.
    """

    version: int = 120
    device_version: int = 300
    extensions: tuple[str, ...] = tuple(each.name for each in OFFERED_EXTENSIONS)
    features: tuple[str, ...] = tuple(each.name for each in OFFERED_FEATURES)
    fast_relaxed_math: bool = False
    forward_progress: bool = True
    finite_math_only: bool = False
    optimized: bool = True

    @classmethod
    def of(cls, options: BuildOptions) -> Dialect:
        """The dialect that build options ask for on a device with the default extensions and features."""
        return _offered(options.version, options.fast_relaxed_math, options.independent_sub_groups, options.finite_math_only,
                        not options.opt_disable)

    def __hash__(self) -> int:
        """Without the long tuples: tables are kept by dialect, and few differ in nothing else."""
        return hash((self.version, self.device_version, self.fast_relaxed_math, self.forward_progress, self.finite_math_only,
                     self.optimized))

    def has(self, name: str) -> bool:
        """Whether a program may use what requires this extension or feature, or one of several: "one or other"; "" is required by
        what everybody may use."""
        if " or " in name:
            return any(map(self.has, name.split(" or ")))
        if name in FEATURES:
            if FEATURES[name].extension:
                return name in self.features
            return 200 <= self.version < 300 or (self.version >= 300 and name in self.features)
        return not name or name in self.extensions

    @property
    def generic(self) -> bool:
        """Whether there is a generic address space (6.7.5), where pointers without a named one point to."""
        return self.has("__opencl_c_generic_address_space")

    @property
    def program_scope_globals(self) -> bool:
        """Whether variables of program scope, and static ones, may be in the global address space (6.7.6)."""
        return self.has("__opencl_c_program_scope_global_variables")

    def predefined_macros(self) -> dict[str, str]:
        """Name, or name(parameters), and replacement of every macro that OpenCL C 6.12 predefines, and of GNU C's."""
        return dict(_predefined_macros(self))

    def questions(self) -> dict[str, Callable[[str], bool]]:
        """What clang's macros ask of the compiler (`#if __has_attribute(overloadable)`), and its answer to each name."""
        questions: dict[str, Callable[[str], bool]] = dict.fromkeys(_ANSWERED_WITH_NO, lambda name: False)
        questions["__has_attribute"] = lambda name: plain(name) in KNOWN
        questions["__has_builtin"] = is_known
        return questions

    def type_names(self) -> dict[str, bool]:
        """Every type name that is no keyword, and whether it names a vector."""
        return dict(_type_names(self.version))


@lru_cache(maxsize=64)  # equal ones are the same, and need not be compared
def _offered(version: int, fast_relaxed_math: bool, forward_progress: bool, finite_math_only: bool, optimized: bool) -> Dialect:
    return Dialect(version=version, fast_relaxed_math=fast_relaxed_math, forward_progress=forward_progress,
                   finite_math_only=finite_math_only, optimized=optimized)


@cache
def _predefined_macros(dialect: Dialect) -> dict[str, str]:
    hints = "__kernel __attribute__((work_group_size_hint(X, 1, 1))) __attribute__((vec_type_hint(typen)))"
    macros = gnu_macros() | {
        "__OPENCL_VERSION__": str(dialect.device_version),
        "__OPENCL_C_VERSION__": str(dialect.version),
        # All of them whatever the version is, as in clang: they are values to compare with.
        **{f"CL_VERSION_{v[0]}_{v[1]}": f"{v}0" for v in ("10", "11", "12", "20", "30")},
        "__ENDIAN_LITTLE__": "1",
        "__ROUNDING_MODE__": "rte",
        "__kernel_exec(X, typen)": hints,
        "kernel_exec(X, typen)": hints,
        "NULL": "((void*)0)",
    }
    if dialect.version >= 200:
        macros |= {"ATOMIC_VAR_INIT(value)": "(value)", "ATOMIC_FLAG_INIT": "0"}  # 6.15.12.1, 6.15.12.7.6
    if "__opencl_c_images" in dialect.features:
        macros["__IMAGE_SUPPORT__"] = "1"
    if dialect.fast_relaxed_math:
        macros |= {"__FAST_RELAXED_MATH__": "1", "__FAST_MATH__": "1"}
    # clang's, by which programs see build options.
    macros["__FINITE_MATH_ONLY__"] = str(int(dialect.finite_math_only))
    macros["__OPTIMIZE__" if dialect.optimized else "__NO_INLINE__"] = "1"
    named = {name for name in dialect.extensions if dialect.version >= EXTENSIONS[name].since
             and (dialect.forward_progress or not EXTENSIONS[name].only_on_gpus)}
    macros |= dict.fromkeys(sorted(named), "1")
    # 6.2.1: "implementations for earlier OpenCL C versions are allowed to define feature test macros". Those of an extension say what
    # it offers, in whatever version.
    macros |= {name: "1" for name in dialect.features if dialect.version >= 300 or FEATURES[name].extension in named}
    return macros


_ANSWERED_WITH_NO = ("__has_feature", "__has_extension", "__has_warning", "__has_declspec_attribute")

_SCALARS = "char uchar short ushort int uint long ulong float double half"
_OTHERS = "uchar ushort uint ulong size_t ptrdiff_t intptr_t uintptr_t __auto_type"


@cache
def _type_names(version: int) -> dict[str, bool]:
    names = dict.fromkeys(_OTHERS.split(), False)
    names |= {each.name: False for each in OPAQUE.values() if each.since <= version}
    names |= {name: False for name in ENUMERATIONS if version >= 200 or name not in ENUMERATIONS_20}
    return names | {f"{scalar}{n}": True for scalar in _SCALARS.split() for n in (2, 3, 4, 8, 16)}
