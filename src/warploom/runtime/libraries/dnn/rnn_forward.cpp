// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What recurrent networks compute.
#include <cmath>

#include "rnn_storage.h"

namespace warploom::dnn::rnn {
namespace {

template <class T>
T sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}

// One layer in one direction.
template <class T>
struct Pass {
  const Call &call;
  const Network &network;
  const Sequences &sequences;
  const Chain<T> &chain;
  const Matrices &matrices;
  Size direction;
  T *output;       // of the layer
  T *hidden_from;  // of all sequences: h, and c of an LSTM
  T *cell;

  // The products with x for all rows, and their bias.
  void enter(const T *x, Size layer) const {
    const Size rows = sequences.rows(), wide = network.gate_rows(), width = network.input_of(layer);
    if (network.has_input_matrix(layer)) {
      multiply(rows_of(const_cast<T *>(x), rows, width, width), matrices.input(),
               rows_of(chain.gates, rows, wide, wide), ending(0, matrices.input_bias(), network.kind));
      return;
    }
    std::vector<T> bias(static_cast<std::size_t>(wide));
    if (matrices.input_bias() != nullptr) {
      line_kernels<T>().read(network.kind, matrices.input_bias(), 1, wide, bias.data());
    }
    each_row(rows, wide, 1, [&](Size row) {
      for (Size j = 0; j < wide; ++j) {
        chain.gates[row * wide + j] = x[row * width + j % network.hidden] + bias[static_cast<std::size_t>(j)];
      }
    });
  }

  void step(Size t) const {
    const Size wide = network.gate_rows(), count = sequences.active[static_cast<std::size_t>(t)];
    const Size first = sequences.first[static_cast<std::size_t>(t)];
    T *const sums = (network.is_gru() ? chain.recurrent : chain.gates) + first * wide;
    multiply(rows_of(hidden_from, count, network.out, network.out), matrices.recurrent(),
             rows_of(sums, count, wide, wide),
             ending(network.is_gru() ? 0 : 1, matrices.recurrent_bias(), network.kind));
    T *const made =
        network.projects() ? chain.plain + first * network.hidden : output + first * network.wide() + place();
    const Size step = network.projects() ? network.hidden : network.wide();
    each_row(count, network.hidden, 20 * static_cast<double>(network.gates),
             [&](Size i) { turn(first + i, i, made + i * step); });
    const Rows out = rows_of(output + first * network.wide() + place(), count, network.out, network.wide());
    if (network.projects()) {
      multiply(rows_of(made, count, network.hidden, step), matrices.projection(), out, ending(0));
    }
    for (Size i = 0; i < count; ++i) {
      std::copy_n(output + (first + i) * network.wide() + place(), network.out, hidden_from + i * network.out);
    }
  }

 private:
  Size place() const { return direction * network.out; }

  // The cells of one row: sums become gates.
  void turn(Size row, Size sequence, T *to) const {
    const Size n = network.hidden;
    T *const gate = chain.gates + row * network.gate_rows();
    switch (network.cell) {
      case CUDNN_RNN_RELU:
        for (Size j = 0; j < n; ++j) to[j] = gate[j] = gate[j] > 0 ? gate[j] : T(0);
        return;
      case CUDNN_RNN_TANH:
        for (Size j = 0; j < n; ++j) to[j] = gate[j] = std::tanh(gate[j]);
        return;
      case CUDNN_LSTM:
        return turn_lstm(gate, cell + sequence * n, chain.cell + row * n, to);
      default:
        return turn_gru(gate, chain.recurrent + row * network.gate_rows(), hidden_from + sequence * n, to);
    }
  }
  void turn_lstm(T *gate, T *state, T *kept, T *to) const {
    const Size n = network.hidden;
    for (Size j = 0; j < n; ++j) {
      const T in = gate[j] = sigmoid(gate[j]), forget = gate[n + j] = sigmoid(gate[n + j]);
      const T fresh = gate[2 * n + j] = std::tanh(gate[2 * n + j]), out = gate[3 * n + j] = sigmoid(gate[3 * n + j]);
      state[j] = kept[j] = forget * clipped(network, state[j]) + in * fresh;
      to[j] = out * std::tanh(clipped(network, state[j]));
    }
  }
  void turn_gru(T *gate, const T *sums, const T *state, T *to) const {
    const Size n = network.hidden;
    for (Size j = 0; j < n; ++j) {
      const T reset = gate[j] = sigmoid(gate[j] + sums[j]), update = gate[n + j] = sigmoid(gate[n + j] + sums[n + j]);
      const T fresh = gate[2 * n + j] = std::tanh(gate[2 * n + j] + reset * sums[2 * n + j]);
      to[j] = (1 - update) * fresh + update * state[j];
    }
  }
};

// What the layer reads: the outputs of the one below, some of them dropped.
template <class T>
const T *drop(const Call &call, Storage<T> &storage, Size layer) {
  const auto at = static_cast<std::size_t>(layer);
  const Network &network = call.network;
  const Size wide = network.wide(), count = call.sequences.rows() * wide;
  make_mask(network.dropout, network.dropout_state, storage.masks[at], count);
  const T scale = static_cast<T>(dropout_scale(network.dropout));
  const T *const from = storage.outputs[at - 1];
  each_row(call.sequences.rows(), wide, 1, [&](Size row) {
    for (Size i = row * wide; i < (row + 1) * wide; ++i) {
      storage.dropped[at][i] = is_kept(storage.masks[at], i) ? from[i] * scale : T(0);
    }
  });
  return storage.dropped[at];
}

template <class T>
void forward_as(const Call &call, bool training) {
  const Network &network = call.network;
  const Sequences &sequences = call.sequences;
  Storage<T> storage(network, sequences.rows(), call.storage);
  const std::unique_ptr<T[]> first = room<T>(sequences.rows() * network.input);
  read_vectors(call, call.x, first.get());
  for (Size layer = 0; layer < network.layers; ++layer) {
    const auto at = static_cast<std::size_t>(layer);
    const T *const x = layer == 0                    ? first.get()
                       : training && network.drops() ? drop(call, storage, layer)
                                                     : storage.outputs[at - 1];
    for (Size direction = 0; direction < network.directions; ++direction) {
      const Size number = layer * network.directions + direction;
      const Matrices matrices(network, number, call.weights);
      const std::unique_ptr<T[]> hidden = room<T>(sequences.batch() * network.out),
                                 cell = room<T>(network.is_lstm() ? sequences.batch() * network.hidden : 0);
      read_states(call, call.hx, number, network.out, hidden.get());
      if (network.is_lstm()) read_states(call, call.cx, number, network.hidden, cell.get());
      const Pass<T> pass = {call,      network,   sequences,           storage.chains[static_cast<std::size_t>(number)],
                            matrices,  direction, storage.outputs[at], hidden.get(),
                            cell.get()};
      pass.enter(x, layer);
      each_time(sequences.time(), direction == 0, [&](Size t) { pass.step(t); });
      write_states(call, hidden.get(), number, network.out, call.hy);
      if (network.is_lstm()) write_states(call, cell.get(), number, network.hidden, call.cy);
    }
  }
  write_vectors(call, storage.outputs.back(), call.y);
}

}  // namespace

void forward(const Call &call, bool training) {
  call.network.kind == Kind::kDouble ? forward_as<double>(call, training) : forward_as<float>(call, training);
}

}  // namespace warploom::dnn::rnn
