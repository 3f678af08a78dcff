// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / virtual functions, new and delete of objects
// Virtual calls on objects that one kernel creates with new and others use; virtual destructors, multiple inheritance.
#include "check.h"

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
  __device__ virtual int sides() const { return 4; }
};
struct Named {
  int name;
  __device__ explicit Named(int n) : name(n) {}
  __device__ virtual int code() const { return name; }
};
struct Rectangle : Shape {
  int width, height;
  __device__ Rectangle(int w, int h) : width(w), height(h) {}
  __device__ int area() const override { return width * height; }
};
struct Square final : Rectangle, Named {
  __device__ explicit Square(int side) : Rectangle(side, side), Named(side + 1000) {}
  __device__ int code() const override { return name + width; }
};
struct Triangle : Shape {
  int base, height;
  int *destroyed;
  __device__ Triangle(int b, int h, int *d) : base(b), height(h), destroyed(d) {}
  __device__ ~Triangle() override { atomicAdd(destroyed, 1); }
  __device__ int area() const override { return base * height / 2; }
  __device__ int sides() const override { return 3; }
};

__global__ void create(Shape **shapes, Named **named, int *destroyed) {
  int i = threadIdx.x;
  named[i] = nullptr;
  if (i % 3 == 0) {
    shapes[i] = new Rectangle(i, i + 1);
  } else if (i % 3 == 1) {
    Square *square = new Square(i);
    shapes[i] = square;
    named[i] = square;
  } else {
    shapes[i] = new Triangle(i, 4, destroyed);
  }
}

__global__ void use(Shape **shapes, Named **named, int *output) {
  int i = threadIdx.x;
  output[i] = shapes[i]->area() * 10 + shapes[i]->sides() + (named[i] != nullptr ? named[i]->code() : 0);
}

__global__ void destroy(Shape **shapes) { delete shapes[threadIdx.x]; }

int main() {
  const int n = 45;
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i)
    want[i] = i % 3 == 0 ? i * (i + 1) * 10 + 4 : i % 3 == 1 ? i * i * 10 + 4 + 1000 + 2 * i : i * 4 / 2 * 10 + 3;
  Shape **shapes = device_zeros<Shape *>(n);
  Named **named = device_zeros<Named *>(n);
  int *output = device_zeros<int>(n), *destroyed = device_zeros<int>(1);
  create<<<1, n>>>(shapes, named, destroyed);
  use<<<1, n>>>(shapes, named, output);
  compare("calls", want, download(output, n));
  destroy<<<1, n>>>(shapes);
  report("destroyed triangles", n / 3, download(destroyed, 1)[0]);
  return 0;
}
