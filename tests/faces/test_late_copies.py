"""Reads and writes of images, buffers and rectangles by several threads over a CUDA that copies later: what is written is there, and the
host's memory is the program's again when a blocking command returns."""

from __future__ import annotations

import os
import random

import numpy as np
import pytest

os.environ.setdefault("CL2CUDA_DEVICE", "all")

from support.imagined_device import device_of
from support.late_cuda import LateCuda
from support.threads import run_together

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import image_transfers, transfers
from cl2cuda.runtime.cuda import stream as streams

READ, WRITE = image_transfers._enqueue_read_image, image_transfers._enqueue_write_image
READ_BUFFER, WRITE_BUFFER = transfers._enqueue_read_buffer, transfers._enqueue_write_buffer
FLAGS, SIZE, WIDTH, HEIGHT = cl.mem_flags, 600 << 10, 320, 260


class Copies:
    """A thread's: an image and a buffer, and what should be in them."""

    def __init__(self, context, queue, seed):
        self.queue, self.random, self.numbers = queue, random.Random(seed), np.random.default_rng(seed)
        format_ = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNSIGNED_INT8)
        self.image = cl.create_image(context, FLAGS.READ_WRITE, format_, (WIDTH, HEIGHT))
        self.buffer = cl.Buffer(context, FLAGS.READ_WRITE, SIZE)
        self.pixels, self.bytes = np.zeros((HEIGHT, WIDTH, 4), np.uint8), np.zeros(SIZE, np.uint8)
        WRITE(queue, self.image, (0, 0), (WIDTH, HEIGHT), self.pixels)
        WRITE_BUFFER(queue, self.buffer, self.bytes)
        self.kept = []  # what is written later

    def part(self, *limits):
        """Where it begins, and its size, in each dimension: from the start on, sometimes."""
        at = [0 if self.random.random() < 0.2 else self.random.randrange(limit) for limit in limits]
        return at, [self.random.randint(1, limit - start) for limit, start in zip(limits, at, strict=True)]

    def data(self, *shape):
        return self.numbers.integers(0, 256, shape, np.uint8)

    def write_image(self, waits):
        (x, y), (width, height) = self.part(WIDTH, HEIGHT)
        apart = waits and self.random.random() < 0.3  # rows that do not lie close
        given = self.data(height, width + 3 * apart, 4)
        self.pixels[y : y + height, x : x + width] = given[:, :width]
        WRITE(self.queue, self.image, (x, y), (width, height), given, given.shape[1] * 4 * apart, is_blocking=waits)
        if waits:
            given[:] = 1
        else:
            self.kept.append(given)

    def read_image(self):
        (x, y), (width, height) = self.part(WIDTH, HEIGHT)
        found = np.zeros((height, width, 4), np.uint8)
        READ(self.queue, self.image, (x, y), (width, height), found)
        assert np.array_equal(found, self.pixels[y : y + height, x : x + width])

    def write_buffer(self):
        (at,), (size,) = self.part(self.random.choice((SIZE, SIZE, 64 << 10)))
        given = self.data(size)
        self.bytes[at : at + size] = given
        WRITE_BUFFER(self.queue, self.buffer, given, at)
        given[:] = 1

    def write_rectangle(self):
        _, (rows, width) = self.part(100, 512)
        given = self.data(rows, width)
        self.bytes[: rows * 512].reshape(rows, 512)[:, :width] = given
        transfers._enqueue_write_buffer_rect(self.queue, self.buffer, given, (0, 0), (0, 0), (width, rows), (512,), (width,))
        given[:] = 1

    def read_buffer(self):
        (at,), (size,) = self.part(SIZE)
        found = np.zeros(size, np.uint8)
        READ_BUFFER(self.queue, self.buffer, found, at)
        assert np.array_equal(found, self.bytes[at : at + size])

    def make(self, turns):
        commands = [lambda: self.write_image(True), lambda: self.write_image(False), self.read_image, self.write_buffer,
                    self.write_rectangle, self.read_buffer]
        for _ in range(turns):
            self.random.choice(commands)()
        self.read_image()
        self.read_buffer()


@pytest.mark.parametrize("poll_ns", [0, 100_000, 2_000_000])
def test_commands_of_several_threads(monkeypatch, poll_ns):
    """In one queue and in others, which wait as long as native code polls, or longer."""
    monkeypatch.setitem(streams._POLL_NS, "medium", poll_ns)
    monkeypatch.setitem(streams._POLL_NS, "high", poll_ns)
    context = cl.Context([device_of(LateCuda())])
    shared, done = cl.CommandQueue(context), []

    def work(seed):
        Copies(context, shared if seed < 3 else cl.CommandQueue(context), seed).make(150)
        done.append(seed)

    run_together(work, *[(seed,) for seed in range(5)])
    assert sorted(done) == list(range(5))
