// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradients of recurrent networks: first of vectors and states, which leaves those of all sums in the reserve, then
// of the weights.
#include <cmath>

#include "rnn_storage.h"

namespace warploom::dnn::rnn {
namespace {

// One layer in one direction, against its direction.
template <class T>
struct BackwardPass {
  const Call &call;
  const Network &network;
  const Sequences &sequences;
  const Chain<T> &chain;
  const Matrices &matrices;
  Size direction;
  const T *output, *errors;  // of the layer, and their gradients
  const T *hidden, *cell;    // initial states
  T *hidden_error, *cell_error;

  void step(Size t) const {
    const auto time = static_cast<std::size_t>(t);
    const Size count = sequences.active[time], first = sequences.first[time], n = network.hidden, out = network.out;
    for (Size i = 0; i < count; ++i) {
      const T *const from = errors + (first + i) * network.wide() + direction * out;
      for (Size j = 0; j < out; ++j) hidden_error[i * out + j] += from[j];
    }
    std::vector<T> unprojected;
    const T *error = hidden_error;
    if (network.projects()) {
      std::copy_n(hidden_error, count * out, chain.projected + first * out);
      unprojected.resize(static_cast<std::size_t>(count * n));
      multiply_back(rows_of(chain.projected + first * out, count, out, out), matrices.projection(),
                    rows_of(unprojected.data(), count, n, n), 0);
      error = unprojected.data();
    }
    each_row(count, n, 20 * static_cast<double>(network.gates), [&](Size i) { turn(t, i, error + i * n); });
    const Size wide = network.gate_rows();
    T *const sums = (network.is_gru() ? chain.recurrent : chain.gates) + first * wide;
    // A GRU's h goes into the next one by itself, too: turn_gru has left that part.
    multiply_back(rows_of(sums, count, wide, wide), matrices.recurrent(), rows_of(hidden_error, count, out, out),
                  network.is_gru() ? 1 : 0);
  }

 private:
  // The numbers of `rows` before time t, `start` of all sequences at the beginning.
  const T *before(const T *rows, Size step, const T *start, Size width, Size t, Size i) const {
    const Size row = row_before(sequences, direction, t, i);
    return row < 0 ? start + i * width : rows + row * step;
  }

