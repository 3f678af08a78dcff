# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# feature: Device libraries / nvJPEG: pictures from and to JPEG files, by libturbojpeg
"""nvJPEG's planes of any sampling, made here by a small baseline encoder, and the codes that an H200 recorded."""

# functions: nvjpegDecodeBatchedSupported nvjpegDecodeBatchedSupportedEx
# functions: nvjpegDecode nvjpegJpegStreamParse nvjpegDecoderJpegSupported nvjpegJpegStreamGetComponentDimensions
# functions: nvjpegEncoderParamsSetSamplingFactors nvjpegEncodeImage nvjpegEncodeYUV
from __future__ import annotations

from collections.abc import Iterator, Sequence
from ctypes import byref, c_int, c_size_t, c_uint, c_void_p
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from nvjpeg_calls import BGR, GRAY, RGB, RGBI, YUV, Bytes, Jpeg, image, open_library

UNCHANGED, OF_16_BITS = 0, 7
SIZE_AT = 2 + 69 + 5  # where a file of ours says its height and width
WIDTH, HEIGHT = 21, 19
SIDE = 8
SUCCESS, INVALID, BAD, NOT_SUPPORTED, INCOMPLETE = 0, 2, 3, 4, 10
Factors = Sequence[tuple[int, int]]
Integers = NDArray[np.int64]


class Writer:
    """Coded data: bits with stuffed zeros."""

    def __init__(self) -> None:
        self.out, self.bits = bytearray(), ""

    def put(self, value: int, count: int) -> None:
        self.bits += format(value, f"0{count}b") if count else ""
        while len(self.bits) >= 8:
            self.out.append(int(self.bits[:8], 2))
            self.bits = self.bits[8:]
            if self.out[-1] == 0xFF:
                self.out.append(0)

    def number(self, value: int) -> None:
        size = abs(value).bit_length()
        self.put(value if value > 0 else value + (1 << size) - 1, size)

    def flush(self) -> None:
        if self.bits:
            self.put((1 << (8 - len(self.bits))) - 1, 8 - len(self.bits))


def segment(marker: int, *data: int) -> bytes:
    return bytes([0xFF, marker, (len(data) + 2) >> 8, (len(data) + 2) & 255, *data])


AC = [0x00, 0xF0, *(run << 4 | size for run in range(16) for size in range(1, 11))]


def zigzag() -> list[tuple[int, int]]:
    """Row and column of each coefficient in the order of coding."""
    cells = [(row, column) for row in range(SIDE) for column in range(SIDE)]
    return sorted(cells, key=lambda c: (sum(c), c[0] if sum(c) % 2 else -c[0]))


def coded(block: Integers) -> Integers:
    """Its coefficients, of a table of ones."""
    x = np.arange(SIDE)
    basis = np.cos((2 * x + 1) * x[:, None] * np.pi / 16) * np.where(x[:, None] == 0, np.sqrt(0.125), 0.5)
    return np.rint(basis @ (block.astype(float) - 128) @ basis.T).astype(int)


