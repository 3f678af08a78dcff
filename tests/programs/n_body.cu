// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / n body
// Five steps of an n-body simulation with tiles of bodies in shared memory and float4 loads, near the host's in double.
#include "check.h"

const int kBodies = 96, kTile = 32;

__global__ void step(const float4 *from, float4 *to, float4 *speed, float dt) {
  __shared__ float4 tile[kTile];
  int i = blockIdx.x * kTile + threadIdx.x;
  float4 me = from[i];
  float3 pull = make_float3(0, 0, 0);
  for (int first = 0; first < kBodies; first += kTile) {
    tile[threadIdx.x] = from[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < kTile; ++k) {
      float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
      float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.5f);
      float force = tile[k].w * inverse * inverse * inverse;
      pull.x += dx * force;
      pull.y += dy * force;
      pull.z += dz * force;
    }
    __syncthreads();
  }
  float4 v = speed[i];
  v = make_float4(v.x + pull.x * dt, v.y + pull.y * dt, v.z + pull.z * dt, 0);
  speed[i] = v;
  to[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
}

int main() {
  std::vector<float4> bodies(kBodies);
  std::vector<double> now, speed(3 * kBodies, 0.0);
  Lcg lcg{55};
  for (float4 &body : bodies) {
    body = float4{lcg.below(100) / 10.0f, lcg.below(100) / 10.0f, lcg.below(100) / 10.0f, 1 + lcg.below(8) / 4.0f};
    now.insert(now.end(), {body.x, body.y, body.z});
  }
  float4 *from = upload(bodies), *to = upload(bodies), *device_speed = device_zeros<float4>(kBodies);
  for (int round = 0; round < 5; ++round) {
    std::vector<double> next = now;
    for (int i = 0; i < kBodies; ++i) {
      double pull[3] = {0, 0, 0};
      for (int k = 0; k < kBodies; ++k) {
        double d[3], square = 0.5;
        for (int axis = 0; axis < 3; ++axis) {
          d[axis] = now[3 * k + axis] - now[3 * i + axis];
          square += d[axis] * d[axis];
        }
        for (int axis = 0; axis < 3; ++axis) pull[axis] += d[axis] * bodies[k].w / (square * std::sqrt(square));
      }
      for (int axis = 0; axis < 3; ++axis) next[3 * i + axis] += 0.01f * (speed[3 * i + axis] += 0.01f * pull[axis]);
    }
    now = next;
    step<<<kBodies / kTile, kTile>>>(from, to, device_speed, 0.01f);
    std::swap(from, to);
  }
  std::vector<double> got;
  for (float4 body : download(from, kBodies)) got.insert(got.end(), {body.x, body.y, body.z});
  compare_near("positions", now, got, 1e-4);
  return 0;
}
