# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What clang emits becomes ops: arithmetic, addresses, vectors, aggregates, control flow."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from importing import cleaned, each, imported, names, op_of, ops_of

from warploom.frontend import cleanup
from warploom.frontend.importer import import_kernel
from warploom.ir.core import Const, Function

# -- where a thread is -------------------------------------------------------------------------------------------------


def test_indices_are_values_and_not_calls(tmp_path: Path) -> None:
    function = imported(tmp_path, "__global__ void k(int *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = gridDim.y; }")
    product = op_of(function, "mul")
    assert product.operands == [function.ids[0], function.launch[3]]
    assert op_of(function, "add").operands == [product.result, function.ids[3]]
    assert op_of(function, "store").operands[0] is function.launch[1]
    assert "call" not in names(function)


def test_a_lane_is_computed_from_the_linear_index(tmp_path: Path) -> None:
    function = imported(
        tmp_path, '__global__ void k(int *p) { int l; asm("mov.u32 %0, %%laneid;" : "=r"(l)); *p = l; }'
    )
    assert names(function) == ["mul", "add", "mul", "add", "and", "store", "ret"]
    assert ops_of(function, "mul")[0].operands == [function.ids[5], function.launch[4]]


def test_math_functions_have_no_effects(tmp_path: Path) -> None:
    text = "__global__ void k(float *p, double *q) { *p = exp10f(*p) + lgammaf(*p) + erff(*p); *q = lgamma(*q); }"
    calls = ops_of(imported(tmp_path, text), "call")
    assert [(call.attrs["callee"], call.attrs["effects"]) for call in calls] == [
        (name, "none") for name in ("exp10f", "lgammaf", "erff", "lgamma")
    ]


# -- arithmetic --------------------------------------------------------------------------------------------------------


_SCALARS: list[tuple[str, str, str, dict[str, object] | None]] = [
    ("int a, int b, int *p", "a + b", "add", {"flags": ("nsw",)}),
    ("unsigned a, unsigned b, unsigned *p", "a - b", "sub", {}),
    ("int a, int b, int *p", "a / b", "sdiv", {}),
    ("unsigned a, unsigned b, unsigned *p", "a % b", "urem", {}),
    ("int a, int b, int *p", "a ^ b", "xor", {}),
    ("unsigned a, int b, unsigned *p", "a >> 3", "lshr", {}),
    ("float a, float b, float *p", "a * b", "fmul", {"flags": ("contract",)}),
    ("double a, double b, double *p", "a / b", "fdiv", {"flags": ("contract",)}),
    ("float a, float b, float *p", "-a", "fneg", {"flags": ("contract",)}),
    ("char a, int b, int *p", "a", "sext", {}),
    ("int a, int b, short *p", "(short)a", "trunc", {}),
    ("int a, int b, float *p", "(float)a", "sitofp", None),
    ("unsigned a, int b, double *p", "(double)a", "uitofp", None),
    ("float a, int b, int *p", "(int)a", "fptosi", {}),
    ("double a, int b, unsigned long *p", "(unsigned long)a", "fptoui", {}),
    ("float a, int b, double *p", "(double)a", "fpext", None),
    ("double a, int b, float *p", "(float)a", "fptrunc", None),
    ("float a, int b, int *p", "__float_as_int(a) + b", "bitcast", {}),
    ("int *a, int b, unsigned long *p", "(unsigned long)a", "ptrtoint", {}),
    ("int a, int b, bool *p", "a < b", "icmp", {"pred": "slt"}),
    ("float a, float b, bool *p", "a < b", "fcmp", {"pred": "olt", "flags": ("contract",)}),
]


def test_a_scalar_instruction_is_the_op_of_its_name(tmp_path: Path) -> None:
    lines = [f"__global__ void k{n}({row[0]}) {{ *p = {row[1]}; }}" for n, row in enumerate(_SCALARS)]
    for line, (function, (_, expression, op, attrs)) in enumerate(zip(each(tmp_path, lines), _SCALARS, strict=True), 1):
        (found, *_) = ops_of(function, op)
        assert attrs is None or found.attrs == attrs, expression
        assert found.loc is not None
        assert (Path(found.loc.file).name, found.loc.line) == ("t.cu", line)


