# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tools beside nvcc in a toolkit, what they and NVML say of devices, and which devices a program sees."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from warploom.cli import cuda_tools, nvidia_smi, warpcc
from warploom.runtime_library import toolkit
from warploom.toolchain import find_toolchain

DEVICES = """
#include <cstdio>
#include <nvml.h>
int main() {
  int count = -1;
  const cudaError_t error = cudaGetDeviceCount(&count);
  std::printf("%s %d", cudaGetErrorName(error), count);
  for (int i = 0; i < count; ++i) {
    char id[32];
    int back = -1;
    cudaDeviceGetPCIBusId(id, sizeof id, i);
    cudaDeviceGetByPCIBusId(&back, id);
    std::printf(" %s=%d", id, back == i ? i : -1);
  }
  unsigned all = 0, degrees = 0;
  char name[96], uuid[96];
  nvmlDevice_t device;
  nvmlMemory_t memory;
  const nvmlReturn_t early = nvmlDeviceGetCount(&all);
  nvmlInit();
  nvmlDeviceGetCount(&all);
  nvmlDeviceGetHandleByIndex(all - 1, &device);
  nvmlDeviceGetName(device, name, sizeof name);
  nvmlDeviceGetUUID(device, uuid, sizeof uuid);
  nvmlDeviceGetMemoryInfo(device, &memory);
  unsigned long long reasons = 0;
  nvmlValueType_t type;
  nvmlSample_t sample;
  const int not_there =  // one code for all
      nvmlDeviceGetTemperature(device, NVML_TEMPERATURE_GPU, &degrees) &
      nvmlDeviceGetTemperatureThreshold(device, NVML_TEMPERATURE_THRESHOLD_SLOWDOWN, &degrees) &
      nvmlDeviceGetCurrentClocksThrottleReasons(device, &reasons) &
      nvmlDeviceGetSamples(device, NVML_GPU_UTILIZATION_SAMPLES, 0, &type, &all, &sample);
  std::printf("\\n%d %u %s|%s|%llu|%d %d %d\\n", early, all, name, uuid, memory.total >> 20,
              nvmlDeviceGetName(device, name, 3), not_there,
              nvmlDeviceGetHandleByIndex(all, &device));
  cudaDeviceProp properties;
  std::printf("%d\\n", cudaGetDeviceProperties(&properties, 0) == cudaSuccess
                         ? static_cast<int>(properties.totalGlobalMem >> 20)
                         : -1);
}
"""


NO_DEVICE = r"""
#include <cstdio>
__global__ void kernel() { std::printf("the kernel ran\n"); }
void show(cudaError_t error) { std::printf("%s\n", cudaGetErrorName(error)); }
int main() {
  void *memory = nullptr;
  cudaDeviceProp properties;
  show(cudaSetDevice(0));
  show(cudaGetDeviceProperties(&properties, 0));
  show(cudaMalloc(&memory, 64));
  kernel<<<1, 1>>>();
  show(cudaGetLastError());
  show(cudaDeviceSynchronize());
  show(cudaDeviceReset());
  show(cudaFree(nullptr));
}
"""


@pytest.fixture(scope="module")
def devices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("devices")
    (folder / "devices.cu").write_text(DEVICES)
    assert warpcc.main([str(folder / "devices.cu"), "-o", str(folder / "devices"), "-lnvidia-ml"]) == 0
    return folder / "devices"


def told(devices: Path, visible: str | None, count: int = 4) -> list[str]:
    environment = {key: value for key, value in os.environ.items() if key != "CUDA_VISIBLE_DEVICES"}
    environment["WARPLOOM_DEVICE_COUNT"] = str(count)
    if visible is not None:
        environment["CUDA_VISIBLE_DEVICES"] = visible
    return subprocess.run([devices], capture_output=True, text=True, env=environment, check=True).stdout.splitlines()


@pytest.mark.parametrize(
    ("visible", "seen"),
    [
        (None, "cudaSuccess 4 0000:01:00.0=0 0000:02:00.0=1 0000:03:00.0=2 0000:04:00.0=3"),
        ("2,0", "cudaSuccess 2 0000:03:00.0=0 0000:01:00.0=1"),
        ("", "cudaErrorNoDevice -1"),
        ("-1", "cudaErrorNoDevice -1"),
        ("1,9,0", "cudaSuccess 1 0000:02:00.0=0"),
        ("1,1", "cudaErrorInvalidDevice -1"),
        (" 1,0x2", "cudaSuccess 2 0000:02:00.0=0 0000:01:00.0=1"),
        ("0abc,,1", "cudaSuccess 1 0000:01:00.0=0"),
        ("GPU-77617270-6c6f-6f6d-2d33", "cudaSuccess 1 0000:04:00.0=0"),
        ("GPU-", "cudaErrorNoDevice -1"),
        ("NoDevFiles", "cudaErrorNoDevice -1"),
    ],
)
def test_a_program_sees_the_devices_that_it_shall_see_in_that_order(
    devices: Path, visible: str | None, seen: str
) -> None:
    assert told(devices, visible)[0] == seen


def test_without_devices_every_call_says_so(tmp_path: Path) -> None:
    """So that what a program does without a GPU can be tried."""
    (tmp_path / "none.cu").write_text(NO_DEVICE)
    assert warpcc.main([str(tmp_path / "none.cu"), "-o", str(tmp_path / "none")]) == 0
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([tmp_path / "none"], capture_output=True, text=True, env=environment, check=True)
    assert (done.stdout.split(), done.stderr) == (["cudaErrorNoDevice"] * 7, "")


