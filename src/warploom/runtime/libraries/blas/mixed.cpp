// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mixed.h"

#include "../common/thread_area.h"
#include "own_products.h"

namespace warploom::blas {
namespace {

constexpr std::int64_t kDepth = 512;  // of the pieces that are widened at a time; sums of so many bytes are exact

struct Pieces;  // of one tile

// A piece of an operand in float: `rows` x `columns` as it is stored.
struct Piece {
  const float *data;
  std::int64_t ld;
};
Piece piece_of(const Stored &operand, std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t columns,
               float *space) {
  if (operand.type == CUDA_R_32F) return {static_cast<const float *>(operand.at(row, column)), operand.ld};
  for (std::int64_t j = 0; j < columns; ++j)
    widen(operand.type, rows, operand.at(row, column + j), 1, space + j * rows);
  return {space, rows};
}

// The areas of one tile.
struct Areas {
  float *sums, *a, *b, *column;

  explicit Areas(const Tiling::Tile &tile, std::int64_t depth) {
    const std::int64_t deep = rounded_up(depth, kLaneDepth);
    const std::int64_t sizes[] = {tile.rows * tile.columns, rounded_up(tile.rows, kLaneSide) * deep,
                                  rounded_up(tile.columns, kLaneSide) * deep, 2 * tile.rows};
    sums = thread_area<float, Pieces>(static_cast<std::size_t>(sizes[0] + sizes[1] + sizes[2] + sizes[3]));
    a = sums + sizes[0];
    b = a + sizes[1];
    column = b + sizes[2];
  }
  static std::int64_t rounded_up(std::int64_t count, std::int64_t step) { return (count + step - 1) / step * step; }
};

// The part of the operands that a tile and the terms [first, first + depth) take.
template <class Sum>
LaneProduct<Sum> lanes_of(const Stored &a, const Stored &b, const Tiling::Tile &tile, std::int64_t first,
                          std::int64_t depth, Sum *sums, std::int64_t step, bool add, const Areas &areas) {
  const void *const left = a.turned ? a.at(first, tile.row) : a.at(tile.row, first);
  const void *const right = b.turned ? b.at(tile.column, first) : b.at(first, tile.column);
  return {tile.rows, tile.columns, depth,  {left, a.ld, !a.turned}, {right, b.ld, b.turned}, sums, step,
          add,       areas.a,      areas.b};
}
// Whether instructions for small numbers are worth it: with less, most of their lanes are empty.
bool fits_lanes(const Tiling::Tile &tile, std::int64_t depth) { return tile.rows >= 32 && depth >= 16; }

// sums = op(A) op(B) for a tile and the terms [first, first + depth), added to what is there if `add`.
void add_terms(const Stored &a, const Stored &b, const Tiling::Tile &tile, std::int64_t first, std::int64_t depth,
               bool add, const Areas &areas) {
  if (a.type == CUDA_R_16BF && b.type == CUDA_R_16BF && fits_lanes(tile, depth) &&
      lane_kernels().bfloat(lanes_of(a, b, tile, first, depth, areas.sums, tile.rows, add, areas))) {
    return;
  }
  const Piece left = a.turned ? piece_of(a, first, tile.row, depth, tile.rows, areas.a)
                              : piece_of(a, tile.row, first, tile.rows, depth, areas.a);
  const Piece right = b.turned ? piece_of(b, tile.column, first, tile.columns, depth, areas.b)
                               : piece_of(b, first, tile.column, depth, tile.columns, areas.b);
  const Product<float> floats{a.turned ? 'T' : 'N',
                              b.turned ? 'T' : 'N',
                              tile.rows,
                              tile.columns,
                              depth,
                              1,
                              left.data,
                              left.ld,
                              right.data,
                              right.ld,
                              add ? 1.0F : 0.0F,
                              areas.sums,
                              tile.rows};
  if (!multiply_by_own_kernels(floats, Where::kHere)) multiply_tile(floats);
}

template <class P>
void multiply_in_tiles(const P &product) {
  const Tiling tiling(product.m, product.n, product.k);
  each_tile(static_cast<std::uint64_t>(tiling.count()), product.nanoseconds(),
            [&](std::uint64_t i) { multiply_tile(product, tiling.tile(static_cast<std::int64_t>(i))); });
}

double time_of(std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto outputs = static_cast<double>(m) * static_cast<double>(n);
  return 2 * outputs * static_cast<double>(std::max<std::int64_t>(k, 1)) / kOperations<float> + outputs + 200;
}

}  // namespace

std::size_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_8I:
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
      return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
      return 4;
    case CUDA_R_64F:
    case CUDA_C_32F:
      return 8;
    case CUDA_C_64F:
      return 16;
    default:
      return 0;
  }
}

bool is_small(cudaDataType type) { return bytes_of(type) == 1 || bytes_of(type) == 2; }

Small small_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
      return Small::kHalf;
    case CUDA_R_16BF:
      return Small::kBfloat;
    case CUDA_R_8F_E4M3:
      return Small::kE4m3;
    case CUDA_R_8F_E5M2:
      return Small::kE5m2;
    default:
      return Small::kSigned;
  }
}

