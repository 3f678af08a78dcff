# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the verifier asks of vector ops beyond their form: for `signatures.py`.

Each question answers with the reason why something is wrong, or with nothing.
"""

from __future__ import annotations

from warploom.ir.core import Op
from warploom.ir.types import bits, element_of, is_aggregate, is_float, is_int, is_vector, lanes_of, members_of_text

_INTEGER_REDUCTIONS = ("add", "mul", "and", "or", "xor", "umin", "umax", "smin", "smax")
_FLOAT_REDUCTIONS = ("fadd", "fmul", "fmin", "fmax")
REDUCTIONS = (*_INTEGER_REDUCTIONS, *_FLOAT_REDUCTIONS)


def address_error(_: str, operands: tuple[str, ...], results: tuple[str, ...]) -> str | None:
    """gep: a pointer and integers, scalars or vectors of one length."""
    base, *indices = operands
    if element_of(base) != "ptr":
        return f"starts from `{base}`, which is no pointer"
    for index in indices:
        if not is_int(element_of(index)):
            return f"has an index of type `{index}`, which is no integer"
    lengths = {lanes for each in operands if (lanes := lanes_of(each)) is not None}
    if len(lengths) > 1:
        return f"mixes vectors of {', '.join(map(str, sorted(lengths)))} elements"
    wanted = f"<{lengths.pop()} x ptr>" if lengths else "ptr"
    return None if results[0] == wanted else f"has a result of type `{wanted}`, not `{results[0]}`"


def element_error(_: str, operands: tuple[str, ...], __: tuple[str, ...]) -> str | None:
    """splat: of a scalar."""
    fits = not is_vector(operands[0]) and not is_aggregate(operands[0])
    return None if fits else f"is not for `{operands[0]}`"


def memory_error(_: str, operands: tuple[str, ...], results: tuple[str, ...]) -> str | None:
    """Accesses by element: each has an address of its own."""
    element = element_of(results[0] if results else operands[0])
    if element == "ptr" or is_float(element):
        return None
    fits = is_int(element) and bits(element) in (8, 16, 32, 64)
    return None if fits else f"is not for elements of type `{element}`, which are no 1, 2, 4 or 8 bytes in memory"


def reduction_error(op: Op) -> str | None:
    """reduce: of integers or of floating point, as its kind says."""
    element, kind = element_of(op.operands[0].type), str(op.attrs["kind"])
    fits = is_float(element) if kind in _FLOAT_REDUCTIONS else is_int(element)
    return None if fits else f"cannot reduce `{op.operands[0].type}` with {kind}"


def vector_constant_error(type_: str, text: str) -> str | None:
    """Why LLVM's `text` is no value of a vector type, as far as its elements' number and types go."""
    element, lanes = element_of(type_), lanes_of(type_)
    if text.startswith("<"):
        members = members_of_text(text[1:-1])
        fits = len(members) == lanes and all(each.startswith(f"{element} ") for each in members)
    elif text.startswith("splat"):
        fits = text.removeprefix("splat").lstrip().startswith(f"({element} ")
    else:
        return None
    return None if fits else f"`{text}` is no value of type `{type_}`"
