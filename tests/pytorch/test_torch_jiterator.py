# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of a function's text (torch.cuda.jiterator): types, shapes, numbers, several results, mistakes."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import pytest

from warploom.cache import content_key, entry_path, package_key
from warploom.cpu import default_cpu

FUSED = "template <typename T> T fused(T x, T y, T alpha, T beta) { return alpha * x + beta * y; }"


@pytest.fixture(scope="module")
def make(torch: Any) -> Any:
    """PyTorch's function for kernels with one result."""
    return torch.cuda.jiterator._create_jit_fn


@pytest.fixture(scope="module")
def make_several(torch: Any) -> Any:
    """PyTorch's function for kernels with several results."""
    return torch.cuda.jiterator._create_multi_output_jit_fn


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("float32", "float32"), ("float16", "float16"), ("bfloat16", "float16"), ("int64", "float16"),
        ("bool", "uint8"), ("bool", "bool"), ("int8", "bfloat16"), ("complex64", "float64"), ("float16", "complex32"),
        ("complex128", "int16"),
    ],
)  # fmt: skip
def test_types_are_promoted(torch: Any, make: Any, first: str, second: str) -> None:
    x = (torch.rand(9, device="cuda") * 10).to(getattr(torch, first))
    y = (torch.rand(9, device="cuda") * 10).to(getattr(torch, second))
    if x.is_complex() and first != "complex32":
        x = x * (1 + 2j)
    made = make(FUSED, alpha=1, beta=1)(x, y)
    wanted = (x.cpu().to(torch.promote_types(x.dtype, y.dtype)) + y.cpu()).to(made.dtype)
    assert made.dtype == torch.promote_types(x.dtype, y.dtype)
    torch.testing.assert_close(made.cpu(), wanted)


def test_shapes_strides_and_broadcasting(torch: Any, make: Any) -> None:
    function = make(FUSED, alpha=1, beta=1)
    x, y = torch.rand(6, 5, 7, device="cuda"), torch.rand(5, 6, 14, device="cuda")
    pairs = [
        (x, y.transpose(0, 1)[:, :, ::2]),
        (x[:, :1], y.transpose(0, 1)[:, :, 1::2]),
        (x, torch.tensor(3.0, device="cuda")),
        (x.permute(2, 0, 1), x.permute(2, 0, 1)),
        (x[:, :, :0], x[:, :, :0]),
        (x[1, 2, 3], x[0, 0, 0]),
        (torch.rand(1, 5, 1, 3, device="cuda"), torch.rand(4, 1, 2, 3, device="cuda")),
    ]
    for one, other in pairs:
        made, wanted = function(one, other, beta=-2.5), one - 2.5 * other
        torch.testing.assert_close(made, wanted)
        assert made.stride() == wanted.stride()


def test_numbers_keep_their_types(torch: Any, make: Any) -> None:
    x = torch.tensor([1.0, 2.0, 3.0], device="cuda", dtype=torch.float64)
    chosen = make(
        "template <typename T> T chosen(T x, bool is_on, int64_t n) { return is_on ? x / n : x; }", is_on=False, n=2
    )
    assert chosen(x).tolist() == [1.0, 2.0, 3.0]
    assert chosen(x, is_on=True, n=1 << 40).tolist() == [1 / 2**40, 2 / 2**40, 3 / 2**40]
    turned = make("template <typename T> T turned(T x, T by) { return std::exp(x) * by; }", by=1j)
    z = torch.tensor([1 + 2j, -0.5j], device="cuda", dtype=torch.complex128)
    torch.testing.assert_close(turned(z), torch.exp(z) * 1j)
    torch.testing.assert_close(turned(z.conj()), torch.exp(z.conj()) * 1j)
    with pytest.raises(KeyError, match="unknown is not declared"):
        turned(z, unknown=1)


