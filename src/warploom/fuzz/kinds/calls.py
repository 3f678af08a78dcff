# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kind `calls`: functions that are not inlined away, and memory that kernels allocate.

recursion            of one function and of two that call each other, with a frame that holds an array
pointers             a table of functions, a pointer in a variable that changes in a loop, a lambda
virtual calls        objects on the stack and on the heap, their classes chosen by the thread
heap                 new, malloc, delete: a list, a block's array that one thread allocates for all
"""

from __future__ import annotations

from warploom.fuzz.expressions import Level
from warploom.fuzz.judge import Machine
from warploom.fuzz.judged import ANY_BLOCKS, Kind
from warploom.fuzz.tree import Stmt
from warploom.fuzz.weave import Pattern, Weaver, assigning, see
from warploom.fuzz.words import Part, of

WORD = 0xFFFFFFFF
HELPERS = """
#ifndef CALLS
#define CALLS
__device__ __noinline__ u32 folded(u32 x, u32 depth) {
  u32 kept[4] = {x, x + 1u, x ^ depth, depth};
  if (depth == 0u) return x;
  const u32 below = folded(x * 3u + depth, depth - 1u);
  return below + kept[below & 3u];
}
__device__ u32 odd_steps(u32 x, u32 depth);
__device__ __noinline__ u32 even_steps(u32 x, u32 depth) {
  return depth == 0u ? x + 1u : odd_steps(x * 5u, depth - 1u) ^ x;
}
__device__ __noinline__ u32 odd_steps(u32 x, u32 depth) {
  return depth == 0u ? x + 2u : even_steps(x + 7u, depth - 1u) + depth;
}
__device__ __noinline__ u32 paths(u32 x, u32 y) {
  return x == 0u || y == 0u ? 1u : paths(x - 1u, y) + paths(x, y - 1u);
}
__device__ __noinline__ u32 step_0(u32 a, u32 b) { return a * 2654435761u + b; }
__device__ __noinline__ u32 step_1(u32 a, u32 b) { return a > b ? a - b : b ^ a; }
__device__ __noinline__ u32 step_2(u32 a, u32 b) {
  u32 sum = b;
  for (u32 i = 0; i < (b & 3u); ++i) sum = sum * 31u + (a >> i);
  return sum;
}
using Step = u32 (*)(u32, u32);
__device__ Step const steps[3] = {step_0, step_1, step_2};
struct Shape {
  u32 size;
  __device__ Shape(u32 size) : size(size) {}
  __device__ virtual ~Shape() {}
  __device__ virtual u32 area(u32 x) const { return size * x; }
};
struct Square : Shape {
  u32 more[3];
  __device__ Square(u32 size) : Shape(size), more{size, size + 1u, size + 2u} {}
  __device__ u32 area(u32 x) const override { return more[x % 3u] * size; }
};
struct Round : Square {
  u64 wide;
  __device__ Round(u32 size) : Square(size), wide(u64(size) << 20) {}
  __device__ u32 area(u32 x) const override { return u32(wide >> (x & 31u)) + Square::area(x); }
};
struct Node {
  u32 value;
  Node *next;
};
#endif"""


def folded(x: int, depth: int) -> int:
    """As in HELPERS."""
    if depth == 0:
        return x
    below = folded(x * 3 + depth & WORD, depth - 1)
    return below + (x, x + 1, x ^ depth, depth)[below & 3] & WORD


def steps_down(x: int, depth: int, *, even: bool) -> int:
    """As even_steps and odd_steps."""
    if depth == 0:
        return x + (1 if even else 2) & WORD
    if even:
        return steps_down(x * 5 & WORD, depth - 1, even=False) ^ x
    return steps_down(x + 7 & WORD, depth - 1, even=True) + depth & WORD


def paths(x: int, y: int) -> int:
    """As in HELPERS."""
    return 1 if x == 0 or y == 0 else paths(x - 1, y) + paths(x, y - 1)


def step(which: int, a: int, b: int) -> int:
    """As step_0, step_1 and step_2."""
    if which == 0:
        return a * 2654435761 + b & WORD
    if which == 1:
        return a - b if a > b else a ^ b
    total = b
    for i in range(b & 3):
        total = total * 31 + (a >> i) & WORD
    return total


def area(which: int, size: int, x: int) -> int:
    """As the three classes."""
    if which == 0:
        return size * x & WORD
    square = (size, size + 1, size + 2)[x % 3] * size
    return (square + ((size << 20) >> (x & 31)) if which == 2 else square) & WORD


def prepare(weaver: Weaver) -> list[Stmt]:
    """The functions."""
    weaver.helpers.append(HELPERS)
    return []


def recursion(weaver: Weaver, _level: Level) -> Stmt:
    """A recursive call whose depth the thread chooses."""
    rng, to = weaver.scope.rng, weaver.target(Level.THREAD, ("u32",))
    x, depth = weaver.word(), weaver.word()
    kind = rng.randrange(4)
    if kind == 0:
        value = of("u32", ["folded(", x, ", ", depth, " % 20u)"], lambda a, b: folded(a, b % 20))
    elif kind == 3:
        value = of("u32", ["paths(", x, " % 6u, ", depth, " % 6u)"], lambda a, b: paths(a % 6, b % 6))
    else:
        even = kind == 1
        name = "even_steps" if even else "odd_steps"
        value = of("u32", [f"{name}(", x, ", ", depth, " % 30u)"], lambda a, b: steps_down(a, b % 30, even=even))
    return Stmt([f"{to.name} = ", value, ";"], assigning(to.name))


