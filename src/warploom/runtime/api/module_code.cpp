// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two forms of a module's bytes.
//
// Machine code is a shared library, an ELF file. Programs treat PTX as a string that ends with a zero byte, so its form
// is text: a head that says what it is, then the ELF file in base 64, each line a comment of PTX.
//
//     //
//     // Warploom module
//     //=f0VMRgIBAQAAAAAAAAAAAAMAPgAB...
#include <elf.h>

#include <cstring>

#include "../message.h"
#include "error.h"
#include "module.h"

namespace warploom {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kHead = "//\n// Warploom module\n", kLine = "//=";
constexpr std::size_t kBytesPerLine = 72;

// Section headers are the last thing in a file that lld wrote.
std::size_t elf_size(const void *data) {
  Elf64_Ehdr head;
  std::memcpy(&head, data, sizeof head);
  return head.e_shoff + std::size_t{head.e_shentsize} * head.e_shnum;
}

void encode(std::string_view bytes, std::string &text) {
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 3; ++i) word = word << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) text += i <= count ? kDigits[word >> (18 - 6 * i) & 63] : '=';
  }
}

void decode(std::string_view text, std::string &bytes) {
  std::uint32_t word = 0;
  int bits = 0;
  for (const char digit : text) {
    const std::size_t value = kDigits.find(digit);
    if (value == std::string_view::npos) break;
    word = word << 6 | static_cast<std::uint32_t>(value);
    if ((bits += 6) >= 8) bytes += static_cast<char>(word >> (bits -= 8) & 255);
  }
}

}  // namespace

std::string module_code(const void *data, std::size_t most) {
  if (!data || most < sizeof(ELFMAG)) return {};
  if (std::memcmp(data, ELFMAG, SELFMAG) == 0) {
    if (most < sizeof(Elf64_Ehdr) || most < elf_size(data)) return {};
    return {static_cast<const char *>(data), elf_size(data)};
  }
  const auto *text = static_cast<const char *>(data);
  if (std::strncmp(text, kHead.data(), kHead.size()) != 0) return {};
  std::string code;
  while (const char *line = std::strstr(text, kLine.data())) {
    text = line + kLine.size();
    decode({text, std::strcspn(text, "\n")}, code);
  }
  return code;
}

std::string module_text(std::string_view code) {
  std::string text(kHead);
  for (std::size_t at = 0; at < code.size(); at += kBytesPerLine) {
    text += kLine;
    encode(code.substr(at, kBytesPerLine), text);
    text += '\n';
  }
  return text;
}

cudaError_t refuse_image(const char *function, const void *data) {
  if (!data) return cudaErrorInvalidValue;
  write_error(std::string(function) +
              ": this is no module of warpcc's; code for a GPU cannot run here: compile the kernels' source");
  return cudaErrorInvalidKernelImage;
}

}  // namespace warploom
