# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dataclasses that are made quickly: the compiler has two hundred of them, and every process makes them anew.

The standard library compiles each method of a dataclass from text. Here that is done for `__init__` alone; the others
need no text of their own, and take a third of the time to be there. `frozen` is for the type checker, and makes equal
instances hash alike; nothing stops an assignment at run time, which has a place in objects that users hold alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses
    from operator import attrgetter
    from reprlib import recursive_repr

    def dataclass(cls=None, /, *, frozen=False, eq=True, slots=False):
        """As `dataclasses.dataclass`."""

        def make(plain):
            plain.__doc__ = plain.__doc__ or plain.__name__  # or one is made from the signature, slowly
            made = dataclasses.dataclass(repr=False, eq=False, slots=slots)(plain)
            methods = {"__repr__": _repr}
            if eq:
                methods |= _comparison(made, frozen=frozen)
            for name, method in methods.items():
                if name not in plain.__dict__:
                    setattr(made, name, method)
            return made

        return make if cls is None else make(cls)

    def _comparison(made, *, frozen):
        """Methods that compare instances of `made` by their fields."""
        names = [each.name for each in dataclasses.fields(made) if each.compare]
        if len(names) > 1:
            key = attrgetter(*names)
        else:  # of one name, attrgetter gives no tuple

            def key(instance):
                return tuple(getattr(instance, name) for name in names)

        def equals(one, other):
            return key(one) == key(other) if other.__class__ is one.__class__ else NotImplemented

        def hashed(instance):
            return hash(key(instance))

        return {"__eq__": equals, "__hash__": hashed if frozen else None}

    @recursive_repr()
    def _repr(instance):
        shown = (f"{each.name}={getattr(instance, each.name)!r}" for each in dataclasses.fields(instance) if each.repr)
        return f"{instance.__class__.__qualname__}({', '.join(shown)})"