class File:
    """A baseline file of `size` with these factors; its samples are `sample(component, y, x)`."""

    def __init__(self, factors: Factors, size: tuple[int, int] = (HEIGHT, WIDTH), restarts: int = 0) -> None:
        self.factors, self.size, self.restarts = factors, size, restarts
        self.most = max(v for _, v in factors), max(h for h, _ in factors)

    def sample(self, component: int, rows: int, columns: int) -> Integers:
        y, x = np.mgrid[0:rows, 0:columns]
        return np.clip((60 + 5 * x + 2 * y, 90 + 9 * x - 3 * y, 200 - 7 * x + 6 * y, 30 + 4 * x + y)[component], 0, 255)

    def plane(self, component: int) -> Integers:
        """What the decoder gives of a component."""
        h, v = self.factors[component]
        return self.sample(component, -(-self.size[0] * v // self.most[0]), -(-self.size[1] * h // self.most[1]))

    def units(self, chosen: Sequence[int]) -> Iterator[tuple[int, Integers]]:
        """Blocks in the order of a scan of these components; -1 between two units."""
        across, down = -(-self.size[1] // (SIDE * self.most[1])), -(-self.size[0] // (SIDE * self.most[0]))
        planes = [self.sample(c, down * v * SIDE, across * h * SIDE) for c, (h, v) in enumerate(self.factors)]
        single = len(chosen) == 1
        if single:
            rows, columns = self.plane(chosen[0]).shape
            across, down = -(-columns // SIDE), -(-rows // SIDE)
        for my in range(down):
            for mx in range(across):
                yield -1, planes[0]
                for c in chosen:
                    h, v = (1, 1) if single else self.factors[c]
                    for y in range(my * v, my * v + v):
                        for x in range(mx * h, mx * h + h):
                            yield c, planes[c][y * SIDE : (y + 1) * SIDE, x * SIDE : (x + 1) * SIDE]

    def scan(self, chosen: Sequence[int]) -> bytes:
        w, last, unit, mark = Writer(), dict.fromkeys(chosen, 0), 0, 0
        for component, block in self.units(chosen):
            if component < 0:
                if self.restarts and unit and unit % self.restarts == 0:
                    w.flush()
                    w.out += bytes([0xFF, 0xD0 + mark % 8])
                    last, mark = dict.fromkeys(chosen, 0), mark + 1
                unit += 1
                continue
            values = coded(block)
            difference = int(values[0, 0]) - last[component]
            last[component] = int(values[0, 0])
            w.put(abs(difference).bit_length(), 4)
            w.number(difference)
            run = 0
            for cell in zigzag()[1:]:
                value = int(values[cell])
                if value == 0:
                    run += 1
                    continue
                for _ in range(run // 16):
                    w.put(AC.index(0xF0), 8)
                w.put(AC.index(run % 16 << 4 | abs(value).bit_length()), 8)
                w.number(value)
                run = 0
            if run:
                w.put(0, 8)
        w.flush()
        pairs = [number for c in chosen for number in (c + 1, 0)]
        return segment(0xDA, len(chosen), *pairs, 0, 63, 0) + bytes(w.out)

    def data(self, *scans: Sequence[int]) -> bytes:
        """The file; all components in one scan unless others are given."""
        count = len(self.factors)
        described = [n for c, (h, v) in enumerate(self.factors) for n in (c + 1, h << 4 | v, 0)]
        height, width = self.size
        head = b"\xff\xd8" + segment(0xDB, 0, *[1] * 64)
        head += segment(0xC0, 8, height >> 8, height & 255, width >> 8, width & 255, count, *described)
        head += segment(0xC4, 0x00, *[12 if i == 4 else 0 for i in range(1, 17)], *range(12))
        head += segment(0xC4, 0x10, *[len(AC) if i == 8 else 0 for i in range(1, 17)], *AC)
        if self.restarts:
            head += segment(0xDD, 0, self.restarts)
        return head + b"".join(map(self.scan, scans or [range(count)])) + b"\xff\xd9"


@pytest.fixture(scope="module")
def jpeg(libraries: Path) -> Jpeg:
    return open_library(libraries)


def room(channels: int = 4) -> list[Bytes]:
    return [np.full((64, 3 * 64), 7, np.uint8) for _ in range(channels)]


ODD: dict[str, Factors] = {
    "4:1:0": [(4, 2), (1, 1), (1, 1)],
    "4:1:0 upright": [(2, 4), (1, 1), (1, 1)],
    "quarters of the rows": [(1, 4), (1, 1), (1, 1)],
    "a third": [(3, 1), (1, 1), (1, 1)],
    "chroma differs": [(2, 2), (2, 1), (1, 1)],
    "little luma": [(1, 1), (2, 2), (2, 2)],
    "two": [(1, 1), (1, 1)],
    "four": [(1, 1), (1, 1), (1, 1), (1, 1)],
    "four, halves": [(2, 2), (1, 1), (1, 1), (2, 2)],
}


@pytest.mark.parametrize("restarts", [0, 1, 3])
@pytest.mark.parametrize("kind", ODD)
def test_planes_of_any_sampling(jpeg: Jpeg, kind: str, restarts: int) -> None:
    file = File(ODD[kind], restarts=restarts)
    each_alone = [[c] for c in range(len(ODD[kind]))]
    for data in (file.data(), file.data(*each_alone)):
        planes = room()
        assert jpeg.decode(data, UNCHANGED, *planes) == SUCCESS
        for c in range(len(ODD[kind])):
            expected = file.plane(c)
            rows, columns = expected.shape
            assert abs(planes[c][:rows, :columns].astype(int) - expected).max() <= 1
            assert (planes[c][:rows, columns:] == 7).all()


@pytest.mark.parametrize("kind", ODD)
def test_pictures_of_any_sampling_as_an_h200_answers(jpeg: Jpeg, kind: str) -> None:
    """Planes by name are of three components; colours want one of JPEG's usual samplings, 4:1:0 among them."""
    data = File(ODD[kind]).data()
    has_colours = kind.startswith("4:1:0")
    assert jpeg.decode(data, YUV, *room()) == (INVALID if len(ODD[kind]) != 3 else SUCCESS)
    assert jpeg.decode(data, GRAY, *room()) == (INVALID if len(ODD[kind]) != 3 else SUCCESS)
    for form in (RGB, BGR, RGBI):
        assert jpeg.decode(data, form, *room()) == (SUCCESS if has_colours else INVALID)


def test_luma_alone_has_its_own_size(jpeg: Jpeg) -> None:
    file, planes = File(ODD["little luma"]), room()
    assert jpeg.decode(file.data(), GRAY, *planes) == SUCCESS
    rows, columns = file.plane(0).shape
    assert (rows, columns) == (10, 11)
    assert abs(planes[0][:rows, :columns].astype(int) - file.plane(0)).max() <= 1
    assert (planes[0][:rows, columns:] == 7).all()


def parse(jpeg: Jpeg, data: bytes) -> tuple[int, c_void_p]:
    stream = c_void_p()
    assert jpeg.library.nvjpegJpegStreamCreate(jpeg.handle, byref(stream)) == SUCCESS
    return jpeg.library.nvjpegJpegStreamParse(jpeg.handle, data, c_size_t(len(data)), 0, 0, stream), stream


@pytest.mark.parametrize("factors", [[(4, 4), (1, 1), (1, 1)], [(2, 2)] * 3, [(4, 2), (2, 1), (2, 1)]])
def test_more_than_ten_blocks_a_unit_are_refused(jpeg: Jpeg, factors: Factors) -> None:
    """What the header says can be asked for, as on an H200."""
    data = File(factors).data()
    status, stream = parse(jpeg, data)
    width, height = c_uint(), c_uint()
    assert status == BAD
    assert jpeg.library.nvjpegJpegStreamGetComponentDimensions(stream, 0, byref(width), byref(height)) == SUCCESS
    assert (width.value, height.value) == (WIDTH, HEIGHT)
    for form in (UNCHANGED, YUV, GRAY, RGBI, OF_16_BITS):
        assert jpeg.decode(data, form, *room()) == BAD


def test_files_and_formats_as_an_h200_answers(jpeg: Jpeg) -> None:
    data = File([(1, 1)] * 3).data()
    for length in (0, 1, 2, 20):
        cut = data[:length]
        assert parse(jpeg, cut)[0] == INCOMPLETE
        assert jpeg.decode(cut, RGBI, *room()) == jpeg.decode(cut, OF_16_BITS, *room()) == INCOMPLETE
        assert jpeg.decode(cut, -1, *room()) == INVALID
    assert jpeg.decode(data, OF_16_BITS, *room()) == jpeg.decode(data, 8, *room()) == INVALID
    decoder, says = c_void_p(), c_int(-1)
    assert jpeg.library.nvjpegDecoderCreate(jpeg.handle, 0, byref(decoder)) == SUCCESS
    for factors, answer in (([(1, 1)] * 3, 0), ([(1, 1)], 0), ([(1, 1)] * 2, 7), ([(1, 1)] * 4, 7)):
        stream = parse(jpeg, File(factors).data())[1]
        assert jpeg.library.nvjpegDecoderJpegSupported(decoder, stream, None, byref(says)) == SUCCESS
        assert says.value == answer
        for ask, params in ((jpeg.library.nvjpegDecodeBatchedSupported, ()),
                            (jpeg.library.nvjpegDecodeBatchedSupportedEx, (None,))):  # fmt: skip
            says.value = -1
            assert ask(jpeg.handle, stream, *params, byref(says)) == SUCCESS
            assert says.value == answer
            assert ask(None, stream, *params, byref(says)) == INVALID


@pytest.mark.parametrize("cut", [1, 30, 60, 200, 400])
def test_broken_data_is_no_crash(jpeg: Jpeg, cut: int) -> None:
    """Of data that ends early, or is other data, there are pixels or a code."""
    data = File(ODD["four, halves"]).data()
    assert jpeg.decode(data[:-cut], UNCHANGED, *room()) in (SUCCESS, BAD, INCOMPLETE)
    random = np.random.default_rng(cut)
    for _ in range(50):
        other = bytearray(data)
        other_bytes = random.integers(256, size=4)
        for at, byte in zip(random.integers(2, len(data), 4), other_bytes, strict=True):
            other[at] = byte
        other[SIZE_AT : SIZE_AT + 4] = data[SIZE_AT : SIZE_AT + 4]  # so that the planes have room
        assert jpeg.decode(bytes(other), UNCHANGED, *room()) in (SUCCESS, INVALID, BAD, NOT_SUPPORTED, INCOMPLETE)


def encode(jpeg: Jpeg, params: c_void_p, subsampling: int) -> int:
    planes = [np.full((24, 64), 90, np.uint8) for _ in range(3)]
    given = image(*planes)
    return jpeg.library.nvjpegEncodeYUV(jpeg.handle, jpeg.encoder, params, byref(given), subsampling, 32, 24, None)


def test_encoders_as_an_h200_answers(jpeg: Jpeg) -> None:
    """Nothing is encoded before the sampling is set; planes want chroma unless the file is gray."""
    params = c_void_p()
    assert jpeg.library.nvjpegEncoderParamsCreate(jpeg.handle, byref(params), None) == SUCCESS
    picture = np.zeros((24, 96), np.uint8)
    given = image(picture)

    def encode_image() -> int:
        return jpeg.library.nvjpegEncodeImage(jpeg.handle, jpeg.encoder, params, byref(given), RGBI, 32, 24, None)

    assert encode_image() == INVALID
    answers = {-1: INVALID, 0: INVALID, 6: INVALID, 7: NOT_SUPPORTED, 8: INVALID}
    assert {css: encode(jpeg, params, css) for css in answers} == answers
    set_factors = jpeg.library.nvjpegEncoderParamsSetSamplingFactors
    assert [set_factors(params, css, None) for css in (-1, 7, 8)] == [INVALID, NOT_SUPPORTED, INVALID]
    for chroma in range(5):
        assert set_factors(params, chroma, None) == encode_image() == SUCCESS
        answers = dict.fromkeys(range(6), SUCCESS) | {-1: INVALID, 6: INVALID, 7: NOT_SUPPORTED, 8: INVALID}
        assert {css: encode(jpeg, params, css) for css in answers} == answers
    assert set_factors(params, 6, None) == encode_image() == SUCCESS
    answers = dict.fromkeys(range(-1, 7), SUCCESS) | {7: NOT_SUPPORTED, 8: INVALID}
    assert {css: encode(jpeg, params, css) for css in answers} == answers


def test_planes_of_4_1_0_are_encoded(jpeg: Jpeg) -> None:
    """Chroma's samples are repeated where the file has more of them."""
    y, x = np.mgrid[0:24, 0:32]
    luma = (40 + 3 * x + 2 * y).astype(np.uint8)
    small = (100 + 8 * np.arange(8) + 3 * np.arange(12)[:, None]).astype(np.uint8)
    blue, red = np.ascontiguousarray(small), np.ascontiguousarray(255 - small)
    given = image(luma, blue, red)
    assert jpeg.library.nvjpegEncoderParamsSetSamplingFactors(jpeg.params, 0, None) == SUCCESS
    status = jpeg.library.nvjpegEncodeYUV(jpeg.handle, jpeg.encoder, jpeg.params, byref(given), 5, 32, 24, None)
    assert status == SUCCESS
    planes = room(3)
    assert jpeg.decode(jpeg.file(), YUV, *planes) == SUCCESS
    for plane, expected in zip(
        planes, (luma, blue.repeat(2, 0).repeat(4, 1), red.repeat(2, 0).repeat(4, 1)), strict=True
    ):
        assert abs(plane[:24, :32].astype(int) - expected).max() <= 8
