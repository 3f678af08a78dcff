// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / unions, bit-fields, packed structs
// Unions, bit-fields and packed structs have the same layout in host and device code.
#include "check.h"

union Word {
  float real;
  unsigned bits;
  unsigned char bytes[4];
};
struct Fields {
  unsigned low : 5;
  int middle : 7;
  unsigned : 4;
  unsigned high : 16;
};
struct Mixed {
  char c;
  double d;
  short s;
  int i;
  bool b;
};
#pragma pack(push, 1)
struct Packed {
  char c;
  int i;
  short s;
};
#pragma pack(pop)

__global__ void change(Word *words, Fields *fields, Mixed *mixed, Packed *packed, int *sizes) {
  int i = threadIdx.x;
  words[i].real *= 2;
  words[i].bytes[0] ^= 1;
  fields[i].low += 30;
  fields[i].middle = -fields[i].middle;
  fields[i].high *= 3;
  mixed[i] = Mixed{static_cast<char>(i), i * 0.5, static_cast<short>(-i), i * i, i % 2 == 1};
  packed[i].i = packed[i].c + packed[i].s;
  if (i == 0) {
    sizes[0] = sizeof(Fields);
    sizes[1] = sizeof(Mixed);
    sizes[2] = sizeof(Packed);
    sizes[3] = alignof(Mixed);
    sizes[4] = offsetof(Mixed, i);
  }
}

int main() {
  const int n = 20;
  std::vector<Word> words(n);
  std::vector<Fields> fields(n);
  std::vector<Packed> packed(n);
  std::memset(fields.data(), 0, n * sizeof(Fields));
  for (int i = 0; i < n; ++i) {
    words[i].real = i * 1.5f;
    fields[i].low = i;
    fields[i].middle = i * 3;
    fields[i].high = i * 4000;
    packed[i] = Packed{static_cast<char>(i), 0, static_cast<short>(100 * i)};
  }
  Word *device_words = upload(words);
  Fields *device_fields = upload(fields);
  Mixed *device_mixed = device_zeros<Mixed>(n);
  Packed *device_packed = upload(packed);
  int *sizes = device_zeros<int>(5);
  change<<<1, n>>>(device_words, device_fields, device_mixed, device_packed, sizes);
  std::vector<Mixed> got_mixed = download(device_mixed, n);
  long long wrong = 0;
  for (int i = 0; i < n; ++i) {
    words[i].real *= 2;
    words[i].bytes[0] ^= 1;
    fields[i].low += 30;
    fields[i].middle = -fields[i].middle;
    fields[i].high *= 3;
    packed[i].i = packed[i].c + packed[i].s;
    const Mixed &m = got_mixed[i];
    wrong += m.c != i || m.d != i * 0.5 || m.s != -i || m.i != i * i || m.b != (i % 2 == 1);
  }
  compare("unions", words, download(device_words, n));
  compare("bit-fields", fields, download(device_fields, n));
  compare("packed", packed, download(device_packed, n));
  report("wrong structs", 0, wrong);
  compare("sizes", std::vector<int>{sizeof(Fields), sizeof(Mixed), sizeof(Packed), alignof(Mixed), offsetof(Mixed, i)},
          download(sizes, 5));
  return 0;
}
