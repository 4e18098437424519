"""Queues of a CUDA whose functions are a C library's, which notes what each stream was given, and in which order."""

from __future__ import annotations

import ctypes

from cl2cuda import pyopencl as cl
from cl2cuda.runtime.cuda.launching import HELD, LET_GO, WAITED_NS
from cl2cuda.runtime.native import library

from .fake_cuda import FakeCuda
from .imagined_device import device_of

# What each stream was given, in the order of the calls: 'L' a launch, 'C' a copy, whose event is 1 where it is one to the device by its own
# call, 'R' a record and 'W' a wait, with the event, 'T' a graph of
# a launch between two records, whose events are `timed`, 'G' a graph of a launch alone, 'D' one of a copy, whose kind is `copied_by` (0 to the device, 1 to the host, 2 on it),
# 'P' pages of shared memory that the device asks for, 'F' a word of the host's that the stream sets.
SOURCE = r"""
#include <stddef.h>
#include <string.h>
struct { long kind, stream, event; } entries[4096];
int logged, busy, queries, fails, fails_at; /* `fails_at`: the call that fails, counted by `logged` */
long argument, function; unsigned sizes[7]; /* of the last launch: its blocks and threads, and its shared bytes */
static int note(long kind, void *stream, long event) /* of any thread */
{
    int at = __atomic_fetch_add(&logged, 1, __ATOMIC_SEQ_CST);
    entries[at].kind = kind, entries[at].stream = (long)stream, entries[at].event = event;
    return fails || at + 1 == fails_at;
}
void (*within)(void); /* where it is set, called within queries and launches */
static void go_within(void) { if (within) within(); }
void *current;
int context(void **found) { *found = current; return 0; }
int query(void *s) { go_within(), queries++; return busy & 1 << ((long)s & 7) ? 600 : 0; }
int copied(char *to, const char *from, long n, void *s) { return fails ? fails : (memmove(to, from, n), note('C', s, 0)); }
int written(char *to, const char *from, long n, void *s) { return fails ? fails : (memmove(to, from, n), note('C', s, 1)); }
int filled(long m, unsigned v, long n, void *s) { return note('C', s, 0); }
long launched, ended, recorded[1024]; /* how many launches there were, and have ended, and were before an event's last record */
/* When an event was recorded last, by the number of records, and in which stream: until that is busy no more it has not been reached. */
long records, when[1024], places[1024], us_per_record = 1;
static void note_record(long e, void *s) { when[e & 1023] = ++records, places[e & 1023] = (long)s; }
int record(long e, void *s) { note_record(e, s), recorded[e & 1023] = launched; return note('R', s, e); }
int elapsed(float *ms, long start, long end)
{
    *ms = (when[end & 1023] - when[start & 1023]) * us_per_record * 1e-3f;
    return busy & 1 << (places[end & 1023] & 7) ? 600 : 0;
}
int query_event(long e) { return fails ? fails : ended < recorded[e & 1023] ? 600 : 0; }
int flags_fail, flags_come; /* of words that a stream sets: whether CUDA refuses to, and whether they are set at once */
int write_value(void *s, unsigned *word, unsigned value, unsigned flags)
{
    note('F', s, flags);
    if (flags_come)
        *word = value;
    return flags_fail;
}
int wait_for(void *s, long e, unsigned flags) { return note('W', s, e); }
int copied_2d(void *d, void *s) { return note('C', s, 0); }
int fetched(long m, long n, int device, void *s) { return note('P', s, n); }
int attributes(unsigned n, const int *which, void **answers, long address) { *(unsigned *)answers[0] = 0; return 0; }
int launch(void *f, unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned g, unsigned h, void *s, void **p, void **x)
{
    const unsigned given[7] = { a, b, c, d, e, g, h };
    go_within();
    argument = *(long *)p[0], function = (long)f;
    memcpy(sizes, given, sizeof sizes);
    __atomic_fetch_add(&launched, 1, __ATOMIC_SEQ_CST);
    return note('L', s, 0);
}
struct config { unsigned sizes[7]; void *stream, *attributes; unsigned count; };
int launch_extended(const struct config *c, void *f, void **p, void **x)
{
    go_within();
    argument = *(long *)p[0], function = (long)f;
    memcpy(sizes, c->sizes, sizeof sizes);
    __atomic_fetch_add(&launched, 1, __ATOMIC_SEQ_CST);
    return note('L', c->stream, 0);
}
enum { BEGUN, ENDED, KERNEL, COPY };
long timed[2], graphs, no_graphs, no_repeated, graph_fails, copied_by, copies[3]; /* a copy's words: to, from, bytes */
/* A graph's handle is the address of `timed`, of `alone`, or of the kind of its copy. */
static char alone;
long events; /* that are there */
int new_event(long *e, unsigned flags) { *e = 1000 + events++; return 0; }
int end_event(long e) { events--; return 0; }
static long kinds[3] = { 0, 1, 2 };
static long added = -1, has_records;
int create(void **g, unsigned flags) { *g = timed; graphs++; added = -1, has_records = 0; return 0; }
int end(void *g) { graphs--; return 0; }
int set_event(void *m, long node, long e) { timed[node] = e; return 0; }
int add_record(long *node, void *g, void **behind, size_t count, long e)
{
    *node = count ? ENDED : BEGUN;
    has_records = 1;
    return set_event(g, *node, e);
}
int add_kernel(long *node, void *g, void **behind, size_t count, void *grid) { *node = KERNEL; return 0; }
struct end { size_t x, y, z, level; unsigned memory_type; long host, device; void *array, *reserved; size_t pitch, height; };
struct copy { struct end source, target; size_t width, height, depth; };
static long place(const struct end *end) { return end->memory_type == 1 ? end->host : end->device; }
static long kind_of(const struct copy *c) { return c->source.memory_type == 1 ? 0 : c->target.memory_type == 1 ? 1 : 2; }
int set_copy(void *m, long node, const struct copy *c, void *x)
{
    long words[] = { place(&c->target), place(&c->source), (long)c->width };
    memcpy(copies, words, sizeof words);
    return graph_fails || x != current || kind_of(c) != *(long *)m || c->height != 1 || c->depth != 1;
}
int add_copy(long *node, void *g, void **behind, size_t count, const struct copy *c, void *x)
{
    *node = COPY;
    added = kind_of(c);
    return set_copy(&kinds[added], *node, c, x);
}
int instantiate(void **m, void *g, unsigned long long flags)
{
    *m = !has_records ? (void *)&alone : added < 0 ? g : &kinds[added];
    return no_graphs || (no_repeated && !has_records);
}
int end_made(void *m) { return 0; }
int set_kernel(void *m, long node, long **grid) { argument = *((long **)grid[5])[0]; return graph_fails; }
int launch_graph(void *m, void *s)
{
    if (m == &alone) {
        go_within();
        __atomic_fetch_add(&launched, 1, __ATOMIC_SEQ_CST);
        return note('G', s, 0);
    }
    note_record(timed[0], s), note_record(timed[1], s);
    if (m == timed)
        return note('T', s, 0);
    copied_by = *(long *)m;
    memmove((void *)copies[0], (void *)copies[1], copies[2]);
    return note('D', s, 0);
}
"""
STREAM_FUNCTIONS = ("context", "query", "copied", "written", "copied", *("filled",) * 3, "record", "wait_for", "copied_2d", "attributes")
GRAPH_FUNCTIONS = ("create", "end", "add_record", "add_kernel", "instantiate", "end_made", "set_kernel", "set_event", "launch_graph",
                   "add_copy", "set_copy", "new_event", "end_event", "record", "elapsed")


