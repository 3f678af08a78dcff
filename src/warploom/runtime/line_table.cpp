// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A unit's program is run row by row; nothing is kept but the row that covers the address. A unit that is damaged or of
// a form that is not known is left out.
#include "line_table.h"

#include <array>
#include <cstring>
#include <optional>
#include <vector>

namespace warploom {
namespace {

// Numbers of the standard.
enum : std::uint64_t { kPath = 1, kDirectoryIndex = 2 };
enum Form : std::uint64_t {
  kBlock2 = 3,
  kBlock4 = 4,
  kData2 = 5,
  kData4 = 6,
  kData8 = 7,
  kString = 8,
  kBlock = 9,
  kBlock1 = 10,
  kData1 = 11,
  kStrp = 14,
  kUdata = 15,
  kData16 = 30,
  kLineStrp = 31,
};
enum Opcode : std::uint8_t {
  kCopy = 1,
  kAdvancePc = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kConstAddPc = 8,
  kFixedAdvancePc = 9,
};
enum ExtendedOpcode : std::uint8_t { kEndSequence = 1, kSetAddress = 2 };

// Reads forward; after the end it gives zeros and says so.
class Reader {
 public:
  explicit Reader(std::string_view data) : data_(data) {}

  bool at_end() const { return data_.empty(); }
  bool failed() const { return failed_; }

  std::string_view take(std::uint64_t size) {
    if (size > data_.size()) {
      failed_ = true;
      size = data_.size();
    }
    const std::string_view taken = data_.substr(0, size);
    data_.remove_prefix(size);
    return taken;
  }
  template <class Value>
  Value fixed() {
    const std::string_view from = take(sizeof(Value));
    Value value{};
    if (from.size() == sizeof value) std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  std::uint64_t unsigned_leb() { return leb(false); }
  std::int64_t signed_leb() { return static_cast<std::int64_t>(leb(true)); }
  std::string_view text() {
    const std::size_t size = data_.find('\0');
    const std::string_view found = take(size == std::string_view::npos ? data_.size() : size);
    take(1);
    return found;
  }

 private:
  std::uint64_t leb(bool is_signed) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; !failed_; shift += 7) {
      const auto byte = fixed<std::uint8_t>();
      if (shift < 64) value |= std::uint64_t{byte & 0x7fU} << shift;
      if ((byte & 0x80) != 0) continue;
      if (is_signed && (byte & 0x40) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
      break;
    }
    return value;
  }

  std::string_view data_;
  bool failed_ = false;
};

struct File {
  std::string_view name;
  std::uint64_t folder = 0;
};

// What comes before the program of a unit.
struct Header {
  std::uint16_t version = 0;
  std::uint8_t least_length = 1, line_range = 1, first_special = 1;
  std::int8_t line_base = 0;
  std::array<std::uint8_t, 256> operands{};  // of the standard opcodes
  std::vector<std::string_view> folders;
  std::vector<File> files;
};

std::string_view text_of(std::string_view section, std::uint64_t offset) {
  if (offset >= section.size()) return {};
  return Reader(section.substr(offset)).text();
}

// An attribute of a folder or file of version 5; nothing for a form that is not known.
struct Attribute {
  std::string_view text;
  std::uint64_t number = 0;
};
std::optional<Attribute> read_attribute(Reader &from, std::uint64_t form, const LineSections &sections) {
  switch (form) {
    case kString:
      return Attribute{from.text()};
    case kStrp:
      return Attribute{text_of(sections.strings, from.fixed<std::uint32_t>())};
    case kLineStrp:
      return Attribute{text_of(sections.line_strings, from.fixed<std::uint32_t>())};
    case kUdata:
      return Attribute{{}, from.unsigned_leb()};
    case kData1:
      return Attribute{{}, from.fixed<std::uint8_t>()};
    case kData2:
      return Attribute{{}, from.fixed<std::uint16_t>()};
    case kData4:
      return Attribute{{}, from.fixed<std::uint32_t>()};
    case kData8:
      return Attribute{{}, from.fixed<std::uint64_t>()};
    case kData16:
      return Attribute{from.take(16)};
    case kBlock1:
      return Attribute{from.take(from.fixed<std::uint8_t>())};
    case kBlock2:
      return Attribute{from.take(from.fixed<std::uint16_t>())};
    case kBlock4:
      return Attribute{from.take(from.fixed<std::uint32_t>())};
    case kBlock:
      return Attribute{from.take(from.unsigned_leb())};
    default:
      return std::nullopt;
  }
}

bool read_entries(Reader &from, const LineSections &sections, std::vector<File> &entries) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> format;
  for (auto left = from.fixed<std::uint8_t>(); left != 0; --left) {
    const std::uint64_t content = from.unsigned_leb();
    format.emplace_back(content, from.unsigned_leb());
  }
  for (std::uint64_t left = from.unsigned_leb(); left != 0 && !from.failed(); --left) {
    File &entry = entries.emplace_back();
    for (const auto &[content, form] : format) {
      const std::optional<Attribute> attribute = read_attribute(from, form, sections);
      if (!attribute) return false;
      if (content == kPath) entry.name = attribute->text;
      if (content == kDirectoryIndex) entry.folder = attribute->number;
    }
  }
  return !from.failed();
}

// Folder 0 is where the compiler ran, file 0 (from version 5 on) its main file; before that, files begin at 1.
bool read_tables(Reader &from, const LineSections &sections, Header &header) {
  if (header.version >= 5) {
    std::vector<File> folders;
    if (!read_entries(from, sections, folders) || !read_entries(from, sections, header.files)) return false;
    for (const File &folder : folders) header.folders.push_back(folder.name);
    return true;
  }
  header.folders.emplace_back();
  header.files.emplace_back();
  for (std::string_view folder = from.text(); !folder.empty(); folder = from.text()) header.folders.push_back(folder);
  for (std::string_view name = from.text(); !name.empty(); name = from.text()) {
    header.files.push_back({name, from.unsigned_leb()});
    from.unsigned_leb();  // its time
    from.unsigned_leb();  // and size
  }
  return !from.failed();
}

// Reads the header and leaves `unit` at the program.
std::optional<Header> read_header(Reader &unit, const LineSections &sections) {
  Header header;
  header.version = unit.fixed<std::uint16_t>();
  if (header.version < 2 || header.version > 5) return std::nullopt;
  if (header.version >= 5) unit.take(2);  // sizes of an address and of a segment's number
  Reader rest(unit.take(unit.fixed<std::uint32_t>()));
  header.least_length = rest.fixed<std::uint8_t>();
  if (header.version >= 4) rest.take(1);  // operations of an instruction
  rest.take(1);                           // whether rows are statements
  header.line_base = rest.fixed<std::int8_t>();
  header.line_range = rest.fixed<std::uint8_t>();
  header.first_special = rest.fixed<std::uint8_t>();
  for (unsigned i = 1; i < header.first_special; ++i) header.operands[i] = rest.fixed<std::uint8_t>();
  if (header.line_range == 0 || !read_tables(rest, sections, header)) return std::nullopt;
  return header;
}

std::string path_of(const Header &header, std::uint64_t number) {
  if (number >= header.files.size()) return {};
  const File &file = header.files[number];
  if (file.name.starts_with('/') || file.folder == 0 || file.folder >= header.folders.size()) {
    return std::string(file.name);
  }
  return std::string(header.folders[file.folder]) + '/' + std::string(file.name);
}

// The rows of one unit, in order.
class Program {
 public:
  Program(const Header &header, Reader code, std::uint64_t wanted) : header_(header), code_(code), wanted_(wanted) {}

