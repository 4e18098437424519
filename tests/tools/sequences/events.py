"""Events, user events, and what waits for them."""

from __future__ import annotations

import time
from ctypes import c_int, c_uint, c_void_p

import calls
from world import Event, World

# Between what a device tells of one queue and of another.
SLACK_NS = 1000


def gate(world: World) -> None:
    if len(world.gates) < 4:
        world.new_gate(world.choice(*world.contexts))


def open_one(world: World) -> None:
    event = world.one_of(world.gates)
    if event is not None:
        world.say(f"open {world.name(event)} with {event.will_be}")
        if world.errs(0.2):
            world.check(world.cl.code("clSetUserEventStatus", c_void_p(event.handle), c_int(world.choice(1, 2, 3))), calls.INVALID_VALUE, "clSetUserEventStatus")
        world.open_gate(event)
    elif world.events and world.errs(0.3):
        event = world.one_of(world.events)
        code = calls.INVALID_OPERATION if event.queue is None else calls.INVALID_EVENT
        world.check(world.cl.code("clSetUserEventStatus", c_void_p(event.handle), c_int(0)), code, "clSetUserEventStatus again")


def look(world: World) -> None:
    event = world.one_of(world.events)
    if event is None:
        return
    status, code = world.cl.answer("clGetEventInfo", event.handle, calls.EXECUTION_STATUS, c_int)
    world.check(code, 0, "clGetEventInfo")
    if event.queue is None:
        world.check(status, event.will_be if event.is_set else 2, "a user event's status")
    elif not event.fails:
        assert status >= 0, f"{world.name(event)} has failed: {status}"
        if event.waits_for_gates:
            assert status > 1, f"{world.name(event)} has not waited: {status}"
    else:
        assert status != 0, f"{world.name(event)} has not failed"
    check_references(world, event)


def check_references(world: World, event: Event) -> None:
    """Callbacks that are to come may have some."""
    count, _ = world.cl.answer("clGetEventInfo", event.handle, calls.EVENT_COUNT)
    assert not world.facts.has_counts or event.references <= count <= event.references + event.wanted_callbacks, f"{world.name(event)} has {count} references, not {event.references}"


def wait(world: World) -> None:
    context = world.choice(*world.contexts)
    events = [event for event in world.events if event.context is context]
    events = world.random.sample(events, min(len(events), world.choice(1, 1, 2, 5)))
    if not events:
        return
    world.open_gates()
    wanted = calls.FAILED_WAIT if any(event.fails for event in events) else 0
    world.say(f"wait for {[world.name(event) for event in events]}")
    code = world.cl.code("clWaitForEvents", c_uint(len(events)), calls.pointers([event.handle for event in events]))
    world.end_opening()
    world.check(code, wanted, "clWaitForEvents")
    for event in events:
        settled(world, event)


def settled(world: World, event: Event) -> None:
    status, _ = world.cl.answer("clGetEventInfo", event.handle, calls.EXECUTION_STATUS, c_int)
    if event.queue is None:
        world.check(status, event.will_be, "a user event's status")
    else:
        assert status < 0 if event.fails else status == 0, f"{world.name(event)} has ended with {status}"
        profile(world, event)


def profile(world: World, event: Event) -> None:
    answers = [world.cl.answer("clGetEventProfilingInfo", event.handle, what, calls.c_uint64) for what in calls.PROFILED]
    if event.queue is None or not event.queue.profiles or event.fails:
        world.check([code for _, code in answers], [calls.NOT_AVAILABLE] * len(answers), f"clGetEventProfilingInfo of {world.name(event)}")
        return
    world.check([code for _, code in answers], [0] * len(answers), f"clGetEventProfilingInfo of {world.name(event)}")
    times = [found for found, _ in answers]
    assert times == sorted(times), f"times of {world.name(event)} are {times}"
    for before in event.behind if world.facts.has_times else ():
        if before.queue is not None and before.queue.profiles and before in world.events and before.queue.device == event.queue.device:
            end, code = world.cl.answer("clGetEventProfilingInfo", before.handle, 0x1283, calls.c_uint64)
            assert code or end <= times[2] + SLACK_NS, f"{world.name(event)} starts at {times[2]}, before {world.name(before)} ends at {end}"


