#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace kernelscape::exchange {

/**
 * Collects the entries of a file that cannot be read. All readers of other tuners' files share this policy:
 * an entry that cannot be read is skipped, counted and named, and the file is refused only if no entry is
 * left.
 */
class SkippedEntries {
 public:
  /**
   * Creates an empty collection. @param file its name is shown in notices @param noun name of its entries, in
   * the plural
   */
  explicit SkippedEntries(const std::filesystem::path& file, std::string noun = "entries")
      : file_(file.filename().string()), noun_(std::move(noun)) {}

  /**
   * Skips an entry whose error is InvalidArgument. Any other error, such as an exceeded limit, is returned
   * with the place before its message and ends the reading. @param place place of the entry: "line 3" @param
   * entries number of entries that the error concerns; the first of them is at the place
   */
  Status skip(std::string_view place, const Error& why, std::size_t entries = 1);

  std::size_t count() const { return count_; }  ///< number of all skipped entries
  /**
   * Returns the error of the first skipped entry, with its place: the reason for refusing the file if no
   * entry is left.
   */
  const std::optional<Error>& first() const { return first_; }
  /** Names the first five skipped entries with their reasons, and counts all of them if there are more. */
  std::vector<std::string> notices() const;

 private:
  std::string file_;
  std::string noun_;
  std::size_t count_ = 0;
  std::optional<Error> first_;
  std::vector<std::string> named_;
  std::size_t named_entries_ = 0;
};

}  // namespace kernelscape::exchange