  SourceLine run() {
    while (!code_.at_end() && !code_.failed() && found_.file.empty()) step();
    return found_;
  }

 private:
  struct Row {
    std::uint64_t address = 0, file = 1, line = 1;
  };

  void step() {
    const auto opcode = code_.fixed<std::uint8_t>();
    if (opcode >= header_.first_special) {
      const unsigned adjusted = opcode - header_.first_special;
      row_.address += std::uint64_t{header_.least_length} * (adjusted / header_.line_range);
      row_.line += static_cast<std::uint64_t>(header_.line_base + static_cast<int>(adjusted % header_.line_range));
      return append();
    }
    switch (opcode) {
      case 0:
        return extended();
      case kCopy:
        return append();
      case kAdvancePc:
        row_.address += header_.least_length * code_.unsigned_leb();
        return;
      case kAdvanceLine:
        row_.line += static_cast<std::uint64_t>(code_.signed_leb());
        return;
      case kSetFile:
        row_.file = code_.unsigned_leb();
        return;
      case kConstAddPc:
        row_.address += std::uint64_t{header_.least_length} * ((255U - header_.first_special) / header_.line_range);
        return;
      case kFixedAdvancePc:
        row_.address += code_.fixed<std::uint16_t>();
        return;
      default:
        for (unsigned i = 0; i < header_.operands[opcode]; ++i) code_.unsigned_leb();
    }
  }

  void extended() {
    Reader operation(code_.take(code_.unsigned_leb()));
    const auto opcode = operation.fixed<std::uint8_t>();
    if (opcode == kSetAddress) row_.address = operation.fixed<std::uint64_t>();
    if (opcode != kEndSequence) return;
    append();
    row_ = {};
    previous_.reset();
    known_.reset();
  }

  // The row before ends where this one begins. Code that the linker left out begins at address 0.
  void append() {
    if (previous_ && previous_->address != 0 && wanted_ >= previous_->address && wanted_ < row_.address) {
      const Row &row = previous_->line != 0 || !known_ ? *previous_ : *known_;
      if (row.line != 0) found_ = {path_of(header_, row.file), static_cast<unsigned>(row.line), previous_->line == 0};
    }
    previous_ = row_;
    if (row_.line != 0) known_ = row_;
  }

  const Header &header_;
  Reader code_;
  std::uint64_t wanted_;
  Row row_;
  std::optional<Row> previous_, known_;  // of this sequence; known_: the last one that has a line
  SourceLine found_;
};

}  // namespace

SourceLine find_line(const LineSections &sections, std::uint64_t address) {
  Reader all(sections.lines);
  while (!all.at_end() && !all.failed()) {
    const auto size = all.fixed<std::uint32_t>();
    if (size >= 0xfffffff0) return {};  // the 64-bit format
    Reader unit(all.take(size));
    const std::optional<Header> header = read_header(unit, sections);
    if (!header) continue;
    if (SourceLine found = Program(*header, unit, address).run(); !found.file.empty()) return found;
  }
  return {};
}

}  // namespace warploom
