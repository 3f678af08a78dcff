# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kind `idioms`: the loops that programs are known for, with random sizes, types and block shapes.

Products of matrices, by rows and by tiles; stencils of several steps in shared memory; sums over all bodies; sparse
rows; images; recurrences; tables, sets and stacks that threads fill by compare-exchange; queues; relaxation until
nothing changes; control flow that is no nest of loops. Passes look for such code as a whole, and what is made of
random statements never has its form.

Results do not depend on the order of threads: of a table only who is in it shows, and no thread reads what another
writes except by atomics, volatile reads or behind a barrier of their block. Numbers: `in` has 1024, `x` 32768.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from math import prod

from warploom.core.records import dataclass
from warploom.fuzz.tree import Kernel, Launch, Stmt

Shape = tuple[int, int, int]
IDS = (
    "const u32 threads = blockDim.x * blockDim.y, tid = threadIdx.x + blockDim.x * threadIdx.y;",
    "const u32 block = blockIdx.x + gridDim.x * blockIdx.y, gid = block * threads + tid;",
    "const u32 column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;",
    "u64 seen = gid;",
)
LINES: tuple[Shape, ...] = ((1, 1, 1), (7, 1, 1), (32, 1, 1), (64, 1, 1), (100, 1, 1), (256, 1, 1))
IMAGES: tuple[Shape, ...] = ((16, 16, 1), (32, 8, 1), (8, 8, 1), (16, 4, 1), (32, 1, 1), (5, 3, 1))
GRIDS: tuple[Shape, ...] = ((1, 1, 1), (2, 1, 1), (2, 2, 1))
TABLE = 512  # places, more than threads of a block


@dataclass(frozen=True)
class Idiom:
    """The text of a kernel behind its first lines, which blocks it is for, its `n`; `end`: what it stores."""

    body: str
    declarations: tuple[str, ...] = ()
    helpers: str = ""
    blocks: tuple[Shape, ...] = LINES
    counts: tuple[int, ...] = (0, 1, 17, 64, 100)
    grids: tuple[Shape, ...] = GRIDS
    end: str = "out[gid] = mixed(seen, n);"


Maker = Callable[[random.Random, str], Idiom]  # from random numbers, and the kernel's name


def idiom_kernel(seed: int, number: int) -> Kernel:
    """A random kernel of this kind."""
    return from_makers("idioms", MAKERS, seed, number)


def from_makers(kind: str, makers: Sequence[Maker], seed: int, number: int) -> Kernel:
    """The next of `makers` by the number."""
    rng, name = random.Random(f"warploom {kind} {seed} {number}"), f"k{number}"
    idiom = makers[number % len(makers)](rng, name)
    launches = [
        Launch(rng.choice(idiom.grids), rng.choice(idiom.blocks), rng.random() < 0.6, rng.choice(idiom.counts), 3, 0.5)
        for _ in range(2)
    ]
    body = [Stmt([line]) for line in (idiom.body, idiom.end)]
    restrict = rng.random() < 0.5
    return Kernel(name, [*IDS, *idiom.declarations], body, launches, restrict=restrict, helpers=idiom.helpers)


def counter(rng: random.Random) -> str:
    """The type of a loop's counter."""
    return rng.choice(("u32", "i32", "i32", "i64"))


def unrolled(rng: random.Random) -> str:
    """What stands before a loop."""
    return rng.choice(("", "", "\n#pragma unroll 4\n", "\n#pragma unroll 1\n"))


# -- arithmetic -------------------------------------------------------------------------------------------------------


def rows(rng: random.Random, _name: str) -> Idiom:
    """A product of matrices, each thread an element, or a few below each other."""
    type_, each, k = rng.choice(("f32", "f32", "f64", "i32")), rng.choice((1, 1, 2, 4)), counter(rng)
    load = "i32(in[({at}) & 1023])" if type_ == "i32" else f"{type_}(x[{{at}}])"
    end = rng.choice(("n", "32", "100"))
    right = load.format(at="16384 + k * 128 + column")
    sums = " ".join(f"sum[{i}] += {load.format(at=f'(row * {each} + {i}) * 100 + k')} * {right};" for i in range(each))
    body = f"{type_} sum[{each}] = {{}}; {unrolled(rng)} for ({k} k = 0; k < {k}({end}); ++k) {{ {sums} }} "
    body += f"for (u32 i = 0; i < {each}; ++i) seen = mixed(seen, bits(sum[i]));"
    return Idiom(rng.choice((body, f"if (row < 40u && column < n) {{ {body} }}")), blocks=IMAGES)


