# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NPP's functions on small images against NumPy's, and what they refuse."""

# functions: nppGetLibVersion nppiMalloc_8u_C1 nppiMalloc_32f_C3 nppiFree nppsMalloc_32f nppsFree
# functions: nppiAbsDiff_8u_C1R_Ctx nppiCompareC_16s_C1R_Ctx nppiCopyConstBorder_8u_C1R_Ctx nppiFilterBox_8u_C1R_Ctx
# functions: nppiFilterBoxBorder_8u_C1R_Ctx nppiGradientVectorPrewittBorder_8u16s_C1R_Ctx nppiEvenLevelsHost_32s
# functions: nppiHistogramEvenGetBufferSize_8u_C1R_Ctx nppiHistogramEven_8u_C1R_Ctx nppiLUT_Linear_8u_C1R_Ctx
# functions: nppiFilterCannyBorderGetBufferSize nppiFilterCannyBorder_8u_C1R_Ctx
# functions: nppiCompressMarkerLabelsGetBufferSize_32u_C1R nppiCompressMarkerLabelsUF_32u_C1IR_Ctx
# functions: nppiSegmentWatershed_8u_C1IR_Ctx nppiSegmentWatershedGetBufferSize_8u_C1R
from __future__ import annotations

import ctypes
from ctypes import byref, c_int, c_size_t, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

WIDTH, HEIGHT = 67, 41


class Context(ctypes.Structure):
    _fields_ = [
        ("stream", c_void_p), ("device", c_int), ("processors", c_int), ("threads_of_one", c_int),
        ("threads_of_block", c_int), ("shared", c_size_t), ("major", c_int), ("minor", c_int),
        ("flags", ctypes.c_uint), ("reserved", c_int),
    ]  # fmt: skip


class Pair(ctypes.Structure):
    _fields_ = [("x", c_int), ("y", c_int)]


SIZE, ORIGIN = Pair(WIDTH, HEIGHT), Pair(0, 0)


