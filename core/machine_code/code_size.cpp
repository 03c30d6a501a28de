#include "core/machine_code/code_size.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace kernelscape::machine_code {
namespace {

/** Returns a structure at a place in the file; nullopt if the file ends before the end of the structure. */
template <typename Structure>
std::optional<Structure> structure_at(std::string_view binary, std::uint64_t place) {
  if (place > binary.size() || sizeof(Structure) > binary.size() - place) return std::nullopt;
  Structure structure;
  std::memcpy(&structure, binary.data() + place, sizeof structure);
  return structure;
}

/** Returns the headers of the file's sections; empty if it is not a little-endian ELF file of 64 bits. */
std::vector<Elf64_Shdr> section_headers(std::string_view binary) {
  const auto header = structure_at<Elf64_Ehdr>(binary, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff > binary.size())
    return {};
  std::vector<Elf64_Shdr> sections;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto section = structure_at<Elf64_Shdr>(binary, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) return {};
    sections.push_back(*section);
  }
  return sections;
}

/** Returns the sum of the sizes of the functions in a table of symbols; nullopt if it is damaged. */
std::optional<std::int64_t> functions_bytes(std::string_view binary, const Elf64_Shdr& table) {
  if (table.sh_offset > binary.size() || table.sh_size > binary.size() - table.sh_offset) return std::nullopt;
  // Several names of one function have the same place.
  std::map<std::pair<Elf64_Half, Elf64_Addr>, std::uint64_t> sizes;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
    const auto symbol = structure_at<Elf64_Sym>(binary, table.sh_offset + at);
    if (!symbol || ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF) continue;
    // No function is longer than its file.
    if (symbol->st_size > binary.size()) return std::nullopt;
    std::uint64_t& size = sizes[{symbol->st_shndx, symbol->st_value}];
    size = std::max<std::uint64_t>(size, symbol->st_size);
  }
  std::int64_t bytes = 0;
  for (const auto& [place, size] : sizes) bytes += static_cast<std::int64_t>(size);
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> code_bytes(std::string_view binary) {
  const std::vector<Elf64_Shdr> sections = section_headers(binary);
  // A stripped file has only the symbols that it exports.
  for (const Elf64_Word kind : {Elf64_Word{SHT_SYMTAB}, Elf64_Word{SHT_DYNSYM}}) {
    const auto table = std::ranges::find(sections, kind, &Elf64_Shdr::sh_type);
    if (table == sections.end()) continue;
    if (const auto bytes = functions_bytes(binary, *table)) return bytes;
  }
  return std::nullopt;
}

}  // namespace kernelscape::machine_code
