// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Algorithms / knapsack
// 0/1 knapsack by dynamic programming: one launch per item over two rows, and one block with barriers over all items.
#include "check.h"

struct Item {
  int weight, value;
};

__global__ void add_item(Item item, const int *before, int *after, int capacity) {
  int room = blockIdx.x * blockDim.x + threadIdx.x;
  if (room > capacity) return;
  int best = before[room];
  if (room >= item.weight) best = max(best, before[room - item.weight] + item.value);
  after[room] = best;
}

__global__ void all_items(const Item *items, int count, int *rows, int capacity) {
  int stride = capacity + 1;
  for (int i = 0; i < count; ++i) {
    const int *before = rows + (i & 1) * stride;
    int *after = rows + (~i & 1) * stride;
    for (int room = threadIdx.x; room <= capacity; room += blockDim.x) {
      int best = before[room];
      if (room >= items[i].weight) best = max(best, before[room - items[i].weight] + items[i].value);
      after[room] = best;
    }
    __syncthreads();
  }
}

int main() {
  const int count = 24, capacity = 300;
  std::vector<Item> items(count);
  Lcg lcg{12};
  for (Item &item : items) item = Item{1 + lcg.below(50), 1 + lcg.below(100)};
  std::vector<int> want(capacity + 1, 0);
  for (const Item &item : items)
    for (int room = capacity; room >= item.weight; --room)
      want[room] = std::max(want[room], want[room - item.weight] + item.value);
  int *before = device_zeros<int>(capacity + 1), *after = device_zeros<int>(capacity + 1);
  for (const Item &item : items) {
    add_item<<<(capacity + 64) / 64, 64>>>(item, before, after, capacity);
    std::swap(before, after);
  }
  compare("launch per item", want, download(before, capacity + 1));
  int *rows = device_zeros<int>(2 * (capacity + 1));
  all_items<<<1, 100>>>(upload(items), count, rows, capacity);
  compare("one block", want, download(rows + (count & 1) * (capacity + 1), capacity + 1));
  report("best", want[capacity], download(before + capacity, 1)[0]);
  return 0;
}
