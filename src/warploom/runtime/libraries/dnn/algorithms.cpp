// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which algorithm a convolution should take: all of them are one here, which needs no work area of the user's. Its
// name is the one of implicit GEMM, or the deterministic one for gradients.
#include <chrono>
#include <memory>

#include "convolution_api.h"

namespace warploom::dnn {
namespace {

constexpr auto kForward = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM;
constexpr auto kData = CUDNN_CONVOLUTION_BWD_DATA_ALGO_1;
constexpr auto kFilter = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1;

// A list of one; `time` in milliseconds, negative: not measured.
template <class Result, class Algorithm>
void give_one(int asked, int *found, Result *results, Algorithm algorithm, cudnnMathType_t math, float time) {
  need(asked >= 1, "the number of results asked for is not positive");
  need(found != nullptr && results != nullptr, "a pointer to results is null");
  results[0] = {};
  results[0].algo = algorithm;
  results[0].status = CUDNN_STATUS_SUCCESS;
  results[0].time = time;
  results[0].determinism = CUDNN_DETERMINISTIC;
  results[0].mathType = math;
  *found = 1;
}

void give_no_size(size_t *size) {
  need(size != nullptr, "the pointer to the size is null");
  *size = 0;
}

// Milliseconds that `call()` and what the stream had to do before take.
template <class Call>
float measure(cudnnHandle_t handle, const Call &call) {
  const cudaStream_t stream = object_of(handle, "the handle").stream;
  check(cudaStreamSynchronize(stream));
  const auto start = std::chrono::steady_clock::now();
  if (const cudnnStatus_t status = call(); status != CUDNN_STATUS_SUCCESS) throw Wrong{status, "the trial failed"};
  check(cudaStreamSynchronize(stream));
  return std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Zeros for a trial, where the user gives no data.
std::unique_ptr<char[]> zeros(const Layout &layout) {
  Size last = 0;
  for (int i = 0; i < layout.rank; ++i) last += (layout.dims[i] - 1) * layout.strides[i];
  return std::unique_ptr<char[]>(new char[static_cast<std::size_t>((last + 1) * bytes_of(layout.type))]());
}

// alpha = 1 and beta = 0 for the type.
const void *one(const Layout &layout) {
  static const float single = 1;
  static const double twice = 1;
  return layout.type == CUDNN_DATA_DOUBLE ? static_cast<const void *>(&twice) : &single;
}
const double kZero = 0;  // its first half is a zero too

}  // namespace
}  // namespace warploom::dnn

using namespace warploom::dnn;

#pragma GCC visibility push(default)
extern "C" {

#define MAX_COUNT(NAME, COUNT)                                     \
  cudnnStatus_t NAME(cudnnHandle_t handle, int *count) {           \
    return guarded(__func__, [&] {                                 \
      object_of(handle, "the handle");                             \
      need(count != nullptr, "the pointer to the number is null"); \
      *count = COUNT;                                              \
    });                                                            \
  }
MAX_COUNT(cudnnGetConvolutionForwardAlgorithmMaxCount, CUDNN_CONVOLUTION_FWD_ALGO_COUNT)
MAX_COUNT(cudnnGetConvolutionBackwardDataAlgorithmMaxCount, CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT)
MAX_COUNT(cudnnGetConvolutionBackwardFilterAlgorithmMaxCount, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT)
#undef MAX_COUNT

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t handle, cudnnTensorDescriptor_t x_desc,
                                                      cudnnFilterDescriptor_t w_desc,
                                                      cudnnConvolutionDescriptor_t conv_desc,
                                                      cudnnTensorDescriptor_t y_desc, cudnnConvolutionFwdAlgo_t algo,
                                                      size_t *size) {
  return guarded(__func__, [&] {
    object_of(handle, "the handle");
    need(algo >= 0 && algo < CUDNN_CONVOLUTION_FWD_ALGO_COUNT, "there is no such algorithm");
    convolution_of(x_desc, w_desc, conv_desc, y_desc);
    give_no_size(size);
  });
}
cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(cudnnHandle_t handle, cudnnFilterDescriptor_t w_desc,
                                                           cudnnTensorDescriptor_t dy_desc,
                                                           cudnnConvolutionDescriptor_t conv_desc,
                                                           cudnnTensorDescriptor_t dx_desc,
                                                           cudnnConvolutionBwdDataAlgo_t algo, size_t *size) {
  return guarded(__func__, [&] {
    object_of(handle, "the handle");
    need(algo >= 0 && algo < CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT, "there is no such algorithm");
    convolution_of(dx_desc, w_desc, conv_desc, dy_desc);
    give_no_size(size);
  });
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(cudnnHandle_t handle, cudnnTensorDescriptor_t x_desc,
                                                             cudnnTensorDescriptor_t dy_desc,
                                                             cudnnConvolutionDescriptor_t conv_desc,
                                                             cudnnFilterDescriptor_t dw_desc,
                                                             cudnnConvolutionBwdFilterAlgo_t algo, size_t *size) {
  return guarded(__func__, [&] {
    object_of(handle, "the handle");
    need(algo >= 0 && algo < CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT, "there is no such algorithm");
    convolution_of(x_desc, dw_desc, conv_desc, dy_desc);
    give_no_size(size);
  });
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t handle, cudnnTensorDescriptor_t x_desc,
                                                     cudnnFilterDescriptor_t w_desc,
                                                     cudnnConvolutionDescriptor_t conv_desc,
                                                     cudnnTensorDescriptor_t y_desc, int asked, int *found,
                                                     cudnnConvolutionFwdAlgoPerf_t *results) {
  return guarded(__func__, [&] {
    object_of(handle, "the handle");
    convolution_of(x_desc, w_desc, conv_desc, y_desc);
    give_one(asked, found, results, kForward, conv_desc->math, -1);
  });
}
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(cudnnHandle_t handle, cudnnFilterDescriptor_t w_desc,
                                                          cudnnTensorDescriptor_t dy_desc,
                                                          cudnnConvolutionDescriptor_t conv_desc,
                                                          cudnnTensorDescriptor_t dx_desc, int asked, int *found,
                                                          cudnnConvolutionBwdDataAlgoPerf_t *results) {
  return guarded(__func__, [&] {
    object_of(handle, "the handle");
    convolution_of(dx_desc, w_desc, conv_desc, dy_desc);
    give_one(asked, found, results, kData, conv_desc->math, -1);
  });
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(cudnnHandle_t handle, cudnnTensorDescriptor_t x_desc,
                                                            cudnnTensorDescriptor_t dy_desc,
                                                            cudnnConvolutionDescriptor_t conv_desc,
                                                            cudnnFilterDescriptor_t dw_desc, int asked, int *found,
                                                            cudnnConvolutionBwdFilterAlgoPerf_t *results) {
  return guarded(__func__, [&] {
    object_of(handle, "the handle");
    convolution_of(x_desc, dw_desc, conv_desc, dy_desc);
    give_one(asked, found, results, kFilter, conv_desc->math, -1);
  });
}

cudnnStatus_t cudnnFindConvolutionForwardAlgorithmEx(cudnnHandle_t handle, cudnnTensorDescriptor_t x_desc,
                                                     const void *x, cudnnFilterDescriptor_t w_desc, const void *w,
                                                     cudnnConvolutionDescriptor_t conv_desc,
                                                     cudnnTensorDescriptor_t y_desc, void *y, int asked, int *found,
                                                     cudnnConvolutionFwdAlgoPerf_t *results, void *, size_t) {
  return guarded(__func__, [&] {
    convolution_of(x_desc, w_desc, conv_desc, y_desc);
    const void *const scale = one(*y_desc);
    const float time = measure(handle, [&] {
      return cudnnConvolutionForward(handle, scale, x_desc, x, w_desc, w, conv_desc, kForward, nullptr, 0, &kZero,
                                     y_desc, y);
    });
    give_one(asked, found, results, kForward, conv_desc->math, time);
  });
}
cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithmEx(cudnnHandle_t handle, cudnnFilterDescriptor_t w_desc,
                                                          const void *w, cudnnTensorDescriptor_t dy_desc,
                                                          const void *dy, cudnnConvolutionDescriptor_t conv_desc,
                                                          cudnnTensorDescriptor_t dx_desc, void *dx, int asked,
                                                          int *found, cudnnConvolutionBwdDataAlgoPerf_t *results,
                                                          void *, size_t) {
  return guarded(__func__, [&] {
    convolution_of(dx_desc, w_desc, conv_desc, dy_desc);
    const void *const scale = one(*dx_desc);
    const float time = measure(handle, [&] {
      return cudnnConvolutionBackwardData(handle, scale, w_desc, w, dy_desc, dy, conv_desc, kData, nullptr, 0, &kZero,
                                          dx_desc, dx);
    });
    give_one(asked, found, results, kData, conv_desc->math, time);
  });
}
cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithmEx(cudnnHandle_t handle, cudnnTensorDescriptor_t x_desc,
                                                            const void *x, cudnnTensorDescriptor_t dy_desc,
                                                            const void *dy, cudnnConvolutionDescriptor_t conv_desc,
                                                            cudnnFilterDescriptor_t dw_desc, void *dw, int asked,
                                                            int *found, cudnnConvolutionBwdFilterAlgoPerf_t *results,
                                                            void *, size_t) {
  return guarded(__func__, [&] {
    convolution_of(x_desc, dw_desc, conv_desc, dy_desc);
    const void *const scale = one(*dw_desc);
    const float time = measure(handle, [&] {
      return cudnnConvolutionBackwardFilter(handle, scale, x_desc, x, dy_desc, dy, conv_desc, kFilter, nullptr, 0,
                                            &kZero, dw_desc, dw);
    });
    give_one(asked, found, results, kFilter, conv_desc->math, time);
  });
}

cudnnStatus_t cudnnFindConvolutionForwardAlgorithm(cudnnHandle_t handle, cudnnTensorDescriptor_t x_desc,
                                                   cudnnFilterDescriptor_t w_desc,
                                                   cudnnConvolutionDescriptor_t conv_desc,
                                                   cudnnTensorDescriptor_t y_desc, int asked, int *found,
                                                   cudnnConvolutionFwdAlgoPerf_t *results) {
  return guarded(__func__, [&] {
    convolution_of(x_desc, w_desc, conv_desc, y_desc);
    const auto x = zeros(*x_desc), w = zeros(*w_desc), y = zeros(*y_desc);
    const cudnnStatus_t status = cudnnFindConvolutionForwardAlgorithmEx(
        handle, x_desc, x.get(), w_desc, w.get(), conv_desc, y_desc, y.get(), asked, found, results, nullptr, 0);
    if (status != CUDNN_STATUS_SUCCESS) throw Wrong{status, "the trial failed"};
  });
}
cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithm(cudnnHandle_t handle, cudnnFilterDescriptor_t w_desc,
                                                        cudnnTensorDescriptor_t dy_desc,
                                                        cudnnConvolutionDescriptor_t conv_desc,
                                                        cudnnTensorDescriptor_t dx_desc, int asked, int *found,
                                                        cudnnConvolutionBwdDataAlgoPerf_t *results) {
  return guarded(__func__, [&] {
    convolution_of(dx_desc, w_desc, conv_desc, dy_desc);
    const auto w = zeros(*w_desc), dy = zeros(*dy_desc), dx = zeros(*dx_desc);
    const cudnnStatus_t status = cudnnFindConvolutionBackwardDataAlgorithmEx(
        handle, w_desc, w.get(), dy_desc, dy.get(), conv_desc, dx_desc, dx.get(), asked, found, results, nullptr, 0);
    if (status != CUDNN_STATUS_SUCCESS) throw Wrong{status, "the trial failed"};
  });
}
cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithm(cudnnHandle_t handle, cudnnTensorDescriptor_t x_desc,
                                                          cudnnTensorDescriptor_t dy_desc,
                                                          cudnnConvolutionDescriptor_t conv_desc,
                                                          cudnnFilterDescriptor_t dw_desc, int asked, int *found,
                                                          cudnnConvolutionBwdFilterAlgoPerf_t *results) {
  return guarded(__func__, [&] {
    convolution_of(x_desc, dw_desc, conv_desc, dy_desc);
    const auto x = zeros(*x_desc), dy = zeros(*dy_desc), dw = zeros(*dw_desc);
    const cudnnStatus_t status = cudnnFindConvolutionBackwardFilterAlgorithmEx(
        handle, x_desc, x.get(), dy_desc, dy.get(), conv_desc, dw_desc, dw.get(), asked, found, results, nullptr, 0);
    if (status != CUDNN_STATUS_SUCCESS) throw Wrong{status, "the trial failed"};
  });
}

}  // extern "C"
#pragma GCC visibility pop
