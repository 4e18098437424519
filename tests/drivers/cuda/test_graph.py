"""CUDA graphs of recorded commands over an imagined CUDA whose graphs are lists of nodes: what a change of a command makes of them."""

import pytest
from support.cuda_text import INFO, SAXPY, CudaText
from support.fake_cuda import FakeCuda

from cl2cuda.runtime.cuda import nvrtc
from cl2cuda.runtime.cuda.capture import Capture
from cl2cuda.runtime.cuda.device import CudaDevice
from cl2cuda.runtime.cuda.graph import CudaGraph
from cl2cuda.runtime.driver.interface import DriverError, DriverMissing
from cl2cuda.translator.options import BuildOptions

try:
    nvrtc.nvrtc()
except DriverMissing as missing:
    pytest.skip(str(missing), allow_module_level=True)


class Calls:
    """As GraphCalls: `graphs` has the nodes of each graph that is there, `told` what each node of an executable one is now."""

    def __init__(self):
        self.graphs, self.executables, self.told, self.capturing, self.after, self.number = {}, {}, {}, None, [], 0
        self.refuses = False

    def next(self):
        self.number += 1
        return self.number

    def note(self, what):
        if self.capturing is not None:
            self.after = [self.next()]
            self.capturing[self.after[0]] = what

    def begin(self, stream):
        assert self.capturing is None
        self.capturing = {}

    def come_after(self, stream, nodes):
        self.after = list(nodes)

    def tail(self, stream):
        return self.after, len(self.capturing)

    def end(self, stream):
        graph = self.next()
        self.graphs[graph], self.capturing = self.capturing, None
        return graph

    def drop(self, stream):
        self.capturing = None

    def executable(self, graph, stream):
        made = self.next()
        self.executables[made] = set(self.graphs[graph])
        return made

    def kernel(self, node):
        (what,) = [nodes[node] for nodes in self.graphs.values() if node in nodes]
        return what if what[0] == "kernel" else None

    def set_kernel(self, executable, node, parameters):
        if self.refuses:
            raise DriverError("no")
        assert node in self.executables[executable]
        self.told[node] = parameters

    def destroy(self, executable):
        del self.executables[executable]

    def destroy_graph(self, graph):
        del self.graphs[graph]


@pytest.fixture
def calls():
    return Calls()


@pytest.fixture
def device(calls, monkeypatch):
    made = CudaDevice(FakeCuda(), 0)
    driver, runtime = made.cuda.driver, made.cuda.runtime
    monkeypatch.setattr(driver, "launchKernel", lambda handle, *given: calls.note(("kernel", given[0])))
    monkeypatch.setattr(runtime, "memcpyAsync", lambda *given: calls.note(("copy",)))
    return made


@pytest.fixture
def run(device):
    """From the number of work-groups, and the first work-item, to a command."""
    function = device.load(device.compile(CudaText(SAXPY, (INFO,)), BuildOptions())).function(INFO)
    return lambda groups, first=0: lambda stream: function.prepare(stream, 1, (64 * groups, 1, 1), (64, 1, 1), (first, 0, 0), 0, 4242)()


@pytest.fixture
def recorded(device, calls):
    stream = device.open_stream()
    return stream, lambda *runs: CudaGraph(device.context, calls, Capture(device.allocate, device.free), stream, [
        (each, (place - 1,) if place else ()) for place, each in enumerate(runs)])


def test_a_kernel_becomes_another_one(recorded, run, calls):
    stream, record = recorded
    graph = record(run(1), run(2), run(3))
    (nodes,) = calls.graphs.values()
    assert list(nodes.values()) == [("kernel", 1), ("kernel", 2), ("kernel", 3)]
    assert graph.change(stream, [(1, run(7)), (2, run(8))]) and graph.change(stream, [(1, run(9))])
    assert calls.told == {list(nodes)[1]: ("kernel", 9), list(nodes)[2]: ("kernel", 8)}
    assert len(calls.graphs) == 1 and stream.capture is None
    graph.close()
    assert not calls.graphs and not calls.executables


@pytest.mark.parametrize(("first", "changes"), [
    ((0, 0), [(0, 1, 5)]),  # the general variant's now, behind a copy of its record
    ((5, 0), [(0, 1, 0)]),  # so far
    ((0, 0), [(1, 4, 0), (0, 4, 5)]),
])
def test_what_is_more_than_a_kernel_takes_another_graph(recorded, run, calls, first, changes):
    stream, record = recorded
    graph = record(*(run(1, each) for each in first))
    before = dict(calls.graphs)
    assert not graph.change(stream, [(place, run(groups, at)) for place, groups, at in changes])
    assert not calls.told and calls.graphs == before and stream.capture is None


def test_what_fails_is_told(recorded, run, calls):
    stream, record = recorded
    graph = record(run(1))

    def fail(stream):
        raise DriverError("cannot be launched")

    with pytest.raises(DriverError, match="cannot be launched"):
        graph.change(stream, [(0, fail)])
    calls.refuses = True
    with pytest.raises(DriverError, match="no"):
        graph.change(stream, [(0, run(2))])
    assert calls.capturing is None and stream.capture is None and len(calls.graphs) == 1
