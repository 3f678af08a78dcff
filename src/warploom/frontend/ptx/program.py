# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program of PTX as the body of a C++ function: its variables, its labels, and its statements by the table."""

from __future__ import annotations

from warploom.frontend.ptx.emitter import Emitter
from warploom.frontend.ptx.syntax import Label, Negated, Program, Register
from warploom.frontend.ptx.table import statement


def program_text(emitter: Emitter, program: Program) -> str:
    """The body of a function, its variables first."""
    body: list[str] = []
    for item in program.statements:
        if isinstance(item, Label):
            body.append(f"L_{_word(item.name)}:;")
            continue
        code = statement(emitter, item)
        body.append(f"if ({_guard(item.guard)}) {{ {code} }}" if item.guard else f"{{ {code} }}")
    variables = [f"{_variable_type(register.bits)} {register.variable} = 0;" for register in program.declared]
    if emitter.sets_carry and not emitter.has_carry:
        variables.append("bool carry = false;")
    return " ".join(variables + body)


def _guard(guard: Register | Negated) -> str:
    return f"!{guard.register.variable}" if isinstance(guard, Negated) else guard.variable


def _variable_type(bits: int) -> str:
    return "bool" if bits == 1 else f"u{bits}"


def _word(name: str) -> str:
    return "".join(letter if letter.isalnum() else f"_{ord(letter):x}_" for letter in name)
