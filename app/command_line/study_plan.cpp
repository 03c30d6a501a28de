#include "app/command_line/study_plan.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/command_line/console.h"
#include "core/study/arm_settings.h"

namespace kernelscape::command_line {
namespace {

std::string_view kind_name(analysis::PlannedAnswerKind kind) {
  switch (kind) {
    case analysis::PlannedAnswerKind::Decides:
      return "decides";
    case analysis::PlannedAnswerKind::Cannot:
      return "cannot";
    case analysis::PlannedAnswerKind::Caution:
      break;
  }
  return "caution";
}

base::TerminalText answers_of_kind(const std::vector<analysis::PlannedAnswer>& answers,
                                   analysis::PlannedAnswerKind kind, std::string_view title) {
  base::TerminalText text;
  for (const analysis::PlannedAnswer& answer : answers) {
    if (answer.kind != kind) continue;
    if (text.empty()) text += base::write<base::Terminal>("\n{}\n", title);
    text += base::write<base::Terminal>("  - {}\n", answer.words);
  }
  return text;
}

nlohmann::json arms_to_json(const study::StudyPlan& plan) {
  nlohmann::json arms = nlohmann::json::array();
  for (std::size_t arm = 0; arm < plan.comparison.arms.size(); ++arm) {
    const analysis::PlannedArm& planned = plan.comparison.arms[arm];
    const bool draws = planned.random_phase == analysis::all_trials_random_phase;
    arms.push_back({{"name", planned.name},
                    {"tuner", plan.study.arms[arm].tuner},
                    {"batch", study::arm_batch_text(study::batch_run_with(plan.study, plan.study.arms[arm]))},
                    {"random_phase", draws ? nlohmann::json() : nlohmann::json(planned.random_phase)},
                    {"only_draws", draws},
                    {"control", planned.control}});
  }
  return arms;
}

nlohmann::json tasks_to_json(const study::StudyPlan& plan) {
  nlohmann::json tasks = nlohmann::json::array();
  for (const analysis::PlannedTask& task : plan.comparison.tasks) {
    const bool known = task.known != nullptr;
    tasks.push_back({{"name", task.name},
                     {"recorded", task.recorded},
                     {"members", known ? nlohmann::json(task.known->members.size()) : nlohmann::json()},
                     {"noise", known ? nlohmann::json(task.known->noise) : nlohmann::json()},
                     {"unread", task.unread}});
  }
  return tasks;
}

nlohmann::json tests_to_json(const analysis::PlannedComparison& planned) {
  const analysis::PlannedTests tests = analysis::planned_tests(planned);
  const auto corrected = [](double p, std::size_t family) {
    return std::min(1.0, p * static_cast<double>(std::max<std::size_t>(1, family)));
  };
  return {{"within_tasks", tests.within_tasks},
          {"over_tasks", tests.over_tasks},
          {"least_p_within", tests.min_p_within},
          {"least_corrected_p_within", corrected(tests.min_p_within, tests.within_tasks)},
          {"least_p_over", tests.min_p_over},
          {"least_corrected_p_over", corrected(tests.min_p_over, tests.over_tasks)}};
}

}  // namespace

base::TerminalText answers_text(const std::vector<analysis::PlannedAnswer>& answers) {
  return answers_of_kind(answers, analysis::PlannedAnswerKind::Decides, "what this study can decide") +
         answers_of_kind(answers, analysis::PlannedAnswerKind::Cannot, "what it cannot decide") +
         answers_of_kind(answers, analysis::PlannedAnswerKind::Caution, "warnings");
}

base::TerminalText plan_text(const study::StudyPlan& plan) {
  base::TerminalText text = base::write<base::Terminal>("{}\n", plan.study.name);
  if (!plan.study.about.empty()) text += base::write<base::Terminal>("{}\n", plan.study.about);
  text += base::write<base::Terminal>("\nwhat it compares\n");
  for (const std::string& sentence : plan.compared) text += base::write<base::Terminal>("  - {}\n", sentence);
  return text + answers_text(plan.answers);
}

nlohmann::json plan_event(const study::StudyPlan& plan) {
  nlohmann::json answers = nlohmann::json::array();
  for (const analysis::PlannedAnswer& answer : plan.answers)
    answers.push_back({{"kind", kind_name(answer.kind)}, {"words", answer.words}});
  return {{"event", "plan"},
          {"name", plan.study.name},
          {"compared", plan.compared},
          {"arms", arms_to_json(plan)},
          {"tasks", tasks_to_json(plan)},
          {"tests", tests_to_json(plan.comparison)},
          {"answers", answers},
          {"definition", nlohmann::json::parse(study::study_to_json(plan.study))}};
}

}  // namespace kernelscape::command_line
