// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of two sparse matrices: the result is kept until the caller has made room for it. Columns of a row come out
// in ascending order; each value is a sum in the order of the left matrix's row.
#include "lines.h"

using namespace warploom::sparse;

namespace {

struct Product {
  std::vector<std::int64_t> offsets, cols;
  std::vector<unsigned char> values;  // in what they are computed in
};

}  // namespace

struct cusparseSpGEMMDescr {
  std::shared_ptr<Product> product;
};

namespace {

template <class T>
struct Row {
  std::vector<std::int64_t> cols;
  std::vector<Work<T>> values;
};

template <class T>
void multiply_row(const Lines<T> &a, const Lines<T> &b, std::int64_t row, std::vector<std::int64_t> &seen,
                  std::vector<Work<T>> &sums, Row<T> &result) {
  for (std::int64_t i = a.begin(row); i < a.end(row); ++i) {
    const std::int64_t k = a.col(i);
    if (!a.is_inside(k)) continue;
    const Work<T> left = a.value(i);
    for (std::int64_t j = b.begin(k); j < b.end(k); ++j) {
      const std::int64_t col = b.col(j);
      if (!b.is_inside(col)) continue;
      const Work<T> term = left * b.value(j);
      if (seen[col] == row) {
        sums[col] += term;
      } else {
        seen[col] = row;
        sums[col] = term;
        result.cols.push_back(col);
      }
    }
  }
  std::sort(result.cols.begin(), result.cols.end());
  for (const std::int64_t col : result.cols) result.values.push_back(sums[col]);
}

template <class T>
std::shared_ptr<Product> multiply(const Lines<T> &a, const Lines<T> &b) {
  std::vector<Row<T>> rows(static_cast<std::size_t>(a.rows));
  each_lines(
      a.rows, a.size() * 16,
      [&](std::int64_t first, std::int64_t last) {
        std::vector<std::int64_t> seen(static_cast<std::size_t>(b.cols), -1);
        std::vector<Work<T>> sums(static_cast<std::size_t>(b.cols));
        for (std::int64_t row = first; row < last; ++row) multiply_row(a, b, row, seen, sums, rows[row]);
      },
      std::max<std::int64_t>(256, a.rows / 64));
  auto made = std::make_shared<Product>();
  made->offsets.push_back(0);
  for (const Row<T> &row : rows) {
    made->cols.insert(made->cols.end(), row.cols.begin(), row.cols.end());
    const auto *bytes = reinterpret_cast<const unsigned char *>(row.values.data());
    made->values.insert(made->values.end(), bytes, bytes + row.values.size() * sizeof(Work<T>));
    made->offsets.push_back(static_cast<std::int64_t>(made->cols.size()));
  }
  return made;
}

template <class T>
void write(const cusparseSpMatDescr &c, const Product &product, Work<T> alpha, Work<T> beta) {
  for (std::size_t row = 0; row < product.offsets.size(); ++row) {
    set_index(c.offsets, c.offset_type, static_cast<std::int64_t>(row), product.offsets[row] + c.base);
  }
  const auto *const values = reinterpret_cast<const Work<T> *>(product.values.data());
  auto *const to = static_cast<T *>(c.values);
  for (std::size_t i = 0; i < product.cols.size(); ++i) {
    set_index(c.indices, c.index_type, static_cast<std::int64_t>(i), product.cols[i] + c.base);
    const Work<T> value = alpha * values[i];
    to[i] = Number<T>::store(beta == Work<T>(0) ? value : value + beta * load(to[i]));
  }
}

cusparseStatus_t check(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha,
                       cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void *beta,
                       cusparseSpMatDescr_t c, cudaDataType compute, cusparseSpGEMMDescr_t desc) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr || beta == nullptr || a == nullptr || b == nullptr || c == nullptr || desc == nullptr)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (a->cols != b->rows || c->rows != a->rows || c->cols != b->cols) return CUSPARSE_STATUS_INVALID_VALUE;
  const bool plain = opa == CUSPARSE_OPERATION_NON_TRANSPOSE && opb == CUSPARSE_OPERATION_NON_TRANSPOSE;
  const bool rows =
      a->format == CUSPARSE_FORMAT_CSR && b->format == CUSPARSE_FORMAT_CSR && c->format == CUSPARSE_FORMAT_CSR;
  const bool types =
      is_value_type(a->type) && a->type == b->type && a->type == c->type && compute == work_type(a->type);
  return plain && rows && types ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_SUPPORTED;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *desc) {
  if (desc == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *desc = new cusparseSpGEMMDescr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t desc) {
  delete desc;
  return CUSPARSE_STATUS_SUCCESS;
}
// Work areas are the library's own; programs want to allocate one nevertheless.
cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t handle, cusparseOperation_t opa,
                                               cusparseOperation_t opb, const void *alpha, cusparseConstSpMatDescr_t a,
                                               cusparseConstSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c,
                                               cudaDataType compute, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t desc,
                                               size_t *size, void *buffer) {
  const cusparseStatus_t status = check(handle, opa, opb, alpha, a, b, beta, c, compute, desc);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (size == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (buffer == nullptr) *size = 16;
  return status;
}
cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                        const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                        const void *beta, cusparseSpMatDescr_t c, cudaDataType compute,
                                        cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t desc, size_t *size, void *buffer) {
  const cusparseStatus_t status = check(handle, opa, opb, alpha, a, b, beta, c, compute, desc);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (size == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  if (buffer == nullptr) {
    *size = 16;
    return status;
  }
  auto made = std::make_shared<std::shared_ptr<Product>>();
  const cusparseStatus_t done = run_and_wait(handle, "cusparseSpGEMM_compute", a->nnz * 16, [made, a = *a, b = *b] {
    with_value_type(a.type, [&]<class T>(Tag<T>) {
      const Lines<T> left(a, CUSPARSE_OPERATION_NON_TRANSPOSE, "cusparseSpGEMM_compute");
      const Lines<T> right(b, CUSPARSE_OPERATION_NON_TRANSPOSE, "cusparseSpGEMM_compute");
      *made = multiply(left, right);
    });
  });
  if (done != CUSPARSE_STATUS_SUCCESS || !*made) return done;
  desc->product = *made;
  c->nnz = desc->product->offsets.back();
  return done;
}
cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t handle, cusparseOperation_t opa, cusparseOperation_t opb,
                                     const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                                     const void *beta, cusparseSpMatDescr_t c, cudaDataType compute,
                                     cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t desc) {
  const cusparseStatus_t status = check(handle, opa, opb, alpha, a, b, beta, c, compute, desc);
  if (status != CUSPARSE_STATUS_SUCCESS) return status;
  if (!desc->product) return CUSPARSE_STATUS_INVALID_VALUE;
  const Scalar s(handle, alpha, compute), t(handle, beta, compute);
  return run(handle, "cusparseSpGEMM_copy", c->nnz, [s, t, product = desc->product, c = *c] {
    with_value_type(c.type, [&]<class T>(Tag<T>) { write<T>(c, *product, s.get<Work<T>>(), t.get<Work<T>>()); });
  });
}

}  // extern "C"
#pragma GCC visibility pop
