"""CUDA graphs of recorded commands: captured from a stream, each command behind those that it comes after.

CUDA captures what is issued into a stream; between two commands the capture's dependencies are set to what
the next one comes after. So the commands are the stream's own, and the graph has the edges of the recording
and no others. A command that is one kernel there can be another one later, of which a graph of its own is captured.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Sequence

from ..driver.device import Recorded
from ..driver.interface import Stream
from .api import Cuda, prototype
from .capture import Capture
from .context import CudaContext
from .stream import CudaStream

RELAXED = 2  # CU_STREAM_CAPTURE_MODE_RELAXED: other threads go on allocating
SET = 1  # CU_STREAM_SET_CAPTURE_DEPENDENCIES
KERNEL = 0  # CU_GRAPH_NODE_TYPE_KERNEL
PARAMETERS_SIZE = 128  # CUDA_KERNEL_NODE_PARAMS has 72 bytes


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
        self._nodes = prototype(library, "cuGraphGetNodes", pointer, pointer, pointer)
        self._type = prototype(library, "cuGraphNodeGetType", pointer, pointer)
        self._kernel = prototype(library, "cuGraphKernelNodeGetParams_v2", pointer, pointer)
        self._set_kernel = prototype(library, "cuGraphExecKernelNodeSetParams_v2", pointer, pointer, pointer)
        self._destroy = prototype(library, "cuGraphDestroy", pointer)
        self._destroy_executable = prototype(library, "cuGraphExecDestroy", pointer)

    def begin(self, stream: int) -> None:
        self._check(self._begin(stream, RELAXED))

    def tail(self, stream: int) -> tuple[list[int], int]:
        """The nodes that the next command would come after, and how many there are in all."""
        status, serial, graph = ctypes.c_int(), ctypes.c_uint64(), ctypes.c_void_p()
        nodes, count, all_nodes = ctypes.POINTER(ctypes.c_void_p)(), ctypes.c_size_t(), ctypes.c_size_t()
        self._check(self._info(stream, *map(ctypes.byref, (status, serial, graph, nodes, count))))
        self._check(self._nodes(graph, None, ctypes.byref(all_nodes)))
        return [node for node in nodes[: count.value] if node], all_nodes.value

    def come_after(self, stream: int, nodes: Sequence[int]) -> None:
        self._check(self._depend(stream, (ctypes.c_void_p * len(nodes))(*nodes), len(nodes), SET))

    def end(self, stream: int) -> int:
        """The graph."""
        graph = ctypes.c_void_p()
        self._check(self._end(stream, ctypes.byref(graph)))
        return graph.value or 0

    def executable(self, graph: int, stream: int) -> int:
        executable = ctypes.c_void_p()
        self._check(self._instantiate(ctypes.byref(executable), graph, 0))
        self._check(self._upload(executable, stream))
        return executable.value or 0

    def kernel(self, node: int) -> object | None:
        """What a node launches, for as long as its graph is there; None of one that is no kernel."""
        kind, parameters = ctypes.c_int(), ctypes.create_string_buffer(PARAMETERS_SIZE)
        self._check(self._type(node, ctypes.byref(kind)))
        if kind.value != KERNEL:
            return None
        self._check(self._kernel(node, parameters))
        return parameters

    def set_kernel(self, executable: int, node: int, parameters: object) -> None:
        """Of launches from now on. The node is that of the graph which the executable one was made of."""
        self._check(self._set_kernel(executable, node, parameters))

    def destroy_graph(self, graph: int) -> None:
        self._check(self._destroy(graph))

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
        self._capture = capture
        self._single: dict[int, int] = {}  # the node of each command that is one
        context.enter()
        self._graph = self._captured(stream, capture, lambda: self._record(stream, commands))
        try:
            self._executable = calls.executable(self._graph, stream.handle)
        except BaseException:
            calls.destroy_graph(self._graph)
            raise

    def _captured(self, stream: CudaStream, capture: Capture, record: Callable[[], object]) -> int:
        """The graph of what is issued meanwhile."""
        stream.capture = capture
        self._calls.begin(stream.handle)
        try:
            record()
            return self._calls.end(stream.handle)
        except BaseException:
            self._calls.drop(stream.handle)
            raise
        finally:
            stream.capture = None

    def _record(self, stream: CudaStream, commands: Sequence[Recorded]) -> None:
        tails: list[list[int]] = []
        before = 0
        for place, (run, after) in enumerate(commands):
            self._calls.come_after(stream.handle, _union(tails[place] for place in after))
            run(stream)
            tail, count = self._calls.tail(stream.handle)
            if count == before + 1:
                (self._single[place],) = tail
            tails.append(tail)
            before = count
        self._calls.come_after(stream.handle, _union(tails))

    def change(self, stream: Stream, changes: Sequence[tuple[int, Callable[[Stream], object]]]) -> bool:
        """Of commands that are one kernel and stay that, and use nothing that belongs to a graph."""
        assert isinstance(stream, CudaStream)
        self._context.enter()
        graphs: list[int] = []
        try:
            kernels = [self._kernel(stream, place, run, graphs) for place, run in changes]
            if None in kernels:
                return False
            for (place, _), kernel in zip(changes, kernels, strict=True):
                self._calls.set_kernel(self._executable, self._single[place], kernel)
        finally:
            for graph in graphs:
                self._calls.destroy_graph(graph)
        return True

    def _kernel(self, stream: CudaStream, place: int, run: Callable[[Stream], object], graphs: list[int]) -> object | None:
        """What the command at that place is to launch, for as long as its graph is there."""
        if place not in self._single or self._calls.kernel(self._single[place]) is None:
            return None
        capture = self._capture.another()
        nodes: list[int] = []
        count = 0

        def record() -> None:
            nonlocal nodes, count
            run(stream)
            nodes, count = self._calls.tail(stream.handle)

        graphs.append(self._captured(stream, capture, record))
        return self._calls.kernel(nodes[0]) if count == len(nodes) == 1 and not capture.keep and not capture.serial else None

    def launch(self, stream: Stream) -> None:
        assert isinstance(stream, CudaStream)
        self._context.enter()
        stream.bring_due_pages()
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
                self._calls.destroy_graph(self._graph)


def _union(groups: Iterable[list[int]]) -> list[int]:
    return list(dict.fromkeys(node for group in groups for node in group))
