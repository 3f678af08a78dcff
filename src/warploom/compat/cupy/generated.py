# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What generated kernels have in common: their headers, how they are compiled once and launched, their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from warploom.api.arguments import Packed
from warploom.api.dtypes import is_scalar
from warploom.api.kernel import Kernel
from warploom.api.module import RawModule
from warploom.compat.cupy import pending
from warploom.compat.cupy.core import ndarray
from warploom.compat.cupy.cuda.stream import stream_of
from warploom.compat.cupy.functions import asarray
from warploom.compat.cupy.parameters import DType, is_texture

PROLOGUE = '#include "warploom_cupy.cuh"\n'
_HERE = Path(__file__).parent


@cache
def headers() -> dict[str, str]:
    """The headers that CuPy's users include, and the one of generated kernels."""
    complex_text = (_HERE / "complex.cuh").read_text()
    return {
        "cupy/complex.cuh": complex_text,
        "cupy/cucomplex.cuh": (_HERE / "cucomplex.cuh").read_text(),
        "cupy/carray.cuh": (_HERE / "arrays.cuh").read_text(),
        "warploom_cupy.cuh": (_HERE / "arrays.cuh").read_text(),
    }


@lru_cache(maxsize=4096)
def module(code: str, name: str, options: tuple[str, ...]) -> RawModule:
    """The module of a source, which messages call `name`; compiled when it is first used."""
    return RawModule(code, options=options, headers=headers(), name=f"{name}.cu")


def launch(kernel: Kernel, grid: int, block: int, packed: Packed, stream: Any) -> None:
    """Launch in a stream of this package's, by default in the current one."""
    chosen = stream_of(stream)
    kernel.launch_packed(grid, block, packed, stream=chosen)
    if chosen is not None:
        pending.note(chosen)


def indexer(name: str, axes: Sequence[str]) -> list[str]:
    """The declaration of an object that tells where an element lies."""
    shape = ", ".join(axes) or "1"
    count = max(len(axes), 1)
    return [f"const ptrdiff_t {name}_shape[] = {{{shape}}}; CIndexer<{count}> {name}({name}_shape);"]


def argument(value: Any) -> Any:
    """An array of this package's, a number or a texture. Raises TypeError for anything else."""
    if isinstance(value, ndarray | bool | int | float | complex) or is_scalar(value) or is_texture(value):
        return value
    if hasattr(value, "__cuda_array_interface__") or hasattr(value, "__cupy_get_ndarray__"):
        return asarray(value)
    raise TypeError(f"Unsupported type {type(value)}")


def check_outputs(given: Sequence[Any]) -> None:
    """Raises TypeError for an output that is no array."""
    if not all(isinstance(each, ndarray) for each in given):
        raise TypeError("Output arguments must be cupy.ndarray")


def bytes_of(value: Any, dtype: DType | None) -> bytes:
    """A number as the kernel takes it, or the handle of a texture."""
    if dtype is None:
        return int(value.ptr).to_bytes(8, "little")
    with np.errstate(all="ignore"):
        return np.asarray(value).astype(dtype).tobytes()