@pytest.fixture(scope="module")
def npp(libraries: Path) -> ctypes.CDLL:
    ctypes.CDLL(str(libraries / "libcudart.so"), ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL(str(libraries / "libnppif.so.13"))
    for name in ("nppiMalloc_8u_C1", "nppiMalloc_32f_C3", "nppsMalloc_32f"):
        getattr(library, name).restype = c_void_p
    return library


@pytest.fixture
def image() -> NDArray[np.uint8]:
    return np.random.default_rng(3).integers(0, 256, (HEIGHT, WIDTH), np.uint8)


def run(function: Any, *arguments: object) -> None:
    """The call, with an address and a step in place of each array, ends well."""
    assert call(function, *arguments) == 0


def call(function: Any, *arguments: object) -> int:
    plain: list[object] = []
    for each in arguments:
        plain += [c_void_p(each.ctypes.data), c_int(each.strides[0])] if isinstance(each, np.ndarray) else [each]
    status = int(function(*plain, context()))
    assert ctypes.CDLL(None).cudaDeviceSynchronize() == 0
    return status


def context() -> Context:
    """The device as a program describes it."""
    made, value = Context(), c_int()
    attributes = {"processors": 16, "threads_of_one": 39, "threads_of_block": 1, "shared": 8, "major": 75, "minor": 76}
    for name, number in attributes.items():
        assert ctypes.CDLL(None).cudaDeviceGetAttribute(byref(value), number, 0) == 0
        setattr(made, name, value.value)
    return made


def address(array: NDArray[Any]) -> c_void_p:
    return c_void_p(array.ctypes.data)


def test_memory(npp: ctypes.CDLL) -> None:
    step = c_int()
    for function, row in ((npp.nppiMalloc_8u_C1, 100), (npp.nppiMalloc_32f_C3, 1200)):
        memory = function(100, 5, byref(step))
        assert memory
        assert step.value >= row
        npp.nppiFree(c_void_p(memory))
    assert not npp.nppiMalloc_8u_C1(0, 5, byref(step))
    npp.nppsFree(c_void_p(npp.nppsMalloc_32f(c_size_t(10))))
    npp.nppGetLibVersion.restype = ctypes.POINTER(c_int)
    assert npp.nppGetLibVersion()[0] == 13


def test_pixels(npp: ctypes.CDLL, image: NDArray[np.uint8]) -> None:
    other, out = image[::-1].copy(), np.zeros_like(image)
    run(npp.nppiAbsDiff_8u_C1R_Ctx, image, other, out, SIZE)
    assert np.array_equal(out, np.abs(image.astype(int) - other))
    numbers = image.astype(np.int16) - 100
    for operation, compare in enumerate((np.less, np.less_equal, np.equal, np.greater_equal, np.greater)):
        run(npp.nppiCompareC_16s_C1R_Ctx, numbers, ctypes.c_int16(10), out, SIZE, operation)
        assert np.array_equal(out, np.where(compare(numbers, 10), 255, 0))
    large = np.zeros((HEIGHT + 5, WIDTH + 7), np.uint8)
    run(npp.nppiCopyConstBorder_8u_C1R_Ctx, image, SIZE, large, Pair(WIDTH + 7, HEIGHT + 5), 2, 3, ctypes.c_uint8(9))
    want = np.pad(image, ((2, 3), (3, 4)), constant_values=9)
    assert np.array_equal(large, want)


def test_boxes(npp: ctypes.CDLL, image: NDArray[np.uint8]) -> None:
    out = np.zeros_like(image)
    for width, height, x, y in ((5, 5, 2, 2), (4, 3, 1, 0), (1, 1, 0, 0)):
        padded = np.pad(image, ((y, height - 1 - y), (x, width - 1 - x)), mode="edge").astype(float)
        mean = np.lib.stride_tricks.sliding_window_view(padded, (height, width)).mean((2, 3))
        run(npp.nppiFilterBoxBorder_8u_C1R_Ctx, image, SIZE, ORIGIN, out, SIZE, Pair(width, height), Pair(x, y), 2)
        assert np.array_equal(out, np.floor(mean + 1e-9))  # as an H200 rounds
        inner = np.zeros((HEIGHT - height + 1, WIDTH - width + 1), np.uint8)
        part = image[y:, x:]
        size = Pair(inner.shape[1], inner.shape[0])
        run(npp.nppiFilterBox_8u_C1R_Ctx, part, inner, size, Pair(width, height), Pair(x, y))
        assert np.array_equal(inner, out[y : y + inner.shape[0], x : x + inner.shape[1]])


def test_gradient(npp: ctypes.CDLL, image: NDArray[np.uint8]) -> None:
    x, y, magnitude = (np.zeros((HEIGHT, WIDTH), np.int16) for _ in range(3))
    angle = np.zeros((HEIGHT, WIDTH), np.float32)
    padded = np.pad(image.astype(int), 1, mode="edge")
    columns, rows = padded[:, :-2] - padded[:, 2:], padded[2:] - padded[:-2]  # the signs are an H200's
    want_x = columns[:-2] + columns[1:-1] + columns[2:]
    want_y = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]
    lengths = (abs(want_x) + abs(want_y), np.hypot(want_x, want_y))
    for norm, length in enumerate(lengths, 1):
        run(npp.nppiGradientVectorPrewittBorder_8u16s_C1R_Ctx, image, SIZE, ORIGIN, x, y, magnitude, angle, SIZE,
            200, norm, 2)  # fmt: skip
        assert np.array_equal(x, want_x)
        assert np.array_equal(y, want_y)
        assert np.array_equal(magnitude, np.floor(length + 1e-9))
        np.testing.assert_allclose(angle, np.arctan2(want_y, want_x), rtol=1e-6, atol=1e-6)


def test_histogram(npp: ctypes.CDLL, image: NDArray[np.uint8]) -> None:
    levels, counts = np.zeros(257, np.int32), np.zeros(256, np.int32)
    assert npp.nppiEvenLevelsHost_32s(address(levels), 257, 0, 256) == 0
    assert levels.tolist() == list(range(257))
    few = np.zeros(9, np.int32)
    assert npp.nppiEvenLevelsHost_32s(address(few), 9, 3, 250) == 0
    assert few.tolist() == [3, 34, 65, 96, 127, 158, 189, 220, 250]  # recorded on an H200
    size = c_size_t()
    assert npp.nppiHistogramEvenGetBufferSize_8u_C1R_Ctx(SIZE, 257, byref(size), context()) == 0
    buffer = np.zeros(size.value, np.uint8)
    run(npp.nppiHistogramEven_8u_C1R_Ctx, image, SIZE, address(counts), 257, 0, 256, address(buffer))
    assert np.array_equal(counts, np.bincount(image.ravel(), minlength=256))
    run(npp.nppiHistogramEven_8u_C1R_Ctx, image, SIZE, address(counts), 5, 0, 200, address(buffer))
    assert np.array_equal(counts[:4], np.histogram(image, [0, 50, 100, 150, 199.5])[0])
    out = np.zeros_like(image)
    places, values = np.array([0, 64, 256], np.int32), np.array([10, 74, 202], np.int32)
    run(npp.nppiLUT_Linear_8u_C1R_Ctx, image, out, SIZE, address(values), address(places), 3)
    want = np.interp(image, places, values)
    assert np.array_equal(out, np.floor(want + 1e-9))


