# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds `contracted` and `fast`: floating point under nvcc's default flags, and under -use_fast_math.

What a sum of products rounds to is the compiler's choice then, and so are the sign and the payload of a NaN, which LLVM
leaves open at every operation. That a number is equal to itself is not:

    kept       one value, stored before a barrier and used behind it: equal bits, and the same decisions
    alike      one expression in threads that have equal operands: equal bits
    exact      small whole numbers, of which every product and sum is exact however it is fused

`bad` counts what is not equal. Functions that round in ways of their own are called through the same statement.
"""

from __future__ import annotations

import random

from warploom.core.records import replace
from warploom.fuzz.expressions import Level, Scope, Variable, expression
from warploom.fuzz.judge import Machine
from warploom.fuzz.judged import ANY_BLOCKS, Kind
from warploom.fuzz.tree import Expr, Stmt
from warploom.fuzz.weave import Pattern, Weaver, see
from warploom.fuzz.words import Part

FLOATS = ("f32", "f32", "f64")
HELPERS = """
#ifndef ROUNDING
#define ROUNDING
__device__ inline u64 raw(f32 x) {
  const u32 found = __float_as_uint(x);
  return (found & 0x7fffffffu) > 0x7f800000u ? 0x7fffffffu : found;  // all NaNs are one
}
__device__ inline u64 raw(f64 x) {
  const u64 found = u64(__double_as_longlong(x));
  return (found & 0x7fffffffffffffffull) > 0x7ff0000000000000ull ? 0x7fffffffffffffffull : found;
}
__device__ inline u32 unequal(u64 a, u64 b) { return a == b ? 0u : 1u; }
#endif"""
BARRIER = ("__syncthreads();", "__syncthreads();", "__syncwarp();", "")


def prepare(weaver: Weaver) -> list[Stmt]:
    """Memory in which numbers wait, and what is wrong."""
    weaver.helpers.append(HELPERS)
    weaver.declarations += [
        "u32 bad = 0;",
        "__shared__ u64 waiting[128];",
        "u64 *const mine = (u64 *)own + gid * 4u;",
    ]
    return []


def scope_of(weaver: Weaver, names: dict[str, str], level: Level = Level.THREAD) -> Scope:
    """What floating-point expressions may name: these variables, all of `level`."""
    rng = random.Random(weaver.scope.rng.random())
    return Scope(rng, [Variable(name, type_, level) for name, type_ in names.items()], more_math=True)


def products(scope: Scope, type_: str, names: list[str]) -> Expr:
    """A sum of products, which may be fused in several ways."""
    rng = scope.rng

    def part() -> Expr:
        if rng.random() < 0.2:
            return expression(scope, type_, Level.THREAD, 2)
        return Expr(type_, [f"{type_}({rng.choice(names)})"])

    def product() -> Expr:
        operator = rng.choice(("*", "*", "*", "+", "/")) if rng.random() < 0.9 else "-"
        return Expr(type_, ["(", part(), f" {operator} ", part(), ")"])

    found = product()
    for _ in range(rng.randrange(3)):
        found = Expr(type_, ["(", found, rng.choice((" + ", " - ", " * ")), rng.choice((product, part))(), ")"])
    return found


def kept(weaver: Weaver, level: Level) -> Stmt:
    """Values computed once, and what was decided by them, before a barrier and behind it."""
    rng, type_ = weaver.scope.rng, weaver.scope.rng.choice(FLOATS)
    t, h, p, u, in_ = (weaver.name(stem) for stem in ("t", "h", "p", "u", "in"))
    start = [f"{type_} {t} = x[u32(gid * 3u + ", weaver.word(), f" % 64u) % 32768u] * 0.37{'f' * (type_ == 'f32')}, "]
    start += [f"{h} = {type_}(u32(", weaver.word(), " & 1023u)) / 7;"]
    scope = scope_of(weaver, {t: type_, h: type_, "f": "f32"})
    first = products(scope, type_, [t, h, "f"])
    scope.variables.append(Variable(p, type_, Level.THREAD))
    second = products(scope, type_, [p, p, t, "f"])
    limit = products(scope, type_, [t, h, "f"]) if rng.random() < 0.5 else Expr(type_, [f"{type_}(100)"])
    math = rng.choice(("", "", "sqrt", "exp", "sin", "log", "rsqrt", "tanh"))
    second = Expr(type_, [f"{math}(", second, ")"]) if math else second
    barrier = rng.choice(BARRIER if level <= Level.BLOCK else ("",))
    end = "__syncthreads();" if barrier == "__syncthreads();" else ""
    head = "__syncthreads();" if level <= Level.BLOCK else ""
    put = f"waiting[tid] = raw({u});" if level <= Level.BLOCK else ""
    look = f"bad += unequal(waiting[tid], raw({u}));" if level <= Level.BLOCK else ""
    parts: list[Part | list[Stmt]] = [
        "{ ", *start, f" const {type_} {p} = ", first, f"; const {type_} {u} = ", second, f"; const bool {in_} = {u} "
        f"{rng.choice(('<', '<=', '>', '!='))} ", limit, f"; {head} mine[0] = raw({u}); mine[1] = {in_}; mine[2] = "
        f"raw({p}); {put} if ({in_}) mine[3] = 7u; else mine[3] = 9u; {barrier} {look} "
        f"bad += unequal(mine[0], raw({u})) + unequal(mine[1], {in_}) + unequal(mine[2], raw({p})); "
        f"if ({in_}) {{ bad += unequal(mine[3], 7u); }} else {{ bad += unequal(mine[3], 9u); }} {end} "
        "mine[0] = mine[1] = mine[2] = mine[3] = 0; seen = mixed(seen, bad); }",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], _stmt: Stmt) -> list[int]:
        for thread in threads:
            machine.own[thread * 32 : thread * 32 + 32] = bytes(32)
        see(machine, threads, [0] * len(threads))
        return threads

    return Stmt(parts, action)


