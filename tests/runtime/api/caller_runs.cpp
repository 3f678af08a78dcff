// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which grids run in the call that launches them, as the rule says; nothing here depends on how fast anything is.
#include "../../../src/warploom/runtime/api/caller_runs.h"

#include "fixture.h"

namespace {

using namespace std::chrono_literals;
using warploom::caller_runs;

constexpr unsigned kProcessors = 16;

struct Known {
  std::chrono::nanoseconds takes;
  unsigned kept_at_work;
  bool is_within(std::chrono::nanoseconds limit) const { return takes <= limit; }
  unsigned threads() const { return kept_at_work; }
};

bool runs(Known grid, std::chrono::nanoseconds absence, std::chrono::nanoseconds limit = warploom::kShortWork) {
  return caller_runs(grid, limit, [absence] { return absence; }, kProcessors);
}

}  // namespace

int main() {
  test("short grids run at once, on several threads twice as long ones", [] {
    CHECK(runs({10us, 1}, 500us));
    CHECK(!runs({11us, 1}, 500us));
    CHECK(runs({20us, 2}, 500us));
    CHECK(!runs({21us, 2}, 500us));
  });
  test("after a pause those count as short that a cold start makes long", [] {
    CHECK(runs({35us, 1}, 2ms));
    CHECK(!runs({36us, 1}, 2ms));
    CHECK(runs({45us, kProcessors}, 2ms));
    CHECK(!runs({46us, kProcessors}, 2ms));
  });
  test("grids on all processors run at once where the host comes back soon", [] {
    CHECK(runs({100us, kProcessors}, 1us));
    CHECK(!runs({101us, kProcessors}, 1us));
    CHECK(!runs({100us, kProcessors - 1}, 1us));
    CHECK(runs({80us, kProcessors}, 19us));
    CHECK(!runs({80us, kProcessors}, 20us));
  });
  test("who launches in several streams runs nothing long", [] {
    CHECK(runs({4us, kProcessors}, 1us, warploom::kShortWorkOfSeveral));
    CHECK(!runs({5us, kProcessors}, 1us, warploom::kShortWorkOfSeveral));
    CHECK(!runs({80us, kProcessors}, 1us, warploom::kShortWorkOfSeveral));
  });
  return finish();
}
