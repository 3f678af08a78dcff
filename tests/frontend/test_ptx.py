# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inline PTX: what parses, what is refused and how that is said, and how asm statements become clang's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from importing import imported, op_of, ops_of

from warploom.diagnostics import Diagnostic
from warploom.frontend.ptx.carries import reads_carry, uses_carry
from warploom.frontend.ptx.dialect import is_refusal, translated
from warploom.frontend.ptx.parser import Parser, unescaped
from warploom.frontend.ptx.syntax import Address, Constant, Instruction, Negated, PtxError, Register, Vector


def one(text: str) -> Instruction:
    (statement,) = Parser(text, [Register(f"o{i}", 32) for i in range(4)]).parse().statements
    assert isinstance(statement, Instruction)
    return statement


def test_a_guard_modifiers_and_operands_are_told_apart() -> None:
    program = Parser("{ .reg .pred p; @!p ld.global.v2.u32 {$0, $1}, [$2+-8]; }", [Register("a", 32)] * 3).parse()
    (load,) = program.statements
    assert isinstance(load, Instruction)
    assert load.parts == ("ld", "global", "v2", "u32")
    assert isinstance(load.guard, Negated)
    assert load.operands == (Vector((Register("a", 32),) * 2), Address(Register("a", 32), -8))


@pytest.mark.parametrize(
    ("text", "value"),
    [("017", 15), ("0x1fU", 31), ("0b101", 5), ("-3", -3), ("~0", -1), ("(12)", 12), ("WARP_SZ", 32)],
)
def test_integer_constants(text: str, value: int) -> None:
    assert one(f"mov.u32 $0, {text};").operands[1] == Constant(value)


def test_hexadecimal_floats_are_bits() -> None:
    assert one("mov.f32 $0, 0f3F800000;").operands[1] == Constant(0x3F800000, 32)
    assert one("mov.f64 $0, -0d3FF0000000000000;").operands[1] == Constant(0xBFF0000000000000, 64)


def test_an_inner_scope_hides_a_register_and_ends() -> None:
    text = "{ .reg .u32 t; mov.u32 t, 1; { .reg .u64 t; mov.u64 t, 2; } mov.u32 t, 3; }"
    widths = [s.operands[0].bits for s in Parser(text, []).parse().statements if isinstance(s, Instruction)]  # pyright: ignore
    assert widths == [32, 64, 32]


def test_braces_come_back_from_llvm_s_notation() -> None:
    assert unescaped("$( .reg .pred p; mov.b64 $0, $($1, $2$); $)") == "{ .reg .pred p; mov.b64 $0, {$1, $2}; }"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("add.u32 $0, nowhere, 1;", "not declared"),
        ("bra THERE;", "no label THERE"),
        (".local .b32 x;", "directive .local"),
        ("mov.u32 $9, 1;", "operand %9"),
        ("ld.u32 $0, [$0", "expected"),
        ("} add.u32 $0, $0, 1;", "closing brace"),
    ],
)
def test_what_is_no_ptx_is_refused(text: str, reason: str) -> None:
    with pytest.raises(PtxError, match=re.escape(reason)):
        Parser(text, [Register("o0", 32)]).parse()


KERNEL = """__global__ void k(unsigned *p, unsigned long long *q, float *f) {{
  {0}
}}
"""
MMA = 'asm("mma.sync.aligned.{} {{%0}}, {{%1}}, {{%1}}, {{%1}};" : "=r"(p[0]) : "r"(p[1]));'


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ('asm("wgmma.fence.sync.aligned;");', '"wgmma.fence.sync.aligned": the instruction is not supported'),
        ('asm("add.u16 %0, %1, 1;" : "=r"(p[0]) : "r"(p[1]));', "a register of 32 bits as a .u16 operand"),
        ('asm("add.u32 %0, %1, 1, 2;" : "=r"(p[0]) : "r"(p[1]));', "4 operands"),
        ('asm("add.b32 %0, %1, 1;" : "=r"(p[0]) : "r"(p[1]));', "add has no form .b32"),
        ('asm("addc.u32 %0, %1, 1;" : "=r"(p[0]) : "r"(p[1]));', "reads the carry flag"),
        ('asm("mov.u32 %0, %%is_explicit_cluster;" : "=r"(p[0]));', "special register %is_explicit_cluster"),
        ('asm("ld.global.u32 %0, [%1];" : "=r"(p[0]) : "r"(p[1]));', "an address of 32 bits"),
        ('asm("cvt.u32.f32 %0, %1;" : "=r"(p[0]) : "r"(p[1]));', "needs a rounding modifier"),
        ('asm("call (%0), f, (%1);" : "=r"(p[0]) : "r"(p[1]));', "unexpected"),
        ('asm("tex.1d.v4.u32.s32 {%0, _, _, _}, [%1, {%0}];" : "=r"(p[0]) : "l"(q));', "coordinates in an address"),
        ('asm("red.global.add.v2.u32 [%0], {%1, %1};" :: "l"(q), "r"(p[0]));', "on vectors of .u32"),
        ('asm("cp.async.bulk.shared::cluster.global [%0], [%1], 16;" :: "r"(p[0]), "l"(q));', "this copy"),
        (
            'asm("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster'
            ' [%0], [%1], 16, [%0], 3;" :: "r"(p[0]), "l"(q));',
            "the modifier .multicast::cluster",
        ),
        ('asm("st.async.weak.shared::cluster.u32 [%0], %0, [%0];" :: "r"(p[0]));', "complete_tx"),
        ('asm("ldmatrix.sync.aligned.m8n8.x3.shared.b16 {%0}, [%0];" : "+r"(p[0]));', ".x1, .x2 or .x4"),
        (MMA.format("m16n8k16.row.col.f32.bf16.f16.f32"), "products of .bf16 and .f16 are not supported"),
        (MMA.format("m16n8k64.row.col.s32.s8.s8.s32"), "have the shapes m8n8k16, m16n8k16, m16n8k32"),
        (MMA.format("m16n8k16.row.col.f32.f16.f16.f16"), "products of .f16 and .f16 plus .f16 are no .f32"),
        (MMA.format("m16n8k16.col.row.f32.f16.f16.f32"), "has a by rows and b by columns"),
        (MMA.format("m16n8k16.row.col.satfinite.f32.f16.f16.f32"), "of .satfinite"),
        (MMA.format("m16n8k128.row.col.s32.b1.b1.s32"), "of .b1, and of nothing else"),
        (MMA.format("m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32"), "the modifier .kind::f8f6f4"),
        (MMA.replace("mma.sync", "mma.sp.sync").format("m16n8k32.row.col.f32.f16.f16.f32"), "4 operands"),
    ],
)
def test_a_refusal_names_the_instruction_and_its_line(tmp_path: Path, statement: str, message: str) -> None:
    with pytest.raises(Diagnostic) as refusal:
        imported(tmp_path, KERNEL.format(statement))
    assert message in str(refusal.value)
    assert refusal.value.line == 2


