# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When Python looks for garbage: seldom while it compiles, and not at modules that were just loaded."""

from __future__ import annotations

import gc

from warploom.core.garbage import leave_alone, seldom_collecting


def test_what_is_there_counts_as_old() -> None:
    young: list[object] = [[]]
    leave_alone()
    assert gc.get_freeze_count() == 0
    assert any(each is young for each in gc.get_objects(generation=2))
    assert not any(each is young for each in gc.get_objects(generation=0))


def test_garbage_that_counts_as_old_is_collected_all_the_same() -> None:
    class Node:
        ended = 0
        own: Node

        def __del__(self) -> None:
            Node.ended += 1

    node = Node()
    node.own = node
    leave_alone()
    del node
    gc.collect()
    assert Node.ended == 1


def test_what_the_program_froze_stays_so() -> None:
    gc.freeze()
    try:
        young: list[object] = [[]]
        leave_alone()
        assert gc.get_freeze_count() > 0
        assert not any(each is young for each in gc.get_objects(generation=2))
    finally:
        gc.unfreeze()


def test_the_thresholds_come_back() -> None:
    before = gc.get_threshold()
    with seldom_collecting():
        assert gc.get_threshold() > before
    assert gc.get_threshold() == before


def test_the_thresholds_come_back_behind_the_last_of_several_threads() -> None:
    before = gc.get_threshold()
    first, second = seldom_collecting(), seldom_collecting()
    with first:
        second.__enter__()
    assert gc.get_threshold() > before, "the second one is not done"
    second.__exit__(None, None, None)
    assert gc.get_threshold() == before
