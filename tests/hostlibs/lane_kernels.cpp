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

// Operands packed panel by panel, then tiles of two panels by two.
template <class Form, class PackLeft, class PackRight, class Multiply>
void run_packed(LaneProduct<typename Form::Sum> p, Size width, const PackLeft &pack_left, const PackRight &pack_right,
                const Multiply &multiply) {
  const Size lanes = lanes_of<Form>(p.k);
  const auto up = [](Size count, Size step) { return (count + step - 1) / step * step; };
  std::vector<Lane> left(up(p.m, kWide) * lanes, 0xdeadbeef), right(up(p.n, width) * lanes, 0xdeadbeef);
  const auto count = [](Size all, Size first, Size most) { return all - first < most ? all - first : most; };
  for (Size i = 0; i < p.m; i += kWide) pack_left(p.a, i, count(p.m, i, kWide), p.k, left.data() + i * lanes);
  for (Size j = 0; j < p.n; j += width) pack_right(p.b, j, count(p.n, j, width), p.k, right.data() + j * lanes);
  for (Size i = 0; i < p.m; i += 2 * kWide) {
    for (Size j = 0; j < p.n; j += 2 * width) {
      LaneProduct<typename Form::Sum> tile = p;
      tile.m = count(p.m, i, 2 * kWide), tile.n = count(p.n, j, 2 * width);
      tile.sums += i + j * p.step;
      tile.area_a = left.data() + i * lanes, tile.area_b = right.data() + j * lanes;
      multiply(tile);
    }
  }
}

template <class Form>
bool run(Way way, bool packed, const LaneProduct<typename Form::Sum> &p) {
  if (way == kTiles && !has_tiles()) return false;
  const bool has_vectors =
      Form::kEach == 2 ? __builtin_cpu_supports("avx512bf16") : __builtin_cpu_supports("avx512vnni");
  if (way == kVectors && !has_vectors) return false;
  const auto by_tiles = [&](const auto &multiply) {
    run_packed<Form>(p, kWide, pack_left_for_tiles<Form>, pack_right_for_tiles<Form>, multiply);
  };
  if (packed && way == kPlainTiles) by_tiles(multiply_packed_by_tiles<Form, PlainTiles>);
  if (packed && way == kTiles) by_tiles(multiply_packed_by_tiles<Form, ProcessorTiles>);
  if (packed && way == kVectors) run_packed<Form>(p, kMost, pack_left<Form>, pack_right<Form>, multiply_packed<Form>);
  if (packed) return true;
  if (way == kPlainTiles) multiply_by_tiles<Form, PlainTiles>(p);
  if (way == kTiles) multiply_by_tiles<Form, ProcessorTiles>(p);
  if (way == kVectors) multiply<Form>(p);
  return true;
}

}  // namespace

// Zero where the processor has no such instructions, -1 where what lies behind an area was written over.
#define PRODUCT(NAME, FORM)                                                                                       \
  extern "C" int NAME(int way, bool packed, bool ta, bool tb, std::int64_t m, std::int64_t n, std::int64_t k,     \
                      const void *a, std::int64_t lda, const void *b, std::int64_t ldb, bool add, FORM::Sum *c,   \
                      std::int64_t ldc) {                                                                         \
    const auto up = [](std::int64_t count, std::int64_t step) { return (count + step - 1) / step * step; };       \
    const std::int64_t deep = up(k, kLaneDepth);                                                                  \
    std::vector<std::uint32_t> left(up(m, kLaneSide) * deep + 16, 0xdeadbeef),                                    \
        right(up(n, kLaneSide) * deep + 16, 0xdeadbeef);                                                          \
    const LaneProduct<FORM::Sum> p{m, n, k, {a, lda, !ta}, {b, ldb, tb}, c, ldc, add, left.data(), right.data()}; \
    if (!run<FORM>(static_cast<Way>(way), packed, p)) return 0;                                                   \
    for (int i = 1; i <= 16; ++i) {                                                                               \
      if (left.end()[-i] != 0xdeadbeef || right.end()[-i] != 0xdeadbeef) return -1;                               \
    }                                                                                                             \
    return 1;                                                                                                     \
  }
PRODUCT(product_of_bfloats, Pairs)
PRODUCT(product_of_bytes, Fours)

extern "C" int smallest_exponent_of(std::int64_t lines, std::int64_t length, const std::uint16_t *numbers) {
  return smallest_exponent({numbers, length, false}, lines, length);
}
