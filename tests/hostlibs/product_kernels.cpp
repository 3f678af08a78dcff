// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of products of one level of the processor, as plain functions: C = alpha A B + beta C on this thread.
// Compiled with WARPLOOM_LEVEL and that level's -march.
#include <cstdint>
#include <vector>

#include "kernels/products.cpp"

using namespace warploom::blas;

namespace {

template <class T>
bool in_place(const ProductKernels<T> &kernels, TileProduct<T> p) {
  if (kernels.in_place == nullptr) return false;
  std::vector<T> area(static_cast<std::size_t>(p.area_size()));
  p.area = area.data();
  kernels.in_place(p);
  return true;
}

// In tiles of `panels` by `strips`.
template <class T>
bool packed(const ProductKernels<T> &kernels, const TileProduct<T> &p, std::int64_t panels, std::int64_t strips) {
  const Packing &packing = kernels.packing;
  std::vector<T> left(static_cast<std::size_t>(p.pieces() * packing.panels_size(p.m, p.depth)), T(77));
  std::vector<T> right(static_cast<std::size_t>(p.pieces() * packing.strips_size(p.n, p.depth)), T(77));
  const PackedProduct<T> all{p, packing, left.data(), right.data()};
  for (std::int64_t part = all.count(); part-- > 0;) kernels.pack(all, part);
  const std::int64_t high = panels * packing.rows, wide = strips * packing.columns;
  for (std::int64_t row = 0; row < p.m; row += high) {
    for (std::int64_t column = 0; column < p.n; column += wide)
      kernels.packed(all, row, p.m - row < high ? p.m - row : high, column, p.n - column < wide ? p.n - column : wide);
  }
  return true;
}

}  // namespace

#define PRODUCTS(NAME, T, KERNELS)                                                                                  \
  extern "C" bool NAME(std::int64_t panels, std::int64_t strips, bool ta, bool tb, std::int64_t m, std::int64_t n,  \
                       std::int64_t k, T alpha, const T *a, std::int64_t lda, const T *b, std::int64_t ldb, T beta, \
                       T *c, std::int64_t ldc) {                                                                    \
    const TileProduct<T> p{m,                                                                                       \
                           n,                                                                                       \
                           k,                                                                                       \
                           TileProduct<T>::depth_of(k),                                                             \
                           alpha,                                                                                   \
                           a,                                                                                       \
                           ta ? lda : 1,                                                                            \
                           ta ? 1 : lda,                                                                            \
                           b,                                                                                       \
                           tb ? ldb : 1,                                                                            \
                           tb ? 1 : ldb,                                                                            \
                           beta,                                                                                    \
                           c,                                                                                       \
                           ldc,                                                                                     \
                           nullptr};                                                                                \
    return panels == 0 ? in_place(KERNELS, p) : packed(KERNELS, p, panels, strips);                                 \
  }
PRODUCTS(product_of_floats, float, WARPLOOM_LEVEL::kFloatProducts)
PRODUCTS(product_of_doubles, double, WARPLOOM_LEVEL::kDoubleProducts)
