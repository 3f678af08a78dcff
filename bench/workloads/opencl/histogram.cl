// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
kernel void histogram(global const uchar *data, int n, global int *bins) {
  local int counts[256];
  counts[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  const int stride = get_global_size(0);
  for (int i = get_global_id(0); i < n; i += stride) atomic_inc(&counts[data[i]]);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[get_local_id(0)], counts[get_local_id(0)]);
}
