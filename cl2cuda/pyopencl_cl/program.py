"""The program class: PyOpenCL's `_Program`, which its own `Program` wraps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..runtime.spec import codes
from ..runtime.spec.errors import CLError
from .constants import program_kind
from .context import Context
from .errors import guarded, make_error
from .handles import Answering, core_of, stands_for, to_python
from .integers import cl_uint
from .later import kernels, link, programs
from .platform import Device


@stands_for("program.program.Program")
class _Program(Answering):
    _invalid = "INVALID_PROGRAM"
    _changing = frozenset({codes.PROGRAM_BINARIES})  # which are large, and made for each who asks
    _kind = program_kind.UNKNOWN

    @guarded
    def __init__(self, context: Context, src: Any = None, binaries: Sequence[bytes] | None = None, *,
                 devices: Sequence[Device] | None = None) -> None:
        """`_Program(context, src)` or `_Program(context, devices, binaries)`."""
        core = core_of(context, Context, "context")
        source: Any = devices if src is None else src
        if source is None:
            raise TypeError("a program needs its source, or devices and binaries")
        if binaries is None:
            self._core = programs.Program(core, source if isinstance(source, str) else bytes(source).decode())
            self._kind = program_kind.SOURCE
            return
        chosen = [core_of(device, Device, "every element of 'devices'") for device in source]
        if len(chosen) != len(binaries):
            raise make_error("create_program_with_binary", "INVALID_VALUE", "device and binary counts don't match")
        self._core = programs.Program.from_binaries(core, chosen, [bytes(binary) for binary in binaries])
        self._kind = program_kind.BINARY

    def kind(self) -> program_kind:
        """Source, binary or intermediate language; unknown for a program that did not come from a constructor."""
        return self._kind

    @guarded
    def get_build_info(self, device: Device, arg: int) -> Any:
        return to_python(self._core.get_build_info(core_of(device, Device, "device"), cl_uint(arg, "arg")))

    @guarded
    def _build(self, options: bytes = b"", devices: Iterable[Device] | None = None) -> None:
        """PyOpenCL's `build` calls this and makes its messages from the build logs, so ours needs not repeat them."""
        try:
            self._core.build(_text(options), _devices(devices))
        except CLError as failure:
            if failure.status == "BUILD_PROGRAM_FAILURE":
                raise make_error(failure.routine, failure.status) from None
            raise

    @guarded
    def compile(self, options: bytes = b"", devices: Iterable[Device] | None = None,
                headers: Iterable[tuple[str, _Program]] = ()) -> None:
        """`headers` are pairs of the name that #include uses and the program whose source it is."""
        embedded = [(name, core_of(header, _Program, "every header")) for name, header in headers]
        self._core.compile(_text(options), _devices(devices), embedded)

    @staticmethod
    @guarded
    def link(context: Context, programs: Iterable[_Program], options: bytes = b"", devices: Iterable[Device] | None = None) -> _Program:
        compiled = [core_of(program, _Program, "every element of 'programs'") for program in programs]
        linked = link.link_program(core_of(context, Context, "context"), _devices(devices), _text(options), compiled)
        return _Program._of(linked)

    @staticmethod
    @guarded
    def create_with_built_in_kernels(context: Context, devices: Iterable[Device], kernel_names: str) -> _Program:
        # PyOpenCL joins a list of names with colons, where the specification has semicolons; no name holds either.
        names = kernel_names.replace(":", ";")
        core = core_of(context, Context, "context")
        return _Program._of(link.program_with_built_in_kernels(core, _devices(devices) or [], names))

    @guarded
    def set_specialization_constant(self, spec_id: int, buffer: Any) -> None:
        # bytes() of one of NumPy's numbers would be so many zeros.
        self._core.set_specialization_constant(cl_uint(spec_id, "spec_id"), memoryview(buffer).tobytes())

    @guarded
    def all_kernels(self) -> list[Any]:
        return to_python(kernels.create_kernels_in_program(self._core))


def _devices(devices: Iterable[Device] | None) -> list[Any] | None:
    """None for no devices, which is how PyOpenCL hands an empty list on, too: a program is built for all of its context then."""
    return [core_of(device, Device, "every element of 'devices'") for device in devices or ()] or None


def _text(options: str | bytes) -> str:
    return options.decode() if isinstance(options, bytes) else options


@guarded
def _create_program_with_il(context: Context, source: bytes) -> _Program:
    program = _Program._of(programs.Program.from_il(core_of(context, Context, "context"), bytes(source)))
    program._kind = program_kind.IL
    return program
