#include "ui/views/tune/form_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/codegen/dialect.h"
#include "core/kernel/project_family.h"
#include "core/project/host_language.h"
#include "core/session/preparation_parts.h"
#include "core/session/project_preparation.h"
#include "core/session/shared_features.h"
#include "ui/views/runs/known_target.h"

namespace kernelscape::views {
namespace {

Result<schedule::TargetDescription> target_of(const session::TuningRequest& request,
                                              const workspace::DeviceSurvey* devices) {
  TRY(session::check_target_choice(request.target, request.architecture, request.measuring.build_only));
  return known_target(request.target, request.architecture, devices);
}

/** Finds the predictor that the settings name, in the database or among the built-in ones. */
Status find_predictor(session::PreparedTuning& tuning, const std::filesystem::path& database) {
  std::error_code unknown;
  const bool exists = std::filesystem::exists(database, unknown);
  const store::Store store = TRY(exists ? store::Store::open(database, store::OpenMode::ReadOnly)
                                        : store::Store::nothing_yet(database));
  return session::take_predictor(store, tuning);
}

bool sees_predictor(std::string_view tuner) {
  const auto found = tuner::find_tuner(tuner);
  return found && (*found)->uses_predictor;
}

/**
 * Returns an error of the tuner. Unreadable hyperparameters are left out, because they are reported beside
 * their fields.
 */
std::optional<Error> tuner_problem(const session::TuningRequest& request, session::PreparedTuning tuning,
                                   const std::filesystem::path& database) {
  tuning.setup.tuner = request.tuner;
  Result<tuner::SettingValues> settings = session::requested_settings(request);
  if (!settings) return std::nullopt;
  tuning.setup.settings = std::move(*settings);
  if (sees_predictor(request.tuner)) {
    if (const Status found = find_predictor(tuning, database); !found) return found.error();
  }
  const Status fitting = session::check_tuner(tuning.setup);
  return fitting ? std::nullopt : std::optional(fitting.error());
}

const Error no_configuration_left{ErrorCode::InvalidArgument, "No configuration is left",
                                  "Allow more values of the knobs"};

double failed_share_of(const trial::Recording& recording) {
  std::uint32_t failed = 0;
  for (std::uint32_t row = 0; row < recording.size(); ++row)
    failed += recording.category(row) == trial::ErrorCategory::NoError ? 0U : 1U;
  return failed / std::max(1.0, static_cast<double>(recording.size()));
}

/** Checks a recorded space, which determines its task, target, template and space. */
FormCheck check_recorded(const session::TuningRequest& request, const std::filesystem::path& database) {
  FormCheck check;
  const Result<store::Store> store = store::Store::open(database, store::OpenMode::ReadOnly);
  if (!store) {
    check.target_error = store.error();
    return check;
  }
  session::TuningRequest whole = request;
  whole.restrictions.clear();
  whole.respect_limits = false;  // the space without them is shown, whatever the tuner has by default
  whole.tuner = tuner::sampling_tuner;
  whole.settings.clear();
  Result<session::PreparedTuning> tuning = session::prepare_tuning(whole, *store);
  if (!tuning) {
    check.target_error = tuning.error();
    return check;
  }
  check.task = tuning->setup.task;
  check.target = tuning->setup.target;
  if (!tuning->setup.template_name.empty()) check.templates = {tuning->setup.template_name};
  check.space = tuning->setup.space;
  check.members = tuning->setup.space.member_count();
  check.tuner_error = tuner_problem(request, *tuning, database);
  whole.respect_limits = true;
  const Result<session::PreparedTuning> limited = session::prepare_tuning(whole, *store);
  check.limits_known = limited.has_value();
  if (limited) check.limited_members = limited->setup.space.member_count(session::limited_count_effort);
  if (tuning->recording) check.failed_share = failed_share_of(*tuning->recording);
  const bool enforced = session::enforces_limits(request);
  if (check.tuner_error || (request.restrictions.empty() && !enforced)) return check;
  whole.restrictions = request.restrictions;
  whole.respect_limits = request.respect_limits;
  if (enforced && !request.respect_limits) whole.tuner = request.tuner;  // whose default applies
  tuning = session::prepare_tuning(whole, *store);
  if (!tuning) {
    check.space_error = tuning.error();
    return check;
  }
  check.restricted_members = tuning->setup.space.member_count();
  if (check.restricted_members == base::uint128{0}) check.space_error = no_configuration_left;
  return check;
}

/** Returns the project that the task names; null: the task is not a project. */
Result<std::shared_ptr<const project::KernelProject>> project_of(const session::TuningRequest& request,
                                                                 const std::filesystem::path& database) {
  const bool stored = request.task.starts_with(session::project_task_prefix);
  if (!stored && !request.task.ends_with(".json")) return nullptr;
  const store::Store store = TRY(stored ? store::Store::open(database, store::OpenMode::ReadOnly)
                                        : store::Store::nothing_yet(database));
  return session::requested_project(request, store);
}

/** Returns the error with a hint for the window, which has no command-line options. */
Error wrong_language(const project::KernelProject& project, const schedule::TargetDescription& target) {
  const std::string_view runner = project.dialect == codegen::Dialect::C ? "cpu"
                                  : project.dialect == codegen::Dialect::Cuda
                                      ? "a CUDA device, or CUDA without a device"
                                      : "an OpenCL device";
  return {ErrorCode::InvalidArgument,
          fmt::format("{} does not run {}, the language of {}", target.name, project::language_of(project),
                      project.name),
          fmt::format("choose {}", runner)};
}

/** Checks the space, which is shown even if no target can run it. */
void check_space_alone(const project::KernelProject& project, FormCheck& check) {
  Result<project::Space> space =
      project::make_project_space(project.parameters, project.conditions, project.problem_size);
  if (!space) {
    check.task_error = space.error();
    return;
  }
  check.members = space->space.member_count();
  check.space = std::move(space->space);
}

void check_restrictions(const session::TuningRequest& request, FormCheck& check) {
  if (request.restrictions.empty()) return;
  const Result<space::SearchSpace> restricted = session::restrict_space(*check.space, request.restrictions);
  if (!restricted) {
    check.space_error = restricted.error();
    return;
  }
  check.restricted_members = restricted->member_count();
  if (check.restricted_members == base::uint128{0}) check.space_error = no_configuration_left;
}

/** Checks a user's own kernel: reading it and counting its space compile and run nothing. */
void check_project(const session::TuningRequest& request, const std::filesystem::path& database,
                   const workspace::DeviceSurvey* devices, FormCheck& check) {
  const project::KernelProject& project = *check.project;
  check.project_hash = project::content_hash(project);
  check.project_notices = project.notices;
  check.task = kernel::task_of_project(project);
  Result<schedule::TargetDescription> target = target_of(request, devices);
  if (!target) {
    check.target_error = target.error();
    return check_space_alone(project, check);
  }
  check.target = std::move(*target);
  if (kernel::dialect_of(check.target->kind) != project.dialect) {
    check.target_error = wrong_language(project, *check.target);
    return check_space_alone(project, check);
  }
  const auto family = kernel::ProjectFamily::make(check.project, *check.target);
  if (!family) {
    check.task_error = family.error();
    return;
  }
  check.project_notices = (*family)->notices();
  check.space = (*family)->space();
  check.members = check.space->member_count();
  session::Setup setup{.space = *check.space};
  setup.task = *check.task;
  setup.target = *check.target;
  check.tuner_error = tuner_problem(request, session::PreparedTuning{std::move(setup), *family}, database);
  check_restrictions(request, check);
}

}  // namespace

const Error* FormCheck::problem() const {
  for (const std::optional<Error>* error :
       {&task_error, &target_error, &template_error, &space_error, &measuring_error, &tuner_error}) {
    if (*error) return &**error;
  }
  return nullptr;
}

FormCheck check_form(const session::TuningRequest& request, const Result<task::Catalogue>& catalogue,
                     const std::filesystem::path& database, const workspace::DeviceSurvey* devices) {
  if (session::is_recorded_target(request.target)) return check_recorded(request, database);
  FormCheck check;
  if (const Status sensible = trial::check_measure_options(request.measuring); !sensible)
    check.measuring_error = sensible.error();
  auto project = project_of(request, database);
  if (!project) {
    check.task_error = project.error();
    return check;
  }
  if (*project) {
    check.project = std::move(*project);
    check_project(request, database, devices, check);
    return check;
  }
  if (!catalogue) {
    check.task_error = catalogue.error();
    return check;
  }
  Result<task::Task> task = catalogue->find(request.task);
  if (!task) {
    check.task_error = task.error();
    return check;
  }
  check.task = std::move(*task);
  Result<schedule::TargetDescription> target = target_of(request, devices);
  if (!target) {
    check.target_error = target.error();
    return check;
  }
  check.target = std::move(*target);
  for (const schedule::TemplateDeclaration& declaration : schedule::template_registry()) {
    if (schedule::supports(declaration, check.target->kind) && declaration.fits(*check.task, *check.target))
      check.templates.push_back(declaration.name);
  }
  const Result<schedule::ScheduledKernel> kernel =
      schedule::apply_template(*check.task, *check.target, request.template_name);
  if (!kernel) {
    check.template_error = kernel.error();
    return check;
  }
  check.space = kernel->space();
  check.members = kernel->space().member_count();
  if (!kernel->limits().empty()) {
    const Result<space::SearchSpace> limited = session::restrict_space(*kernel, true, {});
    check.limits_known = limited.has_value();
    if (limited) check.limited_members = limited->member_count(session::limited_count_effort);
  }
  session::Setup setup{.space = kernel->space()};
  setup.features = session::shared_features(*kernel);
  const session::PreparedTuning whole{setup, std::make_shared<kernel::ScheduleFamily>(*kernel)};
  check.tuner_error = tuner_problem(request, whole, database);
  const bool enforced = session::enforces_limits(request);
  if (request.restrictions.empty() && !enforced) return check;
  const Result<space::SearchSpace> restricted =
      session::restrict_space(*kernel, enforced, request.restrictions);
  if (!restricted) {
    check.space_error = restricted.error();
    return check;
  }
  check.restricted_members = restricted->member_count();
  if (check.restricted_members == base::uint128{0}) check.space_error = no_configuration_left;
  return check;
}

}  // namespace kernelscape::views
