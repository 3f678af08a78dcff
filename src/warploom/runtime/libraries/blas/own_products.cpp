// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "own_products.h"

#include <cmath>

#include "../common/thread_area.h"
#include "instances.h"
#include "kernels.h"
#include "packing_area.h"

namespace warploom::blas {
namespace {

// Our kernels do what has more operations than this, more where all operands are packed, but not what has so few rows
// or columns that their vectors or their registers would be half empty.
constexpr double kFewestOperations = 2 * 112.0 * 112 * 112, kFewestAllPacked = 2 * 256.0 * 256 * 256;
constexpr int64_t kFewestRows = 96, kFewestColumns = 14;

// From so many operations on operands are packed for all tiles: by one thread, and by several, which get what is packed
// from each other's caches. Where operands would be slow to read in place it is worth it sooner: on one thread always,
// on several with so many operations for each. C has to have so many columns.
constexpr double kPackedOperations = 2 * 512.0 * 512 * 512, kPackedTogether = 2 * 1536.0 * 1536 * 1536,
                 kPackedByEach = 2 * 768.0 * 768 * 768;
constexpr int64_t kPackedColumns = 96;
// Numbers that are packed at a time, and the most rows and columns of C.
constexpr int64_t kPackedNumbers = int64_t{1} << 23, kMostSide = 16'384;
// Lines of B that are a multiple of so many bytes apart push each other out of the nearest cache.
constexpr int64_t kBadStep = 4096;

// As many tiles for each thread even out how long they take.
constexpr int64_t kTilesPerThread = 5;

// How C is cut, by the number of threads: the kernels' sums do not depend on it. Tiles are counted by groups of
// columns, in a group row by row: what is one thread's share reads about as few rows of A as columns of B.
//
//     0 1 | 6 7
//     2 3 | 8 9
//     4 5 | ...
struct Cut {
  int64_t m, n, rows, columns, down, across, group;

  // Multiples of `row_unit` x `column_unit`: at most `most` large, and not cut below `least`.
  struct Limits {
    int64_t row_unit, column_unit, most_rows, most_columns, least_rows, least_columns;
  };
  Cut(int64_t m_, int64_t n_, unsigned threads, const Limits &limits) : m(m_), n(n_) {
    const int64_t all_rows = parts(m, limits.row_unit), all_columns = parts(n, limits.column_unit);
    down = parts(m, limits.most_rows), across = parts(n, limits.most_columns);
    const int64_t wanted = threads > 1 ? kTilesPerThread * threads : 1;
    while (down * across < wanted) {
      const int64_t high = m / down, wide = n / across;
      const bool can_lower = high >= 2 * limits.least_rows, can_narrow = wide >= 2 * limits.least_columns;
      if (!can_lower && !can_narrow) break;
      const bool lowers = can_lower && (!can_narrow || high >= wide);
      (lowers ? down : across) *= 2;
    }
    rows = parts(all_rows, down) * limits.row_unit, columns = parts(all_columns, across) * limits.column_unit;
    down = parts(m, rows), across = parts(n, columns);
    const double shares_across = std::sqrt(threads * static_cast<double>(n) / static_cast<double>(m));
    group = std::max<int64_t>(1, std::llround(static_cast<double>(across) / std::max(1.0, shares_across)));
  }
  int64_t count() const { return down * across; }
  Tiling::Tile tile(uint64_t number) const {
    const auto i = static_cast<int64_t>(number);
    const int64_t before = i / (down * group) * group, wide = std::min(group, across - before),
                  rest = i - before * down;
    const int64_t row = rest / wide * rows, column = (before + rest % wide) * columns;
    return {row, column, std::min(rows, m - row), std::min(columns, n - column)};
  }

