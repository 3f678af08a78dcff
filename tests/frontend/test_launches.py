# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Block sizes read from the text of host code."""

from __future__ import annotations

from pathlib import Path

import pytest

from warploom.frontend.integer_expressions import UnknownExpression, possible_values
from warploom.frontend.launches import kernel_name, launch_sizes, sizes_in


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k<<<4, 256>>>(p);", [(256, 1, 1)]),
        ("k<<<4, 256, 0, stream>>>(p);", [(256, 1, 1)]),
        ("#define B 16\nk<<<g, dim3(B, B)>>>(p);", [(16, 16, 1)]),
        ("#define B 16\ndim3 block(B, B / 2, 2);\nk<<<g, block>>>(p);", [(16, 8, 2)]),
        ("dim3 g(4), block(32, 4);\nk<<<g, block>>>(p);", [(32, 4, 1)]),
        ("dim3 block = dim3(32);\nk<<<g, block>>>(p);", [(32, 1, 1)]),
        ("dim3 block{32, 2};\nk<<<g, block>>>(p);", [(32, 2, 1)]),
        ("dim3 block;\nblock.x = 64; block.y = 2;\nk<<<g, block>>>(p);", [(64, 2, 1)]),
        ("const int threads = 1 << 7;\nk<<<(n + threads - 1) / threads, threads>>>(p);", [(128, 1, 1)]),
        ("int threads = n < 256 ? n : 256;\nk<<<g, threads>>>(p);", [(256, 1, 1)]),
        ("int threads = std::min(n, 512);\nk<<<g, threads>>>(p);", [(512, 1, 1)]),
        ("ns::k<float, 8><<<g, (unsigned)64>>>(p);", [(64, 1, 1)]),
        ("cudaLaunchKernel((const void*)k, dim3(4), dim3(96), args, 0, 0);", [(96, 1, 1)]),
        ("cudaLaunchCooperativeKernel((void*)k<int>, g, 96, args, 0, 0);", [(96, 1, 1)]),
        ("__global__ void __launch_bounds__(192, 2) k(int* p) {}", [(192, 1, 1)]),
        ("dim3 block(prop.warpSize, 4);\nk<<<g, block>>>(p);", [(32, 4, 1)]),
        ("const int w = at::cuda::warp_size();\nk<<<g, dim3(w, 128 / w)>>>(p);", [(32, 4, 1)]),
        ("k<<<g, 2 * at::cuda::properties()->warpSize>>>(p);", [(64, 1, 1)]),
        ("constexpr int t() { return 96; }\nk<<<4, ns::t()>>>(p);", [(96, 1, 1)]),
        ("int t() { return 32 * 3; }\nk<<<4, t()>>>(p);", [(96, 1, 1)]),
        ("int t(void) noexcept { return B; }\n#define B 64\nk<<<4, dim3(B, ns::u() ? 1 : 1)>>>(p);", [(64, 1, 1)]),
    ],
)
def test_sizes_that_are_written_down_are_found(text: str, expected: list[tuple[int, int, int]]) -> None:
    assert sizes_in(text) == {"k": expected}


@pytest.mark.parametrize(
    "text",
    [
        "k<<<4, threads>>>(p);",
        "int threads = atoi(argv[1]);\nk<<<4, threads>>>(p);",
        "k<<<4, 4096>>>(p);",
        "k<<<4, 1>>>(p);",
        "// k<<<4, 256>>>(p);",
        'puts("k<<<4, 256>>>");',
        "int n = n;\nk<<<4, n>>>(p);",
        "int t() { return t(); }\nk<<<4, t()>>>(p);",
        "int t() { n = 3; return 64; }\nk<<<4, t()>>>(p);",
        "int t(int n) { return 64; }\nk<<<4, t()>>>(p);",
        "a <<= 3; b << 4;",
    ],
)
def test_nothing_is_made_up(text: str) -> None:
    assert sizes_in(text) == {}


