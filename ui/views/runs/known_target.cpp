#include "ui/views/runs/known_target.h"

#include <cstdlib>
#include <map>
#include <mutex>

#include "core/measure/cpu/cpu_target.h"
#include "core/session/targets.h"

namespace kernelscape::views {
namespace {

/**
 * Returns the CPU target. Probing the compiler compiles a program, so it is done once per compiler that the
 * environment names.
 */
Result<schedule::TargetDescription> known_cpu() {
  static std::mutex mutex;
  static std::map<std::string, schedule::TargetDescription> known;
  const char* compiler = std::getenv("CC");
  const std::string key = compiler != nullptr ? compiler : "";
  const std::scoped_lock lock(mutex);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  Result<schedule::TargetDescription> target = measure::describe_cpu_target(measure::CompilerNeed::Required);
  if (target) known.emplace(key, *target);
  return target;
}

}  // namespace

Result<schedule::TargetDescription> known_target(const std::string& name, const std::string& architecture,
                                                 const workspace::DeviceSurvey* devices) {
  if (name == "cpu") return known_cpu();
  const bool of_device = architecture.empty() && devices != nullptr;
  const workspace::FoundDevice* found = of_device ? devices->find(name) : nullptr;
  if (found != nullptr) return found->target;
  return session::resolve_target(name, measure::CompilerNeed::Required, architecture);
}

}  // namespace kernelscape::views
