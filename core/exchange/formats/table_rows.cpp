#include "core/exchange/formats/table_rows.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/formats/log_lines.h"
#include "core/exchange/formats/logged_results.h"
#include "core/exchange/validation_values.h"
#include "core/task/task.h"

namespace kernelscape::exchange {
namespace {

constexpr std::size_t max_held_rows = 2000;
constexpr std::size_t max_held_bytes = 8 << 20;
constexpr double rate_work = 1e9;  ///< FLOP or bytes of a call, see ObjectiveUnit

Result<trial::RecordingHeader> header_of_table(const ImportText& file, const TableColumns& columns) {
  std::string problem = cleaned_text(file_stem(file.path()), name_limits);
  if (problem.find_first_not_of(' ') == std::string::npos) problem = "table";
  task::GenericProblem generic{problem, columns.names[columns.objective], columns.unit.name};
  if (columns.unit.of_flops) generic.flops = rate_work;
  if (columns.unit.of_bytes) generic.bytes = rate_work;
  const task::Task task = TRY(task::make_generic_task(generic, problem));
  schedule::TargetDescription target;
  target.isa.clear();
  return logged_header(task, target, "table " + file.path().filename().string());
}

}  // namespace

std::unexpected<Error> TableRows::in_file(const Error& error) const {
  return fail(error.code, fmt::format("{}: {}", file_.path().string(), error.message), error.hint);
}

void TableRows::set_decimal_comma() {
  decimal_comma_ = true;
  table_.set_decimal_comma();
}

std::optional<std::size_t> TableRows::add_name(std::string_view name) {
  if (columns_) return std::nullopt;
  names_.emplace_back(name);
  for (std::vector<std::string>& row : held_rows_) row.resize(names_.size());
  return names_.size() - 1;
}

Status TableRows::skip(std::size_t line, const Error& why) {
  const Status passed = skipped_.skip(line_place(line), why);
  return passed ? Status() : Status(in_file(passed.error()));
}

bool TableRows::held_enough() const {
  return held_rows_.size() >= max_held_rows || held_bytes_ >= max_held_bytes;
}

Status TableRows::add(std::span<const std::string_view> fields, std::size_t line) {
  if (columns_) return take(fields, line);
  std::vector<std::string>& held = held_rows_.emplace_back(fields.begin(), fields.end());
  held.resize(names_.size());
  held_lines_.push_back(line);
  for (const std::string_view field : fields) held_bytes_ += field.size() + sizeof(std::string);
  return holds_only_ || !held_enough() ? Status() : decide();
}

/** Determines the columns from the held rows, and adds these rows. */
Status TableRows::decide() {
  Result<TableColumns> columns = table_columns(names_, held_rows_, file_.table(), decimal_comma_);
  if (!columns) return in_file(columns.error());
  columns_ = *std::move(columns);
  for (const std::size_t column : columns_->with(ColumnRole::Parameter)) {
    if (const auto added = table_.parameter(names_[column]); !added) return in_file(added.error());
    parameters_.push_back(column);
  }
  for (const std::size_t column : columns_->with(ColumnRole::Number)) {
    if (const auto added = table_.column(names_[column]); !added) return in_file(added.error());
    numbers_.push_back(column);
  }
  const SampleRows rows = std::exchange(held_rows_, {});
  std::vector<std::string_view> fields;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fields.assign(rows[i].begin(), rows[i].end());
    TRY(take(fields, held_lines_[i]));
  }
  return {};
}

Status TableRows::take(std::span<const std::string_view> fields, std::size_t line) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) table_.set(i, fields[parameters_[i]]);
  for (std::size_t i = 0; i < numbers_.size(); ++i)
    if (const auto number = number_of_text(fields[numbers_[i]], decimal_comma_))
      table_.set_number(i, *number);
  const Status taken = take_result(fields);
  if (taken) return {};
  table_.drop();
  return skip(line, taken.error());
}

/**
 * Sets the samples of an objective: a number, or a list of numbers. Returns why it is none: its text, or
 * empty if it has samples.
 */
std::string TableRows::samples_of(std::string_view text) {
  samples_.clear();
  std::string_view items = text;
  const bool list = items.starts_with('[') && items.ends_with(']');
  if (list) items = items.substr(1, items.size() - 2);
  while (!items.empty()) {
    const std::size_t end = list ? std::min(items.find(','), items.size()) : items.size();
    const std::string_view item = base::trimmed(items.substr(0, end));
    if (item.empty()) return list ? "it has an empty value" : "it has no value";
    const auto number = number_of_text(item, decimal_comma_ && !list);
    if (!number || *number <= 0) return std::string(item);
    samples_.push_back(columns_->unit.seconds(*number));
    items.remove_prefix(std::min(end + 1, items.size()));
  }
  return samples_.empty() ? std::string("it has no value") : std::string();
}

Status TableRows::take_result(std::span<const std::string_view> fields) {
  const auto failed = [&](const std::string& reason) {
    if (first_failure_.empty()) first_failure_ = reason;
    return table_.add({.category = category_of_text(reason), .failure = reason});
  };
  const auto field = [&](std::size_t column) { return fields[column]; };
  if (const auto reason = failure_of_row(*columns_, field, decimal_comma_)) return failed(*reason);
  if (const std::string reason = samples_of(fields[columns_->objective]); !reason.empty())
    return failed(reason);
  return table_.add({.samples_seconds = samples_});
}

Result<ImportedFile> TableRows::finish() {
  if (!columns_) {
    if (held_rows_.empty())
      return in_file(skipped_.first().value_or(Error{ErrorCode::InvalidArgument, "the table has no rows",
                                                     "write one line for each configuration"}));
    TRY(decide());
  }
  if (table_.size() == 0) return in_file(*skipped_.first());
  const std::string& objective = names_[columns_->objective];
  if (table_.valid() == 0)
    return in_file(Error{ErrorCode::InvalidArgument,
                         fmt::format("no row has a time: the first {} is {}", base::one_line(objective),
                                     base::quoted_line(first_failure_)),
                         "name the column that ranks: --objective NAME, and state when a row failed: "
                         "--failed-when COLUMN=VALUE"});
  const std::size_t failures = table_.size() - table_.valid();
  const std::size_t rows = table_.size();
  Result<trial::RecordingHeader> header = header_of_table(file_, *columns_);
  if (!header) return in_file(header.error());
  Result<ImportedTrials> part = table_.take(*std::move(header));
  if (!part) return in_file(part.error());
  ImportedFile imported{.format = "table", .path = file_.path(), .natural = ImportAs::Recorded};
  imported.parts.push_back(std::move(*part));
  imported.notices.push_back(columns_notice(*columns_));
  if (columns_->unit.is_rate)
    imported.notices.push_back(fmt::format("times are computed from {}: {} per call",
                                           base::one_line(objective),
                                           columns_->unit.of_flops   ? "10^9 FLOP"
                                           : columns_->unit.of_bytes ? "10^9 bytes"
                                                                     : "one item"));
  if (failures > 0)
    imported.notices.push_back(fmt::format("{} of {} rows failed; the first: {}", failures, rows,
                                           base::quoted_line(first_failure_)));
  std::ranges::move(skipped_.notices(), std::back_inserter(imported.notices));
  return imported;
}

}  // namespace kernelscape::exchange
