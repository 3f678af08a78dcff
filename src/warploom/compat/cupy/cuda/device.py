# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The device of CuPy's kind: this machine."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from warploom.compat.cupy import pending
from warploom.compat.cupy.cuda import runtime


class Device:
    """The device; there is one, number 0."""

    def __init__(self, device: Any = None) -> None:
        self.id = runtime.getDevice() if device is None else int(device)
        if self.id != 0:
            raise runtime.CUDARuntimeError(101, "cudaErrorInvalidDevice", "invalid device ordinal")

    def __int__(self) -> int:
        return self.id

    def __enter__(self) -> Device:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def use(self) -> Device:
        """It is in use."""
        return self

    def synchronize(self) -> None:
        """Wait for all that was launched."""
        pending.settle()
        runtime.deviceSynchronize()

    @property
    def compute_capability(self) -> str:
        """`80` for 8.0."""
        return get_compute_capability()

    @property
    def mem_info(self) -> tuple[int, int]:
        """The bytes that are free, and all."""
        return runtime.memGetInfo()

    @property
    def attributes(self) -> dict[str, int]:
        """The device's attributes by name."""
        return {
            name.removeprefix("cudaDevAttr"): runtime.deviceGetAttribute(number, 0)
            for name, number in runtime.ATTRIBUTES.items()
        }

    @property
    def pci_bus_id(self) -> str:
        """Where it is on a bus that it is not on."""
        return "0000:00:00.0"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<CUDA Device {self.id}>"


def get_compute_capability() -> str:
    """`80` for 8.0."""
    major, minor = (runtime.deviceGetAttribute(number, 0) for number in (75, 76))
    return f"{major}{minor}"


def get_device_id() -> int:
    """The number of the current device."""
    return runtime.getDevice()
