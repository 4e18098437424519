"""What `--launchers numba` wrote, compiled and linked to machine code by Numba. It needs no GPU."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from typing import Any

from support import numbas_numpy  # noqa: F401

_PROBE = "from numba import cuda; cuda.compile_ptx(lambda: None, (), cc=(9, 0))"


def missing() -> str:
    """Why that cannot be done here, or ""."""
    try:
        names: dict[str, Any] = {}
        exec(_PROBE, names)
        import cffi  # noqa: F401
        from cuda import core
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
    if not hasattr(names["cuda"], "compile_all") or not hasattr(core, "Linker"):
        return "this Numba tells nothing of what it links, or links by other means"
    return ""


def machine_code(file: Path, kernel: str, arch: str) -> int:
    """The bytes of the machine code for the kernel `KERNEL_kernel` of a module that cl2cuda wrote. `arch` is such as sm_90."""
    from cuda import core
    from numba import cuda, types

    sys.path.insert(0, str(file.parent))
    try:
        module = importlib.import_module(file.stem)
    finally:
        sys.path.remove(str(file.parent))
    declared = re.search(rf'declare_device\("\w+_{kernel}", types\.void\((.*?)\), link', file.read_text())
    assert declared, kernel
    given = [types.Array(getattr(types, pointee), 1, "C") if pointee else getattr(types, value)
             for pointee, value in re.findall(r"types\.CPointer\(types\.(\w+)\)|types\.(\w+)", declared[1])]
    function = getattr(module, f"{kernel}_kernel").py_func
    capability = int(arch.removeprefix("sm_")[:-1]), int(arch[-1])
    code, _ = cuda.compile_all(function, types.void(*given), cc=capability, device=False, abi="numba", output="ltoir")
    objects = [core.ObjectCode.from_ltoir(each) if isinstance(each, bytes) else each for each in code]
    linked = core.Linker(*objects, options=core.LinkerOptions(arch=arch, link_time_optimization=True)).link("cubin")
    text = bytes(linked.code)
    assert text.startswith(b"\x7fELF"), text[:16]
    return len(text)
