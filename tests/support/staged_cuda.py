"""An imagined CUDA for staged copies in C: its functions are a C library's, its streams run on a thread of their own, behind their calls.
As CUDA's, those calls have done with pageable memory when they return: a test may let go of it then."""

from __future__ import annotations

import ctypes

from cl2cuda.runtime.cuda import staging
from cl2cuda.runtime.cuda.device import CudaDevice

from .fake_cuda import FakeCuda

SOURCE = r"""
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
enum { HANDLES = 1024, DEPTH = 1 << 14, BLOCKS = 1024 };
/* `own`: what `from` is, where that is a copy of pageable memory */
struct command { char *to; const char *from; size_t size; long event, recording; char *own; };
static struct stream { struct command commands[DEPTH]; unsigned long given, done; } streams[HANDLES];
static struct { long recorded, reached; } events[HANDLES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int started;
static unsigned long pending;
void *current;
/* held: bit by number of the stream, which does nothing meanwhile; fails_at: the number of the copy that fails, and all calls from then on */
volatile unsigned long held;
volatile long copies, bytes, largest, fails_at, fails_once, queries, delay_us;
static int failed;
/* page-locked memory: the first block is the test's own, the others were allocated so */
static struct { const char *from, *to; } locked[BLOCKS];

static void *run(void *unused)
{
    int idle = 0;
    pthread_mutex_lock(&lock);
    for (;;) {
        int worked = 0;
        for (int i = 0; i < HANDLES; i++) {
            struct stream *stream = &streams[i];
            if (stream->done == stream->given || held >> (i & 63) & 1)
                continue;
            struct command command = stream->commands[stream->done % DEPTH];
            pthread_mutex_unlock(&lock);
            if (command.size && delay_us)
                usleep(delay_us);
            if (command.size)
                memcpy(command.to, command.from, command.size);
            free(command.own);
            pthread_mutex_lock(&lock);
            if (command.event)
                events[command.event].reached = command.recording;
            stream->done++;
            pending--;
            worked = 1;
            pthread_cond_broadcast(&changed);
        }
        idle = pending || worked ? 0 : idle + 1;
        if (idle > 1000) { /* It takes no time of later tests. */
            pthread_cond_wait(&changed, &lock);
        } else if (!worked) {
            pthread_mutex_unlock(&lock);
            usleep(20);
            pthread_mutex_lock(&lock);
        }
    }
    return 0;
}
static int give(long stream, struct command command)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    if (!started++)
        pthread_create(&thread, 0, run, 0);
    if (command.size) {
        copies++;
        bytes += command.size;
        largest = (long)command.size > largest ? (long)command.size : largest;
        if (fails_at && copies == fails_at)
            failed = 1;
    }
    int fails = failed;
    if (fails_once)
        failed = 0;
    if (!fails) {
        if (command.event)
            command.recording = ++events[command.event].recorded;
        streams[stream].commands[streams[stream].given++ % DEPTH] = command;
        pending++;
        pthread_cond_broadcast(&changed);
    }
    pthread_mutex_unlock(&lock);
    return fails ? 719 : 0;
}
static int is_locked(const char *address)
{
    int found = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BLOCKS && !found; i++)
        found = address >= locked[i].from && address < locked[i].to;
    pthread_mutex_unlock(&lock);
    return found;
}
static void set_block(int block, const char *from, long size) { locked[block].from = from, locked[block].to = from + size; }
/* 0 where there is no room to note it */
int allocated(const char *from, long size)
{
    int block = 1;
    pthread_mutex_lock(&lock);
    while (block < BLOCKS && locked[block].from)
        block++;
    if (block < BLOCKS)
        set_block(block, from, size);
    pthread_mutex_unlock(&lock);
    return block < BLOCKS;
}
void freed(const char *from)
{
    pthread_mutex_lock(&lock);
    for (int block = 1; block < BLOCKS; block++)
        if (locked[block].from == from)
            set_block(block, 0, 0);
    pthread_mutex_unlock(&lock);
}
static void wait_for(long s)
{
    pthread_mutex_lock(&lock);
    for (unsigned long given = streams[s].given; streams[s].done < given;)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}
void forget(void) { failed = 0; fails_at = fails_once = copies = bytes = largest = queries = delay_us = 0; held = 0; }
void lock_memory(const char *from, long size) { set_block(0, from, size); }
int context(void **found) { *found = current; return 0; }
int query(long s) { return failed ? 719 : streams[s].done == streams[s].given ? 0 : 600; }
int to_host(char *h, char *m, long n, long s)
{
    int status = give(s, (struct command){ .to = h, .from = m, .size = n });
    if (!status && !is_locked(h))
        wait_for(s);
    return status;
}
int from_host(char *m, const char *h, long n, long s)
{
    char *own = is_locked(h) ? 0 : memcpy(malloc(n), h, n);
    int status = give(s, (struct command){ .to = m, .from = own ? own : h, .size = n, .own = own });
    if (status)
        free(own);
    return status;
}
int record(long e, long s) { return give(s, (struct command){ .event = e }); }
int query_event(long e)
{
    pthread_mutex_lock(&lock);
    int status = failed ? 719 : events[e].reached == events[e].recorded ? 0 : 600;
    queries++;
    pthread_mutex_unlock(&lock);
    return status;
}
int nothing(void) { return 0; }
int attributes(unsigned n, const int *which, void **answers, const char *address)
{
    *(unsigned *)answers[0] = is_locked(address);
    return 0;
}
"""
STAGING = ("query", "to_host", "from_host", "record", "query_event")
STREAM = ("context", "query", "to_host", "from_host", *("nothing",) * 4, "record", *("nothing",) * 2, "attributes")


