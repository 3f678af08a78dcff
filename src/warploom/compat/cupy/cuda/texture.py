# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Textures of CuPy's kind: arrays of texels, and objects that kernels read them by."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import c_float, c_int, c_size_t, c_uint, c_void_p
from typing import Any

import numpy as np

from warploom.compat.cupy import pending
from warploom.compat.cupy.core import memory_of, ndarray
from warploom.compat.cupy.cuda import runtime


class _Channels(ctypes.Structure):
    _fields_ = (*((name, c_int) for name in "xyzw"), ("kind", c_int))


class _Extent(ctypes.Structure):
    _fields_ = tuple((name, c_size_t) for name in ("width", "height", "depth"))


class _Pitched(ctypes.Structure):
    _fields_ = (("pointer", c_void_p), ("pitch", c_size_t), ("width", c_size_t), ("height", c_size_t))


class _Copy(ctypes.Structure):
    """cudaMemcpy3DParms."""

    _fields_ = (
        ("source_array", c_void_p),
        ("source_at", _Extent),
        ("source", _Pitched),
        ("target_array", c_void_p),
        ("target_at", _Extent),
        ("target", _Pitched),
        ("extent", _Extent),
        ("kind", c_int),
    )


class _Linear(ctypes.Structure):
    _fields_ = (("pointer", c_void_p), ("channels", _Channels), ("sizes", c_size_t * 3))


class _Resource(ctypes.Structure):
    """cudaResourceDesc."""

    _fields_ = (("kind", c_int), ("what", _Linear), ("flags", c_uint))


class _Texture(ctypes.Structure):
    """cudaTextureDesc."""

    _fields_ = (
        ("address", c_int * 3),
        ("filter", c_int),
        ("read", c_int),
        ("srgb", c_int),
        ("border", c_float * 4),
        ("normalized", c_int),
        ("anisotropy", c_uint),
        ("rest", c_uint * 8),
    )


class ChannelFormatDescriptor:
    """The bits of each channel of a texel, and whether they are numbers with a sign, without one, or floats."""

    def __init__(self, x: int, y: int, z: int, w: int, f: int) -> None:
        self.own = _Channels(x, y, z, w, f)
        self.count = sum(bits > 0 for bits in (x, y, z, w))

    def get_channel_format(self) -> dict[str, int]:
        """What it was made of."""
        return {
            name: getattr(self.own, field) for name, field in zip("xyzwf", ("x", "y", "z", "w", "kind"), strict=True)
        }


class CUDAarray:
    """Texels, in one to three dimensions; no height or depth is 0."""

    def __init__(
        self, desc: ChannelFormatDescriptor, width: int, height: int = 0, depth: int = 0, flags: int = 0
    ) -> None:
        self.desc, self.width, self.height, self.depth = desc, width, height, depth
        self.ndim = 3 if depth else 2 if height else 1
        made = c_void_p()
        self.ptr = 0
        runtime.call(
            "cudaMalloc3DArray", ctypes.byref(made), ctypes.byref(desc.own), _Extent(width, height, depth), flags
        )
        self.ptr: int = made.value or 0

    def copy_from(self, in_arr: Any, stream: Any = None) -> None:
        """Take what an array of NumPy's or of this package's holds."""
        del stream
        pending.settle()
        array = np.ascontiguousarray(memory_of(in_arr) if isinstance(in_arr, ndarray) else in_arr)
        self._copy(array, to_texels=True)

    def copy_to(self, out_arr: Any, stream: Any = None) -> None:
        """Give what it holds to an array, which is contiguous."""
        del stream
        pending.settle()
        self._copy(memory_of(out_arr) if isinstance(out_arr, ndarray) else out_arr, to_texels=False)

    def _copy(self, array: np.ndarray[Any, Any], to_texels: bool) -> None:
        rows, slices = max(self.height, 1), max(self.depth, 1)
        texel = array.nbytes // (self.width * rows * slices)
        if array.nbytes != self.width * rows * slices * texel or not array.flags.c_contiguous:
            raise ValueError(f"an array of shape {array.shape} is not one of {self.width} x {rows} x {slices} texels")
        memory = _Pitched(array.ctypes.data, self.width * texel, self.width, rows)
        params = _Copy(extent=_Extent(self.width, rows, slices), kind=4)
        if to_texels:
            params.source, params.target_array = memory, self.ptr
        else:
            params.source_array, params.target = self.ptr, memory
        runtime.call("cudaMemcpy3D", ctypes.byref(params))

    def __del__(self) -> None:
        if getattr(self, "ptr", 0):
            runtime.call("cudaFreeArray", c_void_p(self.ptr))


class ResourceDescriptor:
    """What a texture reads: a CUDAarray, or an array in plain memory, flat or in rows."""

    def __init__(
        self,
        restype: int,
        cuArr: CUDAarray | None = None,  # noqa: N803 - CuPy's names
        arr: ndarray | None = None,
        chDesc: ChannelFormatDescriptor | None = None,  # noqa: N803
        sizeInBytes: int = 0,  # noqa: N803
        width: int = 0,
        height: int = 0,
        pitchInBytes: int = 0,  # noqa: N803
    ) -> None:
        self.cuArr, self.arr, self.chDesc = cuArr, arr, chDesc
        self.own = _Resource(kind=restype)
        if restype == runtime.cudaResourceTypeArray and cuArr is not None:
            self.own.what.pointer = cuArr.ptr
        elif arr is not None and chDesc is not None and restype != runtime.cudaResourceTypeMipmappedArray:
            is_flat = restype == runtime.cudaResourceTypeLinear
            sizes = (sizeInBytes, 0, 0) if is_flat else (width, height, pitchInBytes)
            self.own.what = _Linear(memory_of(arr).ctypes.data, chDesc.own, (c_size_t * 3)(*sizes))
        else:
            raise ValueError("a resource wants cuArr=, or arr= and chDesc=")


class TextureDescriptor:
    """How a texture is read."""

    def __init__(
        self,
        addressModes: Sequence[int] | None = None,  # noqa: N803
        filterMode: int = 0,  # noqa: N803
        readMode: int = 0,  # noqa: N803
        sRGB: int | None = None,  # noqa: N803
        borderColors: Sequence[float] | None = None,  # noqa: N803
        normalizedCoords: int | None = None,  # noqa: N803
        maxAnisotropy: int | None = None,  # noqa: N803
    ) -> None:
        self.own = _Texture(filter=filterMode, read=readMode, srgb=sRGB or 0, normalized=normalizedCoords or 0)
        self.own.anisotropy = maxAnisotropy or 0
        for place, mode in enumerate(addressModes or ()):
            self.own.address[place] = mode
        for place, value in enumerate(borderColors or ()):
            self.own.border[place] = value


class TextureObject:
    """A texture that a kernel takes as `cudaTextureObject_t`."""

    __warploom_texture__ = True

    def __init__(self, ResDesc: ResourceDescriptor, TexDesc: TextureDescriptor) -> None:  # noqa: N803
        self.ResDesc, self.TexDesc = ResDesc, TexDesc
        made = ctypes.c_ulonglong()
        self.ptr = 0
        texture = ctypes.byref(TexDesc.own)
        runtime.call("cudaCreateTextureObject", ctypes.byref(made), ctypes.byref(ResDesc.own), texture, None)
        self.ptr: int = made.value

    def __index__(self) -> int:
        return self.ptr

    def __del__(self) -> None:
        if getattr(self, "ptr", 0):
            runtime.call("cudaDestroyTextureObject", ctypes.c_ulonglong(self.ptr))
