# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory without sharing, in the layouts that vector code must tell apart.

    contiguous   y[gid]                        rotated      y[(gid + 3) % total]
    apart        y[gid + which * total]        transposed   y[... threadIdx.x * blockDim.y + threadIdx.y ...]
    blocked      y[gid * 3 + which]            reversed     y[total * 3 - 1 - (gid * 3 + which)]

of numbers, of CUDA's vectors (float4) and of a structure. In a field every thread has places of its own, which it may
read and write at any time; the input `x` is only read, at places that lie side by side or anywhere.
"""

from __future__ import annotations

import random

from warploom.core.records import dataclass
from warploom.fuzz.expressions import Level, Scope, constant, converted, expression
from warploom.fuzz.tree import Expr, Stmt

FLOATS_IN_X = 1 << 15  # as in prelude.cuh
NUMBERS = {"f32": 4, "f64": 8, "i32": 4, "u32": 4, "u8": 1, "i16": 2, "u64": 8}
# Elements of several numbers: bytes, and the members with their types.
RECORDS: dict[str, tuple[int, dict[str, str]]] = {
    "float2": (8, {"x": "f32", "y": "f32"}),
    "float4": (16, {"x": "f32", "y": "f32", "z": "f32", "w": "f32"}),
    "double2": (16, {"x": "f64", "y": "f64"}),
    "int4": (16, {"x": "i32", "y": "i32", "z": "i32", "w": "i32"}),
    "uchar4": (4, {"x": "u8", "y": "u8", "z": "u8", "w": "u8"}),
    "Mixed": (40, {"a": "f32", "b": "i16", "c": "u8", "d": "f64", "e[0]": "i32", "e[2]": "i32"}),
    "Three": (12, {"x": "f32", "y": "f32", "z": "f32"}),
}
LAYOUTS = ("contiguous", "contiguous", "apart", "blocked", "reversed", "rotated", "transposed")
INDEX_TYPES = ("u32", "u32", "i32", "u64", "i64")
TRANSPOSED = "block * threads + (threadIdx.x * blockDim.y + threadIdx.y) * blockDim.z + threadIdx.z"


@dataclass(frozen=True)
class Field:
    """`per_thread` elements of each thread, in a buffer that all threads share."""

    name: str
    element: str
    layout: str
    per_thread: int
    index_type: str
    before: int  # bytes a thread of the fields before it

    @property
    def size(self) -> int:
        """Bytes a thread, a multiple of 16."""
        bytes_ = NUMBERS.get(self.element) or RECORDS[self.element][0]
        return (bytes_ * self.per_thread + 15) // 16 * 16

    @property
    def declaration(self) -> str:
        """The pointer to it."""
        return f"{self.element} *{self.name} = ({self.element} *)(own + total * {self.before}u);"

    def place(self, scope: Scope) -> str:
        """One of the running thread's elements."""
        which = str(scope.rng.randrange(self.per_thread))
        counters = [each.name for each in scope.variables if each.fixed and each.name.startswith("c")]
        if self.per_thread > 1 and counters and scope.rng.random() < 0.5:
            which = f"(u32({scope.rng.choice(counters)}) % {self.per_thread}u)"
        return f"{self.name}[{self.index_type}({self.index(which)})]"

    def index(self, which: str) -> str:
        """The number of the running thread's element `which`."""
        mine = f"gid * {self.per_thread}u + {which}"
        match self.layout:
            case "reversed":
                return f"total * {self.per_thread}u - 1u - ({mine})"
            case "rotated":
                return f"(gid + 3u) % total * {self.per_thread}u + {which}"
            case "transposed":
                return f"({TRANSPOSED}) * {self.per_thread}u + {which}"
            case "apart" | "contiguous":
                return f"gid + {which} * total"
            case _:
                return mine

    def number(self, scope: Scope) -> Expr:
        """One of the running thread's numbers: a place, with its type."""
        if self.element in NUMBERS:
            return Expr(self.element, [self.place(scope)])
        member, type_ = scope.rng.choice([*RECORDS[self.element][1].items()])
        return Expr(type_, [f"{self.place(scope)}.{member}"])


def random_fields(rng: random.Random, count: int) -> list[Field]:
    """Some fields, side by side in `own`."""
    found: list[Field] = []
    for order in range(count):
        element = rng.choice([*NUMBERS, "f32", "f32", "f64", *RECORDS])
        layout = rng.choice(LAYOUTS)
        per_thread = 1 if layout == "contiguous" else rng.choice((1, 2, 3, 5))
        before = sum(field.size for field in found)
        found.append(Field(f"y{order}", element, layout, per_thread, rng.choice(INDEX_TYPES), before))
    return found


def load_field(fields: list[Field], scope: Scope, type_: str, level: Level, _depth: int) -> Expr | None:
    """A load of a number of the running thread's own."""
    if level is not Level.THREAD or not fields:
        return None
    return converted(scope.rng.choice(fields).number(scope), type_)


