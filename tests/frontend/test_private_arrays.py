# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small private arrays become values where their loops can be copied; other loops and arrays stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from importing import each, imported, names, ops_of

_SUM = "int s = 0; for (int i = 0; i < n; ++i) s += p[i];"


def test_an_array_that_counters_go_through_is_values(tmp_path: Path) -> None:
    text = """struct Pair { float a, b; };
    __global__ void k(float *p, const float *q) {
      Pair a[4];
    #pragma unroll
      for (int i = 0; i < 4; ++i) a[i] = {q[i], q[i + 4]};
      for (int i = 0; i < 4; ++i) p[i] = a[i].a * a[3 - i].b;
    }"""
    function = imported(tmp_path, text)
    assert not ops_of(function, "alloca")
    assert len(ops_of(function, "load")) == 8
    assert len(ops_of(function, "fmul")) == 4
    assert len(ops_of(function, "store")) == 4


def test_loops_of_loops_are_copied(tmp_path: Path) -> None:
    text = """__global__ void k(int *p, const int *q) {
      int a[4];
      for (int i = 0; i < 2; ++i) for (int j = 0; j < 2; ++j) a[i * 2 + j] = q[i + 8 * j];
      for (int i = 3; i >= 0; --i) p[i] = a[i];
    }"""
    function = imported(tmp_path, text)
    assert not ops_of(function, "alloca")
    assert len(ops_of(function, "load")) == len(ops_of(function, "store")) == 4


def test_a_loop_whose_end_nothing_reaches(tmp_path: Path) -> None:
    text = """extern "C" __device__ void stop() __attribute__((noreturn));
    template <bool can> __device__ __forceinline__ int sum_of(int value) {
      if constexpr (can) return value;
      stop();
    }
    template <bool can> __device__ void store(int *const (&out)[4], int value) {
      for (int i = 0; i < 4; ++i) *out[i] = sum_of<can>(value + i);
    }
    extern "C" __device__ void stop() { __trap(); }
    __global__ void k(int *out, int n) {
      int *places[4];
      for (int i = 0; i < 4; ++i) places[i] = out + i * n;
      if (n > 1000) store<false>(places, n); else store<true>(places, n);
    }"""
    function = imported(tmp_path, text)  # the array stays: one loop's counter goes nowhere
    assert len(ops_of(function, "store")) == 2


def test_a_loop_that_may_end_early_is_copied(tmp_path: Path) -> None:
    text = """__global__ void k(int *p, const int *q, int n) {
      int a[4];
      for (int i = 0; i < 4; ++i) { if (i >= n) break; a[i] = q[i]; }
      for (int i = 0; i < 4; ++i) { if (i >= n) break; p[i] = a[i]; }
    }"""
    function = imported(tmp_path, text)
    assert not ops_of(function, "alloca")
    assert len(ops_of(function, "load")) == 4


def test_constructors_and_ranges_go_by_addresses(tmp_path: Path) -> None:
    text = """struct Zero { int v = 0; __device__ Zero() {} };
    __global__ void k(int *p, const int *q) {
      Zero a[4];
      for (int i = 0; i < 4; ++i) a[i].v += q[i];
      for (Zero &each : a) *p++ = each.v;
    }"""
    function = imported(tmp_path, text)
    assert not ops_of(function, "alloca")
    assert len(ops_of(function, "load")) == len(ops_of(function, "store")) == 4


def test_an_address_that_is_compared_with_data_stays_one(tmp_path: Path) -> None:
    text = """__global__ void k(int *p, const int *q, int n) {
      int a[4];
      for (int &each : a) each = *q++;
      for (int *at = a; at != a + n; ++at) *p++ = *at;
    }"""
    assert len(ops_of(imported(tmp_path, text), "alloca")) == 1


def test_a_barrier_in_such_a_loop_is_copied(tmp_path: Path) -> None:
    text = """__global__ void k(int *p) {
      __shared__ int s[32];
      int a[3];
      for (int i = 0; i < 3; ++i) { s[threadIdx.x] = i; __syncthreads(); a[i] = s[31 - threadIdx.x]; __syncthreads(); }
      for (int i = 0; i < 3; ++i) p[i] = a[i];
    }"""
    function = imported(tmp_path, text)
    assert not ops_of(function, "alloca")
    assert len(ops_of(function, "barrier")) == 6


