#include "core/exchange/formats/result_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "core/base/visible_text.h"
#include "core/exchange/formats/logged_knobs.h"
#include "core/exchange/formats/varying_knobs.h"
#include "core/exchange/import_text.h"
#include "core/exchange/validation_values.h"

namespace kernelscape::exchange {
namespace {

constexpr std::size_t max_number_columns = 256;

std::optional<std::int64_t> whole_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  return at == end && error == std::errc() && !text.empty() ? std::optional(number) : std::nullopt;
}

std::optional<bool> truth_value(std::string_view text) {
  const std::string lower = base::lower_case(text);
  if (lower == "true") return true;
  if (lower == "false") return false;
  return std::nullopt;
}

Status check_table_name(std::string_view name, std::string_view kind) {
  if (!name.empty() && is_clean_text(name, name_limits)) return {};
  return fail(ErrorCode::InvalidArgument,
              fmt::format("{} is not a valid name of a {}", base::quoted_line(name), kind),
              "rename it in the whole file");
}

/** Returns all values converted, or nothing if one of them is of another kind. */
std::vector<space::KnobValue> all_converted(const std::vector<std::string>& texts, auto convert) {
  std::vector<space::KnobValue> values;
  for (const std::string& text : texts) {
    const auto value = convert(text);
    if (!value) return {};
    values.emplace_back(*value);
  }
  return values;
}

}  // namespace

std::optional<double> number_of_text(std::string_view text, bool decimal_comma) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::string with_point;
  if (decimal_comma && std::ranges::count(text, ',') == 1 && !text.contains('.')) {
    with_point = text;
    with_point[with_point.find(',')] = '.';
    text = with_point;
  }
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || at != end || error != std::errc() || !std::isfinite(number)) return std::nullopt;
  return number;
}

trial::ErrorCategory category_of_text(std::string_view text) {
  for (std::size_t i = 1; i < trial::error_category_count; ++i)
    if (const auto category = static_cast<trial::ErrorCategory>(i); text == trial::to_string(category))
      return category;
  const std::string lower = base::lower_case(text);
  const auto says = [&](std::string_view word) { return lower.contains(word); };
  if (says("timeout") || says("timed out") || says("time out"))
    return says("compil") || says("build") ? trial::ErrorCategory::BuildTimeout
                                           : trial::ErrorCategory::RunTimeout;
  if (says("compil") || says("build")) return trial::ErrorCategory::CompileHost;
  if (says("incorrect") || says("wrong") || says("mismatch") || says("accuracy"))
    return trial::ErrorCategory::WrongAnswer;
  return trial::ErrorCategory::UnknownError;
}

Result<std::size_t> ResultTable::parameter(std::string_view name) {
  const auto [found, is_new] = parameter_positions_.try_emplace(std::string(name), parameters_.size());
  if (!is_new) return found->second;
  const Status valid = check_table_name(name, "parameter");
  if (!valid || parameters_.size() == space::max_space_knobs) {
    parameter_positions_.erase(found);
    if (!valid) return std::unexpected(valid.error());
    return fail(ErrorCode::InvalidArgument,
                fmt::format("it has more than {} parameters", space::max_space_knobs),
                "name those that were tuned: --parameters a,b,c");
  }
  new_bytes_ += kept_choice_bytes + name.size() + size() * sizeof(std::uint32_t);
  Parameter& added = parameters_.emplace_back();
  added.name = name;
  if (size() > 0) added.rows.assign(size(), position_in(added, {}));
  return parameters_.size() - 1;
}

Result<std::size_t> ResultTable::column(std::string_view name) {
  const auto found = std::ranges::find(columns_, name, &trial::RecordedColumn::name);
  if (found != columns_.end()) return static_cast<std::size_t>(found - columns_.begin());
  TRY(check_table_name(name, "number"));
  if (columns_.size() == max_number_columns)
    return fail(ErrorCode::InvalidArgument,
                fmt::format("it has more than {} columns of numbers", max_number_columns),
                "remove columns that are not measurements");
  new_bytes_ += kept_choice_bytes + size() * sizeof(double);
  columns_.push_back({std::string(name), std::vector<double>(size(), no_logged_value)});
  numbers_.push_back(no_logged_value);
  return columns_.size() - 1;
}

std::uint32_t ResultTable::position_in(Parameter& parameter, std::string_view value) {
  if (const auto found = parameter.positions.find(value); found != parameter.positions.end())
    return found->second;
  const auto position = static_cast<std::uint32_t>(parameter.values.size());
  parameter.values.emplace_back(value);
  parameter.positions.emplace(value, position);
  new_bytes_ += kept_choice_bytes + 2 * value.size();
  return position;
}

void ResultTable::set(std::size_t parameter, std::string_view value) {
  Parameter& chosen = parameters_[parameter];
  chosen.next = position_in(chosen, value);
  chosen.set = true;
}

void ResultTable::set_number(std::size_t column, double number) {
  numbers_[column] = std::isfinite(number) ? number : no_logged_value;
}

void ResultTable::drop() {
  for (Parameter& parameter : parameters_) parameter.set = false;
  std::ranges::fill(numbers_, no_logged_value);
}

