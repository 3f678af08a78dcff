# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / nvJPEG: pictures from and to JPEG files, by libturbojpeg
"""nvJPEG: pictures to files and back, what headers say, bad files, and what is said without libturbojpeg."""

# functions: nvjpegCreateSimple nvjpegCreateEx nvjpegDestroy nvjpegGetImageInfo nvjpegJpegStateCreate
# functions: nvjpegJpegStateDestroy nvjpegDecode nvjpegDecodeBatchedInitialize nvjpegDecodeBatched nvjpegDecoderCreate
# functions: nvjpegDecoderStateCreate nvjpegJpegStreamCreate nvjpegJpegStreamParse nvjpegDecodeParamsCreate
# functions: nvjpegDecodeParamsSetOutputFormat nvjpegDecodeJpegHost nvjpegDecodeJpegTransferToDevice
# functions: nvjpegDecodeJpegDevice nvjpegEncoderStateCreate nvjpegEncoderParamsCreate nvjpegEncoderParamsSetQuality
# functions: nvjpegEncoderParamsSetSamplingFactors nvjpegEncodeImage nvjpegEncodeYUV nvjpegEncodeRetrieveBitstream
# functions: nvjpegJpegStreamGetFrameDimensions nvjpegJpegStreamGetChromaSubsampling nvjpegEncoderParamsSetEncoding
# functions: nvjpegJpegStreamGetJpegEncoding
from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from ctypes import byref, c_int, c_size_t, c_void_p
from pathlib import Path

import numpy as np
import pytest
from nvjpeg_calls import BGR, BGRI, GRAY, RGB, RGBI, YUV, Bytes, Image, Jpeg, image, open_library

from warploom.toolchain import find_toolchain

WIDTH, HEIGHT = 61, 39
SUBSAMPLINGS = {0: (1, 1), 1: (2, 1), 2: (2, 2), 3: (1, 2), 4: (4, 1)}  # how many columns and rows share chroma


@pytest.fixture(scope="module")
def jpeg(libraries: Path) -> Jpeg:
    return open_library(libraries)


