# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What clang emits for device code arrives in the IR, one kind of instruction at a time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from importing import cleaned, imported, op_of, ops_of

from warploom.analysis.definitions import constant_memory
from warploom.frontend.importer import import_kernel
from warploom.ir.core import Const, Function
from warploom.ir.printer import print_function
from warploom.ir.verifier import verify
from warploom.passes.base import Unsupported


def names(function: Function) -> list[str]:
    return [op.name for block in function.blocks for op in block.ops]


def each(folder: Path, lines: list[str]) -> list[Function]:
    """The kernels of a source with one kernel a line, in order."""
    device = cleaned(folder, "\n".join(lines))
    found = [import_kernel(device, kernel) for kernel in device.kernels]
    found.sort(key=lambda function: function.loc.line if function.loc else 0)
    for function in found:
        verify(function, "cfg")
    return found


def refused(folder: Path, text: str, *, separate: bool = False) -> Unsupported:
    with pytest.raises(Unsupported) as caught:
        imported(folder, text, separate=separate)
    return caught.value


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


# -- memory ------------------------------------------------------------------------------------------------------------


def test_accesses_say_what_they_are(tmp_path: Path) -> None:
    function = imported(tmp_path, "__global__ void k(volatile short *p, double *q) { *q = *p; }")
    assert op_of(function, "load").attrs == {"align": 2, "volatile": True}
    assert op_of(function, "store").attrs == {"align": 8}


def test_atomics(tmp_path: Path) -> None:
    text = """__global__ void k(int *p, float *f, unsigned *u) {
      p[1] = atomicCAS(p, 1, 2); atomicAdd(f, 2.0f); atomicMax(u, 3u); __threadfence();
      __atomic_store_n(p + 2, 1, __ATOMIC_RELEASE);
    }"""
    function = imported(tmp_path, text)
    exchange = op_of(function, "cmpxchg")
    assert exchange.result.type == "{ i32, i1 }"
    assert exchange.attrs == {"align": 4, "ordering": "monotonic", "failure": "monotonic"}
    updates = [(op.attrs["operation"], op.attrs["ordering"]) for op in ops_of(function, "atomicrmw")]
    assert updates == [("fadd", "monotonic"), ("umax", "monotonic")]
    assert op_of(function, "fence").attrs["ordering"] == "seq_cst"
    assert ops_of(function, "store")[-1].attrs == {"align": 4, "ordering": "release"}


def test_a_compiler_barrier_is_a_fence_of_one_thread(tmp_path: Path) -> None:
    function = imported(tmp_path, '__global__ void k() { asm volatile("" ::: "memory"); }')
    assert op_of(function, "fence").attrs == {"ordering": "seq_cst", "scope": "singlethread"}


def test_inline_assembly_stays(tmp_path: Path) -> None:
    function = imported(tmp_path, '__global__ void k(int *p) { int x = 3; asm volatile("" : "+r"(x)); *p = x; }')
    found = op_of(function, "asm")
    assert found.attrs["text"] == ""
    assert str(found.attrs["constraints"]).startswith("=r,0")
    assert found.attrs["sideeffect"] is True


def test_copies_and_fills(tmp_path: Path) -> None:
    text = """struct B { int a[40]; };
    __global__ void k(B *p, B *q, int n) { p[0] = q[1]; memset(q, 1, n); memmove(p, q, n); }"""
    function = imported(tmp_path, text)
    copy = op_of(function, "memcpy")
    assert copy.operands[2] == Const("i64", 160)
    assert copy.attrs == {"align_to": 4, "align_from": 4}
    assert op_of(function, "memset").operands[1] == Const("i8", 1)
    assert op_of(function, "memmove").operands[2].type == "i64"


def test_private_memory(tmp_path: Path) -> None:
    function = imported(tmp_path, "__global__ void k(int *p, int i) { int a[6]; a[i] = 1; *p = a[i + 1]; }")
    assert op_of(function, "alloca").attrs == {"size": 24, "align": 16}