def test_edges(npp: ctypes.CDLL) -> None:
    """Squares' outlines, a pixel on each side of them; above the lower threshold all, as on an H200."""
    picture, out, size = np.zeros((HEIGHT, WIDTH), np.uint8), np.zeros((HEIGHT, WIDTH), np.uint8), c_int()
    picture[10:30, 10:40] = 200
    picture[10:30, 50:60] = 30
    assert npp.nppiFilterCannyBorderGetBufferSize(SIZE, byref(size)) == 0
    buffer = np.zeros(size.value, np.uint8)
    for low, high, norm in ((256, 72, 2), (-1, 5, 2), (72, 256, 0)):
        thresholds = (low, high, norm, 2, address(buffer))
        assert call(npp.nppiFilterCannyBorder_8u_C1R_Ctx, picture, SIZE, ORIGIN, out, SIZE, 0, 200, *thresholds) == -5
    for norm in (1, 2):
        run(npp.nppiFilterCannyBorder_8u_C1R_Ctx, picture, SIZE, ORIGIN, out, SIZE, 0, 200, 72, 256, norm, 2,
            address(buffer))  # fmt: skip
        assert set(np.unique(out)) == {0, 255}
        assert (out[15:25, 48:62] == 255).sum(1).tolist() == [4] * 10
        assert not out[13:27, 13:37].any()
        assert (out[15:25, 8:13] == 255).sum(1).tolist() == [2] * 10
        assert (out[8:13, 15:35] == 255).sum(0).tolist() == [2] * 20


def test_labels(npp: ctypes.CDLL) -> None:
    labels, size, count = np.array([[0, 7, 7], [900, 0, 12]], np.uint32), c_int(), c_int()
    assert npp.nppiCompressMarkerLabelsGetBufferSize_32u_C1R(0, byref(size)) == -6
    for limit, changed, number in (
        (7, [[0, 7, 7], [900, 0, 12]], 1),
        (900, [[0, 1, 1], [900, 0, 2]], 3),
        (901, [[0, 1, 1], [3, 0, 2]], 4),
        (1000, [[0, 1, 1], [3, 0, 2]], 4),
    ):
        given = labels.copy()
        assert npp.nppiCompressMarkerLabelsGetBufferSize_32u_C1R(limit, byref(size)) == 0
        buffer = np.zeros(size.value, np.uint8)
        run(npp.nppiCompressMarkerLabelsUF_32u_C1IR_Ctx, given, Pair(3, 2), limit, byref(count), address(buffer))
        assert given.tolist() == changed
        assert count.value == number


