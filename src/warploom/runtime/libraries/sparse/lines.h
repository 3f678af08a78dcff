// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sparse matrix of any format, or its transpose, as rows of values with their columns: where it lies if it lies so,
// else a copy. Within a row values come in the order in which they are stored; indices outside of the matrix are left
// out of copies, after a message.
#pragma once

#include <algorithm>
#include <optional>

#include "descriptor.h"
#include "kernels.h"

namespace warploom::sparse {

inline std::int64_t index_at(const void *indices, cusparseIndexType_t type, std::int64_t i) {
  if (type == CUSPARSE_INDEX_64I) return static_cast<const std::int64_t *>(indices)[i];
  if (type == CUSPARSE_INDEX_16U) return static_cast<const std::uint16_t *>(indices)[i];
  return static_cast<const std::int32_t *>(indices)[i];
}
inline void set_index(void *indices, cusparseIndexType_t type, std::int64_t i, std::int64_t value) {
  if (type == CUSPARSE_INDEX_64I) {
    static_cast<std::int64_t *>(indices)[i] = value;
  } else if (type == CUSPARSE_INDEX_16U) {
    static_cast<std::uint16_t *>(indices)[i] = static_cast<std::uint16_t>(value);
  } else {
    static_cast<std::int32_t *>(indices)[i] = static_cast<std::int32_t>(value);
  }
}

template <class T>
struct Entry {
  std::int64_t row, col;
  T value;
};

template <class T>
class Lines {
 public:
  std::int64_t rows = 0, cols = 0;

  std::int64_t begin(std::int64_t row) const { return index_at(offsets_, offset_type_, row) - base_; }
  std::int64_t end(std::int64_t row) const { return begin(row + 1); }
  std::int64_t size() const { return rows == 0 ? 0 : end(rows - 1) - begin(0); }
  std::int64_t col(std::int64_t at) const { return index_at(indices_, index_type_, at) - base_; }
  bool is_inside(std::int64_t col) const { return static_cast<std::uint64_t>(col) < static_cast<std::uint64_t>(cols); }
  Work<T> value(std::int64_t at) const {
    const Work<T> stored = load(values_[at]);
    return conjugated ? conjugate(stored) : stored;
  }
  // Whether the kernels know the form of the indices, and the rows as they take them.
  bool has_short_rows() const { return index_type_ == CUSPARSE_INDEX_32I; }
  ShortRows<T> short_rows() const {
    return {offsets_, offset_type_ == CUSPARSE_INDEX_64I, base_,  static_cast<const std::int32_t *>(indices_),
            values_,  static_cast<std::uint32_t>(cols),   size(), inside_};
  }
  bool conjugated = false;

  // Whether no column lies outside.
  bool are_inside() const {
    for (std::int64_t i = 0, first = rows == 0 ? 0 : begin(0); i < size(); ++i) {
      if (!is_inside(col(first + i))) return false;
    }
    return true;
  }

  // Of batch `batch` of op(matrix).
  Lines(const cusparseSpMatDescr &matrix, cusparseOperation_t op, const char *function, int batch = 0) {
    const bool transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    conjugated = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    rows = transposed ? matrix.cols : matrix.rows;
    cols = transposed ? matrix.rows : matrix.cols;
    const bool lies_so = matrix.format == (transposed ? CUSPARSE_FORMAT_CSC : CUSPARSE_FORMAT_CSR);
    if (!lies_so) {
      copy(matrix, transposed, function, batch);
      return;
    }
    const std::int64_t first = batch * matrix.offsets_stride;
    const std::size_t index_size = matrix.index_type == CUSPARSE_INDEX_64I ? 8 : 4;
    offset_type_ = matrix.offset_type, index_type_ = matrix.index_type, base_ = matrix.base;
    offsets_ = static_cast<const char *>(matrix.offsets) + first * (offset_type_ == CUSPARSE_INDEX_64I ? 8 : 4);
    indices_ = static_cast<const char *>(matrix.indices) + batch * matrix.values_stride * index_size;
    values_ = static_cast<const T *>(matrix.values) + batch * matrix.values_stride;
    inside_ = matrix.inspected != nullptr && *matrix.inspected;
  }
  Lines(Lines &&) = delete;

