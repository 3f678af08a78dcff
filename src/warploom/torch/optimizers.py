# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers' steps of all their tensors in one call (native/optimizers.cpp), in the place of PyTorch's loop from
tensor to tensor where they give the same bits. A GPU has its kernels for lists of tensors there."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any


def take_adam(module: ModuleType) -> None:
    """Adam and AdamW, in `torch.optim.adam`."""

    def step(parameters: Any, gradients: Any, averages: Any, squares: Any, maxima: Any, counts: Any, *_: Any,
             **given: Any) -> bool:  # fmt: skip
        if not _are_numbers(given[name] for name in ("lr", "beta1", "beta2", "weight_decay", "eps")):
            return False
        return _operators().adam_(
            parameters, gradients, averages, squares, maxima if given["amsgrad"] else [], counts, given["lr"],
            given["beta1"], given["beta2"], given["weight_decay"], given["eps"], given["maximize"],
            given["decoupled_weight_decay"],
        )  # fmt: skip

    _put_before(module, "_single_tensor_adam", step)


def take_sgd(module: ModuleType) -> None:
    """Stochastic gradient descent, with and without momentum, in `torch.optim.sgd`."""

    def step(parameters: Any, gradients: Any, momenta: Any, *_: Any, **given: Any) -> bool:
        if not _are_numbers(given[name] for name in ("lr", "momentum", "dampening", "weight_decay")):
            return False
        if given["momentum"] == 0:
            momenta = []
        elif any(each is None for each in momenta):  # the first step, which makes them
            return False
        return _operators().sgd_(
            parameters, gradients, momenta, given["lr"], given["momentum"], given["dampening"], given["weight_decay"],
            given["nesterov"], given["maximize"],
        )  # fmt: skip

    _put_before(module, "_single_tensor_sgd", step)


def _put_before(module: ModuleType, name: str, step: Callable[..., bool]) -> None:
    """Let `module`'s function `name` try `step` first, for plain tensors on the device."""
    loop = vars(module)[name]

    @functools.wraps(loop)
    def tensors_together(parameters: Any, gradients: Any, *others: Any, **given: Any) -> None:
        if not (_is_plain(parameters, given) and step(parameters, gradients, *others, **given)):
            loop(parameters, gradients, *others, **given)

    vars(module)[name] = tensors_together


def _is_plain(parameters: Any, given: dict[str, Any]) -> bool:
    torch = _torch()
    if given.get("capturable") or given.get("differentiable") or given.get("has_complex"):
        return False
    if given.get("grad_scale") is not None or given.get("found_inf") is not None or torch.compiler.is_compiling():
        return False
    plain = (torch.Tensor, torch.nn.Parameter)
    return bool(parameters) and parameters[0].is_cuda and all(type(each) in plain for each in parameters)


def _are_numbers(values: Any) -> bool:
    return all(isinstance(each, (int, float)) for each in values)


def _torch() -> Any:
    return sys.modules["torch"]  # which has loaded the module whose function this is called by


@functools.cache
def _operators() -> Any:
    return _torch().ops.warploom
