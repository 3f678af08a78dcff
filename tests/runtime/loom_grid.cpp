// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches as the optimising engine's code makes them: one call a launch, which asks for parallel loops over blocks.
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

#include "check.h"

using Clock = std::chrono::steady_clock;
using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""us;
using std::chrono_literals::operator""s;
using warploom::LaunchShape;
using warploom::Outcome;

namespace {

// One block, as its body sees it.
struct Block {
  std::uint64_t number;
  std::uint32_t *position;
  char *scratch;
};

template <typename Code>
void blocks_body(void *frame, std::uint32_t *position, char *scratch, std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t number = first; number < last; ++number) {
    position[0] = static_cast<std::uint32_t>(number);
    position[1] = position[2] = 0;
    (*static_cast<const Code *>(frame))(Block{number, position, scratch});
  }
}

template <typename Code>
void for_blocks(LaunchShape *launch, const Code &code, std::uint32_t flags = 0, std::size_t scratch = 0) {
  const std::uint64_t blocks = std::uint64_t{launch->grid[0]} * launch->grid[1] * launch->grid[2];
  __warploom_run_blocks(launch, blocks_body<Code>, const_cast<Code *>(&code), blocks, scratch, flags);
}

template <typename Code>
void take_turns(unsigned count, const Code &code) {
  const auto body = [](void *frame, std::uint32_t number) { (*static_cast<const Code *>(frame))(number); };
  __warploom_take_turns(body, const_cast<Code *>(&code), count);
}

template <typename Code>
void share_threads(unsigned count, const Code &code) {
  const auto body = [](void *frame, char *scratch, std::uint32_t first, std::uint32_t last) {
    CHECK(*scratch == 's');
    for (; first < last; ++first) (*static_cast<const Code *>(frame))(first);
  };
  char scratch = 's';
  __warploom_share_threads(body, const_cast<Code *>(&code), &scratch, count);
}

struct Flags {
  int set[64];
  unsigned order[64], count, warps;
};

int load(const int &word) { return __atomic_load_n(&word, __ATOMIC_ACQUIRE); }

// Launches `body`, which is called once.
template <typename Body>
Outcome launch(warploom::Extent grid, warploom::Extent block, const Body &body, bool cooperative = false,
               std::uint32_t thread_work = 0) {
  const warploom::Kernel kernel = {
      .name = "_Z4loomv",
      .entry = nullptr,
      .grid_entry = [](void **arguments, LaunchShape *shape) { (**static_cast<const Body **>(arguments[0]))(shape); },
      .parameters = nullptr,
      .parameter_count = 0,
      .static_shared = 0,
      .local_size = 0,
      .max_threads = 0,
      .source_name = "loom()",
      .thread_work = thread_work,
  };
  use_openmp();
  const Body *pointer = &body;
  void *arguments[] = {&pointer};
  return warploom::run_grid(
      {.kernel = &kernel, .grid = grid, .block = block, .cooperative = cooperative, .arguments = arguments});
}

template <typename Body>
std::string failing(Outcome outcome, const Body &body) {
  const std::string text = captured(2, [&] { CHECK(launch({2000}, {64}, body) == outcome); });
  std::atomic<int> count{0};
  CHECK(launch({100}, {64}, [&](LaunchShape *shape) { for_blocks(shape, [&](const Block &) { ++count; }); }) ==
        Outcome::kOk);
  CHECK(count == 100);
  return text;
}

__attribute__((noinline)) int recurse(int depth) {
  volatile char frame[256];
  frame[depth % 256] = static_cast<char>(depth);
  return depth < 0 ? 0 : recurse(depth + 1) + frame[depth % 256];
}

