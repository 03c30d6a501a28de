#include "core/trial/usual_speed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace kernelscape::trial {
namespace {

using nlohmann::json;

constexpr std::size_t max_readings = 20;  ///< days with load, and as many without
constexpr double min_gain = 1.05;         ///< a machine is faster than known by at least this factor
constexpr std::size_t relearned_readings = 5;
constexpr double relearned_spread = 1.1;
constexpr double day_seconds = 86'400;

bool is_valid(double value) { return std::isfinite(value) && value > 0; }

double faster(double known, double measured) {
  return known > 0 && measured * min_gain > known ? known : measured;
}

ProbeSeconds fastest(std::span<const MachineReading> readings) {
  ProbeSeconds usual;
  for (const MachineReading& reading : readings) {
    usual.compute = faster(usual.compute, reading.probe.compute);
    usual.memory = faster(usual.memory, reading.probe.memory);
  }
  return usual;
}

/** Returns true if the readings show one speed that lasted. */
bool is_lasting(std::span<const MachineReading> readings) {
  if (readings.size() < relearned_readings || readings.front().taken_seconds <= 0) return false;
  const auto agree = [&](double ProbeSeconds::* part) {
    const auto [least, most] =
        std::ranges::minmax(readings, {}, [&](const MachineReading& reading) { return reading.probe.*part; });
    return most.probe.*part <= relearned_spread * (least.probe.*part);
  };
  return agree(&ProbeSeconds::compute) && agree(&ProbeSeconds::memory);
}

std::vector<MachineReading> readings_with(std::span<const MachineReading> readings, bool loaded) {
  std::vector<MachineReading> found;
  for (const MachineReading& reading : readings)
    if (reading.loaded == loaded) found.push_back(reading);
  if (found.size() > max_readings) found.erase(found.begin(), found.end() - max_readings);
  return found;
}

}  // namespace

UsualSpeed usual_speed(std::span<const MachineReading> readings) {
  const std::vector<MachineReading> quiet = readings_with(readings, false);
  if (quiet.empty()) {
    const ProbeSeconds seconds = fastest(readings_with(readings, true));
    return {.seconds = seconds, .loaded = seconds.known()};
  }
  const std::span<const MachineReading> latest =
      std::span(quiet).last(std::min(quiet.size(), relearned_readings));
  return {.seconds = fastest(is_lasting(latest) ? latest : std::span(quiet)), .loaded = false};
}

void add_reading(std::vector<MachineReading>& readings, const MachineReading& reading) {
  const auto day = [](const MachineReading& taken) { return std::floor(taken.taken_seconds / day_seconds); };
  const auto today = std::ranges::find_if(readings, [&](const MachineReading& other) {
    return other.loaded == reading.loaded && day(other) == day(reading);
  });
  if (today != readings.end()) {
    today->probe = fastest(std::array{*today, reading});
    return;
  }
  readings.push_back(reading);
  const auto same = [&](const MachineReading& other) { return other.loaded == reading.loaded; };
  if (std::ranges::count_if(readings, same) > static_cast<std::ptrdiff_t>(max_readings))
    readings.erase(std::ranges::find_if(readings, same));
}

std::string machine_readings_to_json(std::span<const MachineReading> readings) {
  json list = json::array();
  for (const MachineReading& reading : readings) {
    list.push_back({{"taken_seconds", reading.taken_seconds},
                    {"compute_probe_seconds", reading.probe.compute},
                    {"memory_probe_seconds", reading.probe.memory},
                    {"loaded", reading.loaded}});
  }
  return list.dump();
}

std::vector<MachineReading> machine_readings_from_json(std::string_view text) {
  std::vector<MachineReading> readings;
  const json list = json::parse(text, nullptr, false);
  if (!list.is_array()) return readings;
  const auto number = [](const json& object, const char* name) {
    const auto found = object.find(name);
    const double value = found != object.end() && found->is_number() ? found->get<double>() : 0;
    return is_valid(value) ? value : 0;
  };
  for (const json& object : list) {
    if (!object.is_object()) continue;
    const auto loaded = object.find("loaded");
    const MachineReading reading{
        .taken_seconds = number(object, "taken_seconds"),
        .probe = {number(object, "compute_probe_seconds"), number(object, "memory_probe_seconds")},
        .loaded = loaded != object.end() && loaded->is_boolean() && loaded->get<bool>()};
    if (reading.probe.known()) readings.push_back(reading);
  }
  return readings;
}

}  // namespace kernelscape::trial
