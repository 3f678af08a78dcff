# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write the object of a module, whatever befalls LLVM's code generator.

    module ---fork: code generator---> object
                 | a signal ends it
                 +--fork for each function: which are they?--> simpler forms of the module, until one works

The code generator runs in a fork, since a fault in it ends its process: that costs 3 % of its time. Where it breaks
down the module is still here, unchanged. LLVM 23.1, for one, follows a null pointer where AVX-512 spreads the elements
of one vector over another (combineEXTEND_VECTOR_INREG). What comes in place has the same meaning:

 - vectors of 256 or of 128 bits: two attributes, from which LLVM cuts wide vectors. They decide in which registers
   vectors are passed, and so are given to all functions; not where one that is defined elsewhere takes a vector;
 - no vectors, and then no optimisation, in the functions that break the code generator alone.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from warploom.backend.workers import BrokeDown, apart, broke_down
from warploom.llvm.binding import Handle
from warploom.llvm.codes import FUNCTION_INDEX, UNOPTIMISED, Linkage, TypeKind
from warploom.llvm.module import Module

WIDTHS = ("min-legal-vector-width", "prefer-vector-width")  # attributes of functions, in bits


def emit_object(module: Module, machine: Handle, output: Path, kernels: Mapping[str, str]) -> None:
    """Write the object of `module` to `output`; a warning when that takes a simpler form of it.

    `kernels`: what kernels are called in messages, by the symbols of their functions, without a suffix.
    Raises Diagnostic: BrokeDown when no form works.
    """
    emit = partial(apart, "the module", partial(module.emit_object, machine, output))
    try:
        emit()
    except BrokeDown as problem:
        failing = failing_functions(module, machine)
        names = _names(module, failing, kernels)
        how = _in_simpler_form(module, machine, failing, emit)
        if how is None:
            raise broke_down(names, problem.how) from None
        print(
            f"warploom: warning: LLVM broke down on {names} ({problem.how}): {how}; please report it", file=sys.stderr
        )


def failing_functions(module: Module, machine: Handle) -> list[Handle]:
    """The functions that break the code generator when the module has no other; all, where none does so alone."""
    defined = [function for function in module.functions() if module.is_defined(function)]
    with tempfile.TemporaryDirectory(prefix="warploom-") as folder:
        output = Path(folder, "one.o")
        failing = [each for each in defined if not _works(partial(_emit_one, module, machine, each, output))]
    return failing or defined


def _works(action: Callable[[], None]) -> bool:
    try:
        apart("a function", action)
    except BrokeDown:
        return False
    return True


def _emit_one(module: Module, machine: Handle, wanted: Handle, output: Path) -> None:
    """Write an object with one function; the module is of no use afterwards."""
    for function in module.functions():
        if module.is_defined(function) and function != wanted:
            module.lib.LLVMSetComdat(function, None)
            module.lib.LLVMSetLinkage(function, Linkage.AVAILABLE_EXTERNALLY)
    module.emit_object(machine, output)


def _in_simpler_form(
    module: Module, machine: Handle, failing: Sequence[Handle], emit: Callable[[], None]
) -> str | None:
    """Emit the first simpler form of the module that can be; what became of it, or None."""
    for how, simplify in _forms(module, machine, failing):
        simplify()
        try:
            emit()
        except BrokeDown:
            continue
        return how
    return None


def _forms(module: Module, machine: Handle, failing: Sequence[Handle]) -> Iterator[tuple[str, Callable[[], None]]]:
    """What to change, each beside what came before, and what to call it."""
    if not passes_vectors_on(module):
        for bits in (256, 128):
            yield f"its vectors have {bits} bits at most", partial(limit_vectors, module, bits)
    yield "it has no vectors", partial(take_vectors_apart, module, machine, failing)
    yield "it is not optimised further", partial(leave_unoptimised, module, failing)


def passes_vectors_on(module: Module) -> bool:
    """Whether a function that this module does not define takes or gives a vector."""
    for function in module.functions():
        if module.is_defined(function) or module.name(function).startswith("llvm."):
            continue
        type_ = module.lib.LLVMGlobalGetValueType(function)
        given = module.lib.LLVMGetReturnType(type_)
        kinds = [given, *map(module.lib.LLVMTypeOf, module.parameters(function))]
        if any(module.lib.LLVMGetTypeKind(kind) == TypeKind.VECTOR for kind in kinds):
            return True
    return False


def limit_vectors(module: Module, bits: int) -> None:
    """Have LLVM cut wider vectors, in all functions."""
    for function in filter(module.is_defined, module.functions()):
        for name in WIDTHS:
            width, value = name.encode(), str(bits).encode()
            made = module.lib.LLVMCreateStringAttribute(module.context, width, len(width), value, len(value))
            module.lib.LLVMAddAttributeAtIndex(function, FUNCTION_INDEX, made)


def take_vectors_apart(module: Module, machine: Handle, functions: Sequence[Handle]) -> None:
    """Make operations on vectors ones on their elements; loads and stores among them, from LLVM 20 on."""
    scalarizer = "scalarizer<load-store>"
    if not module.knows(f"function({scalarizer})"):
        scalarizer = "scalarizer"
    others = [each for each in module.functions() if module.is_defined(each) and each not in functions]
    with module.left_alone(others):
        module.run_passes(f"function({scalarizer},scalarize-masked-mem-intrin)", machine)


def leave_unoptimised(module: Module, functions: Sequence[Handle]) -> None:
    """Have the code generator do no more than it must."""
    for function in functions:
        for name in UNOPTIMISED:
            made = module.lib.LLVMCreateEnumAttribute(module.context, module.attribute_kind(name), 0)
            module.lib.LLVMAddAttributeAtIndex(function, FUNCTION_INDEX, made)


def _names(module: Module, functions: Sequence[Handle], kernels: Mapping[str, str]) -> str:
    """The kernels that `functions` are parts of: k.device, k.grid.device and k.blocks.0.device of k."""
    symbols = list(map(module.name, functions))
    found = [name for kernel, name in kernels.items() if any(each.startswith(f"{kernel}.") for each in symbols)]
    return f"kernel {', '.join(found)}" if found else ", ".join(symbols)
