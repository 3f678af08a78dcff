# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which accesses can meet: in one thread, in two threads of a block, anywhere in a block."""

from __future__ import annotations

import pytest
from block_kernel import block_kernel, ops_of

from warploom.analysis.barrier_effects import Effects, barrier_graph
from warploom.analysis.memory import Access, Memory, conflicts, memory_of
from warploom.ir.core import Function, Value

INDICES = """%x: i64 = zext %tx
      %y: i64 = zext %ty
      %w: i64 = sext %n
      %own: ptr = alloca [size=16, align=4]
      %ps: ptr = gep @s:ptr, %x [offset=0, strides=(4,), inbounds=true]
      %ps1: ptr = gep @s:ptr, %x [offset=4, strides=(4,), inbounds=true]
      %pp: ptr = gep %p, %x [offset=0, strides=(4,), inbounds=true]
      %pn: ptr = gep %p, %w [offset=0, strides=(4,), inbounds=true]
      %pn1: ptr = gep %p, %w [offset=4, strides=(4,), inbounds=true]
      %s3: ptr = gep @s:ptr [offset=3, strides=(), inbounds=true]
      %s4: ptr = gep @s:ptr [offset=4, strides=(), inbounds=true]
      %far: ptr = load %p [align=8]
"""


def pair(first: str, second: str, attrs: str = "block=(64, 1, 1)", extra: str = "") -> tuple[Memory, Access, Access]:
    """A store to `first` and a load from `second`."""
    function: Function = block_kernel(
        f"{INDICES}{extra}\nstore 0:i32, {first} [align=4]\n%v: i32 = load {second} [align=4]", attrs
    )
    memory = memory_of(function)
    (a,), (b,) = memory.accesses(ops_of(function, "store")[-1]), memory.accesses(ops_of(function, "load")[-1])
    return memory, a, b


# Addresses, attributes, conflict in one thread, conflict across threads, why.
PAIRS = [
    ("@s:ptr", "@t:ptr", "", False, False, "two shared variables"),
    ("@s:ptr", "@d:ptr", "", False, False, "static and dynamic shared memory"),
    ("@s:ptr", "@s:ptr", "", True, True, "one place for all threads"),
    ("@s:ptr", "%p", "", False, False, "shared memory is not behind a kernel's pointer"),
    ("@g:ptr", "%p", "", True, True, "a kernel's pointer may point to a global"),
    ("@g:ptr", "@h:ptr", "", False, False, "two globals"),
    ("%p", "%q", "", True, True, "two pointers may be equal"),
    ("%p", "%q", "noalias=(0,)", False, False, "unless the program says that they are not"),
    ("%own", "%own", "", True, False, "private memory of each thread"),
    ("%own", "%p", "", False, False, "nothing else points to private memory"),
    ("%own", "%far", "", False, False, "also a loaded pointer does not, if the address never went anywhere"),
    ("%p", "%far", "", True, True, "a loaded pointer may point to where a parameter does"),
    ("@s:ptr", "%far", "", False, False, "a loaded pointer does not point to a shared variable by itself"),
    ("%ps", "%ps", "block=(64, 1, 1)", True, False, "each thread its own slot"),
    ("%ps", "%ps1", "block=(64, 1, 1)", False, True, "the neighbour's slot"),
    ("%ps", "%ps", "", True, True, "rows share slots"),
    ("%pn", "%pn1", "", False, False, "one slot apart, wherever that is"),
    ("@s:ptr", "%s3", "", True, True, "the last byte is the first"),
    ("%s3", "@s:ptr", "", True, True, "the first byte is the last"),
    ("@s:ptr", "%s4", "", False, False, "the byte behind the last"),
    ("%s4", "@s:ptr", "", False, False, "the byte before the first"),
    ("%ps", "%ps", "block=(1, 1, 1)", True, False, "there is no other thread"),
]


@pytest.mark.parametrize(("a", "b", "attrs", "one", "two", "why"), PAIRS, ids=[each[-1] for each in PAIRS])
def test_conflicts(a: str, b: str, attrs: str, one: bool, two: bool, why: str) -> None:
    memory, first, second = pair(a, b, attrs)
    assert memory.conflict_in_thread(first, second) == one, why
    assert memory.conflict_across_threads(first, second) == two, why


def test_an_exposed_address_may_come_back_from_memory() -> None:
    for place in ("%own", "@s:ptr"):
        memory, a, b = pair(place, "%far", extra=f"store {place}, %q [align=8]")
        assert memory.conflict_in_thread(a, b)


@pytest.mark.parametrize(
    ("result", "comes_back"),
    [("ptr", True), ("i64", True), ("{ i32, ptr }", True), ("<2 x ptr>", True), ("i32", False), ("double", False)],
)
def test_a_call_without_effects_may_give_an_address_back(result: str, comes_back: bool) -> None:
    memory = memory_of(block_kernel(f"{INDICES}%r: {result} = call %own [callee=f, effects=none]", "block=(64, 1, 1)"))
    assert bool(memory.pointers.exposed) == comes_back


