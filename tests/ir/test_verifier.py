# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each rule of the verifier, broken once: the message names the op and the reason."""

from __future__ import annotations

import re

import pytest
from every_op import CFG, LAUNCH, STRUCTURED

from warploom.ir.core import Const, Function, Region, Shared, Value
from warploom.ir.ops import OPS
from warploom.ir.parser import parse_function
from warploom.ir.signatures import signature
from warploom.ir.verifier import Stage, verify

PARAMETERS = f"{LAUNCH}, %n: i32, %l: i64, %p: ptr, %f: float, %v: <4 x float>, %c: i1"
VECTORS = "%v4: <4 x i32>, %v1: <4 x i1>, %p4: <4 x ptr>"
GRID = "grid %gdx, %gdy, %gdz { (%bx: i32, %by: i32, %bz: i32)"
BLOCK = "block %bdx, %bdy, %bdz { (%tx: i32, %ty: i32, %tz: i32)"


def kernel(body: str) -> Function:
    """A kernel with this body and a terminator."""
    return parse_function(f"kernel @k({PARAMETERS}, {VECTORS}) {{\n{body}\nyield }}")


def threads(body: str) -> Function:
    """The same within `grid` and `block`."""
    return kernel(f"{GRID}\n{BLOCK}\n{body}\nyield }}\nyield }}")


def blocks(text: str) -> Function:
    """A kernel in CFG form."""
    return parse_function(
        f"kernel @k({PARAMETERS}) {{ ids (%bx: i32, %by: i32, %bz: i32, %tx: i32, %ty: i32, %tz: i32)\n{text} }}"
    )


def rejects(function: Function, message: str, stage: Stage = "structured") -> None:
    """The verifier reports exactly this."""
    with pytest.raises(AssertionError, match=re.escape(message)):
        verify(function, stage)


# -- what is right ----------------------------------------------------------------------------------------------------


def test_every_op_can_be_right() -> None:
    verify(parse_function(STRUCTURED), "structured")
    verify(parse_function(CFG), "cfg")


def test_the_table_can_be_read() -> None:
    """Each form has the operands, results and attributes that a person reads in it."""
    assert all(signature(name) for name in OPS)
    exchange = signature("cmpxchg")
    assert (exchange.operands, exchange.results) == (("ptr", "T", "T"), ("{ T, i1 }",))
    assert exchange.required == {"ordering", "failure"}
    assert exchange.allowed == {"ordering", "failure", "scope", "align", "volatile", "weak", "private"}
    loop = signature("for")
    assert (loop.operands, loop.more_operands, loop.optional_results) == (("T", "T", "T"), "", None)
    assert signature("grid").operands == ("i32",) * 3
    assert signature("call").optional_results == 1


def test_vectors_compare_and_choose_element_by_element() -> None:
    verify(
        kernel("""
          %m: <4 x i1> = fcmp %v, %v [pred=olt]
          %a: <4 x float> = select %m, %v, %v
          %b: <4 x float> = select %c, %v, %v
          %d: <4 x double> = fpext %a
          %e: i128 = bitcast %b"""),
        "split",
    )