def pointers(weaver: Weaver, _level: Level) -> Stmt:
    """Calls through a table, a variable, a lambda."""
    rng, to = weaver.scope.rng, weaver.target(Level.THREAD, ("u32",))
    which, a, b = weaver.word(), weaver.word(), weaver.word()
    kind, name = rng.randrange(3), weaver.name("next")
    if kind == 0:
        value = of("u32", ["steps[", which, " % 3u](", a, ", ", b, ")"], lambda w, x, y: step(w % 3, x, y))
        return Stmt([f"{to.name} = ", value, ";"], assigning(to.name))
    parts: list[Part | list[Stmt]] = [
        "{ u32 which = ", which, " % 3u, x = ", a, ", y = ", b, f"; Step {name} = which == 0u ? step_0 : which == 1u "
        f"? step_1 : step_2; for (u32 i = 0; i < 3u; ++i) {{ x = {name}(x, y + i); if (x & 1u) {name} = steps[i]; }} "
        f"{to.name} = x; }}",
    ]  # fmt: skip
    if kind == 2:
        parts = [
            "{ const u32 which = ", which, " % 3u, x = ", a, ", y = ", b, f"; auto {name} = [=](u32 k) {{ "
            f"return steps[(which + k) % 3u](x, y + k); }}; u32 sum = 0; "
            f"for (u32 i = 0; i < 3u; ++i) sum += {name}(i); {to.name} = sum; }}",
        ]  # fmt: skip

    def one(w: int, x: int, y: int) -> int:
        current = w % 3
        if kind == 2:
            return sum(step((current + k) % 3, x, y + k & WORD) for k in range(3)) & WORD
        for i in range(3):
            x = step(current, x, y + i & WORD)
            current = i if x & 1 else current
        return x

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        given = [machine.value(each, threads) for each in stmt.operands]
        machine.assign(to.name, threads, [one(*each) for each in zip(*given, strict=True)])
        return threads

    return Stmt(parts, action)


def objects(weaver: Weaver, level: Level) -> Stmt:
    """An object of a class that the thread chooses, on the heap or on the stack, behind a pointer to its base."""
    heap, name = weaver.scope.rng.random() < 0.6, weaver.name("shape")
    barrier = "__syncthreads(); " if level <= Level.BLOCK and weaver.scope.rng.random() < 0.5 else ""
    which, size, x = weaver.word(), weaver.word(), weaver.word()
    make = (
        f"const Shape *{name} = which == 0u ? new Shape(size) : which == 1u ? new Square(size) : "
        f"(const Shape *)new Round(size);"
    )
    done = f"delete {name};"
    if not heap:
        make = (
            f"const Shape {name}_0(size); const Square {name}_1(size); const Round {name}_2(size); "
            f"const Shape *{name} = which == 0u ? &{name}_0 : which == 1u ? &{name}_1 : (const Shape *)&{name}_2;"
        )
        done = ""
    parts: list[Part | list[Stmt]] = [
        "{ const u32 which = ", which, " % 3u, size = ", size, f"; {make} {barrier}seen = mixed(seen, {name}->area(", x,
        f") + {name}->size); {done} }}",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        given = [machine.value(each, threads) for each in stmt.operands]
        see(machine, threads, [area(w % 3, s, at) + s & WORD for w, s, at in zip(*given, strict=True)])
        return threads

    return Stmt(parts, action)


def heap_list(weaver: Weaver, _level: Level) -> Stmt:
    """A list on the heap, built, walked and freed by its thread."""
    length, value, name = weaver.word(), weaver.word(), weaver.name("list")
    free = weaver.scope.rng.random() < 0.5
    make, drop = ("new Node", "delete") if free else ("(Node *)malloc(sizeof(Node))", "free")
    parts: list[Part | list[Stmt]] = [
        "{ const u32 length = ", length, " % 9u, x = ", value, f"; Node *{name} = nullptr; "
        f"for (u32 i = 0; i < length; ++i) {{ Node *made = {make}; made->value = x + i; made->next = {name}; "
        f"{name} = made; }} u32 sum = 1; while ({name}) {{ sum = sum * 31u + {name}->value; Node *next = {name}->next; "
        f"{drop}({name}); {name} = next; }} seen = mixed(seen, sum); }}",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        found: list[int] = []
        given = [machine.value(each, threads) for each in stmt.operands]
        for count, x in zip(*given, strict=True):
            total = 1
            for i in reversed(range(count % 9)):
                total = total * 31 + x + i & WORD
            found.append(total)
        see(machine, threads, found)
        return threads

    return Stmt(parts, action)


def heap_of_block(weaver: Weaver, _level: Level) -> Stmt:
    """One thread allocates for its block, all write, another frees."""
    name, value = weaver.name("all"), weaver.word()
    weaver.declarations.append(f"__shared__ u32 *{name};")
    who = weaver.scope.rng.choice((0, 1, 40))
    parts: list[Part | list[Stmt]] = [
        f"{{ __syncthreads(); if (tid == {who}u % threads) {name} = new u32[threads]; __syncthreads(); {name}[tid] = ",
        value, f"; __syncthreads(); seen = mixed(seen, {name}[(tid + 1u) % threads]); __syncthreads(); "
        f"if (tid == threads - 1u) delete[] {name}; }}",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        values = dict(zip(threads, machine.value(stmt.operands[0], threads), strict=True))
        for block in machine.by_block(threads):
            see(machine, block, [values[t] for t in [*block[1:], block[0]]])
        return threads

    return Stmt(parts, action)


CALL_KIND = Kind(
    (
        Pattern(3, Level.THREAD, recursion),
        Pattern(3, Level.THREAD, pointers),
        Pattern(3, Level.THREAD, objects),
        Pattern(2, Level.THREAD, heap_list),
        Pattern(2, Level.BLOCK, heap_of_block),
    ),
    blocks=ANY_BLOCKS,
    grids=((1, 1, 1), (1, 1, 1), (2, 1, 1)),
    prepare=prepare,
)
