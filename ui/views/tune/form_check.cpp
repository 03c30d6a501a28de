#include "ui/views/tune/form_check.h"

#include <fmt/format.h>

#include "core/codegen/dialect.h"
#include "core/kernel/project_family.h"
#include "core/project/host_language.h"
#include "core/session/preparation_parts.h"
#include "core/session/project_preparation.h"
#include "core/session/shared_features.h"
#include "ui/views/runs/known_target.h"

namespace kernelscape {
namespace {

Result<TargetDescription> target_of(const TuningRequest& request, const DeviceSurvey* devices) {
  TRY(check_target_choice(request.target, request.architecture, request.measuring.build_only));
  return known_target(request.target, request.architecture, devices);
}

/** Finds the predictor that the settings name, in the database or among the built-in ones. */
Status find_predictor(PreparedTuning& tuning, const std::filesystem::path& database) {
  std::error_code unknown;
  const bool exists = std::filesystem::exists(database, unknown);
  const Store store = TRY(exists ? Store::open(database, OpenMode::ReadOnly) : Store::nothing_yet(database));
  return take_predictor(store, tuning);
}

bool sees_predictor(std::string_view tuner) {
  const auto found = find_tuner(tuner);
  return found && (*found)->uses_predictor;
}

/**
 * Returns an error of the tuner. Unreadable hyperparameters are left out, because they are reported beside
 * their fields.
 */
std::optional<Error> tuner_problem(const TuningRequest& request, PreparedTuning tuning,
                                   const std::filesystem::path& database) {
  tuning.setup.tuner = request.tuner;
  Result<SettingValues> settings = requested_settings(request);
  if (!settings) return std::nullopt;
  tuning.setup.settings = std::move(*settings);
  if (sees_predictor(request.tuner)) {
    if (const Status found = find_predictor(tuning, database); !found) return found.error();
  }
  const Status fitting = check_tuner(tuning.setup);
  return fitting ? std::nullopt : std::optional(fitting.error());
}

const Error no_configuration_left{ErrorCode::InvalidArgument, "No configuration is left",
                                  "Allow more values of the knobs"};

/** Checks a recorded space, which determines its task, target, template and space. */
FormCheck check_recorded(const TuningRequest& request, const std::filesystem::path& database) {
  FormCheck check;
  const Result<Store> store = Store::open(database, OpenMode::ReadOnly);
  if (!store) {
    check.target_error = store.error();
    return check;
  }
  TuningRequest whole = request;
  whole.restrictions.clear();
  whole.respect_limits = false;
  whole.tuner = sampling_tuner;
  whole.settings.clear();
  Result<PreparedTuning> tuning = prepare_tuning(whole, *store);
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
  if (request.restrictions.empty() && !request.respect_limits) return check;
  whole.restrictions = request.restrictions;
  whole.respect_limits = request.respect_limits;
  tuning = prepare_tuning(whole, *store);
  if (!tuning) {
    check.space_error = tuning.error();
    return check;
  }
  check.restricted_members = tuning->setup.space.member_count();
  if (check.restricted_members == uint128{0}) check.space_error = no_configuration_left;
  return check;
}

/** Returns the project that the task names; null: the task is not a project. */
Result<std::shared_ptr<const KernelProject>> project_of(const TuningRequest& request,
                                                        const std::filesystem::path& database) {
  const bool stored = request.task.starts_with(project_task_prefix);
  if (!stored && !request.task.ends_with(".json")) return nullptr;
  const Store store = TRY(stored ? Store::open(database, OpenMode::ReadOnly) : Store::nothing_yet(database));
  return requested_project(request, store);
}

/** Returns the error with a hint for the window, which has no command-line options. */
Error wrong_language(const KernelProject& project, const TargetDescription& target) {
  const std::string_view runner = project.dialect == Dialect::C ? "cpu"
                                  : project.dialect == Dialect::Cuda
                                      ? "a CUDA device, or CUDA without a device"
                                      : "an OpenCL device";
  return {
      ErrorCode::InvalidArgument,
      fmt::format("{} does not run {}, the language of {}", target.name, language_of(project), project.name),
      fmt::format("choose {}", runner)};
}

/** Checks the space, which is shown even if no target can run it. */
void check_space_alone(const KernelProject& project, FormCheck& check) {
  Result<ProjectSpace> space =
      make_project_space(project.parameters, project.conditions, project.problem_size);
  if (!space) {
    check.task_error = space.error();
    return;
  }
  check.members = space->space.member_count();
  check.space = std::move(space->space);
}

void check_restrictions(const TuningRequest& request, FormCheck& check) {
  if (request.restrictions.empty()) return;
  const Result<SearchSpace> restricted = restrict_space(*check.space, request.restrictions);
  if (!restricted) {
    check.space_error = restricted.error();
    return;
  }
  check.restricted_members = restricted->member_count();
  if (check.restricted_members == uint128{0}) check.space_error = no_configuration_left;
}

/** Checks a user's own kernel: reading it and counting its space compile and run nothing. */
void check_project(const TuningRequest& request, const std::filesystem::path& database,
                   const DeviceSurvey* devices, FormCheck& check) {
  const KernelProject& project = *check.project;
  check.project_hash = content_hash(project);
  check.project_notices = project.notices;
  check.task = task_of_project(project);
  Result<TargetDescription> target = target_of(request, devices);
  if (!target) {
    check.target_error = target.error();
    return check_space_alone(project, check);
  }
  check.target = std::move(*target);
  if (dialect_of(check.target->kind) != project.dialect) {
    check.target_error = wrong_language(project, *check.target);
    return check_space_alone(project, check);
  }
  const auto family = ProjectFamily::make(check.project, *check.target);
  if (!family) {
    check.task_error = family.error();
    return;
  }
  check.project_notices = (*family)->notices();
  check.space = (*family)->space();
  check.members = check.space->member_count();
  SessionSetup setup{.space = *check.space};
  setup.task = *check.task;
  setup.target = *check.target;
  check.tuner_error = tuner_problem(request, PreparedTuning{std::move(setup), *family}, database);
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

FormCheck check_form(const TuningRequest& request, const Result<Catalogue>& catalogue,
                     const std::filesystem::path& database, const DeviceSurvey* devices) {
  if (is_recorded_target(request.target)) return check_recorded(request, database);
  FormCheck check;
  if (const Status sensible = check_measure_options(request.measuring); !sensible)
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
  Result<Task> task = catalogue->find(request.task);
  if (!task) {
    check.task_error = task.error();
    return check;
  }
  check.task = std::move(*task);
  Result<TargetDescription> target = target_of(request, devices);
  if (!target) {
    check.target_error = target.error();
    return check;
  }
  check.target = std::move(*target);
  for (const TemplateDeclaration& declaration : template_registry()) {
    if (supports(declaration, check.target->kind) && declaration.fits(*check.task, *check.target))
      check.templates.push_back(declaration.name);
  }
  const Result<ScheduledKernel> kernel = apply_template(*check.task, *check.target, request.template_name);
  if (!kernel) {
    check.template_error = kernel.error();
    return check;
  }
  check.space = kernel->space();
  check.members = kernel->space().member_count();
  SessionSetup setup{.space = kernel->space()};
  setup.features = shared_features(*kernel);
  const PreparedTuning whole{setup, std::make_shared<ScheduleFamily>(*kernel)};
  check.tuner_error = tuner_problem(request, whole, database);
  if (request.restrictions.empty() && !request.respect_limits) return check;
  const Result<SearchSpace> restricted =
      restrict_space(*kernel, request.respect_limits, request.restrictions);
  if (!restricted) {
    check.space_error = restricted.error();
    return check;
  }
  check.restricted_members = restricted->member_count();
  if (check.restricted_members == uint128{0}) check.space_error = no_configuration_left;
  return check;
}

}  // namespace kernelscape
