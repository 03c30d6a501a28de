#include "core/measure/worker/thread_use.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace kernelscape::measure {
namespace {

constexpr std::size_t longest_name = 128;  // of a library or function that is looked for

constexpr auto quiet_libraries =
    std::to_array<std::string_view>({"libc", "libm", "libstdc++", "libgcc_s", "libmvec"});

constexpr auto starting_functions = std::to_array<std::string_view>(
    {"pthread_create", "thrd_create", "clone", "__clone", "clone3", "fork", "_Fork", "vfork", "posix_spawn",
     "posix_spawnp", "system", "popen", "syscall", "dlopen", "dlmopen"});

/** Returns the value at a place of the object; nothing where the object ends before its end. */
template <typename Value>
std::optional<Value> value_at(std::string_view object, std::uint64_t offset) {
  if (offset > object.size() || object.size() - offset < sizeof(Value)) return std::nullopt;
  Value value;
  std::memcpy(&value, object.data() + offset, sizeof value);
  return value;
}

/** A table of an object: the bytes of one section, and of the names that it refers to. */
struct Table {
  std::string_view bytes;
  std::string_view names;
};

std::optional<std::string_view> bytes_of(std::string_view object, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > object.size() ||
      section.sh_size > object.size() - section.sh_offset)
    return std::nullopt;
  return object.substr(section.sh_offset, section.sh_size);
}

/** An object's table of sections. */
class Sections {
 public:
  /** Nothing where the bytes are no shared object of this machine's kind, or have no sections. */
  static std::optional<Sections> of(std::string_view object) {
    constexpr auto own_order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
    const auto header = value_at<Elf64_Ehdr>(object, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != own_order ||
        header->e_type != ET_DYN || header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shnum == 0)
      return std::nullopt;
    return Sections(object, header->e_shoff, header->e_shnum);
  }

  /** Returns the first table of a type with its names: one look at most at each part of a hostile object. */
  std::optional<Table> table(std::uint32_t type) const {
    for (std::uint32_t number = 0; number < count_; ++number) {
      const auto section = at(number);
      if (!section) return std::nullopt;
      if (section->sh_type != type) continue;
      const auto names = section->sh_link < count_ ? at(section->sh_link) : std::nullopt;
      const auto bytes = bytes_of(object_, *section);
      const auto name_bytes = names ? bytes_of(object_, *names) : std::nullopt;
      if (!bytes || !name_bytes) return std::nullopt;
      return Table{.bytes = *bytes, .names = *name_bytes};
    }
    return std::nullopt;
  }

 private:
  Sections(std::string_view object, std::uint64_t offset, std::uint32_t count)
      : object_(object), offset_(offset), count_(count) {}

  std::optional<Elf64_Shdr> at(std::uint32_t number) const {
    if (offset_ > object_.size()) return std::nullopt;
    return value_at<Elf64_Shdr>(object_, offset_ + std::uint64_t{number} * sizeof(Elf64_Shdr));
  }

  std::string_view object_;
  std::uint64_t offset_;
  std::uint32_t count_;
};

/** Returns the name that begins at a place of a table of names; nothing where it is long or has no end. */
std::optional<std::string_view> name_at(const Table& table, std::uint64_t offset) {
  if (offset >= table.names.size()) return std::nullopt;
  const std::string_view rest = table.names.substr(offset, longest_name);
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  return rest.substr(0, end);
}

bool is_among(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

/** Returns true for a library such as libm.so.6 or the loader, which start nothing unless they are told. */
bool is_quiet(std::string_view library) {
  if (library.contains('/')) return false;
  return library.starts_with("ld-") || is_among(library.substr(0, library.find(".so")), quiet_libraries);
}

bool needs_quiet_libraries_alone(const Table& dynamic) {
  for (std::uint64_t offset = 0;; offset += sizeof(Elf64_Dyn)) {
    const auto entry = value_at<Elf64_Dyn>(dynamic.bytes, offset);
    if (!entry || entry->d_tag == DT_NULL) return true;
    if (entry->d_tag != DT_NEEDED) continue;
    const auto library = name_at(dynamic, entry->d_un.d_val);
    if (!library || !is_quiet(*library)) return false;
  }
}

bool starts(std::string_view function) {
  return function.starts_with("_ZNSt6thread") || is_among(function, starting_functions);
}

bool takes_starting_function(const Table& symbols) {
  for (std::uint64_t offset = 0;; offset += sizeof(Elf64_Sym)) {
    const auto symbol = value_at<Elf64_Sym>(symbols.bytes, offset);
    if (!symbol) return false;
    if (symbol->st_shndx != SHN_UNDEF || symbol->st_name == 0) continue;
    // Names in C++ may be longer than all that are looked for.
    const std::string_view rest =
        symbols.names.substr(std::min<std::uint64_t>(symbol->st_name, symbols.names.size()), longest_name);
    if (starts(rest.substr(0, rest.find('\0')))) return true;
  }
}

}  // namespace

bool may_start_threads(std::string_view object) {
  const auto sections = Sections::of(object);
  if (!sections) return true;
  const auto dynamic = sections->table(SHT_DYNAMIC);
  const auto symbols = sections->table(SHT_DYNSYM);
  return !dynamic || !symbols || !needs_quiet_libraries_alone(*dynamic) || takes_starting_function(*symbols);
}

}  // namespace kernelscape::measure
