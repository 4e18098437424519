"""What takes the place of `pyopencl._cl`, PyOpenCL's compiled module: the same names over cl2cuda's runtime.

The classes here decode arguments, call the runtime and wrap what comes back, one file per OpenCL noun; every rule of OpenCL is
checked below, in the runtime. PyOpenCL's own Python layer runs unmodified on top and adds to these classes, so their names and
signatures are its compiled module's.
"""

from __future__ import annotations

import ctypes
from typing import Any

from . import (
    constants,
    context,
    errors,
    event,
    graphics,
    handles,
    image,
    image_transfers,
    kernel,
    memory,
    pipe,
    platform,
    pool,
    program,
    queue,
    svm,
    transfers,
)

# Names by the file that has them.
_EXPORTS: dict[Any, str] = {
    errors: "_ErrorRecord Error MemoryError LogicError RuntimeError",
    handles: "NameVersion",
    platform: "Platform Device DeviceTopologyAmd get_platforms get_cl_header_version unload_platform_compiler "
              "enqueue_copy_buffer_p2p_amd",
    context: "Context",
    queue: "CommandQueue",
    event: "Event NannyEvent UserEvent wait_for_events _enqueue_marker_with_wait_list _enqueue_barrier_with_wait_list "
           "_enqueue_marker _enqueue_wait_for_events _enqueue_barrier",
    memory: "MemoryObjectHolder MemoryObject Buffer enqueue_migrate_mem_objects",
    pipe: "Pipe",
    transfers: "_enqueue_read_buffer _enqueue_write_buffer _enqueue_copy_buffer _enqueue_read_buffer_rect "
               "_enqueue_write_buffer_rect _enqueue_copy_buffer_rect _enqueue_fill_buffer MemoryMap enqueue_map_buffer",
    program: "_Program _create_program_with_il",
    kernel: "Kernel LocalMemory enqueue_nd_range_kernel",
    pool: "AllocatorBase DeferredAllocator ImmediateAllocator MemoryPool PooledBuffer _TestMemoryPool bitlog2",
    image: "ImageFormat ImageDescriptor Image Sampler get_supported_image_formats",
    image_transfers: "_enqueue_read_image _enqueue_write_image _enqueue_copy_image _enqueue_copy_image_to_buffer "
                     "_enqueue_copy_buffer_to_image enqueue_fill_image enqueue_map_image",
    svm: "SVMPointer _SVMPointerAsBuffer SVM SVMAllocation PooledSVM SVMAllocator SVMPool _enqueue_svm_memcpy _enqueue_svm_memfill "
         "_enqueue_svm_map _enqueue_svm_unmap _enqueue_svm_migrate_mem",
    graphics: "have_gl GLBuffer GLRenderBuffer GLTexture enqueue_acquire_gl_objects enqueue_release_gl_objects get_gl_context_info_khr",
}


def _sizeof_size_t() -> int:
    return ctypes.sizeof(ctypes.c_size_t)


def module_contents() -> dict[str, Any]:
    """Everything that the module `pyopencl._cl` holds, by name. The classes say that they come from there."""
    contents: dict[str, Any] = {"_sizeof_size_t": _sizeof_size_t, **constants.constant_classes()}
    for module, names in _EXPORTS.items():
        contents.update((name, getattr(module, name)) for name in names.split())
    for value in contents.values():
        if value.__module__.startswith(__package__):
            value.__module__ = constants.MODULE
    return contents