def test_a_sum_of_disjoint_bits_is_a_sum(tmp_path: Path) -> None:
    """LLVM prefers `or` where no bit meets another; the analyses of addresses want to see the sum."""
    function = imported(tmp_path, "__global__ void k(int n, int *p) { *p = n * 4 | 1; }")
    assert "or" not in names(function)
    assert op_of(function, "add").attrs["flags"] == ("nuw", "nsw")


_CONSTANTS = [
    ("float", "1.5f", 0x3FC00000),
    ("float", "0.1f", 0x3DCCCCCD),
    ("double", "-2.0", 0xC000000000000000),
    ("float", '__builtin_nanf("1")', 0x7FC00001),
    ("int", "-1", 0xFFFFFFFF),
    ("unsigned long", "1ul << 63", 1 << 63),
    ("__int128", "((__int128)1 << 100) + 5", (1 << 100) + 5),
    ("__int128", "-(__int128)3", (1 << 128) - 3),
    ("bool", "true", 1),
]


def test_constants_are_bits(tmp_path: Path) -> None:
    lines = [f"__global__ void k{n}({row[0]} *p) {{ *p = {row[1]}; }}" for n, row in enumerate(_CONSTANTS)]
    for function, (_, value, bits) in zip(each(tmp_path, lines), _CONSTANTS, strict=True):
        stored = op_of(function, "store").operands[0]
        assert isinstance(stored, Const)
        assert stored.value == bits, value


def test_half_and_bfloat_are_types(tmp_path: Path) -> None:
    function = imported(tmp_path, "__global__ void k(_Float16 *p, __bf16 *q) { *p = *p * *p; *q = (__bf16)1.5f; }")
    assert op_of(function, "fmul").result.type == "half"
    assert Const("bfloat", 0x3FC0) in [store.operands[0] for store in ops_of(function, "store")]


# -- addresses ---------------------------------------------------------------------------------------------------------


def test_an_address_is_bytes(tmp_path: Path) -> None:
    """Constant indices, members and array bounds fold into one offset and one stride an index."""
    text = "struct S { int a; short b[3][5]; };\n__global__ void k(S *p, long i, long j) { p[i + 2].b[1][j] = 0; }"
    function = imported(tmp_path, text)
    found = ops_of(function, "gep")
    assert sorted(str(op.attrs["strides"]) for op in found if op.attrs["strides"]) in (["(2,)", "(36,)"], ["(36, 2)"])
    assert sum(int(str(op.attrs["offset"])) for op in found) == 2 * 36 + 4 + 10
    assert all(operand.type in ("ptr", "i64") for op in ops_of(function, "gep") for operand in op.operands)


def test_a_narrow_index_is_widened_by_an_op(tmp_path: Path) -> None:
    function = imported(tmp_path, "__global__ void k(float *p, int i) { p[i] = 1; }")
    assert op_of(function, "gep").operands[1] is op_of(function, "sext").result


def test_a_constant_expression_becomes_ops_where_it_is_used(tmp_path: Path) -> None:
    text = "__device__ int t[8];\n__global__ void k(int **p, bool b) { *p = b ? t + 3 : t + 5; }"
    function = imported(tmp_path, text)
    geps = ops_of(function, "gep")
    assert {op.attrs["offset"] for op in geps} <= {12, 20}
    assert all(op.operands[0] == Const("ptr", "@t") for op in geps)


def test_a_phi_of_constant_expressions_gets_them_in_the_predecessor(tmp_path: Path) -> None:
    text = """__device__ int t[8]; __device__ int f;
    __global__ void k(int **p, int b) { int *q = 0; if (b) { f = 1; q = t + 3; } *p = q; }"""
    function = imported(tmp_path, text)
    (block,) = [block for block in function.blocks if any(op.name == "gep" for op in block.ops)]
    assert block.ops[-1].operands == [op_of(function, "gep").result]


# -- vectors and aggregates --------------------------------------------------------------------------------------------


def test_vectors(tmp_path: Path) -> None:
    text = """typedef float V __attribute__((ext_vector_type(4)));
    __global__ void k(V *p, int i) { V v = *p; v.y = v[i]; *p = v.wzyx; }"""
    function = imported(tmp_path, text)
    assert op_of(function, "load").result.type == "<4 x float>"
    assert op_of(function, "extractelement").operands[0] is op_of(function, "load").result
    assert op_of(function, "insertelement").operands[2] == Const("i64", 1)
    assert op_of(function, "shufflevector").attrs["mask"] == (3, 2, 1, 0)


