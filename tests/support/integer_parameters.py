"""Every integer that PyOpenCL's interface takes: for each parameter a call that gives it, and an answer to compare.

A call is made with `n`, which turns the number as it should be into the number as it is given: `n(16)` may be 16, numpy.int32(16) or
anything else. `PARAMETERS` are those of a C type; `CAST` stand in a sequence or may be None, and PyOpenCL casts them itself. The keys
are the names of `pyopencl._cl`'s functions and of their parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import cl2cuda.pyopencl.array as cl_array
import numpy as np

from cl2cuda import pyopencl as cl
from cl2cuda.pyopencl_cl import module_contents

C = SimpleNamespace(**module_contents())
READ_WRITE, COPY_HOST_PTR, USE_HOST_PTR = cl.mem_flags.READ_WRITE, cl.mem_flags.COPY_HOST_PTR, cl.mem_flags.USE_HOST_PTR
RGBA = cl.ImageFormat(cl.channel_order.RGBA, cl.channel_type.UNORM_INT8)
IMAGE2D = cl.mem_object_type.IMAGE2D
PITCHES = {"buffer_pitches": (32,), "host_pitches": (16,)}

SOURCE = """
kernel void ids(global int *out) { out[get_global_id(0)] = get_global_id(0) * 100 + get_local_size(0); }
kernel void take(global int *out, int value, local int *part) { out[get_global_id(0)] = value; }
"""


class Objects:
    """What the calls use, and how their effects are read."""

    def __init__(self, device: Any):
        self.device, self.ctx = device, cl.Context([device])
        self.queue = cl.CommandQueue(self.ctx, properties=cl.command_queue_properties.PROFILING_ENABLE)
        self.bytes = np.arange(256, dtype=np.uint8)
        self.source = cl.Buffer(self.ctx, READ_WRITE | COPY_HOST_PTR, hostbuf=self.bytes)
        self.program = cl.Program(self.ctx, SOURCE).build("-cl-kernel-arg-info")
        self.ids, self.take = cl.Kernel(self.program, "ids"), cl.Kernel(self.program, "take")
        self.allocator = C.ImmediateAllocator(self.queue)
        self.image, self.other_image = self.new_image(), self.new_image()
        self.pixels = self.bytes.reshape(8, 8, 4)
        cl.enqueue_copy(self.queue, self.image, self.pixels, origin=(0, 0), region=(8, 8))

    def new_buffer(self) -> Any:
        buffer = cl.Buffer(self.ctx, READ_WRITE, 256)
        cl.enqueue_fill_buffer(self.queue, buffer, np.uint8(0), 0, 256)
        return buffer

    def new_image(self) -> Any:
        return cl.create_image(self.ctx, READ_WRITE, RGBA, shape=(8, 8)) if hasattr(cl, "create_image") else cl.Image(
            self.ctx, READ_WRITE, RGBA, shape=(8, 8))

    def held(self, buffer: Any) -> bytes:
        found = np.empty(buffer.size, np.uint8)
        cl.enqueue_copy(self.queue, found, buffer)
        return found.tobytes()

    def after(self, command: Callable[[Any], Any]) -> bytes:
        """What a buffer of zeros holds after the command."""
        buffer = self.new_buffer()
        command(buffer)
        return self.held(buffer)

    def filled(self, command: Callable[[np.ndarray], Any], shape: Any = 64) -> bytes:
        """What host memory of zeros holds after the command."""
        found = np.zeros(shape, np.uint8)
        command(found)
        return found.tobytes()

    def of_image(self, image: Any) -> bytes:
        return self.filled(lambda found: cl.enqueue_copy(self.queue, found, image, origin=(0, 0), region=(8, 8)), (8, 8, 4))

    def mapped(self, *where: Any, **more: Any) -> bytes:
        array, _ = cl.enqueue_map_buffer(self.queue, self.source, *where, **more)
        try:
            return array.tobytes()
        finally:
            array.base.release(self.queue)

    def mapped_image(self, flags: Any, origin: Any, region: Any, shape: Any, **more: Any) -> bytes:
        array = cl.enqueue_map_image(self.queue, self.image, flags, origin, region, shape, np.uint32, **more)[0]
        try:
            return array.tobytes()
        finally:
            array.base.release(self.queue)

    def launched(self, *sizes: Any, **more: Any) -> bytes:
        def launch(buffer: Any) -> None:
            kernel = cl.Kernel(self.program, "ids")
            kernel.set_args(buffer)
            C.enqueue_nd_range_kernel(self.queue, kernel, *sizes, **more)

        return self.after(launch)

    def described(self, **fields: Any) -> Any:
        """The image of a descriptor."""
        descriptor = cl.ImageDescriptor()
        descriptor.image_type, descriptor.shape = IMAGE2D, (8, 8, 1)
        for name, value in fields.items():
            setattr(descriptor, name, value)
        image = C.Image.__new__(C.Image)
        C.Image._custom_init(image, self.ctx, READ_WRITE, RGBA, descriptor, None)
        return image.size

    def svm(self) -> Any:
        memory = cl.SVMAllocation(self.ctx, 64, 0, cl.svm_mem_flags.READ_WRITE)
        C._enqueue_svm_memfill(self.queue, memory, np.arange(16, dtype=np.uint8))
        return memory

    def in_svm(self, command: Callable[[Any], Any]) -> bytes:
        memory = self.svm()
        command(memory)
        return self.filled(lambda found: C._enqueue_svm_memcpy(self.queue, True, C.SVM(found), memory))


Call = Callable[[Objects, Callable[[int], Any]], Any]

PARAMETERS: dict[str, Call] = {
    "NameVersion.__init__ version": lambda o, n: C.NameVersion(n(5), "name").version,
    "Platform.get_devices device_type": lambda o, n: o.device.platform.get_devices(n(o.device.type)),
    "Device.get_info arg": lambda o, n: o.device.get_info(n(cl.device_info.VENDOR_ID)),
    "DeviceTopologyAmd.__init__ bus": lambda o, n: C.DeviceTopologyAmd(n(5), 0, 0).bus,
    "DeviceTopologyAmd.__init__ device": lambda o, n: C.DeviceTopologyAmd(0, n(5), 0).device,
    "DeviceTopologyAmd.__init__ function": lambda o, n: C.DeviceTopologyAmd(0, 0, n(5)).function,
    "Context.get_info arg": lambda o, n: o.ctx.get_info(n(cl.context_info.NUM_DEVICES)),
    "CommandQueue.__init__ properties": lambda o, n: cl.CommandQueue(o.ctx, properties=n(2)).properties,
    "Event.get_profiling_info arg":
        lambda o, n: cl.enqueue_marker(o.queue).get_info(cl.event_info.COMMAND_TYPE) and _profiled(o, n),
    "Event.set_callback status": lambda o, n: cl.enqueue_marker(o.queue).set_callback(n(0), _nothing),
    "UserEvent.set_status status": lambda o, n: cl.UserEvent(o.ctx).set_status(n(0)),
    "MemoryObjectHolder.get_info arg": lambda o, n: o.source.get_info(n(cl.mem_info.SIZE)),
    "Buffer.__init__ flags": lambda o, n: cl.Buffer(o.ctx, n(READ_WRITE), 64).flags,
    "Buffer.__init__ size": lambda o, n: cl.Buffer(o.ctx, READ_WRITE, n(64)).size,
    "Buffer.get_sub_region origin": lambda o, n: o.held(cl.Buffer(o.ctx, READ_WRITE | COPY_HOST_PTR, hostbuf=np.arange(
        16384, dtype=np.uint8)).get_sub_region(n(o.device.mem_base_addr_align // 8), 16)),
    "Buffer.get_sub_region size": lambda o, n: o.held(o.source.get_sub_region(0, n(16))),
    "Buffer.get_sub_region flags": lambda o, n: o.source.get_sub_region(0, 16, n(cl.mem_flags.READ_ONLY)).flags,
    "enqueue_migrate_mem_objects flags": lambda o, n: _command(cl.enqueue_migrate_mem_objects(o.queue, [o.source], n(0))),
    "Pipe.__init__ flags": lambda o, n: cl.Pipe(o.ctx, n(READ_WRITE), 4, 8).flags,
    "Pipe.__init__ packet_size": lambda o, n: cl.Pipe(o.ctx, READ_WRITE, n(4), 8).packet_size,
    "Pipe.__init__ max_packets": lambda o, n: cl.Pipe(o.ctx, READ_WRITE, 4, n(8)).max_packets,
    "Pipe.get_pipe_info arg": lambda o, n: cl.Pipe(o.ctx, READ_WRITE, 4, 8).get_pipe_info(n(cl.pipe_info.MAX_PACKETS)),
    "_enqueue_read_buffer src_offset": lambda o, n: o.filled(lambda h: cl.enqueue_copy(o.queue, h, o.source, src_offset=n(16))),
    "_enqueue_write_buffer dst_offset": lambda o, n: o.after(lambda b: cl.enqueue_copy(o.queue, b, o.bytes[1:9], dst_offset=n(16))),
    "_enqueue_copy_buffer byte_count": lambda o, n: o.after(lambda b: cl.enqueue_copy(o.queue, b, o.source, byte_count=n(16))),
    "_enqueue_copy_buffer src_offset":
        lambda o, n: o.after(lambda b: cl.enqueue_copy(o.queue, b, o.source, byte_count=16, src_offset=n(16))),
    "_enqueue_copy_buffer dst_offset":
        lambda o, n: o.after(lambda b: cl.enqueue_copy(o.queue, b, o.source, byte_count=16, dst_offset=n(16))),
    "_enqueue_fill_buffer offset": lambda o, n: o.after(lambda b: cl.enqueue_fill_buffer(o.queue, b, np.int32(7), n(16), 16)),
    "_enqueue_fill_buffer size": lambda o, n: o.after(lambda b: cl.enqueue_fill_buffer(o.queue, b, np.int32(7), 16, n(32))),
    "enqueue_map_buffer flags": lambda o, n: o.mapped(n(cl.map_flags.READ), 16, (4,), np.uint8),
    "enqueue_map_buffer offset": lambda o, n: o.mapped(cl.map_flags.READ, n(16), (4,), np.uint8),
    "enqueue_map_buffer shape": lambda o, n: o.mapped(cl.map_flags.READ, 16, n(4), np.uint8),
    "_Program.get_build_info arg": lambda o, n: o.program._get_prg().get_build_info(o.device, n(cl.program_build_info.STATUS)),
    "Kernel.set_arg arg_index": lambda o, n: o.take.set_arg(n(1), np.int32(3)),
    "Kernel._set_arg_null arg_index": lambda o, n: o.take._set_arg_null(n(0)),
    "Kernel._set_arg_buf arg_index": lambda o, n: o.take._set_arg_buf(n(1), np.int32(3)),
    "Kernel._set_arg_svm arg_index": lambda o, n: o.take._set_arg_svm(n(0), o.svm()),
    "Kernel.get_work_group_info param":
        lambda o, n: cl.Kernel(o.program, "take").get_work_group_info(n(cl.kernel_work_group_info.WORK_GROUP_SIZE), o.device),
    "Kernel.get_arg_info index": lambda o, n: o.take.get_arg_info(n(1), cl.kernel_arg_info.NAME),
    "Kernel.get_arg_info param_name": lambda o, n: o.take.get_arg_info(1, n(cl.kernel_arg_info.NAME)),
    "Kernel.get_sub_group_info param": lambda o, n: o.take.get_sub_group_info(o.device, n(0x11B9)),
    "LocalMemory.__init__ size": lambda o, n: cl.LocalMemory(n(64)).size,
    "AllocatorBase.__call__ size": lambda o, n: o.allocator(n(64)).size,
    "DeferredAllocator.__init__ mem_flags": lambda o, n: C.DeferredAllocator(o.ctx, n(4))(16).flags,
    "ImmediateAllocator.__init__ mem_flags": lambda o, n: C.ImmediateAllocator(o.queue, n(4))(16).flags,
    "MemoryPool.__init__ leading_bits_in_bin_id": lambda o, n: C.MemoryPool(o.allocator, n(3)).allocate(65).size,
    "MemoryPool.allocate size": lambda o, n: C.MemoryPool(o.allocator).allocate(n(65)).size,
    "MemoryPool.__call__ size": lambda o, n: C.MemoryPool(o.allocator)(n(65)).size,
    "_TestMemoryPool.__init__ leading_bits_in_bin_id": lambda o, n: C._TestMemoryPool(n(3)).bin_number(65),
    "_TestMemoryPool.allocate size": lambda o, n: C._TestMemoryPool().allocate(n(65)),
    "_Pool.bin_number size": lambda o, n: C._TestMemoryPool().bin_number(n(65)),
    "_Pool.alloc_size bin_number": lambda o, n: C._TestMemoryPool().alloc_size(n(65)),
    "bitlog2 arg": lambda o, n: C.bitlog2(n(65)),
    "ImageFormat.__init__ channel_order": lambda o, n: cl.ImageFormat(n(0x10B5), 0x10D2).itemsize,
    "ImageFormat.__init__ channel_type": lambda o, n: cl.ImageFormat(0x10B5, n(0x10D2)).itemsize,
    "ImageDescriptor.image_type": lambda o, n: o.described(image_type=n(IMAGE2D)),
    "ImageDescriptor.array_size": lambda o, n: o.described(array_size=n(1)),
    "ImageDescriptor.num_mip_levels": lambda o, n: o.described(num_mip_levels=n(0)),
    "ImageDescriptor.num_samples": lambda o, n: o.described(num_samples=n(0)),
    "Image._custom_init flags": lambda o, n: cl.create_image(o.ctx, n(READ_WRITE), RGBA, shape=(8, 8)).flags,
    "Image.get_image_info arg": lambda o, n: o.image.get_image_info(n(cl.image_info.WIDTH)),
    "get_supported_image_formats flags": lambda o, n: cl.get_supported_image_formats(o.ctx, n(READ_WRITE), IMAGE2D),
    "get_supported_image_formats image_type": lambda o, n: cl.get_supported_image_formats(o.ctx, READ_WRITE, n(IMAGE2D)),
    "Sampler.__init__ addressing mode": lambda o, n: cl.Sampler(o.ctx, False, n(0x1131), 0x1140).addressing_mode,
    "Sampler.__init__ filter mode": lambda o, n: cl.Sampler(o.ctx, False, 0x1131, n(0x1141)).filter_mode,
    "_enqueue_read_image row_pitch":
        lambda o, n: o.filled(lambda h: C._enqueue_read_image(o.queue, o.image, (0, 0), (4, 2), h, n(32)), 48),
    "_enqueue_read_image slice_pitch":
        lambda o, n: o.filled(lambda h: C._enqueue_read_image(o.queue, o.image, (0, 0), (4, 2), h, 32, n(0)), 48),
    "_enqueue_write_image row_pitch": lambda o, n: (
        C._enqueue_write_image(o.queue, o.other_image, (0, 0), (4, 8), o.bytes[:240].copy(), n(32)), o.of_image(o.other_image))[1],
    "_enqueue_write_image slice_pitch": lambda o, n: (
        C._enqueue_write_image(o.queue, o.other_image, (0, 0), (4, 8), o.bytes[:240].copy(), 32, n(0)), o.of_image(o.other_image))[1],
    "_enqueue_copy_image_to_buffer offset":
        lambda o, n: o.after(lambda b: cl.enqueue_copy(o.queue, b, o.image, offset=n(16), origin=(1, 1), region=(2, 2))),
    "_enqueue_copy_buffer_to_image offset": lambda o, n: (
        cl.enqueue_copy(o.queue, o.other_image, o.source, offset=n(16), origin=(1, 1), region=(2, 2)), o.of_image(o.other_image))[1],
    "enqueue_map_image flags": lambda o, n: o.mapped_image(n(cl.map_flags.READ), (0, 0), (8, 8), (8, 8)),
    "SVMAllocation.__init__ size": lambda o, n: cl.SVMAllocation(o.ctx, n(64), 0, 1).size,
    "SVMAllocation.__init__ alignment": lambda o, n: cl.SVMAllocation(o.ctx, 64, n(64), 1).svm_ptr % 64,
    "SVMAllocation.__init__ flags": lambda o, n: cl.SVMAllocation(o.ctx, 64, 0, n(1)).size,
    "SVMAllocator.__init__ alignment": lambda o, n: C.SVMAllocator(o.ctx, alignment=n(64))(64).svm_ptr % 64,
    "SVMAllocator.__init__ flags": lambda o, n: C.SVMAllocator(o.ctx, flags=n(1))(64).size,
    "SVMAllocator.__call__ size": lambda o, n: C.SVMAllocator(o.ctx)(n(64)).size,
    "SVMPool.__init__ leading_bits_in_bin_id": lambda o, n: C.SVMPool(C.SVMAllocator(o.ctx), n(3))(65).size,
    "SVMPool.__call__ size": lambda o, n: C.SVMPool(C.SVMAllocator(o.ctx))(n(65)).size,
    "_enqueue_svm_map flags": lambda o, n: _command(C._enqueue_svm_map(o.queue, True, n(1), o.svm())),
    "_enqueue_svm_migrate_mem flags": lambda o, n: _command(C._enqueue_svm_migrate_mem(o.queue, [o.svm()], n(0))),
    "Array offset": lambda o, n: cl_array.Array(o.queue, (4,), np.uint8, data=o.source, offset=n(16)).get().tobytes(),
    "Array offset, mapped": lambda o, n: cl_array.Array(o.queue, (4,), np.uint8, data=o.source, offset=n(16)).map_to_host().tobytes(),
}

CAST: dict[str, Call] = {
    "Device.create_sub_devices properties": lambda o, n: len(_split(o, [n(cl.device_partition_property.EQUALLY), n(1)])),
    "Context.__init__ dev_type": lambda o, n: cl.Context(dev_type=n(o.device.type)).num_devices,
    "Context.__init__ properties":
        lambda o, n: cl.Context([o.device], properties=[(n(cl.context_properties.PLATFORM), o.device.platform)]).properties,
    "CommandQueue.__init__ properties": lambda o, n: cl.CommandQueue(o.ctx, properties=[n(0x1093), n(2)]).properties,
    "MemoryObjectHolder.get_host_array shape":
        lambda o, n: cl.Buffer(o.ctx, READ_WRITE | USE_HOST_PTR, hostbuf=o.bytes).get_host_array((n(4), n(2)), np.uint8).tobytes(),
    "_enqueue_read_buffer_rect buffer_origin": lambda o, n: o.filled(lambda h: cl.enqueue_copy(
        o.queue, h, o.source, buffer_origin=(n(4), n(1)), host_origin=(0, 0), region=(4, 2), **PITCHES)),
    "_enqueue_read_buffer_rect host_origin": lambda o, n: o.filled(lambda h: cl.enqueue_copy(
        o.queue, h, o.source, buffer_origin=(4, 1), host_origin=(n(4), n(1)), region=(4, 2), **PITCHES)),
    "_enqueue_read_buffer_rect region": lambda o, n: o.filled(lambda h: cl.enqueue_copy(
        o.queue, h, o.source, buffer_origin=(4, 1), host_origin=(0, 0), region=(n(4), n(2)), **PITCHES)),
    "_enqueue_read_buffer_rect buffer_pitches": lambda o, n: o.filled(lambda h: cl.enqueue_copy(
        o.queue, h, o.source, buffer_origin=(4, 1), host_origin=(0, 0), region=(4, 2), buffer_pitches=(n(32),), host_pitches=(16,))),
    "_enqueue_read_buffer_rect host_pitches": lambda o, n: o.filled(lambda h: cl.enqueue_copy(
        o.queue, h, o.source, buffer_origin=(4, 1), host_origin=(0, 0), region=(4, 2), buffer_pitches=(32,), host_pitches=(n(16),))),
    "_enqueue_write_buffer_rect buffer_origin": lambda o, n: o.after(lambda b: cl.enqueue_copy(
        o.queue, b, o.bytes, buffer_origin=(n(4), n(1)), host_origin=(0, 0), region=(4, 2), **PITCHES)),
    "_enqueue_write_buffer_rect host_origin": lambda o, n: o.after(lambda b: cl.enqueue_copy(
        o.queue, b, o.bytes, buffer_origin=(4, 1), host_origin=(n(4), n(1)), region=(4, 2), **PITCHES)),
    "_enqueue_write_buffer_rect region": lambda o, n: o.after(lambda b: cl.enqueue_copy(
        o.queue, b, o.bytes, buffer_origin=(4, 1), host_origin=(0, 0), region=(n(4), n(2)), **PITCHES)),
    "_enqueue_write_buffer_rect buffer_pitches": lambda o, n: o.after(lambda b: cl.enqueue_copy(
        o.queue, b, o.bytes, buffer_origin=(4, 1), host_origin=(0, 0), region=(4, 2), buffer_pitches=(n(32),), host_pitches=(16,))),
    "_enqueue_write_buffer_rect host_pitches": lambda o, n: o.after(lambda b: cl.enqueue_copy(
        o.queue, b, o.bytes, buffer_origin=(4, 1), host_origin=(0, 0), region=(4, 2), buffer_pitches=(32,), host_pitches=(n(16),))),
    "_enqueue_copy_buffer_rect src_origin": lambda o, n: o.after(lambda b: cl.enqueue_copy(
        o.queue, b, o.source, src_origin=(n(4), n(1)), dst_origin=(0, 0), region=(4, 2), src_pitches=(32,), dst_pitches=(16,))),
    "_enqueue_copy_buffer_rect dst_origin": lambda o, n: o.after(lambda b: cl.enqueue_copy(
        o.queue, b, o.source, src_origin=(4, 1), dst_origin=(n(4), n(1)), region=(4, 2), src_pitches=(32,), dst_pitches=(16,))),
    "_enqueue_copy_buffer_rect region": lambda o, n: o.after(lambda b: cl.enqueue_copy(
        o.queue, b, o.source, src_origin=(4, 1), dst_origin=(0, 0), region=(n(4), n(2)), src_pitches=(32,), dst_pitches=(16,))),
    "_enqueue_copy_buffer_rect src_pitches": lambda o, n: o.after(lambda b: cl.enqueue_copy(
        o.queue, b, o.source, src_origin=(4, 1), dst_origin=(0, 0), region=(4, 2), src_pitches=(n(32),), dst_pitches=(16,))),
    "_enqueue_copy_buffer_rect dst_pitches": lambda o, n: o.after(lambda b: cl.enqueue_copy(
        o.queue, b, o.source, src_origin=(4, 1), dst_origin=(0, 0), region=(4, 2), src_pitches=(32,), dst_pitches=(n(16),))),
    "enqueue_map_buffer shape": lambda o, n: o.mapped(cl.map_flags.READ, 16, (n(4), n(2)), np.uint8),
    "enqueue_map_buffer strides": lambda o, n: o.mapped(cl.map_flags.READ, 16, (4,), np.uint8, strides=(n(1),)),
    "enqueue_nd_range_kernel global_work_size": lambda o, n: o.launched((n(16),), None)[:4],
    "enqueue_nd_range_kernel global_work_size, of two dimensions": lambda o, n: o.launched((n(16), n(1)), (4, 1)),
    "enqueue_nd_range_kernel local_work_size": lambda o, n: o.launched((16,), (n(4),)),
    "enqueue_nd_range_kernel global_work_offset": lambda o, n: o.launched((16,), (4,), (n(8),)),
    "enqueue_nd_range_kernel g_times_l": lambda o, n: o.launched((n(4),), (n(4),), (n(2),), g_times_l=True),
    "enqueue_nd_range_kernel allow_empty_ndrange": lambda o, n: o.launched((n(0),), None, allow_empty_ndrange=True),
    "Kernel.get_sub_group_info input_value": lambda o, n: o.take.get_sub_group_info(o.device, 0x2033, [n(8)]),
    "ImageDescriptor.shape shape": lambda o, n: o.described(shape=(n(8), n(4))),
    "ImageDescriptor.pitches pitches": lambda o, n: o.described(pitches=(n(0), n(0))),
    "Sampler.__init__ properties": lambda o, n: cl.Sampler(o.ctx, [n(cl.sampler_properties.FILTER_MODE), n(0x1141)]).filter_mode,
    "_enqueue_read_image origin": lambda o, n: o.filled(lambda h: cl.enqueue_copy(
        o.queue, h, o.image, origin=(n(1), n(2)), region=(4, 2)), (2, 4, 4)),
    "_enqueue_read_image region": lambda o, n: o.filled(lambda h: cl.enqueue_copy(
        o.queue, h, o.image, origin=(1, 2), region=(n(4), n(2))), (2, 4, 4)),
    "_enqueue_write_image origin": lambda o, n: (
        cl.enqueue_copy(o.queue, o.other_image, o.pixels, origin=(n(0), n(0)), region=(8, 8)), o.of_image(o.other_image))[1],
    "_enqueue_write_image region": lambda o, n: (
        cl.enqueue_copy(o.queue, o.other_image, o.pixels, origin=(0, 0), region=(n(8), n(8))), o.of_image(o.other_image))[1],
    "_enqueue_copy_image src_origin": lambda o, n: (cl.enqueue_copy(
        o.queue, o.other_image, o.image, src_origin=(n(1), n(2)), dest_origin=(0, 0), region=(2, 2)), o.of_image(o.other_image))[1],
    "_enqueue_copy_image dest_origin": lambda o, n: (cl.enqueue_copy(
        o.queue, o.other_image, o.image, src_origin=(1, 2), dest_origin=(n(3), n(4)), region=(2, 2)), o.of_image(o.other_image))[1],
    "_enqueue_copy_image region": lambda o, n: (cl.enqueue_copy(
        o.queue, o.other_image, o.image, src_origin=(1, 2), dest_origin=(0, 0), region=(n(2), n(2))), o.of_image(o.other_image))[1],
    "_enqueue_copy_image_to_buffer origin": lambda o, n: o.after(lambda b: cl.enqueue_copy(
        o.queue, b, o.image, offset=0, origin=(n(1), n(1)), region=(2, 2))),
    "_enqueue_copy_image_to_buffer region": lambda o, n: o.after(lambda b: cl.enqueue_copy(
        o.queue, b, o.image, offset=0, origin=(1, 1), region=(n(2), n(2)))),
    "_enqueue_copy_buffer_to_image origin": lambda o, n: (cl.enqueue_copy(
        o.queue, o.other_image, o.source, offset=0, origin=(n(1), n(1)), region=(2, 2)), o.of_image(o.other_image))[1],
    "_enqueue_copy_buffer_to_image region": lambda o, n: (cl.enqueue_copy(
        o.queue, o.other_image, o.source, offset=0, origin=(1, 1), region=(n(2), n(2))), o.of_image(o.other_image))[1],
    "enqueue_fill_image origin": lambda o, n: (cl.enqueue_fill_image(
        o.queue, o.other_image, np.ones(4, np.float32), (n(1), n(1)), (2, 2)), o.of_image(o.other_image))[1],
    "enqueue_fill_image region": lambda o, n: (cl.enqueue_fill_image(
        o.queue, o.other_image, np.ones(4, np.float32), (1, 1), (n(2), n(2))), o.of_image(o.other_image))[1],
    "enqueue_map_image origin": lambda o, n: o.mapped_image(cl.map_flags.READ, (n(0), n(0)), (8, 8), (8, 8)),
    "enqueue_map_image region": lambda o, n: o.mapped_image(cl.map_flags.READ, (0, 0), (n(8), n(8)), (8, 8)),
    "enqueue_map_image shape": lambda o, n: o.mapped_image(cl.map_flags.READ, (0, 0), (8, 8), (n(8), n(8))),
    "enqueue_map_image strides": lambda o, n: o.mapped_image(cl.map_flags.READ, (0, 0), (8, 8), (8, 8), strides=(n(32), n(4))),
    "_enqueue_svm_memcpy byte_count":
        lambda o, n: o.in_svm(lambda m: C._enqueue_svm_memcpy(o.queue, True, m, C.SVM(o.bytes[100:116]), None, n(16))),
    "_enqueue_svm_memfill byte_count": lambda o, n: o.in_svm(lambda m: C._enqueue_svm_memfill(o.queue, m, np.int32(7), n(16))),
    "Array offset, in a kernel": lambda o, n: (cl_array.Array(o.queue, (4,), np.uint8, data=o.source, offset=n(16)) + 1).get().tobytes(),
    "_enqueue_svm_map size": lambda o, n: _command(C._enqueue_svm_map(o.queue, True, 1, o.svm(), None, n(16))),
}

# Parameters that another entry's call gives, and those whose function is refused whatever they are.
ELSEWHERE = {
    "Image.__init__ flags",  # _custom_init's
    "AllocatorBase.__init__ flags", "AllocatorBase.allocate size", "ImmediateAllocator.allocate size", "SVMAllocator.allocate size",
    "SVMAllocator.free address",  # of the pools, which are given numbers by the allocators' other methods
    "_Program.set_specialization_constant spec_id", "enqueue_copy_buffer_p2p_amd byte_count", "get_gl_context_info_khr param_name",
    "Pipe.__init__ properties",  # Pipes have none.
    # test_pyopencl_gl gives NumPy's.
    "GLBuffer.__init__ flags", "GLBuffer.__init__ bufobj", "GLRenderBuffer.__init__ flags", "GLRenderBuffer.__init__ bufobj",
    "GLTexture.__init__ flags", "GLTexture.__init__ texture_target", "GLTexture.__init__ miplevel", "GLTexture.__init__ texture",
    "GLTexture.__init__ dims", "GLTexture.get_gl_texture_info arg",
    "_ErrorRecord.__init__ code", "Event.set_callback callback",
    "MemoryMap.__init__ mapped",  # Only mapping makes them.
}


def _nothing(status: int) -> None:
    pass


def _command(event: Any) -> int:
    event.wait()
    return event.command_type


def _profiled(objects: Objects, n: Callable[[int], Any]) -> bool:
    event = cl.enqueue_marker(objects.queue)
    event.wait()
    return event.get_profiling_info(n(cl.profiling_info.QUEUED)) > 0


def _split(objects: Objects, properties: Any) -> list[Any]:
    """The parts of the device; of a GPU, which has none, those of PyOpenCL's error."""
    try:
        return objects.device.create_sub_devices(properties)
    except cl.Error:
        return []
