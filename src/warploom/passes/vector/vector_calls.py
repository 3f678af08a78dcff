# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which function serves a whole vector of threads in the place of a call for each.

    %y: float = call %x [callee=llvm.sqrt.f32]     ==>   call %v [callee=llvm.sqrt.v16f32]
    %y: float = call %x [callee=expf]              ==>   call %v [callee=__warploom_v16_exp_f32]
    %y: i32 = call %a, %b, %c [callee=__warploom_dot4_ss]   ==>   call ... [callee=__warploom_v16_dot4_ss]

LLVM's intrinsics that work on each element by itself have a vector form under a name with the vector's type; for
elementary functions there is the vector math library, for dot products of bytes what the backend writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from warploom.core.patterns import regex
from warploom.core.records import dataclass
from warploom.ir import types
from warploom.ir.core import Builder, Const, Op, Operand, Value, flags_of
from warploom.ir.dot_products import vector_dot

# The intrinsics that LLVM lowers to vector instructions, and the operands that stay scalar constants.
_ELEMENTWISE: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(
        "fma fmuladd sqrt fabs floor ceil trunc rint nearbyint round roundeven copysign canonicalize minnum maxnum "
        "minimum maximum minimumnum maximumnum smin smax umin umax ctpop bswap bitreverse fshl fshr sadd.sat uadd.sat "
        "ssub.sat usub.sat fptosi.sat fptoui.sat exp exp2 exp10 log log2 log10 pow sin cos tan".split(),
        (),
    ),
    **dict.fromkeys(("ctlz", "cttz", "abs", "is.fpclass"), (1,)),
}
# Flags of a call that may be less accurate: -use_fast_math gives the first, CUDA's header of __expf the second.
_ROUGHLY = frozenset(("afn", "reassoc", "fast"))
_TYPE = regex(r"(f16|bf16|f32|f64|i\d+)")


@dataclass(frozen=True, slots=True)
class VectorForm:
    """The function, and the operands that it takes as scalars."""

    callee: str
    scalars: tuple[int, ...] = ()


# (callee, lanes, approximately) -> the vector math library's function, if it has one
Library = Callable[[str, int, bool], str | None]


def no_library(callee: str, lanes: int, fast: bool) -> None:
    """For where there is no vector math library."""
    del callee, lanes, fast


@dataclass(frozen=True, slots=True)
class VectorCalls:
    """Finds vector forms."""

    library: Library = no_library

    def form(self, op: Op, lanes: int) -> VectorForm | None:
        """The vector form of the call `op`; None where each thread has to call by itself."""
        callee = str(op.attrs["callee"])
        dot = vector_dot(callee, lanes)
        if dot is not None:
            return VectorForm(dot)
        ours = self.library(callee, lanes, not _ROUGHLY.isdisjoint(flags_of(op)))
        if ours is not None:
            return VectorForm(ours)
        return intrinsic_form(callee, lanes)


NO_LIBRARY = VectorCalls()


def root_under_one(op: Op, definitions: Mapping[Value, Op]) -> Operand | None:
    """x where `op` is 1 / sqrt(x) and may be computed in one go: CUDA's rsqrtf, which its header marks by `reassoc`.

    That flag alone lets LLVM do nothing to a root and a division; `arcp` would, and wrongly for 0 and infinity.
    """
    if op.name != "fdiv" or "reassoc" not in flags_of(op) or types.is_vector(op.result.type):
        return None
    one, root = op.operands
    made = definitions.get(root) if isinstance(root, Value) else None
    callee = str(made.attrs["callee"]) if made is not None and made.name == "call" else ""
    is_one = isinstance(one, Const) and one.value == types.float_bits(one.type, 1.0)
    return made.operands[0] if made is not None and is_one and callee.startswith("llvm.sqrt.") else None


def intrinsic_form(callee: str, lanes: int) -> VectorForm | None:
    """The vector form of one of LLVM's intrinsics."""
    if not callee.startswith("llvm."):
        return None
    words = callee.split(".")[1:]
    suffix: list[str] = []
    while words and _TYPE.fullmatch(words[-1]):
        suffix.insert(0, f"v{lanes}{words.pop()}")
    name = ".".join(words)
    if name not in _ELEMENTWISE or not suffix:
        return None
    return VectorForm(".".join(["llvm", name, *suffix]), _ELEMENTWISE[name])


_ROOT_UNDER_ONE = regex(r"__warploom_v(\d+)_rsqrt_f32")


def opened(ops: Sequence[Op], vector_bits: int) -> list[Op]:
    """`ops` with 1/sqrt of floats as the operations that the library makes of it (runtime/vector_math/roots.h).

    So the values are the same, and other ops can stand among these: an estimate and a Newton step, where AVX-512 is.
    """
    result: list[Op] = []
    for op in ops:
        found = _ROOT_UNDER_ONE.fullmatch(str(op.attrs.get("callee", "")))
        if found is None:
            result.append(op)
            continue
        (x,), type_, build, lanes = op.operands, op.result.type, Builder(result, op.loc), int(found[1])
        one = Const(type_, "splat (float 1.000000e+00)")

        def call(callee: str, *given: Operand, build: Builder = build, type_: str = type_) -> Value:
            return build.op("call", given, type_, callee=callee, effects="none", speculatable=True)

        if vector_bits < 512:
            build.add(Op("fdiv", [one, call(f"llvm.sqrt.v{lanes}f32", x)], op.results, {}, loc=op.loc))
            continue
        y = call(f"__warploom_v{lanes}_rsqrt_estimate_f32", x)
        product = build.op("fneg", [build.op("fmul", [x, y], type_)], type_)
        rest = call(f"llvm.fma.v{lanes}f32", product, y, one)
        below = build.op("fcmp", [rest, one], types.vector("i1", lanes), pred="olt")
        step = build.op("select", [below, rest, one], type_)
        half = build.op("fmul", [y, Const(type_, "splat (float 5.000000e-01)")], type_)
        call(f"llvm.fma.v{lanes}f32", half, step, y)
        result[-1].results = op.results
    return result
