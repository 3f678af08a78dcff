// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Memory / cache hints, generic addresses
//
// Loads and stores with cache hints, prefetch-free; generic pointers and their shared addresses.
#include <cstdio>

template <class T>
__global__ void loads(const T *in, T *out) {
  int i = threadIdx.x;
  out[6 * i] = __ldg(in + i);
  __stcg(out + 6 * i + 1, __ldca(in + i));
  __stcs(out + 6 * i + 2, __ldcg(in + i));
  __stwt(out + 6 * i + 3, __ldcs(in + i));
  __stwb(out + 6 * i + 4, __ldlu(in + i));
  out[6 * i + 5] = __ldcv(in + i);
}

template <class T>
void run(const char *name) {
  unsigned char bytes[4 * sizeof(T)], back[24 * sizeof(T)];
  for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = (unsigned char)(i * 5 + 1);
  T *in, *out;
  cudaMalloc(&in, sizeof bytes);
  cudaMalloc(&out, sizeof back);
  cudaMemcpy(in, bytes, sizeof bytes, cudaMemcpyHostToDevice);
  loads<<<1, 4>>>((const T *)in, out);
  cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (size_t i = 0; i < sizeof back; ++i) wrong += back[i] != bytes[i / (6 * sizeof(T)) * sizeof(T) + i % sizeof(T)];
  printf("%s %d\n", name, wrong);
  cudaFree(in);
  cudaFree(out);
}

__global__ void spaces(int *global) {
  __shared__ int fixed[4];
  extern __shared__ int dynamic[];
  fixed[threadIdx.x & 3] = 1;
  dynamic[threadIdx.x] = 2;
  size_t address = __cvta_generic_to_shared(dynamic + 3);
  int *again = (int *)__cvta_shared_to_generic(address);
  global[0] = __isShared(fixed) != 0 && __isShared(dynamic) != 0 && __isShared(global) == 0;
  global[1] = __isGlobal(global) != 0 && __isGlobal(fixed) == 0;
  global[2] = again == dynamic + 3 && (unsigned)address == address;
}

int main() {
  run<char>("char");
  run<unsigned short>("unsigned short");
  run<int>("int");
  run<long long>("long long");
  run<float>("float");
  run<double>("double");
  run<char4>("char4");
  run<int2>("int2");
  run<int4>("int4");
  run<float2>("float2");
  run<float4>("float4");
  run<double2>("double2");
  int *device, host[3];
  cudaMalloc(&device, sizeof host);
  spaces<<<1, 4, 64>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %d %d\n", host[0], host[1], host[2]);
  return cudaDeviceSynchronize();
}
