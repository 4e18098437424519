"""DLPack's tensors in PyCapsules (dmlc.github.io/dlpack): makes one of version 0.8 or 1.0 over memory of ours, reads one of version 0.8
of another library's.

Only the protocol's data structure is here; who owns what, and in which order streams run, is `interop`'s.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

CPU, CUDA, CUDA_HOST, CUDA_MANAGED = 1, 2, 3, 13

# DLDataTypeCode by NumPy's kind. Complex numbers count both parts in their bits.
_CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_KINDS = {code: kind for kind, code in _CODES.items()}

_NAME, _USED_NAME = b"dltensor", b"used_dltensor"
_VERSIONED_NAME, VERSION = b"dltensor_versioned", (1, 0)


class _Tensor(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64))


class _Managed(ctypes.Structure):
    pass


_DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = (("tensor", _Tensor), ("manager_ctx", ctypes.c_void_p), ("deleter", _DELETER))


class _Versioned(ctypes.Structure):
    pass


_VERSIONED_DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Versioned))
_Versioned._fields_ = (("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager_ctx", ctypes.c_void_p),
                       ("deleter", _VERSIONED_DELETER), ("flags", ctypes.c_uint64), ("tensor", _Tensor))

_CAPSULE_DESTRUCTOR = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_python = ctypes.pythonapi
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", _python))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", _python))
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_IsValid", _python))
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", _python))
# In a destructor the capsule is on its way out: no reference to it may be made, so these take its bare address. The consumer's error may
# be on its way, too, which PYFUNCTYPE would take for the function's own.
_dying_pointer = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _python))
_dying_is_valid = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _python))

# The tensors that others hold, by address: the structure with its arrays, and the memory's owner.
_exported: dict[int, tuple[Any, ...]] = {}


@_DELETER
def _delete(managed: Any) -> None:
    _exported.pop(ctypes.addressof(managed.contents), None)


@_VERSIONED_DELETER
def _delete_versioned(managed: Any) -> None:
    _exported.pop(ctypes.addressof(managed.contents), None)


@_CAPSULE_DESTRUCTOR
def _destroy(capsule: int) -> None:
    """"If the capsule was never consumed, its destructor calls the tensor's deleter"."""
    for name in (_NAME, _VERSIONED_NAME):
        if _dying_is_valid(capsule, name):
            _exported.pop(_dying_pointer(capsule, name), None)


class Memory(NamedTuple):
    """A strided array somewhere; strides in bytes. `owner` keeps the memory alive."""

    address: int
    device_type: int
    device_id: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype
    owner: Any


def capsule(memory: Memory, versioned: bool = False) -> Any:
    """A PyCapsule named "dltensor", or "dltensor_versioned". Raises
    BufferError for a type that DLPack does not know, or strides that cut elements."""
    dtype = memory.dtype
    if dtype.kind not in _CODES:
        raise BufferError(f"DLPack has no type for {dtype}")
    if any(stride % dtype.itemsize for stride in memory.strides):
        raise BufferError(f"strides {memory.strides} are no multiples of the element's {dtype.itemsize} bytes")
    dimensions = ctypes.c_int64 * len(memory.shape)
    shape = dimensions(*memory.shape)
    strides = dimensions(*(stride // dtype.itemsize for stride in memory.strides))
    tensor = _Tensor(memory.address, memory.device_type, memory.device_id, len(memory.shape), _CODES[dtype.kind], dtype.itemsize * 8, 1,
                     shape, strides, 0)
    managed = _Versioned(*VERSION, None, _delete_versioned, 0, tensor) if versioned else _Managed(tensor, None, _delete)
    _exported[ctypes.addressof(managed)] = (managed, shape, strides, memory.owner)
    return _new(ctypes.addressof(managed), _VERSIONED_NAME if versioned else _NAME, ctypes.cast(_destroy, ctypes.c_void_p))


class _Imported:
    """A tensor of another library's, which is told when we are done with it."""

    def __init__(self, address: int):
        self.managed = _Managed.from_address(address)

    def __del__(self) -> None:
        if self.managed.deleter:
            self.managed.deleter(ctypes.byref(self.managed))


def read(tensor_capsule: Any) -> Memory:
    """Takes over the tensor in a capsule. Raises BufferError for one that was taken already, or of a type that NumPy lacks."""
    if not _is_valid(tensor_capsule, _NAME):
        raise BufferError("the capsule holds no DLPack tensor, or another library has taken it already")
    owner = _Imported(_pointer(tensor_capsule, _NAME))
    tensor = owner.managed.tensor
    _rename(tensor_capsule, _USED_NAME)
    if tensor.lanes != 1 or tensor.code not in _KINDS:
        raise BufferError(f"NumPy has no type for DLPack's type {tensor.code} of {tensor.bits} bits and {tensor.lanes} lanes")
    dtype = np.dtype(f"{_KINDS[tensor.code]}{tensor.bits // 8}")
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = tuple(_signed(tensor.strides[i] * dtype.itemsize) for i in range(tensor.ndim)) if tensor.strides else tight(shape, dtype)
    return Memory((tensor.data or 0) + tensor.byte_offset, tensor.device_type, tensor.device_id, shape, strides, dtype, owner)


def _signed(stride: int) -> int:
    """Modulo 2**64: CuPy divides a negative stride in bytes by the element's size as if it were a large positive one."""
    return (stride + 2**63) % 2**64 - 2**63


def tight(shape: Sequence[int], dtype: np.dtype) -> tuple[int, ...]:
    """The strides in bytes of an array in C order without gaps."""
    strides, step = [], dtype.itemsize
    for side in reversed(shape):
        strides.append(step)
        step *= side
    return tuple(reversed(strides))