def tiles(rng: random.Random, _name: str) -> Idiom:
    """The same by tiles in shared memory."""
    size, type_ = rng.choice((4, 8, 16, 32)), rng.choice(("f32", "f32", "f64"))
    each = 4 if size == 32 else rng.choice((1, 2, 4))
    high, pad = size // each, rng.choice((0, 0, 1))
    place = f"threadIdx.y + i * {high}"
    body = (
        f"{type_} sum[{each}] = {{}}; for ({counter(rng)} start = 0; start < n; start += {size}) {{ "
        f"for (u32 i = 0; i < {each}; ++i) {{ "
        f"left[{place}][threadIdx.x] = x[(blockIdx.y * {size} + {place}) * 128 + start + threadIdx.x]; "
        f"right[{place}][threadIdx.x] = x[16384 + (start + {place}) * 100 + column]; }} __syncthreads(); "
        f"{unrolled(rng)} for (u32 k = 0; k < {size}; ++k) for (u32 i = 0; i < {each}; ++i) "
        f"sum[i] += left[{place}][k] * right[k][threadIdx.x]; __syncthreads(); }} "
        f"for (u32 i = 0; i < {each}; ++i) seen = mixed(seen, bits(sum[i]));"
    )
    shared = f"__shared__ {type_} left[{size}][{size + pad}], right[{size}][{size + pad}];"
    return Idiom(body, (shared,), blocks=((size, high, 1),), counts=(0, size, 64, 96))


def steps(rng: random.Random, _name: str) -> Idiom:
    """A stencil of several steps over a tile; each step is valid for fewer threads than the one before."""
    wide, high = rng.choice(((16, 16), (32, 8), (64, 1)))
    flat, end = high == 1, rng.choice(("i32(n)", "2", "3"))
    inside = f"tx >= i + 1 && tx <= {wide} - 2 - i" + ("" if flat else f" && ty >= i + 1 && ty <= {high} - 2 - i")
    around = "now[ty][tx - 1] + now[ty][tx + 1]" + ("" if flat else " + now[ty - 1][tx] + now[ty + 1][tx]")
    value = rng.choice((f"now[ty][tx] * f + ({around}) * 0.25f", f"now[ty][tx] + f * ({around} - 4.0f * now[ty][tx])"))
    last = rng.choice(("if (i == {end} - 1) break;", "")).format(end=end)
    body = (
        f"now[ty][tx] = x[gid]; bool done = false; __syncthreads(); for (i32 i = 0; i < {end}; ++i) {{ done = false; "
        f"if ({inside}) {{ done = true; next[ty][tx] = {value}; }} __syncthreads(); {last} "
        f"if (done) now[ty][tx] = next[ty][tx]; __syncthreads(); }}"
    )
    shared = f"__shared__ f32 now[{high}][{wide}], next[{high}][{wide}];"
    ids = "const i32 tx = threadIdx.x, ty = threadIdx.y;"
    end = rng.choice(("if (done) out[gid] = bits(next[ty][tx]);", "out[gid] = done ? bits(next[ty][tx]) : seen;"))
    return Idiom(body, (shared, ids), blocks=((wide, high, 1),), counts=(0, 1, 2, 3, 5), end=end)


def bodies(rng: random.Random, _name: str) -> Idiom:
    """Each thread adds up what all bodies do to its own: a long chain of operations a trip."""
    load = rng.choice(("x[4 * j], x[4 * j + 1], x[4 * j + 2], x[4 * j + 3]", ""))
    load = f"make_float4({load})" if load else "((const float4 *)x)[j]"
    pull = rng.choice(("1.0f / sqrtf(far)", "1.0f / far", "sqrtf(far) / (far + 1.0f)"))
    end = rng.choice(("64", "256", "n"))
    body = (
        "const f32 px = x[gid], py = x[gid + 1], pz = x[gid + 2]; f32 ax = 0, ay = 0, az = 0; "
        f"{unrolled(rng)} for ({counter(rng)} j = 0; j < {end}; ++j) {{ const float4 b = {load}; "
        "const f32 dx = b.x - px, dy = b.y - py, dz = b.z - pz; const f32 far = dx * dx + dy * dy + dz * dz + 0.5f; "
        f"const f32 near = {pull}, w = b.w * near * near * near; ax += dx * w; ay += dy * w; az += dz * w; }} "
        "seen = mixed(mixed(bits(ax), bits(ay)), bits(az));"
    )
    return Idiom(body)


