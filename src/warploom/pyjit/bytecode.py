# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function's syntax tree from its bytecode, for functions without a source: of `exec`, of a lambda.

    LOAD_FAST x; LOAD_CONST 1; BINARY_OP +; STORE_FAST y     ==>     y = x + 1

The stack of the interpreter is played through with syntax trees in place of values. A jump forward makes an `if`, or
the value of `and`, `or` and `a if b else c`; FOR_ITER makes a `for`. What jumps otherwise (`while`, `break`,
exceptions) is refused: such a function wants a file.
"""

from __future__ import annotations

import ast
import dis
from collections.abc import Callable
from types import CodeType

from warploom.pyjit.values import JitError

_UNARY: dict[str, type[ast.unaryop]] = {
    "UNARY_NEGATIVE": ast.USub, "UNARY_NOT": ast.Not, "UNARY_INVERT": ast.Invert, "UNARY_POSITIVE": ast.UAdd,
}  # fmt: skip
_BINARY: dict[str, type[ast.operator]] = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div, "//": ast.FloorDiv, "%": ast.Mod, "**": ast.Pow,
    "<<": ast.LShift, ">>": ast.RShift, "&": ast.BitAnd, "|": ast.BitOr, "^": ast.BitXor, "@": ast.MatMult,
}  # fmt: skip
_COMPARE: dict[str, type[ast.cmpop]] = {
    "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE, "==": ast.Eq, "!=": ast.NotEq,
}  # fmt: skip
_NOTHING = frozenset(
    """RESUME CACHE NOP PRECALL EXTENDED_ARG COPY_FREE_VARS MAKE_CELL NOT_TAKEN TO_BOOL PUSH_NULL KW_NAMES END_FOR
    POP_ITER""".split()
)
_Stack = list[ast.expr]


def tree_from_code(code: CodeType, name: str, file: str) -> ast.FunctionDef:
    """The definition that a code object comes from, as far as it can be told. Raises JitError."""
    if code.co_flags & 0x0C or code.co_kwonlyargcount:  # *args, **kwargs
        raise JitError("parameters are plain names", file=file, line=code.co_firstlineno)
    reader = _Reader(code, name, file)
    body = reader.statements(0, len(reader.code)) or [ast.Pass(lineno=code.co_firstlineno, col_offset=0)]
    names = [ast.arg(each) for each in code.co_varnames[: code.co_argcount]]
    arguments = ast.arguments(posonlyargs=[], args=names, kwonlyargs=[], kw_defaults=[], defaults=[])
    tree = ast.FunctionDef("function", arguments, body, [], lineno=code.co_firstlineno, col_offset=0)
    return ast.fix_missing_locations(tree)


def _negated(value: ast.expr) -> ast.expr:
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not):
        return value.operand
    return ast.UnaryOp(ast.Not(), value)


class _Reader:
    def __init__(self, code: CodeType, name: str, file: str) -> None:
        self.name, self.file = name, file
        self.code = [each for each in dis.get_instructions(code) if each.opname not in _NOTHING]
        self.first_line = code.co_firstlineno
        self.line = code.co_firstlineno
        self.place_of = {each.offset: place for place, each in enumerate(self.code)}
        self.names: tuple[str, ...] = ()
        self.keywords = {
            each.offset: code.co_consts[each.arg or 0]
            for each in dis.get_instructions(code)
            if each.opname == "KW_NAMES"
        }

    def refused(self, what: str) -> JitError:
        return JitError(
            f"the source of '{self.name}' is not to be found, and its bytecode has {what}",
            hint="put it in a file",
            file=self.file,
            line=self.line,
        )

    def target(self, instruction: dis.Instruction) -> int:
        """Where a jump goes to: the number of an instruction."""
        offset = int(instruction.argval)
        while offset not in self.place_of:
            offset += 2
            if offset > self.code[-1].offset:
                return len(self.code)
        return self.place_of[offset]

    def statements(self, place: int, end: int, stack: _Stack | None = None) -> list[ast.stmt]:
        """The statements from one instruction up to another."""
        made: list[ast.stmt] = []
        stack = [] if stack is None else stack
        while place < end:
            place = self._step(place, end, stack, made)
        for statement in made:
            ast.fix_missing_locations(statement)
        return made

    def _at(self, node: ast.stmt) -> ast.stmt:
        node.lineno, node.col_offset = self.line, 0
        for each in ast.walk(node):
            if isinstance(each, ast.expr) and not hasattr(each, "lineno"):
                each.lineno, each.col_offset = self.line, 0
        return node

    def _step(self, place: int, end: int, stack: _Stack, made: list[ast.stmt]) -> int:
        """One instruction, or all of a branch or loop; gives the next one's number."""
        instruction = self.code[place]
        position = instruction.positions
        self.line = (position.lineno if position is not None else None) or self.line
        name = instruction.opname
        if name in ("RETURN_VALUE", "RETURN_CONST"):
            value = ast.Constant(instruction.argval) if name == "RETURN_CONST" else stack.pop()
            is_none = isinstance(value, ast.Constant) and value.value is None
            made.append(self._at(ast.Return(None if is_none else value)))
            return place + 1
        if name == "POP_TOP":
            made.append(self._at(ast.Expr(stack.pop())))
            return place + 1
        if name.startswith("STORE_") and name not in ("STORE_SUBSCR", "STORE_ATTR", "STORE_SLICE"):
            made.append(self._at(ast.Assign([ast.Name(str(instruction.argval), ast.Store())], stack.pop())))
            return place + 1
        if name in ("STORE_SUBSCR", "STORE_ATTR"):
            made.append(self._at(self._stored(name, instruction, stack)))
            return place + 1
        if name == "UNPACK_SEQUENCE":
            return self._unpacked(place, int(instruction.arg or 0), stack, made)
        if name == "FOR_ITER":
            return self._loop(place, stack, made)
        if name in ("JUMP_IF_FALSE_OR_POP", "JUMP_IF_TRUE_OR_POP"):
            return self._either(place, stack, is_and=name == "JUMP_IF_FALSE_OR_POP")
        if "JUMP" in name and "IF" in name:
            return self._branch(place, end, stack, made)
        if name in ("JUMP_FORWARD", "JUMP_BACKWARD") or "EXCEPT" in name:
            raise self.refused(f"{name}")
        self._pushed(instruction, stack)
        return place + 1

    def _stored(self, name: str, instruction: dis.Instruction, stack: _Stack) -> ast.stmt:
        if name == "STORE_ATTR":
            home, value = stack.pop(), stack.pop()
            return ast.Assign([ast.Attribute(home, str(instruction.argval), ast.Store())], value)
        index, home, value = stack.pop(), stack.pop(), stack.pop()
        return ast.Assign([ast.Subscript(home, index, ast.Store())], value)

    def _unpacked(self, place: int, count: int, stack: _Stack, made: list[ast.stmt]) -> int:
        following = self.code[place + 1 : place + 1 + count]
        if any(not each.opname.startswith("STORE_FAST") for each in following) or len(following) != count:
            raise self.refused("several targets that are no names")
        names: list[ast.expr] = [ast.Name(str(each.argval), ast.Store()) for each in following]
        made.append(self._at(ast.Assign([ast.Tuple(names, ast.Store())], stack.pop())))
        return place + 1 + count

    def _loop(self, place: int, stack: _Stack, made: list[ast.stmt]) -> int:
        end = self.target(self.code[place])
        last = self.code[end - 1]
        if last.opname != "JUMP_BACKWARD" or self.target(last) != place:
            raise self.refused("a loop that is left")
        iterated = stack.pop()
        body = self.statements(place + 1, end - 1, [ast.Name(".turn", ast.Load())])
        first = body.pop(0)
        if not isinstance(first, ast.Assign):
            raise self.refused("a loop without a name")
        made.append(self._at(ast.For(first.targets[0], iterated, body or [ast.Pass()], [])))
        return end

    def _either(self, place: int, stack: _Stack, *, is_and: bool) -> int:
        """`a and b`, `a or b` as values."""
        end = self.target(self.code[place])
        left = stack.pop()
        inner: _Stack = []
        if self.statements(place + 1, end, inner) or len(inner) != 1:
            raise self.refused("a condition that is too involved")
        operator = ast.And() if is_and else ast.Or()
        same = isinstance(inner[0], ast.BoolOp) and isinstance(inner[0].op, type(operator))
        rest = inner[0].values if same and isinstance(inner[0], ast.BoolOp) else inner
        stack.append(ast.BoolOp(operator, [left, *rest]))
        return end

    def _branch(self, place: int, end: int, stack: _Stack, made: list[ast.stmt]) -> int:
        """`if`, with or without `else`, and `a if b else c`."""
        instruction = self.code[place]
        target = self.target(instruction)
        if target <= place or target > end:
            raise self.refused("a jump that is neither `if` nor `for`")
        test, place = self._conditions(place, stack)
        target = self.target(self.code[place])
        last = self.code[target - 1]
        if last.opname == "JUMP_FORWARD" and self.target(last) <= end:
            stop = self.target(last)
            one, other, values, others = list[ast.stmt](), list[ast.stmt](), _Stack(), _Stack()
            one, other = self.statements(place + 1, target - 1, values), self.statements(target, stop, others)
            if len(values) == len(others) == 1 and not one and not other:
                stack.append(ast.IfExp(test, values[0], others[0]))
            else:
                made.append(self._at(ast.If(test, one or [ast.Pass()], other)))
            return stop
        body = self.statements(place + 1, target)
        if body and isinstance(body[-1], ast.Return):
            made.append(self._at(ast.If(test, body, self.statements(target, end))))
            return end
        made.append(self._at(ast.If(test, body or [ast.Pass()], [])))
        return target

    def _conditions(self, place: int, stack: _Stack) -> tuple[ast.expr, int]:
        """The condition of a jump and of those that follow as `and` or `or`; with the number of the last jump."""
        first = self.code[place]
        test = self._condition(first.opname, stack.pop())
        values, operator = [test], ast.Or() if first.opname.endswith("TRUE") else ast.And()
        if isinstance(operator, ast.Or):
            values = [_negated(test)]
        while True:
            following = self._next_jump(place + 1)
            if following is None:
                break
            jump, value = following
            is_same = self.target(self.code[jump]) == self.target(first)
            is_last = isinstance(operator, ast.Or) and self.target(first) == jump + 1
            if not is_last and (not is_same or self.code[jump].opname != first.opname):
                break
            tested = self._condition(self.code[jump].opname, value)
            place = jump
            values.append(_negated(tested) if self.code[jump].opname.endswith("TRUE") else tested)
            if is_last:
                return ast.BoolOp(operator, values), place
        if isinstance(operator, ast.Or) and len(values) > 1:
            raise self.refused("a condition that is too involved")
        return (ast.BoolOp(ast.And(), values) if len(values) > 1 else test), place

    def _next_jump(self, place: int) -> tuple[int, ast.expr] | None:
        """The conditional jump that only an expression lies before, and what it tests."""
        stack: _Stack = []
        made: list[ast.stmt] = []
        while place < len(self.code):
            name = self.code[place].opname
            if "JUMP" in name and "IF" in name and not name.endswith("POP"):
                return (place, stack[-1]) if len(stack) == 1 else None
            if "JUMP" in name or name.startswith(("STORE", "RETURN", "POP", "UNPACK", "FOR")):
                return None
            place = self._step(place, len(self.code), stack, made)
        return None

    def _condition(self, name: str, value: ast.expr) -> ast.expr:
        if name.endswith("NONE"):
            test = ast.Is() if name.endswith("NOT_NONE") else ast.IsNot()
            return ast.Compare(value, [test], [ast.Constant(None)])
        return ast.UnaryOp(ast.Not(), value) if name.endswith("TRUE") else value

    # -- expressions --------------------------------------------------------------------------------------------------

    def _pushed(self, instruction: dis.Instruction, stack: _Stack) -> None:
        name = instruction.opname
        method: Callable[[dis.Instruction, _Stack], ast.expr | None] | None = getattr(self, f"_{name.lower()}", None)
        if name in _UNARY:
            stack.append(ast.UnaryOp(_UNARY[name](), stack.pop()))
        elif name in ("LOAD_FAST", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_NAME", "LOAD_FAST_CHECK", "LOAD_FAST_BORROW"):
            stack.append(ast.Name(str(instruction.argval), ast.Load()))
        elif name in ("LOAD_ATTR", "LOAD_METHOD"):
            stack.append(ast.Attribute(stack.pop(), str(instruction.argval), ast.Load()))
        elif name in ("LOAD_CONST", "LOAD_SMALL_INT"):
            stack.append(ast.Constant(instruction.argval))
        elif method is None:
            raise self.refused(f"{name}")
        else:
            made = method(instruction, stack)
            if made is not None:
                stack.append(made)

    def _load_fast_load_fast(self, instruction: dis.Instruction, stack: _Stack) -> None:
        stack += [ast.Name(str(each), ast.Load()) for each in instruction.argval]

    _load_fast_borrow_load_fast_borrow = _load_fast_load_fast

    def _binary_op(self, instruction: dis.Instruction, stack: _Stack) -> ast.expr:
        right, left = stack.pop(), stack.pop()
        mark = instruction.argrepr.removesuffix("=")
        if mark == "[]":
            return ast.Subscript(left, right, ast.Load())
        return ast.BinOp(left, _BINARY[mark](), right)

    def _binary_subscr(self, _instruction: dis.Instruction, stack: _Stack) -> ast.expr:
        index, home = stack.pop(), stack.pop()
        return ast.Subscript(home, index, ast.Load())

    def _compare_op(self, instruction: dis.Instruction, stack: _Stack) -> ast.expr:
        right, left = stack.pop(), stack.pop()
        mark = instruction.argrepr.removeprefix("bool(").removesuffix(")")
        return ast.Compare(left, [_COMPARE[mark]()], [right])

    def _is_op(self, instruction: dis.Instruction, stack: _Stack) -> ast.expr:
        right, left = stack.pop(), stack.pop()
        return ast.Compare(left, [ast.IsNot() if instruction.arg else ast.Is()], [right])

    def _build_tuple(self, instruction: dis.Instruction, stack: _Stack) -> ast.expr:
        count = int(instruction.arg or 0)
        members = stack[len(stack) - count :]
        del stack[len(stack) - count :]
        return ast.Tuple(members, ast.Load())

    def _build_slice(self, instruction: dis.Instruction, stack: _Stack) -> ast.expr:
        step = stack.pop() if instruction.arg == 3 else None
        stop, start = stack.pop(), stack.pop()
        return ast.Slice(start, stop, step)

    def _get_iter(self, _instruction: dis.Instruction, _stack: _Stack) -> None:
        """The loop that follows takes what is iterated."""

    def _call(self, instruction: dis.Instruction, stack: _Stack) -> ast.expr:
        count = int(instruction.arg or 0)
        arguments = stack[len(stack) - count :]
        del stack[len(stack) - count :]
        earlier = [offset for offset in self.keywords if 0 < instruction.offset - offset <= 6]
        names = self.keywords[earlier[-1]] if earlier else ()
        keywords = [ast.keyword(name, value) for name, value in zip(reversed(names), reversed(arguments), strict=False)]
        return ast.Call(stack.pop(), arguments[: count - len(names)], keywords[::-1])

    def _swap(self, instruction: dis.Instruction, stack: _Stack) -> None:
        place = -int(instruction.arg or 0)
        stack[-1], stack[place] = stack[place], stack[-1]

    def _copy(self, instruction: dis.Instruction, stack: _Stack) -> ast.expr:
        return stack[-int(instruction.arg or 0)]
