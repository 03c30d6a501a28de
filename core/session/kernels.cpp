#include "core/session/kernels.h"

#include <fmt/format.h>

#include "core/kernel/project_family.h"
#include "core/session/project_preparation.h"
#include "core/trial/measure_options.h"

namespace kernelscape::session {

Result<kernel::ScheduleFamily> session_kernels(const store::SessionRecord& record) {
  const Result<schedule::TargetDescription> target = schedule::target_from_json(record.target_json);
  if (!target) {
    return fail(ErrorCode::Refused, fmt::format("session {} does not say what it was built for", record.id),
                "only sessions of this program's templates have kernels");
  }
  if (!record.project_hash.empty()) {
    return fail(
        ErrorCode::Refused,
        fmt::format("the kernels of session {} are a user's own: their loop nests are unknown", record.id),
        "choose a session of a template");
  }
  if (record.template_name.empty()) {
    return fail(
        ErrorCode::Refused,
        fmt::format("the kernels of session {} were not made by a template of this program", record.id),
        "run the task with one of its templates");
  }
  const task::Task task = TRY(task::task_from_json(record.task_json));
  schedule::ScheduledKernel kernel = TRY(schedule::apply_template(task, *target, record.template_name));
  if (kernel.template_version() != record.template_version) {
    return fail(ErrorCode::Refused,
                fmt::format("template {} is now version {}; the session was made with version {}",
                            record.template_name, kernel.template_version(), record.template_version),
                "run the task again with today's template");
  }
  const Result<trial::MeasureOptions> options = trial::stored_measure_options(record.options_json);
  if (options && options->beyond_limits) kernel = kernel.without_limits();
  return kernel::ScheduleFamily(std::move(kernel));
}

Result<std::shared_ptr<const kernel::Family>> family_of_session(const store::Store& store,
                                                                const store::SessionRecord& record) {
  if (record.project_hash.empty())
    return std::make_shared<const kernel::ScheduleFamily>(TRY(session_kernels(record)));
  const auto project = TRY(stored_project(store, record));
  const schedule::TargetDescription target = TRY(schedule::target_from_json(record.target_json));
  return TRY(kernel::ProjectFamily::make(project, target));
}

}  // namespace kernelscape::session
