# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Regular expressions that are compiled when they are first used: the compiler has a hundred, a run needs a few."""

from __future__ import annotations

from warploom.core.type_names import TYPE_CHECKING

if TYPE_CHECKING:
    from re import compile as regex
else:
    import re

    class _Pattern:
        def __init__(self, text, flags):
            self._text, self._flags = text, flags

        def __getattr__(self, name):
            """Anything that is asked for: from now on it is an attribute, so that this is not called again."""
            found = getattr(re.compile(self._text, self._flags), name)
            setattr(self, name, found)
            return found

    def regex(text, flags=0):
        """As `re.compile`; what is wrong with `text` shows at the first use."""
        return _Pattern(text, flags)


__all__ = ["regex"]
