# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of Python as C++ functions, one for each combination of argument types.

    for i in range(start, x.size, step):          for (Int i_1 = start_; i_1 < x_.shape[0]; i_1 += step_) {
        total += x[i]                       ==>     i_ = i_1;
                                                    total_ = total_ + x_(i_);
                                                  }

A variable has one type: that of all values which it is given, unified. An assignment that is in no loop and under no
condition begins a variable of its own, since nothing behind it sees the older value. What is assigned later in a loop
may widen a type, so a function is lowered again and again until none changes; the text of the last round is the
function. Each statement has a `#line` of the Python file: errors, remarks and faults name that.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from warploom.pyjit.expressions import Expressions, Scope, member, once, truth
from warploom.pyjit.intrinsics import Intrinsic, scalar_type
from warploom.pyjit.types import INT, INT32, NONE, UINT, Fixed, NoValue, Scalar, Tuple, Type, unified
from warploom.pyjit.values import JitError, NotYetTyped, Value, converted, literal, located

_MOST_ROUNDS = 20
Version = tuple[str, int]  # a name, and which of the variables of that name


@dataclass(frozen=True)
class Written:
    """The body of a C++ function, and what it returns."""

    lines: list[str]
    result: Type
    dynamic: Scalar | None  # the element of its dynamic shared memory


def write_body(tree: ast.FunctionDef, scope: Scope, parameters: dict[str, Value]) -> Written:
    """Lower the body of a function whose parameters have these values. Raises JitError."""
    variables: dict[Version, Value] = {(name, 0): value for name, value in parameters.items()}
    result: Type = NONE
    for _ in range(_MOST_ROUNDS):
        first = {name: value for (name, number), value in variables.items() if number == 0}
        body = _Body(tree, replace(scope, locals=first), variables, result)
        body.block(tree.body, depth=0)
        if body.variables == variables and body.result == result and not body.unknown:
            return Written(body.finished(parameters), result, body.dynamic)
        if body.unknown and body.variables == variables:
            name = sorted(body.unknown)[0]
            raise JitError(f"'{name}' is read before anything is assigned to it", file=scope.file, line=tree.lineno)
        variables, result = body.variables, body.result
    raise JitError("the types of this function's variables do not settle", file=scope.file, line=tree.lineno)


