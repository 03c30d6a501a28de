#include "core/trial/baselines.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

namespace kernelscape::trial {
namespace {

using nlohmann::json;

std::string text_of(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/** Reads samples. Samples that are not positive numbers are dropped, because they cannot have been stored. */
std::vector<double> samples_of(const json& object) {
  std::vector<double> samples;
  const auto found = object.find("samples_seconds");
  if (found == object.end() || !found->is_array()) return samples;
  for (const json& sample : *found) {
    if (sample.is_number() && std::isfinite(sample.get<double>()) && sample.get<double>() > 0) {
      samples.push_back(sample.get<double>());
    }
  }
  return samples;
}

std::optional<space::Configuration> configuration_of(const json& object) {
  const auto found = object.find("configuration");
  if (found == object.end() || !found->is_array()) return std::nullopt;
  space::Configuration configuration;
  for (const json& index : *found) {
    if (!index.is_number_unsigned() || index.get<std::uint64_t>() > UINT32_MAX) return std::nullopt;
    configuration.indices.push_back(index.get<std::uint32_t>());
  }
  return configuration;
}

/** Reads the candidates of a choice. An entry without a name cannot have been stored. */
std::vector<VendorCandidate> candidates_of(const json& object) {
  std::vector<VendorCandidate> candidates;
  const auto found = object.find("candidates");
  if (found == object.end() || !found->is_array()) return candidates;
  for (const json& entry : *found) {
    if (!entry.is_object() || text_of(entry, "name").empty()) continue;
    candidates.push_back({.name = text_of(entry, "name"),
                          .algorithm = text_of(entry, "algorithm"),
                          .implementation = text_of(entry, "implementation"),
                          .samples_seconds = samples_of(entry),
                          .reason = text_of(entry, "reason")});
  }
  return candidates;
}

json candidate_object(const VendorCandidate& candidate) {
  return {{"name", candidate.name},
          {"algorithm", candidate.algorithm},
          {"implementation", candidate.implementation},
          {"samples_seconds", candidate.samples_seconds},
          {"reason", candidate.reason}};
}

VendorResult vendor_of(const json& object) {
  VendorResult vendor;
  vendor.name = text_of(object, "name");
  vendor.implementation = text_of(object, "implementation");
  vendor.layouts = text_of(object, "layouts");
  vendor.samples_seconds = samples_of(object);
  const auto worst_error = object.find("worst_error");
  if (worst_error != object.end() && worst_error->is_number())
    vendor.worst_error = worst_error->get<double>();
  vendor.reason = text_of(object, "reason");
  vendor.algorithm = text_of(object, "algorithm");
  vendor.candidates = candidates_of(object);
  return vendor;
}

double positive_of(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return 0;
  const double value = found->get<double>();
  return std::isfinite(value) && value > 0 ? value : 0;
}

MachineLimits limits_of(const json& object) {
  return {positive_of(object, "peak_gflops"), positive_of(object, "bandwidth_bytes_per_second"),
          positive_of(object, "working_set_bytes"), positive_of(object, "byte_peak_gflops")};
}

bool is_true(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

json speed_object(const ConfirmationSpeed& speed) {
  json object = {{"measured_utc", speed.measured_utc},         {"compute_probe_seconds", speed.probe.compute},
                 {"memory_probe_seconds", speed.probe.memory}, {"slow", speed.slow},
                 {"peak_gflops", speed.peak_gflops},           {"byte_peak_gflops", speed.byte_peak_gflops}};
  if (speed.machine_share > 0) object["machine_share"] = speed.machine_share;
  if (speed.loaded) object["loaded"] = true;
  return object;
}

/** Reads speeds of confirmations. An entry that is not an object with a time cannot have been stored. */
std::vector<ConfirmationSpeed> confirmation_speeds_of(const json& object) {
  std::vector<ConfirmationSpeed> speeds;
  const auto found = object.find("confirmation_speeds");
  if (found == object.end() || !found->is_array()) return speeds;
  for (const json& entry : *found) {
    if (!entry.is_object() || text_of(entry, "measured_utc").empty()) continue;
    speeds.push_back(
        {.measured_utc = text_of(entry, "measured_utc"),
         .probe = {positive_of(entry, "compute_probe_seconds"), positive_of(entry, "memory_probe_seconds")},
         .slow = is_true(entry, "slow"),
         .peak_gflops = positive_of(entry, "peak_gflops"),
         .byte_peak_gflops = positive_of(entry, "byte_peak_gflops"),
         .machine_share = positive_of(entry, "machine_share"),
         .loaded = is_true(entry, "loaded")});
  }
  return speeds;
}

json best_object(const StoredMeasuredBest& best) {
  return {{"trials", best.trials},
          {"trial", best.trial},
          {"row", best.row},
          {"slow_phase", best.machine.slow_phase},
          {"correction", best.machine.correction},
          {"correction_error", best.machine.correction_error},
          {"compute_speed", best.machine.speed.compute},
          {"memory_speed", best.machine.speed.memory},
          {"usual_compute_probe_seconds", best.usual.compute},
          {"usual_memory_probe_seconds", best.usual.memory}};
}

/** Returns nullopt for an object that cannot have been stored. */
std::optional<StoredMeasuredBest> best_of(const json& object) {
  const auto number = [&](const char* name) -> std::int64_t {
    const auto found = object.find(name);
    return found != object.end() && found->is_number_integer() ? found->get<std::int64_t>() : -1;
  };
  const StoredMeasuredBest best{
      .trials = number("trials"),
      .trial = number("trial"),
      .row = number("row"),
      .machine = {.speed = {positive_of(object, "compute_speed"), positive_of(object, "memory_speed")},
                  .slow_phase = is_true(object, "slow_phase"),
                  .correction = positive_of(object, "correction"),
                  .correction_error = positive_of(object, "correction_error")},
      .usual = {positive_of(object, "usual_compute_probe_seconds"),
                positive_of(object, "usual_memory_probe_seconds")}};
  const bool sound = best.trial >= 0 && best.row >= 0 && best.row < best.trials &&
                     best.machine.correction > 0 && best.machine.correction <= 1 && best.usual.known();
  return sound ? std::optional(best) : std::nullopt;
}

}  // namespace

MachineLimits larger_limits(const MachineLimits& known, const MachineLimits& other) {
  MachineLimits limits = known;
  if (known == MachineLimits()) limits.working_set_bytes = other.working_set_bytes;
  limits.peak_gflops = std::max(known.peak_gflops, other.peak_gflops);
  limits.byte_peak_gflops = std::max(known.byte_peak_gflops, other.byte_peak_gflops);
  limits.bandwidth_bytes_per_second =
      std::max(known.bandwidth_bytes_per_second, other.bandwidth_bytes_per_second);
  return limits;
}

std::string baselines_to_json(const Baselines& baselines) {
  const VendorResult& vendor = baselines.vendor;
  json object = {{"vendor",
                  {{"name", vendor.name},
                   {"implementation", vendor.implementation},
                   {"layouts", vendor.layouts},
                   {"samples_seconds", vendor.samples_seconds},
                   {"worst_error", vendor.worst_error},
                   {"reason", vendor.reason}}},
                 {"first_valid_reason", baselines.first_valid_reason}};
  if (!baselines.vendor_since_utc.empty()) object["vendor_since_utc"] = baselines.vendor_since_utc;
  if (!vendor.algorithm.empty()) object["vendor"]["algorithm"] = vendor.algorithm;
  for (const VendorCandidate& candidate : vendor.candidates)
    object["vendor"]["candidates"].push_back(candidate_object(candidate));
  if (baselines.first_valid) {
    object["first_valid"] = {{"configuration", baselines.first_valid->configuration.indices},
                             {"samples_seconds", baselines.first_valid->samples_seconds}};
  }
  if (baselines.limits.peak_gflops > 0) {
    object["limits"] = {{"peak_gflops", baselines.limits.peak_gflops},
                        {"bandwidth_bytes_per_second", baselines.limits.bandwidth_bytes_per_second},
                        {"working_set_bytes", baselines.limits.working_set_bytes}};
    if (baselines.limits.byte_peak_gflops > 0)
      object["limits"]["byte_peak_gflops"] = baselines.limits.byte_peak_gflops;
  }
  if (!baselines.confirmation_speeds.empty()) {
    json speeds = json::array();
    for (const ConfirmationSpeed& speed : baselines.confirmation_speeds)
      speeds.push_back(speed_object(speed));
    object["confirmation_speeds"] = std::move(speeds);
  }
  if (baselines.measured_best) object["measured_best"] = best_object(*baselines.measured_best);
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<Baselines> baselines_from_json(std::string_view text) {
  Baselines baselines;
  if (text.empty()) return baselines;
  const json object = json::parse(text, nullptr, false);
  if (!object.is_object()) {
    return fail(ErrorCode::Corrupt, "the session's stored baselines are damaged",
                "measure them again with `resume`");
  }
  baselines.first_valid_reason = text_of(object, "first_valid_reason");
  baselines.vendor_since_utc = text_of(object, "vendor_since_utc");
  if (const auto vendor = object.find("vendor"); vendor != object.end() && vendor->is_object()) {
    baselines.vendor = vendor_of(*vendor);
  }
  if (const auto first = object.find("first_valid"); first != object.end() && first->is_object()) {
    if (const auto configuration = configuration_of(*first)) {
      baselines.first_valid = {.configuration = *configuration, .samples_seconds = samples_of(*first)};
    }
  }
  if (const auto limits = object.find("limits"); limits != object.end() && limits->is_object()) {
    baselines.limits = limits_of(*limits);
  }
  baselines.confirmation_speeds = confirmation_speeds_of(object);
  if (const auto best = object.find("measured_best"); best != object.end() && best->is_object())
    baselines.measured_best = best_of(*best);
  return baselines;
}

}  // namespace kernelscape::trial
