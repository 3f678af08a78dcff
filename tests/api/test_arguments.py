# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pyright: basic
"""Arguments against a kernel's signature: what fits, and what is said of what does not."""

from __future__ import annotations

import array
import ctypes
from typing import Any

import numpy as np
import pytest

from warploom.api.arguments import ArgumentError, pack
from warploom.api.dtypes import dtype_of, holds
from warploom.api.runtime import runtime
from warploom.compiler.signature import KernelSignature, Parameter, Type

FLOAT, DOUBLE, INT = Type("float", "f", 4, 4), Type("double", "f", 8, 8), Type("int", "i", 4, 4)
CHAR, BOOL, HALF = Type("char", "i", 1, 1), Type("bool", "b", 1, 1), Type("__half", "f", 2, 2)
BFLOAT = Type("__nv_bfloat16", "bf", 2, 2)
FLOAT4 = Type("float4", "struct", 16, 16, tuple((name, 4 * at, FLOAT) for at, name in enumerate("xyzw")))
PAIR = Type("Pair", "struct", 16, 8, (("first", 0, INT), ("second", 8, DOUBLE)))
ROW = Type("int[4]", "array", 16, 4, element=INT, shape=(4,))
OPAQUE = Type("Bits", "opaque", 8, 4)


def packed(given: Any, found: Type | None, *, pointer: bool = True, const: bool = False, mark: str = "*") -> bytes:
    name = found.name if found else "void"
    size = 8 if pointer or found is None else found.size
    parameter = Parameter(found, pointer, const, size, f"{name} {mark}" if pointer else name)
    return pack(KernelSignature("k", "k", (parameter,), 0), (given,)).values[0]


def address(of: Any) -> bytes:
    return np.asarray(of).ctypes.data.to_bytes(8, "little")


class Foreign:
    """An array of another library: it has only `__dlpack__`."""

    def __init__(self, kept: np.ndarray, device: int = 1) -> None:
        self.kept, self.device = kept, device

    def __dlpack__(self, **named: Any) -> Any:
        return self.kept.__dlpack__(**named)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device, 0


class ReadOnlyForeign(Foreign):
    """Its capsule says nothing of writing, as those of older libraries do; it has a way of its own."""

    def __dlpack__(self, **_named: Any) -> Any:
        return self.kept.__dlpack__()

    def numpy(self) -> np.ndarray:
        return self.kept


class Described:
    def __init__(self, pointer: int, **more: Any) -> None:
        self.__cuda_array_interface__ = {
            "data": (pointer, False),
            "shape": (4,),
            "typestr": "<f4",
            "version": 3,
            **more,
        }


def test_arrays_of_other_libraries_are_not_copied() -> None:
    x = np.arange(4, dtype=np.float32)
    assert packed(x, FLOAT) == address(x)
    assert packed(Foreign(x), FLOAT) == address(x)
    assert packed(ReadOnlyForeign(x), FLOAT) == address(x)
    assert packed(memoryview(x), FLOAT) == address(x)  # pyright: ignore[reportArgumentType]
    assert packed(None, FLOAT) == bytes(8)
    numbers = array.array("f", [1, 2])
    assert packed(numbers, FLOAT) == numbers.buffer_info()[0].to_bytes(8, "little")
    of_c = (ctypes.c_float * 4)()
    assert packed(of_c, FLOAT) == ctypes.addressof(of_c).to_bytes(8, "little")
    assert packed(b"text", CHAR, const=True) != bytes(8)
    with pytest.raises(ArgumentError, match="kind 2; kernels run on the CPU"):
        packed(Foreign(x, device=2), FLOAT)


def test_memory_of_this_runtime() -> None:
    place = ctypes.c_void_p()
    allocate = runtime()._library.cudaMalloc  # pyright: ignore[reportPrivateUsage]
    allocate.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    assert allocate(ctypes.byref(place), 64) == 0
    assert packed(Described(place.value or 0), FLOAT) == (place.value or 0).to_bytes(8, "little")
    elsewhere = np.zeros(4, np.float32)
    with pytest.raises(ArgumentError, match="memory that is not this runtime's"):
        packed(Described(elsewhere.ctypes.data), FLOAT)
    with pytest.raises(ArgumentError, match="does not describe an array"):
        packed(Described(place.value or 0, shape=None), FLOAT)


