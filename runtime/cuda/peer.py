"""Copies between CUDA devices, by CUDA's peer copies: over NVLink or the bus where the machine has peer access,
else CUDA itself takes them through page-locked memory, in pieces that overlap.
"""

from __future__ import annotations

import ctypes
import threading

from ..driver.device import DriverDevice
from ..driver.interface import ImagePart, Linear, Stream, Triple
from .arrays import Copy
from .context import CudaContext, PeerEnd
from .regions import copy_end, whole_rows
from .stream import CudaStream

# cudaErrorPeerAccessAlreadyEnabled, by another library; cudaErrorTooManyPeers: CUDA takes these copies through the host.
NO_MATTER = (704, 711)

_enabling = threading.Lock()


def _context(device: DriverDevice) -> CudaContext:
    assert isinstance(device, PeerEnd)
    return device.context


class CudaPeerCopies:
    """The copies of one device. Peer access to another is enabled when the two are first used together, since all memory of
    the one is then mapped on the other."""

    def __init__(self, context: CudaContext):
        self._context = context
        self.cuda = context.cuda
        self._asked: set[int] = set()

    def reaches(self, other: DriverDevice) -> bool:
        peer = _context(other)
        if peer.ordinal not in self._asked and peer.ordinal != self._context.ordinal:
            with _enabling:
                self._enable(self._context, peer)
                self._enable(peer, self._context)
                self._asked.add(peer.ordinal)
        return True

    def _enable(self, here: CudaContext, there: CudaContext) -> None:
        """What runs on the first device reaches the second's memory, where the machine can."""
        runtime = self.cuda.runtime
        if not self.cuda.call(runtime.deviceCanAccessPeer, here.ordinal, there.ordinal):
            return
        there.enter()  # which makes its context
        here.enter()
        try:
            runtime.deviceEnablePeerAccess(there.ordinal)
        except self.cuda.Error as error:
            if error.status not in NO_MATTER:
                self.cuda.call(runtime.check_status, error.status)

    def copy(self, stream: Stream, to: DriverDevice, destination: int, of: DriverDevice, source: int, size: int) -> None:
        assert isinstance(stream, CudaStream)
        stream.context.enter()
        self.cuda.call(self.cuda.runtime.memcpyPeerAsync, destination, _context(to).ordinal, source, _context(of).ordinal, size,
                       stream.handle)

    def copy_rect(self, stream: Stream, to: DriverDevice, destination: int, destination_pitches: tuple[int, int],
                  of: DriverDevice, source: int, source_pitches: tuple[int, int], region: Triple) -> None:
        self.copy_image(stream, to, Linear(destination, *destination_pitches), of, Linear(source, *source_pitches), region)

    def copy_image(self, stream: Stream, to: DriverDevice, destination: Linear | ImagePart, of: DriverDevice,
                   source: Linear | ImagePart, region: Triple) -> None:
        assert isinstance(stream, CudaStream)
        # CUDA_MEMCPY3D_PEER is CUDA_MEMCPY3D with the ends' contexts in the words that are reserved there. The contexts exist
        # since memory of both devices was allocated.
        ends = {"source_reserved": _context(of).handle, "target_reserved": _context(to).handle}
        stream.context.enter()
        for target, origin, part in whole_rows(destination, source, region):
            copy = Copy(**copy_end("source", origin, False), **copy_end("target", target, False), **ends,
                        width=part[0], height=part[1], depth=part[2])
            self.cuda.driver_call("cuMemcpy3DPeerAsync", ctypes.byref(copy), ctypes.c_void_p(stream.handle))