def test_private_arrays_of_variable_length_are_refused_with_the_line(tmp_path: Path) -> None:
    problem = refused(tmp_path, "__global__ void k(int *p, int i) {\n  int a[i]; a[i - 2] = 1; *p = a[i - 1];\n}")
    assert "variable length" in problem.reason
    assert problem.loc is not None
    assert problem.loc.line == 2


def test_shared_variables_are_listed(tmp_path: Path) -> None:
    text = """__global__ void k(int *p) {
      __shared__ double tile[8][4]; extern __shared__ char open[];
      tile[threadIdx.x][1] = p[0]; open[threadIdx.x] = 1; __syncthreads(); p[1] = tile[3][threadIdx.x] + open[p[4]];
    }"""
    function = imported(tmp_path, text)
    assert [(each.size, each.align >= 8) for each in function.shared.values() if each.size] == [(256, True)]
    assert len([each for each in function.shared.values() if not each.size]) == 1


def test_dynamic_arrays_are_one_memory(tmp_path: Path) -> None:
    """All of them start at the same address: a store through one is a store to the others."""
    text = """__global__ void k(int *p) {
      extern __shared__ int a[]; extern __shared__ float b[];
      a[0] = 1; b[0] = 2.0f; p[0] = a[0];
    }"""
    function = imported(tmp_path, text)
    assert len(function.shared) == 1
    assert ops_of(function, "store")[-1].operands[0] == Const("i32", 0x40000000)


# -- barriers and collectives ------------------------------------------------------------------------------------------


_COLLECTIVES: list[tuple[str, str, dict[str, object]]] = [
    ("__syncthreads();", "barrier", {"level": "block"}),
    ("__syncwarp();", "barrier", {"level": "warp"}),
    ("p[1] = __syncthreads_count(p[0]);", "barrier_reduce", {"kind": "count"}),
    ("p[1] = __syncthreads_and(p[0]);", "barrier_reduce", {"kind": "and"}),
    ("p[1] = __shfl_sync(~0u, p[0], 3);", "shuffle", {"kind": "idx"}),
    ("p[1] = __shfl_up_sync(~0u, p[0], 3, 8);", "shuffle", {"kind": "up"}),
    ("p[1] = __shfl_xor_sync(~0u, p[0], 3);", "shuffle", {"kind": "xor"}),
    ("p[1] = __ballot_sync(~0u, p[0]);", "vote", {"kind": "ballot"}),
    ("p[1] = __any_sync(~0u, p[0]);", "vote", {"kind": "any"}),
    ("p[1] = __match_any_sync(~0u, p[0]);", "match", {"kind": "any"}),
    ("int all; p[1] = __match_all_sync(~0u, p[0], &all); p[2] = all;", "match", {"kind": "all"}),
    ("p[1] = __reduce_add_sync(~0u, (unsigned)p[0]);", "warp_reduce", {"kind": "add"}),
    ("p[1] = __reduce_min_sync(~0u, p[0]);", "warp_reduce", {"kind": "smin"}),
    ("p[1] = __reduce_max_sync(~0u, (unsigned)p[0]);", "warp_reduce", {"kind": "umax"}),
    ("p[1] = __activemask();", "activemask", {}),
]


def test_collectives_are_ops(tmp_path: Path) -> None:
    lines = [f"__global__ void k{n}(int *p) {{ {row[0]} }}" for n, row in enumerate(_COLLECTIVES)]
    for line, (function, (call, op, attrs)) in enumerate(zip(each(tmp_path, lines), _COLLECTIVES, strict=True), 1):
        found = op_of(function, op)
        assert found.attrs == attrs, call
        assert found.loc is not None
        assert (Path(found.loc.file).name, found.loc.line) == ("t.cu", line), "the user's line, not the header's"
        assert "call" not in names(function)


def test_a_grid_barrier(tmp_path: Path) -> None:
    text = "#include <cooperative_groups.h>\n__global__ void k() { cooperative_groups::this_grid().sync(); }"
    assert op_of(imported(tmp_path, text), "barrier").attrs == {"level": "grid"}