RECURSION = """__device__ unsigned sum(unsigned a, unsigned b) {{
  asm("{0}.u32 %0, %0, %1;" : "+r"(a) : "r"(b));
  return b ? sum(a, b - 1) : a;
}}
__global__ void k(unsigned *p) {{
  asm("add.cc.u32 %0, %0, 1;" : "+r"(p[0]));
  p[1] = sum(p[1], p[2]);
  asm("addc.u32 %0, %0, 1;" : "+r"(p[3]));
}}
"""


@pytest.mark.parametrize("name", ["addc", "add.cc"])
def test_a_carry_through_recursion_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        Diagnostic, match="the carry flag goes in or out of a function that cannot be inlined"
    ) as refusal:
        imported(tmp_path, RECURSION.format(name))
    assert refusal.value.line == 2


@pytest.mark.parametrize(
    ("text", "uses", "reads"),
    [
        ("add.cc.u32 %0, %1, %2;", True, False),
        ("{ .reg .u32 t; addc.u32 t, %1, %2; add.cc.u32 %0, t, 1; }", True, True),
        ("mad.lo.cc.u64 %0, %1, %2, %3; madc.hi.u64 %4, %1, %2, 0;", True, False),
        ("@p subc.cc.u32 %0, %1, %2;", True, True),
        ("add.u32 %0, %1, %2; ld.global.cc.u32 %3, [%4]; mov.u32 addc_0, %1;", False, False),
    ],
)
def test_who_uses_the_carry_flag(text: str, uses: bool, reads: bool) -> None:
    assert (uses_carry(text), reads_carry(text)) == (uses, reads)


def test_an_instruction_becomes_an_op_with_its_place(tmp_path: Path) -> None:
    function = imported(tmp_path, KERNEL.format('asm("mul.lo.u32 %0, %1, %1;" : "=r"(p[0]) : "r"(p[1]));'))
    assert op_of(function, "mul").loc is not None
    assert not ops_of(function, "asm")


def test_a_collective_has_the_place_of_its_asm_statement(tmp_path: Path) -> None:
    text = 'asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, -1;" : "=r"(p[0]) : "r"(p[1]));'
    shuffle = op_of(imported(tmp_path, KERNEL.format(text)), "shuffle")
    assert shuffle.loc is not None
    assert shuffle.loc.line == 2


def test_an_empty_string_stays_a_compiler_barrier(tmp_path: Path) -> None:
    function = imported(tmp_path, KERNEL.format('p[0] = 1; asm volatile("" ::: "memory"); p[1] = 2;'))
    assert op_of(function, "fence").attrs["scope"] == "singlethread"


def test_constraints_become_those_of_the_host_s_processor() -> None:
    text = 'asm volatile("x %0, %laneid, %%tid.x;" : [a] "=f"(f("=f")), "+h"(y) : "d"(g ? 1. : 2.), "n"(3) : "memory");'
    wanted = (
        'asm volatile("x %0, %%laneid, %%tid.x;" : [a] "=x"(f("=f")), "+r"(y) : "x"(g ? 1. : 2.), "n"(3) : "memory");'
    )
    assert translated(text) == wanted


def test_operands_need_no_comma_between_them() -> None:
    text = 'asm("x" : [a] "=f"(f(1, 2)) [b] "=r"(y) : "r"(v) "l"(p), "n"(3) : "memory");'
    assert translated(text) == 'asm("x" : [a] "=x"(f(1, 2)) ,[b] "=r"(y) : "r"(v) ,"r"(p), "n"(3) : "memory");'
    message = 'a.cu:2:9: error: expected \')\'\n    2 |  asm("x" :: "r"(v) "l"(p));\n'
    assert is_refusal(message)
    assert not is_refusal("a.cu:2:9: error: expected ')'\n    2 |  f(v;\n")


def test_what_is_no_asm_statement_stays() -> None:
    text = 'const char *s = "asm(\\"x\\" : \\"=f\\"(y))"; int plasma(int); asm("trap;"); char c = \'"\';'
    assert translated(text) == text