class StagedCuda(FakeCuda):
    """`by_itself` are the sizes of pageable copies that were left to CUDA."""

    def __init__(self, compiled):
        super().__init__()
        self.compiled = compiled
        compiled.forget()
        compiled.lock_memory.argtypes = compiled.allocated.argtypes = [ctypes.c_void_p, ctypes.c_long]
        compiled.freed.argtypes = [ctypes.c_void_p]
        compiled.lock_memory(None, 0)
        self.runtime.hostAlloc, self.runtime.freeHost = self._allocate_host, self._free_host
        self.staging_addresses, self.stream_addresses = (
            tuple(ctypes.cast(getattr(compiled, name), ctypes.c_void_p).value for name in names) for names in (STAGING, STREAM))
        ctypes.c_void_p.in_dll(compiled, "current").value = self.driver.ctxGetCurrent()
        # What Python gives to a stream, and asks of it, is in the same order as what C does.
        self.runtime.streamQuery, self.runtime.eventQuery = compiled.query, compiled.query_event
        self.runtime.eventRecord = lambda event, stream: self.runtime.check_status(compiled.record(event, stream))
        self.by_itself = []
        plain, self.runtime.memcpyAsync = self.runtime.memcpyAsync, lambda *words: self.by_itself.append(words[2]) or plain(*words)

    def _allocate_host(self, size, flags):
        address = self.runtime.malloc(size)
        assert self.compiled.allocated(address, size)
        return address

    def _free_host(self, address):
        self.compiled.freed(address)
        self.runtime.free(address)

    def is_pageable(self, address):
        return not any(start <= address < start + len(block) for start, block in list(self.runtime.memory.items()))

    def number(self, name):
        return ctypes.c_long.in_dll(self.compiled, name)


def staged_device(compiled, monkeypatch, threads=4, before_slots=-1):
    """A device of such a CUDA, on a machine of many processors, where slots are made for the first copy that wants some."""
    monkeypatch.setattr(staging, "BEFORE_SLOTS", before_slots)
    monkeypatch.setattr(staging, "threads", lambda: threads)
    monkeypatch.setattr(staging.processors, "count", lambda: 16)
    return CudaDevice(StagedCuda(compiled), 0)
