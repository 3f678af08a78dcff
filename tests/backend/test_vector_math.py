# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each vector function stays within the error that NVIDIA documents for the CUDA function of its name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from vector_math_harness import DTYPES, Harness, build, device_like_module, loops

from warploom.backend import vector_math
from warploom.cpu import cpu_flags
from warploom.ir import vector_functions
from warploom.toolchain import find_toolchain, run_tool

# Largest difference in ulps from the correctly rounded result: CUDA C++ Programming Guide, appendix "Mathematical
# Functions", tables of single- and double-precision functions (as repeated in intel/llvm,
# sycl/doc/cuda/cuda-vs-opencl-math-builtin-precisions.md; where versions of the guide differ, the smaller number).
ULPS: dict[str, tuple[int, int]] = {  # float, double
    "exp": (2, 1), "exp2": (2, 1), "exp10": (2, 1), "expm1": (1, 1),
    "log": (1, 1), "log2": (1, 1), "log10": (2, 1), "log1p": (1, 1), "pow": (4, 2),
    "sin": (2, 1), "cos": (2, 1), "tan": (4, 2), "sinpi": (2, 1), "cospi": (2, 1),
    "asin": (2, 2), "acos": (2, 1), "atan": (2, 2), "atan2": (3, 2),
    "sinh": (3, 1), "cosh": (2, 1), "tanh": (2, 1), "asinh": (3, 2), "acosh": (4, 2), "atanh": (3, 2),
    "erf": (2, 2), "erfc": (4, 4), "erfinv": (2, 5), "erfcinv": (2, 6), "normcdf": (5, 5),
    "cbrt": (1, 1), "rsqrt": (2, 1), "rcbrt": (1, 1), "hypot": (3, 2), "fmod": (0, 0), "remainder": (0, 0),
    "lgamma": (6, 4), "tgamma": (5, 8),
}  # fmt: skip
ALL = [(name, kind) for kind in ("f32", "f64") for name in ULPS]
FAST = ["fast_exp", "fast_exp10", "fast_sin", "fast_cos", "fast_pow"]
LANES = {4: "-march=x86-64-v3", 8: "-march=x86-64-v3", 16: "-march=x86-64-v4"}
Array = NDArray[Any]

toolchain = find_toolchain()


