"""Facts about kernels (KernelInfo), made as a translation would make them."""

from __future__ import annotations

from typing import Any

from cl2cuda.translator.ir.kernel_info import ArgInfo, KernelInfo


def arg(name: str, kind: str, size: int = 8, align: int | None = None, **more: Any) -> ArgInfo:
    return ArgInfo(name, more.pop("type_name", "type"), kind, size, align or size, **more)  # type: ignore[arg-type]


def kernel_info(name: str, *args: ArgInfo, **more: Any) -> KernelInfo:
    return KernelInfo(name, args, **more)