def test_nvml_tells_of_all_devices_what_the_runtime_tells(devices: Path) -> None:
    _, of_nvml, memory = told(devices, "1")
    match = re.fullmatch(r"1 4 (.+)\|(GPU-77617270-6c6f-6f6d-2d33-000000000000)\|(\d+)\|7 3 2", of_nvml)
    assert match is not None, of_nvml
    assert match[1].startswith("Warploom CPU (")
    assert match[3] == memory
    assert "|7 3 2" in told(devices, "")[1], "NVML does without devices that the program sees"


def test_nvidia_smi(devices: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert nvidia_smi.main(["-L"]) == 0
    assert re.fullmatch(r"GPU 0: Warploom CPU \(.*\) \(UUID: GPU-[-0-9a-f]{36}\)\n", capsys.readouterr().out)
    fields = "index,name,memory.total,fan.speed,compute_cap"
    assert nvidia_smi.main([f"--query-gpu={fields}", "--format=csv"]) == 0
    head, line = capsys.readouterr().out.splitlines()
    assert head == "index, name, memory.total [MiB], fan.speed [%], compute_cap"
    size = told(devices, None)[2]
    assert line.startswith("0, Warploom CPU (")
    assert line.endswith(f", {size} MiB, [N/A], 8.0")
    assert nvidia_smi.main(["--query-gpu", "memory.total", "--format=csv,noheader,nounits"]) == 0
    assert capsys.readouterr().out == f"{size}\n"
    assert nvidia_smi.main([]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(f"MiB / {size}MiB" in line for line in lines)
    assert {len(line) for line in lines if line.startswith(("+", "|"))} == {91}
    assert nvidia_smi.main(["--query-compute-apps=pid,name,used_memory", "--format=csv"]) == 0
    assert capsys.readouterr().out == "pid, process_name, used_gpu_memory [MiB]\n"
    assert nvidia_smi.main(["--query-compute-apps=pid", "--format=csv,noheader"]) == 0
    assert capsys.readouterr().out == ""
    assert nvidia_smi.main(["--query-compute-apps=bogus", "--format=csv"]) == 2
    assert nvidia_smi.main(["-q", "-d", "TEMPERATURE,memory"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"^        GPU Current Temp {18}: N/A$", shown, re.MULTILINE)
    assert re.search(r"^        Total +: \d+ MiB$", shown, re.MULTILINE)
    assert "Product Name" not in shown
    assert nvidia_smi.main(["-q"]) == 0
    assert "    Product Name " in capsys.readouterr().out
    assert nvidia_smi.main(["-q", "-d", "BOGUS"]) == 2
    assert nvidia_smi.main(["-l", "0"]) == 255
    capsys.readouterr()
    assert nvidia_smi.main(["-L", "-i", "3,0"]) == 0
    assert capsys.readouterr().out.count("GPU 0") == 1
    assert nvidia_smi.main(["-i", "7"]) == 6
    assert nvidia_smi.main(["--query-gpu=bogus", "--format=csv"]) == 2
    assert nvidia_smi.main(["--bogus"]) == 255
    assert nvidia_smi.main(["--query-gpu=power.draw,clocks.sm,gpu_uuid"]) == 0
    assert capsys.readouterr().out.splitlines()[-2] == "power.draw [W], clocks.current.sm [MHz], uuid"


def test_profilers_lead_to_ours(
    devices: Path, capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WARPLOOM_DEVICE_COUNT", "1")  # set anew below, and put back
    assert cuda_tools.main("nvprof", ["--log-file", "x", str(devices)]) == 0
    assert "profile of devices" in capfd.readouterr().err
    mine = tmp_path / "mine"
    assert cuda_tools.main("nvprof", ["-f", "-o", str(mine), "--metrics", "all", "--", str(devices)]) == 0
    assert "nvprof: warning: ignored: --metrics;" in capfd.readouterr().err
    assert "traceEvents" in mine.with_suffix(".json").read_text()
    trace = tmp_path / "report"
    words = ["profile", "-t", "cuda", "-e", "WARPLOOM_DEVICE_COUNT=3", "--stats=true", "-o", str(trace), str(devices)]
    assert cuda_tools.main("nsys", words) == 0
    assert "cudaSuccess 3 " in capfd.readouterr().out
    assert "traceEvents" in trace.with_suffix(".json").read_text()
    assert cuda_tools.main("nsys", ["--version"]) == 0
    assert cuda_tools.main("nsys", ["stats", "x"]) == 2
    assert cuda_tools.main("cuobjdump", ["-sass", "app"]) == 1
    assert "objdump -dC app" in capfd.readouterr().err


def test_a_toolkit_has_all_of_them() -> None:
    folder = toolkit(find_toolchain())
    names = {path.name for path in (folder / "bin").iterdir()}
    assert names >= {"nvcc", "nvidia-smi", "nvprof", "nsys", "cuda-gdb", "cuobjdump", "nvdisasm"}
    assert (folder / "lib64" / "libnvidia-ml.so.1").exists()
    done = subprocess.run([folder / "bin" / "nvidia-smi", "-L"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("GPU 0: ")
