# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts the modules of warploom.compat in place of packages that are not installed: `python -m warploom.run script.py`.

    import cupy              -->  warploom.compat.cupy
    from numba import cuda   -->  warploom.compat.numba_cuda
    import pycuda.autoinit   -->  warploom.compat.pycuda.autoinit
    from cuda.core import *  -->  warploom.compat.cuda_core
    from cuda.bindings import driver  -->  warploom.compat.cuda_bindings.driver

A package that is installed stays as it is, unless it is asked for by name.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

# What stands for what; longer names come first.
STANDS_FOR = {
    "cuda.core.experimental": "cuda_core",
    "cuda.core": "cuda_core",
    "cuda.bindings": "cuda_bindings",
    "numba.cuda": "numba_cuda",
    "numba": "numba",
    "cuda": "cuda_namespace",
    "cupyx": "cupyx",
    "cupy": "cupy",
    "pycuda": "pycuda",
}


class _Finder(MetaPathFinder):
    """Finds the modules of packages that are missing."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = frozenset(names)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module that stands for `fullname`, if one does."""
        del path, target
        for name, home in STANDS_FOR.items():
            if (fullname == name or fullname.startswith(f"{name}.")) and name in self.names:
                own = f"warploom.compat.{home}{fullname.removeprefix(name)}"
                if _is_there(own):
                    return ModuleSpec(fullname, _Loader(own), is_package=True)
        return None


class _Loader(Loader):
    """Gives the module itself: under both names it is one."""

    def __init__(self, own: str) -> None:
        self.own = own

    def create_module(self, spec: ModuleSpec) -> None:
        """An empty module, for a moment."""

    def exec_module(self, module: ModuleType) -> None:
        """Put the module of warploom.compat in its place."""
        sys.modules[module.__name__] = importlib.import_module(self.own)


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ModuleNotFoundError, ValueError):
        return False


def missing() -> list[str]:
    """The packages that are not installed."""
    return [name for name in STANDS_FOR if not _is_installed(name)]


def _is_installed(name: str) -> bool:
    """Whether the first two parts of the name are found. Nothing is imported: a parent would stay in sys.modules."""
    within: Sequence[str] | None = None
    parts = name.split(".")[:2]
    for count in range(1, len(parts) + 1):
        fullname = ".".join(parts[:count])
        finders = (finder for finder in sys.meta_path if not isinstance(finder, _Finder))
        spec = next(filter(None, (finder.find_spec(fullname, within) for finder in finders)), None)
        if spec is None:
            return False
        within = spec.submodule_search_locations or []
    return True


def install(replace: Sequence[str] = ()) -> list[str]:
    """Stand in for the packages that are missing, and for those of `replace`; their names.

    Raises ValueError for a name that nothing stands for.
    """
    unknown = [name for name in replace if name not in STANDS_FOR]
    if unknown:
        raise ValueError(f"nothing stands for {', '.join(unknown)}; there are {', '.join(STANDS_FOR)}")
    absent = missing()
    names = [name for name in STANDS_FOR if name in replace or name in absent]
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]
    sys.meta_path.insert(0, _Finder(names))
    return names
