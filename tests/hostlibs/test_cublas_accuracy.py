# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random problems for each routine of cuBLAS, judged by NumPy in double precision. Many of them:

python tests/hostlibs/test_cublas_accuracy.py 10000 [ROUTINE ...]
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator

import pytest
from blas import TYPES, Blas, Problem
from blas_batches import BATCH_ROUTINES
from blas_routines import MATRIX_ROUTINES
from blas_vectors import VECTOR_ROUTINES

ROUTINES = {**MATRIX_ROUTINES, **VECTOR_ROUTINES, **BATCH_ROUTINES}


@pytest.fixture(scope="module")
def blas(cublas: ctypes.CDLL) -> Iterator[Blas]:
    made = Blas(cublas)
    yield made
    made.close()


@pytest.mark.parametrize("letter", TYPES)
@pytest.mark.parametrize("routine", ROUTINES)
def test_routine(blas: Blas, routine: str, letter: str) -> None:
    for seed in range(12):
        ROUTINES[routine](blas, Problem(seed, letter))


def main(count: int, names: list[str]) -> int:
    """`count` problems for each of the routines."""
    from warploom.runtime_library import complete_toolkit
    from warploom.toolchain import find_toolchain

    folder = complete_toolkit(find_toolchain()) / "lib64"
    blas = Blas(ctypes.CDLL(str(folder / "libcublas.so")))
    for name in names or ROUTINES:
        for letter in TYPES:
            for seed in range(count // len(TYPES)):
                ROUTINES[name](blas, Problem(seed, letter))
        print(f"{name}: {count} problems", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