def store_field(fields: list[Field], scope: Scope, depth: int) -> Stmt:
    """A store of one number, or of all members of an element."""
    rng, field = scope.rng, scope.rng.choice(fields)
    if field.element in NUMBERS or rng.random() < 0.4:
        place = field.number(scope)
        return Stmt([*place.parts, " = settled(", expression(scope, place.type, Level.THREAD, depth), ");"])
    place, inner = field.place(scope), list[Stmt]()
    for member, type_ in RECORDS[field.element][1].items():
        if rng.random() < 0.7:
            value = expression(scope, type_, Level.THREAD, 2)
            inner.append(Stmt([f"all.{member} = settled(", value, ");"]))
    return Stmt(["{", [Stmt([f"{field.element} all = {place};"]), *inner, Stmt([f"{place} = all;"])], "}"])


def load_input(scope: Scope, type_: str, level: Level, depth: int) -> Expr | None:
    """A load from `x`: beside the neighbours' places, at a distance, in reverse, as part of a vector, or anywhere."""
    rng = scope.rng
    if level is not Level.THREAD or rng.random() < 0.2:
        anywhere = expression(scope, "u32", level, depth - 1)
        return converted(Expr("f32", ["x[", anywhere, f" % {FLOATS_IN_X}u]"]), type_)
    near, step = rng.randrange(16), rng.choice((1, 1, 1, 2, 3, 5))
    index_type = rng.choice(INDEX_TYPES)
    kind = rng.randrange(6)
    if kind == 0:
        return converted(Expr("f32", [f"x[{index_type}({FLOATS_IN_X - 1}u - gid * {step}u - {near}u)]"]), type_)
    if kind == 1:
        element = rng.choice(("float2", "float4"))
        member = rng.choice("xy" if element == "float2" else "xyzw")
        return converted(Expr("f32", [f"((const {element} *)x)[{index_type}(gid + {near}u)].{member}"]), type_)
    if kind == 2:
        return converted(Expr("f32", [f"x[{index_type}(in[(gid + {near}u) % 1024u]) & {FLOATS_IN_X - 1}]"]), type_)
    return converted(Expr("f32", [f"x[{index_type}(gid * {step}u + {near}u)]"]), type_)


def load_private_floats(names: list[str], scope: Scope, type_: str, level: Level, depth: int) -> Expr | None:
    """A load from a private array, at a place that differs between threads or not."""
    if not names or level is not Level.THREAD:
        return None
    index = expression(scope, "u32", scope.rng.choice((Level.GRID, Level.THREAD)), depth - 1)
    return converted(Expr("f32", [f"{scope.rng.choice(names)}[", index, " % 6u]"]), type_)


def store_private_float(names: list[str], scope: Scope, depth: int) -> Stmt:
    """A store to a private array."""
    index = expression(scope, "u32", scope.rng.choice((Level.GRID, Level.THREAD)), 1)
    return Stmt([f"{scope.rng.choice(names)}[", index, " % 6u] = ", expression(scope, "f32", Level.THREAD, depth), ";"])


def exact(scope: Scope, type_: str) -> Expr:
    """A number of which any thousands add up without rounding, in any order."""
    value = expression(scope, "i32", Level.THREAD, 2)
    return Expr(type_, [f"{type_}(63 & (", value, f")) * {type_}({scope.rng.choice((0.25, 1.0, -0.5))})"])


def tally(scope: Scope, operation: str) -> Stmt:
    """An atomic on global memory whose order does not matter."""
    rng = scope.rng
    index = expression(scope, "u32", Level.THREAD, 2)
    kind = rng.randrange(5)
    if kind == 0:
        value = expression(scope, "u32", Level.THREAD, 2)
        return Stmt(["by_compare_and_swap(&counters[", index, " % 64u], ", value, f", {operation}());"])
    if kind == 1:
        return Stmt(["{ u32 slot = ", index, " % 16u; atomicExch(&counters[64u + slot], slot * 3u + 1u); }"])
    if kind == 2:
        return Stmt(["atomicAdd((f32 *)counters + 80u + ", index, " % 16u, ", exact(scope, "f32"), ");"])
    if kind == 3:
        return Stmt(["atomicAdd((f64 *)counters + 48u + ", index, " % 16u, ", exact(scope, "f64"), ");"])
    constant_index = constant(rng, "u8")
    value = expression(scope, "u32", Level.THREAD, 2)
    return Stmt([f"atomic{operation}(&counters[", constant_index, " % 64u], ", value, ");"])


def shared_sums(scope: Scope, name: str) -> Stmt:
    """Threads of a block count in shared memory, and read the sums."""
    type_ = scope.rng.choice(("f32", "f64", "u32", "i32"))
    value = exact(scope, type_) if type_.startswith("f") else expression(scope, type_, Level.THREAD, 2)
    operation = "Add" if type_.startswith("f") else scope.rng.choice(("Add", "Min", "Max"))
    index = expression(scope, "u32", Level.THREAD, 2)
    other = expression(scope, "u32", Level.THREAD, 2)
    start = "for (u32 i = tid; i < 8u; i += threads) "
    return Stmt(
        [
            "{",
            [
                Stmt([f"__shared__ {type_} {name}[8];"]),
                Stmt([f"{start}{name}[i] = {type_}(i);"]),
                Stmt(["__syncthreads();"]),
                Stmt([f"atomic{operation}(&{name}[", index, " % 8u], ", value, ");"]),
                Stmt(["__syncthreads();"]),
                Stmt([f"seen = mixed(seen, bits({name}[", other, " % 8u]));"]),
                Stmt(["__syncthreads();"]),
            ],
            "}",
        ]
    )
