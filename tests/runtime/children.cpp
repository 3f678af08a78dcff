// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Grids that threads of a grid launch.
#include "check.h"

using warploom::Extent;
using warploom::Kernel;
using warploom::Outcome;

namespace {

int stored[64], seen[64];

// Copies what the parent has stored.
void look(void **) {
  const unsigned i = thread_index();
  __atomic_store_n(&seen[i], __atomic_load_n(&stored[i], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

Outcome launch_look() {
  static const Kernel kernel = {.name = "_Z4lookv",
                                .entry = look,
                                .grid_entry = nullptr,
                                .parameters = nullptr,
                                .parameter_count = 0,
                                .static_shared = 0,
                                .local_size = 0,
                                .max_threads = 0,
                                .source_name = "look()"};
  return warploom::run_child_grid({.kernel = &kernel,
                                   .grid = Extent{1},
                                   .block = Extent{64},
                                   .dynamic_shared = 0,
                                   .cooperative = false,
                                   .arguments = nullptr});
}

}  // namespace

int main() {
  // Lanes of a warp run side by side on a GPU: programs rely on what they stored before one of them launches.
  if (!std::getenv("WARPLOOM_SCHEDULE_SEED")) {
    test("a launch comes after what the other threads of the block did by then", [] {
      CHECK(succeeds({1}, {64}, [] {
        stored[thread_index()] = 1 + static_cast<int>(thread_index());
        if (thread_index() == 0 && launch_look() != Outcome::kOk) __warploom_trap();
      }));
      for (int i = 0; i < 64; ++i) CHECK(seen[i] == 1 + i);
    });
  }

  test("every thread launches, and a barrier comes after", [] {
    CHECK(succeeds({2}, {64}, [] {
      __atomic_store_n(&stored[thread_index()], 7, __ATOMIC_RELAXED);  // both blocks do so
      __warploom_barrier(HERE);
      if (launch_look() != Outcome::kOk) __warploom_trap();
      __warploom_barrier(HERE);
      if (__atomic_load_n(&seen[63 - thread_index()], __ATOMIC_RELAXED) != 7) __warploom_trap();
    }));
  });
  return finish();
}