void loops() {
  test("every block runs once, whatever the size of the grid", [] {
    for (const unsigned blocks : {1U, 2U, 3U, 100U, 5000U}) {
      std::vector<int> runs(blocks, 0);
      CHECK(launch({blocks}, {128}, [&](LaunchShape *shape) {
              CHECK(shape->grid[0] == blocks && shape->block[0] == 128 && shape->block[2] == 1);
              for_blocks(shape, [&](const Block &block) { ++runs[block.number]; });
            }) == Outcome::kOk);
      CHECK(runs == std::vector<int>(blocks, 1));
    }
  });

  test("loops of one launch run one after the other; their memory lasts", [] {
    std::vector<int> sums(1000, 0);
    CHECK(launch(
              {1000}, {256},
              [&](LaunchShape *shape) {
                int *const values = static_cast<int *>(__warploom_grid_memory(shape, 1000 * sizeof(int)));
                for_blocks(shape, [&](const Block &block) { values[block.number] = static_cast<int>(block.number); });
                for (int round = 0; round < 3; ++round) {
                  for_blocks(shape, [&](const Block &block) { sums[block.number] += values[999 - block.number]; });
                }
              },
              true) == Outcome::kOk);
    CHECK(std::accumulate(sums.begin(), sums.end(), 0) == 3 * 999 * 500);
  });

  test("blocks keep their shared memory from loop to loop", [] {
    std::atomic<int> wrong{0};
    CHECK(launch({300}, {64}, [&](LaunchShape *shape) {
            for_blocks(
                shape,
                [&](const Block &block) {
                  *reinterpret_cast<int *>(__warploom_shared_memory()) = static_cast<int>(block.number);
                },
                warploom::kSharedStays);
            for_blocks(
                shape,
                [&](const Block &block) {
                  wrong += *reinterpret_cast<int *>(__warploom_shared_memory()) != static_cast<int>(block.number);
                },
                warploom::kSharedStays);
          }) == Outcome::kOk);
    CHECK(wrong == 0);
  });

  test("scratch memory is as large as asked for, and aligned", [] {
    std::atomic<int> wrong{0};
    CHECK(launch({64}, {1024}, [&](LaunchShape *shape) {
            for_blocks(
                shape,
                [&](const Block &block) {
                  for (int i = 0; i < 1 << 20; i += 4096) block.scratch[i] = static_cast<char>(block.number);
                  wrong += reinterpret_cast<std::uintptr_t>(block.scratch) % 64 != 0;
                  wrong += block.scratch[4096] != static_cast<char>(block.number);
                },
                0, 1 << 20);
          }) == Outcome::kOk);
    CHECK(wrong == 0);
  });

  test("two small blocks that have much to do run at the same time", [] {
    if (warploom::processor_count() == 1) return;
    std::atomic<int> started{0};
    const auto body = [&](LaunchShape *shape) {
      __warploom_merge_blocks(shape, 0);
      CHECK(shape->grid[0] == 2);
      for_blocks(shape, [&](const Block &) {
        ++started;
        for (const auto end = Clock::now() + 30s; started < 2 && Clock::now() < end;) std::this_thread::yield();
        CHECK(started == 2);
      });
    };
    CHECK(launch({2}, {16}, body, false, 5000) == Outcome::kOk);
  });

  test("two small blocks that have little to do become one", [] {
    const auto body = [](LaunchShape *shape) {
      __warploom_merge_blocks(shape, 0);
      CHECK(shape->grid[0] == 1 && shape->block[0] == 32);
    };
    CHECK(launch({2}, {16}, body, false, 10) == Outcome::kOk);
  });

  test("few blocks that have much to do become more", [] {
    const auto processors = warploom::processor_count();
    const bool is_shuffled = getenv("WARPLOOM_SCHEDULE_SEED") != nullptr;
    for (const unsigned threads : {1024U, 512U, 96U, 48U, 40U, 16U}) {
      std::vector<std::atomic<int>> runs(3 * threads);
      const auto body = [&](LaunchShape *shape) {
        __warploom_merge_blocks(shape, 1);
        const unsigned blocks = shape->grid[0], each = shape->block[0];
        const bool may_be_cut = !is_shuffled && processors > 3 && threads % 16 == 0 && threads > 16;
        CHECK(blocks * each == 3 * threads && (blocks > 3) == may_be_cut);
        CHECK(!may_be_cut || (each % 16 == 0 && (each == 16 || blocks >= processors)));
        for_blocks(shape, [&](const Block &block) {
          for (unsigned i = 0; i < each; ++i) ++runs[block.number * each + i];
        });
      };
      CHECK(launch({3}, {threads}, body, false, 1 << 20) == Outcome::kOk);
      CHECK(std::all_of(runs.begin(), runs.end(), [](const auto &count) { return count == 1; }));
    }
  });

  test("a fault in a piece of a block names the block", [] {
    const auto body = [](LaunchShape *shape) {
      __warploom_merge_blocks(shape, 0);
      const unsigned pieces = shape->grid[0] / 2;
      for_blocks(shape, [&](const Block &block) {
        if (block.number == pieces) *reinterpret_cast<volatile int *>(0x10) = 1;
      });
    };
    const std::string text =
        captured(2, [&] { CHECK(launch({2}, {256}, body, false, 1 << 20) == Outcome::kIllegalAddress); });
    CHECK(contains(text, "in kernel loom(), block (1, 0, 0), one of 256 threads"));
  });

  // Few enough threads to stay together on any number of processors.
  test("rows of blocks run as blocks, of which those side by side become one", [] {
    std::vector<std::atomic<int>> runs(64 * 4);
    const auto body = [&](LaunchShape *shape) {
      __warploom_merge_blocks(shape, 2);
      CHECK(shape->grid[0] == 1 && shape->block[0] == 64 && shape->grid[1] == 4 && shape->block[1] == 1);
      for_blocks(shape, [&](const Block &block) {
        for (unsigned i = 0; i < 64; ++i) ++runs[block.number * 64 + i];
      });
    };
    CHECK(launch({4}, {16, 4}, body, false, 1) == Outcome::kOk);
    CHECK(std::all_of(runs.begin(), runs.end(), [](const auto &count) { return count == 1; }));
  });

  test("rows too short to fill vectors stay in their blocks", [] {
    const auto body = [](LaunchShape *shape) {
      __warploom_merge_blocks(shape, 2);
      CHECK(shape->grid[0] == 3 && shape->block[0] == 16 && shape->grid[1] == 2 && shape->block[1] == 16);
    };
    CHECK(launch({3, 2}, {16, 16}, body, false, 10) == Outcome::kOk);
  });

  test("a loop that was short and takes long now goes to more threads while it runs", [] {
    const auto caller = std::this_thread::get_id();
    std::atomic<bool> has_much_to_do{false};
    std::atomic<int> others{0}, ran{0};
    const auto spin = [](std::chrono::nanoseconds time) {
      for (const auto end = Clock::now() + time; Clock::now() < end;) {
      }
    };
    const auto body = [&](LaunchShape *shape) {
      for_blocks(shape, [&](const Block &block) {
        ++ran;
        const bool is_callers = std::this_thread::get_id() == caller;
        if (!has_much_to_do) return spin(is_callers ? 50ns : 5us);
        others += is_callers ? 0 : 1;
        spin(100us);
        if (block.number < 32 || warploom::processor_count() == 1) return;
        if (getenv("WARPLOOM_SCHEDULE_SEED") != nullptr) return;
        for (const auto end = Clock::now() + 30s; others == 0 && Clock::now() < end;) std::this_thread::yield();
        CHECK(others > 0);
      });
    };
    const auto run = [&] {
      ran = 0;
      CHECK(launch({64}, {64}, body) == Outcome::kOk);
      CHECK(ran == 64);
    };
    for (int i = 0; i < 1000; ++i) run();
    has_much_to_do = true;
    run();
  });

  test("the code of blocks has megabytes of stack", [] {
    std::atomic<int> wrong{0};
    CHECK(launch({64}, {1024}, [&](LaunchShape *shape) {
            for_blocks(shape, [&](const Block &block) {
              volatile char frame[6 << 20];
              for (int i = 0; i < 6 << 20; i += 4096) frame[i] = static_cast<char>(block.number);
              wrong += frame[3 << 20] != static_cast<char>(block.number);
            });
          }) == Outcome::kOk);
    CHECK(wrong == 0);
  });

  test("a launch within a launch", [] {
    std::atomic<int> count{0};
    CHECK(launch({20}, {128}, [&](LaunchShape *outer) {
            for_blocks(outer, [&](const Block &) {
              const auto inner = [&](LaunchShape *shape) { for_blocks(shape, [&](const Block &) { ++count; }); };
              CHECK(launch({10}, {128}, inner) == Outcome::kOk);
            });
          }) == Outcome::kOk);
    CHECK(count == 200);
  });
}