@pytest.fixture
def picture() -> Bytes:
    """Colours that change slowly."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    return np.stack([x * 4, y * 6, 255 - x * 2 - y * 3], axis=2).astype(np.uint8)


def room(rows: int = HEIGHT, columns: int = WIDTH) -> Bytes:
    """Rows that are farther apart than they are wide."""
    return np.zeros((rows, columns + 7), np.uint8)[:, :columns]


@pytest.mark.parametrize("chroma", SUBSAMPLINGS)
def test_there_and_back(jpeg: Jpeg, picture: Bytes, chroma: int) -> None:
    data = jpeg.encode(picture, chroma)
    components, found = c_int(), c_int()
    widths, heights = (c_int * 4)(), (c_int * 4)()
    info = jpeg.library.nvjpegGetImageInfo
    assert info(jpeg.handle, data, c_size_t(len(data)), byref(components), byref(found), widths, heights) == 0
    across, down = SUBSAMPLINGS[chroma]
    small = (-(-WIDTH // across), -(-HEIGHT // down))
    assert (components.value, found.value) == (3, chroma)
    assert list(zip(widths, heights, strict=True)) == [(WIDTH, HEIGHT), small, small, (0, 0)]

    mixed = room(columns=3 * WIDTH)
    assert jpeg.decode(data, RGBI, mixed) == 0
    pixels = mixed.reshape(HEIGHT, WIDTH, 3).astype(int)
    # A chroma sample stands for up to four pixels, over which the colours here change by at most 16.
    assert abs(pixels - picture).mean() < 6
    planes = [room() for _ in range(3)]
    assert jpeg.decode(data, RGB, *planes) == 0
    assert np.array_equal(np.stack(planes, 2), pixels)
    assert jpeg.decode(data, BGR, *planes) == 0
    assert np.array_equal(np.stack(planes[::-1], 2), pixels)
    assert jpeg.decode(data, BGRI, mixed) == 0
    assert np.array_equal(mixed.reshape(HEIGHT, WIDTH, 3)[:, :, ::-1], pixels)

    yuv = [room(), room(small[1], small[0]), room(small[1], small[0])]
    assert jpeg.decode(data, YUV, *yuv) == 0
    luma = room()
    assert jpeg.decode(data, GRAY, luma) == 0
    assert np.array_equal(luma, yuv[0])
    weights = np.array([0.299, 0.587, 0.114])
    assert abs(luma - picture @ weights).max() < 8
    given = image(*yuv)
    encode = jpeg.library.nvjpegEncodeYUV
    assert encode(jpeg.handle, jpeg.encoder, jpeg.params, byref(given), chroma, WIDTH, HEIGHT, None) == 0
    again = [np.zeros_like(plane) for plane in yuv]
    assert jpeg.decode(jpeg.file(), YUV, *again) == 0
    for one, other in zip(yuv, again, strict=True):
        assert abs(one.astype(int) - other).max() <= 3


@pytest.mark.parametrize("chroma", [1, 2, 3, 4])
def test_chroma_is_repeated_as_an_h200_does(jpeg: Jpeg, picture: Bytes, chroma: int) -> None:
    """Pixels that share a sample of chroma have that sample, unless the handle's flags ask for interpolation."""
    data = jpeg.encode(picture, chroma)
    across, down = SUBSAMPLINGS[chroma]
    small = (-(-HEIGHT // down), -(-WIDTH // across))
    yuv, red, smooth = [room(), room(*small), room(*small)], room(), room()
    others = room(), room()
    assert jpeg.decode(data, YUV, *yuv) == jpeg.decode(data, RGB, red, *others) == 0
    repeated = np.repeat(np.repeat(yuv[2], down, 0), across, 1)[:HEIGHT, :WIDTH].astype(float)
    expected = np.clip(yuv[0] + 1.402 * (repeated - 128), 0, 255)
    assert abs(red - expected).max() <= 1
    plain, with_interpolation = jpeg.handle, c_void_p()
    assert jpeg.library.nvjpegCreateEx(0, None, None, 1 << 5, byref(with_interpolation)) == 0
    jpeg.handle = with_interpolation
    try:
        assert jpeg.decode(data, RGB, smooth, *others) == 0
    finally:
        jpeg.handle = plain
    assert jpeg.library.nvjpegDestroy(with_interpolation) == 0
    if chroma in (1, 2):  # not all versions of libturbojpeg interpolate between rows alone, or among four columns
        assert abs(smooth - expected).max() > 2


def test_batches_and_stages(jpeg: Jpeg, picture: Bytes) -> None:
    files = [jpeg.encode(picture[: HEIGHT - 5 * i], 2) for i in range(4)]
    alone = [room(HEIGHT - 5 * i, 3 * WIDTH) for i in range(4)]
    for data, out in zip(files, alone, strict=True):
        assert jpeg.decode(data, RGBI, out) == 0
    together = [np.zeros_like(out) for out in alone]
    library = jpeg.library
    batch = library.nvjpegDecodeBatched
    addresses, lengths = (ctypes.c_char_p * 4)(*files), (c_size_t * 4)(*map(len, files))
    images = (Image * 4)(*(image(out) for out in together))
    assert batch(jpeg.handle, jpeg.state, addresses, lengths, images, None) == 1  # not initialised
    assert library.nvjpegDecodeBatchedInitialize(jpeg.handle, jpeg.state, 4, 1, RGBI) == 0
    assert batch(jpeg.handle, jpeg.state, addresses, lengths, images, None) == 0
    assert library.cudaDeviceSynchronize() == 0
    assert all(np.array_equal(one, other) for one, other in zip(alone, together, strict=True))

    decoder, state, stream, params = (c_void_p() for _ in range(4))
    assert library.nvjpegDecoderCreate(jpeg.handle, 0, byref(decoder)) == 0
    assert library.nvjpegDecoderStateCreate(jpeg.handle, decoder, byref(state)) == 0
    assert library.nvjpegJpegStreamCreate(jpeg.handle, byref(stream)) == 0
    assert library.nvjpegDecodeParamsCreate(jpeg.handle, byref(params)) == 0
    assert library.nvjpegDecodeParamsSetOutputFormat(params, RGBI) == 0
    assert library.nvjpegJpegStreamParse(jpeg.handle, files[1], c_size_t(len(files[1])), 0, 0, stream) == 0
    width, height, chroma, coding = ctypes.c_uint(), ctypes.c_uint(), c_int(), c_int()
    assert library.nvjpegJpegStreamGetFrameDimensions(stream, byref(width), byref(height)) == 0
    assert library.nvjpegJpegStreamGetChromaSubsampling(stream, byref(chroma)) == 0
    assert library.nvjpegJpegStreamGetJpegEncoding(stream, byref(coding)) == 0
    assert (width.value, height.value, chroma.value, coding.value) == (WIDTH, HEIGHT - 5, 2, 0xC0)
    out = np.zeros_like(alone[1])
    to = image(out)
    assert library.nvjpegDecodeJpegDevice(jpeg.handle, decoder, state, byref(to), None) == 1  # nothing decoded yet
    assert library.nvjpegDecodeJpegHost(jpeg.handle, decoder, state, params, stream) == 0
    assert library.nvjpegDecodeJpegTransferToDevice(jpeg.handle, decoder, state, stream, None) == 0
    assert library.nvjpegDecodeJpegDevice(jpeg.handle, decoder, state, byref(to), None) == 0
    assert library.cudaDeviceSynchronize() == 0
    assert np.array_equal(out, alone[1])


def test_quality_and_progressive_files(jpeg: Jpeg, picture: Bytes) -> None:
    best = jpeg.encode(picture, 0)
    assert jpeg.library.nvjpegEncoderParamsSetQuality(jpeg.params, 10, None) == 0
    assert len(jpeg.encode(picture, 0)) < len(best)
    assert jpeg.library.nvjpegEncoderParamsSetQuality(jpeg.params, 95, None) == 0
    assert jpeg.library.nvjpegEncoderParamsSetEncoding(jpeg.params, 0xC2, None) == 0
    data = jpeg.encode(picture, 0)
    assert jpeg.library.nvjpegEncoderParamsSetEncoding(jpeg.params, 0xC0, None) == 0
    one, other = room(columns=3 * WIDTH), room(columns=3 * WIDTH)
    assert b"\xff\xc2" in data
    assert jpeg.decode(data, RGBI, one) == jpeg.decode(best, RGBI, other) == 0
    assert np.array_equal(one, other)
    assert jpeg.decode(data[: len(data) // 2], RGBI, one) == 10


@pytest.mark.ours("libturbojpeg does not make these")
def test_files_of_four_columns_and_two_rows_that_share_chroma_are_not_made(jpeg: Jpeg, picture: Bytes) -> None:
    """4:1:0: who asks for the file is told."""
    whole, length = image(picture.reshape(HEIGHT, -1)), c_size_t()
    assert jpeg.library.nvjpegEncoderParamsSetSamplingFactors(jpeg.params, 5, None) == 0
    encode, retrieve = jpeg.library.nvjpegEncodeImage, jpeg.library.nvjpegEncodeRetrieveBitstream
    assert encode(jpeg.handle, jpeg.encoder, jpeg.params, byref(whole), RGBI, WIDTH, HEIGHT, None) == 0
    assert retrieve(jpeg.handle, jpeg.encoder, None, byref(length), None) == 9


def test_bad_input(jpeg: Jpeg, picture: Bytes) -> None:
    data = jpeg.encode(picture, 0)
    out = room(columns=3 * WIDTH)
    assert jpeg.decode(b"no JPEG file at all", RGBI, out) == 3
    assert jpeg.decode(b"", RGBI, out) == 10
    assert jpeg.decode(data[:30], RGBI, out) == 10
    assert jpeg.decode(data[: data.index(b"\xff\xda")], RGBI, out) == 10
    assert jpeg.decode(data[:-30], RGBI, out) == 0  # most pixels are there
    assert abs(out.reshape(HEIGHT, WIDTH, 3)[: HEIGHT // 2].astype(int) - picture[: HEIGHT // 2]).mean() < 6
    assert jpeg.decode(data[:-30], YUV, room(), room(), room()) == 0
    damaged = bytearray(data)
    damaged[-40:-30] = b"\xff\xd0" * 5
    assert jpeg.decode(bytes(damaged), RGBI, out) == 3
    assert jpeg.decode(data, 99, out) == 2
    assert jpeg.decode(data, RGBI, room()) == 2  # rows too near to each other
    assert jpeg.decode(data, RGB, room(), room()) == 2  # a channel is missing
    library = jpeg.library
    assert library.nvjpegCreateSimple(None) == 2
    assert library.nvjpegDestroy(None) == 2
    assert library.nvjpegEncoderParamsSetQuality(jpeg.params, 0, None) == 2
    assert library.nvjpegEncoderParamsSetSamplingFactors(jpeg.params, 17, None) == 2
    given = image(out)
    encode = library.nvjpegEncodeImage
    assert encode(jpeg.handle, jpeg.encoder, jpeg.params, byref(given), RGBI, -1, HEIGHT, None) == 2
    assert encode(jpeg.handle, jpeg.encoder, jpeg.params, byref(given), RGB, WIDTH, HEIGHT, None) == 2


@pytest.mark.ours("NVIDIA's library needs none")
def test_without_libturbojpeg(libraries: Path, tmp_path: Path) -> None:
    """Where libturbojpeg's functions are not found: the code for an implementation that is not there, and one line."""
    empty = ["-x", "c", "-shared", "-fPIC", "/dev/null", "-o", str(tmp_path / "libturbojpeg.so.0")]
    subprocess.run([find_toolchain().clang, *empty], check=True)
    program = f"""
import ctypes
library = ctypes.CDLL({str(libraries / "libnvjpeg.so")!r})
print([library.nvjpegCreateSimple(ctypes.byref(ctypes.c_void_p())) for _ in range(2)])
"""
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.strip() == "[9, 9]"
    assert done.stderr.count("nvJPEG needs libturbojpeg") == 1