def targets(first: str, extra: str) -> set[object]:
    """Keys of the objects that a store to `first` may go to."""
    function = block_kernel(f"{INDICES}{extra}\nstore 0:i32, {first} [align=4]", "block=(64, 1, 1)")
    return {access.object.key for access in memory_of(function).accesses(ops_of(function, "store")[-1])}


def test_a_selected_pointer_goes_to_one_of_two_objects() -> None:
    extra = "%c: i1 = icmp %tx, 3:i32 [pred=slt]\n%e: ptr = select %c, %ps, @t:ptr\n%f: ptr = select %c, %ps, %far"
    assert targets("%e", extra) == {"s", "t"}
    assert "s" not in targets("%f", extra), "from anywhere: @s is exposed then"
    memory, a, b = pair("%f", "%ps", extra=extra)
    assert memory.conflict_in_thread(a, b)


def test_what_an_if_yields_goes_to_one_of_two_objects() -> None:
    extra = """%c: i1 = icmp %tx, 3:i32 [pred=slt]
      %e: ptr = if %c { yield %ps } { %g: ptr = gep @t:ptr [offset=8, strides=(), inbounds=true]
        yield %g }"""
    assert targets("%e", extra) == {"s", "t"}


def test_a_pointer_that_moves_through_a_loop_stays_in_its_object() -> None:
    extra = """%e: ptr = for 0:i32, %n, 1:i32, @s:ptr [pred=slt] { (%i: i32, %m: ptr)
        %m2: ptr = gep %m [offset=4, strides=(), inbounds=true]
        yield %m2
      }"""
    memory, a, b = pair("%e", "@t:ptr", extra=extra)
    assert not memory.conflict_in_thread(a, b)
    memory, a, b = pair("%e", "@s:ptr", extra=extra)
    assert memory.conflict_in_thread(a, b)


VECTORS = """%l: <8 x i32> = splat %tx
      %m: <8 x i1> = splat 1:i1
      %vs: <8 x ptr> = gep @s:ptr, %l [offset=0, strides=(4,)]
      %vt: <8 x ptr> = gep @t:ptr, %l [offset=0, strides=(4,)]
      %vs4: <8 x ptr> = gep %vs [offset=4, strides=()]
      %any: <8 x ptr> = select %m, %vs, %vt
      %s32: ptr = gep @s:ptr [offset=32, strides=(), inbounds=true]
      %s28: ptr = gep @s:ptr [offset=28, strides=(), inbounds=true]
"""


@pytest.mark.parametrize(
    ("write", "read", "meet", "why"),
    [
        ("scatter %l, %vs, %m", "gather %vt, %m, %l", False, "two shared variables"),
        ("scatter %l, %vs, %m", "gather %vs4, %m, %l", True, "one lane's slot is its neighbour's next"),
        ("scatter %l, %vs, %m", "masked_load %s32, %m, %l", True, "any of the object's bytes"),
        ("scatter %l, %any, %m", "masked_load @t:ptr, %m, %l", True, "chosen lane by lane: the variables are exposed"),
        ("masked_store %l, @s:ptr, %m", "masked_load %s32, %m, %l", False, "32 bytes of the same variable each"),
        ("masked_store %l, @s:ptr, %m", "masked_load %s28, %m, %l", True, "the last lane and the first one"),
        ("masked_store %l, %p, %m", "gather %vs, %m, %l", False, "shared memory is not behind a kernel's pointer"),
    ],
)
def test_accesses_by_lane(write: str, read: str, meet: bool, why: str) -> None:
    function = block_kernel(f"{VECTORS}{write}\n%v: <8 x i32> = {read}", "block=(64, 1, 1)")
    memory = memory_of(function)
    first, second = (memory.accesses(ops_of(function, text.split()[0])[-1]) for text in (write, read))
    assert first
    assert second
    assert any(memory.conflict_in_thread(a, b) for a in first for b in second) == meet, why


def test_a_value_that_changes_from_iteration_to_iteration_does_not_cancel() -> None:
    # Thread 0 may be at @s[i] in iteration 3 when thread 1 is at @s[i] in iteration 2.
    function = block_kernel(
        """
      for 0:i32, 64:i32, 1:i32 [pred=slt] { (%i: i32)
        %j: i32 = add %i, %tx [flags=(nsw)]
        %w: i64 = zext %j
        %a: ptr = gep @s:ptr, %w [offset=0, strides=(4,), inbounds=true]
        store 0:i32, %a [align=4]
        yield
      }""",
        "block=(64, 1, 1)",
    )
    memory = memory_of(function)
    (access,) = memory.accesses(ops_of(function, "store")[0])
    assert memory.conflict_across_threads(access, access)


