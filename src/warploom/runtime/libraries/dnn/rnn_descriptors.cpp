// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuDNN's descriptors of recurrent networks, and where their weights lie.
#include <algorithm>

#include "rnn.h"

namespace warploom::dnn {
namespace {

double padding_of(cudnnDataType_t type, const void *padding) {
  double value = 0;
  line_kernels<double>().read(kind_of(type, "the data"), padding, 1, 1, &value);
  return value;
}

void need_network(const cudnnRNNStruct &to) {
  need(to.algorithm >= CUDNN_RNN_ALGO_STANDARD && to.algorithm < CUDNN_RNN_ALGO_COUNT, "there is no such algorithm");
  need(to.cell >= CUDNN_RNN_RELU && to.cell <= CUDNN_GRU, "there is no such cell");
  need(to.bias >= CUDNN_RNN_NO_BIAS && to.bias <= CUDNN_RNN_SINGLE_REC_BIAS, "there is no such kind of biases");
  need(to.direction == CUDNN_UNIDIRECTIONAL || to.direction == CUDNN_BIDIRECTIONAL, "there is no such direction");
  need(to.input_mode == CUDNN_LINEAR_INPUT || to.input_mode == CUDNN_SKIP_INPUT, "there is no such kind of input");
  need(to.input > 0 && to.hidden > 0 && to.layers > 0, "a size is not positive");
  need(to.input_mode != CUDNN_SKIP_INPUT || to.input == to.hidden, "without an input matrix the sizes must be equal");
  need(to.projection > 0, "the projection's size is not positive: without one it is the hidden size");
  need(to.math >= CUDNN_DEFAULT_MATH && to.math <= CUDNN_FMA_MATH, "there is no such math");
  need(to.flags <= CUDNN_RNN_PADDED_IO_ENABLED, "there is no such flag");
  support(to.projection <= to.hidden, "a projection that is larger than the hidden size");
  support(to.projection == to.hidden || to.cell == CUDNN_LSTM, "a projection of another cell than an LSTM");
  const Kind kind = kind_of(to.type, "the network's type");
  support(to.precision == (kind == Kind::kDouble ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT) ||
              (kind == Kind::kHalf && to.precision == CUDNN_DATA_HALF),
          "this type for the computation");
}

void set_clip(cudnnRNNDescriptor_t descriptor, cudnnRNNClipMode_t mode, cudnnNanPropagation_t nan, double low,
              double high) {
  cudnnRNNStruct &to = object_of(descriptor, "the descriptor");
  need(mode == CUDNN_RNN_CLIP_NONE || mode == CUDNN_RNN_CLIP_MINMAX, "there is no such way to clip");
  need(mode == CUDNN_RNN_CLIP_NONE || low <= high, "the lower limit is above the upper one");
  to.clip = mode;
  to.clip_nan = nan;
  to.clip_low = low;
  to.clip_high = high;
}

// Weights of a gate: rows, columns, and the number of the first one; none: -1.
struct Part {
  Size rows, columns, place;
};
Part matrix_of(const rnn::Network &network, const rnn::Weights &weights, Size chain, Size number) {
  const Size gate = number % network.gates, n = network.hidden, layer = chain / network.directions;
  if (number == 2 * network.gates) return {network.out, n, weights.projection};
  if (number >= network.gates) return {n, network.out, weights.recurrent + gate * n * network.out};
  const Size columns = network.input_of(layer);
  return {n, columns, weights.input < 0 ? -1 : weights.input + gate * n * columns};
}
Part bias_of(const rnn::Network &network, const rnn::Weights &weights, Size number) {
  const Size gate = number % network.gates, n = network.hidden;
  if (number == 2 * network.gates) return {n, 1, -1};
  const Size start = number < network.gates ? weights.input_bias : weights.recurrent_bias;
  return {n, 1, start < 0 ? -1 : start + gate * n};
}

// The address of a part, and a descriptor of it: three dimensions, the first one 1; of nothing no dimensions.
void describe(const rnn::Network &network, const Part &part, const void *weights, cudnnTensorDescriptor_t descriptor,
              void **address) {
  if (descriptor != nullptr) {
    Layout made;
    made.type = network.kind == Kind::kDouble  ? CUDNN_DATA_DOUBLE
                : network.kind == Kind::kFloat ? CUDNN_DATA_FLOAT
                : network.kind == Kind::kHalf  ? CUDNN_DATA_HALF
                                               : CUDNN_DATA_BFLOAT16;
    if (part.place >= 0) {
      made.rank = 3;
      const Size dims[] = {1, part.rows, part.columns}, strides[] = {part.rows * part.columns, part.columns, 1};
      std::copy_n(dims, 3, made.dims);
      std::copy_n(strides, 3, made.strides);
    }
    static_cast<Layout &>(object_of(descriptor, "the descriptor")) = made;
  }
  if (address == nullptr) return;
  // Without weights: how far from their beginning.
  const Size bytes = part.place * bytes_of(network.kind);
  *address = part.place < 0 ? nullptr : static_cast<char *>(const_cast<void *>(weights)) + bytes;
}

}  // namespace
}  // namespace warploom::dnn

