# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether rows of threads read the same rows of a tile.

north = s[ty - 1][tx], here = s[ty][tx]:  row ty + 1 of threads loads what row ty has loaded
"""

from __future__ import annotations

from collections.abc import Container, Mapping

from warploom.analysis.byte_addresses import Address, Addresses
from warploom.ir.core import Const, Op, Value, walk
from warploom.ir.ops import is_plain_load


def rows_share_loads(loop: Op, variables: Container[str], definitions: Mapping[Value, Op]) -> bool:
    """Whether the next row of threads of a `block` loop loads again what a row loads from one of `variables`."""
    addresses = Addresses(definitions)
    row = loop.region.params[1]
    seen: set[Address] = set()
    for op in walk(loop.region):
        if not is_plain_load(op):
            continue
        address = addresses.of(op.operands[0])
        stride = address.index.terms.get(row, 0)
        if not stride or not isinstance(address.root, Const) or str(address.root.value)[1:] not in variables:
            continue
        seen.add(address)
        if any(address.moved(each) in seen for each in (stride, -stride)):
            return True
    return False