def test_a_barrier_in_a_device_function_is_inlined_whatever_its_attributes(tmp_path: Path) -> None:
    text = """__device__ __noinline__ void f(int *p) {
      p[0] = 1;
      __syncthreads();
    }
    __global__ void k(int *p) { f(p); }"""
    found = op_of(imported(tmp_path, text), "barrier")
    assert found.loc is not None
    assert found.loc.line == 3


def test_a_barrier_changes_what_restrict_pointers_see(tmp_path: Path) -> None:
    """`__restrict__` is about one thread's pointers; another thread may store through the same one."""
    text = """__global__ void k(int *__restrict__ p, int *__restrict__ q) {
      q[threadIdx.x] = p[0]; __syncthreads(); q[threadIdx.x + 64] = p[0];
    }"""
    function = imported(tmp_path, text)
    assert len(ops_of(function, "load")) == 2
    assert function.attrs["noalias"] == (0, 1)


# -- calls -------------------------------------------------------------------------------------------------------------


def test_mathematics_has_no_effect(tmp_path: Path) -> None:
    function = imported(tmp_path, "__global__ void k(double *p) { p[0] = erfc(p[1]); p[2] = sqrt(p[3]); }")
    calls = ops_of(function, "call")
    assert [op.attrs["effects"] for op in calls] == ["none", "none"]
    assert all(op.attrs["speculatable"] for op in calls)


def test_printf_is_a_call_with_variable_arguments(tmp_path: Path) -> None:
    function = imported(tmp_path, '__global__ void k(int n) { printf("%d %f\\n", n, 2.0); }')
    call = op_of(function, "call")
    assert (call.attrs["varargs"], call.attrs["types"], call.attrs["effects"]) == (True, ("ptr",), "any")
    assert [operand.type for operand in call.operands] == ["ptr", "i32", "double"]


def test_recursion_stays_a_call(tmp_path: Path) -> None:
    text = "__device__ int f(int n) { return n < 2 ? 1 : n * f(n - 1); }\n__global__ void k(int *p) { *p = f(*p); }"
    call = op_of(imported(tmp_path, text), "call")
    assert call.attrs == {"callee": "_Z1fi", "effects": "none"}


def test_recursion_into_a_barrier_is_refused(tmp_path: Path) -> None:
    text = """__device__ void f(int n) { __syncthreads(); if (n) f(n - 1); }
    __global__ void k(int n) {
      f(n);
    }"""
    problem = refused(tmp_path, text)
    assert problem.reason == "calls _Z1fi, which waits for other threads"
    assert problem.loc is not None
    assert problem.loc.line == 3


def test_a_struct_argument_of_a_call_says_how_it_travels(tmp_path: Path) -> None:
    text = """struct B { long a[9]; };
    __device__ long f(B b, char c) { b.a[c]++; return b.a[0] ? f(b, c) : 0; }
    __global__ void k(B *p, long *q) { *q = f(*p, 1); }"""
    call = op_of(imported(tmp_path, text), "call")
    assert call.attrs["abi"] == ("", "byval({ [9 x i64] }) align 8", "signext")


def test_indirect_calls(tmp_path: Path) -> None:
    text = """__device__ int twice(int x) { return 2 * x; }
    __device__ int thrice(int x) { return 3 * x; }
    __device__ int (*table[])(int) = {twice, thrice};
    __global__ void k(int *p) { *p = table[*p](7); }"""
    call = op_of(imported(tmp_path, text), "call_indirect")
    assert [operand.type for operand in call.operands] == ["ptr", "i32"]


def test_indirect_calls_that_could_reach_a_barrier_are_refused(tmp_path: Path) -> None:
    text = """__device__ int twice(int x) { __syncthreads(); return 2 * x; }
    __device__ int (*table[])(int) = {twice};
    __global__ void k(int *p) { *p = table[*p](7); }"""
    assert "may be _Z5twicei, which waits for other threads" in refused(tmp_path, text).reason