def sparse(rng: random.Random, _name: str) -> Idiom:
    """Rows of different lengths, whose elements lie anywhere."""
    type_, k = rng.choice(("f32", "f64")), counter(rng)
    step = rng.choice(("++k", "++k", "k += 2"))
    body = (
        f"const {k} first = {k}((gid * 37u) & 511u), last = first + {k}(u32(in[gid & 1023u]) & 31u); {type_} sum = 0; "
        f"for ({k} k = first; k < last; {step}) sum += {type_}(x[k]) * x[u32(in[k & 1023]) & 32767u]; "
        "seen = bits(sum);"
    )
    return Idiom(body)


def dots(rng: random.Random, _name: str) -> Idiom:
    """Sums of products of bytes and halfwords."""
    one, other = rng.choice((("i32", "i32"), ("u32", "u32")))
    function = rng.choice(("__dp4a", "__dp4a", "__dp2a_lo", "__dp2a_hi"))
    left, right = rng.choice((("row * 64 + k", "4096 + k * 128 + column"), ("gid * 8 + k", "8192 + k")))
    body = (
        f"const {one} *const p = (const {one} *)x; const {other} *const q = (const {other} *)x; {one} sum = {one}(n); "
        f"{unrolled(rng)} for (u32 k = 0; k < {rng.choice(('n', '16', '64'))}; ++k) "
        f"sum = {function}(p[{left}], q[{right}], sum); seen = bits(sum);"
    )
    return Idiom(body, blocks=IMAGES, counts=(0, 16, 64))


def recurrences(rng: random.Random, _name: str) -> Idiom:
    """Values that each trip makes of the one before's."""
    type_ = rng.choice(("f32", "f64", "u32"))
    load = "u32(in[at & 1023])" if type_ == "u32" else f"{type_}(x[at])"
    step = rng.choice((f"y = y * {type_}(3) + {load};", f"{{ const {type_} t = y; y = z + {load}; z = t; }}",
                       f"y = y < {load} ? {load} : y;", f"{{ y = y + z * {load}; z = z * {type_}(2); }}"))  # fmt: skip
    place = rng.choice(("gid + 128 * k", "gid * 8 + k", "k * k + gid", "128 * k"))
    body = (
        f"{type_} y = {type_}(n), z = 1; {unrolled(rng)} for (u32 k = 0; k < {rng.choice(('n', '16', '100'))}; ++k) "
        f"{{ const u32 at = ({place}) & 32767u; {step} }} seen = mixed(bits(y), bits(z));"
    )
    return Idiom(body)


def pixels(rng: random.Random, _name: str) -> Idiom:
    """A filter over an image of bytes, whose edge repeats."""
    wide, high, reach = rng.choice((32, 61, 64)), 40, rng.choice((1, 2, 3))
    type_ = rng.choice(("u8", "i16", "f32"))
    low = rng.choice(("min(max({at}, 0), {most})", "max(min({at}, {most}), 0)", "({at} < 0 ? 0 : min({at}, {most}))"))
    x, y = (low.format(at=at, most=most - 1) for at, most in (("i32(column) + dx", wide), ("i32(row) + dy", high)))
    body = (
        f"const {type_} *const image = (const {type_} *)x; {'f32' if type_ == 'f32' else 'i32'} sum = 0; "
        f"for (i32 dy = -{reach}; dy <= {reach}; ++dy) for (i32 dx = -{reach}; dx <= {reach}; ++dx) "
        f"sum += image[{y} * {wide} + {x}] * (dx - dy); seen = bits(sum);"
    )
    return Idiom(rng.choice((body, f"if (column < {wide}u && row < {high}u) {{ {body} }}")), blocks=IMAGES)


