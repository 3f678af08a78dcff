// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Atomics / retry loops: insertion by compare and swap, union-find, lists, search that stops early
// Loops around atomics and volatile reads in which no thread waits for another.
#include "check.h"

#define MY_INDEX(n)                              \
  int i = blockIdx.x * blockDim.x + threadIdx.x; \
  if (i >= (n)) return;

struct Slot {
  unsigned key, count;
};

__global__ void insert(Slot *table, const unsigned *keys, int n, unsigned mask) {
  MY_INDEX(n)
  unsigned key = keys[i], slot = key * 2654435761u >> 16 & mask;
  while (true) {
    unsigned before = atomicCAS(&table[slot].key, 0u, key);
    if (before == 0 || before == key) {
      atomicAdd(&table[slot].count, 1u);
      return;
    }
    slot = (slot + 1) & mask;
  }
}

__global__ void insert_after_a_look(unsigned *keys, unsigned *counts, const unsigned *wanted, int n, unsigned mask) {
  MY_INDEX(n)
  unsigned key = wanted[i], slot = key * 2654435761u >> 16 & mask;
  for (;; slot = (slot + 1) & mask) {
    unsigned now = *(volatile unsigned *)&keys[slot];
    if (now == 0) {
      now = atomicCAS(&keys[slot], 0u, key);
      if (now == 0) now = key;
    }
    if (now != key) continue;
    atomicAdd(&counts[slot], 1u);
    break;
  }
}

__global__ void distinct_in_block(const unsigned *keys, unsigned *distinct, int n) {
  __shared__ unsigned table[512];
  for (int slot = threadIdx.x; slot < 512; slot += blockDim.x) table[slot] = ~0u;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned key = keys[i], slot = key & 511, before;
    while ((before = atomicCAS(&table[slot], ~0u, key)) != ~0u && before != key) slot = (slot + 1) & 511;
    if (before == ~0u) atomicAdd(distinct, 1u);
  }
}

__device__ int root_of(volatile int *parent, int x) {
  int now = parent[x];
  if (now != x) {
    int next, before = x;
    while (now > (next = parent[now])) {
      parent[before] = next;
      before = now;
      now = next;
    }
  }
  return now;
}

__global__ void join(int *parent, const int *from, const int *to, int n) {
  MY_INDEX(n)
  int one = root_of(parent, from[i]), other = root_of(parent, to[i]);
  bool again;
  do {
    again = false;
    if (one != other) {
      int before;
      if (one < other) {
        if ((before = atomicCAS(&parent[other], other, one)) != other) {
          other = before;
          again = true;
        }
      } else if ((before = atomicCAS(&parent[one], one, other)) != one) {
        one = before;
        again = true;
      }
    }
  } while (again);
}

__global__ void join_by_minimum(int *parent, const int *from, const int *to, int n) {
  MY_INDEX(n)
  int one = from[i], other = to[i];
  bool done;
  do {
    while (parent[one] != one) one = parent[one];
    while (parent[other] != other) other = parent[other];
    if (one < other) {
      int before = atomicMin(&parent[other], one);
      done = before == other;
      other = before;
    } else if (other < one) {
      int before = atomicMin(&parent[one], other);
      done = before == one;
      one = before;
    } else {
      done = true;
    }
  } while (!done);
}

__global__ void name_components(int *parent, int *name, int n) {
  MY_INDEX(n)
  int x = i;
  while (true) {
    int up = *(volatile int *)&parent[x];
    if (up == x) break;
    int above = *(volatile int *)&parent[up];
    if (up != above) atomicCAS(&parent[x], up, above);
    x = above;
  }
  name[i] = x;
}

__global__ void push(int *head, int *next, int n) {
  MY_INDEX(n)
  int before = *(volatile int *)head, expected;
  do {
    next[i] = expected = before;
    __threadfence();
    before = atomicCAS(head, expected, i);
  } while (before != expected);
}

__global__ void pop(int *head, const int *next, int *taken, int n) {
  MY_INDEX(n)
  int top;
  do {
    top = *(volatile int *)head;
    if (top < 0) return;
  } while (atomicCAS(head, top, next[top]) != top);
  atomicAdd(&taken[top], 1);
}

__global__ void largest(float *most, const float *x, int n) {
  MY_INDEX(n)
  while (true) {
    float now = *(volatile float *)most;
    if (x[i] <= now) break;
    if (atomicCAS((int *)most, __float_as_int(now), __float_as_int(x[i])) == __float_as_int(now)) break;
  }
}

__global__ void take_up_to(int *taken, int *refused, int limit, int n) {
  MY_INDEX(n)
  int now = *(volatile int *)taken;
  while (now < limit) {
    int seen = atomicCAS(taken, now, now + 1);
    if (seen == now) return;
    now = seen;
  }
  atomicAdd(refused, 1);
}

