"""What tests of the object model say often: a call that must fail, and what a buffer holds."""

from __future__ import annotations

import pytest

from cl2cuda.runtime.commands.buffer import enqueue_read_buffer
from cl2cuda.runtime.spec.errors import CLError


def fails(status, call, *arguments, **more):
    with pytest.raises(CLError) as caught:
        call(*arguments, **more)
    assert caught.value.status == status
    return caught.value.message


def read(fake, buffer, size=None):
    host = bytearray(size or buffer.size)
    enqueue_read_buffer(fake.queue, buffer, True, 0, host)
    return bytes(host)
