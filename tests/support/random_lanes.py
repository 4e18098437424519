"""A program for driver_lanes: random commands behind each other in a queue out of order and one in order, whose launches must come after all that
they wait for, by the order in streams, by CUDA's events, or since it has ended. `SEED` and `STEPS` stand before it."""

RANDOM = """
import random

# What each stream comes after, and each CUDA event that was recorded; what has ended; the log's next entry; how many launches there were, and
# those on their way, each with what it needs.
behind, recorded, ended, place, launched, coming = {}, {}, set(), 0, 0, []

def is_busy(stream):
    return busy.value & 1 << (stream & 7)

def look():
    global place
    for entry in entries[place : logged.value]:
        kind, before = chr(entry.kind), behind.setdefault(entry.stream, set())
        if kind == "L":
            number, needs = coming.pop(0)
            assert needs <= before | ended, (number, needs - before - ended)
            before.add(number)
            if not is_busy(entry.stream):
                ended.update(before)
        elif kind == "R":
            recorded[entry.event] = set(before)
        else:
            before |= recorded[entry.event]
            if before - ended:
                busy.value |= 1 << (entry.stream & 7)
    place = logged.value
    if place > 3000:
        place = logged.value = 0

def set_busy(bits):
    busy.value = bits
    for stream, before in behind.items():
        if not is_busy(stream):
            ended.update(before)

def ask_stream(stream):
    look()
    return 600 if is_busy(stream) else 0

def ask_event(event):
    look()
    return 0 if recorded.get(event, set()) <= ended else 600

note_pythons_events()
cuda.runtime.streamQuery, cuda.runtime.eventQuery = ask_stream, ask_event

# A launch that comes as soon as `waits` have come, or another one has that is held back.
def launch_behind(waits, after, is_in_order):
    global launched, in_order
    launched += 1
    coming.append((launched, after | (in_order if is_in_order else barred)))
    event = launch(*waits, queue=queue if is_in_order else unordered)
    if is_in_order:
        in_order = {launched}
    else:
        unordered_ones.add(launched)
    return event, {launched}

taken()
choice, events, unordered_ones, in_order, barred = random.Random(SEED), [], set(), set(), set()
for _ in range(STEPS):
    what = choice.random()
    if what < 0.25:
        set_busy(choice.choice([0, 255, 255, choice.getrandbits(8)]))
    waits = choice.sample(events[-12:], min(len(events), choice.choice([0, 0, 0, 1, 1, 2, 3])))
    after = set().union(*[each for _, each in waits])
    if waits and choice.random() < 0.1:  # What waits for an event that Python knows is Python's.
        application.core(waits[0][0].value, "E")
    if what < 0.74:
        events.append(launch_behind([event for event, _ in waits], after, what > 0.62))
        look()
    elif what < 0.78:
        event, enqueue = P(), cl.clEnqueueBarrierWithWaitList if what < 0.76 else cl.clEnqueueMarkerWithWaitList
        ok(enqueue(unordered, *waits_of([event for event, _ in waits]), ctypes.byref(event)))
        look()
        after = after | barred if waits else set(unordered_ones)
        events.append((event, after))
        if what < 0.76:
            barred = set(after)
    elif what < 0.8 and events:
        event, after = choice.choice(events[-12:])
        look()
        assert state(event) or after <= ended, after - ended
    elif what < 0.82:
        set_busy(0)
        finish()
        ended |= unordered_ones
        set_busy(choice.choice([0, 255]))
    elif what < 0.88:
        gate, is_in_order = handle("clCreateUserEvent", cl_context), what < 0.85
        held = [launch_behind([gate], set(), is_in_order)]
        first = coming[:]
        if is_in_order:
            held += [launch_behind([], set(), True) for _ in range(choice.randrange(3))]
        else:
            coming.clear()
            held += [launch_behind([], set(), False) for _ in range(choice.randrange(3))]
            look()
            coming[:] = first
        if choice.random() < 0.3:
            application.core(choice.choice(held)[0].value, "E")
        look()
        ok(cl.clSetUserEventStatus(gate, 0))
        ok(cl.clReleaseEvent(gate))
        look()
        assert not coming
        events += held
assert sum(timeline.native[2] for timeline in core.timelines) > 20 and len(core.timelines) == 8
set_busy(0)
finish()
"""
