# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels of kind `features` hold beside the others: of CUDA's features those with one result in every order.

Expressions: half arithmetic, inline PTX, calls through a table of device functions, tex1Dfetch. Statements of whole
warps: tiles of cooperative groups, reductions in volatile memory without barriers. Statements of a block: places in a
list by an atomic that returns the old value. Each is a function of prelude.cuh or a few lines.
"""

from __future__ import annotations

from warploom.fuzz.expressions import Level, Scope, converted, expression
from warploom.fuzz.tree import Expr, Stmt

# A function of prelude.cuh -> the types of its operands, and its own.
CALLS: dict[str, tuple[tuple[str, ...], str]] = {
    "half_add": (("f32", "f32"), "f32"),
    "half_sub": (("f32", "f32"), "f32"),
    "half_mul": (("f32", "f32"), "f32"),
    "half_div": (("f32", "f32"), "f32"),
    "half_fma": (("f32", "f32", "f32"), "f32"),
    "half_less": (("f32", "f32"), "u32"),
    "half_pair": (("f32", "f32", "u32"), "f32"),
    "ptx_bfe": (("u32", "u32", "u32"), "u32"),
    "ptx_bfe_signed": (("i32", "u32", "u32"), "i32"),
    "ptx_bfi": (("u32", "u32", "u32", "u32"), "u32"),
    "ptx_prmt": (("u32", "u32", "u32"), "u32"),
    "ptx_lop3": (("u32", "u32", "u32"), "u32"),
    "ptx_funnel": (("u32", "u32", "u32"), "u32"),
    "ptx_mad_hi": (("u32", "u32", "u32"), "u32"),
    "ptx_add_carry": (("u64", "u64"), "u64"),
    "ptx_find": (("u32",), "u32"),
    "ptx_dot": (("u32", "u32", "u32"), "u32"),
    "ptx_saturate": (("i32", "i32"), "i32"),
    "ptx_select": (("u32", "u32"), "u32"),
    "ptx_to_byte": (("f32",), "u32"),
    "called": (("u32", "u32", "u32"), "u32"),
    "texel": (("u32",), "f32"),
    "texel_of_four": (("u32", "u32"), "f32"),
}
TILES = (32, 32, 16, 8, 4, 2, 1)
TILE_CALLS = ("tile_sum", "tile_most", "tile_scan", "tile_scan_before", "tile_shuffle", "tile_ballot", "tile_match")
WARP_REDUCTIONS = ("+", "^", "|", "&")
LIST = 64  # places of the list in shared memory


def call(scope: Scope, type_: str, level: Level, depth: int) -> Expr | None:
    """One of CALLS."""
    name = scope.rng.choice([*CALLS])
    operands, result = CALLS[name]
    parts: list[str | Expr] = [f"{name}("]
    for order, operand in enumerate(operands):
        parts += [", "] * (order > 0) + [expression(scope, operand, level, depth - 1)]
    return converted(Expr(result, [*parts, ")"]), type_)


def tile(scope: Scope, target: str, target_type: str) -> Stmt:
    """Each tile of the warp works on its lanes' values. For whole warps."""
    name, size = scope.rng.choice(TILE_CALLS), scope.rng.choice(TILES)
    value = expression(scope, "u32", Level.THREAD, 2)
    other = expression(scope, "u32", Level.THREAD, 1)
    return Stmt([f"{target} = {target_type}({name}<{size}>(", value, ", ", other, "));"])


def volatile_reduction(scope: Scope, name: str, target: str, target_type: str) -> Stmt:
    """A warp's lanes combine their values without a barrier, as code for lock-step warps does: all run every step
    since lanes that sat one out need not wait for the others. For whole warps."""
    operator = scope.rng.choice(WARP_REDUCTIONS)
    value = expression(scope, "u32", Level.THREAD, 2)
    steps = [
        Stmt([f"mine{name}[lane] = mine{name}[lane] {operator} mine{name}[lane + {half}u];"])
        for half in (16, 8, 4, 2, 1)
    ]
    inner = [
        Stmt([f"__shared__ volatile u32 {name}[64 * 8];"]),
        Stmt([f"volatile u32 *mine{name} = {name} + warp * 64u;"]),
        Stmt([f"mine{name}[lane + 32u] = lane;"]),
        Stmt([f"mine{name}[lane] = ", value, ";"]),
        *steps,
        Stmt([f"{target} = {target_type}(mine{name}[0]);"]),
        Stmt(["__syncwarp();"]),
    ]
    return Stmt(["{", inner, "}"])


def claimed_places(scope: Scope, name: str) -> Stmt:
    """Threads claim places in a list by atomics whose old values they use: which place each gets may vary, what the
    list holds may not. For a whole block, whose threads are all there."""
    value, when = expression(scope, "u32", Level.THREAD, 2), expression(scope, "u32", Level.THREAD, 1)
    step = scope.rng.choice((1, 1, 3))
    inner = [
        Stmt([f"__shared__ u32 {name}[{LIST}], {name}_count, {name}_places;"]),
        Stmt([f"for (u32 i = tid; i < {LIST}u; i += threads) {name}[i] = 0;"]),
        Stmt([f"if (tid == 0) {name}_count = {name}_places = 0;"]),
        Stmt(["__syncthreads();"]),
        Stmt(["if ((", when, " & 3u) != 0u) {"]),
        Stmt([f"u32 place = atomicAdd(&{name}_count, {step}u);"]),
        Stmt([f"atomicAdd(&{name}[place / {step}u % {LIST}u], ", value, ");"]),
        Stmt([f"atomicAdd(&{name}_places, place * place);"]),
        Stmt(["}"]),
        Stmt(["__syncthreads();"]),
        Stmt([f"u32 all = {name}_count ^ {name}_places;"]),
        Stmt([f"for (u32 i = 0; i < {LIST}u; ++i) all += {name}[i];"]),
        Stmt(["seen = mixed(seen, all);"]),
        Stmt(["__syncthreads();"]),
    ]
    return Stmt(["{", inner, "}"])
