#include "core/session/stored_limits.h"

#include <set>
#include <string>
#include <utility>

#include "core/schedule/template.h"

namespace kernelscape {
namespace {

/** Each constraint as text, with its reason. */
std::set<std::pair<std::string, std::string>> texts_of(const ConstraintSystem& system) {
  std::set<std::pair<std::string, std::string>> texts;
  for (std::size_t i = 0; i < system.constraints().size(); ++i)
    texts.emplace(system.describe(i), system.constraints()[i].reason);
  return texts;
}

}  // namespace

std::optional<ConstraintSystem> stored_limits(const SessionRecord& record, const Task& task,
                                              const TargetDescription& target, const SearchSpace& space) {
  if (record.template_name.empty()) return std::nullopt;
  const Result<ScheduledKernel> kernel = apply_template(task, target, record.template_name);
  if (!kernel || kernel->template_version() != record.template_version) return std::nullopt;
  if (kernel->space().knobs() != space.knobs()) return std::nullopt;
  const auto own = texts_of(space.constraints());
  for (const auto& limit : texts_of(kernel->limits()))
    if (!own.contains(limit)) return kernel->limits();
  return std::nullopt;
}

}  // namespace kernelscape
