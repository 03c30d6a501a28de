#include <QTest>
#include <algorithm>

#include "core/analysis/comparison/compared_measure.h"
#include "core/study/planned_comparison.h"
#include "tests/study/study_support.h"
#include "tests/test_program.h"

namespace kernelscape::study_planned_comparison_test {
using namespace kernelscape::study_tests;

/** What a definition says of itself before anything runs. */
class StudyPlannedComparisonTest : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  static bool says(const study::StudyPlan& plan, analysis::PlannedAnswerKind kind, const std::string& words) {
    return std::ranges::any_of(plan.answers, [&](const analysis::PlannedAnswer& answer) {
      return answer.kind == kind && answer.words.contains(words);
    });
  }

 private slots:
  void every_bundled_study_answers() {
    study::PlannedTaskReader reader;
    const std::vector<std::filesystem::path> files = study::bundled_studies();
    QVERIFY(files.size() > 15);
    for (const std::filesystem::path& file : files) {
      const Result<study::Definition> study = study::load_study(file);
      QVERIFY2(study, file.c_str());
      const study::StudyPlan plan = study::plan_study(*study, reader, nullptr);
      QVERIFY2(!plan.compared.empty() && !plan.answers.empty(), file.c_str());
      for (const analysis::PlannedAnswer& answer : plan.answers)
        QVERIFY2(!answer.words.empty(), file.c_str());
      for (std::size_t task = 0; task < plan.comparison.tasks.size(); ++task) {
        const analysis::PlannedTask& planned = plan.comparison.tasks[task];
        const std::string target = study->tasks[task].target;
        const std::filesystem::path recording =
            planned.recorded ? target.substr(session::recorded_target_prefix.size()) : std::string();
        // What is not here is told; what is here is read.
        const bool here = planned.recorded && std::filesystem::exists(recording);
        QCOMPARE(planned.known != nullptr, here);
        QCOMPARE(planned.unread.empty(), here || !planned.recorded);
        if (planned.recorded && !here && plan.study.arms.size() > 1)
          QVERIFY2(says(plan, analysis::PlannedAnswerKind::Caution, "not read"), file.c_str());
      }
      if (plan.study.arms.size() < 2) continue;
      QCOMPARE(plan.comparison.arms.size(), plan.study.arms.size());
      QVERIFY2(analysis::planned_tests(plan.comparison).within_tasks > 0, file.c_str());
    }
  }

  void tests_are_counted_as_the_table_counts_them() {
    const std::string file = write_recording(folder_, "x", 1);
    study::Definition study = make_study({"random", "grid", "sa"}, {file}, 8, 6);
    study::PlannedTaskReader reader;
    const study::StudyPlan plan = study::plan_study(study, reader, nullptr);
    const std::shared_ptr<const analysis::ComparedTask> known = plan.comparison.tasks.at(0).known;
    QVERIFY(known && !known->members.empty());
    std::size_t offered = 2;  // final performance and score
    for (const double goal : analysis::goal_shares)
      offered += known->noise > 0 && 1 - goal <= known->noise ? 0U : 2U;
    QCOMPARE(analysis::planned_tests(plan.comparison).within_tasks, 2 * offered);
    QCOMPARE(analysis::planned_tests(plan.comparison).over_tasks, std::size_t{0});
    QVERIFY(says(plan, analysis::PlannedAnswerKind::Cannot, "one task: the results do not apply to others"));
    QVERIFY(!says(plan, analysis::PlannedAnswerKind::Cannot, "can visit the whole space"));
    study.budget.trials = static_cast<std::int64_t>(known->members.size());
    QVERIFY(says(study::plan_study(study, reader, nullptr), analysis::PlannedAnswerKind::Cannot,
                 "can visit the whole space"));
    study.repeats = 1;
    QVERIFY(says(study::plan_study(study, reader, nullptr), analysis::PlannedAnswerKind::Cannot,
                 "nothing can be tested"));
  }

  void controls_and_pairs_are_part_of_the_plan() {
    const std::string file = write_recording(folder_, "x", 1);
    study::Definition study = make_study({"ga@8", "sa@4"}, {file}, 12, 50);
    study.controls = true;
    study.paired_starts = true;
    study::PlannedTaskReader reader;
    const study::StudyPlan plan = study::plan_study(study, reader, nullptr);
    QCOMPARE(std::ranges::count_if(plan.comparison.arms, &analysis::PlannedArm::control), std::ptrdiff_t{2});
    QVERIFY(plan.compared.front().contains("2 controls"));
    QVERIFY(says(plan, analysis::PlannedAnswerKind::Decides, "starts are paired"));
    QVERIFY(says(plan, analysis::PlannedAnswerKind::Cannot,
                 "ga@8 is in its random phase for all of its 50 trials"));
    QCOMPARE(analysis::planned_tests(plan.comparison).min_p_within, std::exp2(-11.0));
  }

  void what_is_absent_is_reported() {
    study::Definition study =
        make_study({"random", "sa"}, {folder_.filePath("nowhere.ksrec").toStdString()}, 8, 50);
    study::PlannedTaskReader reader;
    study::StudyPlan plan = study::plan_study(study, reader, nullptr);
    QVERIFY(says(plan, analysis::PlannedAnswerKind::Cannot, "it cannot run here"));
    QVERIFY(says(plan, analysis::PlannedAnswerKind::Caution, "the file does not exist"));
    study.tasks[0].optional = true;
    study.tasks.push_back(study.tasks[0]);
    study.tasks[1] = {};
    study.tasks[1].task = "resnet18/C6";
    plan = study::plan_study(study, reader, nullptr);
    QVERIFY(says(plan, analysis::PlannedAnswerKind::Caution, "it will run without nowhere"));
    study.tasks[0].target = "recorded:17";
    plan = study::plan_study(study, reader, nullptr);
    QVERIFY(says(plan, analysis::PlannedAnswerKind::Caution, "there is no database"));
    QVERIFY(study::measures_here(study));
  }

  void one_tuner_compares_nothing() {
    const study::Definition study = make_study({"random"}, {write_recording(folder_, "x", 1)}, 8, 50);
    study::PlannedTaskReader reader;
    QVERIFY(
        says(study::plan_study(study, reader, nullptr), analysis::PlannedAnswerKind::Cannot, "one tuner"));
  }
};

KERNELSCAPE_PLAIN_TEST(StudyPlannedComparisonTest)

}  // namespace kernelscape::study_planned_comparison_test
#include "study_planned_comparison_test.moc"
