// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of bfloat16 and of bytes by instructions on tiles of 16 rows of 64 bytes (AMX). Rows of a tile of C lie
// along its columns in memory, since C is stored by columns:
//
//     first factor: columns of op(B), each with 16 lanes of k      b[(block * columns + column) * 16 + lane]
//     second: lanes of k, each with 16 rows of op(A)               a[(block * 16 + lane) * 32 + row]
//
// 32 x 32 numbers of C are kept in four tiles while k runs. What lies behind the last row, column and k is zero. Each
// number of C is added up in the order of k, whatever tile it is in.
#pragma once

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lanes.h"

namespace warploom::blas::WARPLOOM_LEVEL {
namespace {

#define WARPLOOM_TILES "amx-tile,amx-bf16,amx-int8"
constexpr Size kSide = 16;  // rows of a tile, and lanes of a row
constexpr Size kLaneBytes = 4, kRowBytes = kSide * kLaneBytes;

// Eight tiles of 16 rows each.
struct TileShapes {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16];
  std::uint8_t rows[16] = {};

  TileShapes() : row_bytes() {
    for (int tile = 0; tile < 8; ++tile) {
      row_bytes[tile] = kRowBytes;
      rows[tile] = kSide;
    }
  }
};
static_assert(sizeof(TileShapes) == 64);

// The processor's tiles, which belong to the thread. While they hold something each switch of threads saves them.
struct ProcessorTiles {
#define WARPLOOM_ON_TILES __attribute__((target(WARPLOOM_TILES), always_inline)) static inline
  WARPLOOM_ON_TILES void begin() {
    const TileShapes shapes;
    _tile_loadconfig(&shapes);
  }
  WARPLOOM_ON_TILES void end() { _tile_release(); }
  template <int tile>
  WARPLOOM_ON_TILES void zero() {
    _tile_zero(tile);
  }
  template <int tile>
  WARPLOOM_ON_TILES void load(const void *from, Size row_step) {
    _tile_loadd(tile, from, static_cast<std::size_t>(row_step));
  }
  template <int tile>
  WARPLOOM_ON_TILES void store(void *to, Size row_step) {
    _tile_stored(tile, to, static_cast<std::size_t>(row_step));
  }
  template <int sum, int first, int second>
  WARPLOOM_ON_TILES void multiply(Pairs) {
    _tile_dpbf16ps(sum, first, second);
  }
  template <int sum, int first, int second>
  WARPLOOM_ON_TILES void multiply(Fours) {
    _tile_dpbssd(sum, first, second);
  }
#undef WARPLOOM_ON_TILES
};

// Both as lanes of columns of op(B): `width` of them, multiples of 16.
template <class Form>
void pack_columns(const LaneOperand &operand, Size first, Size count, Size depth, Size width, Lane *to) {
  using E = typename Form::Element;
  constexpr Size kBlock = kSide * Form::kEach;
  const auto *const data = static_cast<const E *>(operand.data) + (operand.by_index ? first : first * operand.ld);
  const Size blocks = groups_of(depth, kBlock);
  if (!operand.by_index) {
    for (Size i = 0; i < count; ++i) {
      const E *const from = data + i * operand.ld;
      Lane *row = to + i * kSide;
      Size k = 0;
      for (; k + kBlock <= depth; k += kBlock, row += width * kSide)
        _mm512_storeu_si512(row, _mm512_loadu_si512(from + k));
      if (k == depth) continue;
      _mm512_storeu_si512(row, __m512i{});
      __builtin_memcpy(row, from + k, static_cast<std::size_t>(depth - k) * sizeof(E));
    }
  } else {
    for (Size block = 0; block < blocks; ++block) {
      const Size k = block * kBlock, here = depth - k < kBlock ? depth - k : kBlock;
      const LaneOperand lines = {data + k * operand.ld, operand.ld, true};
      for (Size i = 0; i < count; i += kSide) {
        __m512i lanes[kSide] = {};
        pack<Form>(lines, i, count - i < kSide ? count - i : kSide, here, kSide, 0, reinterpret_cast<Lane *>(lanes));
        turn(lanes);
        for (Size row = 0; row < kSide; ++row) _mm512_storeu_si512(to + (block * width + i + row) * kSide, lanes[row]);
      }
    }
  }
  for (Size block = 0; block < blocks; ++block)
    __builtin_memset(to + (block * width + count) * kSide, 0, static_cast<std::size_t>((width - count) * kRowBytes));
}

// c[column * step + row] += for 32 rows and 16 `across` columns.
template <class Form, class Tiles, int across>
__attribute__((target(WARPLOOM_TILES))) void multiply_block(Size blocks, const Lane *a, const Lane *b,
                                                            typename Form::Sum *c, Size step, bool add) {
  constexpr Size kStep = kWide * kLaneBytes;
  const Size bytes = step * static_cast<Size>(sizeof *c);
  typename Form::Sum *const second = c + kSide * step;
  if (add) {
    Tiles::template load<0>(c, bytes);
    Tiles::template load<1>(c + kSide, bytes);
    if constexpr (across == 2) {
      Tiles::template load<2>(second, bytes);
      Tiles::template load<3>(second + kSide, bytes);
    }
  } else {
    Tiles::template zero<0>();
    Tiles::template zero<1>();
    if constexpr (across == 2) {
      Tiles::template zero<2>();
      Tiles::template zero<3>();
    }
  }
  for (Size block = 0; block < blocks; ++block, a += kSide * kWide, b += across * kSide * kSide) {
    Tiles::template load<4>(b, kRowBytes);
    Tiles::template load<6>(a, kStep);
    Tiles::template multiply<0, 4, 6>(Form());
    Tiles::template load<7>(a + kSide, kStep);
    Tiles::template multiply<1, 4, 7>(Form());
    if constexpr (across == 2) {
      Tiles::template load<5>(b + kSide * kSide, kRowBytes);
      Tiles::template multiply<2, 5, 6>(Form());
      Tiles::template multiply<3, 5, 7>(Form());
    }
  }
  Tiles::template store<0>(c, bytes);
  Tiles::template store<1>(c + kSide, bytes);
  if constexpr (across == 2) {
    Tiles::template store<2>(second, bytes);
    Tiles::template store<3>(second + kSide, bytes);
  }
}

// The same where C has fewer rows or columns.
template <class Form, class Kernel>
void multiply_corner(const Kernel &kernel, typename Form::Sum *c, Size step, Size rows, Size columns, bool add) {
  alignas(64) typename Form::Sum corner[kWide * kWide] = {};
  for (Size j = 0; add && j < columns; ++j) {
    for (Size i = 0; i < rows; ++i) corner[j * kWide + i] = c[j * step + i];
  }
  kernel(corner, kWide);
  for (Size j = 0; j < columns; ++j) {
    for (Size i = 0; i < rows; ++i) c[j * step + i] = corner[j * kWide + i];
  }
}

template <class Form>
void pack_left_for_tiles(const LaneOperand &operand, Size first, Size count, Size depth, Lane *to) {
  const Size groups = groups_of(depth, Form::kEach), rest = lanes_of<Form>(depth) - groups;
  pack<Form>(operand, first, count, depth, kWide, 0, to);
  __builtin_memset(to + groups * kWide, 0, static_cast<std::size_t>(rest * kWide * kLaneBytes));
}
// The last panel of op(B) may be half as wide.
Size panel_width(Size columns) { return columns <= kSide ? kSide : kWide; }
template <class Form>
void pack_right_for_tiles(const LaneOperand &operand, Size first, Size count, Size depth, Lane *to) {
  pack_columns<Form>(operand, first, count, depth, panel_width(count), to);
}

// Up to 32 rows from row i on, whose panel is `left`, by all columns.
template <class Form, class Tiles>
__attribute__((target(WARPLOOM_TILES))) void multiply_panel_by_tiles(const LaneProduct<typename Form::Sum> &p, Size i,
                                                                     const Lane *left) {
  const Size lanes = lanes_of<Form>(p.k), rows = p.m - i < kWide ? p.m - i : kWide;
  for (Size j = 0; j < p.n; j += kWide) {
    const Size columns = p.n - j < kWide ? p.n - j : kWide, width = panel_width(columns);
    const auto kernel = [&](typename Form::Sum *c, Size step) {
      const auto block = width == kWide ? multiply_block<Form, Tiles, 2> : multiply_block<Form, Tiles, 1>;
      block(lanes / kSide, left, static_cast<const Lane *>(p.area_b) + j * lanes, c, step, p.add);
    };
    typename Form::Sum *const c = p.sums + i + j * p.step;
    if (rows == kWide && columns == width) {
      kernel(c, p.step);
    } else {
      multiply_corner<Form>(kernel, c, p.step, rows, columns, p.add);
    }
  }
}

template <class Form, class Tiles>
__attribute__((target(WARPLOOM_TILES))) void multiply_packed_by_tiles(const LaneProduct<typename Form::Sum> &p) {
  Tiles::begin();
  for (Size i = 0; i < p.m; i += kWide)
    multiply_panel_by_tiles<Form, Tiles>(p, i, static_cast<const Lane *>(p.area_a) + i * lanes_of<Form>(p.k));
  Tiles::end();
}

template <class Form, class Tiles>
__attribute__((target(WARPLOOM_TILES))) void multiply_by_tiles(const LaneProduct<typename Form::Sum> &p) {
  const auto count = [](Size all, Size first) { return all - first < kWide ? all - first : kWide; };
  auto *const left = static_cast<Lane *>(p.area_a), *const right = static_cast<Lane *>(p.area_b);
  for (Size j = 0; j < p.n; j += kWide)
    pack_right_for_tiles<Form>(p.b, j, count(p.n, j), p.k, right + j * lanes_of<Form>(p.k));
  Tiles::begin();
  for (Size i = 0; i < p.m; i += kWide) {
    pack_left_for_tiles<Form>(p.a, i, count(p.m, i), p.k, left);
    multiply_panel_by_tiles<Form, Tiles>(p, i, left);
  }
  Tiles::end();
}

// Whether the processor has tiles and their products, and the system lets this process use them.
bool may_use_tiles() {
  constexpr unsigned kTiles = 1U << 24, kBytes = 1U << 25, kBfloats = 1U << 22, kAll = kTiles | kBytes | kBfloats;
  constexpr unsigned kSavesState = 1U << 27, kTileStates = 3U << 17;
  constexpr long kAskForState = 0x1023, kTileData = 18;  // arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kSavesState) == 0) return false;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & kAll) != kAll) return false;
  unsigned low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (low & kTileStates) == kTileStates && syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
}
bool has_tiles() {
  static const bool result = may_use_tiles();
  return result;
}

}  // namespace
}  // namespace warploom::blas::WARPLOOM_LEVEL
