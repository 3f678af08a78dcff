# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kind `elements`: the code of libraries that do the same to every element of an array.

Each thread takes a piece of four numbers, or every so many elements; indices are taken apart by sizes, and strides,
sizes and types are what the launch says; numbers are counted bit by bit. As of kind `idioms` no result depends on the
order of threads: a thread writes its own places of `scratch`, which has 12 numbers a thread.
"""

from __future__ import annotations

import random

from warploom.fuzz.kinds.idioms import GRIDS, IMAGES, LINES, Idiom, counter, from_makers, unrolled
from warploom.fuzz.tree import Kernel

# Blocks of whole rows, as such libraries launch them.
WHOLE = ((32, 1, 1), (64, 1, 1), (128, 1, 1), (256, 1, 1))
NUMBERS = ("f32", "f32", "f64", "i32", "u32", "u8", "i16", "i64")


def element_kernel(seed: int, number: int) -> Kernel:
    """A random kernel of this kind."""
    return from_makers("elements", MAKERS, seed, number)


def array(type_: str, name: str = "x") -> str:
    """An array as one of `type_`."""
    return f"((const {type_} *){name})"


def pieces(rng: random.Random, _name: str) -> Idiom:
    """Each thread takes pieces of two or four numbers, does the same to each, and stores a piece."""
    wide, type_ = rng.choice(((4, "float4"), (4, "float4"), (4, "uint4"), (2, "float2"), (2, "uint2")))
    one = "f32" if type_.startswith("float") else "u32"
    fields = "xyzw"[:wide]
    change = rng.choice(
        (
            "v.{0} = number(v.{0} * {1}(3) + {1}(n));",
            "v.{0} = v.{0} > {1}(n) ? v.{0} : {1}(2);",
            "v.{0} = number(v.{0} + w.{0});",
        )
    )
    each = " ".join(change.format(name, one) for name in fields)
    load = f"{array(type_)}[gid]; {type_} w = {array(type_)}[gid + {rng.choice((1, 512))}];"
    body = f"{type_} v = {load} {each} (({type_} *)scratch)[gid] = v; seen = bits(v.{rng.choice(fields)});"
    guarded = f"if (gid < n * 8u) {{ {body} }}"
    return Idiom(rng.choice((body, guarded)), blocks=LINES + WHOLE)


def sums_of_pieces(rng: random.Random, _name: str) -> Idiom:
    """A loop carries a sum for each number of a piece."""
    one = rng.choice(("f32", "f32", "f64"))
    end, k = rng.choice(("n", "8", "30")), counter(rng)
    load = "x[((k * 256 + tid) * 4 + i) & 32767]"
    inner = f"{unrolled(rng)} for (u32 i = 0; i < 4; ++i) sum[i] += {one}({load});"
    together = rng.choice(("sum[0] + sum[1] + sum[2] + sum[3]", "(sum[0] + sum[2]) * (sum[1] + sum[3])"))
    body = f"{one} sum[4] = {{}}; for ({k} k = 0; k < {k}({end}); ++k) {{ {inner} }} seen = bits({together});"
    if rng.random() < 0.5:
        load = f"{array('float4')}[(k * 256 + tid) & 8191]"
        adds = " ".join(f"s.{name} += v.{name};" for name in "xyzw")
        body = (
            f"float4 s = make_float4(0, 0, 0, 0); for ({k} k = 0; k < {k}({end}); ++k) "
            f"{{ const float4 v = {load}; {adds} }} seen = bits((s.x + s.y) + (s.z + s.w));"
        )
    return Idiom(body, blocks=LINES + WHOLE, counts=(0, 1, 5, 17))


def structures(rng: random.Random, _name: str) -> Idiom:
    """Structures of three or five numbers, of which some are written."""
    wide, one = rng.choice((3, 5)), rng.choice(("f32", "u32"))
    names = "abcde"[:wide]
    members = " ".join(f"{one} {name};" for name in names)
    change = " ".join(
        f"to[gid].{name} = number(at.{name} * {one}({k + 2}) + at.{names[k - 1]});" for k, name in enumerate(names)
    )
    load = f"struct Point {{ {members} }}; const Point at = {array('Point')}[gid];"
    body = f"{load} Point *const to = (Point *)scratch; {change}"
    return Idiom(rng.choice((body, f"if (gid < n) {{ {body} }}")))


def taken_apart(rng: random.Random, name: str) -> Idiom:
    """An index is taken apart by one size after the other; the launch says how many sizes and which."""
    dims, u = rng.choice((1, 2, 3, 4)), rng.choice(("u32", "u32", "i32"))
    sizes = [rng.choice((1, 4, 16, 64, 100, 256)) for _ in range(4)]
    strides = [rng.choice((1, 1, 4, 0)), *(rng.choice((1, 16, 100, 257, 0)) for _ in range(3))]
    per, step = rng.choice((1, 1, 4)), rng.choice(("threads", "1u"))
    count = rng.choice((f"{name}_dims", f"{name}_dims", str(dims)))
    helpers = (
        f"__constant__ i32 {name}_dims = {dims}; __constant__ {u} {name}_sizes[4] = {{{', '.join(map(str, sizes))}}};\n"
        f"__constant__ {u} {name}_strides[4] = {{{', '.join(map(str, strides))}}};"
    )
    stop = rng.choice(("", f"if (d == {count}) break; "))
    end = "4" if stop else count
    apart = (
        f"{u} rest = {u}(at), place = 0; {unrolled(rng)} for (i32 d = 0; d < {end}; ++d) {{ {stop}"
        f"const {u} q = rest / {name}_sizes[d]; place += (rest - q * {name}_sizes[d]) * {name}_strides[d]; rest = q; }}"
    )
    type_ = rng.choice(NUMBERS)
    load = f"{array(type_)}[u32(place) & 4095u]"
    first = "block * threads * 4u + tid" if step == "threads" else "gid * 4u"
    if per == 1:
        body = f"const u32 at = gid; {apart} seen = bits({load});"
    else:
        keep = rng.choice((f"{type_} kept[4]; ", ""))
        take = f"kept[i] = {load};" if keep else f"seen = mixed(seen, bits({load}));"
        after = "for (u32 i = 0; i < 4; ++i) seen = mixed(seen, bits(kept[i]));" if keep else ""
        head = f"{keep}{unrolled(rng)} for (u32 i = 0; i < 4; ++i)"
        body = f"{head} {{ const u32 at = {first} + i * {step}; {apart} {take} }} {after}"
    return Idiom(body, helpers=helpers, blocks=WHOLE + IMAGES, grids=GRIDS)


def rows_and_columns(rng: random.Random, _name: str) -> Idiom:
    """Row and column of an index, of an image whose width the launch says."""
    u = rng.choice(("u32", "u32", "i32", "i64"))
    per, pitch = rng.choice((1, 1, 2, 4)), rng.choice(("128", "wide", "(wide + 3)"))
    body = (
        f"const {u} at = {u}(gid) * {per}, wide = {u}(n) + 1, row_ = at / wide, column_ = at % wide; "
        f"seen = bits(x[(row_ * {pitch} + column_ * {rng.choice(('1', str(per)))}) & 32767]);"
    )
    beside = (
        "if (column_ > 0 && column_ < wide - 1) seen = mixed(seen, bits(x[(at - 1) & 32767] + x[(at + 1) & 32767]));"
    )
    return Idiom(rng.choice((body, body + beside)), blocks=LINES + WHOLE, counts=(0, 1, 15, 16, 63, 255, 1023))


def strides(rng: random.Random, _name: str) -> Idiom:
    """Neighbours that lie as far apart as the launch says, nearly always 1 or 0."""
    type_ = rng.choice(NUMBERS)
    shift = rng.choice(("", " + 7", " + block * 64"))
    many = rng.choice((1, 1, 3))
    places = [f"u64(gid) * step{rng.choice(('', '', ' * 2'))}{shift} + {64 * i}" for i in range(many)]
    loads = " ".join(f"seen = mixed(seen, bits({array(type_)}[({place}) & 8191]));" for place in places)
    step = rng.choice(("n", "i64(n)", "(n & 3u)", "(i32(n) - 1)"))
    body = f"const auto step = {step}; {loads} if (step == 1) scratch[gid * step] = i32(seen);"
    return Idiom(body, blocks=LINES + WHOLE, counts=(0, 1, 1, 1, 2, 64))


def chosen_types(rng: random.Random, _name: str) -> Idiom:
    """The launch says of which type the elements are, and how far apart."""
    wide = rng.random() < 0.5
    types = rng.sample(("f32", "u8", "i16", "i32", "u32", *(("f64", "i64") if wide else ())), rng.choice((3, 5)))
    to = rng.choice(("f32", "f64", "i32"))
    cases = " ".join(f"case {k}: v = {to}(*(const {type_} *)from); break;" for k, type_ in enumerate(types))
    small, large = (8, 16) if wide else (4, 8)
    place = rng.choice(("gid", "(block * threads * 4u + tid + i * threads)"))
    body = (
        f"const char *const from = (const char *)x + ({place} & 4095u) * (n & 8u ? {large}u : {small}u); {to} v = 0; "
        f"switch (n % {len(types)}u) {{ {cases} default: v = {to}(7); }} seen = mixed(seen, bits(v));"
    )
    if place != "gid":
        body = f"for (u32 i = 0; i < 4; ++i) if ({place} < n * 64u) {{ {body} }}"
    return Idiom(body, blocks=WHOLE, counts=tuple(range(16)))


def kept_types(rng: random.Random, name: str) -> Idiom:
    """The launch says the type of the elements that a thread keeps: loops over these load, compute and read, and the
    last ones of a block may be beyond the end."""
    types = rng.sample(("f32", "u8", "i16", "i32", "u32", "u16", "f64", "i64"), rng.choice((3, 5, 6, 7)))
    one, other = rng.choice((("f32", "u8"), ("i32", "f64"), ("f64", "i16"), ("u8", "u8"), ("f32", "f32")))
    helpers = f"struct {name}_kept {{ {one} a; {other} b; }};"
    a, b = rng.choice((("kept[k].a", "kept[k].b"), ("first[k]", "second[k]")))
    arrays = f"{name}_kept kept[4];" if a.startswith("kept") else f"{one} first[4]; {other} second[4];"
    cases = " ".join(f"case {k}: v = {one}(*(const {type_} *)from); break;" for k, type_ in enumerate(types))
    step, start = rng.choice((("threads", "tid"), ("32", "tid & 31u"), ("1", "tid * 4u")))
    stop = rng.choice(("if (at >= left) break;", "if (at >= left) break;", "if (at < left)"))
    at = f"i32 at = i32({start}); for (i32 k = 0; k < 4; ++k) {{ {stop} {{ %s }} at += {step}; }}"
    apart = rng.choice(("8u", "(n & 8u)"))
    load = (
        f"const char *const from = (const char *)x + ((block * 64u + u32(at)) & 4095u) * {apart}; "
        f"{one} v = 0; switch (n % {len(types)}u) {{ {cases} }} {a} = v; {b} = {other}(k + 1);"
    )
    read = f"seen = mixed(seen, bits({a}) + bits({b}));"
    clear = f"for (i32 k = 0; k < 4; ++k) {{ {a} = {one}(k); {b} = {other}(7); }}"
    change = f"for (i32 k = 0; k < 4; ++k) {{ {a} = {one}({a} + {one}({b})); }}"
    body = (
        f"{arrays} const i32 left = i32(n) * {rng.choice((8, 32, 64))} - i32(block) * 64; {clear} "
        f"{{ {at % load} }} {change} {{ {at % read} }}"
    )
    return Idiom(body, helpers=helpers, blocks=WHOLE + LINES, counts=tuple(range(16)))


def grid_strides(rng: random.Random, _name: str) -> Idiom:
    """A thread takes every so many elements, as many as there are threads in the grid or the block."""
    i, type_ = rng.choice(("u32", "i32", "u64")), rng.choice(("f32", "f32", "f64", "u32", "u8"))
    step, first = rng.choice(
        (("gridDim.x * gridDim.y * threads", "gid"), ("threads", "tid"), ("gridDim.x * threads", "gid"))
    )
    load = f"{array(type_)}[i & 4095]"
    inner = rng.choice(
        (f"seen = mixed(seen, bits({load}));", f"sum += f64({load});", f"if (i % 3 != 0) sum += f64({load}) * 0.5;")
    )
    end = rng.choice(("n * 64u", "4096u", "n * 64u + 5u"))
    loop = f"{unrolled(rng)} for ({i} i = {first}; i < {end}; i += {step}) {{ {inner} }}"
    body = f"f64 sum = 0; {loop} seen = mixed(seen, bits(sum));"
    return Idiom(body, blocks=LINES + WHOLE, counts=(0, 1, 17, 64))


def stopping(rng: random.Random, _name: str) -> Idiom:
    """The elements of a thread, of which the last ones may be beyond the end."""
    i, step = rng.choice(("u32", "i32", "i64")), rng.choice(("threads", "128", "blockDim.x"))
    first = rng.choice(("gid", "block * threads * 4u + tid"))
    type_ = rng.choice(NUMBERS)
    load = f"{array(type_)}[at & 2047]"
    body = (
        f"{type_} kept[4] = {{}}; {i} at = {i}({first}); {unrolled(rng)} for (u32 k = 0; k < 4; ++k) "
        f"{{ if (at < {i}(n) * 16) {{ kept[k] = {load}; at += {step}; }} }} "
        "for (u32 k = 0; k < 4; ++k) seen = mixed(seen, bits(kept[k]));"
    )
    return Idiom(body, blocks=LINES + WHOLE)


def counted(rng: random.Random, _name: str) -> Idiom:
    """The bits of a number, one after the other."""
    u = rng.choice(("u32", "u64"))
    loop = rng.choice((
        "for (; v != 0; v &= v - 1) bits_ += {s};", "while (v) {{ v &= v - 1; bits_ += {s}; }}",
        "while (v) {{ bits_ += v & 1; v >>= 1; }}", "for (; v; v >>= 1) if (v & 1) bits_ += {s};",
        "for (u32 i = 0; i < {w}u; ++i) {{ bits_ += v & 1; v >>= 1; }}",
        "for (u32 i = 0; i < {w}u; ++i) bits_ += (v >> i) & 1;",
        "do {{ bits_ += {s}; v &= v - 1; }} while (v);",
        "for (i32 i = {w} - 1; i >= 0; --i) bits_ += v >> i & 1;",
    )).format(s=rng.choice((1, 1, 3)), w=rng.choice((32, 32, 16, 8)))  # fmt: skip
    wide = "" if u == "u32" else " * 0x9e3779b97f4a7c15u"
    other = rng.choice(("", " ^ u32(in[(gid + n) & 1023u])"))
    total = rng.choice(("u32", "i32", u))
    start = f"{u} v = {u}(u32(in[gid & 1023u]){other}){wide}; {total} bits_ = {rng.choice((0, 5))};"
    body = f"{start} {loop} seen = mixed(bits_, v);"
    return Idiom(body)


def halves(rng: random.Random, name: str) -> Idiom:
    """A loop carries a structure of two numbers that a function returns."""
    one, other = rng.choice((("i32", "i32"), ("u32", "i32"), ("f32", "i32")))
    update = rng.choice(("p.index + 1", "p.index + i32(i)", "i32(i)"))
    better = rng.choice(("value > p.value", "value < p.value", "(u32(p.index) & 3u) != 1u"))
    helpers = (
        f"struct {name}_pair {{ {one} value; {other} index; }};\n"
        f"__device__ {name}_pair {name}_step({name}_pair p, {one} value, u32 i) "
        f"{{ {name}_pair q = p; if ({better}) {{ q.value = value; q.index = {other}({update}); }} return q; }}"
    )
    load = "x[(gid + i * 64u) & 32767u]" if one == "f32" else "in[(gid + i * 7u) & 1023u]"
    body = (
        f"{name}_pair p = {{{one}(n), 0}}; {unrolled(rng)} for (u32 i = 0; i < {rng.choice(('n', '20'))}; ++i) "
        f"p = {name}_step(p, {one}({load}), i); seen = mixed(bits(p.value), u32(p.index));"
    )
    return Idiom(body, helpers=helpers)


def either(rng: random.Random, _name: str) -> Idiom:
    """An address is chosen, and loaded from once."""
    which = rng.choice(("(gid & 4u) != 0u", "gid < n", "in[gid & 1023u] > 0", "(block & 1u) != 0u"))
    type_ = rng.choice(NUMBERS)
    left, right = rng.choice(
        (("gid", "4096 + gid"), ("gid", "tid * 2u"), ("gid + 1u", "0"), ("gid", "(u32(in[tid]) & 1023u)"))
    )
    form = rng.choice((
        "const T *const from = {c} ? p + {a} : p + {b}; seen = bits(*from);",
        "const T *from; if ({c}) {{ from = p + ({a}); seen = 3; }} else {{ from = p + ({b}); }} "
        "seen = mixed(seen, bits(*from));",
        "u32 at = {b}; if ({c}) at = {a}; for (u32 k = 0; k < 3u; ++k) seen = mixed(seen, bits(p[at + k]));",
    )).format(c=which, a=left, b=right)  # fmt: skip
    body = f"const T *const p = {array('T')}; {form}".replace("T ", f"{type_} ").replace("T)", f"{type_})")
    return Idiom(body, blocks=LINES + IMAGES)


def addresses(rng: random.Random, _name: str) -> Idiom:
    """Addresses are the elements: each thread writes some, and reads what lies there."""
    type_, count = rng.choice(("f32", "i32", "u8", "i64")), rng.choice((1, 1, 2, 3))
    place = rng.choice(
        ("table[gid * {c} + {k}]", "table[gid * 7u + {k}]", "table[gid * 8u + {k} * 2u + (u32(in[gid & 1023u]) & 1u)]")
    )
    wanted = rng.choice(("gid < n", "in[gid & 1023u] > 0", "(gid & 3u) != 1u", "true"))
    target = rng.choice(("p + ((gid * 5u + {k}) & 4095u)", "p + (in[(gid + {k}) & 1023u] & 4095)"))
    writes = ""
    for k in range(count):
        one = place.format(c=count, k=k)
        writes += f"{one} = p + {k}; if ({wanted}) {one} = {target.format(k=k)}; "
    if rng.random() < 0.4:
        writes = f"if (tid != 3u) {{ {writes} }} else {{ {writes.replace('p + ', 'p + 1 + ')} }} "
    reads = " ".join(f"seen = mixed(seen, bits(*stored{place.format(c=count, k=k)[5:]}));" for k in range(count))
    load = (
        f"const {type_} *const p = {array(type_)}; const {type_} **const table = (const {type_} **)own; "
        f"const {type_} *volatile *const stored = (const {type_} *volatile *)own;"
    )
    return Idiom(f"{load} {writes}{reads}", blocks=LINES + WHOLE)


def shared_sums(rng: random.Random, _name: str) -> Idiom:
    """Threads share a row's sum, or neighbours have sums of their own: the launch says which."""
    body = (
        "const u32 alone = n & 1u, across = alone ^ 1u, row_ = tid * alone, start = tid * across; f32 sum = 0; "
        f"for (u32 i = start; i < {rng.choice(('256u', 'n * 16u'))}; i += across * threads + alone) "
        f"sum += x[(row_ * {rng.choice(('256u', '1u'))} + i * {rng.choice(('1u', '64u'))}) & 32767u]; seen = bits(sum);"
    )
    return Idiom(body, blocks=WHOLE, counts=(0, 1, 16, 17))


MAKERS = (
    pieces, sums_of_pieces, structures, taken_apart, rows_and_columns, strides, chosen_types, grid_strides, stopping,
    counted, halves, either, shared_sums, taken_apart, pieces, addresses, kept_types,
)  # fmt: skip
