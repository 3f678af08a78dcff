# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls: of device functions, of the dialect's names, of Python's and NumPy's functions, of methods."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from warploom.pyjit.indexing import Indexing, extents, reinterpreted
from warploom.pyjit.intrinsics import ATOMICS, GRID, Intrinsic, maker_of
from warploom.pyjit.mathematics import METHODS
from warploom.pyjit.types import NONE, Array, Fixed, Known, Scalar, Tuple
from warploom.pyjit.values import JitError, NotYetTyped, Value, converted, literal, member_of, view_of


class Calls(Indexing):
    """Lowers calls."""

    def callee(self, node: ast.expr) -> Any:
        """The object of Python's that is called; None: it is none."""
        found = self.known(node)
        if found is None and isinstance(node, ast.Name):
            local = self.scope.locals.get(node.id)
            if local is None and node.id in self.scope.assigned:
                raise NotYetTyped(node.id)
            if local is not None and isinstance(local.type, Known):
                return local.type.what
        return found

    def argument(self, node: ast.expr) -> Value:
        """What a call is given: a value, or a function or type of Python's."""
        try:
            return self.value(node)
        except JitError:
            known = self.known(node)
            if known is None:
                raise
            return Value("", Known(known))

    def _arguments(self, nodes: Sequence[ast.expr]) -> list[Value]:
        values: list[Value] = []
        for node in nodes:
            if not isinstance(node, ast.Starred):
                values.append(self.argument(node))
                continue
            value = self.value(node.value)
            if not isinstance(value.type, Tuple):
                raise JitError(f"{value.type.name} has no members to be given one by one")
            whole = value if value.parts is not None else self.kept(value)
            values += [member_of(whole, number) for number in range(len(value.type.members))]
        return values

    def _call(self, node: ast.Call) -> Value:
        function = self.callee(node.func)
        if function is None and isinstance(node.func, ast.Attribute):
            return self._method(self.value(node.func.value), node.func.attr, node)
        if function is None:
            raise JitError("what is called here is not known", hint="functions of a kernel are global names")
        if isinstance(function, Intrinsic) and function.name.startswith("atomic."):
            return self._atomic(function.name.removeprefix("atomic."), self._arguments(node.args))
        values = self._arguments(node.args)
        named = {each.arg: self.argument(each.value) for each in node.keywords if each.arg is not None}
        return self.called(function, values, named)

    def called(self, function: Any, values: Sequence[Value], named: Mapping[str, Value]) -> Value:
        """A call of something of Python's with these arguments. Raises JitError for what is not known."""
        made = self.scope.call(function, values, named)
        if made is not None:
            return made
        if isinstance(function, Intrinsic) and function.name == "const.array_like":
            return self._constant_array(values)
        if named:
            raise JitError("arguments are given by position in a kernel")
        if function is len and len(values) == 1:
            return extents(values[0])[0]
        if isinstance(function, type) and hasattr(function, "_fields"):
            return self._named_tuple(function, values)
        maker = maker_of(function)
        if maker is None:
            name = getattr(function, "name", None) or getattr(function, "__name__", str(function))
            raise JitError(f"'{name}' cannot be called in a kernel", hint="@jit(device=True) makes a function of it")
        is_ufunc = type(function).__name__ == "ufunc"
        if is_ufunc and any(isinstance(value.type, Array | Fixed) for value in values):
            return self._element_wise(function, maker, values)
        return maker(values)

    def _named_tuple(self, kind: Any, values: Sequence[Value]) -> Value:
        from warploom.pyjit.values import tuple_of

        if len(values) != len(kind._fields):
            raise JitError(f"{kind.__name__} has {len(kind._fields)} members")
        return tuple_of(values, tuple(kind._fields))

    def _constant_array(self, values: Sequence[Value]) -> Value:
        if len(values) != 1:
            raise JitError("cuda.const.array_like takes an array of Python's")
        return values[0]

    def _method(self, value: Value, name: str, node: ast.Call) -> Value:
        values = self._arguments(node.args)
        if value.type == GRID and name == "sync" and not values:
            return Value(f"{value.text}.sync()", NONE)
        if name == "view" and isinstance(value.type, Array | Fixed) and len(values) == 1:
            described = values[0].type
            return reinterpreted(value, described.what if isinstance(described, Known) else None)
        if name == "item" and not values and isinstance(value.type, Scalar):
            return value
        if name in METHODS and isinstance(value.type, Scalar) and not values:
            return METHODS[name]([value])
        raise JitError(f"{value.type.name} has no '{name}()' in a kernel")

    def _atomic(self, name: str, values: Sequence[Value]) -> Value:
        if name == "compare_and_swap":
            array, *operands = values
            indices, name = [literal(0)], "cas"
        else:
            if len(values) < 2:
                raise JitError(f"cuda.atomic.{name} takes an array, an index and a value")
            array, index, *operands = values
            indices = [index]
        if name not in ATOMICS or len(operands) != (2 if name == "cas" else 1):
            raise JitError(f"cuda.atomic.{name} with {len(values)} arguments is not supported")
        place = self.element(array, indices)
        kind = place.scalar
        if kind.size not in (4, 8) or kind.kind not in "iuf":
            raise JitError(f"atomics are for numbers of 4 and 8 bytes, not {kind.name}")
        if name in ("inc", "dec") and kind.kind != "u":
            raise JitError(f"cuda.atomic.{name} is for numbers without a sign, not {kind.name}")
        words = ", ".join([f"&{place.text}", *(converted(value, kind) for value in operands)])
        return Value(f"{ATOMICS[name]}<{kind.text}>({words})", kind)

    # -- element by element -------------------------------------------------------------------------------------------

    def _element_wise(self, function: Any, maker: Any, values: Sequence[Value]) -> Value:
        """`np.sin(x, out)`: a function of NumPy's on arrays, whose result goes to the last argument."""
        if len(values) != function.nin + 1 or not isinstance(values[-1].type, Array | Fixed):
            raise JitError(
                f"numpy.{function.__name__} on arrays wants an array for its result",
                hint=f"numpy.{function.__name__}(x, out), or a loop over elements",
            )
        *given, out = [self._held(value) for value in values]
        counter = self.fresh("k")
        self.lines.append(f"for (Int {counter} = 0; {counter} < size_of({out.text}); ++{counter}) {{")
        parts = [self.meeting(value, out, counter) for value in given]
        target = self.meeting(out, out, counter)
        self.lines.append(f"{target.text} = {converted(_realised(maker(parts), target), target.scalar)}; }}")
        return Value("", NONE)

    def _held(self, value: Value) -> Value:
        """An array with a name of its own; numbers as they are."""
        return self.kept(view_of(value)) if isinstance(value.type, Array | Fixed) else self.kept(value)

    def meeting(self, value: Value, out: Value, counter: str) -> Value:
        """The element of an array that meets element number `counter` of `out`; a number is the same everywhere."""
        found = value.type
        if not isinstance(found, Array):
            return value
        if not isinstance(found.element, Scalar):
            raise JitError(f"{found.name} is no array of numbers")
        assert isinstance(out.type, Array)
        if found.ndim > out.type.ndim:
            raise JitError(f"{found.ndim} axes do not fit {out.type.ndim}")
        return Value(f"meeting({value.text}, {counter}, {out.text}.shape)", found.element)


def _realised(value: Value, target: Value) -> Value:
    """NumPy's functions of whole numbers give floats, which go into whole numbers where `out` has them."""
    if value.scalar.kind == "c" and target.scalar.kind != "c":
        raise JitError(f"{value.scalar.name} cannot become {target.scalar.name}")
    return value
