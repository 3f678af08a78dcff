// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Atomics / atomics of every type
//
// Every atomic function of every type, with contention between blocks. The sums of the returned old values are
// independent of the order for commutative operations with distinct results only, so only final values are printed.
#include <cstdio>

constexpr int kBlocks = 4, kThreads = 96, kTotal = kBlocks * kThreads;

template <class T>
struct Slots {
  T add, sub, min, max, exchange, bit_and, bit_or, bit_xor, cas, block_add, system_add;
};

// CUDA has none for this type, and programs bring their own.
__device__ unsigned long long atomicSub(unsigned long long *address, unsigned long long value) {
  return atomicAdd(address, 0 - value);
}

template <class T>
__device__ void integer_atomics(Slots<T> *s, int i) {
  T value = (T)(i * 7 + 3);
  atomicMin(&s->min, (T)(0 - value));
  atomicMax(&s->max, value);
  atomicAnd(&s->bit_and, (T) ~((T)1 << (i % 20)));
  atomicOr(&s->bit_or, (T)1 << (i % 31));
  atomicXor(&s->bit_xor, value);
}
template <class T>
__device__ void arithmetic_atomics(Slots<T> *s, int i) {
  atomicAdd(&s->add, (T)i);
  atomicAdd_system(&s->system_add, (T)(2 * i));
  if (blockIdx.x == 0) atomicAdd_block(&s->block_add, (T)i);
}
template <class T>
__device__ void exchange_atomics(Slots<T> *s, int i) {
  atomicExch(&s->exchange, (T)5);
  T seen = s->cas, expected;
  do {
    expected = seen;
    seen = atomicCAS(&s->cas, expected, (T)(expected + i));
  } while (seen != expected);
}

struct All {
  Slots<int> i;
  Slots<unsigned> u;
  Slots<unsigned long long> l;
  Slots<long long> s;
  Slots<float> f;
  Slots<double> d;
  unsigned inc, dec;
  unsigned short cas16[2];
};

__global__ void run(All *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  integer_atomics(&a->i, i);
  integer_atomics(&a->u, i);
  integer_atomics(&a->l, i);
  integer_atomics(&a->s, i);
  arithmetic_atomics(&a->i, i);
  arithmetic_atomics(&a->u, i);
  arithmetic_atomics(&a->l, i);
  arithmetic_atomics(&a->f, i);
  arithmetic_atomics(&a->d, i);
  exchange_atomics(&a->i, i);
  exchange_atomics(&a->u, i);
  exchange_atomics(&a->l, i);
  atomicSub(&a->i.sub, i);
  atomicSub(&a->u.sub, (unsigned)i);
  atomicSub(&a->l.sub, 0ull);
  atomicExch(&a->f.exchange, 2.5f);
  atomicInc(&a->inc, 100);
  atomicDec(&a->dec, 100);
  unsigned short seen = a->cas16[1], expected;
  do {
    expected = seen;
    seen = atomicCAS(&a->cas16[1], expected, (unsigned short)(expected + 1));
  } while (seen != expected);
}

// One thread: the returned values themselves.
__global__ void returns() {
  __shared__ int x;
  __shared__ unsigned u, z;
  __shared__ float f;
  __shared__ double d;
  __shared__ unsigned long long l;
  x = 5;
  u = 100;
  z = 0;
  f = 1.5f;
  d = 2.5;
  l = 1ull << 40;
  printf("%d %d ", atomicAdd(&x, 3), atomicSub(&x, 10));
  printf("%d %d %d ", atomicMin(&x, -7), atomicMax(&x, 9), atomicExch(&x, 11));
  printf("%d %d %d\n", atomicCAS(&x, 11, 12), atomicCAS(&x, 11, 13), x);
  printf("%u %u ", atomicInc(&u, 100), atomicInc(&u, 100));
  printf("%u %u %u\n", atomicDec(&z, 7), atomicDec(&z, 3), atomicDec(&z, 9));
  printf("%g %g ", atomicAdd(&f, 0.25f), atomicExch(&f, 4.0f));
  printf("%g %g %g\n", atomicAdd(&d, 0.5), f, d);
  printf("%llu %llu %llu %llu\n", atomicAdd(&l, 1ull), atomicAnd(&l, ~1ull), atomicOr(&l, 6ull), atomicXor(&l, 2ull));
  printf("%llu\n", atomicCAS(&l, (1ull << 40) + 4, 77ull));
}

template <class T>
void print(const char *name, const Slots<T> &s) {
  printf("%s %g %g %g %g %g %g %g %g %g %g %g\n", name, (double)s.add, (double)s.sub, (double)s.min, (double)s.max,
         (double)s.exchange, (double)s.bit_and, (double)s.bit_or, (double)s.bit_xor, (double)s.cas, (double)s.block_add,
         (double)s.system_add);
}

int main() {
  All host = {}, *device;
  host.i.bit_and = host.u.bit_and = -1;
  host.l.bit_and = host.s.bit_and = -1;
  host.u.min = -1;
  host.l.min = -1;
  host.dec = 50;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice);
  run<<<kBlocks, kThreads>>>(device);
  cudaMemcpy(&host, device, sizeof host, cudaMemcpyDeviceToHost);
  print("int", host.i);
  print("unsigned", host.u);
  print("unsigned long long", host.l);
  print("long long", host.s);
  print("float", host.f);
  print("double", host.d);
  printf("inc %u dec %u cas16 %u %u\n", host.inc, host.dec, host.cas16[0], host.cas16[1]);
  returns<<<1, 1>>>();
  return cudaDeviceSynchronize();
}
