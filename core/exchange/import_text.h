#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/exchange/reading_budget.h"
#include "core/exchange/table_options.h"
#include "core/exchange/text_cursor.h"
#include "core/trial/measurement.h"

namespace kernelscape::exchange {

/**
 * The text of a file without a UTF-8 byte-order mark. It is read, decompressed if it is gzip (several members
 * form one text) and checked in pieces. Errors occur when the reading reaches them: damaged or truncated
 * gzip, text over the budget, text that is more than 100 times its gzip (a bomb), invalid UTF-8 or a NUL.
 * These errors name the offset, not the file.
 */
class ImportText final : public TextCursor {
 public:
  /**
   * Opens a file. Errors name the file: it does not exist (NotFound), is not a regular file, or is larger
   * than the budget.
   */
  static Result<std::unique_ptr<ImportText>> open(const std::filesystem::path& path,
                                                  const ReadingBudget& budget = ReadingBudget());

  /** Creates a text from the bytes of a file. @param path the path in errors */
  ImportText(std::filesystem::path path, std::string bytes, const ReadingBudget& budget = ReadingBudget());
  ~ImportText() override;

  const std::filesystem::path& path() const;  ///< path in errors
  const ReadingBudget& budget() const;        ///< limits for reading
  /** Returns further files of the same format that belong to this file and contain no trials. */
  const std::vector<std::filesystem::path>& companions() const;
  void set_companions(std::vector<std::filesystem::path> files);  ///< see companions()
  const TableOptions& table() const;     ///< what the user states about the columns of a table
  void set_table(TableOptions options);  ///< see table()
  /** Returns the memory that this object and its reader hold. */
  HeldMemory& held();

  /** Returns the beginning of the text, about ten thousand bytes, before anything was read. */
  std::string_view head();

  /** Counts memory that a reader keeps until the file is read. Returns Refused if that exceeds the budget. */
  Status keep(std::uint64_t bytes);

 private:
  class Source;
  struct State;
  explicit ImportText(std::unique_ptr<State> state);
  Result<std::string_view> next_piece() override;

  std::unique_ptr<State> state_;
};

/**
 * Returns the bytes that ImportText::keep() counts for a trial with `knobs` knobs: the trial, and its share
 * of the space.
 */
std::uint64_t kept_trial_bytes(const trial::Measurement& measurement, std::size_t knobs);

/** Bytes that are counted for a knob's value that occurs for the first time. */
inline constexpr std::uint64_t kept_choice_bytes = 256;

/** Maximum number of tasks, spaces or kernels in one file: each becomes a session. */
inline constexpr std::size_t max_parts_in_file = 4096;

/** Returns Refused if the file has more parts. */
Status check_part_count(std::size_t parts);

}  // namespace kernelscape::exchange
