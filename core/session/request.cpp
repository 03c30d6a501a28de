#include <fmt/format.h>

#include <algorithm>

#include "core/base/media/shell_script.h"
#include "core/base/text.h"
#include "core/session/ask_tell.h"
#include "core/session/learnt_sources.h"
#include "core/session/preparation.h"
#include "core/session/project_preparation.h"
#include "core/session/setup.h"
#include "core/space/compiled_constraints.h"

namespace kernelscape::session {
namespace {

class CommandLine {
 public:
  explicit CommandLine(const TuningRequest& request) {
    text_ += "kernelscape tune";
    // A recorded space brings its task.
    if (!request.task.empty()) text_ += base::write<base::ShellScript>(" {}", request.task);
    add_text("--target", request.target, "cpu");
    add_text("--arch", request.architecture, "");
    if (request.measuring.build_only) text_ += " --build-only";
    add_text("--template", request.template_name, "");
    if (request.exact) text_ += " --exact";
    add_text("--tuner", request.tuner, tuner::default_tuner);
    for (const auto& [name, value] : request.settings) add("--set", fmt::format("{}={}", name, value));
    add_budget(request.budget);
    if (request.seed) add("--seed", std::to_string(*request.seed));
    add_measuring(request.measuring);
    if (request.measuring.search_time != trial::SearchTime{})
      add("--search-time", trial::to_string(request.measuring.search_time));
    if (request.respect_limits == true) text_ += " --respect-limits";
    if (request.respect_limits == false) text_ += " --no-respect-limits";
    if (request.measuring.beyond_limits) text_ += " --beyond-limits";
    // Never includes --trust: a user must read the files before.
    if (request.outside_files) text_ += " --outside-files";
    for (const KnobRestriction& restriction : request.restrictions) add("--restrict", to_text(restriction));
    add_text("--warm-start", request.warm_start, "");
    for (const std::string& source : request.learn_from) add("--learn-from", source);
    add_text("--name", request.name, "");
  }

  const std::string& text() const { return text_.text(); }

 private:
  static std::string to_text(const KnobRestriction& restriction) {
    std::vector<std::string> values;
    for (const std::int64_t value : restriction.values) values.push_back(std::to_string(value));
    values.insert(values.end(), restriction.texts.begin(), restriction.texts.end());
    return fmt::format("{}[{}]={}", restriction.knob, restriction.position, base::join(values, ","));
  }

  void add(base::Literal option, const std::string& value) {
    text_ += base::write<base::ShellScript>(" {} {}", option, value);
  }
  void add_text(base::Literal option, const std::string& value, std::string_view default_value) {
    if (value != default_value) add(option, value);
  }
  template <typename Number>
  void add_number(base::Literal option, Number value, Number default_value) {
    if (value != default_value) add(option, fmt::format("{}", value));
  }

  void add_budget(const trial::Budget& budget) {
    const trial::Budget usual;
    add_number("--trials", budget.trials, usual.trials);
    add_number("--minutes", budget.minutes, usual.minutes);
    add_number("--target-gflops", budget.target_gflops, usual.target_gflops);
    add_number("--patience", budget.patience, usual.patience);
    if (budget.identical_failures == 0) text_ += " --keep-going";
  }

  void add_measuring(const trial::MeasureOptions& options) {
    constexpr double milliseconds_per_second = 1e3;
    const trial::MeasureOptions usual;
    add_number("--threads", options.threads, usual.threads);
    if (options.replay_samples)
      add("--repeats", std::to_string(options.repeats));
    else
      add_number("--repeats", options.repeats, usual.repeats);
    if (options.min_repeat_seconds != usual.min_repeat_seconds)
      add("--min-repeat-ms", fmt::format("{}", options.min_repeat_seconds * milliseconds_per_second));
    add_number("--calls-per-sample", options.calls_per_sample, usual.calls_per_sample);
    add_number("--build-timeout", options.build_timeout_seconds, usual.build_timeout_seconds);
    add_number("--run-timeout", options.run_timeout_seconds, usual.run_timeout_seconds);
    // A replay that takes fewer samples gives up none unless it is asked to.
    const double usual_factor = options.replay_samples ? 0 : usual.give_up_factor;
    add_number("--give-up", options.give_up_factor, usual_factor);
    add_number("--slow-phase-patience", options.slow_phase_patience_seconds,
               usual.slow_phase_patience_seconds);
    if (options.adaptive()) add_adaptive(options);
  }

  void add_adaptive(const trial::MeasureOptions& options) {
    const trial::MeasureOptions usual;
    add("--adaptive-batch", std::to_string(options.adaptive_batch));
    add_number("--adaptive-threshold", options.adaptive_threshold, usual.adaptive_threshold);
    add_number("--adaptive-minimum", options.adaptive_minimum, usual.adaptive_minimum);
    if (options.adaptive_performance != usual.adaptive_performance)
      add("--adaptive-performance", std::string(trial::to_string(options.adaptive_performance)));
  }

