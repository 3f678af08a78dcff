// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <set>

#include "../../src/warploom/runtime/random.h"
#include "check.h"

namespace {

// The order in which threads run, before and after a barrier and through spin points.
std::vector<unsigned> order_under(const char *seed, bool opposite = false) {
  warploom::set_schedule_seed(seed, opposite);
  std::vector<unsigned> order;
  CHECK(succeeds({1}, {64}, [&] {
    order.push_back(__warploom_thread_idx_x());
    __warploom_barrier(HERE);
    for (int i = 0; i < 20; ++i) __warploom_spin_point();
    order.push_back(__warploom_thread_idx_x());
  }));
  warploom::set_schedule_seed(nullptr);
  return order;
}

std::vector<unsigned> sorted(std::vector<unsigned> values) {
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

int main() {
  test("one seed, one schedule; other seeds, others", [] {
    const auto first = order_under("1"), again = order_under("1"), second = order_under("two"), none = order_under("");
    CHECK(first == again);
    CHECK(first != second);
    CHECK(sorted(first) == sorted(none));
    bool in_order = true;
    for (unsigned i = 0; i < 64; ++i) in_order = in_order && none[i] == i;
    CHECK(in_order);
    CHECK(first != none);
  });

  test("block order is a permutation, within windows", [] {
    for (const std::uint64_t count : {1, 2, 3, 7, 64, 65, 1000}) {
      const warploom::BlockOrder order(count, count * 3);
      std::set<std::uint64_t> seen;
      bool near = true;
      for (std::uint64_t i = 0; i < count; ++i) {
        seen.insert(order(i));
        near = near && order(i) / 64 == i / 64;
      }
      CHECK(near && seen.size() == count && *seen.rbegin() == count - 1);
    }
    CHECK(warploom::BlockOrder(100, std::nullopt)(42) == 42);
  });

  test("of any two blocks, and of two threads, an order or its opposite starts each one first", [] {
    for (const std::uint64_t count : {2, 3, 64, 100}) {
      const warploom::BlockOrder order(count, 7), opposite(count, 7, true);
      std::vector<std::uint64_t> place(count), other(count);
      for (std::uint64_t i = 0; i < count; ++i) place[order(i)] = i, other[opposite(i)] = i;
      bool each = true;
      for (std::uint64_t a = 0; a < count; ++a)
        for (std::uint64_t b = a / 64 * 64; b < a; ++b) each = each && (place[a] < place[b]) != (other[a] < other[b]);
      CHECK(each);
    }
    CHECK(order_under("1", true) != order_under("1"));
    CHECK(sorted(order_under("1", true)) == sorted(order_under("1")));
  });

  test("every block runs once under a seed", [] {
    warploom::set_schedule_seed("5");
    std::vector<int> runs(301 * 2);
    CHECK(succeeds({301, 2}, {3}, [&] {
      const unsigned block = __warploom_block_idx_x() + 301 * __warploom_block_idx_y();
      __atomic_fetch_add(&runs[block], 1, __ATOMIC_RELAXED);
    }));
    warploom::set_schedule_seed(nullptr);
    CHECK(std::all_of(runs.begin(), runs.end(), [](int n) { return n == 3; }));
  });
  return finish();
}
