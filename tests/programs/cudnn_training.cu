// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Device libraries / cuDNN: a network is trained, calls are operations of streams
// functions: cudnnCreate cudnnSetStream cudnnSetTensor4dDescriptor cudnnSetFilter4dDescriptor
// functions: cudnnSetConvolution2dDescriptor cudnnGetConvolution2dForwardOutputDim cudnnSetPooling2dDescriptor
// functions: cudnnGetPooling2dForwardOutputDim
// A small network learns to tell four kinds of images: convolution, bias, ReLU, pooling, a second convolution as the
// last layer, softmax. Kernels and calls of cuDNN take turns in one stream; the step is captured into a graph.
// flags: -lcudnn
#include <cuda_runtime.h>
#include <cudnn.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

#define NEED(CALL)                                                 \
  do {                                                             \
    const cudnnStatus_t status = (CALL);                           \
    if (status != CUDNN_STATUS_SUCCESS) {                          \
      std::printf("%s: %s\n", #CALL, cudnnGetErrorString(status)); \
      std::exit(1);                                                \
    }                                                              \
  } while (0)

constexpr int kBatch = 32, kSize = 12, kFilters = 8, kKinds = 4;
const float one = 1, zero = 0;

// Kind 0: rows, 1: columns, 2: a diagonal, 3: a checkerboard; with noise.
__global__ void draw(float *images, int *kinds, unsigned seed) {
  const int image = blockIdx.x, row = threadIdx.y, column = threadIdx.x, kind = image % kKinds;
  const int values[] = {row % 2, column % 2, (row + 2 * column) % 4 < 2, (row + column) % 2};
  unsigned noise = seed + 747796405u * (image * 144 + row * 12 + column + 1);
  noise = (noise ^ noise >> 15) * 2246822519u;
  noise ^= noise >> 13;
  images[(image * kSize + row) * kSize + column] = values[kind] - .5f + (float(noise % 1000) - 500) * .0006f;
  if (row == 0 && column == 0) kinds[image] = kind;
}
__global__ void fill(float *weights, int count, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) weights[i] = scale * (float((i * 37 + 11) % 64) / 32 - 1);
}
// The gradient of the mean of the logarithms, and their mean.
__global__ void judge(const float *chances, const int *kinds, float *errors, float *loss) {
  __shared__ float losses[kBatch];
  const int image = threadIdx.x;
  for (int kind = 0; kind < kKinds; ++kind) {
    errors[image * kKinds + kind] = (chances[image * kKinds + kind] - (kind == kinds[image])) / kBatch;
  }
  losses[image] = -logf(chances[image * kKinds + kinds[image]]);
  __syncthreads();
  if (image != 0) return;
  float sum = 0;
  for (int i = 0; i < kBatch; ++i) sum += losses[i];
  *loss = sum / kBatch;
}
__global__ void learn(float *weights, const float *gradient, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) weights[i] -= .5f * gradient[i];
}

