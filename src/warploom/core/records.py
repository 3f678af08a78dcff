# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dataclasses that are made quickly: the compiler has two hundred of them, and every process makes them anew.

The standard library compiles the methods of a dataclass from text, and loads what looks at signatures to do so. Here
only `__init__` is made, when a class is first called, from code that classes with as many fields share. The standard
library's functions take instances of these classes, whose bases and fields have to be of this file, too. `frozen` is
for the type checker, and makes equal instances hash alike; nothing stops an assignment at run time, which has a place
in objects that users hold alone.
"""

from __future__ import annotations

from warploom.core.type_names import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import asdict as asdict
    from dataclasses import astuple as astuple
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import fields as fields
    from dataclasses import replace as replace
    from types import CodeType

    init_code: dict[str, CodeType]
else:
    from operator import attrgetter
    from reprlib import recursive_repr
    from types import FunctionType

    _NOTHING = object()  # in place of a default, and of an argument that was not given

    class Field:
        """What is known of one field; the names of attributes are the standard library's."""

        __slots__ = ("compare", "default", "default_factory", "init", "name", "repr")
        kw_only = False

        def __init__(self, default, default_factory, init, repr, compare):  # noqa: A002
            self.default, self.default_factory = default, default_factory
            self.init, self.repr, self.compare = init, repr, compare

        @property
        def _field_type(self):
            """By which the standard library's functions know a field."""
            from dataclasses import _FIELD

            return _FIELD

    def field(*, default=_NOTHING, default_factory=_NOTHING, init=True, repr=True, compare=True):  # noqa: A002
        """As `dataclasses.field`."""
        return Field(default, default_factory, init, repr, compare)

    def fields(of):
        """As `dataclasses.fields`."""
        return tuple(of.__dataclass_fields__.values())

    def replace(instance, /, **changes):
        """As `dataclasses.replace`."""
        for name, each in instance.__dataclass_fields__.items():
            if each.init and name not in changes:
                changes[name] = getattr(instance, name)
        return instance.__class__(**changes)

    def asdict(instance):
        """As `dataclasses.asdict`, but for copies of what is no record, list, tuple or dictionary."""
        return {name: _plain(getattr(instance, name), asdict) for name in instance.__dataclass_fields__}

    def astuple(instance):
        """As `dataclasses.astuple`, likewise."""
        return tuple(_plain(getattr(instance, name), astuple) for name in instance.__dataclass_fields__)

    def _plain(value, made):
        if hasattr(type(value), "__dataclass_fields__"):
            return made(value)
        if isinstance(value, list | tuple):
            values = [_plain(each, made) for each in value]
            return type(value)(*values) if hasattr(value, "_fields") else type(value)(values)
        if isinstance(value, dict):
            return type(value)((_plain(key, made), _plain(each, made)) for key, each in value.items())
        return value

    def dataclass(cls=None, /, *, frozen=False, eq=True, slots=False):
        """As `dataclasses.dataclass`."""

        def make(plain):
            known = _fields_of(plain)
            made = _with_slots(plain, known) if slots else plain
            methods = {"__init__": _first_init(made, known), "__repr__": _repr}
            if eq:
                methods |= _comparison([name for name, each in known.items() if each.compare], frozen=frozen)
            for name, method in methods.items():
                if name not in plain.__dict__:
                    setattr(made, name, method)
            made.__doc__ = plain.__doc__ or plain.__name__
            made.__match_args__ = tuple(name for name, each in known.items() if each.init)
            return made

        return make if cls is None else make(cls)

    def _fields_of(plain):
        """The fields of a class and its bases, by name. A default stays in the class, as a value."""
        known = {}
        for base in plain.__mro__[-1:0:-1]:
            known |= getattr(base, "__dataclass_fields__", {})
        for name, kind in plain.__annotations__.items():
            if kind.startswith(("ClassVar", "typing.ClassVar")):
                continue
            given = plain.__dict__.get(name, _NOTHING)
            each = given if isinstance(given, Field) else Field(given, _NOTHING, True, True, True)
            each.name = name
            if each is given:
                if each.default is _NOTHING:
                    delattr(plain, name)
                else:
                    setattr(plain, name, each.default)
            known[name] = each
        plain.__dataclass_fields__ = known
        return known

    def _with_slots(plain, known):
        """The class once more, with a slot for each field that no base has."""
        taken = {name for base in plain.__mro__[1:-1] for name in getattr(base, "__slots__", ())}
        held = dict(plain.__dict__)
        for name in known:
            held.pop(name, None)
        for name in ("__dict__", "__weakref__"):
            held.pop(name, None)
        held["__slots__"] = tuple(name for name in known if name not in taken)
        made = type(plain)(plain.__name__, plain.__bases__, held)
        made.__qualname__ = plain.__qualname__
        return made

    def _first_init(made, known):
        """An `__init__` that has the true one compiled, and put in its place."""

        def __init__(self, /, *args, **kwargs):  # noqa: N807
            init = _init(made, known)
            if made.__dict__["__init__"] is __init__:
                made.__init__ = init
            init(self, *args, **kwargs)

        return __init__

    def _init(made, known):
        """The `__init__` of a class: compiled for the kinds of its fields, and given their names."""
        kinds, values, names, defaults = "", {"_NOTHING": _NOTHING}, [], []
        for each in known.values():
            if each.default_factory is not _NOTHING:
                kind, values[f"v{len(kinds)}"] = "m", each.default_factory
            elif each.default is not _NOTHING:
                kind, values[f"v{len(kinds)}"] = "d", each.default
            else:
                kind = "p"
            kinds += kind if each.init else kind.upper()
            names.append(each.name)
            if each.init and kind != "p":
                defaults.append(each.default)  # where there is a factory, that is _NOTHING
            elif each.init and defaults:
                raise TypeError(
                    f"{made.__qualname__}: '{each.name}' needs a default, since the field before it has one"
                )
        code = _code_for(kinds.replace("d", "p"), hasattr(made, "__post_init__"))
        own = {f"f{number}": name for number, name in enumerate(names)}
        variables, others = (
            tuple(own.get(each, each) for each in group) for group in (code.co_varnames, code.co_names)
        )
        qualified = f"{made.__qualname__}.__init__"
        code = code.replace(co_varnames=variables, co_names=others, co_qualname=qualified)
        init = FunctionType(code, values, "__init__", tuple(defaults))
        init.__module__ = made.__module__
        return init

    init_code = {}  # by kinds of fields; what an earlier process has made is put in (bytecode.py)

    def _code_for(kinds, has_more):
        """`p`: a field that is given, or has a default; `m`: made anew; `M`, `D`, `P`: never given."""
        key = kinds + "." * has_more
        if key not in init_code:
            init_code[key] = _compiled(kinds, has_more)
        return init_code[key]

    def _compiled(kinds, has_more):
        fields_given = [f"f{number}" for number, kind in enumerate(kinds) if kind.islower()]
        lines = [_LINES[kind].format(number) for number, kind in enumerate(kinds)]
        lines += ["  self.__post_init__()"] * has_more
        body = "\n".join(lines or ["  pass"])
        found = {}
        exec(f"def __init__({', '.join(['self', *fields_given])}):\n{body}", found)
        return found["__init__"].__code__

    _LINES = {
        "p": "  self.f{0} = f{0}",
        "m": "  self.f{0} = v{0}() if f{0} is _NOTHING else f{0}",
        "P": "",
        "D": "  self.f{0} = v{0}",
        "M": "  self.f{0} = v{0}()",
    }

    def _comparison(names, *, frozen):
        """Methods that compare instances by the fields with these names."""
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
        shown = (f"{each.name}={getattr(instance, each.name)!r}" for each in fields(instance) if each.repr)
        return f"{instance.__class__.__qualname__}({', '.join(shown)})"
