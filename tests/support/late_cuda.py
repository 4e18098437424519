"""A CUDA of arrays whose streams copy later, each by a thread of its own: what still comes to memory of the host's, or goes from there, is
seen in the contents."""

from __future__ import annotations

import collections
import ctypes
import random
import threading
import time

from cl2cuda.runtime.cuda.arrays import Copy

from .arrays_in_c import CudaOfArrays

NOT_READY, TO_DEVICE, TO_HOST, BY_ADDRESS, HOST = 600, 1, 2, 4, 1
_LONG, _WORD, _POINTER = ctypes.c_int64, ctypes.c_uint32, ctypes.c_void_p


class LateStream:
    """`given` pieces of work, of which so many have `ended`. Some take a while, and few take long: of all streams the next one what is last in
    `delays`, in seconds."""

    delays = ()

    def __init__(self, seed):
        self.given = self.ended = 0
        self._work, self._changed, self._random = collections.deque(), threading.Condition(), random.Random(seed)
        threading.Thread(target=self._run, daemon=True).start()

    def put(self, work):
        with self._changed:
            self.given += 1
            self._work.append(work)
            self._changed.notify_all()
            return self.given

    def wait(self, number):
        with self._changed:
            self._changed.wait_for(lambda: self.ended >= number)

    def _run(self):
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._work)
                work = self._work.popleft()
            chance = self._random.random()
            if chance < 0.4:
                time.sleep(self._random.random() * (3e-3 if chance < 0.1 else 3e-4))
            if LateStream.delays:
                time.sleep(LateStream.delays.pop())
            work()
            with self._changed:
                self.ended += 1
                self._changed.notify_all()


class LateCuda(CudaOfArrays):
    """Pageable memory has been read or written when a call returns, page-locked memory has not."""

    def __init__(self):
        super().__init__()
        self._streams, self._records, self._page_locked, self._lock = {}, {}, [], threading.Lock()
        runtime, allocate, functions = self.runtime, self.runtime.hostAlloc, self.arrays.functions()

        def host_memory(size, flags):
            self._page_locked.append((address := allocate(size, flags), size))
            return address

        def driver_call(name, *arguments):
            if name != "cuMemcpy3DAsync_v2":
                return functions.get(name, lambda *_: 0)(*arguments)
            return copy_3d(ctypes.addressof(arguments[0]._obj), arguments[1].value)

        def copy_3d(parameters, stream):
            copy = Copy.from_buffer_copy(ctypes.string_at(parameters, ctypes.sizeof(Copy)))
            ends = [(copy.source_memory, copy.source_host), (copy.target_memory, copy.target_host)]
            return self._give(stream, lambda: functions["cuMemcpy3DAsync_v2"](ctypes.byref(copy), None), [
                host for kind, host in ends if kind & 0xFFFFFFFF == HOST])

        def copy_2d(parameters, stream):
            words = (ctypes.c_uint64 * 16).from_address(parameters)[:]
            source, target = (end[3 if end[2] & 0xFFFFFFFF == HOST else 4] for end in (words[:7], words[7:14]))
            return rows(target, words[13], source, words[6], *words[14:], 0, stream)

        def rows(target, target_pitch, source, source_pitch, width, height, kind, stream):
            return self._give(stream, lambda: [ctypes.memmove(target + y * target_pitch, source + y * source_pitch, width)
                                               for y in range(height)], [target, source])

        def copied(target, source, size, kind, stream):
            if kind == TO_DEVICE and not self._is_page_locked(source):
                source = ctypes.string_at(source, size)
            comes_to_host = kind == TO_HOST or (kind == BY_ADDRESS and not self._is_of_device(target))
            return self._give(stream, lambda: ctypes.memmove(target, source, size), [target] if comes_to_host else [])

        def set_word(stream, word, value, flags):
            return self._give(stream, lambda: ctypes.memmove(word, ctypes.byref(_WORD(value)), 4))

        def attributes(count, which, answers, address):
            _WORD.from_address(_POINTER.from_address(answers).value).value = self._is_page_locked(address)
            return 0

        context, four, two = self.stream_addresses[0], (_LONG,) * 4, (_LONG,) * 2
        kinds = [self._address(lambda *words, kind=kind: copied(*words[:3], kind, words[3]), *four) for kind in (TO_HOST, TO_DEVICE, 3)]
        self.stream_addresses = (context, self._address(self._query, _LONG), *kinds, *self.stream_addresses[5:8],
                                 self._address(self._record, *two), self._address(lambda stream, event, flags: self._after(stream, event),
                                                                                   *two, ctypes.c_uint),
                                 self._address(copy_2d, *two), self._address(attributes, ctypes.c_uint, *(_LONG,) * 3))
        self.image_copy_address = self._address(copy_3d, *two)
        self.write_value_address = self._address(set_word, *two, _WORD, _WORD)
        self.event_query_address = self._address(self._query_event, _LONG)
        self.driver_call = driver_call
        runtime.hostAlloc, runtime.memcpyAsync, runtime.memcpy2DAsync = host_memory, copied, rows
        runtime.streamQuery, runtime.streamWaitEvent = self._query, self._after
        runtime.eventRecord, runtime.eventQuery = self._record, self._query_event
        runtime.freeAsync = lambda memory, stream: self._give(stream, lambda: runtime.memory.pop(memory))

    def is_pageable(self, address):
        return not self._is_page_locked(address)

    def memset(self, address, value, width, count, stream):
        data = value.to_bytes(width, "little") * count
        self._give(stream, lambda: ctypes.memmove(address, data, len(data)))

    def _is_page_locked(self, address):
        return any(start <= address < start + size for start, size in self._page_locked)

    def _is_of_device(self, address):
        return any(0 <= address - ctypes.addressof(block) < len(block) for block in tuple(self.runtime.memory.values()))

    def _stream(self, handle):
        with self._lock:
            if handle not in self._streams:
                self._streams[handle] = LateStream(handle)
            return self._streams[handle]

    def _give(self, handle, work, waits_for=()):
        """Memory of the host's that `waits_for` has is waited for where it is pageable."""
        stream = self._stream(handle)
        number = stream.put(work)
        if waits_for and not any(map(self._is_page_locked, waits_for)):
            stream.wait(number)
        return 0

    def _query(self, handle):
        stream = self._stream(handle)
        return NOT_READY if stream.ended < stream.given else 0

    def _record(self, event, handle):
        self._records[event] = (stream := self._stream(handle)), stream.given
        self.runtime.events[event] = time.perf_counter()
        return 0

    def _query_event(self, event):
        stream, number = self._records.get(event, (None, 0))
        return NOT_READY if stream is not None and stream.ended < number else 0

    def _after(self, handle, event):
        stream, number = self._records.get(event, (None, 0))
        return 0 if stream is None else self._give(handle, lambda: stream.wait(number))
