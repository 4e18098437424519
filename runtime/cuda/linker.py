"""CUDA's linker, in the driver: pieces of PTX and machine code become one module's code."""

from __future__ import annotations

from collections.abc import Sequence

from .context import CudaContext

# CUjitInputType
CUBIN, PTX, FATBINARY, LIBRARY = 0, 1, 2, 4
# What a piece starts with, but for PTX, which is text. Relocatable objects are ELF files as cubins are.
_KINDS = {b"\x7fELF": CUBIN, b"\x50\xed\x55\xba": FATBINARY, b"!<ar": LIBRARY}


def linked(context: CudaContext, pieces: Sequence[bytes]) -> bytes:
    """A single piece is left as it is: loading it compiles PTX."""
    if len(pieces) == 1:
        return pieces[0]
    context.enter()
    cuda, driver = context.cuda, context.cuda.driver
    state = cuda.call(driver.linkCreate)
    try:
        for number, piece in enumerate(pieces):
            kind = _KINDS.get(piece[:4], PTX)
            data = piece if kind != PTX else piece.rstrip(b"\0") + b"\0"
            cuda.call(driver.linkAddData, state, kind, data, f"piece {number}")
        code: bytes = cuda.call(driver.linkComplete, state)
        return code
    finally:
        driver.linkDestroy(state)
