#include "core/exchange/formats/logged_results.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/visible_text.h"
#include "core/exchange/import_json.h"
#include "core/exchange/validation_values.h"
#include "core/trial/measure_options.h"

namespace kernelscape::exchange {
namespace {

constexpr std::size_t max_columns = 256;

constexpr std::array<std::string_view, 9> kernel_tuner_members{
    "time",           "times",         "compile_time", "verification_time", "benchmark_time",
    "framework_time", "strategy_time", "timestamp",    "__error__"};

/** Removes digits from the beginning of the text and returns their number. */
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int number = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    number = number * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return number;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

/** Returns ".502007" as seconds; 0 if there is none. */
double take_fraction(std::string_view& text) {
  if (!take(text, '.')) return 0;
  double value = 0;
  double unit = 0.1;
  for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1), unit /= 10)
    value += unit * (text.front() - '0');
  return value;
}

/** Returns "+01:00" as seconds. */
std::optional<double> take_zone(std::string_view& text) {
  if (text.empty() || take(text, 'Z')) return 0;
  const bool east = text.starts_with('+');
  if (!take(text, '+') && !take(text, '-')) return std::nullopt;
  const auto hours = take_number(text, 2);
  take(text, ':');
  const auto minutes = take_number(text, 2);
  if (!hours || !minutes) return std::nullopt;
  const double seconds = *hours * 3600.0 + *minutes * 60.0;
  return east ? seconds : -seconds;
}

struct CalendarTime {
  std::chrono::sys_seconds whole;
  int microseconds;
};

/** Returns nullopt after the year 2261: fmt counts nanoseconds in 64 bits. */
std::optional<CalendarTime> calendar_time(double seconds) {
  constexpr double last_second = 9'223'372'036;
  if (!(seconds >= 0 && seconds <= last_second)) return std::nullopt;
  const auto whole = static_cast<std::int64_t>(seconds);
  const auto rest = static_cast<int>((seconds - static_cast<double>(whole)) * 1e6);
  return CalendarTime{std::chrono::sys_seconds(std::chrono::seconds(whole)), rest};
}

}  // namespace

trial::ErrorCategory kernel_tuner_category(std::string_view name, bool on_gpu) {
  if (name == "InvalidConfig") return trial::ErrorCategory::InstantiationError;
  if (name == "CompilationFailedConfig")
    return on_gpu ? trial::ErrorCategory::CompileDevice : trial::ErrorCategory::CompileHost;
  if (name == "RuntimeFailedConfig") return trial::ErrorCategory::RuntimeDevice;
  return trial::ErrorCategory::UnknownError;
}

std::string_view kernel_tuner_name(trial::ErrorCategory category) {
  switch (category) {
    case trial::ErrorCategory::InstantiationError:
      return "InvalidConfig";
    case trial::ErrorCategory::CompileHost:
    case trial::ErrorCategory::CompileDevice:
    case trial::ErrorCategory::BuildTimeout:
      return "CompilationFailedConfig";
    case trial::ErrorCategory::NoError:
    case trial::ErrorCategory::RuntimeDevice:
    case trial::ErrorCategory::WrongAnswer:
    case trial::ErrorCategory::RunTimeout:
    case trial::ErrorCategory::UnknownError:
      break;
  }
  return "RuntimeFailedConfig";
}

bool is_kernel_tuner_member(std::string_view name) {
  return std::ranges::find(kernel_tuner_members, name) != kernel_tuner_members.end();
}

