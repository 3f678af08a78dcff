// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of the CUDA API without the compiler: an image with kernels written against the device ABI, registered as
// clang's static constructors would.
#pragma once

#include <cuda_runtime_api.h>

#include <cstring>

#include "../../../src/warploom/runtime/image.h"
#include "../check.h"

extern "C" {
void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFunction(void **handle, const char *stub, char *, const char *name, int, void *, void *, void *,
                            void *, int *);
void __cudaRegisterVar(void **handle, char *host, char *, const char *name, int, std::size_t, int, int);
void __warploom_register_offload_entries(const void *begin, const void *end);
}

#define CHECK_ERROR(expression, expected)                                                                         \
  do {                                                                                                            \
    const cudaError_t got_ = (expression);                                                                        \
    if (got_ != (expected)) {                                                                                     \
      std::printf("%s:%d: %s: %s, not %s\n", __FILE__, __LINE__, #expression, cudaGetErrorName(got_), #expected); \
      ++failures;                                                                                                 \
    }                                                                                                             \
    cudaGetLastError();                                                                                           \
  } while (false)
#define CHECK_OK(expression) CHECK_ERROR(expression, cudaSuccess)

// Host-side stand-ins: only their addresses matter.
inline char stub_add, stub_mix, stub_meet, stub_print, stub_assert, stub_bounded, stub_shared, stub_trap,
    stub_unregistered;
inline char shadow_table, shadow_unregistered;

// __global__ void add(int *data, int amount): data[thread] += amount
inline void kernel_add(void **arguments) {
  int *data = *static_cast<int **>(arguments[0]);
  data[__warploom_block_idx_x() * __warploom_block_dim_x() + thread_index()] += *static_cast<int *>(arguments[1]);
}
// __global__ void mix(unsigned *target, const unsigned *source, unsigned factor, unsigned delay)
inline void kernel_mix(void **arguments) {
  unsigned *target = *static_cast<unsigned **>(arguments[0]);
  const unsigned *source = *static_cast<unsigned **>(arguments[1]);
  volatile unsigned left = *static_cast<unsigned *>(arguments[3]);
  while (left != 0) left = left - 1;
  const unsigned result = *target * 31 + *source * *static_cast<unsigned *>(arguments[2]) + 1;
  __atomic_store_n(target, result, __ATOMIC_RELAXED);  // the host may look meanwhile
}
// __global__ void meet(unsigned *arrived, unsigned count): counts itself, and waits for so many
inline void kernel_meet(void **arguments) {
  unsigned *arrived = *static_cast<unsigned **>(arguments[0]);
  __atomic_fetch_add(arrived, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(arrived, __ATOMIC_SEQ_CST) < *static_cast<unsigned *>(arguments[1])) __warploom_spin_point();
}
// __global__ void print(int value)
inline void print_line(const char *format, ...) {
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  __warploom_vprintf(format, arguments);
  __builtin_va_end(arguments);
}
inline void kernel_print(void **arguments) { print_line("device %d\n", *static_cast<int *>(arguments[0])); }
inline void kernel_assert(void **) { __warploom_assert_fail("x > 0", "test.cu", 7, "void k()"); }
inline void kernel_trap(void **) { __warploom_trap(); }
inline void kernel_nothing(void **) {}

inline int device_table[4] = {1, 2, 3, 4};
inline std::uint64_t shared_offset;

inline constexpr warploom::Parameter kAddParameters[] = {{0, 8}, {8, 4}};
inline constexpr warploom::Parameter kMixParameters[] = {{0, 8}, {8, 8}, {16, 4}, {20, 4}};
inline constexpr warploom::Parameter kMeetParameters[] = {{0, 8}, {8, 4}};
inline constexpr warploom::Parameter kPrintParameters[] = {{0, 4}};
inline constexpr warploom::Kernel kKernels[] = {
    {"_Z3addPii", kernel_add, nullptr, kAddParameters, 2, 0, 0, 0, "add(int*, int)"},
    {"_Z6assertv", kernel_assert, nullptr, nullptr, 0, 0, 0, 0, "assert()"},
    {"_Z7boundedv", kernel_nothing, nullptr, nullptr, 0, 0, 0, 64, "bounded()"},
    {"_Z6sharedv", kernel_nothing, nullptr, nullptr, 0, 40000, 0, 0, "shared()"},
    {"_Z4trapv", kernel_trap, nullptr, nullptr, 0, 0, 0, 0, "trap()"},
    {"_Z3mixPjPKjjj", kernel_mix, nullptr, kMixParameters, 4, 0, 0, 0, "mix(unsigned*, unsigned const*, ...)"},
    {.name = "_Z4meetPjj",
     .entry = kernel_meet,
     .grid_entry = nullptr,
     .parameters = kMeetParameters,
     .parameter_count = 2,
     .static_shared = 0,
     .local_size = 0,
     .max_threads = 0,
     .source_name = "meet(unsigned*, unsigned)",
     .may_spin = 1},
    {"_Z5printi", kernel_print, nullptr, kPrintParameters, 1, 0, 0, 0, "print(int)"},
};
inline const warploom::Variable kVariables[] = {{.name = "table",
                                                 .address = device_table,
                                                 .size = sizeof device_table,
                                                 .slot = nullptr,
                                                 .flags = warploom::kConstant}};
inline const warploom::Image kImage = {
    warploom::kImageVersion, 800, "test-image", "", kKernels, kVariables, 8, 1, 40000, &shared_offset, 0};

inline void register_image() {
  static struct {
    int magic, version;
    const char *data;
    void *unused;
  } wrapper = {0x466243b1, 1, "test-image", nullptr};
  __warploom_register_image(&kImage);
  void **handle = __cudaRegisterFatBinary(&wrapper);
  const auto add = [&](char *stub, const char *name) {
    __cudaRegisterFunction(handle, stub, nullptr, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  };
  add(&stub_add, "_Z3addPii");
  add(&stub_assert, "_Z6assertv");
  add(&stub_bounded, "_Z7boundedv");
  add(&stub_shared, "_Z6sharedv");
  add(&stub_trap, "_Z4trapv");
  add(&stub_mix, "_Z3mixPjPKjjj");
  add(&stub_meet, "_Z4meetPjj");
  add(&stub_print, "_Z5printi");
  __cudaRegisterVar(handle, &shadow_table, nullptr, "table", 0, sizeof device_table, 1, 0);
}

inline cudaError_t launch_add(int *data, int amount, dim3 grid, dim3 block, cudaStream_t stream = nullptr) {
  void *arguments[] = {&data, &amount};
  return cudaLaunchKernel(&stub_add, grid, block, arguments, 0, stream);
}