def parts(alike: NDArray[np.bool_], diagonals: bool) -> list[tuple[int, int]]:
    """The pixels that are connected with the first one of `alike`."""
    found: list[tuple[int, int]] = []
    left = {(int(y), int(x)) for y, x in np.argwhere(alike)}
    stack = [min(left)]
    left.remove(stack[0])
    while stack:
        y, x = stack.pop()
        found.append((y, x))
        for dy, dx in ((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if diagonals or a == 0 or b == 0):
            if (y + dy, x + dx) in left:
                left.remove((y + dy, x + dx))
                stack.append((y + dy, x + dx))
    return found


def minima(image: NDArray[np.uint8], diagonals: bool) -> list[tuple[int, int]]:
    """The first pixels of plateaus without a lower neighbour."""
    left = np.ones(image.shape, bool)
    found: list[tuple[int, int]] = []
    while left.any():
        y, x = (int(each) for each in np.argwhere(left)[0])
        plateau = parts(left & (image == image[y, x]), diagonals)
        around = np.zeros_like(left)
        for at in plateau:
            left[at] = False
            for dy, dx in ((a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if diagonals or a == 0 or b == 0):
                if 0 <= at[0] + dy < HEIGHT and 0 <= at[1] + dx < WIDTH:
                    around[at[0] + dy, at[1] + dx] = True
        if image[around].min() == image[y, x]:
            found.append((y, x))
    return found


@pytest.mark.parametrize("norm", [0, 1])
def test_watersheds(npp: ctypes.CDLL, image: NDArray[np.uint8], norm: int) -> None:
    """Each segment is connected, has the label of the one minimum in it, and that minimum's value."""
    rough = image // 16 * 16
    out, labels, size = rough.copy(), np.zeros(image.shape, np.uint32), c_size_t()
    assert npp.nppiSegmentWatershedGetBufferSize_8u_C1R(SIZE, byref(size)) == 0
    buffer = np.zeros(size.value, np.uint8)
    run(npp.nppiSegmentWatershed_8u_C1IR_Ctx, out, labels, norm, 0, SIZE, address(buffer))
    lowest = minima(rough, norm == 0)
    assert sorted(np.unique(labels)) == [y * WIDTH + x for y, x in lowest]
    for y, x in lowest:
        segment = labels == y * WIDTH + x
        assert len(parts(segment, norm == 0)) == segment.sum()
        assert segment[y, x]
        assert (out[segment] == rough[y, x]).all()
    first = np.zeros(image.shape, bool)
    first[:, 1:] |= labels[:, 1:] != labels[:, :-1]
    first[1:] |= labels[1:] != labels[:-1]
    painted = {1: 0, 2: 255, 3: np.where(out < 128, 255, 0), 4: 255}
    for boundary, colour in painted.items():
        picture = rough.copy()
        run(npp.nppiSegmentWatershed_8u_C1IR_Ctx, picture, labels, norm, boundary, SIZE, address(buffer))
        assert np.array_equal(picture, np.where(first, colour, 0 if boundary == 4 else out))
    alone = rough.copy()
    run(npp.nppiSegmentWatershed_8u_C1IR_Ctx, alone, None, 0, norm, 0, SIZE, address(buffer))
    assert np.array_equal(alone, out)


def test_two_basins(npp: ctypes.CDLL) -> None:
    """As on an H200: a gray slope whose values begin anew has two segments."""
    slope = (np.add.outer(3 * np.arange(23), 6 * np.arange(37)) % 256).astype(np.uint8)
    labels, size, room = np.zeros(slope.shape, np.uint32), Pair(37, 23), c_size_t()
    assert npp.nppiSegmentWatershedGetBufferSize_8u_C1R(size, byref(room)) == 0
    buffer = np.zeros(room.value, np.uint8)
    run(npp.nppiSegmentWatershed_8u_C1IR_Ctx, slope, labels, 0, 0, size, address(buffer))
    assert sorted(np.unique(slope)) == [0, 2]


def test_refused(npp: ctypes.CDLL, image: NDArray[np.uint8], capfd: pytest.CaptureFixture[str]) -> None:
    out, mask, anchor = np.zeros_like(image), Pair(5, 5), Pair(2, 2)
    box = npp.nppiFilterBox_8u_C1R_Ctx
    assert call(box, None, 64, out, SIZE, mask, anchor) == -8
    assert call(box, address(image), 0, out, SIZE, mask, anchor) == -14
    assert call(box, image, out, Pair(-1, 4), mask, anchor) == -6
    assert call(box, image, out, SIZE, Pair(0, 5), anchor) == -33
    assert call(box, image, out, SIZE, mask, Pair(5, 0)) == -34
    assert call(npp.nppiFilterBoxBorder_8u_C1R_Ctx, image, SIZE, ORIGIN, out, SIZE, mask, anchor, 3) == -9999
    labels = np.zeros(image.shape, np.uint32)
    assert call(npp.nppiSegmentWatershed_8u_C1IR_Ctx, image, labels, 2, 0, SIZE, address(image)) == -5
    assert call(npp.nppiSegmentWatershed_8u_C1IR_Ctx, image, labels, 0, 0, SIZE, None) == -8
    canny = (image, SIZE, ORIGIN, out, SIZE, 1, 200, 72, 256, 2, 2, address(out))
    assert call(npp.nppiFilterCannyBorder_8u_C1R_Ctx, *canny) == -9999
    assert "only Sobel's filter" in capfd.readouterr().err
