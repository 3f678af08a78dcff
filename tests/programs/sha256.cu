// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / sha256
// SHA-256 of one short message a thread, checked against the host and against the known hash of "abc".
#include "check.h"

__host__ __device__ unsigned rotated(unsigned x, int by) { return x >> by | x << (32 - by); }

__host__ __device__ void sha256(const unsigned char *message, int length, unsigned *hash) {
  // The round constants are the first 32 bits of the fractional parts of the primes' cube roots, the start values of
  // their square roots.
  const unsigned rounds[64] = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
      0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
      0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
      0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
      0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
      0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
      0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
  const unsigned start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  unsigned w[64], s[8];
  unsigned char block[64] = {};
  for (int i = 0; i < length; ++i) block[i] = message[i];
  block[length] = 0x80;
  block[62] = static_cast<unsigned char>(length * 8 >> 8);
  block[63] = static_cast<unsigned char>(length * 8);
  for (int i = 0; i < 16; ++i)
    w[i] = block[4 * i] << 24 | block[4 * i + 1] << 16 | block[4 * i + 2] << 8 | block[4 * i + 3];
  for (int i = 16; i < 64; ++i)
    w[i] = w[i - 16] + (rotated(w[i - 15], 7) ^ rotated(w[i - 15], 18) ^ w[i - 15] >> 3) + w[i - 7] +
           (rotated(w[i - 2], 17) ^ rotated(w[i - 2], 19) ^ w[i - 2] >> 10);
  for (int i = 0; i < 8; ++i) s[i] = start[i];
  for (int i = 0; i < 64; ++i) {
    unsigned one = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) +
                   ((s[4] & s[5]) ^ (~s[4] & s[6])) + rounds[i] + w[i];
    unsigned two =
        (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
    for (int k = 7; k > 0; --k) s[k] = s[k - 1];
    s[4] += one;
    s[0] = one + two;
  }
  for (int i = 0; i < 8; ++i) hash[i] = s[i] + start[i];
}

__host__ __device__ int compose(int id, unsigned char *message) {
  int length = id == 0 ? 3 : id % 50 + 1;
  for (int i = 0; i < length; ++i) message[i] = id == 0 ? 'a' + i : static_cast<unsigned char>(id * 31 + i * 7);
  return length;
}

__global__ void run(unsigned *hashes) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned char message[64];
  sha256(message, compose(id, message), hashes + 8 * id);
}

int main() {
  const int n = 96;
  std::vector<unsigned> want(8 * n);
  for (int id = 0; id < n; ++id) {
    unsigned char message[64];
    sha256(message, compose(id, message), &want[8 * id]);
  }
  for (int i = 0; i < 8; ++i) std::printf("%08x", want[i]);
  std::printf("\n");
  unsigned *hashes = device_zeros<unsigned>(8 * n);
  run<<<3, 32>>>(hashes);
  compare("hashes", want, download(hashes, 8 * n));
  return 0;
}
