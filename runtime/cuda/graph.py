"""CUDA graphs of recorded commands: captured from a stream, each command behind those that it comes after.

CUDA captures what is issued into a stream; between two commands the capture's dependencies are set to what
the next one comes after. So the commands are the stream's own, and the graph has the edges of the recording
and no others.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence

from ..driver.device import Recorded
from ..driver.interface import Stream
from .api import Cuda, prototype
from .capture import Capture
from .context import CudaContext
from .stream import CudaStream

RELAXED = 2  # CU_STREAM_CAPTURE_MODE_RELAXED: other threads go on allocating
SET = 1  # CU_STREAM_SET_CAPTURE_DEPENDENCIES


class GraphCalls:
    """The driver's calls for graphs, which CuPy lacks."""

    def __init__(self, cuda: Cuda, library: ctypes.CDLL):
        self.cuda = cuda
        pointer, number = ctypes.c_void_p, ctypes.c_int
        self._begin = prototype(library, "cuStreamBeginCapture_v2", pointer, number)
        self._info = prototype(library, "cuStreamGetCaptureInfo_v2", pointer, pointer, pointer, pointer, pointer, pointer)
        self._depend = prototype(library, "cuStreamUpdateCaptureDependencies", pointer, pointer, ctypes.c_size_t, ctypes.c_uint)
        self._end = prototype(library, "cuStreamEndCapture", pointer, pointer)
        self._instantiate = prototype(library, "cuGraphInstantiateWithFlags", pointer, pointer, ctypes.c_ulonglong)
        self._upload = prototype(library, "cuGraphUpload", pointer, pointer)
        self._destroy = prototype(library, "cuGraphDestroy", pointer)
        self._destroy_executable = prototype(library, "cuGraphExecDestroy", pointer)

    def begin(self, stream: int) -> None:
        self._check(self._begin(stream, RELAXED))

    def tail(self, stream: int) -> list[int]:
        """The nodes that the next command would come after."""
        status, serial, graph = ctypes.c_int(), ctypes.c_uint64(), ctypes.c_void_p()
        nodes, count = ctypes.POINTER(ctypes.c_void_p)(), ctypes.c_size_t()
        self._check(self._info(stream, *map(ctypes.byref, (status, serial, graph, nodes, count))))
        return [node for node in nodes[: count.value] if node]

    def come_after(self, stream: int, nodes: Sequence[int]) -> None:
        self._check(self._depend(stream, (ctypes.c_void_p * len(nodes))(*nodes), len(nodes), SET))

    def end(self, stream: int) -> int:
        """The executable graph."""
        graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
        self._check(self._end(stream, ctypes.byref(graph)))
        try:
            self._check(self._instantiate(ctypes.byref(executable), graph, 0))
            self._check(self._upload(executable, stream))
        finally:
            self._check(self._destroy(graph))
        return executable.value or 0

    def drop(self, stream: int) -> None:
        """Ends a capture that failed."""
        graph = ctypes.c_void_p()
        if self._end(stream, ctypes.byref(graph)) == 0 and graph:
            self._destroy(graph)

    def destroy(self, executable: int) -> None:
        self._check(self._destroy_executable(executable))

    def _check(self, status: int) -> None:
        if status:
            self.cuda.call(self.cuda.driver.check_status, status)


class CudaGraph:
    """The commands as one executable graph. A launch of it comes after its last one, in whatever stream that
    was."""

    def __init__(self, context: CudaContext, calls: GraphCalls, capture: Capture, stream: Stream, commands: Sequence[Recorded]):
        assert isinstance(stream, CudaStream)
        self._context = context
        self.cuda = context.cuda
        self._calls = calls
        self._capture = stream.capture = capture
        context.enter()
        calls.begin(stream.handle)
        try:
            self._record(stream, commands)
            self._executable = calls.end(stream.handle)
        except BaseException:
            calls.drop(stream.handle)
            raise
        finally:
            stream.capture = None

    def _record(self, stream: CudaStream, commands: Sequence[Recorded]) -> None:
        tails: list[list[int]] = []
        for run, after in commands:
            self._calls.come_after(stream.handle, _union(tails[place] for place in after))
            run(stream)
            tails.append(self._calls.tail(stream.handle))
        self._calls.come_after(stream.handle, _union(tails))

    def launch(self, stream: Stream) -> None:
        assert isinstance(stream, CudaStream)
        self._context.enter()
        for each in self._capture.serial:
            each.come_after_last_use(stream)
        self.cuda.call(self.cuda.runtime.graphLaunch, self._executable, stream.handle)
        for each in self._capture.serial:
            each.note_use(stream)

    def close(self) -> None:
        executable, self._executable = self._executable, 0
        if executable and not self.cuda.ended:
            with self._context.entered():
                self._calls.destroy(executable)


def _union(groups: Iterable[list[int]]) -> list[int]:
    return list(dict.fromkeys(node for group in groups for node in group))