def test_other_loops_of_the_kernel_stay_as_they_are(tmp_path: Path) -> None:
    """Not even where their author asked for copies: what that is good for is decided later."""
    text = """__global__ void k(int *p) {
      int a[4];
      for (int i = 0; i < 4; ++i) a[i] = p[i];
    #pragma unroll
      for (int i = 0; i < 8; ++i) p[9 * i] += 5;
      for (int i = 0; i < 4; ++i) p[i + 100] = a[i];
    }"""
    function = imported(tmp_path, text)
    assert not ops_of(function, "alloca")
    assert len(ops_of(function, "load")) == len(ops_of(function, "store")) == 5


def test_a_kernel_beside_is_left_alone(tmp_path: Path) -> None:
    other = f"__global__ void k(int *p, int n) {{ {_SUM} for (int i = 0; i < 4; ++i) p[i * i] = s; }}"
    array = "__global__ void a(int *p) { int a[4]; for (int i = 0; i < 4; ++i) a[i] = p[i]; p[9] = a[1]; }"
    (alone,), (beside, _) = each(tmp_path, [other]), each(tmp_path, [other, array])
    assert names(alone) == names(beside)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("for (int i = 0; i < 4; ++i) a[i] = p[i]; *p = a[n & 3];", id="an index that is data"),
        pytest.param("for (int i = 0; i < n; ++i) a[i] = p[i]; *p = a[1];", id="a bound that is data"),
        pytest.param("for (int i = n; i < 4; ++i) a[i] = p[i]; *p = a[1];", id="a start that is data"),
        pytest.param("for (int i = 0; i < 4; ++i) a[i] = p[i]; see(a);", id="an address that a call sees"),
        pytest.param("for (int i = 0; i < 4; ++i) ((volatile int *)a)[i] = p[i];", id="volatile"),
    ],
)
def test_an_array_with_places_that_only_the_run_knows_stays(tmp_path: Path, body: str) -> None:
    see = "__device__ __noinline__ void see(int *p) { if (*p) see(p + *p); else *p = 1; }"
    text = f"{see}\n__global__ void k(int *p, int n) {{ int a[4]; {body} }}"
    function = imported(tmp_path, text)
    assert len(ops_of(function, "alloca")) == 1


def test_a_large_array_stays(tmp_path: Path) -> None:
    text = "__global__ void k(int *p) { int a[65]; for (int i = 0; i < 8; ++i) a[i * 8] = p[i]; *p = a[8]; }"
    assert ops_of(imported(tmp_path, text), "alloca")


def test_copies_that_are_too_many_stay_a_loop(tmp_path: Path) -> None:
    """16 times 8 of what the body has."""
    text = """__global__ void k(int *p) {
      int a[128 / sizeof(int)];
      for (int i = 0; i < 16; ++i) for (int j = 0; j < 8; ++j) a[i + j] += p[i * 9 + j] * p[i - j * p[3 * i]];
      for (int i = 0; i < 16; ++i) p[i] = a[i];
    }"""
    function = imported(tmp_path, text)
    assert ops_of(function, "alloca")
    assert len(ops_of(function, "load")) == 5


@pytest.mark.parametrize(("cases", "arrays"), [(4, 0), (5, 1)])
def test_a_loop_around_a_choice_of_many_cases_is_not_copied(tmp_path: Path, cases: int, arrays: int) -> None:
    choices = " ".join(f"case {number}: s = *((const short *)q + {number} * i) * s; break;" for number in range(cases))
    text = f"""__global__ void k(int *p, const int *q, int way) {{
      int a[4];
      for (int i = 0; i < 4; ++i) {{ int s = i + 1; switch (way) {{ {choices} }} a[i] = s; }}
      for (int i = 0; i < 4; ++i) p[i] = a[i];
    }}"""
    assert len(ops_of(imported(tmp_path, text), "alloca")) == arrays


def test_a_loop_inside_that_does_not_choose_stays_a_loop(tmp_path: Path) -> None:
    text = """__global__ void k(int *p) {
      int a[4] = {};
      for (int i = 0; i < 4; ++i) for (int j = 0; j < 100; ++j) a[i] += p[i + j];
      for (int i = 0; i < 4; ++i) p[i] = a[i];
    }"""
    function = imported(tmp_path, text)
    assert not ops_of(function, "alloca")
    assert len(ops_of(function, "load")) == 4