# -- types ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("%x: i32 = add %n", "has 1 operands, the form is `a:T b:T -> T [flags? range?]`"),
        ("%x: i32 = freeze %n, %n", "has 2 operands"),
        ("add %n, %n", "has 0 results"),
        ("%x: i32, %y: i32 = add %n, %n", "has 2 results"),
        ("%x: i32, %y: i32 = call [callee=g, effects=any]", "has 2 results"),
        ("%x: i32 = add %n, %l", "`i64` does not fit the form `a:T b:T -> T [flags? range?]`"),
        ("%x: i64 = add %n, %n", "`i64` does not fit the form"),
        ("%x: float = add %f, %f", "is for integers, not for `float`"),
        ("%x: i32 = fneg %n", "is for floats, not for `i32`"),
        ("%x: i32 = icmp %n, %n [pred=eq]", "has a result of type `i1`, not `i32`"),
        ("%x: i1 = fcmp %v, %v [pred=oeq]", "has a result of type `<4 x i1>`, not `i1`"),
        ("%x: i1 = icmp %f, %f [pred=eq]", "is for integers or pointers, not for `float`"),
        ("%x: i32 = select %n, %n, %n", "cannot choose `i32` by `i32`"),
        ("%x: i64 = trunc %n", "cannot turn `i32` into `i64`"),
        ("%x: i32 = zext %n", "cannot turn `i32` into `i32`"),
        ("%x: float = sext %n", "cannot turn `i32` into `float`"),
        ("%x: double = fpext %v", "cannot turn `<4 x float>` into `double`"),
        ("%x: i64 = ptrtoint %n", "cannot turn `i32` into `i64`"),
        ("%x: i64 = bitcast %n", "cannot turn `i32` into `i64`"),
        ("%x: float = bitcast poison:[1 x i32]", "cannot turn `[1 x i32]` into `float`"),
        ("%x: ptr = gep %l, %l [offset=0, strides=(4)]", "starts from `i64`, which is no pointer"),
        ("%x: ptr = gep %p, %f [offset=0, strides=(4)]", "has an index of type `float`, which is no integer"),
        ("%x: i32 = load %n", "`i32` does not fit the form `p:ptr -> T"),
        ("store %p, %n", "`i32` does not fit the form `x:T p:ptr ->"),
        ("%x: float = extractelement %f, %n", "`float` does not fit the form `v:<n x T> i:int -> T`"),
        ("%x: i32 = extractelement %v, %n", "`i32` does not fit the form"),
        ("%x: <2 x float> = insertelement %v, %f, %n", "`<2 x float>` does not fit the form"),
        ("%x: { i32, i1 } = cmpxchg %p, %l, %l [ordering=seq_cst, failure=monotonic]", "`{ i32, i1 }` does not fit"),
        ("%x: ptr = atomicrmw %p, %v [operation=xchg, ordering=monotonic]", "`ptr` does not fit the form"),
        ("%x: { i8 } = atomicrmw %p, poison:{ i8 } [operation=xchg, ordering=monotonic]", "is for integers or floats"),
        ("memset %p, %n, %l", "`i32` does not fit the form `to:ptr byte:i8 n:i64"),
        ("%x: i32 = call_indirect %n [effects=any]", "`i32` does not fit the form `f:ptr"),
        ("%x: ptr = gep %p, %v4 [offset=0, strides=(4)]", "has a result of type `<4 x ptr>`, not `ptr`"),
        ("%x: <4 x ptr> = gep %p, %n [offset=0, strides=(4)]", "has a result of type `ptr`, not `<4 x ptr>`"),
        ("%x: <4 x ptr> = gep %p4, undef:<2 x i32> [offset=0, strides=(4)]", "mixes vectors of 2, 4 elements"),
        ("%x: <4 x ptr> = gep %v, %n [offset=0, strides=(4)]", "starts from `<4 x float>`, which is no pointer"),
        ("%x: <4 x ptr> = gep %p, %v [offset=0, strides=(4)]", "has an index of type `<4 x float>`"),
        ("%x: <4 x i32> = splat %f", "`<4 x i32>` does not fit the form `x:T -> <n x T>`"),
        ("%x: <2 x <4 x float>> = splat %v", "is not for `<4 x float>`"),
        ("%x: i32 = reduce %v [kind=fadd]", "`i32` does not fit the form `x:<n x T> -> T"),
        ("%x: float = reduce %v [kind=add]", "cannot reduce `<4 x float>` with add"),
        ("%x: i32 = reduce %v4 [kind=fmin]", "cannot reduce `<4 x i32>` with fmin"),
        ("%x: i32 = reduce %v4 [kind=sub]", "has a wrong attribute kind='sub'"),
        ("%x: <4 x float> = masked_load %p, %c, %v", "`i1` does not fit the form `p:ptr m:<n x i1>"),
        ("%x: <4 x float> = masked_load %p4, %v1, %v", "`<4 x ptr>` does not fit the form"),
        ("%x: <4 x float> = masked_load %p, undef:<2 x i1>, %v", "`<4 x float>` does not fit the form"),
        ("%x: <4 x float> = masked_load %p, %v1, %v4", "`<4 x float>` does not fit the form"),
        ("%x: <4 x i1> = masked_load %p, %v1, %v1", "is not for elements of type `i1`"),
        ("%x: <4 x float> = masked_load %p, %v1, %v [volatile=true]", "has an attribute `volatile` that the form"),
        ("%x: <4 x float> = gather %p, %v1, %v", "`ptr` does not fit the form `p:<n x ptr> m:<n x i1>"),
        ("masked_store %v, %p, undef:<8 x i1>", "`<8 x i1>` does not fit the form `x:<n x T> p:ptr m:<n x i1>"),
        ("masked_store %v, %p4, %v1", "`<4 x ptr>` does not fit the form"),
        ("scatter %v, %p, %v1", "`ptr` does not fit the form `x:<n x T> p:<n x ptr>"),
        ("scatter undef:<2 x float>, %p4, %v1", "`<4 x ptr>` does not fit the form"),
        ("scatter undef:<4 x i24>, %p4, %v1", "is not for elements of type `i24`"),
    ],
)
def test_types(line: str, reason: str) -> None:
    rejects(kernel(line), f"`{line}` {reason}")


