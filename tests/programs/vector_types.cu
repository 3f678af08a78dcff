// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Arithmetic / vector types
// Vector types: loads and stores of 2 to 4 lanes, make_ functions, sizes and alignments, aligned structs, double2.
#include "check.h"

struct alignas(16) Particle {
  float3 place;
  float mass;
};
struct __align__(8) Edge {
  int to;
  short weight;
};

__global__ void combine(const float4 *a, const float4 *b, float4 *sum, const double2 *d, double2 *e, int *layout) {
  int i = threadIdx.x;
  float4 x = a[i], y = b[i];
  sum[i] = make_float4(x.x + y.w, x.y + y.z, x.z + y.y, x.w + y.x);
  double2 z = d[i];
  e[i] = make_double2(z.y, -z.x);
  if (i != 0) return;
  const int values[] = {sizeof(char3),    alignof(char3),   sizeof(uchar4),    alignof(uchar4),    sizeof(short2),
                        alignof(short2),  sizeof(int3),     alignof(int3),     sizeof(int4),       alignof(int4),
                        sizeof(float2),   alignof(float2),  sizeof(longlong2), alignof(longlong2), sizeof(double2),
                        alignof(double2), sizeof(Particle), alignof(Particle), sizeof(Edge),       alignof(Edge),
                        sizeof(dim3),     sizeof(ulong1)};
  for (int k = 0; k < 22; ++k) layout[k] = values[k];
}

__global__ void move(Particle *particles, uchar4 *colours, short2 *pairs, longlong2 *longs) {
  Particle &p = particles[threadIdx.x];
  p.place.x += p.mass;
  p.place = make_float3(p.place.z, p.place.x, p.place.y);
  uchar4 c = colours[threadIdx.x];
  colours[threadIdx.x] = make_uchar4(c.w, c.z, c.y, 255 - c.x);
  pairs[threadIdx.x] = make_short2(pairs[threadIdx.x].y, static_cast<short>(-pairs[threadIdx.x].x));
  longs[threadIdx.x].y = longs[threadIdx.x].x << 20;
}

int main() {
  const int n = 40;
  std::vector<float4> a(n), b(n), sum(n);
  std::vector<double2> d(n), e(n);
  std::vector<Particle> particles(n), moved(n);
  std::vector<uchar4> colours(n), turned(n);
  std::vector<short2> pairs(n), swapped(n);
  std::vector<longlong2> longs(n), shifted(n);
  for (int i = 0; i < n; ++i) {
    float f = static_cast<float>(i);
    a[i] = make_float4(f, f + 1, f + 2, f + 3);
    b[i] = make_float4(2 * f, 3 * f, 4 * f, 5 * f);
    sum[i] = make_float4(6 * f, 5 * f + 1, 4 * f + 2, 3 * f + 3);
    d[i] = make_double2(i * 0.5, i * 0.25);
    e[i] = make_double2(i * 0.25, -(i * 0.5));
    particles[i] = Particle{make_float3(f, 2 * f, 3 * f), 10};
    moved[i] = Particle{make_float3(3 * f, f + 10, 2 * f), 10};
    unsigned char u = static_cast<unsigned char>(i);
    colours[i] = make_uchar4(u, u + 1, u + 2, u + 3);
    turned[i] = make_uchar4(u + 3, u + 2, u + 1, 255 - u);
    pairs[i] = make_short2(i, 2 * i);
    swapped[i] = make_short2(2 * i, -i);
    longs[i] = make_longlong2(i * 1000003ll, 0);
    shifted[i] = make_longlong2(i * 1000003ll, i * 1000003ll << 20);
  }
  float4 *device_sum = device_zeros<float4>(n);
  double2 *device_e = device_zeros<double2>(n);
  int *layout = device_zeros<int>(22);
  combine<<<1, n>>>(upload(a), upload(b), device_sum, upload(d), device_e, layout);
  compare("float4", sum, download(device_sum, n));
  compare("double2", e, download(device_e, n));
  for (int value : download(layout, 22)) std::printf("%d ", value);
  std::printf("\n");
  Particle *device_particles = upload(particles);
  uchar4 *device_colours = upload(colours);
  short2 *device_pairs = upload(pairs);
  longlong2 *device_longs = upload(longs);
  move<<<1, n>>>(device_particles, device_colours, device_pairs, device_longs);
  compare("particles", moved, download(device_particles, n));
  compare("uchar4", turned, download(device_colours, n));
  compare("short2", swapped, download(device_pairs, n));
  compare("longlong2", shifted, download(device_longs, n));
  return 0;
}
