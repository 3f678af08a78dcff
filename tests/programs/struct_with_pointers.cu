// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / structs with pointers and member functions
// Parameters with pointers and member functions: a view struct, one with a copy constructor, a chain of device structs.
#include "check.h"

template <typename T>
class View {
 public:
  __host__ __device__ View(T *data, int rows, int columns) : data_(data), rows_(rows), columns_(columns) {}
  __host__ __device__ View(const View &other) : data_(other.data_), rows_(other.rows_), columns_(other.columns_) {}
  __device__ T &operator()(int row, int column) const { return data_[row * columns_ + column]; }
  __device__ bool contains(int row, int column) const { return row < rows_ && column < columns_; }

 private:
  T *data_;
  int rows_, columns_;
};

struct Node {
  int value;
  Node *next;
};

__global__ void add(View<const int> a, View<const int> b, View<int> sum) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (sum.contains(row, column)) sum(row, column) = a(row, column) + 2 * b(row, column);
}

__global__ void walk(const Node *nodes, int *sums) {
  int sum = 0, position = 1;
  for (const Node *node = nodes + threadIdx.x; node != nullptr; node = node->next) sum += node->value * position++;
  sums[threadIdx.x] = sum;
}

int main() {
  const int rows = 13, columns = 21, n = rows * columns;
  std::vector<int> a = random_ints(n, 100), b = random_ints(n, 100, 2), want(n);
  for (int i = 0; i < n; ++i) want[i] = a[i] + 2 * b[i];
  int *sum = device_zeros<int>(n);
  add<<<dim3(3, 4), dim3(8, 4)>>>(View<const int>(upload(a), rows, columns), View<const int>(upload(b), rows, columns),
                                  View<int>(sum, rows, columns));
  compare("views", want, download(sum, n));

  const int count = 30;
  Node *nodes = device_zeros<Node>(count);
  std::vector<Node> host(count);
  std::vector<int> want_sums(count, 0);
  for (int i = 0; i < count; ++i) host[i] = Node{i + 3, i + 4 < count ? nodes + i + 4 : nullptr};
  for (int i = 0; i < count; ++i)
    for (int k = i, position = 1; k < count; k += 4) want_sums[i] += (k + 3) * position++;
  CHECK(cudaMemcpy(nodes, host.data(), count * sizeof(Node), cudaMemcpyHostToDevice));
  int *sums = device_zeros<int>(count);
  walk<<<1, count>>>(nodes, sums);
  compare("chains", want_sums, download(sums, count));
  return 0;
}
