"""What client and worker say to each other, by numbers: the one table that both sides read.

Three kinds of connection lead from a client to a worker's service (`wire` has their frames):

- one that is watched: the worker answers every PING, whatever else it does;
- some for requests, each with one reply;
- one for each stream. Its frames are a BATCH of commands, or one command with a payload; the worker executes them in order, and
  its frames are notices.

A worker opens the same kind of connection to another, for contents that it fetches from there.
"""

from __future__ import annotations

# The first frame of a connection says what it is.
WATCH, REQUESTS, STREAM, CONTENTS = "watch", "requests", "stream", "contents"
PING = "ping"

# Commands, with what follows the number.
LAUNCH = 1  # plan, values of the parameters
PLAN = 2  # plan, function, work_dim, global size, local size, offset, dynamic local memory, offsets of the parameters, skew, size
DROP_PLANS = 3  # plans
COPY = 4  # destination, source, size
COPY_RECT = 5  # destination, its pitches, source, its pitches, region
COPY_IMAGE = 6  # destination, source, region; a place is (address, row pitch, slice pitch) or [image, level, offset]
FILL = 7  # destination, pattern, size
FILL_IMAGE = 8  # place, element, region
WRITE = 9  # destination, bytes; with a payload: destination
WRITE_RECT = 10  # destination, its pitches, region, bytes; with a payload without the bytes
WRITE_IMAGE = 11  # place, region, bytes; with a payload without the bytes
READ = 12  # read, source, size
READ_RECT = 13  # read, source, its pitches, region
READ_IMAGE = 14  # read, place, region
FENCE = 15  # number, whether its time is asked for
AFTER = 16  # stream, number of its fence, whether a failure before it does not matter; else as GATE
GATE = 17  # gate: what comes next waits for it; where it opens with a failure the rest of the parts are left out
FETCH = 18  # place, region, the other worker (its place, the client's number there, the device's), place there
PUT = 19  # place, region, the other worker, place there
CLOSE = 20  # nothing: the stream ends when all commands have
BATCH = 21  # a list of commands
PART = 22  # what it is a part of, then a command
LAST_PART = 23  # whether the next fence tells of the parts' failure; always a PART itself

# Notices.
TAKEN = 1  # number of frames that were executed or given to the device's driver
REACHED = 2  # number of the fence, its time or 0, failure or None, whether it was a PART: then a later one may tell the failure, too
CONTENT = 3  # read, where the payload belongs in it, whether it is the last piece

# Requests, each with the device's number first.
ALLOCATE = "allocate"  # size -> address
FREE = "free"  # addresses; no reply
COMPILE = "compile"  # options; the payload is the translation -> nothing; the payload is the binary
IDENTITY = "identity"  # options -> text
LOG = "log"  # digest of a binary -> text
LOAD = "load"  # digest -> module, or None: it is wanted as the payload of the next request
FUNCTION = "function"  # module, kernel -> function and its facts
UNLOAD = "unload"  # module; no reply
IMAGE = "image"  # layout, memory or None -> image, the place of each level or None
ARGUMENT = "argument"  # image, format, sampled -> bytes
CLOSE_IMAGE = "close image"  # image; no reply
OPEN_GATE = "open gate"  # gate, failure or None; no reply

# What one worker asks of another: device, place, region.
GET, SET = "get", "set"

WITHOUT_REPLY = frozenset((FREE, UNLOAD, CLOSE_IMAGE, OPEN_GATE))
