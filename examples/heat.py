"""Heat flow in a plate on all devices of the platform (heat.cl): each has some of the rows, and gives its outermost ones to its neighbours.

usage: python heat.py [cells a side] [steps]

It runs on one device, on two, on four and so on up to all there are, and prints how the time scales. Every command says what it
waits for, so that devices, and copies and kernels of one device, work at the same time.
"""

import itertools
import sys
import time
from pathlib import Path

import numpy as np
import pyopencl as cl

SIDE = int(sys.argv[1]) if len(sys.argv) > 1 else 768
STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 40
SOURCE = Path(__file__).with_suffix(".cl").read_text(encoding="utf-8")


class Part:
    """The rows of one device, before and after a step, and the rows of its neighbours, which are zeros at the plate's rim."""

    def __init__(self, context, device, program, rows, above, below):
        flags = cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
        self.queue = cl.CommandQueue(context, device, flags)
        self.edges, self.inside = cl.Kernel(program, "edges"), cl.Kernel(program, "inside")
        self.rows = len(rows)
        read_write = cl.mem_flags.READ_WRITE
        self.plates = [cl.Buffer(context, read_write, rows.nbytes) for _ in range(2)]
        self.above, self.below = ([cl.Buffer(context, read_write, rows[0].nbytes) for _ in range(2)] for _ in range(2))
        self.first, self.last = (cl.Buffer(context, read_write, rows[0].nbytes) for _ in range(2))
        for buffers, content in ((self.plates[:1], rows), (self.above, above), (self.below, below)):
            for buffer in buffers:
                cl.enqueue_copy(self.queue, buffer, content)
        # What the next step has to wait for: this device's last kernels, and the rows that come from the neighbours.
        self.computed, self.arriving = [], []

    def compute(self, turn):
        """One step; what the neighbours need is there with the first event, all of it with the second."""
        before, after = self.plates[turn], self.plates[1 - turn]
        around = before, self.above[turn], self.below[turn]
        wait_for = self.computed + self.arriving
        edges = self.edges(self.queue, (SIDE, 2), None, *around, after, self.first, self.last, np.int32(self.rows), wait_for=wait_for)
        inside = self.inside(self.queue, (SIDE, self.rows - 2), None, *around, after, np.int32(self.rows), wait_for=[edges])
        self.queue.flush()
        return edges, inside


def exchange(parts, edges, turn):
    """The outermost rows go to the neighbours, while these compute the rest."""
    arriving = [[] for _ in parts]
    for one, (upper, lower) in enumerate(itertools.pairwise(parts)):
        down = cl.enqueue_copy(lower.queue, lower.above[1 - turn], upper.last, wait_for=[edges[one], edges[one + 1]])
        up = cl.enqueue_copy(upper.queue, upper.below[1 - turn], lower.first, wait_for=[edges[one], edges[one + 1]])
        # Neither neighbour may write its outermost rows anew before they have been copied.
        arriving[one] += [down, up]
        arriving[one + 1] += [down, up]
    return arriving


def run(devices, plate, steps):
    """The plate after so many steps, and the seconds that they took."""
    context = cl.Context(devices)
    program = cl.Program(context, SOURCE).build()
    wide = np.pad(plate, ((1, 1), (0, 0)))  # the rows beyond the rim are cold
    starts = np.linspace(0, SIDE, len(devices) + 1).astype(int)
    parts = [Part(context, device, program, plate[start:end], wide[start], wide[end + 1])
             for device, start, end in zip(devices, starts, starts[1:])]
    for part in parts:
        part.queue.finish()
    begin = time.perf_counter()
    for step in range(steps):
        events = [part.compute(step % 2) for part in parts]
        arriving = exchange(parts, [edges for edges, _ in events], step % 2)
        for part, (edges, inside), rows in zip(parts, events, arriving):
            part.computed, part.arriving = [edges, inside], rows
    for part in parts:
        part.queue.finish()
    seconds = time.perf_counter() - begin
    found = np.empty_like(plate)
    for part, start, end in zip(parts, starts, starts[1:]):
        cl.enqueue_copy(part.queue, found[start:end], part.plates[steps % 2])
    return found, seconds


def step_in_numpy(plate):
    wide = np.pad(plate, 1)
    return np.float32(0.25) * (wide[:-2, 1:-1] + wide[2:, 1:-1] + wide[1:-1, :-2] + wide[1:-1, 2:])


devices = cl.get_platforms()[0].get_devices()
plate = np.zeros((SIDE, SIDE), np.float32)
plate[SIDE // 3 : SIDE // 2, SIDE // 4 : SIDE // 2] = 100
expected = plate
for _ in range(3):
    expected = step_in_numpy(expected)

counts = sorted({count for count in (1, 2, 4, 8, len(devices)) if count <= len(devices)})
alone, seconds = None, {}
for count in counts:
    found, _ = run(devices[:count], plate, 3)
    if not np.allclose(found, expected, atol=1e-5):
        sys.exit(f"heat: the plate on {count} devices is not NumPy's")
    found, seconds[count] = run(devices[:count], plate, STEPS)
    alone = found if alone is None else alone
    if not np.array_equal(found, alone):
        sys.exit(f"heat: the plate on {count} devices is not the one on one device")
print(f"heat: {SIDE} x {SIDE} cells, as NumPy computes them")
for count in counts:
    rate = SIDE * SIDE * STEPS / seconds[count] / 1e9
    print(f"  on {count} device{'s' * (count > 1)}: {STEPS} steps in {seconds[count]:.3f} s, {rate:.2f} billion cells a second, "
          f"{seconds[1] / seconds[count]:.2f} times as fast as on one")
