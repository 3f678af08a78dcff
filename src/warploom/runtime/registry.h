// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the engine asks of the registered images, besides the look-ups of engine.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "image.h"

namespace warploom {

// While it lives, an image that the calling thread's dlopen registers is a module's: it is handed over, and its names
// are not the program's.
class ModuleLoading {
 public:
  explicit ModuleLoading(const Image **image);
  ~ModuleLoading();
  ModuleLoading(const ModuleLoading &) = delete;
  ModuleLoading &operator=(const ModuleLoading &) = delete;
};

// Bytes of all images' static shared variables together.
std::size_t static_shared_size();
// What a kernel of a registered image was compiled for, as __CUDA_ARCH__ has it (800).
std::uint32_t architecture_of(const Kernel &kernel);
// Why a kernel's code cannot run on this machine; empty when it can.
std::string unusable_reason(const Kernel *kernel);
// The features in LLVM's list "+a,-b,+c" that this CPU lacks, separated by blanks. Names not known here pass.
std::string missing_cpu_features(const char *features);

}  // namespace warploom
