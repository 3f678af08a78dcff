// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that opens the driver's library by its name means this runtime, also on a machine that has NVIDIA's driver.
// dlopen takes what is loaded under a name already before it searches LD_LIBRARY_PATH and the system's folders. So when
// such a program starts, a library of that name is loaded: it has nothing inside, but needs the runtime, where dlsym
// then finds the functions. It is written to a file that exists in memory only.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>

#include "cuda.h"

namespace warploom {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#else
constexpr Elf64_Half kMachine = EM_RISCV;
#endif
constexpr Elf64_Word kFlags = kMachine == EM_RISCV ? 5 : 0;  // compressed instructions, doubles in registers

struct EmptyLibrary {
  Elf64_Ehdr head;
  Elf64_Phdr segments[3];
  Elf64_Dyn dynamic[7];
  Elf64_Sym symbols[1];
  char names[64];
};

constexpr char kRuntime[] = "libwarploom.so";
constexpr int kFirstFile = 1000;

// A shared library called `name`; names[0] is the empty name, then come `name` and the runtime's.
EmptyLibrary library_called(const char *name) {
  EmptyLibrary made = {};
  std::memcpy(made.head.e_ident, ELFMAG, SELFMAG);
  made.head.e_ident[EI_CLASS] = ELFCLASS64;
  made.head.e_ident[EI_DATA] = ELFDATA2LSB;
  made.head.e_ident[EI_VERSION] = EV_CURRENT;
  made.head.e_type = ET_DYN;
  made.head.e_machine = kMachine;
  made.head.e_version = EV_CURRENT;
  made.head.e_phoff = offsetof(EmptyLibrary, segments);
  made.head.e_flags = kFlags;
  made.head.e_ehsize = sizeof made.head;
  made.head.e_phentsize = sizeof made.segments[0];
  made.head.e_phnum = 3;
  constexpr std::size_t kDynamic = offsetof(EmptyLibrary, dynamic), kSize = sizeof(EmptyLibrary);
  made.segments[0] = {PT_LOAD, PF_R | PF_W, 0, 0, 0, kSize, kSize, 0x10000};
  made.segments[1] = {PT_DYNAMIC,          PF_R | PF_W,         kDynamic, kDynamic, kDynamic,
                      sizeof made.dynamic, sizeof made.dynamic, 8};
  made.segments[2] = {PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 0, 16};
  const std::size_t size = std::strlen(name) + 1;
  std::memcpy(made.names + 1, name, size);
  std::memcpy(made.names + 1 + size, kRuntime, sizeof kRuntime);
  made.dynamic[0] = {DT_SONAME, {1}};
  made.dynamic[1] = {DT_NEEDED, {1 + size}};
  made.dynamic[2] = {DT_STRTAB, {offsetof(EmptyLibrary, names)}};
  made.dynamic[3] = {DT_STRSZ, {sizeof made.names}};
  made.dynamic[4] = {DT_SYMTAB, {offsetof(EmptyLibrary, symbols)}};
  made.dynamic[5] = {DT_SYMENT, {sizeof made.symbols[0]}};
  made.dynamic[6] = {DT_NULL, {0}};
  return made;
}

// Whether this is the library which the program was linked with: then all of the program uses it. A library that
// somebody opened for itself leaves the name to the rest of the process, and within a program nothing needs it.
bool is_the_programs() {
  Dl_info here;
  if (!dladdr(reinterpret_cast<void *>(&cuInit), &here) || !here.dli_fname) return false;
  const char *const slash = std::strrchr(here.dli_fname, '/');
  return !std::strcmp(slash ? slash + 1 : here.dli_fname, kRuntime) &&
         dlsym(RTLD_DEFAULT, "cuInit") == reinterpret_cast<void *>(&cuInit);
}

// The file stays open, out of the way of the program's own: debuggers read it by the path that the library has.
void load_library_called(const char *name) {
  const EmptyLibrary library = library_called(name);
  const int made = memfd_create(name, MFD_CLOEXEC), file = fcntl(made, F_DUPFD_CLOEXEC, kFirstFile);
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", getpid(), file);
  if (write(made, &library, sizeof library) == static_cast<ssize_t>(sizeof library) && file >= 0)
    dlopen(path, RTLD_LAZY);
  close(made);
}

__attribute__((constructor)) void take_the_drivers_names() {
  if (!is_the_programs()) return;
  for (const char *name : {"libcuda.so.1", "libcuda.so"}) load_library_called(name);
}

}  // namespace
}  // namespace warploom