void widen(cudaDataType type, std::int64_t n, const void *from, std::int64_t step, float *to) {
  if (type != CUDA_R_32F) return conversion_kernels().widen(small_of(type), n, from, step, to);
  const auto *const source = static_cast<const float *>(from);
  for (std::int64_t i = 0; i < n; ++i) to[i] = source[i * step];
}

void narrow(cudaDataType type, std::int64_t n, const float *from, void *to) {
  if (type != CUDA_R_32F) return conversion_kernels().narrow(small_of(type), n, from, to);
  std::copy_n(from, n, static_cast<float *>(to));
}

double MixedProduct::nanoseconds() const { return time_of(m, n, k); }
double IntegerProduct::nanoseconds() const { return time_of(m, n, k); }

void multiply_tile(const MixedProduct &p, const Tiling::Tile &tile) {
  const Areas areas(tile, std::min(kDepth, p.k));
  const bool has_terms = p.k > 0 && p.alpha != 0;
  for (std::int64_t first = 0; has_terms && first < p.k; first += kDepth) {
    add_terms(p.a, p.b, tile, first, std::min(kDepth, p.k - first), first > 0, areas);
  }
  const bool are_results = has_terms && p.row_factors == nullptr && p.beta == 0 && p.epilogue == nullptr;
  const std::int64_t bytes = static_cast<std::int64_t>(bytes_of(p.d_type));
  for (std::int64_t j = 0; j < tile.columns; ++j) {
    const std::int64_t column = tile.column + j;
    float *const out = areas.column, *const old = areas.column + tile.rows;
    const float *const sums = areas.sums + j * tile.rows;
    const float factor = p.column_factors != nullptr ? p.alpha * p.column_factors[column] : p.alpha;
    void *const d = static_cast<char *>(p.d) + (tile.row + column * p.ldd) * bytes;
    if (are_results && factor == 1) {
      narrow(p.d_type, tile.rows, sums, d);
      continue;
    }
    for (std::int64_t i = 0; i < tile.rows; ++i) out[i] = has_terms ? factor * sums[i] : 0;
    for (std::int64_t i = 0; p.row_factors != nullptr && i < tile.rows; ++i) out[i] *= p.row_factors[tile.row + i];
    if (p.beta != 0) {
      widen(p.c.type, tile.rows, p.c.at(tile.row, column), 1, old);
      for (std::int64_t i = 0; i < tile.rows; ++i) out[i] += p.beta * old[i];
    }
    if (p.epilogue != nullptr) p.epilogue->apply(tile.row, column, tile.rows, out);
    narrow(p.d_type, tile.rows, out, d);
  }
}

void multiply(const MixedProduct &product) { multiply_in_tiles(product); }

namespace {

// column = keep column + alpha sums, wrapping around as on a device; what is not kept, or has no factor, is not read.
template <class Sum>
void add_column(const Sum *sums, std::int64_t rows, std::uint32_t keep, std::uint32_t alpha, std::int32_t *column) {
  if (keep == 0) {
    for (std::int64_t i = 0; i < rows; ++i) column[i] = 0;
  } else if (keep != 1) {
    for (std::int64_t i = 0; i < rows; ++i) {
      column[i] = static_cast<std::int32_t>(keep * static_cast<std::uint32_t>(column[i]));
    }
  }
  if (alpha == 0) return;
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto sum = static_cast<std::uint32_t>(static_cast<std::int32_t>(sums[i]));
    column[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(column[i]) + alpha * sum);
  }
}

}  // namespace

void multiply_tile(const IntegerProduct &p, const Tiling::Tile &tile) {
  const Areas areas(tile, std::min(kDepth, p.k));
  const auto beta = static_cast<std::uint32_t>(p.beta), alpha = static_cast<std::uint32_t>(p.alpha);
  const bool adds_to_c = alpha == 1 && beta <= 1;
  std::int32_t *const c = p.c + tile.row + tile.column * p.ldc;
  auto *const whole = reinterpret_cast<std::int32_t *>(areas.sums);
  for (std::int64_t first = 0; first == 0 || first < p.k; first += kDepth) {
    const std::int64_t depth = std::min(kDepth, p.k - first);
    const bool has_terms = depth > 0 && p.alpha != 0;
    const LaneProduct<std::int32_t> lanes =
        adds_to_c ? lanes_of(p.a, p.b, tile, first, depth, c, p.ldc, first > 0 || beta == 1, areas)
                  : lanes_of(p.a, p.b, tile, first, depth, whole, tile.rows, false, areas);
    const bool by_lanes = has_terms && fits_lanes(tile, depth) && lane_kernels().bytes(lanes);
    if (by_lanes && adds_to_c) continue;
    if (has_terms && !by_lanes) add_terms(p.a, p.b, tile, first, depth, false, areas);
    const std::uint32_t keep = first > 0 ? 1 : beta, by = has_terms ? alpha : 0;
    for (std::int64_t j = 0; j < tile.columns; ++j) {
      if (by_lanes) {
        add_column(whole + j * tile.rows, tile.rows, keep, by, c + j * p.ldc);
      } else {
        add_column(areas.sums + j * tile.rows, tile.rows, keep, by, c + j * p.ldc);
      }
    }
  }
}

void multiply(const IntegerProduct &product) { multiply_in_tiles(product); }

}  // namespace warploom::blas
