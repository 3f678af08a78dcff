// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / loops whose start and step the launch says
// Loops whose start and step the launch says, left by each thread in its own time: factors of 1, 0, -1, 3 and such that
// wrap; bounds within a vector; arrays that overlap; threads that do not enter; choices all threads make alike.
#include <cstdio>
#include <cstring>

struct Split {
  int across, down, out;  // factors of threadIdx.x, threadIdx.y for the start; of threadIdx.x for the place
  unsigned step, end;
  int kind;
};

// Reads 4 at a time, as far as whole fours go, by an unsigned counter that may wrap.
__global__ void fours(Split s, const int *in, int *out, int limit) {
  const unsigned place = threadIdx.x + blockDim.x * (threadIdx.y + blockIdx.x * blockDim.y);
  unsigned at = threadIdx.x * s.across + threadIdx.y * s.down;
  int sum = 1, trips = 0;
  if (at < s.end) {
    while (at * 4 + 3 < s.end && trips < limit) {
      for (int k = 0; k < 4; k++) sum = sum * 3 + in[(at * 4 + k) % 4096];
      at += s.step;
      trips++;
    }
  }
  out[place] = sum + trips * 7 + (int)at;
}

// What one thread stores another may read only in its own place; the loop stores where it reads.
__global__ void in_place(Split s, int *data, int *out) {
  const unsigned place = threadIdx.x + blockDim.x * (threadIdx.y + blockIdx.x * blockDim.y);
  const unsigned row = place * 64;
  unsigned at = threadIdx.x * s.across;
  int n = 0;
  while (at + 2 * s.step < s.end) {
    const unsigned where = row + (at & 63);
    data[where] += n + 1;
    at += s.step;
    n += data[row + ((at * 3) & 63)];
  }
  out[place] = n;
}

// Two factors: where a thread's sums go, and where it starts; a choice within a condition.
__global__ void two(Split s, const int *in, int *out) {
  const unsigned place = threadIdx.x + blockDim.x * (threadIdx.y + blockIdx.x * blockDim.y);
  const unsigned row = threadIdx.x * s.out + blockIdx.x;
  unsigned at = threadIdx.x * s.across + threadIdx.y * s.down;
  int a = 0, b = 0;
  if (row < 900 && at < s.end) {
    const int *from = in + row;
    if (s.kind == 1) {
      while (at + s.step < s.end) {
        a += from[at & 1023];
        b ^= from[(at + s.step) & 1023];
        at += 2 * s.step;
      }
    } else {
      while (at < s.end) {
        a -= from[(at * s.kind) & 1023];
        if (a == 12345) break;
        b += a;
        at += s.step;
      }
    }
    if (at < s.end) a += from[at & 1023];
  }
  out[place] = a * 31 + b;
}

// Signed counters of 64 bits that go down.
__global__ void down(Split s, const int *in, int *out) {
  const unsigned place = threadIdx.x + blockDim.x * (threadIdx.y + blockIdx.x * blockDim.y);
  long long at = (long long)threadIdx.x * s.across + 200;
  int a = 0;
  while (at * 2 - 1 > (long long)s.kind - 40) {
    a = a * 5 + in[at & 4095];
    at -= s.step;
  }
  out[place] = a + (int)at;
}

static int in[4096 + 1024], *d_in, *d_out, *d_data;
static unsigned hash(int n) {
  static int out[4096];
  cudaMemcpy(out, d_out, sizeof(int) * n, cudaMemcpyDeviceToHost);
  unsigned h = 2166136261u;
  for (int i = 0; i < n; i++) h = (h ^ (unsigned)out[i]) * 16777619u;
  return h;
}

int main() {
  for (int i = 0; i < 5120; i++) in[i] = (i * 7919) % 1009 - 500;
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_out, 4096 * sizeof(int));
  cudaMalloc(&d_data, 4096 * 64 * sizeof(int));
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  const int factors[] = {0, 1, -1, 3, 1 << 30, -7};
  const unsigned ends[] = {0, 1, 3, 4, 77, 128, 1000, 4294967295u};
  const dim3 blocks[] = {dim3(1), dim3(7), dim3(32), dim3(100), dim3(16, 4), dim3(33, 3), dim3(128, 2)};
  unsigned total = 0;
  for (const dim3 block : blocks) {
    const int n = block.x * block.y * 3;
    for (const int across : factors) {
      for (const unsigned end : ends) {
        for (const unsigned step : {1u, 32u, 129u, 1u << 29}) {
          for (const int out : {0, 1, 2, -1}) {
            Split s = {across, 5, out, step, end, out + 1};
            if (out == 0) {
              fours<<<3, block>>>(s, d_in, d_out, 40);
              total = total * 31 + hash(n);
            }
            if (end > 100000) s.end = 3000;
            if (out == 1 && step < 1000) {
              cudaMemset(d_data, 0, 4096 * 64 * sizeof(int));
              in_place<<<3, block>>>(s, d_data, d_out);
              total = total * 31 + hash(n);
            }
            two<<<3, block>>>(s, d_in, d_out);
            total = total * 31 + hash(n);
            if (across <= 3 && across >= -7 && step < 1000) {
              down<<<3, block>>>(s, d_in, d_out);
              total = total * 31 + hash(n);
            }
          }
        }
      }
    }
    printf("blocks of %u x %u: %08x\n", block.x, block.y, total);
  }
}
