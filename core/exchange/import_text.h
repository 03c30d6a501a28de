#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/reading_budget.h"
#include "core/exchange/text_cursor.h"
#include "core/trial/measurement.h"

namespace kernelscape {

/**
 * A file's text, which is read, unpacked where it is gzip (several members are one text) and checked piece by
 * piece, without a UTF-8 byte-order mark. Refused when the reading comes to it: damaged or cut gzip, text
 * over the budget, text that is more than 100 times its gzip (a bomb), what is no UTF-8 or has a NUL. These
 * errors name the offset, not the file.
 */
class ImportText final : public TextCursor {
 public:
  /** Errors name the file: NotFound, what is no regular file, what is larger than the budget. */
  static Result<std::unique_ptr<ImportText>> open(const std::filesystem::path& path,
                                                  const ReadingBudget& budget = ReadingBudget());

  /** Of a file's bytes. @param path what errors call it */
  ImportText(std::filesystem::path path, std::string bytes, const ReadingBudget& budget = ReadingBudget());
  ~ImportText() override;

  const std::filesystem::path& path() const;  ///< what errors call it
  const ReadingBudget& budget() const;        ///< what reading it may take
  /** Files given with it that say more of it: of its format, and without trials. */
  const std::vector<std::filesystem::path>& companions() const;
  void set_companions(std::vector<std::filesystem::path> files);  ///< see companions()
  /** What is held of it, by its reader too. */
  HeldMemory& held();

  /** The beginning of the text, some ten thousand bytes, as long as nothing was read. */
  std::string_view head();

  /** Counts what a reader keeps until the file is read. Refused where that exceeds the budget. */
  Status keep(std::uint64_t bytes);

 private:
  class Source;
  struct State;
  explicit ImportText(std::unique_ptr<State> state);
  Result<std::string_view> next_piece() override;

  std::unique_ptr<State> state_;
};

/** What ImportText::keep() counts for a trial of so many knobs: itself, and that of which its space and the
 * others are made. */
std::uint64_t kept_trial_bytes(const Measurement& measurement, std::size_t knobs);

/** The same for a knob's value that no trial before had. */
inline constexpr std::uint64_t kept_choice_bytes = 256;

/** Most tasks, spaces or kernels that one file may have trials of: each becomes a session. */
inline constexpr std::size_t most_parts_in_file = 4096;

/** Refused: the file has more. */
Status check_part_count(std::size_t parts);

}  // namespace kernelscape