def alike(weaver: Weaver, _level: Level) -> Stmt:
    """Threads with equal operands compute one expression: all lanes of a number, or all threads of the block."""
    rng, type_ = weaver.scope.rng, weaver.scope.rng.choice(FLOATS)
    t, h = weaver.name("t"), weaver.name("h")
    by_lane = rng.random() < 0.5
    source = "tid % 8u" if by_lane else "block"
    scope = scope_of(weaver, {})
    scope.variables += [Variable(t, type_, Level.GRID), Variable(h, type_, Level.GRID)]

    def part() -> Expr:
        return Expr(type_, [f"{type_}({rng.choice((t, t, h, 'f'))})"])

    value = Expr(type_, ["(", part(), " * ", part(), " + ", part(), ")"])
    for _ in range(rng.randrange(4)):
        value = Expr(type_, ["(", value, f" {rng.choice('+-*')} ", part(), rng.choice((" * ", " + ")), part(), ")"])
    math = rng.choice(("", "", "exp", "sin", "log", "sqrt"))
    value = Expr(type_, [f"{math}(", value, ")"]) if math else value
    step = "8u" if by_lane else "1u"
    parts: list[Part | list[Stmt]] = [
        f"{{ const {type_} {t} = x[u32({source}) * 5u + 3u] * {type_}(0.37), "
        f"{h} = {type_}(in[u32({source}) + 9u]) / 7; __syncthreads(); waiting[tid] = raw(",
        value, f"); __syncthreads(); if (tid + {step} < threads) "
        f"bad += unequal(waiting[tid], waiting[tid + {step}]); __syncthreads(); seen = mixed(seen, bad); }}",
    ]  # fmt: skip

    def action(machine: Machine, threads: list[int], _stmt: Stmt) -> list[int]:
        see(machine, threads, [0] * len(threads))
        return threads

    return Stmt(parts, action)


def exact(weaver: Weaver, _level: Level) -> Stmt:
    """Small whole numbers: each operation on them is exact, fused or not."""
    rng, type_ = weaver.scope.rng, weaver.scope.rng.choice(FLOATS)
    names = [weaver.name("q") for _ in range(3)]
    values = [weaver.word() for _ in names]
    terms = [(rng.choice((-3, -1, 1, 2, 5)), rng.randrange(3), rng.randrange(3), rng.randrange(3)) for _ in range(3)]
    text = " + ".join(f"{type_}({c}) * ({names[i]} * {names[j]} + {names[k]})" for c, i, j, k in terms)
    loops = rng.choice((1, 4))
    parts: list[Part | list[Stmt]] = ["{ "]
    for name, value in zip(names, values, strict=True):
        parts += [f"const {type_} {name} = {type_}(i32(u32(", value, ") & 31u) - 11); "]
    parts.append(
        f"{type_} sum = 0; for (u32 i = 0; i < {loops}u; ++i) sum = sum + {text} + {type_}(i) * {names[0]}; "
        f"seen = mixed(seen, u64(i64(sum))); }}"
    )

    def action(machine: Machine, threads: list[int], stmt: Stmt) -> list[int]:
        given = [[(v & 31) - 11 for v in machine.value(each, threads)] for each in stmt.operands]
        found: list[int] = []
        for q in zip(*given, strict=True):
            once = sum(c * (q[i] * q[j] + q[k]) for c, i, j, k in terms)
            found.append(sum(once + i * q[0] for i in range(loops)))
        see(machine, threads, found)
        return threads

    return Stmt(parts, action)


CONTRACTED_KIND = Kind(
    (Pattern(5, Level.THREAD, kept), Pattern(2, Level.BLOCK, alike), Pattern(3, Level.THREAD, exact)),
    blocks=ANY_BLOCKS,
    flags=("-w",),
    own=32,
    prepare=prepare,
    prelude=True,
)
FAST_KIND = replace(CONTRACTED_KIND, flags=("-use_fast_math", "-w"))
