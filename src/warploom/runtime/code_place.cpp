// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "code_place.h"

#include <cxxabi.h>
#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "elf_file.h"
#include "message.h"

namespace warploom {
namespace {

constexpr char kProgram[] = "/proc/self/exe";

// The object that holds an address.
struct Object {
  std::uintptr_t address = 0;
  std::uintptr_t bias = 0;  // from addresses as linked
  std::string path{};
};

int look_at(dl_phdr_info *info, std::size_t, void *argument) {
  auto &object = *static_cast<Object *>(argument);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto &part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || object.address - info->dlpi_addr - part.p_vaddr >= part.p_memsz) continue;
    object.bias = info->dlpi_addr;
    object.path = *info->dlpi_name != '\0' ? info->dlpi_name : kProgram;
    return 1;
  }
  return 0;
}

std::string demangled(const std::string &name) {
  // Clones have a suffix that demanglers put in brackets: "f(int) (.device)".
  const std::string plain = name.substr(0, name.find('.'));
  char *const text = abi::__cxa_demangle(plain.c_str(), nullptr, nullptr, nullptr);
  if (text == nullptr) return plain;
  std::string result = text;
  std::free(text);
  return result;
}

std::string real_path(const std::string &path) {
  char text[4096];
  const ssize_t size = readlink(path.c_str(), text, sizeof text);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : path;
}

// What the object at `path` is called. A module has no file but a descriptor (api/module.cpp), whose number the program
// may have given to something else: empty then.
std::string name_of(const std::string &path) {
  if (!path.starts_with("/proc/self/")) return path;
  const std::string real = real_path(path);
  if (path == kProgram) return real;
  return real.starts_with(std::string("/memfd:") + kModuleName) ? kModuleName : "";
}

std::string file_name(const std::string &path) { return path.substr(path.rfind('/') + 1); }

// Without the folder that the program runs in.
void shorten(std::string &file) {
  if (file.starts_with("./")) file.erase(0, 2);
  char here[4096];
  if (getcwd(here, sizeof here) == nullptr) return;
  const std::string folder = std::string(here) + '/';
  if (file.starts_with(folder)) file.erase(0, folder.size());
}

}  // namespace

CodePlace find_place(const void *address) {
  Object object{.address = reinterpret_cast<std::uintptr_t>(address)};
  CodePlace place;
  if (address == nullptr || dl_iterate_phdr(look_at, &object) == 0) return place;
  place.object = file_name(name_of(object.path));
  const std::uint64_t linked = object.address - object.bias;
  place.offset_in_object = linked;
  if (place.object.empty()) return place;
  const ElfFile file(object.path.c_str());
  if (const std::string symbol = file.symbol_at(linked); !symbol.empty()) place.function = demangled(symbol);
  place.line =
      find_line({file.section(".debug_line"), file.section(".debug_str"), file.section(".debug_line_str")}, linked);
  shorten(place.line.file);
  return place;
}

CodePlace find_call(const void *return_address) {
  return find_place(return_address == nullptr ? nullptr : static_cast<const char *>(return_address) - 1);
}

std::string describe(const CodePlace &place) {
  if (!place.line.file.empty()) {
    return (place.line.is_near ? "near " : "at ") + place.line.file + ':' + std::to_string(place.line.line);
  }
  if (place.object.empty()) return {};
  const std::string object = place.object + '+' + hexadecimal(place.offset_in_object);
  return place.function.empty() ? "in " + object : "in " + place.function + " (" + object + ')';
}

}  // namespace warploom
