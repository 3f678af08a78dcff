// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuDNN's functions that run recurrent networks.
#include "rnn.h"

namespace warploom::dnn::rnn {
namespace {

const cudnnRNNDataStruct &data_of(cudnnRNNDataDescriptor_t descriptor, const char *what) {
  const cudnnRNNDataStruct &result = object_of(descriptor, what);
  need(result.time > 0, std::string(what) + " has not been set");
  return result;
}

Vectors vectors_of(const cudnnRNNDataStruct &from, const void *data, const char *what) {
  need(data != nullptr, std::string(what) + " is null");
  return {
      const_cast<void *>(data), kind_of(from.type, what), from.layout, from.time, from.size, from.fills, from.padding};
}

void need_states(const Call &call, cudnnTensorDescriptor_t descriptor, bool given, Size width, const char *what) {
  if (!given) return;
  const Layout &layout = layout_of(descriptor, what);
  const Network &network = call.network;
  need(layout.rank >= 3 && layout.dims[0] == network.chains() && layout.dims[1] == call.sequences.batch() &&
           layout.dims[2] == width,
       std::string(what) + " does not have the extents that the network needs");
  need(kind_of(layout.type, what) == network.kind, std::string(what) + " has another type than the network");
}

// What all calls have: the network, its sequences, and memory.
struct Given {
  cudnnRNNDescriptor_t descriptor;
  cudnnRNNDataDescriptor_t x, y;
  const void *weights;
  size_t weight_size;
  void *storage;
  size_t storage_size;
};
Call call_of(const Given &given) {
  const cudnnRNNDataStruct &x = data_of(given.x, "x"), &y = data_of(given.y, "y");
  const Network network = network_of(given.descriptor);
  Call call = {network, Sequences(x), {},      {},      {},      {},      nullptr, nullptr,      nullptr,
               nullptr, nullptr,      nullptr, nullptr, nullptr, nullptr, nullptr, given.storage};
  need(x.size == network.input, "the vectors of x do not have the input's size");
  need(y.size == network.wide(), "the vectors of y do not have the output's size");
  need(x.batch == y.batch && x.time == y.time && x.layout == y.layout && x.lengths == y.lengths,
       "x and y have other sequences");
  need(x.type == y.type && kind_of(x.type, "x") == network.kind, "x, y and the network have different types");
  need(given.weights != nullptr, "the weights are null");
  need(given.weight_size >= static_cast<size_t>(network.weight_count() * bytes_of(network.kind)),
       "the weights are too small");
  need(given.storage != nullptr && given.storage_size >= storage_size(network, call.sequences.rows()),
       "the workspace or reserve is null or too small");
  need(!network.drops() || network.dropout_state != nullptr, "the dropout's descriptor has no states");
  return call;
}

}  // namespace
}  // namespace warploom::dnn::rnn

using namespace warploom::dnn;

#pragma GCC visibility push(default)
extern "C" {

// The lengths on the device are those of the descriptors.
cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnForwardMode_t mode,
                              const int *, cudnnRNNDataDescriptor_t x_descriptor, const void *x,
                              cudnnRNNDataDescriptor_t y_descriptor, void *y, cudnnTensorDescriptor_t h_descriptor,
                              const void *hx, void *hy, cudnnTensorDescriptor_t c_descriptor, const void *cx, void *cy,
                              size_t weight_size, const void *weights, size_t work_size, void *workspace,
                              size_t reserve_size, void *reserve) {
  const char *const name = __func__;
  return guarded(name, [&] {
    need(mode == CUDNN_FWD_MODE_INFERENCE || mode == CUDNN_FWD_MODE_TRAINING, "there is no such mode");
    const bool training = mode == CUDNN_FWD_MODE_TRAINING;
    rnn::Call call = rnn::call_of({descriptor, x_descriptor, y_descriptor, weights, weight_size,
                                   training ? reserve : workspace, training ? reserve_size : work_size});
    rnn::need_states(call, h_descriptor, hx != nullptr || hy != nullptr, call.network.out, "h");
    if (call.network.is_lstm()) {
      rnn::need_states(call, c_descriptor, cx != nullptr || cy != nullptr, call.network.hidden, "c");
    }
    call.x = rnn::vectors_of(rnn::data_of(x_descriptor, "x"), x, "x");
    call.y = rnn::vectors_of(rnn::data_of(y_descriptor, "y"), y, "y");
    call.hx = hx;
    call.cx = cx;
    call.hy = hy;
    call.cy = cy;
    call.weights = weights;
    run(handle, name, rnn::nanoseconds(call.network, call.sequences.rows()), [=] { rnn::forward(call, training); });
  });
}

cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, const int *,
                                      cudnnRNNDataDescriptor_t y_descriptor, const void *y, const void *dy,
                                      cudnnRNNDataDescriptor_t x_descriptor, void *dx,
                                      cudnnTensorDescriptor_t h_descriptor, const void *hx, const void *dhy, void *dhx,
                                      cudnnTensorDescriptor_t c_descriptor, const void *cx, const void *dcy, void *dcx,
                                      size_t weight_size, const void *weights, size_t, void *, size_t reserve_size,
                                      void *reserve) {
  const char *const name = __func__;
  return guarded(name, [&] {
    need(y != nullptr, "y is null");
    rnn::Call call =
        rnn::call_of({descriptor, x_descriptor, y_descriptor, weights, weight_size, reserve, reserve_size});
    rnn::need_states(call, h_descriptor, hx != nullptr || dhy != nullptr || dhx != nullptr, call.network.out, "h");
    if (call.network.is_lstm()) {
      const bool given = cx != nullptr || dcy != nullptr || dcx != nullptr;
      rnn::need_states(call, c_descriptor, given, call.network.hidden, "c");
    }
    call.dy = rnn::vectors_of(rnn::data_of(y_descriptor, "y"), dy, "dy");
    call.dx = rnn::vectors_of(rnn::data_of(x_descriptor, "x"), dx, "dx");
    call.hx = hx;
    call.cx = cx;
    call.dhy = dhy;
    call.dcy = dcy;
    call.dhx = dhx;
    call.dcx = dcx;
    call.weights = weights;
    run(handle, name, 2 * rnn::nanoseconds(call.network, call.sequences.rows()), [=] { rnn::backward_data(call); });
  });
}

cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, cudnnWgradMode_t mode,
                                         const int *, cudnnRNNDataDescriptor_t x_descriptor, const void *x,
                                         cudnnTensorDescriptor_t h_descriptor, const void *hx,
                                         cudnnRNNDataDescriptor_t y_descriptor, const void *y, size_t weight_size,
                                         void *dweights, size_t, void *, size_t reserve_size, void *reserve) {
  const char *const name = __func__;
  return guarded(name, [&] {
    need(mode == CUDNN_WGRAD_MODE_ADD, "the gradients of weights are only added to what is there");
    need(y != nullptr, "y is null");
    rnn::Call call =
        rnn::call_of({descriptor, x_descriptor, y_descriptor, dweights, weight_size, reserve, reserve_size});
    rnn::need_states(call, h_descriptor, hx != nullptr, call.network.out, "h");
    call.x = rnn::vectors_of(rnn::data_of(x_descriptor, "x"), x, "x");
    call.hx = hx;
    call.dweights = dweights;
    run(handle, name, rnn::nanoseconds(call.network, call.sequences.rows()), [=] { rnn::backward_weights(call); });
  });
}

}  // extern "C"
#pragma GCC visibility pop
