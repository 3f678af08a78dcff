# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nvcc's command line, taken apart by the table of its options.

A value follows as the next word, after `=`, or (some one-letter options) at once. Options without a value take none.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from warploom.diagnostics import Diagnostic
from warploom.driver.command_line import CommandLine
from warploom.driver.nvcc_setters import split_at_commas
from warploom.driver.nvcc_table import ALL_OPTIONS, Kind, Option, Verdict

_BY_NAME = {name: option for option in ALL_OPTIONS for name in (option.long, option.short)}
_JOINED = {option.short: option for option in ALL_OPTIONS if option.is_joined}
_OPTION_FILES = ("-optf", "--options-file")
# Of a host compiler, and given without -Xcompiler as if nvcc knew them: build files for clang do that.
_HOST_LIKE = ("-W", "-f", "-m", "-pthread", "-rdynamic", "-B", "-stdlib", "-nostdlib")


def parse(argv: Sequence[str]) -> CommandLine:
    """Take an nvcc command line apart; a Diagnostic for what nvcc would refuse or Warploom cannot do."""
    line = CommandLine()
    seen: dict[str, str] = {}
    unknown: list[str] = []
    words = iter(_expanded(argv))
    for word in words:
        if not word.startswith("-") or word == "-":
            line.inputs.append(word)
            line.linker_flags.append(word)
            if line.language is not None:
                line.languages[word] = line.language
            continue
        option, value = _found(word, words)
        if option is None:
            unknown.append(word)
        else:
            _take(line, option, word, value, seen)
    for word in unknown:  # what becomes of them may be said behind them
        _forward(line, word)
    if line.optimise_debug and line.device_debug:
        line.device_debug, line.line_info = False, True
    return line


def takes_next(word: str) -> bool:
    """Whether the word after the option `word` is its value."""
    option = find(word)
    return option is not None and option.kind is not Kind.FLAG


def find(name: str) -> Option | None:
    """The option of that name; one dash for two and two for one will do."""
    other = name[1:] if name.startswith("--") else f"-{name}"
    return _BY_NAME.get(name) or _BY_NAME.get(other)


def _expanded(argv: Sequence[str]) -> Iterator[str]:
    """`argv` with option files (`@FILE`, `-optf FILE,...`) put in their place."""
    words = iter(argv)
    for word in words:
        name, _, value = word.partition("=")
        if word.startswith("@"):
            yield from _words_of(Path(word[1:]))
        elif name in _OPTION_FILES:
            for file in split_at_commas(value or next(words, "")):
                yield from _words_of(Path(file))
        else:
            yield word


def _words_of(path: Path) -> Iterator[str]:
    try:
        yield from _expanded(shlex.split(path.read_text()))
    except OSError as error:
        raise Diagnostic(f"cannot read the option file: {error.strerror}", file=path) from error


def _found(word: str, words: Iterator[str]) -> tuple[Option | None, str]:
    """The option that `word` is, and its value, which may be the next of `words`."""
    name, equals, value = word.partition("=")
    option = find(name)
    if option is None and word[:2] in _JOINED:
        return _JOINED[word[:2]], word[2:]
    if option is None:
        return None, ""
    if option.kind is Kind.FLAG:
        if equals:
            raise Diagnostic(f"no argument expected after '{name}'")
        return option, ""
    if equals:
        return option, value
    following = next(words, None)
    if following is None:
        raise Diagnostic(f"'{word}' wants a value")
    return option, following


def _take(line: CommandLine, option: Option, word: str, value: str, seen: dict[str, str]) -> None:
    if option.verdict is Verdict.REFUSED:
        raise Diagnostic(f"'{word}' is not supported: {option.text}")
    values = split_at_commas(value) if option.kind is Kind.LIST else [value]
    for each in values:
        _check(option, word, each)
    if option.kind in (Kind.VALUE, Kind.NUMBER, Kind.TRUTH):
        if seen.setdefault(option.long, value) != value:
            line.notes.append(
                f"incompatible redefinition for option '{option.name}', the last value of this option was used"
            )
        seen[option.long] = value
    if option.take is not None:
        for each in values:
            option.take(line, each)


def _check(option: Option, word: str, value: str) -> None:
    if option.choices and value not in option.choices:
        raise Diagnostic(f"'{word}': '{value}' is none of {', '.join(option.choices)}")
    if option.kind is Kind.NUMBER and not value.isdecimal():
        raise Diagnostic(f"'{word}': '{value}' is no number")


def _forward(line: CommandLine, word: str) -> None:
    """What is no option of nvcc: for the host compiler or the linker, where that was asked for or is plain to see."""
    if word.startswith("-Wl,"):
        line.linker_flags.append(word)
    elif word.startswith(("-W", "--W")):
        line.warnings.append(word.replace("--W", "-W"))
    elif line.forward_to_compiler:
        line.host_flags.append(word)
    elif line.forward_to_linker:
        line.linker_flags.append(word)
    elif word.startswith(_HOST_LIKE):
        line.notes.append(f"'{word}' is passed to the host compiler; nvcc wants -Xcompiler {word}")
        line.host_flags.append(word)
    else:
        raise Diagnostic(f"unknown option '{word}'", hint="host compiler flags go behind -Xcompiler")