def test_the_last_function_is_called(torch: Any, make: Any) -> None:
    text = """
    template <typename T> T part(T x, T y) { return ::sin(x) + ::cos(y); }
    template <typename T> T whole(T x, T y, T most) { return ::min(most, part(x, y)); }
    """
    x, y = torch.rand(1000, device="cuda"), torch.rand(1000, device="cuda")
    torch.testing.assert_close(make(text, most=1.25)(x, y), torch.clamp_max(x.sin() + y.cos(), 1.25))


def test_several_results(torch: Any, make_several: Any) -> None:
    parameters = ", ".join(f"T &out{i}" for i in range(8))
    body = "".join(f"out{i} = x + {i};" for i in range(8))
    text = f"template <typename T> void several(T x, {parameters}) {{ {body} }}"
    x = torch.rand(3, 4, device="cuda", dtype=torch.float16).t()
    made = make_several(text, 8)(x)
    assert len(made) == 8
    for i in range(8):
        torch.testing.assert_close(made[i], x + i)
    one = make_several("template <typename T> void one(T x, T by, T &out) { out = x * by; }", 1, by=2)(x)
    torch.testing.assert_close(one, x * 2)


def test_streams_graphs_and_gradients(torch: Any, make: Any) -> None:
    function = make(FUSED, alpha=1, beta=1)
    x = torch.ones(1 << 16, device="cuda", requires_grad=True)
    assert not function(x, x).requires_grad  # as with a GPU
    with torch.cuda.stream(torch.cuda.Stream()):
        assert function(x, x).sum().item() == 1 << 17
    y, graph = torch.zeros(100, device="cuda"), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        made = function(y, y)
    y.fill_(2)
    graph.replay()
    assert made.tolist() == [4.0] * 100


def test_an_operator_of_pytorchs_is_replaced(torch: Any, make: Any) -> None:
    library = torch.library.Library("aten", "IMPL")
    library.impl("aten::gelu", make("template <typename T> T my_gelu(T a) { return a > 0 ? a : 0; }"), "CUDA")
    x = torch.linspace(-1, 1, 9, device="cuda")
    assert torch.equal(torch.nn.functional.gelu(x), torch.relu(x))
    library._destroy()


def test_mistakes_are_told(torch: Any, make: Any) -> None:
    x = torch.ones(3, device="cuda")
    wrong = make("template <typename T>\nT wrong(T x) { return x + nothing; }")
    with pytest.raises(RuntimeError, match=r"wrong:2:27: error: use of undeclared identifier 'nothing'"):
        wrong(x)
    function = make(FUSED, alpha=1, beta=1)
    with pytest.raises(RuntimeError, match="expected tensors on a CUDA device but found one on cpu"):
        function(x, x.cpu())
    with pytest.raises(RuntimeError, match="no kernels for tensors of UInt16"):
        function(x, x.to(torch.uint16))
    with pytest.raises(RuntimeError, match="must match the size of tensor b"):
        function(x, torch.ones(4, device="cuda"))
    with pytest.raises(RuntimeError, match="no matching function for call to 'fused'"):
        function(x)


@pytest.mark.usefixtures("torch")
def test_kernels_are_kept_for_the_next_process() -> None:
    name = f"kept{time.time_ns()}"
    use = f"import torch; text = 'template <typename T> T {name}(T x) {{ return x + 1; }}'\n"
    use += "print(torch.cuda.jiterator._create_jit_fn(text)(torch.ones(2, device='cuda')).tolist())"
    folder = entry_path("jiterator", content_key(package_key(), default_cpu()))
    seen: list[tuple[str, int]] = []
    for _ in range(2):
        ran = subprocess.run([sys.executable, "-c", use], capture_output=True, text=True, check=False)
        assert ran.stdout == "[2.0, 2.0]\n", ran.stderr
        files = [path for path in folder.iterdir() if name.encode() in path.read_bytes()]
        seen += [(path.name, path.stat().st_ino) for path in files]
    assert len(seen) == 2
    assert seen[0] == seen[1]
