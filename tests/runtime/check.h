// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of the reference engine: lambdas as kernels, written against the device ABI.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include "../../src/warploom/include/warploom/device_abi.h"
#include "../../src/warploom/runtime/engine.h"
#include "../../src/warploom/runtime/openmp_threads.h"

#define HERE __FILE__, __LINE__

inline int failures = 0;

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      std::printf("%s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                               \
    }                                                                           \
  } while (false)

// As in a program that has just run something on OpenMP's threads, in the tests' schedule of that name.
inline void use_openmp() {
  static const bool is_there = std::getenv("WARPLOOM_TEST_OPENMP") != nullptr && dlopen("libgomp.so.1", RTLD_NOW);
  if (is_there) __warploom_uses_openmp();
}

inline constexpr unsigned kAll = 0xffffffff;

struct Options {
  std::size_t dynamic_shared = 0;
  bool cooperative = false;
};

// Runs `body` as every thread of a grid; called in device code, of a child grid.
template <typename Body>
warploom::Outcome run(warploom::Extent grid, warploom::Extent block, const Body &body, Options options = {}) {
  static const warploom::Kernel kernel = {
      .name = "_Z4testv",
      .entry = [](void **arguments) { (**static_cast<const Body **>(arguments[0]))(); },
      .grid_entry = nullptr,
      .parameters = nullptr,
      .parameter_count = 0,
      .static_shared = 0,
      .local_size = 0,
      .max_threads = 0,
      .source_name = "test()",
  };
  use_openmp();
  const Body *pointer = &body;
  void *arguments[] = {&pointer};
  const warploom::Launch launch = {.kernel = &kernel,
                                   .grid = grid,
                                   .block = block,
                                   .dynamic_shared = options.dynamic_shared,
                                   .cooperative = options.cooperative,
                                   .arguments = arguments};
  return warploom::in_device_code() ? warploom::run_child_grid(launch) : warploom::run_grid(launch);
}

template <typename Body>
bool succeeds(warploom::Extent grid, warploom::Extent block, const Body &body, Options options = {}) {
  return run(grid, block, body, options) == warploom::Outcome::kOk;
}

// What `action` writes to `descriptor`.
template <typename Action>
std::string captured(int descriptor, const Action &action) {
  std::fflush(nullptr);
  char name[] = "/tmp/warploom-test-XXXXXX";
  const int file = mkstemp(name);
  const int saved = dup(descriptor);
  dup2(file, descriptor);
  action();
  std::fflush(nullptr);
  dup2(saved, descriptor);
  close(saved);
  std::string text;
  char buffer[4096];
  lseek(file, 0, SEEK_SET);
  for (ssize_t size; (size = read(file, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<size_t>(size));
  close(file);
  unlink(name);
  return text;
}

inline bool contains(const std::string &text, const std::string &part) {
  if (text.find(part) != std::string::npos) return true;
  std::printf("not found: %s\nin: %s\n", part.c_str(), text.c_str());
  return false;
}

// Runs one named test.
template <typename Test>
void test(const char *name, const Test &body) {
  const int before = failures;
  body();
  std::printf("%s %s\n", failures == before ? "ok" : "FAILED", name);
  std::fflush(stdout);
}

inline int finish() { return failures == 0 ? 0 : 1; }

inline unsigned thread_index() {
  return __warploom_thread_idx_x() +
         __warploom_block_dim_x() * (__warploom_thread_idx_y() + __warploom_block_dim_y() * __warploom_thread_idx_z());
}
