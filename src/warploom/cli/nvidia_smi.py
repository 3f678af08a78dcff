# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`nvidia-smi` of the toolkit's bin: what scripts ask of it, from the runtime's own NVML.

The table, `-L`, `-q [-d SECTIONS]` and `--query-gpu=FIELDS --format=csv[,noheader][,nounits]`, each once or with `-l`
again and again; other forms are refused by name.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from warploom.cli.status import status_of
from warploom.core.records import dataclass
from warploom.diagnostics import Diagnostic
from warploom.runtime_library import LIBRARY, toolkit
from warploom.toolchain import find_toolchain

NO_FIELD, NO_DEVICE, NO_OPTION = 2, 6, 255
NOT_SUPPORTED = "[N/A]"
HELP = """usage: nvidia-smi [-L] [-i N,...] [-l SECONDS] [-q [-d SECTION,...]]
                  [--query-gpu=FIELD,... --format=csv[,noheader][,nounits]]

The machine's CPU as NVML shows it. --help-query-gpu lists the fields. What a CPU has no like of is [N/A]. Processes are
those of a CPU, which top shows: --query-compute-apps=FIELD,... lists none."""
WIDTH = 89  # of the table, in characters


class _Numbers(ctypes.Structure):
    _fields_ = (("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong))


class _Rates(ctypes.Structure):
    _fields_ = (("gpu", ctypes.c_uint), ("memory", ctypes.c_uint))


@dataclass(frozen=True)
class Device:
    """One device; sizes in MiB, clocks in MHz, rates in percent."""

    index: int
    name: str
    uuid: str
    total: int
    free: int
    used: int
    busy: int
    memory_busy: int
    clock: int
    memory_clock: int
    capability: str

    @property
    def bus(self) -> str:
        """Its place on a bus that it does not hang on."""
        return f"00000000:{self.index + 1:02X}:00.0"


@dataclass(frozen=True)
class Machine:
    """All devices, and the versions of driver and CUDA."""

    driver: str
    cuda: str
    devices: list[Device]


# What --query-gpu knows: the unit, and the value; None: a CPU has no like of it.
FIELDS: dict[str, tuple[str, Callable[[Machine, Device], object] | None]] = {
    "timestamp": ("", lambda _m, _d: time.strftime("%Y/%m/%d %H:%M:%S.000")),
    "driver_version": ("", lambda machine, _d: machine.driver),
    "count": ("", lambda machine, _d: len(machine.devices)),
    "name": ("", lambda _m, device: device.name),
    "gpu_name": ("", lambda _m, device: device.name),
    "index": ("", lambda _m, device: device.index),
    "uuid": ("", lambda _m, device: device.uuid),
    "gpu_uuid": ("", lambda _m, device: device.uuid),
    "pci.bus_id": ("", lambda _m, device: device.bus),
    "gpu_bus_id": ("", lambda _m, device: device.bus),
    "compute_cap": ("", lambda _m, device: device.capability),
    "compute_mode": ("", lambda _m, _d: "Default"),
    "persistence_mode": ("", lambda _m, _d: "Enabled"),
    "pstate": ("", lambda _m, _d: "P0"),
    "memory.total": ("MiB", lambda _m, device: device.total),
    "memory.used": ("MiB", lambda _m, device: device.used),
    "memory.free": ("MiB", lambda _m, device: device.free),
    "memory.reserved": ("MiB", lambda _m, _d: 0),
    "utilization.gpu": ("%", lambda _m, device: device.busy),
    "utilization.memory": ("%", lambda _m, device: device.memory_busy),
    "clocks.sm": ("MHz", lambda _m, device: device.clock),
    "clocks.gr": ("MHz", lambda _m, device: device.clock),
    "clocks.mem": ("MHz", lambda _m, device: device.memory_clock),
    "clocks.max.sm": ("MHz", lambda _m, device: device.clock),
    "clocks.max.mem": ("MHz", lambda _m, device: device.memory_clock),
    **dict.fromkeys(("power.draw", "power.limit", "enforced.power.limit"), ("W", None)),
    "fan.speed": ("%", None),
    **dict.fromkeys(
        (
            "temperature.gpu", "temperature.memory", "serial", "gpu_serial", "vbios_version", "display_mode",
            "display_active", "ecc.mode.current", "mig.mode.current", "pcie.link.gen.current", "inforom.img",
            "pcie.link.width.current",
        ),
        ("", None),
    ),
}  # fmt: skip

# What -q shows below each device, by the section's name for -d: its title, and the field of each line.
SECTIONS: dict[str, tuple[str, dict[str, str]]] = {
    "MEMORY": ("FB Memory Usage", {"Total": "memory.total", "Used": "memory.used", "Free": "memory.free"}),
    "UTILIZATION": ("Utilization", {"GPU": "utilization.gpu", "Memory": "utilization.memory"}),
    "TEMPERATURE": ("Temperature", {"GPU Current Temp": "temperature.gpu"}),
    "POWER": ("GPU Power Readings", {"Average Power Draw": "power.draw", "Current Power Limit": "power.limit"}),
    "CLOCK": ("Clocks", {"Graphics": "clocks.gr", "SM": "clocks.sm", "Memory": "clocks.mem"}),
}
# And those lines that every -q without -d begins with.
PRODUCT = {"Product Name": "name", "GPU UUID": "uuid", "Compute Mode": "compute_mode", "Performance State": "pstate"}

# What --query-compute-apps knows, and the heads of these columns.
PROCESS_FIELDS = {
    "timestamp": "timestamp",
    "gpu_name": "gpu_name",
    "gpu_bus_id": "gpu_bus_id",
    "gpu_serial": "gpu_serial",
    "gpu_uuid": "gpu_uuid",
    "pid": "pid",
    **dict.fromkeys(("process_name", "name"), "process_name"),
    **dict.fromkeys(("used_gpu_memory", "used_memory"), "used_gpu_memory [MiB]"),
}

# What the head of a table calls a field that has two names.
HEADS = {
    "gpu_name": "name",
    "gpu_uuid": "uuid",
    "gpu_bus_id": "pci.bus_id",
    "gpu_serial": "serial",
    "clocks.sm": "clocks.current.sm",
    "clocks.gr": "clocks.current.graphics",
    "clocks.mem": "clocks.current.memory",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Print what is asked for; nvidia-smi's exit statuses."""
    words = sys.argv[1:] if argv is None else list(argv)
    return status_of(lambda: run(words), whole_process=argv is None)


def run(words: Sequence[str]) -> int:
    """Print what the command line asks for."""
    asked = options(words)
    if "--help" in asked:
        print(HELP)
        return 0
    if "--help-query-gpu" in asked:
        print("\n".join(sorted(FIELDS)))
        return 0
    if "-l" not in asked:
        return show(asked)
    if not asked["-l"].isdigit() or asked["-l"] == "0":
        raise Diagnostic("nvidia-smi: -l takes seconds, 1 at least", hint="nvidia-smi -l 5", exit_code=NO_OPTION)
    while (status := show(asked)) == 0:
        sys.stdout.flush()
        time.sleep(int(asked["-l"]))
    return status


def show(asked: Mapping[str, str]) -> int:
    """Print once what is asked for."""
    machine = read_machine()
    if not machine.devices:
        print("No devices were found", file=sys.stderr)
        return NO_DEVICE
    chosen = machine.devices
    if "-i" in asked:
        names = set(asked["-i"].split(","))
        chosen = [each for each in chosen if names & {str(each.index), each.uuid, each.bus}]
        if not chosen:
            print("No devices were found", file=sys.stderr)
            return NO_DEVICE
    if "--query-compute-apps" in asked:
        print("\n".join(processes(asked["--query-compute-apps"].split(","), asked.get("--format", ""))), end="")
    elif "--query-gpu" in asked:
        print("\n".join(queried(machine, chosen, asked["--query-gpu"].split(","), asked.get("--format", ""))))
    elif "-q" in asked:
        print("\n".join(details(machine, chosen, asked.get("-d", ""))))
    elif "-L" in asked:
        print("\n".join(f"GPU {each.index}: {each.name} (UUID: {each.uuid})" for each in chosen))
    else:
        print("\n".join(table(machine, chosen)))
    return 0


def options(words: Sequence[str]) -> dict[str, str]:
    """The command line, by the long or only name of each option."""
    names = {"-h": "--help", "--list-gpus": "-L", "--id": "-i", "--query": "-q", "--display": "-d", "--loop": "-l"}
    with_value = ("-i", "-d", "-l", "--query-gpu", "--query-compute-apps", "--format")
    found: dict[str, str] = {}
    left = iter(words)
    for word in left:
        name, has_value, value = word.partition("=")
        name = names.get(name, name)
        if name in with_value:
            found[name] = value if has_value else next(left, "")
        elif name in ("-L", "-q", "--help", "--help-query-gpu") and not has_value:
            found[name] = ""
        else:
            raise Diagnostic(f"nvidia-smi: {word} is not known here", hint="nvidia-smi --help", exit_code=NO_OPTION)
    return found


def processes(fields: Sequence[str], form: str) -> list[str]:
    """The head of an empty table."""
    fields = [field.strip() for field in fields]
    _check(fields, PROCESS_FIELDS)
    units = "nounits" not in form.split(",")
    heads = (PROCESS_FIELDS[field] if units else PROCESS_FIELDS[field].partition(" ")[0] for field in fields)
    return [] if "noheader" in form.split(",") else [", ".join(heads) + "\n"]


def _check(fields: Sequence[str], known: Mapping[str, object]) -> None:
    for field in fields:
        if field not in known:
            raise Diagnostic(
                f'Field "{field}" is not a valid field to query.',
                hint=f"known are {', '.join(known)}",
                exit_code=NO_FIELD,
            )


def queried(machine: Machine, devices: Sequence[Device], fields: Sequence[str], form: str) -> list[str]:
    """The lines of a table with commas."""
    fields = [field.strip() for field in fields]
    _check(fields, FIELDS)
    parts = form.split(",")
    with_units = "nounits" not in parts
    lines: list[str] = []
    if "noheader" not in parts:
        units = (f" [{FIELDS[field][0]}]" if FIELDS[field][0] and with_units else "" for field in fields)
        lines.append(", ".join(HEADS.get(field, field) + unit for field, unit in zip(fields, units, strict=True)))
    return [*lines, *(", ".join(_value(machine, each, field, with_units) for field in fields) for each in devices)]


def _value(machine: Machine, device: Device, field: str, with_units: bool) -> str:
    unit, value = FIELDS[field]
    if value is None:
        return NOT_SUPPORTED
    return f"{value(machine, device)} {unit}" if unit and with_units else str(value(machine, device))


def details(machine: Machine, devices: Sequence[Device], sections: str) -> list[str]:
    """What -q prints: all sections, or those of -d."""
    names = [name.strip().upper() for name in sections.split(",")] if sections else list(SECTIONS)
    _check(names, SECTIONS)

    def line(depth: int, name: str, value: str) -> str:
        return f"{'    ' * depth + name:<42}: {value}"

    def lines_of(device: Device, depth: int, fields: Mapping[str, str]) -> list[str]:
        values = {name: _value(machine, device, field, with_units=True) for name, field in fields.items()}
        return [line(depth, name, value.strip("[]")) for name, value in values.items()]

    head = {"Timestamp": time.strftime("%a %b %e %H:%M:%S %Y"), "Driver Version": machine.driver}
    head |= {"CUDA Version": machine.cuda, "Attached GPUs": str(len(machine.devices))}
    lines = ["", "==============NVSMI LOG==============", "", *(line(0, name, value) for name, value in head.items())]
    for device in devices:
        lines += [f"GPU {device.bus}", *([] if sections else lines_of(device, 1, PRODUCT))]
        for title, fields in map(SECTIONS.__getitem__, names):
            lines += [f"    {title}", *lines_of(device, 2, fields)]
    return [*lines, ""]


def table(machine: Machine, devices: Sequence[Device]) -> list[str]:
    """What nvidia-smi prints by itself."""
    rule = "+" + "-" * WIDTH + "+"
    columns = (39, 22, 20)
    inner = "+" + "+".join("-" * (width + 2) for width in columns) + "+"
    head = f" NVIDIA-SMI {machine.driver:<20} Driver Version: {machine.driver:<15} CUDA Version: {machine.cuda}"

    def row(*cells: str) -> str:
        left, middle, right = (cell.ljust(width)[:width] for cell, width in zip(cells, columns, strict=True))
        return f"| {left} | {middle} | {right} |"

    lines = [
        time.strftime("%a %b %e %H:%M:%S %Y"),
        rule,
        f"|{head:<{WIDTH}}|",
        inner,
        row("GPU  Name               Persistence-M", "Bus-Id        Disp.A", "Volatile Uncorr. ECC"),
        row("Fan  Temp   Perf        Pwr:Usage/Cap", "          Memory-Usage", "GPU-Util  Compute M."),
        inner.replace("-", "="),
    ]
    for each in devices:
        memory = f"{each.used}MiB / {each.total}MiB"
        lines += [
            row(f"{each.index:>3}  {each.name[:30]}", f"{each.bus} Off", "N/A".rjust(20)),
            row("N/A   N/A    P0             N/A /  N/A", f"{memory:>20}", f"{each.busy:>6}%      Default"),
            inner,
        ]
    return [*lines, "", rule, f"|{' Processes: those of a CPU are shown by top':<{WIDTH}}|", rule]


def read_machine() -> Machine:
    """What the runtime's NVML says."""
    library = ctypes.CDLL(str(Path(toolkit(find_toolchain()), "lib64", LIBRARY)))
    if library.nvmlInit_v2() != 0:
        raise Diagnostic("nvidia-smi: NVML does not start")
    count, version = ctypes.c_uint(), ctypes.c_int()
    library.nvmlDeviceGetCount_v2(ctypes.byref(count))
    library.nvmlSystemGetCudaDriverVersion(ctypes.byref(version))
    driver = _text(library.nvmlSystemGetDriverVersion)
    cuda = f"{version.value // 1000}.{version.value % 1000 // 10}"
    return Machine(driver, cuda, [_device(library, number) for number in range(count.value)])


def _text(function: Callable[..., int], *arguments: object) -> str:
    buffer = ctypes.create_string_buffer(256)
    return buffer.value.decode() if function(*arguments, buffer, ctypes.c_uint(256)) == 0 else NOT_SUPPORTED


def _device(library: ctypes.CDLL, number: int) -> Device:
    handle = ctypes.c_void_p()
    library.nvmlDeviceGetHandleByIndex_v2(ctypes.c_uint(number), ctypes.byref(handle))
    memory, rates, major, minor = _Numbers(), _Rates(), ctypes.c_int(), ctypes.c_int()
    library.nvmlDeviceGetMemoryInfo(handle, ctypes.byref(memory))
    library.nvmlDeviceGetUtilizationRates(handle, ctypes.byref(rates))
    library.nvmlDeviceGetCudaComputeCapability(handle, ctypes.byref(major), ctypes.byref(minor))
    clocks = [ctypes.c_uint(), ctypes.c_uint()]
    for kind, clock in zip((1, 2), clocks, strict=True):
        library.nvmlDeviceGetClockInfo(handle, ctypes.c_int(kind), ctypes.byref(clock))
    return Device(
        index=number,
        name=_text(library.nvmlDeviceGetName, handle),
        uuid=_text(library.nvmlDeviceGetUUID, handle),
        total=memory.total >> 20,
        free=memory.free >> 20,
        used=memory.used >> 20,
        busy=rates.gpu,
        memory_busy=rates.memory,
        clock=clocks[0].value,
        memory_clock=clocks[1].value,
        capability=f"{major.value}.{minor.value}",
    )
