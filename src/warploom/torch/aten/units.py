# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of ATen's CUDA kernels: all that PyTorch's sources have, but for those that need what there is not here.

Which of them compile, and which link, is found by compiling and linking; this table holds what is known before.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from warploom.core.records import dataclass

ATEN_FOLDER = "aten/src/ATen"  # in PyTorch's sources
CUDA_FOLDER = "native/cuda"  # in that
_PATTERNS = ("native/cuda/*.cu", "native/cuda/*.cpp", "cuda/cub*.cu", "cuda/detail/IndexUtils.cu")
GENERATED = ("UfuncCUDA_add.cu",)  # what torchgen writes
_CUTLASS = "needs CUTLASS and a GPU's tensor cores"
# Files that are not compiled, and why.
EXCLUDED = {
    "Blas.cpp": "products are those of libtorch_cuda.so, by the toolkit's cuBLAS or the CPU backend",
    "Copy.cu": "copies are those of libtorch_cuda.so",
    "GroupMM.cu": _CUTLASS,
    "GroupedBlas.cpp": "products are those of libtorch_cuda.so, by the toolkit's cuBLAS or the CPU backend",
    "LinearAlgebraStubs.cpp": "loads libtorch_cuda_linalg.so, NVIDIA's and MAGMA's linear algebra",
    "MixedDtypesLinear.cu": _CUTLASS,
    "RecordStream.cu": "streams are those of libtorch_cuda.so",
    "RowwiseScaledMM.cu": _CUTLASS,
    "ScaledBlas.cpp": "products are those of libtorch_cuda.so, by the toolkit's cuBLAS or the CPU backend",
    "ScaledGroupMM.cu": _CUTLASS,
    "int4mm.cu": "is written for a GPU's tensor cores, in PTX",
    "int8mm.cu": "is written for a GPU's tensor cores, in PTX",
    "jit_utils.cpp": "compiles kernels when they run; here all are compiled before",
}


@dataclass(frozen=True)
class Unit:
    """One file."""

    file: str  # in ATEN_FOLDER, or what torchgen writes

    @property
    def name(self) -> str:
        """The file's name."""
        return Path(self.file).name

    @property
    def is_generated(self) -> bool:
        """Whether torchgen writes it."""
        return self.file in GENERATED


def units_of(sources: Path) -> tuple[Unit, ...]:
    """The files in PyTorch's sources, without those that are excluded; the large ones first."""
    folder = sources / ATEN_FOLDER
    found = {path for pattern in _PATTERNS for path in folder.glob(pattern) if path.name not in EXCLUDED}
    ordered = sorted(found, key=lambda path: (-path.stat().st_size, path.name))
    return tuple(Unit(name) for name in (*GENERATED, *(str(path.relative_to(folder)) for path in ordered)))


def chosen_units(units: Sequence[Unit], names: Sequence[str]) -> tuple[Unit, ...]:
    """The units whose file names were given, with `.cu` or without; all for none. KeyError: the name of no unit."""
    by_name = {name: unit for unit in units for name in (unit.name, Path(unit.file).stem)}
    return tuple(dict.fromkeys(by_name[name] for name in names)) if names else tuple(units)
