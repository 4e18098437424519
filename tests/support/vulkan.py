"""Vulkan through ctypes, as far as tests need it: binary semaphores that it exports, signals and waits for.

The driver's library is called where there is no Vulkan loader: machines that compute seldom have one.
"""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

OPAQUE_FD = 1
P, U = ctypes.c_void_p, ctypes.c_uint32


class _Info(ctypes.Structure):
    """The structures that all calls take begin with their type and a pointer to an extension of theirs."""

    @classmethod
    def of(cls, kind: int, **fields: Any) -> Any:
        return cls(sType=kind, **fields)


def _structure(name: str, *fields: tuple[str, Any]) -> type[_Info]:
    return type(name, (_Info,), {"_fields_": [("sType", U), ("pNext", P), *fields]})


ApplicationInfo = _structure("ApplicationInfo", ("name", P), ("version", U), ("engine", P), ("engine_version", U), ("api", U))
InstanceCreateInfo = _structure("InstanceCreateInfo", ("flags", U), ("application", P), ("layers", U), ("layer_names", P),
                                ("extensions", U), ("extension_names", P))
QueueCreateInfo = _structure("QueueCreateInfo", ("flags", U), ("family", U), ("count", U), ("priorities", P))
DeviceCreateInfo = _structure("DeviceCreateInfo", ("flags", U), ("queues", U), ("queue_infos", P), ("layers", U), ("layer_names", P),
                              ("extensions", U), ("extension_names", P), ("features", P))
IdProperties = _structure("IdProperties", ("device_uuid", ctypes.c_ubyte * 16), ("driver_uuid", ctypes.c_ubyte * 16),
                          ("luid", ctypes.c_ubyte * 8), ("node_mask", U), ("luid_valid", U))
DeviceProperties = _structure("DeviceProperties", ("properties", ctypes.c_uint64 * 128))  # VkPhysicalDeviceProperties, 824 bytes
ExportInfo = _structure("ExportInfo", ("handles", U))
SemaphoreCreateInfo = _structure("SemaphoreCreateInfo", ("flags", U))
GetFdInfo = _structure("GetFdInfo", ("semaphore", ctypes.c_uint64), ("handle", U))
SubmitInfo = _structure("SubmitInfo", ("waits", U), ("wait_semaphores", P), ("wait_stages", P), ("commands", U),
                        ("command_buffers", P), ("signals", U), ("signal_semaphores", P))


def _instance_functions() -> Any:
    """vkGetInstanceProcAddr of the first library that can make an instance."""
    for name, function in (("libvulkan.so.1", "vkGetInstanceProcAddr"), ("libGLX_nvidia.so.0", "vk_icdGetInstanceProcAddr"),
                           ("libEGL_nvidia.so.0", "vk_icdGetInstanceProcAddr")):
        try:
            library = ctypes.CDLL(name)
            proc = getattr(library, function)
        except (OSError, AttributeError):
            continue
        if function.startswith("vk_icd"):
            library.vk_icdNegotiateLoaderICDInterfaceVersion(ctypes.byref(U(5)))
        proc.restype, proc.argtypes = P, [P, ctypes.c_char_p]
        if proc(None, b"vkCreateInstance"):
            return proc
    return pytest.skip("no Vulkan driver")


class Vulkan:
    """An instance, and the device with the UUID, with one queue."""

    def __init__(self, uuid: bytes) -> None:
        self._proc = _instance_functions()
        application = ApplicationInfo.of(0, api=1 << 22 | 1 << 12)  # Vulkan 1.1 has external semaphores in its core
        self._instance = P()
        self._call("vkCreateInstance", InstanceCreateInfo.of(1, application=ctypes.addressof(application)), None,
                   ctypes.byref(self._instance))
        count, devices = U(8), (P * 8)()
        self._call("vkEnumeratePhysicalDevices", self._instance, ctypes.byref(count), devices)
        same = [device for device in devices[: count.value] if self._uuid(device) == uuid]
        if not same:
            pytest.skip("the device is none of Vulkan's")
        priority, name = ctypes.c_float(1), (ctypes.c_char_p * 1)(b"VK_KHR_external_semaphore_fd")
        queue = QueueCreateInfo.of(2, count=1, priorities=ctypes.addressof(priority))
        self.device, self._queue = P(), P()
        self._call("vkCreateDevice", P(same[0]), DeviceCreateInfo.of(
            3, queues=1, queue_infos=ctypes.addressof(queue), extensions=1, extension_names=ctypes.addressof(name)), None,
            ctypes.byref(self.device))
        self._call("vkGetDeviceQueue", self.device, U(0), U(0), ctypes.byref(self._queue), result=None)

    def _uuid(self, physical_device: int) -> bytes:
        found = IdProperties.of(1000071004)
        self._call("vkGetPhysicalDeviceProperties2", P(physical_device), DeviceProperties.of(1000059001, pNext=ctypes.addressof(found)),
                   result=None)
        return bytes(found.device_uuid)

    def _call(self, name: str, *arguments: Any, result: Any = ctypes.c_int) -> None:
        address = self._proc(None if name == "vkCreateInstance" else self._instance, name.encode())
        assert address, name
        given = [ctypes.byref(each) if isinstance(each, _Info) else each for each in arguments]
        status = ctypes.CFUNCTYPE(result)(address)(*given)
        assert not status, (name, status)

    def semaphore(self) -> Semaphore:
        return Semaphore(self)

    def submit(self, **info: Any) -> None:
        self._call("vkQueueSubmit", self._queue, U(1), SubmitInfo.of(4, **info), ctypes.c_uint64(0))

    def finish(self) -> None:
        self._call("vkQueueWaitIdle", self._queue)


class Semaphore:
    """A binary semaphore that can be exported as a file descriptor."""

    def __init__(self, vulkan: Vulkan):
        self._vulkan = vulkan
        self._handle = ctypes.c_uint64()
        export = ExportInfo.of(1000077000, handles=OPAQUE_FD)
        vulkan._call("vkCreateSemaphore", vulkan.device, SemaphoreCreateInfo.of(9, pNext=ctypes.addressof(export)), None,
                     ctypes.byref(self._handle))

    def exported(self) -> int:
        """A new file descriptor."""
        fd = ctypes.c_int(-1)
        self._vulkan._call("vkGetSemaphoreFdKHR", self._vulkan.device,
                           GetFdInfo.of(1000079001, semaphore=self._handle, handle=OPAQUE_FD), ctypes.byref(fd))
        return fd.value

    def signal(self) -> None:
        self._vulkan.submit(signals=1, signal_semaphores=ctypes.addressof(self._handle))
        self._vulkan.finish()

    def wait(self) -> None:
        """Returns when somebody has signaled."""
        stage = U(0x10000)  # all commands
        self._vulkan.submit(waits=1, wait_semaphores=ctypes.addressof(self._handle), wait_stages=ctypes.addressof(stage))
        self._vulkan.finish()
