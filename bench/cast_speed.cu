// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Time of sums of 65,536 elements whose types the launch says, which lie in the cache: the least of 300 launches.
//
//     warpcc bench/cast_speed.cu -o cast_speed && WARPLOOM_NUM_THREADS=1 ./cast_speed
#define KERNELS_ONLY
#include "compile_units/elementwise.cu"
#include <chrono>
#include <vector>
template <typename T>
void go(const char *name, Kind ka, int sa, Kind kr, int sr) {
  const int n = 65536;
  char *to, *a, *b;
  cudaMalloc(&to, n * 16);
  cudaMalloc(&a, n * 16);
  cudaMalloc(&b, n * 16);
  cudaMemset(a, 1, n * 16);
  cudaMemset(b, 1, n * 16);
  Cast<3> c{{kr, ka, ka}, {sr, sa, sa}};
  int g = (n + tile() - 1) / tile();
  double best = 1e9;
  for (int r = 0; r < 300; ++r) {
    auto t = std::chrono::steady_clock::now();
    dense_elements<<<g, threads()>>>(n, Add<T>{T(1)}, Pointers<3>{{to, a, b}}, c);
    cudaDeviceSynchronize();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count());
  }
  std::vector<char> h(n * sr);
  cudaMemcpy(h.data(), to, n * sr, cudaMemcpyDeviceToHost);
  unsigned s = 0;
  for (char x : h) s = s * 31 + (unsigned char)x;
  printf("%-22s %7.1f us  %08x\n", name, best * 1e6, s);
}
int main() {
  go<float>("float <- float", Kind::kFloat, 4, Kind::kFloat, 4);
  go<float>("float <- half", Kind::kHalf, 2, Kind::kFloat, 4);
  go<float>("half <- byte", Kind::kByte, 1, Kind::kHalf, 2);
  go<float>("double <- int", Kind::kInt, 4, Kind::kDouble, 8);
  go<float>("bool <- bfloat", Kind::kBfloat, 2, Kind::kBool, 1);
  go<float>("float <- float apart 8", Kind::kFloat, 8, Kind::kFloat, 8);
  go<float>("half <- byte apart 4", Kind::kByte, 4, Kind::kHalf, 4);
}
