# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Block sizes that a source file launches its kernels with.

    #define BLOCK 16
    dim3 block(BLOCK, BLOCK);
    blur<float><<<grid, block>>>(...)      ->  {"blur": [(16, 16, 1)]}

A guess from the text, made in milliseconds while clang still runs: no scope and no `#if` is respected, and a name may
have every value that it is ever given. That is enough, because a size found here becomes a variant of the kernel that
is chosen at run time by comparing it with the launch: a wrong guess costs code and no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from warploom.core.deferred import deferred
from warploom.core.launch import MAX_BLOCK, MAX_THREADS, MIN_THREADS, Dims
from warploom.core.patterns import regex
from warploom.core.records import dataclass, field
from warploom.core.type_names import TYPE_CHECKING

if TYPE_CHECKING:
    from warploom.frontend import certain_sizes, header_constants
else:
    certain_sizes = deferred("warploom.frontend.certain_sizes")
    header_constants = deferred("warploom.frontend.header_constants")

MAX_FILES = 40  # of one program: headers beside the source
MAX_FILE_BYTES = 1 << 20
MAX_SIZES = 2  # variants of one kernel
MAX_VALUES = 4  # followed for one name
MAX_LOOKUPS = 16  # of names in the definitions of names

COMMENT_OR_STRING = regex(r'//(?:\\\n|[^\n])*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
INCLUDE = regex(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
MACRO = regex(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+((?:\\\n|[^\n])+)", re.MULTILINE)
# `int x = e`, `x = e`, `, x = e`; not `==`, `<=`, `+=`.
ASSIGNMENT = regex(r"\b(\w+(?:\.[xyz])?)\s*=(?![=])\s*")
# `constexpr int threads() { return e; }`
FUNCTION = regex(r"\b(\w+)\s*\(\s*(?:void\s*)?\)\s*(?:(?:const|noexcept)\s*)*\{\s*return\b([^;{}]+);\s*\}")
DIM3 = regex(r"\bdim3\s+(\w+)\s*(?=[({])")
MORE_DIM3 = regex(r"\s*,\s*(\w+)\s*(?=[({])")
# `#define RUN(kernel, block) kernel<<<grid, block>>>`
LAUNCHING_MACRO = regex(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(([^()]*)\)((?:\\\n|[^\n])*?(?:<<<|\bcudaLaunch)(?:\\\n|[^\n])*)", re.MULTILINE
)
MAX_EXPANSIONS = 200  # of one macro
LAUNCH = regex(r"<<<")
LAUNCH_CALL = regex(r"\bcuda(?:LaunchKernel|LaunchCooperativeKernel)\s*(?=\()")
BOUNDS = regex(r"__launch_bounds__\s*(?=\()")
KERNEL_AFTER_BOUNDS = regex(r"[\s\w]*?\b(\w+)\s*\(")
LAST_NAME = regex(r"(\w+)\s*$")
OPEN, CLOSE = "([{", ")]}"
MEMBER_WARP_SIZE = regex(r"[\w:.]+(?:\(\))?(?:\.|->)warpSize\b")  # of cudaDeviceProp


class LaunchSizes(dict[str, list[Dims]]):
    """Block sizes by kernel, most common first; `certain`: kernels with no launch of another size in the text.

    `as_bounded`: instances of templates that the text launches with no other number of threads than each instance's
    own `__launch_bounds__`, whatever that is.
    """

    certain: frozenset[str] = frozenset()
    as_bounded: frozenset[str] = frozenset()

    def of(self, kernel: str, bound: int) -> tuple[Sequence[Dims], bool]:
        """The sizes of a kernel with the `__launch_bounds__` `bound` (0: none), and whether these are certain."""
        if kernel in self.as_bounded and _is_block((bound, 1, 1)):
            return [(bound, 1, 1)], True
        return self.get(kernel, ()), kernel in self.certain


def launch_sizes(source: Path, preprocessor: Sequence[str] = ()) -> LaunchSizes:
    """The sizes that a source file shows; `preprocessor` holds the -D and -I words of the command line.

    Kernels are named as in the source, without namespaces and template arguments: see `kernel_name`.
    """
    folders, system, defines = _command_line(preprocessor)
    texts = [*_texts(source, folders)]
    if not any("<<<" in text or "cudaLaunch" in text for text in texts):
        return LaunchSizes()
    return sizes_in("\n".join(texts), defines, (*folders, *system))


def sizes_in(text: str, defines: Mapping[str, str] | None = None, folders: Sequence[Path] = ()) -> LaunchSizes:
    """As `launch_sizes`, from text; headers lie in `folders`."""
    names = _Names(
        _with_launches_expanded(_without_comments(text)), defines or {}, header_constants.HeaderConstants(text, folders)
    )
    counts: dict[str, dict[Dims, int]] = {}
    launches: dict[str, list[tuple[int, list[str]]]] = {}
    for kernel, position, block in _launches(names.text):
        launches.setdefault(kernel, []).append((position, block))
    sizes = certain_sizes.CertainSizes(names.text, names.found, names.defines)
    certain = _certain(sizes, launches)
    bounds = list(_launch_bounds(names.text))
    for kernel, places in launches.items():
        for position, block in places:
            for dims in [certain[kernel][position]] if kernel in certain else names.dims(block, position):
                seen = counts.setdefault(kernel, {})
                seen[dims] = seen.get(dims, 0) + 1
    for kernel, position, bound in bounds:
        if kernel not in counts:  # who gives a bound mostly launches that many
            counts[kernel] = dict.fromkeys(names.dims(bound, position), 1)
    found = LaunchSizes(
        (kernel, sorted(seen, key=lambda dims: -seen[dims])[:MAX_SIZES]) for kernel, seen in counts.items() if seen
    )
    found.certain = frozenset(certain)
    found.as_bounded = frozenset(_as_bounded(sizes, launches, bounds)) - found.certain
    return found


def _as_bounded(
    sizes: certain_sizes.CertainSizes,
    launches: Mapping[str, Sequence[tuple[int, list[str]]]],
    bounds: Sequence[tuple[str, int, list[str]]],
) -> Iterator[str]:
    """The kernels whose every launch is for as many threads as their `__launch_bounds__`, by the words of both."""
    blocks = {position: block for places in launches.values() for position, block in places}
    words: dict[str, set[str]] = {}
    for kernel, _, bound in bounds:
        words.setdefault(kernel, set()).add(certain_sizes.without_spaces(bound[0]))
    for kernel, said in words.items():
        if len(said) == 1 and sizes.is_launched_with(kernel, next(iter(said)), blocks):
            yield kernel


def _certain(
    sizes: certain_sizes.CertainSizes, launches: Mapping[str, Sequence[tuple[int, list[str]]]]
) -> dict[str, dict[int, Dims]]:
    """The size of each launch, of kernels that are certain to be launched nowhere else and with no more sizes than get
    variants."""
    found: dict[str, dict[int, Dims]] = {}
    for kernel, places in launches.items():
        dims = {position: sizes.dims(block, position) for position, block in places}
        known = {position: each for position, each in dims.items() if each is not None and _is_block(each)}
        is_all = len(known) == len(places) and len(set(known.values())) <= MAX_SIZES
        if is_all and sizes.is_only_launched(kernel, [*known]):
            found[kernel] = known
    return found


def kernel_name(symbol: str) -> str:
    """The last name in an Itanium-mangled symbol, without namespaces, template arguments and parameters."""
    found = re.match(r"_ZN?[KVr]*L?(?=\d)", symbol)
    if found is None:
        return symbol
    position, name = found.end(), symbol
    while (digits := re.compile(r"L?(\d+)").match(symbol, position)) is not None:
        end = digits.end() + int(digits[1])
        name, position = symbol[digits.end() : end], end
        if not symbol.startswith("_ZN"):
            break
    return name


# -- text -------------------------------------------------------------------------------------------------------------


def _command_line(words: Sequence[str]) -> tuple[list[Path], list[Path], dict[str, str]]:
    """Folders of -I, folders of -isystem and values of -D."""
    folders: list[Path] = []
    system: list[Path] = []
    defines: dict[str, str] = {}
    flag = ""
    for word in words:
        if word in ("-I", "-D", "-isystem"):
            flag = word
            continue
        text, flag = flag + word, ""
        if text.startswith("-I"):
            folders.append(Path(text[2:]))
        elif text.startswith("-isystem"):
            system.append(Path(text.removeprefix("-isystem")))
        elif text.startswith("-D"):
            name, _, value = text[2:].partition("=")
            defines[name] = value or "1"
    return folders, system, defines


def _texts(source: Path, folders: Sequence[Path]) -> Iterator[str]:
    """The source and the files that it includes by quoted name: a kernel is often launched in another file."""
    waiting, seen = [source], {source.resolve()}
    while waiting:
        path = waiting.pop(0)
        text = path.read_text(errors="replace")
        yield text
        for name in INCLUDE.findall(text):
            for folder in (path.parent, *folders):
                file = (folder / name).resolve()
                if file in seen or len(seen) > MAX_FILES or not file.is_file() or file.stat().st_size > MAX_FILE_BYTES:
                    continue
                seen.add(file)
                waiting.append(file)
                break


def _without_comments(text: str) -> str:
    return COMMENT_OR_STRING.sub(lambda match: '""' if match[0][0] == '"' else " ", text)


def _with_launches_expanded(text: str) -> str:
    """The text with each call of a macro that launches kernels replaced by what the macro says."""
    for match in list(LAUNCHING_MACRO.finditer(text)):
        name, body = match[1], match[3].replace("\\\n", " ")
        parameters = [word.strip() for word in match[2].split(",") if word.strip()]
        text = text.replace(match[0], "", 1)
        parts: list[str] = []
        position = 0
        for call in islice(re.finditer(rf"\b{name}\s*\(", text), MAX_EXPANSIONS):
            arguments, end = _arguments(text, call.end(), ")")
            if call.start() >= position and len(arguments) >= len(parameters):
                parts += [text[position : call.start()], _expanded(body, parameters, arguments)]
                position = end
        text = "".join([*parts, text[position:]])
    return text


def _expanded(body: str, parameters: Sequence[str], arguments: Sequence[str]) -> str:
    values = {name: value.strip() for name, value in zip(parameters, arguments, strict=False)}
    if parameters and parameters[-1].endswith("..."):
        rest = ", ".join(arguments[len(parameters) - 1 :])
        values |= {parameters[-1].removesuffix("...").strip() or "__VA_ARGS__": rest}
    said = re.sub(r"\b\w+\b", lambda word: values.get(word[0], word[0]), body)
    return re.sub(r"\s*##\s*", "", said)


def _arguments(text: str, start: int, end: str) -> tuple[list[str], int]:
    """The parts between commas of what begins at `start` and ends in `end`; where that ends."""
    parts: list[str] = []
    depth, begin = 0, start
    for position in range(start, min(len(text), start + 2000)):
        character = text[position]
        if depth == 0 and text.startswith(end, position):
            return [*parts, text[begin:position]], position + len(end)
        if depth == 0 and character == ",":
            parts.append(text[begin:position])
            begin = position + 1
        depth += (character in OPEN) - (character in CLOSE)
        if depth < 0 or character == ";":
            break
    return [], start


def _launches(text: str) -> Iterator[tuple[str, int, list[str]]]:
    """Each launch: kernel, place in the text, and the block size as written: one expression, or what `dim3` gets."""
    for match in LAUNCH.finditer(text):
        arguments, _ = _arguments(text, match.end(), ">>>")
        kernel = _kernel_before(text, match.start())
        if len(arguments) >= 2 and kernel:
            yield kernel, match.start(), _block_words(arguments[1])
    for match in LAUNCH_CALL.finditer(text):
        arguments, _ = _arguments(text, match.end() + 1, ")")
        kernel = LAST_NAME.search(re.sub(r"<.*>\s*$", "", arguments[0])) if arguments else None
        if len(arguments) >= 3 and kernel is not None:
            yield kernel[1], match.start(), _block_words(arguments[2])


def _launch_bounds(text: str) -> Iterator[tuple[str, int, list[str]]]:
    for match in BOUNDS.finditer(text):
        arguments, end = _arguments(text, match.end() + 1, ")")
        kernel = KERNEL_AFTER_BOUNDS.match(text, end)
        if arguments and kernel is not None:
            yield kernel[1], match.start(), arguments[:1]


def _kernel_before(text: str, position: int) -> str:
    """The name that ends before `position`, template arguments skipped."""
    head = text[max(0, position - 400) : position].rstrip()
    if head.endswith(">"):
        depth = 0
        for place in range(len(head) - 1, -1, -1):
            depth += (head[place] == ">") - (head[place] == "<")
            if depth == 0:
                head = head[:place]
                break
    if head.endswith(")"):  # a launch through a parenthesised pointer: unknown
        return ""
    found = LAST_NAME.search(head)
    return found[1] if found is not None else ""


def _block_words(expression: str) -> list[str]:
    """`dim3(a, b)` and `{a, b}` -> [a, b]; else the expression."""
    expression = expression.strip()
    match = re.match(r"(?:dim3\s*)?[({]", expression)
    if match is None or (match[0] == "(" and "," not in expression):
        return [expression]
    arguments, end = _arguments(expression, match.end(), ")" if match[0].endswith("(") else "}")
    return arguments if end == len(expression) else [expression]


# -- names ------------------------------------------------------------------------------------------------------------


@dataclass
class _Names:
    """What names stand for anywhere in the text."""

    text: str
    defines: Mapping[str, str]
    headers: header_constants.HeaderConstants
    # By name: where, and the words of `dim3 name(words)`, or the one word of `name = word` and `#define name word`.
    # Of a function, under `name()`, what it returns.
    found: dict[str, list[tuple[int, list[str]]]] = field(default_factory=dict[str, list[tuple[int, list[str]]]])
    known: dict[tuple[str, int], list[int]] = field(default_factory=dict[tuple[str, int], list[int]])
    depth: int = 0  # of names looked up within each other

    def __post_init__(self) -> None:
        for name, value in self.defines.items():
            self._add(name, 0, [value])
        for match in MACRO.finditer(self.text):
            self._add(match[1], match.start(), _block_words(match[2].replace("\\\n", " ")))
        for match in FUNCTION.finditer(self.text):
            self._add(f"{match[1]}()", match.start(), [match[2]])
        for match in ASSIGNMENT.finditer(self.text):
            for end in (";", ","):
                arguments, _ = _arguments(self.text, match.end(), end)
                if arguments:
                    self._add(match[1], match.start(), _block_words(arguments[0]))
                    break
        for match in DIM3.finditer(self.text):
            declarator: re.Match[str] | None = match
            while declarator is not None:
                start = declarator.end()
                arguments, end = _arguments(self.text, start + 1, ")" if self.text[start] == "(" else "}")
                self._add(declarator[1], declarator.start(1), arguments)
                declarator = MORE_DIM3.match(self.text, end) if arguments else None

    def _add(self, name: str, position: int, words: list[str]) -> None:
        self.found.setdefault(name, []).append((position, words))

    def dims(self, words: list[str], position: int) -> list[Dims]:
        """The sizes that `words`, used at `position`, may mean."""
        if len(words) == 1:
            name = words[0].strip()
            if name.isidentifier():
                members = self._members(name, position)
                definitions = [each for each in self._nearest(name, position) if len(each) > 1]
                if members or definitions:
                    return [
                        *dict.fromkeys(
                            [*members, *(dims for each in definitions for dims in self.dims(each, position))]
                        )
                    ]
        sizes: list[list[int]] = [self.values(word, position) for word in words[:3]]
        sizes += [[1]] * (3 - len(sizes))
        return [dims for x in sizes[0] for y in sizes[1] for z in sizes[2] if _is_block(dims := (x, y, z))]

    def _members(self, name: str, position: int) -> list[Dims]:
        """Sizes set by `name.x = ...`."""
        if f"{name}.x" not in self.found:
            return []
        sizes = [self.values(f"{name}.{axis}", position) if f"{name}.{axis}" in self.found else [1] for axis in "xyz"]
        return [dims for x in sizes[0] for y in sizes[1] for z in sizes[2] if _is_block(dims := (x, y, z))]

    def _nearest(self, name: str, position: int) -> list[list[str]]:
        """Definitions of `name`: the last before `position` first, as that is the likely scope."""
        places = self.found.get(name, [])
        before = [words for place, words in reversed(places) if place < position]
        after = [words for place, words in places if place >= position]
        return (before + after)[:MAX_VALUES]

    def values(self, expression: str, position: int) -> list[int]:
        """The values that `expression` may have; none when nothing is known."""
        key = expression, position
        if key not in self.known:
            if self.depth == MAX_LOOKUPS:
                return []
            self.known[key] = []  # what it says while its names are looked up: `n = min(n, 256)`
            self.depth += 1
            self.known[key] = self._values(expression, position)
            self.depth -= 1
        return self.known[key]

    def _values(self, expression: str, position: int) -> list[int]:
        def lookup(name: str) -> list[int]:
            for words in self._nearest(name, position):
                values = self.values(words[0], position) if len(words) == 1 else []
                if values:  # a definition that says nothing (`n = atoi(...)`) hides none that does
                    return values
            return self._of_elsewhere(name.rpartition("::")[2], position) if name not in self.found else []

        expression = MEMBER_WARP_SIZE.sub("warpSize", expression)
        if re.fullmatch(r"\s*\w+\.[xyz]\s*", expression):
            return lookup(expression.strip())
        from warploom.frontend.integer_expressions import UnknownExpression, possible_values

        try:
            return possible_values(expression, lookup)[:MAX_VALUES]
        except (UnknownExpression, RecursionError):  # too many brackets
            return []

    def _of_elsewhere(self, name: str, position: int) -> list[int]:
        """The values of a name that no definition here has."""
        if name in self.found:  # under another namespace's name
            return self.values(name, position)
        return self.headers.values(name)


def _is_block(dims: Dims) -> bool:
    x, y, z = dims
    return min(dims) >= 1 and MIN_THREADS <= x * y * z <= MAX_THREADS and z <= MAX_BLOCK[2]