def test_the_nearest_definition_before_the_launch_counts() -> None:
    text = "void f() { int t = 64; k<<<1, t>>>(); }\nvoid g() { int t = 128; m<<<1, t>>>(); }"
    assert sizes_in(text) == {"k": [(64, 1, 1)], "m": [(128, 1, 1)]}


def test_common_sizes_come_first_and_two_are_enough() -> None:
    text = "k<<<1, 32>>>(); k<<<1, 64>>>(); k<<<1, 64>>>(); k<<<1, 128>>>();"
    assert sizes_in(text) == {"k": [(64, 1, 1), (32, 1, 1)]}


def test_macros_of_the_command_line_and_launches_in_included_files(tmp_path: Path) -> None:
    (tmp_path / "inc").mkdir()
    (tmp_path / "inc" / "launch.h").write_text("void run() { k<<<g, BLOCK>>>(p); }")
    source = tmp_path / "a.cu"
    source.write_text('#include "launch.h"\n#include "missing.h"\n#include "a.cu"\n')
    words = ["-I", str(tmp_path / "inc"), "-DBLOCK=48"]
    assert launch_sizes(source, words) == {"k": [(48, 1, 1)]}


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_Z4blurPfi", "blur"),
        ("_Z4blurIfLi8EEvPT_", "blur"),
        ("_ZN2ns5inner4blurEPf", "blur"),
        ("_ZN12_GLOBAL__N_14blurEPf", "blur"),
        ("_ZL4blurPf", "blur"),
        ("blur", "blur"),
    ],
)
def test_mangled_names_say_the_kernel(symbol: str, name: str) -> None:
    assert kernel_name(symbol) == name


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 + 3 * 4", [14]), ("(2 + 3) * 4", [20]), ("-7 / 2", [-3]), ("-7 % 3", [-1]), ("0x10u", [16]),
        ("~0 & 6", [6]),
        ("1 ? 2 : 3", [2]), ("x ? 2 : 3", [2, 3]), ("a + 1", [5, 9]), ("static_cast<int>(a)", [4, 8]), ("f(1)", []),
        ("a == 4 && 1", [1, 0]), ("1 << 3 > 2", [1]),
    ],
)  # fmt: skip
def test_expressions_as_c_has_them(text: str, expected: list[int]) -> None:
    assert possible_values(text, lambda name: [4, 8] if name == "a" else []) == expected


@pytest.mark.parametrize("text", ["", "1 +", "1.5", "a[3]", "1 / 0", "(int) x)", "2 2"])
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(UnknownExpression):
        possible_values(text, lambda _: [1])


@pytest.mark.parametrize("flag", ["-I", "-isystem"])
def test_constants_of_headers_in_angle_brackets(tmp_path: Path, flag: str) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "threads.h").write_text(
        "#include <lib/warp.h>\n#include <absent.h>\nconstexpr unsigned threads() {\n  return 4 * WARP;\n}\n"
        "inline constexpr int rows = 2;\n__global__ void other() {}\nvoid f() { other<<<1, 64>>>(); }\n"
    )
    (tmp_path / "lib" / "warp.h").write_text("#include <lib/threads.h>\n#  define WARP 32  // of all GPUs\n")
    source = tmp_path / "k.cu"
    source.write_text("#include <lib/threads.h>\nk<<<4, dim3(WARP, lib::threads() / WARP, rows)>>>(p);")
    found = launch_sizes(source, [flag, str(tmp_path)])
    assert found == {"k": [(32, 4, 2)]}
    assert not found.certain
    assert launch_sizes(source) == {}


@pytest.mark.parametrize(
    "text",
    [
        "#define RUN(kernel, block) kernel<<<4, block>>>(p)\nint main() { RUN(k, 128); }",
        "#define RUN(name, n) \\\n  name ## _ ## n<<<4, 128>>>(p)\nRUN(k, 1);",
        "#define RUN(kernel, ...) kernel<<<4, 128>>>(__VA_ARGS__)\nRUN(k, p, f(q, 1));",
        "#define RUN(B) cudaLaunchKernel((void*)k, 4, B, 0, 0)\n#define THREADS 128\nRUN(THREADS);",
    ],
)
def test_launches_inside_of_macros_are_found_where_the_macro_is_used(text: str) -> None:
    (sizes,) = sizes_in(text).values()
    assert sizes == [(128, 1, 1)]


