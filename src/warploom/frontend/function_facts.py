# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What other translation units want to know of a device function before they call it (-rdc=true).

    a.cu: kernel k calls f            needs f                     the runtime joins these when the program has started,
    b.cu: f calls g, no barrier       f: plain, needs g    ==>    by the functions' addresses: k runs on the optimising
    c.cu: g calls __syncthreads       g: not plain                engine if all it needs are plain; here it does not

A function is plain when one thread can run it by itself: it has no barrier and no collective, does not wait, does not
end the thread, names no shared variable and calls nothing through a pointer. It looks when what it gives may change
because another thread stores: whoever calls such a function again and again may be waiting, and needs it *still*. Of a
function without facts (of an object of the reference engine) nothing is assumed.
"""

from __future__ import annotations

from warploom.core.records import dataclass
from warploom.frontend.callees import Callees
from warploom.frontend.device_module import DeviceModule
from warploom.llvm.binding import Handle
from warploom.llvm.codes import Linkage

_LOCAL = (Linkage.INTERNAL, Linkage.PRIVATE)


@dataclass(frozen=True)
class Needs:
    """Functions of other translation units that have to be plain; `still`: and must not look."""

    functions: tuple[str, ...] = ()
    still: bool = False


NOTHING = Needs()


@dataclass(frozen=True)
class FunctionFacts:
    """One function that other translation units may call."""

    name: str
    is_plain: bool
    looks: bool
    needs: Needs


def exported_facts(device: DeviceModule) -> list[FunctionFacts]:
    """The facts of each function that other translation units may call. Requires a module after the clean-up."""
    module, callees = device.module, Callees(device, separate=True)
    kernels = {kernel.name for kernel in device.kernels}
    sharing = _users_of_shared(device)
    found: list[FunctionFacts] = []
    for function in module.functions():
        name = module.name(function)
        if not module.is_defined(function) or name in kernels or module.lib.LLVMGetLinkage(function) in _LOCAL:
            continue
        reached = _reached(callees, function)
        is_plain = not callees.obstacle(function) and sharing.isdisjoint(reached)
        again = (each for part in reached for each in callees.repeated(part))
        still = any(_leads_elsewhere(callees, each) for each in again)
        needs = Needs(tuple(sorted(callees.elsewhere(function))), still)
        found.append(FunctionFacts(name, is_plain, callees.looks(function), needs))
    return found


def _reached(callees: Callees, function: Handle) -> set[Handle]:
    """`function` and all that it calls in this module."""
    found, work = set[Handle](), [function]
    while work:
        current = work.pop()
        if current not in found and callees.module.is_defined(current):
            found.add(current)
            work += callees.called(current)
    return found


def _leads_elsewhere(callees: Callees, instruction: Handle) -> bool:
    lib = callees.lib
    if not lib.LLVMIsACallInst(instruction):
        return False
    callee = lib.LLVMGetCalledValue(instruction)
    return bool(lib.LLVMIsAFunction(callee)) and bool(callees.elsewhere(callee))


def _users_of_shared(device: DeviceModule) -> set[Handle]:
    """The functions that name a shared variable."""
    module, lib = device.module, device.module.lib
    names = (*device.static_shared, *device.dynamic_shared, "__warploom_shared_memory")
    found = set[Handle]()
    work: list[Handle] = [value for value in map(module.find, names) if value]
    while work:
        for user in module.users(work.pop()):
            if lib.LLVMIsAInstruction(user):
                found.add(module.function_of(user))
            else:
                work.append(user)
    return found