def retain(world: World) -> None:
    event = world.one_of(world.events)
    if event is not None:
        world.check(world.cl.code("clRetainEvent", c_void_p(event.handle)), 0, "clRetainEvent")
        event.references += 1


def release(world: World) -> None:
    """Of events behind which no command has to be put any more; or one reference too many that was taken."""
    needed = {access.event for root in world.roots() for access in root.accesses} | {reading.event for reading in world.readings}
    needed |= {region.event for region in world.regions} | set(world.gates)
    for event in world.random.sample(world.events, min(3, len(world.events))):
        if event.references > 1 or event not in needed:
            let_go(world, event)


def let_go(world: World, event: Event) -> None:
    world.check(world.cl.code("clReleaseEvent", c_void_p(event.handle)), 0, "clReleaseEvent")
    event.references -= 1
    if not event.references:
        world.events.remove(event)


def call_back(world: World) -> None:
    event = world.one_of(world.events)
    if event is None:
        return
    wanted, called = world.choice(0, 0, 1, 2), event.callbacks

    def call(handle: int, status: int, data: object) -> None:
        called.append((wanted, status))

    if world.errs(0.1):
        world.check(world.cl.code("clSetEventCallback", c_void_p(event.handle), c_int(7), calls.EVENT_CALLBACK(call), None), calls.INVALID_VALUE, "clSetEventCallback")
        return
    world.kept.append(function := calls.EVENT_CALLBACK(call))
    world.check(world.cl.code("clSetEventCallback", c_void_p(event.handle), c_int(wanted), function, None), 0, "clSetEventCallback")
    event.wanted_callbacks += 1
    world.called.append(event)


def stand(world: World) -> None:
    """A marker or a barrier."""
    queue, has_list, barrier = world.any_queue(world.choice(*world.contexts)), world.chance(0.5), world.chance(0.5)
    command = world.enqueue(f"clEnqueue{'Barrier' if barrier else 'Marker'}WithWaitList", queue, (), has_list=has_list, may_fail=not barrier)
    if command.event is not None and barrier:
        queue.barred = set(command.event.gates) | (queue.barred if has_list and not queue.in_order else set())
        if not command.event.behind:
            queue.barriers += 1


def finish(world: World) -> None:
    queue = world.one_of(world.queues)
    if world.chance(0.5):
        world.check(world.cl.code("clFlush", c_void_p(queue.handle)), 0, "clFlush")
        return
    world.open_gates()
    world.say(f"clFinish {world.queues.index(queue)}")
    world.check(world.cl.code("clFinish", c_void_p(queue.handle)), 0, "clFinish")
    world.end_opening()


def renew(world: World) -> None:
    """Another queue of the kind, while the old one's commands may still be to come."""
    number = world.random.randrange(len(world.queues))
    old = world.queues[number]
    properties = (0 if old.in_order else calls.OUT_OF_ORDER) | (calls.PROFILING if old.profiles else 0)
    world.queues[number] = world.new_queue(old.context, properties)
    world.say(f"clReleaseCommandQueue {number}")
    world.check(world.cl.code("clReleaseCommandQueue", c_void_p(old.handle)), 0, "clReleaseCommandQueue")


def wait_for_released(world: World) -> None:
    """For commands of queues that are not the application's any more."""
    found = {access.event for root in world.roots() for access in root.accesses} | {reading.event for reading in world.readings} | set(world.events)
    for event in found:
        if event.queue is not None and event.queue not in world.queues and event.references:
            code = world.cl.code("clWaitForEvents", c_uint(1), calls.pointers([event.handle]))
            world.check(code, calls.FAILED_WAIT if event.fails else 0, f"clWaitForEvents {world.name(event)}")


def check_callbacks(world: World) -> None:
    end = time.monotonic() + 5
    while time.monotonic() < end and any(len(event.callbacks) < event.wanted_callbacks for event in world.called):
        time.sleep(0.001)
    for event in world.called:
        world.check(len(event.callbacks), event.wanted_callbacks, f"callbacks of {world.name(event)}")
        for wanted, status in event.callbacks:
            ends = status < 0 if event.fails else status == 0
            assert ends or status == wanted > 0, f"a callback of {world.name(event)} for {wanted} is told {status}"
    world.called.clear()


COMMANDS = [(2, gate), (5, open_one), (8, look), (3, wait), (2, retain), (8, release), (4, call_back), (7, stand), (3, finish), (1, renew)]
