// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the numbers of a recurrent network lie between forward and backward, and products of rows with matrices.
#pragma once

#include <memory>

#include "convolution.h"
#include "rnn.h"

namespace warploom::dnn::rnn {

template <class T>
inline constexpr Kind kKindOf = sizeof(T) == 8 ? Kind::kDouble : Kind::kFloat;

template <class T>
std::unique_ptr<T[]> room(Size count) {
  return std::unique_ptr<T[]>(new T[static_cast<std::size_t>(count)]());
}

// Hands out parts of a piece of memory; without one, counts their bytes.
class Parts {
 public:
  explicit Parts(void *memory) : memory_(static_cast<char *>(memory)) {}
  template <class T>
  T *take(Size count) {
    char *const result = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += (static_cast<std::size_t>(count) * sizeof(T) + 63) / 64 * 64;
    return reinterpret_cast<T *>(result);
  }
  std::size_t used() const { return used_; }

 private:
  char *memory_;
  std::size_t used_ = 0;
};

// One layer in one direction, all by rows.
template <class T>
struct Chain {
  T *gates;      // of `gate_rows` numbers; backward: the gradients of what they are functions of
  T *recurrent;  // GRU: the same for the products with h
  T *cell;       // LSTM: c
  T *plain;      // with a projection: what is projected
  T *projected;  // with a projection, backward: the gradients of h
};

template <class T>
struct Storage {
  Storage(const Network &network, Size rows, void *memory) {
    Parts parts(memory);
    for (Size i = 0; i < network.chains(); ++i) {
      Chain<T> chain = {};
      chain.gates = parts.take<T>(rows * network.gate_rows());
      if (network.is_gru()) chain.recurrent = parts.take<T>(rows * network.gate_rows());
      if (network.is_lstm()) chain.cell = parts.take<T>(rows * network.hidden);
      if (network.projects()) {
        chain.plain = parts.take<T>(rows * network.hidden);
        chain.projected = parts.take<T>(rows * network.out);
      }
      chains.push_back(chain);
    }
    for (Size layer = 0; layer < network.layers; ++layer) {
      outputs.push_back(parts.take<T>(rows * network.wide()));
      const bool drops = network.drops() && layer > 0;
      masks.push_back(drops ? parts.take<std::uint8_t>((rows * network.wide() + 7) / 8) : nullptr);
      dropped.push_back(drops ? parts.take<T>(rows * network.wide()) : nullptr);
    }
    size = parts.used();
  }
  std::vector<Chain<T>> chains;
  std::vector<T *> outputs, dropped;  // of layers; `dropped`: a layer's inputs behind a dropout
  std::vector<std::uint8_t *> masks;
  std::size_t size = 0;
};

// Rows of numbers, `step` elements apart.
struct Rows {
  void *data;
  Kind kind;
  Size count, width, step;
};
template <class T>
Rows rows_of(T *data, Size count, Size width, Size step) {
  return {data, kKindOf<T>, count, width, step};
}

inline Images images_of(const Rows &rows) {
  return {rows.kind, 1, rows.width, {1, 1, rows.count}, 0, 1, {0, 0, rows.step}};
}
inline Convolution product_of(const Rows &x, const Rows &matrix, const Rows &y) {
  const Images w = {matrix.kind, matrix.count, matrix.width, {1, 1, 1}, matrix.step, 1, {0, 0, 0}};
  return {images_of(x), w, images_of(y), {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, 1, false};
}
inline Ending ending(double beta, const void *bias = nullptr, Kind kind = Kind::kFloat) {
  return {1, beta, nullptr, {}, bias, kind, Curve::kNone, 0};
}
// y = x matrix^T + beta y + bias
inline void multiply(const Rows &x, const Rows &matrix, const Rows &y, const Ending &how) {
  if (x.count > 0) convolve(product_of(x, matrix, y), x.data, matrix.data, y.data, how);
}
// x = y matrix + beta x
inline void multiply_back(const Rows &y, const Rows &matrix, const Rows &x, double beta) {
  if (x.count > 0) convolve_back_to_data(product_of(x, matrix, y), matrix.data, y.data, x.data, ending(beta));
}
// matrix += y^T x
inline void add_gradient(const Rows &x, const Rows &y, const Rows &matrix) {
  if (x.count > 0) convolve_back_to_filter(product_of(x, matrix, y), x.data, y.data, matrix.data, ending(1));
}

// The matrices of a chain, as they lie in the user's memory.
struct Matrices {
  Matrices(const Network &network, Size chain, const void *weights)
      : places(network.weights_of(chain)),
        kind(network.kind),
        data_(static_cast<char *>(const_cast<void *>(weights))),
        network_(network),
        layer_(chain / network.directions) {}
  Rows input() const { return {at(places.input), kind, network_.gate_rows(), width(), width()}; }
  Rows recurrent() const { return {at(places.recurrent), kind, network_.gate_rows(), network_.out, network_.out}; }
  Rows projection() const { return {at(places.projection), kind, network_.out, network_.hidden, network_.hidden}; }
  void *input_bias() const { return at(places.input_bias); }
  void *recurrent_bias() const { return at(places.recurrent_bias); }
  const Weights places;
  const Kind kind;

 private:
  void *at(Size place) const { return place < 0 ? nullptr : data_ + place * bytes_of(kind); }
  Size width() const { return network_.input_of(layer_); }
  char *data_;
  const Network &network_;
  Size layer_;
};

// Calls each(t) for each time in the order of a direction, or in the opposite one.
template <class Each>
void each_time(Size time, bool ascending, const Each &each) {
  for (Size i = 0; i < time; ++i) each(ascending ? i : time - 1 - i);
}
// The row of sequence i before time t, as direction 0 or 1 goes; -1: there is none, the state is the initial one.
inline Size row_before(const Sequences &sequences, Size direction, Size t, Size i) {
  if (direction == 0) return t == 0 ? -1 : sequences.first[static_cast<std::size_t>(t - 1)] + i;
  const auto next = static_cast<std::size_t>(t + 1);
  return t + 1 < sequences.time() && i < sequences.active[next] ? sequences.first[next] + i : -1;
}

// Calls each(i) for rows [0, count) of `width` numbers, side by side.
template <class Each>
void each_row(Size count, Size width, double nanoseconds_each, const Each &each) {
  const Size together = std::max<Size>(1, 1024 / std::max<Size>(1, width));
  const auto tiles = static_cast<std::uint64_t>((count + together - 1) / together);
  libraries::each_tile(tiles, static_cast<double>(count * width) * nanoseconds_each, [&](std::uint64_t tile) {
    const Size first = static_cast<Size>(tile) * together;
    for (Size i = first; i < std::min(count, first + together); ++i) each(i);
  });
}

// States of one chain (numbers of all sequences in the user's order) to rows in the order of lengths; zeros if null.
template <class T>
void read_states(const Call &call, const void *states, Size chain, Size width, T *to) {
  const Sequences &sequences = call.sequences;
  if (states == nullptr) return;
  for (Size i = 0; i < sequences.batch(); ++i) {
    const Size at = (chain * sequences.batch() + sequences.order[static_cast<std::size_t>(i)]) * width;
    const void *const from = static_cast<const char *>(states) + at * bytes_of(call.network.kind);
    line_kernels<T>().read(call.network.kind, from, 1, width, to + i * width);
  }
}
template <class T>
void write_states(const Call &call, const T *from, Size chain, Size width, void *states) {
  const Sequences &sequences = call.sequences;
  if (states == nullptr) return;
  for (Size i = 0; i < sequences.batch(); ++i) {
    const Size at = (chain * sequences.batch() + sequences.order[static_cast<std::size_t>(i)]) * width;
    line_kernels<T>().write(call.network.kind, from + i * width,
                            static_cast<char *>(states) + at * bytes_of(call.network.kind), 1, width);
  }
}

// The user's vectors, by rows, and back.
template <class T>
void read_vectors(const Call &call, const Vectors &vectors, T *to) {
  each_time(call.sequences.time(), true, [&](Size t) {
    const auto time = static_cast<std::size_t>(t);
    for (Size i = 0; i < call.sequences.active[time]; ++i) {
      const Size at = vectors.place(call.sequences, t, i) * bytes_of(vectors.kind);
      line_kernels<T>().read(vectors.kind, static_cast<const char *>(vectors.data) + at, 1, vectors.size,
                             to + (call.sequences.first[time] + i) * vectors.size);
    }
  });
}
template <class T>
void write_vectors(const Call &call, const T *from, const Vectors &vectors) {
  const Sequences &sequences = call.sequences;
  const bool padded = vectors.fills && vectors.layout != CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;
  const std::vector<T> padding(static_cast<std::size_t>(vectors.size), static_cast<T>(vectors.padding));
  for (Size t = 0; t < vectors.time; ++t) {
    const auto time = static_cast<std::size_t>(t);
    const Size active = t < sequences.time() ? sequences.active[time] : 0;
    for (Size i = 0; i < (padded ? sequences.batch() : active); ++i) {
      const T *const row = i < active ? from + (sequences.first[time] + i) * vectors.size : padding.data();
      const Size at = vectors.place(sequences, t, i) * bytes_of(vectors.kind);
      line_kernels<T>().write(vectors.kind, row, static_cast<char *>(vectors.data) + at, 1, vectors.size);
    }
  }
}

}  // namespace warploom::dnn::rnn
