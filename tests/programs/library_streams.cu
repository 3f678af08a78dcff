// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Device libraries / cuSPARSE, cuSOLVER, NCCL, NPP: calls are operations of streams
// One stream has kernels and calls of four libraries, each of which reads what came before it.
// flags: -lcusparse -lcusolver -lnccl -lnppif -lnppist
#include <cuda_runtime.h>
#include <cusolverDn.h>
#include <cusparse.h>
#include <nccl.h>
#include <npp.h>

#include <cstdio>
#include <cstdlib>

constexpr int kSize = 64;

template <class T>
T *managed(int count) {
  T *made;
  cudaMallocManaged(&made, sizeof(T) * count);
  return made;
}

// Row i of a tridiagonal matrix (-1, 4, -1), with columns that go around.
__global__ void fill_sparse(int *starts, int *cols, double *values, double *x) {
  const int i = threadIdx.x;
  starts[i] = 3 * i;
  if (i == 0) starts[kSize] = 3 * kSize;
  for (int k = 0; k < 3; ++k) {
    cols[3 * i + k] = (i + k - 1 + kSize) % kSize;
    values[3 * i + k] = k == 1 ? 4 : -1;
  }
  x[i] = i;
}
__global__ void fill_dense(double *a) {
  const int i = threadIdx.x, j = blockIdx.x, apart = (i - j + kSize) % kSize;
  a[i + j * kSize] = apart == 0 ? 4 : apart == 1 || apart == kSize - 1 ? -1 : 0;
}
__global__ void to_pixels(const double *x, unsigned char *pixels) {
  const int i = threadIdx.x;
  for (int row = 0; row < kSize; ++row) pixels[row * kSize + i] = static_cast<unsigned char>(x[i] + .5);
}
__global__ void widen(const unsigned char *pixels, float *to, float by) {
  to[threadIdx.x] = by * pixels[kSize + threadIdx.x];
}

__global__ void accumulate(float *to, const float *more) { to[threadIdx.x] += more[threadIdx.x]; }

#define CHECK(CALL)                                                   \
  do {                                                                \
    const int status = static_cast<int>(CALL);                        \
    if (status != 0) std::printf("%s: %d\n", #CALL, status), exit(1); \
  } while (0)

// y = A x, as a sparse matrix.
void multiply(cudaStream_t stream, double *x, double *y) {
  int *const starts = managed<int>(kSize + 1), *const cols = managed<int>(3 * kSize);
  double *const values = managed<double>(3 * kSize);
  fill_sparse<<<1, kSize, 0, stream>>>(starts, cols, values, x);
  cusparseHandle_t handle;
  CHECK(cusparseCreate(&handle));
  CHECK(cusparseSetStream(handle, stream));
  cusparseSpMatDescr_t matrix;
  cusparseDnVecDescr_t from, to;
  CHECK(cusparseCreateCsr(&matrix, kSize, kSize, 3 * kSize, starts, cols, values, CUSPARSE_INDEX_32I,
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
  CHECK(cusparseCreateDnVec(&from, kSize, x, CUDA_R_64F));
  CHECK(cusparseCreateDnVec(&to, kSize, y, CUDA_R_64F));
  const double one = 1, zero = 0;
  size_t size = 0;
  CHECK(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &zero, to, CUDA_R_64F,
                                CUSPARSE_SPMV_ALG_DEFAULT, &size));
  CHECK(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &zero, to, CUDA_R_64F,
                     CUSPARSE_SPMV_ALG_DEFAULT, managed<char>(static_cast<int>(size) + 1)));
  CHECK(cusparseDestroy(handle));
}

// x with A x = y, as a dense matrix, in y's place.
void solve(cudaStream_t stream, double *y) {
  double *const a = managed<double>(kSize * kSize);
  int *const info = managed<int>(1);
  fill_dense<<<kSize, kSize, 0, stream>>>(a);
  cusolverDnHandle_t handle;
  CHECK(cusolverDnCreate(&handle));
  CHECK(cusolverDnSetStream(handle, stream));
  int size = 0;
  CHECK(cusolverDnDpotrf_bufferSize(handle, CUBLAS_FILL_MODE_LOWER, kSize, a, kSize, &size));
  CHECK(cusolverDnDpotrf(handle, CUBLAS_FILL_MODE_LOWER, kSize, a, kSize, managed<double>(size + 1), size, info));
  CHECK(cusolverDnDpotrs(handle, CUBLAS_FILL_MODE_LOWER, kSize, 1, a, kSize, y, kSize, info));
  CHECK(cusolverDnDestroy(handle));
}

// A box of 3 x 3 over what is 1 away from the edges.
void filter(cudaStream_t stream, const unsigned char *pixels, unsigned char *to) {
  NppStreamContext context = {};
  context.hStream = stream;
  CHECK(nppiFilterBox_8u_C1R_Ctx(pixels + kSize + 1, kSize, to + kSize + 1, kSize, {kSize - 2, kSize - 2}, {3, 3},
                                 {1, 1}, context));
}

// Two images' sum: one of them comes from a stream of its own; then over all ranks, which is one.
void add(cudaStream_t stream, const unsigned char *pixels, float *sums) {
  float *const one = managed<float>(kSize), *const ten = managed<float>(kSize);
  cudaStream_t second;
  cudaStreamCreate(&second);
  cudaEvent_t filtered, widened;
  cudaEventCreate(&filtered);
  cudaEventCreate(&widened);
  cudaEventRecord(filtered, stream);
  cudaStreamWaitEvent(second, filtered, 0);
  widen<<<1, kSize, 0, stream>>>(pixels, one, 1);
  widen<<<1, kSize, 0, second>>>(pixels, ten, 10);
  cudaEventRecord(widened, second);
  cudaStreamWaitEvent(stream, widened, 0);
  accumulate<<<1, kSize, 0, stream>>>(one, ten);
  ncclUniqueId name;
  ncclComm_t rank;
  CHECK(ncclGetUniqueId(&name));
  CHECK(ncclCommInitRank(&rank, 1, name, 0));
  CHECK(ncclAllReduce(one, sums, kSize, ncclFloat, ncclSum, rank, stream));
  cudaDeviceSynchronize();
  CHECK(ncclCommDestroy(rank));
}

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  double *const x = managed<double>(kSize), *const y = managed<double>(kSize);
  unsigned char *const pixels = managed<unsigned char>(kSize * kSize), *const box =
                                                                           managed<unsigned char>(kSize * kSize);
  float *const sums = managed<float>(kSize);
  multiply(stream, x, y);
  solve(stream, y);
  to_pixels<<<1, kSize, 0, stream>>>(y, pixels);
  filter(stream, pixels, box);
  add(stream, box, sums);
  int wrong = 0;
  for (int i = 0; i < kSize; ++i) {
    wrong += !(y[i] > i - 1e-12 && y[i] < i + 1e-12);
    wrong += i > 0 && i < kSize - 1 && sums[i] != 11.f * i;
  }
  std::printf("x: %.3f %.3f, sums: %.0f %.0f, %d wrong\n", y[1], y[63], sums[1], sums[62], wrong);
  return 0;
}