  static int64_t parts(int64_t all, int64_t each) { return (all + each - 1) / each; }
};

struct Packed;  // operands that are packed for one tile

template <class T>
TileProduct<T> in_steps(const Product<T> &p, int64_t depth) {
  const bool a_turned = p.transa != 'N', b_turned = p.transb != 'N';
  const int64_t a_row = a_turned ? p.lda : 1, a_column = a_turned ? 1 : p.lda;
  const int64_t b_row = b_turned ? p.ldb : 1, b_column = b_turned ? 1 : p.ldb;
  return {p.m, p.n, p.k, depth, p.alpha, p.a, a_row, a_column, p.b, b_row, b_column, p.beta, p.c, p.ldc, nullptr};
}

// Operands are read where they lie; a transposed A is packed for each tile, which therefore is wider.
template <class T>
void multiply_in_place(const Product<T> &product, Where where) {
  const Cut::Limits limits{32, 32, 128, product.transa == 'N' ? 64 : 128, 32, 32};
  const Cut cut(product.m, product.n, threads_for(where, product.nanoseconds()), limits);
  each_of(where, cut.count(), product.nanoseconds(), [&](uint64_t i) {
    TileProduct<T> tile = in_steps(product.part(cut.tile(i)), TileProduct<T>::depth_of(product.k));
    tile.area = thread_area<T, Packed>(static_cast<std::size_t>(tile.area_size()));
    product_kernels<T>().in_place(tile);
  });
}

// Some of the terms of a product: `beta` is that of the product for the first of them, 1 for the others.
template <class T>
Product<T> some_terms(Product<T> p, int64_t first, int64_t count) {
  p.a += first * (p.transa == 'N' ? p.lda : 1);
  p.b += first * (p.transb == 'N' ? 1 : p.ldb);
  p.k = count;
  if (first > 0) p.beta = T(1);
  return p;
}

// On one thread rows of A are packed when their turn comes, and stay in the nearest caches for all columns.
template <class T>
void multiply_in_order(const PackedProduct<T> &packed, const ProductKernels<T> &kernels) {
  const TileProduct<T> &p = packed.product;
  constexpr int64_t kMostRows = 2112 / static_cast<int64_t>(sizeof(T));
  const int64_t part_rows = Packing::kPanels * packed.packing.rows,
                rows = kMostRows / packed.packing.rows * packed.packing.rows;
  for (int64_t i = packed.left_parts(); i < packed.count(); ++i) kernels.pack(packed, i);
  for (int64_t row = 0, part = 0; row < p.m; row += rows) {
    for (; part < packed.left_parts() && part / p.pieces() * part_rows < row + rows; ++part) kernels.pack(packed, part);
    kernels.packed(packed, row, std::min(rows, p.m - row), 0, p.n);
  }
}

template <class T>
void multiply_packed(const Product<T> &product, int64_t depth, T *area, Where where) {
  const ProductKernels<T> &kernels = product_kernels<T>();
  const Packing &packing = kernels.packing;
  const TileProduct<T> steps = in_steps(product, depth);
  T *const strips = area + steps.pieces() * packing.panels_size(product.m, depth);
  const PackedProduct<T> packed{steps, packing, area, strips};
  const double nanoseconds = product.nanoseconds();
  const unsigned threads = threads_for(where, nanoseconds);
  if (threads == 1) return multiply_in_order(packed, kernels);
  each_of(where, packed.count(), nanoseconds / 16, [&](uint64_t i) { kernels.pack(packed, static_cast<int64_t>(i)); });
  const int64_t size = sizeof(T);
  const Cut cut(product.m, product.n, threads, {packing.rows, packing.columns, 2048 / size, 504, 256 / size, 112});
  each_of(where, cut.count(), nanoseconds, [&](uint64_t i) {
    const Tiling::Tile tile = cut.tile(i);
    kernels.packed(packed, tile.row, tile.rows, tile.column, tile.columns);
  });
}

// Parts of C and of the terms for which there is room; false where there is no memory.
template <class T>
bool pack_and_multiply(const Product<T> &p, Where where) {
  const Packing &packing = product_kernels<T>().packing;
  const int64_t rows = std::min(p.m, kMostSide), columns = std::min(p.n, kMostSide);
  const int64_t depth = TileProduct<T>::depth_of(p.k), pieces = Packing::parts(p.k, depth);
  const int64_t most = std::max<int64_t>(kPackedNumbers / (rows + columns) / depth, 1);
  const int64_t together = Packing::parts(pieces, Packing::parts(pieces, most)), terms = together * depth;
  const int64_t numbers = together * (packing.panels_size(rows, depth) + packing.strips_size(columns, depth));
  const PackingArea area(static_cast<std::size_t>(numbers) * sizeof(T));
  if (area.get() == nullptr) return false;
  for (int64_t column = 0; column < p.n; column += columns) {
    for (int64_t row = 0; row < p.m; row += rows) {
      const Product<T> part = p.part({row, column, std::min(rows, p.m - row), std::min(columns, p.n - column)});
      for (int64_t first = 0; first < p.k; first += terms)
        multiply_packed(some_terms(part, first, std::min(terms, p.k - first)), depth, static_cast<T *>(area.get()),
                        where);
    }
  }
  return true;
}

// Whether A or B is slow to read where it lies.
template <class T>
bool is_slow_in_place(const Product<T> &p) {
  return p.transa != 'N' || (p.transb == 'N' && p.ldb * static_cast<int64_t>(sizeof(T)) % kBadStep == 0);
}

template <class T>
bool is_worth_packing(const Product<T> &p, Where where) {
  const unsigned threads = threads_for(where, p.nanoseconds());
  if (p.operations() > (threads == 1 ? kPackedOperations : kPackedTogether)) return true;
  return is_slow_in_place(p) && (threads == 1 || p.operations() > threads * kPackedByEach);
}

template <class T>
bool do_own_kernels(const Product<T> &p, Where where) {
  const ProductKernels<T> &kernels = product_kernels<T>();
  const bool has_place = kernels.in_place != nullptr;
  if (kernels.packed == nullptr || p.k == 0 || p.alpha == T(0)) return false;
  if (p.operations() <= (has_place ? kFewestOperations : kFewestAllPacked)) return false;
  if (p.m < kFewestRows || p.n < (has_place ? kFewestColumns : kPackedColumns)) return false;
  if (!has_place) return pack_and_multiply(p, where);
  const bool packs = p.n >= kPackedColumns && is_worth_packing(p, where);
  if (!packs || !pack_and_multiply(p, where)) multiply_in_place(p, where);
  return true;
}

}  // namespace

template <class T>
bool multiply_by_own_kernels(const Product<T> &product, Where where) {
  if constexpr (kIsComplex<T>) {
    return false;
  } else {
    return do_own_kernels(product, where);
  }
}

template bool multiply_by_own_kernels(const Product<float> &, Where);
template bool multiply_by_own_kernels(const Product<double> &, Where);
template bool multiply_by_own_kernels(const Product<Complex> &, Where);
template bool multiply_by_own_kernels(const Product<DoubleComplex> &, Where);

}  // namespace warploom::blas
