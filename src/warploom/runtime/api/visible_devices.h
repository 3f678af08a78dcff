// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The devices of the machine (WARPLOOM_DEVICE_COUNT), and which of them a program sees (CUDA_VISIBLE_DEVICES).
#pragma once

#include <string>

namespace warploom {

inline constexpr int kMaxDevices = 64;

// How many there are, whatever the program sees.
int machine_device_count();
// The number in the machine of the device that a program knows as `device`.
int machine_device(int device);
// The number that the program has for one of the machine; -1: it does not see that one.
int seen_device(int machine_device);
// Whether CUDA_VISIBLE_DEVICES names one twice; there are none then.
bool devices_are_named_twice();
// The 16 bytes that tell a device from others, and the same as text: GPU-01234567-...
void write_uuid(char (&bytes)[16], int machine_device);
std::string uuid_text(int machine_device);

}  // namespace warploom
