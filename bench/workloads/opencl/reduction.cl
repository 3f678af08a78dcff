// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL 1.2 has no shuffles: the tree in local memory goes down to one thread.
kernel void reduce(global const float *in, global float *out, int n) {
  local float partial[256];
  int t = get_local_id(0);
  int i = get_group_id(0) * get_local_size(0) * 2 + t;
  float sum = i < n ? in[i] : 0;
  if (i + (int)get_local_size(0) < n) sum += in[i + get_local_size(0)];
  partial[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int stride = get_local_size(0) / 2; stride > 0; stride /= 2) {
    if (t < stride) partial[t] += partial[t + stride];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[get_group_id(0)] = partial[0];
}