def globals_of(rng: random.Random, name: str) -> Idiom:
    """Managed, constant and plain variables of the file; the second launch finds what the first left."""
    most = max(prod(block) for block in LINES) * max(prod(grid) for grid in GRIDS)
    helpers = (
        f"__managed__ u32 {name}_managed[{most}]; __constant__ f32 {name}_constant[4] = {{1.0f, 0.5f, -2.0f, 8.0f}};\n"
        f"__device__ u32 {name}_plain = {rng.randint(0, 9)}; static __device__ f64 {name}_table[2][3] = {{{{1, 2}}}};"
    )
    body = (
        f"seen = mixed({name}_managed[gid], bits({name}_constant[tid & 3u] + {name}_table[tid & 1u][tid % 3u])); "
        f"seen = mixed(seen, {name}_plain); if (n > 16u) {name}_managed[gid] = gid + n;"
    )
    return Idiom(body, helpers=helpers)


# -- threads that meet ------------------------------------------------------------------------------------------------

INSERT = (
    "for (;;) { const u32 old = atomicCAS(table + slot, EMPTY, key); if (old == EMPTY || old == key) break; NEXT }",
    "bool done = false; while (!done) { const u32 old = atomicCAS(table + slot, EMPTY, key); "
    "done = old == EMPTY || old == key; if (!done) { NEXT } }",
    "while (*(volatile u32 *)(table + slot) != key) { if (*(volatile u32 *)(table + slot) == EMPTY && "
    "atomicCAS(table + slot, EMPTY, key) == EMPTY) break; if (*(volatile u32 *)(table + slot) == key) break; NEXT }",
    "u32 old; while ((old = atomicCAS(table + slot, EMPTY, key)) != EMPTY && old != key) { NEXT }",
    "while (true) { const u32 was = *(volatile u32 *)(table + slot); if (was == key) break; if (was != EMPTY) { NEXT "
    "continue; } const u32 old = atomicCAS(table + slot, EMPTY, key); if (old == EMPTY || old == key) break; NEXT }",
)


def table(rng: random.Random, _name: str) -> Idiom:
    """Keys into an open table; then each thread looks for its own, and all count what is in it."""
    in_shared = rng.random() < 0.5
    empty = rng.choice(("0u", "0xffffffffu"))
    follow = rng.choice((f"slot = (slot + 1u) & {TABLE - 1}u;", f"slot = (slot + 1u) % {TABLE}u;",
                         f"if (++slot == {TABLE}u) slot = 0;"))  # fmt: skip
    insert = rng.choice(INSERT).replace("EMPTY", empty).replace("NEXT", follow)
    each = f"for (u32 i = tid; i < {TABLE}u; i += threads)"
    body = (
        f"{each} table[i] = {empty}; __syncthreads(); const u32 key = (u32(in[gid * 7u & 1023u]) & 255u) + 1u; "
        f"u32 slot = key * 2654435761u >> 23; {{ {insert} }} __syncthreads(); slot = key * 2654435761u >> 23; "
        f"while (table[slot] != key) {{ {follow} }} u32 members = 0; "
        f"for (u32 i = 0; i < {TABLE}u; ++i) members += table[i] != {empty}; seen = mixed(members, key); "
        f"__syncthreads(); {each} table[i] = 7u;"
    )
    place = f"__shared__ u32 table[{TABLE}];" if in_shared else "u32 *const table = (u32 *)scratch + block * 544u;"
    return Idiom(body, (place,))


FIND = (
    "while (*(volatile u32 *)(parent + {v}) != {v}) {v} = *(volatile u32 *)(parent + {v});",
    "for (u32 up; (up = *(volatile u32 *)(parent + {v})) != {v};) {v} = up;",
    "for (u32 up, over; (up = *(volatile u32 *)(parent + {v})) != {v}; {v} = over) {{ "
    "over = *(volatile u32 *)(parent + up); if (over < up) atomicCAS(parent + {v}, up, over); }}",
)


