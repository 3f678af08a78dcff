# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom cache`: what is kept of earlier builds, how large it is, and less of it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from warploom import cache


def main(argv: Sequence[str]) -> int:
    """Print a table, or make the cache smaller."""
    options = parser().parse_args(argv)
    if options.size:
        print(cache.size())
    elif options.clean or options.max is not None:
        gone = cache.shrink(0 if options.clean else options.max, () if options.runtime else cache.RUNTIME)
        print(f"{mebibytes(gone)} removed, {mebibytes(cache.size())} left")
    else:
        show()
    return 0


def show() -> None:
    """The folder, and a line for each kind of entry."""
    kinds: dict[str, list[cache.Entry]] = {}
    for entry in cache.entries():
        kinds.setdefault(entry.kind, []).append(entry)
    most = cache.bound()
    limit = "no bound" if most is None else f"{mebibytes(most)} at most, half of that for runtimes ({cache.BOUND})"
    print(f"{cache.cache_dir()}: {mebibytes(cache.size())}; {limit}")
    for kind, there in sorted(kinds.items()):
        print(f"  {kind:<16} {len(there):>6} entries {mebibytes(sum(entry.size for entry in there)):>12}")


def mebibytes(size: int) -> str:
    """A size for people."""
    return f"{size / 2**20:.1f} MiB"


def size_of(text: str) -> int:
    """Bytes: `500M`, `2G`, `2GiB`, `1000000`."""
    found = cache.size_of(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"'{text}' is no size; write 500M or 2G")
    return found


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="warploom cache", description="Show what is kept of earlier builds, or remove some of it."
    )
    what = made.add_mutually_exclusive_group()
    what.add_argument("--size", action="store_true", help="print the bytes of all that is kept")
    what.add_argument("--max", type=size_of, metavar="SIZE", help="remove what was not used for longest, down to SIZE")
    what.add_argument("--clean", action="store_true", help="remove everything but built runtimes, which programs load")
    made.add_argument("--runtime", action="store_true", help="with --max or --clean: built runtimes, too")
    return made
