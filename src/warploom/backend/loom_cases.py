# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Switches over types, each as a function that the module has once.

    if %is_byte {                                     %of = %is_byte + 2 * %is_word    once, where both are known
      %b: <8 x i8> = gather_near %p, %m, .., %span
      yield sitofp %b                                 %x = call @warploom.cases.7(%of, %p, %m, %span)
    } { if %is_word { ... } { ... } }            ==>
                                                      define <8 x float> @warploom.cases.7(%of, %p, %m, %span) noinline
                                                        %is_byte = trunc %of to i1 ...; the code of the choice

A kernel whose types the launch says has a `switch` over them for each element of each operand that a thread takes:
twelve of ten cases each where a thread adds two operands of four elements. Here they are three functions, or two if
both operands become the same type, which other kernels of the module share.

Sound because the function does what the choice does, from the same values: a case makes one access and computes. It is
done from `MANY` accesses on, which take longer to compile, and to choose between, than a call takes. It is not
done where instructions have lines, so that a fault has that of its case.
"""

from __future__ import annotations

from collections.abc import Sequence

from warploom.backend.loom_choices import choice_of_accesses
from warploom.backend.loom_code import Code, Text
from warploom.backend.loom_ops import quoted, words
from warploom.ir.core import Op, Value, free_values, walk_op

CASES_SUFFIX = ".cases"
MANY = 6  # accesses of a choice that becomes a function
_MOST_CONDITIONS = 64  # as many as a word has bits


class CasesCode(Code):
    """A function whose long switches over types are functions of their own."""

    def __init__(self, text: Text, stem: str) -> None:
        """`stem`: what the names of functions start with that are made of parts of this one."""
        super().__init__(text)
        self.text, self.stem = text, stem
        self.made: list[str] = []  # such functions, shared by all that belong together
        self.packed: dict[tuple[Value, ...], str] = {}  # conditions as bits of one number

    def _op_if(self, op: Op) -> None:
        conditions = [] if self.scope else conditions_of_cases(op)
        if not conditions:
            super()._op_if(op)
            return
        passed = [each for each in free_values(op) if each not in conditions]
        # What is a constant for LLVM stays one.
        named = {each: self.names[each] for each in passed if not self.names[each].startswith("%")}
        passed = [each for each in passed if each not in named]
        name = self._cases(op, conditions, passed, named)
        arguments = [f"i64 {self._packed(conditions)}", *(f"{each.type} {self.names[each]}" for each in passed)]
        text = f"call {_type_of(op)} @{name}({', '.join(arguments)})"
        self.line(f"{self.define(op.results[0])} = {text}" if op.results else text, op.loc, call=True)

    def _cases(self, op: Op, conditions: Sequence[Value], passed: Sequence[Value], named: dict[Value, str]) -> str:
        """Write the function, if the module has none like it; its name."""
        name = f"{self.stem}{CASES_SUFFIX}.{len(self.made)}"
        self.made.append(name)
        code = Code(self.text)
        code.takes_gathers_apart = self.takes_gathers_apart
        code.attributes = self.attributes if "noinline" in self.attributes else words(self.attributes, "noinline")
        code.names.update(named)
        parameters = [f"{each.type} {code.define(each)}" for each in passed]
        for number, condition in enumerate(conditions):
            bit = code.value("bit", f"lshr i64 %of, {number}")
            code.names[condition] = code.value("is", f"trunc i64 {bit} to i1")
        code.op(op)
        results = [f"{each.type} {code.names[each]}" for each in op.results]
        code.line(f"ret {results[0] if results else 'void'}")
        return quoted(self.text.finish_once(name, ", ".join(["i64 %of", *parameters]), code, _type_of(op)))

    def _packed(self, conditions: Sequence[Value]) -> str:
        """The conditions as bits of a number, which is computed once where all are known from the start."""
        if self.opening is None or not self.known.issuperset(conditions):
            return self._pack(conditions)
        key = tuple(conditions)
        if key not in self.packed:
            self.packed[key] = self.at_opening(lambda: self._pack(conditions))
        return self.packed[key]

    def _pack(self, conditions: Sequence[Value]) -> str:
        of = "0"
        for number, condition in enumerate(conditions):
            bit = self.value("bit", f"zext i1 {self.names[condition]} to i64")
            of = self.value("of", f"or i64 {of}, {self.value('bit', f'shl i64 {bit}, {number}')}")
        return of


def conditions_of_cases(op: Op) -> list[Value]:
    """What decides in the `if` at hand, if it is a switch that becomes a function; else nothing."""
    choice = choice_of_accesses(op)
    if choice is None or len(choice.accesses) < MANY or len(op.results) > 1:
        return []
    asked = dict.fromkeys(each.operands[0] for each in walk_op(op) if each.name == "if")
    found = [each for each in asked if isinstance(each, Value)]
    return found if len(found) == len(asked) <= _MOST_CONDITIONS else []


def _type_of(op: Op) -> str:
    return op.results[0].type if op.results else "void"
