# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM's own passes on optimised code, in order.

What arrives has been through our passes: values are numbered, control flow is simple, loops over threads are vectors
already, and nearly all calls are inlined. `-O3` is LLVM's default<O3>, in its order, without what finds nothing there:
InstCombine before inlining, constants that functions are given, what globals alias, which functions a pointer may call,
and clean-up behind each of two steps where one behind both does; and without VectorCombine, which llvm/binding.py turns
off. Everything else that writes other code stays, the vectorisers of loops and of straight lines among them, for code
that ours leaves scalar. That takes a fifth less than default<O3>, for the same machine code but for .1 % of the
instructions.

Two kinds of functions are known to gain next to nothing, and say so by attributes. Those that run once a launch or
hardly ever no pass looks at, and the code generator takes its quick way. Those with vectors of ours three steps do not
look at. Unswitching: a choice that is made once for a loop over vectors has been taken out by `unswitch`, and copies
for others are seldom worth their time. The vectoriser of straight lines and the last unrolling: their loops have been
unrolled, and what is left has vectors enough in a trip. That is a tenth, a tenth and a fifth of the time.
"""

from __future__ import annotations

from warploom.llvm.binding import Handle
from warploom.llvm.module import Module

HAS_VECTORS = "warploom-vectors"  # from our vectoriser; an attribute of functions

_COMBINE = "instcombine<no-verify-fixpoint>"
_ROTATE = "loop-rotate<header-duplication>"
_LAST_SIMPLIFY = (
    "simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-lookup;no-keep-loops;hoist-common-insts;"
    "sink-common-insts>"
)
_BEFORE_INLINING = (
    "annotation2metadata,forceattrs,inferattrs,"
    "function<eager-inv>(lower-expect,simplifycfg,sroa<modify-cfg>,early-cse,simplifycfg),"
    "always-inline"
)
# What `loop-unroll-full` does in default<O3>: by its name alone it has the thresholds of -O2.
_UNROLL_FULLY = "loop-unroll<O3;no-partial;no-runtime;no-upperbound;no-peeling>"
_SIMPLIFY_FUNCTION = ",".join(
    (
        "sroa<modify-cfg>,early-cse<memssa>,speculative-execution<only-if-divergent-target>",
        f"jump-threading,correlated-propagation,simplifycfg,{_COMBINE},aggressive-instcombine,libcalls-shrinkwrap",
        "tailcallelim,simplifycfg,reassociate,constraint-elimination",
        f"loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,{_ROTATE},licm<allowspeculation>,"
        "simple-loop-unswitch<trivial>)",
        f"simplifycfg,{_COMBINE},loop(loop-idiom,indvars,loop-deletion),{_UNROLL_FULLY}",
        f"sroa<modify-cfg>,mldst-motion<no-split-footer-bb>,gvn,sccp,bdce,{_COMBINE}",
        "jump-threading,correlated-propagation,adce,memcpyopt,dse,loop-mssa(licm<allowspeculation>)",
        f"{_LAST_SIMPLIFY},adce",
    )
)
_INLINE_AND_SIMPLIFY = (
    "cgscc(devirt<4>(inline,function-attrs<skip-non-recursive-function-attrs>,"
    f"function<eager-inv;no-rerun>({_SIMPLIFY_FUNCTION}),function-attrs))"
)
_VECTORISE_LOOPS = ",".join(
    (
        f"float2int,lower-constant-intrinsics,loop({_ROTATE},loop-deletion)",
        f"loop-distribute,inject-tli-mappings,loop-vectorize,infer-alignment,loop-load-elim,{_LAST_SIMPLIFY}",
    )
)
_FINISH = ",".join(
    (
        f"infer-alignment,{_COMBINE}",
        "loop-mssa(licm<allowspeculation>),alignment-from-assumptions,loop-sink,instsimplify,div-rem-pairs",
        "tailcallelim,simplifycfg",
    )
)
_SIMPLIFY_MODULE = (
    f"{_BEFORE_INLINING},{_INLINE_AND_SIMPLIFY},deadargelim,globalopt,globaldce,elim-avail-extern,rpo-function-attrs"
)
_UNSWITCH = f"function<eager-inv>(loop-mssa(simple-loop-unswitch<nontrivial;trivial>),simplifycfg,{_COMBINE})"
_BEFORE_SLP = f"function<eager-inv>({_VECTORISE_LOOPS})"
_FOR_SCALARS = f"function<eager-inv>(slp-vectorizer,{_COMBINE},loop-unroll<O3>,sroa<preserve-cfg>)"
_BEHIND_SLP = f"function<eager-inv>({_FINISH}),globaldce,constmerge"


def optimise(module: Module, machine: Handle, level: int) -> None:
    """Run LLVM's passes on `module` for optimisation `level` (0 to 3)."""
    if level < 3:
        module.run_passes(f"default<O{level}>", machine)
        return
    module.run_passes(_SIMPLIFY_MODULE, machine)
    vectors = [each for each in module.functions() if module.function_attribute(each, HAS_VECTORS) is not None]
    with module.left_alone(vectors):
        module.run_passes(_UNSWITCH, machine)
    module.run_passes(_BEFORE_SLP, machine)
    with module.left_alone(vectors):
        module.run_passes(_FOR_SCALARS, machine)
    module.run_passes(_BEHIND_SLP, machine)
