# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the interpreter's generated code calls: the simulated machine and the functions that need it."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

from warploom.core.type_names import Any
from warploom.ir import types
from warploom.ir.libm import mathematics_for
from warploom.ir.memory import BadAddress, Memory
from warploom.ir.ops import SET_THREAD, SET_THREAD_INDEX
from warploom.ir.scalar import Undefined
from warploom.ir.team import Schedule, Thread


class Unknown(Exception):
    """A function that nobody knows was called."""


class Endless(Exception):
    """A loop ran more often than the limit."""


def starter(
    function: Callable[..., Thread], sizes: tuple[int, ...], free: tuple[Any, ...], schedule: Schedule, seeded: bool
) -> Callable[[int], Thread]:
    """Makes member n of a parallel loop."""

    def start(number: int) -> Thread:
        indices = (number,)
        if len(sizes) == 3:
            x, y, _ = sizes
            indices = (number % x, number // x % y, number // (x * y))
        return function(*indices, *free, schedule.quantum()) if seeded else function(*indices, *free)

    return start


def insert(aggregate: Any, path: tuple[int, ...], element: Any) -> Any:
    """insertvalue."""
    if not path:
        return element
    first, *rest = path
    return (*aggregate[:first], insert(aggregate[first], tuple(rest), element), *aggregate[first + 1 :])


def too_long() -> None:
    """A loop has reached the limit."""
    raise Endless("a loop runs too often; give `limit` if that is meant")


def reached_unreachable() -> None:
    """The op `unreachable` runs."""
    raise Undefined("reached `unreachable`")


def misaligned(address: int, align: int) -> None:
    """An access breaks its promise."""
    raise BadAddress(f"offset {address & 0xFFFFFFFF} is not aligned to {align}")


def unknown(name: str) -> Callable[..., Any]:
    """What stands for a function that nobody knows."""

    def call(*_: Any) -> Any:
        raise Unknown(f"unknown function {name}")

    return call


def nothing(*_: Any) -> int:
    """A function without effect."""
    return 0


class Machine:
    """Functions of the device ABI and the C library that need memory, by name in `table`; undefined values."""

    def __init__(self, memory: Memory, seed: int | None, dynamic_shared: int) -> None:
        self.memory, self.time = memory, 0
        self.generator = None if seed is None else random.Random(f"garbage {seed}")
        self.table: dict[str, Callable[..., Any]] = {
            **dict.fromkeys(("malloc", "__warploom_malloc"), self.malloc),
            **dict.fromkeys(("free", "__warploom_free"), self.free),
            **dict.fromkeys(("llvm.trap", "llvm.ubsantrap", "abort", "__warploom_trap"), self.trap),
            **dict.fromkeys(("llvm.readcyclecounter", "__warploom_clock64", "__warploom_globaltimer"), self.clock),
            **dict.fromkeys(("llvm.debugtrap", "llvm.stacksave", "llvm.stackrestore"), nothing),
            "__warploom_dynamic_shared_size": lambda: dynamic_shared,
            "__warploom_is_cooperative": lambda: 1,
            **dict.fromkeys((SET_THREAD, SET_THREAD_INDEX), nothing),
            "__warploom_assert_fail": self.assert_fail,
        }
        for type_, suffix in (("double", ""), ("float", "f")):
            self.table |= {
                "sincos" + suffix: self.sine_and_cosine(type_),
                "modf" + suffix: self.fraction(type_),
                "frexp" + suffix: self.exponent(type_),
            }

    # -- undefined values --

    def garbage_int(self, width: int) -> int:
        """An undefined integer."""
        return self.generator.getrandbits(width) if self.generator else 0

    def garbage_float(self, type_: str) -> float:
        """An undefined floating-point number."""
        return types.float_value(type_, self.garbage_int(types.bits(type_)))

    # -- functions --

    def malloc(self, size: int) -> int:
        """Device memory from the heap."""
        return self.memory.allocate_garbage(size, self.generator, "malloc")

    def free(self, address: int) -> None:
        """Give it back."""
        if address:
            self.memory.free(address)

    def trap(self, *_: int) -> None:
        """The program stops itself."""
        raise Undefined("trap")

    def assert_fail(self, expression: int, *_: int) -> None:
        """assert() of device code."""
        buffer = self.memory.buffers[expression >> 32]
        text = bytes(buffer[expression & 0xFFFFFFFF :]).partition(b"\0")[0].decode(errors="replace")
        raise Undefined(f"assertion failed: {text}")

    def clock(self) -> int:
        """A number that grows."""
        self.time += 1
        return self.time

    def sine_and_cosine(self, type_: str) -> Callable[..., None]:
        """sincos()."""

        def call(value: float, to_sine: int, to_cosine: int) -> None:
            self.memory.store(type_, to_sine, mathematics_for("sin", type_)(value))
            self.memory.store(type_, to_cosine, mathematics_for("cos", type_)(value))

        return call

    def fraction(self, type_: str) -> Callable[..., float]:
        """modf()."""

        def call(value: float, to_whole: int) -> float:
            fraction, whole = math.modf(value)
            self.memory.store(type_, to_whole, whole)
            return fraction

        return call

    def exponent(self, _type: str) -> Callable[..., float]:
        """frexp()."""

        def call(value: float, to_exponent: int) -> float:
            digits, exponent = math.frexp(value)
            self.memory.store("i32", to_exponent, exponent & 0xFFFFFFFF)
            return digits

        return call
