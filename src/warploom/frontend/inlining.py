# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which device functions are inlined: all that can be, unless that would make the kernels many times larger.

A function that waits for other threads has to be inlined, else nothing could be done about its barrier; recursion
cannot be. In between inlining pays until the copies of one large function are most of a kernel (a texture fetch in an
unrolled convolution): such a function stays a call. One that only reads memory disturbs its caller least, so it stays a
call earlier. Kernels are looked at one by one: that a file has many of them which all call a function says nothing of
how often one does, and what a kernel becomes does not depend on what else is in its file.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush

from warploom.analysis.components import is_cycle, strong_components
from warploom.core.records import dataclass
from warploom.llvm.binding import Handle
from warploom.llvm.codes import FUNCTION_INDEX, UNOPTIMISED
from warploom.llvm.module import Module

# Instructions: what is worth a call, and what the copies of one function in a kernel may cost when it only reads, and
# when not.
_LARGE, _COPIES_OF_READER, _COPIES = 300, 3000, 20000
_WRITES = 0xAAAAAAAA  # bits of LLVM's attribute `memory` that say "writes", two bits a kind of memory


@dataclass(frozen=True)
class CallGraph:
    """For each defined function: the defined functions that it calls, once a call, and how many instructions it has."""

    calls: dict[Handle, list[Handle]]
    sizes: dict[Handle, int]


def ask_to_inline(module: Module, function: Handle) -> None:
    """Have LLVM's pass `always-inline` put a function into all those that call it."""
    lib = module.lib
    for unwanted in UNOPTIMISED:
        lib.LLVMRemoveEnumAttributeAtIndex(function, FUNCTION_INDEX, module.attribute_kind(unwanted))
    made = lib.LLVMCreateEnumAttribute(module.context, module.attribute_kind("alwaysinline"), 0)
    lib.LLVMAddAttributeAtIndex(function, FUNCTION_INDEX, made)


def call_graph(module: Module) -> CallGraph:
    """Direct calls only: what is called through a pointer is never inlined."""
    lib = module.lib
    defined = {function for function in module.functions() if module.is_defined(function)}
    graph = CallGraph({}, {})
    for function in module.functions():
        if function not in defined:
            continue
        calls, size = graph.calls.setdefault(function, []), 0
        for instruction in module.instructions(function):
            size += 1
            if lib.LLVMIsACallInst(instruction):
                callee = lib.LLVMGetCalledValue(instruction)
                if callee in defined:
                    calls.append(callee)
        graph.sizes[function] = size
    return graph


def functions_to_inline(
    module: Module, graph: CallGraph, never: set[Handle], roots: set[Handle], has_to: Callable[[Handle], bool]
) -> set[Handle]:
    """The functions whose every call is replaced by their body.

    `never`: not these, such as kernels. `roots`: there is code for them whether or not this module calls them.
    `has_to`: it waits for other threads.
    """
    components = strong_components(graph.calls)
    recursive = {function for part in components if is_cycle(graph.calls, part) for function in part}
    order = [function for part in components for function in part]  # what is called before what calls
    called = recursive | never
    while True:
        costs = _costs_of_copies(graph, order, called, roots)
        scores = {function: _score(module, function, cost) for function, cost in costs.items()}
        candidates = [function for function, score in scores.items() if score > 0 and not has_to(function)]
        if not candidates:
            return graph.calls.keys() - called
        called = called | {max(candidates, key=lambda function: scores[function])}


def _costs_of_copies(
    graph: CallGraph, order: list[Handle], called: set[Handle], roots: set[Handle]
) -> dict[Handle, int]:
    """For each function outside of `called` that is worth a call: instructions of all its copies but one, if all of
    these were inlined, in the one of `roots` and `called` where that is most."""
    sizes: dict[Handle, int] = {}
    for function in order:
        sizes[function] = graph.sizes[function] + sum(
            sizes[callee] for callee in graph.calls[function] if callee not in called
        )
    places = {function: place for place, function in enumerate(order)}
    most: dict[Handle, int] = {}
    for body in called | roots:
        for function, copies in _copies_in(graph, body, called, places).items():
            most[function] = max(most.get(function, 0), copies)
    return {function: (copies - 1) * sizes[function] for function, copies in most.items() if sizes[function] >= _LARGE}


def _copies_in(graph: CallGraph, body: Handle, called: set[Handle], places: dict[Handle, int]) -> dict[Handle, int]:
    """How often each function outside of `called` is in `body` when all of them are inlined. `places`: what is called
    has a lower one than what calls."""
    copies = {body: 1}
    waiting = [-places[body]]
    functions = list(places)
    while waiting:
        function = functions[-heappop(waiting)]
        for callee in graph.calls[function]:
            if callee in called:
                continue
            if callee not in copies:
                copies[callee] = 0
                heappush(waiting, -places[callee])
            copies[callee] += copies[function]
    del copies[body]
    return copies


def _score(module: Module, function: Handle, cost: int) -> float:
    """How much speaks for calls of `function`; nothing when 0 or less."""
    memory = module.has_attribute(function, FUNCTION_INDEX, "memory")
    only_reads = bool(memory) and not module.lib.LLVMGetEnumAttributeValue(memory) & _WRITES
    return cost / (_COPIES_OF_READER if only_reads else _COPIES) - 1