def test_vectors_in_memory_and_of_addresses() -> None:
    verify(
        kernel("""
          %a: <4 x ptr> = gep %p, %v4, %n [offset=8, strides=(4, 16)]
          %b: <4 x ptr> = gep %a, %l [offset=0, strides=(1)]
          %s: <4 x float> = splat 1.0:float
          %x: <4 x float> = masked_load %p, %v1, %s [align=4, constant=true]
          %y: <4 x float> = gather %b, %v1, %x [align=4]
          masked_store %y, %p, %v1 [align=4]
          scatter %y, %a, %v1
          %t: i1 = reduce %v1 [kind=or]
          %f1: float = reduce %y [kind=fadd, flags=(reassoc)]"""),
        "split",
    )


def test_types_are_spelled_as_llvm_spells_them() -> None:
    function = kernel("%x: i32 = freeze %n")
    function.body.ops[0].result.type = "int"
    rejects(function, "`int` is no type")
    function = kernel("if %c { yield } { yield }")
    function.body.ops[0].regions[0].params = [Value("<4 float>", "x")]
    rejects(function, "defines %x of type `<4 float>`, which is no type")


@pytest.mark.parametrize(
    ("constant", "reason"),
    [
        (Const("i8", 256), "256 are no bits of `i8`"),
        (Const("i8", -1), "-1 are no bits of `i8`"),
        (Const("float", 1 << 32), "4294967296 are no bits of `float`"),
        (Const("ptr", 0), "0 are no bits of `ptr`"),
        (Const("i1", "true"), "true as text: a constant of type `i1` holds an int"),
        (Const("float", "1.0"), "1.0 as text: a constant of type `float` holds an int"),
        (Const("int", 0), "`int` is no type"),
        (Const("<2 x i32>", 5), "5 are no bits of `<2 x i32>`"),
        (Const("<2 x i32>", "<i32 1>"), "`<i32 1>` is no value of type `<2 x i32>`"),
        (Const("<2 x i32>", "<i64 1, i64 2>"), "`<i64 1, i64 2>` is no value"),
        (Const("<2 x float>", "splat (double 1.0)"), "`splat (double 1.0)` is no value"),
    ],
)
def test_constants(constant: Const, reason: str) -> None:
    function = kernel("fence [ordering=release]")
    function.body.ops[0].operands = [constant]
    rejects(function, f"has a wrong constant: {reason}")


# -- attributes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("%x: i1 = icmp %n, %n", "has no attribute `pred`"),
        ("%x: i1 = icmp %n, %n [pred=olt]", "has a wrong attribute pred='olt'"),
        ("%x: i1 = fcmp %f, %f [pred=slt]", "has a wrong attribute pred='slt'"),
        ("%x: i32 = add %n, %n [flags=nsw]", "has a wrong attribute flags='nsw'"),
        ("%x: i32 = add %n, %n [flags=(nws)]", "has a wrong attribute flags=('nws',)"),
        ("%x: i32 = add %n, %n [nsw=true]", "has an attribute `nsw` that the form"),
        ("%x: ptr = gep %p, %n [offset=0, strides=(4, 4)]", "needs one stride an index: 1"),
        ("%x: ptr = gep %p [offset=1.0, strides=()]", "has a wrong attribute offset=1.0"),
        ("%x: ptr = gep %p [offset=0, strides=(), inbounds=1]", "has a wrong attribute inbounds=1"),
        ("%x: i32 = load %p [align=3]", "has a wrong attribute align=3"),
        ("%x: i32 = load %p [ordering=relaxed]", "has a wrong attribute ordering='relaxed'"),
        ("%x: ptr = alloca [size=-1]", "has a wrong attribute size=-1"),
        ("%x: i32 = call [callee=g, effects=write]", "has a wrong attribute effects='write'"),
        ("%x: i32 = call [callee=g]", "has no attribute `effects`"),
        ("%x: i32 = atomicrmw %p, %n [operation=inc, ordering=monotonic]", "has a wrong attribute operation='inc'"),
        ("%x: <2 x float> = shufflevector %v, %v [mask=(0)]", "has a mask of 1 for `<2 x float>`"),
        ("%x: <2 x float> = shufflevector %v, %v [mask=(0, 8)]", "has a mask out of -1 to 7"),
        ("%x: i8 = extractvalue poison:{ i8, [2 x i1] } [path=(1, 2)]", "has a path that leads nowhere in"),
        ("%x: i8 = extractvalue poison:{ i8, [2 x i1] } [path=(1)]", "finds `[2 x i1]` on its path, not `i8`"),
        ("%x: { i8 } = insertvalue poison:{ i8 }, %n [path=(0)]", "finds `i8` on its path, not `i32`"),
    ],
)
def test_attributes(line: str, reason: str) -> None:
    rejects(kernel(line), f"`{line}` {reason}")


