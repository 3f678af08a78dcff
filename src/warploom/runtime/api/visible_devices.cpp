// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA_VISIBLE_DEVICES names devices by number or by the beginning of their UUID, separated by commas. Those before the
// first name that fits none are seen, in that order. Empty: there is none. A device that is named twice is a mistake of
// its own. Each as on an H200 with CUDA 13.0.
#include "visible_devices.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "device.h"

namespace warploom {
namespace {

// The device of the machine that `name` means; -1: none.
int device_named(std::string_view name) {
  if (name.starts_with("GPU-")) {
    int found = -1;
    for (int i = 0; i < machine_device_count(); ++i) {
      if (!uuid_text(i).starts_with(name)) continue;
      if (found >= 0) return -1;  // it fits several
      found = i;
    }
    return found;
  }
  const std::string text(name);
  char *end = nullptr;
  const long number = std::strtol(text.c_str(), &end, 10);
  const bool is_number = end != text.c_str();
  return is_number && number >= 0 && number < machine_device_count() ? static_cast<int>(number) : -1;
}

struct Visible {
  std::vector<int> devices;
  bool repeats = false;
};

Visible visible_devices() {
  std::vector<int> seen;
  const char *wanted = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!wanted) {
    for (int i = 0; i < machine_device_count(); ++i) seen.push_back(i);
    return {seen};
  }
  std::string_view rest(wanted);
  while (true) {
    const std::size_t comma = rest.find(',');
    const int device = device_named(rest.substr(0, comma));
    if (device < 0) break;
    if (std::find(seen.begin(), seen.end(), device) != seen.end()) return {{}, true};
    seen.push_back(device);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return {seen};
}

const Visible &visible() {
  static const auto *const found = new Visible(visible_devices());
  return *found;
}

const std::vector<int> &seen_devices() { return visible().devices; }

}  // namespace

int machine_device_count() {
  static const int count = [] {
    const char *text = std::getenv("WARPLOOM_DEVICE_COUNT");
    return text ? std::clamp(std::atoi(text), 0, kMaxDevices) : 1;
  }();
  return count;
}

bool devices_are_named_twice() { return visible().repeats; }

int device_count() { return static_cast<int>(seen_devices().size()); }

int machine_device(int device) { return seen_devices()[static_cast<std::size_t>(device)]; }

int seen_device(int machine_device) {
  const std::vector<int> &seen = seen_devices();
  const auto found = std::find(seen.begin(), seen.end(), machine_device);
  return found == seen.end() ? -1 : static_cast<int>(found - seen.begin());
}

void write_uuid(char (&bytes)[16], int machine_device) {
  std::memset(bytes, 0, sizeof bytes);
  std::snprintf(bytes, sizeof bytes, "warploom-%d", machine_device);
}

std::string uuid_text(int machine_device) {
  char bytes[16];
  write_uuid(bytes, machine_device);
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(bytes[i]));
    text += digits;
  }
  return text;
}

}  // namespace warploom
