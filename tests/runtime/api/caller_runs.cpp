// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which grids run in the call that launches them, as the rule says; nothing here depends on how fast anything is.
#include "../../../src/warploom/runtime/api/caller_runs.h"

#include "../../../src/warploom/runtime/api/host_habits.h"

#include "fixture.h"

namespace {

using namespace std::chrono_literals;
using warploom::caller_runs;
using warploom::caller_waits;
using warploom::HostHabits;
using warploom::HostSeen;

constexpr unsigned kProcessors = 16;

struct Known {
  std::chrono::nanoseconds takes;
  unsigned kept_at_work;
  bool is_within(std::chrono::nanoseconds limit) const { return takes <= limit; }
  unsigned threads() const { return kept_at_work; }
};

bool runs(Known grid, HostSeen host, std::chrono::nanoseconds limit = warploom::kShortWork) {
  return caller_runs(grid, limit, [host] { return host; }, kProcessors);
}
bool runs(Known grid, std::chrono::nanoseconds absence, std::chrono::nanoseconds limit = warploom::kShortWork) {
  return runs(grid, HostSeen{absence, false}, limit);
}
bool waits(Known grid, HostSeen host, std::chrono::nanoseconds limit = warploom::kShortWork) {
  return caller_waits(grid, limit, host, kProcessors);
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
    CHECK(runs({45us, kProcessors - 1}, 2ms));
    CHECK(!runs({46us, kProcessors - 1}, 2ms));
  });
  test("and so do all grids on all processors, unless the host leaves such grids alone", [] {
    CHECK(runs({100us, kProcessors}, 2ms));
    CHECK(!runs({101us, kProcessors}, 2ms));
    CHECK(runs({45us, kProcessors}, HostSeen{2ms, true}));
    CHECK(!runs({46us, kProcessors}, HostSeen{2ms, true}));
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
  test("behind few others the caller waits where it would run the grid, but for short ones and a host that leaves", [] {
    CHECK(waits({80us, kProcessors}, {1us, false}));
    CHECK(waits({80us, kProcessors}, {2ms, false}));
    CHECK(!waits({80us, kProcessors}, {1us, true}));
    CHECK(!waits({80us, kProcessors}, {20us, false}));
    CHECK(!waits({5us, 1}, {1us, false}));
    CHECK(!waits({80us, kProcessors}, {1us, false}, warploom::kShortWorkOfSeveral));
  });
  test("a host leaves its grids alone if it comes late to launch, or to wait", [] {
    HostHabits host;
    host.note_launch(1s);
    CHECK(!host.leaves());
    host.note_grid(2s, true);
    host.note_launch(2s + 50us);
    CHECK(!host.leaves());
    host.note_launch(2s + 51us);
    CHECK(host.leaves());
    host.note_wait(2s + 60us);
    CHECK(host.leaves());
    host.note_grid(3s, true);
    host.note_wait(3s + 50us);
    CHECK(!host.leaves());
    host.note_launch(4s);  // what lies behind a wait is no matter
    CHECK(!host.leaves());
    host.note_grid(4s, false);  // nor what lies behind a short grid
    host.note_launch(5s);
    CHECK(!host.leaves() && !host.wants_wait());
    host.note_grid(5s, true);
    host.note_grid(6s, false);
    CHECK(host.wants_wait());
    host.note_wait(6s + 51us);
    CHECK(host.leaves() && !host.wants_wait());
  });
  test("its absence begins with its latest grid, or the end of its wait", [] {
    HostHabits host;
    host.note_grid(1s, true);
    CHECK(host.absence(3s) == 2s && host.since_grid(3s) == 2s);
    host.note_return(2s);
    CHECK(host.absence(3s) == 1s && host.since_grid(3s) == 2s);
  });
  return finish();
}