def unions(rng: random.Random, _name: str) -> Idiom:
    """Threads join sets by hooking the larger root to the smaller; each set's least member is its last root."""
    find = rng.choice(FIND)
    hook = rng.choice((
        "const u32 old = atomicCAS(parent + u, u, v); if (old == u) break; u = old;",
        "const u32 old = atomicMin(parent + u, v); if (old == u) break; u = old;",
        "if (atomicCAS(parent + u, u, v) == u) break;",
    ))  # fmt: skip
    body = (
        "parent[tid] = tid; __syncthreads(); u32 u = tid, v = u32(in[gid & 1023u]) % threads; for (;;) { "
        f"{find.format(v='u')} {find.format(v='v')} if (u == v) break; "
        f"if (u < v) {{ const u32 t = u; u = v; v = t; }} {hook} }} __syncthreads(); u = tid; {find.format(v='u')} "
        "seen = mixed(seen, u);"
    )
    return Idiom(body, ("__shared__ u32 parent[256];",))


def exchanges(rng: random.Random, _name: str) -> Idiom:
    """Updates that CUDA has no instruction for, by compare-exchange: the largest float, a product, a few bits."""
    new = rng.choice(("max({old}, value)", "{old} | value", "{old} ^ value", "{old} * (value | 1u)"))
    wide = rng.random() < 0.3
    type_ = "u64" if wide else "u32"
    loop = rng.choice((
        "T old = *cell, seen_before; do { seen_before = old; "
        "old = atomicCAS(cell, seen_before, T(NEW)); } while (seen_before != old);",
        "T old = *(volatile T *)cell; for (;;) { const T got = atomicCAS(cell, old, T(NEW)); "
        "if (got == old) break; old = got; }",
        "for (bool done = false; !done;) { const T old = *(volatile T *)cell; "
        "done = atomicCAS(cell, old, T(NEW)) == old; }",
    ))  # fmt: skip
    if new.startswith("max") and rng.random() < 0.6:
        loop = rng.choice((
            "T old = *(volatile T *)cell; while (old < value) { const T got = atomicCAS(cell, old, value); "
            "if (got == old) break; old = got; }",
            "while (*(volatile T *)cell < value) { T old = *(volatile T *)cell; if (old < value) "
            "atomicCAS(cell, old, value); }",
        ))  # fmt: skip
    loop = loop.replace("NEW", new.format(old="old" if "seen_before" not in loop else "seen_before"))
    body = (
        "for (u32 i = tid; i < 16u; i += threads) cells[i] = 1u; __syncthreads(); "
        "{ T *const cell = cells + (u32(in[gid & 1023u]) & 15u); "
        f"const T value = T(u32(in[(gid + n) & 1023u])); {loop} }} __syncthreads(); "
        "seen = mixed(seen, cells[tid & 15u]);"
    )
    body = re.sub(r"\bT\b", type_, body)
    return Idiom(body, (f"__shared__ {type_} cells[16];",))


def stack(rng: random.Random, _name: str) -> Idiom:
    """A list that all threads put themselves on; then each goes along it."""
    push = rng.choice((
        "u32 old; do { old = *(volatile u32 *)&head; next[tid] = old; } while (atomicCAS(&head, old, tid) != old);",
        "next[tid] = *(volatile u32 *)&head; for (u32 got; (got = atomicCAS(&head, next[tid], tid)) != next[tid];) "
        "next[tid] = got;",
        "next[tid] = atomicExch(&head, tid);",
    ))  # fmt: skip
    go = rng.choice(("for (u32 at = head; at != 999u; at = next[at]) sum += at * at + n;",
                     "u32 at = head; while (at < 999u) { sum += at + 1u; at = next[at]; }"))  # fmt: skip
    body = (
        f"if (tid == 0u) head = 999u; __syncthreads(); {{ {push} }} __syncthreads(); u32 sum = 0; {{ {go} }} "
        "seen = mixed(seen, sum);"
    )
    return Idiom(body, ("__shared__ u32 head, next[256];",))


def queue(rng: random.Random, _name: str) -> Idiom:
    """Threads take work by number until there is none."""
    cell = "counters + 64"
    take = rng.choice((
        f"for (u32 i; (i = atomicAdd({cell}, 1u)) < n;) {{ WORK }}",
        f"for (;;) {{ const u32 i = atomicAdd({cell}, 1u); if (i >= n) break; WORK }}",
        f"u32 i = atomicAdd({cell}, 1u); while (i < n) {{ WORK i = atomicAdd({cell}, 1u); }}",
    ))  # fmt: skip
    work = rng.choice(("atomicAdd(counters + 65u + (i & 31u), u32(in[i & 1023u]));",
                       "atomicMax(counters + 65u + (i & 7u), i * 7u + 1u);"))  # fmt: skip
    return Idiom(take.replace("WORK", work))


