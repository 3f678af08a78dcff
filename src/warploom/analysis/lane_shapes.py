# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How one value differs between neighbouring threads: lanes.py says what each word means, and finds it out."""

from __future__ import annotations

from functools import cache

from warploom.core.records import dataclass

X, Y = 1, 2


@dataclass(frozen=True, slots=True)
class Shape:
    """How a value differs between threads."""

    dims: int = 0
    stride: int | None = 0
    exact: bool = True
    align: int = 1
    guarded: bool = False

    @property
    def is_vector(self) -> bool:
        """Whether nothing is known but that neighbours in x may differ."""
        return self.stride is None

    @property
    def is_uniform(self) -> bool:
        """Whether neighbours in x have the same."""
        return not self.dims & X

    @property
    def kept(self) -> Shape:
        """What is known where the stride is not checked: of values that control flow passes on."""
        return varying(self.dims) if self.guarded else self


UNIFORM = Shape()
ANY = Shape(X | Y, None, False)


@cache
def varying(dims: int) -> Shape:
    """A value of which only the axes are known."""
    return Shape(dims, None, False) if dims & X else Shape(dims)


@cache
def aligned(align: int) -> Shape:
    """A uniform value that `align` divides."""
    return Shape(align=align)


def join(a: Shape, b: Shape) -> Shape:
    """What is known of a value that is one of two."""
    a, b = a.kept, b.kept
    stride = a.stride if a.stride == b.stride else None
    dims = a.dims | b.dims
    return Shape(dims, stride, a.exact and b.exact and stride is not None, min(a.align, b.align))
