# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The carry flag between asm statements.

    __device__ u32 add_cc(u32 a, u32 b) { asm("add.cc.u32 ..."); }
    __device__ u32 addc(u32 a, u32 b) { asm("addc.u32 ..."); }
    low = add_cc(a, b); high = addc(c, d);         ==>      both statements in one function, with one flag in its frame

A function that reads the flag before it writes it, or leaves one that it wrote, is inlined into those that call it, and
so on: then every reader stands in one function with its writer, and a variable of that function is the flag. Sound
because a frame belongs to a thread and the order of statements stays as clang wrote it. Refused where a function of
this kind cannot be inlined, and where a kernel reads the flag first. Requires the module before any pass.
"""

from __future__ import annotations

from collections.abc import Callable

from warploom.core.patterns import regex
from warploom.frontend.device_module import DeviceModule
from warploom.frontend.inlining import ask_to_inline
from warploom.llvm.binding import Handle
from warploom.llvm.module import Module

_USE = regex(r"(?<![\w.%$])(?:(?P<reads>addc|subc|madc)\b|(?:add|sub|mad)(?:\.\w+)*\.cc\b)(?P<rest>[\w.]*)")
CARRY_UNKNOWN = "it reads the carry flag, which nothing before it has written"
CANNOT_BE_INLINED = "the carry flag goes in or out of a function that cannot be inlined"
# The asm statements of a module: the call and its text.
Statements = Callable[[], list[tuple[Handle, str]]]


def uses_carry(text: str) -> bool:
    """Whether an asm statement reads or writes the carry flag."""
    return _USE.search(text) is not None


def reads_carry(text: str) -> bool:
    """Whether an asm statement reads the carry flag before it writes it."""
    first = _USE.search(text)
    return first is not None and first["reads"] is not None


def _leaves_carry(text: str) -> bool:
    """Whether the last instruction that uses the flag writes it."""
    uses = list(_USE.finditer(text))
    return bool(uses) and ".cc" in uses[-1].group()


def join_carries(device: DeviceModule, machine: Handle, statements: Statements) -> tuple[Handle, str] | None:
    """Bring readers of the flag together with its writers. A statement for which that failed, and why; or None."""
    module, asked = device.module, {kernel.name for kernel in device.kernels}
    kernels = frozenset(asked)
    while opened := {name for name in _open_functions(module, statements()) if name not in asked}:
        for name in opened:
            ask_to_inline(module, module.find(name))
        asked |= opened
        module.run_passes("always-inline", machine)
    found = _by_function(module, statements())
    for name, uses in found.items():
        if name in kernels and reads_carry(uses[0][1]):
            return uses[0][0], CARRY_UNKNOWN
        if name not in kernels and _is_open(uses) and any(True for _ in module.users(module.find(name))):
            return uses[0][0], CANNOT_BE_INLINED
    return None


def _by_function(module: Module, statements: list[tuple[Handle, str]]) -> dict[str, list[tuple[Handle, str]]]:
    found: dict[str, list[tuple[Handle, str]]] = {}
    for call, text in statements:
        if uses_carry(text):
            found.setdefault(module.name(module.function_of(call)), []).append((call, text))
    return found


def _is_open(uses: list[tuple[Handle, str]]) -> bool:
    """Whether a function with these statements shares the flag with who calls it."""
    return reads_carry(uses[0][1]) or _leaves_carry(uses[-1][1])


def _open_functions(module: Module, statements: list[tuple[Handle, str]]) -> set[str]:
    return {name for name, uses in _by_function(module, statements).items() if _is_open(uses)}
