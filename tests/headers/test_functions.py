# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every function of the runtime API and of the driver API is declared and defined; those that are refused say so by
name."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
INCLUDE = HERE.parents[1] / "src" / "warploom" / "include" / "warploom"
HEADERS = {"runtime": "#include <cuda_runtime.h>\n#include <cuda_profiler_api.h>\n", "driver": "#include <cuda.h>\n"}
REFUSALS = {"runtime": "cudaErrorNotSupported", "driver": "CUDA_ERROR_NOT_SUPPORTED"}
# Calls a function of any type with zeros: what is refused looks at none of them.
CALL = """
#include <cstdio>
template <class R, class... A> bool is_refused(R (*function)(A...), R refusal) { return function(A{}...) == refusal; }
"""


def names(api: str) -> list[str]:
    """The functions of an API."""
    return [line for line in (HERE / "functions" / f"{api}.txt").read_text().splitlines() if not line.startswith("#")]


def refused(api: str) -> list[str]:
    """Those that there is nothing behind."""
    return re.findall(r"^WARPLOOM_REFUSED\((\w+)", (INCLUDE / f"{api}_refused.def").read_text(), re.MULTILINE)


# Calls a function with what says nothing of it: null handles, pointers to zeros, numbers of 1.
PLAUSIBLE = """
#include <cstdio>
#include <cstring>
#include <type_traits>
static unsigned long long scratch[4096];
template <class T, class = void> struct IsComplete : std::false_type {};
template <class T> struct IsComplete<T, std::void_t<decltype(sizeof(T))>> : std::true_type {};
template <class T> T argument() {
  if constexpr (std::is_pointer_v<T>) {
    using Target = std::remove_cv_t<std::remove_pointer_t<T>>;
    constexpr bool is_handle = !std::is_void_v<Target> && !IsComplete<Target>::value;
    return std::is_function_v<Target> || is_handle ? nullptr : (T)scratch;
  } else if constexpr (std::is_same_v<T, CUdeviceptr>) {
    return 4096;
  } else if constexpr (std::is_same_v<T, CUdevice>) {
    return 0;
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    return static_cast<T>(1);
  } else {
    return T();
  }
}
template <class... A> void call(const char *name, CUresult (*function)(A...), bool initialised) {
  std::memset(scratch, 0, sizeof scratch);
  if (initialised) cuCtxSetCurrent(nullptr);
  std::printf("%s %d\\n", name, static_cast<int>(function(argument<A>()...)));
}
"""


def compile_source(source: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    """One run of warpcc."""
    command = [sys.executable, "-m", "warploom.cli.warpcc", *flags, str(source), "-o", str(source.with_suffix(".exe"))]
    return subprocess.run([*command, "-lcuda"], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("api", HEADERS)
def test_every_function_is_declared_and_defined(api: str, tmp_path: Path) -> None:
    source = tmp_path / "all.c"
    table = ",\n".join(f"  (any)&{name}" for name in names(api))
    main = f"any all[] = {{\n{table}\n}};\nint main(void) {{ return !all[0]; }}\n"
    source.write_text(f"{HEADERS[api]}typedef void (*any)(void);\n{main}")
    done = compile_source(source)
    assert done.returncode == 0, done.stderr
    assert subprocess.run([source.with_suffix(".exe")], check=False).returncode == 0


@pytest.mark.parametrize("api", HEADERS)
def test_what_is_refused_says_so_by_name(api: str, tmp_path: Path) -> None:
    assert set(refused(api)) <= set(names(api))
    calls = "\n".join(
        f'  if (!is_refused(&{name}, {REFUSALS[api]})) std::puts("{name} is not refused");' for name in refused(api)
    )
    source = tmp_path / "refused.cpp"
    source.write_text(f"{HEADERS[api]}{CALL}int main() {{\n{calls}\n{calls}\n}}\n")
    done = compile_source(source)
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([source.with_suffix(".exe")], capture_output=True, text=True, check=False)
    assert ran.stdout == ""
    lines = ran.stderr.splitlines()
    assert [re.findall(r"\bcu\w+", line)[0] for line in lines] == refused(api), "one line a function"
    assert all("is not supported" in line for line in lines)


def test_a_refused_function_leaves_its_error(tmp_path: Path) -> None:
    source = tmp_path / "error.cpp"
    source.write_text(
        HEADERS["runtime"] + "int main() { cudaGraphicsUnregisterResource(nullptr);\n"
        "return cudaGetLastError() == cudaErrorNotSupported && cudaGetLastError() == cudaSuccess ? 0 : 1; }\n"
    )
    done = compile_source(source)
    assert done.returncode == 0, done.stderr
    assert subprocess.run([source.with_suffix(".exe")], capture_output=True, check=False).returncode == 0


def test_what_needs_the_driver_or_a_context_says_so(tmp_path: Path) -> None:
    lines = (HERE / "functions" / "driver_states.txt").read_text().splitlines()
    recorded = {name: (int(a), int(b)) for name, a, b in (line.split() for line in lines if not line.startswith("#"))}
    asked = sorted(recorded.keys() & set(names("driver")) - set(refused("driver")) - {"cuInit"})
    before, without = ("".join(f'  call("{name}", &{name}, {state});\n' for name in asked) for state in (0, 1))
    source = tmp_path / "states.cpp"
    source.write_text(f"{HEADERS['driver']}{PLAUSIBLE}int main() {{\n{before}  cuInit(0);\n{without}}}\n")
    done = compile_source(source, "-std=c++17")
    assert done.returncode == 0, done.stderr
    ran = subprocess.run([source.with_suffix(".exe")], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-100:]
    got = [int(line.split()[1]) for line in ran.stdout.splitlines()]
    wrong = [
        (name, state, recorded[name][state], answer)
        for (name, state), answer in zip([(name, state) for state in (0, 1) for name in asked], got, strict=True)
        if recorded[name][state] in (0, 3, 201) and recorded[name][state] != answer
    ]
    assert not wrong
