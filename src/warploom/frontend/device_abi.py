# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The device ABI: functions such as `__warploom_thread_idx_x`, by which CUDA's headers say what a kernel asks for, and
what each of them is in the IR."""

from __future__ import annotations

from warploom.core.records import dataclass
from warploom.ir.core import Attribute

_WARP_BITS, _WARP_MASK = 5, 31

# Function of the device ABI -> number of the id or launch parameter.
IDS = {
    f"__warploom_{what}_idx_{axis}": 3 * major + minor
    for major, what in enumerate(("block", "thread"))
    for minor, axis in enumerate("xyz")
}
DIMENSIONS = {
    f"__warploom_{what}_dim_{axis}": 3 * major + minor
    for major, what in enumerate(("grid", "block"))
    for minor, axis in enumerate("xyz")
}
# What depends on the block that asks -> the function that is told which block that is.
OF_CLUSTER = {
    "__warploom_cluster_shared_memory": "__warploom_cluster_memory_of_block",
    "__warploom_cluster_rank_of": "__warploom_cluster_rank_for_block",
}
FROM_THREAD_NUMBER = {"__warploom_lane_id": ("and", _WARP_MASK), "__warploom_warp_id": ("lshr", _WARP_BITS)}


@dataclass(frozen=True)
class Collective:
    """The op that a function of the device ABI becomes; it takes the first `operands` arguments."""

    op: str
    operands: int
    attrs: tuple[tuple[str, Attribute], ...]


def _collective(op: str, operands: int, **attrs: Attribute) -> Collective:
    return Collective(op, operands, tuple(attrs.items()))


_COLLECTIVE_NAMES = {
    "barrier": _collective("barrier", 0, level="block"),
    "grid_sync": _collective("barrier", 0, level="grid"),
    "cluster_sync": _collective("barrier", 0, level="grid", cluster=True),
    "syncwarp": _collective("barrier", 1, level="warp"),
    "lock_step": _collective("barrier", 0, level="warp", lock_step=True),
    **{f"barrier_{kind}": _collective("barrier_reduce", 1, kind=kind) for kind in ("count", "and", "or")},
    "activemask": _collective("activemask", 0),
    **{f"shfl_{kind}": _collective("shuffle", 4, kind=kind) for kind in ("idx", "up", "down", "xor")},
    **{kind: _collective("vote", 2, kind=kind) for kind in ("ballot", "any", "all")},
    **{f"match_{kind}": _collective("match", 2, kind=kind) for kind in ("any", "all")},
    **{f"reduce_{kind}": _collective("warp_reduce", 2, kind=kind) for kind in ("add", "and", "or", "xor")},
    **{
        f"reduce_{kind}_{sign}": _collective("warp_reduce", 2, kind=("u" if sign == "u" else "s") + kind)
        for kind in ("min", "max")
        for sign in "us"
    },
}
COLLECTIVES = {f"__warploom_{name}": what for name, what in _COLLECTIVE_NAMES.items()}
