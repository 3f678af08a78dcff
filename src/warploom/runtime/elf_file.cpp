// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace warploom {
namespace {

// The record number `index` of a table; zeros when the table is too short.
template <class Record>
Record record(std::string_view table, std::size_t index) {
  Record found{};
  if (index < table.size() / sizeof(Record)) std::memcpy(&found, table.data() + index * sizeof(Record), sizeof found);
  return found;
}

std::string_view text_at(std::string_view table, std::size_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

ElfFile::ElfFile(const char *path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat status{};
  if (fstat(file, &status) == 0 && status.st_size > static_cast<off_t>(sizeof(Elf64_Ehdr))) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void *const memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (memory != MAP_FAILED) data_ = static_cast<const char *>(memory), size_ = size;
  }
  close(file);
  if (data_ == nullptr) return;
  const bool is_elf = std::memcmp(data_, ELFMAG, SELFMAG) == 0 && data_[EI_CLASS] == ELFCLASS64;
  if (is_elf && data_[EI_DATA] == (__BYTE_ORDER == __LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB)) return;
  munmap(const_cast<char *>(data_), size_);
  data_ = nullptr;
  size_ = 0;
}

ElfFile::~ElfFile() {
  if (data_ != nullptr) munmap(const_cast<char *>(data_), size_);
}

std::string_view ElfFile::bytes(std::uint64_t offset, std::uint64_t size) const {
  if (offset > size_ || size > size_ - offset) return {};
  return {data_ + offset, size};
}

std::string_view ElfFile::section(std::string_view name) const {
  const auto header = record<Elf64_Ehdr>(bytes(0, size_), 0);
  const std::string_view table = bytes(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  const auto name_section = record<Elf64_Shdr>(table, header.e_shstrndx);
  const std::string_view names = bytes(name_section.sh_offset, name_section.sh_size);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto found = record<Elf64_Shdr>(table, i);
    if (text_at(names, found.sh_name) != name) continue;
    if (found.sh_type == SHT_NOBITS || (found.sh_flags & SHF_COMPRESSED) != 0) return {};
    return bytes(found.sh_offset, found.sh_size);
  }
  return {};
}

std::string ElfFile::symbol_at(std::uint64_t address) const {
  for (const auto &[symbols, names] :
       {std::pair{section(".symtab"), section(".strtab")}, std::pair{section(".dynsym"), section(".dynstr")}}) {
    for (std::size_t i = 0; i < symbols.size() / sizeof(Elf64_Sym); ++i) {
      const auto symbol = record<Elf64_Sym>(symbols, i);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
      if (address < symbol.st_value || address - symbol.st_value >= symbol.st_size) continue;
      return std::string(text_at(names, symbol.st_name));
    }
  }
  return {};
}

}  // namespace warploom
