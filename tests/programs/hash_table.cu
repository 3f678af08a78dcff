// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / hash table
// An open-addressing hash table filled with atomicCAS, looked up by a second kernel, keys deleted by a third.
#include "check.h"

const unsigned kEmpty = 0xffffffffu, kSlots = 2048;

struct Slot {
  unsigned key, value;
};

__device__ unsigned slot_of(unsigned key) { return (key * 2654435761u >> 16) % kSlots; }

__global__ void insert(Slot *table, const unsigned *keys, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (unsigned slot = slot_of(keys[i]);; slot = (slot + 1) % kSlots) {
    unsigned seen = atomicCAS(&table[slot].key, kEmpty, keys[i]);
    if (seen != kEmpty && seen != keys[i]) continue;
    atomicAdd(&table[slot].value, 1u);
    return;
  }
}

__device__ Slot *find(Slot *table, unsigned key) {
  for (unsigned slot = slot_of(key); table[slot].key != kEmpty; slot = (slot + 1) % kSlots)
    if (table[slot].key == key) return &table[slot];
  return nullptr;
}

__global__ void look_up(Slot *table, unsigned *found, int n) {
  int key = blockIdx.x * blockDim.x + threadIdx.x;
  if (key >= n) return;
  Slot *slot = find(table, key);
  found[key] = slot != nullptr ? slot->value : 0;
}

__global__ void forget_odd(Slot *table, int n) {
  int key = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
  if (key >= n) return;
  if (Slot *slot = find(table, key)) slot->value = 0;
}

int main() {
  const int n = 3000, range = 1500;
  std::vector<unsigned> keys(n), want(range, 0);
  Lcg lcg{8};
  for (unsigned &key : keys) ++want[key = lcg.below(range)];
  Slot *table = upload(std::vector<Slot>(kSlots, Slot{kEmpty, 0}));
  unsigned *device_keys = upload(keys), *found = device_zeros<unsigned>(range);
  insert<<<(n + 127) / 128, 128>>>(table, device_keys, n);
  look_up<<<(range + 63) / 64, 64>>>(table, found, range);
  compare("counts", want, download(found, range));
  forget_odd<<<(range / 2 + 63) / 64, 64>>>(table, range);
  look_up<<<(range + 63) / 64, 64>>>(table, found, range);
  for (int key = 1; key < range; key += 2) want[key] = 0;
  compare("even keys", want, download(found, range));
  return 0;
}