def test_a_macro_that_launches_names_the_kernel_of_each_use() -> None:
    text = "#define RUN(kernel, block) kernel<<<4, block>>>(p)\nRUN(one, 64); RUN(two, dim3(8, 8));"
    assert sizes_in(text) == {"one": [(64, 1, 1)], "two": [(8, 8, 1)]}


def test_a_long_chain_of_definitions_says_nothing() -> None:
    chain = "".join(f"int v{number + 1} = max(v{number}, (2));\n" for number in range(300))
    assert sizes_in(f"int v0 = 64;\n{chain}k<<<g, v300>>>(p);") == {}
    assert sizes_in(f"int v0 = 64;\n{chain}k<<<g, v8>>>(p);") == {"k": [(64, 1, 1)]}


def test_more_brackets_than_can_be_followed_say_nothing() -> None:
    assert sizes_in(f"k<<<g, {'(' * 2000}64{')' * 2000}>>>(p);") == {}


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(int *p) {}\nint main() { k<<<4, 256>>>(p); k<<<8, 128>>>(p); }",
        "#define B 16\n__global__ void k();\nvoid f() { dim3 g(4), block(B, B); k<<<g, block>>>(); }",
        "const int b = 64;\nvoid f() { k<<<4, 2 * b>>>(); }",
        "void f() { int b = 64; k<<<4, b>>>(); }\nvoid g() { int b = 128; m<<<4, b>>>(); }",
        "template <class T> __global__ void k(T *p);\ntemplate __global__ void k<int>(int *);\nk<int><<<4, 256>>>(p);",
        "void f() { const dim3 block{32, 8}; if (x) { k<<<4, block>>>(); } }",
        "#define RUN(kernel, block) kernel<<<4, block>>>(p)\nvoid f() { RUN(k, 128); }",
        "const int w = 32;\nconstexpr int t() { return w * 4; }\nvoid f() { int w = 1; k<<<4, t()>>>(); }",
        "int t() { return 2 * u(); }\nint u() { return 64; }\nvoid f() { const int b = t(); k<<<4, b>>>(); }",
        "struct S { int t() const { return 64; } }; struct U { int t() { return 8 * 8; } }; k<<<4, t()>>>();",
    ],
)
def test_where_every_launch_is_written_down_that_is_known(text: str) -> None:
    assert "k" in sizes_in(text).certain


@pytest.mark.parametrize(
    "text",
    [
        "k<<<4, 256>>>(); k<<<4, n>>>();",
        "k<<<4, 64>>>(); k<<<4, 128>>>(); k<<<4, 256>>>();",  # more than get variants
        "k<<<4, 256>>>(); void (*f)() = k;",
        "k<<<4, 256>>>(); run(k, 64);",
        "k<<<4, 256>>>(); cudaLaunchKernel((void *)k, 4, n, 0);",
        "void f(int n, int b = 64) { k<<<4, b>>>(); }",
        "template <int b = 64> void f() { k<<<4, b>>>(); }",
        "int b = 64;\nvoid f() { k<<<4, b>>>(); }",  # other files may know it
        "void f() { int b = 64; if (argc > 1) b = atoi(argv[1]); k<<<4, b>>>(); }",
        "void f() { int b = 64; if (small) b /= 2; k<<<4, b>>>(); }",
        "void f() { for (int b = 64; b < 512; b *= 2) k<<<4, b>>>(); }",
        'void f() { int b = 64; scanf("%d", &b); k<<<4, b>>>(); }',
        "void f() { int b = 64; std::cin >> b; k<<<4, b>>>(); }",
        "void f() { dim3 b(64); b.y = n; k<<<4, b>>>(); }",
        "void f() { int b = 64; } void g() { k<<<4, b>>>(); }",
        "struct S { int b = 64; S(int n) : b(n) {} void f() { k<<<4, b>>>(); } };",
        "struct S { int b = 64; void f() { k<<<4, b>>>(); } }; void g(S &s) { s.b = 32; }",
        "void f() { int b = 64, c = b; while (--b) k<<<4, b>>>(); }",
        "const int b = 64;\nvoid f(int b) { k<<<4, b>>>(); }",
        "const int b = 64;\nvoid f() { for (int b : {32, 64}) k<<<4, b>>>(); }",
        "int t() { return b; }\nint b = 64;\nvoid f() { k<<<4, t()>>>(); }",
        "int w = 32;\nint t() { return w; }\nvoid f() { k<<<4, t()>>>(); }",
        "template <int w = 32> int t() { return w; }\nvoid f() { k<<<4, t()>>>(); }",
        "struct S { int t() { return 64; } }; struct U { int t() { return 128; } }; k<<<4, t()>>>();",
        "int t() { return t(); }\nk<<<4, t()>>>();",
        "#ifdef SMALL\n#define B 64\n#else\n#define B 256\n#endif\nk<<<4, B>>>();",
    ],
)
def test_what_may_have_other_sizes_is_not_taken_for_certain(text: str) -> None:
    assert "k" not in sizes_in(text).certain


