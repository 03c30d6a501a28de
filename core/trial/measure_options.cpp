#include "core/trial/measure_options.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/base/text.h"

namespace kernelscape::trial {
namespace {

using nlohmann::json;

constexpr std::array performances{AdaptivePerformance::Cumulative, AdaptivePerformance::MicroBatch};
constexpr std::array batch_clocks{BatchClock::Batches, BatchClock::Waves};
constexpr auto clock_name = "clock";
constexpr auto performance_name = "adaptive_performance";
constexpr auto build_only_name = "build_only";
constexpr auto calls_name = "calls_per_sample";
constexpr auto beyond_limits_name = "beyond_limits";
constexpr auto replay_samples_name = "replay_samples";
constexpr auto patience_name = "slow_phase_patience_seconds";
constexpr double max_patience_seconds = 86'400;

/** Visits the name and member of every stored number and boolean. */
template <typename Options, typename Visitor>
void visit_options(Options& options, Visitor visit) {
  visit("threads", options.threads);
  visit("builders", options.builders);
  visit("warmups", options.warmups);
  visit("repeats", options.repeats);
  visit("min_repeat_seconds", options.min_repeat_seconds);
  visit(calls_name, options.calls_per_sample);
  visit("build_timeout_seconds", options.build_timeout_seconds);
  visit("run_timeout_seconds", options.run_timeout_seconds);
  visit("give_up_factor", options.give_up_factor);
  visit(patience_name, options.slow_phase_patience_seconds);
  visit("flush_caches", options.flush_caches);
  visit(build_only_name, options.build_only);
  visit(beyond_limits_name, options.beyond_limits);
  visit("input_seed", options.input_seed);
  visit("memory_limit_bytes", options.memory_limit_bytes);
  visit("adaptive_batch", options.adaptive_batch);
  visit("adaptive_threshold", options.adaptive_threshold);
  visit("adaptive_minimum", options.adaptive_minimum);
  visit(replay_samples_name, options.replay_samples);
}

/** Assigns a JSON value to a member. Returns false if the value does not fit. */
template <typename T>
bool assign(const json& value, T& member) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!value.is_boolean()) return false;
    member = value.get<bool>();
  } else if constexpr (std::is_floating_point_v<T>) {
    if (!value.is_number()) return false;
    member = value.get<T>();
    return std::isfinite(member);
  } else if constexpr (std::is_unsigned_v<T>) {
    if (!value.is_number_unsigned()) return false;
    member = value.get<T>();
  } else {
    if (!value.is_number_integer()) return false;
    const auto wide = value.get<std::int64_t>();
    if (wide < std::numeric_limits<T>::min() || wide > std::numeric_limits<T>::max()) return false;
    member = static_cast<T>(wide);
  }
  return true;
}

/** Reads the text under `name` with its parser; a missing text leaves the member unchanged. */
template <typename T>
Status read_text(const json& object, const char* name, Result<T> (*parse)(std::string_view), T& member) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  if (!found->is_string())
    return fail(ErrorCode::Corrupt, fmt::format("measuring option {} is not a text", name));
  member = TRY(parse(found->get_ref<const std::string&>()));
  return {};
}

/** Returns all members except the search time and the clock. */
json all_members(const MeasureOptions& options) {
  json object = json::object();
  visit_options(options, [&](const char* name, const auto& value) { object[name] = value; });
  object[performance_name] = to_string(options.adaptive_performance);
  return object;
}

std::unexpected<Error> out_of_range(const char* name, const char* range) {
  return fail(ErrorCode::InvalidArgument, fmt::format("measuring option {} is out of range", name),
              fmt::format("it must be {}", range));
}

/** Checks the range of each option. */
Status check_ranges(const MeasureOptions& options) {
  const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
  if (options.threads < 0 || options.threads > 4096) return out_of_range("threads", "0 (all cores) to 4096");
  if (options.builders < 0 || options.builders > 4096)
    return out_of_range("builders", "0 (all cores) to 4096");
  if (options.warmups < 0 || options.warmups > 1000) return out_of_range("warmups", "0 to 1000");
  if (options.repeats < 1 || options.repeats > max_repeats) return out_of_range("repeats", "1 to 100000");
  if (!(options.min_repeat_seconds >= 0 && options.min_repeat_seconds <= 60))
    return out_of_range("min_repeat_seconds", "0 to 60");
  if (options.calls_per_sample < 0 || options.calls_per_sample > max_calls_per_sample)
    return out_of_range(calls_name, "0 (as many as fill a repeat) to 1000000");
  if (!positive(options.build_timeout_seconds)) return out_of_range("build_timeout_seconds", "above 0");
  if (!positive(options.run_timeout_seconds)) return out_of_range("run_timeout_seconds", "above 0");
  if (!(options.give_up_factor == 0 ||
        (options.give_up_factor >= 1 && std::isfinite(options.give_up_factor))))
    return out_of_range("give_up_factor", "0 (never) or at least 1");
  if (!(options.slow_phase_patience_seconds >= 0 &&
        options.slow_phase_patience_seconds <= max_patience_seconds))
    return out_of_range(patience_name, "0 (never wait) to 86400");
  if (options.adaptive_batch < 0) return out_of_range("adaptive_batch", "0 (off) or more");
  if (!positive(options.adaptive_threshold)) return out_of_range("adaptive_threshold", "above 0");
  if (options.adaptive_minimum < 2) return out_of_range("adaptive_minimum", "at least 2");
  return {};
}