void waits() {
  test("a block waits for an earlier block (chained scan)", [] {
    std::vector<int> sums(3000, -1);
    CHECK(launch({3000}, {256}, [&](LaunchShape *shape) {
            for_blocks(
                shape,
                [&](const Block &block) {
                  int before = 0;
                  while (block.number != 0) {
                    __warploom_spin_point();
                    before = __atomic_load_n(&sums[block.number - 1], __ATOMIC_ACQUIRE);
                    if (before >= 0) break;
                  }
                  __atomic_store_n(&sums[block.number], before + 1, __ATOMIC_RELEASE);
                },
                warploom::kOneAtATime);
          }) == Outcome::kOk);
    CHECK(sums.back() == 3000);
  });

  test("all blocks wait for all blocks: more OS threads start", [] {
    std::atomic<int> arrived{0};
    CHECK(launch({40}, {256}, [&](LaunchShape *shape) {
            for_blocks(
                shape,
                [&](const Block &) {
                  ++arrived;
                  while (arrived < 40) __warploom_spin_point();
                },
                warploom::kOneAtATime);
          }) == Outcome::kOk);
  });
}

void long_loops() {
  test("a long loop over the threads of one block has help, each iteration runs once", [] {
    for (int round = 0; round < 3; ++round) {  // of a loop that is new its first iteration runs alone
      std::array<std::thread::id, 16> ran;
      std::array<std::atomic<int>, 16> runs{};
      std::atomic<int> elsewhere{0};
      CHECK(launch({1}, {256}, [&](LaunchShape *shape) {
              for_blocks(shape, [&](const Block &) {
                char *const shared = __warploom_shared_memory();
                share_threads(16, [&](unsigned number) {
                  elsewhere += __warploom_shared_memory() != shared;
                  std::this_thread::sleep_for(std::chrono::milliseconds(2));
                  ran[number] = std::this_thread::get_id();
                  ++runs[number];
                });
                for (const auto &each : runs) CHECK(each == 1);
              });
            }) == Outcome::kOk);
      CHECK(elsewhere == 0 && ran[0] == std::this_thread::get_id());
      const bool is_alone = warploom::processor_count() == 1 || std::getenv("WARPLOOM_SCHEDULE_SEED") != nullptr;
      CHECK((ran[15] == ran[0]) == is_alone);
    }
  });

  test("of long threads the first run of a loop is shared already", [] {
    std::thread::id ran[2];
    const auto run = [&](LaunchShape *shape) {
      for_blocks(shape, [&](const Block &) {
        share_threads(2, [&](unsigned number) {
          std::this_thread::sleep_for(std::chrono::milliseconds(100));  // a busy processor gets to it
          ran[number] = std::this_thread::get_id();
        });
      });
    };
    CHECK(launch({1}, {256}, run, false, 1 << 20) == Outcome::kOk);
    const bool is_alone = warploom::processor_count() == 1 || std::getenv("WARPLOOM_SCHEDULE_SEED") != nullptr;
    CHECK(ran[0] == std::this_thread::get_id() && (ran[1] == ran[0]) == is_alone);
  });

  test("where blocks are many their loops stay with them", [] {
    std::atomic<int> elsewhere{0};
    CHECK(launch({1000}, {256}, [&](LaunchShape *shape) {
            for_blocks(shape, [&](const Block &) {
              const auto own = std::this_thread::get_id();
              share_threads(4, [&](unsigned) { elsewhere += std::this_thread::get_id() != own; });
              share_threads(0, [&](unsigned) { ++elsewhere; });
            });
          }) == Outcome::kOk);
    CHECK(elsewhere == 0);
  });

  test("a fault in a part of a loop names the block and ends the launch, wherever it is", [] {
    for (const unsigned which : {0U, 7U, 15U}) {
      bool goes_on = false;
      const auto text = captured(2, [&] {
        CHECK(launch({2}, {256}, [&](LaunchShape *shape) {
                for_blocks(shape, [&](const Block &block) {
                  if (block.number == 0) return;
                  share_threads(16, [&](unsigned number) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(1));
                    if (number == which) *reinterpret_cast<volatile int *>(0x1230) = 1;
                  });
                  goes_on = true;
                });
              }) == Outcome::kIllegalAddress);
      });
      CHECK(contains(text, "illegal address 0x1230 in kernel loom(), block (1, 0, 0), ") && !goes_on);
    }
  });
}