def test_a_macro_of_the_command_line_makes_one_of_the_text_uncertain() -> None:
    text = "#define B 64\nk<<<4, B>>>();"
    assert "k" in sizes_in(text).certain
    assert "k" not in sizes_in(text, {"B": "32"}).certain


BOUNDED = """template <class T, bool B> __global__ void __launch_bounds__(T::threads, 2) k(int *p) {}
template <class T> void run(int *p) { @ }
"""


@pytest.mark.parametrize(
    "launch",
    [
        "k<T, true><<<1, T::threads>>>(p);",
        "dim3 block(T::threads); k<T, true><<<1, block>>>(p);",
        "dim3 block(T :: threads, 1); k<T, true><<<1, block>>>(p); k<T, false><<<2, T::threads>>>(p);",
        "auto kernel = &k<T, true>; kernel<<<1, T::threads>>>(p);",
        "auto f = k<T, true>; check(cudaFuncSetAttribute(f, attribute, 7)); f<<<1, T::threads>>>(p);",
        "{ auto f = &k<T, true>; f<<<1, T::threads>>>(p); } { auto f = &other; f<<<1, 32>>>(p); g(f); }",
    ],
)
def test_instances_that_are_launched_as_their_bounds_say(launch: str) -> None:
    sizes = sizes_in(BOUNDED.replace("@", launch))
    assert sizes.as_bounded == {"k"}
    assert sizes.of("k", 96) == ([(96, 1, 1)], True)
    assert sizes.of("k", 0) == ((), False)


@pytest.mark.parametrize(
    "launch",
    [
        "k<T, true><<<1, T::others>>>(p);",
        "k<T, true><<<1, T::threads>>>(p); k<T, false><<<1, 32>>>(p);",
        "k<T, true><<<1, dim3(T::threads, 2)>>>(p);",
        "auto f = &k<T, true>; f<<<1, T::threads>>>(p); elsewhere(f);",
        "auto f = &k<T, true>; f<<<1, T::threads>>>(p); f<<<1, 64>>>(p);",
        "k<T, true><<<1, T::threads>>>(p); elsewhere(k<T, true>);",
        "",
    ],
)
def test_instances_that_may_be_launched_otherwise(launch: str) -> None:
    sizes = sizes_in(BOUNDED.replace("@", launch))
    assert not sizes.as_bounded
    assert not sizes.of("k", 96)[1]


def test_a_bound_that_is_a_parameter_of_the_template() -> None:
    text = """template <int N> __global__ void __launch_bounds__(N) k(int *p) {}
    template <int N> void run(int *p) { k<N><<<1, N>>>(p); }"""
    assert sizes_in(text).as_bounded == {"k"}
    assert not sizes_in(text + " int N = atoi(text);").as_bounded  # any of the two may be meant
