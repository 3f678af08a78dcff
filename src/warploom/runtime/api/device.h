// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The virtual devices: how many, which one a host thread uses, what they can do.
#pragma once

#include <cstddef>

#include "cuda_runtime_api.h"

namespace warploom {

inline constexpr int kWarpSize = 32;
inline constexpr int kMaxThreadsPerBlock = 1024;
inline constexpr int kMaxBlockDim[3] = {1024, 1024, 64};
inline constexpr int kMaxGridDim[3] = {2147483647, 65535, 65535};
inline constexpr int kMaxThreadsPerProcessor = 2048;
inline constexpr int kMaxBlocksPerProcessor = 32;
inline constexpr int kRegistersPerProcessor = 65536;
// Compute capability 8.0: what a block gets, what it may ask for, what a multiprocessor has, what the system keeps.
inline constexpr std::size_t kSharedPerBlock = 48 << 10;
inline constexpr std::size_t kSharedPerBlockOptin = 163 << 10;
inline constexpr std::size_t kSharedPerProcessor = 164 << 10;
inline constexpr std::size_t kSharedReserved = 1 << 10;
inline constexpr std::size_t kConstantMemory = 64 << 10;
inline constexpr std::size_t kTexturePitchAlignment = 32;
inline constexpr std::size_t kTextureAlignment = 512;
inline constexpr std::size_t kPitchAlignment = 512;

int device_count();
int current_device();
// cudaLimitDevRuntimePendingLaunchCount: how many grids that device code launches may be unfinished.
std::size_t most_pending_launches();

void select_device(int device);

// A call of the runtime API also starts the driver: cuInit need not be called then.
void note_runtime_use();
bool runtime_is_in_use();
bool is_device(int device);
// The error of a call for what is no device: cudaErrorNoDevice where the program sees none at all.
cudaError_t unknown_device();
void describe_device(cudaDeviceProp *properties, int device);
// The same by the number that the device has in the machine: visible_devices.h.
void describe_machine_device(cudaDeviceProp *properties, int device);

}  // namespace warploom