@pytest.mark.parametrize(
    ("given", "found", "options", "message"),
    [
        (
            np.zeros(4),
            FLOAT,
            {},
            r"an array of float64 was given; it wants float32; x.astype\(numpy.float32\) converts",
        ),
        (np.zeros(4, np.uint32), INT, {}, "an array of uint32 was given; it wants int32"),
        (np.zeros(4, ">f4"), FLOAT, {}, "an array of >f4 was given"),
        (np.zeros(4, object), None, {}, "an array of object was given; it wants plain memory"),
        (np.zeros(4, "O,i4"), OPAQUE, {}, "it wants Bits"),
        (np.zeros(8, np.float32)[::2], FLOAT, {}, r"not side by side \(shape \(4,\), strides \(8,\) bytes\)"),
        (np.frombuffer(bytes(8), np.float32), FLOAT, {}, "the array is read-only"),
        (np.zeros(9, np.uint8)[1:].view(np.float32), FLOAT, {}, "no multiple of 4"),
        (np.float32(1), FLOAT, {}, "a number .* was given where an array is wanted"),
        (140_000_000_000_000, FLOAT, {}, "a number .* was given where an array is wanted"),
        ([1.0, 2.0], FLOAT, {}, r"numpy.array\(...\) makes one of a list"),
        ("text", FLOAT, {}, "'text' .str. is no array"),
        (np.zeros(6, np.float32), FLOAT4, {}, "24 bytes are no whole number of float4, which has 16"),
        (np.zeros(4, np.float64), FLOAT4, {}, "it wants float4, 16 bytes"),
        (np.zeros(2, np.int32), ROW, {"mark": "&"}, "8 bytes are fewer than the 16"),
        (np.zeros(2, "i4,i4"), PAIR, {}, "it wants Pair, 16 bytes"),
        (2**31, INT, {"pointer": False}, "does not fit: from -2147483648 to 2147483647"),
        (1.5, INT, {"pointer": False}, r"is no whole number; int\(x\) makes one"),
        (np.float64(2), INT, {"pointer": False}, "is no whole number"),
        (2, BOOL, {"pointer": False}, "neither True nor False"),
        ("1", FLOAT, {"pointer": False}, "is no number that a float can hold"),
        (1e60, FLOAT, {"pointer": False}, "does not fit a float32"),
        (10**400, DOUBLE, {"pointer": False}, "does not fit a float64"),
        (np.zeros(2), DOUBLE, {"pointer": False}, "is no number that a double can hold"),
        (3, PAIR, {"pointer": False}, "it wants a structured array of one element, Pair, 16 bytes"),
        ((1, 2, 3), PAIR, {"pointer": False}, "are no members of Pair"),
        (np.zeros(2, dtype_of(PAIR)), PAIR, {"pointer": False}, "2 elements of .* were given"),
    ],
)
def test_mistakes_are_explained(given: Any, found: Type, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        packed(given, found, **options)


def test_what_fits() -> None:
    assert packed(np.zeros((3, 2), np.float32, order="F"), FLOAT)
    assert packed(np.frombuffer(bytes(8), np.float32), FLOAT, const=True)
    assert packed(np.zeros(3, "V24"), None)
    assert packed(np.zeros(3, np.complex128), OPAQUE)
    assert packed(np.zeros(0, np.float32), FLOAT)
    assert packed(np.zeros((2, 4), np.int32), ROW)
    assert packed(np.float32(0.1), FLOAT, pointer=False) == np.float32(0.1).tobytes()
    assert packed(np.float64(0.1), FLOAT, pointer=False) == np.float32(0.1).tobytes()
    assert packed(3, FLOAT, pointer=False) == np.float32(3).tobytes()
    assert packed(float("inf"), FLOAT, pointer=False) == np.float32(np.inf).tobytes()
    assert packed(0.5, HALF, pointer=False) == np.float16(0.5).tobytes()
    assert packed(np.int8(-1), INT, pointer=False) == b"\xff" * 4
    assert packed(np.array(5), INT, pointer=False) == b"\5\0\0\0"
    assert packed(True, INT, pointer=False) == b"\1\0\0\0"
    assert packed((1, 2.0), PAIR, pointer=False) == np.array((1, 2.0), dtype_of(PAIR)).tobytes()
    assert (
        packed(1 + 2j, Type("float2", "struct", 8, 8, FLOAT4.fields[:2]), pointer=False)
        == np.complex64(1 + 2j).tobytes()
    )


@pytest.mark.parametrize(
    ("dtype", "found", "fits"),
    [
        ("f4", FLOAT4, True),
        ("f8", FLOAT4, False),
        ("c8", Type("float2", "struct", 8, 8, FLOAT4.fields[:2]), True),
        ("c16", Type("float2", "struct", 8, 8, FLOAT4.fields[:2]), False),
        ([("a", "i4"), ("pad", "V4"), ("b", "f8")], PAIR, True),
        ([("b", "f8"), ("a", "i4"), ("pad", "V4")], PAIR, False),
        ("i4", ROW, True),
        (("i4", (4,)), ROW, True),
        ("V2", BFLOAT, False),
        ("f2", HALF, True),
        ("u1", CHAR, False),  # is_text takes it
        ("?", BOOL, True),
        ("u1", BOOL, False),
        ("O", DOUBLE, False),
    ],
)
def test_memory_that_holds_a_type(dtype: Any, found: Type, fits: bool) -> None:
    assert holds(np.dtype(dtype), found) == fits


def test_the_number_of_arguments() -> None:
    parameter = Parameter(FLOAT, True, True, 8, "const float *")
    with pytest.raises(ArgumentError, match=r"scale<int> takes 2 arguments \(const float \*, const float \*\), not 1"):
        pack(KernelSignature("k", "void scale<int>(float const*, float const*)", (parameter, parameter), 0), (1,))