void failures_of_code() {
  test("a fault in a block names the block", [] {
    const auto text = failing(Outcome::kIllegalAddress, [](LaunchShape *shape) {
      for_blocks(shape, [](const Block &block) {
        if (block.number == 7) *reinterpret_cast<volatile int *>(0x1230) = 1;
      });
    });
    CHECK(contains(text, "illegal address 0x1230 in kernel loom(), block (7, 0, 0), "));
  });

  test("a fault outside of the loops", [] {
    const auto text =
        failing(Outcome::kIllegalAddress, [](LaunchShape *) { *reinterpret_cast<volatile int *>(0x1230) = 1; });
    CHECK(contains(text, "illegal address 0x1230 in kernel loom()"));
  });

  test("a trap and an assertion name the thread that was set", [] {
    auto text = failing(Outcome::kTrap, [](LaunchShape *shape) {
      for_blocks(shape, [](const Block &block) {
        __warploom_set_thread(5, 0, 0);
        if (block.number == 3) __warploom_trap();
      });
    });
    CHECK(contains(text, "__trap() in kernel loom(), block (3, 0, 0), thread (5, 0, 0)\n"));
    text = failing(Outcome::kAssert, [](LaunchShape *shape) {
      for_blocks(shape, [](const Block &block) {
        __warploom_set_thread_index(33);
        if (block.number == 3) __warploom_assert_fail("x", "f.cu", 9, "void k()");
      });
    });
    CHECK(contains(text, "f.cu:9: void k(): block: [3,0,0], thread: [33,0,0] Assertion `x` failed."));
  });

  test("what follows a failed loop does not run", [] {
    bool reached = false;
    failing(Outcome::kTrap, [&](LaunchShape *shape) {
      for_blocks(shape, [](const Block &) { __warploom_trap(); });
      reached = true;
    });
    CHECK(!reached);
  });

  test("iterations wait for later ones, in two loops at once", [] {
    CHECK(launch({3}, {64}, [](LaunchShape *shape) {
            for_blocks(shape, [](const Block &) {
              Flags flags{};
              take_turns(8, [&](unsigned warp) {
                take_turns(8, [&](unsigned lane) {
                  const unsigned thread = 8 * warp + lane;
                  while (thread != 63 && load(flags.set[thread + 1]) == 0) __warploom_spin_point();
                  flags.order[flags.count++] = thread;
                  flags.set[thread] = 1;
                });
                flags.warps += flags.count >= 8 * (8 - warp) ? 1 : 0;
              });
              CHECK(flags.count == 64 && flags.order[0] == 63 && flags.order[63] == 0);
              CHECK(flags.warps == 8);
              take_turns(0, [&](unsigned) { CHECK(false); });
            });
          }) == Outcome::kOk);
  });

  test("a fault while others wait ends the launch, and the next one goes on", [] {
    for (int i = 0; i < 2; ++i) {
      CHECK(launch({2}, {64}, [](LaunchShape *shape) {
              for_blocks(shape, [](const Block &) {
                take_turns(64, [&](unsigned thread) {
                  const int never = 0;
                  while (thread != 63 && load(never) == 0) __warploom_spin_point();
                  __warploom_trap();
                });
              });
            }) == Outcome::kTrap);
    }
  });

  test("stack overflow", [] {
    const auto text = failing(Outcome::kStackOverflow, [](LaunchShape *shape) {
      for_blocks(shape, [](const Block &block) {
        volatile int depth = recurse(static_cast<int>(block.number) + 1);
        static_cast<void>(depth);
      });
    });
    CHECK(contains(text, "stack overflow in kernel loom(), block ("));
  });

  test("a barrier that the compiler did not see", [] {
    const auto text = failing(
        Outcome::kTrap, [](LaunchShape *shape) { for_blocks(shape, [](const Block &) { __warploom_barrier(HERE); }); });
    CHECK(contains(text, "a barrier or warp function in a function that is not inlined, in kernel loom()"));
  });
}

}  // namespace

int main() {
  loops();
  waits();
  long_loops();
  failures_of_code();
  return finish();
}
