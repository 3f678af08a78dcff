// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openblas.h"

#include <dlfcn.h>

#include <cstdlib>
#include <mutex>
#include <semaphore>
#include <string>

#include "../../library_calls.h"

namespace warploom::libraries {
namespace {

constexpr const char *kFile = "libscipy_openblas.so";  // found by the path that this library was linked with
constexpr const char *kPrefix = "scipy_";              // of all its names
#if defined(__x86_64__)
constexpr const char *kProcessor = "x86-64";
#elif defined(__aarch64__)
constexpr const char *kProcessor = "AArch64";
#else
constexpr const char *kProcessor = "this processor";
#endif
constexpr std::ptrdiff_t kMostCallers = 64;

std::counting_semaphore<kMostCallers> places{kMostCallers};

// Sets a variable of the environment while the library is being loaded, unless the user has.
class WhileLoading {
 public:
  WhileLoading(const char *name, const char *value) : name_(name), is_ours_(std::getenv(name) == nullptr) {
    if (is_ours_) setenv(name, value, 1);
  }
  ~WhileLoading() {
    if (is_ours_) unsetenv(name_);
  }
  WhileLoading(const WhileLoading &) = delete;
  WhileLoading &operator=(const WhileLoading &) = delete;

 private:
  const char *name_;
  bool is_ours_;
};

// An AMD processor with AVX-512, for which the library would choose kernels of half the width.
bool wants_avx512_by_name() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return __builtin_cpu_is("amd") && __builtin_cpu_supports("x86-64-v4");
#else
  return false;
#endif
}

void *open_library() {
  const WhileLoading one_thread("OPENBLAS_NUM_THREADS", "1");
  if (!wants_avx512_by_name()) return dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  const WhileLoading kernels("OPENBLAS_CORETYPE", "SkylakeX");
  return dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
}

void *library() {
  static void *const opened = [] {
    void *const handle = open_library();
    if (handle == nullptr) {
      const std::string reason = dlerror();
      __warploom_library_message(("OpenBLAS cannot be loaded: " + reason +
                                  "; `pip install scipy-openblas32` where Warploom is installed, or put " + kFile +
                                  " of that package for " + kProcessor + " in a folder of LD_LIBRARY_PATH")
                                     .c_str());
      return handle;
    }
    using SetThreads = void (*)(int);
    const auto set_threads = reinterpret_cast<SetThreads>(dlsym(handle, "scipy_openblas_set_num_threads"));
    if (set_threads != nullptr) set_threads(1);
    return handle;
  }();
  return opened;
}

}  // namespace

bool load_openblas() { return library() != nullptr; }

void *openblas_symbol(const char *name) {
  void *const found = library() == nullptr ? nullptr : dlsym(library(), (std::string(kPrefix) + name).c_str());
  if (found != nullptr) return found;
  __warploom_library_message(
      (std::string("OpenBLAS has no function ") + name +
       ": another version than Warploom's is in its place; pip install --force-reinstall scipy-openblas32")
          .c_str());
  std::abort();
}

OpenblasCall::OpenblasCall() { places.acquire(); }
OpenblasCall::~OpenblasCall() { places.release(); }

}  // namespace warploom::libraries
