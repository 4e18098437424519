"""What tests of command-buffers start from: a queue in a context, with a program or without."""

import numpy as np

from cl2cuda.runtime.command_buffer.command_buffer import CommandBuffer
from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.driver.interface import DriverError
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.queue import CommandQueue
from cl2cuda.runtime.spec import codes

SOURCE = """
kernel void add(global int *a, int by) { a[get_global_id(0)] += by; }
kernel void twice_and(global int *a, int by) { a[get_global_id(0)] = 2 * a[get_global_id(0)] + by; }
kernel void ids(global int *out) { out[get_global_id(0) - get_global_offset(0)] = get_global_id(0); }
kernel void say(int number) { printf("number %d\\n", number); }
"""
FLAGS = codes.COMMAND_BUFFER_FLAGS_KHR
SIMULTANEOUS = ((FLAGS, codes.COMMAND_BUFFER_SIMULTANEOUS_USE_KHR),)
MUTABLE = ((FLAGS, codes.COMMAND_BUFFER_MUTABLE_KHR),)


class On:
    def __init__(self, device):
        self.device = device
        self.context = Context([device])
        self.queue = CommandQueue(self.context, device)

    def buffer(self, array):
        return Buffer(self.context, codes.MEM_COPY_HOST_PTR, host=array)

    def read(self, buffer, dtype=np.int32):
        array = np.empty(buffer.size // np.dtype(dtype).itemsize, dtype)
        enqueue_read_buffer(self.queue, buffer, True, 0, array)
        return array

    def command_buffer(self, properties=()):
        return CommandBuffer([self.queue], properties)


class Built(On):
    def __init__(self, device):
        super().__init__(device)
        self.program = Program(self.context, SOURCE)
        self.program.build("-cl-std=CL3.0")

    def kernel(self, name, *values):
        kernel = Kernel(self.program, name)
        for index, value in enumerate(values):
            kernel.set_arg(index, value)
        return kernel


class Graph:
    """Commands as a driver's graph, imagined: its launches issue them, and may not come after it was closed."""

    def __init__(self, commands):
        self.commands, self.launches, self.closed = commands, 0, False
        self.changes, self.can_change, self.fails = 0, True, False

    def launch(self, stream):
        assert not self.closed
        self.launches += 1
        for run, _ in self.commands:
            run(stream)
        stream.add(self.assert_open)

    def change(self, stream, changes):
        """As the driver does it: launches of before have what they were given."""
        if not self.can_change:
            return False
        self.commands = list(self.commands)
        for place, run in changes:
            self.commands[place] = run, self.commands[place][1]
        self.changes += 1
        if self.fails:
            raise DriverError("no change")
        return True

    def assert_open(self):
        assert not self.closed, "closed while it ran"

    def close(self):
        self.closed = True


def imagine_graphs(driver):
    """A fake device that makes graphs from now on, which are in the list."""
    graphs = []

    def record(stream, commands):
        graphs.append(Graph(commands))
        return graphs[-1]

    driver.record = record
    return graphs
