#include "core/trial/machine_ceilings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/numbers.h"

namespace kernelscape::trial {
namespace {

using nlohmann::json;

constexpr double max_of_any_machine = 1e18;  // bytes per second, or GFLOP/s
/** Ratio by which repeated measurements differ: smaller differences raise no doubt. */
constexpr double ceiling_tolerance = 1.05;

std::unexpected<Error> damaged_ceilings(std::string_view what) {
  return fail(ErrorCode::Corrupt, fmt::format("the machine's stored ceilings are damaged: {}", what),
              "measure them again with `kernelscape devices --ceilings`");
}

std::optional<double> ceiling_number(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return value >= 0 && value <= max_of_any_machine ? std::optional(value) : std::nullopt;
}

Result<LevelCeiling> level_ceiling_of(const json& object) {
  if (!object.is_object()) return damaged_ceilings("a level is not an object");
  const auto name = object.find("level");
  const std::string text = name != object.end() && name->is_string() ? name->get<std::string>() : "";
  const auto level = std::ranges::find_if(
      base::memory_levels, [&](base::MemoryLevel known) { return base::to_string(known) == text; });
  if (level == base::memory_levels.end()) return damaged_ceilings("a level is unknown");
  const std::optional<double> speed = ceiling_number(object, "bytes_per_second");
  if (!speed) return damaged_ceilings(fmt::format("{} has no speed", text));
  return LevelCeiling{*level, *speed, ceiling_number(object, "working_set_bytes").value_or(0)};
}

}  // namespace

std::optional<double> MachineCeilings::bytes_per_second(base::MemoryLevel level) const {
  const auto found = std::ranges::find(levels, level, &LevelCeiling::level);
  if (found == levels.end() || found->bytes_per_second <= 0) return std::nullopt;
  return found->bytes_per_second;
}

std::string bandwidth_text(double bytes_per_second) {
  constexpr double giga_bytes = 1e9;
  return base::number_text(bytes_per_second / giga_bytes) + " GB/s";
}

std::vector<std::string> doubts_about(const MachineCeilings& ceilings) {
  std::vector<std::string> doubts;
  if (ceilings.peak_gflops <= 0) doubts.emplace_back("the FMA peak could not be measured");
  const LevelCeiling* before = nullptr;
  for (const LevelCeiling& level : ceilings.levels) {
    if (level.bytes_per_second <= 0) {
      doubts.push_back(
          fmt::format("the bandwidth of {} could not be measured", base::to_string(level.level)));
      continue;
    }
    if (before != nullptr && level.bytes_per_second > ceiling_tolerance * before->bytes_per_second) {
      doubts.push_back(
          fmt::format("{} was measured faster than {} ({} and {}): other programs were running, or the "
                      "system reports other caches than the processor has; measure again on an idle machine",
                      base::to_string(level.level), base::to_string(before->level),
                      bandwidth_text(level.bytes_per_second), bandwidth_text(before->bytes_per_second)));
    }
    before = &level;
  }
  return doubts;
}

std::string machine_ceilings_to_json(const MachineCeilings& ceilings) {
  json levels = json::array();
  for (const LevelCeiling& level : ceilings.levels) {
    levels.push_back({{"level", base::to_string(level.level)},
                      {"bytes_per_second", level.bytes_per_second},
                      {"working_set_bytes", level.working_set_bytes}});
  }
  const json object = {{"peak_gflops", ceilings.peak_gflops}, {"byte_peak_gflops", ceilings.byte_peak_gflops},
                       {"threads", ceilings.threads},         {"measured_utc", ceilings.measured_utc},
                       {"levels", std::move(levels)},         {"notices", ceilings.notices}};
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<MachineCeilings> machine_ceilings_from_json(std::string_view text) {
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return damaged_ceilings("not a JSON object");
  MachineCeilings ceilings;
  const std::optional<double> peak = ceiling_number(object, "peak_gflops");
  if (!peak) return damaged_ceilings("there is no peak");
  ceilings.peak_gflops = *peak;
  ceilings.byte_peak_gflops = ceiling_number(object, "byte_peak_gflops").value_or(0);
  if (const auto threads = ceiling_number(object, "threads"); threads && *threads >= 1 && *threads <= 1e6)
    ceilings.threads = static_cast<int>(*threads);
  if (const auto when = object.find("measured_utc"); when != object.end() && when->is_string())
    ceilings.measured_utc = when->get<std::string>();
  if (const auto levels = object.find("levels"); levels != object.end() && levels->is_array()) {
    for (const json& level : *levels) ceilings.levels.push_back(TRY(level_ceiling_of(level)));
  }
  std::ranges::stable_sort(ceilings.levels, {}, &LevelCeiling::level);
  if (const auto notices = object.find("notices"); notices != object.end() && notices->is_array()) {
    for (const json& notice : *notices)
      if (notice.is_string()) ceilings.notices.push_back(notice.get<std::string>());
  }
  return ceilings;
}

}  // namespace kernelscape::trial
