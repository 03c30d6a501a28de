#include "ui/views/tune/form_check.h"

#include <mutex>

#include "core/session/preparation_parts.h"
#include "core/session/shared_features.h"

namespace kernelscape {
namespace {

/** Probing the compiler takes a compile: once per compiler that the environment names. */
Result<TargetDescription> known_cpu() {
  static std::mutex mutex;
  static std::map<std::string, TargetDescription> known;
  const char* compiler = std::getenv("CC");
  const std::string key = compiler != nullptr ? compiler : "";
  const std::scoped_lock lock(mutex);
  if (const auto found = known.find(key); found != known.end()) return found->second;
  Result<TargetDescription> target = describe_cpu_target(CompilerNeed::Required);
  if (target) known.emplace(key, *target);
  return target;
}

Result<TargetDescription> target_of(const TuningRequest& request, const DeviceSurvey* devices) {
  TRY(check_target_choice(request.target, request.architecture, request.measuring.build_only));
  if (request.target == "cpu") return known_cpu();
  const bool of_device = request.architecture.empty() && devices != nullptr;
  const FoundDevice* found = of_device ? devices->find(request.target) : nullptr;
  if (found != nullptr) return found->target;
  return resolve_target(request.target, CompilerNeed::Required, request.architecture);
}

/** What its settings name, of the database or the shipped ones. */
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

/** A hyperparameter that can't be read is told beside its field. */
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

/** A recorded space knows its task, target, template and space. */
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
