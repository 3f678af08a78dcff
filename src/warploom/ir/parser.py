# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the text form that `printer.py` writes.

One regular expression cuts the text into tokens, a recursive descent reads them; line breaks mean nothing, `//` begins
a comment. Types stand in the text: nothing is inferred. In structured form a value must be defined before its use and
is visible to the end of its region; a name may return where the first is out of sight. In CFG form blocks may stand in
any order.
"""

from __future__ import annotations

import json
import re

from warploom.core.kernel_facts import KernelFacts
from warploom.core.patterns import regex
from warploom.core.remarks import Loc
from warploom.core.type_names import NoReturn
from warploom.diagnostics import Diagnostic
from warploom.ir.core import Attribute, Block, Const, Function, Op, Operand, Region, Shared, Value
from warploom.ir.facts_text import facts_from
from warploom.ir.ops import OPS
from warploom.ir.types import float_bits, is_float, is_int

_STRING = r'"(?:[^"\\\n]|\\.)*"'
_TOKEN = regex(
    r"(?>\s+|//[^\n]*)*+("  # between tokens
    rf"[%^@](?:[\w.$-]+|{_STRING})"  # a value, a block, a global
    r"|[A-Za-z_][\w.$]*"  # a word
    r"|-?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|inf\b)"  # a number
    rf"|{_STRING}"
    r"|`(?:[^`]|``)*`"  # LLVM's own text
    r"|\S"  # punctuation
    r"|\Z)",  # the end, an empty token
    re.ASCII,
)


def parse_function(text: str, file: str = "<text>") -> Function:
    """The function that `text` describes. A mistake is a Diagnostic with `file` and the line."""
    return _Parser(text, file).function()


class _Parser:
    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.tokens: list[str] = _TOKEN.findall(text)
        self.at = 0  # the next token
        self.values: dict[str, Value] = {}  # those in sight
        self.scope: list[str] = []  # names defined in the innermost region
        self.is_cfg = False
        self.forward: dict[str, int] = {}  # CFG form: used before it was defined, and at which token
        self.constants: dict[tuple[str, str], Const] = {}

    # -- tokens

    def error(self, message: str, at: int | None = None) -> NoReturn:
        """Report a mistake at token number `at`, or at the next one."""
        wanted = self.at if at is None else at
        start = next((m.start(1) for i, m in enumerate(_TOKEN.finditer(self.text)) if i == wanted), len(self.text))
        raise Diagnostic(message, file=self.file, line=self.text.count("\n", 0, start) + 1)

    def found(self) -> str:
        """The next token, for a message."""
        return repr(self.tokens[self.at] or "the end of the text")

    def accept(self, token: str) -> bool:
        """Step over `token` if it comes next."""
        if self.tokens[self.at] != token:
            return False
        self.at += 1
        return True

    def expect(self, token: str) -> None:
        """Step over `token`, which must come next."""
        if self.tokens[self.at] != token:
            self.error(f"expected {token!r}, found {self.found()}")
        self.at += 1

    def sigil(self, sigil: str, what: str) -> str:
        """A name written with `sigil` in front, without it."""
        token = self.tokens[self.at]
        if token[:1] != sigil or len(token) == 1:
            self.error(f"expected {what}, like {sigil}name, found {self.found()}")
        self.at += 1
        return self.string(token[1:]) if token[1] == '"' else token[1:]

    def string(self, token: str) -> str:
        """What a quoted token says."""
        try:
            return json.loads(token)
        except ValueError:
            self.error(f"this is no JSON string: {token}", self.at - 1)

    def number(self) -> int:
        """An integer."""
        token = self.tokens[self.at]
        if not token.lstrip("-").isdecimal():
            self.error(f"expected an integer, found {self.found()}")
        self.at += 1
        return int(token)

    # -- functions

    def function(self) -> Function:
        """A whole kernel, and nothing after it."""
        self.expect("kernel")
        name = self.sigil("@", "the kernel's name")
        function = Function(name, self.parameters())
        function.facts = self.facts()
        function.loc = self.location()
        self.expect("{")
        while self.accept("shared"):
            shared = self.shared()
            function.shared[shared.name] = shared
        if self.accept("ids"):
            function.ids = self.parameters()
        self.is_cfg = self.tokens[self.at][:1] == "^"
        if self.is_cfg:
            while self.tokens[self.at][:1] == "^":
                function.blocks.append(self.block())
            for value, at in self.forward.items():
                self.error(f"{value} is defined nowhere", at)
        else:
            self.ops(function.body.ops)
        self.expect("}")
        if self.tokens[self.at]:
            self.error(f"expected the end of the text, found {self.found()}")
        return function

    def shared(self) -> Shared:
        """A shared variable, after the word `shared`."""
        name = self.sigil("@", "a shared variable")
        attrs = self.attributes()
        size, align = attrs.get("size"), attrs.get("align")
        if not isinstance(size, int) or not isinstance(align, int):
            self.error("a shared variable has [size=BYTES, align=BYTES]", self.at - 1)
        return Shared(name, size, align)

    def block(self) -> Block:
        """A basic block."""
        block = Block(self.sigil("^", "a block"))
        if self.tokens[self.at] == "(":
            block.params = self.parameters()
        self.expect(":")
        self.ops(block.ops)
        return block

    def parameters(self) -> list[Value]:
        """`(%a: type, ...)`, which defines these values."""
        self.expect("(")
        found: list[Value] = []
        if not self.accept(")"):
            found = [self.define(*each) for each in self.definitions()]
            self.expect(")")
        return found

    # -- values

    def definitions(self) -> list[tuple[str, str, int]]:
        """`%a: type, ...`: name, type, token number."""
        found: list[tuple[str, str, int]] = []
        while True:
            token, start = self.tokens[self.at], self.at
            if token[:1] != "%" or len(token) == 1:
                self.error(f"expected a value, like %name, found {self.found()}")
            self.at += 1
            self.expect(":")
            found.append((token, self.type(), start))
            if not self.accept(","):
                return found

    def define(self, token: str, type_: str, at: int) -> Value:
        """A new value, in sight from here to the end of the region."""
        value = self.values.get(token)
        if value is None:
            self.at, after = at, self.at
            name = self.sigil("%", "a value")
            self.at = after
            value = self.values[token] = Value(type_, "" if name.isdigit() else name)
        elif token in self.forward:
            del self.forward[token]
            value.type = type_
        else:
            self.error(f"{token} is defined already", at)
        self.scope.append(token)
        return value

    def use(self, token: str) -> Value:
        """The value that the next token names."""
        value = self.values.get(token)
        if value is not None:
            return value
        if not self.is_cfg:
            self.error(f"{token} is not defined here")
        at = self.at
        name = self.sigil("%", "a value")
        self.at = at
        self.forward[token] = at
        value = self.values[token] = Value("", "" if name.isdigit() else name)
        return value

    def operands(self) -> list[Operand]:
        """Operands up to something that is none. A colon tells `%a: type` and `word:type` from operands and ops."""
        tokens, found = self.tokens, list[Operand]()
        while True:
            token = tokens[self.at]
            if token[:1] == "%":
                if tokens[self.at + 1] == ":" and not found:
                    return found
                found.append(self.use(token))
                self.at += 1
            elif token and tokens[self.at + 1] == ":" and token[0] not in '^"':
                found.append(self.constant())
            elif found:
                self.error(f"expected an operand, found {self.found()}")
            else:
                return found
            if tokens[self.at] != ",":
                return found
            self.at += 1

    def constant(self) -> Const:
        """`value:type`."""
        start = self.at
        self.at += 2
        key = (self.tokens[start], self.type())
        if key not in self.constants:
            self.constants[key] = Const(key[1], self.constant_value(*key, start))
        return self.constants[key]

    def constant_value(self, token: str, type_: str, at: int) -> int | str:
        """What Const.value holds for `token`."""
        if token[0] == "`":
            return token[1:-1].replace("``", "`")
        if token[0] not in "-0123456789":
            return int(token == "true") if type_ == "i1" and token in ("true", "false") else token
        is_hex = "0x" in token
        if is_float(type_):
            return int(token, 16) if is_hex else float_bits(type_, float(token))
        if not is_int(type_) or not (is_hex or token.lstrip("-").isdecimal()):
            self.error(f"{token} is no constant of type {type_}", at)
        value, width = int(token, 16 if is_hex else 10), int(type_[1:])
        if not -(1 << width >> 1) <= value < 1 << width:
            self.error(f"{token} does not fit into {type_}", at)
        return value & ((1 << width) - 1)

    def type(self) -> str:
        """A type, in LLVM's own spelling."""
        token = self.tokens[self.at]
        self.at += 1
        if token == "ptr" or is_float(token) or (token and is_int(token)):
            return token
        if token == "[" or (token == "<" and self.tokens[self.at] != "{"):
            count = self.number()
            self.expect("x")
            text = f"{token}{count} x {self.type()}"
            close = "]" if token == "[" else ">"
            self.expect(close)
            return text + close
        if token == "<":
            text = f"<{self.type()}>"
            self.expect(">")
            return text
        if token != "{":
            self.at -= 1
            self.error(f"expected a type, found {self.found()}")
        if self.accept("}"):
            return "{}"
        members = [self.type()]
        while self.accept(","):
            members.append(self.type())
        self.expect("}")
        return "{ " + ", ".join(members) + " }"

    # -- ops

    def ops(self, ops: list[Op]) -> None:
        """Append ops to `ops`, up to `}` or the next block."""
        tokens = self.tokens
        while (token := tokens[self.at]) != "}" and token[:1] != "^":
            ops.append(self.op())

    def op(self) -> Op:
        """One op with its regions."""
        tokens, definitions = self.tokens, list[tuple[str, str, int]]()
        if tokens[self.at][:1] == "%":
            definitions = self.definitions()
            self.expect("=")
        name = tokens[self.at]
        if name not in OPS:
            self.error(f"expected an op, found {self.found()}")
        self.at += 1
        op = Op(name, self.operands())
        if tokens[self.at] == "[":
            op.attrs = self.attributes()
        if tokens[self.at] == "@":
            op.loc = self.location()
        while tokens[self.at] == "{":
            op.regions.append(self.region())
        if definitions:
            op.results = [self.define(*each) for each in definitions]
        return op

    def region(self) -> Region:
        """`{ (parameters) ops }`; what it defines is out of sight after it."""
        outer, self.scope = self.scope, []
        self.expect("{")
        region = Region(self.parameters() if self.tokens[self.at] == "(" else [])
        self.ops(region.ops)
        self.expect("}")
        for name in self.scope:
            del self.values[name]
        self.scope = outer
        return region

    def location(self) -> Loc | None:
        """`@ "file":line:column`, if there is one."""
        if not self.accept("@"):
            return None
        token = self.tokens[self.at]
        if token[:1] != '"' or len(token) == 1:
            self.error(f"expected a file name in quotes, found {self.found()}")
        self.at += 1
        file = self.string(token)
        self.expect(":")
        line = self.number()
        return Loc(file, line, self.number() if self.accept(":") else 0)

    # -- attributes

    def facts(self) -> KernelFacts:
        """What the attributes of a kernel say."""
        start = self.at
        try:
            return facts_from(self.attributes())
        except ValueError as problem:
            self.error(str(problem), start)

    def attributes(self) -> dict[str, Attribute]:
        """`[name=value, ...]`, if there are any."""
        found: dict[str, Attribute] = {}
        if not self.accept("["):
            return found
        while True:
            name = self.tokens[self.at]
            if not name.isidentifier():
                self.error(f"expected the name of an attribute, found {self.found()}")
            if name in found:
                self.error(f"attribute {name} stands here twice")
            self.at += 1
            self.expect("=")
            found[name] = self.attribute()
            if not self.accept(","):
                self.expect("]")
                return found

    def attribute(self) -> Attribute:
        """The value of an attribute."""
        token = self.tokens[self.at]
        if token[:1].isalpha() or token[:1] == "_":
            self.at += 1
            return _WORDS.get(token, token)
        if token[:1] == '"' and len(token) > 1:
            self.at += 1
            return self.string(token)
        if token[:1] == "(":
            return self.tuple()
        try:
            value = int(token, 0) if token.lstrip("-").isdecimal() or "0x" in token else float(token)
        except ValueError:
            self.error(f"expected the value of an attribute, found {self.found()}")
        self.at += 1
        return value

    def tuple(self) -> tuple[Attribute, ...]:
        """`(value, ...)`; a comma may stand behind the last."""
        self.expect("(")
        found: list[Attribute] = []
        while not self.accept(")"):
            found.append(self.attribute())
            if not self.accept(","):
                self.expect(")")
                break
        return tuple(found)


_WORDS: dict[str, Attribute] = {"true": True, "false": False, "inf": float("inf"), "nan": float("nan")}
