# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of which the text shows every launch, each with one block size.

    const int threads = 256;
    k<<<blocks, threads>>>(...);                  k: (256, 1, 1), and no launch of any other size is to be seen
    m<<<blocks, atoi(argv[1])>>>(...);            m: not known
    void (*f)(float *) = n;                       n: not known; who knows how `f` is launched

    template <class T> __global__ void __launch_bounds__(T::threads) t(...)
    auto kernel = &t<Traits>;
    kernel<<<blocks, Traits::threads>>>(...);     t: each instance with as many threads as its bounds say, if the word
                                                  for these were `Traits::threads`

What is seen is the text of one translation unit, so that nothing may rest on it but speed: code for launches of other
sizes is still there, and made quickly (backend/loom.py). What looks doubtful in any way is not known:

 - a kernel's name may only be declared or launched;
 - a name in a block size is a macro with one meaning, or a variable whose declaration encloses the launch, and that
   nothing else in the text assigns to, takes the address of or reads in;
 - a function in a block size takes nothing and only returns a number, and all of its name return that one;
 - the words of a launch of an instance are those of its template's bounds, and no name in them but a parameter of
   templates or a member of something; what is given the instance's address is a variable that is launched, and that
   nothing else is done with but asking for or setting the function's attributes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

from warploom.core.launch import Dims
from warploom.core.patterns import regex
from warploom.core.records import dataclass, field
from warploom.frontend.integer_expressions import UnknownExpression, possible_values

Definitions = Mapping[str, Sequence[tuple[int, list[str]]]]  # by name: where, and the words that it is given

MAX_DEPTH = 8  # of names in the definitions of names
MAX_TEMPLATE_ARGUMENTS = 400  # characters
DIRECTIVE = regex(r"[ \t]*#")
NO_TYPE = frozenset("return else case goto throw new delete sizeof not and or".split())
CONSTANT = regex(r"\bconst(?:expr)?\b")
NAME = regex(r"\b[A-Za-z_]\w*")
STATEMENT_END = regex(r"[;{}]")
BRACKET = regex(r"[{}()]")
NEAR = 80  # characters before and behind a name that say what is done with it
CHANGED = regex(r"\s*(?:\.\s*[xyz]\s*)?(?:(?:[-+*/%&|^]|<<|>>)=|\+\+|--)|\s*\.\s*[xyz]\s*=(?!=)")
CHANGED_BEFORE = regex(r"(?:\+\+|--|&|>>)\s*$")
MEMBER_BEFORE, GIVEN_VALUE = regex(r"[:,]\s*$"), regex(r"\s*[({]")
TYPE_BEFORE, ENDS_PARAMETER = regex(r"(\w+|>)\s+$"), regex(r"\s*[,:;)]")
ASSIGNED = regex(r"\s*=(?!=)")


ALIAS = regex(r"\bauto\s*(?:const\s*)?[*&]?\s*(\w+)\s*=\s*&?\s*(?:\w+\s*::\s*)*$")  # before a kernel's name
OF_ATTRIBUTES = "cudaFunc"  # ...SetAttribute, ...GetAttributes, ...SetCacheConfig
PLAIN_NAME = regex(r"(?<![\w:.])[A-Za-z_]\w*(?!\s*(?:\w|::))")


def without_spaces(expression: str) -> str:
    """An expression as it is compared with another one."""
    return "".join(expression.split())


