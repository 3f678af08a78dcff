# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The text form: what is printed is read back without loss, and mistakes are named with their line."""

from __future__ import annotations

import random
import time

import pytest
from every_op import CFG, LAUNCH, STRUCTURED

from warploom.core.kernel_facts import KernelFacts
from warploom.core.remarks import Loc
from warploom.diagnostics import Diagnostic
from warploom.ir.core import (
    Attribute,
    Block,
    Builder,
    Const,
    Function,
    Op,
    Operand,
    Region,
    Shared,
    Value,
    int_const,
    walk,
)
from warploom.ir.ops import OPS
from warploom.ir.parser import parse_function
from warploom.ir.printer import print_constant, print_function, print_op
from warploom.ir.verifier import verify


def parse_body(*lines: str) -> Function:
    """A kernel with parameters %n: i32 and %p: ptr and these lines."""
    return parse_function("\n".join(["kernel @k(%n: i32, %p: ptr) {", *lines, "}"]))


def round_trip(constant: Const) -> Const:
    """The constant after printing and parsing."""
    (operand,) = parse_body(f"yield {print_constant(constant)}").body.terminator.operands
    assert isinstance(operand, Const)
    return operand


# -- round trips ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [STRUCTURED, CFG])
def test_text_comes_back_as_it_was(text: str) -> None:
    assert print_function(parse_function(text)) == text


def test_the_two_kernels_hold_every_op() -> None:
    structured, cfg = parse_function(STRUCTURED), parse_function(CFG)
    names = {op.name for op in walk(structured.body)} | {op.name for block in cfg.blocks for op in block.ops}
    assert names == set(OPS)


@pytest.mark.parametrize(
    ("type_", "value", "text"),
    [
        ("i32", 5, "5:i32"),
        ("i32", 0xFFFFFFFF, "-1:i32"),
        ("i1", 1, "1:i1"),
        ("i128", 1 << 127, f"{-(1 << 127)}:i128"),
        ("float", 0x3FC00000, "1.5:float"),
        ("float", 0x3DCCCCCD, "0.1:float"),
        ("float", 0x7F7FFFFF, "3.40282347e+38:float"),
        ("float", 0x80000000, "-0.0:float"),
        ("float", 0x7F800000, "0x7F800000:float"),
        ("float", 1, "1.4013e-45:float"),
        ("double", 0x3FB999999999999A, "0.1:double"),
        ("half", 0x3C00, "1.0:half"),
        ("half", 0x7E01, "0x7E01:half"),
        ("bfloat", 0x3F81, "1.00781:bfloat"),
        ("ptr", "null", "null:ptr"),
        ("ptr", "@_Z1gv.x-y", "@_Z1gv.x-y:ptr"),
        ("ptr", '@"a b"', '`@"a b"`:ptr'),
        ("[2 x i8]", 'c"`\\00"', '`c"``\\00"`:[2 x i8]'),
        ("<4 x float>", "undef", "undef:<4 x float>"),
        ("<{ i8, { ptr }, [2 x <2 x i32>] }>", "zeroinitializer", "zeroinitializer:<{ i8, { ptr }, [2 x <2 x i32>] }>"),
        ("{}", "poison", "poison:{}"),
    ],
)
def test_constants(type_: str, value: int | str, text: str) -> None:
    assert print_constant(Const(type_, value)) == text
    assert round_trip(Const(type_, value)) == Const(type_, value)


@pytest.mark.parametrize("type_", ["half", "bfloat"])
def test_every_short_float_comes_back(type_: str) -> None:
    texts = [print_constant(Const(type_, bits)) for bits in range(1 << 16)]
    operands = parse_body("yield " + ", ".join(texts)).body.terminator.operands
    assert [each.value for each in operands if isinstance(each, Const)] == list(range(1 << 16))


