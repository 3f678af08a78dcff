// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVML: the devices of the machine for those who watch them. The numbers are those of cudaGetDeviceProperties and
// cudaMemGetInfo; the load is that of the machine's processors.
#include <nvml.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>

#include "allocation.h"
#include "device.h"
#include "visible_devices.h"

namespace {

using namespace warploom;

constexpr const char *kDriver = "580.65.06";  // the first that is for CUDA 13.0
std::atomic<int> users{0};

// Devices are numbered from 1, so that a handle is not null.
int number_of(nvmlDevice_t device) { return static_cast<int>(reinterpret_cast<std::intptr_t>(device)) - 1; }

nvmlReturn_t give(nvmlDevice_t *device, int number) {
  *device = reinterpret_cast<nvmlDevice_t>(static_cast<std::intptr_t>(number) + 1);
  return NVML_SUCCESS;
}

nvmlReturn_t give(const std::string &text, char *target, unsigned int length) {
  if (!target) return NVML_ERROR_INVALID_ARGUMENT;
  if (text.size() + 1 > length) return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(target, text.c_str(), text.size() + 1);
  return NVML_SUCCESS;
}

// What every function asks first; `body` runs with the device's number.
template <class Body>
nvmlReturn_t of_device(nvmlDevice_t device, Body &&body) {
  if (users == 0) return NVML_ERROR_UNINITIALIZED;
  const int number = number_of(device);
  return number >= 0 && number < machine_device_count() ? body(number) : NVML_ERROR_INVALID_ARGUMENT;
}

template <class Body>
nvmlReturn_t of_system(Body &&body) {
  return users == 0 ? NVML_ERROR_UNINITIALIZED : body();
}

nvmlReturn_t not_on_a_cpu(nvmlDevice_t device) {
  return of_device(device, [](int) { return NVML_ERROR_NOT_SUPPORTED; });
}

cudaDeviceProp properties_of(int number) {
  cudaDeviceProp properties;
  describe_machine_device(&properties, number);
  return properties;
}

// Ticks that the machine's processors were busy, and all ticks.
struct Ticks {
  unsigned long long busy = 0, all = 0;
};

Ticks processor_ticks() {
  unsigned long long user = 0, nice = 0, system = 0, idle = 0, waiting = 0, hard = 0, soft = 0, stolen = 0;
  std::FILE *file = std::fopen("/proc/stat", "r");
  if (!file) return {};
  const int read = std::fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle,
                               &waiting, &hard, &soft, &stolen);
  std::fclose(file);
  if (read < 4) return {};
  const unsigned long long busy = user + nice + system + hard + soft + stolen;
  return {busy, busy + idle + waiting};
}

// Percent of the processors' time since the last call; the first call looks for a twentieth of a second.
unsigned int busy_percent() {
  static std::mutex mutex;
  static Ticks before;
  const std::lock_guard lock(mutex);
  if (before.all == 0) {
    before = processor_ticks();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const Ticks now = processor_ticks();
  const Ticks passed{now.busy - before.busy, now.all - before.all};
  if (passed.all < 4) return 0;
  before = now;
  return static_cast<unsigned int>(100 * passed.busy / passed.all);
}

nvmlReturn_t clock_of(nvmlDevice_t device, nvmlClockType_t type, unsigned int *megahertz) {
  return of_device(device, [&](int number) {
    if (!megahertz || type < NVML_CLOCK_GRAPHICS || type >= NVML_CLOCK_COUNT) return NVML_ERROR_INVALID_ARGUMENT;
    if (type == NVML_CLOCK_VIDEO) return NVML_ERROR_NOT_SUPPORTED;
    const cudaDeviceProp all = properties_of(number);
    *megahertz = static_cast<unsigned int>(type == NVML_CLOCK_MEM ? all.memoryClockRate : all.clockRate) / 1000;
    return NVML_SUCCESS;
  });
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

#undef nvmlInit
nvmlReturn_t nvmlInit(void) { return nvmlInit_v2(); }
nvmlReturn_t nvmlInit_v2(void) {
  ++users;
  return NVML_SUCCESS;
}
nvmlReturn_t nvmlInitWithFlags(unsigned int) { return nvmlInit_v2(); }

nvmlReturn_t nvmlShutdown(void) {
  return of_system([] {
    --users;
    return NVML_SUCCESS;
  });
}

const char *nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
    case NVML_SUCCESS:
      return "Success";
    case NVML_ERROR_UNINITIALIZED:
      return "Uninitialized";
    case NVML_ERROR_INVALID_ARGUMENT:
      return "Invalid Argument";
    case NVML_ERROR_NOT_SUPPORTED:
      return "Not Supported";
    case NVML_ERROR_NOT_FOUND:
      return "Not Found";
    case NVML_ERROR_INSUFFICIENT_SIZE:
      return "Insufficient Size";
    case NVML_ERROR_ARGUMENT_VERSION_MISMATCH:
      return "Argument Version Mismatch";
    default:
      return "Unknown Error";
  }
}

nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length) {
  return of_system([&] { return give(kDriver, version, length); });
}

nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length) {
  return of_system([&] { return give(std::string("13.") + kDriver, version, length); });
}

nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version) {
  return of_system([&] {
    if (!version) return NVML_ERROR_INVALID_ARGUMENT;
    *version = CUDART_VERSION;
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version) { return nvmlSystemGetCudaDriverVersion(version); }

nvmlReturn_t nvmlSystemGetProcessName(unsigned int pid, char *name, unsigned int length) {
  return of_system([&] {
    if (!name || length == 0) return NVML_ERROR_INVALID_ARGUMENT;
    char path[4096];
    const ssize_t size = readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), path, sizeof path);
    if (size < 0) return NVML_ERROR_NOT_FOUND;
    const std::size_t kept = std::min<std::size_t>(static_cast<std::size_t>(size), length - 1);
    std::memcpy(name, path, kept);
    name[kept] = 0;
    return NVML_SUCCESS;
  });
}

#undef nvmlDeviceGetCount
nvmlReturn_t nvmlDeviceGetCount(unsigned int *count) { return nvmlDeviceGetCount_v2(count); }
nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count) {
  return of_system([&] {
    if (!count) return NVML_ERROR_INVALID_ARGUMENT;
    *count = static_cast<unsigned int>(machine_device_count());
    return NVML_SUCCESS;
  });
}

#undef nvmlDeviceGetHandleByIndex
nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned int index, nvmlDevice_t *device) {
  return nvmlDeviceGetHandleByIndex_v2(index, device);
}
nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device) {
  return of_system([&] {
    const bool is_there = index < static_cast<unsigned int>(machine_device_count());
    return device && is_there ? give(device, static_cast<int>(index)) : NVML_ERROR_INVALID_ARGUMENT;
  });
}

nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
  return of_system([&] {
    if (!uuid || !device) return NVML_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < machine_device_count(); ++i)
      if (uuid_text(i) == uuid) return give(device, i);
    return NVML_ERROR_NOT_FOUND;
  });
}

nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *bus, nvmlDevice_t *device) {
  return of_system([&] {
    unsigned domain = 0, number = 0, slot = 0;
    if (!bus || !device) return NVML_ERROR_INVALID_ARGUMENT;
    if (std::sscanf(bus, "%x:%x:%x", &domain, &number, &slot) != 3) return NVML_ERROR_INVALID_ARGUMENT;
    const bool is_there =
        domain == 0 && slot == 0 && number >= 1 && number <= static_cast<unsigned int>(machine_device_count());
    return is_there ? give(device, static_cast<int>(number) - 1) : NVML_ERROR_NOT_FOUND;
  });
}

nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length) {
  return of_device(device, [&](int number) { return give(properties_of(number).name, name, length); });
}

nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length) {
  return of_device(device, [&](int number) { return give(uuid_text(number), uuid, length); });
}

nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t device, unsigned int *index) {
  return of_device(device, [&](int number) {
    if (!index) return NVML_ERROR_INVALID_ARGUMENT;
    *index = static_cast<unsigned int>(number);
    return NVML_SUCCESS;
  });
}
nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t device, unsigned int *number) {
  return nvmlDeviceGetIndex(device, number);
}

nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci) {
  return of_device(device, [&](int number) {
    if (!pci) return NVML_ERROR_INVALID_ARGUMENT;
    *pci = {};
    pci->bus = static_cast<unsigned int>(number) + 1;
    std::snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "0000:%02X:00.0", pci->bus);
    std::snprintf(pci->busId, sizeof pci->busId, "00000000:%02X:00.0", pci->bus);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t device, nvmlMemory_t *memory) {
  return of_device(device, [&](int) {
    if (!memory) return NVML_ERROR_INVALID_ARGUMENT;
    const MemoryTotals totals = memory_totals();
    *memory = {totals.total, totals.free, totals.total - totals.free};
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t device, nvmlMemory_v2_t *memory) {
  return of_device(device, [&](int) {
    if (!memory) return NVML_ERROR_INVALID_ARGUMENT;
    if (memory->version != nvmlMemory_v2) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    const MemoryTotals totals = memory_totals();
    *memory = {nvmlMemory_v2, totals.total, 0, totals.free, totals.total - totals.free};
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetUtilizationRates(nvmlDevice_t device, nvmlUtilization_t *utilization) {
  return of_device(device, [&](int) {
    if (!utilization) return NVML_ERROR_INVALID_ARGUMENT;
    const MemoryTotals totals = memory_totals();
    const auto used = totals.total ? 100 * ((totals.total - totals.free) >> 10) / (totals.total >> 10) : 0;
    *utilization = {busy_percent(), static_cast<unsigned int>(used)};
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *megahertz) {
  return clock_of(device, type, megahertz);
}
nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *megahertz) {
  return clock_of(device, type, megahertz);
}

nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t device, int *major, int *minor) {
  return of_device(device, [&](int number) {
    if (!major || !minor) return NVML_ERROR_INVALID_ARGUMENT;
    const cudaDeviceProp all = properties_of(number);
    *major = all.major;
    *minor = all.minor;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t device, nvmlComputeMode_t *mode) {
  return of_device(device, [&](int) {
    return mode ? (*mode = NVML_COMPUTEMODE_DEFAULT, NVML_SUCCESS) : NVML_ERROR_INVALID_ARGUMENT;
  });
}

nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t *mode) {
  return of_device(
      device, [&](int) { return mode ? (*mode = NVML_FEATURE_ENABLED, NVML_SUCCESS) : NVML_ERROR_INVALID_ARGUMENT; });
}

nvmlReturn_t nvmlDeviceGetPerformanceState(nvmlDevice_t device, nvmlPstates_t *state) {
  return of_device(device,
                   [&](int) { return state ? (*state = NVML_PSTATE_0, NVML_SUCCESS) : NVML_ERROR_INVALID_ARGUMENT; });
}

nvmlReturn_t nvmlDeviceGetBrand(nvmlDevice_t device, nvmlBrandType_t *brand) {
  return of_device(
      device, [&](int) { return brand ? (*brand = NVML_BRAND_UNKNOWN, NVML_SUCCESS) : NVML_ERROR_INVALID_ARGUMENT; });
}

nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t device, nvmlDeviceArchitecture_t *architecture) {
  return of_device(device, [&](int) {
    return architecture ? (*architecture = NVML_DEVICE_ARCH_AMPERE, NVML_SUCCESS) : NVML_ERROR_INVALID_ARGUMENT;
  });
}

// No process is told apart from those that use the processors without CUDA.
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *count, nvmlProcessInfo_t *) {
  return of_device(device, [&](int) { return count ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_INVALID_ARGUMENT; });
}
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(nvmlDevice_t device, unsigned int *count,
                                                      nvmlProcessInfo_t *infos) {
  return nvmlDeviceGetComputeRunningProcesses_v3(device, count, infos);
}

nvmlReturn_t nvmlDeviceGetSerial(nvmlDevice_t device, char *, unsigned int) { return not_on_a_cpu(device); }
nvmlReturn_t nvmlDeviceGetVbiosVersion(nvmlDevice_t device, char *, unsigned int) { return not_on_a_cpu(device); }
nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t, unsigned int *) {
  return not_on_a_cpu(device);
}
nvmlReturn_t nvmlDeviceGetFanSpeed(nvmlDevice_t device, unsigned int *) { return not_on_a_cpu(device); }
nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned int *) { return not_on_a_cpu(device); }
nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned int *) { return not_on_a_cpu(device); }
nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned int *) { return not_on_a_cpu(device); }
nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long *) {
  return not_on_a_cpu(device);
}
nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t *, nvmlEnableState_t *) {
  return not_on_a_cpu(device);
}
nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int *, unsigned int *) { return not_on_a_cpu(device); }
nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned int, nvmlEnableState_t *) {
  return not_on_a_cpu(device);
}
nvmlReturn_t nvmlDeviceGetTemperatureThreshold(nvmlDevice_t device, nvmlTemperatureThresholds_t, unsigned int *) {
  return not_on_a_cpu(device);
}
nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, unsigned long long *) {
  return not_on_a_cpu(device);
}
nvmlReturn_t nvmlDeviceGetSamples(nvmlDevice_t device, nvmlSamplingType_t, unsigned long long, nvmlValueType_t *,
                                  unsigned int *, nvmlSample_t *) {
  return not_on_a_cpu(device);
}
nvmlReturn_t nvmlDeviceSetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t) { return not_on_a_cpu(device); }
nvmlReturn_t nvmlDeviceSetApplicationsClocks(nvmlDevice_t device, unsigned int, unsigned int) {
  return not_on_a_cpu(device);
}
nvmlReturn_t nvmlDeviceResetApplicationsClocks(nvmlDevice_t device) { return not_on_a_cpu(device); }
nvmlReturn_t nvmlDeviceSetPowerManagementLimit(nvmlDevice_t device, unsigned int) { return not_on_a_cpu(device); }

}  // extern "C"
#pragma GCC visibility pop
