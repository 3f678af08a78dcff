// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recurrent networks: layers of cells that go through sequences of vectors, in one direction or both.
//
//     kRelu, kTanh   h' = f(Wx + Rh + b)
//     LSTM           i, f, g, o = gates;  c' = f c + i g;  h' = o tanh(c'), times a matrix P with a projection
//     GRU            r, z = gates;  n = tanh(Wx + b + r (Rh + b));  h' = (1 - z) n + z h
//
// Sequences are worked on in the order of their lengths, longest first, so that those that have a vector at a time are
// the first ones. A row is one vector of one sequence; rows of one time lie together.
#pragma once

#include <algorithm>
#include <vector>

#include "dropout.h"

struct cudnnRNNStruct {
  bool set = false;
  cudnnRNNAlgo_t algorithm = CUDNN_RNN_ALGO_STANDARD;
  cudnnRNNMode_t cell = CUDNN_RNN_RELU;
  cudnnRNNBiasMode_t bias = CUDNN_RNN_DOUBLE_BIAS;
  cudnnDirectionMode_t direction = CUDNN_UNIDIRECTIONAL;
  cudnnRNNInputMode_t input_mode = CUDNN_LINEAR_INPUT;
  cudnnDataType_t type = CUDNN_DATA_FLOAT, precision = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  int input = 0, hidden = 0, projection = 0, layers = 0;
  cudnnDropoutDescriptor_t dropout = nullptr;
  unsigned flags = 0;
  cudnnRNNClipMode_t clip = CUDNN_RNN_CLIP_NONE;
  cudnnNanPropagation_t clip_nan = CUDNN_NOT_PROPAGATE_NAN;
  double clip_low = 0, clip_high = 0;
};
struct cudnnRNNDataStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnRNNDataLayout_t layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
  int time = 0, batch = 0, size = 0;  // `time` of 0: not set
  std::vector<int> lengths;
  bool fills = false;  // places behind the ends of sequences get `padding`
  double padding = 0;
};

namespace warploom::dnn::rnn {

// A matrix of the weights, by the number of its first element; -1: there is none.
struct Weights {
  Size input = -1, recurrent = -1, projection = -1, input_bias = -1, recurrent_bias = -1;
};

struct Network {
  cudnnRNNMode_t cell;
  cudnnRNNBiasMode_t bias;
  bool skips_input, clips;
  Kind kind;
  Size input, hidden, out, layers, directions, gates;
  double clip_low, clip_high;
  float dropout;
  DropoutState *dropout_state;

  bool is_lstm() const { return cell == CUDNN_LSTM; }
  bool is_gru() const { return cell == CUDNN_GRU; }
  bool projects() const { return out != hidden; }
  bool has_input_bias() const { return bias == CUDNN_RNN_SINGLE_INP_BIAS || bias == CUDNN_RNN_DOUBLE_BIAS; }
  bool has_recurrent_bias() const { return bias == CUDNN_RNN_SINGLE_REC_BIAS || bias == CUDNN_RNN_DOUBLE_BIAS; }
  bool has_input_matrix(Size layer) const { return layer > 0 || !skips_input; }
  Size chains() const { return layers * directions; }
  Size wide() const { return directions * out; }  // of a layer's output
  Size input_of(Size layer) const { return layer == 0 ? input : wide(); }
  Size gate_rows() const { return gates * hidden; }
  bool drops() const { return dropout > 0 && layers > 1; }

  // All matrices of all chains lie before all biases; matrices of the gates of one kind side by side.
  Weights weights_of(Size chain) const;
  Size weight_count() const;
};
Network network_of(cudnnRNNDescriptor_t descriptor);

// An LSTM's state as it is read; what is kept, and what is left at the end, is not clipped. Gradients end where it is.
template <class T>
T clipped(const Network &network, T state) {
  return network.clips ? std::min(std::max(state, T(network.clip_low)), T(network.clip_high)) : state;
}
template <class T>
bool is_clipped(const Network &network, T state) {
  return network.clips && (state <= T(network.clip_low) || state >= T(network.clip_high));
}

struct Sequences {
  explicit Sequences(const cudnnRNNDataStruct &data);
  Size time() const { return static_cast<Size>(active.size()); }
  Size rows() const { return first.back(); }
  Size batch() const { return static_cast<Size>(order.size()); }
  std::vector<Size> order;          // sequences by length
  std::vector<Size> active, first;  // how many have a vector at a time; the first row of each time
};

// Where the vectors of all rows lie in the user's memory.
struct Vectors {
  void *data = nullptr;
  Kind kind = Kind::kFloat;
  cudnnRNNDataLayout_t layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
  Size time = 0, size = 0;
  bool fills = false;
  double padding = 0;

  Size place(const Sequences &sequences, Size t, Size i) const;
};

// What a call works with; addresses that may be null are.
struct Call {
  Network network;
  Sequences sequences;
  Vectors x, y, dy, dx;
  const void *hx, *cx, *dhy, *dcy;
  void *hy, *cy, *dhx, *dcx;
  const void *weights;
  void *dweights;
  void *storage;  // of the numbers that the gradients need
};
// Bytes of `storage`.
std::size_t storage_size(const Network &network, Size rows);

void forward(const Call &call, bool training);
void backward_data(const Call &call);
void backward_weights(const Call &call);
double nanoseconds(const Network &network, Size rows);

}  // namespace warploom::dnn::rnn