def test_attributes_keep_type_and_value() -> None:
    attrs: dict[str, Attribute] = {
        "a": True,
        "b": 1,
        "c": 1.0,
        "d": "true",
        "e": "word.with.dots",
        "f": "",
        "g": 'two words "and" \\ \n\u00e9\x00',
        "h": (),
        "i": ((1,), "x", (False, -2.5)),
        "j": -7,
        "k": float("-inf"),
        "l": "inf",
        "m": 1e300,
        "n": "0x10",
    }
    op = Op("yield", attrs=attrs)
    again = parse_body(print_op(op)).body.terminator
    assert again.attrs == attrs
    assert list(map(type, again.attrs.values())) == list(map(type, attrs.values()))


def test_what_a_writer_may_write_otherwise() -> None:
    op = parse_body(
        "yield true:i1, 0xFF:i8, 255:i8, 1:float, inf:float [ a = 0x10 , b=(1, 2,) ] // said"
    ).body.terminator
    assert op.operands == [
        Const("i1", 1),
        Const("i8", 255),
        Const("i8", 255),
        Const("float", 0x3F800000),
        Const("float", "inf"),
    ]
    assert op.attrs == {"a": 16, "b": (1, 2)}


def test_line_breaks_mean_nothing() -> None:
    op = parse_body("%c: i1 = icmp %n, 0:i32 [pred=eq] if %c { fence [ordering=release] yield } { yield }").body.ops[1]
    assert print_op(op) == "if %c {\n  fence [ordering=release]\n  yield\n} {\n  yield\n}"


# -- names ------------------------------------------------------------------------------------------------------------


def test_names_are_made_unique_and_stay() -> None:
    hints = ["a", "a", "a.1", "", "7", "a b", "a", ""]
    function = Function("k", [Value("i32", hint) for hint in hints])
    text = print_function(function)
    assert text.startswith(
        'kernel @k(%a: i32, %a.1: i32, %a.2: i32, %0: i32, %1: i32, %"a b": i32, %a.3: i32, %2: i32)'
    )
    assert print_function(parse_function(text)) == text


def test_a_name_may_return_out_of_sight() -> None:
    region = "{ %x: i32 = add %n, 1:i32 yield }"
    function = parse_body(f"if 1:i1 {region} {region}", "%x: i32 = add %n, %n")
    names = [op.result.name for op in walk(function.body) if op.results]
    assert names == ["x", "x", "x"]
    assert "%x.2: i32 = add %n, %n" in print_function(function)


def test_odd_names_are_quoted() -> None:
    function = Function("f<int>", [], shared={"a b": Shared("a b", 4, 4)}, loc=Loc("\u00e9\udc80.cu", 1, 2))
    function.blocks = [Block("my block", [], [Op("br", attrs={"targets": ("my block",), "counts": (0,)})])]
    text = print_function(function)
    assert text.isascii()
    again = parse_function(text)
    assert (again.name, again.blocks[0].name, again.loc) == ("f<int>", "my block", function.loc)
    assert again.shared == function.shared


def test_blocks_may_come_before_what_they_use() -> None:
    text = """
      kernel @k() { ids (%tx: i32)
        ^a: br [targets=(c), counts=(0)]
        ^b: %y: i32 = add %x, %x  ret
        ^c: %x: i32 = add %tx, 1:i32  br [targets=(b), counts=(0)]
      }"""
    _, b, c = parse_function(text).blocks
    assert b.ops[0].operands == [c.ops[0].result] * 2
    assert c.ops[0].result.type == "i32"


