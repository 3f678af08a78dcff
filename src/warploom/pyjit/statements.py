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
from collections.abc import Callable, Sequence

from warploom.core.records import dataclass, replace
from warploom.pyjit.loops import Loops
from warploom.pyjit.lowering import Scope
from warploom.pyjit.types import NONE, UINT, Known, NoValue, Type, unified
from warploom.pyjit.values import JitError, NotYetTyped, Value, converted, known_truth, located, truth

_MOST_ROUNDS = 20
Version = tuple[str, int]


@dataclass(frozen=True)
class Written:
    """The body of a C++ function, and what it returns."""

    lines: list[str]
    result: Type


def write_body(
    tree: ast.FunctionDef,
    scope: Scope,
    parameters: dict[str, Value],
    result: Type = NONE,
    tell: Callable[[Type], None] = lambda _result: None,
) -> Written:
    """Lower the body of a function whose parameters have these values.

    `result`: what it is known to return. `tell` hears after each round what it returns. Raises JitError.
    """
    variables: dict[Version, Value] = {(name, 0): value for name, value in parameters.items()}
    for _ in range(_MOST_ROUNDS):
        first = {name: value for (name, number), value in variables.items() if number == 0}
        body = _Body(tree, replace(scope, locals=first), variables, result)
        body.block(tree.body, depth=0)
        is_settled = body.variables == variables and body.result == result
        if is_settled and not body.unknown:
            return Written(body.finished(parameters), result)
        if is_settled:
            name = sorted(body.unknown)[0]
            said = f"{name} calls itself without an end" if "'" in name else f"'{name}' is read before anything is"
            said = said if "'" in name else f"{said} assigned to it"
            raise JitError(said, hint="write it as a loop" if "'" in name else None, file=scope.file, line=tree.lineno)
        variables, result = body.variables, body.result
        tell(result)
    raise JitError("the types of this function's variables do not settle", file=scope.file, line=tree.lineno)


class _Body(Loops):
    def __init__(self, tree: ast.FunctionDef, scope: Scope, variables: dict[Version, Value], result: Type) -> None:
        super().__init__(scope, variables, [each.arg for each in (*tree.args.posonlyargs, *tree.args.args)])
        self.tree = tree
        self.result = result
        self.unknown: set[str] = set()
        self.is_left = False  # behind a return, raise, break or continue of this block
        self._flags: list[str] = []

    @property
    def flags(self) -> list[str]:
        return self._flags

    def finished(self, parameters: dict[str, Value]) -> list[str]:
        """Declarations and statements."""
        given = {value.text for value in parameters.values()} | self.own
        own = [value for value in self.variables.values() if value.text not in given]
        own = [value for value in own if not isinstance(value.type, Known)]
        declared = [f"{value.type.text} {value.text}{{}};" for value in own]
        copies = [
            f"{self.variables[name, 0].text} = {value.text};" for name, value in parameters.items()
            if self.variables[name, 0].text != value.text
        ]  # fmt: skip
        return [*declared, *self.arrays, *copies, *self.lines]

    def block(self, statements: Sequence[ast.stmt], *, depth: int | None = None) -> None:
        """Lower statements one after the other; those of a loop or of a branch lie deeper."""
        outer = self.depth
        self.depth = outer + 1 if depth is None else depth
        for statement in statements:
            if self.is_left:  # what follows is never reached, and need not even be typed
                break
            try:
                self._statement(statement)
            except NotYetTyped as missing:
                self.unknown.add(str(missing))
            except JitError as error:
                raise located(error, statement, self.scope.file) from None
        if depth != outer:
            self.is_left = False
        self.depth = outer

    def _statement(self, node: ast.stmt) -> None:
        method = getattr(self, f"_{type(node).__name__.lower()}_statement", None)
        if method is None:
            raise JitError(f"{type(node).__name__} is not supported in a kernel")
        self.lines.append(f'#line {node.lineno} "{self.scope.file}"')
        self.line = node.lineno
        method(node)
        if isinstance(node, ast.Return | ast.Raise | ast.Break | ast.Continue):
            self.is_left = True

    def _pass_statement(self, _node: ast.Pass) -> None:
        """Nothing."""

    def _expr_statement(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return  # a docstring
        if isinstance(node.value, ast.Call) and self.callee(node.value.func) is print:
            self._print(node.value)
        else:
            text = self.value(node.value).text
            self.lines += [f"{text};"] if text else []

    def _return_statement(self, node: ast.Return) -> None:
        if node.value is None or (isinstance(node.value, ast.Constant) and node.value.value is None):
            self.lines.append("return;")
            return
        value = self.value(node.value)
        if isinstance(value.type, NoValue):
            self.lines.append(f"{value.text}; return;")
            return
        found = value.type if isinstance(self.result, NoValue) else unified(self.result, value.type)
        if found is None:
            raise JitError(f"a function returns either {self.result.name} or {value.type.name}")
        self.result = found
        self.lines.append(f"return {converted(value, found)};")

    def _if_statement(self, node: ast.If) -> None:
        condition = self.value(node.test)
        decided = known_truth(condition)
        if decided is not None:  # the other side need not even be typed
            self.block(node.body if decided else node.orelse, depth=self.depth)
            return
        self.lines.append(f"if ({truth(condition)}) {{")
        self.block(node.body)
        if node.orelse:
            self.lines.append("} else {")
            self.block(node.orelse)
        self.lines.append("}")

    def _raise_statement(self, node: ast.Raise) -> None:
        if node.exc is None or node.cause is not None:
            raise JitError("a kernel raises an exception: `raise ValueError(...)`")
        call = node.exc if isinstance(node.exc, ast.Call) else None
        kind = self.known(call.func if call is not None else node.exc)
        if not isinstance(kind, type) or not issubclass(kind, BaseException):
            raise JitError("what is raised is no exception")
        words = [self.value(each) for each in call.args] if call is not None else []
        self._raise(kind, words)

    def _raise(self, kind: type[BaseException], values: Sequence[Value]) -> None:
        known = [value.type.what if isinstance(value.type, Known) else value.constant for value in values]
        if any(word is None for word in known):
            raise JitError("an exception is given constants in a kernel")
        number = self.scope.raised.number(kind, tuple(known), self.scope.function, self.line)
        self.lines.append(f"raise({number});")

    def _assert_statement(self, node: ast.Assert) -> None:
        words = [] if node.msg is None else [self.value(node.msg)]
        self.lines.append(f"if (!{truth(self.value(node.test))}) {{")
        self._raise(AssertionError, words)
        self.lines.append("}")

    def _print(self, node: ast.Call) -> None:
        words: list[str] = []
        values: list[str] = []
        for each in node.args:
            value = self.value(each)
            if isinstance(value.type, Known):
                words.append(str(value.type.what).replace("%", "%%"))
                continue
            text, given = _printed(value)
            words.append(text)
            values += given
        text = " ".join(words).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        self.lines.append(f'printf("{text}\\n"{"".join(f", {value}" for value in values)});')


def _printed(value: Value) -> tuple[str, list[str]]:
    """How printf shows a number, and what it is given."""
    if value.scalar.kind == "c":
        return "(%f+%fj)", [f"(double){value.text}.{part}" for part in ("real", "imag")]
    if value.scalar.kind == "f":
        return "%f", [f"(double){value.text}"]
    if value.scalar.kind == "b":
        return "%s", [f'({value.text} ? "True" : "False")']
    return "%llu" if value.scalar == UINT else "%lld", [f"(long long){value.text}"]
