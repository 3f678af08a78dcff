# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The names of `typing` that the compiler takes: type checkers see the true ones.

Loading `typing` takes 2 ms, a fiftieth of a process's first kernel, and no annotation is looked at when a program runs.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Any as Any
    from typing import Generic as Generic
    from typing import NoReturn as NoReturn
    from typing import Protocol as Protocol
    from typing import TypeVar as TypeVar
    from typing import cast as cast
else:

    class Any:
        """Stands in annotations."""

    class NoReturn:
        """Stands in annotations."""

    class Protocol:
        """A base that says nothing."""

    class Generic:
        """A base that says nothing, whatever it is of."""

        def __class_getitem__(cls, _):
            return cls

    class TypeVar:
        """Stands in annotations."""

        def __init__(self, name, *, bound=None):
            self.__name__, self.__bound__ = name, bound

    def cast(_kind, value):
        """The value."""
        return value
