"""Copies between host devices: the memory of all of them is the host's."""

from __future__ import annotations

from ..driver.device import DriverDevice
from ..driver.interface import ImagePart, Linear, Stream, Triple


class HostPeerCopies:
    def reaches(self, other: DriverDevice) -> bool:
        return True

    def copy(self, stream: Stream, to: DriverDevice, destination: int, of: DriverDevice, source: int, size: int) -> None:
        stream.copy("device_to_device", destination, source, size)

    def copy_rect(self, stream: Stream, to: DriverDevice, destination: int, destination_pitches: tuple[int, int],
                  of: DriverDevice, source: int, source_pitches: tuple[int, int], region: Triple) -> None:
        stream.copy_rect("device_to_device", destination, destination_pitches, source, source_pitches, region)

    def copy_image(self, stream: Stream, to: DriverDevice, destination: Linear | ImagePart, of: DriverDevice,
                   source: Linear | ImagePart, region: Triple) -> None:
        stream.copy_image("device_to_device", destination, source, region)