__global__ void climb(int *visited, int *sums, int leaves) {
  MY_INDEX(leaves)
  int node = leaves - 1 + i;
  sums[node] = i;
  while (node > 0) {
    node = (node - 1) / 2;
    __threadfence();
    if (atomicExch(&visited[node], 1) == 0) return;
    __threadfence();
    sums[node] = ((volatile int *)sums)[2 * node + 1] + ((volatile int *)sums)[2 * node + 2];
  }
}

__global__ void search(const int *x, int n, int wanted, int *found, int *place) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (*(volatile int *)found) return;
    if (x[i] == wanted) {
      *place = i;
      __threadfence();
      *(volatile int *)found = 1;
    }
  }
}

constexpr int kBlock = 128;
static int blocks(int n) { return (n + kBlock - 1) / kBlock; }

static void tables() {
  const int n = 3000;
  std::vector<unsigned> keys;
  for (int value : random_ints(n, 900)) keys.push_back(value + 1u);
  std::vector<unsigned> want(901), counted(901), looked(901);
  for (unsigned key : keys) ++want[key];
  unsigned *device = upload(keys), *names = device_zeros<unsigned>(2048), *counts = device_zeros<unsigned>(2048);
  Slot *table = device_zeros<Slot>(2048);
  insert<<<blocks(n), kBlock>>>(table, device, n, 2047);
  for (const Slot &slot : download(table, 2048)) counted[slot.key] += slot.count;
  compare("insert", want, counted);
  insert_after_a_look<<<blocks(n), kBlock>>>(names, counts, device, n, 2047);
  std::vector<unsigned> name = download(names, 2048), count = download(counts, 2048);
  for (int i = 0; i < 2048; ++i) looked[name[i]] += count[i];
  compare("insert after a look", want, looked);
  unsigned *distinct = device_zeros<unsigned>(1);
  distinct_in_block<<<1, 256>>>(device, distinct, 256);
  std::vector<unsigned> first(keys.begin(), keys.begin() + 256);
  std::sort(first.begin(), first.end());
  report("distinct", std::unique(first.begin(), first.end()) - first.begin(), download(distinct, 1)[0]);
}

static void components() {
  const int n = 1000, edges = 700;
  std::vector<int> from = random_ints(edges, n, 2), to = random_ints(edges, n, 3), want(n), self(n);
  for (int i = 0; i < n; ++i) want[i] = self[i] = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (int e = 0; e < edges; ++e) {
      int least = std::min(want[from[e]], want[to[e]]);
      changed = changed || want[from[e]] != least || want[to[e]] != least;
      want[from[e]] = want[to[e]] = least;
    }
  }
  int *start = upload(from), *end = upload(to), *name = device_zeros<int>(n);
  for (int way = 0; way < 2; ++way) {
    int *parent = upload(self);
    (way ? join_by_minimum : join)<<<blocks(edges), kBlock>>>(parent, start, end, edges);
    name_components<<<blocks(n), kBlock>>>(parent, name, n);
    compare(way ? "joined by minimum" : "joined", want, download(name, n));
  }
}

int main() {
  tables();
  components();
  const int n = 1000;
  int *head = upload(std::vector<int>{-1}), *next = device_zeros<int>(n), *taken = device_zeros<int>(n);
  push<<<blocks(n), kBlock>>>(head, next, n);
  pop<<<blocks(n), kBlock>>>(head, next, taken, n);
  compare("pushed and popped", std::vector<int>(n, 1), download(taken, n));
  std::vector<float> x;
  for (int value : random_ints(n, 100000, 4)) x.push_back(value * 0.25f);
  float *most = device_zeros<float>(1);
  largest<<<blocks(n), kBlock>>>(most, upload(x), n);
  compare("largest", std::vector<float>{*std::max_element(x.begin(), x.end())}, download(most, 1));
  int *sums = device_zeros<int>(2);
  take_up_to<<<blocks(n), kBlock>>>(sums, sums + 1, 300, n);
  compare("taken and refused", std::vector<int>{300, n - 300}, download(sums, 2));
  int *visited = device_zeros<int>(1024), *tree = device_zeros<int>(1024);
  climb<<<4, kBlock>>>(visited, tree, 512);
  report("sum of the leaves", 512 * 511 / 2, download(tree, 1)[0]);
  std::vector<int> values(n, 7);
  values[777] = 8;
  int *found = device_zeros<int>(2);
  search<<<2, kBlock>>>(upload(values), n, 8, found, found + 1);
  compare("search", std::vector<int>{1, 777}, download(found, 2));
  return 0;
}
