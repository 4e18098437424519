"""What a remote device costs, on this machine: launches, and bytes, beside plain messages between processes.

    python tests/tools/benchmark/remote.py [--megabytes N] [--repeat N] [--driver cuda]

The limit is what two processes reach on loopback with nothing but a socket: a message there and back, and bytes one way. `frames` are
the same with the driver's own frames and proofs. Dask's own connections stand beside them where Dask is installed. The workers have
the host device, so that a launch's own work is small and the same on both sides, or a GPU each; the last column is such a device's
without a worker.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import numpy as np
from support.remote_workers import PROCESSES, WorkerProcess

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer, enqueue_write_buffer
from cl2cuda.runtime.commands.nd_range import enqueue_nd_range_kernel
from cl2cuda.runtime.context.context import Context
from cl2cuda.runtime.devices.device import Device
from cl2cuda.runtime.devices.platform import load_driver, platforms
from cl2cuda.runtime.driver.interface import Linear
from cl2cuda.runtime.kernel.kernel import Kernel
from cl2cuda.runtime.memory.buffer import Buffer
from cl2cuda.runtime.program.program import Program
from cl2cuda.runtime.queue.create import create_command_queue
from cl2cuda.runtime.remote.wire import Channel

SMALL = bytes(64)


def seconds(call: Callable[[], object], repeat: int) -> float:
    """The quickest of several runs: what else the machine does only slows them."""
    call()
    taken = []
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return min(taken)


def _exactly(connection: socket.socket, view: memoryview) -> None:
    while view:
        view = view[connection.recv_into(view) :]


def _echo(port: int, frames: bool) -> None:
    """The other process: sends small messages back, and one byte for large ones."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    room = memoryview(bytearray(1 << 30))
    if frames:
        channel = Channel(connection)
        while True:
            header, size = channel.receive()
            channel.receive_into(room[:size])
            channel.send(header)
    while True:
        _exactly(connection, room[:8])
        size = int.from_bytes(room[:8], "little")
        _exactly(connection, room[:size])
        connection.sendall(room[:size] if size <= len(SMALL) else b"\0")


@contextmanager
def echo(frames: bool) -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        process = PROCESSES.Process(target=_echo, args=[server.getsockname()[1], frames], daemon=True)
        process.start()
        connection, _ = server.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield connection
        process.kill()


def sockets(count: int, size: int, repeat: int) -> tuple[float, float]:
    """Microseconds of a message there and back, and GB/s one way."""
    data = bytes(size)
    with echo(frames=False) as connection:
        answer = memoryview(bytearray(len(SMALL)))

        def small() -> None:
            for _ in range(count):
                connection.sendall(len(SMALL).to_bytes(8, "little") + SMALL)
                _exactly(connection, answer)

        def large() -> None:
            connection.sendall(size.to_bytes(8, "little"))
            connection.sendall(data)
            connection.recv(1)

        return seconds(small, repeat) / count * 1e6, size / seconds(large, repeat) / 1e9


def frames(count: int, size: int, repeat: int) -> tuple[float, float]:
    data = memoryview(bytes(size))
    with echo(frames=True) as connection:
        channel = Channel(connection)

        def small() -> None:
            for _ in range(count):
                channel.send(SMALL)
                channel.receive()

        def large() -> None:
            channel.send(None, [data])
            channel.receive()

        return seconds(small, repeat) / count * 1e6, size / seconds(large, repeat) / 1e9


def _dask_echo(pipe) -> None:
    from distributed.comm import listen

    async def handle(comm) -> None:
        while True:
            message = await comm.read()
            await comm.write(message if message["small"] else 0)

    async def main() -> None:
        listener = await listen("tcp://127.0.0.1:0", handle, deserialize=False)
        pipe.send(listener.contact_address)
        await asyncio.sleep(3600)

    asyncio.run(main())


