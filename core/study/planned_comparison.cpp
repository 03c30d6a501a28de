#include "core/study/planned_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/base/text.h"
#include "core/session/recording_cache.h"
#include "core/study/arm_settings.h"
#include "core/study/compared_task.h"
#include "core/study/tasks.h"

namespace kernelscape::study {
namespace {

Result<std::shared_ptr<const trial::Recording>> recording_of_target(const std::string& target,
                                                                    const store::Store* store) {
  const std::filesystem::path file = target.substr(session::recorded_target_prefix.size());
  std::error_code error;
  // A name that is not a file is a recorded space of the database.
  if (!file.is_absolute()) {
    if (store != nullptr) return session::open_recorded_target(target, *store);
    return fail(ErrorCode::NotFound, "there is no database in which to look it up",
                "open or name a database");
  }
  if (!std::filesystem::exists(file, error)) return fail(ErrorCode::NotFound, "the file does not exist", "");
  return open_recorded_file(file);
}

Result<std::shared_ptr<const analysis::ComparedTask>> known_task(const Task& task,
                                                                 const store::Store* store) {
  const std::shared_ptr<const trial::Recording> recording = TRY(recording_of_target(task.target, store));
  std::vector<session::KnobRestriction> restrictions;
  for (const std::string& text : task.restrictions)
    restrictions.push_back(TRY(session::parse_restriction(text)));
  std::optional<space::SearchSpace> space;
  if (!restrictions.empty()) space = TRY(session::restrict_space(recording->space(), restrictions));
  ComparedTaskFacts facts = TRY(recorded_task_facts(*recording, space ? &*space : nullptr));
  return std::make_shared<const analysis::ComparedTask>(std::move(facts.task));
}

std::string numbered(std::size_t number, std::string_view one, std::string_view several) {
  return number == 1 ? fmt::format("1 {}", one) : fmt::format("{} {}", number, several);
}

std::string tuners_sentence(const Definition& study) {
  std::vector<std::string> own;
  std::vector<std::string> controls;
  for (const Arm& arm : study.arms) (arm.control ? controls : own).push_back(arm.name);
  std::string text = fmt::format("{}: {}", numbered(own.size(), "tuner", "tuners"), base::join(own, "; "));
  if (!controls.empty())
    text += fmt::format(", and {} of random search in their batches: {}",
                        numbered(controls.size(), "control", "controls"), base::join(controls, "; "));
  if (study.arms.size() > 1) text += fmt::format("; compared with {}", study.arms[baseline_arm(study)].name);
  return text;
}

std::string tasks_sentence(const Definition& study, const std::vector<analysis::PlannedTask>& tasks) {
  const auto replayed = static_cast<std::size_t>(std::ranges::count_if(study.tasks, &Task::recorded));
  std::vector<std::string> names;
  for (const analysis::PlannedTask& task : tasks) {
    const bool known = task.known && !task.known->members.empty();
    names.push_back(
        known ? fmt::format("{} ({} feasible configurations)", task.name, task.known->members.size())
              : task.name);
  }
  const std::string how = replayed == study.tasks.size() ? "replayed from recordings"
                          : replayed == 0                ? "measured on this machine"
                                          : fmt::format("{} of them replayed from recordings", replayed);
  return fmt::format("{}, {}: {}", numbered(study.tasks.size(), "task", "tasks"), how,
                     base::join(names, ", "));
}

std::string limits_words(const trial::Budget& budget) {
  std::vector<std::string> limits;
  if (budget.trials > 0) limits.push_back(fmt::format("{} trials", budget.trials));
  if (budget.minutes > 0) limits.push_back(fmt::format("{:g} minutes", budget.minutes));
  if (budget.target_gflops > 0) limits.push_back(fmt::format("{:g} GFLOPS", budget.target_gflops));
  if (budget.patience > 0) limits.push_back(fmt::format("{} trials without improvement", budget.patience));
  return limits.empty() ? std::string("when its space is completely searched")
                        : "after " + base::join(limits, " or ");
}

std::string runs_sentence(const Definition& study) {
  const std::size_t runs = study.arms.size() * study.tasks.size() * static_cast<std::size_t>(study.repeats);
  return fmt::format("{} of each tuner on each task, {} seeds: {}, each ends {}",
                     numbered(static_cast<std::size_t>(study.repeats), "run", "runs"),
                     study.paired_starts ? "all tuners of a repeat with the same" : "each with its own",
                     numbered(runs, "run", "runs"), limits_words(study.budget));
}

std::string clock_sentence(const Definition& study) {
  if (std::ranges::none_of(study.tasks, &Task::recorded))
    return "the clock is this machine's wall time: search, building, running and checking";
  std::string search;
  switch (study.search_time.kind) {
    case trial::SearchTime::Kind::Measured:
      search = "the search time of each tuner, measured during the replay";
      break;
    case trial::SearchTime::Kind::None:
      search = "no search time";
      break;
    default:
      search = fmt::format("{} s of search for each candidate", trial::to_string(study.search_time));
  }
  const bool own =
      std::ranges::any_of(study.arms, [](const Arm& arm) { return arm.search_time.has_value(); });
  return fmt::format("the clock of a replay: the recorded build and run time, and {}{}", search,
                     own ? " (different for some tuners)" : "");
}

std::string tests_sentence(const analysis::PlannedComparison& planned) {
  const analysis::PlannedTests tests = analysis::planned_tests(planned);
  std::string text =
      fmt::format("the table has at most {} within tasks", numbered(tests.within_tasks, "test", "tests"));
  if (tests.over_tasks > 0)
    text += fmt::format(", and {} over tasks", numbered(tests.over_tasks, "test", "tests"));
  return text + ", each family corrected by Holm's method";
}

std::vector<std::string> analysis_sentences(const Definition& study) {
  return {fmt::format("{} as a whole: which configurations fail, and the performance of the others",
                      numbered(study.analysed.size(), "recorded space", "recorded spaces"))};
}

std::vector<analysis::PlannedAnswer> answers_without_comparison(const Definition& study) {
  std::vector<analysis::PlannedAnswer> answers;
  answers.push_back({analysis::PlannedAnswerKind::Cannot,
                     study.analysed.empty() && study.purpose == Purpose::Comparison
                         ? "only one tuner: there is no comparison and no test"
                         : "no tuners are compared, and there is no test: it is descriptive"});
  std::error_code error;
  for (const std::string& file : study.analysed)
    if (!std::filesystem::exists(file, error))
      answers.push_back({analysis::PlannedAnswerKind::Caution, fmt::format("{} does not exist", file)});
  return answers;
}

/** Adds the tasks whose recording is missing, required or optional. */
void add_absent(const Definition& study, std::vector<analysis::PlannedAnswer>& answers) {
  std::vector<std::string> optional;
  std::vector<std::string> needed;
  std::error_code error;
  const std::vector<std::string> labels = task_labels(study);
  for (std::size_t task = 0; task < study.tasks.size(); ++task) {
    if (!study.tasks[task].recorded()) continue;
    const std::filesystem::path file =
        study.tasks[task].target.substr(session::recorded_target_prefix.size());
    if (!file.is_absolute() || std::filesystem::exists(file, error)) continue;
    (study.tasks[task].optional ? optional : needed).push_back(labels[task]);
  }
  if (!needed.empty())
    answers.push_back(
        {analysis::PlannedAnswerKind::Cannot,
         fmt::format("it cannot run here: there is no recording of {}", base::join(needed, ", "))});
  if (optional.empty()) return;
  const bool all = optional.size() == study.tasks.size();
  answers.push_back(
      all ? analysis::PlannedAnswer{analysis::PlannedAnswerKind::Cannot,
                                    "it cannot run here: none of its recordings, which are not "
                                    "built in, is available"}
          : analysis::PlannedAnswer{analysis::PlannedAnswerKind::Caution,
                                    fmt::format("it will run without {}, whose recordings are not available",
                                                base::join(optional, ", "))});
}

}  // namespace

analysis::PlannedTask PlannedTaskReader::read(const Task& task, const std::string& name,
                                              const store::Store* store) {
  analysis::PlannedTask planned{.name = name, .recorded = task.recorded()};
  if (!planned.recorded) return planned;
  const std::string key = task.target + "\n" + base::join(task.restrictions, "\n");
  const std::scoped_lock lock(mutex_);
  if (const auto found = known_.find(key); found != known_.end()) {
    planned.known = found->second;
    return planned;
  }
  if (const auto known = known_task(task, store)) {
    planned.known = *known;
    known_.emplace(key, *known);
  } else {
    planned.unread = known.error().message;
  }
  return planned;
}

analysis::PlannedComparison planned_comparison(const Definition& study,
                                               std::vector<analysis::PlannedTask> tasks) {
  analysis::PlannedComparison planned;
  for (const Arm& arm : study.arms) {
    planned.arms.push_back({.name = arm.name,
                            .batch = std::max<std::int64_t>(0, batch_run_with(study, arm)),
                            .random_phase = random_phase_of(study, arm),
                            .control = arm.control});
  }
  planned.baseline = baseline_arm(study);
  planned.repeats = study.repeats;
  planned.tasks = std::move(tasks);
  planned.trials = study.budget.trials;
  planned.other_limits =
      study.budget.minutes > 0 || study.budget.target_gflops > 0 || study.budget.patience > 0;
  planned.paired_starts = study.paired_starts;
  return planned;
}

StudyPlan plan_study(const Definition& asked, PlannedTaskReader& reader, const store::Store* store) {
  StudyPlan plan{.study = asked, .comparison = {}, .compared = {}, .answers = {}};
  Definition& study = plan.study;
  if (!study.analysed.empty()) {
    plan.compared = analysis_sentences(study);
    plan.answers = answers_without_comparison(study);
    return plan;
  }
  add_controls(study);
  const std::vector<std::string> labels = task_labels(study);
  std::vector<analysis::PlannedTask> tasks;
  for (std::size_t task = 0; task < study.tasks.size(); ++task)
    tasks.push_back(reader.read(study.tasks[task], labels[task], store));
  plan.compared = {tuners_sentence(study), tasks_sentence(study, tasks), runs_sentence(study),
                   clock_sentence(study)};
  plan.comparison = planned_comparison(study, std::move(tasks));
  if (study.arms.size() < 2) {
    plan.answers = answers_without_comparison(study);
  } else {
    plan.compared.push_back(tests_sentence(plan.comparison));
    plan.answers = analysis::planned_answers(plan.comparison);
  }
  add_absent(study, plan.answers);
  return plan;
}

bool measures_here(const Definition& study) { return !std::ranges::all_of(study.tasks, &Task::recorded); }

}  // namespace kernelscape::study
