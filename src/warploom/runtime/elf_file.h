// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections and symbols of a program or a shared library of this process, read from its file: only when something
// went wrong and a message wants names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace warploom {

class ElfFile {
 public:
  // A 64-bit ELF file of this machine's byte order; empty when there is no such file.
  explicit ElfFile(const char *path);
  ElfFile(const ElfFile &) = delete;
  ElfFile &operator=(const ElfFile &) = delete;
  ~ElfFile();

  // The bytes of a section; empty when it is absent, compressed, or not in the file.
  std::string_view section(std::string_view name) const;
  // The function that holds `address` (as linked), as the linker knows it; empty when there is none.
  std::string symbol_at(std::uint64_t address) const;

 private:
  std::string_view bytes(std::uint64_t offset, std::uint64_t size) const;

  const char *data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace warploom