std::optional<double> timestamp_seconds(std::string_view text) {
  const auto year = take_number(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_number(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_number(text, 2);
  if (!day || (!take(text, ' ') && !take(text, 'T'))) return std::nullopt;
  const auto hour = take_number(text, 2);
  if (!hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute || !take(text, ':')) return std::nullopt;
  const auto second = take_number(text, 2);
  if (!second) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const double fraction = take_fraction(text);
  const auto zone = take_zone(text);
  if (!zone || !text.empty()) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return static_cast<double>(days) * 86400.0 + *hour * 3600.0 + *minute * 60.0 + *second + fraction - *zone;
}

std::string logged_utc_text(double seconds) {
  const auto time = calendar_time(seconds);
  return time ? fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", time->whole) : std::string();
}

std::string timestamp_text(double seconds) {
  const auto time = calendar_time(seconds);
  return time ? fmt::format("{:%Y-%m-%d %H:%M:%S}.{:06}+00:00", time->whole, time->microseconds)
              : std::string();
}

trial::RecordingHeader logged_header(const task::Task& task, const schedule::TargetDescription& target,
                                     std::string origin) {
  trial::RecordingHeader header;
  header.name = task.name;
  header.origin = std::move(origin);
  header.task_json = task::task_to_json(task);
  header.target_name = target.name;
  header.target_json = schedule::target_to_json(target);
  header.options_json = trial::measure_options_to_json({});
  return header;
}

Result<double> logged_seconds(const space::Json& object, std::string_view member, double units_per_second) {
  const space::Json* found = space::member_of(object, member);
  if (!found || found->is_null()) return 0;
  const double value = found->is_number() ? found->get<double>() / units_per_second : no_logged_value;
  if (std::isfinite(value) && value >= 0) return value;
  return fail(ErrorCode::InvalidArgument, fmt::format("its {} {} is not a time", member, shown_json(*found)));
}

Status check_measurement(const trial::Measurement& measurement, double flops) {
  const std::optional<ImpossibleMember> wrong = impossible_measurement(measurement, flops);
  if (!wrong) return {};
  return fail(ErrorCode::InvalidArgument, fmt::format("{} is impossible, {}", wrong->member, wrong->reason),
              "remove the entry from the file, or correct its times");
}

bool names_gpu(std::string_view device) {
  const auto names = [&](std::string_view word) { return device.contains(word); };
  return !device.empty() && !names("CPU") && !names("Xeon") && !names("EPYC") && !names("Core(TM)");
}

std::string logged_target_json(std::string_view device, std::string& target_name) {
  schedule::TargetDescription target =
      names_gpu(device) ? schedule::default_cuda_target() : schedule::TargetDescription{};
  target.isa.clear();
  target.device = device;
  target_name = target.name;
  return schedule::target_to_json(target);
}

Status append_logged_seconds(const space::Json& list, double units_per_second, std::vector<double>& seconds) {
  if (list.is_array()) {
    for (const space::Json& item : list) TRY(append_logged_seconds(item, units_per_second, seconds));
    return {};
  }
  const double value = list.is_number() ? list.get<double>() / units_per_second : no_logged_value;
  if (!std::isfinite(value) || value < 0)
    return fail(ErrorCode::InvalidArgument, fmt::format("{} is not a time", shown_json(list)));
  seconds.push_back(value);
  return {};
}

LoggedResults::LoggedResults(const std::vector<std::string>& parameters) {
  for (const std::string& name : parameters) parameters_.emplace_back(name, ChoiceKind::Other);
}

Status LoggedResults::add(ImportText& file, std::vector<LoggedChoice> choices, trial::Measurement measurement,
                          std::optional<double> timestamp, const std::vector<NamedNumber>& columns) {
  // A file may have only a value without samples.
  if (measurement.valid() && measurement.samples_seconds.empty())
    measurement.samples_seconds = {measurement.recorded_seconds};
  if (!measurement.valid()) {
    measurement.samples_seconds.clear();
    measurement.recorded_seconds = 0;
  }
  TRY(check_choices(choices));
  TRY(check_measurement(measurement));
  TRY(check_columns(columns));
  TRY(file.keep(kept_trial_bytes(measurement, choices.size())));
  std::vector<std::uint32_t>& indices = choices_.emplace_back();
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const std::size_t known = parameters_[i].choices().size();
    indices.push_back(parameters_[i].add(std::move(choices[i])));
    if (indices.back() == known) TRY(file.keep(kept_choice_bytes));
  }
  measurements_.push_back(std::move(measurement));
  timestamps_.push_back(timestamp.value_or(no_logged_value));
  for (const NamedNumber& number : columns) set_column(number);
  return {};
}

Status LoggedResults::check_columns(const std::vector<NamedNumber>& columns) const {
  std::size_t count = columns_.size();
  for (const NamedNumber& number : columns) {
    const std::string& name = number.name;
    if (name.empty() || !is_clean_text(number.unit, name_limits) || !is_clean_text(name, name_limits))
      return fail(ErrorCode::InvalidArgument,
                  fmt::format("{} is not a valid name of a number", base::quoted_line(name)),
                  "rename it in the whole file");
    if (std::ranges::find(columns_, name, &trial::RecordedColumn::name) != columns_.end()) continue;
    if (++count > max_columns)
      return fail(
          ErrorCode::InvalidArgument,
          fmt::format("{} would be a further column, at most {} are read", base::one_line(name), max_columns),
          "remove columns that are not measurements");
  }
  return {};
}

void LoggedResults::set_column(const NamedNumber& number) {
  if (!std::isfinite(number.value)) return;
  auto column = std::ranges::find(columns_, number.name, &trial::RecordedColumn::name);
  if (column == columns_.end()) column = columns_.insert(column, {number.name, {}, number.unit});
  column->values.resize(measurements_.size(), no_logged_value);
  column->values.back() = number.value;
}

std::vector<double> LoggedResults::finished_seconds() const {
  std::vector<double> finished;
  const auto work = [&](std::size_t trial) {
    return measurements_[trial].build_seconds + measurements_[trial].run_seconds;
  };
  const bool all_known = std::ranges::none_of(timestamps_, [](double time) { return std::isnan(time); });
  if (all_known && std::ranges::is_sorted(timestamps_)) {
    const double begin = timestamps_.front() - work(0);
    for (const double time : timestamps_) finished.push_back(time - begin);
    return finished;
  }
  double now = 0;
  for (std::size_t trial = 0; trial < size(); ++trial) finished.push_back(now += work(trial));
  return finished;
}

std::vector<trial::RecordedColumn> LoggedResults::take_columns() {
  for (trial::RecordedColumn& column : columns_) column.values.resize(size(), no_logged_value);
  return std::move(columns_);
}

Result<ImportedTrials> LoggedResults::take(trial::RecordingHeader header) {
  std::uint64_t no_tables = 0;
  KnobsOfChoices logged = TRY(knobs_of_choices(parameters_, {}, no_tables));
  std::vector<space::Configuration> configurations(size());
  for (std::size_t trial = 0; trial < size(); ++trial)
    for (std::size_t knob = 0; knob < choices_[trial].size(); ++knob)
      configurations[trial].indices.push_back(logged.indices[knob][choices_[trial][knob]]);
  space::SearchSpace space = TRY(space::SearchSpace::make_explicit(std::move(logged.knobs), configurations));
  if (const double first = timestamps_.front(); !std::isnan(first))
    header.created_utc = logged_utc_text(first);
  ImportedTrials part{.header = std::move(header), .space = std::move(space), .trials = {}};
  const std::vector<double> finished = finished_seconds();
  for (std::size_t trial = 0; trial < size(); ++trial)
    part.trials.push_back({.configuration = std::move(configurations[trial]),
                           .measurement = std::move(measurements_[trial]),
                           .finished_seconds = finished[trial]});
  part.columns = take_columns();
  return part;
}

}  // namespace kernelscape::exchange
