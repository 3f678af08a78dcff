# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM's passes before the import simplify one thread's code and leave alone what threads do together."""

from __future__ import annotations

from pathlib import Path

from importing import cleaned, imported, op_of, ops_of

from warploom.llvm.codes import FUNCTION_INDEX


def test_a_shared_variable_is_read_again_after_a_barrier(tmp_path: Path) -> None:
    """Another thread may have stored in between, though nothing that this thread calls is seen to."""
    text = """__global__ void k(int *p) {
      __shared__ int s;
      s = threadIdx.x; __syncthreads(); p[threadIdx.x] = s; __syncthreads(); p[threadIdx.x + 64] = s;
    }"""
    function = imported(tmp_path, text)
    assert len(ops_of(function, "load")) == 2
    assert len(ops_of(function, "barrier")) == 2


def test_private_variables_are_values_across_a_barrier(tmp_path: Path) -> None:
    text = """__device__ void set(int &x, int n) { x = n; }
    __global__ void k(int *p, int n) { int x; set(x, n); __syncthreads(); p[threadIdx.x] = x; }"""
    function = imported(tmp_path, text)
    assert not ops_of(function, "alloca")
    assert op_of(function, "store").operands[0] is function.arguments[1]


def test_barriers_of_two_branches_stay_two(tmp_path: Path) -> None:
    text = """__global__ void k(int *p, int n) {
      if (n) { p[0] = 1; __syncthreads(); p[1] = 2; } else { p[2] = 1; __syncthreads(); p[3] = 2; }
    }"""
    assert len(ops_of(imported(tmp_path, text), "barrier")) == 2


def test_a_test_that_does_not_change_stays_in_the_loop(tmp_path: Path) -> None:
    """Two loops instead of one would be two copies of the barrier."""
    text = """__global__ void k(int *p, int n) {
      for (int i = 0; i < n; i++) { if (n > 7) p[i] = 1; __syncthreads(); }
    }"""
    assert len(ops_of(imported(tmp_path, text), "barrier")) == 1


def test_functions_that_call_each_other_stay_calls(tmp_path: Path) -> None:
    text = """__device__ int odd(int); __device__ int even(int n) { return n ? odd(n - 1) : 1; }
    __device__ int odd(int n) { return n ? even(n - 1) : 0; }
    __device__ int other(int n) { return n * n; }
    __global__ void k(int *p) { *p = even(p[1]) + other(p[2]); }"""
    assert op_of(imported(tmp_path, text), "call").attrs["callee"] == "_Z4eveni"


# 200 sums: large enough that many copies of it would be most of a kernel.
_LARGE = "__device__ int large(const int *p) { int s = p[0];\n" + "s += p[s & 7] * s;\n" * 200 + "return s; }\n"


def test_many_copies_of_a_large_function_stay_calls(tmp_path: Path) -> None:
    calls = "".join(f"s += large(p + {n});" for n in range(9))
    found = ops_of(imported(tmp_path, f"{_LARGE}__global__ void k(int *p) {{ int s = 0; {calls} *p = s; }}"), "call")
    assert {(op.attrs["callee"], op.attrs["effects"]) for op in found} == {("_Z5largePKi", "read")}


def test_many_copies_stay_calls_in_a_file_of_device_functions(tmp_path: Path) -> None:
    calls = "".join(f"s += large(p + {n});" for n in range(25))
    large = "__device__ int elsewhere(int);\n" + _LARGE.replace("s = p[0]", "s = elsewhere(p[0])")
    text = f"{large}__device__ int f(const int *p) {{ int s = 0; {calls} return s; }}"
    module = cleaned(tmp_path, text, separate=True).module
    assert len(list(module.users(module.find("_Z5largePKi")))) == 25


def test_one_copy_of_a_large_function_is_inlined(tmp_path: Path) -> None:
    assert not ops_of(imported(tmp_path, f"{_LARGE}__global__ void k(int *p) {{ *p = large(p); }}"), "call")


def test_a_large_function_that_many_kernels_call_once_each_is_inlined(tmp_path: Path) -> None:
    """How many kernels a file has says nothing of what the copies are in one of them."""
    kernels = "".join(f"__global__ void k{number}(int *p) {{ *p = large(p); }}" for number in range(30))
    module = cleaned(tmp_path, _LARGE + kernels).module
    assert not module.find("_Z5largePKi") or not list(module.users(module.find("_Z5largePKi")))


def test_a_large_function_with_a_barrier_is_inlined(tmp_path: Path) -> None:
    text = _LARGE.replace("int s = p[0];", "int s = p[0]; __syncthreads();")
    calls = "".join(f"s += large(p + {n});" for n in range(9))
    function = imported(tmp_path, f"{text}__global__ void k(int *p) {{ int s = 0; {calls} *p = s; }}")
    assert not ops_of(function, "call")
    assert len(ops_of(function, "barrier")) == 9


def test_a_function_is_inlined_on_every_path(tmp_path: Path) -> None:
    text = """template <int N> __device__ __noinline__ float f(float x) { return f<N - 1>(x) * f<N - 1>(x + 1); }
    template <> __device__ __noinline__ float f<0>(float x) { return x; }
    __global__ void k(float *p) { *p = f<4>(*p); }"""
    function = imported(tmp_path, text)
    assert not ops_of(function, "call")


def test_a_function_that_another_file_may_replace_is_not_inlined(tmp_path: Path) -> None:
    text = "__attribute__((weak)) __device__ int f(int x) { return x; }\n__global__ void k(int *p) { *p = f(*p); }"
    assert op_of(imported(tmp_path, text), "call").attrs["callee"] == "_Z1fi"


def test_the_place_of_inlined_code_is_where_the_user_wrote_it(tmp_path: Path) -> None:
    text = "__device__ int f(int x) {\n  return x * 3;\n}\n__global__ void k(int *p) {\n  *p = f(*p);\n}"
    found = op_of(imported(tmp_path, text), "mul").loc
    assert found is not None
    assert found.line == 2


def test_a_call_that_may_ask_which_thread_it_is_differs_from_thread_to_thread(tmp_path: Path) -> None:
    """clang calls a thread's index constant, so LLVM finds no effect in `f`; still its call must not leave the loop."""
    text = """__device__ int f(int n) { return n < 2 ? threadIdx.x : n * f(n - 1); }
    __global__ void k(int *p) { p[threadIdx.x] = f(7); }"""
    assert op_of(imported(tmp_path, text), "call").attrs["effects"] == "any"
    device = cleaned(tmp_path, text)
    asking = device.module.find("__warploom_thread_idx_x")
    assert not device.module.has_attribute(asking, FUNCTION_INDEX, "memory"), "else LLVM finds out again"
