# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# pyright: basic
"""Random calls of kernels, nearly all of them wrong: the interpreter lives on, and each is an exception of ours.

    python tests/api/wrong_calls.py [CALLS [SEED]]

Kernels here touch memory only within what an array of the right dtype has: one element.
"""

from __future__ import annotations

import array
import ctypes
import random
import sys
from collections import Counter
from typing import Any

import numpy as np

import warploom
import warploom.compat.numba_cuda as cuda

SOURCE = """
struct Pair { int first; double second; };
__global__ void numbers(bool b, signed char c, unsigned short s, int i, unsigned long long u, float f, double d) {}
__global__ void arrays(const float *a, double *b, int *c, unsigned char *d) { if (b) b[0] = 1; if (c) c[0] = 1; }
__global__ void structs(Pair p, Pair *q, float4 *v, const int (&fixed)[4], void *any) {}
__global__ void nothing() {}
"""


class Lying:
    """Its interfaces do not keep what they promise."""

    def __init__(self, number: random.Random) -> None:
        self.number = number

    def __repr__(self) -> str:
        if self.number.random() < 0.2:
            raise ValueError("no repr")
        return "<lying>"

    def __index__(self) -> int:
        return self.number.choice([1, -1, 2**70])

    def __len__(self) -> int:
        return self.number.choice([0, 1, 3])

    def __getitem__(self, key: Any) -> Any:
        raise self.number.choice([IndexError, KeyError, RuntimeError])


class Interfaces:
    """Descriptions of memory, most of them impossible."""

    def __init__(self, number: random.Random) -> None:
        described: dict[str, Any] = {"data": (0, False), "shape": (1,), "typestr": "<f4", "version": 3}
        for name in list(described):
            if number.random() < 0.5:
                described[name] = number.choice([None, (), "<f8", -1, (-1,), {}, "text"])
        if number.random() < 0.5:
            self.__cuda_array_interface__ = described
        else:
            self.__dlpack__ = lambda *_a, **_k: number.choice([None, object(), 3])
            self.__dlpack_device__ = lambda: number.choice([(1, 0), (2, 0), None, "cpu", ()])


def value(number: random.Random) -> Any:
    """Any object."""
    dtype = number.choice(
        ["f4", "f8", "i4", "u1", "i8", "c8", "?", "f2", "S3", "U2", "O", "i4,f8", ">f4", "M8[s]", "V8"]
    )
    shape = number.choice([(), (1,), (4,), (2, 2), (0,), (3, 0, 2)])
    made: list[Any] = [
        lambda: np.zeros(shape, dtype),
        lambda: np.zeros((8, 8), dtype)[:: number.choice([1, 2, -1, 3]), :: number.choice([1, -1, 4])],
        lambda: np.zeros(4, dtype)[1:].view(np.ndarray).T,
        lambda: np.frombuffer(bytes(64), np.uint8)[number.randrange(9) :][:8].view(number.choice(["f4", "u1", "i2"])),
        lambda: np.zeros((), number.choice(["f4", "i4", "u8", "?"]))[()],
        lambda: number.choice([0, 1, -1, 2**31, -(2**31), 2**63, 2**64, -(2**63) - 1, 2**100, True, False]),
        lambda: number.choice([0.0, 1.5, float("nan"), float("inf"), 1e300, -1e-300, 1j, complex("nan")]),
        lambda: number.choice([None, "text", b"bytes", (), [], {}, set(), object(), int, len, ..., NotImplemented]),
        lambda: number.choice([(1, 2), [1, 2.0], (1,), (1, 2, 3), ("a", "b"), ((1, 2), 3)]),
        lambda: number.choice([bytearray(8), memoryview(bytes(8)), array.array("f", [1.0]), array.array("d", [1, 2])]),
        lambda: number.choice([(ctypes.c_float * 4)(), ctypes.c_int(3), memoryview(bytearray(16)).cast("i")[::2]]),
        lambda: Lying(number),
        lambda: Interfaces(number),
        lambda: np.ma.masked_array([1.0, 2.0]),
        lambda: type("Sub", (int,), {})(3),
    ]
    return number.choice(made)()


def extent(number: random.Random) -> Any:
    """A number of blocks or of threads, or nothing of the kind."""
    if number.random() < 0.6:
        return number.choice([1, (1,), (1, 1), (2, 1, 1), [1, 1], np.int32(1), (np.int64(2), 1)])
    return number.choice(
        [0, -1, 2**31, 2**32, 2**40, (), (1, 2, 3, 4), (0, 1), None, 1.5, (1.5,), ("a",), value(number)]
    )


def main(calls: int, seed: int) -> int:
    """Make the calls; say what became of them."""
    number, seen = random.Random(seed), Counter[str]()
    module = warploom.RawModule(SOURCE)
    kernels = [module.get_function(name) for name in ("numbers", "arrays", "structs", "nothing")]

    @cuda.jit
    def in_python(x, a):
        if x.size > 0 and a > 0:
            x[0] = x[0]

    stream = warploom.Stream()
    for _ in range(calls):
        kernel = number.choice(kernels)
        count = len(kernel.signature.parameters) if number.random() < 0.9 else number.randrange(6)
        given: Any = tuple(value(number) for _ in range(count))
        if number.random() < 0.05:
            given = value(number)
        more: dict[str, Any] = {}
        if number.random() < 0.1:
            more["shared_mem"] = number.choice([0, 64, -1, 2**20, 2**40, None, "1", 1.5])
        if number.random() < 0.1:
            more["stream"] = number.choice([stream, 0, 1, 0xDEAD, "stream", object()])
        try:
            if number.random() < 0.02:
                in_python[extent(number), extent(number)](
                    number.choice([np.zeros(3), np.zeros((0,)), np.zeros(4, "i4")[::2], value(number)]),
                    number.choice([1, 2.5, True]),
                )
            else:
                kernel(extent(number), extent(number), given, **more)
            seen["launched"] += 1
        except (warploom.ArgumentError, warploom.CudaError, warploom.Diagnostic, warploom.CompileError) as error:
            seen[type(error).__name__] += 1
            str(error)
    stream.synchronize()
    print(dict(seen))
    return 0


if __name__ == "__main__":
    words = [int(word) for word in sys.argv[1:]]
    sys.exit(main(*(words + [3000, 1][len(words) :])))
