"""What a device can do with each kind of unified shared memory (cl_intel_unified_shared_memory), by what it can do with shared virtual
memory: bit fields of CL_UNIFIED_SHARED_MEMORY_*_INTEL."""

from __future__ import annotations

from ..driver.properties import DeviceProperties
from ..spec import codes

_ACCESS = codes.UNIFIED_SHARED_MEMORY_ACCESS_INTEL
_ATOMIC = codes.UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL
_CONCURRENT = codes.UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL
_CONCURRENT_ATOMIC = codes.UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL


def host(properties: DeviceProperties) -> int:
    """A GPU's atomic operations on the host's memory are atomic for the GPU alone."""
    if not properties.shared_memory:
        return 0
    return _ACCESS | _ATOMIC | _CONCURRENT | (0 if properties.is_gpu else _CONCURRENT_ATOMIC)


def device(properties: DeviceProperties) -> int:
    """Nobody else reaches a GPU's memory. What shares nothing with the host has no allocations that are known by address."""
    if not properties.shared_memory:
        return 0
    return _ACCESS | _ATOMIC | (0 if properties.is_gpu else _CONCURRENT | _CONCURRENT_ATOMIC)


def shared(properties: DeviceProperties) -> int:
    """Of allocations of this device, and of other devices' as far as those can do the same."""
    can = properties.shared_memory
    if not can:
        return 0
    if not can & codes.DEVICE_SVM_FINE_GRAIN_BUFFER:
        return _ACCESS | _ATOMIC
    return _ACCESS | _ATOMIC | _CONCURRENT | (_CONCURRENT_ATOMIC if can & codes.DEVICE_SVM_ATOMICS else 0)


def system(properties: DeviceProperties) -> int:
    return shared(properties) if properties.shared_memory & codes.DEVICE_SVM_FINE_GRAIN_SYSTEM else 0