# -- mistakes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("yield %x", "%x is not defined here"),
        ("%n: i32 = add %n, %n", "%n is defined already"),
        ("if 1:i1 { %x: i1 = freeze 1:i1 yield } { yield %x }", "%x is not defined here"),
        ("%x: i32 = add %x, %n", "%x is not defined here"),
        ("foo %n", "expected an op, found 'foo'"),
        ("yield %n,", "expected an operand, found '}'"),
        ("yield 1.5:i32", "1.5 is no constant of type i32"),
        ("yield 0:ptr", "0 is no constant of type ptr"),
        ("yield 256:i8", "256 does not fit into i8"),
        ("yield -129:i8", "-129 does not fit into i8"),
        ("%x: f32 = freeze %n", "expected a type, found 'f32'"),
        ("%x: <4 float> = freeze %n", "expected 'x', found 'float'"),
        ("%x: [n x float] = freeze %n", "expected an integer, found 'n'"),
        ("yield [a=1, a=2]", "attribute a stands here twice"),
        ("yield [a]", "expected '=', found ']'"),
        ("yield [a=]", "expected the value of an attribute, found ']'"),
        ("yield [1=2]", "expected the name of an attribute, found '1'"),
        ('yield [a="\\q"]', 'this is no JSON string: "\\q"'),
        ("yield @ 3:4", "expected a file name in quotes, found '3'"),
        ("%: i32 = freeze %n", "expected a value, like %name, found '%'"),
        ("ret } nonsense", "expected the end of the text, found 'nonsense'"),
        ("shared @x", "expected an op, found 'shared'"),
    ],
)
def test_a_mistake_is_named_with_its_line(line: str, message: str) -> None:
    with pytest.raises(Diagnostic) as caught:
        parse_function(f"kernel @k(%n: i32) {{\n// %n is read below\nfence [ordering=release]\n{line}\n}}", "my.ir")
    assert caught.value.message == message
    assert caught.value.file == "my.ir"
    assert caught.value.line in ((5,) if "'}'" in message else (4,))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "expected 'kernel', found 'the end of the text'"),
        ("kernel k() {}", 1, "expected the kernel's name, like @name, found 'k'"),
        ("kernel @k() {\nyield\n", 3, "expected an op, found 'the end of the text'"),
        ("kernel @k() {\n\nshared @x [size=4]\n}", 3, "a shared variable has [size=BYTES, align=BYTES]"),
        ("kernel @k() {\n^a:\nbr %q [targets=(a)]\n}", 3, "%q is defined nowhere"),
    ],
)
def test_mistakes_of_a_whole_kernel(text: str, line: int, message: str) -> None:
    with pytest.raises(Diagnostic) as caught:
        parse_function(text)
    assert (caught.value.line, caught.value.message) == (line, message)


def test_a_broken_function_prints() -> None:
    """The verifier shows ops out of broken functions."""
    op = Op("nonsense", [Value("i32", "lost"), Const("ptr", 3)], [Value("?")], {}, [Region(), Region()])
    assert print_op(op) == "%0: ? = nonsense %lost, 3:ptr {\n} {\n}"


# -- size -------------------------------------------------------------------------------------------------------------


def test_ten_thousand_ops_take_well_under_a_second() -> None:
    lines = [f'%v{i + 1}: i32 = add %v{i}, 3:i32 [flags=(nsw)] @ "a.cu":{i}:7' for i in range(10_000)]
    text = "\n  ".join([f"kernel @k({LAUNCH}, %v0: i32) {{", *lines, "yield"]) + "\n}\n"
    start = time.process_time()
    function = parse_function(text)
    assert print_function(function) == text
    verify(function, "split")
    assert time.process_time() - start < 2  # 0.4 s where it was written


# -- random functions -------------------------------------------------------------------------------------------------


