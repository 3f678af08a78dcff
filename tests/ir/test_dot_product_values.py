# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dot products by name: signs, wrapping, rounding, vectors."""

from __future__ import annotations

import pytest

from warploom.ir.dot_products import dot_product, evaluator, vector_dot

WORDS = 0x80808080


@pytest.mark.parametrize(
    ("name", "expected"),
    [("ss", 4 * 128 * 128), ("uu", 4 * 128 * 128), ("us", -4 * 128 * 128), ("su", -4 * 128 * 128)],
)
def test_signs_decide_what_a_byte_is(name: str, expected: int) -> None:
    function = evaluator(f"__warploom_dot4_{name}")
    assert function is not None
    assert function(WORDS, WORDS, 0) == expected & 0xFFFFFFFF


def test_two_products_take_halfwords_and_the_lower_bytes() -> None:
    function = evaluator("__warploom_dot2_us")
    assert function is not None
    assert function(0xFFFF0002, 0xAAAAFF03, 10) == (10 + 2 * 3 - 0xFFFF) & 0xFFFFFFFF


def test_sums_wrap() -> None:
    function = evaluator("__warploom_dot4_uu")
    assert function is not None
    assert function(1, 1, 0xFFFFFFFF) == 0


def test_a_vector_goes_lane_by_lane() -> None:
    function = evaluator("__warploom_v2_dot4_ss")
    assert function is not None
    assert function((1, 2), (3, 4), (5, 6)) == (8, 14)


def test_bfloat16_round_after_each_product_the_upper_one_first() -> None:
    function = evaluator("__warploom_dot2_bf16")
    assert function is not None
    big, small, one = 0x4B80, 0xBF80, 0x3F80  # 2^24, -1, 1
    # 2^24 + 1 is no float: (1 + 2^24) rounds to 2^24, less 1; the other way around nothing is lost.
    assert function(big << 16 | small, one << 16 | one, 0x3F800000) == 0x4B7FFFFF
    assert function(small << 16 | big, one << 16 | one, 0x3F800000) == 0x4B800000
    vector = evaluator("__warploom_v2_dot2_bf16")
    assert vector is not None
    assert vector((one, 0), (one, 0), (0, 0x40000000)) == (0x3F800000, 0x40000000)


def test_names() -> None:
    assert vector_dot("__warploom_dot4_ss", 16) == "__warploom_v16_dot4_ss"
    assert vector_dot("expf", 16) is None
    assert dot_product("__warploom_dot3_ss") is None
