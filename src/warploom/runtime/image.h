// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler leaves in an object file for the runtime: one Image a translation unit, registered by a static
// constructor. The layout is shared with backend/image.py: change both, and kImageVersion.
#pragma once

#include <cstdint>

namespace warploom {

inline constexpr std::uint32_t kImageVersion = 1;

struct Parameter {
  std::uint32_t offset;  // in a packed parameter buffer, bytes
  std::uint32_t size;    // bytes
};

struct Kernel {
  const char *name;        // mangled, as the host side registers it
  void (*entry)(void **);  // one thread of the kernel; args[i] points at parameter i
  const Parameter *parameters;
  std::uint32_t parameter_count;
  std::uint32_t static_shared;  // bytes of static shared memory the kernel can reach
  std::uint32_t local_size;     // bytes of private memory a thread, an estimate
  std::uint32_t max_threads;    // from __launch_bounds__; 0: not given
  const char *source_name;      // demangled, for messages
};

enum VariableFlags : std::uint32_t { kConstant = 1, kManaged = 2 };

struct Variable {
  const char *name;
  void *address;  // of a managed variable: its initial value
  std::uint64_t size;
  void **slot;  // of a managed variable: where device code reads the address of the host's storage
  std::uint32_t flags;
};

// Where the variable lives: for a managed one, once bound, in the host's variable of that name.
inline void *storage(const Variable &variable) {
  return variable.slot && *variable.slot ? *variable.slot : variable.address;
}

struct Image {
  std::uint32_t version;
  std::uint32_t arch;        // __CUDA_ARCH__ it was compiled for, e.g. 800
  const char *id;            // the content of the fat binary that the host side registers
  const char *cpu_features;  // "+avx2,+fma,...": what the code needs of the CPU
  const Kernel *kernels;
  const Variable *variables;
  std::uint32_t kernel_count;
  std::uint32_t variable_count;
  std::uint64_t static_shared;   // bytes of this image's static shared variables, all kernels together
  std::uint64_t *shared_offset;  // the runtime writes where they start, after WARPLOOM_STATIC_SHARED_OFFSET
};

}  // namespace warploom

// Called by the static constructor of every translation unit with device code.
extern "C" void __warploom_register_image(const warploom::Image *image);
