// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuSOLVER's functions for sparse matrices in rows: systems, factors that are kept, orders of rows.
#include <cusolverSp_LOWLEVEL_PREVIEW.h>

#include <memory>
#include <new>
#include <numeric>
#include <variant>

#include "../common/matrix_description.h"
#include "band.h"

namespace {

using namespace warploom::solver;

// What one factor after another is made in; the type is that of the first.
struct Kept {
  std::variant<std::monostate, BandFactor<float>, BandFactor<double>, BandFactor<cuComplex>,
               BandFactor<cuDoubleComplex>>
      factor;
  std::vector<int> rows, cols;
  std::vector<unsigned char> values;  // of what is to be factored later
  double shift = 0;
  int base = 0;
};
struct FactorInfo {
  std::shared_ptr<Kept> kept = std::make_shared<Kept>();
};

}  // namespace

struct csrcholInfo : FactorInfo {};
struct csrcholInfoHost : FactorInfo {};
struct csrqrInfo : FactorInfo {};
struct csrqrInfoHost : FactorInfo {};

namespace {

int base_of(const cusparseMatDescr_t desc) { return desc->base; }

cusolverStatus_t check(cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t desc) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (n < 0 || nnz < 0 || desc == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  return desc->type == CUSPARSE_MATRIX_TYPE_GENERAL ? CUSOLVER_STATUS_SUCCESS
                                                    : CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
}

// On the device cuSOLVER counts a Cholesky factor's rows from 1, and all others from 0.
enum class Way { kGeneral, kCholesky, kCholeskyOfHost };
constexpr int kMostReorder = 3;  // none, by Cuthill and McKee, by minimum degree, by nested dissection

// Solves at once, and waits: the caller reads whether the matrix is singular.
template <class T>
cusolverStatus_t solve(cusolverSpHandle_t handle, const char *name, Way way, int n, int nnz,
                       const cusparseMatDescr_t desc, const T *values, const int *rows, const int *cols, const T *b,
                       double tolerance, int reorder, T *x, int *singularity) {
  if (const cusolverStatus_t status = check(handle, n, nnz, desc); status != CUSOLVER_STATUS_SUCCESS) return status;
  if (reorder < 0 || reorder > kMostReorder) {
    if (singularity != nullptr) *singularity = 0;
    return CUSOLVER_STATUS_INVALID_VALUE;
  }
  if (singularity == nullptr || values == nullptr || b == nullptr || x == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto result = std::make_shared<cusolverStatus_t>(CUSOLVER_STATUS_SUCCESS);
  const cusolverStatus_t status = run(handle, name, 1e9, [=, base = base_of(desc)] {
    try {
      BandFactor<T> factor;
      const Pattern pattern{n, base, rows, cols};
      if (!pattern.is_sound(nnz)) {
        *result = CUSOLVER_STATUS_INVALID_VALUE;
        return;
      }
      if (!factor.analyse(pattern)) throw std::bad_alloc();
      factor.factor(pattern, values, way != Way::kGeneral, 0);
      *singularity = factor.singular_row(tolerance);
      if (*singularity < 0) {
        factor.solve(b, x);
        return;
      }
      // The place is told in the order of the matrix, as far as the factor is singular there.
      BandFactor<T> in_order;
      if (in_order.analyse(pattern, false)) {
        in_order.factor(pattern, values, way != Way::kGeneral, 0);
        if (const int place = in_order.singular_row(tolerance); place >= 0) *singularity = place;
      }
      if (way == Way::kCholesky) ++*singularity;
    } catch (const std::bad_alloc &) {
      *result = CUSOLVER_STATUS_ALLOC_FAILED;
    }
  });
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  const cusolverStatus_t waited = status_of(cudaStreamSynchronize(handle->stream));
  return waited != CUSOLVER_STATUS_SUCCESS ? waited : *result;
}

cusolverStatus_t analyse(cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t desc, const int *rows,
                         const int *cols, const FactorInfo *info) {
  if (const cusolverStatus_t status = check(handle, n, nnz, desc); status != CUSOLVER_STATUS_SUCCESS) return status;
  if (info == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto is_sound = std::make_shared<bool>(false);
  const cusolverStatus_t status =
      run(handle, "cusolverSpXcsrAnalysis", nnz * 100.0, [=, kept = info->kept, base = base_of(desc)] {
        *is_sound = Pattern{n, base, rows, cols}.is_sound(nnz);
        if (!*is_sound) return;
        kept->rows.assign(rows, rows + n + 1);
        kept->cols.assign(cols, cols + nnz);
        kept->base = base;
      });
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  const cusolverStatus_t waited = status_of(cudaStreamSynchronize(handle->stream));
  return waited == CUSOLVER_STATUS_SUCCESS && !*is_sound ? CUSOLVER_STATUS_INVALID_VALUE : waited;
}
cusolverStatus_t sizes(cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t desc, const FactorInfo *info,
                       size_t *internal, size_t *workspace) {
  if (const cusolverStatus_t status = check(handle, n, nnz, desc); status != CUSOLVER_STATUS_SUCCESS) return status;
  if (info == nullptr || internal == nullptr || workspace == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *internal = 0, *workspace = 256;
  return CUSOLVER_STATUS_SUCCESS;
}
template <class T>
cusolverStatus_t keep_values(cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t desc, const T *values,
                             double shift, const FactorInfo *info) {
  if (const cusolverStatus_t status = check(handle, n, nnz, desc); status != CUSOLVER_STATUS_SUCCESS) return status;
  if (info == nullptr || values == nullptr || info->kept->cols.size() != static_cast<std::size_t>(nnz))
    return CUSOLVER_STATUS_INVALID_VALUE;
  return run(handle, "cusolverSpcsrqrSetup", nnz, [=, kept = info->kept] {
    const auto *const bytes = reinterpret_cast<const unsigned char *>(values);
    kept->values.assign(bytes, bytes + static_cast<std::size_t>(nnz) * sizeof(T));
    kept->shift = shift;
  });
}
// Of `values`, or of those that are kept.
template <class T>
cusolverStatus_t factor(cusolverSpHandle_t handle, const char *name, Way way, int n, const T *values,
                        const FactorInfo *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (n < 0 || info == nullptr || info->kept->rows.size() != static_cast<std::size_t>(n) + 1)
    return CUSOLVER_STATUS_INVALID_VALUE;
  const auto result = std::make_shared<cusolverStatus_t>(CUSOLVER_STATUS_SUCCESS);
  const cusolverStatus_t status = run(handle, name, 1e9, [=, kept = info->kept] {
    try {
      auto &made = kept->factor.emplace<BandFactor<T>>();
      const Pattern pattern{n, kept->base, kept->rows.data(), kept->cols.data()};
      if (values == nullptr && kept->values.size() < kept->cols.size() * sizeof(T)) {
        *result = CUSOLVER_STATUS_INVALID_VALUE;  // nothing was kept
        return;
      }
      if (!made.analyse(pattern)) throw std::bad_alloc();
      made.factor(pattern, values != nullptr ? values : reinterpret_cast<const T *>(kept->values.data()),
                  way == Way::kCholesky, static_cast<Real<T>>(kept->shift));
    } catch (const std::bad_alloc &) {
      *result = CUSOLVER_STATUS_ALLOC_FAILED;
    }
  });
  if (status != CUSOLVER_STATUS_SUCCESS) return status;
  const cusolverStatus_t waited = status_of(cudaStreamSynchronize(handle->stream));
  return waited != CUSOLVER_STATUS_SUCCESS ? waited : *result;
}
template <class T>
cusolverStatus_t zero_pivot(cusolverSpHandle_t handle, const FactorInfo *info, double tolerance, int *position) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const auto *const made = info == nullptr ? nullptr : std::get_if<BandFactor<T>>(&info->kept->factor);
  if (made == nullptr || position == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *position = made->singular_row(tolerance);
  return CUSOLVER_STATUS_SUCCESS;
}
template <class T>
cusolverStatus_t solve_factored(cusolverSpHandle_t handle, const char *name, const T *b, T *x, const FactorInfo *info) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  const auto *const made = info == nullptr ? nullptr : std::get_if<BandFactor<T>>(&info->kept->factor);
  if (made == nullptr || b == nullptr || x == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  return run(handle, name, 1e7, [=, kept = info->kept] { std::get<BandFactor<T>>(kept->factor).solve(b, x); });
}

bool is_permutation(int n, const int *p) {
  std::vector<char> seen(static_cast<std::size_t>(n), 0);
  for (int i = 0; i < n; ++i) {
    if (p[i] < 0 || p[i] >= n || seen[p[i]] != 0) return false;
    seen[p[i]] = 1;
  }
  return true;
}

template <class Info>
cusolverStatus_t create(Info **info) {
  if (info == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *info = new Info;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t order(cusolverSpHandle_t handle, int n, int nnz, const cusparseMatDescr_t desc, const int *rows,
                       const int *cols, int *p) {
  if (const cusolverStatus_t status = check(handle, n, nnz, desc); status != CUSOLVER_STATUS_SUCCESS) return status;
  const Pattern pattern{n, base_of(desc), rows, cols};
  if (p == nullptr || !pattern.is_sound(nnz)) return CUSOLVER_STATUS_INVALID_VALUE;
  const std::vector<int> found = order_by_nearness(pattern);
  std::copy(found.begin(), found.end(), p);
  return CUSOLVER_STATUS_SUCCESS;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cusolverStatus_t cusolverSpCreate(cusolverSpHandle_t *handle) {
  if (handle == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  if (!warploom::libraries::load_openblas()) return CUSOLVER_STATUS_NOT_INITIALIZED;
  *handle = new cusolverSpContext;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpDestroy(cusolverSpHandle_t handle) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t stream) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t *stream) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  if (stream == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *stream = handle->stream;
  return CUSOLVER_STATUS_SUCCESS;
}

#define SOLVE(NAME, T, WAY)                                                                                   \
  cusolverStatus_t NAME(cusolverSpHandle_t h, int n, int nnz, const cusparseMatDescr_t desc, const T *values, \
                        const int *rows, const int *cols, const T *b, Real<T> tolerance, int reorder, T *x,   \
                        int *singularity) {                                                                   \
    return solve(h, #NAME, WAY, n, nnz, desc, values, rows, cols, b, tolerance, reorder, x, singularity);     \
  }
#define SOLVES(L, T)                                   \
  SOLVE(cusolverSp##L##csrlsvqr, T, Way::kGeneral)     \
  SOLVE(cusolverSp##L##csrlsvqrHost, T, Way::kGeneral) \
  SOLVE(cusolverSp##L##csrlsvluHost, T, Way::kGeneral) \
  SOLVE(cusolverSp##L##csrlsvchol, T, Way::kCholesky)  \
  SOLVE(cusolverSp##L##csrlsvcholHost, T, Way::kCholeskyOfHost)
SOLVES(S, float)
SOLVES(D, double)
SOLVES(C, cuComplex)
SOLVES(Z, cuDoubleComplex)
#undef SOLVES
#undef SOLVE

#define INFO(I, H)                                                                                     \
  cusolverStatus_t cusolverSpCreateCsr##I##Info##H(csr##I##Info##H##_t *info) { return create(info); } \
  cusolverStatus_t cusolverSpDestroyCsr##I##Info##H(csr##I##Info##H##_t info) {                        \
    return delete info, CUSOLVER_STATUS_SUCCESS;                                                       \
  }
INFO(chol, )
INFO(chol, Host)
INFO(qr, )
INFO(qr, Host)
#undef INFO

#define FACTOR(L, T, H)                                                                                                \
  cusolverStatus_t cusolverSp##L##csrcholBufferInfo##H(                                                                \
      cusolverSpHandle_t h, int n, int nnz, const cusparseMatDescr_t desc, const T *, const int *, const int *,        \
      csrcholInfo##H##_t info, size_t *internal, size_t *workspace) {                                                  \
    return sizes(h, n, nnz, desc, info, internal, workspace);                                                          \
  }                                                                                                                    \
  cusolverStatus_t cusolverSp##L##csrcholFactor##H(cusolverSpHandle_t h, int n, int, const cusparseMatDescr_t,         \
                                                   const T *values, const int *, const int *, csrcholInfo##H##_t info, \
                                                   void *) {                                                           \
    return factor(h, "cusolverSp" #L "csrcholFactor", Way::kCholesky, n, values, info);                                \
  }                                                                                                                    \
  cusolverStatus_t cusolverSp##L##csrcholZeroPivot##H(cusolverSpHandle_t h, csrcholInfo##H##_t info,                   \
                                                      Real<T> tolerance, int *position) {                              \
    return zero_pivot<T>(h, info, tolerance, position);                                                                \
  }                                                                                                                    \
  cusolverStatus_t cusolverSp##L##csrcholSolve##H(cusolverSpHandle_t h, int, const T *b, T *x,                         \
                                                  csrcholInfo##H##_t info, void *) {                                   \
    return solve_factored(h, "cusolverSp" #L "csrcholSolve", b, x, info);                                              \
  }                                                                                                                    \
  cusolverStatus_t cusolverSp##L##csrqrBufferInfo##H(                                                                  \
      cusolverSpHandle_t h, int m, int n, int nnz, const cusparseMatDescr_t desc, const T *, const int *, const int *, \
      csrqrInfo##H##_t info, size_t *internal, size_t *workspace) {                                                    \
    return m == n ? sizes(h, n, nnz, desc, info, internal, workspace) : CUSOLVER_STATUS_NOT_SUPPORTED;                 \
  }                                                                                                                    \
  cusolverStatus_t cusolverSp##L##csrqrSetup##H(cusolverSpHandle_t h, int m, int n, int nnz,                           \
                                                const cusparseMatDescr_t desc, const T *values, const int *,           \
                                                const int *, T mu, csrqrInfo##H##_t info) {                            \
    return m == n ? keep_values(h, n, nnz, desc, values, real_part(mu), info) : CUSOLVER_STATUS_NOT_SUPPORTED;         \
  }                                                                                                                    \
  cusolverStatus_t cusolverSp##L##csrqrFactor##H(cusolverSpHandle_t h, int, int n, int, T *b, T *x,                    \
                                                 csrqrInfo##H##_t info, void *) {                                      \
    const cusolverStatus_t status = factor<T>(h, "cusolverSp" #L "csrqrFactor", Way::kGeneral, n, nullptr, info);      \
    return status != CUSOLVER_STATUS_SUCCESS || b == nullptr                                                           \
               ? status                                                                                                \
               : solve_factored<T>(h, "cusolverSp" #L "csrqrFactor", b, x, info);                                      \
  }                                                                                                                    \
  cusolverStatus_t cusolverSp##L##csrqrZeroPivot##H(cusolverSpHandle_t h, csrqrInfo##H##_t info, Real<T> tolerance,    \
                                                    int *position) {                                                   \
    return zero_pivot<T>(h, info, tolerance, position);                                                                \
  }                                                                                                                    \
  cusolverStatus_t cusolverSp##L##csrqrSolve##H(cusolverSpHandle_t h, int, int, T *b, T *x, csrqrInfo##H##_t info,     \
                                                void *) {                                                              \
    return solve_factored<T>(h, "cusolverSp" #L "csrqrSolve", b, x, info);                                             \
  }
#define FACTORS(H)        \
  FACTOR(S, float, H)     \
  FACTOR(D, double, H)    \
  FACTOR(C, cuComplex, H) \
  FACTOR(Z, cuDoubleComplex, H)
FACTORS()
FACTORS(Host)
#undef FACTORS
#undef FACTOR

#define ANALYSIS(H)                                                                                                   \
  cusolverStatus_t cusolverSpXcsrcholAnalysis##H(cusolverSpHandle_t h, int n, int nnz, const cusparseMatDescr_t desc, \
                                                 const int *rows, const int *cols, csrcholInfo##H##_t info) {         \
    return analyse(h, n, nnz, desc, rows, cols, info);                                                                \
  }                                                                                                                   \
  cusolverStatus_t cusolverSpXcsrqrAnalysis##H(cusolverSpHandle_t h, int m, int n, int nnz,                           \
                                               const cusparseMatDescr_t desc, const int *rows, const int *cols,       \
                                               csrqrInfo##H##_t info) {                                               \
    return m == n ? analyse(h, n, nnz, desc, rows, cols, info) : CUSOLVER_STATUS_NOT_SUPPORTED;                       \
  }
ANALYSIS()
ANALYSIS(Host)
#undef ANALYSIS

#define ORDER(NAME)                                                                                           \
  cusolverStatus_t NAME(cusolverSpHandle_t h, int n, int nnz, const cusparseMatDescr_t desc, const int *rows, \
                        const int *cols, int *p) {                                                            \
    return order(h, n, nnz, desc, rows, cols, p);                                                             \
  }
ORDER(cusolverSpXcsrsymrcmHost)
ORDER(cusolverSpXcsrsymmdqHost)
ORDER(cusolverSpXcsrsymamdHost)
#undef ORDER
cusolverStatus_t cusolverSpXcsrmetisndHost(cusolverSpHandle_t h, int n, int nnz, const cusparseMatDescr_t desc,
                                           const int *rows, const int *cols, const int64_t *, int *p) {
  return order(h, n, nnz, desc, rows, cols, p);
}
cusolverStatus_t cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t h, int m, int n, int nnz,
                                                   const cusparseMatDescr_t desc, const int *, const int *, const int *,
                                                   const int *, size_t *size) {
  if (const cusolverStatus_t status = check(h, std::min(m, n), nnz, desc); status != CUSOLVER_STATUS_SUCCESS)
    return status;
  if (size == nullptr) return CUSOLVER_STATUS_INVALID_VALUE;
  *size = 16;
  return CUSOLVER_STATUS_SUCCESS;
}
// Row i becomes row p[i] of before, column j column q[j]; columns ascend within a row.
cusolverStatus_t cusolverSpXcsrpermHost(cusolverSpHandle_t h, int m, int n, int nnz, const cusparseMatDescr_t desc,
                                        int *rows, int *cols, const int *p, const int *q, int *map, void *) {
  if (const cusolverStatus_t status = check(h, std::min(m, n), nnz, desc); status != CUSOLVER_STATUS_SUCCESS)
    return status;
  const int base = base_of(desc);
  const bool is_there = rows != nullptr && cols != nullptr && p != nullptr && q != nullptr && map != nullptr;
  if (!is_there || !is_permutation(m, p) || !is_permutation(n, q)) return CUSOLVER_STATUS_INVALID_VALUE;
  if (!Pattern{m, base, rows, cols}.is_sound(nnz, n)) return CUSOLVER_STATUS_INVALID_VALUE;
  std::vector<int> place(static_cast<std::size_t>(n)), new_rows{base}, new_cols, new_map;
  for (int j = 0; j < n; ++j) place[q[j]] = j;
  for (int i = 0; i < m; ++i) {
    std::vector<std::pair<int, int>> row;  // new column, value
    for (int k = rows[p[i]] - base; k < rows[p[i] + 1] - base; ++k) row.emplace_back(place[cols[k] - base], map[k]);
    std::sort(row.begin(), row.end());
    for (const auto &[col, value] : row) new_cols.push_back(col + base), new_map.push_back(value);
    new_rows.push_back(static_cast<int>(new_cols.size()) + base);
  }
  std::copy(new_rows.begin(), new_rows.end(), rows);
  std::copy(new_cols.begin(), new_cols.end(), cols);
  std::copy(new_map.begin(), new_map.end(), map);
  return CUSOLVER_STATUS_SUCCESS;
}
// Whether each value's place has a counterpart across the diagonal.
cusolverStatus_t cusolverSpXcsrissymHost(cusolverSpHandle_t h, int m, int nnz, const cusparseMatDescr_t desc,
                                         const int *rows, const int *ends, const int *cols, int *is_symmetric) {
  if (const cusolverStatus_t status = check(h, m, nnz, desc); status != CUSOLVER_STATUS_SUCCESS) return status;
  if (is_symmetric == nullptr || rows == nullptr || ends == nullptr || cols == nullptr)
    return CUSOLVER_STATUS_INVALID_VALUE;
  const int base = base_of(desc);
  std::vector<std::pair<int, int>> places, across;
  for (int row = 0; row < m; ++row) {
    for (int k = rows[row] - base; k < ends[row] - base; ++k) {
      places.emplace_back(row, cols[k] - base);
      across.emplace_back(cols[k] - base, row);
    }
  }
  std::sort(places.begin(), places.end());
  std::sort(across.begin(), across.end());
  *is_symmetric = places == across ? 1 : 0;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // extern "C"
#pragma GCC visibility pop
