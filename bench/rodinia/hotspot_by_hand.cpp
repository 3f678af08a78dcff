// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a block of Rodinia's hotspot takes at the least: its 16 x 16 threads make two steps, of 14 and of 12 rows of 16
// cells, and keep 144 cells. Written by hand with AVX-512: what is read comes from the grid itself, not through shared
// memory, nothing is asked, and blocks at the edge are left out.
//
//     g++ -O3 -march=sapphirerapids hotspot_by_hand.cpp && ./a.out
#include <immintrin.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kSide = 512, kBlocks = 43, kLaunches = 100;

struct Constants {
  float cap, rx, ry, rz;
};
struct Wide {
  __m512d cap, rx, ry, two;
  __m256 rz, amb;
};

double nanoseconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

// The least of `rounds` times of work(), ns.
template <class Work>
double least(int rounds, const Work &work) {
  double best = 1e30;
  for (int round = 0; round < rounds; ++round) {
    const double start = nanoseconds();
    work(round);
    best = std::min(best, nanoseconds() - start);
  }
  return best;
}

__m512d wide(const float *place) { return _mm512_cvtps_pd(_mm256_loadu_ps(place)); }

__m512d half(__m512d t, __m512d sn, __m512d ew, __m512d p, __m512d amb, const Wide &w) {
  const __m512d y = _mm512_fnmadd_pd(w.two, t, sn), x = _mm512_fnmadd_pd(w.two, t, ew);
  return _mm512_fmadd_pd(w.cap, _mm512_add_pd(_mm512_fmadd_pd(x, w.rx, _mm512_fmadd_pd(y, w.ry, p)), amb), t);
}

// 8 cells from `t` on, rows of which are `stride` apart: in double where the program says 2.0. Floats lie as doubles
// do: of 16 at once halves would be taken apart and put together, which takes 28 cycles a row in place of 25.
__m256 row(const float *t, int stride, const float *p, const Wide &w) {
  const __m256 here = _mm256_loadu_ps(t);
  const __m256 sn = _mm256_add_ps(_mm256_loadu_ps(t + stride), _mm256_loadu_ps(t - stride));
  const __m256 ew = _mm256_add_ps(_mm256_loadu_ps(t + 1), _mm256_loadu_ps(t - 1));
  const __m512d amb = _mm512_cvtps_pd(_mm256_mul_ps(_mm256_sub_ps(w.amb, here), w.rz));
  return _mm512_cvtpd_ps(half(wide(t), _mm512_cvtps_pd(sn), _mm512_cvtps_pd(ew), wide(p), amb, w));
}

void block(const float *from, const float *power, float *to, const Wide &w) {
  alignas(64) float first[18 * 16];
  float *const kept = first + 16;
  for (int y = 1; y <= 14; ++y) {
    const int at = kSide * y;
    _mm256_store_ps(kept + 16 * y, row(from + at, kSide, power + at, w));
    _mm256_store_ps(kept + 16 * y + 8, row(from + at + 8, kSide, power + at + 8, w));
  }
  for (int y = 2; y <= 13; ++y) {
    const int at = kSide * y;
    _mm256_mask_storeu_ps(to + at, 0xfc, row(kept + 16 * y, 16, power + at, w));
    _mm256_mask_storeu_ps(to + at + 8, 0x3f, row(kept + 16 * y + 8, 16, power + at + 8, w));
  }
}

float cell(const float *t, float p, const Constants &c) {
  const double here = *t;
  const double x = static_cast<double>(t[1] + t[-1]) - 2 * here;
  const double y = static_cast<double>(t[kSide] + t[-kSide]) - 2 * here;
  const double sum = std::fma(x, c.rx, std::fma(y, c.ry, p)) + static_cast<double>((80.F - *t) * c.rz);
  return static_cast<float>(std::fma(c.cap, sum, here));
}

// Cells of a block that differ from those computed one by one.
int wrong_cells(float *const data[3], const Constants &c, const Wide &w) {
  const int at = 12 * 7 - 2 + kSide * (12 * 5 - 2);
  std::vector<float> one(kSide * kSide), two(kSide * kSide);
  for (int i = kSide + 1; i < kSide * (kSide - 1) - 1; ++i) one[i] = cell(data[0] + i, data[2][i], c);
  for (int i = 2 * kSide + 2; i < kSide * (kSide - 2) - 2; ++i) two[i] = cell(&one[i], data[2][i], c);
  block(data[0] + at, data[2] + at, data[1] + at, w);
  int wrong = 0;
  for (int y = 2; y < 14; ++y) {
    for (int x = 2; x < 14; ++x) wrong += two[at + y * kSide + x] != data[1][at + y * kSide + x];
  }
  return wrong;
}

// By a chain of multiply-adds of four cycles each, while other vectors of 512 bits are at work.
double gigahertz(const Wide &w) {
  constexpr int kLength = 200'000;
  const double time = least(20, [&](int) {
    __m512d v = w.two;
    for (int i = 0; i < kLength; ++i) {
      v = _mm512_fmadd_pd(v, w.rx, w.ry);
      asm volatile("" : "+v"(v));
    }
  });
  return 4 * kLength / time;
}

}  // namespace

int main() {
  float *data[3];
  for (int i = 0; i < 3; ++i) {
    data[i] = static_cast<float *>(std::aligned_alloc(64, sizeof(float) * kSide * kSide));
    for (int k = 0; k < kSide * kSide; ++k) {
      const auto random = static_cast<float>(std::rand() % 1000);
      data[i][k] = i == 2 ? 1e-3F * random : 323 + 1e-2F * random;
    }
  }
  const Constants c{0.31F, 0.08F, 0.09F, 1e-4F};
  const Wide w{_mm512_set1_pd(c.cap), _mm512_set1_pd(c.rx), _mm512_set1_pd(c.ry),
               _mm512_set1_pd(2),     _mm256_set1_ps(c.rz), _mm256_set1_ps(80)};
  const int wrong = wrong_cells(data, c, w), at = 12 * 7 - 2 + kSide * (12 * 5 - 2);
  const double near = least(200, [&](int) {
    for (int i = 0; i < 200; ++i) {
      block(data[0] + at, data[2] + at, data[1] + at, w);
      asm volatile("" ::: "memory");
    }
  });
  const double all = least(40, [&](int round) {
    for (int y = 1; y < kBlocks - 1; ++y) {
      for (int x = 1; x < kBlocks - 1; ++x) {
        const int place = 12 * x - 2 + kSide * (12 * y - 2);
        block(data[round & 1] + place, data[2] + place, data[~round & 1] + place, w);
      }
    }
  });
  const double ghz = gigahertz(w), each = all / ((kBlocks - 2) * (kBlocks - 2));
  std::printf("%d of 144 cells wrong; %.2f GHz\n", wrong, ghz);
  std::printf("a block in the first cache: %.0f ns, %.1f cycles for each of its 26 rows\n", near / 200,
              near / 200 * ghz / 26);
  std::printf("a block of the grid: %.0f ns; %d launches of %d blocks: %.1f ms\n", each, kLaunches, kBlocks * kBlocks,
              each * kLaunches * kBlocks * kBlocks * 1e-6);
  return wrong;
}
