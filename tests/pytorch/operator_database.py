# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's own database of operators: each on device cuda against the CPU, forward or gradients, in float32:
`operator_database.py forward`; `operator_database.py gradients 16`: every sixteenth."""

from __future__ import annotations

import itertools
import json
import sys
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from typing import Any, cast

SAMPLES = 2  # of each operator
# Their values are drawn from a device's generator, or are what was in memory.
RANDOM = (
    "rand", "normal", "bernoulli", "multinomial", "dropout", "exponential", "cauchy", "geometric", "uniform", "empty",
    "rrelu", "poisson", "fractional_max_pool", "multi_head_attention",
)  # fmt: skip


def flat(value: Any, torch: Any) -> list[Any]:
    """The tensors in nested lists."""
    if isinstance(value, torch.Tensor):
        return [value]
    parts = cast(list[Any], value) if isinstance(value, (list, tuple)) else []
    return [each for part in parts for each in flat(part, torch)]


def moved(value: Any, device: str, torch: Any) -> Any:
    """A copy of an argument on the device."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone().to(device).requires_grad_(value.requires_grad)
    if type(value) in (list, tuple):
        return type(value)(moved(each, device, torch) for each in value)
    if isinstance(value, dict):
        return {key: moved(each, device, torch) for key, each in cast(dict[str, Any], value).items()}
    is_place = isinstance(value, (str, torch.device)) and str(value).startswith("cpu")
    return device if is_place else value


def dense(value: Any, torch: Any) -> Any:
    """A sparse tensor's values in their places."""
    return value if value.layout == torch.strided else value.to_dense()


def unleaved(value: Any, torch: Any) -> Any:
    """In-place operators may not write leaves of autograd."""
    if isinstance(value, torch.Tensor):
        return value * 1 if value.requires_grad else value
    return type(value)(unleaved(each, torch) for each in value) if type(value) in (list, tuple) else value


def forward(op: Any, sample: Any, device: str, torch: Any) -> list[Any]:
    """The results."""
    arguments = moved((sample.input, *sample.args), device, torch)
    return flat(op(*arguments, **moved(sample.kwargs, device, torch)), torch)


def gradients(op: Any, sample: Any, device: str, torch: Any) -> list[Any]:
    """Of the sum of squares of the results, by the arguments."""
    arguments = moved((sample.input, *sample.args), device, torch)
    made = flat(op(*unleaved(arguments, torch), **moved(sample.kwargs, device, torch)), torch)
    used = [dense(each, torch) for each in made if each.requires_grad and each.is_floating_point()]
    leaves = [each for each in flat(arguments, torch) if each.requires_grad]
    found = torch.autograd.grad(sum(each.square().sum() for each in used), leaves, allow_unused=True)
    return [each for each in found if each is not None]


def outcome(op: Any, run: Callable[..., list[Any]], needs_gradients: bool, torch: Any) -> str:
    """Compare the first samples: "agrees", "random", or why nothing was compared; raises where they differ."""
    name = name_of(op)
    compared = ran = 0
    for sample in itertools.islice(op.sample_inputs("cpu", torch.float32, requires_grad=needs_gradients), SAMPLES):
        try:
            want = run(op, sample, "cpu", torch)
        except Exception:  # noqa: BLE001  (not for such samples, whatever it raises)
            continue
        got = run(op, sample, "cuda", torch)
        assert len(got) == len(want)
        for on_cuda, on_cpu in zip(got, want, strict=True):
            assert on_cuda.is_cuda
            assert on_cuda.layout == on_cpu.layout
            ran += 1
            if not any(word in name for word in RANDOM):
                found, wanted = (dense(each, torch) for each in (on_cuda.cpu(), on_cpu))
                torch.testing.assert_close(found, wanted, equal_nan=True, rtol=1e-3, atol=1e-4)
                compared += 1
    return "agrees" if compared else "random" if ran else "nothing compared"


def name_of(op: Any) -> str:
    """With its variant."""
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def main(what: str, step: int) -> None:
    """Print the counts of outcomes of every `step`th operator and the failures as JSON."""
    torch: Any = import_module("torch")
    torch.manual_seed(0)
    database = import_module("torch.testing._internal.common_methods_invocations").op_db
    run = {"forward": forward, "gradients": gradients}[what]
    needs_gradients = run is gradients
    counts: Counter[str] = Counter()
    failed: dict[str, str] = {}
    for op in database[::step]:
        if torch.float32 not in op.supported_dtypes("cpu") or (needs_gradients and not op.supports_autograd):
            continue
        try:
            counts[outcome(op, run, needs_gradients, torch)] += 1
        except Exception as error:  # noqa: BLE001  (all are reported together)
            failed[name_of(op)] = f"{type(error).__name__}: {str(error)[:200]}"
    print(json.dumps({"counts": counts, "failed": failed}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)
