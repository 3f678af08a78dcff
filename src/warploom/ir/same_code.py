# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether two kernels are the same code under two names: instances of a template whose parameter changes nothing.

    kernel @scale<0>(%p: ptr) {        kernel @scale<1>(%q: ptr) {
      %a = alloca; %b = alloca           %d = alloca; %c = alloca        the same key
      store %p, %a ...                   store %q, %c ...

Values and blocks are told apart by where they first occur, not by their names; private variables and addresses in them
by where they are first used, as LLVM's order of them follows addresses in the compiler's memory; and so are shared
variables that no other function names: each instance of a template has its own. Lines of the source are not compared:
they mean something in code with debug information only.
"""

from __future__ import annotations

from collections.abc import Collection

from warploom.core.digest import blake2b
from warploom.core.records import replace
from warploom.ir.core import Attribute, Function, Op, Operand, Value, rename_globals


def code_key(function: Function, own: Collection[str] = ()) -> bytes:
    """A key that two kernels in CFG form share only if they are the same code.

    `own`: the shared variables that no other function names, and that each of the two has for itself.
    """
    assert function.blocks, "kernels are compared as they were imported"
    return blake2b(repr(_Reader(own).function(function)).encode(), digest_size=32).digest()


def outline(function: Function) -> int:
    """What kernels that are the same code have in common, and most others have not: a look at every op, but no more.

    It differs from one process to the next.
    """
    ops = (op for block in function.blocks for op in block.ops if op.name not in _ANYWHERE)
    return hash(tuple((op.name, op.results[0].type if op.results else "") for op in ops))


def is_value(operand: Operand) -> bool:
    """Whether an op or a parameter makes `operand`."""
    return isinstance(operand, Value)


_ANYWHERE = ("alloca", "gep")  # which may stand in another order, as private addresses


class _Reader:
    def __init__(self, own: Collection[str]) -> None:
        self.own = own
        self.shared: dict[str, int] = {}  # of `own`, in the order of use
        self.values: dict[Value, int] = {}
        self.labels: dict[str, int] = {}
        self.private: set[Value] = set()  # private variables, and addresses in them
        self.unused: dict[Value, Op] = {}  # those that no op has used yet

    def function(self, function: Function) -> object:
        """What the function is, as nested tuples."""
        heads = [self._define(each) for each in (*function.params, *function.ids)]
        blocks = [
            (self._label(block.name), [self._define(each) for each in block.params], [*map(self._op, block.ops)])
            for block in function.blocks
        ]
        facts = replace(function.facts, source_name="")  # which says only what it is called
        shared = [(self._variable(each.name), each.size, each.align) for each in function.shared.values()]
        return heads, blocks, repr(facts), sorted(shared)

    def _op(self, op: Op) -> object:
        assert not op.regions, "a control-flow graph has no regions"
        if op.name == "alloca" or self._is_fixed_address(op):
            self.private.add(op.result)
            self.unused[op.result] = op
            return ()
        return self._said(op), [self._define(each) for each in op.results]

    def _is_fixed_address(self, op: Op) -> bool:
        """Whether the op gives a place in a private variable that does not depend on the run."""
        return op.name == "gep" and op.operands[0] in self.private and not any(map(is_value, op.operands[1:]))

    def _said(self, op: Op) -> object:
        attrs = [(name, self._attribute(name, value)) for name, value in sorted(op.attrs.items())]
        return op.name, [self._operand(each) for each in op.operands], attrs

    def _operand(self, operand: Operand) -> object:
        if not isinstance(operand, Value):
            value = operand.value
            return operand.type, rename_globals(value, self._variable) if isinstance(value, str) else value
        first = self.unused.pop(operand, None)
        return self._number(operand), first and self._said(first)

    def _attribute(self, name: str, value: Attribute) -> object:
        return [self._label(str(each)) for each in value] if name == "targets" and isinstance(value, tuple) else value

    def _define(self, value: Value) -> object:
        return self._number(value), value.type

    def _variable(self, name: str) -> str:
        return f"@ {self.shared.setdefault(name, len(self.shared))}" if name in self.own else name

    def _number(self, value: Value) -> int:
        return self.values.setdefault(value, len(self.values))

    def _label(self, name: str) -> int:
        return self.labels.setdefault(name, len(self.labels))
