# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cuda.core.texture: arrays of texels, and the objects that kernels read them by."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from warploom.compat.cuda_core._memory import Buffer
from warploom.compat.cuda_core._stream import stream_from
from warploom.compat.cupy.cuda import runtime, texture
from warploom.core.records import dataclass


class AddressMode(IntEnum):
    """What is read outside of the texels."""

    WRAP, CLAMP, MIRROR, BORDER = range(4)


class FilterMode(IntEnum):
    """The nearest texel, or the mean of those around."""

    POINT, LINEAR = range(2)


class ReadMode(IntEnum):
    """What is stored, or whole numbers as fractions of the largest."""

    ELEMENT_TYPE, NORMALIZED_FLOAT = range(2)


class ArrayFormat(IntEnum):
    """The type of a channel."""

    UINT8, UINT16, UINT32 = 1, 2, 3
    INT8, INT16, INT32 = 8, 9, 10
    FLOAT16, FLOAT32 = 16, 32


_DTYPES = {each: np.dtype(each.name.lower()) for each in ArrayFormat}
_KINDS = {"i": 0, "u": 1, "f": 2}  # cudaChannelFormatKind


class _Closed:
    """Is closed at the end of a `with`."""

    def close(self) -> None:
        """It is no longer used."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


class OpaqueArray(_Closed):
    """Texels in one to three dimensions; `shape` has the width first."""

    def __init__(self, shape: Sequence[int], format: ArrayFormat, num_channels: int) -> None:  # noqa: A002
        if not 1 <= len(shape) <= 3 or num_channels not in (1, 2, 4):
            raise ValueError(f"{tuple(shape)} texels of {num_channels} channels: 1 to 3 extents, 1, 2 or 4 channels")
        self.shape, self.format, self.num_channels = tuple(shape), format, num_channels
        dtype = _DTYPES[format]
        bits = [8 * dtype.itemsize if number < num_channels else 0 for number in range(4)]
        description = texture.ChannelFormatDescriptor(*bits, _KINDS[dtype.kind])  # pyright: ignore[reportCallIssue]
        self.own = texture.CUDAarray(description, *self.shape)

    @classmethod
    def from_descriptor(
        cls,
        *,
        shape: Sequence[int],
        format: ArrayFormat,  # noqa: A002
        num_channels: int = 1,
    ) -> OpaqueArray:
        """New texels."""
        return cls(shape, format, num_channels)

    @property
    def handle(self) -> int:
        """CUarray."""
        return self.own.ptr

    def copy_from(self, source: Any, *, stream: Any = None) -> None:
        """Take what a buffer, or an array whose last extent is the width, holds."""
        stream_from(stream).sync()
        self.own.copy_from(self._flat(source))

    def copy_to(self, target: Any, *, stream: Any = None) -> None:
        """Give what it holds to a buffer or an array."""
        stream_from(stream).sync()
        self.own.copy_to(self._flat(target))

    def _flat(self, memory: Any) -> Any:
        return np.from_dlpack(memory).view(_DTYPES[self.format]) if isinstance(memory, Buffer) else memory


@dataclass
class ResourceDescriptor:
    """What a texture reads."""

    array: OpaqueArray

    @classmethod
    def from_opaque_array(cls, array: OpaqueArray) -> ResourceDescriptor:
        """Texels."""
        return cls(array)


@dataclass
class TextureDescriptor:
    """How a texture is read; one address mode for all dimensions, or one for each."""

    address_mode: Any = AddressMode.CLAMP
    filter_mode: FilterMode = FilterMode.POINT
    read_mode: ReadMode = ReadMode.ELEMENT_TYPE
    normalized_coords: bool = False
    srgb: bool = False
    border_color: Sequence[float] | None = None
    max_anisotropy: int = 0

    def own(self) -> texture.TextureDescriptor:
        """As CuPy has it."""
        given = self.address_mode
        modes = [given] * 3 if isinstance(given, int) else list(given)
        return texture.TextureDescriptor(
            modes, self.filter_mode, self.read_mode, self.srgb, self.border_color, self.normalized_coords,
            self.max_anisotropy,
        )  # fmt: skip


class TextureObject(_Closed):
    """What a kernel takes as `cudaTextureObject_t`."""

    def __init__(self, resource: ResourceDescriptor, texture_descriptor: TextureDescriptor) -> None:
        self.resource, self.texture_descriptor = resource, texture_descriptor
        read = texture.ResourceDescriptor(runtime.cudaResourceTypeArray, resource.array.own)
        self.own = texture.TextureObject(read, texture_descriptor.own())

    @classmethod
    def from_descriptor(cls, *, resource: ResourceDescriptor, texture_descriptor: TextureDescriptor) -> TextureObject:
        """A new one."""
        return cls(resource, texture_descriptor)

    @property
    def handle(self) -> int:
        """CUtexObject."""
        return self.own.ptr

    def __index__(self) -> int:
        return self.handle