@pytest.fixture(scope="session", params=LANES)
def harness(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Harness:
    """All functions for one number of lanes."""
    lanes: int = request.param
    flag = LANES[lanes]
    if flag == "-march=x86-64-v4" and "avx512vl" not in cpu_flags():
        flag = "-march=x86-64-v3"
    if "avx2" not in cpu_flags():
        flag = "-march=x86-64"
    names = [*ALL, *((name, "f32") for name in FAST)]
    return build(toolchain, [flag], lanes, names, tmp_path_factory.mktemp("math"))


def everywhere(kind: str, count: int) -> Array:
    """Numbers of every size, and more where functions change."""
    rng = np.random.default_rng(7)
    dtype = DTYPES[kind]
    raw = np.uint32 if kind == "f32" else np.uint64
    bits = rng.integers(0, np.iinfo(raw).max, count, dtype=raw, endpoint=True).view(dtype)
    spread = np.exp(rng.uniform(-30, 12, count)) * rng.choice([-1.0, 1.0], count)
    near_one = 1 + rng.uniform(-1, 1, count // 2) * 10.0 ** rng.integers(-9, 0, count // 2)
    plain = [rng.uniform(-limit, limit, count // 2) for limit in (1, 12, 110, 750)]
    return np.concatenate([each.astype(dtype) for each in (bits, spread, near_one, *plain, specials(kind))])


def specials(kind: str) -> Array:
    """Zeros, infinities, NaN, subnormal and extreme numbers, small integers and halves."""
    info = np.finfo(DTYPES[kind])
    extremes = [0.0, np.inf, np.nan, info.max, info.tiny, info.tiny / 2, info.smallest_subnormal, 1e30, 1e6 + 0.5]
    values = [*extremes, *(-each for each in extremes), *(np.arange(-40, 41) * 0.5)]
    return np.array(values, dtype=DTYPES[kind])


def arguments(name: str, kind: str, count: int) -> tuple[Array, Array | None]:
    """What `name` is tried with."""
    x = everywhere(kind, count)
    if name == "lgamma":
        # Documented outside of the interval where log Gamma has its zeros.
        low, high = (-10.001, -2.264) if kind == "f32" else (-11.0001, -2.2637)
        return x[~((x > low) & (x < high))], None
    if name not in vector_functions.TWO_ARGUMENTS:
        return x, None
    y = np.random.default_rng(8).permutation(x)
    if name == "pow":
        bases = np.abs(x[count // 2 : count * 4])
        x = np.concatenate([x, bases])
        y = np.concatenate([y, np.random.default_rng(9).uniform(-40, 40, len(bases)).astype(x.dtype)])
    left, right = np.meshgrid(specials(kind), specials(kind))
    return np.concatenate([x, left.ravel()]), np.concatenate([y, right.ravel()])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "kind"), ALL)
def test_within_the_documented_error(harness: Harness, name: str, kind: str) -> None:
    x, y = arguments(name, kind, 1500)
    worst = harness.worst(name, kind, x, y)
    bound = ULPS[name][kind == "f64"]
    assert worst.distance <= bound, f"{worst.distance} ulps at {worst.distance_x!r}, {worst.distance_y!r}"


# Errors of the fast functions: the same appendix, table "functions affected by -use_fast_math".
def fast_bound(name: str, x: Array, exact: Array) -> Array:
    """The largest absolute error that CUDA documents for a fast function."""
    # Ulps count from the correctly rounded result, which is up to half of one away from the exact.
    ulp = np.spacing(np.abs(exact).astype(np.float32)).astype(float)
    if name in ("fast_exp", "fast_exp10"):
        return (2.5 + np.floor(np.abs((1.173 if name == "fast_exp" else 2.95) * x.astype(float)))) * ulp
    return np.full(len(x), 2.0 ** {"fast_sin": -21.41, "fast_cos": -21.19}[name])


@pytest.mark.parametrize("name", FAST[:4])
def test_fast_within_the_documented_error(harness: Harness, name: str) -> None:
    rng = np.random.default_rng(3)
    x = rng.uniform(-np.pi, np.pi, 20000) if name in ("fast_sin", "fast_cos") else rng.uniform(-37, 38, 20000)
    x = x.astype(np.float32)
    exact = harness.reference(name.removeprefix("fast_"), x)
    error = np.abs(harness.call(name, "f32", x).astype(float) - exact)
    excess = error / fast_bound(name, x, exact)
    assert excess.max() <= 1, f"{excess.max()} times the bound at {x[excess.argmax()]!r}"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_fast_pow_is_exp2_of_a_product(harness: Harness) -> None:
    rng = np.random.default_rng(4)
    x, y = np.exp(rng.uniform(-3, 3, 20000)).astype(np.float32), rng.uniform(-8, 8, 20000).astype(np.float32)
    exact = harness.reference("pow", x, y)
    error = np.abs(harness.call("fast_pow", "f32", x, y) / exact - 1)
    # An error of y * __log2f(x) of up to 3 roundings, each relative, becomes an absolute one of the exponent.
    assert (error <= 2.0**-22 * (2 + 3 * np.abs(y * np.log2(x)) + np.abs(y))).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", ["fast_sin", "fast_cos"])
def test_fast_angles_of_every_size(harness: Harness, name: str) -> None:
    x = everywhere("f32", 4000)
    exact, got = harness.reference(name.removeprefix("fast_"), x), harness.call(name, "f32", x)
    assert (np.isnan(got) == ~np.isfinite(x)).all()
    # Behind the first half turn CUDA states no bound.
    assert (np.abs(got - exact)[np.isfinite(x)] <= 2.0**-20.5).all()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_fast_pow_of_what_is_not_positive_is_that_of_pow(harness: Harness) -> None:
    x, y = (each.ravel() for each in np.meshgrid(specials("f32"), specials("f32")))
    ordinary = (x >= np.finfo(np.float32).tiny) & np.isfinite(x) & np.isfinite(y)
    lanes = np.nonzero(~ordinary)[0]
    x, y = x[lanes], y[lanes]
    np.testing.assert_array_equal(harness.call("fast_pow", "f32", x, y), harness.call("pow", "f32", x, y))


def test_the_names_of_scalar_functions() -> None:
    def name(callee: str, *, fast: bool = False) -> str | None:
        return vector_functions.vector_callee(callee, 16, fast=fast)

    assert name("llvm.exp.f32") == name("expf") == name("__warploom_expf") == "__warploom_v16_exp_f32"
    assert name("llvm.exp.f64") == name("exp") == "__warploom_v16_exp_f64"
    assert name("llvm.pow.f64") == name("pow") == "__warploom_v16_pow_f64"
    assert name("erf") == "__warploom_v16_erf_f64"
    assert name("erff") == "__warploom_v16_erf_f32"
    assert name("llvm.sin.f32", fast=True) == "__warploom_v16_fast_sin_f32"
    assert name("sin", fast=True) == "__warploom_v16_sin_f64"
    assert name("erff", fast=True) == "__warploom_v16_erf_f32"
    assert name("llvm.ctpop.i32") is None
    assert name("memcpy") is None
    assert vector_functions.vector_callee("expf", 3, fast=False) is None


@pytest.mark.parametrize(("flag", "register"), [("-march=x86-64-v4", "zmm"), ("-march=x86-64-v3", "ymm")])
def test_arguments_travel_in_registers(tmp_path: Path, flag: str, register: str) -> None:
    lanes = 16 if register == "zmm" else 8
    module = device_like_module(toolchain, [flag], tmp_path)
    module.link_text(loops(module, lanes, [("exp", "f32")]), "loops")
    symbol = f"__warploom_v{lanes}_exp_f32"
    bitcode = vector_math.bitcode(toolchain, [flag], symbol)
    text = run_tool(
        [toolchain.clang, "-O2", "-Xclang", "-disable-llvm-passes", "-S", "-x", "ir", bitcode, "-o", "-"]
    ).stdout
    body = text[text.index(f"{symbol}:") : text.index("retq")]
    assert re.search(rf"%{register}0\b", body)
    assert "(%rdi)" not in body
    assert ("%zmm" in body) == (register == "zmm")


def test_nothing_calls_the_c_library(tmp_path: Path) -> None:
    module = device_like_module(toolchain, ["-march=x86-64-v2"], tmp_path)
    machine = module.target_machine(toolchain.target, 2)
    module.link_text(loops(module, 4, ALL), "loops")
    vector_math.link(module, toolchain, machine)
    compiled = tmp_path / "all.o"
    module.emit_object(machine, compiled)
    linker = [toolchain.clang, *toolchain.link_flags, "-shared", "-nostdlib", "-Wl,-z,defs"]
    linked = run_tool([*linker, compiled, "-o", tmp_path / "all.so"])
    assert linked.returncode == 0, linked.stderr