@dataclass
class CertainSizes:
    """The block sizes that are certain, of a text and the definitions that were found in it."""

    text: str
    definitions: Definitions
    flags: Mapping[str, str]  # macros of the command line
    _changed: dict[str, bool] = field(default_factory=dict[str, bool])
    _scopes: dict[int, int] = field(default_factory=dict[int, int])  # where that of each declaration ends
    _places: dict[str, list[int]] = field(default_factory=dict[str, list[int]])  # of names
    _ends: list[int] = field(default_factory=list[int])  # of statements

    def __post_init__(self) -> None:
        self._ends = [match.start() for match in STATEMENT_END.finditer(self.text)]
        for match in NAME.finditer(self.text):
            self._places.setdefault(match[0], []).append(match.start())

    def dims(self, words: Sequence[str], position: int) -> Dims | None:
        """The only size that `words`, the block size of a launch at `position`, can mean; None: not known."""
        if len(words) == 1 and (name := words[0].strip()).isidentifier():
            words = self._words(name, position) or words
        sizes = [self._number(word, position, MAX_DEPTH) for word in words[:3]]
        x, y, z = [*sizes, *[1] * (3 - len(sizes))]
        return None if x is None or y is None or z is None else (x, y, z)

    def is_only_launched(self, kernel: str, launches: Sequence[int]) -> bool:
        """Whether the name of a kernel is nowhere used but in declarations and at `launches`, each at its `<<<`."""
        return all(
            self._after_arguments(place + len(kernel)) in launches or "__global__" in self._statement(place)
            for place in self._places.get(kernel, ())
        )

    def is_launched_with(self, kernel: str, bound: str, blocks: Mapping[int, Sequence[str]]) -> bool:
        """Whether the name of a kernel, or of a variable that is given its address, is nowhere used but in declarations
        and at launches whose block size is said as `bound`. `blocks`: that of each launch, at its `<<<`."""
        if any(name in self.definitions or name in self.flags for name in PLAIN_NAME.findall(bound)):
            return False
        is_launched = False
        for place in self._places.get(kernel, ()):
            statement = self._statement(place)
            alias = ALIAS.search(statement)
            if "__global__" in statement:
                continue
            if alias is None:
                uses = [(kernel, place)]
            else:
                start, end = place - len(statement) + alias.start(1), self._scope_end(place)
                uses = [(alias[1], each) for each in self._places[alias[1]] if start < each < end]
            for name, use in uses:
                launch = self._after_arguments(use + len(name))
                if launch in blocks:
                    if not self._means(blocks[launch], bound, launch):
                        return False
                    is_launched = True
                elif alias is None or OF_ATTRIBUTES not in self._statement(use):
                    return False
        return is_launched

    def _means(self, words: Sequence[str], bound: str, position: int) -> bool:
        """Whether the block size `words` of a launch is a row of `bound` threads."""
        if len(words) == 1 and without_spaces(words[0]) != bound and (name := words[0].strip()).isidentifier():
            words = self._words(name, position) or words
        first, *others = map(without_spaces, words)
        return first == bound and all(each == "1" for each in others)

    def _after_arguments(self, position: int) -> int:
        """Where the text goes on behind a name and its template arguments."""
        rest = self.text[position : position + MAX_TEMPLATE_ARGUMENTS]
        start = len(rest) - len(rest.lstrip())
        depth = 0
        if rest.startswith("<", start) and not rest.startswith("<<<", start):
            for place in range(start, len(rest)):
                depth += (rest[place] == "<") - (rest[place] == ">")
                if depth == 0:
                    start = place + 1
                    break
        return position + start + len(rest[start:]) - len(rest[start:].lstrip())

    def _statement(self, position: int) -> str:
        """The text from where the statement around `position` begins."""
        before = bisect_left(self._ends, position) - 1
        return self.text[self._ends[before] + 1 if before >= 0 else 0 : position]

    # -- names --------------------------------------------------------------------------------------------------------

    def _number(self, expression: str, position: int, depth: int) -> int | None:
        def lookup(name: str) -> list[int]:
            if name.endswith("()"):
                value = self._returned(name, depth)
            else:
                words = self._words(name, position) if depth else None
                value = self._number(words[0], position, depth - 1) if words is not None and len(words) == 1 else None
            if value is None:
                raise UnknownExpression(name)
            return [value]

        try:
            values = possible_values(expression, lookup)
        except (UnknownExpression, RecursionError):
            return None
        return values[0] if len(values) == 1 else None

    def _returned(self, function: str, depth: int) -> int | None:
        """The number that all functions of this name return: each where it is defined."""
        places = self.definitions.get(function, ()) if depth else ()
        values = {self._number(words[0], place, depth - 1) for place, words in places}
        return values.pop() if len(values) == 1 else None

    def _words(self, name: str, position: int) -> list[str] | None:
        """What `name` is given where it is certain what that is."""
        places = self.definitions.get(name, ())
        if name in self.flags or any(DIRECTIVE.match(self.text, place) for place, _ in places):
            meanings = [words for _, words in places]
            return meanings[0] if all(words == meanings[0] for words in meanings) else None
        before = [(place, words) for place, words in places if place < position]
        if not before or self._may_change(name):
            return None
        place, words = before[-1]
        if place not in self._scopes:
            self._scopes[place] = self._scope_end(place)
        return words if position < self._scopes[place] else None

    def _scope_end(self, declaration: int) -> int:
        """Up to where a declared name means what it is given there; no further where somebody else may change that."""
        statement = self._statement(declaration)
        above = self.text[:declaration]
        is_shared = above.count("{") == above.count("}") and not CONSTANT.search(statement)  # known to other files
        if is_shared or "template" in statement:
            return declaration
        braces = brackets = 0
        for match in BRACKET.finditer(self.text, declaration):
            braces += (match[0] == "{") - (match[0] == "}")
            brackets += (match[0] == "(") - (match[0] == ")")
            if braces < 0 or brackets < 0:  # the block ends, or a list of parameters
                return match.start()
        return len(self.text)

    def _may_change(self, name: str) -> bool:
        """Whether anything in the text but declarations gives `name` a value."""
        if name not in self._changed:
            self._changed[name] = self._is_changed(name)
        return self._changed[name]

    def _is_changed(self, name: str) -> bool:
        declared = {place for place, _ in self.definitions.get(name, ())}
        for place in self._places.get(name, ()):
            before, after = self.text[max(0, place - NEAR) : place], self.text[place + len(name) :][:NEAR]
            if CHANGED.match(after) or CHANGED_BEFORE.search(before):
                return True
            if place not in declared and MEMBER_BEFORE.search(before) and GIVEN_VALUE.match(after):
                return True  # a member that a constructor gives a value, or an argument
            typed = TYPE_BEFORE.search(before)
            is_typed = typed is not None and typed[1] not in NO_TYPE
            if is_typed and ENDS_PARAMETER.match(after):
                return True  # a parameter, or a variable that gets its value elsewhere
            if not is_typed and ASSIGNED.match(after):
                return True
        return False