 private:
  // Sorts by rows and keeps the order within them.
  void copy(const cusparseSpMatDescr &matrix, bool transposed, const char *function, int batch) {
    own_offsets_.assign(static_cast<std::size_t>(rows) + 1, 0);
    bool outside = false;
    const auto place = [&](std::int64_t row, std::int64_t col, auto then) {
      const bool is_in = static_cast<std::uint64_t>(row) < static_cast<std::uint64_t>(matrix.rows) &&
                         static_cast<std::uint64_t>(col) < static_cast<std::uint64_t>(matrix.cols);
      if (!is_in) {
        outside = true;
        return;
      }
      transposed ? then(col, row) : then(row, col);
    };
    for_entries(matrix, batch, [&](std::int64_t row, std::int64_t col, const T &) {
      place(row, col, [&](std::int64_t r, std::int64_t) { ++own_offsets_[static_cast<std::size_t>(r) + 1]; });
    });
    for (std::int64_t i = 0; i < rows; ++i) own_offsets_[i + 1] += own_offsets_[i];
    own_indices_.resize(static_cast<std::size_t>(own_offsets_[rows]));
    own_values_.resize(own_indices_.size());
    std::vector<std::int64_t> next(own_offsets_.begin(), own_offsets_.end() - 1);
    for_entries(matrix, batch, [&](std::int64_t row, std::int64_t col, const T &value) {
      place(row, col, [&](std::int64_t r, std::int64_t c) {
        const std::int64_t at = next[r]++;
        own_indices_[at] = c, own_values_[at] = value;
      });
    });
    if (outside) tell_outside(function);
    offsets_ = own_offsets_.data(), indices_ = own_indices_.data(), values_ = own_values_.data();
    offset_type_ = index_type_ = CUSPARSE_INDEX_64I;
  }

 public:
  // Calls each(row, col, value) for all values of a matrix, as they are stored.
  template <class Each>
  static void for_entries(const cusparseSpMatDescr &m, int batch, Each each) {
    const T *const values = static_cast<const T *>(m.values) + batch * m.values_stride;
    const std::int64_t shift = batch * m.values_stride;
    switch (m.format) {
      case CUSPARSE_FORMAT_COO:
        for (std::int64_t i = 0; i < m.nnz; ++i) {
          each(index_at(m.offsets, m.index_type, i + shift) - m.base,
               index_at(m.indices, m.index_type, i + shift) - m.base, values[i]);
        }
        return;
      case CUSPARSE_FORMAT_BSR:
        return for_blocks(m, each);
      case CUSPARSE_FORMAT_BLOCKED_ELL:
        return for_ell_blocks(m, each);
      default: {
        const bool by_rows = m.format == CUSPARSE_FORMAT_CSR;
        const std::int64_t lines = by_rows ? m.rows : m.cols, first = batch * m.offsets_stride;
        for (std::int64_t line = 0; line < lines; ++line) {
          const std::int64_t end = index_at(m.offsets, m.offset_type, first + line + 1) - m.base;
          for (std::int64_t i = index_at(m.offsets, m.offset_type, first + line) - m.base; i < end; ++i) {
            const std::int64_t other = index_at(m.indices, m.index_type, i + shift) - m.base;
            by_rows ? each(line, other, values[i]) : each(other, line, values[i]);
          }
        }
      }
    }
  }

 private:
  template <class Each>
  static void for_block(const cusparseSpMatDescr &m, std::int64_t row, std::int64_t col, const T *values,
                        std::int64_t row_step, std::int64_t col_step, Each each) {
    for (std::int64_t i = 0; i < m.block_rows; ++i) {
      for (std::int64_t j = 0; j < m.block_cols; ++j) {
        each(row * m.block_rows + i, col * m.block_cols + j, values[i * row_step + j * col_step]);
      }
    }
  }
  template <class Each>
  static void for_blocks(const cusparseSpMatDescr &m, Each each) {
    const bool by_row = m.block_order == CUSPARSE_ORDER_ROW;
    const T *const values = static_cast<const T *>(m.values);
    for (std::int64_t row = 0; row < m.rows / m.block_rows; ++row) {
      const std::int64_t end = index_at(m.offsets, m.offset_type, row + 1) - m.base;
      for (std::int64_t i = index_at(m.offsets, m.offset_type, row) - m.base; i < end; ++i) {
        for_block(m, row, index_at(m.indices, m.index_type, i) - m.base, values + i * m.block_rows * m.block_cols,
                  by_row ? m.block_cols : 1, by_row ? 1 : m.block_rows, each);
      }
    }
  }
  // Blocks of a row lie beside one another in rows of `ell_cols` values; a column of -1 stands for none.
  template <class Each>
  static void for_ell_blocks(const cusparseSpMatDescr &m, Each each) {
    const T *const values = static_cast<const T *>(m.values);
    const std::int64_t width = m.ell_cols / m.block_cols;
    for (std::int64_t row = 0; row < m.rows / m.block_rows; ++row) {
      for (std::int64_t i = 0; i < width; ++i) {
        const std::int64_t col = index_at(m.indices, m.index_type, row * width + i) - m.base;
        if (col < 0) continue;
        for_block(m, row, col, values + row * m.block_rows * m.ell_cols + i * m.block_cols, m.ell_cols, 1, each);
      }
    }
  }

  const void *offsets_ = nullptr, *indices_ = nullptr;
  const T *values_ = nullptr;
  cusparseIndexType_t offset_type_ = CUSPARSE_INDEX_64I, index_type_ = CUSPARSE_INDEX_64I;
  std::int64_t base_ = 0;
  bool inside_ = false;
  std::vector<std::int64_t> own_offsets_, own_indices_;
  std::vector<T> own_values_;
};

}  // namespace warploom::sparse
