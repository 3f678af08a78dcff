# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The facts of a kernel as attributes of its text: `kernel @k(...) [waits=true, block=(256, 1, 1)]`.

A fact that says nothing is left out. Facts of the processor stand among the others.
"""

from __future__ import annotations

from warploom.core.kernel_facts import KernelFacts
from warploom.core.processor import Processor
from warploom.core.records import fields
from warploom.ir.core import Attribute

_PROCESSOR = {each.name: each.default for each in fields(Processor)}
_DEFAULTS = {each.name: each.default for each in fields(KernelFacts) if each.name != "processor"}
_DIMS = ("wanted_block", "block")


def attributes_of(facts: KernelFacts) -> dict[str, Attribute]:
    """The attributes that say what `facts` say."""
    whole = {name: (getattr(facts, name), default) for name, default in _DEFAULTS.items()}
    whole |= {name: (getattr(facts.processor, name), default) for name, default in _PROCESSOR.items()}
    return {name: value for name, (value, default) in whole.items() if value != default}


def facts_from(attributes: dict[str, Attribute]) -> KernelFacts:
    """What the attributes of a kernel say; a ValueError, which names it, for one that says nothing."""
    for name, value in attributes.items():
        if not _may_be(name, value):
            raise ValueError(f"no kernel has the attribute {name}={value}")
    own = {name: value for name, value in attributes.items() if name in _DEFAULTS}
    processor = {name: value for name, value in attributes.items() if name in _PROCESSOR}
    return KernelFacts(processor=Processor(**processor), **own)  # type: ignore[arg-type]


def _may_be(name: str, value: Attribute) -> bool:
    """Whether a fact may have a value."""
    default = (_DEFAULTS | _PROCESSOR).get(name, ...)
    if default is ...:
        return False
    if name in _DIMS:
        return isinstance(value, tuple) and len(value) == 3 and all(type(each) is int for each in value)
    return type(value) is (int if default is None else type(default))
