"""One sequence, or some side by side."""

from __future__ import annotations

import argparse
import collections
import gc
import os
import sys
import threading
import time
import traceback
from ctypes import c_void_p
from dataclasses import replace
from typing import Any

import buffers
import calls
import events
import hosts
import images
import kernels
import numpy as np
import shared
from calls import Calls
from world import Facts, World

CHECKED_EVERY = 60

# Of so many sequences.
_memory_of_hosts: collections.deque[Any] = collections.deque(maxlen=24)


def opened(arguments: argparse.Namespace) -> tuple[Any, Facts]:
    if arguments.library:
        return Calls(arguments.library), Facts(has_counts=False)
    from cl2cuda.opencl_icd import library
    from cl2cuda.opencl_icd.build import LOADER

    facts = Facts()
    if arguments.imagined:
        import imagined

        imagined.install(arguments.devices)
        facts = Facts(has_times=False, has_offsets=False)
    if arguments.face:
        import cl2cuda

        cl2cuda.install()
        from face import Face

        return Face(), replace(facts, has_shared=False, has_counts=False, has_errors=False)
    return Calls(str(library.library(LOADER))), facts


def run(arguments: argparse.Namespace) -> int:
    cl, facts = opened(arguments)
    devices = cl.devices(arguments.devices)
    for seed in range(arguments.seed, arguments.seed + arguments.each):
        run_together([World(cl, seed * 1000 + number, devices, facts, arguments.said) for number in range(arguments.threads)], arguments)
    return 0


def run_together(worlds: list[World], arguments: argparse.Namespace) -> None:
    def work(world: World) -> None:
        try:
            go(world, arguments.steps, arguments.avoid.split(","))
        except BaseException:
            sys.stdout.write("\n".join(world.said[-40:]) + f"\nof seed {world.seed // 1000}\n")
            traceback.print_exc()
            sys.stderr.flush()
            sys.stdout.flush()
            os._exit(1)  # others may wait for what will not come

    threads = [threading.Thread(target=work, args=(world,)) for world in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def go(world: World, steps: int, avoided: list[str]) -> None:
    actions = [(weight, function) for module in (buffers, hosts, kernels, events, shared, images) for weight, function in module.COMMANDS
               if f"{module.__name__}.{function.__name__}" not in avoided and module.__name__ not in avoided]
    # Some sequences do a few things alone, with more behind each other that the driver library does without Python.
    actions = [each for each in actions if world.chance(world.habits.functions) or each[1] in (buffers.make, buffers.unmap)]
    weights, functions = zip(*actions, strict=True)
    for number in range(steps):
        world.random.seed(f"{world.seed} {number}")
        world.choice(*world.random.choices(functions, weights))(world)
        if number % CHECKED_EVERY == CHECKED_EVERY - 1:
            check(world)
    end(world)


def settle(world: World) -> None:
    world.open_gates()
    world.end_opening()
    for queue in world.queues:
        world.check(world.cl.code("clFinish", c_void_p(queue.handle)), 0, "clFinish")
    events.wait_for_released(world)
    for reading in world.readings:
        if not np.array_equal(reading.found, reading.expected):
            different = np.flatnonzero(reading.found != reading.expected)
            raise AssertionError(f"what {world.name(reading.event)} has read differs in {len(different)} of {len(reading.found)} bytes, from {different[0]} on")
    world.readings.clear()


def check(world: World) -> None:
    world.say("check")
    settle(world)
    for event in world.events:
        events.settled(world, event)
        events.check_references(world, event)
    for region in world.regions:
        if not region.is_looked_at:
            buffers.look(world, region)
    for memory in world.buffers:
        buffers.check(world, memory)
    for memory in world.shared:
        shared.check(world, memory)
    for image in world.images:
        images.check(world, image)
    for host in world.hosts:
        hosts.check(host)
    for root in world.roots():
        root.accesses.clear()
    for queue in world.queues:
        queue.gates.clear()
        queue.barred.clear()
    events.check_callbacks(world)
    check_ends(world)
    for event in world.events[:]:
        if event.references == 1 and world.chance(0.7) and not any(region.event is event for region in world.regions):
            events.let_go(world, event)


def check_ends(world: World) -> None:
    """Destructors of what is gone, with all that was made of it."""
    kept = {region.memory for region in world.regions}

    def is_gone(memory: Any) -> bool:
        return memory not in kept and not any(other.parent is memory for other in [*world.buffers, *world.images])

    gone = [memory for memory in world.ends if is_gone(memory)]
    until = time.monotonic() + 5
    while time.monotonic() < until and any(len(memory.ended) < memory.wanted_ends for memory in gone):
        time.sleep(0.001)
    for memory in gone:
        world.check(len(memory.ended), memory.wanted_ends, "destructor callbacks")
        world.ends.remove(memory)


def end(world: World) -> None:
    while world.regions:
        buffers.unmap(world)
    is_settled = world.chance(0.5) or bool(world.hosts)  # whose memory may not go while commands use it
    if is_settled:
        check(world)
    hosts.end(world)
    gates = world.gates[:]
    for event in world.events[:]:
        while event.references > (event in gates):
            events.let_go(world, event)
    for memory in world.shared if is_settled else ():
        world.cl.code("clSVMFree", c_void_p(memory.root.context.handle), c_void_p(memory.address))
    # In any order, perhaps while commands wait for user events.
    left = [("Kernel", kernel) for kernel in world.kernels] + [("Program", context) for context in world.contexts]
    left += [("MemObject", memory) for memory in world.buffers for _ in range(memory.references)]
    left += [("MemObject", image) for image in world.images] + [("CommandQueue", queue) for queue in world.queues]
    left += [("Context", context) for context in world.contexts]
    world.random.shuffle(left)
    for kind, thing in left:
        if kind == "CommandQueue":
            world.check_count("clGetCommandQueueInfo", thing.handle, calls.QUEUE_COUNT, 1)
        if kind == "Context":
            world.check_count("clGetContextInfo", thing.handle, calls.CONTEXT_COUNT, 1)
        handle = thing.program if kind == "Program" else thing.handle
        world.check(world.cl.code(f"clRelease{kind}", c_void_p(handle)), 0, f"clRelease{kind}")
    world.say("all is released")
    for gate in gates:
        world.open_gate(gate)
        events.let_go(world, gate)
    world.ends += [*world.buffers, *world.images]
    world.buffers.clear()
    world.images.clear()
    # Commands of queues that are released may still run.
    _memory_of_hosts.append((world.kept, world.readings, world.ends[:]))
    check_ends(world)
    gc.collect()
