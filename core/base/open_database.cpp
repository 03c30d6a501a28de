#include "core/base/open_database.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

namespace kernelscape::base {
namespace {

namespace fs = std::filesystem;

// sqlite.org/fileformat.html, and walformat.html for the index, whose number is in the machine's order.
constexpr std::string_view database_beginning("SQLite format 3\0", 16);
constexpr std::array<std::string_view, 4> beginnings_beside{"\x37\x7f\x06\x82", "\x37\x7f\x06\x83",
                                                            "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7",
                                                            std::string_view("\x18\xe2\x2d\0", 4)};
constexpr std::array<std::string_view, 3> suffixes_beside{"-wal", "-shm", "-journal"};

bool begins_as_part(std::string_view head) {
  return std::ranges::any_of(beginnings_beside, [&](auto magic) { return head.starts_with(magic); });
}

/** Returns the kind of an open descriptor's file, by its content and the name by which it was opened. */
DatabaseUse use_of(const fs::path& entry) {
  std::array<char, database_beginning.size()> bytes{};
  const int descriptor = std::atoi(entry.filename().c_str());
  const ssize_t size = pread(descriptor, bytes.data(), bytes.size(), 0);
  const std::string_view head(bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  if (head == database_beginning) return DatabaseUse::Database;
  // A log is empty at first, and so is its index.
  std::error_code unknown;
  const std::string name = fs::read_symlink(entry, unknown).filename();
  const bool is_part = begins_as_part(head) || std::ranges::any_of(suffixes_beside, [&](auto suffix) {
                         return name.ends_with(suffix);
                       });
  return is_part ? DatabaseUse::Beside : DatabaseUse::None;
}

}  // namespace

DatabaseUse database_use(const struct stat& file) {
  std::error_code error;
  for (fs::directory_iterator entry("/proc/self/fd", error), end; !error && entry != end;
       entry.increment(error)) {
    struct stat open_file{};
    if (stat(entry->path().c_str(), &open_file) != 0 || open_file.st_dev != file.st_dev ||
        open_file.st_ino != file.st_ino)
      continue;
    if (const DatabaseUse use = use_of(entry->path()); use != DatabaseUse::None) return use;
  }
  return DatabaseUse::None;
}

DatabaseUse database_use(const fs::path& path) {
  struct stat file{};
  return stat(path.c_str(), &file) == 0 ? database_use(file) : DatabaseUse::None;
}

Status check_no_open_database(const fs::path& path) {
  struct stat file{};
  return stat(path.c_str(), &file) == 0 ? check_no_open_database(path, file) : Status();
}

Status check_no_open_database(const fs::path& path, const struct stat& file) {
  const DatabaseUse use = database_use(file);
  if (use == DatabaseUse::None) return {};
  return fail(ErrorCode::Refused,
              fmt::format("{} is {} that this program has open", path.string(),
                          use == DatabaseUse::Database ? "a database" : "a part of a database"),
              "name another file");
}

bool begins_as_database(std::string_view head) {
  return head.starts_with(database_beginning) || begins_as_part(head);
}

}  // namespace kernelscape::base
