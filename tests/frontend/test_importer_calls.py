# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls, barriers, collectives and parameters of a kernel; what cannot be imported is refused with its line."""

from __future__ import annotations

import re
from pathlib import Path

from importing import cleaned, each, imported, names, op_of, ops_of, refused

from warploom.analysis.definitions import constant_memory
from warploom.frontend.function_facts import NOTHING, Needs, exported_facts
from warploom.frontend.importer import import_kernel
from warploom.ir.core import Const
from warploom.ir.printer import print_function

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
    assert function.facts.noalias == (0, 1)


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


def test_calls_of_functions_of_other_files_are_noted(tmp_path: Path) -> None:
    text = """__device__ int other(int);
    __device__ int deep(int x) { return x > 9 ? x : deep(x + other(x)); }
    __device__ bool ready(const int *p);
    __global__ void k(int *p) { *p = deep(1); }
    """
    function = imported(tmp_path, text, separate=True)
    assert op_of(function, "call").attrs["callee"] == "_Z4deepi"
    assert (function.facts.needs, function.facts.needs_still) == (("_Z5otheri",), False)
    function = imported(tmp_path, text.replace("*p = deep(1)", "while (!ready(p)) {}"), separate=True)
    assert (function.facts.needs, function.facts.needs_still) == (("_Z5readyPKi",), True)


def test_what_other_files_may_know_of_a_function(tmp_path: Path) -> None:
    text = """__device__ int other(int);
    __shared__ int cell;
    __device__ int plain(int x) { return x + threadIdx.x; }
    __device__ int passes_on(int x) { return other(x) + 1; }
    __device__ int repeats(int x) { while (x < 9) x = other(x); return x; }
    __device__ int looks(volatile int *p) { return *p; }
    __device__ void waits(volatile int *p) { while (*p == 0) {} }
    __device__ void meets() { __syncthreads(); }
    __device__ int keeps() { return cell; }
    __device__ int shuffles(int x) { return __shfl_down_sync(~0u, x, 1); }
    static __device__ void hidden() { __syncthreads(); }
    __device__ void through() { hidden(); }"""
    facts = {each.name: each for each in exported_facts(cleaned(tmp_path, text, separate=True))}
    other = Needs(("_Z5otheri",))
    plain = {name for name, each in facts.items() if each.is_plain}
    assert plain == {"_Z5plaini", "_Z9passes_oni", "_Z7repeatsi", "_Z5looksPVi"}
    assert {name for name, each in facts.items() if each.looks} == {"_Z5looksPVi", "_Z5waitsPVi"}
    assert facts["_Z9passes_oni"].needs == other
    assert facts["_Z7repeatsi"].needs == Needs(other.functions, still=True)
    assert facts["_Z5plaini"].needs == NOTHING


def test_an_instruction_without_an_op_is_named_with_its_line(tmp_path: Path) -> None:
    problem = refused(tmp_path, "__global__ void k(int *p) {\n  p[0] = *(__attribute__((address_space(3))) int *)p;\n}")
    assert "addrspace" in problem.reason
    assert problem.loc is not None
    assert problem.loc.line == 2


_BIG = "struct B { int a[40]; };\n"


def test_a_struct_that_is_only_read_is_shared_by_all_threads(tmp_path: Path) -> None:
    function = imported(tmp_path, _BIG + "__global__ void k(B b, int *p) { *p = b.a[threadIdx.x]; }")
    assert op_of(function, "gep").operands[0] is function.arguments[0]
    assert "alloca" not in names(function)


def test_a_struct_that_is_read_by_one_of_two_pointers_is_shared(tmp_path: Path) -> None:
    """As where a factor is the struct's own or one in memory: `*(p != nullptr ? p : &b.a[3])`."""
    text = "__global__ void k(B b, int *p, int *q) { const int *s = p != nullptr ? p : &b.a[3]; *q = *s + b.a[*q]; }"
    function = imported(tmp_path, _BIG + text)
    assert "alloca" not in names(function)


def test_a_struct_that_is_changed_by_one_of_two_pointers_is_copied(tmp_path: Path) -> None:
    text = "__global__ void k(B b, int *p, int *q) { int *s = p != nullptr ? p : &b.a[3]; *s = 1; *q = b.a[*q]; }"
    function = imported(tmp_path, _BIG + text)
    assert "memcpy" in names(function)


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
    assert function.facts.source_name == "k<3>"
    assert function.loc is not None
    assert function.loc.line == 2


def test_waiting_for_another_thread_is_noted(tmp_path: Path) -> None:
    waiting = "__global__ void k(volatile int *f) {\n  while (*f == 0) {}\n}"
    assert imported(tmp_path, waiting).facts.waits
    assert not imported(tmp_path, "__global__ void k(int *f) { while (--*f) {} }").facts.waits


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
    assert function.facts.noalias == (1, 2)
    sizes = constant_memory(function)
    assert [sizes.pop(each) for each in function.arguments[1:]] == [160, 160]
    assert sizes.pop("c") == 12
    assert list(sizes.values()) == [16]