def dask(count: int, size: int, repeat: int) -> tuple[float, float] | None:
    """Dask's connections, inside an event loop, as they are used best; None without Dask."""
    try:
        from distributed.comm import connect
        from distributed.protocol import Serialized
    except ImportError:
        return None
    ours, theirs = PROCESSES.Pipe()
    process = PROCESSES.Process(target=_dask_echo, args=[theirs], daemon=True)
    process.start()
    address, data = ours.recv(), memoryview(bytes(size))
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()

    async def talk() -> tuple[float, float]:
        comm = await connect(address, deserialize=False)

        async def timed(message: object, times: int) -> float:
            taken = []
            for _ in range(repeat + 1):
                start = time.perf_counter()
                for _ in range(times):
                    await comm.write(message)
                    await comm.read()
                taken.append((time.perf_counter() - start) / times)
            return min(taken[1:])

        return (await timed({"small": True, "data": SMALL}, count) * 1e6,
                size / await timed({"small": False, "data": Serialized({}, [data])}, 1) / 1e9)

    found = asyncio.run_coroutine_threadsafe(talk(), loop).result()
    process.kill()
    return found


def launches(device: Device, count: int, size: int, repeat: int) -> dict[str, float]:
    """Microseconds of launches, GB/s of copies."""
    context = Context([device])
    queue = create_command_queue(context, device)
    program = Program(context, "__kernel void one(__global int *x) { x[0] += 1; }")
    program.build("")
    kernel, buffer, word = Kernel(program, "one"), Buffer(context, 0, size), np.zeros(1, np.int32)
    kernel.set_arg(0, buffer)
    data = np.zeros(size, np.uint8)

    def many() -> None:
        for _ in range(count):
            enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), (1,))

    def many_and_finish() -> None:
        many()
        queue.finish()

    def one_by_one() -> None:
        for _ in range(count // 10):
            enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), (1,))
            queue.finish()

    def launch_and_read() -> None:
        for _ in range(count // 10):
            enqueue_nd_range_kernel(queue, kernel, 1, None, (1,), (1,))
            enqueue_read_buffer(queue, buffer, True, 0, word)

    found = {"launch, enqueued (us)": seconds(many, repeat) / count * 1e6}
    queue.finish()
    found["launch, with its execution, many (us)"] = seconds(many_and_finish, repeat) / count * 1e6
    found["launch and clFinish (us)"] = seconds(one_by_one, repeat) / (count // 10) * 1e6
    found["launch and a blocking read of 4 B (us)"] = seconds(launch_and_read, repeat) / (count // 10) * 1e6

    def write() -> None:
        enqueue_write_buffer(queue, buffer, True, 0, data)
        queue.finish()

    found[f"write {size >> 20} MiB (GB/s)"] = size / seconds(write, repeat) / 1e9
    found[f"read {size >> 20} MiB (GB/s)"] = size / seconds(lambda: enqueue_read_buffer(queue, buffer, True, 0, data), repeat) / 1e9
    return found


def between(one: Device, other: Device, size: int, repeat: int) -> float:
    """GB/s from worker to worker."""
    to, of = other.driver_device, one.driver_device
    source, target = of.allocate(size), to.allocate(size)
    stream, copies = to.open_stream(), to.peer_copies

    def copy() -> None:
        copies.copy_image(stream, to, Linear(target, size, size), of, Linear(source, size, size), (size, 1, 1))
        stream.synchronize()

    return size / seconds(copy, repeat) / 1e9


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=64)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--count", type=int, default=2000, help="messages and launches in a run")
    parser.add_argument("--driver", choices=("host", "cuda"), default="host", help="what devices the workers have")
    arguments = parser.parse_args()
    size, repeat, count = arguments.megabytes << 20, arguments.repeat, arguments.count
    print(f"{'plain messages':44}{'there and back (us)':>22}{f'{arguments.megabytes} MiB (GB/s)':>18}")
    for name, measure in (("a socket", sockets), ("the driver's frames", frames), ("Dask's connections", dask)):
        found = measure(count, size, repeat)
        print(f"  {name:42}" + (f"{found[0]:22.0f}{found[1]:18.2f}" if found else "  not installed"), flush=True)
    workers = [WorkerProcess(f"worker {number}", arguments.driver, number) for number in range(2)]
    try:
        one, other = (worker.devices()[0] for worker in workers)
        local = Device(platforms()[0], arguments.driver, load_driver(arguments.driver).devices()[0])
        here, there = launches(local, count, size, repeat), launches(one, count, size, repeat)
        print(f"\n{'devices':44}{'remote':>22}{'local':>18}")
        for name, value in there.items():
            print(f"  {name:42}{value:22.2f}{here[name]:18.2f}")
        print(f"  {f'worker to worker, {arguments.megabytes} MiB (GB/s)':42}{between(one, other, size, repeat):22.2f}")
    finally:
        for worker in workers:
            worker.kill()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
