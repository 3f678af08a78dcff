# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of the compiler that few kernels need, loaded when something of them is first asked for.

    if TYPE_CHECKING:
        from warploom.passes.barrier import fission
    else:
        fission = deferred("warploom.passes.barrier.fission")

A kernel without barriers, loops and atomics takes three quarters of the compiler.
"""

from __future__ import annotations

from importlib import import_module

from warploom.core.type_names import Any

_waiting: set[str] = set()
_loading: list[str] = []


class _Deferred:
    """In place of a module: what is asked for is loaded, and kept here."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        found = getattr(_load(self._name), name)
        setattr(self, name, found)
        return found


def deferred(module: str) -> Any:
    """What stands for the module of that name."""
    _waiting.add(module)
    return _Deferred(module)


def _load(module: str) -> Any:
    _loading.append(module)
    try:
        return import_module(module)
    finally:
        _loading.pop()
        _waiting.discard(module)


def is_loading() -> bool:
    """Whether what is imported now is wanted by something deferred."""
    return bool(_loading)


def load_all() -> None:
    """Load what was deferred, as before a fork, whose children would each do so."""
    while waiting := list(_waiting):  # another thread may load some meanwhile
        for module in waiting:
            _load(module)
