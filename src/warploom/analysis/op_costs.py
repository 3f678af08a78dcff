# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an op on a vector register costs a processor: its latency, and how often it takes a port for vectors.

The figures are those of Intel's cores with AVX-512 (uops.info); on others they differ by a cycle or two.
"""

from __future__ import annotations

from warploom.ir import types
from warploom.ir.core import Op

CYCLE = 20  # of the units of time that schedules have
PORTS = 2  # for vectors
_LOAD = (6, 0)
_LIBRARY = (60, 30)  # a function of the vector math library
# Latency in cycles; ports taken for a register. What is not here: 1 and 1.
_COSTS: dict[str, tuple[int, int]] = {
    **dict.fromkeys("fadd fsub fmul fma fmuladd".split(), (4, 1)),
    **dict.fromkeys("sitofp uitofp fptosi fptoui fpext fptrunc".split(), (4, 1)),
    **dict.fromkeys("minnum maxnum minimumnum maximumnum".split(), (4, 1)),
    **dict.fromkeys("shufflevector splat insertelement extractelement".split(), (3, 1)),
    "fneg": (0, 0),  # part of what uses it
    "freeze": (0, 0),  # no instruction
    "fcmp": (3, 0),  # with a selection a minimum or maximum
    "load": _LOAD,
    "mul": (10, 2),
    "fdiv": (11, 10),
    "sqrt": (12, 12),
    "rsqrt_estimate": (9, 3),
}
# In registers of 64 bytes.
_WIDE_COSTS = {**_COSTS, "fdiv": (17, 20), "sqrt": (19, 24)}


def registers_of(type_: str, vector_bits: int) -> int:
    """The vector registers that hold a value; none for a scalar."""
    return max(1, 8 * types.size_of(type_) // vector_bits) if types.is_vector(type_) else 0


def cost_of(op: Op, vector_bits: int) -> tuple[int, int]:
    """Latency in cycles, and how often a register of results takes a port."""
    costs, kind = _WIDE_COSTS if vector_bits >= 512 else _COSTS, _kind(op)
    return costs.get(kind, (1, 1)) if kind else _LIBRARY


def is_library_call(op: Op) -> bool:
    """Whether `op` calls a function of the vector math library, whose code lies elsewhere."""
    return not _kind(op)


def _kind(op: Op) -> str:
    """What _COSTS calls `op`; empty for a function of the vector math library."""
    if op.name != "call":
        return op.name
    callee = str(op.attrs["callee"])
    if callee.startswith("llvm."):
        return callee.split(".")[1]
    return "rsqrt_estimate" if "_rsqrt_estimate_" in callee else ""