  base::ShellText text_;
};

/** A name or text that the task is found by. The file of a project may have changed or gone: the database has
 * it. */
std::string requested_task(const store::SessionRecord& record, const task::Task& task) {
  if (!record.project_hash.empty()) return fmt::format("{}{}", project_task_prefix, record.id);
  return task.name.empty() ? task.text : task.name;
}

/** Returns how many of the recorded samples a replay used. */
void take_sampling_of(const trial::MeasureOptions& replayed, trial::MeasureOptions& options) {
  options.replay_samples = true;
  options.repeats = replayed.repeats;
  options.give_up_factor = replayed.give_up_factor;
  options.adaptive_batch = replayed.adaptive_batch;
  options.adaptive_threshold = replayed.adaptive_threshold;
  options.adaptive_minimum = replayed.adaptive_minimum;
  options.adaptive_performance = replayed.adaptive_performance;
}

/** Restrictions of single elements among the constraints of a stored space. */
std::vector<KnobRestriction> restrictions_of(const space::SearchSpace& space) {
  std::vector<KnobRestriction> restrictions;
  for (const space::Constraint& constraint : space.constraints().constraints()) {
    const auto* in = std::get_if<space::InConstraint>(&constraint.rule);
    if (in == nullptr || constraint.reason != user_restriction_reason) continue;
    const space::Variable& variable = space.constraints().variables()[in->variable];
    if (!variable.element) continue;
    restrictions.push_back(
        {space.knobs()[variable.element->knob].name(), variable.element->position, in->values});
  }
  return restrictions;
}

/** Returns true if the space has more constraints than the template's rules and the user's restrictions. */
bool constrained_by_limits(const space::SearchSpace& stored, const schedule::ScheduledKernel& kernel) {
  const std::size_t own = kernel.space().constraints().constraints().size();
  return stored.constraints().constraints().size() > own + restrictions_of(stored).size();
}

/** Returns true if a listed member exceeds the limits. */
bool lists_beyond_limits(const space::SearchSpace& stored, const schedule::ScheduledKernel& kernel) {
  if (kernel.space().knobs() != stored.knobs()) return false;
  const space::CompiledConstraints limits(kernel.limits());
  return std::ranges::any_of(*stored.explicit_members(), [&](const space::Configuration& member) {
    return !limits.satisfied(stored.knobs(), member);
  });
}

/**
 * Returns whether a stored space respects the limits, if the tuner of the request does not have it so by
 * default; otherwise nullopt.
 */
std::optional<bool> limits_choice(const space::SearchSpace& stored, const task::Task& task,
                                  const store::SessionRecord& record, const TuningRequest& request) {
  const Result<schedule::TargetDescription> target = schedule::target_from_json(record.target_json);
  if (!target || !record.project_hash.empty()) return std::nullopt;
  const Result<schedule::ScheduledKernel> kernel =
      schedule::apply_template(task, *target, record.template_name);
  if (!kernel || kernel->limits().empty()) return std::nullopt;
  const bool by_default = enforces_limits(request);
  // A list does not say whether limits made it; without a member beyond them they make no difference.
  if (stored.explicit_members() != nullptr)
    return by_default && lists_beyond_limits(stored, *kernel) ? std::optional(false) : std::nullopt;
  const bool respected = constrained_by_limits(stored, *kernel);
  return respected == by_default ? std::nullopt : std::optional(respected);
}

}  // namespace

std::string command_line_of(const TuningRequest& request) { return CommandLine(request).text(); }

Result<TuningRequest> request_of(const store::SessionRecord& record) {
  if (is_ask_tell(record))
    return fail(ErrorCode::Refused,
                fmt::format("a client measures the configurations of session {}", record.id),
                "run the client again, which begins a session with `kernelscape ask-tell`");
  const task::Task task = TRY(task::task_from_json(record.task_json));
  const space::SearchSpace space = TRY(space::space_from_json(record.space_json));
  const trial::MeasureOptions options = TRY(trial::stored_measure_options(record.options_json));
  const trial::BudgetPlan plan = TRY(trial::budget_plan_from_json(record.budget_json));
  const tuner::Declaration* tuner = TRY(tuner::find_tuner(record.tuner));
  const tuner::SettingValues settings = TRY(settings_from_json(*tuner, record.settings_json));
  const std::vector<HistorySource> history = TRY(history_from_json(record.history_json));

  TuningRequest request;
  request.task = requested_task(record, task);
  const bool replayed = record.kind == store::SessionKind::Replayed;
  const Result<schedule::TargetDescription> target = schedule::target_from_json(record.target_json);
  if (target && target->architecture_only && !replayed) request.architecture = target->isa;
  // By its own number: the file may have moved, and what it recorded has a name that is not unique.
  request.target = replayed ? fmt::format("{}{}", recorded_target_prefix, record.id) : record.target_name;
  request.template_name = record.template_name;
  request.tuner = record.tuner;
  for (const tuner::HyperparameterDeclaration& declaration : tuner->hyperparameters) {
    const tuner::SettingValue& value = settings.at(declaration.name);
    if (value != declaration.default_value) request.settings[declaration.name] = space::to_string(value);
  }
  request.budget = plan.budget;
  // A recorded space is always replayed to its end, so --keep-going is not printed.
  if (replayed) request.budget.identical_failures = trial::default_identical_failures;
  request.seed = record.seed;
  request.measuring = options;
  if (replayed) {
    // How it was measured is the recording's.
    request.measuring = {};
    request.measuring.search_time = options.search_time;
    request.measuring.clock = options.clock;
    if (options.replay_samples) take_sampling_of(options, request.measuring);
  }
  request.restrictions = restrictions_of(space);
  request.respect_limits = limits_choice(space, task, record, request);
  if (!history.empty()) request.warm_start = std::to_string(history.front().session);
  for (const LearntSource& source : TRY(learnt_sources_from_json(record.history_json)))
    request.learn_from.push_back(source_name(source));
  request.name = record.name;
  return request;
}

}  // namespace kernelscape::session