/** Checks that micro-batches are whole samples, and that samples remain after the required micro-batches. */
Status check_adaptive(const MeasureOptions& options) {
  if (!options.adaptive()) return {};
  if (options.calls_per_sample > 1 && options.adaptive_batch % options.calls_per_sample != 0) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("a micro-batch of {} calls (adaptive_batch) does not end with a sample: each has "
                            "{} calls",
                            options.adaptive_batch, options.calls_per_sample),
                fmt::format("choose a multiple of {}", options.calls_per_sample));
  }
  const int batch = options.micro_batch_samples();
  const std::int64_t needed = std::int64_t{batch} * options.adaptive_minimum;
  if (needed < options.repeats) return {};
  const int largest =
      (options.repeats - 1) / options.adaptive_minimum * std::max(1, options.calls_per_sample);
  const std::string smaller = largest > 0
                                  ? fmt::format("a micro-batch (adaptive_batch) of at most {}", largest)
                                  : fmt::format("fewer micro-batches than {}", options.adaptive_minimum);
  return fail(ErrorCode::InvalidArgument,
              fmt::format("the adaptive evaluator can never end a trial early: it decides after {} "
                          "micro-batches of {} samples, and a trial has {} samples",
                          options.adaptive_minimum, batch, options.repeats),
              fmt::format("choose more than {} samples (repeats), or {}", needed, smaller));
}

}  // namespace

std::string_view to_string(AdaptivePerformance performance) {
  return performance == AdaptivePerformance::Cumulative ? "cumulative" : "micro-batch";
}

Result<AdaptivePerformance> parse_adaptive_performance(std::string_view text) {
  std::vector<std::string> known;
  for (const AdaptivePerformance performance : performances) {
    if (to_string(performance) == text) return performance;
    known.emplace_back(to_string(performance));
  }
  return fail(ErrorCode::InvalidArgument,
              fmt::format("\"{}\" is not a performance that the adaptive evaluator can check", text),
              base::suggest(text, known));
}

std::string_view to_string(BatchClock clock) { return clock == BatchClock::Waves ? "waves" : "batches"; }

Result<BatchClock> parse_batch_clock(std::string_view text) {
  std::vector<std::string> known;
  for (const BatchClock clock : batch_clocks) {
    if (to_string(clock) == text) return clock;
    known.emplace_back(to_string(clock));
  }
  return fail(ErrorCode::InvalidArgument, fmt::format("\"{}\" is not a batch clock", text),
              base::suggest(text, known));
}

Status check_measure_options(const MeasureOptions& options) {
  TRY(check_ranges(options));
  if (options.build_only && options.adaptive()) {
    return fail(ErrorCode::InvalidArgument,
                "the adaptive evaluator ends repeats, but with build_only kernels are never run",
                "turn it off (adaptive_batch=0), or let kernels run (build_only=false)");
  }
  if (options.flush_caches && options.calls_per_sample > 1) {
    return fail(ErrorCode::InvalidArgument,
                fmt::format("caches are flushed before a sample, but only the first of its {} calls would "
                            "have flushed caches",
                            options.calls_per_sample),
                "use one call per sample (calls_per_sample=1), or do not flush (flush_caches=false)");
  }
  return check_adaptive(options);
}

std::string measure_options_to_json(const MeasureOptions& options) {
  json object = all_members(options);
  // Options that earlier sessions do not have are stored only if they are used, so that those sessions stay
  // comparable.
  if (!options.build_only) object.erase(build_only_name);
  if (!options.beyond_limits) object.erase(beyond_limits_name);
  if (options.calls_per_sample == 0) object.erase(calls_name);
  if (!options.replay_samples) object.erase(replay_samples_name);
  if (options.slow_phase_patience_seconds == MeasureOptions().slow_phase_patience_seconds)
    object.erase(patience_name);
  if (options.adaptive_performance == AdaptivePerformance::Cumulative) object.erase(performance_name);
  if (options.clock != BatchClock::Batches) object[clock_name] = to_string(options.clock);
  if (options.search_time != SearchTime{}) object["search_time"] = to_string(options.search_time);
  return object.dump();
}

Result<MeasureOptions> measure_options_from_json(std::string_view text, const MeasureOptions& base) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return fail(ErrorCode::Corrupt, "measuring options are not a JSON object");
  MeasureOptions options = base;
  std::string wrong;
  visit_options(options, [&](const char* name, auto& member) {
    const auto found = object.find(name);
    if (found != object.end() && wrong.empty() && !assign(*found, member)) wrong = name;
  });
  if (!wrong.empty()) {
    return fail(ErrorCode::Corrupt, fmt::format("measuring option {} has a value of the wrong type", wrong));
  }
  TRY(read_text(object, performance_name, parse_adaptive_performance, options.adaptive_performance));
  TRY(read_text(object, "search_time", parse_search_time, options.search_time));
  TRY(read_text(object, clock_name, parse_batch_clock, options.clock));
  TRY(check_ranges(options));
  return options;
}

Result<MeasureOptions> stored_measure_options(std::string_view text) {
  return measure_options_from_json(text, {.clock = BatchClock::Batches});
}

std::vector<std::string> measure_option_names() {
  std::vector<std::string> names;
  const json members = all_members({});
  for (const auto& [name, value] : members.items()) names.push_back(name);
  return names;
}

std::string measure_option_differences(const MeasureOptions& options, const MeasureOptions& base) {
  json members = all_members(options);
  const json usual = all_members(base);
  for (const auto& [name, value] : usual.items()) {
    if (members.at(name) == value) members.erase(name);
  }
  return members.dump();
}

}  // namespace kernelscape::trial