float *floats(int count) {
  float *made;
  cudaMallocManaged(&made, sizeof(float) * count);
  return made;
}
cudnnTensorDescriptor_t tensor(int n, int c, int h, int w) {
  cudnnTensorDescriptor_t made;
  NEED(cudnnCreateTensorDescriptor(&made));
  NEED(cudnnSetTensor4dDescriptor(made, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT, n, c, h, w));
  return made;
}
cudnnFilterDescriptor_t filter(int k, int c, int h, int w) {
  cudnnFilterDescriptor_t made;
  NEED(cudnnCreateFilterDescriptor(&made));
  NEED(cudnnSetFilter4dDescriptor(made, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, k, c, h, w));
  return made;
}
cudnnConvolutionDescriptor_t convolution(int pad) {
  cudnnConvolutionDescriptor_t made;
  NEED(cudnnCreateConvolutionDescriptor(&made));
  NEED(cudnnSetConvolution2dDescriptor(made, pad, pad, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
  return made;
}

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudnnHandle_t dnn;
  NEED(cudnnCreate(&dnn));
  NEED(cudnnSetStream(dnn, stream));
  const auto images_desc = tensor(kBatch, 1, kSize, kSize), bias_desc = tensor(1, kFilters, 1, 1);
  const auto w1_desc = filter(kFilters, 1, 3, 3);
  const auto first = convolution(1), last = convolution(0);
  int n, c, h, w;
  NEED(cudnnGetConvolution2dForwardOutputDim(first, images_desc, w1_desc, &n, &c, &h, &w));
  std::printf("after the convolution: %d %d %d %d\n", n, c, h, w);
  const auto y_desc = tensor(n, c, h, w);
  cudnnPoolingDescriptor_t pooling;
  NEED(cudnnCreatePoolingDescriptor(&pooling));
  NEED(cudnnSetPooling2dDescriptor(pooling, CUDNN_POOLING_MAX, CUDNN_NOT_PROPAGATE_NAN, 2, 2, 0, 0, 2, 2));
  NEED(cudnnGetPooling2dForwardOutputDim(pooling, y_desc, &n, &c, &h, &w));
  std::printf("after the pooling: %d %d %d %d\n", n, c, h, w);
  const auto p_desc = tensor(n, c, h, w);
  const auto w2_desc = filter(kKinds, kFilters, h, w);
  const auto s_desc = tensor(kBatch, kKinds, 1, 1);
  cudnnActivationDescriptor_t relu;
  NEED(cudnnCreateActivationDescriptor(&relu));
  NEED(cudnnSetActivationDescriptor(relu, CUDNN_ACTIVATION_RELU, CUDNN_NOT_PROPAGATE_NAN, 0));

  const int count = kBatch * kFilters * kSize * kSize, w2_count = kKinds * kFilters * h * w;
  float *images = floats(kBatch * kSize * kSize), *w1 = floats(kFilters * 9), *dw1 = floats(kFilters * 9);
  float *bias = floats(kFilters), *dbias = floats(kFilters), *y = floats(count), *a = floats(count);
  float *da = floats(count), *p = floats(count / 4), *dp = floats(count / 4), *w2 = floats(w2_count);
  float *dw2 = floats(w2_count), *s = floats(kBatch * kKinds), *ds = floats(kBatch * kKinds), *loss = floats(1);
  int *kinds;
  cudaMallocManaged(&kinds, sizeof(int) * kBatch);
  fill<<<1, 128, 0, stream>>>(w1, kFilters * 9, .3f);
  fill<<<1, 128, 0, stream>>>(bias, kFilters, 0);
  fill<<<(w2_count + 127) / 128, 128, 0, stream>>>(w2, w2_count, .05f);
  draw<<<kBatch, dim3(kSize, kSize), 0, stream>>>(images, kinds, 1);

  const auto f = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
  const auto g = CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0;
  cudaGraph_t graph;
  cudaGraphExec_t step;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  NEED(cudnnConvolutionForward(dnn, &one, images_desc, images, w1_desc, w1, first, f, nullptr, 0, &zero, y_desc, y));
  NEED(cudnnAddTensor(dnn, &one, bias_desc, bias, &one, y_desc, y));
  NEED(cudnnActivationForward(dnn, relu, &one, y_desc, y, &zero, y_desc, a));
  NEED(cudnnPoolingForward(dnn, pooling, &one, y_desc, a, &zero, p_desc, p));
  NEED(cudnnConvolutionForward(dnn, &one, p_desc, p, w2_desc, w2, last, f, nullptr, 0, &zero, s_desc, s));
  NEED(cudnnSoftmaxForward(dnn, CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_MODE_CHANNEL, &one, s_desc, s, &zero, s_desc, s));
  judge<<<1, kBatch, 0, stream>>>(s, kinds, ds, loss);
  NEED(cudnnConvolutionBackwardFilter(dnn, &one, p_desc, p, s_desc, ds, last, g, nullptr, 0, &zero, w2_desc, dw2));
  NEED(cudnnConvolutionBackwardData(dnn, &one, w2_desc, w2, s_desc, ds, last, CUDNN_CONVOLUTION_BWD_DATA_ALGO_0,
                                    nullptr, 0, &zero, p_desc, dp));
  NEED(cudnnPoolingBackward(dnn, pooling, &one, p_desc, p, p_desc, dp, y_desc, a, &zero, y_desc, da));
  NEED(cudnnActivationBackward(dnn, relu, &one, y_desc, a, y_desc, da, y_desc, y, &zero, y_desc, da));
  NEED(cudnnConvolutionBackwardFilter(dnn, &one, images_desc, images, y_desc, da, first, g, nullptr, 0, &zero, w1_desc,
                                      dw1));
  NEED(cudnnConvolutionBackwardBias(dnn, &one, y_desc, da, &zero, bias_desc, dbias));
  learn<<<1, 128, 0, stream>>>(w1, dw1, kFilters * 9);
  learn<<<1, 128, 0, stream>>>(bias, dbias, kFilters);
  learn<<<(w2_count + 127) / 128, 128, 0, stream>>>(w2, dw2, w2_count);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&step, graph, 0);

  for (int i = 0; i < 60; ++i) {
    cudaGraphLaunch(step, stream);
    if (i != 0 && i != 59) continue;
    cudaStreamSynchronize(stream);
    std::printf("step %d: loss %s\n", i, *loss > 1 ? "above 1" : *loss < .1f ? "below 0.1" : "between");
  }
  NEED(cudnnDestroy(dnn));
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
