// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Memory / copies in every direction
// Copies in every direction and by cudaMemcpyDefault, to and from symbols asynchronously, and from a device to itself.
#include "check.h"

__device__ int cells[20];

__global__ void bump(int *data) { data[threadIdx.x] += 1; }

int main() {
  const int n = 20, size = n * sizeof(int);
  std::vector<int> input = random_ints(n, 1000), host(n, 0), want = input;
  int *a = nullptr, *b = nullptr;
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&a, size));
  CHECK(cudaMalloc(&b, size));
  CHECK(cudaMemcpy(host.data(), input.data(), size, cudaMemcpyHostToHost));
  CHECK(cudaMemcpy(a, host.data(), size, cudaMemcpyHostToDevice));
  bump<<<1, n>>>(a);
  CHECK(cudaMemcpy(b, a, size, cudaMemcpyDeviceToDevice));
  bump<<<1, n>>>(b);
  std::fill(host.begin(), host.end(), 0);
  CHECK(cudaMemcpy(host.data(), b, size, cudaMemcpyDefault));
  for (int &value : want) value += 2;
  compare("round", want, host);

  CHECK(cudaMemcpyToSymbolAsync(cells, host.data(), size / 2, 0, cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyToSymbolAsync(cells, a, size / 2, size / 2, cudaMemcpyDeviceToDevice, stream));
  void *address = nullptr;
  CHECK(cudaGetSymbolAddress(&address, cells));
  bump<<<1, n, 0, stream>>>(static_cast<int *>(address));
  CHECK(cudaMemcpyFromSymbolAsync(host.data(), cells, size, 0, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < n / 2; ++i) want[i] = input[i] + 3;
  for (int i = n / 2; i < n; ++i) want[i] = input[i - n / 2] + 2;
  compare("symbol", want, host);

  CHECK(cudaMemcpyPeer(b, 0, address, 0, size));
  CHECK(cudaMemcpy(host.data(), b, size, cudaMemcpyDeviceToHost));
  compare("peer", want, host);
  CHECK(cudaMemcpy(b, b + n / 2, size / 2, cudaMemcpyDeviceToDevice));
  std::copy(want.begin() + n / 2, want.end(), want.begin());
  compare("within", want, download(b, n));
  CHECK(cudaStreamDestroy(stream));
  return 0;
}
