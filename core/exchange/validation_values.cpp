#include "core/exchange/validation_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/utf8.h"
#include "core/base/visible_text.h"
#include "core/exchange/formats/logged_results.h"
#include "core/project/kernel_project.h"
#include "core/schedule/target.h"
#include "core/space/knob_json.h"
#include "core/trial/baselines.h"
#include "core/trial/budget.h"
#include "core/trial/measure_options.h"

namespace kernelscape::exchange {
namespace {

constexpr std::size_t max_notices = 16;
constexpr std::size_t max_flags = 256;
constexpr std::size_t max_candidates = 64;  ///< libraries and algorithms of a vendor's result
constexpr double flops_per_gflop = 1e9;
constexpr double max_bytes_per_second = 1e18;
/** Limits of the problem that identifies a generic task, which may be long in a log. */
constexpr TextLimits problem_limits{64 << 10, false};

/** Returns the bytes of the UTF-8 character at the beginning of `text`; 0: it is not one. */
std::size_t letter_bytes(std::string_view text) {
  const base::Utf8Character character = base::first_character(text);
  return character.code == base::invalid_utf8 ? 0 : character.bytes;
}

/** Returns true for one whole character in U+0000 to U+001F or U+007F to U+009F. */
bool is_control_letter(std::string_view letter) {
  const auto byte = static_cast<unsigned char>(letter.front());
  if (letter.size() == 1) return byte < 0x20 || byte == 0x7F;
  return letter.size() == 2 && byte == 0xC2 && static_cast<unsigned char>(letter[1]) < 0xA0;
}

bool is_allowed_letter(std::string_view letter, const TextLimits& limits) {
  if (!is_control_letter(letter)) return true;
  return limits.lines && (letter == "\n" || letter == "\t");
}

/** Returns the error of another layer's reader, with the member to which it refers. */
std::unexpected<Error> in_member(std::string_view member, const Error& error, std::string hint = {}) {
  if (hint.empty()) hint = error.hint;
  return refused_value(member, error.message, std::move(hint));
}

Result<task::Task> validated_task(std::string_view json, ValidationNotices& notices) {
  Result<task::Task> read = task::task_from_json(json);
  if (!read) return in_member("task", read.error());
  task::Task task = std::move(*read);
  notices.clean(task.name, name_limits, "the task's name");
  const auto* generic = std::get_if<task::GenericProblem>(&task.definition);
  if (generic == nullptr) return task;
  task::GenericProblem problem = *generic;
  // The problem distinguishes tasks: if it were cut, two tasks could become one.
  if (problem.problem.size() > problem_limits.max_bytes)
    return refused_value("task", fmt::format("its problem has {} bytes", problem.problem.size()),
                         fmt::format("use at most {} bytes", problem_limits.max_bytes));
  notices.clean(problem.problem, problem_limits, "the task's problem");
  notices.clean(problem.objective, name_limits, "the task's objective");
  notices.clean(problem.unit, name_limits, "the task's unit");
  Result<task::Task> made = task::make_generic_task(problem, task.name);
  if (!made) return in_member("task", made.error());
  return made;
}

Result<schedule::TargetDescription> validated_target(std::string_view json, ValidationNotices& notices) {
  Result<schedule::TargetDescription> read = schedule::target_from_json(json);
  if (!read) return in_member("target", read.error());
  schedule::TargetDescription target = std::move(*read);
  if (target.flags.size() > max_flags)
    return refused_value("target", fmt::format("it has {} flags", target.flags.size()));
  if (target.extensions.size() > max_flags)
    return refused_value("target", fmt::format("it has {} extensions", target.extensions.size()));
  for (std::string& extension : target.extensions)
    notices.clean(extension, name_limits, "the target's extensions");
  // The address of the fleet has no meaning in this database.
  target.fleet.clear();
  notices.clean(target.name, name_limits, "the target's name");
  notices.clean(target.device, name_limits, "the target's device");
  notices.clean(target.isa, name_limits, "the target's isa");
  notices.clean(target.compiler, line_limits, "the target's compiler");
  notices.clean(target.compiler_version, line_limits, "the target's compiler_version");
  notices.clean(target.driver_version, name_limits, "the target's driver_version");
  for (std::string& flag : target.flags) notices.clean(flag, line_limits, "the target's flags");
  return target;
}

Status check_samples(std::string_view place, std::span<const double> samples, double flops) {
  const std::optional<ImpossibleMember> wrong = impossible_sample(samples, flops);
  return wrong ? refused_value(fmt::format("{}, {}", place, wrong->member), wrong->reason) : Status();
}

Status check_limits(const trial::MachineLimits& limits) {
  for (const double peak : {limits.peak_gflops, limits.byte_peak_gflops}) {
    if (peak > max_possible_gflops)
      return refused_value("vendor, limits", fmt::format("no machine has {} GFLOPS", peak));
  }
  if (limits.bandwidth_bytes_per_second > max_bytes_per_second)
    return refused_value("vendor, limits",
                         fmt::format("no machine reads {} B/s", limits.bandwidth_bytes_per_second));
  return {};
}

Result<std::string> validated_baselines(std::string_view json, double flops, const space::SearchSpace& space,
                                        ValidationNotices& notices) {
  if (json.empty()) return std::string();
  Result<trial::Baselines> read = trial::baselines_from_json(json);
  if (!read) return in_member("vendor", read.error(), "remove \"vendor\", or export the file again");
  trial::Baselines& baselines = *read;
  TRY(check_samples("vendor", baselines.vendor.samples_seconds, flops));
  TRY(check_limits(baselines.limits));
  notices.clean(baselines.vendor.name, name_limits, "the vendor's name");
  notices.clean(baselines.vendor.algorithm, name_limits, "the vendor's algorithm");
  notices.clean(baselines.vendor.implementation, line_limits, "the vendor's implementation");
  notices.clean(baselines.vendor.layouts, line_limits, "the vendor's layouts");
  notices.clean(baselines.vendor.reason, line_limits, "the vendor's reason");
  if (baselines.vendor.candidates.size() > max_candidates)
    return refused_value("vendor", fmt::format("it has {} candidates", baselines.vendor.candidates.size()));
  for (trial::VendorCandidate& candidate : baselines.vendor.candidates) {
    TRY(check_samples("vendor, candidates", candidate.samples_seconds, flops));
    notices.clean(candidate.name, name_limits, "the name of a vendor's candidate");
    notices.clean(candidate.algorithm, name_limits, "the algorithm of a vendor's candidate");
    notices.clean(candidate.implementation, line_limits, "the implementation of a vendor's candidate");
    notices.clean(candidate.reason, line_limits, "the reason of a vendor's candidate");
  }
  notices.clean(baselines.first_valid_reason, line_limits, "the first valid configuration's reason");
  if (baselines.first_valid) {
    TRY(check_samples("vendor, first_valid", baselines.first_valid->samples_seconds, flops));
    if (!space.contains(baselines.first_valid->configuration)) {
      notices.add("its first valid configuration is not in its space: it was omitted");
      baselines.first_valid.reset();
    }
  }
  baselines.measured_best.reset();  // of the trials of a file nothing else is believed either
  return trial::baselines_to_json(baselines);
}

std::unexpected<Error> no_text_of_a_space(std::string_view what, std::string_view text) {
  return refused_value("space",
                       fmt::format("{} {} has control characters, or more than {} bytes", what,
                                   base::quoted_line(text), name_limits.max_bytes),
                       "rename it in the original database, or in the whole file");
}

/** Checks texts that distinguish configurations: they are refused, not cleaned. */
Status check_space_texts(const space::SearchSpace& space) {
  for (const space::Knob& knob : space.knobs()) {
    if (!is_clean_text(knob.name(), name_limits)) return no_text_of_a_space("a knob's name", knob.name());
    for (const std::string& item : knob.items())
      if (!is_clean_text(item, name_limits)) return no_text_of_a_space("a knob's item", item);
    if (knob.kind() != space::KnobKind::Categorical) continue;
    for (std::uint32_t index = 0; index < knob.count(); ++index)
      if (const auto* text = std::get_if<std::string>(&knob.value(index));
          text != nullptr && !is_clean_text(*text, name_limits))
        return no_text_of_a_space("a knob's value", *text);
  }
  for (const space::Variable& variable : space.constraints().variables())
    if (!is_clean_text(variable.name, name_limits))
      return no_text_of_a_space("a variable's name", variable.name);
  for (const space::Constraint& constraint : space.constraints().constraints())
    if (!is_clean_text(constraint.reason, name_limits))
      return no_text_of_a_space("a constraint's reason", constraint.reason);
  return {};
}

/** Returns the options in stored form; another program may have none. */
Result<std::string> validated_options(std::string_view json) {
  if (json.empty()) return std::string();
  const Result<trial::MeasureOptions> options = trial::stored_measure_options(json);
  if (!options) return in_member("options", options.error());
  return trial::measure_options_to_json(*options);
}

}  // namespace

std::string impossible_call(double seconds, double flops) {
  if (std::isnan(seconds)) return "it is not a number";
  if (seconds <= 0) return fmt::format("a call cannot take {} s", seconds);
  if (seconds < shortest_call_seconds)
    return fmt::format("{} s is shorter than a clock cycle, no call takes less than {} s", seconds,
                       shortest_call_seconds);
  if (flops > seconds * max_possible_gflops * flops_per_gflop)
    return fmt::format("{} s for {} FLOP is more than {} GFLOPS, which no machine reaches", seconds, flops,
                       max_possible_gflops);
  return impossible_duration(seconds);
}

std::optional<ImpossibleMember> impossible_sample(std::span<const double> samples, double flops) {
  if (samples.size() > std::size_t{trial::max_repeats})
    return ImpossibleMember{"samples_seconds", fmt::format("there are more than {}", trial::max_repeats)};
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (std::string why = impossible_call(samples[i], flops); !why.empty())
      return ImpossibleMember{fmt::format("samples_seconds[{}]", i), std::move(why)};
  return std::nullopt;
}

std::string impossible_duration(double seconds) {
  if (std::isnan(seconds)) return "it is not a number";
  if (seconds < 0) return fmt::format("{} s is negative", seconds);
  if (seconds > longest_seconds) return fmt::format("{} s is longer than ten years", seconds);
  return {};
}

std::optional<ImpossibleMember> impossible_time(
    std::initializer_list<std::pair<std::string_view, double>> times) {
  for (const auto& [member, seconds] : times)
    if (std::string why = impossible_duration(seconds); !why.empty())
      return ImpossibleMember{std::string(member), std::move(why)};
  return std::nullopt;
}

std::optional<ImpossibleMember> impossible_measurement(const trial::Measurement& measurement, double flops) {
  if (static_cast<std::size_t>(measurement.category) >= trial::error_category_count)
    return ImpossibleMember{"category", "there is no such category"};
  const bool timed = !measurement.samples_seconds.empty() || measurement.recorded_seconds != 0;
  if (!measurement.valid() && timed) return ImpossibleMember{"category", "it failed, and has a time"};
  if (auto sample = impossible_sample(measurement.samples_seconds, flops)) return sample;
  if (measurement.recorded_seconds != 0)
    if (std::string why = impossible_call(measurement.recorded_seconds, flops); !why.empty())
      return ImpossibleMember{"its time", std::move(why)};
  if (measurement.worst_error < 0) return ImpossibleMember{"worst_error", "it is negative"};
  if (measurement.resources && !measurement.resources->plausible())
    return ImpossibleMember{"resources", "no kernel has such resources"};
  const bool clean = std::ranges::all_of(measurement.metrics, [](const trial::Metric& metric) {
    return is_clean_text(metric.name, name_limits) && is_clean_text(metric.unit, name_limits);
  });
  if (!clean || !trial::plausible_metrics(measurement.metrics))
    return ImpossibleMember{"metrics", "a name is invalid or occurs twice, or a value is not finite"};
  return impossible_time(
      {{"build_seconds", measurement.build_seconds}, {"run_seconds", measurement.run_seconds}});
}

std::string impossible_columns(const std::vector<trial::RecordedColumn>& columns) {
  if (columns.size() > trial::max_metrics)
    return fmt::format("there are {}, more than {}", columns.size(), trial::max_metrics);
  std::set<std::string_view> names;
  for (const trial::RecordedColumn& column : columns) {
    const std::string shown = base::quoted_line(column.name);
    if (column.name.empty() || !is_clean_text(column.name, name_limits))
      return fmt::format("{} is no valid name", shown);
    if (!is_clean_text(column.unit, name_limits)) return fmt::format("the unit of {} is invalid", shown);
    if (!names.insert(column.name).second) return fmt::format("{} occurs twice", shown);
  }
  return {};
}

bool is_possible_date(std::string_view text) {
  constexpr double first_second_of_2200 = 7'258'118'400;
  const std::optional<double> seconds = timestamp_seconds(text);
  return seconds && *seconds >= 0 && *seconds < first_second_of_2200;
}

bool is_clean_text(std::string_view text, const TextLimits& limits) {
  if (text.size() > limits.max_bytes) return false;
  while (!text.empty()) {
    const std::size_t bytes = letter_bytes(text);
    if (bytes == 0 || !is_allowed_letter(text.substr(0, bytes), limits)) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::string cleaned_text(std::string_view text, const TextLimits& limits) {
  std::string clean;
  while (!text.empty()) {
    const std::size_t bytes = letter_bytes(text);
    // The line end of another system counts as one.
    const bool half_line_end = limits.lines && text.starts_with("\r\n");
    const bool keep = bytes > 0 && is_allowed_letter(text.substr(0, bytes), limits);
    const std::string_view letter = half_line_end ? std::string_view() : keep ? text.substr(0, bytes) : "?";
    if (clean.size() + letter.size() > limits.max_bytes) break;
    clean += letter;
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return clean;
}

std::string kept_origin(std::string_view text) {
  constexpr std::size_t max_characters = 300;
  return base::visible_text(text, max_characters);
}

std::string origin_of_recording(const std::filesystem::path& file, const std::string& said) {
  return kept_origin("file " + file.filename().string() + (said.empty() ? "" : ", " + said));
}

void ValidationNotices::clean(std::string& text, const TextLimits& limits, std::string_view what) {
  if (is_clean_text(text, limits)) return;
  text = cleaned_text(text, limits);
  count(cleaned_, what);
}

void ValidationNotices::check_date(std::string& date, std::string_view what) {
  if (date.empty() || is_possible_date(date)) return;
  date.clear();
  count(undated_, what);
}

void ValidationNotices::count(Counts& counts, std::string_view what) {
  const auto known = std::ranges::find(counts, what, &Counts::value_type::first);
  if (known == counts.end())
    counts.emplace_back(what, 1);
  else
    ++known->second;
}

std::vector<std::string> ValidationNotices::texts() const {
  const auto listed = [](const Counts& counts) {
    std::string text;
    for (const auto& [what, times] : counts)
      text += fmt::format("{}{}{}", text.empty() ? "" : ", ", what,
                          times > 1 ? fmt::format(" ({} times)", times) : std::string());
    return text;
  };
  std::vector<std::string> notices;
  if (!cleaned_.empty())
    notices.push_back("control characters, invalid UTF-8 and excess length were removed from " +
                      listed(cleaned_));
  if (!undated_.empty()) notices.push_back("removed, because the date is impossible: " + listed(undated_));
  for (const std::string& other : others_)
    if (notices.size() < max_notices) notices.push_back(other);
  return notices;
}

std::unexpected<Error> refused_value(std::string_view place, std::string_view reason, std::string hint) {
  if (hint.empty()) hint = "export it again from the original database, or correct this part of the file";
  return fail(ErrorCode::InvalidArgument, fmt::format("{}: {}", place, reason), std::move(hint));
}

Result<ValidatedHeader> validated_header(trial::RecordingHeader header, const space::SearchSpace& space,
                                         ValidationNotices& notices) {
  ValidatedHeader validated;
  TRY(check_space_texts(space));
  validated.task = TRY(validated_task(header.task_json, notices));
  const schedule::TargetDescription target = TRY(validated_target(header.target_json, notices));
  header.options_json = TRY(validated_options(header.options_json));
  header.vendor_json = TRY(validated_baselines(header.vendor_json, validated.task.flops(), space, notices));
  header.task_json = task::task_to_json(validated.task);
  header.target_json = schedule::target_to_json(target);
  // One name for one target: the reading of trials depends on it.
  if (header.target_name != target.name) {
    notices.clean(header.target_name, name_limits, "the target's name");
    if (!header.target_name.empty() && header.target_name != target.name)
      notices.add(fmt::format("its target is named {}, but {} in its description, which is used",
                              header.target_name, target.name));
    header.target_name = target.name;
  }
  if (!is_clean_text(header.template_name, name_limits))
    return refused_value("template", "it is not a valid name of a template");
  if (!header.project_json.empty()) {
    // Reading compiles nothing; trust in the content is requested before it is compiled.
    const Result<project::KernelProject> project = project::project_from_json(header.project_json);
    if (!project) return in_member("project", project.error());
    header.project_json = project::project_to_json(*project);
  }
  if (header.template_version < 0)
    return refused_value("template_version", fmt::format("{} is negative", header.template_version));
  notices.clean(header.name, name_limits, "the session's name");
  notices.clean(header.program_version, name_limits, "the program's version");
  notices.clean(header.origin, line_limits, "the origin");
  notices.check_date(header.created_utc, "created_utc");
  validated.header = std::move(header);
  return validated;
}

Result<std::string> validated_budget(std::string_view json) {
  if (json.empty()) return trial::budget_plan_to_json(trial::make_budget_plan({.trials = 0}));
  const Result<trial::BudgetPlan> plan = trial::budget_plan_from_json(json);
  if (!plan)
    return in_member("budget", plan.error(), "write the limits as numbers of at least 0; 0 means no limit");
  return trial::budget_plan_to_json(*plan);
}

Result<std::string> validated_settings(std::string_view json, ValidationNotices& notices) {
  if (json.empty()) return std::string("{}");
  const space::Json read = space::parse_json(json);
  if (!read.is_object()) return refused_value("settings", "they are not a JSON object");
  space::Json settings = space::Json::object();
  for (const auto& [name, value] : read.items()) {
    if (!is_clean_text(name, name_limits)) return refused_value("settings", "one of their names is invalid");
    if (!value.is_number() && !value.is_boolean() && !value.is_string())
      return refused_value(fmt::format("settings, {}", name), "it is not a number, boolean or text");
    settings[name] = value;
    if (!value.is_string()) continue;
    std::string text = value.get<std::string>();
    notices.clean(text, line_limits, "the settings");
    settings[name] = std::move(text);
  }
  return space::to_text(settings);
}

}  // namespace kernelscape::exchange
