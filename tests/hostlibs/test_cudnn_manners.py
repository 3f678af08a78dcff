# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# functions: cudnnDestroy cudnnSetStream cudnnGetStream cudnnGetVersion cudnnGetErrorString cudnnGetLastErrorString
# functions: cudnnSetTensor4dDescriptor cudnnSetTensorNdDescriptor cudnnGetTensorNdDescriptor
# functions: cudnnGetTensorSizeInBytes cudnnSetFilter4dDescriptor cudnnGetFilter4dDescriptor cudnnGetProperty
# functions: cudnnDestroyTensorDescriptor cudnnSetConvolution2dDescriptor
"""What cuDNN's functions say to calls that are wrong, and what descriptors tell."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from dnn import BAD_PARAM, FLOAT, NCHW, NHWC, NOT_SUPPORTED, Case, Dnn, integers, scalar

import warploom

BITS = Path(__file__).with_name("dnn_bits.py")
REFUSED = Path(warploom.__file__).parent / "include" / "warploom" / "libraries" / "cudnn_refused.def"


@pytest.fixture(scope="module")
def dnn(libraries: Path) -> Dnn:
    return Dnn(ctypes.CDLL(str(libraries / "libcudnn.so")))


def last_error(dnn: Dnn) -> str:
    text = ctypes.create_string_buffer(300)
    dnn.library.cudnnGetLastErrorString(text, ctypes.c_size_t(300))
    return text.value.decode()


def test_handles(dnn: Dnn) -> None:
    handle, stream = ctypes.c_void_p(), ctypes.c_void_p(1)
    assert dnn.plain("cudnnCreate", ctypes.byref(handle)) == 0
    assert dnn.plain("cudnnGetStream", handle, ctypes.byref(stream)) == 0
    assert not stream
    assert dnn.plain("cudnnSetStream", None, None) == BAD_PARAM
    assert dnn.plain("cudnnDestroy", handle) == 0
    assert dnn.plain("cudnnCreate", None) == BAD_PARAM


@pytest.mark.ours("NVIDIA's library reads what is gone, and crashes")
def test_handles_that_are_gone(dnn: Dnn) -> None:
    handle = dnn.create("")
    assert dnn.plain("cudnnDestroy", handle) == 0
    assert dnn.plain("cudnnDestroy", handle) == BAD_PARAM
    assert dnn.plain("cudnnSetStream", handle, None) == BAD_PARAM
    assert "destroyed" in last_error(dnn)
    tensor = dnn.create("TensorDescriptor")
    assert dnn.plain("cudnnDestroyTensorDescriptor", tensor) == 0
    assert dnn.plain("cudnnSetTensor4dDescriptor", tensor, NCHW, FLOAT, 2, 3, 4, 5) == BAD_PARAM


def test_versions_and_names(dnn: Dnn) -> None:
    values = [ctypes.c_int(-1) for _ in range(3)]
    for i, value in enumerate(values):
        assert dnn.plain("cudnnGetProperty", i, ctypes.byref(value)) == 0
    major, minor, patch = (value.value for value in values)
    assert dnn.library.cudnnGetVersion() == major * 10000 + minor * 100 + patch
    assert major == 9
    names = dnn.library.cudnnGetErrorString
    names.restype = ctypes.c_char_p
    expected = {0: b"CUDNN_STATUS_SUCCESS", 2000: b"CUDNN_STATUS_BAD_PARAM", 3000: b"CUDNN_STATUS_NOT_SUPPORTED"}
    assert {status: names(status) for status in expected} == expected


def test_descriptors_of_tensors(dnn: Dnn) -> None:
    tensor = dnn.create("TensorDescriptor")
    kind, rank, dims, strides = ctypes.c_int(), ctypes.c_int(), (ctypes.c_int * 4)(), (ctypes.c_int * 4)()
    for layout, expected in ((NCHW, (60, 20, 5, 1)), (NHWC, (60, 1, 15, 3))):
        assert dnn.plain("cudnnSetTensor4dDescriptor", tensor, layout, FLOAT, 2, 3, 4, 5) == 0
        asked = (ctypes.byref(kind), ctypes.byref(rank), dims, strides)
        assert dnn.plain("cudnnGetTensorNdDescriptor", tensor, 4, *asked) == 0
        assert (kind.value, rank.value, tuple(dims), tuple(strides)) == (FLOAT, 4, (2, 3, 4, 5), expected)
    size = ctypes.c_size_t(0)
    assert dnn.plain("cudnnGetTensorSizeInBytes", tensor, ctypes.byref(size)) == 0
    assert size.value == 480
    for dims4 in ((0, 3, 4, 5), (2, -1, 4, 5)):
        assert dnn.plain("cudnnSetTensor4dDescriptor", tensor, NCHW, FLOAT, *dims4) == BAD_PARAM
    assert dnn.plain("cudnnSetTensor4dDescriptor", tensor, 7, FLOAT, 2, 3, 4, 5) == BAD_PARAM
    assert dnn.plain("cudnnSetTensor4dDescriptor", tensor, NCHW, 77, 2, 3, 4, 5) == BAD_PARAM
    assert dnn.plain("cudnnSetTensorNdDescriptor", tensor, FLOAT, 9, integers([1] * 9), integers([1] * 9)) == BAD_PARAM
    assert dnn.plain("cudnnDestroyTensorDescriptor", tensor) == 0


def test_descriptors_of_filters(dnn: Dnn) -> None:
    made, numbers = dnn.create("FilterDescriptor"), [ctypes.c_int() for _ in range(6)]
    assert dnn.plain("cudnnSetFilter4dDescriptor", made, FLOAT, NHWC, 5, 4, 3, 2) == 0
    assert dnn.plain("cudnnGetFilter4dDescriptor", made, *(ctypes.byref(each) for each in numbers)) == 0
    assert [each.value for each in numbers] == [FLOAT, NHWC, 5, 4, 3, 2]
    assert dnn.plain("cudnnSetFilter4dDescriptor", made, FLOAT, NCHW, 5, 0, 3, 2) == BAD_PARAM


def test_convolutions_that_cannot_be(dnn: Dnn) -> None:
    case = Case(FLOAT, NCHW, (1, 3, 8, 8), (4, 3, 3, 3), (1, 1), (1, 1), (1, 1))
    x, w, shape, y = (
        dnn.tensor(FLOAT, case.x),
        dnn.filter(FLOAT, case.w),
        dnn.convolution(case),
        dnn.tensor(FLOAT, case.y),
    )
    data = np.zeros(4 * 64, np.float32)
    one, zero, none = scalar(FLOAT, 1), scalar(FLOAT, 0), ctypes.c_size_t(0)

    def call(x: object = x, w: object = w, y: object = y, out: object = data, first: object = one) -> int:
        arguments = (first, x, data, w, data, shape, 1, None, none, zero, y, out)
        return dnn.call("cudnnConvolutionForward", *arguments)

    assert call() == 0
    assert call(w=dnn.filter(FLOAT, (4, 2, 3, 3))) == BAD_PARAM
    assert "3 channels" in last_error(dnn)
    assert call(y=dnn.tensor(FLOAT, (1, 4, 7, 8))) == BAD_PARAM
    assert call(out=None) == BAD_PARAM
    assert call(first=None) == BAD_PARAM
    assert call(x=dnn.create("TensorDescriptor")) == BAD_PARAM
    assert "has not been set" in last_error(dnn)
    integer = 4
    types = (dnn.tensor(integer, case.x), dnn.filter(integer, case.w), dnn.tensor(integer, case.y))
    assert call(*types) == NOT_SUPPORTED
    assert dnn.plain("cudnnSetConvolution2dDescriptor", shape, -1, 1, 1, 1, 1, 1, 1, FLOAT) == BAD_PARAM
    assert dnn.plain("cudnnSetConvolution2dDescriptor", shape, 1, 1, 0, 1, 1, 1, 1, FLOAT) == BAD_PARAM


@pytest.mark.ours("NVIDIA's library has them")
def test_what_is_missing_says_so_once(libraries: Path) -> None:
    """Each function by its name, and returns NOT_SUPPORTED each time."""
    names = re.findall(r"^WARPLOOM_CUDNN\((\w+),", REFUSED.read_text(), re.MULTILINE)
    assert "cudnnCreateAttnDescriptor" in names
    calls = (
        "import ctypes, sys\n"
        "library = ctypes.CDLL(sys.argv[1])\n"
        "print({getattr(library, name)(*[None] * 30) for name in sys.argv[2:] * 2})"
    )
    command = [sys.executable, "-c", calls, str(libraries / "libcudnn.so"), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [f"{{{NOT_SUPPORTED}}}"]
    assert [line.split()[1].rstrip(":") for line in done.stderr.splitlines()] == names


@pytest.mark.ours("only these libraries run on threads of the host")
def test_bits_for_any_number_of_threads(libraries: Path) -> None:
    digests: set[str] = set()
    for threads in (1, 2, 8, 64):
        environment = dict(os.environ, WARPLOOM_NUM_THREADS=str(threads))
        command = [sys.executable, str(BITS), str(libraries / "libcudnn.so")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        digests.add(done.stdout)
    assert len(digests) == 1
