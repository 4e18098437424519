"""Handing memory objects between OpenCL and OpenGL or EGL (5.5.12, 5.5.13)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..driver.interface import Stream
from ..graphics.source import SharedMemoryObject
from ..graphics.storage import GraphicsStorage
from ..graphics.sync import LinkedEvent
from ..memory.memory_object import MemoryObject
from ..opengl.share_group import ShareGroup
from ..queue.command import ISSUED, Outcome, Run
from ..queue.event import Event
from ..queue.target import CommandTarget
from ..spec import codes
from ..spec.errors import CLError
from .buffer import check_memory, check_queue

Objects = Sequence[MemoryObject] | None
Groups = set[ShareGroup]


def enqueue_acquire_gl_objects(queue: CommandTarget, mem_objects: Objects, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueAcquireGLObjects: what the calling thread has given to its OpenGL context is waited for."""
    return _acquire("clEnqueueAcquireGLObjects", codes.COMMAND_ACQUIRE_GL_OBJECTS, queue, mem_objects, wait_for, is_egl=False)


def enqueue_release_gl_objects(queue: CommandTarget, mem_objects: Objects, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueReleaseGLObjects: what the calling thread gives to its OpenGL context from now on comes after it, unless the command
    waits for a user event: then the application waits for the command's."""
    return _release("clEnqueueReleaseGLObjects", codes.COMMAND_RELEASE_GL_OBJECTS, queue, mem_objects, wait_for, is_egl=False)


def enqueue_acquire_egl_objects(queue: CommandTarget, mem_objects: Objects, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueAcquireEGLObjectsKHR."""
    return _acquire("clEnqueueAcquireEGLObjectsKHR", codes.COMMAND_ACQUIRE_EGL_OBJECTS_KHR, queue, mem_objects, wait_for, is_egl=True)


def enqueue_release_egl_objects(queue: CommandTarget, mem_objects: Objects, wait_for: Sequence[Event] = ()) -> Event:
    """clEnqueueReleaseEGLObjectsKHR."""
    return _release("clEnqueueReleaseEGLObjectsKHR", codes.COMMAND_RELEASE_EGL_OBJECTS_KHR, queue, mem_objects, wait_for, is_egl=True)


def _acquire(routine: str, kind: int, queue: CommandTarget, mem_objects: Objects, wait_for: Sequence[Event], is_egl: bool) -> Event:
    shared = _checked(routine, queue, mem_objects, is_egl)
    ordered, others = _groups(shared, lambda storage: storage.acquires_in_order(queue.device))
    # "any OpenGL commands which [...] were issued on that OpenGL context prior to the call to clEnqueueAcquireGLObjects will complete
    # before execution of any OpenCL commands following"
    _finish(others)
    # The fences of that context have been reached by now: the command need not wait for whoever would find that out later.
    for event in wait_for:
        if isinstance(event, LinkedEvent):
            event.look()
    storages = [one.shared for one in shared]

    def run(stream: Stream) -> Outcome:
        for storage in storages:
            storage.acquire_shared(stream, queue.device)
        return ISSUED

    def deferred() -> Run:
        _finish(ordered)
        return run

    return queue.submit(routine, kind, run, wait_for, freeze=deferred)


def _release(routine: str, kind: int, queue: CommandTarget, mem_objects: Objects, wait_for: Sequence[Event], is_egl: bool) -> Event:
    shared = _checked(routine, queue, mem_objects, is_egl)
    ordered, others = _groups(shared, lambda storage: storage.releases_in_order())
    storages = [one.shared for one in shared]

    def run(stream: Stream) -> Outcome:
        for storage in storages:
            storage.release_shared(stream, queue.device)
        return ISSUED

    def deferred() -> Run:
        others.update(ordered)
        return run

    event = queue.submit(routine, kind, run, wait_for, freeze=deferred)
    # "any OpenGL commands which [...] are issued on that context after the call to clEnqueueReleaseGLObjects will not execute until
    # after execution of any OpenCL commands preceding"
    if event.wait_until_issued():
        for group in others:
            group.order_calling_thread()
    return event


def _groups(shared: Sequence[SharedMemoryObject], in_order: Callable[[GraphicsStorage[Any, Any]], bool]) -> tuple[Groups, Groups]:
    """The share groups of the objects: those where a command that is not deferred comes by itself in the order of the commands that the
    calling thread gives to the application's context, and the others."""
    ordered: Groups = set()
    others: Groups = set()
    for one in shared:
        if one.source is not None:
            group = one.source.group
            (ordered if group.calling_thread_has_shared() and in_order(one.shared) else others).add(group)
    return ordered - others, others


def _finish(groups: Groups) -> None:
    for group in groups:
        group.finish_calling_thread()


def _checked(routine: str, queue: CommandTarget, mem_objects: Objects, is_egl: bool) -> list[SharedMemoryObject]:
    check_queue(routine, queue)
    # "CL_INVALID_CONTEXT if context associated with command_queue was not created from an OpenGL context"
    if not is_egl and queue.context.graphics.group is None:
        raise CLError(routine, "INVALID_CONTEXT", "the command-queue's context was not created from an OpenGL context")
    # "If num_objects is 0 and mem_objects is NULL the function does nothing"; "CL_INVALID_VALUE if num_objects is zero and mem_objects
    # is not a NULL value"
    if mem_objects is not None and not len(mem_objects):
        raise CLError(routine, "INVALID_VALUE", "the list of memory objects is empty")
    check_memory(routine, queue, *(mem_objects or ()))
    found = []
    for memory in mem_objects or ():
        if not isinstance(memory, SharedMemoryObject) or memory.source is None or memory.source.is_egl != is_egl:
            raise CLError(routine, "INVALID_EGL_OBJECT_KHR" if is_egl else "INVALID_GL_OBJECT",
                          f"{memory!r} was not made of an {'EGLImage' if is_egl else 'OpenGL object'}")
        found.append(memory)
    return found
