#include "core/session/usual_speed.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <vector>

namespace kernelscape::session {
namespace {

/** Times of different versions of the probe are never compared. */
std::string readings_kind() { return fmt::format("speed readings {}", trial::probe_version); }

Result<std::vector<trial::MachineReading>> stored_readings(const store::Store& store,
                                                           const std::string& machine) {
  // Damaged readings are no reason to refuse a new session, which takes its own.
  const Result<std::optional<std::string>> stored = store.machines().measure(machine, readings_kind());
  if (stored && *stored) {
    std::vector<trial::MachineReading> readings = trial::machine_readings_from_json(**stored);
    if (!readings.empty()) return readings;
  }
  // Sessions of earlier versions stored the usual times only.
  const std::optional<trial::ProbeSeconds> usual = TRY(store.machines().usual_probe(machine));
  if (!usual) return std::vector<trial::MachineReading>();
  return std::vector{trial::MachineReading{.probe = *usual}};
}

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

Result<trial::UsualSpeed> stored_usual_speed(const store::Store& store, const std::string& machine) {
  return trial::usual_speed(TRY(stored_readings(store, machine)));
}

Result<trial::UsualSpeed> learn_usual_speed(store::Store& store, const std::string& machine,
                                            const trial::ProbeSeconds& probe, bool loaded) {
  std::vector<trial::MachineReading> readings = TRY(stored_readings(store, machine));
  trial::add_reading(readings, {.taken_seconds = seconds_since_1970(), .probe = probe, .loaded = loaded});
  TRY(store.machines().save_measure(machine, readings_kind(), trial::machine_readings_to_json(readings)));
  return trial::usual_speed(readings);
}

}  // namespace kernelscape::session