class Generator:
    """Makes functions that keep every rule."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.visible: list[Value] = []

    def function(self) -> Function:
        """A structured kernel."""
        names = ("gdx", "gdy", "gdz", "bdx", "bdy", "bdz", "n", "n", "")
        params = [Value("i32", name) for name in names] + [Value("float", "x"), Value("i64", "y")]
        self.visible = list(params)
        body = Region([], self.ops(depth=3))
        Builder(body.ops).terminate()
        return Function(
            "k", params, body, facts=KernelFacts(launch_limit=self.random.randrange(1 << 40)), loc=self.loc()
        )

    def ops(self, depth: int) -> list[Op]:
        """A few ops."""
        ops: list[Op] = []
        for _ in range(self.random.randrange(1, 8)):
            ops.append(self.nested(depth - 1) if depth and self.random.random() < 0.3 else self.scalar())
            self.visible.extend(ops[-1].results)
        return ops

    def scalar(self) -> Op:
        """A binary op or a cast, on values or constants."""
        type_ = self.random.choice(["i1", "i7", "i32", "i64", "half", "bfloat", "float", "double"])
        name = self.random.choice(["add", "xor", "sdiv"] if type_[0] == "i" else ["fadd", "fdiv"])
        flags: dict[str, Attribute] = {"flags": ("nsw",)} if self.random.random() < 0.3 else {}
        return Op(name, [self.operand(type_), self.operand(type_)], [self.value(type_)], flags, [], self.loc())

    def nested(self, depth: int) -> Op:
        """An `if`, `for` or `while` with what it carries."""
        name = self.random.choice(["if", "for", "while"])
        types = self.random.choices(["i32", "float", "i64"], k=self.random.randrange(3))
        results = [self.value(type_) for type_ in types]
        init = [self.operand(type_) for type_ in types]
        if name == "if":
            regions = [self.region([], types, depth), self.region([], types, depth)]
            return Op("if", [self.operand("i1")], results, {}, regions, self.loc())
        if name == "for":
            bounds = [self.operand("i32") for _ in range(3)]
            return Op("for", bounds + init, results, {"pred": "slt"}, [self.region(["i32", *types], types, depth)])
        before, after = self.region(types, ["i1", *types], depth), self.region(types, types, depth)
        before.terminator.name = "condition"
        return Op("while", init, results, {}, [before, after], self.loc())

    def region(self, parameters: list[str], results: list[str], depth: int) -> Region:
        """A region that yields `results`."""
        outside = len(self.visible)
        region = Region([self.value(type_) for type_ in parameters])
        self.visible.extend(region.params)
        region.ops = self.ops(depth)
        Builder(region.ops).terminate("yield", [self.operand(type_) for type_ in results])
        del self.visible[outside:]
        return region

    def operand(self, type_: str) -> Operand:
        """A value in sight or a constant."""
        known = [each for each in self.visible if each.type == type_]
        if known and self.random.random() < 0.7:
            return self.random.choice(known)
        widths = {"half": 16, "bfloat": 16, "float": 32, "double": 64}
        width = widths.get(type_) or int(type_[1:])
        bits = self.random.getrandbits(width)
        return int_const(type_, bits) if type_[0] == "i" else Const(type_, bits)

    def value(self, type_: str) -> Value:
        """A new value."""
        return Value(type_, self.random.choice(["", "a", "a", "b", "a.1", "b.1.1", "3", "x y", "arrayidx", "-$."]))

    def loc(self) -> Loc | None:
        """A place, or none."""
        if self.random.random() < 0.5:
            return None
        return Loc(
            self.random.choice(["a.cu", "dir/b c.cuh"]), self.random.randrange(1, 999), self.random.randrange(99)
        )


def shape(region: Region, numbers: dict[Value, int]) -> object:
    """Everything about a region but the names of values."""

    def number(value: Value) -> tuple[int, str]:
        return numbers.setdefault(value, len(numbers)), value.type

    found: list[object] = [[number(each) for each in region.params]]
    for op in region.ops:
        operands = [number(each) if isinstance(each, Value) else each for each in op.operands]
        inner = [shape(each, numbers) for each in op.regions]
        found.append((op.name, operands, [number(each) for each in op.results], op.attrs, inner, op.loc))
    return found


def whole_shape(function: Function) -> object:
    """The same of a function's body."""
    return shape(function.body, {value: number for number, value in enumerate(function.params)})


@pytest.mark.parametrize("seed", range(40))
def test_random_functions_come_back(seed: int) -> None:
    function = Generator(seed).function()
    verify(function, "structured")
    text = print_function(function)
    again = parse_function(text)
    verify(again, "structured")
    assert print_function(again) == text
    assert whole_shape(again) == whole_shape(function)
    assert (again.name, again.facts, again.loc) == (function.name, function.facts, function.loc)


@pytest.mark.parametrize("text", [STRUCTURED, CFG])
def test_damaged_text_is_a_diagnostic_or_another_function(text: str) -> None:
    """No other exception, and what is read still prints and comes back."""
    source = random.Random(7)
    for _ in range(100):
        at = source.randrange(len(text))
        damaged = text[:at] + source.choice(["", *'{}[]()<>,:%@^"`=-0.x/\n']) + text[at + source.randrange(3) :]
        try:
            printed = print_function(parse_function(damaged))
        except Diagnostic:
            continue
        assert print_function(parse_function(printed)) == printed
