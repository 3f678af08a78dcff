# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`warploom torch`: whether `import torch` of this Python brings the CUDA device, and with which of its own kernels."""

from __future__ import annotations

import argparse
import sys
import sysconfig
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from warploom.cpu import CPU_FEATURES, default_cpu
from warploom.diagnostics import Diagnostic
from warploom.scratch import temporary_folder
from warploom.torch.aten.build import (
    ALL_TYPES,
    TYPES,
    Compiled,
    Wanted,
    build_kernels,
    find_sources,
    first_error,
    installed_folder,
)
from warploom.torch.aten.units import ATEN_FOLDER, EXCLUDED, chosen_units, units_of
from warploom.torch.aten.wheel import write_wheel
from warploom.torch.build import build
from warploom.torch.install import HOOK_FILE, OFF, Installed, find_torch

# A line that Python runs when it starts, after Warploom was removed as well.
HOOK = 'import importlib.util as u; u.find_spec("warploom") and __import__("warploom.torch.hook")\n'
_ACTIONS = {
    "enable": "build what is missing, then have `import torch` bring the device",
    "disable": "leave PyTorch as it is",
    "status": "print what `import torch` does",
    "build-aten": "compile PyTorch's own CUDA kernels",
}


def main(argv: Sequence[str]) -> int:
    """Run `enable`, `disable`, `status` or `build-aten`."""
    options = parser().parse_args(argv)
    if options.action == "build-aten":
        return build_aten(options)
    {"enable": enable, "disable": disable, "status": status}[options.action]()
    return 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(
        prog="warploom torch",
        description="Give the CPU build of PyTorch in this Python a device 'cuda' that is the CPU.",
        epilog=f"{OFF}=0 in the environment leaves PyTorch as it is for one run.",
    )
    actions = made.add_subparsers(dest="action", required=True)
    for name, text in _ACTIONS.items():
        actions.add_parser(name, help=text, description=text)
    aten = actions.choices["build-aten"]
    aten.add_argument("source", type=Path, help="PyTorch's sources, of the release that is installed")
    aten.add_argument("--files", nargs="+", default=[], metavar="NAME", help="some of ATen's files, as SoftMax")
    aten.add_argument("--types", nargs="+", default=TYPES, choices=ALL_TYPES, metavar="TYPE", help=", ".join(ALL_TYPES))
    aten.add_argument(
        "--cpu", default="native", choices=("native", *CPU_FEATURES), metavar="CPU",
        help="what the kernels are compiled for: native, " + ", ".join(CPU_FEATURES),
    )  # fmt: skip
    aten.add_argument(
        "--folder", type=Path, help=f"where the library goes ({installed_folder()}; with --wheel, into the wheel alone)"
    )
    aten.add_argument(
        "-w", "--wheel", type=Path, metavar="FOLDER",
        help="write a wheel to this folder: `pip install` of it, for the same PyTorch and Warploom, brings the kernels",
    )  # fmt: skip
    aten.add_argument("--other-release", action="store_true", help="take sources of another release, for trials")
    aten.add_argument(
        "--verbose", action="store_true", help="print each file's outcome, time and memory when it is done"
    )
    return made


def build_aten(options: argparse.Namespace) -> int:
    """Compile ATen's own CUDA kernels; `import torch` loads them from then on."""
    torch = usable_torch()
    sources = find_sources(options.source, torch, other_release=options.other_release)
    known = units_of(sources.folder)
    try:
        units = chosen_units(known, options.files)
    except KeyError as error:
        why = EXCLUDED.get(f"{error.args[0].removesuffix('.cu')}.cu")
        raise Diagnostic(
            f"no file {error} of ATen is compiled" + (f": {why}" if why else ""),
            hint=f"files: {sources.folder / ATEN_FOLDER}",
        ) from None

    def tell(each: Compiled) -> None:
        if options.verbose:
            said = "" if each.made else f": not compiled: {first_error(each.error)}"
            print(f"{each.unit.file}: {each.seconds:.0f} s, {each.memory >> 20} MiB{said}", file=sys.stderr, flush=True)

    cpu = default_cpu() if options.cpu == "native" else options.cpu
    with ExitStack() as stack:
        folder = options.folder or installed_folder()
        if options.wheel is not None and options.folder is None:
            folder = stack.enter_context(temporary_folder("warploom-aten-wheel-"))
        compiled = build_kernels(torch, sources, Wanted(units, options.types, cpu, folder, tell))
        made = folder if options.wheel is None else write_wheel(folder, options.wheel)
    failed = [each for each in compiled if each.made is None]
    for each in failed:
        print(f"{each.unit.file}: left out\n{each.error}", file=sys.stderr)
    print(f"{len(compiled) - len(failed)} of {len(compiled)} files of ATen's CUDA kernels are in {made}")
    return 1 if failed else 0


def enable() -> None:
    """Build what is missing, then have `import torch` load it."""
    torch = usable_torch()
    build(torch)
    file = hook_file()
    try:
        file.write_text(HOOK)
    except OSError as error:
        raise Diagnostic(
            f"cannot write to this Python's packages: {error}", hint="use a virtual environment of your own"
        ) from error
    doubt = torch.doubt()
    print(f"PyTorch {torch.version} has a device 'cuda' now" + (f"; {doubt}" if doubt else ""))


def disable() -> None:
    """Leave PyTorch as it is."""
    hook_file().unlink(missing_ok=True)
    print("PyTorch is as it was installed")


def status() -> None:
    """Print what `import torch` does."""
    torch = find_torch()
    if torch is None:
        print("PyTorch is not installed")
        return
    refusal = torch.refusal()
    on = "has a device 'cuda' by Warploom" if hook_file().exists() else "is as it was installed"
    print(f"PyTorch {torch.version} {refusal or torch.doubt() or on}")


def usable_torch() -> Installed:
    """The PyTorch of this Python; a Diagnostic when it cannot have the device."""
    torch = find_torch()
    if torch is None:
        raise Diagnostic("PyTorch is not installed in this Python", hint="pip install its CPU build")
    refusal = torch.refusal()
    if refusal is not None:
        raise Diagnostic(refusal)
    return torch


def hook_file() -> Path:
    """The file in site-packages."""
    return Path(sysconfig.get_path("purelib"), HOOK_FILE)
