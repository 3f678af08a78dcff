# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of nvJPEG, for its tests."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_size_t, c_ubyte, c_void_p
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

YUV, GRAY, RGB, BGR, RGBI, BGRI = 1, 2, 3, 4, 5, 6
Bytes = NDArray[np.uint8]


class Image(ctypes.Structure):
    _fields_ = [("channel", c_void_p * 4), ("pitch", c_size_t * 4)]


def image(*planes: Bytes) -> Image:
    made = Image()
    for i, plane in enumerate(planes):
        made.channel[i], made.pitch[i] = plane.ctypes.data, plane.strides[0]
    return made


class Jpeg:
    """A handle, with a state of each kind."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        self.handle, self.state, self.encoder, self.params = (c_void_p() for _ in range(4))
        assert library.nvjpegCreateSimple(byref(self.handle)) == 0
        assert library.nvjpegJpegStateCreate(self.handle, byref(self.state)) == 0
        assert library.nvjpegEncoderStateCreate(self.handle, byref(self.encoder), None) == 0
        assert library.nvjpegEncoderParamsCreate(self.handle, byref(self.params), None) == 0
        assert library.nvjpegEncoderParamsSetQuality(self.params, 95, None) == 0

    def file(self) -> bytes:
        length = c_size_t()
        retrieve = self.library.nvjpegEncodeRetrieveBitstream
        assert retrieve(self.handle, self.encoder, None, byref(length), None) == 0
        data = (c_ubyte * length.value)()
        assert retrieve(self.handle, self.encoder, data, byref(length), None) == 0
        return bytes(data)

    def encode(self, picture: Bytes, chroma: int) -> bytes:
        """The file of an interleaved RGB picture."""
        assert self.library.nvjpegEncoderParamsSetSamplingFactors(self.params, chroma, None) == 0
        rows = picture.reshape(picture.shape[0], -1)
        height, width = picture.shape[:2]
        given = image(rows)
        encode = self.library.nvjpegEncodeImage
        assert encode(self.handle, self.encoder, self.params, byref(given), RGBI, width, height, None) == 0
        return self.file()

    def decode(self, data: bytes, form: int, *planes: Bytes) -> int:
        to = image(*planes)
        status = self.library.nvjpegDecode(self.handle, self.state, data, c_size_t(len(data)), form, byref(to), None)
        assert self.library.cudaDeviceSynchronize() == 0
        return int(status)


def open_library(libraries: Path) -> Jpeg:
    """Skips the test where libturbojpeg is not installed."""
    library = ctypes.CDLL(str(libraries / "libnvjpeg.so"))
    if library.nvjpegCreateSimple(byref(c_void_p())) == 9:
        pytest.skip("libturbojpeg is not installed")
    return Jpeg(library)
