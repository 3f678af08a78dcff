// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// feature: Language / structs as kernel parameters
// Structs of 1 to 100 bytes, bools, chars, enums, empty functors and mixed doubles as kernel parameters, by value.
#include "check.h"

struct Three {
  unsigned char bytes[3];
};
struct Five {
  signed char first;
  unsigned char rest[4];
};
struct Twelve {
  float x, y, z;
};
struct Sixteen {
  double value;
  int count;
  char tag;
};
struct TwentyFour {
  long long a;
  double b;
  short c[4];
};
struct Hundred {
  int values[25];
};
struct Empty {
  __device__ int operator()(int x) const { return x + 1; }
};
enum class Colour : unsigned char { kRed = 3, kBlue = 200 };

__global__ void small(int *output, bool yes, Three three, char c, Five five, bool no, Colour colour, Empty next) {
  output[0] = yes * 1000 + no;
  output[1] = three.bytes[0] + three.bytes[1] * 256 + three.bytes[2] * 65536;
  output[2] = c;
  output[3] = five.first + five.rest[0] + five.rest[3] * 1000;
  output[4] = static_cast<int>(colour);
  output[5] = next(41);
}

__global__ void large(Twelve twelve, double d, Sixteen sixteen, char c, TwentyFour more, float f, Hundred hundred,
                      short s, int *output) {
  output[0] = static_cast<int>(twelve.x + 10 * twelve.y + 100 * twelve.z);
  output[1] = static_cast<int>(d * 4);
  output[2] = static_cast<int>(sixteen.value) + sixteen.count + sixteen.tag;
  output[3] = c;
  output[4] = static_cast<int>(more.a >> 32) + static_cast<int>(more.b) + more.c[3];
  output[5] = static_cast<int>(f);
  output[6] = 0;
  for (int i = 0; i < 25; ++i) output[6] += hundred.values[i] * (i + 1);
  output[7] = s;
}

int main() {
  int *output = device_zeros<int>(8);
  small<<<1, 1>>>(output, true, Three{{1, 2, 3}}, 'x', Five{-5, {9, 0, 0, 200}}, false, Colour::kBlue, Empty());
  compare("small", std::vector<int>{1000, 1 + 512 + 196608, 'x', -5 + 9 + 200000, 200, 42},
          std::vector<int>(download(output, 6)));
  Hundred hundred;
  int sum = 0;
  for (int i = 0; i < 25; ++i) {
    hundred.values[i] = i * i;
    sum += i * i * (i + 1);
  }
  large<<<1, 1>>>(Twelve{1, 2, 3}, -2.25, Sixteen{100.5, 20, 3}, -7, TwentyFour{5ll << 32, 6.75, {1, 2, 3, -400}}, 8.5f,
                  hundred, -30000, output);
  compare("large", std::vector<int>{321, -9, 123, -7, 5 + 6 - 400, 8, sum, -30000}, download(output, 8));
  return 0;
}
