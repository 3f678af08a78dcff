# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Definitions of the dot products of bytes and of bfloat16 (ir/dot_products.py), by what the target has.

    VNNI      vpdpbusd: four products of an unsigned and a signed byte a lane, added without saturation
    x86       pmaddwd on the even and on the odd bytes, widened to 16 bits: two products and their sum, never too large
    AArch64   sdot and udot, of bytes of one kind
    others    shifts and products of 32-bit numbers
    BF16      vdpbf16ps: two products of bfloat16, of the upper halves first, each rounded once as it is added; others
              take fma. It counts denormals as 0 in factors, sums and results: its callers have none

x xor 0x80 is x + 128 or x - 128, with the other sign: so bytes become those that an instruction takes.

    signed * signed       sum a b = sum (a + 128) b - sum 128 b       (a xor 0x80).unsigned by b, less 128 by b
    unsigned * unsigned   sum a b = sum a (b - 128) - sum a (-128)    a by (b xor 0x80).signed, less a by -128

The second sum depends on one factor alone: in a loop in which that does not change LLVM computes it before. vpmaddubsw
is of no use: it saturates (255 * 127 * 2 > 32767). LLVM 23 makes vpdpbusd of no form of the sum for a vector of lanes,
so its intrinsics stand here, in the form that LLVM 19 to 23 read.
"""

from __future__ import annotations

from warploom.backend.vector_math import target_attributes
from warploom.frontend.target import vector_bits
from warploom.ir.dot_products import DotProduct, dot_product
from warploom.llvm.codes import Linkage
from warploom.llvm.module import Module

_WORD = 32
_NARROWEST = 4  # lanes of a register of 128 bits
_BIAS, _MINUS_128 = 0x80808080, 0x80808080  # as unsigned bytes 128, as signed ones -128
_BUSD = "llvm.x86.avx512.vpdpbusd"
_DPBF16 = "llvm.x86.avx512bf16.dpbf16ps"
_MADD = {4: "llvm.x86.sse2.pmadd.wd", 8: "llvm.x86.avx2.pmadd.wd", 16: "llvm.x86.avx512.pmaddw.d.512"}


def define(module: Module) -> None:
    """Define the dot products that `module` declares, for inlining."""
    found = {
        name: dot
        for function in module.functions()
        if not module.is_defined(function) and (dot := dot_product(name := module.name(function))) is not None
    }
    if not found:
        return
    attributes = target_attributes(module)
    text = definitions(found, module.triple(), attributes)
    module.link_text(module.target_text() + "\n" + text, "dot products")
    for name in found:
        module.lib.LLVMSetLinkage(module.find(name), Linkage.INTERNAL)


def definitions(dots: dict[str, DotProduct], triple: str, attributes: str) -> str:
    """LLVM text that defines `dots`, by name, for a target."""
    features = dict(part.split("=", 1) for part in attributes.split() if "=" in part)
    have = frozenset(features.get('"target-features"', "").strip('"').split(","))
    target = _Target(triple.partition("-")[0], have)
    declared: dict[str, str] = {}
    bodies = [_define(name, dot, target, declared) for name, dot in dots.items()]
    kind = f"attributes #0 = {{ alwaysinline nounwind willreturn nosync nofree memory(none) {attributes} }}"
    return "\n".join([*declared.values(), *bodies, kind]) + "\n"


class _Target:
    """What instructions there are."""

    def __init__(self, arch: str, features: frozenset[str]) -> None:
        self.is_x86 = arch == "x86_64"
        self.has_arm_dots = arch == "aarch64" and "+dotprod" in features
        bits = vector_bits(",".join(features)) if self.is_x86 else 128
        wide = bits == 512 and "+avx512vnni" in features
        self.has_vnni = self.is_x86 and (wide or (bits >= 256 and "+avxvnni" in features))
        self.has_bf16 = bits == 512 and "+avx512bf16" in features
        limit = bits if wide or not self.has_vnni else 256
        self.lanes = (limit if self.has_vnni else bits) // _WORD

    def has_dot4(self) -> bool:
        """Whether there are instructions for four products of bytes."""
        return self.has_vnni or self.has_arm_dots


def _define(name: str, dot: DotProduct, target: _Target, declared: dict[str, str]) -> str:
    type_ = f"<{dot.lanes} x i32>" if dot.lanes else "i32"
    code = _Code(declared)
    values = [f"%{each}" for each in "abc"]
    if dot.of_bfloats and not (target.has_bf16 and dot.lanes >= _NARROWEST):
        result = _by_fma(code, dot, type_, values)
    elif not target.is_x86 and not (target.has_arm_dots and dot.count == 4):
        result = _plain(code, dot, type_, values)
    else:
        result = _in_registers(code, dot, target, values)
    parameters = ", ".join(f"{type_} {value}" for value in values)
    return "\n".join([
        f"define {type_} @{name}({parameters}) #0 {{", *code.lines, f"  ret {type_} {result}", "}",
    ])  # fmt: skip


class _Code:
    """The instructions of one function."""

    def __init__(self, declared: dict[str, str]) -> None:
        self.lines: list[str] = []
        self.declared = declared

    def add(self, text: str) -> str:
        """Append an instruction; the name of its result."""
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name

    def call(self, name: str, result: str, *arguments: tuple[str, str]) -> str:
        """Append a call of an intrinsic with (type, value) pairs."""
        types = ", ".join(type_ for type_, _ in arguments)
        self.declared[name] = f"declare {result} @{name}({types})"
        return self.add(f"call {result} @{name}({', '.join(f'{type_} {value}' for type_, value in arguments)})")


def _plain(code: _Code, dot: DotProduct, type_: str, values: list[str]) -> str:
    """Without vectors of narrower elements."""
    a, b, total = values

    def number(amount: int) -> str:
        return f"splat (i32 {amount})" if dot.lanes else str(amount)

    def part(word: str, width: int, at: int, is_signed: bool) -> str:
        top = code.add(f"shl {type_} {word}, {number(_WORD - width * (at + 1))}")
        return code.add(f"{'ashr' if is_signed else 'lshr'} {type_} {top}, {number(_WORD - width)}")

    for at in range(dot.count):
        left, right = part(a, _WORD // dot.count, at, dot.a_signed), part(b, 8, at, dot.b_signed)
        product = code.add(f"mul {type_} {left}, {right}")
        total = code.add(f"add {type_} {total}, {product}")
    return total


def _by_fma(code: _Code, dot: DotProduct, type_: str, values: list[str]) -> str:
    """Products of bfloat16 as those of floats, the upper ones first."""
    a, b, total = values
    float_ = type_.replace("i32", "float")
    suffix = f"v{dot.lanes}f32" if dot.lanes else "f32"

    def number(amount: int) -> str:
        return f"splat (i32 {amount})" if dot.lanes else str(amount)

    total = code.add(f"bitcast {type_} {total} to {float_}")
    for part in (f"and {type_} @, {number(0xFFFF0000)}", f"shl {type_} @, {number(16)}"):
        words = [code.add(part.replace("@", word)) for word in (a, b)]
        factors = [code.add(f"bitcast {type_} {word} to {float_}") for word in words]
        arguments = ((float_, factors[0]), (float_, factors[1]), (float_, total))
        total = code.call(f"llvm.fma.{suffix}", float_, *arguments)
    return code.add(f"bitcast {float_} {total} to {type_}")


def _in_registers(code: _Code, dot: DotProduct, target: _Target, values: list[str]) -> str:
    """In pieces that have a register each."""
    if not dot.lanes:
        vectors = [code.add(f"insertelement <4 x i32> zeroinitializer, i32 {value}, i64 0") for value in values]
        return code.add(f"extractelement <4 x i32> {_piece(code, dot, target, _NARROWEST, vectors)}, i64 0")
    width = max(min(target.lanes, dot.lanes), _NARROWEST)
    if dot.lanes < width:
        vectors = [_shuffled(code, dot.lanes, value, list(range(dot.lanes)), width) for value in values]
        whole = _piece(code, dot, target, width, vectors)
        return _shuffled(code, width, whole, list(range(dot.lanes)), dot.lanes)
    parts: list[str] = []
    for first in range(0, dot.lanes, width):
        lanes = list(range(first, first + width))
        pieces = [_shuffled(code, dot.lanes, value, lanes, width) for value in values]
        parts.append(_piece(code, dot, target, width, pieces))
    while len(parts) > 1:
        mask = ", ".join(f"i32 {lane}" for lane in range(2 * width))
        parts = [
            code.add(f"shufflevector <{width} x i32> {low}, <{width} x i32> {high}, <{2 * width} x i32> <{mask}>")
            for low, high in zip(parts[::2], parts[1::2], strict=True)
        ]
        width *= 2
    return parts[0]


def _shuffled(code: _Code, lanes: int, value: str, numbers: list[int], width: int) -> str:
    """`width` lanes of a vector, zeros behind the `numbers` given."""
    if numbers == list(range(lanes)) and lanes == width:
        return value
    mask = ", ".join(f"i32 {each}" for each in [*numbers, *[lanes] * (width - len(numbers))])
    both = f"<{lanes} x i32> {value}, <{lanes} x i32> zeroinitializer"
    return code.add(f"shufflevector {both}, <{width} x i32> <{mask}>")


def _piece(code: _Code, dot: DotProduct, target: _Target, width: int, values: list[str]) -> str:
    a, b, c = values
    if dot.of_bfloats:
        return _by_bf16(code, width, a, b, c)
    if dot.count == 4 and target.has_vnni:
        return _by_busd(code, dot, width, a, b, c)
    if dot.count == 4 and target.has_arm_dots:
        return _by_arm_dots(code, dot, a, b, c)
    pairs = _bytes_as_pairs(code, dot, width, a, b) if dot.count == 4 else _halves_as_pairs(code, dot, width, a, b)
    total = c
    for left, right in pairs:
        total = code.add(f"add <{width} x i32> {total}, {_madd(code, width, left, right)}")
    if dot.count == 2 and not dot.a_signed:  # 2^15 more a halfword of a than what stood for it
        ones = _splat_halves(1)
        more = code.add(f"shl <{width} x i32> {_madd(code, width, pairs[0][1], ones)}, splat (i32 15)")
        total = code.add(f"add <{width} x i32> {total}, {more}")
    return total


def _by_busd(code: _Code, dot: DotProduct, width: int, a: str, b: str, c: str) -> str:
    type_ = f"<{width} x i32>"

    def busd(total: str, unsigned: str, signed: str) -> str:
        arguments = ((type_, total), (type_, unsigned), (type_, signed))
        return code.call(f"{_BUSD}.{width * _WORD}", type_, *arguments)

    def biased(value: str) -> str:
        return code.add(f"xor {type_} {value}, splat (i32 {_BIAS})")

    zero = "zeroinitializer"
    if dot.a_signed != dot.b_signed:
        return busd(c, b, a) if dot.a_signed else busd(c, a, b)
    if dot.a_signed:
        more = busd(zero, f"splat (i32 {_BIAS})", b)
        return code.add(f"sub {type_} {busd(c, biased(a), b)}, {more}")
    less = busd(zero, a, f"splat (i32 {_MINUS_128})")
    return code.add(f"sub {type_} {busd(c, a, biased(b))}, {less}")


def _by_bf16(code: _Code, width: int, a: str, b: str, c: str) -> str:
    words, floats, pairs = f"<{width} x i32>", f"<{width} x float>", f"<{2 * width} x bfloat>"
    arguments = [
        (type_, code.add(f"bitcast {words} {value} to {type_}"))
        for type_, value in ((floats, c), (pairs, a), (pairs, b))
    ]
    result = code.call(f"{_DPBF16}.{width * _WORD}", floats, *arguments)
    return code.add(f"bitcast {floats} {result} to {words}")


def _by_arm_dots(code: _Code, dot: DotProduct, a: str, b: str, c: str) -> str:
    type_, bytes_ = "<4 x i32>", "<16 x i8>"

    def of_bytes(value: str) -> str:
        return code.add(f"bitcast {type_} {value} to {bytes_}")

    def by(kind: str, total: str, left: str, right: str) -> str:
        arguments = ((type_, total), (bytes_, left), (bytes_, right))
        return code.call(f"llvm.aarch64.neon.{kind}.v4i32.v16i8", type_, *arguments)

    left, right = of_bytes(a), of_bytes(b)
    if dot.a_signed == dot.b_signed:
        return by("sdot" if dot.a_signed else "udot", c, left, right)
    if dot.a_signed:
        left, right = right, left
    biased = code.add(f"xor {bytes_} {left}, splat (i8 -128)")
    less = by("sdot", "zeroinitializer", "splat (i8 -128)", right)
    return code.add(f"sub {type_} {by('sdot', c, biased, right)}, {less}")


# -- pairs of 16-bit numbers ------------------------------------------------------------------------------------------


def _splat_halves(amount: int) -> str:
    return f"splat (i16 {amount})"


def _madd(code: _Code, width: int, left: str, right: str) -> str:
    halves = f"<{2 * width} x i16>"
    return code.call(_MADD[width], f"<{width} x i32>", (halves, left), (halves, right))


def _bytes_as_pairs(code: _Code, dot: DotProduct, width: int, a: str, b: str) -> list[tuple[str, str]]:
    """The even bytes of both factors and the odd ones, as 16-bit numbers."""
    halves = f"<{2 * width} x i16>"

    def widened(value: str, is_signed: bool) -> tuple[str, str]:
        both, shift = code.add(f"bitcast <{width} x i32> {value} to {halves}"), "ashr" if is_signed else "lshr"
        low = code.add(f"shl {halves} {both}, splat (i16 8)")
        return code.add(f"{shift} {halves} {low}, splat (i16 8)"), code.add(f"{shift} {halves} {both}, splat (i16 8)")

    return list(zip(widened(a, dot.a_signed), widened(b, dot.b_signed), strict=True))


def _halves_as_pairs(code: _Code, dot: DotProduct, width: int, a: str, b: str) -> list[tuple[str, str]]:
    """a's halfwords, less 2^15 where they have no sign, and b's lower two bytes as 16-bit numbers."""
    words, halves = f"<{width} x i32>", f"<{2 * width} x i16>"
    left = code.add(f"bitcast {words} {a} to {halves}")
    if not dot.a_signed:
        left = code.add(f"xor {halves} {left}, splat (i16 -32768)")
    low, high = code.add(f"shl {words} {b}, splat (i32 8)"), code.add(f"shl {words} {b}, splat (i32 16)")
    low = code.add(f"and {words} {low}, splat (i32 {0xFF00})")
    high = code.add(f"and {words} {high}, splat (i32 {0xFF000000})")
    tops = code.add(f"bitcast {words} {code.add(f'or {words} {low}, {high}')} to {halves}")
    return [(left, code.add(f"{'ashr' if dot.b_signed else 'lshr'} {halves} {tops}, splat (i16 8)"))]
