# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processor that a kernel's code is for, as far as the passes ask: its vectors, and what they cost."""

from __future__ import annotations

from warploom.core.records import dataclass

_WIDEST = 512


@dataclass(frozen=True, slots=True)
class Costs:
    """What the vectoriser counts with: a scalar access costs 1, all are of one thread."""

    near: float = 0.1  # an access of a vector to neighbours
    scattered: float = 1.3  # a gather or scatter of a vector
    scattered_part: float = 2.0  # of elements of 1 or 2 bytes, of which the words around are gathered
    part_of_all: float = 3.2  # likewise where threads do not part: scalar code has other work to do meanwhile
    just_written: float = 2.5  # a gather of what has just been written: no store is forwarded to it
    atomic: float = 3.0  # of a vector as of scalar code
    op: float = 0.06  # any other op of a vector
    scalar_op: float = 0.4  # and of scalar code
    branch: float = 3.0  # one that is often foretold wrongly
    active: float = 0.6  # of the threads of a vector whose threads part, how many go one side


@dataclass(frozen=True, slots=True)
class Processor:
    """Vector registers and masks. The default is AVX-512."""

    vector_bits: int = _WIDEST  # of a register
    branches_in_gathers: bool = False  # LLVM takes a gather under a mask apart into a branch for each element

    @property
    def registers(self) -> int:
        """Vector registers: 32 with AVX-512, 16 with what came before."""
        return 32 if self.vector_bits == _WIDEST else 16

    @property
    def costs(self) -> Costs:
        """The same for all so far."""
        return COSTS

    @property
    def scatters(self) -> bool:
        """Whether a scatter under a mask needs no branches."""
        return self.vector_bits >= _WIDEST or self.branches_in_gathers

    @property
    def has_mask_registers(self) -> bool:
        """Whether a mask is a number in a register of its own."""
        return self.vector_bits >= _WIDEST

    @property
    def lanes_of_masks(self) -> int:
        """The most lanes of a mask that goes from one basic block to another in a register. Without mask registers it
        has a byte a lane there, and LLVM takes one for which one register is too small apart into a bit a register."""
        return self.vector_bits if self.vector_bits >= _WIDEST else self.vector_bits // 8

    def lanes(self, size: int) -> int:
        """Elements of `size` bytes in a register, one at least."""
        return max(1, self.vector_bits // (8 * size))

    def has_masks(self, size: int) -> bool:
        """Whether groups of elements of `size` bytes take a mask that costs little.

        AVX2 has masks for 4 and 8 bytes alone, SSE and NEON none: LLVM branches around each element. AVX-512 has all,
        but to make them for bytes takes long.
        """
        return self.vector_bits >= 256 and size >= 4

    @property
    def stores_whole(self) -> bool:
        """Whether it takes less to read a vector, choose and store all of it than to store some of its elements: before
        AVX-512, whose masked stores cost as much as others. Those of AVX2 take AMD's processors 12 cycles and more, and
        others have none."""
        return self.vector_bits < _WIDEST

    def branches_in_masks(self, size: int) -> bool:
        """Whether LLVM branches around each of many elements of `size` bytes under a mask: 64 times for a register."""
        return self.vector_bits < _WIDEST and size < 4


COSTS = Costs()
