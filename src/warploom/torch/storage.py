# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.UntypedStorage(..., device="cuda"), which the CPU build of PyTorch refuses: `torch.load` makes storages so."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any


def let_storages_be_on_cuda(module: ModuleType) -> None:
    """Give the class of torch.storage a constructor that knows the device."""
    untyped = module.UntypedStorage
    usual = untyped.__new__

    def new(cls: Any, *arguments: Any, device: Any = None, **named: Any) -> Any:
        if device is None:
            return usual(cls, *arguments, **named)
        torch: Any = import_module("torch")
        if torch.device(device).type != "cuda":
            return usual(cls, *arguments, device=device, **named)
        content = arguments[0] if arguments else named.get("size", 0)
        made = (
            torch.empty(content, dtype=torch.uint8, device=device)
            if isinstance(content, int)
            else torch.tensor(list(content), dtype=torch.uint8, device=device)
        )
        return made.untyped_storage()

    untyped.__new__ = new