def test_calls_do_what_they_say() -> None:
    function = block_kernel(f"""{INDICES}
      call %ps [callee=f, effects=argmem]
      call %ps [callee=g, effects=read]
      call %ps [callee=h, effects=none]
      call [callee=i, effects=any]
      store 0:i32, @t:ptr [align=4]
      store 0:i32, %p [align=4]""")
    memory = memory_of(function)
    shared, outer = (memory.accesses(op) for op in ops_of(function, "store"))
    argmem, read, none, unknown = (memory.accesses(op) for op in ops_of(function, "call"))
    assert not conflicts(memory, argmem, shared)
    assert not conflicts(memory, argmem, outer)
    assert conflicts(memory, read, outer)
    assert none == []
    assert conflicts(memory, unknown, outer)


def test_a_fence_is_about_everything_that_other_blocks_see() -> None:
    function = block_kernel("""fence [ordering=seq_cst]
      %v: i32 = load %p [align=4]
      %w: i32 = load @s:ptr [align=4]""")
    memory = memory_of(function)
    (fence,) = memory.accesses(ops_of(function, "fence")[0])
    (outer,), (shared,) = (memory.accesses(op) for op in ops_of(function, "load"))
    assert memory.conflict_across_threads(fence, outer)
    assert not memory.conflict_across_threads(fence, shared)
    assert memory.conflict_in_thread(fence, shared), "but in one thread nothing passes it"


def test_an_atomic_is_a_message_about_other_memory_too() -> None:
    # The last block counts a ticket and reads what the others left, in memory that is no part of the counter.
    function = block_kernel(
        f"""{INDICES}
      %v: i32 = load %pp [align=4]
      store 0:i32, @s:ptr [align=4]
      %ticket: i32 = atomicrmw %q, 1:i32 [operation=add]""",
        "block=(64, 1, 1), noalias=(0, 1)",
    )
    memory = memory_of(function)
    (data,) = memory.accesses(ops_of(function, "load")[-1])
    (ticket,) = memory.accesses(ops_of(function, "atomicrmw")[0])
    (shared,) = memory.accesses(ops_of(function, "store")[0])
    assert memory.conflict_in_thread(data, ticket)
    assert memory.conflict_across_threads(data, ticket)
    assert memory.conflict_across_threads(ticket, data)
    assert memory.conflict_anywhere(data, ticket)
    assert not memory.conflict_across_threads(shared, ticket), "no other block sees shared memory"


@pytest.mark.parametrize(
    ("pointer", "meets", "why"),
    [
        ("%its", True, "what thread 3 loads may point to where thread 2 has its element"),
        ("%pp", False, "one array for all threads"),
    ],
)
def test_pointers_of_each_thread_may_lie_apart_by_any_distance(pointer: str, meets: bool, why: str) -> None:
    extra = f"""%places: ptr = gep %q, %x [offset=0, strides=(8,), inbounds=true]
      %its: ptr = load %places [align=8]
      %element: ptr = gep {pointer}, %x [offset=0, strides=(4,), inbounds=true]"""
    memory, a, b = pair("%element", "%element", "block=(64, 1, 1)", extra)
    assert memory.conflict_across_threads(a, b) == meets, why


def test_effects_of_a_barrier_end_at_the_next_ones() -> None:
    function = block_kernel("""
      store 0:i32, @s:ptr [align=4]
      barrier [level=block]
      %c: i1 = icmp %n, 0:i32 [pred=sgt]
      if %c {
        store 0:i32, @t:ptr [align=4]
        barrier [level=block]
        store 0:i32, %p [align=4]
        yield
      } { yield }
      store 0:i32, %q [align=4]""")
    graph = barrier_graph(memory_of(function), ops_of(function, "block")[0])
    first, second = ops_of(function, "barrier")

    def names(effects: Effects) -> list[str]:
        return sorted(each.key.name if isinstance(each.key, Value) else each.key for each in effects)

    assert names(graph.before(first)) == ["s"]
    assert names(graph.after(first)) == ["q", "t"]
    assert names(graph.before(second)) == ["t"]
    assert names(graph.after(second)) == ["p", "q"]
    graph.remove(first)
    assert names(graph.before(second)) == ["s", "t"]


def test_effects_go_round_a_loop() -> None:
    function = block_kernel("""
      for 0:i32, %n, 1:i32 [pred=slt] { (%i: i32)
        store 0:i32, @s:ptr [align=4]
        barrier [level=block]
        store 0:i32, @t:ptr [align=4]
        yield
      }""")
    graph = barrier_graph(memory_of(function), ops_of(function, "block")[0])
    (barrier,) = ops_of(function, "barrier")
    assert {each.key for each in graph.before(barrier)} == {"s", "t"}
    assert {each.key for each in graph.after(barrier)} == {"s", "t"}
