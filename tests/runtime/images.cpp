// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The image registry, shared memory of images, output, the heap and the floating-point environment.
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cstring>

#include "../../src/warploom/runtime/device_output.h"
#include "check.h"

using namespace warploom;

namespace {

std::uint64_t offset_a, offset_b;
char storage[64];
int seen;

void check_shared_memory(void **arguments) {
  char *base = __warploom_shared_memory();
  const auto address = reinterpret_cast<std::uintptr_t>(base);
  char *last = base + WARPLOOM_STATIC_SHARED_OFFSET + offset_b + 9999;
  *last = 1;
  // All that counts as shared by its address is: global memory cannot come to lie there.
  void *const end = base + 2 * WARPLOOM_STATIC_SHARED_OFFSET - 4096;
  const bool is_taken =
      mmap(end, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED;
  seen = address % 128 == 0 && *static_cast<int *>(arguments[0]) == 41 && __warploom_dynamic_shared_size() == 12 &&
         is_taken;
}

const Kernel kKernels[] = {{"_Z1kv", check_shared_memory, nullptr, nullptr, 0, 0, 0, 0, "k()"}};
const Variable kVariables[] = {{"v", storage, sizeof storage, nullptr, kConstant}};

Image image(const char *id, const char *features, std::uint64_t shared, std::uint64_t *offset) {
  return {kImageVersion, 800, id, features, kKernels, kVariables, 1, 1, shared, offset, 0};
}

int print(const char *format, ...) {
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  const int result = __warploom_vprintf(format, arguments);
  __builtin_va_end(arguments);
  return result;
}

void registry() {
  test("look-ups", [] {
    static const Image a = image("id-a", "", 100, &offset_a), b = image("id-b", "", 10000, &offset_b);
    CHECK(find_kernel("id-a", "_Z1kv") == nullptr && find_kernel("_Z1kv") == nullptr);
    __warploom_register_image(&a);
    __warploom_register_image(&b);
    CHECK(offset_a == 0 && offset_b == 128);
    CHECK(find_kernel("id-a", "_Z1kv") == kKernels && find_kernel("id-c", "_Z1kv") == nullptr);
    CHECK(find_kernel("_Z1kv") == kKernels && find_variable("id-b", "v") == kVariables);
    CHECK(find_variable("v") == kVariables && find_variable("w") == nullptr);
    CHECK(variable_at(storage) == kVariables && variable_at(storage + 63) == kVariables);
    CHECK(variable_at(storage + 64) == nullptr && variable_at(storage - 1) == nullptr &&
          variable_at(nullptr) == nullptr);
  });

  test("shared memory grows with the images", [] {
    int value = 41;
    void *arguments[] = {&value};
    CHECK(run_grid({.kernel = find_kernel("_Z1kv"),
                    .grid = {},
                    .block = {},
                    .dynamic_shared = 12,
                    .cooperative = false,
                    .arguments = arguments}) == Outcome::kOk);
    CHECK(seen == 1);
  });

  test("an image of another version is refused", [] {
    static Image old = image("id-old", "", 0, nullptr);
    old.version = 99;
    const auto text = captured(2, [] { __warploom_register_image(&old); });
    CHECK(contains(text, "image version 99"));
    CHECK(find_kernel("id-old", "_Z1kv") == nullptr);
  });
  test("a kernel gets its grid entry when all it needs is known to be plain", [] {
    static const char functions[5] = {};
    const auto at = [](int number) -> const void * { return functions + number; };
    static const void *const needs_0[] = {at(0)}, *const needs_1[] = {at(1)}, *const needs_2[] = {at(2)},
                             *const needs_3[] = {at(3)}, *const needs_both[] = {at(0), at(2)};
    const auto grid = [](void **, LaunchShape *) {};
    const auto kernel = [&](const char *name, Needs needs) {
      Kernel made{name, check_shared_memory, nullptr, nullptr, 0, 0, 0, 0, name};
      made.grid_entry_if = grid;
      made.needs = needs;
      return made;
    };
    static Kernel kernels[] = {kernel("chain", {needs_0, 1}), kernel("barrier", {needs_both, 2}),
                               kernel("look", {needs_3, 1}), kernel("wait", {needs_3, 1, 1}),
                               kernel("unknown", {needs_1, 1})};
    static Image calls = image("id-calls", "", 0, nullptr), plain = calls, others = calls;
    calls.kernels = kernels;
    calls.kernel_count = 5;
    // 0 calls 1, which comes last; 2 has a barrier; 3 looks.
    static const Function first[] = {{at(0), 1, 0, {needs_1, 1}}, {at(2), 0, 0}, {at(3), 1, 1}};
    static const Function second[] = {{at(1), 1, 0}};
    plain.functions = first;
    plain.function_count = 3;
    others.functions = second;
    others.function_count = 1;
    plain.kernel_count = others.kernel_count = 0;
    const auto running = [] {
      std::string names;
      for (const Kernel &each : kernels) names += each.grid_entry == nullptr ? '-' : '+';
      return names;
    };
    __warploom_register_image(&calls);
    CHECK(running() == "-----");
    __warploom_register_image(&plain);
    CHECK(running() == "--+--");
    __warploom_register_image(&others);
    CHECK(running() == "+-+-+");
    // Another file's version of a function, and functions that call each other.
    static Kernel more[] = {kernel("twice", {needs_1, 1}), kernel("to and fro", {needs_2, 1})};
    static Image late = image("id-late", "", 0, nullptr);
    static const void *const needs_4[] = {at(4)};
    static const Function third[] = {{at(1), 0, 0}, {at(4), 1, 0, {needs_4, 1}}};
    more[1].needs = {needs_4, 1};
    late.kernels = more;
    late.kernel_count = 2;
    late.functions = third;
    late.function_count = 2;
    __warploom_register_image(&late);
    CHECK(more[0].grid_entry == nullptr && more[1].grid_entry == nullptr);
  });
#ifdef __x86_64__
  test("a CPU feature that is missing fails the launch", [] {
    if (__builtin_cpu_supports("avx512fp16")) return;
    static const Kernel kernels[] = {{"_Z1lv", check_shared_memory, nullptr, nullptr, 0, 0, 0, 0, "l()"}};
    static const Image wide = {kImageVersion, 800, "id-wide", "+sse2,-avx,+avx512fp16", kernels, nullptr, 1, 0, 0,
                               nullptr,       0};
    __warploom_register_image(&wide);
    const auto text = captured(2, [] {
      CHECK(run_grid({.kernel = find_kernel("id-wide", "_Z1lv"), .grid = {}, .block = {}}) == Outcome::kTrap);
    });
    CHECK(contains(text, "kernel l() cannot run: it was compiled for a CPU with avx512fp16"));
  });
#endif
}

}  // namespace

int main() {
  registry();

  test("printf", [] {
    int counts[4];
    const auto text = captured(1, [&] {
      CHECK(succeeds({1}, {1}, [&] {
        counts[0] = print("%d%% of %s %*.2f\n", 7, "all", 8, 1.5);
        counts[1] = print("plain\n");
        counts[2] = print("%s\n", std::string(2000, 'x').c_str());
        counts[3] = print(nullptr);
      }));
      warploom::write_device_output();
    });
    CHECK(contains(text, "7% of all     1.50\nplain\n" + std::string(2000, 'x') + "\n"));
    CHECK(counts[0] == 4 && counts[1] == 0 && counts[2] == 1 && counts[3] == -1);
  });

  test("lines of many blocks are whole", [] {
    const auto text = captured(1, [] {
      CHECK(succeeds({16}, {64}, [] { print("%s-%s\n", "left", "right"); }));
      warploom::write_device_output();
    });
    std::string expected;
    for (int i = 0; i < 1024; ++i) expected += "left-right\n";
    CHECK(text == expected);
  });

  test("device heap", [] {
    CHECK(device_heap_size() == 8 << 20);
    std::vector<char *> blocks(1024);
    std::atomic<bool> right = true;
    CHECK(succeeds({4}, {256}, [&] {
      const unsigned i = __warploom_block_idx_x() * 256 + __warploom_thread_idx_x();
      for (int round = 0; round < 3; ++round) {
        auto *p = static_cast<char *>(__warploom_malloc(i + 1));
        if (p == nullptr || reinterpret_cast<std::uintptr_t>(p) % 16 != 0) right = false;
        std::memset(p, static_cast<int>(i), i + 1);
        __warploom_barrier(HERE);
        for (unsigned j = 0; j <= i; ++j)
          if (p[j] != static_cast<char>(i)) right = false;
        __warploom_free(p);
      }
      __warploom_free(nullptr);
      blocks[i] = static_cast<char *>(__warploom_malloc(4096));
    }));
    CHECK(right && std::count(blocks.begin(), blocks.end(), nullptr) == 0);
    CHECK(succeeds({1}, {1}, [&] {
      right = right && __warploom_malloc(5 << 20) == nullptr;
      for (char *p : blocks) __warploom_free(p);
      void *all = __warploom_malloc(8 << 20);  // free blocks join again
      right = right && all != nullptr && __warploom_malloc(1) == nullptr;
      __warploom_free(all);
    }));
    set_device_heap_size(16 << 20);
    CHECK(succeeds({1}, {1}, [&] { right = right && __warploom_malloc(7 << 20) != nullptr; }));
    CHECK(right);
  });

  test("each thread starts in the default floating-point environment", [] {
    std::fesetround(FE_UPWARD);
    bool right = true;
    CHECK(succeeds({1}, {64}, [&] {
      right = right && std::fegetround() == FE_TONEAREST;
      std::fesetround(FE_DOWNWARD);
      __warploom_barrier(HERE);
      right = right && std::fegetround() == FE_DOWNWARD;
    }));
    CHECK(right && std::fegetround() == FE_UPWARD);
    std::fesetround(FE_TONEAREST);
  });

  test("processors", [] { CHECK(processor_count() >= 1); });
  return finish();
}
