"""Buffers whose address on each device is fixed and known (cl_ext_buffer_device_address), and clCreateBufferWithProperties, which makes
them.

In a context of one device every buffer stays where it is. In one of several, where contents are copied to the devices that use them, such a
buffer is over memory that all of them know by one address.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..context.context import Context
from ..devices import usm_capabilities
from ..devices.device import Device
from ..spec import codes
from ..spec.errors import CLError
from .buffer import Buffer, create_buffer
from .foreign import imported_buffer
from .storage import SharedStorage
from .usm import maker_of

ROUTINE = "clCreateBufferWithProperties"

Properties = Sequence[tuple[int, Any]]


class AddressedStorage(SharedStorage):
    """Memory at one address for every device of the context, which goes with the buffer."""

    def __init__(self, context: Context, size: int):
        self.maker = maker_of([device for device in context.devices if usm_capabilities.shared(device.properties)])
        super().__init__(context, size, context.allocate(self.maker.driver_device.allocate_shared, size))

    @property
    def copies(self) -> bool:  # type: ignore[override]
        return self.shadow is not None

    def _free(self, device: Device, memory: int) -> None:
        driver = self.maker.driver_device
        self.context.retire(self.context.freeing_device(self.maker), lambda: driver.free_shared(memory))


def create_buffer_with_properties(context: Context, properties: Properties, flags: int, size: int = 0, host: Any = None) -> Buffer:
    """clCreateBufferWithProperties, and Intel's function of the same parameters: CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, or an external
    memory handle (`foreign`)."""
    given = dict(properties)
    fixed = given.pop(codes.MEM_DEVICE_PRIVATE_ADDRESS_EXT, 0)
    # "CL_INVALID_PROPERTY if [...] the value specified for a supported property name is not valid, or if the same property name is
    # specified more than once"
    if fixed not in (0, 1) or len(dict(properties)) != len(properties):
        raise CLError(ROUTINE, "INVALID_PROPERTY", "a property is given twice, or CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT is no cl_bool")
    if given:
        made = imported_buffer(context, tuple(given.items()), flags, size)
    elif not fixed or context.one_device:
        made = create_buffer(context, flags, size, host)
    else:
        # "CL_INVALID_OPERATION if CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT is [...] CL_TRUE and there are no devices in the context that
        # support" it
        if not any(usm_capabilities.shared(device.properties) for device in context.devices):
            raise CLError(ROUTINE, "INVALID_OPERATION", "the context has several devices, and none of them shares memory")
        made = create_buffer(context, flags, size, host, AddressedStorage)
    made.properties = tuple(properties)
    return made
