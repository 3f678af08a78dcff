// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void accelerate(global const float4 *bodies, global float4 *accelerations, int n, float softening) {
  local float4 tile[256];
  const float4 me = bodies[get_global_id(0)];
  float ax = 0, ay = 0, az = 0;
  for (int start = 0; start < n; start += get_local_size(0)) {
    tile[get_local_id(0)] = bodies[start + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < get_local_size(0); ++j) {
      const float4 other = tile[j];
      const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
      const float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
      const float scale = other.w * (inverse * inverse * inverse);
      ax += dx * scale;
      ay += dy * scale;
      az += dz * scale;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  accelerations[get_global_id(0)] = (float4)(ax, ay, az, 0);
}
