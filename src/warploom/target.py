# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine that a program is compiled for: this one, or another Linux (`--target=aarch64-linux-gnu`).

What another target needs: a clang whose LLVM has its code generator (that of PyPI has x86's only; Debian's clang-19 has
all), the target's C library and gcc's runtime (Debian: g++-aarch64-linux-gnu, which clang finds by itself; elsewhere
`--sysroot`). The C++ runtime of Warploom is built for it like for this machine.
"""

from __future__ import annotations

import os
from pathlib import Path

from warploom.core.records import dataclass
from warploom.diagnostics import Diagnostic


@dataclass(frozen=True)
class Architecture:
    """A processor family: LLVM's name for its code generator, and what its code generator is told besides the CPU."""

    generator: str
    features: str = ""  # of every function, whatever it says: what the calling convention needs
    # `char` has a sign where CUDA comes from; and clang's driver forgets of CUDA sources what their ABI is.
    source_flags: tuple[str, ...] = ()
    cuda_flags: tuple[str, ...] = ()


# Those that the runtime has a context switch for (runtime/fiber_switch.S).
ARCHITECTURES = {
    "x86_64": Architecture("X86"),
    "aarch64": Architecture("AArch64", source_flags=("-fsigned-char",)),
    "riscv64": Architecture(
        "RISCV",
        "+m,+a,+f,+d,+c",
        ("-fsigned-char",),
        ("-Xclang", "-target-abi", "-Xclang", "lp64d", "-U__riscv_float_abi_soft"),
    ),
}


@dataclass(frozen=True)
class Target:
    """What to compile for."""

    triple: str
    sysroot: Path | None = None
    is_host: bool = True

    @property
    def arch(self) -> str:
        """`x86_64`, `aarch64` or `riscv64`."""
        return self.triple.partition("-")[0]

    @property
    def flags(self) -> tuple[str, ...]:
        """What clang is told of the target when it compiles and when it links."""
        if self.is_host:
            return ()
        return (f"--target={self.triple}", *self.sysroot_flags)

    @property
    def sysroot_flags(self) -> tuple[str, ...]:
        """What any compiler is told of where the C library is."""
        return (f"--sysroot={self.sysroot}",) if self.sysroot else ()

    @property
    def gnu_triple(self) -> str:
        """As Debian names cross tools and library folders: `aarch64-linux-gnu`."""
        return f"{self.arch}-linux-gnu"


@dataclass(frozen=True)
class Machine:
    """What programs are built for, and what runs them here: the options --target, --sysroot and --launcher.

    No target: this machine. No words: the system itself runs them, as Linux does where qemu is registered with
    binfmt_misc.
    """

    target: str = ""
    launcher: tuple[str, ...] = ()
    sysroot: str = ""

    @property
    def flags(self) -> tuple[str, ...]:
        """What warpcc is told."""
        named = (("--target", self.target), ("--sysroot", self.sysroot))
        return tuple(f"{name}={value}" for name, value in named if value)


HERE = Machine()


def host_target() -> Target:
    """This machine."""
    return Target(f"{os.uname().machine}-unknown-linux-gnu")


def parse_target(triple: str | None, sysroot: str | None = None) -> Target:
    """The target that `--target` and `--sysroot` name; a Diagnostic for one that there is no support for."""
    host = host_target()
    if sysroot is not None and not Path(sysroot).is_dir():
        raise Diagnostic(f"--sysroot={sysroot} is no folder")
    if triple is None:
        if sysroot is not None:
            raise Diagnostic("--sysroot goes with --target", hint="for example --target=aarch64-linux-gnu")
        return host
    arch, *rest = triple.split("-")
    if arch not in ARCHITECTURES or rest[-2:] != ["linux", "gnu"]:
        known = ", ".join(f"{each}-linux-gnu" for each in ARCHITECTURES)
        raise Diagnostic(f"--target={triple} is not supported", hint=f"one of {known}", exit_code=2)
    if arch == host.arch and sysroot is None:
        return host
    return Target(triple, Path(sysroot) if sysroot else None, is_host=False)
