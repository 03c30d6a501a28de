#include "core/session/stored_limits.h"

#include <set>
#include <string>
#include <utility>

#include "core/schedule/template.h"
#include "core/trial/measure_options.h"

namespace kernelscape::session {
namespace {

/** Each constraint as text, with its reason. */
std::set<std::pair<std::string, std::string>> texts_of(const space::ConstraintSystem& system) {
  std::set<std::pair<std::string, std::string>> texts;
  for (std::size_t i = 0; i < system.constraints().size(); ++i)
    texts.emplace(system.describe(i), system.constraints()[i].reason);
  return texts;
}

}  // namespace

Result<space::ConstraintSystem> limits_of_target(const store::SessionRecord& record, const task::Task& task,
                                                 const schedule::TargetDescription& target,
                                                 const space::SearchSpace& space) {
  if (record.template_name.empty())
    return fail(ErrorCode::NotFound, "the space was not made by a template of this program");
  const schedule::ScheduledKernel kernel = TRY(schedule::apply_template(task, target, record.template_name));
  if (kernel.template_version() != record.template_version || kernel.space().knobs() != space.knobs())
    return fail(ErrorCode::NotFound, "the template " + record.template_name + " has changed");
  return kernel.limits();
}

std::optional<space::ConstraintSystem> stored_limits(const store::SessionRecord& record,
                                                     const task::Task& task,
                                                     const schedule::TargetDescription& target,
                                                     const space::SearchSpace& space) {
  const Result<trial::MeasureOptions> options = trial::stored_measure_options(record.options_json);
  if (options && options->beyond_limits) return std::nullopt;
  Result<space::ConstraintSystem> limits = limits_of_target(record, task, target, space);
  if (!limits) return std::nullopt;
  const auto own = texts_of(space.constraints());
  for (const auto& limit : texts_of(*limits))
    if (!own.contains(limit)) return *std::move(limits);
  return std::nullopt;
}

}  // namespace kernelscape::session
