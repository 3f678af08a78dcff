// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shapes of recurrent networks: weights, sequences, storage.
#include "rnn.h"

#include <algorithm>
#include <numeric>

#include "rnn_storage.h"

namespace warploom::dnn::rnn {
namespace {

Size gates_of(cudnnRNNMode_t cell) { return cell == CUDNN_LSTM ? 4 : cell == CUDNN_GRU ? 3 : 1; }

}  // namespace

Weights Network::weights_of(Size chain) const {
  Weights result;
  Size matrices = 0, biases = 0;
  for (Size i = 0; i < chains(); ++i) {
    const Size layer = i / directions;
    const auto take = [&](Size &used, Size count, Size &place, bool present) {
      if (i == chain && present) place = used;
      if (present) used += count;
    };
    take(matrices, gate_rows() * input_of(layer), result.input, has_input_matrix(layer));
    take(matrices, gate_rows() * out, result.recurrent, true);
    take(matrices, out * hidden, result.projection, projects());
    take(biases, gate_rows(), result.input_bias, has_input_bias());
    take(biases, gate_rows(), result.recurrent_bias, has_recurrent_bias());
  }
  if (result.input_bias >= 0) result.input_bias += matrices;
  if (result.recurrent_bias >= 0) result.recurrent_bias += matrices;
  return result;
}

Size Network::weight_count() const {
  Size count = 0;
  for (Size i = 0; i < chains(); ++i) {
    const Size layer = i / directions;
    if (has_input_matrix(layer)) count += gate_rows() * input_of(layer);
    count += gate_rows() * out + (projects() ? out * hidden : 0);
    count += gate_rows() * (Size{has_input_bias()} + Size{has_recurrent_bias()});
  }
  return count;
}

Network network_of(cudnnRNNDescriptor_t descriptor) {
  const cudnnRNNStruct &from = object_of(descriptor, "the network's descriptor");
  need(from.set, "the network's descriptor has not been set");
  Network result = {};
  result.cell = from.cell;
  result.bias = from.bias;
  result.skips_input = from.input_mode == CUDNN_SKIP_INPUT;
  result.clips = from.clip == CUDNN_RNN_CLIP_MINMAX;
  result.kind = kind_of(from.type, "the network's type");
  result.input = from.input;
  result.hidden = from.hidden;
  result.out = from.projection;
  result.layers = from.layers;
  result.directions = from.direction == CUDNN_BIDIRECTIONAL ? 2 : 1;
  result.gates = gates_of(from.cell);
  result.clip_low = from.clip_low;
  result.clip_high = from.clip_high;
  if (from.dropout != nullptr) {
    const cudnnDropoutStruct &dropout = object_of(from.dropout, "the dropout's descriptor");
    result.dropout = dropout.rate;
    result.dropout_state = static_cast<DropoutState *>(dropout.states);
  }
  return result;
}

Sequences::Sequences(const cudnnRNNDataStruct &data) : order(data.lengths.size()) {
  std::iota(order.begin(), order.end(), Size{0});
  const auto length = [&](Size i) { return data.lengths[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](Size a, Size b) { return length(a) > length(b); });
  first.push_back(0);
  for (Size t = 0; t < length(order[0]); ++t) {
    active.push_back(std::count_if(data.lengths.begin(), data.lengths.end(), [&](int each) { return each > t; }));
    first.push_back(first.back() + active.back());
  }
}

Size Vectors::place(const Sequences &sequences, Size t, Size i) const {
  const Size sequence = sequences.order[static_cast<std::size_t>(i)];
  switch (layout) {
    case CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED:
      return (sequences.first[static_cast<std::size_t>(t)] + i) * size;
    case CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED:
      return (t * sequences.batch() + sequence) * size;
    default:
      return (sequence * time + t) * size;
  }
}

std::size_t storage_size(const Network &network, Size rows) {
  return network.kind == Kind::kDouble ? Storage<double>(network, rows, nullptr).size
                                       : Storage<float>(network, rows, nullptr).size;
}

double nanoseconds(const Network &network, Size rows) {
  const double cells = static_cast<double>(rows * network.chains() * network.gate_rows());
  return cells * (20 + static_cast<double>(network.wide() + network.out) / 10);
}

}  // namespace warploom::dnn::rnn
