#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/measure/cpu_measurer.h"
#include "core/measure/measurer.h"

namespace kernelscape {
namespace {

using nlohmann::json;

/** Name and member of every option: what is stored. */
template <typename Options, typename Visitor>
void visit_options(Options& options, Visitor visit) {
  visit("threads", options.threads);
  visit("builders", options.builders);
  visit("warmups", options.warmups);
  visit("repeats", options.repeats);
  visit("min_repeat_seconds", options.min_repeat_seconds);
  visit("build_timeout_seconds", options.build_timeout_seconds);
  visit("run_timeout_seconds", options.run_timeout_seconds);
  visit("give_up_factor", options.give_up_factor);
  visit("flush_caches", options.flush_caches);
  visit("input_seed", options.input_seed);
  visit("memory_limit_bytes", options.memory_limit_bytes);
  visit("adaptive_batch", options.adaptive_batch);
  visit("adaptive_threshold", options.adaptive_threshold);
  visit("adaptive_minimum", options.adaptive_minimum);
}

/** False where the JSON value does not fit the member. */
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

}  // namespace

std::string measure_options_to_json(const MeasureOptions& options) {
  json object = json::object();
  visit_options(options, [&](const char* name, const auto& value) { object[name] = value; });
  // Only replays have it: what measured sessions have stored stays as it was.
  if (options.search_time != SearchTime{}) object["search_time"] = to_string(options.search_time);
  return object.dump();
}

Result<MeasureOptions> measure_options_from_json(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return fail(ErrorCode::Corrupt, "measuring options are not a JSON object");
  MeasureOptions options;
  std::string wrong;
  visit_options(options, [&](const char* name, auto& member) {
    const auto found = object.find(name);
    if (found != object.end() && wrong.empty() && !assign(*found, member)) wrong = name;
  });
  if (!wrong.empty()) {
    return fail(ErrorCode::Corrupt, fmt::format("measuring option {} has a value of the wrong type", wrong));
  }
  if (const auto found = object.find("search_time"); found != object.end()) {
    const Result<SearchTime> time = found->is_string()
                                        ? parse_search_time(found->get_ref<const std::string&>())
                                        : fail(ErrorCode::Corrupt, "measuring option search_time is no text");
    if (!time) return std::unexpected(time.error());
    options.search_time = *time;
  }
  if (auto good = check_measure_options(options); !good) return std::unexpected(good.error());
  return options;
}

}  // namespace kernelscape
