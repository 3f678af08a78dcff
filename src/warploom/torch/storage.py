# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Storages on the device, which the CPU build of PyTorch refuses to make, to resize and to share.

`torch.load` makes storages by torch.UntypedStorage(..., device="cuda"); FSDP, for one, takes memory away and brings it
back by `resize_`. Sharing one with another process stays refused, by a line that says so.
"""

from __future__ import annotations

import ctypes
from importlib import import_module
from types import ModuleType
from typing import Any

from warploom.torch.calls import Calls


def let_storages_be_on_cuda(module: ModuleType, calls: Calls) -> None:
    """Give the class of torch.storage a constructor and a `resize_` that know the device."""
    untyped = module.UntypedStorage
    usual, usual_resize = untyped.__new__, untyped.resize_

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

    def resize(self: Any, size: int) -> Any:
        if self.device.type != "cuda":
            return usual_resize(self, size)
        calls.resize_storage(ctypes.c_void_p(self._cdata), int(size))
        return self

    def share(_self: Any) -> Any:
        raise NotImplementedError("Warploom does not share CUDA tensors between processes; `.cpu()` makes one to share")

    untyped.__new__ = new
    untyped.resize_ = resize
    untyped._share_cuda_ = share