class Entry(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_long), ("stream", ctypes.c_long), ("event", ctypes.c_long)]


def noted_cuda(compiled):
    """A CUDA whose functions are those of the compiled `SOURCE`."""
    cuda = FakeCuda()

    def addresses(names):
        return tuple(ctypes.cast(getattr(compiled, name), ctypes.c_void_p).value for name in names)

    cuda.stream_addresses, cuda.graph_addresses = addresses(STREAM_FUNCTIONS), addresses(GRAPH_FUNCTIONS)
    cuda.event_query_address, cuda.elapsed_address = addresses(("query_event", "elapsed"))
    cuda.shared_memory_addresses = addresses(("copied", "fetched"))
    cuda.launch_addresses = addresses(("launch", "context", "launch_extended"))
    if library.calls() is not None:
        cuda.native_launching = library.calls().launching((cuda.launch_addresses[0], 0), HELD, LET_GO, WAITED_NS, cuda.graph_addresses)
    busy = ctypes.c_int.in_dll(compiled, "busy")
    cuda.runtime.streamQuery = lambda stream: 600 if busy.value & 1 << (stream & 7) else 0
    ctypes.c_void_p.in_dll(compiled, "current").value = cuda.driver.ctxGetCurrent()
    return cuda


class NotedStreams:
    """Two queues in order, one that is out of order, and a buffer, over the compiled `SOURCE`."""

    def __init__(self, compiled):
        self.logged, self.busy, self.queries, self.fails, self.fails_at = (
            ctypes.c_int.in_dll(compiled, name) for name in ("logged", "busy", "queries", "fails", "fails_at"))
        self.logged.value = self.busy.value = self.fails.value = self.fails_at.value = 0
        self.argument, self.function, self.graphs, self.no_graphs, self.graph_fails, self.copied_by = (
            ctypes.c_long.in_dll(compiled, name) for name in ("argument", "function", "graphs", "no_graphs", "graph_fails", "copied_by"))
        self.events, self.us_per_record = (ctypes.c_long.in_dll(compiled, name) for name in ("events", "us_per_record"))
        self.us_per_record.value = 1
        self.launched, self.ended = (ctypes.c_long.in_dll(compiled, name) for name in ("launched", "ended"))
        self.sizes = (ctypes.c_uint * 7).in_dll(compiled, "sizes")
        self.recorded = (ctypes.c_long * 1024).in_dll(compiled, "recorded")
        self.launched.value, self.ended.value = 0, 1 << 62
        self.no_repeated = ctypes.c_long.in_dll(compiled, "no_repeated")
        self.no_graphs.value = self.no_repeated.value = self.graph_fails.value = 0
        self.timed, self.copies = ((ctypes.c_long * n).in_dll(compiled, name) for n, name in ((2, "timed"), (3, "copies")))
        self.entries = (Entry * 4096).in_dll(compiled, "entries")
        cuda = noted_cuda(compiled)
        self.cuda = cuda
        self.recordings: dict[int, str] = {}
        self.context = cl.Context([device_of(cuda)])
        self.first, self.second = cl.CommandQueue(self.context), cl.CommandQueue(self.context)
        self.unordered = cl.CommandQueue(self.context, properties=cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE)
        self.buffer = cl.Buffer(self.context, cl.mem_flags.READ_WRITE, 4096)
        self.handles = {self.stream(queue): name for queue, name in ((self.first, "a"), (self.second, "b"), (self.unordered, "u"))}

    def stream(self, queue):
        return queue._core.stream.handle

    def taken(self):
        """What streams were given since the last time: "aL" is a launch in a, "aR" a record, "b<a" a wait of b for a, where a has just been
        recorded "b<<a"."""
        found = []
        for entry in self.entries[: self.logged.value]:
            kind, name = chr(entry.kind), self.handles.get(entry.stream) or self.names(entry.stream)
            if kind == "R":
                self.recordings[entry.event] = name
            if kind != "W":
                found.append(name + kind)
                continue
            other = self.recordings[entry.event]
            if found and found[-1] == other + "R":
                found[-1] = f"{name}<<{other}"
            else:
                found.append(f"{name}<{other}")
        self.logged.value = 0
        return " ".join(found)

    def names(self, handle):
        """Streams that the queue out of order has opened."""
        for number, timeline in enumerate(self.unordered._core.timelines):
            self.handles.setdefault(timeline.stream.handle, f"u{number}")
        return self.handles[handle]

    def stream_of(self, event):
        return event._core.timeline.stream.handle

    def make_busy(self, *handles):
        self.busy.value = sum({1 << (handle & 7) for handle in handles})

    def make_busy_until_asked(self, *handles):
        """Until Python has asked for a stream: by then what is in C has waited as long as it does."""
        self.make_busy(*handles)
        runtime, genuine = self.cuda.runtime, self.cuda.runtime.streamQuery

        def asked(stream):
            answer, runtime.streamQuery, self.busy.value = genuine(stream), genuine, 0
            return answer

        runtime.streamQuery = asked

    @property
    def streams(self):
        return [timeline.stream.handle for timeline in self.unordered._core.timelines]
