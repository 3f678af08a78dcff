# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What threads do that leave a loop with barriers comes before what the others do behind the next barrier."""

from __future__ import annotations

from thread_code import from_blocks

from warploom.ir.core import walk
from warploom.ir.interpreter import run
from warploom.ir.memory import Memory
from warploom.ir.verifier import verify
from warploom.passes.base import Context
from warploom.passes.shape.structure import STRUCTURE


def test_what_threads_do_that_leave_a_loop_with_barriers_is_in_it() -> None:
    function = from_blocks("""
        ^entry:
          br 0:i32 [targets=(head), counts=(1)]
        ^head(%i: i32):
          %more: i1 = icmp %i, %n [pred=slt]
          cond_br %more [targets=(body, behind), counts=(0, 0)]
        ^body:
          %mine: i1 = icmp %tx, 3:i32 [pred=eq]
          cond_br %mine [targets=(behind, wait), counts=(0, 0)]
        ^wait:
          barrier [level=block]
          %v: i32 = load %p [align=4]
          %mixed: i32 = add %v, %i
          %q: ptr = gep %p, %tx [offset=4, strides=(4)]
          store %mixed, %q [align=4]
          barrier [level=block]
          %next: i32 = add %i, 1:i32
          br %next [targets=(head), counts=(1)]
        ^behind:
          %last: i1 = icmp %tx, 3:i32 [pred=eq]
          cond_br %last [targets=(write, exit), counts=(0, 0)]
        ^write:
          store 42:i32, %p [align=4]
          br [targets=(exit), counts=(0)]
        ^exit:
          ret
        """)
    memory = Memory()
    address = memory.array("i32", [0] * 9, "p")
    STRUCTURE.run(function, Context())
    verify(function, "structured")
    run(function, (1, 1, 1), (8, 1, 1), [2, 0, address, 0.0], memory)
    assert memory.values("i32", address, 9) == [42, 43, 43, 43, 0, 43, 43, 43, 43]
    assert sum(op.name == "store" for op in walk(function.body)) == 3