def test_a_vector_constant_is_text(tmp_path: Path) -> None:
    text = """typedef float V __attribute__((ext_vector_type(2)));
    __global__ void k(V *p) { *p = *p + (V){1, -0.1f}; }"""
    constant = Const("<2 x float>", "<float 0x3FF0000000000000, float 0xBFB99999A0000000>")
    assert op_of(imported(tmp_path, text), "fadd").operands[1] == constant


def test_aggregates(tmp_path: Path) -> None:
    text = "__global__ void k(int a, int b, int *p, bool *q) { *q = __builtin_sadd_overflow(a, b, p); }"
    function = imported(tmp_path, text)
    call = op_of(function, "call")
    assert call.result.type == "{ i32, i1 }"
    assert (call.attrs["callee"], call.attrs["effects"]) == ("llvm.sadd.with.overflow.i32", "none")
    assert {op.attrs["path"] for op in ops_of(function, "extractvalue")} == {(0,), (1,)}


# -- control flow ------------------------------------------------------------------------------------------------------


def test_a_loop_keeps_its_test_on_top(tmp_path: Path) -> None:
    text = "__global__ void k(int n, int *p) { for (int i = 0; i < n; i++) p[i] = i; }"
    function = imported(tmp_path, text)
    (header,) = [block for block in function.blocks if block.params]
    assert [op.name for op in header.ops] == ["icmp", "cond_br"]
    assert function.blocks[0].ops[-1].operands == [Const("i32", 0)]


def test_a_switch_is_compared_case_by_case(tmp_path: Path) -> None:
    text = """__global__ void k(int n, int *p) {
      switch (n) { case 1: p[0] = 1; break; case 5: p[n] = 3; break; case 9: p[3] = 4; break; default: *p = 7; }
    }"""
    function = imported(tmp_path, text)
    assert "switch" not in names(function)
    assert len(ops_of(function, "store")) == 4


def test_a_switch_that_stays_is_one_of_its_own_value(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM sometimes makes a switch again of the comparisons that one became."""
    monkeypatch.setattr(cleanup, "TIDY", cleanup.TIDY.replace("lower-switch,", ""))
    text = """__global__ void k(int n, int m, int *p) {
      switch (m * n) { case 1: p[0] = 1; break; case 5: p[n] = 3; break;
        default: for (int i = 0; i < m; ++i) p[i] = i; }
    }"""
    function = imported(tmp_path, text)
    chosen = op_of(function, "switch")
    assert chosen.operands == [op_of(function, "mul").result]
    assert chosen.attrs["cases"] == (1, 5)


def test_a_thread_that_exits_returns(tmp_path: Path) -> None:
    text = '__global__ void k(int n, int *p) { if (n) asm volatile("exit;"); *p = 1; }'
    text = 'extern "C" __device__ void __warploom_exit_thread();\n' + text.replace(
        'asm volatile("exit;")', "__warploom_exit_thread()"
    )
    function = imported(tmp_path, text)
    assert "call" not in names(function)
    assert len(ops_of(function, "ret")) == 2


def test_after_a_call_that_does_not_return_nothing_follows(tmp_path: Path) -> None:
    function = imported(tmp_path, "__global__ void k(int n, int *p) { if (n) __trap(); *p = 1; }")
    call = op_of(function, "call")
    assert (call.attrs["callee"], call.attrs["noreturn"]) == ("__warploom_trap", True)
    (block,) = [block for block in function.blocks if call in block.ops]
    assert [op.name for op in block.ops] == ["call", "unreachable"]


def test_a_kernel_that_nobody_keeps_goes_without_a_search_for_garbage(tmp_path: Path) -> None:
    """A file of many kernels is looked through before any is compiled, and garbage is looked for seldom."""
    device = cleaned(tmp_path, "__global__ void k(int *p) { *p += threadIdx.x; }")
    gc.disable()
    try:
        before = sum(isinstance(each, Function) for each in gc.get_objects())
        import_kernel(device, device.kernels[0])
        assert sum(isinstance(each, Function) for each in gc.get_objects()) == before
    finally:
        gc.enable()
