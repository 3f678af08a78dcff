// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Warp functions / sums of a warp whose start, step and place the launch says
// Sums along an axis that the launch chooses, by shuffles: factors of the thread's number of 1, 0, -1, 3; warps that lie in
// two rows, that are not full, that partly return; one thread stores, or some, or all, to places the data says.
#include <cstdio>

struct Split {
  int across, down, out_across, out_down;  // factors of threadIdx.x and .y: for the start, and for the sum
  int step, end, sums, stride;
  int everyone;
};

__global__ void along(Split s, const int *in, const int *places, int *out) {
  const int sum = threadIdx.x * s.out_across + threadIdx.y * s.out_down + blockIdx.x * 8;
  int at = threadIdx.x * s.across + threadIdx.y * s.down;
  unsigned total = 3;
  if (sum >= 0 && sum < s.sums && at < s.end) {
    const int *row = in + sum * s.stride;
    while (at < s.end) {
      total = total * 5 + row[at & 255];
      at += s.step;
    }
  }
  if (s.across != 0)
    for (int o = 1; o < 32; o <<= 1) total += __shfl_down_sync(0xffffffffu, total, o);
  if (sum >= 0 && sum < s.sums && (s.everyone || threadIdx.x == 0)) atomicAdd(out + places[sum], (int)total);
}

// The place of the one thread that stores, known to the data alone; `which` may be no thread at all.
__global__ void one_of_all(const int *in, const int *places, int *out, int which, int also, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[t & 1023];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  if (t < n && (threadIdx.x == which || (also && threadIdx.x % 32 == also))) out[places[t & 511] + 1024] = v + t;
  if (t * 3 == which * 3 + 96) out[places[(t + 1) & 511]] = v;
}

static int in[16384], places[512];
static int *d_in, *d_places, *d_out;

static unsigned hash() {
  static int out[2048];
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  cudaMemset(d_out, 0, sizeof out);
  unsigned h = 2166136261u;
  for (int each : out) h = (h ^ (unsigned)each) * 16777619u;
  return h;
}

int main() {
  for (int i = 0; i < 16384; i++) in[i] = (i * 7919) % 1009 - 500;
  for (int i = 0; i < 512; i++) places[i] = (i * 37) % 512;
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_places, sizeof places);
  cudaMalloc(&d_out, 2048 * sizeof(int));
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  cudaMemcpy(d_places, places, sizeof places, cudaMemcpyHostToDevice);
  cudaMemset(d_out, 0, 2048 * sizeof(int));
  for (const dim3 block : {dim3(32, 8), dim3(32), dim3(64, 2), dim3(128), dim3(16, 4), dim3(96, 2)}) {
    unsigned total = 0;
    for (const int across : {1, 0, 3, -1})
      for (const int out : {0, 1, 2})
        for (const int end : {0, 1, 77, 128})
          for (const int everyone : {0, 1}) {
            along<<<3, block>>>(Split{across, 5, out, 1, 32, end, 61, 256, everyone}, d_in, d_places, d_out);
            total = total * 31 + hash();
          }
    for (const int which : {0, 5, 31, 40, -1})
      for (const int also : {0, 7}) {
        one_of_all<<<2, block.x * block.y>>>(d_in, d_places, d_out, which, also, 300);
        total = total * 31 + hash();
      }
    printf("blocks of %u x %u: %08x\n", block.x, block.y, total);
  }
}
