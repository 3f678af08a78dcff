# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What makes `import torch` bring the CUDA device: PyTorch asks for a device's library once, while it is imported.

A line in site-packages (`warploom torch enable`) imports this module at every start of Python; it costs nothing until
torch is imported. Then, in this order: our libraries are loaded, torch._C gets what a build for CUDA has, and a few
values are set where PyTorch wrote down that it was built without.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import os
import sys
from collections.abc import Callable, Sequence
from types import ModuleType

from warploom.torch.install import OFF

_COMPLETED = (
    "torch._C", "torch._inductor.compile_fx", "torch.backends.cudnn", "torch.optim.adam", "torch.optim.optimizer",
    "torch.optim.sgd", "torch.storage", "torch.utils", "torch.utils.cpp_extension", "torch.version",
)  # fmt: skip


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of PyTorch that something is done before or after."""

    def __init__(self) -> None:
        self.before: dict[str, Callable[[], bool]] = {"torch": _load}
        self.after: dict[str, Callable[[ModuleType], None]] = dict.fromkeys(_COMPLETED, _complete)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module's own spec, with what we do around its execution."""
        if fullname not in self.before and fullname not in self.after:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return None
        run = spec.loader.exec_module

        def exec_module(module: ModuleType) -> None:
            before, after = self.before.pop(fullname, None), self.after.pop(fullname, None)
            if before is not None and not before():
                self.after.clear()
            run(module)
            if after is not None:
                after(module)

        spec.loader.exec_module = exec_module
        return spec


def _load() -> bool:
    """Load the libraries; false, after a line on stderr, where PyTorch has to go on without."""
    from warploom.torch.device import load

    return load()


def _complete(module: ModuleType) -> None:
    from warploom.torch.device import complete

    complete(module)


def install() -> None:
    """Look at what is imported from here on, unless that was turned off or torch is there already."""
    is_on = os.environ.get(OFF, "1") not in ("", "0")
    if is_on and "torch" not in sys.modules and not any(isinstance(each, Finder) for each in sys.meta_path):
        sys.meta_path.insert(0, Finder())


install()
