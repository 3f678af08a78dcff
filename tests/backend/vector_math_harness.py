# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vector functions over numpy arrays, built as a kernel would call them, and their distance to the C library."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from warploom.backend import vector_math
from warploom.ir import vector_functions
from warploom.llvm.module import Module
from warploom.toolchain import Toolchain, run_tool

REFERENCE = Path(__file__).resolve().parent / "vector_math_reference.cpp"
DTYPES: dict[str, type[np.floating[Any]]] = {"f32": np.float32, "f64": np.float64}
Array = NDArray[Any]


class Worst(ctypes.Structure):
    """The largest distances seen, and where."""

    _fields_ = (
        ("distance", ctypes.c_int64),
        ("distance_x", ctypes.c_double),
        ("distance_y", ctypes.c_double),
        ("ulps", ctypes.c_double),
        ("ulps_x", ctypes.c_double),
        ("ulps_y", ctypes.c_double),
    )
    distance: int
    distance_x: float
    distance_y: float
    ulps: float
    ulps_x: float
    ulps_y: float


@dataclass(frozen=True)
class Harness:
    """Functions compiled for one target and number of lanes, and the reference."""

    lanes: int
    compiled: ctypes.CDLL

    def call(self, name: str, kind: str, x: Array, y: Array | None = None) -> Array:
        """The vector function over whole arrays; the last vector is filled up with ones."""
        count = len(x)
        vectors = -(-count // self.lanes)
        arguments = [np.ones(vectors * self.lanes, DTYPES[kind]) for _ in range(2)]
        for target, values in zip(arguments, (x, y), strict=True):
            if values is not None:
                target[:count] = values
        result = np.empty(vectors * self.lanes, DTYPES[kind])
        self.raw(name, kind)(result.ctypes.data, *(each.ctypes.data for each in arguments), vectors)
        return result[:count]

    def raw(self, name: str, kind: str) -> Any:
        """The loop over vectors: (result, x, y, how many vectors), pointers as integers."""
        function = self.compiled[f"run_{name}_{kind}"]
        function.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int64]
        function.restype = None
        return function

    def worst(self, name: str, kind: str, x: Array, y: Array | None = None, into: Worst | None = None) -> Worst:
        """The largest distance to the reference over the arrays."""
        return self.compare(name, kind, self.call(name, kind, x, y), x, y, into)

    def compare(
        self, name: str, kind: str, got: Array, x: Array, y: Array | None = None, into: Worst | None = None
    ) -> Worst:
        """As `worst`, for results computed before."""
        worst = into or Worst()
        pointers = [None if each is None else ctypes.c_void_p(each.ctypes.data) for each in (x, y, got)]
        status = self.compiled[f"compare_{kind}"](name.encode(), ctypes.c_long(len(x)), *pointers, ctypes.byref(worst))
        assert status == 0, name
        return worst

    def reference(self, name: str, x: Array, y: Array | None = None) -> Array:
        """The C library's double function."""
        wide = [None if each is None else each.astype(np.float64) for each in (x, y)]
        result = np.empty(len(x))
        pointers = [None if each is None else ctypes.c_void_p(each.ctypes.data) for each in (*wide, result)]
        assert self.compiled["reference"](name.encode(), ctypes.c_long(len(x)), *pointers) == 0
        return result


def device_like_module(toolchain: Toolchain, flags: Sequence[str], folder: Path) -> Module:
    """A module for the target of `flags`, with nothing in it but a function that has the target's attributes."""
    source, bitcode = folder / "anchor.cpp", folder / "anchor.bc"
    source.write_text('extern "C" void anchor() {}\n')
    result = run_tool([toolchain.clang, *flags, "-O2", "-fPIC", "-emit-llvm", "-c", source, "-o", bitcode])
    assert result.returncode == 0, result.stderr
    return Module(toolchain.llvm_library, bitcode)


def loops(module: Module, lanes: int, names: Sequence[tuple[str, str]]) -> str:
    """LLVM text with a loop over vectors for each (function, type)."""
    lines = [module.target_text()]
    for name, kind in names:
        vector = f"<{lanes} x {vector_math.TYPES[kind]}>"
        symbol = f"__warploom_v{lanes}_{name}_{kind}"
        two = name in vector_functions.TWO_ARGUMENTS
        arguments = f"{vector} %x, {vector} %y" if two else f"{vector} %x"
        lines += [
            f"declare {vector} @{symbol}({', '.join([vector] * (1 + two))})",
            f"define void @run_{name}_{kind}(ptr %rs, ptr %xs, ptr %ys, i64 %n) #0 {{",
            "entry:\n  br label %loop",
            "loop:\n  %i = phi i64 [ 0, %entry ], [ %next, %loop ]",
            f"  %px = getelementptr {vector}, ptr %xs, i64 %i",
            f"  %py = getelementptr {vector}, ptr %ys, i64 %i",
            f"  %pr = getelementptr {vector}, ptr %rs, i64 %i",
            f"  %x = load {vector}, ptr %px, align 4",
            *([f"  %y = load {vector}, ptr %py, align 4"] if two else []),
            f"  %r = call {vector} @{symbol}({arguments})",
            f"  store {vector} %r, ptr %pr, align 4",
            "  %next = add i64 %i, 1\n  %more = icmp slt i64 %next, %n",
            "  br i1 %more, label %loop, label %done\ndone:\n  ret void\n}",
        ]
    return "\n".join([*lines, f"attributes #0 = {{ nounwind {vector_math.target_attributes(module)} }}"])


def build(
    toolchain: Toolchain,
    flags: Sequence[str],
    lanes: int,
    names: Sequence[tuple[str, str]],
    folder: Path,
    *,
    optimise: bool = False,
) -> Harness:
    """Compile `names` (function, type) for the target of `flags`; `optimise` inlines them, as a kernel may."""
    module = device_like_module(toolchain, flags, folder)
    machine = module.target_machine(toolchain.target, 3)
    module.link_text(loops(module, lanes, names), "loops")
    vector_math.link(module, toolchain, machine)
    if optimise:
        module.run_passes("default<O3>", machine)
    compiled, shared = folder / "functions.o", folder / "harness.so"
    module.emit_object(machine, compiled)
    result = run_tool([
        toolchain.clang, *toolchain.link_flags, "-O2", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-shared",
        REFERENCE, compiled, "-lm", "-o", shared,
    ])  # fmt: skip
    assert result.returncode == 0, result.stderr
    return Harness(lanes, ctypes.CDLL(str(shared)))