def relaxation(rng: random.Random, _name: str) -> Idiom:
    """Distances get shorter until no thread finds a shorter one."""
    other = rng.choice(("(tid * 5u + 3u) % threads", "(tid + 1u) % threads", "u32(in[gid & 1023u]) % threads"))
    change = "if (atomicMin(far + to, way) > way) changed = 1;"
    loop = rng.choice((
        f"do {{ __syncthreads(); if (tid == 0u) changed = 0; __syncthreads(); WAY {change} __syncthreads(); }} "
        "while (changed);",
        f"for (;;) {{ __syncthreads(); changed = 0; __syncthreads(); WAY {change} __syncthreads(); "
        "if (!changed) break; }",
        "i32 more = 1; while (more) { WAY more = __syncthreads_or(atomicMin(far + to, way) > way); }",
    ))  # fmt: skip
    way = f"const u32 to = {other}, here = *(volatile u32 *)(far + tid), way = here + 1u + (tid & 3u);"
    body = (
        f"far[tid] = tid == 0u ? n : 0x10000000u; __syncthreads(); {loop.replace('WAY', way)} "
        "__syncthreads(); seen = mixed(seen, far[tid]);"
    )
    return Idiom(body, ("__shared__ u32 far[256]; __shared__ i32 changed;",))


# -- control flow -----------------------------------------------------------------------------------------------------


def cases(rng: random.Random, _name: str) -> Idiom:
    """A choice among many, also in a loop that it may leave."""
    numbers = rng.sample(range(64), rng.choice((5, 12, 30)))
    inner = rng.choice(("", "", "__syncthreads();"))
    lines = " ".join(
        f"case {number}: sum = sum * {number + 3}u + 1u; {rng.choice(('break;', 'break;', ''))}" for number in numbers
    )
    key = "(u32(in[(n + i) & 1023u]) & 63u)" if inner else "(u32(in[(gid + i) & 1023u]) & 63u)"
    leave = "" if inner else f"default: if (sum & {rng.choice((1, 8))}u) return; sum += 2u;"
    body = f"u32 sum = n; for (u32 i = 0; i < 6u; ++i) {{ switch ({key}) {{ {lines} {leave} }} {inner} }} seen = sum;"
    return Idiom(body)


def jumps(rng: random.Random, _name: str) -> Idiom:
    """Loops that are entered in two places, or left to two, by goto."""
    start = rng.choice(("gid & 1u", "n & 1u", "(gid >> 2) & 1u"))
    step = rng.choice(("gid % 5u", "n % 5u"))
    body = (
        f"u32 i = 0, sum = 1; if ({start}) goto second; first: sum = sum * 3u + i; if (sum & 64u) goto out; "
        f"second: sum += 5u; ++i; if (i < 4u + {step}) goto first; sum ^= 1u; if (i < 9u) {{ i += 2u; goto second; }} "
        "out: seen = mixed(sum, i);"
    )
    exits = (
        f"u32 sum = 0; for (u32 i = 0; i < 20u; ++i) {{ for (u32 k = 0;; ++k) {{ sum += i * k; if (k > {step}) break; "
        "if (sum > 900u) goto out; if ((sum & 15u) == 15u) goto next; } sum += 1u; next:; } out: seen = sum;"
    )
    endless = 'if (n == 4000000000u) for (;;) __nanosleep(10); asm volatile("" ::: "memory"); seen = n; ' + (
        'if (gid % 3u == 1u) { out[gid] = 5u; asm("exit;"); } seen = mixed(seen, tid);'
    )
    return Idiom(rng.choice((body, body, exits, endless)))


MAKERS: tuple[Maker, ...] = (
    rows, tiles, steps, bodies, sparse, dots, recurrences, pixels, globals_of, table, unions, exchanges, stack, queue,
    relaxation, cases, jumps, steps, table, rows, unions,
)  # fmt: skip