std::uint32_t ResultTable::failure_of(const TableResult& result) {
  const std::string message = cleaned_text(result.failure, message_limits);
  const std::string key = fmt::format("{}:{}", static_cast<int>(result.category), message);
  const auto next = static_cast<std::uint32_t>(trials_.failures.size());
  const auto [found, is_new] = failure_positions_.try_emplace(key, next);
  if (is_new) {
    trials_.failures.push_back({result.category, message});
    new_bytes_ += kept_choice_bytes + 2 * message.size();
  }
  return found->second;
}

Status ResultTable::add(const TableResult& result) {
  const Status kept = keep_row(result);
  drop();
  return kept;
}

Status ResultTable::keep_row(const TableResult& result) {
  if (const auto wrong = impossible_sample(result.samples_seconds, 0))
    return fail(ErrorCode::InvalidArgument, fmt::format("its time is impossible, {}", wrong->reason),
                "correct the row, or the unit with --unit");
  if (const std::string why = impossible_duration(result.build_seconds); !why.empty())
    return fail(ErrorCode::InvalidArgument, fmt::format("its build time is impossible, {}", why));
  const bool failed = result.samples_seconds.empty();
  const std::uint32_t failure = failed ? failure_of(result) : 0;
  constexpr std::uint64_t fixed_bytes = sizeof(std::uint64_t) + sizeof(std::uint32_t) + sizeof(double);
  const std::uint64_t bytes = parameters_.size() * sizeof(std::uint32_t) +
                              (columns_.size() + result.samples_seconds.size()) * sizeof(double) +
                              fixed_bytes;
  // Vectors grow to twice their content.
  if (!held_->take(2 * bytes + std::exchange(new_bytes_, 0)))
    return std::unexpected(out_of_reading_memory(*held_));
  for (Parameter& parameter : parameters_)
    parameter.rows.push_back(parameter.set ? parameter.next : position_in(parameter, {}));
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].values.push_back(numbers_[i]);
  trials_.samples_seconds.insert(trials_.samples_seconds.end(), result.samples_seconds.begin(),
                                 result.samples_seconds.end());
  trials_.sample_ends.push_back(trials_.samples_seconds.size());
  trials_.failure_of.push_back(failure);
  if (result.build_seconds > 0 && trials_.build_seconds.empty()) trials_.build_seconds.assign(size() - 1, 0);
  if (result.build_seconds > 0 || !trials_.build_seconds.empty())
    trials_.build_seconds.push_back(result.build_seconds);
  valid_ += failed ? 0U : 1U;
  return {};
}

std::vector<space::KnobValue> ResultTable::typed_values(const Parameter& parameter) const {
  std::vector<space::KnobValue> values = all_converted(parameter.values, whole_number);
  if (values.empty())
    values = all_converted(parameter.values,
                           [&](std::string_view text) { return number_of_text(text, decimal_comma_); });
  if (values.empty()) values = all_converted(parameter.values, truth_value);
  if (!values.empty()) return values;
  for (const std::string& text : parameter.values)
    values.emplace_back(text.empty() ? std::string(absent_choice) : text);
  return values;
}

std::string ResultTable::constants_text() const {
  std::vector<std::string> texts;
  for (const Parameter& parameter : parameters_)
    if (parameter.values.size() == 1 && !parameter.values.front().empty())
      texts.push_back(fmt::format("{}={}", parameter.name, parameter.values.front()));
  return base::join(texts, " ");
}

Result<ImportedTrials> ResultTable::take(trial::RecordingHeader header, bool keep_constants) {
  if (size() == 0) return fail(ErrorCode::InvalidArgument, "it has no row");
  const auto varies = [](const Parameter& parameter) { return parameter.values.size() > 1; };
  if (!keep_constants && std::ranges::any_of(parameters_, varies))
    std::erase_if(parameters_, [&](const Parameter& parameter) { return !varies(parameter); });
  std::vector<LoggedKnob> logged;
  for (Parameter& parameter : parameters_) {
    LoggedKnob& knob = logged.emplace_back(parameter.name, ChoiceKind::Other);
    std::vector<std::uint32_t> choice_of;
    for (space::KnobValue& value : typed_values(parameter)) {
      LoggedChoice choice = plain_choice(parameter.name, std::move(value));
      TRY(check_choices({&choice, 1}));
      choice_of.push_back(knob.add(std::move(choice)));
    }
    for (std::uint32_t& row : parameter.rows) row = choice_of[row];
  }
  std::uint64_t no_numbers = 0;
  KnobsOfChoices made = TRY(knobs_of_choices(logged, {}, no_numbers));
  for (std::size_t knob = 0; knob < parameters_.size(); ++knob) {
    for (std::uint32_t& row : parameters_[knob].rows) row = made.indices[knob][row];
    trials_.choices.push_back(std::move(parameters_[knob].rows));
  }
  space::SearchSpace space = TRY(space::SearchSpace::make(std::move(made.knobs)));
  ImportedTrials part{.header = std::move(header), .space = std::move(space), .trials = {}};
  part.columns = std::move(columns_);
  part.compact = std::make_shared<const CompactTrials>(std::move(trials_));
  return part;
}

}  // namespace kernelscape::exchange