using namespace warploom::dnn;

#pragma GCC visibility push(default)
extern "C" {

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t *made) { return create(__func__, made); }
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t old) { return destroy(__func__, old); }
cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t descriptor, cudnnRNNAlgo_t algorithm, cudnnRNNMode_t cell,
                                       cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction,
                                       cudnnRNNInputMode_t input_mode, cudnnDataType_t type, cudnnDataType_t precision,
                                       cudnnMathType_t math, int input, int hidden, int projection, int layers,
                                       cudnnDropoutDescriptor_t dropout, unsigned flags) {
  return guarded(__func__, [&] {
    cudnnRNNStruct &to = object_of(descriptor, "the descriptor");
    const cudnnRNNStruct made = {true, algorithm, cell,   bias,       direction, input_mode, type, precision,
                                 math, input,     hidden, projection, layers,    dropout,    flags};
    need_network(made);
    to = made;
  });
}
cudnnStatus_t cudnnGetRNNDescriptor_v8(cudnnRNNDescriptor_t descriptor, cudnnRNNAlgo_t *algorithm, cudnnRNNMode_t *cell,
                                       cudnnRNNBiasMode_t *bias, cudnnDirectionMode_t *direction,
                                       cudnnRNNInputMode_t *input_mode, cudnnDataType_t *type,
                                       cudnnDataType_t *precision, cudnnMathType_t *math, int *input, int *hidden,
                                       int *projection, int *layers, cudnnDropoutDescriptor_t *dropout,
                                       unsigned *flags) {
  return guarded(__func__, [&] {
    const cudnnRNNStruct &from = object_of(descriptor, "the descriptor");
    need(from.set, "the descriptor has not been set");
    give(algorithm, from.algorithm);
    give(cell, from.cell);
    give(bias, from.bias);
    give(direction, from.direction);
    give(input_mode, from.input_mode);
    give(type, from.type);
    give(precision, from.precision);
    give(math, from.math);
    give(input, from.input);
    give(hidden, from.hidden);
    give(projection, from.projection);
    give(layers, from.layers);
    give(dropout, from.dropout);
    give(flags, from.flags);
  });
}
// Nothing is built for a size of batch.
cudnnStatus_t cudnnBuildRNNDynamic(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int batch) {
  return guarded(__func__, [&] {
    object_of(handle, "the handle");
    rnn::network_of(descriptor);
    need(batch > 0, "the batch is not positive");
  });
}

cudnnStatus_t cudnnRNNSetClip_v8(cudnnRNNDescriptor_t descriptor, cudnnRNNClipMode_t mode, cudnnNanPropagation_t nan,
                                 double low, double high) {
  return guarded(__func__, [&] { set_clip(descriptor, mode, nan, low, high); });
}
cudnnStatus_t cudnnRNNSetClip_v9(cudnnRNNDescriptor_t descriptor, cudnnRNNClipMode_t mode, double low, double high) {
  return guarded(__func__, [&] { set_clip(descriptor, mode, CUDNN_NOT_PROPAGATE_NAN, low, high); });
}
cudnnStatus_t cudnnRNNGetClip_v8(cudnnRNNDescriptor_t descriptor, cudnnRNNClipMode_t *mode, cudnnNanPropagation_t *nan,
                                 double *low, double *high) {
  return guarded(__func__, [&] {
    const cudnnRNNStruct &from = object_of(descriptor, "the descriptor");
    give(mode, from.clip);
    give(nan, from.clip_nan);
    give(low, from.clip_low);
    give(high, from.clip_high);
  });
}
cudnnStatus_t cudnnRNNGetClip_v9(cudnnRNNDescriptor_t descriptor, cudnnRNNClipMode_t *mode, double *low, double *high) {
  return cudnnRNNGetClip_v8(descriptor, mode, nullptr, low, high);
}

cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t *made) { return create(__func__, made); }
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t old) { return destroy(__func__, old); }
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor, cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout, int time, int batch, int size, const int *lengths,
                                        void *padding) {
  return guarded(__func__, [&] {
    cudnnRNNDataStruct &to = object_of(descriptor, "the descriptor");
    kind_of(type, "the data");
    need(layout >= CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED && layout <= CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED,
         "there is no such layout");
    need(time > 0 && batch > 0 && size > 0, "a size is not positive");
    need(lengths != nullptr, "the array of lengths is null");
    for (int i = 0; i < batch; ++i)
      need(lengths[i] >= 0 && lengths[i] <= time, "a length is not from 0 to the longest");
    const bool packed = layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;
    need(!packed || std::is_sorted(lengths, lengths + batch, std::greater<>()), "packed sequences must get shorter");
    need(!packed || lengths[batch - 1] > 0, "a packed sequence is empty");
    const bool fills = padding != nullptr;
    to = {type, layout, time, batch, size, {lengths, lengths + batch}, fills, fills ? padding_of(type, padding) : 0};
  });
}
cudnnStatus_t cudnnGetRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor, cudnnDataType_t *type,
                                        cudnnRNNDataLayout_t *layout, int *time, int *batch, int *size, int asked,
                                        int *lengths, void *padding) {
  return guarded(__func__, [&] {
    const cudnnRNNDataStruct &from = object_of(descriptor, "the descriptor");
    need(from.time > 0, "the descriptor has not been set");
    need(asked >= 0, "the number of lengths asked for is negative");
    give(type, from.type);
    give(layout, from.layout);
    give(time, from.time);
    give(batch, from.batch);
    give(size, from.size);
    if (lengths != nullptr) std::copy_n(from.lengths.begin(), std::min(asked, from.batch), lengths);
    if (padding != nullptr && from.fills) {
      line_kernels<double>().write(kind_of(from.type, "the data"), &from.padding, padding, 1, 1);
    }
  });
}

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, size_t *size) {
  return guarded(__func__, [&] {
    object_of(handle, "the handle");
    const rnn::Network network = rnn::network_of(descriptor);
    need(size != nullptr, "the pointer to the size is null");
    *size = static_cast<size_t>(network.weight_count() * bytes_of(network.kind));
  });
}
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int chain, size_t size,
                                      const void *weights, int number, cudnnTensorDescriptor_t matrix_descriptor,
                                      void **matrix, cudnnTensorDescriptor_t bias_descriptor, void **bias) {
  return guarded(__func__, [&] {
    object_of(handle, "the handle");
    const rnn::Network network = rnn::network_of(descriptor);
    need(chain >= 0 && chain < network.chains(), "there is no such layer");
    need(number >= 0 && number < 2 * network.gates + (network.is_lstm() ? 1 : 0), "there is no such matrix");
    need(size >= static_cast<size_t>(network.weight_count() * bytes_of(network.kind)), "the weights are too small");
    const rnn::Weights places = network.weights_of(chain);
    describe(network, matrix_of(network, places, chain, number), weights, matrix_descriptor, matrix);
    describe(network, bias_of(network, places, number), weights, bias_descriptor, bias);
  });
}
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnForwardMode_t mode,
                                        cudnnRNNDataDescriptor_t x_descriptor, size_t *work_size,
                                        size_t *reserve_size) {
  return guarded(__func__, [&] {
    object_of(handle, "the handle");
    const rnn::Network network = rnn::network_of(descriptor);
    const cudnnRNNDataStruct &x = object_of(x_descriptor, "the descriptor of x");
    need(x.time > 0, "the descriptor of x has not been set");
    const std::size_t size = rnn::storage_size(network, Size{x.time} * x.batch);
    const bool training = mode == CUDNN_FWD_MODE_TRAINING;
    give(work_size, training ? 0 : size);
    give(reserve_size, training ? size : 0);
  });
}

}  // extern "C"
#pragma GCC visibility pop
