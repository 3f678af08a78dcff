// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What launches tell of how long the next one like them will take; nothing here depends on how fast anything is.
#include "../../../src/warploom/runtime/api/grid_times.cpp"

#include "fixture.h"

namespace {

using namespace std::chrono_literals;
using warploom::GridTime;
using warploom::Launch;

// A kernel of its own, told apart by its address, with one number as its argument.
class Grid {
 public:
  void takes(std::chrono::nanoseconds elapsed, unsigned number = 1, std::chrono::nanoseconds idle = 1us) {
    GridTime(launch(number)).learn(elapsed, idle, 4);
  }
  bool is_within(std::chrono::nanoseconds limit, unsigned number = 1) {
    return GridTime(launch(number)).is_within(limit);
  }

 private:
  Launch launch(unsigned number) {
    number_ = number;
    kernel_.parameters = &parameter_;
    kernel_.parameter_count = 1;
    return {&kernel_, {8, 1, 1}, {128, 1, 1}, 0, false, arguments_};
  }

  warploom::Parameter parameter_{0, sizeof(unsigned)};
  warploom::Kernel kernel_{};
  unsigned number_ = 0;
  void *arguments_[1] = {&number_};
};

}  // namespace

int main() {
  test("one that never ran is within nothing", [] {
    static Grid grid;
    CHECK(!grid.is_within(1s));
  });
  test("one that took long is forgotten slowly", [] {
    static Grid grid;
    grid.takes(40us);
    CHECK(grid.is_within(40us) && !grid.is_within(39us));
    grid.takes(2ms);
    CHECK(grid.is_within(2ms) && !grid.is_within(1999us));
    grid.takes(40us);
    CHECK(grid.is_within(1751us) && !grid.is_within(1700us));
  });
  test("one of larger numbers counts in full", [] {
    static Grid grid;
    grid.takes(40us, 1);
    CHECK(grid.is_within(40us, 2) && !grid.is_within(40us, 1000));
    grid.takes(900us, 1000);
    CHECK(grid.is_within(900us, 1000) && !grid.is_within(899us, 1000));
  });
  test("after a pause what a cold start adds does not count", [] {
    static Grid grid;
    grid.takes(45us, 1, 2ms);
    CHECK(grid.is_within(20us) && !grid.is_within(19us));
  });
  return finish();
}