@pytest.mark.parametrize(
    "line",
    [
        "barrier [level=thread]",
        "%x: i32 = barrier_reduce %n [kind=sum]",
        "%x: i64 = shuffle %n, %l, %n, %n [kind=left]",
        "%x: i32 = vote %n, %n [kind=count]",
        "%x: i32 = match %n, %l [kind=some]",
        "%x: i32 = warp_reduce %n, %n [kind=min]",
    ],
)
def test_kinds_of_collectives(line: str) -> None:
    rejects(threads(line), "has a wrong attribute")


# -- definitions and uses ---------------------------------------------------------------------------------------------


def test_the_message_names_the_line_of_the_printed_form() -> None:
    rejects(threads("\n\n%x: i32 = add %bx, %f"), "kernel k, line 4: `%x: i32 = add %bx, %f` `float` does not fit")


def test_unknown_op() -> None:
    function = kernel("fence [ordering=release]")
    function.body.ops[0].name = "fences"
    rejects(function, "`fences [ordering=release]` is no op of the table")


def test_a_use_before_its_definition() -> None:
    function = kernel("%a: i32 = freeze %n\n%b: i32 = freeze %a")
    function.body.ops[:2] = function.body.ops[1::-1]
    rejects(function, "line 2: `%b: i32 = freeze %a` uses %a, which is not defined on every way here")


def test_a_use_out_of_the_region_of_its_definition() -> None:
    function = kernel("if %c { %a: i32 = freeze %n yield } { yield }\n%b: i32 = freeze %n")
    inner = function.body.ops[0].regions[0].ops[0]
    function.body.ops[1].operands = [inner.result]
    rejects(function, "`%b: i32 = freeze %a` uses %a")


def test_a_loop_cannot_use_its_own_result() -> None:
    function = kernel("%r: i32 = for 0:i32, %n, 1:i32, %n [pred=slt] { (%i: i32, %a: i32) yield %a }")
    loop = function.body.ops[0]
    loop.region.terminator.operands = [loop.result]
    rejects(function, "`yield %r` uses %r")


def test_a_value_from_nowhere() -> None:
    function = kernel("%a: i32 = freeze %n")
    function.body.ops[0].operands = [Value("i32", "lost")]
    rejects(function, "uses %lost")


def test_a_value_defined_twice() -> None:
    function = kernel("%a: i32 = freeze %n\n%b: i32 = freeze %n")
    first, second, _ = function.body.ops
    second.results = first.results
    rejects(function, "defines %a: i32, which is defined already")


def test_an_op_that_stands_in_two_places() -> None:
    function = kernel("fence [ordering=release]")
    function.body.ops.insert(0, function.body.ops[0])
    rejects(function, "stands in the function twice")


