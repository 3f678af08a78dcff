# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `warploom torch build-aten` finds out: the files, the dispatch stubs behind operators, symbols, what links."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from warploom.toolchain import find_toolchain
from warploom.torch.aten.build import first_error
from warploom.torch.aten.stubs import asking, functions_of, registered_stubs
from warploom.torch.aten.symbols import Symbols, kernels_among, linkable, symbols_of
from warploom.torch.aten.units import ATEN_FOLDER, GENERATED, chosen_units, units_of

OPERATORS = r"""
namespace at::native {
DEFINE_DISPATCH(mul_stub);  // a comment with { and "
#define COMPARE(name) \
  TORCH_IMPL_FUNC(name##_Tensor_out) (const Tensor &a) { name##_stub(device_type(), *this); }
COMPARE(eq);
COMPARE(ne)
TORCH_IMPL_FUNC(mul_out)(const Tensor &a) { mul_stub(device_type(), *this); }
template <typename G>
struct UniformStub { void operator()(int x) { uniform_stub(x); } };
static void helper(int x) { if (x) { mul_stub(1); } }
Tensor &square_(Tensor &a) { helper(2); return a; }
Tensor &uniform_(Tensor &a) { return impl<UniformStub, G>(a, "text with } in it"); }
Tensor cos(Tensor a) { return at::sin(a); }
}
"""


def test_stubs_behind_operators() -> None:
    functions = functions_of(OPERATORS)
    assert asking(functions, {"mul_stub"}) == {"mul_out", "helper", "square_"}
    assert asking(functions, {"eq_stub"}) == {"eq_Tensor_out"}
    assert asking(functions, {"uniform_stub"}) == {"UniformStub", "uniform_"}
    assert asking(functions, {"cos_stub"}) == set()
    assert registered_stubs("REGISTER_DISPATCH(a_stub, &f)\nREGISTER_CUDA_DISPATCH( b_stub, &g)") == {
        "a_stub",
        "b_stub",
    }


def test_symbols_of_an_object(tmp_path: Path) -> None:
    source = tmp_path / "a.cpp"
    source.write_text(
        "namespace at::native { void given(int); struct structured_sum_out { void impl(int); };\n"
        "void made(int x) { given(x); }\nvoid structured_sum_out::impl(int x) { made(x); } }\n"
        "__attribute__((weak)) void perhaps(); static int kept; int *use() { if (perhaps) perhaps(); return &kept; }\n"
    )
    made = tmp_path / "a.o"
    subprocess.run([find_toolchain().clang, "-c", source, "-o", made], check=True)
    found = symbols_of(made)
    assert sorted(kernels_among(found.defined).values()) == ["made", "sum_out"]
    assert list(kernels_among(found.needed).values()) == ["given"]
    assert not any("perhaps" in name for name in found.needed)
    with pytest.raises(ValueError, match="not a 64-bit ELF file"):
        symbols_of(source)


def test_what_links() -> None:
    def symbols(defined: str, needed: str) -> Symbols:
        return Symbols(frozenset(defined.split()), frozenset(needed.split()))

    objects = {
        Path("a"): symbols("a", "given b"),
        Path("b"): symbols("b", "a"),
        Path("c"): symbols("c", "d"),
        Path("d"): symbols("d", "nobody"),
    }
    lacking = linkable(objects, frozenset({"given"}))
    assert {str(path): sorted(missing) for path, missing in lacking.items()} == {
        "a": [],
        "b": [],
        "c": ["d"],
        "d": ["nobody"],
    }


def test_files(tmp_path: Path) -> None:
    folder = tmp_path / ATEN_FOLDER
    for name, text in (
        ("native/cuda/Small.cu", ""),
        ("native/cuda/Large.cu", "//"),
        ("native/cuda/Blas.cpp", "//"),
        ("cuda/cub.cu", ""),
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    units = units_of(tmp_path)
    assert [unit.file for unit in units] == [*GENERATED, "native/cuda/Large.cu", "native/cuda/Small.cu", "cuda/cub.cu"]
    assert [unit.name for unit in chosen_units(units, ["Small", "cub.cu"])] == ["Small.cu", "cub.cu"]
    assert chosen_units(units, []) == units
    with pytest.raises(KeyError, match="Blas"):
        chosen_units(units, ["Blas"])


def test_the_first_error() -> None:
    assert first_error("In file included\na.h:1:2: error: no\tx\nb.h:1: error: more") == "a.h:1:2: error: no x"
    assert first_error("needs f") == "needs f"
    assert first_error("") == ""
