"""DLPack's capsules, made and read, against NumPy's own."""

import gc
import weakref

import numpy as np
import pytest

from cl2cuda.array_exchange import dlpack

TYPES = ["int8", "uint16", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128", "bool"]


class Exporter:
    """A library's array, as NumPy's from_dlpack wants it."""

    def __init__(self, memory):
        self.memory = memory

    def __dlpack__(self, **_):
        return dlpack.capsule(self.memory)

    def __dlpack_device__(self):
        return dlpack.CPU, 0


def memory_of(array):
    return dlpack.Memory(array.__array_interface__["data"][0], dlpack.CPU, 0, array.shape, array.strides, array.dtype, array)


@pytest.mark.parametrize("dtype", TYPES)
def test_numpy_reads_what_we_make(dtype):
    array = np.arange(24).reshape(2, 3, 4).astype(dtype)
    for view in (array, array.T, array[:, ::-1, 1:3], array[:0], array[1, 2, 3, ...]):
        read = np.from_dlpack(Exporter(memory_of(view)))
        assert read.dtype == view.dtype and read.shape == view.shape
        assert (read == view).all()
        assert not view.size or np.shares_memory(read, array)


@pytest.mark.parametrize("dtype", TYPES)
def test_we_read_what_numpy_makes(dtype):
    array = np.zeros((2, 3, 4), dtype)
    for view in (array, array.T, array[:, ::-1, 1:3], array[1, 2]):
        memory = dlpack.read(view.__dlpack__())
        assert (memory.address, memory.shape, memory.dtype) == (view.__array_interface__["data"][0], view.shape, view.dtype)
        assert memory.strides == view.strides
        assert (memory.device_type, memory.device_id) == (dlpack.CPU, 0)


def test_strides_that_were_divided_without_their_sign():
    """As CuPy 14 gives them."""
    array = np.arange(4.0)
    capsule = dlpack.capsule(memory_of(array)._replace(strides=(8 * ((2**64 - 8) // 8),)))
    assert dlpack.read(capsule).strides == (-8,)


def test_the_owner_lives_as_long_as_the_tensor():
    class Owner:
        pass

    array, owner = np.arange(4.0), Owner()
    gone = weakref.ref(owner)
    read = np.from_dlpack(Exporter(memory_of(array)._replace(owner=owner)))
    del owner
    gc.collect()
    assert gone() is not None
    del read
    gc.collect()
    assert gone() is None
    owner = Owner()
    gone = weakref.ref(owner)
    never_taken = dlpack.capsule(memory_of(array)._replace(owner=owner))
    del owner, never_taken
    gc.collect()
    assert gone() is None


def test_numpys_memory_lives_while_it_is_read():
    class Array(np.ndarray):
        pass

    array = np.zeros(8).view(Array)
    gone = weakref.ref(array)
    memory = dlpack.read(array.__dlpack__())
    del array
    gc.collect()
    assert gone() is not None
    del memory
    gc.collect()
    assert gone() is None


def test_what_is_refused():
    capsule = np.zeros(3).__dlpack__()
    dlpack.read(capsule)
    with pytest.raises(BufferError, match="already"):
        dlpack.read(capsule)
    with pytest.raises(BufferError, match="no DLPack tensor"):
        dlpack.read(object())
    pair = np.zeros(3, [("x", "f4"), ("y", "f4")])
    with pytest.raises(BufferError, match="no type"):
        dlpack.capsule(memory_of(pair))
    with pytest.raises(BufferError, match="multiples"):
        dlpack.capsule(memory_of(pair)._replace(dtype=np.dtype("f8"), strides=(12,)))


def test_the_version_that_the_consumer_asks_for():
    """NumPy 2.1 and mpi4py ask for version 1."""
    owner = object()
    array = np.arange(6.0)
    for versioned, name in ((False, "dltensor"), (True, "dltensor_versioned")):
        capsule = dlpack.capsule(memory_of(array)._replace(owner=owner), versioned)
        assert f'"{name}"' in repr(capsule)
        del capsule
    assert not any(owner in kept for kept in dlpack._exported.values())

    class Versioned:
        def __dlpack_device__(self):
            return dlpack.CPU, 0

        def __dlpack__(self, **asked):
            return dlpack.capsule(memory_of(array), "max_version" in asked and asked["max_version"] is not None)

    assert (np.from_dlpack(Versioned()) == array).all()


def test_a_consumer_that_fails_drops_the_capsule():
    """Its error is on its way while the capsule goes."""
    array = np.arange(6.0)
    owner = object()

    def consume():
        capsule = dlpack.capsule(memory_of(array)._replace(owner=owner))
        raise BufferError(f"not for us: {type(capsule)}")

    with pytest.raises(BufferError, match="not for us"):
        consume()
    assert not any(owner in kept for kept in dlpack._exported.values())