# -- regions ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("if %c { yield }", "`if %c` has 1 regions, not 2"),
        ("fence [ordering=release] { yield }", "has 1 regions, not 0"),
        ("if %c { } { yield }", "has an empty region: there is no terminator"),
        ("if %c { fence [ordering=release] } { yield }", "is the last op of a region but no terminator"),
        ("yield", "`yield` is not the last op"),
        ("yield if %c { yield } { yield }", "`yield` is not the last op"),
        ("ret", "`ret` belongs to the CFG form"),
        ("if %c { (%x: i32) yield } { yield }", "has region parameters of types (i32), wanted are ()"),
        ("%r: i32 = if %c { yield %n } { yield }", "`yield` has operands of types (), wanted are (i32)"),
        ("%r: i32 = if %c { yield %n } { yield %l }", "`yield %l` has operands of types (i64), wanted are (i32)"),
        ("if %c { condition %c } { yield }", "`condition %c` ends region 0 of `if`, where a yield must stand"),
        ("for 0:i32, %n, 1:i32 { (%i: i32) yield }", "has no attribute `pred`"),
        ("for %f, %f, %f [pred=slt] { (%i: float) yield }", "counts in integers, not in `float`"),
        ("for 0:i32, %n, 1:i32 [pred=eq] { (%i: i32) yield }", "has a wrong attribute pred='eq'"),
        ("for 0:i32, %n, 1:i32 [pred=slt] { yield }", "has region parameters of types (), wanted are (i32)"),
        ("for 0:i32, %n, 1:i32, %f [pred=slt] { (%i: i32, %x: float) yield %x }", "has results of types (), wanted"),
        ("for 0:i32, %n, 1:i32 [pred=slt] { (%i: i32) yield %i }", "`yield %i` has operands of types (i32), wanted"),
        ("while { yield } { yield }", "`yield` ends region 0 of `while`, where a condition must stand"),
        ("while { condition %c, %n } { yield }", "`condition %c, %n` has operands of types (i1, i32), wanted are (i1)"),
        ("while %n { condition %c } { yield %n }", "has parameters of its first region of types (), wanted are (i32)"),
        ("while { condition %c } { (%x: i32) yield }", "has parameters of its second region of types (i32), wanted"),
        ("while %n { (%x: i32) condition %c } { yield }", "`yield` has operands of types (), wanted are (i32)"),
        ("while { condition %n } { yield }", "`condition %n` `i32` does not fit the form `c:i1 value... ->`"),
        ("grid %n, %n, %n { (%x: i32) yield }", "has region parameters of types (i32), wanted are (i32, i32, i32)"),
        ("grid %n, %n, %n { (%x: i32, %y: i32, %z: i32) yield %x }", "`yield %x` has operands of types (i32), wanted"),
    ],
)
def test_regions(body: str, reason: str) -> None:
    rejects(kernel(body), reason)


def test_a_kernel_ends_in_a_plain_yield() -> None:
    function = kernel("")
    function.body.ops[0].operands = [Const("i32", 0)]
    rejects(function, "ends a kernel, where a plain yield must stand")


# -- parallel loops ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (kernel(BLOCK + " yield }"), "stands in the kernel's body; it belongs in grid"),
        (threads(GRID.replace("%b", "%x") + " yield }"), "stands in grid > block; it belongs in the kernel's body"),
        (threads(BLOCK.replace("%t", "%x") + " yield }"), "stands in grid > block; it belongs in grid"),
        (threads("lane 32:i32 { (%l1: i32) yield }"), "stands in grid > block; it belongs in grid > warp"),
        (kernel("warp 2:i32 { (%w: i32) yield }"), "stands in the kernel's body; it belongs in grid"),
        (threads("%s: ptr = scratch [size=4, level=block]"), "stands in grid > block; a buffer of this level belongs"),
        (kernel("%s: ptr = scratch [size=4, level=block]"), "stands in the kernel's body; a buffer of this level"),
        (kernel("barrier [level=block]"), "stands in the kernel's body, where the threads that it waits for are not"),
        (
            kernel(
                GRID + " warp 2:i32 { (%w: i32) lane 32:i32 { (%l1: i32) barrier [level=block] yield } yield } yield }"
            ),
            "stands in grid > warp > lane, where the threads that it waits for are not",
        ),
    ],
)
def test_places_of_parallel_loops(function: Function, reason: str) -> None:
    rejects(function, reason)


@pytest.mark.parametrize(
    "line",
    ["barrier [level=block]", "barrier [level=grid]", "%m: i32 = activemask", "%r: i32 = vote %n, %n [kind=any]"],
)
def test_nothing_collective_is_left_after_the_split(line: str) -> None:
    function = threads(f"if %c {{ {line} yield }} {{ yield }}")
    verify(function, "structured")
    rejects(function, f"`{line}` is left after barriers were split", "split")


# -- functions --------------------------------------------------------------------------------------------------------


