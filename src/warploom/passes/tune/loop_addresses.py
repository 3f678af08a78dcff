# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The addresses of a loop whose body is copied: each copy adds to the first one's.

    for %k = 0, %n, 1 {                     %s = 4 * sext %n               (bytes; also 2 * %s, 3 * %s and 4 * %s)
      load gep %A, sext (%a + %k)           for %k = 0, %n & -4, 4, %d = 0 {
      load gep %B, sext (%k * %n)    ==>      load (gep %A, sext (%a + %k)); + 4; + 8; + 12
    }                                         load %B + %d; %B + (%d + %s); %B + (%d + 2 * %s); %B + (%d + 3 * %s)
                                              yield %d + 4 * %s
                                            }

An element of A then lies at a constant distance from the first copy's, which costs no instruction; B costs an addition
a copy and no product. Sound where the steps are exact (analysis/steps.py).
"""

from __future__ import annotations

from warploom.analysis.steps import Step, Steps, in_bytes
from warploom.ir.core import Builder, Op, Operand, Region, Value, clone_op, int_const


def ops_of(address: Operand, region: Region) -> list[Op]:
    """What of `region` computes an address, in order."""
    needed: set[Value] = {address} if isinstance(address, Value) else set()
    found: list[Op] = []
    for op in reversed(region.body):
        if not needed.isdisjoint(op.results):
            needed.update(each for each in op.operands if isinstance(each, Value))
            found.append(op)
    return found[::-1]


def without_promises(op: Op) -> None:
    """Take LLVM's flags from a copy that may run where the original does not."""
    op.attrs = {name: value for name, value in op.attrs.items() if name not in ("flags", "inbounds")}


class LoopAddresses:
    """What the loop `op` loads from at distances that are constant, or known when it starts.

    `build` writes before the loop.
    """

    def __init__(self, op: Op, steps: Steps, build: Builder) -> None:
        self.build = build
        self.steps = _exact_steps(op.region, steps)
        self.bases: dict[Value, Operand] = {}  # the addresses in the first trip, where they count bytes from there
        self.distances: dict[Step, Value] = {}  # bytes from the first trip on, which the loop carries
        self._copy: dict[Step, Operand] = {}  # the same, in the copy at hand
        self._first: dict[Value, Operand] = {}  # the addresses of the first copy
        self._number = 0
        for address, step in self.steps.items():
            if step.factors:
                self.distances.setdefault(step, Value("i64", "distance"))
                self.bases[address] = _in_first_trip(address, op, build)

    def __contains__(self, value: Value) -> bool:
        return value in self.steps

    def start(self, number: int, build: Builder) -> None:
        """Begin the copy `number`."""
        self._number = number
        for step, distance in self.distances.items():
            further = [distance, in_bytes(step, number, self.build)]
            self._copy[step] = build.op("add", further, "i64") if number else distance

    def of(self, op: Op, mapping: dict[Value, Operand], build: Builder) -> Operand:
        """The address that `op` computes, in the copy at hand; its operands are mapped for that copy."""
        address, step = op.result, self.steps[op.result]
        if step.factors:
            return build.op("gep", [self.bases[address], self._copy[step]], "ptr", offset=0, strides=(1,))
        if self._number == 0:
            self._first[address] = build.add(clone_op(op, mapping)).result
            return self._first[address]
        return build.op("gep", [self._first[address]], "ptr", offset=self._number * step.number, strides=())

    def ahead(self, address: Value, trips: int, build: Builder) -> Operand:
        """The address so many trips after that of the copy at hand."""
        step = self.steps[address]
        base = self.build.op(
            "gep", [self.bases[address], in_bytes(step, trips, self.build)], "ptr", offset=0, strides=(1,)
        )
        return build.op("gep", [base, self._copy[step]], "ptr", offset=0, strides=(1,))

    def next(self, copies: int, build: Builder) -> list[Operand]:
        """What the loop carries to its next trip, of so many copies."""
        carried = self.distances.items()
        return [build.op("add", [each, in_bytes(step, copies, self.build)], "i64") for step, each in carried]

    def zeros(self) -> list[Operand]:
        """What the loop carries to its first trip."""
        return [int_const("i64", 0) for _ in self.distances]


def _exact_steps(region: Region, steps: Steps) -> dict[Value, Step]:
    """The addresses that the body computes and loads from, with their steps, where those are known for sure."""
    made = {value for op in region.body for value in op.results}
    found: dict[Value, Step] = {}
    for op in region.body:
        address = op.operands[0] if op.name == "load" else None
        if isinstance(address, Value) and address in made:
            step = steps.of(address)
            if step is not None and step.exact and step.number:
                found[address] = step
    return found


def _in_first_trip(address: Value, op: Op, build: Builder) -> Operand:
    mapping: dict[Value, Operand] = {op.region.params[0]: op.operands[0]}
    for each in ops_of(address, op.region):
        without_promises(build.add(clone_op(each, mapping)))  # which may lie outside of its object
    return mapping[address]
