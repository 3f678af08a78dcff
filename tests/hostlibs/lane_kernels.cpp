// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of bfloat16 and of bytes by lanes of vectors, by the processor's tiles, and by tiles in plain C++, which do
// number by number what the instructions are documented to do. Compiled for x86-64-v4.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/lanes.cpp"

using namespace warploom::blas;
using namespace warploom::blas::WARPLOOM_LEVEL;

namespace {

struct Tile {
  Lane lanes[16][16];
};
thread_local Tile tiles[8];
thread_local bool are_set = false;

float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
// Denormals are zero, in what comes in and in what goes out.
float flushed(float value) { return std::fabs(value) < 0x1p-126F ? std::copysign(0.0F, value) : value; }
float half_of(Lane lane, int which) { return flushed(float_of(which == 0 ? lane << 16 : lane & 0xffff0000U)); }

struct PlainTiles {
  static void begin() {
    if (are_set) __builtin_trap();
    are_set = true;
  }
  static void end() {
    if (!are_set) __builtin_trap();
    are_set = false;
    std::memset(tiles, 0xff, sizeof tiles);
  }
  template <int tile>
  static void zero() {
    std::memset(&tiles[tile], 0, sizeof(Tile));
  }
  template <int tile>
  static void load(const void *from, Size row_step) {
    for (int row = 0; row < 16; ++row)
      std::memcpy(tiles[tile].lanes[row], static_cast<const char *>(from) + row * row_step, 64);
  }
  template <int tile>
  static void store(void *to, Size row_step) {
    for (int row = 0; row < 16; ++row)
      std::memcpy(static_cast<char *>(to) + row * row_step, tiles[tile].lanes[row], 64);
  }
  // Sums of the first and of the second numbers of the lanes, which are added to each other, then to what was there.
  template <int sum, int first, int second>
  static void multiply(Pairs) {
    for (int m = 0; m < 16; ++m) {
      for (int n = 0; n < 16; ++n) {
        float parts[2] = {};
        for (int k = 0; k < 16; ++k) {
          const Lane a = tiles[first].lanes[m][k], b = tiles[second].lanes[k][n];
          for (int i = 0; i < 2; ++i) parts[i] = flushed(std::fma(half_of(a, i), half_of(b, i), parts[i]));
        }
        const float old = flushed(float_of(tiles[sum].lanes[m][n])), made = flushed(old + flushed(parts[0] + parts[1]));
        std::memcpy(&tiles[sum].lanes[m][n], &made, sizeof made);
      }
    }
  }
  template <int sum, int first, int second>
  static void multiply(Fours) {
    for (int m = 0; m < 16; ++m) {
      for (int n = 0; n < 16; ++n) {
        for (int k = 0; k < 16; ++k) {
          const Lane a = tiles[first].lanes[m][k], b = tiles[second].lanes[k][n];
          for (int i = 0; i < 32; i += 8) {
            const auto left = static_cast<std::int8_t>(a >> i), right = static_cast<std::int8_t>(b >> i);
            tiles[sum].lanes[m][n] += static_cast<Lane>(left * right);
          }
        }
      }
    }
  }
};

enum Way { kPlainTiles, kTiles, kVectors };

template <class Form>
bool run(Way way, const LaneProduct<typename Form::Sum> &p) {
  if (way == kTiles && !has_tiles()) return false;
  const bool has_vectors =
      Form::kEach == 2 ? __builtin_cpu_supports("avx512bf16") : __builtin_cpu_supports("avx512vnni");
  if (way == kVectors && !has_vectors) return false;
  if (way == kPlainTiles) multiply_by_tiles<Form, PlainTiles>(p);
  if (way == kTiles) multiply_by_tiles<Form, ProcessorTiles>(p);
  if (way == kVectors) multiply<Form>(p);
  return true;
}

}  // namespace

// Zero where the processor has no such instructions, -1 where what lies behind an area was written over.
#define PRODUCT(NAME, FORM)                                                                                          \
  extern "C" int NAME(int way, bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k, const void *a,      \
                      std::int64_t lda, const void *b, std::int64_t ldb, bool add, FORM::Sum *c, std::int64_t ldc) { \
    const auto up = [](std::int64_t count, std::int64_t step) { return (count + step - 1) / step * step; };          \
    const std::int64_t deep = up(k, kLaneDepth);                                                                     \
    std::vector<std::uint32_t> left(up(m, kLaneSide) * deep + 16, 0xdeadbeef),                                       \
        right(up(n, kLaneSide) * deep + 16, 0xdeadbeef);                                                             \
    const LaneProduct<FORM::Sum> p{m, n, k, {a, lda, !ta}, {b, ldb, tb}, c, ldc, add, left.data(), right.data()};    \
    if (!run<FORM>(static_cast<Way>(way), p)) return 0;                                                              \
    for (int i = 1; i <= 16; ++i) {                                                                                  \
      if (left.end()[-i] != 0xdeadbeef || right.end()[-i] != 0xdeadbeef) return -1;                                  \
    }                                                                                                                \
    return 1;                                                                                                        \
  }
PRODUCT(product_of_bfloats, Pairs)
PRODUCT(product_of_bytes, Fours)

extern "C" bool bfloats_stay_normal(std::int64_t count, const std::uint16_t *a, const std::uint16_t *b) {
  return stays_normal({count, count, 1, {a, count, true}, {b, count, true}, nullptr, count, false, nullptr, nullptr});
}