def test_functions_of_other_files_are_refused(tmp_path: Path) -> None:
    text = "__device__ int other(int);\n__global__ void k(int *p) { *p = other(1); }"
    problem = refused(tmp_path, text, separate=True)
    assert problem.reason == "calls _Z5otheri, which lies in another translation unit"


def test_an_instruction_without_an_op_is_named_with_its_line(tmp_path: Path) -> None:
    problem = refused(tmp_path, "__global__ void k(int *p) {\n  p[0] = *(__attribute__((address_space(3))) int *)p;\n}")
    assert "addrspace" in problem.reason
    assert problem.loc is not None
    assert problem.loc.line == 2


# -- parameters --------------------------------------------------------------------------------------------------------

_BIG = "struct B { int a[40]; };\n"


def test_a_struct_that_is_only_read_is_shared_by_all_threads(tmp_path: Path) -> None:
    function = imported(tmp_path, _BIG + "__global__ void k(B b, int *p) { *p = b.a[threadIdx.x]; }")
    assert op_of(function, "gep").operands[0] is function.arguments[0]
    assert "alloca" not in names(function)


def test_a_struct_that_is_changed_is_copied_for_each_thread(tmp_path: Path) -> None:
    function = imported(tmp_path, _BIG + "__global__ void k(B b, int *p) { b.a[threadIdx.x] = 1; *p = b.a[p[1]]; }")
    copy = op_of(function, "memcpy")
    assert copy.operands == [op_of(function, "alloca").result, function.arguments[0], Const("i64", 160)]
    assert all(function.arguments[0] not in store.operands for store in ops_of(function, "store"))
    assert function.blocks[0].ops[0].name == "alloca"


def test_a_kernel_has_its_name_in_the_source_and_its_place(tmp_path: Path) -> None:
    function = imported(
        tmp_path, "\ntemplate <int N> __global__ void k(int *p) { *p = N; }\ntemplate __global__ void k<3>(int *);"
    )
    assert function.attrs["source_name"] == "k<3>"
    assert function.loc is not None
    assert function.loc.line == 2


def test_waiting_for_another_thread_is_refused(tmp_path: Path) -> None:
    problem = refused(tmp_path, "__global__ void k(volatile int *f) {\n  while (*f == 0) {}\n}")
    assert problem.reason == "waits in a loop for another thread"
    assert problem.loc is not None
    assert problem.loc.line == 2


def test_every_kernel_of_a_module_imports_by_itself(tmp_path: Path) -> None:
    text = "__device__ int f(int x) { return x * x; }\n" + "\n".join(
        f"__global__ void k{n}(int *p) {{ p[{n}] = f(p[0]) + {n}; }}" for n in range(3)
    )
    device = cleaned(tmp_path, text)
    texts = [print_function(import_kernel(device, kernel)) for kernel in device.kernels]
    assert [re.search(r"@_Z2k(\d)", text).group(1) for text in texts] == ["0", "1", "2"]  # type: ignore[union-attr]
    assert all("call" not in text for text in texts)


def test_memory_that_nothing_writes_while_the_kernel_runs(tmp_path: Path) -> None:
    """A struct passed in memory, whether copied or not, `__constant__` variables and tables: with their sizes."""
    text = f"""{_BIG}__constant__ int c[3]; __device__ int d[3]; __device__ const int table[] = {{4, 3, 2, 1}};
    __global__ void k(int *p, B b, B changed) {{
      changed.a[p[1]] = 1;
      p[0] = c[p[1]] + d[p[1]] + table[p[1] & 3] + b.a[p[1]] + changed.a[p[2]];
    }}"""
    function = imported(tmp_path, text)
    assert function.attrs["noalias"] == (1, 2)
    sizes = constant_memory(function)
    assert [sizes.pop(each) for each in function.arguments[1:]] == [160, 160]
    assert sizes.pop("c") == 12
    assert list(sizes.values()) == [16]
