// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warps / warp collectives for each type and mask
//
// Warp collectives for each type, each width and partial masks.
#include <cstdio>

template <class T>
__global__ void shuffles(T *out) {
  int lane = threadIdx.x;
  T value = (T)(lane * 3 - 20);
  T sum = __shfl_sync(0xffffffffu, value, 5);
  sum += __shfl_sync(0xffffffffu, value, lane + 1, 8) * 2;
  sum += __shfl_up_sync(0xffffffffu, value, 3) * 3;
  sum += __shfl_down_sync(0xffffffffu, value, 2, 16) * 5;
  sum += __shfl_xor_sync(0xffffffffu, value, 7) * 7;
  if (lane < 12) sum += __shfl_xor_sync(0xfffu, value, 1) * 11;
  out[lane] = sum;
}

template <class T>
void run(const char *name) {
  T *device, host[32];
  cudaMalloc(&device, sizeof host);
  shuffles<<<1, 32>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  printf("%s", name);
  for (T v : host) printf(" %g", (double)v);
  printf("\n");
  cudaFree(device);
}

__global__ void votes(unsigned *out) {
  int lane = threadIdx.x;
  unsigned all = 0xffffffffu, odd = 0xaaaaaaaau;
  int predicate;
  unsigned r[16] = {};
  r[0] = __ballot_sync(all, lane % 3 == 0);
  r[1] = __any_sync(all, lane == 40) | __any_sync(all, lane == 4) << 1;
  r[2] = __all_sync(all, lane < 32) | __all_sync(all, lane < 31) << 1;
  r[3] = __match_any_sync(all, lane % 5);
  r[4] = __match_any_sync(all, (double)(lane / 7));
  r[5] = __match_all_sync(all, 7ull, &predicate) + predicate;
  r[6] = __match_all_sync(all, lane, &predicate) + predicate;
  if (lane & 1) {
    r[7] = __ballot_sync(odd, lane > 8);
    r[8] = __reduce_add_sync(odd, lane);
    r[9] = (unsigned)__reduce_min_sync(odd, lane - 9);
    r[10] = __reduce_max_sync(odd, (unsigned)lane - 9);
    r[11] = __reduce_and_sync(odd, lane | 0x100u);
    r[12] = __reduce_or_sync(odd, (unsigned)lane);
    r[13] = __reduce_xor_sync(odd, (unsigned)lane);
    r[14] = (unsigned)__reduce_max_sync(odd, lane - 40);
    r[15] = __activemask() & ~odd;
  }
  __syncwarp();
  for (int i = 0; i < 16; ++i) out[lane * 16 + i] = r[i];
}

int main() {
  run<int>("int");
  run<unsigned>("unsigned");
  run<long>("long");
  run<unsigned long>("unsigned long");
  run<long long>("long long");
  run<unsigned long long>("unsigned long long");
  run<float>("float");
  run<double>("double");
  static unsigned host[32 * 16];
  unsigned *device;
  cudaMalloc(&device, sizeof host);
  votes<<<1, 32>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  for (int lane : {0, 9, 31}) {
    printf("lane %d:", lane);
    for (int i = 0; i < 16; ++i) printf(" %x", host[lane * 16 + i]);
    printf("\n");
  }
  return cudaDeviceSynchronize();
}