def test_functions_begin_with_the_launch() -> None:
    rejects(parse_function("kernel @k(%n: i32) { yield }"), "not with the launch: gdx, gdy, gdz, bdx, bdy, bdz")


def test_shared_variables_stand_under_their_names() -> None:
    function = kernel("")
    function.shared["a"] = Shared("b", 4, 4)
    rejects(function, "under the name a")


def test_the_stage_decides_the_form() -> None:
    rejects(kernel(""), "is not in CFG form", "cfg")
    rejects(blocks("^a: ret"), "is still in CFG form")
    function = kernel("")
    function.body.params = [Value("i32")]
    rejects(function, "has a body with parameters")


# -- CFG form ---------------------------------------------------------------------------------------------------------

CONDITION = "%c1: i1 = icmp %n, 0:i32 [pred=eq]"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("^a: fence [ordering=release]", "is the last op of a block but no terminator"),
        ("^a: ret ret", "`ret` is not the last op"),
        ("^a: yield", "belongs to the structured form"),
        ("^a: if %c { yield } { yield } ret", "belongs to the structured form"),
        ("^a(%x: i32): ret", "has an entry block with parameters"),
        ("^a: ret ^a: ret", "has two blocks ^a"),
        ("^a:", "has an empty block ^a"),
        ("^a: br [targets=(b), counts=(0)]", "branches to ^b, which does not exist"),
        ("^a: br [targets=(a, a), counts=(0, 0)]", "needs 1 targets and counts"),
        ("^a: cond_br %c [targets=(a), counts=(0)]", "needs 2 targets and counts"),
        ("^a: cond_br %n [targets=(a, a), counts=(0, 0)]", "`i32` does not fit the form"),
        ("^a: switch %n [targets=(b, b, b), counts=(0, 0, 0), cases=(1, 1)] ^b: ret", "and no case twice"),
        ("^a: switch %n [targets=(b), counts=(0), cases=(1)] ^b: ret", "needs 2 targets and counts"),
        ("^a: br %n [targets=(b), counts=(1)] ^b: ret", "has operands for ^b of types (i32), wanted are ()"),
        ("^a: br [targets=(b), counts=(1)] ^b(%x: i32): ret", "has operands for ^b of types (), wanted are (i32)"),
        ("^a: br %n [targets=(b), counts=(0)] ^b: ret", "has operands for no target: 1"),
        ("^a: br [targets=(b), counts=(0)] ^b: %y: i32 = freeze %y ret", "`%y: i32 = freeze %y` uses %y"),
        (
            "^a: cond_br %c [targets=(b, d), counts=(0, 0)]\n^b: %x: i32 = freeze %n br [targets=(d), counts=(0)]\n"
            "^d: %y: i32 = freeze %x ret",
            "`%y: i32 = freeze %x` uses %x",
        ),
    ],
)
def test_cfg_form(text: str, reason: str) -> None:
    rejects(blocks(text), reason, "cfg")


def test_the_ids_are_six() -> None:
    rejects(parse_function(f"kernel @k({PARAMETERS}) {{ ^a: ret }}"), "has ids [], not bx by bz tx ty tz", "cfg")


def test_code_that_nothing_reaches_may_use_anything() -> None:
    """As in LLVM: no path leads there, so every path passes everything."""
    verify(blocks("^a: ret ^b: %y: i32 = freeze %x ret ^c: %x: i32 = freeze %n br [targets=(b), counts=(0)]"), "cfg")


def test_a_block_before_its_dominator_in_the_text() -> None:
    verify(
        blocks("^a: br [targets=(c), counts=(0)] ^b: %y: i32 = freeze %x ret\n"
               "^c: %x: i32 = freeze %n br [targets=(b), counts=(0)]"),
        "cfg",
    )  # fmt: skip


def test_regions_of_a_broken_op_do_not_stop_the_message() -> None:
    function = kernel("if %c { yield } { yield }")
    function.body.ops[0].regions.append(Region())
    rejects(function, "has 3 regions, not 2")


def test_a_shared_variable_belongs_to_a_block() -> None:
    text = """
kernel @k(%gdx: i32, %gdy: i32, %gdz: i32, %bdx: i32, %bdy: i32, %bdz: i32) {
  shared @s [size=4, align=4]
  %a: ptr = gep @s:ptr [offset=0, strides=()]
  yield
}
"""
    with pytest.raises(AssertionError, match="outside of grid"):
        verify(parse_function(text), "structured")