class _Body(Expressions):
    def __init__(self, tree: ast.FunctionDef, scope: Scope, variables: dict[Version, Value], result: Type) -> None:
        super().__init__(scope)
        self.tree = tree
        self.variables = dict(variables)
        self.versions: dict[str, int] = dict.fromkeys((each.arg for each in _parameters(tree)), 0)
        self.loops: list[set[str]] = []  # what is assigned in each loop around
        self.depth = 0
        self.result = result
        self.unknown: set[str] = set()
        self.lines: list[str] = []
        self.arrays: list[str] = []
        self.own: set[str] = set()  # the C++ names of the kernel's own arrays
        self.dynamic: Scalar | None = None
        self.counter = 0

    def finished(self, parameters: dict[str, Value]) -> list[str]:
        """Declarations and statements."""
        given = {value.text for value in parameters.values()} | self.own
        own = [value for value in self.variables.values() if value.text not in given]
        declared = [f"{value.type.text} {value.text}{{}};" for value in own]
        copies = [
            f"{self.variables[name, 0].text} = {value.text};" for name, value in parameters.items()
            if self.variables[name, 0].text != value.text
        ]  # fmt: skip
        return [*declared, *self.arrays, *copies, *self.lines]

    def _name(self, node: ast.Name) -> Value:
        name = node.id
        if name in self.scope.assigned and name not in self.versions and not any(name in each for each in self.loops):
            raise JitError(f"'{name}' is read before anything is assigned to it")
        return super()._name(node)

    # -- statements ---------------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt], *, depth: int | None = None) -> None:
        """Lower statements one after the other; those of a loop or of a branch lie deeper."""
        outer, self.depth = self.depth, self.depth + 1 if depth is None else depth
        self._statements(statements)
        self.depth = outer

    def _statements(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            try:
                self._statement(statement)
            except NotYetTyped as missing:
                self.unknown.add(str(missing))
            except JitError as error:
                raise located(error, statement, self.scope.file) from None

    def _statement(self, node: ast.stmt) -> None:
        method = getattr(self, f"_{type(node).__name__.lower()}_statement", None)
        if method is None:
            raise JitError(f"{type(node).__name__} is not supported in a kernel")
        self.lines.append(f'#line {node.lineno} "{self.scope.file}"')
        method(node)

    def _pass_statement(self, _node: ast.Pass) -> None:
        """Nothing."""

    def _break_statement(self, _node: ast.Break) -> None:
        self.lines.append("break;")

    def _continue_statement(self, _node: ast.Continue) -> None:
        self.lines.append("continue;")

    def _expr_statement(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return  # a docstring
        if isinstance(node.value, ast.Call) and self.known(node.value.func) is print:
            self._print(node.value)
        else:
            self.lines.append(f"{self.value(node.value).text};")

    def _return_statement(self, node: ast.Return) -> None:
        if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            self.lines.append("return;")
            return
        value = self.value(node.value)
        found = value.type if isinstance(self.result, NoValue) else unified(self.result, value.type)
        if found is None:
            raise JitError(f"a function returns either {self.result.name} or {value.type.name}")
        self.result = found
        self.lines.append(f"return {self._as(value, found)};")

    def _as(self, value: Value, wanted: Type) -> str:
        if value.parts is not None and isinstance(wanted, Tuple):
            members = zip(value.parts, wanted.members, strict=True)
            return f"{wanted.text}{{{', '.join(self._as(*each) for each in members)}}}"
        return converted(value, wanted)

    # -- assignments --------------------------------------------------------------------------------------------------

    def _assign_statement(self, node: ast.Assign) -> None:
        array = self._own_array(node)
        if array is not None:
            return
        value = self.value(node.value)
        if len(node.targets) > 1:
            once(self, node.value)
        for target in node.targets:
            self._assign(target, value)

    def _annassign_statement(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._assign(node.target, self.value(node.value))

    def _augassign_statement(self, node: ast.AugAssign) -> None:
        target: Any = ast.parse(ast.unparse(node.target), mode="eval").body
        for each in ast.walk(target):
            ast.copy_location(each, node)
        once(self, node.target)
        self._assign(node.target, self.binary(node.op, self.value(target), self.value(node.value)))

    def _assign(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Tuple):
            self._unpack(target, value)
        elif isinstance(target, ast.Name):
            self._assign_name(target.id, value)
        elif isinstance(target, ast.Subscript):
            place = self._subscript(target)
            self.lines.append(f"{place.text} = {converted(value, place.scalar)};")
        else:
            raise JitError(f"nothing can be assigned to {type(target).__name__} in a kernel")

    def _unpack(self, target: ast.Tuple, value: Value) -> None:
        if not isinstance(value.type, Tuple) or len(value.type.members) != len(target.elts):
            raise JitError(f"{value.type.name} has not {len(target.elts)} members")
        self.counter += 1
        kept: list[Value] = []
        whole = f"t_{self.counter}"
        if value.parts is None:
            self.lines.append(f"const {value.type.text} {whole} = {value.text};")
        for number, _ in enumerate(target.elts):  # all are read before the first is written
            part = member(Value(whole, value.type) if value.parts is None else value, [literal(number)])
            name = f"t_{self.counter}_{number}"
            self.lines.append(f"const {part.type.text} {name} = {part.text};")
            kept.append(Value(name, part.type, part.is_positive))
        for each, part in zip(target.elts, kept, strict=True):
            self._assign(each, part)

    def _assign_name(self, name: str, value: Value) -> None:
        if isinstance(value.type, NoValue):
            raise JitError("this call gives nothing")
        known = self.variables.get(self._version(name))
        found = value.type if known is None else unified(known.type, value.type)
        if found is None:
            assert known is not None
            raise JitError(f"'{name}' is {known.type.name} and then {value.type.name}")
        is_positive = value.is_positive and (known is None or known.is_positive)
        made = Value(f"{name}_v{self.versions[name]}", found, is_positive)
        self._define(name, made)
        self.lines.append(f"{made.text} = {self._as(value, found)};")

    def _version(self, name: str) -> Version:
        """The variable that an assignment here is to."""
        number = self.versions.get(name, -1)
        self.versions[name] = number + 1 if self.depth == 0 or number < 0 else number
        return name, self.versions[name]

    def _define(self, name: str, made: Value) -> None:
        version = name, self.versions[name]
        seen = self.variables.get(version, made)
        self.variables[version] = made
        # Until the next round it is read as the last one left it: an assignment below may have changed it.
        self.scope.locals[name] = seen

    def _own_array(self, node: ast.Assign) -> Value | None:
        """`tile = cuda.shared.array(shape, dtype)`: declared where the function begins."""
        function = self.known(node.value.func) if isinstance(node.value, ast.Call) else None
        if not isinstance(function, Intrinsic) or function.name not in ("shared.array", "local.array"):
            return None
        assert isinstance(node.value, ast.Call)
        if len(node.targets) != 1 or not isinstance(node.targets[0], ast.Name):
            raise JitError("an array of the kernel's own gets one name")
        given = dict(zip(("shape", "dtype"), node.value.args, strict=False)) | {
            keyword.arg: keyword.value for keyword in node.value.keywords if keyword.arg
        }
        shape = self._shape(given.get("shape"))
        element = scalar_type(self._dtype(given.get("dtype")))
        if element is None:
            raise JitError("the dtype of an array is one of NumPy's numbers")
        name, is_shared = node.targets[0].id, function.name == "shared.array"
        found = Fixed(element, shape)
        size = 1
        for extent in shape:
            size *= extent
        self._version(name)
        text = f"{name}_v{self.versions[name]}"
        self.own.add(text)
        if shape:
            self.arrays.append(f"{'__shared__ ' if is_shared else ''}{element.text} {text}[{size}];")
        else:
            self.dynamic = element
            self.arrays.append("extern __shared__ double warploom_dynamic[];")
            self.arrays.append(f"{element.text} *const {text} = ({element.text} *)warploom_dynamic;")
        made = Value(text, found)
        self._define(name, made)
        return made

    def _shape(self, node: ast.expr | None) -> tuple[int, ...]:
        if node is None:
            raise JitError("an array wants a shape and a dtype")
        value = self.value(node)
        parts = value.parts or (value,)
        extents = tuple(part.constant for part in parts)
        if not all(isinstance(extent, int) and extent >= 0 for extent in extents):
            raise JitError("the shape of an array of the kernel's own is of constants")
        whole = tuple(int(extent) for extent in extents if extent is not None)
        return () if whole == (0,) else whole

    def _dtype(self, node: ast.expr | None) -> Any:
        if node is None:
            raise JitError("an array wants a shape and a dtype")
        if isinstance(node, ast.Constant):
            return type("Named", (), {"name": node.value})
        if isinstance(node, ast.Attribute) and node.attr == "dtype":
            return getattr(self.value(node.value).type, "element", None)
        return self.known(node)

    # -- control ------------------------------------------------------------------------------------------------------

    def _if_statement(self, node: ast.If) -> None:
        self.lines.append(f"if ({truth(self.value(node.test))}) {{")
        self.block(node.body)
        if node.orelse:
            self.lines.append("} else {")
            self.block(node.orelse)
        self.lines.append("}")

    def _while_statement(self, node: ast.While) -> None:
        _no_else(node.orelse)
        self.loops.append(stored(node))
        self.lines.append(f"while ({truth(self.value(node.test))}) {{")
        self.block(node.body)
        self.lines.append("}")
        self.loops.pop()

    def _for_statement(self, node: ast.For) -> None:
        _no_else(node.orelse)
        if not isinstance(node.iter, ast.Call) or self.known(node.iter.func) is not range:
            raise JitError("a loop in a kernel is over range(...)")
        values = [self.value(each) for each in node.iter.args]
        if not 1 <= len(values) <= 3 or not isinstance(node.target, ast.Name):
            raise JitError("a loop in a kernel is `for name in range(...)`")
        start, stop, step = (literal(0), values[0], literal(1)) if len(values) == 1 else (*values, literal(1))[:3]
        if step.constant == 0 and not isinstance(step.constant, bool):
            raise JitError("range() arg 3 must not be zero")
        kind = _counter_type(values)
        self.counter += 1
        name, end, by = (f"{prefix}_{self.counter}" for prefix in ("i", "end", "step"))
        self.lines.append(f"{{ const {kind.text} {end} = {stop.text}, {by} = {step.text};")
        if step.constant is None and "gridDim" not in step.text:  # a grid has threads
            self.lines.append(f"if ({by} == 0) __trap();  // where Python raises ValueError")
        up = isinstance(step.constant, int) and step.constant > 0
        down = isinstance(step.constant, int) and step.constant < 0
        is_up = up or step.is_positive
        test = (
            f"{name} < {end}"
            if is_up
            else f"{name} > {end}"
            if down
            else f"({by} > 0 ? {name} < {end} : {name} > {end})"
        )
        self.lines.append(f"for ({kind.text} {name} = {start.text}; {test}; {name} += {by}) {{")
        is_positive = (is_up and start.is_positive) or (down and stop.is_positive)
        self.depth += 1  # a loop may have no turn at all
        self._assign_name(node.target.id, Value(name, kind, is_positive))
        self.depth -= 1
        self.loops.append(stored(node))
        self.block(node.body)
        self.loops.pop()
        self.lines.append("} }")

    def _print(self, node: ast.Call) -> None:
        words: list[str] = []
        values: list[str] = []
        for each in node.args:
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                words.append(each.value.replace("%", "%%"))
                continue
            value = self.value(each)
            is_float = value.scalar.kind == "f"
            words.append("%f" if is_float else "%llu" if value.scalar == UINT else "%lld")
            values.append(f"(double){value.text}" if is_float else f"(long long){value.text}")
        text = " ".join(words).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        self.lines.append(f'printf("{text}\\n"{"".join(f", {value}" for value in values)});')


def stored(tree: ast.AST) -> set[str]:
    """The names that are assigned somewhere below."""
    names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {node.id for node in names if not isinstance(node.ctx, ast.Load)}


def _parameters(tree: ast.FunctionDef) -> list[ast.arg]:
    return [*tree.args.posonlyargs, *tree.args.args]


def _counter_type(values: Sequence[Value]) -> Scalar:
    """As numba has it: 32 bits where all are, no sign where none has one."""
    kinds = [value.scalar for value in values]
    if any(kind.kind == "f" for kind in kinds):
        raise JitError("a float is no bound of range(...)")
    if all(kind == INT32 for kind in kinds):
        return INT32
    return UINT if all(kind == UINT for kind in kinds) else INT


def _no_else(statements: Sequence[ast.stmt]) -> None:
    if statements:
        raise JitError("a loop with `else` is not supported in a kernel")
