# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that are the same code under two names."""

from __future__ import annotations

import pytest

from warploom.ir.parser import parse_function
from warploom.ir.same_code import code_key, outline

HEAD = "(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32, %p: ptr)"
IDS = "ids (%bx: i32, %by: i32, %bz: i32, %tx: i32, %ty: i32, %tz: i32)"


def key(code: str, name: str = "k") -> bytes:
    """The key of a kernel with one block of `code`."""
    return code_key(parse_function(f"kernel @{name}{HEAD} {{ {IDS} ^entry: {code} ret }}"))


def outlined(code: str) -> object:
    """What of the same kernel is looked at first."""
    return outline(parse_function(f"kernel @k{HEAD} {{ {IDS} ^entry: {code} ret }}"))


def test_an_outline_has_ops_and_types() -> None:
    code = "%a: i32 = {} %tx, %tx store %a, %p [align=4]"
    assert outlined(code.format("add")) == outlined(code.format("add").replace("%a", "%other"))
    assert outlined(code.format("add")) != outlined(code.format("sub"))
    assert outlined("%a: i64 = zext %tx") != outlined("%a: i64 = sext %tx")
    assert outlined("%a: i64 = zext %tx") != outlined("%a: i128 = zext %tx")


def test_an_outline_leaves_out_where_private_addresses_are_made() -> None:
    one = "%a: ptr = alloca [size=8, align=4] %b: ptr = gep %a [offset=4, strides=()] store %tx, %b [align=4]"
    other = "%b: ptr = alloca [size=8, align=4] store %tx, %b [align=4]"
    assert outlined(one) == outlined(other)


def test_names_and_lines_do_not_count() -> None:
    one = key('%a: i32 = add %tx, 1:i32 @ "a.cu":1:2 store %a, %p [align=4]')
    assert one == key('%b: i32 = add %tx, 1:i32 @ "a.cu":1:9 store %b, %p [align=4]', "other")


def test_a_constant_counts() -> None:
    code = "%a: i32 = add %tx, {}:i32 store %a, %p [align=4]"
    assert key(code.format(1)) != key(code.format(2))


def test_which_value_is_used_counts() -> None:
    code = "%a: i32 = add %tx, %ty %b: i32 = sub %tx, %ty store {}, %p [align=4]"
    assert key(code.format("%a")) != key(code.format("%b"))


def test_the_order_of_private_variables_does_not_count() -> None:
    made = ("%a: ptr = alloca [size=4, align=4]", "%b: ptr = alloca [size=8, align=4]")
    used = "store %tx, %a [align=4] store %ty, %b [align=4]"
    assert key(" ".join((*made, used))) == key(" ".join((*reversed(made), used)))


def test_what_a_private_variable_is_counts() -> None:
    code = "%a: ptr = alloca [size={}, align=4] store %tx, %a [align=4]"
    assert key(code.format(4)) != key(code.format(8))


def test_where_in_a_private_variable_counts() -> None:
    code = """%a: ptr = alloca [size=8, align=4] %b: ptr = gep %a [offset={}, strides=(), inbounds=true]
      store %tx, %b [align=4] store %tx, %a [align=4]"""
    assert key(code.format(0)) != key(code.format(4))


def shared(code: str, *sizes: int) -> str:
    """A kernel with shared variables @a, @b, ... of `sizes`."""
    lines = "".join(f" shared @{name} [size={size}, align=4]" for name, size in zip("ab", sizes, strict=False))
    return f"kernel @k{HEAD} {{{lines} {IDS} ^entry: {code} ret }}"


@pytest.mark.parametrize(
    ("sizes", "first", "second", "own", "is_same"),
    [
        ((4, 4), "@a", "@b", ("a", "b"), True),
        ((4, 4), "@a", "@b", ("a",), False),  # another function may name @b
        ((4, 8), "@a", "@b", ("a", "b"), False),
    ],
)
def test_which_of_its_own_shared_variables_a_kernel_uses_does_not_count(
    sizes: tuple[int, int], first: str, second: str, own: tuple[str, ...], is_same: bool
) -> None:
    keys = {
        code_key(parse_function(shared(f"store %tx, {name}:ptr [align=4]", *sizes)), own) for name in (first, second)
    }
    assert (len(keys) == 1) == is_same


def test_which_of_two_shared_variables_is_used_twice_counts() -> None:
    code = "store %tx, @a:ptr [align=4] store %ty, {}:ptr [align=4]"
    keys = {code_key(parse_function(shared(code.format(name), 4, 4)), ("a", "b")) for name in ("@a", "@b")}
    assert len(keys) == 2
