// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check.h"

namespace {

constexpr unsigned long long kMark = 1000;  // lane i brings kMark + i

// Runs one warp of `lanes` lanes; result[i] is what lane i returns.
template <typename Body>
std::vector<unsigned long long> warp(unsigned lanes, const Body &body) {
  std::vector<unsigned long long> result(lanes, 77);
  CHECK(succeeds({1}, {lanes}, [&] {
    const unsigned lane = __warploom_lane_id();
    result[lane] = body(lane);
  }));
  return result;
}

// Two functions, one source line.
template <int N>
__attribute__((noinline)) unsigned long long instance() {
  const volatile int distinct = N;
  static_cast<void>(distinct);
  return __warploom_activemask(HERE);
}

}  // namespace

int main() {
  test("shfl: whole warp, 64-bit values", [] {
    const auto got = warp(32, [](unsigned lane) {
      return __warploom_shfl_idx(kAll, (1ULL << 63) + lane, static_cast<int>(lane * 5 + 3), 32, HERE);
    });
    for (unsigned i = 0; i < 32; ++i) CHECK(got[i] == (1ULL << 63) + (i * 5 + 3) % 32);
  });

  test("shfl_up, _down, _xor and segments", [] {
    const auto up = warp(32, [](unsigned i) { return __warploom_shfl_up(kAll, kMark + i, 3, 8, HERE); });
    const auto down = warp(32, [](unsigned i) { return __warploom_shfl_down(kAll, kMark + i, 3, 16, HERE); });
    const auto butterfly = warp(32, [](unsigned i) { return __warploom_shfl_xor(kAll, kMark + i, 5, 32, HERE); });
    const auto segment = warp(32, [](unsigned i) { return __warploom_shfl_idx(kAll, kMark + i, 9, 8, HERE); });
    for (unsigned i = 0; i < 32; ++i) {
      CHECK(up[i] == kMark + (i % 8 >= 3 ? i - 3 : i));
      CHECK(down[i] == kMark + (i % 16 + 3 < 16 ? i + 3 : i));
      CHECK(butterfly[i] == kMark + (i ^ 5));
      CHECK(segment[i] == kMark + i / 8 * 8 + 1);  // the source lane counts modulo the width
    }
  });

  test("shfl_xor past the segment: earlier segments may be read, later ones not", [] {
    const auto got = warp(32, [](unsigned i) { return __warploom_shfl_xor(kAll, kMark + i, 8, 8, HERE); });
    for (unsigned i = 0; i < 32; ++i) CHECK(got[i] == kMark + ((i ^ 8) < i ? i ^ 8 : i));
  });

  test("shuffles out of range give the own value", [] {
    const auto up = warp(32, [](unsigned i) { return __warploom_shfl_up(kAll, kMark + i, 31, 32, HERE); });
    const auto down = warp(32, [](unsigned i) { return __warploom_shfl_down(kAll, kMark + i, 31, 32, HERE); });
    for (unsigned i = 0; i < 32; ++i) {
      CHECK(up[i] == kMark + (i == 31 ? 0 : i));
      CHECK(down[i] == kMark + (i == 0 ? 31 : i));
    }
  });

  test("partial masks: divergent halves shuffle on their own", [] {
    const auto got = warp(32, [](unsigned i) {
      if (i % 2 == 0) return __warploom_shfl_idx(0x55555555, kMark + i, 4, 32, HERE);
      return __warploom_shfl_idx(0xaaaaaaaa, kMark + i, 4, 32, HERE);  // lane 4 does not take part
    });
    for (unsigned i = 0; i < 32; ++i) CHECK(got[i] == (i % 2 == 0 ? kMark + 4 : 0));
  });

  test("lanes of one mask may come from different call sites", [] {
    const auto got = warp(32, [](unsigned i) {
      if (i < 16) return __warploom_shfl_xor(kAll, kMark + i, 16, 32, HERE);
      return __warploom_shfl_xor(kAll, kMark + i, 16, 32, HERE);
    });
    for (unsigned i = 0; i < 32; ++i) CHECK(got[i] == kMark + (i ^ 16));
  });

  test("ended lanes do not hold up a collective", [] {
    const auto got = warp(32, [](unsigned i) -> unsigned long long {
      if (i >= 20) __warploom_exit_thread();
      return __warploom_ballot(kAll, i % 2 == 0, HERE);
    });
    for (unsigned i = 0; i < 20; ++i) CHECK(got[i] == 0x55555);
    const auto late = warp(32, [](unsigned i) -> unsigned long long {
      if (i == 31) return 0;  // ends after the others have come
      return __warploom_shfl_down(kAll, kMark + i, 1, 32, HERE);
    });
    CHECK(late[29] == kMark + 30);
    CHECK(late[30] == 0);  // lane 31 has gone
  });

  test("a lane without a thread gives 0 within the width, and is not asked outside of it", [] {
    const auto got = warp(4, [](unsigned i) { return __warploom_shfl_idx(kAll, kMark + i, 5, 8, HERE); });
    const auto up = warp(20, [](unsigned i) { return __warploom_shfl_up(kAll, kMark + i, 5, 32, HERE); });
    const auto butterfly = warp(5, [](unsigned i) { return __warploom_shfl_xor(kAll, kMark + i, 4, 8, HERE); });
    const auto outside = warp(5, [](unsigned i) { return __warploom_shfl_down(kAll, kMark + i, 4, 4, HERE); });
    for (unsigned i = 0; i < 4; ++i) CHECK(got[i] == 0);
    for (unsigned i = 0; i < 20; ++i) CHECK(up[i] == kMark + (i >= 5 ? i - 5 : i));
    for (unsigned i = 0; i < 5; ++i) CHECK(butterfly[i] == (i % 4 == 0 ? kMark + (i ^ 4) : 0));
    for (unsigned i = 0; i < 5; ++i) CHECK(outside[i] == kMark + i);
  });

  test("partial last warp takes the full mask", [] {
    const auto got = warp(20, [](unsigned i) { return __warploom_shfl_down(kAll, kMark + i, 16, 32, HERE); });
    for (unsigned i = 0; i < 20; ++i) CHECK(got[i] == (i + 16 < 20 ? kMark + i + 16 : i + 16 < 32 ? 0 : kMark + i));
    const auto sum = warp(20, [](unsigned i) { return __warploom_reduce_add(kAll, i, HERE); });
    CHECK(sum[0] == 190);
  });

  test("ballot, any, all", [] {
    const auto ballot = warp(32, [](unsigned i) { return __warploom_ballot(kAll, i % 3 == 0 ? 8 : 0, HERE); });
    CHECK(ballot[5] == 0x49249249);
    const auto votes = warp(32, [](unsigned i) {
      const int any = __warploom_any(kAll, i == 9, HERE), none = __warploom_any(kAll, i == 32, HERE);
      const int all = __warploom_all(kAll, i < 32, HERE), most = __warploom_all(kAll, i != 4, HERE);
      return static_cast<unsigned long long>(any * 1000 + none * 100 + all * 10 + most);
    });
    for (const auto vote : votes) CHECK(vote == 1010);
  });

  test("match", [] {
    const auto any = warp(32, [](unsigned i) { return __warploom_match_any(kAll, i % 4 + (1ULL << 40), HERE); });
    for (unsigned i = 0; i < 32; ++i) CHECK(any[i] == 0x11111111U << i % 4);
    const auto same = warp(32, [](unsigned) {
      int equal = 7;
      const unsigned mask = __warploom_match_all(kAll, 3, &equal, HERE);
      return static_cast<unsigned long long>(mask) * 10 + static_cast<unsigned>(equal);
    });
    for (const auto value : same) CHECK(value == 0xffffffffULL * 10 + 1);
    const auto different = warp(32, [](unsigned i) {
      int equal = 7;
      const unsigned mask = __warploom_match_all(kAll, i == 3, &equal, HERE);
      return static_cast<unsigned long long>(mask) * 10 + static_cast<unsigned>(equal);
    });
    for (const auto value : different) CHECK(value == 0);
  });

  test("reduce", [] {
    const auto results = warp(32, [](unsigned i) {
      bool right = __warploom_reduce_add(kAll, i, HERE) == 496;
      right = right && __warploom_reduce_min_u(kAll, i - 5, HERE) == 0;
      right = right && __warploom_reduce_max_u(kAll, i - 5, HERE) == 0xffffffff;
      right = right && __warploom_reduce_min_s(kAll, static_cast<int>(i) - 5, HERE) == -5;
      right = right && __warploom_reduce_max_s(kAll, static_cast<int>(i) - 5, HERE) == 26;
      right = right && __warploom_reduce_and(kAll, i | 0x40, HERE) == 0x40;
      right = right && __warploom_reduce_or(kAll, i, HERE) == 31;
      right = right && __warploom_reduce_xor(kAll, 1U << i, HERE) == 0xffffffff;
      return static_cast<unsigned long long>(right);
    });
    for (const auto right : results) CHECK(right == 1);
  });

  test("warps of a block are apart", [] {
    std::vector<unsigned> sums(100);
    CHECK(succeeds({1}, {100}, [&] {
      const unsigned t = __warploom_thread_idx_x();
      sums[t] = __warploom_reduce_add(kAll, t, HERE);
    }));
    CHECK(sums[0] == 496 && sums[40] == 1520 && sums[95] == 2544 && sums[99] == 96 + 97 + 98 + 99);
  });

  test("activemask under divergence", [] {
    const auto got = warp(32, [](unsigned i) -> unsigned long long {
      if (i % 4 == 0) return __warploom_activemask(HERE);
      if (i % 4 == 1) return __warploom_activemask(HERE);
      __warploom_syncwarp(0xcccccccc, HERE);
      return __warploom_activemask(HERE);
    });
    for (unsigned i = 0; i < 32; ++i) CHECK(got[i] == (i % 4 < 2 ? 0x11111111U << i % 4 : 0xcccccccc));
  });

  test("activemask tells instances of one line apart", [] {
    const auto got = warp(32, [](unsigned i) { return i < 8 ? instance<0>() : instance<1>(); });
    CHECK(got[0] == 0xff && got[31] == 0xffffff00);
  });

  test("activemask waits for lanes that come later, in loops too", [] {
    std::vector<unsigned> iterations(32);
    std::vector<unsigned> last(32);
    CHECK(succeeds({1}, {32}, [&] {
      const unsigned lane = __warploom_lane_id();
      for (unsigned i = 0; i <= lane; ++i) {
        last[lane] = __warploom_activemask(HERE);
        ++iterations[lane];
      }
    }));
    for (unsigned lane = 0; lane < 32; ++lane) CHECK(last[lane] == ~0U << lane && iterations[lane] == lane + 1);
  });

  test("coalesced atomics through activemask", [] {
    unsigned counter = 0;
    CHECK(succeeds({4}, {128}, [&] {
      if (thread_index() % 3 != 0) return;
      const unsigned mask = __warploom_activemask(HERE);
      const unsigned leader = static_cast<unsigned>(__builtin_ctz(mask));
      if (__warploom_lane_id() == leader) {
        __atomic_fetch_add(&counter, static_cast<unsigned>(__builtin_popcount(mask)), __ATOMIC_RELAXED);
      }
      __warploom_syncwarp(mask, HERE);
    }));
    CHECK(counter == 4 * 43);
  });

  test("syncwarp orders lanes", [] {
    bool right = true;
    CHECK(succeeds({1}, {64}, [&] {
      auto *slot = reinterpret_cast<volatile unsigned *>(__warploom_shared_memory());
      const unsigned t = thread_index();
      slot[t] = t;
      __warploom_syncwarp(kAll, HERE);
      right = right && slot[t ^ 1] == (t ^ 1);
    }));
    CHECK(right);
  });
  return finish();
}