  void turn(Size t, Size i, const T *error) const {
    const Size row = sequences.first[static_cast<std::size_t>(t)] + i, n = network.hidden;
    T *const gate = chain.gates + row * network.gate_rows();
    switch (network.cell) {
      case CUDNN_RNN_RELU:
        for (Size j = 0; j < n; ++j) gate[j] = gate[j] > 0 ? error[j] : T(0);
        return;
      case CUDNN_RNN_TANH:
        for (Size j = 0; j < n; ++j) gate[j] = error[j] * (1 - gate[j] * gate[j]);
        return;
      case CUDNN_LSTM:
        return turn_lstm(gate, chain.cell + row * n, before(chain.cell, n, cell, n, t, i), error, cell_error + i * n);
      default:
        return turn_gru(gate, chain.recurrent + row * network.gate_rows(),
                        before(output + direction * n, network.wide(), hidden, n, t, i), hidden_error + i * n);
    }
  }
  void turn_lstm(T *gate, const T *now, const T *old, const T *error, T *state_error) const {
    const Size n = network.hidden;
    for (Size j = 0; j < n; ++j) {
      const T in = gate[j], forget = gate[n + j], fresh = gate[2 * n + j], out = gate[3 * n + j];
      const T curve = std::tanh(clipped(network, now[j]));
      const T change = state_error[j] + (is_clipped(network, now[j]) ? T(0) : error[j] * out * (1 - curve * curve));
      gate[j] = change * fresh * in * (1 - in);
      gate[n + j] = change * clipped(network, old[j]) * forget * (1 - forget);
      gate[2 * n + j] = change * in * (1 - fresh * fresh);
      gate[3 * n + j] = error[j] * curve * out * (1 - out);
      state_error[j] = is_clipped(network, old[j]) ? T(0) : change * forget;
    }
  }
  void turn_gru(T *gate, T *sums, const T *old, T *state_error) const {
    const Size n = network.hidden;
    for (Size j = 0; j < n; ++j) {
      const T reset = gate[j], update = gate[n + j], fresh = gate[2 * n + j], error = state_error[j];
      const T inner = error * (1 - update) * (1 - fresh * fresh);
      gate[2 * n + j] = inner;
      gate[j] = inner * sums[2 * n + j] * reset * (1 - reset);
      gate[n + j] = error * (old[j] - fresh) * update * (1 - update);
      sums[j] = gate[j];
      sums[n + j] = gate[n + j];
      sums[2 * n + j] = inner * reset;
      state_error[j] = error * update;
    }
  }
};

// The gradients of a layer's inputs behind its matrices, of both directions.
template <class T>
void leave(const Call &call, const Storage<T> &storage, Size layer, T *to) {
  const Network &network = call.network;
  const Size rows = call.sequences.rows(), wide = network.gate_rows(), width = network.input_of(layer);
  for (Size direction = 0; direction < network.directions; ++direction) {
    const Size number = layer * network.directions + direction;
    T *const gates = storage.chains[static_cast<std::size_t>(number)].gates;
    if (network.has_input_matrix(layer)) {
      multiply_back(rows_of(gates, rows, wide, wide), Matrices(network, number, call.weights).input(),
                    rows_of(to, rows, width, width), direction);
      continue;
    }
    each_row(rows, wide, 1, [&](Size row) {
      for (Size j = 0; j < wide; ++j) to[row * width + j % network.hidden] += gates[row * wide + j];
    });
  }
}

template <class T>
void backward_data_as(const Call &call) {
  const Network &network = call.network;
  const Sequences &sequences = call.sequences;
  const Storage<T> storage(network, sequences.rows(), call.storage);
  std::unique_ptr<T[]> errors = room<T>(sequences.rows() * network.wide());
  read_vectors(call, call.dy, errors.get());
  for (Size layer = network.layers; layer-- > 0;) {
    for (Size direction = 0; direction < network.directions; ++direction) {
      const Size number = layer * network.directions + direction, states = sequences.batch() * network.out;
      const Size cells = network.is_lstm() ? sequences.batch() * network.hidden : 0;
      const std::unique_ptr<T[]> hidden = room<T>(states), hidden_error = room<T>(states), cell = room<T>(cells),
                                 cell_error = room<T>(cells);
      read_states(call, call.hx, number, network.out, hidden.get());
      read_states(call, call.dhy, number, network.out, hidden_error.get());
      if (network.is_lstm()) {
        read_states(call, call.cx, number, network.hidden, cell.get());
        read_states(call, call.dcy, number, network.hidden, cell_error.get());
      }
      const Matrices matrices(network, number, call.weights);
      const BackwardPass<T> pass = {call,
                                    network,
                                    sequences,
                                    storage.chains[static_cast<std::size_t>(number)],
                                    matrices,
                                    direction,
                                    storage.outputs[static_cast<std::size_t>(layer)],
                                    errors.get(),
                                    hidden.get(),
                                    cell.get(),
                                    hidden_error.get(),
                                    cell_error.get()};
      each_time(sequences.time(), direction != 0, [&](Size t) { pass.step(t); });
      write_states(call, hidden_error.get(), number, network.out, call.dhx);
      if (network.is_lstm()) write_states(call, cell_error.get(), number, network.hidden, call.dcx);
    }
    const Size width = network.input_of(layer);
    std::unique_ptr<T[]> below = room<T>(sequences.rows() * width);
    leave(call, storage, layer, below.get());
    const std::uint8_t *const mask = storage.masks[static_cast<std::size_t>(layer)];
    if (mask != nullptr) {
      const T scale = static_cast<T>(dropout_scale(network.dropout));
      for (Size i = 0; i < sequences.rows() * width; ++i)
        below[static_cast<std::size_t>(i)] *= is_kept(mask, i) ? scale : T(0);
    }
    errors = std::move(below);
  }
  if (call.dx.data != nullptr) write_vectors(call, errors.get(), call.dx);
}

// h before each row, as the products with the recurrent matrix read it.
template <class T>
void gather_before(const Call &call, const T *output, const T *hidden, Size direction, T *to) {
  const Sequences &sequences = call.sequences;
  const Size out = call.network.out, wide = call.network.wide();
  each_time(sequences.time(), true, [&](Size t) {
    const auto time = static_cast<std::size_t>(t);
    for (Size i = 0; i < sequences.active[time]; ++i) {
      const Size row = row_before(sequences, direction, t, i);
      const T *const from = row < 0 ? hidden + i * out : output + row * wide + direction * out;
      std::copy_n(from, out, to + (sequences.first[time] + i) * out);
    }
  });
}

template <class T>
void add_bias_gradient(const T *errors, Size rows, Size width, void *bias, Kind kind) {
  if (bias == nullptr) return;
  std::vector<T> sums(static_cast<std::size_t>(width));
  line_kernels<T>().read(kind, bias, 1, width, sums.data());
  for (Size row = 0; row < rows; ++row) {
    for (Size j = 0; j < width; ++j) sums[static_cast<std::size_t>(j)] += errors[row * width + j];
  }
  line_kernels<T>().write(kind, sums.data(), bias, 1, width);
}

template <class T>
void backward_weights_as(const Call &call) {
  const Network &network = call.network;
  const Sequences &sequences = call.sequences;
  const Storage<T> storage(network, sequences.rows(), call.storage);
  const Size rows = sequences.rows(), wide = network.gate_rows(), out = network.out, n = network.hidden;
  const std::unique_ptr<T[]> first = room<T>(rows * network.input), old = room<T>(rows * out),
                             hidden = room<T>(sequences.batch() * out);
  read_vectors(call, call.x, first.get());
  for (Size number = 0; number < network.chains(); ++number) {
    const Size layer = number / network.directions, direction = number % network.directions;
    const auto at = static_cast<std::size_t>(layer);
    const Chain<T> &chain = storage.chains[static_cast<std::size_t>(number)];
    const Matrices gradients(network, number, call.dweights);
    T *const x = layer == 0 ? first.get() : network.drops() ? storage.dropped[at] : storage.outputs[at - 1];
    const Size width = network.input_of(layer);
    const Rows gates = rows_of(chain.gates, rows, wide, wide);
    if (network.has_input_matrix(layer)) add_gradient(rows_of(x, rows, width, width), gates, gradients.input());
    add_bias_gradient(chain.gates, rows, wide, gradients.input_bias(), network.kind);
    T *const recurrent = network.is_gru() ? chain.recurrent : chain.gates;
    std::fill_n(hidden.get(), sequences.batch() * out, T(0));
    read_states(call, call.hx, number, out, hidden.get());
    gather_before(call, storage.outputs[at], hidden.get(), direction, old.get());
    add_gradient(rows_of(old.get(), rows, out, out), rows_of(recurrent, rows, wide, wide), gradients.recurrent());
    add_bias_gradient(recurrent, rows, wide, gradients.recurrent_bias(), network.kind);
    if (network.projects()) {
      add_gradient(rows_of(chain.plain, rows, n, n), rows_of(chain.projected, rows, out, out), gradients.projection());
    }
  }
}

}  // namespace

void backward_data(const Call &call) {
  call.network.kind == Kind::kDouble ? backward_data_as<double>(call) : backward_data_as<float>(call);
}
void backward_weights(const Call &call) {
  call.network.kind == Kind::kDouble ? backward_weights_as<double>(call) : backward_weights_as<float>(call);
}

}  // namespace warploom::dnn::rnn
