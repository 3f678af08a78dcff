// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mixed.h"

#include "../common/thread_area.h"
#include "packed_lanes.h"
#include "packing_area.h"

namespace warploom::blas {
namespace {

constexpr std::int64_t kDepth = 512;        // of the pieces that are widened at a time; sums of so many bytes are exact
constexpr std::int64_t kBytesDepth = 1024;  // of pieces of bytes in lanes; they take less room than what is widened

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
// sums = op(A) op(B) for a tile and the terms [first, first + depth), added to what is there if `add`.
void add_terms(const Stored &a, const Stored &b, const Tiling::Tile &tile, std::int64_t first, std::int64_t depth,
               bool add, const Areas &areas) {
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

// With fewer rows or terms most lanes of the instructions for small numbers are empty.
template <class P>
bool fits_lanes(const P &p) {
  return p.m >= 32 && p.k >= 16 && p.alpha != 0;
}

bool stays_normal(const MixedProduct &p, Where where) {
  Exponents exponents;
  exponents.see(true, p.a, !p.a.turned, p.m, p.k, where);
  if (!exponents.stay_normal()) return false;
  exponents.see(false, p.b, p.b.turned, p.n, p.k, where);
  return exponents.stay_normal();
}
bool stays_normal(const IntegerProduct &, Where) { return true; }

// Kernels for both operands as they are, and terms that they take at a time; null where there are none.
const LaneForm<float> *form_of(const MixedProduct &p) {
  const LaneForm<float> &form = lane_kernels().bfloats;
  return p.a.type == CUDA_R_16BF && p.b.type == CUDA_R_16BF && fits_lanes(p) && form.exists() ? &form : nullptr;
}
const LaneForm<std::int32_t> *form_of(const IntegerProduct &p) {
  return fits_lanes(p) && lane_kernels().bytes.exists() ? &lane_kernels().bytes : nullptr;
}
std::int64_t lane_depth(const MixedProduct &) { return kDepth; }
std::int64_t lane_depth(const IntegerProduct &) { return kBytesDepth; }

// Who adds up over columns counts on those of the tiles that follow from the shape.
bool keeps_columns(const MixedProduct &p) { return p.epilogue != nullptr; }
bool keeps_columns(const IntegerProduct &) { return false; }

// No bit depends on how lanes' products are cut: by one thread so that little is packed twice, by several so that there
// are `wanted` tiles. Columns are multiples of `panel` as far as they are cut here.
Tiling tiling_for_lanes(Tiling tiling, bool keeps_columns, unsigned wanted, std::int64_t panel) {
  constexpr std::int64_t kRows = 256, kColumns = 512, kLeast = 64;
  tiling.rows = kRows;
  if (!keeps_columns) tiling.columns = kColumns / panel * panel;
  while (tiling.count() < wanted) {
    const bool can_narrow = !keeps_columns && tiling.columns >= 2 * kLeast && tiling.columns / 2 % panel == 0;
    if (tiling.rows <= kLeast && !can_narrow) break;
    const bool narrows = can_narrow && (tiling.columns > tiling.rows || tiling.rows <= kLeast);
    (narrows ? tiling.columns : tiling.rows) /= 2;
  }
  return tiling;
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

namespace {

// How a tile is multiplied: by kernels for lanes, if there are some, of what is packed, if something is.
template <class P>
struct ByLanes {
  using Sum = typename P::Sum;
  const LaneForm<Sum> *form = nullptr;
  const PackedLanes<P> *packed = nullptr;

  void multiply(const P &p, const Tiling::Tile &tile, std::int64_t first, std::int64_t depth, Sum *sums,
                std::int64_t step, bool add, const Areas &areas) const {
    if (packed != nullptr) return packed->multiply(tile, first, sums, step, add);
    form->multiply(lanes_of(p.a, p.b, tile, first, depth, sums, step, add, areas));
  }
};

void multiply_tile(const MixedProduct &p, const Tiling::Tile &tile, const ByLanes<MixedProduct> &lanes) {
  const Areas areas(tile, lanes.packed != nullptr ? 0 : std::min(kDepth, p.k));
  const bool has_terms = p.k > 0 && p.alpha != 0;
  for (std::int64_t first = 0; has_terms && first < p.k; first += kDepth) {
    const std::int64_t depth = std::min(kDepth, p.k - first);
    if (lanes.form != nullptr) {
      lanes.multiply(p, tile, first, depth, areas.sums, tile.rows, first > 0, areas);
    } else {
      add_terms(p.a, p.b, tile, first, depth, first > 0, areas);
    }
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

void multiply_tile(const IntegerProduct &p, const Tiling::Tile &tile, const ByLanes<IntegerProduct> &lanes) {
  const bool by_lanes = lanes.form != nullptr;
  const std::int64_t most = by_lanes ? kBytesDepth : kDepth;
  const Areas areas(tile, lanes.packed != nullptr ? 0 : std::min(kDepth, p.k));
  const auto beta = static_cast<std::uint32_t>(p.beta), alpha = static_cast<std::uint32_t>(p.alpha);
  const bool adds_to_c = alpha == 1 && beta <= 1;
  std::int32_t *const c = p.c + tile.row + tile.column * p.ldc;
  auto *const whole = reinterpret_cast<std::int32_t *>(areas.sums);
  for (std::int64_t first = 0; first == 0 || first < p.k; first += most) {
    const std::int64_t depth = std::min(most, p.k - first);
    const bool has_terms = depth > 0 && p.alpha != 0;
    if (by_lanes && adds_to_c) {
      lanes.multiply(p, tile, first, depth, c, p.ldc, first > 0 || beta == 1, areas);
      continue;
    }
    if (by_lanes) lanes.multiply(p, tile, first, depth, whole, tile.rows, false, areas);
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

template <class P>
void multiply_each(const P &p, const Tiling &tiling, const ByLanes<P> &lanes, Where where) {
  each_of(where, tiling.count(), p.nanoseconds(),
          [&](std::uint64_t i) { multiply_tile(p, tiling.tile(static_cast<std::int64_t>(i)), lanes); });
}

// Operands of at most so many bytes are packed for all tiles; on several threads those of more operations than this: 16
// cores of a Xeon multiply 1,024 squared 1.1 to 1.2 times as fast if each tile packs its own, 2,048 if all are packed.
constexpr std::int64_t kMostPacked = std::int64_t{1} << 27;
constexpr double kPackedOperations = 1536.0 * 1536 * 1536;
constexpr unsigned kTilesEach = 2, kPackedTilesEach = 4;  // of one of several threads

// False where a sum could lie below the normal numbers.
template <class P>
bool multiply_by_lanes(const P &p, const LaneForm<typename P::Sum> &form, Where where) {
  const unsigned threads = threads_for(where, p.nanoseconds());
  const std::int64_t panel = form.panel_columns();
  const auto cut = [&](unsigned each, std::int64_t step) {
    return tiling_for_lanes(Tiling(p.m, p.n, p.k), keeps_columns(p), threads > 1 ? each * threads : 1, step);
  };
  const Tiling tiling = cut(kPackedTilesEach, panel);
  PackedLanes<P> packed(p, form, lane_depth(p));
  const double operations = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  const bool packs = tiling.count() > 1 && (threads == 1 || operations > kPackedOperations) &&
                     tiling.columns % panel == 0 && packed.bytes() <= kMostPacked;
  if (packs) {
    const PackingArea area(static_cast<std::size_t>(packed.bytes()));
    if (area.get() != nullptr) {
      packed.place(area.get());
      Exponents exponents;
      const double numbers = static_cast<double>(p.m + p.n) * static_cast<double>(p.k);
      each_of(where, packed.count(), numbers / 4,
              [&](std::uint64_t i) { packed.pack(static_cast<std::int64_t>(i), exponents); });
      if (!exponents.stay_normal()) return false;
      multiply_each(p, tiling, ByLanes<P>{&form, &packed}, where);
      return true;
    }
  }
  if (!stays_normal(p, where)) return false;
  multiply_each(p, cut(kTilesEach, 1), ByLanes<P>{&form, nullptr}, where);
  return true;
}

template <class P>
void multiply_in_tiles(const P &product, Where where) {
  const auto *const form = form_of(product);
  if (form != nullptr && multiply_by_lanes(product, *form, where)) return;
  multiply_each(product, Tiling(product.m, product.n, product.k), ByLanes<P>(), where);
}

}  // namespace

void multiply(const MixedProduct &product, Where where) { multiply_in_tiles(product, where); }
void multiply(const IntegerProduct &product, Where where) { multiply_in_tiles(product, where); }

}  // namespace warploom::blas
